//! Everything at once: a server that watches, one that reads, commands that ask, commands that index, and edits all the
//! while. No answer may be wrong without saying so, no error may be another than "busy", and what is left in the end is
//! the index a fresh run makes.
//!
//! `MAST_STORM_SECONDS` (10) sets how long it blows, `MAST_STORM_SEED` which edits are made.

mod judge;
mod world;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use mast_core::store::{Lease, RunLock};
use rusqlite::Connection;
use serde_json::{Value, json};

use crate::client::{Client, PATIENCE, Project};
use crate::dump::{difference, dump};
use crate::random::Random;
use judge::{Asked, SERVER_AGE, judge};
use world::{SUBJECTS, World};

const TOOLS: [&str; 3] = ["mast_signature", "mast_callers", "mast_search"];

/// What happened, and the first thing that must not have.
#[derive(Debug, Default)]
struct Tally {
    is_over: AtomicBool,
    counts: Mutex<BTreeMap<String, u64>>,
    wrong: Mutex<Vec<String>>,
}

impl Tally {
    fn goes_on(&self) -> bool {
        !self.is_over.load(Ordering::Relaxed)
    }

    fn count(&self, what: &str) {
        *self.counts.lock().unwrap().entry(what.to_owned()).or_default() += 1;
    }

    fn fail(&self, what: String) {
        self.wrong.lock().unwrap().push(what);
        self.is_over.store(true, Ordering::Relaxed);
    }

    /// A failure is fine when it is the one that is documented.
    fn refused(&self, who: &str, line: &str) {
        if line.contains("the index is being written") {
            self.count(&format!("{who}: busy"));
        } else {
            self.fail(format!("{who}: {line}"));
        }
    }
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn question(tool: &str, subject: usize) -> Value {
    let name = format!("subject{subject}");
    if tool == "mast_search" { json!({ "query": name }) } else { json!({ "symbol": name }) }
}

/// Asks a server until the end.
fn ask_server(client: &mut Client, who: &str, world: &World, tally: &Tally, random: &mut Random) {
    while tally.goes_on() {
        let (tool, subject) = (TOOLS[random.below(3)], random.below(SUBJECTS));
        let from = Instant::now();
        let id = client.call(tool, &question(tool, subject));
        let response = client.response(id);
        let asked = Asked { from, to: Instant::now(), blind: SERVER_AGE };
        let text = response["result"]["content"][0]["text"].as_str().unwrap_or_default();
        if response["result"]["isError"] == true || text.is_empty() {
            tally.refused(&format!("{who} {tool}"), &response.to_string());
            continue;
        }
        let answer: Value = serde_json::from_str(text).unwrap();
        if let Err(wrong) = judge(world, asked, tool, subject, &answer) {
            tally.fail(format!("{who} {tool} subject{subject}: {wrong}\n{answer}"));
        }
        tally.count(&format!("{who} {tool}"));
        sleep(Duration::from_millis(5));
    }
}

/// Asks by commands until the end.
fn ask_by_command(project: &Project, world: &World, tally: &Tally, random: &mut Random) {
    while tally.goes_on() {
        let (tool, subject) = (TOOLS[random.below(3)], random.below(SUBJECTS));
        let arguments = question(tool, subject).to_string();
        let mut command = match tool {
            "mast_search" if random.below(2) == 0 => {
                project.command(&["search", &format!("subject{subject}"), "--json"])
            }
            _ => project.command(&["query", tool, &arguments, "--json"]),
        };
        let from = Instant::now();
        let output = command.output().unwrap();
        let asked = Asked { from, to: Instant::now(), blind: Duration::ZERO };
        if !output.status.success() {
            tally.refused(&format!("command {tool}"), &String::from_utf8_lossy(&output.stderr));
            continue;
        }
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        if let Err(wrong) = judge(world, asked, tool, subject, &answer) {
            tally.fail(format!("command {tool} subject{subject}: {wrong}\n{answer}"));
        }
        tally.count(&format!("command {tool}"));
    }
}

/// Indexes by commands until the end.
fn index_by_command(project: &Project, tally: &Tally, random: &mut Random) {
    while tally.goes_on() {
        let arguments: &[&str] = if random.below(4) == 0 { &["index"] } else { &["index", "--incremental"] };
        let output = project.command(arguments).output().unwrap();
        let name = arguments.join(" ");
        if output.status.success() {
            tally.count(&name);
        } else {
            tally.refused(&name, &String::from_utf8_lossy(&output.stderr));
        }
        sleep(Duration::from_millis(random.below(400) as u64));
    }
}

fn edit(world: &World, tally: &Tally, random: &mut Random) {
    let mut serial = 0;
    while tally.goes_on() {
        serial += 1;
        world.edit(random, serial);
        tally.count("edit");
        // Bursts and pauses: a watcher must cope with both.
        let pause = if random.below(20) == 0 { 1500 } else { random.below(60) as u64 };
        sleep(Duration::from_millis(pause));
    }
}

/// Waits until the server has followed everything by itself.
fn wait_until_fresh(client: &mut Client) {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let status: Value = serde_json::from_str(&client.text("mast_status", &json!({}))).unwrap();
        if status["index_fresh"] == true {
            return;
        }
        assert!(Instant::now() < deadline, "the watching server does not catch up: {status}");
        sleep(Duration::from_millis(100));
    }
}

