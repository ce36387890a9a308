//! A file with a `!` behind every called name: the question about the name itself instead of the signature that was chosen.
//!
//! `x.save(1)` and `x.save!(1)` have the same types. But where the callee is an expression of its own, TypeScript looks up
//! the name and gives every declaration of it, and does not add where the signature of its type was written.

use super::questions::FileQuestions;
use super::server::Position;

/// The altered text, and where it was altered.
#[derive(Debug)]
pub(super) struct Overlay {
    /// The text.
    pub(super) text: String,
    /// Where the signs stand in the unaltered text, in file order.
    signs: Vec<Position>,
}

impl Overlay {
    /// The overlay of a file; `None` when nothing in it is asked twice.
    pub(super) fn of(file: &FileQuestions) -> Option<Self> {
        let mut text = String::with_capacity(file.text.len() + file.questions.len());
        let mut signs = Vec::new();
        let mut copied = 0;
        for question in file.questions.iter().filter(|question| question.is_asked_twice()) {
            text.push_str(&file.text[copied..question.end]);
            text.push('!');
            copied = question.end;
            signs.push((question.line, question.end_column));
        }
        text.push_str(&file.text[copied..]);
        (!signs.is_empty()).then_some(Self { text, signs })
    }

    /// The columns of the signs on a line of the unaltered text.
    fn on_line(&self, line: u32) -> impl Iterator<Item = u32> + '_ {
        let first = self.signs.partition_point(|sign| sign.0 < line);
        self.signs[first..].iter().take_while(move |sign| sign.0 == line).map(|sign| sign.1)
    }

    /// Where a place of the unaltered text is now.
    pub(super) fn altered(&self, (line, column): Position) -> Position {
        let before = self.on_line(line).take_while(|&sign| sign <= column).count();
        (line, column + u32::try_from(before).unwrap_or(u32::MAX))
    }

    /// Where a place of the altered text was before.
    pub(super) fn unaltered(&self, (line, column): Position) -> Position {
        let mut before = 0;
        for sign in self.on_line(line) {
            if sign + before >= column {
                break;
            }
            before += 1;
        }
        (line, column - before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checker::questions::Question;
    use crate::model::{CallKind, FileId, RepoPath};

    #[test]
    fn places_are_found_again_on_lines_with_several_signs() {
        let text = "é.f(1); g;\nf(f(2)); f(3); let h;\n";
        let mut questions = Vec::new();
        for (line, column, end) in [(1, 3, 4), (2, 1, 13), (2, 3, 15), (2, 10, 22)] {
            let call = Some(CallKind::Call);
            questions.push(Question {
                line,
                column,
                end_column: column + 1,
                end,
                call,
                is_bare: true,
                caller: None,
            });
        }
        let file = FileQuestions {
            file: FileId(1),
            path: RepoPath::new("a.ts").unwrap(),
            text: text.to_owned(),
            questions,
            is_unreadable: false,
        };
        let overlay = Overlay::of(&file).unwrap();
        assert_eq!(overlay.text, "é.f!(1); g;\nf!(f!(2)); f!(3); let h;\n");
        for (place, moved) in [
            ((1, 3), (1, 3)),
            ((1, 9), (1, 10)),
            ((2, 1), (2, 1)),
            ((2, 3), (2, 4)),
            ((2, 10), (2, 12)),
            ((2, 20), (2, 23)),
            ((3, 1), (3, 1)),
        ] {
            assert_eq!(overlay.altered(place), moved, "{place:?}");
            assert_eq!(overlay.unaltered(moved), place, "{moved:?}");
        }
    }

    #[test]
    fn nothing_called_needs_no_overlay() {
        let question =
            Question { line: 1, column: 1, end_column: 2, end: 1, call: None, is_bare: true, caller: None };
        let jsx = Question { call: Some(CallKind::Jsx), ..question };
        let file = FileQuestions {
            file: FileId(1),
            path: RepoPath::new("a.ts").unwrap(),
            text: "f".to_owned(),
            questions: vec![question, jsx],
            is_unreadable: false,
        };
        assert!(Overlay::of(&file).is_none());
    }
}
