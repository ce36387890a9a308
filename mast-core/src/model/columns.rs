//! Columns in UTF-16 code units, the unit of editors, found in a step or two however long the line is.

/// Bytes between two counts.
const STEP: usize = 1024;

/// Counts of the code units of one text. It belongs to that text: methods take it again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Columns {
    /// Code units of the characters that begin before each multiple of [`STEP`] bytes; empty when all of the text is ASCII.
    counts: Vec<usize>,
}

impl Columns {
    /// Counts `text`.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut counts = Vec::new();
        if !text.is_ascii() {
            let mut units = 0;
            for (at, c) in text.char_indices() {
                while counts.len() * STEP <= at {
                    counts.push(units);
                }
                units += c.len_utf16();
            }
        }
        Self { counts }
    }

    /// Code units of `text` before byte `at`, which is the beginning of a character or the end.
    fn units_before(&self, text: &str, at: usize) -> usize {
        if self.counts.is_empty() {
            return at;
        }
        // The last step of a text may begin inside its last character.
        let step = (at / STEP).min(self.counts.len() - 1);
        let begin = boundary_from(text, step * STEP);
        self.counts[step] + text.get(begin..at).map_or(0, |part| part.encode_utf16().count())
    }

    /// Code units between two bytes of `text`; none when one of them is inside a character.
    #[must_use]
    pub fn between(&self, text: &str, start: usize, end: usize) -> usize {
        if start > end || !text.is_char_boundary(start) || !text.is_char_boundary(end) {
            return 0;
        }
        self.units_before(text, end) - self.units_before(text, start)
    }

    /// The first character at least `units` code units behind byte `start` of `text`; the end when there is none.
    #[must_use]
    pub fn byte_after(&self, text: &str, start: usize, units: usize) -> usize {
        if self.counts.is_empty() {
            return (start + units).min(text.len());
        }
        let wanted = self.units_before(text, start) + units;
        let step = self.counts.partition_point(|&count| count <= wanted).saturating_sub(1);
        let begin = boundary_from(text, step * STEP);
        let mut seen = self.counts[step];
        let found = text[begin..].char_indices().find(|(_, c)| {
            let is_there = seen >= wanted;
            seen += c.len_utf16();
            is_there
        });
        found.map_or(text.len(), |(at, _)| begin + at)
    }
}

/// The first beginning of a character at or behind `at`.
fn boundary_from(text: &str, at: usize) -> usize {
    (at..text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares with counting from the beginning, at every character.
    fn check(text: &str) {
        let columns = Columns::of(text);
        for (start, _) in text.char_indices().step_by(97) {
            for (end, _) in text.char_indices().filter(|&(end, _)| end >= start).step_by(61) {
                let units = text[start..end].encode_utf16().count();
                assert_eq!(columns.between(text, start, end), units, "{start} to {end}");
                assert_eq!(columns.byte_after(text, start, units), end, "{units} behind {start}");
            }
            assert_eq!(columns.between(text, start, text.len()), text[start..].encode_utf16().count());
            assert_eq!(columns.byte_after(text, start, text.len() * 2), text.len());
        }
    }

    #[test]
    fn columns_are_what_counting_gives() {
        for text in
            ["", "plain", "é", &"x".repeat(3000), &"😀é-".repeat(900), &format!("{}é", "y".repeat(1023))]
        {
            check(text);
        }
    }

    #[test]
    fn places_inside_a_character_are_none() {
        assert_eq!(Columns::of("aé").between("aé", 0, 2), 0);
        assert_eq!(Columns::of("ab").between("ab", 2, 1), 0);
    }

    #[test]
    fn an_astral_character_is_two_units() {
        let text = "a😀b";
        assert_eq!(Columns::of(text).between(text, 0, 5), 3);
        assert_eq!(Columns::of(text).byte_after(text, 0, 2), 5, "the half of a pair is passed over");
    }
}
