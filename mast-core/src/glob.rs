//! The one glob dialect: `exclude_patterns`, `include_ignored`, `file_pattern` of every tool and `--file` all match here.
//!
//! `*` stands for any characters except `/`, `?` for exactly one, `**` for any characters at all; as a whole segment
//! (`a/**/b`) it also stands for no segment. `{a,b}` lists alternatives. Everything else is itself, `[`, `]`, `!` and
//! `\` included, so `app/[id]/page.tsx` matches the file of that name. Matching is case-sensitive, on names relative to
//! the project root with `/` between segments. Git's ignore files have their own dialect and do not come through here.

/// Most plain patterns one pattern with `{…}` may stand for.
const MAX_ALTERNATIVES: usize = 1_000;

/// Longest pattern accepted, in bytes.
const MAX_PATTERN_BYTES: usize = 4_096;

/// Why a pattern is not a glob.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{pattern}` {reason}")]
pub struct GlobError {
    pattern: String,
    reason: &'static str,
}

/// A set of globs; a name matches when any of them does.
#[derive(Debug, Clone, Default)]
pub struct Globs {
    patterns: Vec<Pattern>,
}

impl Globs {
    /// Compiles `patterns`. A leading `./` and a trailing `/` are understood (`dir/` is `dir/**`).
    ///
    /// # Errors
    /// The first pattern that is empty, absolute, leaves the project root, has unbalanced braces or too many
    /// alternatives.
    pub fn new<S: AsRef<str>>(patterns: impl IntoIterator<Item = S>) -> Result<Self, GlobError> {
        let mut compiled = Vec::new();
        for pattern in patterns {
            compile(pattern.as_ref(), &mut compiled)?;
        }
        Ok(Self { patterns: compiled })
    }

    /// Whether there is no pattern at all, which matches nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// Whether the file named `path` matches.
    #[must_use]
    pub fn matches(&self, path: &str) -> bool {
        self.patterns.iter().any(|pattern| pattern.matches(path))
    }

    /// Whether directory `directory` matches as a whole: by its own name, or because a pattern takes everything below it.
    #[must_use]
    pub fn matches_directory(&self, directory: &str) -> bool {
        self.patterns.iter().any(|pattern| pattern.matches_directory(directory))
    }

    /// Whether the file named `path` matches itself or lies in a directory that matches as a whole. This is how lists of
    /// exclusions read their patterns: `vendor` stands for everything in it.
    #[must_use]
    pub fn covers(&self, path: &str) -> bool {
        self.matches(path) || path.match_indices('/').any(|(at, _)| self.matches_directory(&path[..at]))
    }

    /// Whether something below `directory` may match; `false` is certain.
    #[must_use]
    pub fn may_match_below(&self, directory: &str) -> bool {
        self.patterns.iter().any(|pattern| pattern.may_match_below(directory))
    }
}

/// One pattern without alternatives.
#[derive(Debug, Clone)]
struct Pattern {
    tokens: Vec<Token>,
    /// The tokens before a trailing `/**` (or `/**/*`): what a directory must match to be taken whole.
    directory: Option<Vec<Token>>,
    /// The pattern segment by segment, up to the first that crosses `/`.
    segments: Vec<Vec<Token>>,
    /// Whether some segment crosses `/`, so that the depth of a match is open.
    is_deep: bool,
}

/// Piece of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    /// These characters.
    Literal(String),
    /// One character, not `/`.
    One,
    /// Any characters, none of them `/`.
    Star,
    /// Any characters.
    Any,
    /// Any number of whole segments, each with its `/`.
    Segments,
}

impl Pattern {
    fn new(text: &str) -> Self {
        let directory = text.strip_suffix("/**").or_else(|| text.strip_suffix("/**/*")).map(tokenize);
        let mut segments = Vec::new();
        let mut is_deep = false;
        for segment in text.split('/') {
            if segment.contains("**") {
                is_deep = true;
                break;
            }
            segments.push(tokenize(segment));
        }
        Self { tokens: tokenize(text), directory, segments, is_deep }
    }

