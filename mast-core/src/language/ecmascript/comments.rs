//! Lists of declarations with the comments and decorators that belong to each.

use tree_sitter::{Node, TreeCursor};

use super::syntax::{Field, Kind, Syntax};
use crate::language::lines::{Lines, offset};
use crate::model::ByteRange;

/// One entry of a statement or member list.
#[derive(Debug, Clone)]
pub(super) struct Item<'t> {
    /// The statement or member; of a group of overloads the last one.
    pub(super) node: Node<'t>,
    /// Overload signatures before `node`, in order.
    pub(super) overloads: Vec<Node<'t>>,
    /// First byte of the comments, decorators and overloads that belong to it.
    pub(super) lead: u32,
    /// First byte of its decorators, else of the first overload, else of `node`.
    pub(super) start: u32,
    /// Just behind `node` and a comment that trails on its last line.
    pub(super) trail: u32,
    /// Documentation directly above.
    pub(super) doc: Option<ByteRange>,
}

/// Reads the children of list node `list` into items. Comments that belong to none are left out.
pub(super) fn list_items<'t>(
    list: Node<'t>,
    cursor: &mut TreeCursor<'t>,
    syntax: &Syntax,
    text: &str,
    lines: &Lines,
) -> Vec<Item<'t>> {
    let mut found: Vec<Item<'t>> = Vec::new();
    let mut comments = Comments { text, lines, doc: None };
    let mut decorators: Option<u32> = None;
    cursor.reset(list);
    let mut more = cursor.goto_first_child();
    while more {
        let node = cursor.node();
        match syntax.kind(node) {
            Kind::Comment | Kind::HtmlComment => match found.last_mut() {
                Some(previous) if comments.doc.is_none() && comments.trails(previous, node) => {
                    previous.trail = offset(node.end_byte());
                }
                _ => comments.add(node),
            },
            Kind::Decorator => {
                let start = decorators.get_or_insert_with(|| offset(node.start_byte()));
                comments.settle(*start as usize);
            }
            _ if !node.is_named() => {
                if let Some(last) = found.last_mut()
                    && matches!(node.kind(), ";" | ",")
                    && text[last.trail as usize..node.start_byte()].trim().is_empty()
                {
                    last.trail = offset(node.end_byte());
                }
            }
            _ => {
                let start = decorators.take().unwrap_or_else(|| offset(node.start_byte()));
                let doc = comments.take(start as usize);
                let lead = doc.map_or(start, |doc| doc.start);
                let trail = offset(node.end_byte());
                let item = Item { node, overloads: Vec::new(), lead, start, trail, doc };
                push_grouped(&mut found, item, syntax, text);
            }
        }
        more = cursor.goto_next_sibling();
    }
    found
}

/// Appends `item`, or folds the overload signature before it into it.
fn push_grouped<'t>(found: &mut Vec<Item<'t>>, mut item: Item<'t>, syntax: &Syntax, text: &str) {
    if let Some(last) = found.last_mut()
        && let Some(before) = overload_name(last.node, syntax, true)
        && let Some(name) = overload_name(item.node, syntax, false)
        && text[before.byte_range()] == text[name.byte_range()]
        && is_static(last.node, syntax) == is_static(item.node, syntax)
        && is_accessor(last.node, syntax) == is_accessor(item.node, syntax)
    {
        last.overloads.push(last.node);
        last.node = item.node;
        last.trail = item.trail;
        if last.doc.is_none() {
            last.doc = item.doc.take();
        }
    } else {
        found.push(item);
    }
}

/// The name of a function or method signature; of an implementation too unless `only_signatures`.
fn overload_name<'t>(node: Node<'t>, syntax: &Syntax, only_signatures: bool) -> Option<Node<'t>> {
    let mut inner = node;
    loop {
        match syntax.kind(inner) {
            Kind::ExportStatement => inner = syntax.child(inner, Field::Declaration)?,
            Kind::AmbientDeclaration => inner = inner.named_child(0)?,
            Kind::FunctionSignature | Kind::MethodSignature | Kind::AbstractMethodSignature => break,
            Kind::FunctionDeclaration | Kind::GeneratorDeclaration | Kind::MethodDefinition
                if !only_signatures =>
            {
                break;
            }
            _ => return None,
        }
    }
    syntax.child(inner, Field::Name)
}

/// Whether `node` has the token `static`.
pub(super) fn is_static(node: Node<'_>, syntax: &Syntax) -> bool {
    has_token(node, syntax, &[Kind::StaticToken, Kind::StaticGetToken])
}

/// Whether `node` is a getter or setter.
pub(super) fn is_accessor(node: Node<'_>, syntax: &Syntax) -> bool {
    has_token(node, syntax, &[Kind::GetToken, Kind::SetToken, Kind::StaticGetToken])
}

/// Whether a child before the name of `node` is one of `tokens`.
fn has_token(node: Node<'_>, syntax: &Syntax, tokens: &[Kind]) -> bool {
    let name = syntax.child(node, Field::Name).or_else(|| syntax.child(node, Field::Property));
    let end = name.map_or(node.end_byte(), |name| name.start_byte());
    (0..)
        .map_while(|at| node.child(at))
        .take_while(|child| child.start_byte() < end)
        .any(|child| tokens.contains(&syntax.kind(child)))
}

struct Comments<'a> {
    text: &'a str,
    lines: &'a Lines,
    /// Comment, or run of adjacent line comments, that the next declaration may own.
    doc: Option<ByteRange>,
}

impl Comments<'_> {
    fn trails(&self, last: &Item<'_>, comment: Node<'_>) -> bool {
        let (from, to) = (last.trail as usize, comment.start_byte());
        self.text.get(from..to).is_some_and(|gap| !gap.contains('\n') && gap.trim().is_empty())
            && self.lines.line(from.saturating_sub(1)) == self.lines.line(to)
    }

    fn add(&mut self, comment: Node<'_>) {
        let range = ByteRange::new(comment.start_byte(), comment.end_byte());
        self.settle(comment.start_byte());
        self.doc = match self.doc {
            Some(run) if is_line_comment(run, self.text) && is_line_comment(range, self.text) => {
                Some(ByteRange { start: run.start, end: range.end })
            }
            _ => Some(range),
        };
    }

    /// Drops a comment that a blank line or code parts from `start`.
    fn settle(&mut self, start: usize) {
        if let Some(doc) = self.doc {
            let gap = self.text.get(doc.end as usize..start).unwrap_or("x");
            if !gap.trim().is_empty() || memchr::memchr_iter(b'\n', gap.as_bytes()).count() > 1 {
                self.doc = None;
            }
        }
    }

    /// The documentation of a declaration that starts at `start`.
    fn take(&mut self, start: usize) -> Option<ByteRange> {
        // Decorators lie between; `settle` has already compared the comment with the first of them.
        self.settle(start);
        self.doc.take()
    }
}

fn is_line_comment(range: ByteRange, text: &str) -> bool {
    range.of(text).starts_with("//")
}
