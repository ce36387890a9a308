//! How a declaration is used: its signature, documentation, parameters, and the project's types it mentions.

use std::collections::BTreeMap;

use super::sources::{Source, comment_text};
use super::{Declaration, Sources};
use crate::error::Result;
use crate::model::{ByteRange, ParameterText, RepoPath, SymbolKind};
use crate::store::{SymbolId, SymbolRow};

/// Lines of a type's declaration that are shown.
const MAX_LINES: usize = 50;

/// Characters of a type's declaration that are shown.
const MAX_CHARACTERS: usize = 500;

/// What is shown of a declaration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// The declaration up to its body, overloads included.
    pub text: String,
    /// Documentation without comment markers.
    pub doc: Option<String>,
    /// Parameters.
    pub parameters: Vec<Parameter>,
    /// Return type as written.
    pub return_type: Option<String>,
    /// Types it mentions, in order of appearance.
    pub types: Vec<TypeText>,
}

/// One parameter as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Name, or pattern.
    pub name: String,
    /// Annotation.
    pub type_annotation: Option<String>,
    /// May be left out.
    pub is_optional: bool,
    /// `...rest`.
    pub is_rest: bool,
    /// Default value.
    pub default: Option<String>,
}

/// A mentioned type of the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypeText {
    /// As the signature spells it.
    pub name: String,
    /// File of its declaration.
    pub path: RepoPath,
    /// Line of its declaration.
    pub line: u32,
    /// Its declaration, clipped.
    pub text: String,
    /// Whether something was clipped.
    pub is_clipped: bool,
}

/// The declaration's text up to its body; of types the whole.
pub fn text(source: &Source, symbol: &SymbolRow) -> String {
    let ranges = &symbol.detail.signatures;
    let parts: Vec<String> = if ranges.is_empty() {
        vec![source.dedented(symbol.span)]
    } else {
        ranges.iter().map(|range| source.dedented(*range)).collect()
    };
    parts.join("\n")
}

/// The declaration's documentation.
pub fn doc(source: &Source, symbol: &SymbolRow) -> Option<String> {
    let text = comment_text(symbol.detail.doc?.of(&source.text));
    (!text.is_empty()).then_some(text)
}

/// All that is shown of a declaration.
pub fn signature(sources: &mut Sources<'_>, declaration: &Declaration) -> Result<Signature> {
    let symbol = &declaration.symbol;
    let source = sources.source(symbol.file)?;
    let written = |range: ByteRange| range.of(&source.text).to_owned();
    let parameter = |p: &ParameterText| Parameter {
        name: written(p.name),
        type_annotation: p.type_annotation.map(written),
        is_optional: p.is_optional,
        is_rest: p.is_rest,
        default: p.default.map(written),
    };
    Ok(Signature {
        text: text(&source, symbol),
        doc: doc(&source, symbol),
        parameters: symbol.detail.parameters.iter().map(parameter).collect(),
        return_type: symbol.detail.return_type.map(written),
        types: types(sources, symbol, &source)?,
    })
}

/// The types a signature mentions: what linking proved the mention to name, else the only exported type of that name.
fn types(sources: &mut Sources<'_>, symbol: &SymbolRow, source: &Source) -> Result<Vec<TypeText>> {
    if symbol.detail.type_names.is_empty() {
        return Ok(Vec::new());
    }
    let mut proven: BTreeMap<(u32, u32), SymbolId> = BTreeMap::new();
    for usage in sources.reader.type_uses_in(symbol.file)? {
        proven.entry((usage.line, usage.column)).or_insert(usage.target);
    }
    let imported = imported_names(sources, symbol)?;
    let mut found: Vec<TypeText> = Vec::new();
    for range in &symbol.detail.type_names {
        let name = range.of(&source.text);
        // Of `ns.Port`, the last segment is what is looked up and what linking recorded.
        let last = name.rfind('.').map_or(0, |dot| dot + 1);
        let bare = name[last..].trim();
        let at = range.start as usize + name.len() - name[last..].trim_start().len();
        let target = match proven.get(&source.position(at)) {
            Some(id) => sources.reader.symbol(*id)?,
            None if imported.iter().any(|local| local == bare) => None,
            None => only_exported(sources, bare)?,
        };
        let Some(target) = target.filter(|target| is_type(target.kind) && target.id != symbol.id) else {
            continue;
        };
        let text = type_text(sources, name, &target)?;
        if !found.contains(&text) {
            found.push(text);
        }
    }
    Ok(found)
}

fn is_type(kind: SymbolKind) -> bool {
    !matches!(kind, SymbolKind::Method)
}

/// Names the file of the symbol imports: what they mean is known, or known to lie outside.
fn imported_names(sources: &Sources<'_>, symbol: &SymbolRow) -> Result<Vec<String>> {
    let imports = sources.reader.imports_of(symbol.file)?;
    Ok(imports.into_iter().flat_map(|row| row.import.names).map(|(_, local, _)| local).collect())
}

/// The only exported type of this name, for a mention that nothing in its own file explains.
fn only_exported(sources: &Sources<'_>, name: &str) -> Result<Option<SymbolRow>> {
    if !name.starts_with(char::is_uppercase) {
        return Ok(None);
    }
    let mut rows = sources.reader.symbols_named(name)?;
    rows.retain(|row| {
        let is_type = matches!(
            row.kind,
            SymbolKind::Class | SymbolKind::Interface | SymbolKind::Type | SymbolKind::Enum
        );
        row.name == name && row.is_exported && row.container.is_none() && is_type
    });
    // Declarations of one name in one file are merged, and mean one type.
    let is_one = rows.windows(2).all(|pair| pair[0].file == pair[1].file);
    Ok(rows.into_iter().next().filter(|_| is_one))
}

fn type_text(sources: &mut Sources<'_>, name: &str, target: &SymbolRow) -> Result<TypeText> {
    let source = sources.source(target.file)?;
    let (text, is_clipped) = clip(&text(&source, target));
    Ok(TypeText {
        name: name.to_owned(),
        path: sources.path(target.file)?,
        line: target.lines.start,
        text,
        is_clipped,
    })
}

fn clip(text: &str) -> (String, bool) {
    let by_lines = text.match_indices('\n').nth(MAX_LINES - 1).map_or(text.len(), |(at, _)| at);
    let by_characters = text.char_indices().nth(MAX_CHARACTERS).map_or(text.len(), |(at, _)| at);
    let end = by_lines.min(by_characters);
    (text[..end].trim_end().to_owned(), end < text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clipping_counts_lines_and_characters() {
        let lines = |n: usize| vec!["x"; n].join("\n");
        assert_eq!(clip(&lines(50)), (lines(50), false));
        assert_eq!(clip(&lines(51)), (lines(50), true));
        assert_eq!(clip(&"é".repeat(500)), ("é".repeat(500), false));
        assert_eq!(clip(&"é".repeat(501)), ("é".repeat(500), true));
    }
}
