//! What a built-in search is limited to: file types, globs, paths.

use serde_json::Value;

use super::shell_command;

/// The limits of one search; an empty list is no limit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Search {
    /// ripgrep's type names.
    pub(crate) types: Vec<String>,
    /// Globs a file must match one of.
    pub(crate) globs: Vec<String>,
    /// Files and directories searched.
    pub(crate) paths: Vec<String>,
}

/// A search by content: `glob`, `type`, `path`.
pub(crate) fn of_grep(input: &Value) -> Search {
    Search {
        types: texts(input, &["type"]),
        globs: texts(input, &["glob", "includePattern", "include"])
            .iter()
            .flat_map(|t| positive_globs(t))
            .collect(),
        paths: texts(input, &["path"]),
    }
}

/// A search by name: `pattern`, `path`.
pub(crate) fn of_glob(input: &Value) -> Search {
    let globs = texts(input, &["pattern", "glob_pattern", "query"]);
    Search {
        types: Vec::new(),
        globs: globs.iter().flat_map(|text| positive_globs(text)).collect(),
        paths: texts(input, &["path", "target_directory"]),
    }
}

/// The searches a shell command makes; none when it makes none.
pub(crate) fn of_shell(input: &Value) -> Vec<Search> {
    input.get("command").and_then(Value::as_str).map(shell_command::searches).unwrap_or_default()
}

fn texts(input: &Value, keys: &[&str]) -> Vec<String> {
    keys.iter()
        .filter_map(|key| input.get(key)?.as_str())
        .filter(|text| !text.is_empty())
        .map(str::to_owned)
        .collect()
}

/// The globs of a list, separated by commas or blanks outside braces, without the negated ones.
pub(crate) fn positive_globs(list: &str) -> Vec<String> {
    let mut globs = vec![String::new()];
    let mut depth = 0_usize;
    for c in list.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && (c == ',' || c.is_whitespace()) {
            globs.push(String::new());
        } else if let Some(glob) = globs.last_mut() {
            glob.push(c);
        }
    }
    globs.retain(|glob| !glob.is_empty() && !glob.starts_with('!'));
    globs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_globs_are_split_outside_braces_and_negations_dropped() {
        assert_eq!(positive_globs("*.{ts,tsx},!*.test.ts src/**"), ["*.{ts,tsx}", "src/**"]);
        assert_eq!(positive_globs("!*.py"), Vec::<String>::new());
    }
}
