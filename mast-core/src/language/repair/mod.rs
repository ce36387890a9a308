//! **Holds** the way around what the grammars cannot read although it is valid source.
//! **Takes / gives** a text and its first tree; the best tree found and the lines that stay broken.
//! **Never** changes what anyone reads: a masked text has the length of the original and only the parser sees it.
//! **Next** `rules` for the constructs.
//!
//! Each rule masks one construct by bytes of the same number, so every position in the new tree is a position in the
//! original. A mask is kept only when the errors it leaves are fewer; positions far from any error are not touched.
//!
//! What the reader of a repaired tree meets: `using x = …` and `await using x = …` are `const x = …` (TypeScript
//! grammars); `` tag<T>`…` `` and `f<T>?.(x)` have no type arguments; `import("m").T<A>` in a type is a
//! `generic_type` (or other type reference) whose first identifier has the source text `import("m").T`;
//! parenthesized decorators and other forms the grammar lacks are one identifier.

mod rules;
mod scan;

use std::time::{Duration, Instant};

use tree_sitter::Tree;

use super::parser::{Grammar, NoTree, parse};
use crate::model::ByteRange;
use rules::{ALWAYS, Mask, NEAR_ERRORS, Rule};

/// How far from an error a rule still applies, in bytes.
const REACH: u32 = 256;
/// Masks of one rule tried one by one when all together do not help.
const SINGLE_TRIES: usize = 12;
/// Length in bytes from which a text is not parsed again for every single mask while most of it is one error.
const LONG_TEXT: usize = 16 << 10;
/// How much text may be parsed again for one file.
const REPARSED_BYTES: usize = 32 << 20;
/// Rounds over all rules.
const ROUNDS: usize = 3;

/// A tree and what is wrong with it.
#[derive(Debug)]
pub(super) struct Parsed {
    /// The tree; its positions are those of the original text.
    pub(super) tree: Tree,
    /// The grammar it comes from.
    pub(super) grammar: Grammar,
    /// Ranges the grammar could not read.
    pub(super) errors: Vec<ByteRange>,
    weight: usize,
}

/// Parses `text`, repairing what it can within `limit`.
pub(super) fn parse_repaired(grammar: Grammar, text: &str, limit: Duration) -> Result<Parsed, NoTree> {
    let deadline = Instant::now() + limit;
    let mut repair = Repair::new(text, deadline);
    let mut best = repair.start(grammar)?;
    if !best.errors.is_empty() {
        best = repair.improve(best);
    }
    if !best.errors.is_empty() && grammar == Grammar::JavaScript {
        // Flow annotations are close enough to TypeScript's.
        let mut other = Repair::new(text, deadline);
        if let Ok(flow) = other.start(Grammar::Tsx) {
            let flow = if flow.errors.is_empty() { flow } else { other.improve(flow) };
            if flow.weight < best.weight {
                best = flow;
            }
        }
    }
    Ok(best)
}

struct Repair<'a> {
    text: &'a str,
    masked: Vec<u8>,
    deadline: Instant,
    /// How many more trees may be made; by size and not by time, so that every run makes the same ones.
    tries: usize,
}

impl<'a> Repair<'a> {
    fn new(text: &'a str, deadline: Instant) -> Self {
        let tries = (REPARSED_BYTES / (text.len() + 1)).clamp(4, 400);
        Self { text, masked: text.as_bytes().to_vec(), deadline, tries }
    }

    /// The first tree, with the constructs masked that are misread without any error.
    fn start(&mut self, grammar: Grammar) -> Result<Parsed, NoTree> {
        let masks: Vec<Mask> = ALWAYS.iter().flat_map(|rule| rule.masks(self.text, grammar)).collect();
        if masks.is_empty() {
            return self.parse(grammar, self.text.as_bytes());
        }
        let masked = apply(&self.masked, &masks);
        let with = self.parse(grammar, &masked)?;
        if !with.errors.is_empty() {
            let without = self.parse(grammar, self.text.as_bytes())?;
            if without.weight < with.weight {
                return Ok(without);
            }
        }
        self.masked = masked;
        Ok(with)
    }

