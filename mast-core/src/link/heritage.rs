//! Heritage clauses and mentions of types → the declarations they name.

use crate::model::{ExprIx, FileId, HeritageEdge, HeritageKind, SymbolIx, TypeExpr, TypeIx, TypeUse};

use super::linker::{Linker, add};
use super::types::{At, Declaration, Type};
use super::{Module, Target};

impl Linker<'_> {
    pub(super) fn heritage(&mut self, module: &Module) -> Vec<HeritageEdge<Target>> {
        let mut edges = Vec::new();
        let home = self.home;
        for class in &module.facts.classes {
            self.refuel();
            let Some(child) = class.symbol else { continue };
            if let Some((parent, _)) = class.extends {
                for parent in self.class_symbols(home, parent) {
                    add(&mut edges, HeritageEdge { child, parent, kind: HeritageKind::Extends });
                }
            }
            self.type_parents(module, child, &class.implements, HeritageKind::Implements, &mut edges);
        }
        for interface in &module.facts.interfaces {
            self.refuel();
            let Some(child) = interface.symbol else { continue };
            self.type_parents(module, child, &interface.extends, HeritageKind::Extends, &mut edges);
        }
        edges.sort_by_key(|edge| (edge.child, edge.kind, edge.parent));
        edges
    }

    fn type_parents(
        &mut self,
        module: &Module,
        child: SymbolIx,
        parents: &[TypeIx],
        kind: HeritageKind,
        edges: &mut Vec<HeritageEdge<Target>>,
    ) {
        for &parent in parents {
            for parent in self.named_type_symbols(module, parent) {
                add(edges, HeritageEdge { child, parent, kind });
            }
        }
    }

    /// The class a value is, else what the value's name is.
    fn class_symbols(&mut self, file: FileId, value: ExprIx) -> Vec<Target> {
        if let Type::Class(class) = self.evaluate(&At { file, ix: value, env: None })
            && let Some(module) = self.module(class.file)
            && let Some(symbol) = module.facts.classes[class.ix.at()].symbol
        {
            return vec![Target { file: class.file, symbol }];
        }
        Vec::new()
    }

    fn named_type_symbols(&mut self, module: &Module, ix: TypeIx) -> Vec<Target> {
        let TypeExpr::Named { head, path, .. } = &module.facts.types[ix.at()] else { return Vec::new() };
        match self.named_declaration(self.home, module, head, path) {
            Some(declaration) => self.type_symbols(&declaration),
            None => Vec::new(),
        }
    }

    pub(super) fn type_uses(&mut self, module: &Module) -> Vec<TypeUse<Target>> {
        let mut uses = Vec::new();
        for (at, reference) in module.facts.type_references.iter().enumerate() {
            self.refuel();
            let targets = match &module.facts.types[reference.to.at()] {
                TypeExpr::TypeOf(value) => self.value_mention(*value),
                _ => self.named_type_symbols(module, reference.to),
            };
            let reference = u32::try_from(at).unwrap_or(u32::MAX);
            uses.extend(targets.into_iter().map(|target| TypeUse { reference, target }));
        }
        uses
    }

    /// The symbols a value mentioned outside a call is.
    fn value_mention(&mut self, value: ExprIx) -> Vec<Target> {
        let home = self.home;
        let declarations = self.named_declarations(home, value);
        let Some((declaration, _)) = declarations.into_iter().next() else { return Vec::new() };
        let mut symbols = self.value_symbols(&declaration);
        if let Declaration::Binding(..) = declaration {
            for symbol in self.type_symbols(&declaration) {
                add(&mut symbols, symbol);
            }
        }
        symbols
    }
}
