//! `tsserver`: TypeScript 5 and 6.
//!
//! Requests are lines of JSON, answers are framed. The server answers in the order it was asked, events come in between.

use std::collections::HashMap;
use std::path::Path;

use serde_json::{Value, json};

use super::process::{Patience, Process, Spoken};
use super::server::{Document, Place, Position, Server, WINDOW};
use super::uri::slashes;

/// A conversation with `tsserver`.
#[derive(Debug)]
pub(super) struct Tsserver {
    process: Process,
    root: String,
    sequence: u64,
}

impl Tsserver {
    pub(super) fn start(process: Process, root: &Path) -> Self {
        Self { process, root: slashes(root), sequence: 0 }
    }

    fn ask(&mut self, command: &str, arguments: &Value) -> u64 {
        self.sequence += 1;
        let request =
            json!({"seq": self.sequence, "type": "request", "command": command, "arguments": arguments});
        self.process.send(format!("{request}\n").into_bytes());
        self.sequence
    }
}

impl Server for Tsserver {
    fn answer(&mut self, patience: &Patience) -> Spoken<(u64, Option<Value>)> {
        let deadline = patience.deadline();
        loop {
            let mut message = self.process.receive(patience, deadline)?;
            match message["type"].as_str() {
                Some("event") => {}
                Some("response") => {
                    let Some(question) = message["request_seq"].as_u64() else {
                        return Err(self.process.fails("sent an answer to no question"));
                    };
                    let is_given = message["success"].as_bool() == Some(true);
                    return Ok((question, is_given.then(|| message["body"].take())));
                }
                _ => return Err(self.process.fails("sent a message that is neither an answer nor an event")),
            }
        }
    }

    fn open(&mut self, documents: &[Document<'_>], patience: &Patience) -> Spoken<()> {
        let open: Vec<Value> = documents
            .iter()
            .map(|document| {
                json!({"file": document.path, "fileContent": document.text, "projectRootPath": self.root})
            })
            .collect();
        let question = self.ask("updateOpen", &json!({"openFiles": open}));
        match self.answer_to(question, patience)? {
            Some(_) => Ok(()),
            None => Err(self.process.fails("would not open the files of a project")),
        }
    }

    fn project_of(&mut self, path: &str, patience: &Patience) -> Spoken<Option<String>> {
        let question = self.ask("projectInfo", &json!({"file": path, "needFileNameList": false}));
        let Some(info) = self.answer_to(question, patience)? else { return Ok(None) };
        let is_off = info["languageServiceDisabled"].as_bool() == Some(true);
        let name = info["configFileName"].as_str().unwrap_or_default();
        // A project without a configuration is named after no file.
        let is_configured = !is_off && !name.is_empty() && !name.starts_with("/dev/null/");
        Ok(is_configured.then(|| name.to_owned()))
    }

    fn files_of(&mut self, config: &str, member: &str, patience: &Patience) -> Spoken<Vec<String>> {
        let wanted = json!({"file": member, "projectFileName": config, "needFileNameList": true});
        let question = self.ask("projectInfo", &wanted);
        let info = self.answer_to(question, patience)?.unwrap_or_default();
        let names = info["fileNames"].as_array().map(Vec::as_slice).unwrap_or_default();
        Ok(names.iter().filter_map(Value::as_str).map(|name| name.replace('\\', "/")).collect())
    }

    fn follows_references(&self) -> bool {
        // A project it opens takes the sources of others in place of what they build.
        true
    }

    fn definitions(
        &mut self,
        path: &str,
        positions: &[Position],
        patience: &Patience,
    ) -> Spoken<Vec<Vec<Place>>> {
        let mut found = vec![Vec::new(); positions.len()];
        for (window, answers) in positions.chunks(WINDOW).zip(found.chunks_mut(WINDOW)) {
            let mut asked = HashMap::with_capacity(window.len());
            for (at, (line, offset)) in window.iter().enumerate() {
                let question = json!({"file": path, "line": line, "offset": offset});
                asked.insert(self.ask("definition", &question), at);
            }
            while !asked.is_empty() {
                let (question, body) = self.answer(patience)?;
                let Some(at) = asked.remove(&question) else { continue };
                let places = body.as_ref().and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
                answers[at] = places.iter().filter_map(place).collect();
            }
        }
        Ok(found)
    }
}

fn place(definition: &Value) -> Option<Place> {
    let number = |key: &str| definition["start"][key].as_u64().and_then(|n| u32::try_from(n).ok());
    Some(Place {
        file: definition["file"].as_str()?.replace('\\', "/"),
        start: (number("line")?, number("offset")?),
    })
}