    fn matches(&self, path: &str) -> bool {
        is_match(&self.tokens, path)
    }

    fn matches_directory(&self, directory: &str) -> bool {
        self.matches(directory) || self.directory.as_ref().is_some_and(|tokens| is_match(tokens, directory))
    }

    fn may_match_below(&self, directory: &str) -> bool {
        let names: Vec<&str> = directory.split('/').collect();
        let agrees = self.segments.iter().zip(&names).all(|(tokens, name)| is_match(tokens, name));
        agrees && (self.is_deep || self.segments.len() > names.len())
    }
}

/// Adds the plain patterns that `pattern` stands for.
fn compile(pattern: &str, compiled: &mut Vec<Pattern>) -> Result<(), GlobError> {
    let refuse = |reason| Err(GlobError { pattern: pattern.to_owned(), reason });
    if pattern.len() > MAX_PATTERN_BYTES {
        let pattern = pattern.chars().take(40).collect();
        return Err(GlobError { pattern, reason: "… is too long for a glob" });
    }
    if pattern.contains('\0') {
        return refuse("holds a NUL character");
    }
    let Some(plain) = expand(pattern) else {
        return refuse("has unbalanced `{` and `}` or too many alternatives");
    };
    for text in plain {
        let text = text.strip_prefix("./").unwrap_or(&text);
        if text.is_empty() {
            return refuse("is empty; a glob names files, like `src/**`");
        }
        if text.starts_with('/') {
            return refuse("is absolute; globs are relative to the project root, like `src/**`");
        }
        if text.split('/').any(|segment| segment == "..") {
            return refuse("leaves the project root with `..`");
        }
        compiled.push(match text.strip_suffix('/') {
            Some(directory) => Pattern::new(&format!("{directory}/**")),
            None => Pattern::new(text),
        });
    }
    Ok(())
}

/// Stands for a `}` that is itself, while its pattern is being expanded.
const LITERAL_CLOSE: char = '\0';

/// The patterns without alternatives that `pattern` stands for; `None` for unbalanced braces or too many.
///
/// Braces without a comma are themselves, as in a shell: `{id}.ts` is a file's name.
fn expand(pattern: &str) -> Option<Vec<String>> {
    let mut done = Vec::new();
    let mut open = vec![(String::new(), pattern.to_owned())];
    while let Some((mut before, rest)) = open.pop() {
        if done.len() + open.len() > MAX_ALTERNATIVES {
            return None;
        }
        let Some(start) = rest.find(['{', '}', LITERAL_CLOSE]) else {
            done.push(before + &rest);
            continue;
        };
        before.push_str(&rest[..start]);
        if rest[start..].starts_with(LITERAL_CLOSE) {
            open.push((before + "}", rest[start + 1..].to_owned()));
            continue;
        }
        let (alternatives, length) = alternatives(&rest[start..])?;
        let after = &rest[start + length..];
        match alternatives[..] {
            [single] => open.push((before + "{", format!("{single}{LITERAL_CLOSE}{after}"))),
            _ => open
                .extend(alternatives.into_iter().rev().map(|one| (before.clone(), format!("{one}{after}")))),
        }
    }
    Some(done)
}

