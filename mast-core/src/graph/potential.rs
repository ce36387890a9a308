//! Mentions of a name that nothing proves to mean the declaration, nor to mean another.

use std::collections::{BTreeMap, BTreeSet};

use super::mentions::{Code, declared_in};
use super::rename::{self, Alias};
use super::roles::{Role, role};
use super::sources::Source;
use super::verdicts::Struck;
use super::{Declaration, Sources};
use crate::error::Result;
use crate::model::{ByteRange, ExportKind, FileId, ImportedName, Language, RepoPath, SymbolKind, words};
use crate::store::fts::{Expression, Scope, file_of_chunk};
use crate::store::{Reader, SymbolId, SymbolRow};
use crate::task::Cancel;

/// An unproven mention.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// The file.
    pub path: RepoPath,
    /// 1-based line of the identifier.
    pub line: u32,
    /// 1-based column of the identifier, in UTF-16 code units.
    pub column: u32,
    /// Qualified name of the declaration it stands in; `None` at the top level of the file.
    pub symbol_name: Option<String>,
    /// The line.
    pub context: String,
    /// What it is.
    pub kind: MentionKind,
}

/// What an unproven mention is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MentionKind {
    /// It is called.
    Call,
    /// It closes JSX elements whose opening names are proven calls of what is asked about.
    ClosingTag,
    /// It stands in an import or export clause.
    Specifier,
    /// Any other.
    Other,
}

/// Which mentions are looked for, and what for.
#[derive(Debug)]
pub struct Question {
    pub(super) purpose: Purpose,
    /// The names that are looked for in every file.
    names: BTreeSet<String>,
    /// Further names, of one file each.
    aliases: BTreeSet<Alias>,
    /// What is asked about.
    pub(super) targets: Vec<SymbolId>,
    /// What is asked about is reached through an object only, so that a bare identifier does not mean it.
    is_member: bool,
    /// The only files where a bare identifier can mean it without an import, when they are modules.
    homes: Option<BTreeSet<FileId>>,
}

/// What mentions are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// To find calls.
    Calls,
    /// To find every place that spells the name.
    Rename,
    /// To find what mentions a name that nothing declares.
    Remains,
}

impl Question {
    /// What may call `targets`, under whatever name a file imports them.
    pub fn calls(sources: &mut Sources<'_>, targets: &[Declaration]) -> Result<Self> {
        let mut names = BTreeSet::new();
        for target in targets {
            // An anonymous default export is called after its file, and nothing spells that.
            let source = sources.source(target.symbol.file)?;
            if target.symbol.name_span.of(&source.text) == target.symbol.name {
                names.insert(target.symbol.name.clone());
            }
        }
        let aliases = rename::paths(sources, targets, &names)?.aliases;
        Ok(Self { aliases, ..Self::about(sources.reader, Purpose::Calls, names, targets)? })
    }

    /// What a change of `names`, under which `targets` are known, may have to touch.
    pub fn rename(reader: &Reader, names: &BTreeSet<String>, targets: &[Declaration]) -> Result<Self> {
        Self::about(reader, Purpose::Rename, names.clone(), targets)
    }

    /// What still mentions a name, alone or qualified, that nothing declares; import and export clauses count.
    pub fn remains(reader: &Reader, name: &str) -> Result<Self> {
        let (head, last) = super::lookup::split(name);
        let names = BTreeSet::from([last.to_owned()]);
        let question = Self::about(reader, Purpose::Remains, names, &[])?;
        Ok(Self { is_member: head.is_some(), homes: None, ..question })
    }

    fn about(
        reader: &Reader,
        purpose: Purpose,
        names: BTreeSet<String>,
        targets: &[Declaration],
    ) -> Result<Self> {
        let is_member = |target: &Declaration| {
            target.symbol.kind == SymbolKind::Method && target.symbol.container.is_some()
        };
        let homes: BTreeSet<FileId> = targets.iter().map(|target| target.symbol.file).collect();
        let mut are_modules = true;
        for home in &homes {
            are_modules &= !reader.exports_of(*home)?.is_empty() || !reader.imports_of(*home)?.is_empty();
        }
        Ok(Self {
            purpose,
            names,
            aliases: BTreeSet::new(),
            is_member: targets.iter().all(is_member),
            targets: targets.iter().map(|target| target.symbol.id).collect(),
            homes: are_modules.then_some(homes),
        })
    }

    /// Whether a bare identifier in `file`, which imports the name or not, may mean what is asked about.
    fn is_in_scope(&self, file: FileId, is_imported: bool) -> bool {
        is_imported || self.homes.as_ref().is_none_or(|homes| homes.contains(&file))
    }

