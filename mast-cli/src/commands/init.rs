//! `mast init`: write the saved configuration, then index.

use std::io::Write;
use std::process::ExitCode;

use clap::Args;
use mast_core::Engine;
use mast_core::config::ConfigLayer;

use super::index;
use crate::args::ProjectArgs;
use crate::failure::Outcome;
use crate::output::Output;

/// Initialise MAST for a project and run the first full index
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  mast init\n  mast init packages/app --extensions ts,tsx,md --exclude '**/generated/**'"
)]
pub(crate) struct InitArgs {
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
    /// File extensions to index, with or without the dot (default: .ts,.tsx,.js,.jsx,.md)
    #[arg(long, value_name = "ext,...", value_delimiter = ',')]
    pub(crate) extensions: Option<Vec<String>>,
    /// Glob patterns to leave out; the list replaces the default one
    #[arg(long, value_name = "pattern,...")]
    pub(crate) exclude: Option<String>,
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
        exclude_patterns: args.exclude.as_deref().map(split_patterns),
        ..ConfigLayer::default()
    };
    let config = args.project.config_for_init(layer)?;
    let engine = Engine::with_config(config);
    engine.save_config()?;
    let mut out = Output::open();
    let (root, state_dir) = (engine.root().display(), engine.state_dir().display());
    writeln!(out, "initialised {root} (index in {state_dir})")?;
    out.flush()?;
    if args.no_index {
        writeln!(out, "nothing is indexed yet; run `mast index`")?;
        out.flush()?;
        return Ok(ExitCode::SUCCESS);
    }
    index::full_run(&engine, "mast init", args.show_progress, &mut out)
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
