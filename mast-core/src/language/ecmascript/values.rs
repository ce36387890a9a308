//! What the value of a variable or property makes of it: a function, a class, an object with methods, a constant.

use tree_sitter::Node;

use super::signature::{collect_type_names, describe_function};
use super::syntax::{Field, Kind};
use super::walk::{Declared, Level, ScopeIx, Walk};
use crate::model::{ByteRange, ChunkKind, SymbolIx, SymbolKind};

/// Callees whose function argument is a step of a computation, not the thing that is declared.
const ITERATES: [&str; 22] = [
    "map",
    "filter",
    "reduce",
    "reduceRight",
    "find",
    "findIndex",
    "findLast",
    "findLastIndex",
    "forEach",
    "some",
    "every",
    "sort",
    "toSorted",
    "flatMap",
    "then",
    "catch",
    "finally",
    "replace",
    "replaceAll",
    "from",
    "fromEntries",
    "groupBy",
];
/// How many wrappers around a function are looked through.
const WRAPPERS: usize = 8;
/// A constant's whole text is its signature up to this size.
const SHORT_VALUE: usize = 200;

/// What a value is.
#[derive(Debug, Clone, Copy)]
pub(super) enum Value<'t> {
    /// A function, possibly wrapped in calls.
    Function(Node<'t>),
    /// A class expression.
    Class(Node<'t>),
    /// An object literal.
    Object(Node<'t>),
    /// Anything else.
    Other,
}

impl<'t> Walk<'_, 't> {
    /// Looks through casts, parentheses and wrapping calls to what `value` is.
    pub(super) fn classify(&self, value: Node<'t>) -> Value<'t> {
        let mut node = value;
        let mut wrappers = 0;
        loop {
            node = self.unwrapped(node);
            match self.syntax.kind(node) {
                Kind::ArrowFunction | Kind::FunctionExpression | Kind::GeneratorFunction => {
                    return Value::Function(node);
                }
                Kind::ClassExpression => return Value::Class(node),
                Kind::Object if wrappers == 0 => return Value::Object(node),
                Kind::CallExpression if wrappers < WRAPPERS => {
                    let Some(argument) = self.wrapped_argument(node) else { return Value::Other };
                    if self.callee_is(node, "Object.freeze") {
                        node = argument;
                        continue;
                    }
                    let inner = self.unwrapped(argument);
                    if self.syntax.kind(inner) == Kind::ClassExpression {
                        return Value::Other;
                    }
                    wrappers += 1;
                    node = inner;
                }
                _ => return Value::Other,
            }
        }
    }

    fn callee_is(&self, call: Node<'t>, name: &str) -> bool {
        self.syntax.child(call, Field::Function).is_some_and(|callee| self.text_of(callee) == name)
    }

    /// The first argument of a call that may wrap a function.
    fn wrapped_argument(&self, call: Node<'t>) -> Option<Node<'t>> {
        let callee = self.syntax.child(call, Field::Function)?;
        match self.syntax.kind(callee) {
            Kind::Identifier => {}
            Kind::MemberExpression => {
                let method = self.syntax.child(callee, Field::Property)?;
                if ITERATES.contains(&self.text_of(method)) {
                    return None;
                }
            }
            _ => return None,
        }
        let arguments = self.syntax.child(call, Field::Arguments)?;
        let mut cursor = arguments.walk();
        arguments
            .named_children(&mut cursor)
            .find(|child| !matches!(self.syntax.kind(*child), Kind::Comment | Kind::HtmlComment))
    }

    /// `node` without parentheses, casts and assertions around it.
    pub(super) fn unwrapped(&self, mut node: Node<'t>) -> Node<'t> {
        loop {
            let inner = match self.syntax.kind(node) {
                Kind::ParenthesizedExpression
                | Kind::AsExpression
                | Kind::SatisfiesExpression
                | Kind::NonNullExpression => {
                    let mut cursor = node.walk();
                    node.named_children(&mut cursor)
                        .find(|child| !matches!(self.syntax.kind(*child), Kind::Comment | Kind::HtmlComment))
                }
                Kind::TypeAssertion => self.last_named(node),
                _ => return node,
            };
            match inner {
                Some(inner) => node = inner,
                None => return node,
            }
        }
    }

    /// Declares `new`, whose value is `value` of class `class`, with its chunk and what is inside.
    pub(super) fn valued(
        &mut self,
        mut new: Declared,
        value: Option<Node<'t>>,
        class: Value<'t>,
        range: ByteRange,
        annotation: Option<Node<'t>>,
        scope: ScopeIx,
    ) -> SymbolIx {
        let whole = ByteRange { start: super::super::lines::offset(new.keyword), end: new.span.end };
        if let Some(annotation) = annotation {
            collect_type_names(annotation, self.syntax, self.text, &mut new.detail.type_names);
        }
        match class {
            Value::Function(function) => {
                new.kind = SymbolKind::Function;
                let head_end = self
                    .syntax
                    .child(function, Field::Body)
                    .map_or(function.end_byte(), |body| body.start_byte());
                new.detail.signatures.push(self.trimmed(new.keyword, head_end));
                describe_function(function, self.syntax, self.text, &mut new.detail);
                let symbol = self.declare(new, scope);
                self.region(ChunkKind::Function, symbol, range, head_end, scope);
                let inner = self.scope_in(symbol, Level::Local, scope, None);
                if let Some(value) = value {
                    self.push_node(value, inner);
                }
                symbol
            }
            Value::Class(class) => self.class_like(class, new, range, scope),
            Value::Object(object) => {
                let head_end = object.start_byte();
                new.detail.signatures.push(self.constant_signature(whole, head_end));
                let symbol = self.declare(new, scope);
                let region = self.region(ChunkKind::Block, symbol, range, head_end, scope);
                let inner = self.scope_in(symbol, Level::Object, scope, region);
                self.push_list(object, inner);
                symbol
            }
            Value::Other => {
                let head_end = value.map_or(whole.end as usize, |value| value.start_byte());
                new.detail.signatures.push(self.constant_signature(whole, head_end));
                let symbol = self.declare(new, scope);
                self.region(ChunkKind::Block, symbol, range, head_end, scope);
                if let Some(value) = value {
                    self.push_node(value, scope);
                }
                if let Some(annotation) = annotation {
                    self.push_node(annotation, scope);
                }
                symbol
            }
        }
    }

    /// A constant's text where it is short, else the part before its value.
    fn constant_signature(&self, whole: ByteRange, head_end: usize) -> ByteRange {
        let text = whole.of(self.text);
        if text.len() <= SHORT_VALUE && !text.contains('\n') {
            return self.trimmed(whole.start as usize, whole.end as usize);
        }
        let head = self.trimmed(whole.start as usize, head_end);
        let kept = head.of(self.text).trim_end_matches(['=', '(', ' ', '\n', '\t', '\r']);
        ByteRange { start: head.start, end: head.start + super::super::lines::offset(kept.len()) }
    }
}
