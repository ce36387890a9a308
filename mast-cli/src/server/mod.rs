//! **Holds** the MCP server: the protocol, the life of its process, and the work it does in the background.
//! **Takes / gives** frames on standard input, frames on standard output; log lines on standard error only.
//! **Never** defines a tool or knows what one answers: that is `mast_core::tools`.
//! **Next** `commands::serve`, which starts it.

mod background;
mod frames;
mod log;
mod mcp;

use std::sync::Arc;
use std::time::Duration;

use mast_core::Engine;
use rmcp::ServiceExt as _;
use rmcp::transport::io::stdio_pipes;
use tokio::sync::Notify;

use crate::failure::Failure;

use background::Background;
pub(crate) use background::{Startup, seed_dir};
pub(crate) use log::Log;

/// Calls that may run at once; more wait their turn.
const MAX_CALLS: usize = 64;

/// How long calls may go on after the client closed our standard input.
const GRACE: Duration = Duration::from_secs(2);

/// Serves until standard input is closed or a signal asks for the end.
pub(crate) fn serve(engine: Arc<Engine>, startup: Startup, log: Log) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(MAX_CALLS)
        .thread_name("mast-call")
        .build()
        .map_err(|error| Failure::Refused(format!("cannot start the server: {error}")))?;
    let background = Background::prepare(Arc::clone(&engine), log);
    let server = mcp::Server::new(engine, background.gate(), log);
    let calls = server.calls();
    runtime.block_on(async {
        let (input, output) = stdio_pipes();
        let closed = Arc::new(Notify::new());
        let serving = server.serve(frames::Frames::new(input, output, Arc::clone(&closed)));
        tokio::pin!(serving);
        // The handshake comes first; the machine is busy enough with it alone.
        let running = tokio::select! {
            running = &mut serving => running,
            () = end_signal() => return,
        };
        let Ok(running) = running else {
            log.info("standard input was closed before the handshake");
            return;
        };
        background.start(startup);
        let waiting = running.waiting();
        tokio::pin!(waiting);
        tokio::select! {
            _ = &mut waiting => {}
            () = end_signal() => log.info("asked to end by a signal"),
            () = closed.notified() => {
                log.info("standard input was closed");
                background.stop();
                if tokio::time::timeout(GRACE, &mut waiting).await.is_err() {
                    calls.cancel_all();
                    // The calls end at their next look at the flag; their answers are still sent.
                    let _ = tokio::time::timeout(GRACE, &mut waiting).await;
                }
            }
        }
        calls.cancel_all();
    });
    background.finish();
    runtime.shutdown_timeout(Duration::from_millis(500));
    Ok(())
}

/// Resolves when the process is asked to end.
pub(crate) async fn end_signal() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let (terminate, interrupt) = (signal(SignalKind::terminate()), signal(SignalKind::interrupt()));
        if let (Ok(mut terminate), Ok(mut interrupt)) = (terminate, interrupt) {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
            return;
        }
    }
    if tokio::signal::ctrl_c().await.is_err() {
        // Without signals the end of standard input still ends the server.
        std::future::pending::<()>().await;
    }
}
