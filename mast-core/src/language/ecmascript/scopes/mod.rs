//! **Holds** scope analysis: what every name of a file means, and the expressions and types that say what it holds.
//! **Takes / gives** a syntax tree with the declarations found in it; the file's `ModuleFacts`.
//! **Never** follows an import: a name from elsewhere stays an import binding.
//! **Next** `link`, which joins the facts of many files into edges.
//!
//! One pass over the tree with an explicit stack of tasks, so that no nesting can overflow the stack. A task may carry
//! the arena slot its result goes to: parents reserve slots for the children whose value matters to them, so results
//! never travel upwards. Names are looked up only after the whole tree is seen, which makes hoisting fall out.

mod bindings;
mod calls;
mod classes;
mod declarations;
mod expressions;
mod functions;
mod grammar;
mod guards;
mod lines;
mod objects;
mod types;

use std::collections::HashMap;

use tree_sitter::{Node, Tree, TreeCursor};

use crate::model::{
    BindingIx, CallSite, Context, Expr, ExprIx, GuardTest, Language, ModuleFacts, NameIx, NamespaceIx,
    TypeExpr, TypeIx, TypeReference,
};

use self::bindings::{FastHash, Meaning, Scope, ScopeIx, Use};
use self::grammar::{Field, Grammar, Kind, Token};
use self::guards::Subject;
use self::lines::Lines;
use super::Declared;

/// The linking facts of a file.
pub(in crate::language) fn facts(tree: &Tree, text: &str, declared: &Declared<'_>) -> ModuleFacts {
    let root = tree.root_node();
    let mut analysis = Analysis {
        text,
        declared,
        grammar: Grammar::of(&tree.language()),
        cursor: root.walk(),
        pool: Vec::new(),
        tasks: Vec::new(),
        facts: ModuleFacts::default(),
        names: HashMap::default(),
        scopes: Vec::new(),
        table: HashMap::default(),
        meanings: Vec::new(),
        uses: Vec::new(),
        writes: Vec::new(),
        exports: Vec::new(),
        guards: Vec::new(),
        calls: Vec::new(),
        references: Vec::new(),
        has_body: Vec::new(),
        parameter_names: Vec::new(),
    };
    let module = analysis.add_scope(Scope { hoists: true, ..Scope::default() });
    analysis.push(root, module, Want::Effects);
    analysis.run();
    analysis.finish(module)
}

/// What is wanted of a node.
#[derive(Debug, Clone, Copy)]
enum Want {
    /// The declarations and calls inside.
    Effects,
    /// Its value, too.
    Value(ExprIx),
    /// It is a type.
    Type(TypeIx),
}

/// A node still to be visited.
#[derive(Debug, Clone, Copy)]
struct Task<'t> {
    node: Node<'t>,
    scope: ScopeIx,
    want: Want,
    context: Option<Context>,
    tested: Tested,
}

/// Whether the place of an expression lets it narrow the types of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tested {
    /// It does not.
    No,
    /// Its truth decides what runs next.
    Condition,
    /// A statement of its own: a call there may be an assertion.
    Statement,
}

/// A child with the field it stands in.
type Child<'t> = (Field, Node<'t>);

struct Analysis<'t> {
    text: &'t str,
    declared: &'t Declared<'t>,
    grammar: &'static Grammar,
    cursor: TreeCursor<'t>,
    /// Emptied child lists, kept for their memory.
    pool: Vec<Vec<Child<'t>>>,
    tasks: Vec<Task<'t>>,
    facts: ModuleFacts,
    names: HashMap<&'t str, NameIx, FastHash>,
    scopes: Vec<Scope>,
    table: HashMap<(ScopeIx, NameIx), BindingIx, FastHash>,
    /// By binding.
    meanings: Vec<Meaning>,
    /// Names to look up at the end.
    uses: Vec<Use>,
    writes: Vec<(ScopeIx, NameIx)>,
    /// Exported names of namespace blocks.
    exports: Vec<(NamespaceIx, ScopeIx, NameIx)>,
    guards: Vec<(Subject, GuardTest)>,
    /// With the byte offset of the callee's last name.
    calls: Vec<(usize, CallSite)>,
    /// With the byte offset of the last name.
    references: Vec<(usize, TypeReference)>,
    /// By function.
    has_body: Vec<bool>,
    /// Names of the parameters of the function being recorded.
    parameter_names: Vec<&'t str>,
}

impl<'t> Analysis<'t> {
    fn run(&mut self) {
        while let Some(task) = self.tasks.pop() {
            match task.want {
                Want::Type(slot) => self.visit_type(task.node, task.scope, slot),
                Want::Effects => self.visit(&task, None),
                Want::Value(slot) => self.visit(&task, Some(slot)),
            }
        }
    }

    fn kind(&self, node: Node<'_>) -> Kind {
        self.grammar.kind(node)
    }

    fn token(&self, node: Node<'_>) -> Token {
        self.grammar.token(node)
    }

