//! A language server as a process: frames in and out, every wait with an end.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::find::TypeScript;
use crate::error::{Error, Result};
use crate::task::Cancel;

/// Longest message that is read, in bytes. An answer about one name is far below it.
const MAX_MESSAGE: usize = 64 << 20;

/// Longest header line, in bytes.
const MAX_HEADER: u64 = 4096;

/// How often a wait looks whether it was cancelled.
const TICK: Duration = Duration::from_millis(50);

/// Last lines of standard error that are kept.
const KEPT_LINES: usize = 20;

/// A process that is killed when it is dropped.
#[derive(Debug)]
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A server; killed when dropped.
#[derive(Debug)]
pub(super) struct Process {
    child: Running,
    outgoing: Sender<Vec<u8>>,
    incoming: Receiver<Incoming>,
    complaints: Arc<Mutex<VecDeque<String>>>,
    name: String,
    subject: String,
}

#[derive(Debug)]
enum Incoming {
    Message(Value),
    Garbage(String),
    End,
}

/// When a wait is over.
#[derive(Debug, Clone)]
pub(super) struct Patience {
    /// For one answer.
    pub(super) answer: Duration,
    /// The end of the whole pass.
    pub(super) end: Instant,
    /// The caller's wish to stop.
    pub(super) cancel: Cancel,
}

impl Patience {
    /// When an answer that is asked for now is due.
    pub(super) fn deadline(&self) -> Instant {
        Instant::now() + self.answer
    }

    /// Fails when there is nothing left to wait for, with what `fails` makes of an answer that did not come by `deadline`.
    fn check(&self, deadline: Instant, fails: &dyn Fn(&str) -> Silence) -> Spoken<()> {
        self.cancel.check()?;
        let now = Instant::now();
        if now >= self.end {
            return Err(Silence::OutOfTime);
        }
        if now >= deadline {
            let seconds = self.answer.as_secs_f32();
            return Err(fails(&format!("did not answer within {seconds} seconds")));
        }
        Ok(())
    }
}

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum Silence {
    /// The time of the whole pass is over.
    OutOfTime,
    /// Anything else.
    Failed(Error),
}

impl From<Error> for Silence {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// Result of talking to TypeScript.
pub(super) type Spoken<T> = std::result::Result<T, Silence>;

impl Process {
    /// Starts TypeScript in `directory`. What it is asked about is the `subject` of its failures.
    pub(super) fn start(typescript: &TypeScript, directory: &Path, subject: &str) -> Result<Self> {
        let (name, subject) = (typescript.name(), subject.to_owned());
        let mut command = command(typescript, directory);
        command.args(&typescript.arguments).stdin(Stdio::piped()).stderr(Stdio::piped());
        let mut running = spawned(typescript, command, &subject)?;
        let child = &mut running.0;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(Error::Internal("a process was started without its pipes".into()));
        };
        let complaints = Arc::new(Mutex::new(VecDeque::new()));
        let (outgoing, to_write) = channel::<Vec<u8>>();
        let (to_read, incoming) = channel();
        let complaints_kept = Arc::clone(&complaints);
        let process = Self { child: running, outgoing, incoming, complaints: complaints_kept, name, subject };
        // A process that does not read must not make us wait for it.
        spawn("mast-checker-in", move || write_all(stdin, &to_write))?;
        spawn("mast-checker-out", move || read_all(BufReader::new(stdout), &to_read))?;
        spawn("mast-checker-err", move || keep_last(BufReader::new(stderr), &complaints))?;
        Ok(process)
    }

    /// Sends bytes; that they arrived is not waited for.
    pub(super) fn send(&self, bytes: Vec<u8>) {
        // A process that has ended is noticed by whoever waits for its answer.
        let _ = self.outgoing.send(bytes);
    }

