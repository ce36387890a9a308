//! Recording, reporting and upkeep, over a database in a temporary directory.

use super::super::metrics::{Call, Recorder};
use super::*;

/// Recorders of both kinds of process.
fn recorders(dir: &Path) -> [Recorder; 2] {
    let mut long_lived = Recorder::new(dir);
    long_lived.record_in_background();
    [Recorder::new(dir), long_lived]
}

fn state_dir() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    Connection::open(database(dir.path())).unwrap().execute_batch(TABLES).unwrap();
    dir
}

fn call(tool: &'static str, returned: u64, full: u64, duration_us: u64) -> Call {
    Call { tool, status: "ok", tokens_returned: returned, tokens_full_file_upper_bound: full, duration_us }
}

fn insert_at(dir: &Path, days_ago: i64, tool: &str, returned: i64, duration_ms: f64) {
    let connection = Connection::open(database(dir)).unwrap();
    connection
        .execute(
            "INSERT INTO metrics VALUES (NULL, ?1, 's', ?2, 'ok', ?3, 1000, ?4)",
            params![now() - days_ago * MS_PER_DAY, tool, returned, duration_ms],
        )
        .unwrap();
}

#[test]
fn recorded_calls_are_summed_for_the_session_and_for_all_time() {
    for kind in 0..2 {
        let dir = state_dir();
        let recorder = &recorders(dir.path())[kind];
        recorder.record(&call("mast_search", 100, 1000, 2_500));
        recorder.record(&call("mast_search", 50, 500, 1_500));
        recorder.record(&call("mast_callers", 10, 0, 500));
        let session = recorder.session();
        assert_eq!((session.tokens_returned, session.tokens_full_file_upper_bound), (160, 1500));
        let global = recorder.global(None).unwrap();
        assert_eq!(global.calls_by_tool, [("mast_callers".into(), 1), ("mast_search".into(), 2)].into());
        assert_eq!((global.tokens_returned, global.tokens_full_file_upper_bound), (160, 1500));

        let report = report(dir.path(), Duration::from_secs(3600)).unwrap();
        let search = &report[1];
        assert_eq!((search.tool.as_str(), search.calls, search.errors), ("mast_search", 2, 0));
        assert!((search.avg_duration_ms - 2.0).abs() < 1e-9);
        assert_eq!((search.p50_duration_ms, search.p95_duration_ms), (Some(1.5), Some(2.5)));
        assert!((search.efficiency_ratio - 0.9).abs() < 1e-9);
        assert!(!dir.path().join("metrics.log").exists(), "the journal is folded");
    }
}

#[test]
fn without_an_index_nothing_is_created() {
    let dir = tempfile::tempdir().unwrap();
    for recorder in recorders(dir.path()) {
        recorder.record(&call("mast_search", 1, 1, 1));
        assert_eq!(recorder.global(None).unwrap(), Totals::default());
    }
    assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
}

#[test]
fn a_busy_database_costs_a_server_its_row_and_a_command_nothing() {
    let dir = state_dir();
    let mut holder = Connection::open(database(dir.path())).unwrap();
    let writing = holder.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate).unwrap();
    let [one_shot, long_lived] = recorders(dir.path());
    long_lived.record(&call("mast_search", 1, 1, 1));
    one_shot.record(&call("mast_callers", 1, 1, 1));
    let of_the_command = [("mast_callers".into(), 1)].into();
    assert_eq!(long_lived.global(None).unwrap().calls_by_tool, of_the_command, "from the journal");
    writing.commit().unwrap();
    assert_eq!(long_lived.session().calls_by_tool.len(), 1);
    assert_eq!(one_shot.global(None).unwrap().calls_by_tool, of_the_command);
}

#[test]
fn lines_of_the_journal_that_are_cut_short_are_no_calls() {
    let dir = state_dir();
    Recorder::new(dir.path()).record(&call("mast_search", 5, 10, 1));
    let journal = dir.path().join("metrics.log");
    let text = std::fs::read_to_string(&journal).unwrap();
    std::fs::write(&journal, format!("{}\n{text}", &text[..20])).unwrap();
    let all = Recorder::new(dir.path()).global(None).unwrap();
    assert_eq!((all.calls_by_tool["mast_search"], all.tokens_returned), (1, 5));
}

#[test]
fn rolling_up_keeps_sums_and_weighs_means() {
    let dir = state_dir();
    insert_at(dir.path(), 10, "mast_search", 100, 1.0);
    insert_at(dir.path(), 10, "mast_search", 200, 2.0);
    assert_eq!(roll_up(dir.path(), 7).unwrap(), 2);
    insert_at(dir.path(), 10, "mast_search", 300, 6.0);
    insert_at(dir.path(), 1, "mast_search", 7, 9.0);
    assert_eq!(roll_up(dir.path(), 7).unwrap(), 1);
    let connection = Connection::open(database(dir.path())).unwrap();
    let daily: (i64, i64, f64) = connection
        .query_row("SELECT calls, tokens_returned, avg_duration_ms FROM metrics_daily", [], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })
        .unwrap();
    assert_eq!(daily, (3, 600, 3.0));
    let all = totals(&database(dir.path()), None).unwrap();
    assert_eq!((all.calls_by_tool["mast_search"], all.tokens_returned), (4, 607));
    assert_eq!(vacuum(dir.path(), 90).unwrap(), 0);
    assert_eq!(vacuum(dir.path(), 5).unwrap(), 1);
}

#[test]
fn rolling_up_keeps_errors() {
    let dir = state_dir();
    let failed = Call { status: "invalid_input", ..call("mast_search", 0, 0, 1) };
    let recorder = Recorder::new(dir.path());
    for call in [&failed, &call("mast_search", 5, 10, 1), &failed] {
        recorder.record(call);
    }
    let errors = || report(dir.path(), Duration::from_secs(86_400)).unwrap()[0].errors;
    assert_eq!(errors(), 2);
    assert_eq!(roll_up(dir.path(), 0).unwrap(), 3);
    assert_eq!(errors(), 2);
    recorder.record(&failed);
    assert_eq!(roll_up(dir.path(), 0).unwrap(), 1);
    assert_eq!(errors(), 3);
}

#[test]
fn tables_of_another_shape_are_adopted_with_their_rows() {
    let dir = tempfile::tempdir().unwrap();
    let connection = Connection::open(database(dir.path())).unwrap();
    connection
        .execute_batch(
            "CREATE TABLE metrics (id INTEGER PRIMARY KEY, ts TEXT NOT NULL, tool TEXT NOT NULL, \
             tokens_returned INTEGER, model TEXT NOT NULL);
             INSERT INTO metrics VALUES (1, '2026-01-02T03:04:05Z', 'mast_search', 42, 'm');",
        )
        .unwrap();
    connection.execute_batch(TABLES).unwrap();
    let recorder = Recorder::new(dir.path());
    recorder.record(&call("mast_search", 8, 0, 1));
    let all = recorder.global(None).unwrap();
    assert_eq!((all.calls_by_tool["mast_search"], all.tokens_returned), (2, 50));
    assert_eq!(all.window_started_at, Some(1_767_323_045_000));
}

#[test]
fn percentiles_are_nearest_rank() {
    assert_eq!(percentile(&[], 50), None);
    assert_eq!(percentile(&[5.0], 95), Some(5.0));
    let ten: Vec<f64> = (1..=10).map(f64::from).collect();
    assert_eq!((percentile(&ten, 50), percentile(&ten, 95)), (Some(5.0), Some(10.0)));
}