/// The index is whole, nobody holds it, and it is what a fresh run makes.
fn check_what_is_left(project: &Project, fresh: &Path) {
    let state = project.state_dir();
    assert!(RunLock::acquire(&state, "test", Duration::ZERO).is_ok(), "no run lock is left");
    assert_eq!(Lease::holder_of(&state), None, "no lease is left");
    let ran = project.command(&["index", "--state-dir", fresh.to_str().unwrap()]).output().unwrap();
    assert!(ran.status.success(), "{ran:?}");
    assert_eq!(difference(&dump(&state), &dump(fresh)), None);
    let connection = Connection::open(state.join("graph.db")).unwrap();
    let verdict: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(verdict, "ok");
    assert!(!state.join("graph.db.damaged").exists(), "nothing was set aside");
}

#[test]
fn no_answer_is_wrong_unsaid_while_everything_happens_at_once() {
    let (seconds, seed) = (setting("MAST_STORM_SECONDS", 10), setting("MAST_STORM_SEED", 1));
    let project = Project::new(&[("tsconfig.json", "{}\n")]);
    let world = World::new(&project.root());
    assert!(project.command(&["index"]).status().unwrap().success());
    let start = |arguments: &[&str]| {
        let mut client = project.spawn(arguments, &[]);
        client.initialize("2025-06-18");
        client
    };
    let (mut watching, mut reading) = (start(&["serve"]), start(&["serve", "--no-watch"]));
    wait_until_fresh(&mut watching);

    let tally = Tally::default();
    let random = |number: u64| Random(seed << 8 | number);
    thread::scope(|threads| {
        threads.spawn(|| edit(&world, &tally, &mut random(0)));
        threads.spawn(|| index_by_command(&project, &tally, &mut random(1)));
        threads.spawn(|| ask_server(&mut watching, "watching server", &world, &tally, &mut random(2)));
        threads.spawn(|| ask_server(&mut reading, "reading server", &world, &tally, &mut random(3)));
        threads.spawn(|| ask_by_command(&project, &world, &tally, &mut random(4)));
        threads.spawn(|| ask_by_command(&project, &world, &tally, &mut random(5)));
        let deadline = Instant::now() + Duration::from_secs(seconds);
        while tally.goes_on() && Instant::now() < deadline {
            sleep(Duration::from_millis(20));
        }
        tally.is_over.store(true, Ordering::Relaxed);
    });
    assert_eq!(*tally.wrong.lock().unwrap(), Vec::<String>::new());
    wait_until_fresh(&mut watching);
    for client in [watching, reading] {
        let ended = client.end();
        assert!(ended.status.success() && !ended.stderr.contains("panic"), "{}", ended.stderr);
    }
    let fresh = tempfile::tempdir().unwrap();
    check_what_is_left(&project, fresh.path());
    let counts = tally.counts.lock().unwrap();
    println!("{seconds} s, seed {seed}: {counts:#?}");
    for done in
        ["edit", "index", "index --incremental", "watching server mast_callers", "command mast_search"]
    {
        assert!(counts.get(done).is_some_and(|&n| n > 0), "it blew too briefly for `{done}`: {counts:#?}");
    }
}