    fn text_of(&self, node: Node<'_>) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or("")
    }

    fn name(&mut self, text: &'t str) -> NameIx {
        if let Some(&name) = self.names.get(text) {
            return name;
        }
        let name = NameIx(index(self.facts.names.len()));
        self.facts.names.push(text.to_owned());
        self.names.insert(text, name);
        name
    }

    fn name_of(&mut self, node: Node<'_>) -> NameIx {
        let text = self.text_of(node);
        self.name(text)
    }

    /// All children but comments. Give the list back with [`Self::done`].
    fn children(&mut self, node: Node<'t>) -> Vec<Child<'t>> {
        let mut children = self.pool.pop().unwrap_or_default();
        self.cursor.reset(node);
        if self.cursor.goto_first_child() {
            loop {
                let child = self.cursor.node();
                if !child.is_extra() || child.is_error() {
                    children.push((self.grammar.field(self.cursor.field_id()), child));
                }
                if !self.cursor.goto_next_sibling() {
                    break;
                }
            }
        }
        children
    }

    fn done(&mut self, mut children: Vec<Child<'t>>) {
        children.clear();
        self.pool.push(children);
    }

    /// The first child in a field.
    fn field(&mut self, node: Node<'t>, field: Field) -> Option<Node<'t>> {
        let children = self.children(node);
        let found = child_in(&children, field);
        self.done(children);
        found
    }

    fn first_named(&mut self, node: Node<'t>) -> Option<Node<'t>> {
        let children = self.children(node);
        let found = children.iter().map(|child| child.1).find(Node::is_named);
        self.done(children);
        found
    }

    fn push(&mut self, node: Node<'t>, scope: ScopeIx, want: Want) {
        self.tasks.push(Task { node, scope, want, context: None, tested: Tested::No });
    }

    /// Visits the named children in order, for what is inside them.
    fn push_all(&mut self, children: &[Child<'t>], scope: ScopeIx, tested: Tested) {
        for &(_, node) in children.iter().rev() {
            if node.is_named() {
                self.tasks.push(Task { node, scope, want: Want::Effects, context: None, tested });
            }
        }
    }

    /// Whether the comment before a statement of JavaScript states its type: `/** @type {Shape} */`.
    fn has_jsdoc_type(&self, statement: Node<'t>) -> bool {
        if self.declared.language != Language::JavaScript {
            return false;
        }
        let before = self.text[..statement.start_byte()].trim_end();
        let before = before.strip_suffix("export").map_or(before, str::trim_end);
        before
            .strip_suffix("*/")
            .and_then(|rest| rest.rfind("/*").map(|start| &rest[start..]))
            .is_some_and(|comment| comment.starts_with("/**") && comment.contains("@type {"))
    }

    fn expression_slot(&mut self) -> ExprIx {
        let slot = ExprIx(index(self.facts.expressions.len()));
        self.facts.expressions.push(Expr::Unknown);
        slot
    }

    fn type_slot(&mut self) -> TypeIx {
        let slot = TypeIx(index(self.facts.types.len()));
        self.facts.types.push(TypeExpr::Unknown);
        slot
    }

    fn set(&mut self, slot: Option<ExprIx>, expression: Expr) {
        if let Some(slot) = slot {
            self.facts.expressions[slot.at()] = expression;
        }
    }

    /// Reserves a slot for the node's value and visits it.
    fn value(&mut self, node: Node<'t>, scope: ScopeIx) -> ExprIx {
        self.value_in(node, scope, None)
    }

    fn value_in(&mut self, node: Node<'t>, scope: ScopeIx, context: Option<Context>) -> ExprIx {
        let slot = self.expression_slot();
        self.tasks.push(Task { node, scope, want: Want::Value(slot), context, tested: Tested::No });
        slot
    }

    /// Reserves a slot for the type and visits it. The node may be the type or an annotation around it.
    fn type_of(&mut self, node: Node<'t>, scope: ScopeIx) -> TypeIx {
        let slot = self.type_slot();
        self.push(node, scope, Want::Type(slot));
        slot
    }

    fn scope(&self, scope: ScopeIx) -> &Scope {
        &self.scopes[scope.at()]
    }

    fn add_scope(&mut self, scope: Scope) -> ScopeIx {
        let ix = ScopeIx(index(self.scopes.len()));
        self.scopes.push(scope);
        ix
    }

    /// A scope inside `parent` that shares its surroundings.
    fn inner_scope(&mut self, parent: ScopeIx) -> ScopeIx {
        let inner = Scope { parent: Some(parent), hoists: false, ..*self.scope(parent) };
        self.add_scope(inner)
    }
}

fn child_in<'t>(children: &[Child<'t>], field: Field) -> Option<Node<'t>> {
    children.iter().find(|child| child.0 == field).map(|child| child.1)
}

/// Arena positions are `u32`: a file of 4 GiB is refused long before it gets here.
fn index(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
