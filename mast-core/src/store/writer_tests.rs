//! Files replaced and removed: what stays, what goes, what waits to be linked again.

use std::collections::BTreeSet;
use std::time::Duration;

use super::fts::ChunkTerms;
use super::pack::pack;
use super::{FileRecord, IndexWriter, LinkRecord, ResolvedImport, Store};
use crate::model::{
    ByteRange, Chunk, ChunkKind, FileId, FileStamp, Import, ImportKind, Language, LineRange, RepoPath,
    Resolution, Symbol, SymbolDetail, SymbolIx, SymbolKind,
};

/// A file that declares `functions`, one a line, and imports `imports`.
fn record(path: &str, functions: &[&str], imports: &[&str]) -> FileRecord {
    let text = functions.join("\n");
    let path = RepoPath::new(path).unwrap();
    let line = |ix: usize| u32::try_from(ix + 1).unwrap();
    let symbols: Vec<_> = functions
        .iter()
        .enumerate()
        .map(|(ix, name)| Symbol {
            name: (*name).to_owned(),
            container: None,
            kind: SymbolKind::Function,
            parent: None,
            span: ByteRange::default(),
            lines: LineRange::new(line(ix), line(ix)),
            name_span: ByteRange::default(),
            name_line: line(ix),
            is_exported: true,
            is_local: false,
            is_static: false,
            ordinal: 0,
            detail: SymbolDetail::default(),
        })
        .collect();
    let chunks: Vec<_> = (0..functions.len())
        .map(|ix| Chunk {
            kind: ChunkKind::Function,
            symbol: Some(SymbolIx(u32::try_from(ix).unwrap())),
            name: None,
            lines: LineRange::new(line(ix), line(ix)),
            segments: vec![ByteRange::new(0, text.len())],
            part: 0,
            is_exported: true,
        })
        .collect();
    FileRecord {
        language: Language::TypeScript,
        stamp: FileStamp { size: text.len() as u64, mtime_ns: 1, hash: 2 },
        is_skipped: false,
        lines: 1,
        tokens: 1,
        text: pack(text.as_bytes()),
        facts: pack(b""),
        terms: chunks.iter().map(|chunk| ChunkTerms::of(&path, None, &text, &chunk.segments, None)).collect(),
        symbols,
        chunks,
        imports: imports
            .iter()
            .map(|specifier| Import {
                kind: ImportKind::Static,
                specifier: (*specifier).to_owned(),
                line: 1,
                names: Vec::new(),
            })
            .collect(),
        exports: Vec::new(),
        problems: Vec::new(),
        path,
    }
}

fn put(writer: &mut IndexWriter<'_>, record: &FileRecord) -> FileId {
    writer.begin().unwrap();
    let id = writer.put_file(record).unwrap();
    writer.commit().unwrap();
    id
}

/// `a.ts` declares `one` and `two`; `b.ts` declares `three`, imports `a.ts` and calls `two`.
fn two_files(store: &Store) -> (IndexWriter<'_>, FileId, FileId) {
    let (mut writer, _) = store.writer(Duration::ZERO).unwrap();
    let a = put(&mut writer, &record("a.ts", &["one", "two"], &[]));
    let b = put(&mut writer, &record("b.ts", &["three"], &["./a"]));
    let two = writer.reader().symbol_ids(a).unwrap()[1];
    let three = writer.reader().symbol_ids(b).unwrap()[0];
    writer.begin().unwrap();
    writer.set_resolution(b, 0, ResolvedImport { file: Some(a), is_external: false }).unwrap();
    writer.put_links(a, &LinkRecord::default()).unwrap();
    let links = LinkRecord {
        calls: vec![(0, two, Some(three), 1, 1, Resolution::Import)],
        consulted: BTreeSet::from([a]),
        ..LinkRecord::default()
    };
    writer.put_links(b, &links).unwrap();
    writer.commit().unwrap();
    assert_eq!(writer.reader().pending_links().unwrap(), []);
    (writer, a, b)
}

#[test]
fn a_replaced_file_keeps_the_symbols_that_are_still_declared_and_the_calls_of_them() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::at(dir.path());
    let (mut writer, a, b) = two_files(&store);
    let before = writer.reader().symbol_ids(a).unwrap();
    assert_eq!(put(&mut writer, &record("a.ts", &["zero", "two"], &[])), a);
    let after = writer.reader().symbol_ids(a).unwrap();
    assert_eq!(after[1], before[1], "`two` moved nowhere");
    assert_ne!(after[0], before[0], "`zero` is new");
    assert_eq!(writer.reader().calls_to(after[1]).unwrap().len(), 1);
    assert_eq!(writer.reader().pending_links().unwrap(), [a, b], "the file and who consulted it");
    assert_eq!(writer.reader().counts().unwrap(), (2, 3));
}

#[test]
fn calls_of_a_symbol_that_is_gone_go_with_it() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::at(dir.path());
    let (mut writer, a, b) = two_files(&store);
    let two = writer.reader().symbol_ids(a).unwrap()[1];
    put(&mut writer, &record("a.ts", &["one"], &[]));
    assert_eq!(writer.reader().calls_to(two).unwrap(), []);
    assert_eq!(writer.reader().calls_in(b).unwrap(), []);
}

#[test]
fn a_removed_file_leaves_nothing_but_pending_links_of_those_who_consulted_it() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::at(dir.path());
    let (mut writer, a, b) = two_files(&store);
    writer.begin().unwrap();
    writer.remove_file(a).unwrap();
    writer.commit().unwrap();
    let reader = writer.reader();
    assert_eq!(reader.counts().unwrap(), (1, 1));
    assert_eq!(reader.symbols_named("two").unwrap(), []);
    assert_eq!(reader.text(a).unwrap(), None);
    assert_eq!(reader.imports_of(b).unwrap()[0].resolved, None);
    assert_eq!(reader.pending_links().unwrap(), [b]);
}

#[test]
fn a_batch_that_is_not_committed_never_was() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::at(dir.path());
    let (mut writer, _, _) = two_files(&store);
    let version = writer.reader().facts_version().unwrap();
    writer.begin().unwrap();
    writer.put_file(&record("c.ts", &["four"], &[])).unwrap();
    drop(writer);
    let snapshot = store.snapshot().unwrap();
    assert_eq!(snapshot.counts().unwrap(), (2, 3));
    assert_eq!(snapshot.facts_version().unwrap(), version);
}

#[test]
fn a_new_symbol_before_kept_ones_takes_no_number_of_theirs() {
    let dir = tempfile::tempdir().unwrap();
    let store = Store::at(dir.path());
    let (mut writer, _) = store.writer(Duration::ZERO).unwrap();
    let a = put(&mut writer, &record("a.ts", &["one", "two", "gone"], &[]));
    let before = writer.reader().symbol_ids(a).unwrap();
    put(&mut writer, &record("a.ts", &["zero", "one", "half", "two"], &[]));
    let after = writer.reader().symbol_ids(a).unwrap();
    assert_eq!((after[1], after[3]), (before[0], before[1]));
    let fresh = [before[2].0 + 1, before[2].0 + 2];
    assert_eq!([after[0].0, after[2].0], fresh, "not the number of the one that is gone either");
}
