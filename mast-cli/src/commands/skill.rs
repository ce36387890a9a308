//! `mast skill`: the instructions for an assistant, printed or put into the files it reads.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{ArgGroup, Args};

use crate::args::RootArgs;
use crate::failure::{Failure, Outcome};
use crate::harness::file_edit::FileEdit;
use crate::harness::{marked_block, plan, text};
use crate::output::Output;

/// Print the instructions to paste into an agent prompt or a rules file.
#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("change").args(["install", "remove"]),
    after_help = "Examples:\n  mast skill\n  mast skill --install             into the agent files this project already has\n  \
                  mast skill --install --dry-run\n  mast skill --remove             out of them again"
)]
pub(crate) struct SkillArgs {
    #[command(flatten)]
    pub(crate) project: RootArgs,
    /// Splice into this project's existing agent config files
    #[arg(long)]
    pub(crate) install: bool,
    /// Take it out of this project's agent config files again
    #[arg(long)]
    pub(crate) remove: bool,
    /// With --install or --remove, report what would change without writing
    #[arg(long, requires = "change")]
    pub(crate) dry_run: bool,
}

/// Runs the command.
pub(crate) fn run(args: &SkillArgs) -> Outcome {
    let mut out = Output::open();
    if args.install || args.remove {
        let root = args.project.found()?;
        let edits = if args.remove { removals(&root) } else { installations(&root, &mut out) }?;
        // A dry run fails where the real one would, and that one before it has written anything.
        edits.iter().try_for_each(FileEdit::check).map_err(Failure::Refused)?;
        if args.remove && edits.is_empty() {
            writeln!(out, "nothing of mast's to remove")?;
        }
        carry_out(&edits, args.dry_run, &mut out)?;
    } else {
        out.write_all(text::SKILL.as_bytes())?;
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// The agent files of the project.
fn agent_files(root: &Path) -> Vec<PathBuf> {
    text::AGENT_FILES.iter().map(|name| root.join(name)).filter(|path| path.is_file()).collect()
}

/// Puts the block into each file once: a file that is a link to another one, or that imports it, gets it through that.
fn installations(root: &Path, out: &mut Output) -> Result<Vec<FileEdit>, Failure> {
    let files = agent_files(root);
    if files.is_empty() {
        return Err(Failure::Refused(format!(
            "none of {} is in {}; mast skill writes only into files that are there",
            text::AGENT_FILES.join(", "),
            root.display()
        )));
    }
    let mut done: Vec<PathBuf> = Vec::new();
    let mut edits: Vec<FileEdit> = Vec::new();
    for path in &files {
        let real = fs::canonicalize(path).unwrap_or_else(|_| path.clone());
        if done.contains(&real) {
            writeln!(out, "skipped {}: a link to a file that has the block", path.display())?;
            continue;
        }
        done.push(real);
        if imports_agents_file(path, root) {
            writeln!(out, "skipped {}: it imports AGENTS.md", path.display())?;
            continue;
        }
        edits.push(plan::block_edit(path.clone()).map_err(Failure::Refused)?);
    }
    Ok(edits)
}

/// Takes the block out of every file that has it; of several links to one file the first is named.
fn removals(root: &Path) -> Result<Vec<FileEdit>, Failure> {
    let mut done: Vec<PathBuf> = Vec::new();
    let mut edits = Vec::new();
    for path in agent_files(root) {
        let real = fs::canonicalize(&path).unwrap_or_else(|_| path.clone());
        if !done.contains(&real) {
            done.push(real);
            edits.extend(
                Some(plan::block_removal(path).map_err(Failure::Refused)?).filter(FileEdit::is_change),
            );
        }
    }
    Ok(edits)
}

/// Writes the files, or says which would be written.
fn carry_out(edits: &[FileEdit], is_dry_run: bool, out: &mut Output) -> Result<(), Failure> {
    for edit in edits {
        let path = edit.path.display();
        match (edit.is_change(), is_dry_run) {
            (false, _) => writeln!(out, "unchanged {path}")?,
            (true, true) => writeln!(out, "would update {path}")?,
            (true, false) => {
                edit.carry_out().map_err(Failure::Refused)?;
                writeln!(out, "updated {path}")?;
            }
        }
    }
    Ok(())
}

/// Whether `path` is a `CLAUDE.md` that takes in the `AGENTS.md` beside it and has no block of its own yet.
fn imports_agents_file(path: &Path, root: &Path) -> bool {
    if path != root.join("CLAUDE.md") || !root.join("AGENTS.md").is_file() {
        return false;
    }
    let Ok(text) = fs::read_to_string(path) else { return false };
    let mut words = text.split_whitespace();
    !marked_block::is_present(&text) && words.any(|word| matches!(word, "@AGENTS.md" | "@./AGENTS.md"))
}