/// Splits `text`, which begins with `{`, at the commas of that brace; also gives the length up to and with its `}`.
fn alternatives(text: &str) -> Option<(Vec<&str>, usize)> {
    let mut depth = 0_usize;
    let mut found = Vec::new();
    let mut from = 1;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    found.push(&text[from..at]);
                    return Some((found, at + 1));
                }
            }
            b',' if depth == 1 => {
                found.push(&text[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    None
}

fn tokenize(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut literal = String::new();
    let mut rest = text;
    let mut at_segment_start = true;
    while let Some(c) = rest.chars().next() {
        let stars = rest.len() - rest.trim_start_matches('*').len();
        let (token, used) = match (c, stars) {
            ('?', _) => (Token::One, 1),
            (_, 0) => {
                literal.push(c);
                at_segment_start = c == '/';
                rest = &rest[c.len_utf8()..];
                continue;
            }
            (_, 1) => (Token::Star, 1),
            _ if at_segment_start && rest[stars..].starts_with('/') => (Token::Segments, stars + 1),
            _ => (Token::Any, stars),
        };
        if !literal.is_empty() {
            tokens.push(Token::Literal(std::mem::take(&mut literal)));
        }
        at_segment_start = token == Token::Segments;
        tokens.push(token);
        rest = &rest[used..];
    }
    if !literal.is_empty() {
        tokens.push(Token::Literal(literal));
    }
    tokens
}

/// Matches without recursion. Two places to come back to are enough: the last `*`, and before it the last token that
/// crosses `/`. What an earlier one could take, a later one can take as well, so the shortest match of the earlier one
/// is never worse. Time is bounded by tokens × length × length, in practice it is linear.
fn is_match(tokens: &[Token], path: &str) -> bool {
    let mut at_token = 0;
    let mut rest = path;
    let mut near: Option<(usize, &str)> = None;
    let mut far: Option<(usize, &str)> = None;
    loop {
        let advanced = match tokens.get(at_token) {
            None if rest.is_empty() => return true,
            None => None,
            Some(Token::Literal(text)) => rest.strip_prefix(text.as_str()),
            Some(Token::One) => rest.chars().next().filter(|c| *c != '/').map(|c| &rest[c.len_utf8()..]),
            Some(Token::Star) => {
                near = Some((at_token, rest));
                Some(rest)
            }
            Some(Token::Any | Token::Segments) => {
                far = Some((at_token, rest));
                near = None;
                Some(rest)
            }
        };
        if let Some(remaining) = advanced {
            rest = remaining;
            at_token += 1;
            continue;
        }
        if let Some(place) = near.and_then(|place| take_more(tokens, place)) {
            near = Some(place);
            (at_token, rest) = (place.0 + 1, place.1);
        } else if let Some(place) = far.and_then(|place| take_more(tokens, place)) {
            far = Some(place);
            near = None;
            (at_token, rest) = (place.0 + 1, place.1);
        } else {
            return false;
        }
    }
}

/// Lets the token at `place` take one more of what it stands for; `None` when it cannot.
fn take_more<'a>(tokens: &[Token], place: (usize, &'a str)) -> Option<(usize, &'a str)> {
    let (token, from) = place;
    let step = match tokens[token] {
        Token::Star => from.chars().next().filter(|c| *c != '/').map(char::len_utf8)?,
        Token::Segments => from.find('/')? + 1,
        _ => from.chars().next().map(char::len_utf8)?,
    };
    Some((token, &from[step..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks which of `names` the pattern matches.
    fn check(pattern: &str, matching: &[&str], others: &[&str]) {
        let globs = Globs::new([pattern]).unwrap();
        for name in matching {
            assert!(globs.matches(name), "{pattern} should match {name}");
        }
        for name in others {
            assert!(!globs.matches(name), "{pattern} should not match {name}");
        }
    }

    #[test]
    fn stars_and_question_marks_stay_in_their_segment() {
        check("src/*.ts", &["src/a.ts", "src/.ts"], &["src/a/b.ts", "a.ts", "src/a.tsx"]);
        check("*", &["a"], &["a/b"]);
        check("a?.ts", &["ab.ts", "aé.ts"], &["a.ts", "a/.ts", "abc.ts"]);
        check("*a*b*", &["xaxbx", "ab", "aab"], &["xbxa", "a/b"]);
        check("*/*", &["a/b"], &["a", "a/b/c"]);
    }

    #[test]
    fn double_stars_cross_segments() {
        check("**/x.ts", &["x.ts", "a/x.ts", "a/b/x.ts"], &["ax.ts", "a/bx.ts"]);
        check("src/**", &["src/a", "src/a/b"], &["src", "srcs/a"]);
        check("a/**/b", &["a/b", "a/x/b", "a/x/y/b"], &["ab", "a/xb", "a/b/c"]);
        check("**", &["a", "a/b"], &[]);
        check("src/**.ts", &["src/a.ts", "src/a/b.ts"], &["src.ts", "src/a.js"]);
        check("**/a/**/b", &["x/a/a/b", "a/y/a/z/b"], &["x/a/c"]);
        check("**/*.test.ts", &["a.test.ts", "x/y.test.ts"], &["atest.ts", "a.test.ts/b.ts"]);
        check("a/**/**/c*", &["a/c", "a/b/c1"], &["a/b"]);
    }

    #[test]
    fn backtracking_reaches_the_last_possible_place() {
        check("**/b/*c", &["b/b/b/xc", "a/b/c"], &["b/x/c"]);
        check("**ab*ab", &["ab/abab", "xabxab"], &["ab/ab/a", "ab"]);
        check("**/*-*/x", &["a/b-c/x", "a-b/c-d/x"], &["a-b/c/x"]);
    }

    #[test]
    fn the_rest_is_literal() {
        check("app/[id]/page.tsx", &["app/[id]/page.tsx"], &["app/i/page.tsx"]);
        check("!a\\b.ts", &["!a\\b.ts"], &["a\\b.ts"]);
        check("my_file.ts", &["my_file.ts"], &["myXfile.ts", "MY_FILE.ts"]);
        check("a.b", &["a.b"], &["axb"]);
    }

    #[test]
    fn braces_list_alternatives() {
        check("src/{a,b}.ts", &["src/a.ts", "src/b.ts"], &["src/{a,b}.ts", "src/c.ts"]);
        check("{a,b{c,d}}x", &["ax", "bcx", "bdx"], &["bx"]);
        check("x{,y}", &["x", "xy"], &["xyy"]);
        check("{id}.ts", &["{id}.ts"], &["id.ts"]);
        check("{lib,test/**}/a", &["lib/a", "test/x/a"], &["test/x/b"]);
        check("{{a,b}}", &["{a}", "{b}"], &["a"]);
    }

    #[test]
    fn spellings_people_use() {
        check("./src/*", &["src/a"], &["src/a/b"]);
        check("vendor/", &["vendor/a/b.ts"], &["vendor"]);
    }

    #[test]
    fn directories_that_match_as_a_whole() {
        let globs = Globs::new(["**/node_modules/**", "vendor", "gen/**/*", "**/*.snap"]).unwrap();
        for directory in ["node_modules", "a/node_modules", "vendor", "gen", "x/y.snap"] {
            assert!(globs.matches_directory(directory), "{directory}");
        }
        for directory in ["a", "vendors", "generated", "node_modules2"] {
            assert!(!globs.matches_directory(directory), "{directory}");
        }
        assert!(globs.covers("vendor/deep/a.ts"));
        assert!(globs.covers("a/node_modules/b/c.ts"));
        assert!(!globs.covers("src/vendor.ts"));
    }

    #[test]
    fn where_a_match_may_lie() {
        let globs = Globs::new(["src/gen*/api/x.ts", "out/**/keep.ts"]).unwrap();
        for directory in ["src", "src/generated", "src/gen/api", "out", "out/a/b"] {
            assert!(globs.may_match_below(directory), "{directory}");
        }
        for directory in ["lib", "src/other", "src/gen/api/x.ts"] {
            assert!(!globs.may_match_below(directory), "{directory}");
        }
    }

    #[test]
    fn malformed_patterns_are_named() {
        let error = |pattern: &str| Globs::new([pattern]).unwrap_err().to_string();
        assert_eq!(error("{a,b"), "`{a,b` has unbalanced `{` and `}` or too many alternatives");
        assert_eq!(error("a}"), "`a}` has unbalanced `{` and `}` or too many alternatives");
        assert!(error("").contains("is empty"));
        assert!(error("/etc/**").contains("is absolute"));
        assert!(error("a/../b").contains("leaves the project root"));
        assert!(error(&"{a,b}".repeat(40)).contains("too many alternatives"));
        assert!(error(&"x".repeat(5000)).contains("too long"));
    }
}
