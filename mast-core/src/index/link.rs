//! Edges for the files that wait for them: facts read from the shelf, linked in parallel, written in batches.

use std::cell::RefCell;
use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use crate::error::{Error, Result};
use crate::link::{self, Links, Module, Program, Target};
use crate::model::FileId;
use crate::store::{IndexWriter, LinkRecord, Snapshot, Store, SymbolId};
use crate::task::CallContext;

/// Files linked between two commits.
const BATCH: usize = 256;

/// Encoded facts kept decoded at once, in bytes. Decoded, facts take about four times as much.
const CACHE_BYTES: usize = 24 << 20;

/// Makes the edges of every file that waits for them, until `deadline`; gives the number of files still waiting.
pub(super) fn link_pending(
    writer: &mut IndexWriter<'_>,
    deadline: Option<Instant>,
    context: &CallContext<'_>,
) -> Result<u64> {
    loop {
        let files = writer.reader().pending_links()?;
        if files.is_empty() || is_past(deadline) || link_files(writer, &files, deadline, context)? {
            return writer.reader().pending_link_count();
        }
        // Facts changed under the links; what was not written is linked again over the new facts.
    }
}

/// Like [`link_pending`], beginning with `first`.
pub(super) fn link_first(
    writer: &mut IndexWriter<'_>,
    first: &BTreeSet<FileId>,
    deadline: Instant,
    context: &CallContext<'_>,
) -> Result<()> {
    let first: Vec<_> = first.iter().copied().collect();
    link_files(writer, &first, None, context)?;
    link_pending(writer, Some(deadline), context).map(|_| ())
}

/// Links `files`; false when facts changed meanwhile and some were left.
fn link_files(
    writer: &mut IndexWriter<'_>,
    files: &[FileId],
    deadline: Option<Instant>,
    context: &CallContext<'_>,
) -> Result<bool> {
    let store = writer.store();
    let next = AtomicUsize::new(0);
    let cache = Cache::default();
    let facts_version = writer.reader().facts_version()?;
    let workers = if files.len() < 16 { 1 } else { thread::available_parallelism().map_or(2, NonZero::get) };
    thread::scope(|scope| {
        let (send, receive) = sync_channel::<Result<(FileId, LinkRecord)>>(BATCH);
        for _ in 0..workers {
            let (send, next, cache) = (send.clone(), &next, &cache);
            thread::Builder::new()
                .name("mast-link".into())
                .spawn_scoped(scope, move || {
                    if let Err(e) = link_all(store, files, next, cache, deadline, context, &send) {
                        // The receiver is gone only when the run is already failing.
                        let _ = send.send(Err(e));
                    }
                })
                .map_err(|e| Error::Internal(format!("no thread could be started: {e}")))?;
        }
        drop(send);
        let mut batch = Vec::with_capacity(BATCH);
        for linked in &receive {
            batch.push(linked?);
            if batch.len() == BATCH && !write(writer, &mut batch, facts_version)? {
                return Ok(false);
            }
        }
        context.cancel.check()?;
        write(writer, &mut batch, facts_version)
    })
}

fn write(
    writer: &mut IndexWriter<'_>,
    batch: &mut Vec<(FileId, LinkRecord)>,
    facts_version: u64,
) -> Result<bool> {
    writer.begin()?;
    if writer.reader().facts_version()? != facts_version {
        writer.roll_back();
        return Ok(false);
    }
    for (file, links) in batch.drain(..) {
        writer.put_links(file, &links)?;
    }
    writer.commit()?;
    Ok(true)
}

fn is_past(deadline: Option<Instant>) -> bool {
    deadline.is_some_and(|deadline| Instant::now() >= deadline)
}

fn link_all(
    store: &Store,
    files: &[FileId],
    next: &AtomicUsize,
    cache: &Cache,
    deadline: Option<Instant>,
    context: &CallContext<'_>,
    send: &SyncSender<Result<(FileId, LinkRecord)>>,
) -> Result<()> {
    let shelf = Shelf { snapshot: store.snapshot()?, cache, failure: RefCell::new(None) };
    loop {
        let at = next.fetch_add(1, Ordering::Relaxed);
        let Some(&file) = files.get(at) else { return Ok(()) };
        if context.cancel.is_cancelled() || is_past(deadline) {
            return Ok(());
        }
        let links = link::link(&shelf, file);
        if let Some(e) = shelf.failure.take() {
            return Err(e);
        }
        let record = shelf.record(file, &links)?;
        if send.send(Ok((file, record))).is_err() {
            return Ok(());
        }
    }
}

