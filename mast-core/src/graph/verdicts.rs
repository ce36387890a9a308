//! What the type checker's verdicts make of mentions that linking could not prove.

use super::potential::{MentionKind, Purpose, Question};
use super::sources::Source;
use crate::error::Result;
use crate::model::FileId;
use crate::store::{Reader, Verdict};

/// Mentions that verdicts struck from the list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Struck {
    /// They are no calls.
    pub non_call_sites: u64,
    /// They are calls of another declaration.
    pub other_declarations: u64,
}

impl Struck {
    /// Leaves in `places`, byte offsets of unproven mentions in a file, those that still may be what the question is about, and
    /// counts those it strikes. A proven call is taken out without being counted: it is among the callers.
    pub(super) fn strike(
        &mut self,
        reader: &Reader,
        question: &Question,
        (file, source): (FileId, &Source),
        places: &mut Vec<(usize, MentionKind)>,
    ) -> Result<()> {
        // Of a name nothing declares, every mention is of interest.
        if places.is_empty() || question.purpose == Purpose::Remains {
            return Ok(());
        }
        let verdicts = reader.verdicts_in(file)?;
        if !verdicts.is_empty() {
            places.retain(|(at, _)| {
                verdicts.get(&source.position(*at)).is_none_or(|verdict| self.leaves(verdict, question))
            });
        }
        Ok(())
    }

    fn leaves(&mut self, verdict: &Verdict, question: &Question) -> bool {
        let mut meant = verdict.targets.iter().filter(|(id, _)| question.targets.contains(id)).peekable();
        let is_excluded = verdict.is_complete && meant.peek().is_none();
        let is_proven = meant.any(|(_, is_proven)| *is_proven);
        match (verdict.is_call, question.purpose) {
            (true, _) if is_proven => false,
            (true, _) => {
                self.other_declarations += u64::from(is_excluded);
                !is_excluded
            }
            // Which declaration it means makes no call of it.
            (false, Purpose::Calls) => {
                self.non_call_sites += 1;
                false
            }
            (false, Purpose::Rename | Purpose::Remains) => {
                self.non_call_sites += u64::from(is_excluded);
                !is_excluded
            }
        }
    }
}
