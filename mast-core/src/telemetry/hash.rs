//! The hash of the token table, shared by the build script that fills it and the program that reads it.

/// Number of slots as a power of two: about three quarters of the slots stay empty.
pub(crate) const SLOT_BITS: u32 = 18;

/// Hash of a token's bytes (the multiply-and-rotate mix of Firefox's hasher, eight bytes at a time).
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x517c_c1b7_2722_0a95;
    let mut state = bytes.len() as u64;
    let mut words = bytes.chunks_exact(8);
    let mut mix = |word: u64| state = (state.rotate_left(5) ^ word).wrapping_mul(FACTOR);
    for word in &mut words {
        mix(u64::from_le_bytes([word[0], word[1], word[2], word[3], word[4], word[5], word[6], word[7]]));
    }
    let tail = words.remainder().iter().rev().fold(0_u64, |tail, &byte| tail << 8 | u64::from(byte));
    mix(tail);
    // The multiplication leaves the low bits weak; the slot comes from the high ones.
    state ^ state >> 29
}

/// First slot to look in.
#[expect(clippy::cast_possible_truncation, reason = "no more than SLOT_BITS bits are left")]
pub(crate) fn slot(hash: u64) -> usize {
    (hash >> (64 - SLOT_BITS)) as usize
}

/// A few bits of the hash that are kept in the slot, so that most misses need not look at the token.
#[expect(clippy::cast_possible_truncation, reason = "the bits that are wanted are those that stay")]
pub(crate) fn tag(hash: u64) -> u32 {
    u32::from((hash >> 20) as u16 & 0x7fff)
}
