//! What the registry says of the newest release, asked through a package manager.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::Duration;

use semver::Version;
use serde_json::Value;

use super::Manager;
use super::limited::{self, Ended, Unfinished};
use crate::failure::one_line;
use crate::harness::installation::PACKAGE;

/// How long the package manager may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// Left to itself, npm tries a registry that refuses it again after ten seconds, and then after a minute.
const RETRIES: [(&str, &str); 6] = [
    ("npm_config_fetch_retries", "1"),
    ("npm_config_fetch_retry_mintimeout", "1000"),
    ("npm_config_fetch_retry_maxtimeout", "1000"),
    ("pnpm_config_fetch_retries", "1"),
    ("pnpm_config_fetch_retry_mintimeout", "1000"),
    ("pnpm_config_fetch_retry_maxtimeout", "1000"),
];

/// Longest version read, as npm has it.
const MAX_VERSION: usize = 256;

/// Most characters of another program's words that are passed on.
const MAX_QUOTE: usize = 200;

/// What the registry says of the newest release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Release {
    pub(super) version: Version,
    pub(super) schema: Option<Version>,
}

/// Asks `manager`, and npm where that has no answer; fails with what each of them said.
pub(super) fn ask(manager: Manager, root: &Path) -> Result<Release, String> {
    let mut managers = vec![manager];
    if manager != Manager::Npm {
        managers.push(Manager::Npm);
    }
    let mut reasons = Vec::new();
    for manager in managers {
        match view(manager, root) {
            Ok(release) => return Ok(release),
            Err(Unanswered::Interrupted) => return Err("interrupted".to_owned()),
            Err(Unanswered::Because(reason)) => reasons.push(format!("{}: {reason}", manager.program())),
        }
    }
    Err(reasons.join("; "))
}

enum Unanswered {
    Because(String),
    Interrupted,
}

impl From<String> for Unanswered {
    fn from(reason: String) -> Self {
        Self::Because(reason)
    }
}

fn view(manager: Manager, root: &Path) -> Result<Release, Unanswered> {
    let arguments: &[&str] = match manager {
        Manager::Npm | Manager::Pnpm => &["view", PACKAGE, "version", "mast.schemaVersion", "--json"],
        Manager::Yarn if is_modern_yarn(root) => {
            &["npm", "info", PACKAGE, "--fields", "version,mast", "--json"]
        }
        Manager::Yarn => &["info", PACKAGE, "--json"],
    };
    let program = find_program(manager.program()).ok_or_else(|| "not on PATH".to_owned())?;
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root).envs(RETRIES);
    match limited::run(&mut command, PATIENCE) {
        Ok(ended) if ended.status.success() => Ok(parse_release(&ended.stdout)?),
        Ok(ended) => Err(failure_of(&ended).into()),
        Err(Unfinished::Failed(error)) => Err(format!("cannot be run: {error}").into()),
        Err(Unfinished::OutOfTime) => Err(format!("no answer within {} s", PATIENCE.as_secs()).into()),
        Err(Unfinished::Interrupted) => Err(Unanswered::Interrupted),
    }
}

/// Yarn from version 2 on asks the registry with another command.
fn is_modern_yarn(root: &Path) -> bool {
    root.ancestors().any(|directory| directory.join(".yarnrc.yml").is_file())
}

/// The file to start for `name`: on Windows package managers are command scripts, which have to be named in full.
pub(super) fn find_program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let names: &[String] = &if cfg!(windows) {
        vec![format!("{name}.cmd"), format!("{name}.exe")]
    } else {
        vec![name.to_owned()]
    };
    std::env::split_paths(&path)
        .flat_map(|directory| names.iter().map(move |name| directory.join(name)))
        .find(|candidate| candidate.is_file())
}

/// Why a package manager failed: how it ended, and what it says in JSON, else in its first words.
fn failure_of(ended: &Ended) -> String {
    let how = how_it_ended(ended.status);
    let told = json_values(&ended.stdout).chain(json_values(&ended.stderr)).find_map(|value| {
        let error = &value["error"];
        let texts = [&error["summary"], &error["message"], &error["code"], &value["data"]];
        texts.into_iter().find_map(|text| text.as_str().filter(|text| !text.trim().is_empty()).map(quote))
    });
    let words = || {
        let mut lines = ended.stderr.lines().chain(ended.stdout.lines());
        lines.find(|line| !line.trim().is_empty()).map(quote)
    };
    match told.or_else(words) {
        Some(said) => format!("{how}: {said}"),
        None => format!("{how} without a word"),
    }
}

