//! Markdown: headings by `CommonMark`, and a chunk for each section.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::lines::{Lines, offset};
use super::split::{Limits, split};
use crate::model::{ByteRange, Chunk, ChunkKind, FileFacts, LineRange, SourceFile};

/// A heading with the section it begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    /// 1 to 6.
    pub level: u8,
    /// Its text without markup; may be empty.
    pub title: String,
    /// Lines of the section: from the heading to the line before the next heading of its level or above.
    pub lines: LineRange,
    /// The section's text, subsections included, to the end of its last line.
    pub range: ByteRange,
    /// Characters of that text.
    pub characters: u32,
}

/// Every heading of a document in order. Headings inside lists and block quotes are text of their section.
#[must_use]
pub fn outline(text: &str) -> Vec<Heading> {
    let lines = Lines::of(text);
    let marks = marks(text);
    let ends = section_ends(&marks, text.len());
    marks
        .into_iter()
        .zip(ends)
        .map(|(mark, end)| {
            let range = ByteRange::new(mark.start, end);
            let last = mark.start + range.of(text).trim_end().len().max(1);
            let first = lines.line(mark.start);
            // Blank lines at the end belong to the section, those behind the last line of the file do not exist.
            let after = if end == text.len() { lines.count(text) } else { lines.line(end) - 1 };
            Heading {
                level: mark.level,
                title: mark.title,
                lines: LineRange::new(first, after.max(lines.line(last - 1))),
                range,
                characters: offset(range.of(text).chars().count()),
            }
        })
        .collect()
}

/// Chunks of a document: one for each heading down to `depth`, one for what stands before the first.
pub(super) fn extract(file: &SourceFile, depth: u8, limits: Limits) -> FileFacts {
    let text = file.text.as_str();
    let lines = Lines::of(text);
    let mut chunks = Vec::new();
    let mut add = |name: String, start: usize, end: usize| {
        let body = text.get(start..end).unwrap_or("").trim_end();
        let start = start + (body.len() - body.trim_start_matches(['\n', '\r']).len());
        let range = ByteRange::new(start, start.max(start + body.trim_start_matches(['\n', '\r']).len()));
        if range.of(text).trim().is_empty() {
            return;
        }
        let chunk = Chunk {
            kind: ChunkKind::Doc,
            symbol: None,
            name: Some(name),
            lines: lines.range(range.start as usize, range.end as usize),
            segments: vec![range],
            part: 0,
            is_exported: false,
        };
        split(chunk, text, &lines, limits, &mut chunks);
    };
    let marks: Vec<Mark> = marks(text).into_iter().filter(|mark| mark.level <= depth.max(1)).collect();
    let file_name = file.path.file_name();
    add(file_name.to_owned(), 0, marks.first().map_or(text.len(), |mark| mark.start));
    let mut path: Vec<(u8, &str)> = Vec::new();
    for (at, mark) in marks.iter().enumerate() {
        path.retain(|(level, _)| *level < mark.level);
        path.push((mark.level, &mark.title));
        let name = path.iter().fold(file_name.to_owned(), |name, (_, title)| format!("{name} > {title}"));
        add(name, mark.start, marks.get(at + 1).map_or(text.len(), |next| next.start));
    }
    FileFacts { chunks, ..FileFacts::default() }
}

struct Mark {
    level: u8,
    title: String,
    /// First byte of the heading's line.
    start: usize,
}

/// Where sections end: at the next heading of the same level or above.
fn section_ends(marks: &[Mark], end: usize) -> Vec<usize> {
    let mut ends = vec![end; marks.len()];
    let mut open: Vec<usize> = Vec::new();
    for (at, mark) in marks.iter().enumerate() {
        while let Some(last) = open.pop_if(|last| marks[*last].level >= mark.level) {
            ends[last] = mark.start;
        }
        open.push(at);
    }
    ends
}

