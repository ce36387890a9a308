//! Reads and writes configuration files: `mast.config.json` (with comments and trailing commas) and the saved one.

use std::fs;
use std::io::{self, Read, Write};
use std::path::Path;
use std::str::FromStr as _;

use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, ast, parse_to_ast};
use serde_json::{Map, Value, json};

use super::{Config, ConfigLayer, FileState, SAVED_FILE, validate};
use crate::error::{Error, Result};

/// Every key people may set.
const KEYS: [&str; 11] = [
    "state_dir",
    "file_extensions",
    "exclude_patterns",
    "include_dot_dirs",
    "respect_gitignore",
    "include_ignored",
    "rrf_k",
    "declaration_exact_ranker",
    "chunk_split_threshold",
    "context_lines",
    "markdown_heading_depth",
];

/// Largest file read.
const MAX_BYTES: u64 = 4 << 20;

/// Deepest nesting read; the parser is recursive.
const MAX_DEPTH: usize = 64;

/// Reads the object in `file`; `None` when there is no such file.
pub(super) fn read(file: &Path) -> Result<Option<Map<String, Value>>> {
    let Some(text) =
        read_text(file).map_err(|source| Error::Config(format!("{}: {source}", file.display())))?
    else {
        return Ok(None);
    };
    let refuse = |problem: &str| Err(Error::Config(format!("{}: {problem}", file.display())));
    if nesting(&text) > MAX_DEPTH {
        return refuse("not valid JSON: nested too deeply");
    }
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
    };
    let collected = CollectOptions { comments: CommentCollectionStrategy::Off, tokens: false };
    match parse_to_ast(&text, &collected, &options).map(|parsed| parsed.value) {
        Ok(Some(ast::Value::Object(object))) => {
            for property in &object.properties {
                if let Some(number) = unreadable_number(&property.value) {
                    return refuse(&format!(
                        "{}: the number {number} cannot be read",
                        property.name.as_str()
                    ));
                }
            }
            let Value::Object(object) = ast::Value::Object(object).into() else { return Ok(None) };
            Ok(Some(object))
        }
        Ok(None) if text.trim().is_empty() => {
            refuse("not valid JSON: the file is empty; write {} or delete it")
        }
        Ok(_) => refuse("must hold one object, like { \"context_lines\": 5 }"),
        Err(error) => refuse(&format!("not valid JSON: {error}")),
    }
}

/// A number in `value` that the parser would hand on as a string: one beyond the range of double precision.
fn unreadable_number<'a>(value: &ast::Value<'a>) -> Option<&'a str> {
    match value {
        ast::Value::NumberLit(number) => {
            serde_json::Number::from_str(number.value).is_err().then_some(number.value)
        }
        ast::Value::Array(array) => array.elements.iter().find_map(unreadable_number),
        ast::Value::Object(object) => {
            object.properties.iter().find_map(|property| unreadable_number(&property.value))
        }
        _ => None,
    }
}

fn read_text(file: &Path) -> io::Result<Option<String>> {
    match fs::metadata(file) {
        Ok(metadata) if metadata.is_file() && metadata.len() <= MAX_BYTES => {}
        Ok(metadata) if metadata.is_file() => {
            return Err(io::Error::other("too large for a configuration file"));
        }
        Ok(_) => return Err(io::Error::other("is not a file")),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(error),
    }
    let mut bytes = Vec::new();
    fs::File::open(file)?.take(MAX_BYTES).read_to_end(&mut bytes)?;
    let text = String::from_utf8(bytes).map_err(|_| io::Error::other("not valid JSON: not UTF-8 text"))?;
    Ok(Some(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text)))
}

