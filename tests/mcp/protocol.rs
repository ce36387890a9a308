//! The handshake, the list of tools, and what happens to frames that are not as they should be.

use serde_json::json;

use crate::client::{FILES, Project};

const TOOLS: [&str; 13] = [
    "mast_search",
    "mast_project_skeleton",
    "mast_exports",
    "mast_signature",
    "mast_callers",
    "mast_dependencies",
    "mast_implementors",
    "mast_rename_impact",
    "mast_outline",
    "mast_section",
    "mast_reindex",
    "mast_status",
    "mast_efficiency",
];

#[test]
fn the_handshake_names_the_server_and_says_how_to_use_it() {
    let project = Project::indexed(FILES);
    let mut client = project.spawn(&["serve", "--no-watch"], &[]);
    let result = client.initialize("2025-06-18");
    assert_eq!(result["protocolVersion"], "2025-06-18");
    assert_eq!(result["serverInfo"]["name"], "mast");
    assert_eq!(result["serverInfo"]["version"], env!("CARGO_PKG_VERSION"));
    assert!(result["capabilities"].get("tools").is_some());
    let instructions = result["instructions"].as_str().unwrap();
    assert!(instructions.contains("mast_search") && instructions.len() < 2_000, "clients cut at 2 KB");
}

#[test]
fn known_versions_are_spoken_and_unknown_ones_answered_with_a_known_one() {
    let project = Project::indexed(FILES);
    for (asked, answered) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("2099-01-01", "2025-11-25"),
    ] {
        let mut client = project.spawn(&["serve", "--no-watch"], &[]);
        assert_eq!(client.initialize(asked)["protocolVersion"], answered, "asked for {asked}");
        assert!(client.text("mast_search", &json!({"query": "openStore"})).contains("src/store.ts"));
    }
}

#[test]
fn requests_that_carry_their_version_need_no_handshake() {
    let project = Project::indexed(FILES);
    let mut client = project.spawn(&["serve", "--no-watch"], &[]);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    });
    let discovered = client.result("server/discover", &json!({"_meta": meta}));
    assert!(discovered["supportedVersions"].as_array().unwrap().contains(&json!("2026-07-28")));
    let listed = client.result("tools/list", &json!({"_meta": meta}));
    assert_eq!(listed["tools"].as_array().unwrap().len(), TOOLS.len());
    let called = client.result(
        "tools/call",
        &json!({"_meta": meta, "name": "mast_search", "arguments": {"query": "openStore"}}),
    );
    assert_eq!(called["structuredContent"]["results"][0]["symbol_name"], "openStore");
}

#[test]
fn tools_come_in_their_order_with_schemas_and_hints() {
    let project = Project::indexed(FILES);
    let mut client = project.serve();
    let listed = client.result("tools/list", &json!({}));
    let tools = listed["tools"].as_array().unwrap();
    let names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, TOOLS);
    for tool in tools {
        assert_eq!(tool["inputSchema"]["type"], "object");
        assert_eq!(tool["inputSchema"]["additionalProperties"], false);
        assert_eq!(tool["outputSchema"]["type"], "object");
        let is_reader = tool["name"] != "mast_reindex";
        assert_eq!(tool["annotations"]["readOnlyHint"], is_reader, "{}", tool["name"]);
        assert_eq!(tool["annotations"]["openWorldHint"], false);
        assert!(tool["title"].is_string());
    }
    let text = listed.to_string();
    assert!(!text.contains("$ref") && !text.contains("\"format\""));
    assert!(text.len() < 59_000, "{} bytes; a frame adds to it", text.len());
}

#[test]
fn bad_calls_are_told_apart() {
    let project = Project::indexed(FILES);
    let mut client = project.serve();
    let id = client.call("mast_nope", &json!({}));
    let error = client.response(id)["error"].clone();
    assert_eq!(error["code"], -32602);
    assert!(
        error["message"]
            .as_str()
            .unwrap()
            .starts_with("unknown tool `mast_nope`; the tools are mast_search,")
    );

    let id = client.call("mast_search", &json!({"query": "x", "limit": 51}));
    let result = client.response(id)["result"].clone();
    assert_eq!(result["isError"], true);
    assert_eq!(result["content"][0]["text"], "mast_search: limit: 51 is out of range (1 to 50)");
    assert!(result.get("structuredContent").is_none());
}

#[test]
fn arguments_may_be_absent_null_or_null_one_by_one() {
    let project = Project::indexed(FILES);
    let mut client = project.serve();
    let absent = client.result("tools/call", &json!({"name": "mast_status"}));
    assert_eq!(absent["isError"], false);
    let null = client.result("tools/call", &json!({"name": "mast_project_skeleton", "arguments": null}));
    assert_eq!(null["structuredContent"]["files"][0]["file_path"], "src/index.ts");
    let each = json!({"query": "openStore", "limit": null, "language": null, "only_exported": null});
    assert!(client.text("mast_search", &each).contains("src/store.ts"));
}

