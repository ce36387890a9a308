//! Who calls a declaration: the proven calls, and theirs.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

use super::{Declaration, Sources};
use crate::error::Result;
use crate::model::{RepoPath, Resolution};
use crate::store::{CallRow, SymbolId, SymbolRow};
use crate::task::Cancel;

/// A proven call.
#[derive(Debug, Clone)]
pub struct Caller {
    /// The file of the call.
    pub path: RepoPath,
    /// The call.
    pub call: CallRow,
    /// The declaration the call stands in; `None` at the top level of the file.
    pub caller: Option<Rc<SymbolRow>>,
    /// What is called.
    pub target: Declaration,
    /// Calls between this one and the declarations asked about: 1 for a direct call.
    pub depth: u32,
    /// Qualified names between this call and the declaration asked about, nearest to this call first.
    pub via: Vec<String>,
}

/// The direct calls of `targets`, by path, line and column.
pub fn direct(sources: &mut Sources<'_>, targets: &[Declaration]) -> Result<Vec<Caller>> {
    walk(sources, targets, 1, &Cancel::default())
}

/// The calls of `targets`, the calls of the declarations those stand in, and so on, by path, line and column. A
/// declaration is entered once, by a shortest way.
pub fn transitive(
    sources: &mut Sources<'_>,
    targets: &[Declaration],
    cancel: &Cancel,
) -> Result<Vec<Caller>> {
    walk(sources, targets, u32::MAX, cancel)
}

/// A declaration whose callers are still to be looked for.
struct Step {
    target: Declaration,
    depth: u32,
    via: Vec<String>,
}

fn walk(
    sources: &mut Sources<'_>,
    targets: &[Declaration],
    deepest: u32,
    cancel: &Cancel,
) -> Result<Vec<Caller>> {
    let mut entered: BTreeSet<SymbolId> = targets.iter().map(|target| target.symbol.id).collect();
    let mut symbols: BTreeMap<SymbolId, Rc<SymbolRow>> = BTreeMap::new();
    let mut queue: VecDeque<Step> =
        targets.iter().map(|target| Step { target: target.clone(), depth: 1, via: Vec::new() }).collect();
    let mut found = Vec::new();
    while let Some(Step { target, depth, via }) = queue.pop_front() {
        cancel.check()?;
        let mut calls = Vec::new();
        for call in sources.calls_to(target.symbol.id)? {
            calls.push((sources.path(call.file)?, call));
        }
        // Rows are numbered as they came: which of two ways of one length is told must not depend on that.
        calls.sort_by(|(a, x), (b, y)| (a, x.line, x.column).cmp(&(b, y.line, y.column)));
        for (path, call) in calls {
            let caller = match call.caller {
                Some(id) => symbol(sources, &mut symbols, id)?,
                None => None,
            };
            if depth < deepest
                && let Some(symbol) = &caller
                && entered.insert(symbol.id)
            {
                let mut via = via.clone();
                via.insert(0, symbol.qualified_name());
                let target = Declaration { symbol: Rc::clone(symbol), path: path.clone() };
                queue.push_back(Step { target, depth: depth + 1, via });
            }
            found.push(Caller { path, call, caller, target: target.clone(), depth, via: via.clone() });
        }
    }
    found.sort_by(|a, b| order(a).cmp(&order(b)));
    Ok(found)
}

fn order(caller: &Caller) -> (&RepoPath, u32, u32, u32, &RepoPath, SymbolId) {
    let Caller { path, call, depth, target, .. } = caller;
    (path, call.line, call.column, *depth, &target.path, target.symbol.id)
}

fn symbol(
    sources: &Sources<'_>,
    known: &mut BTreeMap<SymbolId, Rc<SymbolRow>>,
    id: SymbolId,
) -> Result<Option<Rc<SymbolRow>>> {
    if let Some(row) = known.get(&id) {
        return Ok(Some(Rc::clone(row)));
    }
    let row = sources.reader.symbol(id)?.map(Rc::new);
    if let Some(row) = &row {
        known.insert(id, Rc::clone(row));
    }
    Ok(row)
}

impl Caller {
    /// How the call was proven.
    #[must_use]
    pub fn resolution(&self) -> Resolution {
        self.call.resolution
    }

    /// Qualified name of the declaration the call stands in.
    #[must_use]
    pub fn caller_name(&self) -> String {
        self.caller.as_ref().map_or_else(|| "<module>".to_owned(), |symbol| symbol.qualified_name())
    }

    /// The line of the call.
    pub fn context(&self, sources: &mut Sources<'_>) -> Result<String> {
        Ok(sources.source(self.call.file)?.context(self.call.line, self.call.column))
    }
}

/// The nearest `limit` of `callers` (least depth first), in their order.
#[must_use]
pub fn nearest(mut callers: Vec<Caller>, limit: usize) -> Vec<Caller> {
    if callers.len() > limit {
        let mut depths: Vec<u32> = callers.iter().map(|caller| caller.depth).collect();
        depths.sort_unstable();
        let deepest = depths[limit.saturating_sub(1)];
        let mut room = depths[..limit].iter().filter(|&&depth| depth == deepest).count();
        callers.retain(|caller| {
            let is_edge = caller.depth == deepest && room > 0;
            room -= usize::from(is_edge);
            caller.depth < deepest || is_edge
        });
    }
    callers
}