fn marks(text: &str) -> Vec<Mark> {
    let skipped = front_matter(text);
    let mut marks = Vec::new();
    let mut heading: Option<Mark> = None;
    let mut depth = 0_usize;
    for (event, range) in Parser::new_ext(&text[skipped..], Options::ENABLE_TABLES).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { level, .. }) if depth == 0 => {
                let at = skipped + range.start;
                let start = memchr::memrchr(b'\n', &text.as_bytes()[..at]).map_or(0, |at| at + 1);
                heading = Some(Mark { level: number(level), title: String::new(), start });
            }
            Event::End(TagEnd::Heading(_)) if depth == 0 => marks.extend(heading.take()),
            Event::Start(Tag::BlockQuote(_) | Tag::List(_)) => depth += 1,
            Event::End(TagEnd::BlockQuote(_) | TagEnd::List(_)) => depth = depth.saturating_sub(1),
            Event::Text(piece) | Event::Code(piece) => {
                if let Some(heading) = &mut heading {
                    heading.title.push_str(&piece);
                }
            }
            Event::SoftBreak | Event::HardBreak => {
                if let Some(heading) = &mut heading {
                    heading.title.push(' ');
                }
            }
            _ => {}
        }
    }
    for mark in &mut marks {
        mark.title = mark.title.trim().to_owned();
    }
    marks
}

/// Bytes of the YAML block at the start of a document.
fn front_matter(text: &str) -> usize {
    let mut at = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let bare = line.trim_end();
        at += line.len();
        if number == 0 {
            if bare != "---" {
                return 0;
            }
        } else if matches!(bare, "---" | "...") {
            return at;
        }
    }
    0
}

fn number(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::ecmascript::tests::facts_of;

    const GUIDE: &str = "---\ntitle: Guide\ndescription: x\n---\n\nwords before\n\n# Guide\n\nintro\n\n```bash\n# not a heading\n```\n\n\
                         ## Using C#\n\nsharp\n\n### Deep `note`\n\ndeep\n\n## Closed ##\n\n> # quoted\n\nSetext\nheading\n---\nend\n";

    #[test]
    fn outline_has_every_level_with_exact_lines() {
        let found: Vec<_> = outline(GUIDE)
            .into_iter()
            .map(|h| format!("{}-{} {}c {} {}", h.lines.start, h.lines.end, h.characters, h.level, h.title))
            .collect();
        assert_eq!(
            found,
            [
                "8-31 137c 1 Guide",
                "16-23 43c 2 Using C#",
                "20-23 23c 3 Deep note",
                "24-27 26c 2 Closed",
                "28-31 23c 2 Setext heading",
            ]
        );
    }

    #[test]
    fn a_chunk_for_each_section_and_the_text_before() {
        let facts = facts_of("docs/guide.md", GUIDE);
        let found: Vec<_> = facts
            .chunks
            .iter()
            .map(|chunk| (chunk.name.as_deref().unwrap(), chunk.lines.start, chunk.lines.end))
            .collect();
        assert_eq!(
            found,
            [
                ("guide.md", 1, 6),
                ("guide.md > Guide", 8, 14),
                ("guide.md > Guide > Using C#", 16, 22),
                ("guide.md > Guide > Closed", 24, 26),
                ("guide.md > Guide > Setext heading", 28, 31),
            ]
        );
        assert!(facts.symbols.is_empty());
    }

    #[test]
    fn documents_without_headings_or_text() {
        let names =
            |text| facts_of("a.md", text).chunks.into_iter().map(|c| c.name.unwrap()).collect::<Vec<_>>();
        assert_eq!(names("just words\n"), ["a.md"]);
        assert_eq!(names(" \n\n"), [""; 0]);
        assert_eq!(names("---\nnot: closed\n"), ["a.md"]);
        assert_eq!(outline("# A\r\ntext\r\n# B")[0].lines, LineRange::new(1, 2));
    }
}
