//! `mast install-hooks`: git hooks that keep the index current.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::{env, fs};

use clap::Args;

use super::setup::{canonical, this_installation};
use crate::args::RootArgs;
use crate::failure::{Failure, Outcome, note};
use crate::harness::file_edit::{self, FileEdit};
use crate::harness::git_hook::{self, Entry, Surroundings};
use crate::harness::installation::{Scope, launchers};
use crate::output::Output;

const HOOKS: [&str; 2] = ["post-commit", "post-checkout"];

/// Install git post-commit and post-checkout hooks that reindex what changed.
#[derive(Debug, Args)]
#[command(
    after_help = "A hook that is already there keeps its text; mast adds a marked block, with an entry for each project of \
                  the repository it was installed for. A failing or missing mast never fails a commit."
)]
pub(crate) struct InstallHooksArgs {
    #[command(flatten)]
    pub(crate) project: RootArgs,
    /// Take the project out of the hooks again; the last one takes the block with it
    #[arg(long)]
    pub(crate) remove: bool,
}

/// Runs the command.
pub(crate) fn run(args: &InstallHooksArgs) -> Outcome {
    let root = canonical(&args.project.found()?)?;
    let repository = Repository::around(&root).map_err(Failure::Refused)?;
    let edits = if args.remove { removals(&root, &repository) } else { installations(&root, &repository) }?;
    edits.iter().try_for_each(FileEdit::check).map_err(Failure::Refused)?;
    let mut out = Output::open();
    if args.remove && !edits.iter().any(FileEdit::is_change) {
        tell_the_others(&edits, &mut out)?;
    }
    for edit in &edits {
        let path = edit.path.display();
        match edit.verb() {
            "keep" if args.remove => {}
            "keep" => writeln!(out, "unchanged {path}")?,
            verb => {
                edit.carry_out().map_err(Failure::Refused)?;
                writeln!(out, "{verb}d {path}")?;
                edit.clear_away(&repository.work_tree, &[repository.work_tree.join(".git/hooks")]);
            }
        }
        if edit.after.is_some() && edit.is_change() && !args.remove {
            settle_mode(edit)?;
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// The edits that give each hook the project's entry.
fn installations(root: &Path, repository: &Repository) -> Result<Vec<FileEdit>, Failure> {
    let installation = this_installation(&repository.work_tree)?;
    let launchers =
        launchers(&installation, &repository.work_tree, Scope::Project, None).map_err(Failure::Refused)?;
    let entry = Entry::new(&launchers.forms, repository.below(root).as_deref()).map_err(Failure::Refused)?;
    repository
        .edits(|text| git_hook::install(text, &entry, repository.surroundings).map(Some))
        .map_err(Failure::Refused)
}

/// The edits that take the project's entry out of each hook.
fn removals(root: &Path, repository: &Repository) -> Result<Vec<FileEdit>, Failure> {
    let entry = Entry::new(&[], repository.below(root).as_deref()).map_err(Failure::Refused)?;
    repository
        .edits(|text| match text {
            None => Ok(None),
            Some(text) => git_hook::remove(text, &entry, repository.surroundings),
        })
        .map_err(Failure::Refused)
}

/// Says that there is nothing to remove, and which projects the hooks serve instead.
fn tell_the_others(edits: &[FileEdit], out: &mut Output) -> Result<(), Failure> {
    let entries: Vec<Entry> =
        edits.iter().filter_map(|edit| edit.before.as_deref()).flat_map(git_hook::entries).collect();
    let mut projects: Vec<&str> = entries.iter().map(Entry::project).collect();
    projects.sort_unstable();
    projects.dedup();
    let others = if projects.is_empty() {
        String::new()
    } else {
        format!("; the hooks serve {}", projects.join(", "))
    };
    writeln!(out, "nothing of this project's to remove{others}")?;
    Ok(())
}

/// The parts of a git repository the hooks concern.
#[derive(Debug)]
struct Repository {
    work_tree: PathBuf,
    hooks: PathBuf,
    surroundings: Surroundings,
}

impl Repository {
    fn around(root: &Path) -> Result<Self, String> {
        let outside = || {
            format!("{} is not inside a git work tree; there is nothing to install hooks in", root.display())
        };
        let work_tree = PathBuf::from(git(root, &["rev-parse", "--show-toplevel"])?.ok_or_else(outside)?);
        let common = git(&work_tree, &["rev-parse", "--git-common-dir"])?.ok_or_else(outside)?;
        let common = work_tree.join(common);
        // Git itself knows about core.hooksPath and about work trees, whose hooks are the repository's.
        let named = git(&work_tree, &["rev-parse", "--git-path", "hooks"])?.ok_or_else(outside)?;
        let mut hooks = work_tree.join(named);
        let is_strict = hooks.ends_with(".husky/_");
        if is_strict {
            // Generated and overwritten by husky, which runs the file of the same name one level up.
            hooks.pop();
        }
        let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        // Hooks outside the repository run in others too.
        let is_shared = ![&work_tree, &common]
            .into_iter()
            .any(|inside| real(&hooks).starts_with(real(inside)) || hooks.starts_with(inside));
        Ok(Self { work_tree, hooks, surroundings: Surroundings { is_shared, is_strict } })
    }

    /// `root` seen from the work tree; `None` when it is the work tree.
    fn below(&self, root: &Path) -> Option<String> {
        let work_tree = fs::canonicalize(&self.work_tree).unwrap_or_else(|_| self.work_tree.clone());
        let below = root.strip_prefix(work_tree).ok()?.to_str()?.replace('\\', "/");
        (!below.is_empty()).then_some(below)
    }

    /// What becomes of each hook when `change` makes its new text.
    fn edits(
        &self,
        change: impl Fn(Option<&str>) -> Result<Option<String>, String>,
    ) -> Result<Vec<FileEdit>, String> {
        let edit = |name: &str| {
            let path = self.hooks.join(name);
            let before = file_edit::read(&path)?;
            let after = change(before.as_deref())
                .map_err(|reason| format!("{} {reason}; it was left as it is", path.display()))?;
            Ok(FileEdit { path, before, after })
        };
        HOOKS.into_iter().map(edit).collect()
    }
}

/// One line of git's answer; `None` when git refuses.
pub(super) fn git(directory: &Path, arguments: &[&str]) -> Result<Option<String>, String> {
    let mut command = Command::new("git");
    command.arg("-C").arg(directory).args(arguments);
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "GIT_PREFIX"] {
        command.env_remove(name);
    }
    let output = command.output().map_err(|error| format!("cannot run git: {error}"))?;
    if !output.status.success() {
        return Ok(None);
    }
    let text = String::from_utf8_lossy(&output.stdout).trim_end_matches(['\r', '\n']).to_owned();
    Ok((!text.is_empty()).then_some(text))
}

/// Makes a new hook executable, and says so when an old one is not: git does not run it then.
fn settle_mode(edit: &FileEdit) -> Result<(), Failure> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let failed = |error: std::io::Error| Failure::Refused(format!("{}: {error}", edit.path.display()));
        let mode = fs::metadata(&edit.path).map_err(failed)?.permissions().mode();
        if edit.before.is_none() {
            let executable = fs::Permissions::from_mode(mode | 0o755);
            fs::set_permissions(&edit.path, executable).map_err(failed)?;
        } else if mode & 0o111 == 0 {
            let path = edit.path.display();
            note(&format!("{path} is not executable, so git does not run it; chmod +x it to use it"));
        }
    }
    #[cfg(not(unix))]
    let _ = edit;
    Ok(())
}

/// Whether this repository's hooks serve the project at `root`.
pub(crate) fn is_installed(root: &Path) -> bool {
    if env::var_os("PATH").as_deref().is_none_or(OsStr::is_empty) {
        return false;
    }
    let Ok(repository) = Repository::around(root) else { return false };
    let Ok(entry) = Entry::new(&[], repository.below(root).as_deref()) else { return false };
    HOOKS
        .iter()
        .filter_map(|name| file_edit::read(&repository.hooks.join(name)).ok()?)
        .any(|text| git_hook::entries(&text).iter().any(|known| known.project() == entry.project()))
}
