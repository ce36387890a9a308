//! From bytes to text: encodings, and telling source from what only has its file extension.

use crate::model::Language;

/// Why the bytes are not source text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NotSource {
    /// An MPEG transport stream, a video named `.ts`.
    TransportStream,
    /// A Qt Linguist translation, XML named `.ts`.
    QtLinguist,
    /// Mostly bytes that no text has.
    Binary,
}

impl NotSource {
    pub(super) fn reason(self) -> &'static str {
        match self {
            Self::TransportStream => "an MPEG transport stream, not source text",
            Self::QtLinguist => "a Qt Linguist translation file, not source text",
            Self::Binary => "binary data, not source text",
        }
    }
}

/// Decodes a file: UTF-8 with or without a byte order mark, UTF-16 with one. Bytes that are not UTF-8 become one U+FFFD
/// each, NUL characters stay.
pub(super) fn decode(bytes: Vec<u8>, language: Language) -> Result<String, NotSource> {
    if let Some(text) = decode_utf16(&bytes) {
        return if is_qt_linguist(&text, language) { Err(NotSource::QtLinguist) } else { Ok(text) };
    }
    if let Some(kind) = not_source(&bytes, language) {
        return Err(kind);
    }
    let mut text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => replace_invalid(error.as_bytes()),
    };
    if text.starts_with('\u{feff}') {
        text.drain(..'\u{feff}'.len_utf8());
    }
    if is_qt_linguist(&text, language) { Err(NotSource::QtLinguist) } else { Ok(text) }
}

fn decode_utf16(bytes: &[u8]) -> Option<String> {
    let (order, rest) = bytes.split_at_checked(2)?;
    let is_little_endian = match order {
        [0xff, 0xfe] => true,
        [0xfe, 0xff] => false,
        _ => return None,
    };
    let (pairs, odd) = rest.as_chunks::<2>();
    let units = pairs
        .iter()
        .map(|&pair| if is_little_endian { u16::from_le_bytes(pair) } else { u16::from_be_bytes(pair) });
    let mut text: String = char::decode_utf16(units).map(|unit| unit.unwrap_or('\u{fffd}')).collect();
    if !odd.is_empty() {
        text.push('\u{fffd}');
    }
    Some(text)
}

fn replace_invalid(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() + bytes.len() / 8);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| '\u{fffd}'));
    }
    text
}

/// Looks at bytes that are not plain UTF-8 text; a few odd bytes do not make a file binary.
fn not_source(bytes: &[u8], language: Language) -> Option<NotSource> {
    let has_nul = memchr::memchr(0, bytes).is_some();
    if !has_nul && std::str::from_utf8(bytes).is_ok() {
        return None;
    }
    if language == Language::TypeScript && is_transport_stream(bytes) {
        return Some(NotSource::TransportStream);
    }
    let controls = bytes.iter().filter(|byte| is_control(**byte)).count();
    let invalid: usize = bytes.utf8_chunks().map(|chunk| chunk.invalid().len()).sum();
    // Text in an old eight-bit encoding has many invalid bytes but no control characters; random data has both.
    let is_binary = controls * 10 > bytes.len() * 3
        || (controls * 50 > bytes.len() && (controls + invalid) * 10 > bytes.len() * 3);
    is_binary.then_some(NotSource::Binary)
}

/// Control characters that text does not use.
fn is_control(byte: u8) -> bool {
    matches!(byte, 0..=0x08 | 0x0e..=0x1a | 0x1c..=0x1f | 0x7f)
}

/// Packets of 188 bytes that each begin with 0x47 (ISO/IEC 13818-1); 192 with a time stamp before, 204 with parity after.
fn is_transport_stream(bytes: &[u8]) -> bool {
    [(0, 188), (4, 192), (0, 204)].into_iter().any(|(offset, length)| {
        let mut starts = bytes.iter().skip(offset).step_by(length).take(16);
        let packets = bytes.len().saturating_sub(offset) / length;
        packets >= 3 && starts.all(|byte| *byte == 0x47)
    })
}

/// Whether `text` is the XML of Qt Linguist; no TypeScript file begins like this.
fn is_qt_linguist(text: &str, language: Language) -> bool {
    if language != Language::TypeScript {
        return false;
    }
    let start = text.trim_start();
    start.starts_with("<?xml") || start.starts_with("<!DOCTYPE TS") || start.starts_with("<TS version=")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ts(bytes: &[u8]) -> Result<String, NotSource> {
        decode(bytes.to_vec(), Language::TypeScript)
    }

    #[test]
    fn byte_order_marks_are_taken_off() {
        assert_eq!(ts(b"\xef\xbb\xbfconst a = 1;").unwrap(), "const a = 1;");
        assert_eq!(ts(b"\xff\xfea\0=\0\x14\x20").unwrap(), "a=—");
        assert_eq!(ts(b"\xfe\xff\0a\0=\x20\x14").unwrap(), "a=—");
        assert_eq!(ts(b"\xff\xfea\0\x00").unwrap(), "a\u{fffd}", "half a unit at the end");
        assert_eq!(ts(b"\xff\xfe\x00\xd8a\0").unwrap(), "\u{fffd}a", "half a surrogate pair");
    }

    #[test]
    fn invalid_bytes_lose_only_themselves() {
        assert_eq!(
            ts(b"// caf\xe9 \xff\xfe \x80 bad\nconst a = 1;\n").unwrap(),
            "// caf\u{fffd} \u{fffd}\u{fffd} \u{fffd} bad\nconst a = 1;\n"
        );
        assert_eq!(ts(b"a\xe2\x82b").unwrap(), "a\u{fffd}\u{fffd}b", "a cut sequence is one mark a byte");
        assert_eq!(ts(b"const a = '\0';").unwrap(), "const a = '\0';");
    }

    #[test]
    fn text_in_an_old_encoding_stays() {
        // Two-byte GBK throughout, no control characters.
        let gbk: Vec<u8> =
            b"// ".iter().copied().chain([0xc4, 0xe3, 0xba, 0xc3].repeat(50)).chain(*b"\nlet a;\n").collect();
        assert!(ts(&gbk).unwrap().ends_with("\nlet a;\n"));
    }

    #[test]
    fn what_only_has_the_extension() {
        let mut packet = vec![0x47, 0x40, 0x00, 0x10, 0x00];
        packet.resize(188, 0xff);
        assert_eq!(ts(&packet.repeat(4)), Err(NotSource::TransportStream));
        let mut stamped = vec![0, 0, 0, 1];
        stamped.extend(&packet);
        assert_eq!(ts(&stamped.repeat(4)), Err(NotSource::TransportStream));
        assert_eq!(
            ts(b"<?xml version=\"1.0\"?>\n<!DOCTYPE TS>\n<TS version=\"2.1\"></TS>"),
            Err(NotSource::QtLinguist)
        );
        let random: Vec<u8> =
            (0..4096_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13).to_le_bytes()[0]).collect();
        assert_eq!(ts(&random), Err(NotSource::Binary));
        assert_eq!(ts(&[0; 300]), Err(NotSource::Binary));
    }

    #[test]
    fn source_that_looks_odd_is_source() {
        let sevens = format!("G{}", "G".repeat(600));
        assert_eq!(ts(sevens.as_bytes()).unwrap(), sevens);
        assert_eq!(ts(b"").unwrap(), "");
        let xml = "<?xml version=\"1.0\"?>";
        assert_eq!(decode(xml.into(), Language::Markdown).unwrap(), xml);
        assert_eq!(ts(b"<T>(x: T) => x").unwrap(), "<T>(x: T) => x");
    }
}