fn how_it_ended(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!("ended by signal {signal}");
    }
    format!("ended with exit code {}", status.code().unwrap_or(-1))
}

/// The JSON in `text`: all of it, or what stands on lines of its own.
fn json_values(text: &str) -> impl Iterator<Item = Value> {
    let whole = serde_json::from_str::<Value>(text).ok();
    let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    whole.into_iter().chain(lines)
}

/// Reads `view --json` (an object of fields, or a single value when there is one field) and both of yarn's answers. What
/// is no version is not passed on: it would end up in a command that people copy.
fn parse_release(text: &str) -> Result<Release, String> {
    if text.trim().is_empty() {
        return Err("the answer is empty".to_owned());
    }
    let mut is_json = false;
    for value in json_values(text) {
        is_json = true;
        let value = value.as_array().and_then(|list| list.last()).unwrap_or(&value);
        let record = value.get("data").unwrap_or(value);
        let Some(version) = value.as_str().or(record["version"].as_str()) else { continue };
        let schema = record["mast.schemaVersion"].as_str().or(record["mast"]["schemaVersion"].as_str());
        return Ok(Release {
            version: read_version(version, "version")?,
            schema: schema.map(|schema| read_version(schema, "index schema")).transpose()?,
        });
    }
    Err(if is_json {
        "the answer names no version".to_owned()
    } else {
        format!("the answer is not JSON: {}", quote(text))
    })
}

fn read_version(text: &str, what: &str) -> Result<Version, String> {
    let version = (text.len() <= MAX_VERSION).then(|| Version::parse(text).ok()).flatten();
    version.ok_or_else(|| format!("the answer's {what} is no version: {}", quote(text)))
}

/// The beginning of another program's words, harmless on a terminal.
fn quote(text: &str) -> String {
    let line = one_line(text);
    match line.char_indices().nth(MAX_QUOTE) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_of_answer_is_read() {
        let check = |text: &str, version: &str, schema: Option<&str>| {
            let parse = |text: &str| Version::parse(text).unwrap();
            let expected = Release { version: parse(version), schema: schema.map(parse) };
            assert_eq!(parse_release(text), Ok(expected), "{text}");
        };
        check("{\n \"version\": \"1.2.0\",\n \"mast.schemaVersion\": \"2.1.0\"\n}\n", "1.2.0", Some("2.1.0"));
        check("\"1.2.0\"\n", "1.2.0", None);
        check("[{\"version\":\"1.1.0\"},{\"version\":\"1.2.0\"}]", "1.2.0", None);
        check(
            "{\"type\":\"inspect\",\"data\":{\"version\":\"1.2.0\",\"mast\":{\"schemaVersion\":\"2.1.0\"}}}\n",
            "1.2.0",
            Some("2.1.0"),
        );
        check("{\"version\":\"1.2.0\",\"mast\":{\"schemaVersion\":\"2.0.0\"}}\n", "1.2.0", Some("2.0.0"));
        check(
            "{\"type\":\"info\",\"data\":\"x\"}\nnotice\n{\"version\":\"1.2.0-rc.1+b\"}\n",
            "1.2.0-rc.1+b",
            None,
        );
    }

    #[test]
    fn what_is_no_answer_is_not_passed_on() {
        let check = |text: &str, reason: &str| assert_eq!(parse_release(text), Err(reason.to_owned()));
        check(" \n", "the answer is empty");
        check("<html>\n<b>\u{1b}[2J", "the answer is not JSON: <html> <b>\\u{1b}[2J");
        check("{}", "the answer names no version");
        check("{\"version\": 3}", "the answer names no version");
        check("{\"version\": \"1.1.0; rm -rf /\"}", "the answer's version is no version: 1.1.0; rm -rf /");
        check("\"v1.1.0\"", "the answer's version is no version: v1.1.0");
        check(
            "{\"version\": \"1.1.0\", \"mast.schemaVersion\": \"2.1\\u001b[31m\"}",
            "the answer's index schema is no version: 2.1\\u{1b}[31m",
        );
        let long = format!("1.1.0-{}", "a".repeat(300));
        let reason = format!("the answer's version is no version: 1.1.0-{}…", "a".repeat(194));
        check(&format!("\"{long}\""), &reason);
    }
}
