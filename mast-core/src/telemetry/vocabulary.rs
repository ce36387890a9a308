//! The token vocabulary `cl100k_base`: from the bytes of a token to its rank, from tables made at build time.

use super::hash::{hash, slot, tag};

static BYTES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/tokens.bytes"));
static OFFSETS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/tokens.offsets"));
static SLOTS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/tokens.slots"));

/// Rank of a token that does not exist.
pub(super) const NO_RANK: u32 = u32::MAX;

/// Rank of the token with these bytes, [`NO_RANK`] when there is none. Lower ranks are merged first.
pub(super) fn rank(token: &[u8]) -> u32 {
    let hashed = hash(token);
    let (mut at, tag) = (slot(hashed), tag(hashed));
    let mask = SLOTS.len() / 4 - 1;
    loop {
        let entry = word(SLOTS, at);
        if entry == 0 {
            return NO_RANK;
        }
        let rank = (entry & 0x1_ffff) - 1;
        if entry >> 17 == tag && bytes_of(rank) == token {
            return rank;
        }
        at = (at + 1) & mask;
    }
}

fn bytes_of(rank: u32) -> &'static [u8] {
    let rank = rank as usize;
    &BYTES[word(OFFSETS, rank) as usize..word(OFFSETS, rank + 1) as usize]
}

fn word(table: &[u8], at: usize) -> u32 {
    let bytes = &table[at * 4..at * 4 + 4];
    u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_token_is_found_under_its_rank() {
        let count = OFFSETS.len() / 4 - 1;
        assert_eq!(count, 100_256, "tokens of cl100k_base without the special ones");
        for expected in 0..u32::try_from(count).unwrap() {
            assert_eq!(rank(bytes_of(expected)), expected);
        }
        assert_eq!(rank(b"no such token"), NO_RANK);
        assert!((0..=u8::MAX).all(|byte| rank(&[byte]) < 256), "the single bytes come first");
    }
}
