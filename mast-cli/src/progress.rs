//! How far a long run is, on standard error: a bar on a terminal, lines when they were asked for, otherwise nothing.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicU64, Ordering};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use mast_core::Progress;

/// Shows progress; may be called from any thread.
pub(crate) struct ProgressReport {
    way: Way,
    /// What is done with the files.
    work: &'static str,
}

enum Way {
    Silent,
    /// One line for each tenth of the way; holds the last one written.
    Lines(AtomicU64),
    Bar(ProgressBar),
}

impl ProgressReport {
    /// Starts to show progress of `work`, such as `indexing`: with `as_lines` as lines, otherwise as a bar where standard error
    /// is a terminal.
    pub(crate) fn start(as_lines: bool, work: &'static str) -> Self {
        let way = if as_lines {
            Way::Lines(AtomicU64::new(u64::MAX))
        } else if io::stderr().is_terminal() {
            Way::Bar(bar())
        } else {
            Way::Silent
        };
        Self { way, work }
    }

    /// Shows a state.
    pub(crate) fn show(&self, state: Progress) {
        match &self.way {
            Way::Silent => {}
            Way::Lines(last) => {
                let tenth = (state.done * 10).checked_div(state.total).unwrap_or(10);
                if last.swap(tenth, Ordering::Relaxed) != tenth {
                    // Nothing is left to tell when standard error itself is gone.
                    let _ =
                        writeln!(io::stderr(), "mast: {} {} of {} files", self.work, state.done, state.total);
                }
            }
            Way::Bar(bar) => {
                bar.set_length(state.total);
                bar.set_position(state.done);
            }
        }
    }

    /// Takes the bar away.
    pub(crate) fn finish(self) {
        if let Way::Bar(bar) = self.way {
            bar.finish_and_clear();
        }
    }
}

fn bar() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} files {elapsed}");
    if let Ok(style) = style {
        bar.set_style(style);
    }
    bar
}