/// Modules as linking sees them: read from one view of the shelf through a cache the workers share.
struct Shelf<'a> {
    snapshot: Snapshot<'a>,
    cache: &'a Cache,
    failure: RefCell<Option<Error>>,
}

impl Program for Shelf<'_> {
    fn module(&self, file: FileId) -> Option<Arc<Module>> {
        match self.cache.get(file) {
            Known::Module(module) => return Some(module),
            Known::Absent => return None,
            Known::Nothing => {}
        }
        match self.load(file) {
            Ok((module, size)) => {
                self.cache.put(file, module.clone(), size);
                module
            }
            Err(e) => {
                self.failure.borrow_mut().get_or_insert(e);
                None
            }
        }
    }
}

impl Shelf<'_> {
    fn load(&self, file: FileId) -> Result<(Option<Arc<Module>>, usize)> {
        let Some(row) = self.snapshot.file_by_id(file)? else { return Ok((None, 0)) };
        let Some((facts, size)) = self.snapshot.facts(file)? else { return Ok((None, 0)) };
        let mut imports = Vec::new();
        let mut resolved = Vec::new();
        for import in self.snapshot.imports_of(file)? {
            imports.push(import.import);
            resolved.push(import.resolved);
        }
        let exports = self.snapshot.exports_of(file)?;
        Ok((Some(Arc::new(Module { path: row.path, facts, imports, exports, resolved })), size))
    }

    /// Edges with the rows of the symbols they join.
    fn record(&self, file: FileId, links: &Links) -> Result<LinkRecord> {
        let own = self.snapshot.symbol_ids(file)?;
        let mut others: HashMap<FileId, Vec<SymbolId>> = HashMap::new();
        let mut id_of = |target: &Target| -> Result<Option<SymbolId>> {
            if target.file == file {
                return Ok(own.get(target.symbol.0 as usize).copied());
            }
            let ids = match others.entry(target.file) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => new.insert(self.snapshot.symbol_ids(target.file)?),
            };
            Ok(ids.get(target.symbol.0 as usize).copied())
        };
        let Some(module) = self.module(file) else { return Ok(LinkRecord::default()) };
        let mut record = LinkRecord { consulted: links.consulted.clone(), ..LinkRecord::default() };
        for edge in &links.calls {
            let site = &module.facts.calls[edge.site as usize];
            if let Some(target) = id_of(&edge.target)? {
                let caller = site.caller.and_then(|ix| own.get(ix.0 as usize)).copied();
                record.calls.push((edge.site, target, caller, site.line, site.column, edge.resolution));
            }
        }
        for edge in &links.heritage {
            if let (Some(child), Some(parent)) =
                (own.get(edge.child.0 as usize).copied(), id_of(&edge.parent)?)
            {
                record.heritage.push((child, parent, edge.kind));
            }
        }
        for mention in &links.type_uses {
            let reference = &module.facts.type_references[mention.reference as usize];
            if let Some(target) = id_of(&mention.target)? {
                record.type_uses.push((mention.reference, target, reference.line, reference.column));
            }
        }
        Ok(record)
    }
}

enum Known {
    Module(Arc<Module>),
    Absent,
    Nothing,
}

/// Decoded modules, the oldest dropped when there are too many.
#[derive(Default)]
struct Cache(Mutex<CacheState>);

#[derive(Default)]
struct CacheState {
    modules: HashMap<FileId, (Option<Arc<Module>>, usize)>,
    order: VecDeque<FileId>,
    bytes: usize,
}

impl Cache {
    /// What is known of a file: that it is there, that it is not, or nothing.
    fn get(&self, file: FileId) -> Known {
        let state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match state.modules.get(&file) {
            Some((Some(module), _)) => Known::Module(Arc::clone(module)),
            Some((None, _)) => Known::Absent,
            None => Known::Nothing,
        }
    }

    fn put(&self, file: FileId, module: Option<Arc<Module>>, size: usize) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if state.modules.insert(file, (module, size)).is_some() {
            return;
        }
        state.order.push_back(file);
        state.bytes += size;
        while state.bytes > CACHE_BYTES {
            let Some(oldest) = state.order.pop_front() else { break };
            if let Some((_, size)) = state.modules.remove(&oldest) {
                state.bytes -= size;
            }
        }
    }
}
