//! The project under the storm, and the oracle: what every file held at every moment.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::random::Random;

/// Functions that are called; each has a file of its own that is edited all the time.
pub(crate) const SUBJECTS: usize = 8;
/// Files with calls, edited as well.
const CALLERS: usize = 8;
/// Files that make a run take its time.
const FILLERS: usize = 120;

/// A file that is edited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    Subject(usize),
    Caller(usize),
    /// Where a caller's file moves to and fro.
    Moved(usize),
}

impl Place {
    pub(crate) fn path(self) -> String {
        match self {
            Self::Subject(at) => format!("src/subject{at}.ts"),
            Self::Caller(at) => format!("src/caller{at}.ts"),
            Self::Moved(at) => format!("lib/caller{at}.ts"),
        }
    }

    fn text(self, serial: u64) -> String {
        let padding = "\n".repeat(usize::try_from(serial % 5).unwrap());
        match self {
            Self::Subject(at) => format!(
                "{padding}/** Counts. */\nexport function subject{at}(value: Serial{serial}): number {{\n  return {serial};\n}}\n"
            ),
            Self::Caller(at) | Self::Moved(at) => {
                let called = called(at, serial);
                let mut text = padding;
                for subject in &called {
                    text += &format!("import {{ subject{subject} }} from '../src/subject{subject}';\n");
                }
                text += &format!("export function caller{at}() {{\n");
                for subject in &called {
                    text += &format!("  subject{subject}(0); // serial {serial}\n");
                }
                text + "}\n"
            }
        }
    }

    /// Line of the call of `subject` in the text of `serial`.
    pub(crate) fn call_line(self, serial: u64, subject: usize) -> Option<u64> {
        let call = format!("  subject{subject}(0);");
        let text = self.text(serial);
        text.lines().zip(1..).find(|(line, _)| line.starts_with(&call)).map(|(_, number)| number)
    }

    /// The place with this path.
    pub(crate) fn of(path: &str) -> Option<Self> {
        let at = |prefix: &str| path.strip_prefix(prefix)?.strip_suffix(".ts")?.parse().ok();
        let subject = at("src/subject").map(Self::Subject);
        subject.or_else(|| at("src/caller").map(Self::Caller)).or_else(|| at("lib/caller").map(Self::Moved))
    }

    pub(crate) fn callers() -> impl Iterator<Item = Self> {
        (0..CALLERS).flat_map(|at| [Self::Caller(at), Self::Moved(at)])
    }
}

/// The subjects that a caller's file calls in the text of `serial`.
fn called(at: usize, serial: u64) -> BTreeSet<usize> {
    let mut random = Random(serial << 8 | at as u64);
    (0..=random.below(3)).map(|_| random.below(SUBJECTS)).collect()
}

/// What a file held since `begin`; the write was over at `end`. `None` is no text: not there, or half written.
#[derive(Debug, Clone, Copy)]
struct Version {
    serial: Option<u64>,
    begin: Instant,
    end: Instant,
}

#[derive(Debug)]
pub(crate) struct World {
    root: PathBuf,
    history: Mutex<BTreeMap<Place, Vec<Version>>>,
}

impl World {
    /// Writes the first version of everything.
    pub(crate) fn new(root: &Path) -> Self {
        let world = Self { root: root.to_path_buf(), history: Mutex::default() };
        for directory in ["src", "lib", "fixed", "filler"] {
            fs::create_dir(root.join(directory)).unwrap();
        }
        for at in 0..SUBJECTS {
            let text = format!(
                "import {{ subject{at} }} from '../src/subject{at}';\nexport function fixed{at}() {{\n  return subject{at}(0);\n}}\n"
            );
            fs::write(root.join(format!("fixed/fixed{at}.ts")), text).unwrap();
            world.put(Place::Subject(at), Some(0), true);
        }
        for at in 0..CALLERS {
            world.put(Place::Caller(at), Some(0), true);
        }
        for at in 0..FILLERS {
            let body = "  if (values.length > 3) { total += values.indexOf(total); }\n".repeat(40 + at);
            let text = format!(
                "export function filler{at}(values: number[]) {{\n  let total = 0;\n{body}  return total;\n}}\n"
            );
            fs::write(root.join(format!("filler/filler{at}.ts")), text).unwrap();
        }
        world
    }

