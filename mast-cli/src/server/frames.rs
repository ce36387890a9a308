//! Frames: JSON-RPC messages, one a line, in and out.
//!
//! The protocol library passes over in silence what it cannot read, and gives up on a client that says anything before the
//! handshake. Here every line that cannot be a message is answered with the error JSON-RPC has for it, and what comes
//! before the handshake is refused or dropped without harm.

use std::io;
use std::sync::Arc;

use rmcp::model::{ClientRequest, GetMeta as _, JsonRpcMessage, JsonRpcRequest, ProtocolVersion, RequestId};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::{Mutex, Notify};

/// Longest message read, in bytes; the rest of a longer line is passed over.
const MAX_MESSAGE: usize = 16 << 20;

/// JSON-RPC: the line is no JSON.
const PARSE_ERROR: i32 = -32700;
/// JSON-RPC: the JSON is no request, or one that cannot be made now.
const INVALID_REQUEST: i32 = -32600;
/// JSON-RPC: the parameters are not those of the method.
const INVALID_PARAMS: i32 = -32602;

/// Methods whose requests are answered.
const SERVED: [&str; 4] = ["initialize", "ping", "tools/list", "tools/call"];

/// The two ends of the connection to a client.
#[derive(Debug)]
pub(super) struct Frames<R, W> {
    input: BufReader<R>,
    /// The line read so far. Reading can be broken off between any two awaits, and goes on here.
    line: Vec<u8>,
    /// The line is too long: its rest is dropped.
    is_dropping: bool,
    is_at_end: bool,
    /// The client has begun a session.
    is_begun: bool,
    output: Arc<Mutex<Output<W>>>,
    /// Told when the input ends, so that work nobody waits for any more can stop.
    closed: Arc<Notify>,
}

#[derive(Debug)]
struct Output<W> {
    /// `None` once it is closed.
    writer: Option<W>,
    /// What still has to be written. A message enters it whole, so that one whose sender is gone never tears the next.
    waiting: Vec<u8>,
    written: usize,
}

impl<W: AsyncWrite + Unpin> Output<W> {
    fn push(&mut self, message: &impl serde::Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut self.waiting, message)?;
        self.waiting.push(b'\n');
        Ok(())
    }

    async fn flush(&mut self) -> io::Result<()> {
        let Some(writer) = &mut self.writer else { return Err(io::ErrorKind::NotConnected.into()) };
        while self.written < self.waiting.len() {
            match writer.write(&self.waiting[self.written..]).await? {
                0 => return Err(io::ErrorKind::WriteZero.into()),
                written => self.written += written,
            }
        }
        self.waiting.clear();
        self.written = 0;
        writer.flush().await
    }
}

/// What a line holds.
enum Line {
    Message(Box<RxJsonRpcMessage<RoleServer>>),
    /// Nothing that asks for an answer.
    Nothing,
    /// What to answer: to which request, the code, and the reason.
    Refused(Value, i32, String),
}

