//! Where a chunk begins and ends.
//!
//! Declarations that get a chunk of their own are *regions*, nested like the source. A region's text is its range
//! minus the bodies of the regions inside it: a class shell keeps the signature of each method, the method's own chunk
//! has signature and body. What no region covers becomes `block` chunks. So every byte that holds more than white
//! space is in some chunk, and only heads and split overlaps are in two; when heads weigh too much for the file
//! they are left out of the outlines, comments first.

use super::super::lines::Lines;
use super::super::split::{Limits, split};
use crate::model::{ByteRange, Chunk, ChunkKind, LineRange, SymbolIx};

/// A declaration with a chunk of its own.
#[derive(Debug, Clone)]
pub(super) struct Region {
    /// The region around it.
    pub(super) parent: Option<u32>,
    /// Kind of chunk.
    pub(super) kind: ChunkKind,
    /// The declaration.
    pub(super) symbol: Option<SymbolIx>,
    /// Name where there is no symbol.
    pub(super) name: Option<String>,
    /// Doc comment, decorators, declaration, trailing comment.
    pub(super) range: ByteRange,
    /// First byte after the doc comment.
    pub(super) declaration: u32,
    /// Where the head, the part an outline repeats, ends.
    pub(super) head_end: u32,
    /// The declaration's own lines.
    pub(super) lines: LineRange,
    /// Reachable from outside.
    pub(super) is_exported: bool,
}

/// How much of a member's head its outline repeats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outline {
    /// Doc comment, decorators, signature.
    Documented,
    /// Decorators and signature.
    Bare,
    /// Nothing.
    Nothing,
}

/// Builds the chunks of a file from its regions, which come in file order, parents before children.
pub(super) fn chunks(mut regions: Vec<Region>, text: &str, lines: &Lines, limits: Limits) -> Vec<Chunk> {
    keep_disjoint(&mut regions);
    let children = children_of(&regions);
    let budget = text.len() * 3 / 20 + 256;
    let outline = [Outline::Documented, Outline::Bare]
        .into_iter()
        .find(|outline| repeated_bytes(&regions, *outline) <= budget)
        .unwrap_or(Outline::Nothing);
    let mut pieces: Vec<Piece> = blocks(&regions, &children[0], text, lines);
    for (at, region) in regions.iter().enumerate() {
        let segments = own_segments(region, &regions, &children[at + 1], outline, text);
        pieces.push(Piece {
            chunk: Chunk {
                kind: region.kind,
                symbol: region.symbol,
                name: region.name.clone(),
                lines: region.lines,
                segments,
                part: 0,
                is_exported: region.is_exported,
            },
            order: region.range.start,
        });
    }
    pieces.sort_by_key(|piece| piece.order);
    let mut chunks = Vec::with_capacity(pieces.len());
    for piece in pieces {
        split(piece.chunk, text, lines, limits, &mut chunks);
    }
    chunks
}

struct Piece {
    chunk: Chunk,
    order: u32,
}

/// Regions come from a tree and nest properly; broken source can still make a doc comment or trailing comment reach
/// into a neighbour. Cuts such overlaps so that no byte is counted twice.
fn keep_disjoint(regions: &mut [Region]) {
    let mut ends: Vec<u32> = vec![0; regions.len() + 1];
    for at in 0..regions.len() {
        let parent = regions[at].parent;
        let slot = parent.map_or(0, |parent| parent as usize + 1);
        let (low, high) = parent.map_or((0, u32::MAX), |parent| {
            let range = regions[parent as usize].range;
            (range.start, range.end)
        });
        let low = low.max(ends[slot]);
        let region = &mut regions[at];
        region.range.start = region.range.start.max(low).min(high);
        region.range.end = region.range.end.min(high).max(region.range.start);
        region.declaration = region.declaration.clamp(region.range.start, region.range.end);
        region.head_end = region.head_end.clamp(region.declaration, region.range.end);
        ends[slot] = region.range.end;
    }
}

/// Children by parent; slot 0 is the file itself.
fn children_of(regions: &[Region]) -> Vec<Vec<u32>> {
    let mut children = vec![Vec::new(); regions.len() + 1];
    for (at, region) in (0_u32..).zip(regions) {
        children[region.parent.map_or(0, |parent| parent as usize + 1)].push(at);
    }
    children
}

fn repeated_bytes(regions: &[Region], outline: Outline) -> usize {
    regions
        .iter()
        .filter(|region| region.parent.is_some())
        .map(|region| (region.head_end - kept_from(region, outline)) as usize)
        .sum()
}

fn kept_from(region: &Region, outline: Outline) -> u32 {
    match outline {
        Outline::Documented => region.range.start,
        Outline::Bare => region.declaration,
        Outline::Nothing => region.head_end,
    }
}

fn own_segments(
    region: &Region,
    regions: &[Region],
    children: &[u32],
    outline: Outline,
    text: &str,
) -> Vec<ByteRange> {
    let mut segments = Vec::with_capacity(1 + children.len());
    let mut from = region.range.start;
    let mut push = |start: u32, end: u32| {
        let range = ByteRange { start, end };
        if !range.of(text).trim().is_empty() {
            segments.push(range);
        }
    };
    for child in children {
        let child = &regions[*child as usize];
        let kept = kept_from(child, outline);
        if kept == child.range.start {
            push(from, child.head_end);
        } else {
            push(from, child.range.start);
            push(kept, child.head_end);
        }
        from = child.range.end;
    }
    push(from, region.range.end);
    segments
}

/// Blocks over what lies between the top-level regions.
fn blocks(regions: &[Region], top: &[u32], text: &str, lines: &Lines) -> Vec<Piece> {
    let mut found = Vec::new();
    let mut from = 0_u32;
    let ends = top.iter().map(|at| regions[*at as usize].range);
    let end = ByteRange::new(text.len(), text.len());
    for next in ends.chain([end]) {
        let gap = ByteRange { start: from, end: next.start };
        from = next.end;
        let whole = gap.of(text);
        let body = whole.trim();
        if body.is_empty() {
            continue;
        }
        let start = gap.start as usize + (whole.len() - whole.trim_start().len());
        let range = ByteRange::new(start, start + body.len());
        found.push(Piece {
            chunk: Chunk {
                kind: ChunkKind::Block,
                symbol: None,
                name: None,
                lines: lines.range(start, start + body.len()),
                segments: vec![range],
                part: 0,
                is_exported: false,
            },
            order: range.start,
        });
    }
    found
}
