//! Parallel readers, one writer: extracted files go onto the shelf in a few large batches.

use std::num::NonZero;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use super::extract::{Extracted, extract};
use super::meta;
use super::plan::PlannedFile;
use super::report::{FileTrouble, IndexReport};
use crate::error::{Error, Result};
use crate::language::ExtractOptions;
use crate::model::{Problem, ProblemKind};
use crate::store::{FileRecord, IndexWriter};
use crate::task::CallContext;

/// Files waiting between the readers and the writer. Enough to keep the writer busy while a reader is in a long file,
/// few enough that memory does not grow with the repository.
const QUEUE: usize = 64;

/// Text written between two commits, in bytes. Few large transactions halve the cost of writing; readers still see a
/// first build grow.
const BATCH_BYTES: usize = 24 << 20;

/// Longest time between two commits: what a run that is killed has read longer ago is kept.
const BATCH_TIME: Duration = Duration::from_secs(1);

/// Reads and writes the planned files. Files another process wrote since the plan was made are left alone and returned.
pub(super) fn put_files(
    writer: &mut IndexWriter<'_>,
    root: &Path,
    planned: &[PlannedFile],
    options: &ExtractOptions,
    context: &CallContext<'_>,
    report: &mut IndexReport,
) -> Result<Vec<PlannedFile>> {
    if planned.is_empty() {
        return Ok(Vec::new());
    }
    let total = planned.len();
    let next = AtomicUsize::new(0);
    let readers = thread::available_parallelism().map_or(2, NonZero::get).min(total);
    thread::scope(|scope| {
        let (send, receive) = sync_channel::<(usize, Extracted)>(QUEUE);
        for _ in 0..readers {
            let (send, next) = (send.clone(), &next);
            thread::Builder::new()
                .name("mast-extract".into())
                .spawn_scoped(scope, move || read_all(root, planned, next, options, context, &send))
                .map_err(|e| Error::Internal(format!("no thread could be started: {e}")))?;
        }
        drop(send);
        let mut batch = Batch::begin(writer, total)?;
        let mut outdated = Vec::new();
        for (done, (at, extracted)) in receive.iter().enumerate() {
            context.cancel.check()?;
            let file = &planned[at];
            if is_current(batch.writer, file)? {
                batch.put(file, extracted, report)?;
            } else {
                outdated.push(file.clone());
            }
            context.report(done as u64 + 1, total as u64);
        }
        context.cancel.check()?;
        batch.writer.commit()?;
        outdated.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(outdated)
    })
}

fn read_all(
    root: &Path,
    planned: &[PlannedFile],
    next: &AtomicUsize,
    options: &ExtractOptions,
    context: &CallContext<'_>,
    send: &SyncSender<(usize, Extracted)>,
) {
    loop {
        let at = next.fetch_add(1, Ordering::Relaxed);
        let Some(file) = planned.get(at) else { return };
        if context.cancel.is_cancelled() || send.send((at, extract(root, file, options))).is_err() {
            return;
        }
    }
}

/// Whether the shelf still holds the row the plan was made over. Compared inside the batch: newer facts, written by a
/// refresh meanwhile, are never overwritten by older ones.
fn is_current(writer: &IndexWriter<'_>, file: &PlannedFile) -> Result<bool> {
    let row = writer.reader().file(&file.path)?;
    Ok(row.map(|r| (r.id, r.stamp)) == file.known.as_ref().map(|r| (r.id, r.stamp)))
}

struct Batch<'w, 's> {
    writer: &'w mut IndexWriter<'s>,
    total: usize,
    done: usize,
    bytes: usize,
    began: Instant,
}

impl<'w, 's> Batch<'w, 's> {
    fn begin(writer: &'w mut IndexWriter<'s>, total: usize) -> Result<Self> {
        writer.begin()?;
        Ok(Self { writer, total, done: 0, bytes: 0, began: Instant::now() })
    }

    fn put(&mut self, file: &PlannedFile, extracted: Extracted, report: &mut IndexReport) -> Result<()> {
        match extracted {
            Extracted::Record(record) => self.put_record(&record, report)?,
            Extracted::Touched(stamp) => {
                report.files_skipped += 1;
                if let Some(known) = &file.known {
                    self.writer.touch(known.id, stamp)?;
                }
            }
            Extracted::Unreadable(problem) => {
                report.parse_errors += 1;
                report.troubles.push(FileTrouble::of(&file.path, &problem));
                self.writer.put_problems(&file.path, &[problem])?;
            }
            Extracted::Gone => {
                if let Some(known) = &file.known {
                    report.files_removed += 1;
                    report.chunks_removed += self.writer.reader().chunk_count(&known.path)?;
                    self.writer.remove_file(known.id)?;
                }
            }
        }
        self.done += 1;
        if self.bytes > BATCH_BYTES || self.began.elapsed() >= BATCH_TIME {
            self.bytes = 0;
            if self.writer.reader().meta(meta::BUILDING)?.is_some() {
                self.writer.set_meta(meta::BUILDING, &format!("{} {}", self.done, self.total))?;
            }
            self.writer.commit()?;
            self.writer.begin()?;
            self.began = Instant::now();
        }
        Ok(())
    }

    fn put_record(&mut self, record: &FileRecord, report: &mut IndexReport) -> Result<()> {
        self.bytes += record.text.length;
        self.writer.savepoint()?;
        let removed = self.writer.reader().chunk_count(&record.path)?;
        match self.writer.put_file(record) {
            Ok(_) => {
                self.writer.release()?;
                report.files_indexed += u64::from(!record.is_skipped);
                report.files_skipped += u64::from(record.is_skipped);
                report.chunks_added += record.chunks.len() as u64;
                report.chunks_removed += removed;
                for problem in &record.problems {
                    report.parse_errors += u64::from(problem.kind == ProblemKind::ParseFailed);
                    report.troubles.push(FileTrouble::of(&record.path, problem));
                }
                Ok(())
            }
            // A full disk, a lost reservation or a damaged database concerns every file; anything else, this one.
            Err(e @ (Error::Busy(_) | Error::Cancelled | Error::Disk(_) | Error::Damaged(_))) => Err(e),
            Err(e) => {
                self.writer.roll_back_to_savepoint()?;
                let problem =
                    Problem { kind: ProblemKind::WriteFailed, message: e.to_string(), lines: Vec::new() };
                report.write_errors += 1;
                report.troubles.push(FileTrouble::of(&record.path, &problem));
                self.writer.put_problems(&record.path, &[problem])
            }
        }
    }
}
