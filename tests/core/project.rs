//! A small project in a temporary directory.

use std::fs;
use std::time::Duration;

use mast_core::index::RunRequest;
use mast_core::{CallContext, Engine, OpenOptions};
use serde_json::Value;
use tempfile::TempDir;

/// A project on disk with its engine. Gone when dropped.
pub(crate) struct Project {
    dir: TempDir,
    engine: Engine,
}

impl Project {
    /// Writes `files` (path and text) and indexes them.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let options =
            OpenOptions { root: Some(dir.path().to_owned()), state_dir: Some(dir.path().join(".mast")) };
        let engine = Engine::open(options).unwrap();
        let project = Self { dir, engine };
        for (path, text) in files {
            project.write(path, text);
        }
        project.index();
        project
    }

    /// Writes one file.
    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Where its index is.
    pub(crate) fn state_dir(&self) -> std::path::PathBuf {
        self.dir.path().join(".mast")
    }

    /// Brings the index up to date.
    pub(crate) fn index(&self) {
        let request = RunRequest {
            full: false,
            operation: "test",
            patience: Duration::from_secs(5),
            link_budget: None,
        };
        let report = self.engine.index(&request, &CallContext::default()).unwrap();
        assert_eq!(report.write_errors, 0);
    }

    /// The answer of `tool`, without its cost.
    pub(crate) fn ask(&self, tool: &str, arguments: Value) -> Value {
        let reply = self.engine.call(tool, arguments, &CallContext::default()).unwrap();
        let mut answer: Value = serde_json::from_str(&reply.json).unwrap();
        answer.as_object_mut().unwrap().remove("_stats");
        answer
    }

    /// The complaint of `tool` about its arguments.
    pub(crate) fn refusal(&self, tool: &str, arguments: Value) -> String {
        self.engine.call(tool, arguments, &CallContext::default()).unwrap_err().to_string()
    }
}

/// The entries of the list `list`, each as the values of `fields` joined by a space.
pub(crate) fn rows(answer: &Value, list: &str, fields: &[&str]) -> Vec<String> {
    let show = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Null => "-".to_owned(),
        other => other.to_string(),
    };
    let entries = answer[list].as_array().unwrap();
    let row = |entry: &Value| fields.iter().map(|field| show(&entry[field])).collect::<Vec<_>>().join(" ");
    entries.iter().map(row).collect()
}
