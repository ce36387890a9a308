//! The small glob dialect of project files: `*` and `?` inside a segment, `**` for any number of segments.

/// A pattern that matches whole `/`-separated paths.
#[derive(Debug, Clone)]
pub(super) struct Glob {
    segments: Vec<String>,
}

impl Glob {
    /// Takes an already normal pattern, relative to the root the paths are relative to.
    pub(super) fn new(pattern: &str) -> Self {
        let segments = pattern.split('/').filter(|segment| !segment.is_empty()).map(str::to_owned).collect();
        Self { segments }
    }

    /// Whether the pattern covers all of `path`.
    pub(super) fn matches(&self, path: &str) -> bool {
        let path: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
        wildcard(&self.segments, &path, |part| part == "**", |part, segment| matches_segment(part, segment))
    }

    /// Whether the pattern covers `path` or a directory above it.
    pub(super) fn matches_prefix(&self, path: &str) -> bool {
        self.matches(path)
            || path.match_indices('/').any(|(at, _)| self.matches(&path[..at]))
            || self.segments.is_empty()
    }
}

fn matches_segment(pattern: &str, segment: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let segment: Vec<char> = segment.chars().collect();
    wildcard(&pattern, &segment, |c| *c == '*', |p, c| *p == '?' || p == c)
}

/// The usual two-pointer wildcard match: on a mismatch, let the last star swallow one more item.
fn wildcard<P, T>(
    pattern: &[P],
    items: &[T],
    is_star: impl Fn(&P) -> bool,
    is_match: impl Fn(&P, &T) -> bool,
) -> bool {
    let (mut p, mut i) = (0, 0);
    let mut last_star = None;
    while i < items.len() {
        if pattern.get(p).is_some_and(&is_star) {
            last_star = Some((p, i));
            p += 1;
        } else if pattern.get(p).is_some_and(|part| is_match(part, &items[i])) {
            p += 1;
            i += 1;
        } else if let Some((star, swallowed)) = last_star {
            last_star = Some((star, swallowed + 1));
            p = star + 1;
            i = swallowed + 1;
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(is_star)
}

/// Writes out `{a,b}` alternatives. Bounded: a pattern with very many combinations stops growing at 256.
pub(super) fn expand_braces(pattern: &str) -> Vec<String> {
    const LIMIT: usize = 256;
    let mut done = Vec::new();
    let mut open = vec![pattern.to_owned()];
    while let Some(next) = open.pop() {
        // The innermost group is the one whose `{` is last before the first `}`.
        let group = next.find('}').and_then(|end| Some((next[..end].rfind('{')?, end)));
        match group {
            Some((start, end)) if done.len() + open.len() < LIMIT => {
                open.extend(
                    next[start + 1..end]
                        .split(',')
                        .rev()
                        .map(|choice| format!("{}{choice}{}", &next[..start], &next[end + 1..])),
                );
            }
            _ => done.push(next),
        }
    }
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stay_inside_their_segments() {
        let check = |pattern: &str, path: &str| Glob::new(pattern).matches(path);
        assert!(check("packages/*", "packages/a"));
        assert!(!check("packages/*", "packages/a/b"));
        assert!(check("packages/**", "packages/a/b"));
        assert!(check("src/**/*.ts", "src/a.ts"));
        assert!(check("src/**/*.ts", "src/a/b/c.ts"));
        assert!(!check("src/**/*.ts", "src/a/b/c.tsx"));
        assert!(check("**/x/**/y", "a/x/b/x/c/y"));
        assert!(check("a?c", "abc"));
        assert!(!check("a?c", "a/c"));
        assert!(Glob::new("src/gen").matches_prefix("src/gen/a/b.ts"));
        assert!(!Glob::new("src/gen").matches_prefix("src/generated/b.ts"));
    }

    #[test]
    fn braces_are_written_out_in_order() {
        assert_eq!(expand_braces("{a,b}/{x,y}"), ["a/x", "a/y", "b/x", "b/y"]);
        assert_eq!(expand_braces("p/{a,{b,c}}"), ["p/a", "p/b", "p/a", "p/c"]);
        assert_eq!(expand_braces("p/{a"), ["p/{a"]);
    }
}
