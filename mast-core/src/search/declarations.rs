//! Ranker D's half of a search: declarations whose name the query says.

use std::collections::BTreeSet;

use super::query::Parsed;
use crate::error::Result;
use crate::model::words;
use crate::rank::exact::NameMatch;
use crate::store::fts::{Expression, Scope};
use crate::store::{NameRow, Reader};

/// Declarations that begin with the query and are looked at.
const MAX_PREFIX: u32 = 200;

/// Shortest query that names may begin with.
const MIN_PREFIX: usize = 3;

/// Names inside a longer query that are looked up.
const MAX_MENTIONS: usize = 24;

/// A declaration and how the query says its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Named {
    pub row: NameRow,
    pub matched: NameMatch,
    pub is_exact_case: bool,
    pub namesakes: usize,
}

/// Finds the declarations, each once, its best match.
pub(super) fn find(reader: &Reader, text: &str, parsed: &Parsed, scope: &Scope) -> Result<Vec<Named>> {
    let mut found = Vec::new();
    let text = text.trim();
    if let Some((container, name)) = qualified(text) {
        for row in named(reader, name, scope)? {
            let is_member = row.container.as_deref().is_some_and(|own| ends_with_path(own, container));
            if is_member {
                let is_exact_case = row.name == name;
                found.push(Named { row, matched: NameMatch::Full, is_exact_case, namesakes: 1 });
            }
        }
    } else if parsed.runs.is_empty() || parsed.is_single() {
        let name = parsed.runs.first().map_or(text, |run| run.text.as_str());
        add(&mut found, named(reader, name, scope)?, name, NameMatch::Full);
        // `$name` and `#name` are names as well as `name`.
        let marked = text.trim_matches(|c: char| c.is_whitespace() || "`'\"()".contains(c));
        if marked != name {
            add(&mut found, named(reader, marked, scope)?, marked, NameMatch::Full);
        }
    }
    if parsed.runs.iter().map(|run| run.words.len()).sum::<usize>() > 1 {
        let joined = parsed.joined();
        add(&mut found, spelled(reader, &joined, scope)?, &joined, NameMatch::Full);
    }
    for name in mentions(parsed) {
        // In prose a name is spelled as it is declared: "JSON" does not mean `json`.
        let mut rows = named(reader, name, scope)?;
        rows.retain(|row| row.name == name);
        add(&mut found, rows, name, NameMatch::Mentioned);
    }
    if parsed.is_single() && text.len() >= MIN_PREFIX {
        let typed = parsed.runs[0].text.as_str();
        // What marks a name as private or internal is not what people remember of it.
        for mark in ["", "_", "$"] {
            let mut rows = reader.declarations_with_prefix(&format!("{mark}{typed}"), MAX_PREFIX)?;
            rows.retain(|row| scope.contains(row.file));
            add(&mut found, rows, typed, NameMatch::Prefix);
        }
    }
    found.sort_by_key(|named| (named.row.id, named.matched));
    found.dedup_by_key(|named| named.row.id);
    Ok(found)
}

fn add(found: &mut Vec<Named>, rows: Vec<NameRow>, query: &str, matched: NameMatch) {
    let namesakes = rows.len();
    for row in rows {
        let matched = match matched {
            NameMatch::Full if row.container.is_some() => NameMatch::Segment,
            other => other,
        };
        let is_exact_case = if matched == NameMatch::Prefix {
            unmarked(&row.name).starts_with(unmarked(query))
        } else {
            row.name == query
        };
        found.push(Named { row, matched, is_exact_case, namesakes });
    }
}

fn unmarked(name: &str) -> &str {
    name.trim_start_matches(['_', '$'])
}

fn named(reader: &Reader, name: &str, scope: &Scope) -> Result<Vec<NameRow>> {
    let mut rows = Vec::new();
    for spelling in words::spellings(name) {
        rows.extend(reader.declarations_named(&spelling)?);
    }
    rows.retain(|row| scope.contains(row.file));
    Ok(rows)
}

/// Declarations whose name is `joined` once its style is forgotten: `maxRetry`, `MAX_RETRY`.
fn spelled(reader: &Reader, joined: &str, scope: &Scope) -> Result<Vec<NameRow>> {
    let mut rows = named(reader, joined, scope)?;
    if rows.is_empty() && reader.word_frequency(joined)? > 0 {
        // Names with marks between their words differ from the joined spelling; their chunks hold it.
        let mut seen = BTreeSet::new();
        for found in reader.matches(&Expression::Heading(vec![joined.to_owned()]), scope)? {
            let Some(chunk) = reader.chunk(found.chunk)? else { continue };
            let Some(name) = chunk.symbol_name.as_deref().and_then(|name| name.rsplit('.').next()) else {
                continue;
            };
            if words::joined(name) == joined && seen.insert(name.to_owned()) {
                rows.extend(named(reader, name, scope)?);
            }
        }
    }
    Ok(rows)
}

/// Names inside a longer query: what looks like one; in a query of two words each of them.
fn mentions(parsed: &Parsed) -> Vec<&str> {
    let runs = &parsed.runs;
    if runs.len() < 2 || parsed.is_single() {
        return Vec::new();
    }
    let mut names: Vec<&str> = Vec::new();
    for run in runs.iter().filter(|run| run.is_name_like() || runs.len() == 2) {
        if names.len() < MAX_MENTIONS && !names.contains(&run.text.as_str()) {
            names.push(&run.text);
        }
    }
    names
}

/// `Repo.find`, `Repo#find` and `Repo::find` taken apart at the last mark; `None` for anything else.
fn qualified(text: &str) -> Option<(&str, &str)> {
    let is_name = |part: &str| !part.is_empty() && words::runs(part).eq([(0, part)]);
    let (container, name) = ["::", "#", "."].iter().find_map(|mark| text.rsplit_once(mark))?;
    (is_name(name) && container.split('.').all(is_name)).then_some((container, name))
}

fn ends_with_path(path: &str, end: &str) -> bool {
    let same = |a: &str, b: &str| a.eq_ignore_ascii_case(b);
    let mut own = path.rsplit('.');
    end.rsplit('.').all(|part| own.next().is_some_and(|segment| same(segment, part)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn qualified_names() {
        assert_eq!(qualified("Repo.find"), Some(("Repo", "find")));
        assert_eq!(qualified("Repo::find"), Some(("Repo", "find")));
        assert_eq!(qualified("a.b#c"), Some(("a.b", "c")));
        for other in ["find", "see Repo.find", "a..b", ".find", "Repo.", "1 + 2.5 x"] {
            assert_eq!(qualified(other), None, "{other}");
        }
        assert!(ends_with_path("Outer.Repo", "repo"));
        assert!(!ends_with_path("Repo", "Outer.Repo"));
    }

    #[test]
    fn names_inside_a_query() {
        let of = |text| mentions(&Parsed::new(text)).join(" ");
        assert_eq!(of("fix merge path in MergeResponse of JSON"), "MergeResponse");
        assert_eq!(of("compose middleware"), "compose middleware");
        assert_eq!(of("compose"), "");
    }
}
