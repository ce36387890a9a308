//! `mast init`: write the saved configuration, then index.

use std::io::Write;
use std::path::MAIN_SEPARATOR;
use std::process::ExitCode;

use clap::Args;
use mast_core::Engine;
use mast_core::config::{Config, ConfigLayer, normal_extension};
use mast_core::source::{self, LeftOut, Walk};

use super::install_hooks::git;
use super::{count, index};
use crate::args::{ProjectArgs, glob};
use crate::failure::{Outcome, note};
use crate::output::Output;

/// Initialise MAST for a project and run the first full index
#[derive(Debug, Args)]
#[command(
    mut_arg("path", |path| path.help("Project root (default: the current directory)")),
    after_help = "Examples:\n  mast init\n  mast init packages/app --extensions ts,tsx,md --exclude '**/generated/**'"
)]
pub(crate) struct InitArgs {
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
    /// File extensions to index, with or without the dot (default: .ts,.tsx,.js,.jsx,.md)
    #[arg(long, value_name = "ext,...", value_delimiter = ',', value_parser = normal_extension)]
    pub(crate) extensions: Option<Vec<String>>,
    /// Glob patterns to leave out; the list replaces the default one
    #[arg(long, value_name = "pattern,...", value_parser = patterns)]
    pub(crate) exclude: Option<Patterns>,
    /// Create the configuration only; skip the first index
    #[arg(long)]
    pub(crate) no_index: bool,
    /// Print progress to standard error, also when that is not a terminal
    #[arg(long)]
    pub(crate) show_progress: bool,
}

/// Runs the command.
pub(crate) fn run(args: &InitArgs) -> Outcome {
    let layer = ConfigLayer {
        file_extensions: args.extensions.clone(),
        exclude_patterns: args.exclude.clone().map(|patterns| patterns.0),
        ..ConfigLayer::default()
    };
    let config = args.project.config_for_init(layer)?;
    let engine = Engine::with_config(config);
    engine.save_config()?;
    if let Some(advice) = advice_about_git(&engine.config()) {
        note(&advice);
    }
    let mut out = Output::open();
    let (root, state_dir) = (engine.root().display(), engine.state_dir().display());
    writeln!(out, "initialised {root} (index in {state_dir})")?;
    out.flush()?;
    if args.no_index {
        writeln!(out, "nothing is indexed yet; run `mast index`")?;
        out.flush()?;
        return Ok(ExitCode::SUCCESS);
    }
    let left_out = left_out(&source::walk(&engine.config()));
    let code = index::full_run(&engine, "mast init", args.show_progress, &mut out)?;
    if let Some(line) = left_out {
        writeln!(out, "{line}")?;
        out.flush()?;
    }
    Ok(code)
}

/// What the walk left out, by reason; tests are among it unless the patterns are one's own.
fn left_out(walk: &Walk) -> Option<String> {
    let reasons = [(walk.excluded, "exclude_patterns"), (walk.ignored, "git's ignore rules")];
    let parts: Vec<String> = reasons
        .into_iter()
        .filter(|(left_out, _)| left_out.files + left_out.directories > 0)
        .map(|(LeftOut { files, directories }, reason)| {
            let numbers = [(files, "file"), (directories, "directory")].into_iter().filter(|(n, _)| *n > 0);
            let numbers: Vec<String> = numbers.map(|(number, what)| count(number, what)).collect();
            format!("{} by {reason}", numbers.join(" and "))
        })
        .collect();
    (!parts.is_empty()).then(|| format!("left out: {}; `mast walk` shows the rules", parts.join(", ")))
}

/// The state directory is derived data and large: in a git work tree it should not be committed by accident.
fn advice_about_git(config: &Config) -> Option<String> {
    let root = &config.project_root;
    let below = config.state_dir.strip_prefix(root).ok()?.to_str()?.replace(MAIN_SEPARATOR, "/");
    // Without git there is nothing to commit to.
    git(root, &["rev-parse", "--show-toplevel"]).ok()??;
    let is_ignored = git(root, &["check-ignore", "--", &below]).ok()?.is_some();
    (!is_ignored).then(|| format!("git does not ignore the index: add the line `/{below}/` to .gitignore"))
}

/// The globs of a list.
#[derive(Debug, Clone)]
pub(crate) struct Patterns(Vec<String>);

fn patterns(list: &str) -> Result<Patterns, String> {
    split_patterns(list).iter().map(|pattern| glob(pattern)).collect::<Result<_, _>>().map(Patterns)
}

/// Splits a list of globs at its commas, those inside `{…}` left alone.
fn split_patterns(list: &str) -> Vec<String> {
    let mut patterns = vec![String::new()];
    let mut depth = 0_usize;
    for c in list.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                patterns.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = patterns.last_mut() {
            last.push(c);
        }
    }
    patterns
        .into_iter()
        .map(|pattern| pattern.trim().to_owned())
        .filter(|pattern| !pattern.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_in_braces_do_not_split() {
        assert_eq!(split_patterns("**/dist/**, src/*.{a,b}.ts,"), ["**/dist/**", "src/*.{a,b}.ts"]);
        assert_eq!(split_patterns(""), [""; 0]);
    }
}
