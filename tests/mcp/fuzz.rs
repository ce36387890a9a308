//! Arbitrary bytes as frames: the server answers or passes over them, and goes on.

use serde_json::json;

use crate::client::{FILES, Project};
use crate::mutate::{Corpus, fuzz};

const SEEDS: [&str; 7] = [
    r#"{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"mast_search","arguments":{"query":"openStore","limit":5}}}"#,
    r#"{"jsonrpc":"2.0","id":"b","method":"tools/call","params":{"name":"mast_callers","arguments":{"symbol":"get"},"_meta":{"progressToken":1}}}"#,
    r#"{"jsonrpc":"2.0","id":"c","method":"tools/list","params":{"cursor":null}}"#,
    r#"{"jsonrpc":"2.0","id":"d","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a","reason":"x"}}"#,
    r#"{"jsonrpc":"2.0","id":"e","method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#,
    r#"{"jsonrpc":"2.0","id":"f","result":{}}"#,
];

const WORDS: [&str; 18] = [
    "{",
    "}",
    "[",
    "]",
    "\"",
    ",",
    ":",
    "null",
    "\"id\":1,",
    "\"method\":\"ping\"",
    "\\ud800",
    "\n",
    "\r",
    "\u{0}",
    "1e999",
    "\u{feff}",
    "\u{7f}",
    "é",
];

#[test]
fn arbitrary_frames_do_no_harm() {
    let project = Project::indexed(FILES);
    let mut client = project.serve();
    let mut early = project.spawn(&["serve", "--no-watch"], &[]);
    let corpus = Corpus { seeds: &SEEDS, words: &WORDS };
    fuzz("frames", &corpus, &mut |input, random| {
        client.send_bytes(input);
        client.send_raw("");
        if random.below(20) == 0 {
            assert!(client.text("mast_search", &json!({"query": "openStore"})).contains("src/store.ts"));
            client.received.clear();
        }
        // Before a handshake only frames that begin none are sent; a session may begin nevertheless.
        if !String::from_utf8_lossy(input).contains("initialize") {
            early.send_bytes(input);
            early.send_raw("");
            if random.below(20) == 0 {
                let id = early.request("ping", &json!({}));
                early.response(id);
                early.received.clear();
            }
        }
    });
    for client in [client, early] {
        let ended = client.end();
        assert!(ended.status.success() && !ended.stderr.contains("panic"), "{}", ended.stderr);
    }
}
