//! `mast setup`: install what tells an assistant to use MAST.

use std::env;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use clap::builder::PossibleValuesParser;
use mast_core::Error;

use crate::args::RootArgs;
use crate::failure::{Failure, Outcome, note};
use crate::harness::file_edit::{self, FileEdit};
use crate::harness::installation::{self, Installation, Scope, Surroundings};
use crate::harness::plan::{Plan, Request, plan};
use crate::harness::{self, HARNESSES, Rules};
use crate::output::Output;

/// Install what tells an assistant to use mast: hooks where it has them, a rules file where it reads one.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "one a flag of the command line")]
#[command(after_help = "Examples:\n  \
    mast setup claude             hooks in .claude/settings.json\n  \
    mast setup claude --global    hooks in ~/.claude/settings.json\n  \
    mast setup cursor --check     exit code 0 only if everything is installed and current\n  \
    mast setup zed --remove       take out what mast wrote")]
pub(crate) struct SetupArgs {
    /// The assistant
    #[arg(value_name = "harness", value_parser = PossibleValuesParser::new(harness::possible_values(HARNESSES)))]
    pub(crate) harness: String,
    #[command(flatten)]
    pub(crate) project: RootArgs,
    /// Write the user-level file instead of the project one
    #[arg(long)]
    pub(crate) global: bool,
    /// Write nothing; exit 0 only if everything is installed and current
    #[arg(long, conflicts_with_all = ["remove", "dry_run"])]
    pub(crate) check: bool,
    /// Remove what mast installed
    #[arg(long)]
    pub(crate) remove: bool,
    /// Print what would be written, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// Runs the command.
pub(crate) fn run(args: &SetupArgs) -> Outcome {
    let Some(harness) = harness::find(&args.harness) else {
        return Err(Error::InvalidInput(format!("unknown harness `{}`", args.harness)).into());
    };
    let mut out = Output::open();
    if harness.hooks.is_none() && matches!(harness.rules, Rules::None) {
        writeln!(
            out,
            "{} has no hook system and no rules file mast can write; the instructions `mast serve` sends when it \
             connects are its only channel and need no setup.",
            harness.title
        )?;
        out.flush()?;
        return Ok(ExitCode::SUCCESS);
    }
    let root = canonical(&args.project.directory()?)?;
    let home = env::home_dir();
    let installation = this_installation(&root)?;
    let request = Request {
        root: &root,
        home: home.as_deref(),
        scope: if args.global { Scope::User } else { Scope::Project },
        is_removal: args.remove,
        installation: &installation,
        command: &args.command(),
    };
    let plan = plan(harness, &request).map_err(Failure::Refused)?;
    if harness.hooks.is_none() && !args.remove {
        writeln!(out, "{} has no hook system mast can use: static instructions only.", harness.title)?;
    }
    let code = if args.check {
        check(&plan, request.command, &mut out)?
    } else {
        carry_out(&plan, args, &mut out)?;
        ExitCode::SUCCESS
    };
    out.flush()?;
    plan.notes.iter().for_each(|line| note(line));
    Ok(code)
}

impl SetupArgs {
    /// The command that installs what these arguments are about.
    fn command(&self) -> String {
        let mut command = format!("mast setup {}", self.harness);
        if let Some(path) = &self.project.path {
            command.push_str(&format!(" {}", installation::quoted(path)));
        }
        if let Some(root) = &self.project.root {
            command.push_str(&format!(" --root {}", installation::quoted(root)));
        }
        if self.global {
            command.push_str(" --global");
        }
        command
    }
}

/// Says of each file whether it is current.
fn check(plan: &Plan, command: &str, out: &mut Output) -> Result<ExitCode, Failure> {
    let mut is_current = true;
    for edit in &plan.edits {
        let state = match edit.verb() {
            "keep" => "current",
            "create" => "not installed",
            "delete" => "in an old place",
            _ => "not current",
        };
        is_current &= !edit.is_change();
        writeln!(out, "{state}: {}", edit.path.display())?;
    }
    if is_current {
        return Ok(ExitCode::SUCCESS);
    }
    writeln!(out, "run `{command}` to bring it up to date")?;
    Ok(ExitCode::FAILURE)
}

/// Writes the files, or says what would be written.
fn carry_out(plan: &Plan, args: &SetupArgs, out: &mut Output) -> Result<(), Failure> {
    if args.remove && plan.edits.iter().all(|edit| !edit.is_change()) {
        writeln!(out, "nothing of mast's to remove")?;
        return Ok(());
    }
    // A dry run fails where the real one would, and that one before it has written anything.
    plan.edits.iter().try_for_each(FileEdit::check).map_err(Failure::Refused)?;
    for edit in &plan.edits {
        let path = edit.path.display();
        if !args.dry_run {
            edit.carry_out().map_err(Failure::Refused)?;
            edit.clear_away(&plan.base, &plan.keep);
        }
        match (args.dry_run, edit.verb()) {
            (_, "keep") if args.remove => {}
            (_, "keep") => writeln!(out, "unchanged {path}")?,
            (false, verb) => writeln!(out, "{verb}d {path}")?,
            (true, verb) => {
                writeln!(out, "would {verb} {path}")?;
                if let Some(text) = &edit.after {
                    writeln!(out, "{}", text.trim_end_matches(['\r', '\n']))?;
                }
            }
        }
    }
    Ok(())
}

/// How the running program was installed, seen from `root`.
pub(crate) fn this_installation(root: &Path) -> Result<Installation, Failure> {
    let exe = env::current_exe()
        .map_err(|error| Failure::Refused(format!("cannot tell where mast is installed: {error}")))?;
    let path = env::var_os("PATH");
    Ok(Installation::detect(&Surroundings { exe: &exe, path: path.as_deref() }, root))
}

/// `path` with links resolved.
pub(crate) fn canonical(path: &Path) -> Result<PathBuf, Failure> {
    file_edit::canonical(path).map_err(|error| Failure::Refused(format!("{}: {error}", path.display())))
}