    fn parse(&self, grammar: Grammar, bytes: &[u8]) -> Result<Parsed, NoTree> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        let text = std::str::from_utf8(bytes).map_err(|_| NoTree::Failed)?;
        let tree = parse(grammar, text, left)?;
        let (errors, weight) = errors(&tree, self.text);
        Ok(Parsed { tree, grammar, errors, weight })
    }

    fn improve(&mut self, mut best: Parsed) -> Parsed {
        if self.gave_up(&best) {
            // As long as one construct keeps the parser from the rest of the file, masking another one changes nothing.
            let masks: Vec<Mask> =
                NEAR_ERRORS.iter().flat_map(|rule| self.near(rule, best.grammar, &best.errors)).collect();
            self.try_masks(&masks, &mut best);
        }
        for _ in 0..ROUNDS {
            let before = best.weight;
            for rule in NEAR_ERRORS {
                let masks = self.near(rule, best.grammar, &best.errors);
                if !self.try_masks(&masks, &mut best) && masks.len() > 1 && !self.gave_up(&best) {
                    for mask in masks.iter().take(SINGLE_TRIES) {
                        self.try_masks(std::slice::from_ref(mask), &mut best);
                    }
                }
                if best.errors.is_empty() {
                    return best;
                }
            }
            if best.weight == before {
                break;
            }
        }
        best
    }

    /// Whether most of a text is one error: single masks then cost a parse each and tell nothing.
    fn gave_up(&self, parsed: &Parsed) -> bool {
        self.text.len() > LONG_TEXT && parsed.weight > self.text.len() / 2
    }

    /// The masks of `rule` close to an error that still stand in the text as it is masked now.
    fn near(&self, rule: &Rule, grammar: Grammar, errors: &[ByteRange]) -> Vec<Mask> {
        let mut masks = rule.masks(self.text, grammar);
        masks.retain(|mask| {
            let (start, end) =
                (super::lines::offset(mask.at), super::lines::offset(mask.at + mask.with.len()));
            let next = errors.partition_point(|error| error.end + REACH < start);
            errors.get(next).is_some_and(|error| error.start <= end + REACH)
                && self.masked[mask.at..mask.at + mask.with.len()] != mask.with[..]
        });
        masks
    }

    /// Keeps `masks` when they leave fewer errors than `best` has.
    fn try_masks(&mut self, masks: &[Mask], best: &mut Parsed) -> bool {
        if masks.is_empty() || self.tries == 0 {
            return false;
        }
        self.tries -= 1;
        let masked = apply(&self.masked, masks);
        let Ok(found) = self.parse(best.grammar, &masked) else {
            self.tries = 0;
            return false;
        };
        if found.weight >= best.weight {
            return false;
        }
        self.masked = masked;
        *best = found;
        true
    }
}

fn apply(bytes: &[u8], masks: &[Mask]) -> Vec<u8> {
    let mut masked = bytes.to_vec();
    for mask in masks {
        masked[mask.at..mask.at + mask.with.len()].copy_from_slice(&mask.with);
    }
    masked
}

/// The outermost error ranges in order, and their weight: bytes in them, and something for each.
fn errors(tree: &Tree, text: &str) -> (Vec<ByteRange>, usize) {
    let mut ranges = Vec::new();
    let mut weight = 0;
    if !tree.root_node().has_error() {
        return (ranges, 0);
    }
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let is_error = node.is_error() || node.is_missing();
        if is_error && is_before_global_block(node.start_byte(), node.end_byte(), text) {
            // The walk knows the block behind it.
        } else if is_error {
            ranges.push(ByteRange::new(node.start_byte(), node.end_byte()));
            weight += 4 + node.end_byte() - node.start_byte();
        } else if node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return (ranges, weight);
            }
        }
    }
}

/// Whether the error `start..end` is the word of `global { … }` in an ambient module, or what misses behind it.
fn is_before_global_block(start: usize, end: usize, text: &str) -> bool {
    let (before, error, after) = (text.get(..start), text.get(start..end), text.get(end..));
    let is_word = match error.map(str::trim) {
        Some("global") => true,
        Some("") => before.is_some_and(|before| before.trim_end().ends_with("global")),
        _ => false,
    };
    is_word && after.is_some_and(|after| after.trim_start().starts_with('{'))
}

#[cfg(test)]
mod tests;
