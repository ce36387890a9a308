//! What a value may be. Every message reads after `<file>: <key>: `.

use std::ops::RangeInclusive;

use serde_json::Value;

use super::ConfigLayer;
use crate::glob::Globs;
use crate::model::Language;

/// Values of a list may be this many, each this long; beyond it a file is no configuration.
const MAX_ITEMS: usize = 10_000;

/// What `rrf_k` may be.
pub(super) const RRF_K: RangeInclusive<u32> = 1..=1_000_000;

/// What `chunk_split_threshold` may be.
pub(super) const CHUNK_SPLIT_THRESHOLD: RangeInclusive<u32> = 1..=1_000_000;

/// What `context_lines` may be.
pub(super) const CONTEXT_LINES: RangeInclusive<u32> = 0..=1_000;

/// What `markdown_heading_depth` may be.
pub(super) const MARKDOWN_HEADING_DEPTH: RangeInclusive<u32> = 1..=6;

/// Checks the values of `layer` that have rules beyond their type, and spells extensions with their dot.
///
/// # Errors
/// `<key>: <what is wrong>`.
pub(super) fn layer(layer: &ConfigLayer) -> Result<ConfigLayer, String> {
    let mut layer = layer.clone();
    let at = |key: &str, problem: String| format!("{key}: {problem}");
    if let Some(extensions) = &mut layer.file_extensions {
        *extensions = normal_extensions(extensions).map_err(|problem| at("file_extensions", problem))?;
    }
    for (key, patterns) in
        [("exclude_patterns", &layer.exclude_patterns), ("include_ignored", &layer.include_ignored)]
    {
        Globs::new(patterns.iter().flatten()).map_err(|error| at(key, error.to_string()))?;
    }
    for entry in layer.include_dot_dirs.iter_mut().flatten() {
        *entry = normal_dot_dir(entry).map_err(|problem| at("include_dot_dirs", problem))?;
    }
    if layer.state_dir.as_deref() == Some("") {
        return Err(at("state_dir", "must name a directory, not be empty".to_owned()));
    }
    let numbers = [
        ("rrf_k", layer.rrf_k, RRF_K),
        ("chunk_split_threshold", layer.chunk_split_threshold, CHUNK_SPLIT_THRESHOLD),
        ("context_lines", layer.context_lines, CONTEXT_LINES),
        ("markdown_heading_depth", layer.markdown_heading_depth, MARKDOWN_HEADING_DEPTH),
    ];
    for (key, value, range) in numbers {
        if let Some(value) = value.filter(|value| !range.contains(value)) {
            return Err(at(key, out_of(&range, &value.to_string())));
        }
    }
    Ok(layer)
}

fn normal_extensions(extensions: &[String]) -> Result<Vec<String>, String> {
    if extensions.is_empty() {
        return Err("must list at least one extension, like \".ts\"".to_owned());
    }
    let mut normal: Vec<String> = Vec::new();
    for extension in extensions {
        let dotted = normal_extension(extension)?;
        if !normal.contains(&dotted) {
            normal.push(dotted);
        }
    }
    Ok(normal)
}

/// `extension` as the configuration keeps it, with its dot.
///
/// # Errors
/// What is wrong with it, on one line.
pub fn normal_extension(extension: &str) -> Result<String, String> {
    let trimmed = extension.trim();
    let bare = trimmed.strip_prefix('.').unwrap_or(trimmed);
    let is_shaped = !bare.is_empty()
        && bare.split('.').all(|part| {
            !part.is_empty() && part.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
        });
    if !is_shaped {
        return Err(format!("{extension:?} is not a file extension like \".ts\""));
    }
    let dotted = format!(".{bare}");
    if Language::of(&format!("a{dotted}")).is_none() {
        return Err(format!(
            "{extension:?} is not a language mast reads; known are .ts .tsx .mts .cts .js .jsx .mjs .cjs .md"
        ));
    }
    Ok(dotted)
}

fn normal_dot_dir(entry: &str) -> Result<String, String> {
    let problem = |what: &str| Err(format!("{entry:?} {what}"));
    if entry.contains(['*', '?', '{', '}', '[', ']']) || entry.starts_with('!') {
        return problem("is a glob; name one directory, like \".github\"");
    }
    let is_drive = entry.as_bytes().get(1) == Some(&b':') && entry.as_bytes()[0].is_ascii_alphabetic();
    if entry.starts_with(['/', '\\', '~']) || is_drive {
        return problem(
            "is an absolute path; name a directory relative to the project root, like \".github\"",
        );
    }
    let spelled = if cfg!(windows) { entry.replace('\\', "/") } else { entry.to_owned() };
    if spelled.split('/').any(|segment| segment == "..") {
        return problem("leaves the project root with \"..\"");
    }
    let normal: Vec<_> = spelled.split('/').filter(|segment| !matches!(*segment, "" | ".")).collect();
    if normal.is_empty() {
        return problem("names no directory");
    }
    Ok(normal.join("/"))
}

/// A whole number in `range`.
pub(super) fn number(range: RangeInclusive<u32>) -> impl Fn(&Value) -> Result<u32, String> {
    move |value| match value {
        Value::Number(number) => number
            .as_u64()
            .and_then(|number| u32::try_from(number).ok())
            .filter(|number| range.contains(number))
            .ok_or_else(|| out_of(&range, &number.to_string())),
        other => Err(out_of(&range, kind_of(other))),
    }
}

fn out_of(range: &RangeInclusive<u32>, given: &str) -> String {
    format!("must be a whole number from {} to {}, not {given}", range.start(), range.end())
}

/// `true` or `false`.
pub(super) fn boolean(value: &Value) -> Result<bool, String> {
    value.as_bool().ok_or_else(|| format!("must be true or false, not {}", kind_of(value)))
}

/// A string.
pub(super) fn string(value: &Value) -> Result<String, String> {
    match value {
        Value::String(text) if text.contains('\0') => Err("holds a NUL character".to_owned()),
        Value::String(text) => Ok(text.clone()),
        other => Err(format!("must be a string, not {}", kind_of(other))),
    }
}

/// A list of strings.
pub(super) fn strings(value: &Value) -> Result<Vec<String>, String> {
    let Value::Array(items) = value else {
        return Err(format!("must be a list of strings, not {}", kind_of(value)));
    };
    if items.len() > MAX_ITEMS {
        return Err(format!("lists more than {MAX_ITEMS} values"));
    }
    let item = |item: &Value| match item {
        Value::String(_) => string(item),
        other => Err(format!("must be a list of strings, but holds {}", kind_of(other))),
    };
    items.iter().map(item).collect()
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
