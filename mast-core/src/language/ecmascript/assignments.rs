//! Assignments that declare: `CommonJS` exports, methods put on prototypes and functions.

use tree_sitter::Node;

use super::chunks::Region;
use super::comments::Item;
use super::declarations::{item_range, range};
use super::syntax::{Field, Kind};
use super::values::Value;
use super::walk::{Access, Declared, Level, ScopeIx, Walk};
use crate::language::lines::offset;
use crate::model::{ByteRange, ChunkKind, Language, SymbolDetail, SymbolIx, SymbolKind};

/// What an assignment to a property declares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target<'a> {
    /// `module.exports = …`
    Exports,
    /// `exports.name = …`, `module.exports.name = …`
    Export(&'a str),
    /// `Owner.prototype.name = …`
    Prototype(&'a str, &'a str),
    /// `Owner.name = …`
    Static(&'a str, &'a str),
}

impl<'a, 't> Walk<'a, 't> {
    /// An assignment that is a statement; in `a = b = value` every target counts.
    pub(super) fn assignment(&mut self, node: Node<'t>, item: &Item<'t>, scope: ScopeIx) {
        let (lefts, value) = self.assignment_chain(node);
        let mut declared = None;
        if self.scopes[scope].level == Level::Module && !self.is_void(value) {
            for left in lefts {
                let Some(target) = self.target(left) else { continue };
                match (declared, target) {
                    (None, _) => declared = self.assign(target, left, value, item, scope),
                    (Some(symbol), Target::Export(name)) => {
                        self.add_local_export(name.to_owned(), None, symbol, false, left);
                    }
                    (Some(_), Target::Exports | Target::Prototype(..) | Target::Static(..)) => {}
                }
            }
        }
        if declared.is_none() {
            self.push_children(node, scope, false);
        }
    }

    /// The property targets of `a = b = value`, and the value.
    fn assignment_chain(&self, node: Node<'t>) -> (Vec<Node<'t>>, Node<'t>) {
        let mut lefts = Vec::new();
        let mut value = node;
        while self.syntax.kind(value) == Kind::AssignmentExpression {
            let left = self.syntax.child(value, Field::Left);
            lefts.extend(left.filter(|left| self.syntax.kind(*left) == Kind::MemberExpression));
            let Some(right) = self.syntax.child(value, Field::Right) else { break };
            value = right;
        }
        (lefts, value)
    }

    /// `exports.a = void 0` announces a name and gives no value yet.
    fn is_void(&self, value: Node<'t>) -> bool {
        matches!(self.text_of(value), "void 0" | "undefined")
    }