#[test]
fn lines_that_are_no_messages_are_answered_with_their_code() {
    let project = Project::indexed(FILES);
    let mut client = project.serve();
    for (line, code) in [
        ("this is not json", -32700),
        ("{\"jsonrpc\":\"2.0\",\"id\":5,", -32700),
        ("{}", -32600),
        ("[]", -32600),
        ("null", -32600),
    ] {
        client.send_raw(line);
        assert_eq!(client.stray_error(), code, "{line}");
    }
    client.send_raw("{\"jsonrpc\":\"2.0\",\"id\":70,\"method\":5}");
    assert_eq!(client.response(70)["error"]["code"], -32600);
    client.send_raw("{\"jsonrpc\":\"2.0\",\"id\":71,\"method\":\"tools/call\",\"params\":[]}");
    assert_eq!(client.response(71)["error"]["code"], -32602);
    client.send_raw("{\"jsonrpc\":\"2.0\",\"id\":72,\"method\":\"no/such\"}");
    assert_eq!(client.response(72)["error"]["code"], -32601);
    assert!(client.end().status.success());
}

#[test]
fn lines_that_ask_nothing_do_no_harm() {
    let project = Project::indexed(FILES);
    let mut client = project.serve();
    for line in [
        "",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/unknown\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":999,\"result\":{}}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":12345}}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":7}",
    ] {
        client.send_raw(line);
    }
    let before = client.received.len();
    assert!(client.text("mast_search", &json!({"query": "openStore"})).contains("src/store.ts"));
    assert_eq!(client.received.len(), before + 1, "only the question was answered: {:?}", client.received);
    client.send_raw(
        "{\"jsonrpc\":\"2.0\",\"id\":77,\"method\":\"tools/call\",\"params\":{\"name\":\"mast_status\"}}\r",
    );
    assert_eq!(
        client.response(77)["result"]["isError"],
        false,
        "a carriage return before the line feed is fine"
    );
    assert!(client.end().status.success());
}

#[test]
fn before_the_handshake_only_the_handshake_is_heard() {
    let project = Project::indexed(FILES);
    let mut client = project.spawn(&["serve", "--no-watch"], &[]);
    client.notify("notifications/cancelled", &json!({"requestId": 1}));
    client.send_raw("{\"jsonrpc\":\"2.0\",\"id\":999,\"result\":{}}");
    for method in ["tools/list", "tools/call", "resources/list", "no/such"] {
        let id = client.request(method, &json!({}));
        let error = client.response(id)["error"].clone();
        let is_clear = error["message"].as_str().unwrap().contains("send `initialize` first");
        assert!(is_clear || error["code"] == -32602, "{method}: {error}");
    }
    let id = client.request("ping", &json!({}));
    assert!(client.response(id).get("result").is_some());
    client.send_raw("nonsense");
    assert_eq!(client.stray_error(), -32700);
    assert_eq!(client.initialize("2025-06-18")["serverInfo"]["name"], "mast");
    assert!(client.text("mast_search", &json!({"query": "openStore"})).contains("src/store.ts"));
}

#[test]
fn frames_come_in_pieces_and_in_any_size() {
    let project = Project::indexed(FILES);
    let mut client = project.serve();
    let question = "{\"jsonrpc\":\"2.0\",\"id\":80,\"method\":\"tools/call\",\"params\":{\"name\":\"mast_search\",\"arguments\":";
    client.send_part(question);
    assert!(!client.receive(std::time::Instant::now() + std::time::Duration::from_millis(300)));
    client.send_raw("{\"query\":\"openStore\"}}}");
    assert_eq!(client.response(80)["result"]["isError"], false);

    let long = "x".repeat(10 << 20);
    let id = client.call("mast_search", &json!({"query": long}));
    assert!(client.response(id)["result"]["content"][0]["text"].is_string());
    client.send_raw(&"y".repeat(40 << 20));
    assert_eq!(client.stray_error(), -32600);
    assert!(client.text("mast_search", &json!({"query": "openStore"})).contains("src/store.ts"));

    // The last line needs no end.
    client.send_part(&question.replace("80", "81"));
    client.send_part("{\"query\":\"openStore\"}}}");
    let ended = client.end();
    assert!(ended.status.success());
    assert!(ended.received.iter().any(|m| m["id"] == 81 && m["result"]["isError"] == false));
}

#[test]
fn an_input_that_ends_in_half_a_frame_ends_the_server() {
    let project = Project::indexed(FILES);
    let mut client = project.serve();
    client.send_part("{\"jsonrpc\":\"2.0\",\"id\":1,\"meth");
    let ended = client.end();
    assert!(ended.status.success(), "{}", ended.stderr);
    assert!(ended.received.iter().any(|m| m["error"]["code"] == -32700));
}
