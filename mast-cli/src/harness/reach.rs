//! Which files of the index a search can find. Every doubt counts as a hit: silence has to be certain.

use mast_core::config::Config;
use mast_core::glob::Globs;

use super::scope::Search;

/// A file or directory of the project that is searched.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Place {
    /// Its path relative to the project root; `""` is the root.
    pub(super) path: String,
    /// A pattern for names below it, where the path had wildcards.
    pub(super) pattern: Option<String>,
}

impl Place {
    /// The place that `path` names, where a wildcard may stand in it. A variable of the shell may hold anything.
    pub(super) fn split(path: &str) -> (&str, Option<&str>) {
        let Some(wildcard) = path.find(['*', '?', '[', '{']) else { return (path, None) };
        let start = path[..wildcard].rfind('/').map_or(0, |slash| slash + 1);
        (&path[..start], Some(&path[start..]))
    }
}

/// The limits of a search, ready to be compared with paths.
#[derive(Debug)]
pub(super) struct Reach<'a> {
    search: &'a Search,
    /// Each with its pattern, compiled.
    places: Vec<(String, Option<Widened>)>,
    /// Empty for no limit.
    globs: Vec<Widened>,
}

impl<'a> Reach<'a> {
    /// The limits of `search`, which looks into `places`.
    pub(super) fn new(search: &'a Search, places: Vec<Place>) -> Self {
        let places = places
            .into_iter()
            .map(|place| (place.path, place.pattern.as_deref().map(Widened::new)))
            .collect();
        Self { search, places, globs: search.globs.iter().map(|glob| Widened::new(glob)).collect() }
    }

    /// Whether the search finds the indexed file named `path`.
    pub(super) fn finds(&self, path: &str) -> bool {
        let is_within = self.places.iter().any(|(place, pattern)| {
            let Some(inner) = below(path, place) else { return false };
            pattern.as_ref().is_none_or(|pattern| pattern.covers(inner))
        });
        let types = &self.search.types;
        is_within
            && (types.is_empty() || types.iter().any(|name| type_reaches(name, &|end| path.ends_with(end))))
            && (self.globs.is_empty() || self.globs.iter().any(|glob| glob.matches(path)))
    }

    /// Whether the search can find a file that the configuration lets into an index.
    pub(super) fn fits(&self, config: &Config) -> bool {
        let has = |extension: &str| config.file_extensions.iter().any(|known| known == extension);
        let Search { types, globs, .. } = self.search;
        (types.is_empty() || types.iter().any(|name| type_reaches(name, &has)))
            && (globs.is_empty() || globs.iter().any(|glob| glob_reaches(glob, &has)))
            && self.places.iter().any(|(place, _)| may_hold(config, place))
    }
}

/// `path` seen from `place`, when it lies there or is the place itself.
fn below<'p>(path: &'p str, place: &str) -> Option<&'p str> {
    if place.is_empty() {
        return Some(path);
    }
    let rest = path.strip_prefix(place)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
}

/// Whether the configuration lets the file or directory at `place`, or anything in it, be indexed.
fn may_hold(config: &Config, place: &str) -> bool {
    if place.is_empty() {
        return true;
    }
    let is_or_lies_in = |path: &str, directory: &str| below(path, directory).is_some();
    let has_dot = place.split('/').any(|name| name.starts_with('.'));
    let mut named = config.include_dot_dirs.iter();
    if has_dot && !named.any(|entry| is_or_lies_in(place, entry) || is_or_lies_in(entry, place)) {
        return false;
    }
    if config.excludes.covers(place) || config.excludes.matches_directory(place) {
        return false;
    }
    let on_disk = config.project_root.join(place);
    let name = place.rsplit('/').next().unwrap_or(place);
    // What is not there is judged by its name.
    on_disk.is_dir() || config.is_indexed_name(name) || (!name.contains('.') && !on_disk.is_file())
}

/// A glob in whichever dialect, as one of ours that matches at least as much: at any depth, in any case, with `*`
/// crossing `/` as it does for `find` and git.
#[derive(Debug)]
struct Widened {
    globs: Globs,
    /// What every match ends with, in lower case: most paths are told by it without matching.
    tail: String,
}

impl Widened {
    fn new(glob: &str) -> Self {
        let wide = widen(glob);
        let tail = wide.rsplit(['*', '?', '}']).next().unwrap_or_default();
        // `dir/` stands for what lies in it.
        let is_plain = tail.is_ascii() && !tail.ends_with('/');
        let tail = if is_plain { tail.to_owned() } else { String::new() };
        match Globs::new([&wide]) {
            Ok(globs) => Self { globs, tail },
            Err(_) => Self { globs: Globs::new([EVERYTHING]).unwrap_or_default(), tail: String::new() },
        }
    }

    /// Whether the file named `path` matches.
    fn matches(&self, path: &str) -> bool {
        let start = path.len().checked_sub(self.tail.len());
        let has_tail =
            start.is_some_and(|start| path.as_bytes()[start..].eq_ignore_ascii_case(self.tail.as_bytes()));
        has_tail && self.globs.matches(&path.to_lowercase())
    }

    /// Whether it matches, or a directory it lies in does.
    fn covers(&self, path: &str) -> bool {
        self.globs.covers(&path.to_lowercase())
    }
}

