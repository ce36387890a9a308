//! `mast metrics`: what the tools returned, against reading files whole.

use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use mast_core::telemetry::{self, ToolMetrics};
use serde_json::json;

use crate::args::{ProjectArgs, whole_number};
use crate::commands::count;
use crate::failure::Outcome;
use crate::output::{Output, Tone};

/// Days raw rows are kept by --rollup unless told otherwise.
const ROLLUP_DAYS: u32 = 7;

/// Days daily rows are kept by --vacuum unless told otherwise.
const VACUUM_DAYS: u32 = 90;

/// Longest window and retention, in days: a century. What came before has no calendar date.
const MAX_DAYS: u32 = 36_500;

/// Show token-efficiency metrics
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  mast metrics --since 24h\n  mast metrics --rollup --vacuum")]
pub(crate) struct MetricsArgs {
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
    /// Time window: days, hours or minutes, like 7d, 24h, 30m
    #[arg(long, value_name = "window", default_value = "7d", value_parser = parse_window, allow_hyphen_values = true)]
    pub(crate) since: Duration,
    /// Collapse raw rows older than --keep-days into daily roll-ups
    #[arg(long)]
    pub(crate) rollup: bool,
    /// Delete daily roll-up rows older than --keep-days
    #[arg(long)]
    pub(crate) vacuum: bool,
    /// Retention in days (default: 7 for --rollup, 90 for --vacuum)
    #[arg(long, value_name = "n", value_parser = whole_number(0..=MAX_DAYS), allow_negative_numbers = true)]
    pub(crate) keep_days: Option<u32>,
    /// Output as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Runs the command.
pub(crate) fn run(args: &MetricsArgs) -> Outcome {
    let config = args.project.config()?;
    let state_dir = &config.state_dir.value;
    let rolled_up = args.rollup.then(|| telemetry::roll_up(state_dir, args.keep_days.unwrap_or(ROLLUP_DAYS)));
    let rolled_up = rolled_up.transpose()?;
    let deleted = args.vacuum.then(|| telemetry::vacuum(state_dir, args.keep_days.unwrap_or(VACUUM_DAYS)));
    let deleted = deleted.transpose()?;
    let tools = telemetry::report(state_dir, args.since)?;
    let mut out = Output::open();
    if args.json {
        writeln!(out, "{:#}", json!({ "tools": tools, "rolled_up": rolled_up, "deleted": deleted }))?;
    } else {
        if let Some(rows) = rolled_up {
            writeln!(out, "{} rolled up", count(rows, "row"))?;
        }
        if let Some(rows) = deleted {
            writeln!(out, "{} deleted", count(rows, "daily row"))?;
        }
        write_table(&mut out, &tools)?;
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// `7d`, `24h` or `30m`.
fn parse_window(text: &str) -> Result<Duration, String> {
    let wrong = || format!("must be days, hours or minutes, like 7d, 24h or 30m, at most {MAX_DAYS}d");
    let (number, minutes) = match text.split_at_checked(text.len().saturating_sub(1)) {
        Some((number, "d")) => (number, 24 * 60),
        Some((number, "h")) => (number, 60),
        Some((number, "m")) => (number, 1),
        _ => return Err(wrong()),
    };
    if !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(wrong());
    }
    let number: u32 = number.parse().map_err(|_| wrong())?;
    let window = Duration::from_secs(u64::from(number) * minutes * 60);
    let longest = Duration::from_secs(u64::from(MAX_DAYS) * 86_400);
    if window.is_zero() || window > longest { Err(wrong()) } else { Ok(window) }
}

const HEADINGS: [&str; 8] = ["tool", "calls", "errors", "tokens", "avg ms", "p50 ms", "p95 ms", "efficiency"];

/// The first column reads from the left, the numbers line up at the right.
fn write_table(out: &mut Output, tools: &[ToolMetrics]) -> io::Result<()> {
    if tools.is_empty() {
        return writeln!(out, "no calls recorded in this window");
    }
    let milliseconds =
        |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.1}"));
    let mut rows = vec![HEADINGS.map(str::to_owned)];
    rows.extend(tools.iter().map(|tool| {
        [
            tool.tool.clone(),
            tool.calls.to_string(),
            tool.errors.to_string(),
            tool.tokens_returned.to_string(),
            milliseconds(Some(tool.avg_duration_ms)),
            milliseconds(tool.p50_duration_ms),
            milliseconds(tool.p95_duration_ms),
            format!("{:.1}%", tool.efficiency_ratio * 100.0),
        ]
    }));
    let widths: [usize; 8] =
        std::array::from_fn(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0));
    for (at, row) in rows.iter().enumerate() {
        let cells = row.iter().zip(widths).enumerate().map(|(column, (cell, width))| {
            if column == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        let line = cells.collect::<Vec<_>>().join("  ");
        let line = if at == 0 { out.tone(Tone::Faint, &line) } else { line };
        writeln!(out, "{line}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows() {
        assert_eq!(parse_window("7d"), Ok(Duration::from_secs(7 * 86_400)));
        assert_eq!(parse_window("24h"), Ok(Duration::from_secs(86_400)));
        assert_eq!(parse_window("30m"), Ok(Duration::from_secs(1_800)));
        assert_eq!(parse_window("36500d"), Ok(Duration::from_secs(36_500 * 86_400)));
        for wrong in
            ["36501d", "52560001m", "", "d", "0d", "7", "7w", "-1d", "+1d", "1.5h", "99999999999d", "7é"]
        {
            assert!(parse_window(wrong).is_err(), "{wrong}");
        }
    }
}
