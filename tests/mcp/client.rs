//! A project in a temporary directory, and a client that speaks to `mast serve` in raw frames.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Longest wait for anything a healthy server does at once; generous, because machines of tests are busy.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) const FILES: &[(&str, &str)] = &[
    (
        "src/store.ts",
        "export interface Store {\n  get(key: string): string;\n}\n\n/** Keeps values. */\n\
         export class MemoryStore implements Store {\n  get(key: string): string {\n    return key;\n  }\n}\n\n\
         export function openStore(): Store {\n  return new MemoryStore();\n}\n",
    ),
    ("src/index.ts", "export { openStore as open } from \"./store\";\n"),
    (
        "src/main.ts",
        "import { open } from \"./index\";\n\nexport function start(name: string): void {\n  open().get(name);\n}\n",
    ),
    ("README.md", "# Store\n\nKeeps values.\n\n## Use\n\nCall `open`. Größe: 😀\n"),
];

/// A project with a home of its own, so that no test depends on the machine.
pub(crate) struct Project {
    directory: tempfile::TempDir,
}

impl Project {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let project = Self { directory: tempfile::tempdir().unwrap() };
        fs::create_dir(project.home()).unwrap();
        fs::create_dir(project.root()).unwrap();
        for (path, text) in files {
            project.write(path, text);
        }
        project
    }

    /// The same, indexed.
    pub(crate) fn indexed(files: &[(&str, &str)]) -> Self {
        let project = Self::new(files);
        let ran = project.command(&["index"]).output().unwrap();
        assert!(ran.status.success(), "{ran:?}");
        project
    }

    fn home(&self) -> PathBuf {
        self.directory.path().join("home")
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.directory.path().canonicalize().unwrap().join("project")
    }

    pub(crate) fn state_dir(&self) -> PathBuf {
        self.root().join(".mast")
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let file = self.root().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mast"));
        command.args(arguments).current_dir(self.root()).env("HOME", self.home());
        for variable in ["MAST_STATE_DIR", "MAST_SEED_DIR", "MAST_LOG"] {
            command.env_remove(variable);
        }
        command
    }

    /// A server with the handshake done.
    pub(crate) fn serve(&self) -> Client {
        let mut client = self.spawn(&["serve", "--no-watch"], &[]);
        client.initialize("2025-06-18");
        client
    }

    /// A server that has not been spoken to.
    pub(crate) fn spawn(&self, arguments: &[&str], variables: &[(&str, &Path)]) -> Client {
        let mut command = self.command(arguments);
        command.envs(variables.iter().copied());
        Client::start(&mut command)
    }
}

pub(crate) struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    next_id: u64,
    /// Everything received, in order.
    pub(crate) received: Vec<Value>,
}

/// How a server ended.
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    pub(crate) stderr: String,
    pub(crate) received: Vec<Value>,
}

impl Client {
    fn start(command: &mut Command) -> Self {
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in stdout.lines() {
                if sender.send(line.unwrap()).is_err() {
                    return;
                }
            }
        });
        let stdin = child.stdin.take();
        Self { child, stdin, lines, next_id: 1, received: Vec::new() }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn send_raw(&mut self, line: &str) {
        self.send_part(line);
        self.send_part("\n");
    }

    /// Sends a piece of a line.
    pub(crate) fn send_part(&mut self, part: &str) {
        self.send_bytes(part.as_bytes());
    }

    /// Sends bytes as they are.
    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(bytes).unwrap();
        stdin.flush().unwrap();
    }

    /// Waits for the next error that belongs to no request, and gives its code.
    pub(crate) fn stray_error(&mut self) -> i64 {
        let deadline = Instant::now() + PATIENCE;
        let begin = self.received.len();
        loop {
            assert!(self.receive(deadline), "no error; received {:?}", self.received);
            let found = &self.received[begin..];
            if let Some(error) = found.iter().find(|m| m.get("error").is_some() && m["id"] == Value::Null) {
                return error["error"]["code"].as_i64().unwrap();
            }
        }
    }

    pub(crate) fn notify(&mut self, method: &str, params: &Value) {
        self.send_raw(&json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string());
    }

    /// Sends a request and returns its id.
    pub(crate) fn request(&mut self, method: &str, params: &Value) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        self.send_raw(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string());
        id
    }

    /// Sends a tool call and returns its id.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> u64 {
        self.request("tools/call", &json!({"name": tool, "arguments": arguments}))
    }

    /// Waits for the response to `id`.
    pub(crate) fn response(&mut self, id: u64) -> Value {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(found) = self.received.iter().find(|m| m["id"] == id && m.get("method").is_none()) {
                return found.clone();
            }
            assert!(self.receive(deadline), "no response to {id}; received {:?}", self.received);
        }
    }

    /// Takes one more message; `false` when the time is over or the server is gone.
    pub(crate) fn receive(&mut self, deadline: Instant) -> bool {
        match self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(line) => {
                let message = serde_json::from_str(&line);
                self.received.push(message.unwrap_or_else(|_| panic!("not a frame: {line}")));
                true
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => false,
        }
    }

    /// Sends a request and waits for its result.
    pub(crate) fn result(&mut self, method: &str, params: &Value) -> Value {
        let id = self.request(method, params);
        let response = self.response(id);
        response.get("result").cloned().unwrap_or_else(|| panic!("{response}"))
    }

    /// Calls a tool and waits for the text of its answer.
    pub(crate) fn text(&mut self, tool: &str, arguments: &Value) -> String {
        let id = self.call(tool, arguments);
        let response = self.response(id);
        let text = response["result"]["content"][0]["text"].as_str();
        text.unwrap_or_else(|| panic!("{response}")).to_owned()
    }

    pub(crate) fn initialize(&mut self, version: &str) -> Value {
        let client = json!({"name": "test", "version": "1"});
        let params = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": client});
        let result = self.result("initialize", &params);
        self.notify("notifications/initialized", &json!({}));
        result
    }

    /// Closes the server's standard input.
    pub(crate) fn close(&mut self) {
        self.stdin = None;
    }

    /// Waits for the process to end by itself.
    pub(crate) fn ended_within(mut self, patience: Duration) -> Ended {
        let deadline = Instant::now() + patience;
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(Instant::now() < deadline, "still running after {patience:?}");
            thread::sleep(Duration::from_millis(5));
        };
        while self.receive(Instant::now() + Duration::from_millis(500)) {}
        let mut stderr = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        Ended { status, stderr, received: std::mem::take(&mut self.received) }
    }

    /// Closes standard input and waits for the end.
    pub(crate) fn end(mut self) -> Ended {
        self.close();
        self.ended_within(PATIENCE)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // A test that failed leaves no server behind; one that ended is gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
