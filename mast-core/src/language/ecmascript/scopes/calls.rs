//! Call sites: calls, `new`, tagged templates, JSX components and decorators.

use tree_sitter::Node;

use crate::model::{CallKind, CallSite, Context, Expr, ExprIx, ImportKind, Language, TypeIx};

use super::bindings::ScopeIx;
use super::grammar::{Field, Kind};
use super::{Analysis, Task, Tested, Want, child_in};

impl<'t> Analysis<'t> {
    pub(super) fn call(&mut self, task: &Task<'t>, slot: Option<ExprIx>) {
        let Task { node, scope, context, tested, .. } = *task;
        let children = self.children(node);
        let callee = child_in(&children, Field::Function);
        let arguments = child_in(&children, Field::Arguments);
        let type_arguments = child_in(&children, Field::TypeArguments);
        self.done(children);
        let Some(mut callee) = callee else { return };
        let mut slot = slot;
        // With type arguments, the grammar may bind an operator closer than the call: `(await f)<T>(x)`.
        loop {
            let inner = match self.kind(callee) {
                Kind::Await => {
                    let inner = self.first_named(callee);
                    if slot.is_some() {
                        let call = self.expression_slot();
                        self.set(slot, Expr::Await(call));
                        slot = Some(call);
                    }
                    inner
                }
                Kind::Unary => {
                    slot = None;
                    self.first_named(callee)
                }
                Kind::Binary => {
                    slot = None;
                    if let Some(left) = self.field(callee, Field::Left) {
                        self.push(left, scope, Want::Effects);
                    }
                    self.field(callee, Field::Right)
                }
                _ => break,
            };
            let Some(inner) = inner else { return };
            callee = inner;
        }
        if self.module_call(node, callee, scope, slot) {
            if let Some(arguments) = arguments {
                self.push(arguments, scope, Want::Effects);
            }
            return;
        }
        let is_template = arguments.is_some_and(|node| self.kind(node) == Kind::TemplateString);
        let kind = if is_template { CallKind::TaggedTemplate } else { CallKind::Call };
        let callee_slot = self.call_site(callee, kind, scope);
        let arguments = match arguments {
            Some(template) if is_template => {
                self.push(template, scope, Want::Effects);
                Vec::new()
            }
            Some(arguments) => self.arguments(arguments),
            None => Vec::new(),
        };
        if tested == Tested::Condition {
            self.receiver_guard(callee, callee_slot, scope);
        }
        if tested != Tested::No {
            self.argument_guards(callee_slot, &arguments, scope);
        }
        let make = |callee, type_arguments, arguments| Expr::Call { callee, type_arguments, arguments };
        self.application(callee_slot, type_arguments, &arguments, (scope, context), slot, make);
    }

    pub(super) fn new_expression(&mut self, task: &Task<'t>, slot: Option<ExprIx>) {
        let Task { node, scope, context, .. } = *task;
        let children = self.children(node);
        let callee = child_in(&children, Field::Constructor);
        let arguments = child_in(&children, Field::Arguments);
        let type_arguments = child_in(&children, Field::TypeArguments);
        self.done(children);
        let Some(callee) = callee else { return };
        let callee = self.call_site(callee, CallKind::New, scope);
        let arguments = arguments.map(|arguments| self.arguments(arguments)).unwrap_or_default();
        let make = |callee, type_arguments, arguments| Expr::New { callee, type_arguments, arguments };
        self.application(callee, type_arguments, &arguments, (scope, context), slot, make);
    }