/// The pattern that matches every path.
const EVERYTHING: &str = "**";

fn widen(glob: &str) -> String {
    let glob = glob.replace('\\', "/").to_lowercase();
    let is_beyond_us = glob.contains("..")
        || glob.contains('$')
        || ["!(", "@(", "+(", "?(", "*("].iter().any(|c| glob.contains(c));
    if is_beyond_us {
        return EVERYTHING.to_owned();
    }
    let glob = glob.trim_start_matches("./").trim_start_matches('/');
    // A star that crosses `/` begins at any depth by itself; two in a row would be slow to match.
    let mut wide = String::from(if glob.starts_with('*') { "" } else { "**/" });
    let mut rest = glob.chars();
    while let Some(c) = rest.next() {
        match c {
            '*' if wide.ends_with('*') => {}
            '*' if wide.ends_with("**/") => {
                wide.pop();
            }
            '*' => wide.push_str("**"),
            // One of several characters, or a bracket in a file's name: `app/[id]/page.tsx`.
            '[' => {
                let body = rest.as_str();
                let first = 1 + usize::from(body.starts_with(['!', '^']));
                let Some((end, _)) = body.char_indices().skip(first).find(|(_, c)| *c == ']') else {
                    return EVERYTHING.to_owned();
                };
                rest = body[end + 1..].chars();
                wide.push_str(if wide.ends_with('*') { "" } else { "**" });
            }
            other => wide.push(other),
        }
    }
    wide
}

/// Whether a ripgrep type has files with an extension that `is_indexed`.
fn type_reaches(name: &str, is_indexed: &dyn Fn(&str) -> bool) -> bool {
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
fn glob_reaches(glob: &str, is_indexed: &dyn Fn(&str) -> bool) -> bool {
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

    /// Whether a search with these limits finds `path`; a place is `path` or `path|pattern`.
    fn finds(types: &[&str], globs: &[&str], places: &[&str], path: &str) -> bool {
        let owned = |list: &[&str]| list.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
        let search = Search { types: owned(types), globs: owned(globs), paths: Vec::new() };
        let place = |text: &&str| match text.split_once('|') {
            Some((path, pattern)) => Place { path: path.to_owned(), pattern: Some(pattern.to_owned()) },
            None => Place { path: (*text).to_owned(), pattern: None },
        };
        Reach::new(&search, places.iter().map(place).collect()).finds(path)
    }

    #[test]
    fn a_place_holds_itself_and_what_lies_in_it() {
        assert!(finds(&[], &[], &[""], "src/a.ts"));
        assert!(finds(&[], &[], &["src"], "src/a.ts"));
        assert!(finds(&[], &[], &["lib", "src/a.ts"], "src/a.ts"));
        assert!(finds(&[], &[], &["src|*.ts"], "src/b/a.ts"), "git's `*` crosses directories");
        assert!(finds(&[], &[], &["packages|*/src"], "packages/x/src/a.ts"));
        assert!(finds(&[], &[], &["app|[id]/page.tsx"], "app/[id]/page.tsx"), "a bracket may be one");
        assert!(!finds(&[], &[], &["src"], "src2/a.ts"));
        assert!(!finds(&[], &[], &["src/a.test.ts"], "src/a.ts"));
        assert!(!finds(&[], &[], &["src|*.js"], "src/a.ts"));
        assert!(!finds(&[], &[], &[], "src/a.ts"), "nowhere in the project");
    }

    #[test]
    fn types_and_globs_both_limit() {
        assert!(finds(&["ts"], &["*.tsx", "src/**"], &[""], "src/a.ts"));
        assert!(!finds(&["md"], &["src/**"], &[""], "src/a.ts"));
        assert!(!finds(&["ts"], &["*.tsx"], &[""], "src/a.ts"));
    }

    #[test]
    fn a_foreign_glob_is_never_read_too_narrowly() {
        for glob in [
            "*.ts",
            "**/*.ts",
            "src/**",
            "/src/a*.ts",
            "./src/*",
            "*SVC*",
            "*/src/*",
            "**/src/**/a*",
            "packages/",
            "a[^x]vc.ts",
            "a[]s]vc.ts",
            "a[!]]vc.ts",
            "a[svc.ts",
            "*.{ts,tsx}",
            "asvc.t?",
            "packages\\*\\src\\*.ts",
            "../src/*.ts",
            "!(b).ts",
            "{",
            "$X/*.ts",
        ] {
            assert!(finds(&[], &[glob], &[""], "packages/p/src/aSvc.ts"), "{glob}");
        }
        for glob in ["**/*.test.ts", "*.md", "lib/**", "b*.ts", "svc.ts", "src"] {
            assert!(!finds(&[], &[glob], &[""], "packages/p/src/aSvc.ts"), "{glob}");
        }
    }

    #[test]
    fn the_literal_part_of_a_path_is_its_place() {
        assert_eq!(Place::split("src/a.ts"), ("src/a.ts", None));
        assert_eq!(Place::split("src/*.ts"), ("src/", Some("*.ts")));
        assert_eq!(Place::split("/r/pa*/src"), ("/r/", Some("pa*/src")));
        assert_eq!(Place::split("*.ts"), ("", Some("*.ts")));
    }
}
