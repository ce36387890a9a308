//! `mast upgrade`: is there a newer release, how to get it, and what it costs. Prints, never installs.
//!
//! The user's own package manager asks the registry: it knows the mirror, the proxy and the credentials.

mod version;

use std::cmp::Ordering;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

use clap::Args;
use mast_core::store::SCHEMA_VERSION;
use serde_json::Value;

use version::compare_versions;

use super::setup::{canonical, this_installation};
use crate::args::RootArgs;
use crate::failure::{Failure, Outcome};
use crate::harness::installation::{Installation, PACKAGE};
use crate::harness::project::{self, Project};
use crate::harness::{HARNESSES, marked_block, text};
use crate::output::Output;

/// How long the package manager may take; offline, npm retries for minutes.
const PATIENCE: Duration = Duration::from_secs(20);

/// Check for a newer release; print how to install it and what it will cost.
#[derive(Debug, Args)]
#[command(after_help = "Asks the package manager you use; installs nothing.")]
pub(crate) struct UpgradeArgs {
    #[command(flatten)]
    pub(crate) project: RootArgs,
}

/// A package manager.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Manager {
    Npm,
    Pnpm,
    Yarn,
}

/// What the registry says of the newest release.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Release {
    version: String,
    schema: Option<String>,
}

/// Runs the command.
pub(crate) fn run(args: &UpgradeArgs) -> Outcome {
    // The question makes sense anywhere, also where there is no project.
    let root = canonical(&args.project.found().or_else(|_| args.project.directory())?)?;
    let installation = this_installation(&root)?;
    let manager = Manager::of(&installation, &root);
    let current = env!("CARGO_PKG_VERSION");
    let release = match ask(manager, &root) {
        Ok(release) => release,
        Err(reason) => {
            let command = install_command(manager, &installation, &root, "latest");
            return Err(Failure::Refused(format!(
                "cannot learn the newest version: {reason}; this is {current}, and the newest is installed with: {command}"
            )));
        }
    };
    let mut out = Output::open();
    writeln!(out, "installed: {current}\nnewest:    {}", release.version)?;
    if compare_versions(&release.version, current) != Ordering::Greater {
        writeln!(out, "nothing to upgrade")?;
        out.flush()?;
        return Ok(ExitCode::SUCCESS);
    }
    let command = install_command(manager, &installation, &root, &release.version);
    writeln!(out, "\nto upgrade:\n  {command}")?;
    writeln!(out, "\n{}", cost(release.schema.as_deref(), Project::around(&root).indexed_files()))?;
    let steps = after_upgrading(&root);
    if !steps.is_empty() {
        writeln!(out, "\nAfter upgrading, these may have new text:")?;
        for step in steps {
            writeln!(out, "  {step}")?;
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

impl Manager {
    /// The one this installation is managed with: told by the path of a global install, else by the project's lockfile.
    fn of(installation: &Installation, root: &Path) -> Self {
        let base = match installation {
            Installation::Global { store: Some(store), .. } => return Self::of_store(store),
            Installation::Dependency { base, .. } => base,
            Installation::Global { store: None, .. } | Installation::Cached | Installation::Loose { .. } => {
                root
            }
        };
        Self::of_lockfile(base).unwrap_or(Self::Npm)
    }

    fn of_store(path: &Path) -> Self {
        let has = |name: &str| {
            path.components().any(|part| part.as_os_str().to_string_lossy().eq_ignore_ascii_case(name))
        };
        if has("pnpm") || has(".pnpm") {
            Self::Pnpm
        } else if has("yarn") || has(".yarn") {
            Self::Yarn
        } else {
            Self::Npm
        }
    }

    /// The nearest lockfile upward decides; a workspace has it at its top.
    fn of_lockfile(base: &Path) -> Option<Self> {
        base.ancestors().find_map(|directory| {
            [("pnpm-lock.yaml", Self::Pnpm), ("yarn.lock", Self::Yarn), ("package-lock.json", Self::Npm)]
                .into_iter()
                .find(|(name, _)| directory.join(name).is_file())
                .map(|(_, manager)| manager)
        })
    }

    fn program(self) -> &'static str {
        match self {
            Self::Npm => "npm",
            Self::Pnpm => "pnpm",
            Self::Yarn => "yarn",
        }
    }
}

/// Asks `manager`, and npm where that is not installed. The fields are printed as JSON in one of three shapes.
fn ask(manager: Manager, root: &Path) -> Result<Release, String> {
    let mut managers = vec![manager];
    if manager != Manager::Npm {
        managers.push(Manager::Npm);
    }
    let mut reasons = Vec::new();
    for manager in managers {
        match view(manager, root).and_then(|text| parse_release(&text)) {
            Ok(release) => return Ok(release),
            Err(reason) => reasons.push(format!("{}: {reason}", manager.program())),
        }
    }
    Err(reasons.join("; "))
}

fn view(manager: Manager, root: &Path) -> Result<String, String> {
    let arguments: &[&str] = match manager {
        Manager::Npm | Manager::Pnpm => &["view", PACKAGE, "version", "mast.schemaVersion", "--json"],
        Manager::Yarn if is_modern_yarn(root) => {
            &["npm", "info", PACKAGE, "--fields", "version,mast", "--json"]
        }
        Manager::Yarn => &["info", PACKAGE, "--json"],
    };
    run_limited(manager.program(), arguments, root)
}

/// Yarn from version 2 on asks the registry with another command.
fn is_modern_yarn(root: &Path) -> bool {
    root.ancestors().any(|directory| directory.join(".yarnrc.yml").is_file())
}

/// Runs a program found on `PATH`, without a shell and without input, for a limited time.
fn run_limited(program: &str, arguments: &[&str], directory: &Path) -> Result<String, String> {
    let program = find_program(program).ok_or("not on PATH")?;
    let mut child = Command::new(program)
        .args(arguments)
        .current_dir(directory)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("cannot be started: {error}"))?;
    let mut stdout = child.stdout.take().ok_or("has no output")?;
    let reader = thread::spawn(move || {
        let mut text = String::new();
        stdout.by_ref().take(32 * 1024 * 1024).read_to_string(&mut text).map(|_| text)
    });
    let deadline = Instant::now() + PATIENCE;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => {
                let text = reader.join().ok().and_then(Result::ok).unwrap_or_default();
                return if status.success() { Ok(text) } else { Err(failure_of(&text)) };
            }
            Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(10)),
            Ok(None) => {
                // It may have ended in this very moment; both are fine.
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("no answer within {} s", PATIENCE.as_secs()));
            }
            Err(error) => return Err(error.to_string()),
        }
    }
}

