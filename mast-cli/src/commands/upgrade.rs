//! `mast upgrade`: is there a newer release, how to get it, and what it costs. Prints, never installs.
//!
//! The user's own package manager asks the registry: it knows the mirror, the proxy and the credentials.

mod limited;
mod registry;

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use clap::Args;
use mast_core::store::SCHEMA_VERSION;
use semver::Version;

use super::count;
use super::setup::{canonical, this_installation};
use crate::args::RootArgs;
use crate::failure::{Failure, Outcome};
use crate::harness::installation::{Installation, PACKAGE};
use crate::harness::project::{self, Project};
use crate::harness::{HARNESSES, marked_block, text};
use crate::output::Output;

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

/// Runs the command.
pub(crate) fn run(args: &UpgradeArgs) -> Outcome {
    // The question makes sense anywhere, also where there is no project.
    let root = canonical(&args.project.found().or_else(|_| args.project.directory())?)?;
    let installation = this_installation(&root)?;
    let manager = Manager::of(&installation, &root);
    let current = env!("CARGO_PKG_VERSION");
    let release = match registry::ask(manager, &root) {
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
    if Version::parse(current).is_ok_and(|current| release.version.cmp_precedence(&current).is_le()) {
        writeln!(out, "nothing to upgrade")?;
        out.flush()?;
        return Ok(ExitCode::SUCCESS);
    }
    let command = install_command(manager, &installation, &root, &release.version.to_string());
    writeln!(out, "\nto upgrade:\n  {command}")?;
    writeln!(out, "\n{}", cost(release.schema.as_ref(), Project::around(&root).indexed_files()))?;
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
    /// Where nothing ties mast to the project, its package manager counts only when it is there to be used.
    fn of(installation: &Installation, root: &Path) -> Self {
        match installation {
            Installation::Global { store: Some(store), .. } => Self::of_store(store),
            Installation::Dependency { base, .. } => Self::of_lockfile(base).unwrap_or(Self::Npm),
            Installation::Global { store: None, .. } | Installation::Cached | Installation::Loose { .. } => {
                Self::of_lockfile(root).filter(|manager| manager.is_there()).unwrap_or(Self::Npm)
            }
        }
    }

    fn is_there(self) -> bool {
        registry::find_program(self.program()).is_some()
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
            let mut remarks = Vec::new();
            if base != root {
                remarks.push(format!("in {}", base.display()));
            }
            if !manager.is_there() {
                remarks.push(format!("{} is not on PATH", manager.program()));
            }
            if remarks.is_empty() { command } else { format!("{command}   ({})", remarks.join("; ")) }
        }
    }
}

/// What the upgrade does to the index.
fn cost(schema: Option<&Version>, files: Option<u64>) -> String {
    let size = files.map(|files| format!(" ({})", count(files, "file"))).unwrap_or_default();
    match schema {
        Some(schema) if schema.to_string() == SCHEMA_VERSION => {
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
    fn a_change_of_schema_is_called_a_rebuild() {
        let other = cost(Some(&Version::new(9, 0, 0)), Some(8653));
        assert!(other.contains("-> 9.0.0; the index is emptied and rebuilt in full (8653 files)"), "{other}");
        let same = Version::parse(SCHEMA_VERSION).unwrap();
        assert!(cost(Some(&same), None).contains("the index is kept"));
    }
}
