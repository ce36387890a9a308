//! Paths as language servers spell them.

use std::path::{Path, PathBuf};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// What stands in a `file:` URI as it is.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A canonical path without the prefix Windows gives it, which Node does not understand.
pub(super) fn plain(path: PathBuf) -> PathBuf {
    match path.to_str().and_then(|text| text.strip_prefix(r"\\?\")) {
        Some(rest) if !rest.starts_with("UNC\\") => PathBuf::from(rest),
        _ => path,
    }
}

/// A path with `/` between its parts.
pub(super) fn slashes(path: &Path) -> String {
    let text = path.to_string_lossy();
    if cfg!(windows) { text.replace('\\', "/") } else { text.into_owned() }
}

/// The `file:` URI of an absolute path with `/` between its parts.
pub(super) fn to_uri(path: &str) -> String {
    let root = if path.starts_with('/') { "" } else { "/" };
    format!("file://{root}{}", utf8_percent_encode(path, ENCODED))
}

/// The path of a `file:` URI; `None` for any other URI.
pub(super) fn from_uri(uri: &str) -> Option<String> {
    let path = percent_decode_str(uri.strip_prefix("file://")?).decode_utf8().ok()?;
    let bytes = path.as_bytes();
    let has_drive = bytes.len() > 2 && bytes[0] == b'/' && bytes[1].is_ascii_alphabetic() && bytes[2] == b':';
    Some(if has_drive { path[1..].to_owned() } else { path.into_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_and_paths_turn_into_each_other() {
        for (path, uri) in [
            ("/a/b.ts", "file:///a/b.ts"),
            ("/a b/[id]/größe%.ts", "file:///a%20b/%5Bid%5D/gr%C3%B6%C3%9Fe%25.ts"),
            ("c:/x/y.ts", "file:///c%3A/x/y.ts"),
        ] {
            assert_eq!(to_uri(path), uri);
            assert_eq!(from_uri(uri).as_deref(), Some(path));
        }
        assert_eq!(from_uri("bundled:///libs/lib.d.ts"), None);
    }

    #[test]
    fn canonical_paths_of_windows_lose_their_prefix() {
        assert_eq!(plain(PathBuf::from(r"\\?\C:\a")), PathBuf::from(r"C:\a"));
        assert_eq!(plain(PathBuf::from(r"\\?\UNC\host\a")), PathBuf::from(r"\\?\UNC\host\a"));
        assert_eq!(plain(PathBuf::from("/a")), PathBuf::from("/a"));
    }
}