    /// One random edit. Its serial is new.
    pub(crate) fn edit(&self, random: &mut Random, serial: u64) {
        let is_atomic = random.below(2) == 0;
        if random.below(2) == 0 {
            let place = Place::Subject(random.below(SUBJECTS));
            let is_gone = random.below(12) == 0;
            self.put(place, (!is_gone).then_some(serial), is_atomic);
            return;
        }
        let at = random.below(CALLERS);
        let (mut here, mut there) = (Place::Caller(at), Place::Moved(at));
        if self.serial(here).is_none() {
            std::mem::swap(&mut here, &mut there);
        }
        match random.below(8) {
            0 => self.put(here, None, true),
            1 | 2 if self.serial(here).is_some() => self.rename(here, there),
            _ => self.put(here, Some(serial), is_atomic),
        }
    }

    fn serial(&self, place: Place) -> Option<u64> {
        self.history.lock().unwrap().get(&place)?.last()?.serial
    }

    /// Writes a version of a file: in one step, or as most programs do, by emptying it first.
    fn put(&self, place: Place, serial: Option<u64>, is_atomic: bool) {
        let path = self.root.join(place.path());
        let begin = self.begin(place, if is_atomic { serial } else { None });
        match serial {
            None => drop(fs::remove_file(&path)),
            Some(serial) if is_atomic => {
                let aside = path.with_extension("new");
                fs::write(&aside, place.text(serial)).unwrap();
                fs::rename(aside, &path).unwrap();
            }
            Some(serial) => fs::write(&path, place.text(serial)).unwrap(),
        }
        if !is_atomic {
            self.finish(place);
            self.history.lock().unwrap().entry(place).or_default().push(Version {
                serial,
                begin,
                end: begin,
            });
        }
        self.finish(place);
    }

    fn rename(&self, from: Place, to: Place) {
        let serial = self.serial(from);
        self.begin(to, serial);
        self.begin(from, None);
        fs::rename(self.root.join(from.path()), self.root.join(to.path())).unwrap();
        self.finish(from);
        self.finish(to);
    }

    fn begin(&self, place: Place, serial: Option<u64>) -> Instant {
        let begin = Instant::now();
        let mut history = self.history.lock().unwrap();
        // Until it is finished a write has no end.
        let end = begin + Duration::from_secs(1 << 20);
        history.entry(place).or_default().push(Version { serial, begin, end });
        begin
    }

    fn finish(&self, place: Place) {
        if let Some(last) = self.history.lock().unwrap().get_mut(&place).and_then(|all| all.last_mut()) {
            last.end = Instant::now();
        }
    }

    /// Everything `place` may have held between two moments.
    pub(crate) fn between(&self, place: Place, from: Instant, to: Instant) -> Vec<Option<u64>> {
        let history = self.history.lock().unwrap();
        let Some(all) = history.get(&place) else { return vec![None] };
        let mut held: Vec<_> = all
            .iter()
            .enumerate()
            .filter(|(at, version)| {
                version.begin <= to && all.get(at + 1).is_none_or(|next| next.end >= from)
            })
            .map(|(_, version)| version.serial)
            .collect();
        if all.first().is_none_or(|first| first.end >= from) {
            held.push(None);
        }
        held
    }

    /// The one text `place` held all the time between two moments.
    pub(crate) fn steady(&self, place: Place, from: Instant, to: Instant) -> Option<u64> {
        match *self.between(place, from, to) {
            [serial] => serial,
            _ => None,
        }
    }
}