    /// Arguments of a call or `new`. They are recorded when the result matters or when one of them is a function, whose
    /// parameters get their types from the callee and the other arguments.
    fn application(
        &mut self,
        callee: ExprIx,
        type_arguments: Option<Node<'t>>,
        arguments: &[Node<'t>],
        (scope, context): (ScopeIx, Option<Context>),
        slot: Option<ExprIx>,
        make: impl FnOnce(ExprIx, Vec<TypeIx>, Vec<ExprIx>) -> Expr,
    ) {
        let written = type_arguments.map(|node| self.type_list(node, scope)).unwrap_or_default();
        let takes_functions = arguments.iter().any(|&argument| self.needs_context(argument));
        let slot = match slot {
            None if takes_functions => Some(self.expression_slot()),
            slot => slot,
        };
        if let (Some(call), Some(context), true) = (slot, context, takes_functions) {
            self.facts.call_contexts.push((call, context));
        }
        let Some(call) = slot else {
            for &argument in arguments.iter().rev() {
                self.push(argument, scope, Want::Effects);
            }
            return;
        };
        // Behind a spread, positions are not known.
        let known = arguments
            .iter()
            .position(|&argument| self.kind(argument) == Kind::SpreadElement)
            .unwrap_or(arguments.len());
        let first = self.facts.expressions.len();
        let values: Vec<ExprIx> = (first..first + known).map(|at| ExprIx(super::index(at))).collect();
        for _ in 0..known {
            self.expression_slot();
        }
        for (position, &node) in arguments.iter().enumerate().rev() {
            let task = match values.get(position) {
                Some(&value) => {
                    let context = Some(Context::Argument { call, position: super::index(position) });
                    Task { node, scope, want: Want::Value(value), context, tested: Tested::No }
                }
                None => Task { node, scope, want: Want::Effects, context: None, tested: Tested::No },
            };
            self.tasks.push(task);
        }
        self.set(slot, make(callee, written, values));
    }

    /// Whether an argument is a function, or an object with functions in it.
    fn needs_context(&mut self, argument: Node<'t>) -> bool {
        match self.kind(argument) {
            Kind::ArrowFunction | Kind::FunctionExpression | Kind::GeneratorFunction => true,
            Kind::Object => self.has_functions(argument),
            _ => false,
        }
    }

    fn arguments(&mut self, node: Node<'t>) -> Vec<Node<'t>> {
        let children = self.children(node);
        let arguments = children.iter().map(|child| child.1).filter(Node::is_named).collect();
        self.done(children);
        arguments
    }

    /// `import("m")` and `require("m")`.
    fn module_call(
        &mut self,
        node: Node<'t>,
        callee: Node<'t>,
        scope: ScopeIx,
        slot: Option<ExprIx>,
    ) -> bool {
        match self.kind(callee) {
            Kind::Import => {
                if let Some(import) = self.declared.import_at(node.start_byte()) {
                    self.set(slot, Expr::ImportCall(import));
                }
                true
            }
            Kind::Identifier if self.text_of(callee) == "require" => {
                let Some(import) = self.declared.import_at(node.start_byte()) else { return false };
                let is_require = self
                    .declared
                    .imports
                    .get(import as usize)
                    .is_some_and(|import| import.kind == ImportKind::Require);
                let name = self.name("require");
                // To the compiler `require` gives `any` in TypeScript.
                let is_script = self.declared.language == Language::JavaScript;
                if !is_require || !is_script || self.lookup(scope, name, super::Meaning::VALUE).is_some() {
                    return false;
                }
                self.set(slot, Expr::Require(import));
                true
            }
            _ => false,
        }
    }

    /// Records the site and the callee's value.
    fn call_site(&mut self, callee: Node<'t>, kind: CallKind, scope: ScopeIx) -> ExprIx {
        let mut named = callee;
        let name = loop {
            match self.kind(named) {
                Kind::Parenthesized
                | Kind::NonNull
                | Kind::InstantiationExpression
                | Kind::AsExpression
                | Kind::Satisfies => match self.first_named(named) {
                    Some(inner) => named = inner,
                    None => break None,
                },
                Kind::Identifier | Kind::Super => break Some(named),
                Kind::Member | Kind::NestedIdentifier => break self.field(named, Field::Property),
                Kind::Subscript => {
                    let key = self.field(named, Field::Index);
                    break key.filter(|&key| self.string_literal(key).is_some());
                }
                _ => break None,
            }
        };
        let slot = self.value(callee, scope);
        // A function called where it stands names nothing; the call is still a place where something runs, but not
        // one anybody can ask about.
        let anonymous = matches!(self.kind(named), Kind::ArrowFunction | Kind::FunctionExpression);
        // What a local `require` gives is not told from what the module system's gives.
        let is_require = self.kind(callee) == Kind::Identifier && self.text_of(callee) == "require";
        if !anonymous && !is_require {
            let text = name.map(|node| self.string_literal(node).unwrap_or_else(|| self.text_of(node)));
            let name_ix = text.map(|text| self.name(text));
            let at = name.map_or(callee.start_byte(), |node| node.start_byte());
            let caller = self.scope(scope).caller;
            self.calls.push((at, CallSite { kind, callee: slot, name: name_ix, line: 0, column: 0, caller }));
        }
        slot
    }

    pub(super) fn jsx(&mut self, node: Node<'t>, scope: ScopeIx) {
        let children = self.children(node);
        let name = child_in(&children, Field::Name);
        let mut component = None;
        if let Some(name) = name {
            let is_component = match self.kind(name) {
                // Lower-case names are elements of the page, not values.
                Kind::Identifier => !self.text_of(name).starts_with(|c: char| c.is_ascii_lowercase()),
                Kind::Member | Kind::NestedIdentifier => true,
                _ => false,
            };
            if is_component {
                component = Some(self.call_site(name, CallKind::Jsx, scope));
            }
        }
        for &(field, child) in children.iter().rev() {
            match (field, self.kind(child)) {
                (Field::Name, _) => {}
                (Field::TypeArguments, _) => {
                    self.type_of(child, scope);
                }
                (_, Kind::JsxAttribute) => self.jsx_attribute(child, component, scope),
                _ if child.is_named() => self.push(child, scope, Want::Effects),
                _ => {}
            }
        }
        self.done(children);
    }

    fn jsx_attribute(&mut self, node: Node<'t>, component: Option<ExprIx>, scope: ScopeIx) {
        let children = self.children(node);
        let mut named = children.iter().map(|child| child.1).filter(Node::is_named);
        let (name, value) = (named.next(), named.next());
        self.done(children);
        let (Some(name), Some(value)) = (name, value) else { return };
        let inner = match self.kind(value) {
            Kind::JsxExpression => self.first_named(value),
            _ => Some(value),
        };
        let Some(node) = inner else { return };
        let context = match component {
            Some(component) if self.kind(name) == Kind::PropertyIdentifier => {
                Some(Context::Attribute { component, name: self.name_of(name) })
            }
            _ => None,
        };
        self.tasks.push(Task { node, scope, want: Want::Effects, context, tested: Tested::No });
    }

    pub(super) fn decorator(&mut self, node: Node<'t>, scope: ScopeIx) {
        let Some(mut inner) = self.first_named(node) else { return };
        while self.kind(inner) == Kind::Parenthesized {
            let Some(next) = self.first_named(inner) else { return };
            inner = next;
        }
        if self.kind(inner) != Kind::Call {
            self.call_site(inner, CallKind::Decorator, scope);
            return;
        }
        let children = self.children(inner);
        let callee = child_in(&children, Field::Function);
        let arguments = child_in(&children, Field::Arguments);
        let type_arguments = child_in(&children, Field::TypeArguments);
        self.done(children);
        let Some(callee) = callee else { return };
        let callee = self.call_site(callee, CallKind::Decorator, scope);
        let arguments = arguments.map(|arguments| self.arguments(arguments)).unwrap_or_default();
        let make = |callee, type_arguments, arguments| Expr::Call { callee, type_arguments, arguments };
        self.application(callee, type_arguments, &arguments, (scope, None), None, make);
    }
}