/// The file to start for `name`: on Windows package managers are command scripts, which have to be named in full.
fn find_program(name: &str) -> Option<PathBuf> {
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

/// Why a package manager failed, from the JSON it prints, else in general.
fn failure_of(text: &str) -> String {
    let error: Value = serde_json::from_str(text).unwrap_or_default();
    let part = |key: &str| error["error"][key].as_str().map(str::to_owned);
    part("summary").or_else(|| part("code")).unwrap_or_else(|| "the registry cannot be reached".into())
}

/// Reads `view --json` (an object of fields, or a single value when there is one field) and both of yarn's answers.
fn parse_release(text: &str) -> Result<Release, String> {
    let values = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let whole = serde_json::from_str::<Value>(text).ok();
    let value =
        whole.or_else(|| values.into_iter().find(Value::is_object)).ok_or("the answer is not JSON")?;
    let value = value.as_array().and_then(|list| list.last()).unwrap_or(&value);
    let value = value.get("data").unwrap_or(value);
    let field = |value: &Value| value.as_str().map(str::to_owned);
    let version = field(value).or_else(|| field(&value["version"])).ok_or("the answer names no version")?;
    if !version.starts_with(|c: char| c.is_ascii_digit()) {
        return Err(format!("the answer names `{version}` as version"));
    }
    let schema = field(&value["mast.schemaVersion"]).or_else(|| field(&value["mast"]["schemaVersion"]));
    Ok(Release { version, schema })
}

/// The command for the way `mast` was installed.
fn install_command(manager: Manager, installation: &Installation, root: &Path, version: &str) -> String {
    let package = format!("{PACKAGE}@{version}");
    match installation {
        Installation::Loose { is_build: true, .. } if version == "latest" => {
            "git pull && cargo build --release   (in the source checkout)".to_owned()
        }
        Installation::Loose { is_build: true, .. } => {
            format!(
                "git fetch --tags && git checkout v{version} && cargo build --release   (in the source checkout)"
            )
        }
        Installation::Cached => format!("npx {package}"),
        Installation::Global { .. } | Installation::Loose { .. } => match manager {
            Manager::Npm => format!("npm install -g {package}"),
            Manager::Pnpm => format!("pnpm add -g {package}"),
            Manager::Yarn => format!("yarn global add {package}"),
        },
        Installation::Dependency { base, .. } => {
            let manifest = project::read_json(&base.join("package.json")).unwrap_or_default();
            let is_runtime = manifest["dependencies"].get(PACKAGE).is_some();
            let dev = if is_runtime { "" } else { "-D " };
            let command = match manager {
                Manager::Npm => format!("npm install {dev}{package}"),
                // At the top of a workspace pnpm wants to be told that this is meant.
                Manager::Pnpm if base.join("pnpm-workspace.yaml").is_file() => {
                    format!("pnpm add -w {dev}{package}")
                }
                Manager::Pnpm => format!("pnpm add {dev}{package}"),
                Manager::Yarn => format!("yarn add {dev}{package}"),
            };
            if base == root { command } else { format!("{command}   (in {})", base.display()) }
        }
    }
}

/// What the upgrade does to the index.
fn cost(schema: Option<&str>, files: Option<u64>) -> String {
    let size = files.map(|files| format!(" ({files} files)")).unwrap_or_default();
    match schema {
        Some(schema) if schema == SCHEMA_VERSION => {
            format!("index schema: {schema}, as now; the index is kept")
        }
        Some(schema) => format!(
            "index schema: {SCHEMA_VERSION} -> {schema}; the index is emptied and rebuilt in full{size} at the next \
             `mast serve` or `mast index`, and search and query stop with an error until then; metrics are kept"
        ),
        None => {
            "index schema: the release does not say; if it changes, the index is rebuilt in full".to_owned()
        }
    }
}

/// The commands to run again, for what is installed. This version cannot know what the next one would write.
fn after_upgrading(root: &Path) -> Vec<String> {
    let project = Project::around(root);
    let mut steps = Vec::new();
    for harness in HARNESSES {
        if project.has_parts_of(harness) {
            steps.push(format!("mast setup {} --check", harness.id));
        }
        if project::user_has_hooks_of(harness) {
            steps.push(format!("mast setup {} --global --check", harness.id));
        }
    }
    let has_block = text::AGENT_FILES
        .iter()
        .filter_map(|name| fs::read_to_string(project.root.join(name)).ok())
        .any(|text| marked_block::is_present(&text));
    if has_block {
        steps.push("mast skill --install".to_owned());
    }
    if super::install_hooks::is_installed(&project.root) {
        steps.push("mast install-hooks".to_owned());
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_of_answer_is_read() {
        let check = |text: &str, version: &str, schema: Option<&str>| {
            let expected = Release { version: version.into(), schema: schema.map(str::to_owned) };
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
        for text in ["", "not json", "{}", "{\"version\": 3}", "\"<html>\""] {
            assert!(parse_release(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_change_of_schema_is_called_a_rebuild() {
        assert!(
            cost(Some("9.0.0"), Some(8653))
                .contains("-> 9.0.0; the index is emptied and rebuilt in full (8653 files)")
        );
        assert!(cost(Some(SCHEMA_VERSION), None).contains("the index is kept"));
    }
}
