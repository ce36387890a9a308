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
    assert!(text.len() < 60_000, "{} bytes", text.len());
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
fn lines_that_are_no_frames_do_no_harm() {
    let project = Project::indexed(FILES);
    let mut client = project.serve();
    for line in [
        "this is not json",
        "",
        "{}",
        "[]",
        "null",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/unknown\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":999,\"result\":{}}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":12345}}",
    ] {
        client.send_raw(line);
    }
    assert!(client.text("mast_search", &json!({"query": "openStore"})).contains("src/store.ts"));
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
