use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use mast_core::tools::callers::CallersInput;
use mast_core::{CallContext, Cancel, Engine, Error, ErrorCode, OpenOptions, Progress, Result};
use serde::Serialize;
use serde_json::{Value, json};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let (Some(root), Some(symbol)) = (arguments.next(), arguments.next()) else {
        eprintln!("usage: callers <project> <symbol>");
        return ExitCode::from(2);
    };

    // Whoever has a clone of it can stop the work: a signal handler, a window that closes, here a clock.
    let cancel = Cancel::default();
    let clock = cancel.clone();
    thread::spawn(move || {
        thread::sleep(Duration::from_secs(60));
        clock.cancel();
    });

    match report(root.into(), &symbol, &cancel) {
        Ok(lines) => {
            println!("{}", lines.join("\n"));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error} ({})", error.code().as_str());
            // A code tells what to do: what is busy now will not be for long.
            ExitCode::from(if error.code() == ErrorCode::Busy { 75 } else { 1 })
        }
    }
}

/// Where `symbol` is declared and who calls it, in an index that is brought up to date first.
fn report(root: PathBuf, symbol: &str, cancel: &Cancel) -> Result<Vec<String>> {
    let engine = Engine::open(OpenOptions { root: Some(root), state_dir: None })?;

    let progress = |now: Progress| eprintln!("{} of {} files", now.done, now.total);
    let watched = CallContext { cancel: cancel.clone(), progress: Some(&progress) };
    engine.call("mast_reindex", json!({}), &watched)?;

    // Any number of threads may ask one engine.
    let (declared, called) = thread::scope(|scope| {
        let declared = scope.spawn(|| ask(&engine, "mast_signature", json!({ "symbol": symbol }), cancel));
        // The input types have every argument of their tool, with its default.
        let callers = CallersInput { symbol: symbol.to_owned(), limit: Some(20), ..CallersInput::default() };
        let called = ask(&engine, "mast_callers", callers, cancel);
        (declared.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)), called)
    });
    let (declared, called) = (declared?, called?);

    if called["symbol_not_found"] == true {
        return Ok(vec![format!("{symbol} is not in the index")]);
    }
    let place = |site: &Value| format!("{}:{}", site["file_path"].as_str().unwrap_or_default(), site["line"]);
    let rows = |answer: &Value, list: &str| answer[list].as_array().cloned().unwrap_or_default();
    let declarations =
        rows(&declared, "results").into_iter().map(|one| format!("{} declares it", place(&one)));
    let callers =
        rows(&called, "verified_callers").into_iter().map(|one| format!("{} calls it", place(&one)));
    Ok(declarations.chain(callers).collect())
}

/// One question: arguments are JSON, and so is the answer.
fn ask(engine: &Engine, tool: &str, arguments: impl Serialize, cancel: &Cancel) -> Result<Value> {
    let arguments =
        serde_json::to_value(arguments).map_err(|error| Error::InvalidInput(error.to_string()))?;
    let context = CallContext { cancel: cancel.clone(), ..CallContext::default() };
    let reply = engine.call(tool, arguments, &context)?;
    serde_json::from_str(&reply.json).map_err(|error| Error::Internal(error.to_string()))
}