    /// The next message, on the way to an answer that is due at `deadline`.
    pub(super) fn receive(&mut self, patience: &Patience, deadline: Instant) -> Spoken<Value> {
        loop {
            // Looked at before every message: saying something all the time is no answer.
            patience.check(deadline, &|what| self.fails(what))?;
            match self.incoming.recv_timeout(TICK) {
                Ok(Incoming::Message(message)) => return Ok(message),
                Ok(Incoming::Garbage(what)) => {
                    return Err(self.fails(&format!("sent what is no message of its protocol ({what})")));
                }
                Ok(Incoming::End) | Err(RecvTimeoutError::Disconnected) => return Err(self.ended()),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// The failure of a process that is gone, with how it went and the last thing it said.
    fn ended(&mut self) -> Silence {
        // It closed its output, so it is about to end when it has not yet.
        let until = Instant::now() + Duration::from_secs(1);
        let mut status = self.child.0.try_wait();
        while matches!(status, Ok(None)) && Instant::now() < until {
            thread::sleep(Duration::from_millis(10));
            status = self.child.0.try_wait();
        }
        let how = match status {
            Ok(Some(status)) => status.to_string(),
            _ => "it closed its output".to_owned(),
        };
        let complaints = self.complaints.lock().unwrap_or_else(PoisonError::into_inner);
        let says = complaints.iter().rev().find(|line| line.contains("rror")).or(complaints.back());
        let says = says.map_or_else(String::new, |line| format!(": {line}"));
        drop(complaints);
        self.fails(&format!("ended unexpectedly ({how}{says})"))
    }

    /// A failure of this process.
    pub(super) fn fails(&self, what: &str) -> Silence {
        Silence::Failed(failure(&self.name, &self.subject, what))
    }
}

fn failure(name: &str, subject: &str, what: &str) -> Error {
    Error::Checker(format!(
        "{name} {what}; it was asked about {subject}; the index is as the run before left it and no checker result was \
         stored; try again, or name another TypeScript with --typescript <dir>"
    ))
}

/// What all processes of a TypeScript have in common.
fn command(typescript: &TypeScript, directory: &Path) -> Command {
    let mut command = Command::new(&typescript.program);
    command.envs(typescript.environment.iter().map(|(key, value)| (key, value)));
    command.current_dir(directory).stdout(Stdio::piped());
    command
}

fn spawned(typescript: &TypeScript, mut command: Command, subject: &str) -> Result<Running> {
    let started = command.spawn().map(Running);
    started.map_err(|error| {
        let program = typescript.program.display();
        failure(&typescript.name(), subject, &format!("could not be started ({program}: {error})"))
    })
}

/// What TypeScript prints when it is run with other arguments, until it ends by itself.
pub(super) fn printed(
    typescript: &TypeScript,
    arguments: &[&str],
    (directory, subject): (&Path, &str),
    patience: &Patience,
) -> Spoken<String> {
    let mut command = command(typescript, directory);
    command.args(arguments).stdin(Stdio::null()).stderr(Stdio::null());
    let mut running = spawned(typescript, command, subject)?;
    let Some(mut stdout) = running.0.stdout.take() else {
        return Err(Error::Internal("a process was started without its pipes".into()).into());
    };
    let (to_read, incoming) = channel();
    spawn("mast-checker-out", move || {
        let mut bytes = Vec::new();
        let is_read = stdout.read_to_end(&mut bytes).is_ok();
        // Nobody waits any more when it was killed.
        let _ = to_read.send(is_read.then_some(bytes));
    })?;
    let deadline = patience.deadline();
    loop {
        patience.check(deadline, &|what| Silence::Failed(failure(&typescript.name(), subject, what)))?;
        match incoming.recv_timeout(TICK) {
            Ok(bytes) => return Ok(String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned()),
            Err(RecvTimeoutError::Disconnected) => return Ok(String::new()),
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<()> {
    let spawned = thread::Builder::new().name(name.into()).spawn(work);
    spawned.map(|_| ()).map_err(|e| Error::Internal(format!("no thread could be started: {e}")))
}

fn write_all(mut stdin: impl Write, messages: &Receiver<Vec<u8>>) {
    for message in messages {
        if stdin.write_all(&message).and_then(|()| stdin.flush()).is_err() {
            return;
        }
    }
}

fn read_all(mut stdout: impl BufRead, messages: &Sender<Incoming>) {
    loop {
        let (next, is_last) = match read_message(&mut stdout) {
            Ok(Some(message)) => (Incoming::Message(message), false),
            Ok(None) => (Incoming::End, true),
            Err(what) => (Incoming::Garbage(what), true),
        };
        if messages.send(next).is_err() || is_last {
            return;
        }
    }
}

/// One message: header lines, among them `Content-Length`, an empty line, and so many bytes of JSON. Both protocols frame
/// what they send like that.
fn read_message(input: &mut impl BufRead) -> std::result::Result<Option<Value>, String> {
    let mut length = None;
    loop {
        let mut line = Vec::new();
        match (&mut *input).take(MAX_HEADER).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return Ok(None),
            Ok(_) => {}
        }
        let text = String::from_utf8_lossy(&line);
        let text = text.trim();
        match (text.is_empty(), length) {
            (true, Some(_)) => break,
            // The byte behind a message of tsserver is a line break.
            (true, None) => continue,
            (false, _) => {}
        }
        let Some((key, value)) = text.split_once(':') else { return Err(shown(text)) };
        if key.eq_ignore_ascii_case("content-length") {
            let bytes: usize = value.trim().parse().map_err(|_| shown(text))?;
            if bytes > MAX_MESSAGE {
                return Err(format!("a message of {bytes} bytes"));
            }
            length = Some(bytes);
        } else if !key.eq_ignore_ascii_case("content-type") {
            return Err(shown(text));
        }
    }
    let mut body = vec![0; length.unwrap_or(0)];
    if input.read_exact(&mut body).is_err() {
        return Ok(None);
    }
    serde_json::from_slice(&body).map(Some).map_err(|_| shown(&String::from_utf8_lossy(&body)))
}

/// The beginning of what is not understood, as one line.
fn shown(text: &str) -> String {
    format!("\"{}\"", text.chars().filter(|c| !c.is_control()).take(40).collect::<String>())
}

fn keep_last(stderr: impl BufRead, kept: &Mutex<VecDeque<String>>) {
    for line in stderr.split(b'\n').map_while(std::result::Result::ok) {
        let line: String = String::from_utf8_lossy(&line).trim().chars().take(200).collect();
        if !line.is_empty() {
            let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
            kept.push_back(line);
            if kept.len() > KEPT_LINES {
                kept.pop_front();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(mut bytes: &[u8]) -> Vec<String> {
        let mut found = Vec::new();
        loop {
            match read_message(&mut bytes) {
                Ok(Some(message)) => found.push(message.to_string()),
                Ok(None) => return found,
                Err(what) => {
                    found.push(format!("garbage: {what}"));
                    return found;
                }
            }
        }
    }

    #[test]
    fn messages_are_read_and_anything_else_is_garbage() {
        let two = b"Content-Length: 2\r\n\r\n{}\ncontent-length: 9\r\nContent-Type: x\r\n\r\n{\"a\":[1]}";
        assert_eq!(read(two), ["{}", r#"{"a":[1]}"#]);
        assert_eq!(read(b"hello world\n"), [r#"garbage: "hello world""#]);
        assert_eq!(read(b"Content-Length: many\r\n\r\n"), [r#"garbage: "Content-Length: many""#]);
        assert_eq!(read(b"Content-Length: 4\r\n\r\n{a:}"), [r#"garbage: "{a:}""#]);
        assert_eq!(read(b"Content-Length: 99999999999\r\n\r\n"), ["garbage: a message of 99999999999 bytes"]);
        assert_eq!(read(b"Content-Length: 100\r\n\r\n{}"), [""; 0], "cut off");
    }
}