/// How deeply brackets nest, those in strings and comments counted too: an upper bound.
fn nesting(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut deepest = 0;
    for byte in text.bytes() {
        match byte {
            b'[' | b'{' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// The values of `object`, checked. `null` leaves a key to the next source.
pub(super) fn layer(file: &Path, object: Option<&Map<String, Value>>) -> Result<ConfigLayer> {
    let Some(object) = object else { return Ok(ConfigLayer::default()) };
    let reader = Reader { file, object };
    let layer = ConfigLayer {
        state_dir: reader.get("state_dir", validate::string)?,
        file_extensions: reader.get("file_extensions", validate::strings)?,
        exclude_patterns: reader.get("exclude_patterns", validate::strings)?,
        include_dot_dirs: reader.get("include_dot_dirs", validate::strings)?,
        respect_gitignore: reader.get("respect_gitignore", validate::boolean)?,
        include_ignored: reader.get("include_ignored", validate::strings)?,
        rrf_k: reader.get("rrf_k", validate::number(validate::RRF_K))?,
        declaration_exact_ranker: reader.get("declaration_exact_ranker", validate::boolean)?,
        chunk_split_threshold: reader
            .get("chunk_split_threshold", validate::number(validate::CHUNK_SPLIT_THRESHOLD))?,
        context_lines: reader.get("context_lines", validate::number(validate::CONTEXT_LINES))?,
        markdown_heading_depth: reader
            .get("markdown_heading_depth", validate::number(validate::MARKDOWN_HEADING_DEPTH))?,
    };
    validate::layer(&layer).map_err(|problem| Error::Config(format!("{}: {problem}", file.display())))
}

struct Reader<'a> {
    file: &'a Path,
    object: &'a Map<String, Value>,
}

impl Reader<'_> {
    fn get<T>(&self, key: &str, read: impl Fn(&Value) -> Result<T, String>) -> Result<Option<T>> {
        match self.object.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => read(value)
                .map(Some)
                .map_err(|problem| Error::Config(format!("{}: {key}: {problem}", self.file.display()))),
        }
    }
}

/// A warning for each key of `object` that is none of ours. `$schema` is what editors put there.
pub(super) fn unknown_keys(file: &Path, object: &Map<String, Value>) -> Vec<String> {
    let unknown = object.keys().filter(|key| !KEYS.contains(&key.as_str()) && *key != "$schema");
    let warning = |key: &String| {
        let near = nearest_key(key);
        format!("{}: {key}: unknown key, ignored (did you mean {near}?)", file.display())
    };
    unknown.map(warning).collect()
}

/// The known key nearest to `key`: one that holds it or is held by it, else the one with the fewest edits; case and
/// separators do not count.
fn nearest_key(key: &str) -> &'static str {
    let plain = |text: &str| -> Vec<char> {
        text.chars().take(60).filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    let wanted = plain(key);
    let distance = |known: &str| {
        let known = plain(known);
        let (short, long) = if known.len() < wanted.len() { (&known, &wanted) } else { (&wanted, &known) };
        let is_part = short.len() > 2 && long.windows(short.len()).any(|part| part == &short[..]);
        (!is_part, edit_distance(&wanted, &known))
    };
    KEYS.into_iter().min_by_key(|known| distance(known)).unwrap_or(KEYS[0])
}

/// Levenshtein distance, one row at a time.
fn edit_distance(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(ca != cb);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

/// When `file` was changed and how long it is; `None` when there is none.
pub(super) fn stamp(file: &Path) -> Option<FileState> {
    let metadata = fs::metadata(file).ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}

/// The resolved values as they are saved.
pub(super) fn values(config: &Config) -> Value {
    json!({
        "project_root": config.project_root.to_string_lossy(),
        "resolved_state_dir": config.state_dir.to_string_lossy(),
        "state_dir": config.state_dir_text,
        "file_extensions": config.file_extensions.value,
        "exclude_patterns": config.exclude_patterns.value,
        "include_dot_dirs": config.include_dot_dirs.value,
        "respect_gitignore": config.respect_gitignore.value,
        "include_ignored": config.include_ignored.value,
        "rrf_k": config.rrf_k.value,
        "declaration_exact_ranker": config.declaration_exact_ranker.value,
        "chunk_split_threshold": config.chunk_split_threshold.value,
        "context_lines": config.context_lines.value,
        "markdown_heading_depth": config.markdown_heading_depth.value,
    })
}

/// Writes the resolved configuration beside the index: to a temporary name, synced, then renamed.
pub(super) fn save(config: &Config) -> Result<()> {
    let value = values(config);
    let text = format!("{value:#}\n");
    let target = config.state_dir.join(SAVED_FILE);
    if fs::read_to_string(&target).is_ok_and(|present| present == text) {
        return Ok(());
    }
    let write = || -> io::Result<()> {
        fs::create_dir_all(&config.state_dir.value)?;
        let temporary = config.state_dir.join(format!(".{SAVED_FILE}.{}", std::process::id()));
        let mut file = fs::File::create(&temporary)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        drop(file);
        fs::rename(&temporary, &target).inspect_err(|_| {
            // The rename is what failed; a leftover is only untidy.
            let _ = fs::remove_file(&temporary);
        })
    };
    write().map_err(|source| Error::Disk(format!("{}: {source}", target.display())))
}
