//! Lays out the vocabulary of the token counter as tables that need no work at start-up: where each token lies, and a
//! hash table from a token's bytes to its rank.

use std::error::Error;
use std::path::Path;
use std::{env, fs};

#[path = "src/telemetry/hash.rs"]
mod hash;

const VOCABULARY: &str = "src/telemetry/cl100k_base.tokens";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={VOCABULARY}");
    println!("cargo::rerun-if-changed=src/telemetry/hash.rs");
    let packed = fs::read(VOCABULARY)?;
    let (mut bytes, mut offsets, mut slots) = (Vec::new(), vec![0_u32], vec![0_u32; 1 << hash::SLOT_BITS]);
    let mut rest = packed.as_slice();
    while let Some((&length, tail)) = rest.split_first() {
        let (token, tail) =
            tail.split_at_checked(usize::from(length)).ok_or("the vocabulary is cut short")?;
        rest = tail;
        let rank_plus_one = u32::try_from(offsets.len())?;
        let hashed = hash::hash(token);
        let mut at = hash::slot(hashed);
        while slots[at] != 0 {
            at = (at + 1) % slots.len();
        }
        slots[at] = hash::tag(hashed) << 17 | rank_plus_one;
        bytes.extend_from_slice(token);
        offsets.push(u32::try_from(bytes.len())?);
    }
    let words = |list: &[u32]| list.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    let out = env::var("OUT_DIR")?;
    fs::write(Path::new(&out).join("tokens.bytes"), bytes)?;
    fs::write(Path::new(&out).join("tokens.offsets"), words(&offsets))?;
    fs::write(Path::new(&out).join("tokens.slots"), words(&slots))?;
    Ok(())
}