    /// Whether an identifier of this role may mean what is asked about, where bare identifiers may or not.
    fn wants(&self, role: Role, is_in_scope: bool) -> bool {
        let is_rename = self.purpose == Purpose::Rename;
        match role {
            // What is called may be a variable that holds it.
            Role::Call | Role::Member | Role::Braced => true,
            Role::Use => !self.is_member && is_in_scope,
            Role::ClosingTag => self.purpose != Purpose::Calls && is_in_scope,
            // An object that stands for the declared one has a member of the same name.
            Role::Method | Role::Key => is_rename && self.is_member,
            Role::Binding | Role::Word => false,
        }
    }
}

/// A mention before its line is read.
struct Place {
    path: RepoPath,
    file: FileId,
    at: usize,
    kind: MentionKind,
}

/// The unproven mentions a question is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unproven {
    /// Those that are shown, by path, line and column.
    pub mentions: Vec<Mention>,
    /// How many there are.
    pub total: u64,
    /// Those the type checker took off the list.
    pub struck: Struck,
}

/// The unproven mentions a question is about, by path, line and column: `limit` of them, calls before others, and how many there are.
/// Proven calls and type references of any declaration of the name are left out, and so are declarations.
/// What the type checker's verdicts strike from the list is counted apart.
pub fn potential(
    sources: &mut Sources<'_>,
    question: &Question,
    limit: usize,
    cancel: &Cancel,
) -> Result<Unproven> {
    let mut places = Places::default();
    let mut searched: BTreeSet<(RepoPath, FileId, String)> = BTreeSet::new();
    for target in &question.targets {
        places.prove(sources.reader, *target)?;
    }
    places.of_targets.clone_from(&places.proven);
    for name in &question.names {
        places.learn(sources.reader, name)?;
        searched.extend(candidates(sources, name)?.into_iter().map(|(path, id)| (path, id, name.clone())));
    }
    for alias in &question.aliases {
        searched.insert((sources.path(alias.file)?, alias.file, alias.local.clone()));
    }
    let mut found = Vec::new();
    let mut struck = Struck::default();
    for (path, file, name) in searched {
        cancel.check()?;
        let source = sources.source_once(file)?;
        let has_jsx = ![".ts", ".mts", ".cts"].iter().any(|end| path.as_str().ends_with(end));
        let mut unproven = places.unproven(sources.reader, question, file, &source, &name, has_jsx)?;
        if sources.has_verdicts {
            struck.strike(sources.reader, question, (file, &source), &mut unproven)?;
        }
        for (at, kind) in unproven {
            found.push(Place { path: path.clone(), file, at, kind });
        }
    }
    let total = found.len() as u64;
    found.sort_by_key(|place| !matches!(place.kind, MentionKind::Call | MentionKind::ClosingTag));
    found.truncate(limit);
    found.sort_by(|a, b| (&a.path, a.at).cmp(&(&b.path, b.at)));
    let mut mentions = Vec::with_capacity(found.len());
    for of_one_file in found.chunk_by(|a, b| a.file == b.file) {
        let file = of_one_file[0].file;
        let source = sources.source_once(file)?;
        let symbols = sources.reader.symbols_of(file)?;
        mentions.extend(of_one_file.iter().map(|place| mention(place, &source, &symbols)));
    }
    Ok(Unproven { mentions, total, struck })
}

/// Code files whose words hold those of the name, by path.
fn candidates(sources: &mut Sources<'_>, name: &str) -> Result<BTreeMap<RepoPath, FileId>> {
    let joined = words::joined(name);
    let mut files = BTreeMap::new();
    if joined.is_empty() {
        // A name of signs alone, such as `$`, has no words.
        let rows = sources.reader.files()?;
        files.extend(
            rows.into_iter().filter(|row| row.language != Language::Markdown).map(|row| (row.path, row.id)),
        );
        return Ok(files);
    }
    let found = sources.reader.matches(&Expression::word(&joined), &Scope::Everything)?;
    let ids: BTreeSet<FileId> = found.into_iter().map(|found| file_of_chunk(found.chunk)).collect();
    for id in ids {
        let row = sources.file(id)?;
        if row.language != Language::Markdown {
            files.insert(row.path.clone(), id);
        }
    }
    Ok(files)
}

/// Places whose meaning is known.
#[derive(Debug, Default)]
struct Places {
    /// Proven calls and type references, whatever they mean, by line and column.
    proven: BTreeSet<(FileId, u32, u32)>,
    /// Those that mean what the question is about.
    of_targets: BTreeSet<(FileId, u32, u32)>,
    /// Declarations, by the byte their name begins at.
    declared: BTreeSet<(FileId, usize)>,
    /// Signatures of declarations: their first mention of the name is the declared one.
    signatures: BTreeMap<FileId, Vec<ByteRange>>,
}

