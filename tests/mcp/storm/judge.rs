//! Whether an answer is right: what it says is on disk, what is on disk is in it, or it says that it may not be so.

use std::time::{Duration, Instant};

use serde_json::Value;

use super::world::{Place, World};

/// A server measures what is not indexed every 30 seconds: what is younger may be missing from its answers unsaid.
pub(crate) const SERVER_AGE: Duration = Duration::from_secs(40);

/// When a question was asked and answered, and how old what it does not know of may be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked {
    pub(crate) from: Instant,
    pub(crate) to: Instant,
    pub(crate) blind: Duration,
}

impl Asked {
    /// The one text that `place` held long enough for the answer to know of it.
    fn steady(&self, world: &World, place: Place) -> Option<u64> {
        let from = self.from.checked_sub(self.blind)?;
        world.steady(place, from, self.to)
    }

    fn may_hold(&self, world: &World, place: Place, serial: u64) -> bool {
        world.between(place, self.from, self.to).contains(&Some(serial))
    }
}

/// Judges an answer of `tool` about a subject; `Err` says what is wrong with it.
pub(crate) fn judge(
    world: &World,
    asked: Asked,
    tool: &str,
    subject: usize,
    answer: &Value,
) -> Result<(), String> {
    match tool {
        "mast_signature" => signature(world, asked, subject, answer),
        "mast_callers" => callers(world, asked, subject, answer),
        _ => search(world, asked, subject, answer),
    }
}

/// Whether the answer says that entries may be missing.
fn admits_gaps(answer: &Value) -> bool {
    [
        "unindexed_files",
        "changed_files",
        "pending_edge_repairs",
        "index_building",
        "file_busy_returning_stale_cache",
    ]
    .iter()
    .any(|signal| answer.get(signal).is_some())
}

fn serial_after(text: &str, mark: &str) -> Option<u64> {
    let rest = text.split(mark).nth(1)?;
    rest[..rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len())].parse().ok()
}

fn entries<'a>(answer: &'a Value, list: &str) -> impl Iterator<Item = &'a Value> {
    answer[list].as_array().map(Vec::as_slice).unwrap_or_default().iter()
}

fn signature(world: &World, asked: Asked, subject: usize, answer: &Value) -> Result<(), String> {
    let place = Place::Subject(subject);
    let is_busy = answer.get("file_busy_returning_stale_cache").is_some();
    let mut is_found = false;
    for entry in entries(answer, "results").filter(|entry| entry["file_path"] == place.path()) {
        is_found = true;
        let serial = entry["signature"].as_str().and_then(|text| serial_after(text, "Serial"));
        let serial = serial.ok_or_else(|| format!("no serial in {entry}"))?;
        if !is_busy && !asked.may_hold(world, place, serial) {
            return Err(format!("serial {serial} of {place:?} is of the past"));
        }
    }
    if !is_found && asked.steady(world, place).is_some() && !admits_gaps(answer) {
        return Err(format!("{place:?} is on disk and not in the answer"));
    }
    Ok(())
}

fn search(world: &World, asked: Asked, subject: usize, answer: &Value) -> Result<(), String> {
    let place = Place::Subject(subject);
    let mut is_found = false;
    for entry in entries(answer, "results").filter(|entry| entry["file_path"] == place.path()) {
        is_found = true;
        let serial = entry["content"].as_str().and_then(|text| serial_after(text, "Serial"));
        let serial = serial.ok_or_else(|| format!("no serial in {entry}"))?;
        if entry["stale"] != true && !asked.may_hold(world, place, serial) {
            return Err(format!("serial {serial} of {place:?} is of the past and not marked"));
        }
    }
    if !is_found && asked.steady(world, place).is_some() && !admits_gaps(answer) {
        return Err(format!("{place:?} is on disk and not in the answer"));
    }
    Ok(())
}

fn callers(world: &World, asked: Asked, subject: usize, answer: &Value) -> Result<(), String> {
    let is_busy = answer.get("file_busy_returning_stale_cache").is_some();
    let verified: Vec<&Value> = entries(answer, "verified_callers").collect();
    for entry in &verified {
        let Some(place) = entry["file_path"].as_str().and_then(Place::of) else { continue };
        let context = entry["context"].as_str().unwrap_or_default();
        let serial = serial_after(context, "// serial ").ok_or_else(|| format!("no serial in {entry}"))?;
        let (line, expected) = (entry["line"].as_u64(), format!("subject{subject}(0); // serial {serial}"));
        if context != expected || line.is_none() || line != place.call_line(serial, subject) {
            return Err(format!("no such call was ever written: {entry}"));
        }
        if !is_busy && !asked.may_hold(world, place, serial) {
            return Err(format!("the call is of the past: {entry}"));
        }
    }
    if admits_gaps(answer) || asked.steady(world, Place::Subject(subject)).is_none() {
        return Ok(());
    }
    let fixed = format!("fixed/fixed{subject}.ts");
    if !verified.iter().any(|entry| entry["file_path"] == *fixed) {
        return Err(format!("the call in {fixed} is not in the answer"));
    }
    for place in Place::callers() {
        let Some(serial) = asked.steady(world, place) else { continue };
        let is_listed = verified.iter().any(|entry| entry["file_path"] == place.path());
        if place.call_line(serial, subject).is_some() && !is_listed {
            return Err(format!("the call in {place:?}, serial {serial}, is not in the answer"));
        }
    }
    Ok(())
}
