//! `mast walk`: which directories and files the configuration makes MAST walk.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::Args;
use mast_core::config::Config;
use mast_core::source::{self, DotDirectoryTrouble, LeftOut, Walk};
use serde_json::{Value, json};

use super::count;
use crate::args::{ProjectArgs, whole_number};
use crate::failure::Outcome;
use crate::output::{Output, Tone};

/// Show which directories and files the config makes mast walk; reads no index, writes nothing
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  mast walk --depth 1\n  mast walk --files")]
pub(crate) struct WalkArgs {
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
    /// Roll directories up to this many path segments
    #[arg(long, value_name = "n", value_parser = whole_number(1..=10_000), allow_negative_numbers = true)]
    pub(crate) depth: Option<u32>,
    /// List every walked file instead of the directories
    #[arg(long)]
    pub(crate) files: bool,
    /// Output as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Runs the command.
pub(crate) fn run(args: &WalkArgs) -> Outcome {
    let config = args.project.config()?;
    let walk = source::walk(&config);
    let directories = directories(&walk, args.depth);
    let mut out = Output::open();
    if args.json {
        writeln!(out, "{:#}", as_json(&config, &walk, &directories, args.files))?;
    } else {
        write_config(&mut out, &config, &walk)?;
        let files = count(walk.files.len() as u64, "file");
        writeln!(out, "{files} in {}", count(directories.len() as u64, "directory"))?;
        if args.files {
            walk.files.iter().try_for_each(|file| writeln!(out, "{}", file.path))?;
        } else {
            let width = directories.values().max().map_or(1, |most| most.to_string().len());
            directories.iter().try_for_each(|(name, files)| writeln!(out, "{files:>width$} {name}"))?;
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// Files by directory, `.` for the root. With `depth`, directories below that many segments count as their ancestor.
fn directories(walk: &Walk, depth: Option<u32>) -> BTreeMap<&str, u64> {
    let mut directories = BTreeMap::new();
    for file in &walk.files {
        let directory = match file.path.directory() {
            "" => ".",
            whole => depth.map_or(whole, |depth| first_segments(whole, depth)),
        };
        *directories.entry(directory).or_insert(0) += 1;
    }
    directories
}

fn first_segments(path: &str, segments: u32) -> &str {
    let end = path.match_indices('/').nth(segments as usize - 1);
    end.map_or(path, |(at, _)| &path[..at])
}

fn write_config(out: &mut Output, config: &Config, walk: &Walk) -> io::Result<()> {
    writeln!(out, "project_root: {}", config.project_root.display())?;
    match &config.config_file {
        Some(file) => writeln!(out, "config: {}", file.display())?,
        None => writeln!(out, "config: none (no mast.config.json in the project root)")?,
    }
    if let Some(file) = &config.saved_file {
        writeln!(out, "saved config: {} (supplies any key mast.config.json does not set)", file.display())?;
    }
    let list = |values: &[String]| if values.is_empty() { "none".to_owned() } else { values.join(" ") };
    writeln!(out, "file_extensions: {}", list(&config.file_extensions))?;
    writeln!(out, "exclude_patterns: {}", list(&config.exclude_patterns))?;
    writeln!(out, "include_dot_dirs: {}", list(&config.include_dot_dirs))?;
    for dot in &walk.dot_directories {
        if let Some(trouble) = dot.trouble {
            let line = format!("! {}: {}", dot.path, trouble.explanation());
            writeln!(out, "{}", out.tone(Tone::Warning, &line))?;
        }
    }
    writeln!(out, "respect_gitignore: {}", config.respect_gitignore.value)?;
    writeln!(out, "include_ignored: {}", list(&config.include_ignored))?;
    writeln!(out, "left out by git's ignore rules: {}", left_out(walk.ignored))?;
    writeln!(out, "left out by exclude_patterns: {}", left_out(walk.excluded))?;
    for trouble in &walk.problems {
        let line = format!("! {}: {}", trouble.path, trouble.problem.message);
        writeln!(out, "{}", out.tone(Tone::Warning, &line))?;
    }
    Ok(())
}

fn left_out(LeftOut { files, directories }: LeftOut) -> String {
    format!("{}, {} not entered", count(files, "file"), count(directories, "directory"))
}

fn as_json(config: &Config, walk: &Walk, directories: &BTreeMap<&str, u64>, with_files: bool) -> Value {
    let dot_directories: Vec<_> = walk
        .dot_directories
        .iter()
        .map(|dot| {
            let problem = dot.trouble.map(DotDirectoryTrouble::explanation);
            json!({ "path": dot.path, "files": dot.files, "problem": problem })
        })
        .collect();
    let problems: Vec<_> = walk
        .problems
        .iter()
        .map(|trouble| json!({ "path": trouble.path, "problem": trouble.problem.message }))
        .collect();
    let left_out = |LeftOut { files, directories }| json!({ "files": files, "directories": directories });
    let listed: Vec<_> =
        directories.iter().map(|(path, files)| json!({ "path": path, "files": files })).collect();
    let mut value = json!({
        "project_root": config.project_root.to_string_lossy(),
        "config": config.config_file.as_ref().map(|file| file.to_string_lossy()),
        "saved_config": config.saved_file.as_ref().map(|file| file.to_string_lossy()),
        "file_extensions": config.file_extensions.value,
        "exclude_patterns": config.exclude_patterns.value,
        "include_dot_dirs": dot_directories,
        "respect_gitignore": config.respect_gitignore.value,
        "include_ignored": config.include_ignored.value,
        "left_out": { "gitignore": left_out(walk.ignored), "exclude_patterns": left_out(walk.excluded) },
        "problems": problems,
        "file_count": walk.files.len(),
        "directories": listed,
    });
    if with_files {
        value["files"] = walk.files.iter().map(|file| file.path.as_str()).collect();
    }
    value
}
