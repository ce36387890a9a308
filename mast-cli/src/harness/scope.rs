//! What a built-in search is limited to: file types, globs, paths. Decides whether MAST could have answered it.

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

/// Whether a ripgrep type has files with an extension that `is_indexed`.
pub(crate) fn type_reaches(name: &str, is_indexed: &dyn Fn(&str) -> bool) -> bool {
    let extensions: &[&str] = match name.to_ascii_lowercase().as_str() {
        "ts" | "typescript" => &[".ts", ".tsx", ".mts", ".cts"],
        "js" | "javascript" => &[".js", ".jsx", ".mjs", ".cjs", ".vue"],
        "md" | "markdown" => &[".md", ".mdx", ".markdown", ".mkd", ".mdown"],
        "all" => return true,
        other => return is_indexed(&format!(".{other}")),
    };
    extensions.iter().any(|extension| is_indexed(extension))
}

/// Whether a glob can match a file with an extension that `is_indexed`. When in doubt it can.
pub(crate) fn glob_reaches(glob: &str, is_indexed: &dyn Fn(&str) -> bool) -> bool {
    // Braces multiply; a pattern with more alternatives than this names its languages no more clearly.
    const MAX_ALTERNATIVES: usize = 256;
    let mut patterns = vec![glob.replace('\\', "/")];
    let mut at = 0;
    while at < patterns.len() {
        if patterns.len() > MAX_ALTERNATIVES {
            return true;
        }
        match expand_first_brace(&patterns[at]) {
            Some(expanded) => {
                patterns.swap_remove(at);
                patterns.extend(expanded);
            }
            None => at += 1,
        }
    }
    patterns.iter().any(|pattern| {
        if pattern.split('/').any(|segment| segment == "node_modules") {
            return false;
        }
        let name = pattern.rsplit('/').next().unwrap_or(pattern);
        match name.rfind('.') {
            Some(dot) if dot > 0 || name.len() > 1 => {
                let extension = &name[dot..];
                let is_open = extension.contains(['*', '?', '[']);
                is_open || is_indexed(extension)
            }
            _ => true,
        }
    })
}

/// The alternatives of the first innermost `{…}`, or `None` without one.
fn expand_first_brace(pattern: &str) -> Option<Vec<String>> {
    let close = pattern.find('}')?;
    let open = pattern[..close].rfind('{')?;
    let (before, after) = (&pattern[..open], &pattern[close + 1..]);
    Some(pattern[open + 1..close].split(',').map(|choice| format!("{before}{choice}{after}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn indexed(extension: &str) -> bool {
        [".ts", ".tsx", ".js", ".jsx", ".md"].contains(&extension)
    }

    #[test]
    fn globs_of_other_languages_do_not_reach_the_index() {
        for glob in
            ["*.ts", "**/*.{ts,tsx}", "src/**", "*.{py,ts}", "src/*", "**/*", "*.*", "a.test.t?", "**/*.d.ts"]
        {
            assert!(glob_reaches(glob, &indexed), "{glob}");
        }
        for glob in
            ["*.py", "**/*.{go,rs}", "package.json", "src/**/*.css", "node_modules/**/*.ts", "*.mjs", ".env"]
        {
            assert!(!glob_reaches(glob, &indexed), "{glob}");
        }
    }

    #[test]
    fn types_follow_the_projects_own_extensions() {
        assert!(
            type_reaches("ts", &indexed)
                && type_reaches("markdown", &indexed)
                && type_reaches("js", &indexed)
        );
        assert!(!type_reaches("py", &indexed) && !type_reaches("rust", &indexed));
        assert!(type_reaches("vue", &|extension| extension == ".vue"));
    }

    #[test]
    fn lists_of_globs_are_split_outside_braces_and_negations_dropped() {
        assert_eq!(positive_globs("*.{ts,tsx},!*.test.ts src/**"), ["*.{ts,tsx}", "src/**"]);
        assert_eq!(positive_globs("!*.py"), Vec::<String>::new());
    }
}
