//! Inputs that are nearly right: seeds with bytes changed, cut, doubled, spliced, and words of the language put in.
//!
//! Every target runs for `MAST_FUZZ_SECONDS` (1). `MAST_FUZZ_SEED` says where the inputs begin. An input that fails is
//! kept in the system's temporary directory, under the name that the failure gives.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::random::Random;

/// No input may take longer than this; the machines of tests are busy.
const HANG: Duration = Duration::from_secs(20);

/// What inputs of one kind are made of.
pub(crate) struct Corpus<'a> {
    pub(crate) seeds: &'a [&'a str],
    pub(crate) words: &'a [&'a str],
}

impl Random {
    fn byte(&mut self) -> u8 {
        u8::try_from(self.below(256)).unwrap()
    }
}

impl Corpus<'_> {
    /// One input.
    pub(crate) fn input(&self, random: &mut Random) -> Vec<u8> {
        let mut bytes = self.seeds[random.below(self.seeds.len())].as_bytes().to_vec();
        for _ in 0..=random.below(6) {
            self.change(&mut bytes, random);
        }
        bytes
    }

    fn change(&self, bytes: &mut Vec<u8>, random: &mut Random) {
        let at = random.below(bytes.len() + 1);
        let end = (at + 1 + random.below(40)).min(bytes.len());
        match random.below(10) {
            0 | 1 if at < bytes.len() => bytes[at] = random.byte(),
            2 => bytes.insert(at, random.byte()),
            3 => drop(bytes.drain(at..end.max(at))),
            4 => {
                let part = bytes[at..end.max(at)].to_vec();
                bytes.splice(at..at, part);
            }
            5 => bytes.truncate(at),
            6 => {
                let other = self.seeds[random.below(self.seeds.len())].as_bytes();
                let (from, to) = (random.below(other.len()), random.below(other.len()));
                bytes.splice(at..at, other[from.min(to)..from.max(to)].iter().copied());
            }
            7 => {
                // Deep nesting and long lists.
                let word = self.words[random.below(self.words.len())].as_bytes();
                let times = 1 << random.below(14);
                bytes.splice(at..at, word.iter().copied().cycle().take(word.len() * times));
            }
            _ => {
                let word = self.words[random.below(self.words.len())].as_bytes();
                bytes.splice(at..at, word.iter().copied());
            }
        }
    }
}

pub(crate) fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// Gives `target` inputs until the time is over. It panics where something is wrong; an input it never returns from is the
/// one that is kept.
#[expect(clippy::print_stdout, reason = "the counts of a long run are its result")]
pub(crate) fn fuzz(name: &str, corpus: &Corpus<'_>, target: &mut dyn FnMut(&[u8], &mut Random)) {
    let begin = Instant::now();
    let limit = Duration::from_secs(setting("MAST_FUZZ_SECONDS", 1));
    let first = setting("MAST_FUZZ_SEED", 1);
    let kept: PathBuf = std::env::temp_dir().join(format!("mast-fuzz-{name}-{}", std::process::id()));
    let mut inputs = 0_u64;
    while begin.elapsed() < limit || inputs == 0 {
        let mut random = Random((first << 32) + inputs);
        let input = corpus.input(&mut random);
        // A stack that overflows ends the process, so the input is kept beforehand.
        std::fs::write(&kept, &input).unwrap();
        let started = Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(|| target(&input, &mut random)));
        assert!(outcome.is_ok(), "{name}: input {inputs} fails; it is kept in {}", kept.display());
        let taken = started.elapsed();
        assert!(taken < HANG, "{name}: input {inputs} took {taken:?}; it is kept in {}", kept.display());
        inputs += 1;
    }
    std::fs::remove_file(&kept).unwrap();
    println!("{name}: {inputs} inputs in {:?}", begin.elapsed());
}
