//! A run, a question or a server that is killed at any moment leaves an index that opens, and the next run finishes what it
//! began.
//!
//! `MAST_KILLS` sets how often.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use rusqlite::Connection;

use crate::dump::{difference, dump};

const FILES: usize = 60;

/// A number that looks random, from two that do not (the finalizer of `MurmurHash3`).
fn scramble(a: usize, b: usize) -> usize {
    let mut x = (a as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (b as u64).wrapping_add(0x85eb_ca6b);
    x = (x ^ (x >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    x = (x ^ (x >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    usize::try_from((x ^ (x >> 33)) >> 8).unwrap()
}

/// Every file imports and calls its neighbour; the text depends on the round.
fn write_files(root: &Path, round: usize) {
    for at in 0..FILES {
        if round > 0 && !scramble(round, at).is_multiple_of(3) {
            continue;
        }
        let next = (at + 1) % FILES;
        let body = "  // padding that takes the parser a moment\n".repeat(20 + scramble(round, at) % 200);
        let text = format!(
            "import {{ f{next} }} from './m{next}';\nexport function f{at}(n: number): number {{\n{body}  return f{next}(n + {round});\n}}\n"
        );
        fs::write(root.join(format!("m{at}.ts")), text).unwrap();
    }
    let gone = root.join(format!("m{}.ts", scramble(round, 99) % FILES));
    if round % 4 == 3 {
        fs::remove_file(gone).ok();
    }
}

fn mast(root: &Path, state: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mast"));
    command.args(arguments).arg("--state-dir").arg(state).current_dir(root);
    command.env_remove("MAST_STATE_DIR").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Begins a session, upon which a server looks at its project and begins to watch it.
fn greet(child: &mut Child) {
    let frame = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}"#;
    writeln!(child.stdin.as_mut().unwrap(), "{frame}").unwrap();
}

/// Kills `child` after `delay`, unless it is quicker.
fn kill_after(child: &mut Child, delay: Duration) {
    sleep(delay);
    child.kill().ok();
    child.wait().unwrap();
}

/// The database opens and is sound, and the manifest claims no file the database does not hold as claimed.
fn check_sound(state: &Path) {
    let database = state.join("graph.db");
    if !database.exists() {
        assert!(!state.join("file_manifest.json").exists(), "a manifest without a database");
        return;
    }
    let connection = Connection::open(&database).unwrap();
    let verdict: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(verdict, "ok");
    let Ok(manifest) = fs::read(state.join("file_manifest.json")) else { return };
    let manifest: BTreeMap<String, serde_json::Value> = serde_json::from_slice(&manifest).unwrap();
    let mut statement = connection.prepare("SELECT path FROM files").unwrap();
    let rows: Vec<String> = statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    let stamp = state.join("index.json");
    if stamp.exists() {
        serde_json::from_slice::<serde_json::Value>(&fs::read(stamp).unwrap()).unwrap();
    }
    let missing: Vec<_> = manifest.keys().filter(|path| !rows.contains(path)).collect();
    assert_eq!(missing, Vec::<&String>::new(), "files of the manifest that are not in the database");
}

#[test]
fn a_killed_run_leaves_a_sound_index_that_the_next_run_completes() {
    let kills = std::env::var("MAST_KILLS").ok().and_then(|n| n.parse().ok()).unwrap_or(12);
    let dir = tempfile::tempdir().unwrap();
    let (root, state, fresh) =
        (dir.path().join("project"), dir.path().join("state"), dir.path().join("fresh"));
    fs::create_dir(&root).unwrap();
    for round in 0..kills {
        write_files(&root, round);
        let is_serving = round % 5 == 4;
        let arguments: &[&str] = match round % 5 {
            0 => &["index"],
            1 => &["index", "--incremental"],
            // A question about a changed file brings it up to date on the way.
            2 => &["query", "mast_signature", r#"{"symbol":"f7"}"#],
            3 => {
                fs::remove_dir_all(&state).ok();
                &["index"]
            }
            _ => &["serve"],
        };
        let delay = Duration::from_millis(scramble(round, 7) as u64 % 260);
        let mut child = mast(&root, &state, arguments).stdin(Stdio::piped()).spawn().unwrap();
        if is_serving {
            // Long enough that half the servers die in the run that follows what they see.
            greet(&mut child);
            sleep(Duration::from_millis(300));
            write_files(&root, round + kills);
            sleep(2 * delay);
        }
        kill_after(&mut child, delay);
        if state.exists() {
            check_sound(&state);
        }
    }
    assert!(mast(&root, &state, &["index", "--incremental"]).status().unwrap().success());
    assert!(mast(&root, &fresh, &["index"]).status().unwrap().success());
    assert_eq!(difference(&dump(&state), &dump(&fresh)), None);
}
