//! The Language Server Protocol: TypeScript 7 and later.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::find::TypeScript;
use super::process::{Patience, Process, Spoken, printed};
use super::server::{Document, Place, Position, Server, WINDOW};
use super::uri::{from_uri, slashes, to_uri};

/// A conversation with a language server.
#[derive(Debug)]
pub(super) struct Lsp {
    process: Process,
    sequence: u64,
    versions: HashMap<String, u32>,
    open: HashSet<String>,
    typescript: TypeScript,
    root: PathBuf,
    subject: String,
}

impl Lsp {
    pub(super) fn start(
        process: Process,
        typescript: &TypeScript,
        (root, subject): (&Path, &str),
        patience: &Patience,
    ) -> Spoken<Self> {
        let mut lsp = Self {
            process,
            sequence: 0,
            versions: HashMap::new(),
            open: HashSet::new(),
            typescript: typescript.clone(),
            root: root.to_owned(),
            subject: subject.to_owned(),
        };
        let root = to_uri(&slashes(root));
        let question = lsp.ask(
            "initialize",
            &json!({
                "processId": std::process::id(),
                "rootUri": root,
                "workspaceFolders": [{"uri": root, "name": "project"}],
                "capabilities": {"textDocument": {"definition": {"linkSupport": true}}},
            }),
        );
        if lsp.answer_to(question, patience)?.is_none() {
            return Err(lsp.process.fails("would not begin a conversation"));
        }
        lsp.tell("initialized", &json!({}));
        Ok(lsp)
    }

    fn write(&self, message: &Value) {
        let body = message.to_string();
        self.process.send(format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes());
    }

    fn tell(&self, method: &str, parameters: &Value) {
        self.write(&json!({"jsonrpc": "2.0", "method": method, "params": parameters}));
    }

    fn ask(&mut self, method: &str, parameters: &Value) -> u64 {
        self.sequence += 1;
        self.write(&json!({"jsonrpc": "2.0", "id": self.sequence, "method": method, "params": parameters}));
        self.sequence
    }
}

impl Server for Lsp {
    fn answer(&mut self, patience: &Patience) -> Spoken<(u64, Option<Value>)> {
        let deadline = patience.deadline();
        loop {
            let mut message = self.process.receive(patience, deadline)?;
            if message["jsonrpc"].as_str() != Some("2.0") {
                return Err(self.process.fails("sent a message that is not of its protocol"));
            }
            match (message.get("method").is_some(), message.get("id").cloned()) {
                // It asks us something: there is nothing we offer.
                (true, Some(id)) => self.write(&json!({"jsonrpc": "2.0", "id": id, "result": null})),
                (true, None) => {}
                (false, Some(id)) if id.is_u64() => {
                    let result = message.get_mut("result").map(Value::take);
                    return Ok((id.as_u64().unwrap_or_default(), result));
                }
                (false, _) => return Err(self.process.fails("sent an answer to no question")),
            }
        }
    }

    fn open(&mut self, documents: &[Document<'_>], _patience: &Patience) -> Spoken<()> {
        for document in documents {
            let uri = to_uri(document.path);
            let version = self.versions.entry(uri.clone()).or_insert(0);
            *version += 1;
            let version = *version;
            if self.open.insert(uri.clone()) {
                let item = json!({
                    "uri": uri, "languageId": language(document.path), "version": version, "text": document.text,
                });
                self.tell("textDocument/didOpen", &json!({"textDocument": item}));
            } else {
                let item = json!({"uri": uri, "version": version});
                let changes = json!([{"text": document.text}]);
                self.tell(
                    "textDocument/didChange",
                    &json!({"textDocument": item, "contentChanges": changes}),
                );
            }
        }
        Ok(())
    }

    fn project_of(&mut self, path: &str, patience: &Patience) -> Spoken<Option<String>> {
        let question = self.ask("custom/projectInfo", &json!({"textDocument": {"uri": to_uri(path)}}));
        let Some(info) = self.answer_to(question, patience)? else {
            return Err(self.process.fails("does not say to which project a file belongs"));
        };
        let name = info["configFilePath"].as_str().unwrap_or_default();
        Ok((!name.is_empty()).then(|| name.to_owned()))
    }

    fn files_of(&mut self, config: &str, _member: &str, patience: &Patience) -> Spoken<Vec<String>> {
        // The language server does not say. The compiler beside it does: without checking or writing anything, and whatever is
        // wrong with the settings.
        let arguments = [
            "--listFiles",
            "--noEmit",
            "--noCheck",
            "--composite",
            "false",
            "--incremental",
            "false",
            "-p",
            config,
        ];
        let listed = printed(&self.typescript, &arguments, (&self.root, &self.subject), patience)?;
        // Complaints stand between the names.
        let files = listed.lines().map(|line| line.trim_end().replace('\\', "/"));
        Ok(files.filter(|line| Path::new(line).is_absolute()).collect())
    }

    fn follows_references(&self) -> bool {
        false
    }

    fn definitions(
        &mut self,
        path: &str,
        positions: &[Position],
        patience: &Patience,
    ) -> Spoken<Vec<Vec<Place>>> {
        let uri = to_uri(path);
        let mut found = vec![Vec::new(); positions.len()];
        for (window, answers) in positions.chunks(WINDOW).zip(found.chunks_mut(WINDOW)) {
            let mut asked = HashMap::with_capacity(window.len());
            for (at, (line, column)) in window.iter().enumerate() {
                let position = json!({"line": line.max(&1) - 1, "character": column.max(&1) - 1});
                let question = json!({"textDocument": {"uri": uri}, "position": position});
                asked.insert(self.ask("textDocument/definition", &question), at);
            }
            while !asked.is_empty() {
                let (question, result) = self.answer(patience)?;
                let Some(at) = asked.remove(&question) else { continue };
                answers[at] = match result {
                    Some(Value::Array(places)) => places.iter().filter_map(place).collect(),
                    Some(one @ Value::Object(_)) => place(&one).into_iter().collect(),
                    _ => Vec::new(),
                };
            }
        }
        Ok(found)
    }
}

/// A `Location` or a `LocationLink`.
fn place(location: &Value) -> Option<Place> {
    let (uri, range) = match location["targetUri"].as_str() {
        Some(uri) => (uri, &location["targetSelectionRange"]),
        None => (location["uri"].as_str()?, &location["range"]),
    };
    let number = |key: &str| range["start"][key].as_u64().and_then(|n| u32::try_from(n + 1).ok());
    Some(Place {
        file: from_uri(uri).unwrap_or_else(|| uri.to_owned()),
        start: (number("line")?, number("character")?),
    })
}

fn language(path: &str) -> &'static str {
    match path.rsplit('.').next() {
        Some("tsx") => "typescriptreact",
        Some("jsx") => "javascriptreact",
        Some("js" | "mjs" | "cjs") => "javascript",
        _ => "typescript",
    }
}