    /// `var app = exports = module.exports = value`: exports the variable. The innermost value.
    pub(super) fn assigned_value(&mut self, variable: Node<'t>, value: Node<'t>) -> Node<'t> {
        let (lefts, inner) = self.assignment_chain(value);
        if lefts.iter().any(|left| self.target(*left) == Some(Target::Exports)) {
            let local = self.text_of(variable).to_owned();
            self.add_local_export("export=".to_owned(), Some(local), None, false, variable);
        }
        inner
    }

    fn target(&self, left: Node<'t>) -> Option<Target<'a>> {
        let text = self.text_of(left);
        let is_javascript = self.language == Language::JavaScript;
        let mut names = text.split('.').map(str::trim);
        let (first, second, third, rest) = (names.next()?, names.next()?, names.next(), names.next());
        if rest.is_some() || [Some(first), Some(second), third].iter().flatten().any(|n| !is_name(n)) {
            return None;
        }
        Some(match (first, second, third) {
            ("module", "exports", None) if is_javascript => Target::Exports,
            ("module", "exports", Some(name)) if is_javascript => Target::Export(name),
            ("exports", name, None) if is_javascript => Target::Export(name),
            (owner, "prototype", Some(name)) => Target::Prototype(owner, name),
            (owner, name, None) => Target::Static(owner, name),
            _ => return None,
        })
    }

    /// Records what assigning `value` to `target` declares: nothing, exports only, or a symbol too.
    #[expect(clippy::option_option, reason = "the outer says whether the statement is dealt with")]
    fn assign(
        &mut self,
        target: Target<'_>,
        left: Node<'t>,
        value: Node<'t>,
        item: &Item<'t>,
        scope: ScopeIx,
    ) -> Option<Option<SymbolIx>> {
        let class = self.classify(value);
        match target {
            Target::Exports => {
                self.assign_exports(value, class, item, scope);
                Some(None)
            }
            Target::Export(name) => {
                let inner = self.unwrapped(value);
                if self.syntax.kind(inner) == Kind::Identifier {
                    let local = self.text_of(inner).to_owned();
                    self.add_local_export(name.to_owned(), Some(local), None, false, left);
                    return None;
                }
                let property = self.syntax.child(left, Field::Property)?;
                let new = Self::assigned(name.to_owned(), property, Access::Stated(true), item);
                let symbol = self.valued(new, Some(value), class, item_range(item), None, scope);
                self.add_local_export(name.to_owned(), None, Some(symbol), false, left);
                Some(Some(symbol))
            }
            Target::Prototype(owner, name) | Target::Static(owner, name) => {
                let is_static = matches!(target, Target::Static(..));
                let owner_symbol = self.top_level_symbol(owner);
                if !matches!(class, Value::Function(_)) || (is_static && owner_symbol.is_none()) {
                    return None;
                }
                let property = self.syntax.child(left, Field::Property)?;
                let is_static = is_static
                    && owner_symbol
                        .is_some_and(|owner| self.symbols[owner.0 as usize].kind != SymbolKind::Const);
                self.assign_method(owner, owner_symbol, name.to_owned(), is_static, property, value, item);
                Some(None)
            }
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one assignment, used once")]
    fn assign_method(
        &mut self,
        owner: &str,
        owner_symbol: Option<SymbolIx>,
        name: String,
        is_static: bool,
        property: Node<'t>,
        value: Node<'t>,
        item: &Item<'t>,
    ) {
        let mut inner = self.scopes[0].clone();
        inner.level = Level::Class;
        inner.symbol = owner_symbol;
        inner.container = Some(owner.into());
        inner.forget_local();
        self.scopes.push(inner);
        let scope = self.scopes.len() - 1;
        let mut new = Self::assigned(name, property, Access::Inherited, item);
        new.is_static = is_static;
        let regions = self.regions.len();
        let class = self.classify(value);
        let symbol = self.valued(new, Some(value), class, item_range(item), None, scope);
        self.symbols[symbol.0 as usize].kind = SymbolKind::Method;
        if let Some(region) = self.regions.get_mut(regions) {
            region.kind = ChunkKind::Method;
        }
    }

    fn assign_exports(&mut self, value: Node<'t>, class: Value<'t>, item: &Item<'t>, scope: ScopeIx) {
        let inner = self.unwrapped(value);
        if self.syntax.kind(inner) == Kind::Identifier {
            let local = self.text_of(inner).to_owned();
            self.add_local_export("export=".to_owned(), Some(local), None, false, item.node);
        } else if let Value::Function(_) | Value::Class(_) = class {
            let symbol = self.anonymous(value, item.node, item, scope);
            self.add_local_export("export=".to_owned(), None, Some(symbol), false, item.node);
            return;
        } else {
            self.add_local_export("export=".to_owned(), None, None, false, item.node);
        }
        let lines = self.line_range(item.node.start_byte(), item.node.end_byte());
        let region = self.push_region(
            Region {
                parent: None,
                kind: ChunkKind::Export,
                symbol: None,
                name: None,
                range: item_range(item),
                declaration: item.start,
                head_end: item.start,
                lines,
                is_exported: true,
            },
            scope,
        );
        let Value::Object(object) = class else {
            self.push_node(value, scope);
            return;
        };
        self.export_shorthands(object);
        let mut members = self.scopes[scope].clone();
        members.level = Level::Object;
        members.region = region;
        members.forget_local();
        self.scopes.push(members);
        let members = self.scopes.len() - 1;
        self.push_list(object, members);
    }

    /// The entries of an exported object that name something or hold a plain value.
    fn export_shorthands(&mut self, object: Node<'t>) {
        let mut cursor = object.walk();
        let entries: Vec<Node<'t>> = object.named_children(&mut cursor).collect();
        for entry in entries {
            match self.syntax.kind(entry) {
                Kind::ShorthandProperty => {
                    let name = self.text_of(entry).to_owned();
                    self.add_local_export(name.clone(), Some(name), None, false, entry);
                }
                Kind::Pair => {
                    let key = self.syntax.child(entry, Field::Key);
                    let value = self.syntax.child(entry, Field::Value);
                    let (Some(key), Some(value)) = (key, value) else { continue };
                    let value = self.unwrapped(value);
                    let name = self.property_name(key).to_owned();
                    match self.syntax.kind(value) {
                        Kind::Identifier => {
                            let local = self.text_of(value).to_owned();
                            self.add_local_export(name, Some(local), None, false, entry);
                        }
                        Kind::ArrowFunction | Kind::FunctionExpression | Kind::GeneratorFunction => {}
                        _ => self.add_local_export(name, None, None, false, entry),
                    }
                }
                _ => {}
            }
        }
    }

    fn assigned(name: String, name_node: Node<'t>, access: Access, item: &Item<'t>) -> Declared {
        Declared {
            name,
            kind: SymbolKind::Const,
            span: ByteRange { start: item.start, end: offset(item.node.end_byte()) },
            keyword: item.node.start_byte(),
            name_span: range(name_node),
            access,
            is_static: false,
            detail: SymbolDetail { doc: item.doc, ..SymbolDetail::default() },
        }
    }

    /// The function, class or constant declared so far at the top level under `name`.
    fn top_level_symbol(&self, name: &str) -> Option<SymbolIx> {
        let at = self.symbols.iter().position(|symbol| {
            symbol.container.is_none()
                && !symbol.is_local
                && matches!(symbol.kind, SymbolKind::Function | SymbolKind::Class | SymbolKind::Const)
                && symbol.name == name
        })?;
        Some(SymbolIx(offset(at)))
    }
}

fn is_name(text: &str) -> bool {
    crate::model::is_identifier(text)
}
