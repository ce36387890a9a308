//! One linking of one file: what has been looked at, and the limits of looking.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use crate::model::{Binding, BindingIx, CallEdge, Expr, ExprIx, FileId, InterfaceIx};

use super::exports::Lookup;
use super::narrowing::Test;
use super::types::Type;
use super::{Links, Module, Program, Target};

/// Evaluation goes this deep at most; deeper is unknown. Bounds the stack.
const DEPTH: u32 = 48;
/// Steps of evaluation per call site.
const FUEL: u32 = 20_000;
/// Steps per file before call sites get [`SHORT_FUEL`] only. Bounds the time.
const FILE_FUEL: u32 = 1_500_000;
/// Steps per call site when a file has used up its own: enough for names and written types.
const SHORT_FUEL: u32 = 300;

pub(super) struct Linker<'p> {
    program: &'p dyn Program,
    pub(super) home: FileId,
    modules: HashMap<FileId, Option<Arc<Module>>>,
    consulted: BTreeSet<FileId>,
    depth: u32,
    fuel: u32,
    file_fuel: u32,
    /// How often evaluation was cut short; a result with a cut in it is not kept.
    cuts: u32,
    pub(super) expressions: HashMap<(FileId, ExprIx), Type>,
    pub(super) bindings: HashMap<(FileId, BindingIx), Type>,
    open: HashSet<Step>,
    pub(super) exported: HashMap<(FileId, String), Lookup>,
    pub(super) open_exports: u32,
    pub(super) circles: u32,
    pub(super) merged: HashMap<FileId, Arc<Merged>>,
    pub(super) tests: HashMap<(FileId, ExprIx), Test>,
    /// A test is being looked at: what tests narrow does not matter there.
    pub(super) in_test: bool,
}

/// Something being evaluated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Step {
    Expression(FileId, ExprIx),
    Binding(FileId, BindingIx),
    Export(FileId, u32),
    Alias(FileId, u32),
}

/// Interfaces of a file that merge with others or with a class.
#[derive(Debug, Default)]
pub(super) struct Merged {
    pub(super) interfaces: BTreeMap<InterfaceIx, Vec<InterfaceIx>>,
    pub(super) classes: BTreeMap<crate::model::ClassIx, Vec<InterfaceIx>>,
}

impl<'p> Linker<'p> {
    pub(super) fn new(program: &'p dyn Program, home: FileId) -> Self {
        Self {
            program,
            home,
            modules: HashMap::new(),
            consulted: BTreeSet::new(),
            depth: 0,
            fuel: FUEL,
            file_fuel: FILE_FUEL,
            cuts: 0,
            expressions: HashMap::new(),
            bindings: HashMap::new(),
            open: HashSet::new(),
            exported: HashMap::new(),
            open_exports: 0,
            circles: 0,
            merged: HashMap::new(),
            tests: HashMap::new(),
            in_test: false,
        }
    }

    pub(super) fn link(mut self) -> Links {
        let mut links = Links::default();
        let Some(module) = self.module(self.home) else { return links };
        for (site, call) in module.facts.calls.iter().enumerate() {
            self.refuel();
            for (target, resolution) in self.call_targets(self.home, call) {
                let site = u32::try_from(site).unwrap_or(u32::MAX);
                let is_known =
                    links.calls.iter().rev().take_while(|edge| edge.site == site).any(|e| e.target == target);
                if !is_known {
                    links.calls.push(CallEdge { site, target, resolution });
                }
            }
        }
        self.refuel();
        links.heritage = self.heritage(&module);
        links.type_uses = self.type_uses(&module);
        links.consulted = self.consulted;
        links
    }

    /// Begins another site, with what the file has left.
    pub(super) fn refuel(&mut self) {
        self.fuel = if self.file_fuel > FUEL { FUEL } else { SHORT_FUEL };
    }

    /// The facts of a file; remembers that they were asked for.
    pub(super) fn module(&mut self, file: FileId) -> Option<Arc<Module>> {
        if file != self.home {
            self.consulted.insert(file);
        }
        let program = self.program;
        self.modules.entry(file).or_insert_with(|| program.module(file)).clone()
    }

    pub(super) fn expression(&mut self, file: FileId, ix: ExprIx) -> Expr {
        self.module(file)
            .and_then(|module| module.facts.expressions.get(ix.at()).cloned())
            .unwrap_or(Expr::Unknown)
    }

    pub(super) fn binding(&mut self, file: FileId, ix: BindingIx) -> Option<Binding> {
        self.module(file)?.facts.bindings.get(ix.at()).cloned()
    }

    /// Runs one step of evaluation, unless it is already running, too deep, or out of fuel.
    pub(super) fn step<T>(&mut self, key: Step, work: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth >= DEPTH || self.fuel == 0 || !self.open.insert(key) {
            self.cuts += 1;
            return None;
        }
        self.fuel -= 1;
        self.file_fuel = self.file_fuel.saturating_sub(1);
        self.depth += 1;
        let result = work(self);
        self.depth -= 1;
        self.open.remove(&key);
        Some(result)
    }

    /// Runs `work` one level deeper, unless that is too deep.
    pub(super) fn deeper<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth >= DEPTH || self.fuel == 0 {
            self.cuts += 1;
            return None;
        }
        self.fuel -= 1;
        self.file_fuel = self.file_fuel.saturating_sub(1);
        self.depth += 1;
        let result = work(self);
        self.depth -= 1;
        Some(result)
    }

    /// Runs `work` as if nothing had been evaluated and no test narrowed anything.
    pub(super) fn apart<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let expressions = std::mem::take(&mut self.expressions);
        let bindings = std::mem::take(&mut self.bindings);
        let open = std::mem::take(&mut self.open);
        let cuts = self.cuts;
        self.in_test = true;
        let result = work(self);
        self.in_test = false;
        (self.expressions, self.bindings, self.open, self.cuts) = (expressions, bindings, open, cuts);
        result
    }

    /// How often evaluation was cut short so far.
    pub(super) fn cuts(&self) -> u32 {
        self.cuts
    }

    pub(super) fn merged(&mut self, file: FileId) -> Arc<Merged> {
        if let Some(merged) = self.merged.get(&file) {
            return Arc::clone(merged);
        }
        let merged = Arc::new(self.module(file).map(|module| Merged::of(&module)).unwrap_or_default());
        self.merged.insert(file, Arc::clone(&merged));
        merged
    }
}

impl Merged {
    fn of(module: &Module) -> Self {
        use crate::model::BindingValue;
        let mut merged = Self::default();
        for binding in &module.facts.bindings {
            if binding.values.len() < 2 {
                continue;
            }
            let interfaces: Vec<InterfaceIx> = binding
                .values
                .iter()
                .filter_map(|value| match value {
                    BindingValue::Interface(ix) => Some(*ix),
                    _ => None,
                })
                .collect();
            for &interface in &interfaces {
                merged.interfaces.insert(interface, interfaces.clone());
            }
            for value in &binding.values {
                if let BindingValue::Class(class) = value {
                    merged.classes.insert(*class, interfaces.clone());
                }
            }
        }
        merged
    }
}

/// Collects targets without repeats, in order.
pub(super) fn add<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}

pub(super) fn target(file: FileId, symbol: Option<crate::model::SymbolIx>) -> Option<Target> {
    symbol.map(|symbol| Target { file, symbol })
}
