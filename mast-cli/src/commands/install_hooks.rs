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
use crate::harness::installation::{Scope, launchers};
use crate::output::Output;

const BEGIN: &str = "# >>> mast >>>";
const END: &str = "# <<< mast <<<";
const HOOKS: [&str; 2] = ["post-commit", "post-checkout"];

/// Install git post-commit and post-checkout hooks that reindex what changed.
#[derive(Debug, Args)]
#[command(
    after_help = "A hook that is already there keeps its text; mast adds a marked block. A failing or missing mast never fails a commit."
)]
pub(crate) struct InstallHooksArgs {
    #[command(flatten)]
    pub(crate) project: RootArgs,
}

/// Runs the command.
pub(crate) fn run(args: &InstallHooksArgs) -> Outcome {
    let root = canonical(&args.project.found()?)?;
    let repository = Repository::around(&root).map_err(Failure::Refused)?;
    let installation = this_installation(&repository.work_tree)?;
    let launchers =
        launchers(&installation, &repository.work_tree, Scope::Project, None).map_err(Failure::Refused)?;
    let block = block(&launchers.forms, repository.below(&root).as_deref(), repository.has_shared_hooks);
    let mut edits = Vec::new();
    for name in HOOKS {
        edits.push(edit(&repository.hooks.join(name), &block).map_err(Failure::Refused)?);
    }
    let mut out = Output::open();
    for edit in &edits {
        let path = edit.path.display();
        if !edit.is_change() {
            writeln!(out, "unchanged {path}")?;
            continue;
        }
        edit.carry_out().map_err(Failure::Refused)?;
        writeln!(out, "{}d {path}", edit.verb())?;
        settle_mode(edit)?;
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// The parts of a git repository the hooks concern.
#[derive(Debug)]
struct Repository {
    work_tree: PathBuf,
    hooks: PathBuf,
    /// The hooks directory lies outside the repository, so its hooks run in others too.
    has_shared_hooks: bool,
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
        if hooks.ends_with(".husky/_") {
            // Generated and overwritten by husky, which runs the file of the same name one level up.
            hooks.pop();
        }
        let real = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
        let has_shared_hooks = ![&work_tree, &common]
            .into_iter()
            .any(|inside| real(&hooks).starts_with(real(inside)) || hooks.starts_with(inside));
        Ok(Self { work_tree, hooks, has_shared_hooks })
    }

    /// `root` seen from the work tree; `None` when it is the work tree.
    fn below(&self, root: &Path) -> Option<String> {
        let work_tree = fs::canonicalize(&self.work_tree).unwrap_or_else(|_| self.work_tree.clone());
        let below = root.strip_prefix(work_tree).ok()?.to_str()?.replace('\\', "/");
        (!below.is_empty()).then_some(below)
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

/// The marked lines. POSIX shell, safe under `set -e` and `set -u`, and without influence on the exit status.
fn block(programs: &[String], below: Option<&str>, is_shared: bool) -> String {
    let mut programs = programs.to_vec();
    if !programs.iter().any(|program| program == "mast") {
        programs.push("mast".into());
    }
    let target = below.map(|path| format!(" -- {}", single_quoted(path))).unwrap_or_default();
    let status_guard = if is_shared {
        // These hooks run in every repository; only one that has an index is kept current.
        format!("      \"$mast_program\" status{target} >/dev/null 2>&1 || break\n")
    } else {
        String::new()
    };
    format!(
        "{BEGIN}\n\
         # Keeps the mast index current. What goes wrong here never reaches git.\n\
         case \"${{1:-}}\" in\n  \
           0000000000*) ;; # a clone or a new work tree: nothing was indexed yet\n  \
           *)\n    \
             for mast_program in {}; do\n      \
               command -v \"$mast_program\" >/dev/null 2>&1 || continue\n\
         {status_guard}      \
               \"$mast_program\" index --incremental{target} </dev/null >/dev/null 2>&1 || true\n      \
               break\n    \
             done\n    \
             ;;\n\
         esac\n\
         {END}\n",
        programs.join(" ")
    )
}

/// The edit that gives the hook at `path` the block.
fn edit(path: &Path, block: &str) -> Result<FileEdit, String> {
    let before = file_edit::read(path)?;
    let after = match before.as_deref() {
        None => format!("#!/bin/sh\n{block}"),
        Some(text) if text.trim().is_empty() => format!("#!/bin/sh\n{block}"),
        Some(text) => with_block(text, block)
            .map_err(|reason| format!("{} {reason}; it was left as it is", path.display()))?,
    };
    Ok(FileEdit { path: path.to_path_buf(), before, after: Some(after) })
}

/// `text` with the block: replaced where there is one, else at the end, or behind the first line when
/// the hook ends before its end.
fn with_block(text: &str, block: &str) -> Result<String, String> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let line_of = |marker: &str| lines.iter().position(|line| line.trim_end() == marker);
    match (line_of(BEGIN), line_of(END)) {
        (Some(begin), Some(end)) if begin < end => {
            return Ok([&lines[..begin].concat(), block, &lines[end + 1..].concat()].concat());
        }
        (None, None) => {}
        _ => return Err(format!("has `{BEGIN}` or `{END}` without the other")),
    }
    let has_shebang = text.starts_with("#!");
    if has_shebang && !is_shell(lines[0]) {
        return Err(format!(
            "is not a shell script ({}); have it run `mast index --incremental` itself",
            lines[0].trim()
        ));
    }
    let leaves_early = lines.iter().any(|line| {
        let word = line.split_whitespace().next().unwrap_or_default();
        !line.starts_with([' ', '\t']) && matches!(word.trim_end_matches(';'), "exit" | "exec")
    });
    if leaves_early {
        let head = usize::from(has_shebang);
        let first = lines[..head].concat();
        let gap = if first.is_empty() || first.ends_with('\n') { "" } else { "\n" };
        return Ok([&first, gap, block, &lines[head..].concat()].concat());
    }
    let gap = if text.ends_with('\n') { "" } else { "\n" };
    Ok(format!("{text}{gap}{block}"))
}

/// Whether a `#!` line names a shell of the Bourne family.
fn is_shell(shebang: &str) -> bool {
    let words = shebang.trim_start_matches("#!").split_whitespace();
    let names = words.map(|word| word.rsplit(['/', '\\']).next().unwrap_or(word));
    names.filter(|name| !matches!(*name, "env" | "-S")).take(1).any(|name| {
        matches!(name.trim_end_matches(".exe"), "sh" | "bash" | "dash" | "zsh" | "ksh" | "ash" | "busybox")
    })
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

fn single_quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Whether this repository's hooks have our block.
pub(crate) fn is_installed(root: &Path) -> bool {
    if env::var_os("PATH").as_deref().is_none_or(OsStr::is_empty) {
        return false;
    }
    Repository::around(root).is_ok_and(|repository| {
        HOOKS
            .iter()
            .filter_map(|name| fs::read_to_string(repository.hooks.join(name)).ok())
            .any(|text| text.lines().any(|line| line.trim_end() == BEGIN))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: &str = "# >>> mast >>>\nx\n# <<< mast <<<\n";

    #[test]
    fn the_block_goes_where_it_is_reached() {
        let check = |before: &str, expected: &str| {
            assert_eq!(with_block(before, BLOCK).unwrap(), expected, "{before:?}");
        };
        check("#!/bin/sh\necho a\n", &format!("#!/bin/sh\necho a\n{BLOCK}"));
        check("#!/bin/sh\necho a", &format!("#!/bin/sh\necho a\n{BLOCK}"));
        check("#!/usr/bin/env bash\nrun\nexit 0\n", &format!("#!/usr/bin/env bash\n{BLOCK}run\nexit 0\n"));
        check("echo a\n", &format!("echo a\n{BLOCK}"));
        let old = "#!/bin/sh\n# >>> mast >>>\nold\nlines\n# <<< mast <<<\nafter\n";
        check(old, &format!("#!/bin/sh\n{BLOCK}after\n"));
        check(&format!("#!/bin/sh\n{BLOCK}"), &format!("#!/bin/sh\n{BLOCK}"));
    }

    #[test]
    fn a_hook_that_is_no_shell_script_or_lost_a_marker_is_left_alone() {
        for text in ["#!/usr/bin/env node\nx\n", "#!/usr/bin/python3\n", "#!/bin/sh\n# >>> mast >>>\n"] {
            assert!(with_block(text, BLOCK).is_err(), "{text:?}");
        }
    }
}
