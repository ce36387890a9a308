//! Source text in, compact rendering out.

use crate::language::{ExtractOptions, extract};
use crate::model::{ExportKind, FileFacts, FileStamp, ImportedName, Language, RepoPath, SourceFile};

pub(in crate::language) fn file(path: &str, text: &str) -> SourceFile {
    SourceFile {
        path: RepoPath::new(path).unwrap(),
        language: Language::of(path).unwrap(),
        stamp: FileStamp::default(),
        text: text.to_owned(),
    }
}

pub(in crate::language) fn facts_of(path: &str, text: &str) -> FileFacts {
    extract(&file(path, text), &ExtractOptions::default())
}

/// `function Repo.find 3-5 +export`, one symbol a line.
fn symbols(facts: &FileFacts) -> String {
    let mut out = String::new();
    for symbol in &facts.symbols {
        let flags = [
            (symbol.is_exported, " exported"),
            (symbol.is_local, " local"),
            (symbol.is_static, " static"),
            (symbol.ordinal > 0, " again"),
        ];
        let flags: String = flags.iter().filter(|flag| flag.0).map(|flag| flag.1).collect();
        let lines = symbol.lines;
        let name = symbol.qualified_name();
        out += &format!("{} {name} {}-{}{flags}\n", symbol.kind.as_str(), lines.start, lines.end);
    }
    out
}

/// `method Repo.find 3-5: text⋯text`, one chunk a line; line breaks are `⏎`.
fn chunks(facts: &FileFacts, text: &str) -> String {
    let mut out = String::new();
    for chunk in &facts.chunks {
        let symbol = chunk.symbol.map(|at| facts.symbols[at.0 as usize].qualified_name());
        let name = symbol.or(chunk.name.clone()).unwrap_or("-".to_owned());
        let texts: Vec<_> =
            chunk.segments.iter().map(|segment| segment.of(text).replace('\n', "⏎")).collect();
        let lines = chunk.lines;
        let kind = chunk.kind.as_str();
        out += &format!("{kind} {name} {}-{}: {}\n", lines.start, lines.end, texts.join("⋯"));
    }
    out
}

fn exports(facts: &FileFacts) -> String {
    let mut out = String::new();
    for export in &facts.exports {
        let from = match &export.kind {
            ExportKind::Local(local) => {
                let kinds: Vec<_> =
                    local.symbols.iter().map(|at| facts.symbols[at.0 as usize].qualified_name()).collect();
                format!("{} [{}]", local.local_name.as_deref().unwrap_or("-"), kinds.join(" "))
            }
            ExportKind::From { import, imported } => format!(
                "{} of {}",
                match imported {
                    ImportedName::Named(name) => name,
                    ImportedName::Namespace => "*",
                },
                facts.imports[*import as usize].specifier
            ),
            ExportKind::Star { import } => format!("* of {}", facts.imports[*import as usize].specifier),
        };
        let types = if export.is_type_only { " type" } else { "" };
        out += &format!("{} = {from}{types} {}\n", export.name, export.line);
    }
    out
}

fn imports(facts: &FileFacts) -> String {
    let mut out = String::new();
    for import in &facts.imports {
        let names: Vec<_> = import
            .names
            .iter()
            .map(|(imported, local, _)| match imported {
                ImportedName::Named(name) if name == local => name.clone(),
                ImportedName::Named(name) => format!("{name} as {local}"),
                ImportedName::Namespace => format!("* as {local}"),
            })
            .collect();
        out += &format!("{:?} {} {{{}}} {}\n", import.kind, import.specifier, names.join(", "), import.line);
    }
    out
}

#[test]
fn dump() {
    let Ok(path) = std::env::var("DUMP") else { return };
    let text = std::fs::read_to_string(&path).unwrap();
    let name = path.rsplit('/').next().unwrap();
    let facts = facts_of(name, &text);
    println!("{}\n{}\n{}\n{}", symbols(&facts), chunks(&facts, &text), imports(&facts), exports(&facts));
}
