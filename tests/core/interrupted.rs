//! A first build that is cut off: the next run goes on where it ended.

use std::fs;
use std::time::Duration;

use mast_core::index::{IndexReport, RunRequest};
use mast_core::task::Progress;
use mast_core::{CallContext, Cancel, Engine, OpenOptions};
use rusqlite::Connection;

use crate::dump::{difference, dump};

const FILES: u64 = 60;

fn request() -> RunRequest {
    RunRequest { full: false, operation: "test", patience: Duration::from_secs(5), link_budget: None }
}

#[test]
fn what_a_first_build_had_read_is_not_read_again() {
    let dir = tempfile::tempdir().unwrap();
    let (root, state, fresh) =
        (dir.path().join("project"), dir.path().join("state"), dir.path().join("fresh"));
    fs::create_dir(&root).unwrap();
    for at in 0..FILES {
        let next = (at + 1) % FILES;
        let text = format!(
            "import {{ f{next} }} from './f{next}';\n\nexport function f{at}() {{\n  f{next}();\n}}\n"
        );
        fs::write(root.join(format!("f{at}.ts")), text).unwrap();
    }
    let open =
        |state| Engine::open(OpenOptions { root: Some(root.clone()), state_dir: Some(state) }).unwrap();

    // A run commits at least every second: the tenth file is put at once after the ninth and the pause, and then there is
    // a commit. What comes between it and the stop is rolled back.
    let cancel = Cancel::default();
    let stop = {
        let cancel = cancel.clone();
        move |progress: Progress| match progress.done {
            9 => std::thread::sleep(Duration::from_millis(1100)),
            20 => cancel.cancel(),
            _ => {}
        }
    };
    let context = CallContext { cancel, progress: Some(&stop) };
    assert!(open(state.clone()).index(&request(), &context).is_err());

    let IndexReport { files_indexed, files_skipped, pending_links, .. } =
        open(state.clone()).index(&request(), &CallContext::default()).unwrap();
    assert_eq!((files_indexed, files_skipped, pending_links), (FILES - 10, 10, 0));
    assert!(open(fresh.clone()).index(&request(), &CallContext::default()).is_ok());
    assert_eq!(difference(&dump(&state), &dump(&fresh)), None);

    // How the full-text index is kept from now on, and whether its list of words can be relied on.
    let settings = |state: &std::path::Path| {
        let connection = Connection::open(state.join("graph.db")).unwrap();
        let number = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
        [
            number("SELECT v FROM chunk_words_config WHERE k = 'automerge'"),
            number("SELECT v FROM chunk_words_config WHERE k = 'crisismerge'"),
            number("SELECT count(*) FROM words"),
        ]
    };
    assert_eq!(settings(&state), settings(&fresh));
    assert_eq!(settings(&state)[..2], [4, 16]);
}
