//! What a harness writes to a hook's standard input.

use std::io::{IsTerminal, Read};
use std::sync::mpsc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

/// More than this is not read: a tool's output may come along, and nothing here needs it.
const MAX_BYTES: u64 = 16 * 1024 * 1024;
/// How long to wait for a host that leaves the input open.
const PATIENCE: Duration = Duration::from_secs(2);

/// One hook call. Hosts spell some keys in two ways; both are accepted, and a value of the wrong type counts as absent.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct HookInput {
    #[serde(default)]
    hook_event_name: Value,
    #[serde(default, rename = "hookEventName")]
    hook_event_name_camel: Value,
    #[serde(default)]
    cwd: Value,
    #[serde(default)]
    workspace_roots: Value,
    #[serde(default)]
    tool_name: Value,
    #[serde(default, rename = "toolName")]
    tool_name_camel: Value,
    #[serde(default)]
    tool_input: Value,
    #[serde(default, rename = "toolArgs")]
    tool_args: Value,
    #[serde(default)]
    cursor_version: Value,
    #[serde(default)]
    timestamp: Value,
    #[serde(default)]
    permission_mode: Value,
}

/// The program that runs the hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Host {
    /// Claude Code, or one that took over its format.
    Claude,
    /// Cursor.
    Cursor,
    /// VS Code, or Copilot's command line.
    Copilot,
}

impl HookInput {
    /// Reads one JSON object.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, String> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        if bytes.trim_ascii().is_empty() {
            return Err("nothing on standard input".into());
        }
        if !bytes.trim_ascii_start().starts_with(b"{") {
            return Err("standard input is not a JSON object".into());
        }
        serde_json::from_slice(bytes).map_err(|error| format!("standard input is not JSON: {error}"))
    }

    /// Who is asking, told by keys only one of them sends.
    pub(crate) fn host(&self) -> Host {
        if !self.cursor_version.is_null() {
            Host::Cursor
        } else if !self.timestamp.is_null() && self.permission_mode.is_null() {
            Host::Copilot
        } else {
            Host::Claude
        }
    }

    /// The event, as the host spells it.
    pub(crate) fn event_name(&self) -> Option<&str> {
        text(&self.hook_event_name).or_else(|| text(&self.hook_event_name_camel))
    }

    /// The directory the call is about: `cwd`, else the first workspace root.
    pub(crate) fn cwd(&self) -> Option<&str> {
        text(&self.cwd).or_else(|| text(self.workspace_roots.get(0)?))
    }

    /// The tool the call is about.
    pub(crate) fn tool_name(&self) -> Option<&str> {
        text(&self.tool_name).or_else(|| text(&self.tool_name_camel))
    }

    /// The tool's arguments; null when there are none.
    pub(crate) fn tool_input(&self) -> &Value {
        if self.tool_input.is_null() { &self.tool_args } else { &self.tool_input }
    }
}

fn text(value: &Value) -> Option<&str> {
    value.as_str().filter(|text| !text.is_empty())
}

/// Reads standard input to its end, up to the size limit, or as far as it came when the host leaves it open.
/// A terminal counts as empty.
pub(crate) fn read_stdin() -> Vec<u8> {
    let stdin = std::io::stdin();
    if stdin.is_terminal() {
        return Vec::new();
    }
    let (sender, receiver) = mpsc::channel::<Option<Vec<u8>>>();
    std::thread::spawn(move || {
        let mut input = stdin.lock().take(MAX_BYTES);
        let mut buffer = vec![0; 64 * 1024];
        loop {
            match input.read(&mut buffer) {
                Ok(count) if count > 0 => {
                    if sender.send(Some(buffer[..count].to_vec())).is_err() {
                        return;
                    }
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                _ => {
                    // The receiver may have given up already.
                    let _ = sender.send(None);
                    return;
                }
            }
        }
    });
    let mut bytes = Vec::new();
    while let Ok(Some(part)) = receiver.recv_timeout(PATIENCE) {
        bytes.extend_from_slice(&part);
    }
    bytes
}