/// What reading gave.
enum Read {
    /// `line` holds a whole line.
    Line,
    TooLong,
    End,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin> Frames<R, W> {
    /// A connection over `input` and `output`.
    pub(super) fn new(input: R, output: W, closed: Arc<Notify>) -> Self {
        Self {
            input: BufReader::with_capacity(64 << 10, input),
            line: Vec::new(),
            is_dropping: false,
            is_at_end: false,
            is_begun: false,
            output: Arc::new(Mutex::new(Output { writer: Some(output), waiting: Vec::new(), written: 0 })),
            closed,
        }
    }

    async fn read_line(&mut self) -> Read {
        loop {
            if self.is_at_end {
                return Read::End;
            }
            // An input that fails is one that ended.
            let available = self.input.fill_buf().await.unwrap_or_default();
            if available.is_empty() {
                self.is_at_end = true;
                let is_rest = !self.line.is_empty() && !self.is_dropping;
                return if is_rest { Read::Line } else { Read::End };
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(available.len(), |at| at + 1);
            let is_too_long = self.line.len() + taken > MAX_MESSAGE && !self.is_dropping;
            if !is_too_long && !self.is_dropping {
                self.line.extend_from_slice(&available[..taken]);
            }
            self.input.consume(taken);
            if is_too_long {
                self.line = Vec::new();
                self.is_dropping = end.is_none();
                return Read::TooLong;
            }
            if end.is_some() && !std::mem::take(&mut self.is_dropping) {
                return Read::Line;
            }
        }
    }

    /// A message that may come now, or what to say to it.
    fn admitted(&mut self, message: Box<RxJsonRpcMessage<RoleServer>>) -> Line {
        if self.is_begun {
            return Line::Message(message);
        }
        let JsonRpcMessage::Request(request) = &*message else { return Line::Nothing };
        let meta = request.request.get_meta();
        match &request.request {
            ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => {}
            ClientRequest::InitializeRequest(_) => self.is_begun = true,
            _ if meta.protocol_version().is_some() => {
                self.is_begun = meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty();
            }
            _ => {
                let reason = "the session has not begun: send `initialize` first, or give every request its protocol \
                              version in `_meta`";
                return Line::Refused(spell_id(&request.id), INVALID_REQUEST, reason.to_owned());
            }
        }
        Line::Message(message)
    }
}

fn spell_id(id: &RequestId) -> Value {
    serde_json::to_value(id).unwrap_or(Value::Null)
}

fn unreadable(method: &str) -> String {
    format!("{method}: the parameters cannot be read")
}

/// Reads a line. Notifications and responses are never answered, whatever is wrong with them.
fn parse(line: &[u8]) -> Line {
    let line = line.trim_ascii();
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    if line.is_empty() {
        return Line::Nothing;
    }
    let error = match serde_json::from_slice::<RxJsonRpcMessage<RoleServer>>(line) {
        Ok(JsonRpcMessage::Request(JsonRpcRequest {
            id,
            request: ClientRequest::CustomRequest(custom),
            ..
        })) if SERVED.contains(&custom.method.as_str()) => {
            // The protocol's types did not take its parameters, so it came out as a request of another protocol.
            return Line::Refused(spell_id(&id), INVALID_PARAMS, unreadable(&custom.method));
        }
        Ok(message) => return Line::Message(Box::new(message)),
        Err(error) => error,
    };
    let object = match serde_json::from_slice(line) {
        Err(error) => return Line::Refused(Value::Null, PARSE_ERROR, format!("not JSON: {error}")),
        Ok(Value::Object(object)) => object,
        Ok(_) => {
            let reason = "a message is one JSON object".to_owned();
            return Line::Refused(Value::Null, INVALID_REQUEST, reason);
        }
    };
    let is_notification = object.contains_key("method") && !object.contains_key("id");
    let is_response = !object.contains_key("method")
        && object.contains_key("id")
        && (object.contains_key("result") || object.contains_key("error"));
    if is_notification || is_response {
        return Line::Nothing;
    }
    let id = object.get("id").filter(|id| id.is_string() || id.is_i64()).cloned().unwrap_or_default();
    let is_ours = object.get("jsonrpc").and_then(Value::as_str) == Some("2.0");
    let (code, reason) = match object.get("method").and_then(Value::as_str) {
        _ if !is_ours => (INVALID_REQUEST, "not a request: `jsonrpc` must be \"2.0\"".to_owned()),
        Some(method) if !id.is_null() => (INVALID_PARAMS, unreadable(method)),
        _ => (INVALID_REQUEST, format!("not a request: {error}")),
    };
    Line::Refused(id, code, reason)
}

impl<R, W> Transport<RoleServer> for Frames<R, W>
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let output = Arc::clone(&self.output);
        async move {
            let mut output = output.lock().await;
            output.push(&item)?;
            output.flush().await
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let line = match self.read_line().await {
                Read::Line => {
                    let line = parse(&self.line);
                    self.line.clear();
                    match line {
                        Line::Message(message) => self.admitted(message),
                        other => other,
                    }
                }
                Read::TooLong => {
                    let reason = format!("the message is longer than {} MiB", MAX_MESSAGE >> 20);
                    Line::Refused(Value::Null, INVALID_REQUEST, reason)
                }
                Read::End => {
                    self.closed.notify_one();
                    return None;
                }
            };
            match line {
                Line::Message(message) => return Some(*message),
                Line::Nothing => {}
                Line::Refused(id, code, reason) => {
                    let error = json!({ "code": code, "message": reason });
                    let refusal = json!({ "jsonrpc": "2.0", "id": id, "error": error });
                    let mut output = self.output.lock().await;
                    // A client that does not read its answers is told nothing.
                    if output.push(&refusal).is_ok() {
                        let _ = output.flush().await;
                    }
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        let mut output = self.output.lock().await;
        output.writer = None;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, id: Value, code: i32, reason: &str) {
        match parse(line.as_bytes()) {
            Line::Refused(found_id, found_code, found) => {
                assert_eq!((found_id, found_code), (id, code), "{found}");
                assert!(found.starts_with(reason), "{found}");
            }
            Line::Nothing => panic!("no answer"),
            Line::Message(message) => panic!("{message:?}"),
        }
    }

    #[test]
    fn what_is_no_message_is_answered_with_its_code() {
        check("nonsense", Value::Null, PARSE_ERROR, "not JSON: ");
        check("{\"jsonrpc\":\"2.0\",\"id\":1,", Value::Null, PARSE_ERROR, "not JSON: ");
        check("\u{0}", Value::Null, PARSE_ERROR, "not JSON: ");
        check("[]", Value::Null, INVALID_REQUEST, "a message is one JSON object");
        check("null", Value::Null, INVALID_REQUEST, "a message is one JSON object");
        check("{}", Value::Null, INVALID_REQUEST, "not a request: `jsonrpc` must be \"2.0\"");
        check(r#"{"id":7,"method":"ping"}"#, json!(7), INVALID_REQUEST, "not a request: `jsonrpc`");
        check(r#"{"jsonrpc":"2.0","id":7}"#, json!(7), INVALID_REQUEST, "not a request: ");
        check(r#"{"jsonrpc":"2.0","id":"a","method":5}"#, json!("a"), INVALID_REQUEST, "not a request: ");
        check(
            r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#,
            Value::Null,
            INVALID_REQUEST,
            "not a request: ",
        );
        check(
            r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":"x"}"#,
            json!(3),
            INVALID_PARAMS,
            "tools/call: the parameters cannot be read",
        );
        for parameters in ["", r#","params":{}"#, r#","params":{"name":"mast_search","arguments":[]}"#] {
            check(
                &format!(r#"{{"jsonrpc":"2.0","id":4,"method":"tools/call"{parameters}}}"#),
                json!(4),
                INVALID_PARAMS,
                "tools/call: the parameters cannot be read",
            );
        }
    }

    #[test]
    fn notifications_and_responses_are_never_answered() {
        for line in [
            "",
            " \r",
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":5}"#,
            r#"{"method":"textDocument/didOpen"}"#,
            r#"{"id":1,"result":{}}"#,
        ] {
            let is_answered = match parse(line.as_bytes()) {
                Line::Nothing => false,
                Line::Message(message) => !matches!(*message, JsonRpcMessage::Notification(_)),
                Line::Refused(..) => true,
            };
            assert!(!is_answered, "{line}");
        }
    }
}
