//! Is it source at all?

use super::lines::char_boundary;
use crate::model::RepoPath;

/// Distance between the sync bytes of an MPEG transport stream.
const PACKET: usize = 188;
/// How much of a text is looked at.
const SAMPLE: usize = 8192;

/// Why the text of `path` is no source, or `None` when it may be.
#[must_use]
pub fn content_kind(text: &str, path: &RepoPath) -> Option<&'static str> {
    let bytes = text.as_bytes();
    if is_transport_stream(text) {
        return Some("MPEG transport stream");
    }
    if path.file_name().rsplit('.').next() == Some("ts") && is_qt_linguist(text) {
        return Some("Qt Linguist translation");
    }
    let sample = &bytes[..bytes.len().min(SAMPLE)];
    if is_mostly_binary(sample) { Some("binary data") } else { None }
}

/// The sync byte 0x47 opens every packet. Invalid bytes became replacement characters, so characters are counted.
fn is_transport_stream(text: &str) -> bool {
    let mut chars = text.chars();
    let mut packets = 0;
    while let Some(first) = chars.next() {
        if first != 'G' {
            return false;
        }
        packets += 1;
        if packets == 3 {
            return true;
        }
        if chars.by_ref().take(PACKET - 1).count() < PACKET - 1 {
            return false;
        }
    }
    false
}

fn is_qt_linguist(text: &str) -> bool {
    let head = text.trim_start();
    let head = &head[..char_boundary(head, 1024)];
    head.starts_with("<!DOCTYPE TS") || head.starts_with("<TS ") || {
        head.starts_with("<?xml") && (head.contains("<!DOCTYPE TS") || head.contains("<TS"))
    }
}

/// More than three in ten bytes are control characters or were not text.
fn is_mostly_binary(sample: &[u8]) -> bool {
    let control =
        sample.iter().filter(|b| **b < 0x20 && !matches!(b, b'\t' | b'\n' | b'\r' | 0x0c | 0x0b)).count();
    let replaced = memchr::memmem::find_iter(sample, "\u{fffd}".as_bytes()).count() * 3;
    (control + replaced) * 10 > sample.len() * 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_other_content_from_source() {
        let kind = |name: &str, text: &str| content_kind(text, &RepoPath::new(name).unwrap());
        let packet = format!("G@{}", "\u{0}\u{fffd}a".repeat(62));
        assert_eq!(packet.chars().count(), PACKET);
        assert_eq!(kind("clip.ts", &packet.repeat(4)), Some("MPEG transport stream"));
        let linguist = "<?xml version=\"1.0\"?>\n<!DOCTYPE TS>\n<TS version=\"2.1\">\n</TS>";
        assert_eq!(kind("app_fi.ts", linguist), Some("Qt Linguist translation"));
        assert_eq!(kind("blob.js", &"\u{1}\u{2}ab".repeat(100)), Some("binary data"));
        for source in
            ["", "G", "const a = \"\u{0}\";", "// \u{fffd}\u{fffd}\nexport const größe = 1;", "<TS>x</TS>;"]
        {
            assert_eq!(kind("a.tsx", source), None, "{source}");
        }
    }
}
