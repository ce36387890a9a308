//! Runs another program for a limited time, and ends all that it started when the time is over.

use std::io::{self, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;

use tokio::sync::oneshot;

use crate::end_signal::end_signal;

/// Most that is read of either output, in bytes.
const MAX_OUTPUT: u64 = 32 << 20;

/// How often a program that closed its outputs is looked at, to see whether it has ended.
const LOOK: Duration = Duration::from_millis(10);

/// What a program that ended left.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) status: ExitStatus,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

/// Why a program did not come to its end.
#[derive(Debug)]
pub(super) enum Unfinished {
    /// It could not be started, or not be waited for.
    Failed(io::Error),
    OutOfTime,
    /// This process was asked to end.
    Interrupted,
}

impl From<io::Error> for Unfinished {
    fn from(error: io::Error) -> Self {
        Self::Failed(error)
    }
}

/// Runs `command` without input until it has ended and its outputs are closed.
pub(super) fn run(command: &mut Command, patience: Duration) -> Result<Ended, Unfinished> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    let mut child = command.spawn()?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let (tell, told) = oneshot::channel();
    thread::spawn(move || {
        let errors = thread::spawn(move || read(stderr));
        let text = read(stdout);
        // Nobody listens any more when the time is over.
        let _ = tell.send((text, errors.join().unwrap_or_default()));
    });
    let outcome = runtime.block_on(async {
        tokio::select! {
            ended = until_end(&mut child, told) => ended,
            () = tokio::time::sleep(patience) => Err(Unfinished::OutOfTime),
            () = end_signal() => Err(Unfinished::Interrupted),
        }
    });
    if outcome.is_err() {
        end(&mut child);
    }
    outcome
}

/// The child is not waited for before its outputs are closed: until then its number names its group and nothing else.
async fn until_end(
    child: &mut Child,
    told: oneshot::Receiver<(String, String)>,
) -> Result<Ended, Unfinished> {
    let (stdout, stderr) = told.await.unwrap_or_default();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Ended { status, stdout, stderr });
        }
        tokio::time::sleep(LOOK).await;
    }
}

fn read(output: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(output) = output {
        // What was read before an error is still what the program said.
        let _ = output.take(MAX_OUTPUT).read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Ends the child and, on Unix, what it started: it leads a process group of its own.
fn end(child: &mut Child) {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, Signal, kill_process_group};
        if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
            // It may have ended in this very moment, which is as good.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
    let _ = child.kill();
    let _ = child.wait();
}

#[cfg(all(test, unix))]
mod tests {
    use std::time::Instant;

    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn what_a_program_says_and_how_it_ends() {
        let ended = run(&mut shell("echo yes; echo no >&2; exit 3"), Duration::from_secs(60)).unwrap();
        assert_eq!((&*ended.stdout, &*ended.stderr, ended.status.code()), ("yes\n", "no\n", Some(3)));
        let missing = run(&mut Command::new("/nowhere/at/all"), Duration::from_secs(60));
        assert!(matches!(missing, Err(Unfinished::Failed(_))), "{missing:?}");
    }

    #[test]
    fn nothing_that_a_program_started_outlives_its_time() {
        let directory = tempfile::tempdir().unwrap();
        for (name, script) in [
            ("waited", "(sleep 1; touch waited) & wait"),
            ("left", "(sleep 1; touch left) & exit 0"),
            ("silent", "exec >/dev/null 2>&1; (sleep 1; touch silent) & wait"),
        ] {
            let started = Instant::now();
            let outcome = run(shell(script).current_dir(directory.path()), Duration::from_millis(300));
            assert!(matches!(outcome, Err(Unfinished::OutOfTime)), "{name}: {outcome:?}");
            thread::sleep(Duration::from_millis(1500).saturating_sub(started.elapsed()));
            assert!(!directory.path().join(name).exists(), "{name}");
        }
    }
}