impl Places {
    /// Adds what is known of every declaration called `name`.
    fn learn(&mut self, reader: &Reader, name: &str) -> Result<()> {
        for symbol in reader.symbols_named(name)?.into_iter().filter(|symbol| symbol.name == name) {
            self.declared.insert((symbol.file, symbol.name_span.start as usize));
            self.signatures.entry(symbol.file).or_default().extend(&symbol.detail.signatures);
            self.prove(reader, symbol.id)?;
        }
        Ok(())
    }

    /// Adds the proven calls and type references of a declaration.
    fn prove(&mut self, reader: &Reader, symbol: SymbolId) -> Result<()> {
        let calls = reader.calls_to(symbol)?;
        self.proven.extend(calls.iter().map(|call| (call.file, call.line, call.column)));
        let uses = reader.type_uses_of(symbol)?;
        self.proven.extend(uses.iter().map(|usage| (usage.file, usage.line, usage.column)));
        Ok(())
    }

    /// Byte offsets of the unproven mentions of `name` in one file that the question wants.
    fn unproven(
        &self,
        reader: &Reader,
        question: &Question,
        id: FileId,
        source: &Source,
        name: &str,
        has_jsx: bool,
    ) -> Result<Vec<(usize, MentionKind)>> {
        let code = Code::new(&source.text);
        let mut places = code.mentions(name);
        let is_target = |at: usize| {
            let (line, column) = source.position(at);
            self.of_targets.contains(&(id, line, column))
        };
        let closes_targets =
            question.purpose == Purpose::Rename && has_jsx && opens_only(&code, &places, name, is_target);
        let named: BTreeSet<usize> = match self.signatures.get(&id) {
            Some(ranges) => ranges.iter().filter_map(|range| declared_in(&places, *range)).collect(),
            None => BTreeSet::new(),
        };
        let mut declared_lines = BTreeSet::new();
        places.retain(|&at| {
            let (line, column) = source.position(at);
            let is_declared = self.declared.contains(&(id, at)) || named.contains(&at);
            if is_declared {
                declared_lines.insert(line);
            }
            !is_declared && !self.proven.contains(&(id, line, column))
        });
        if places.is_empty() {
            return Ok(Vec::new());
        }
        let mut specifiers = specifiers(reader, id, name, &declared_lines)?;
        let is_in_scope = question.is_in_scope(id, !specifiers.is_empty());
        let mut wanted = Vec::new();
        for at in places {
            let kind = match specifiers.get_mut(&source.position(at).0) {
                Some(count) if *count > 0 => {
                    *count -= 1;
                    MentionKind::Specifier
                }
                _ => match role(&code, at, name, has_jsx) {
                    role if !question.wants(role, is_in_scope) => continue,
                    Role::Call => MentionKind::Call,
                    Role::ClosingTag if closes_targets => MentionKind::ClosingTag,
                    _ => MentionKind::Other,
                },
            };
            if kind != MentionKind::Specifier || question.purpose == Purpose::Remains {
                wanted.push((at, kind));
            }
        }
        Ok(wanted)
    }
}

/// Whether the name opens JSX elements, and each of them is one that `is_target` knows.
fn opens_only(code: &Code<'_>, places: &[usize], name: &str, is_target: impl Fn(usize) -> bool) -> bool {
    let opens = |at: &&usize| code.text[..**at].ends_with('<') && role(code, **at, name, true) == Role::Call;
    let mut opening = places.iter().filter(opens).peekable();
    opening.peek().is_some() && opening.all(|at| is_target(*at))
}

/// How often import and export specifiers spell the name, by line. An export on one of `declared` lines is the declaration itself.
fn specifiers(
    reader: &Reader,
    id: FileId,
    name: &str,
    declared: &BTreeSet<u32>,
) -> Result<BTreeMap<u32, u32>> {
    let mut lines = BTreeMap::new();
    let mut add = |line: u32, count: u32| *lines.entry(line).or_insert(0) += count;
    for row in reader.imports_of(id)? {
        for (imported, local, line) in &row.import.names {
            let is_imported = matches!(imported, ImportedName::Named(text) if text == name);
            if is_imported || local == name {
                add(*line, 1);
            }
        }
    }
    for export in reader.exports_of(id)? {
        if let ExportKind::Local(local) = &export.kind
            && (local.local_name.as_deref() == Some(name) || export.name == name)
            && !declared.contains(&export.line)
        {
            add(export.line, 1);
        }
    }
    Ok(lines)
}

fn mention(place: &Place, source: &Source, symbols: &[SymbolRow]) -> Mention {
    let at = place.at;
    let (line, column) = source.position(at);
    let holds = |symbol: &&SymbolRow| {
        !symbol.is_local && symbol.span.start as usize <= at && at < symbol.span.end as usize
    };
    let innermost = symbols.iter().filter(holds).min_by_key(|symbol| symbol.span.len());
    Mention {
        path: place.path.clone(),
        line,
        column,
        symbol_name: innermost.map(SymbolRow::qualified_name),
        context: source.context(line, column),
        kind: place.kind,
    }
}
