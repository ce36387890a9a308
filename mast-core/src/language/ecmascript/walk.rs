//! One pass over the syntax tree that gathers declarations, imports and exports in file order.
//!
//! The pass keeps its own stack of tasks, so nesting costs heap and not call stack. Only what can hold a declaration
//! or an import is entered: the places of the keywords that begin one are found in the text first, and a subtree
//! without any is passed over.

use std::sync::Arc;

use tree_sitter::{Node, TreeCursor};

use super::chunks::Region;
use super::comments::{Item, list_items};
use super::syntax::{Kind, Syntax};
use crate::language::lines::{Lines, offset};
use crate::model::{
    ByteRange, ChunkKind, Export, Import, ImportedName, Language, LineRange, Symbol, SymbolDetail, SymbolIx,
    SymbolKind,
};

/// What kind of list a declaration stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    /// The file itself.
    Module,
    /// A namespace, ambient module or `declare global`.
    Namespace,
    /// A class body.
    Class,
    /// An interface body or type literal.
    Interface,
    /// An object literal.
    Object,
    /// A function body or other block.
    Local,
}

/// The surroundings of a declaration.
#[derive(Debug, Clone)]
pub(super) struct Scope {
    /// What list it is.
    pub(super) level: Level,
    /// The symbol around it.
    pub(super) symbol: Option<SymbolIx>,
    /// Qualified name of what is around it.
    pub(super) container: Option<Arc<str>>,
    /// Inside a function body.
    pub(super) is_local: bool,
    /// Members are exported without saying so.
    pub(super) is_ambient: bool,
    /// Declarations become regions, inside this one.
    pub(super) region: Option<u32>,
    /// The scope of blocks inside that have no symbol of their own.
    local: Option<ScopeIx>,
}

impl Scope {
    /// Lets a changed copy have blocks of its own.
    pub(super) fn forget_local(&mut self) {
        self.local = None;
    }
}

/// A name of an import: what is imported, the local name, its line.
pub(super) type BoundName = (ImportedName, String, u32);

/// Position of a [`Scope`].
pub(super) type ScopeIx = usize;

/// How a symbol's export flag follows from its surroundings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    /// As exported as the enclosing symbol.
    Inherited,
    /// Never exported.
    Private,
    /// Exported when the enclosing symbol is and this says so.
    Stated(bool),
}

/// Work still to be done.
#[derive(Debug)]
pub(super) enum Task<'t> {
    /// An entry of the list of a scope.
    Item(Item<'t>, ScopeIx),
    /// One variable of a declaration.
    Declarator(Declarator<'t>, ScopeIx),
    /// Any other syntax that may hold declarations or imports.
    Node(Node<'t>, ScopeIx, bool),
}

/// One variable with its share of the statement.
#[derive(Debug)]
pub(super) struct Declarator<'t> {
    /// The declarator.
    pub(super) node: Node<'t>,
    /// Share of the statement with comments.
    pub(super) range: ByteRange,
    /// The declaration's own text.
    pub(super) span: ByteRange,
    /// First token of the declaration.
    pub(super) keyword: usize,
    /// Documentation of the statement.
    pub(super) doc: Option<ByteRange>,
    /// `export`.
    pub(super) is_exported: bool,
}

/// A symbol about to be declared.
#[derive(Debug)]
pub(super) struct Declared {
    /// Last segment of its name.
    pub(super) name: String,
    /// Kind.
    pub(super) kind: SymbolKind,
    /// From the first modifier or decorator to the last token.
    pub(super) span: ByteRange,
    /// First byte without decorators.
    pub(super) keyword: usize,
    /// The name itself.
    pub(super) name_span: ByteRange,
    /// Export flag.
    pub(super) access: Access,
    /// Static member.
    pub(super) is_static: bool,
    /// Details.
    pub(super) detail: SymbolDetail,
}

/// Collects what a file declares.
pub(super) struct Walk<'a, 't> {
    pub(super) syntax: &'static Syntax,
    pub(super) text: &'a str,
    pub(super) lines: &'a Lines,
    pub(super) language: Language,
    pub(super) stem: &'a str,
    pub(super) symbols: Vec<Symbol>,
    pub(super) access: Vec<Access>,
    pub(super) regions: Vec<Region>,
    pub(super) imports: Vec<Import>,
    pub(super) exports: Vec<Export>,
    pub(super) symbol_starts: Vec<(u32, SymbolIx)>,
    pub(super) import_starts: Vec<(u32, u32)>,
    /// Names the next `require` or `import()` call at this byte is taken apart into.
    pub(super) bound_names: Option<(usize, Vec<BoundName>)>,
    /// Names exported by `export { a }` inside a namespace.
    pub(super) namespace_exports: Vec<(ScopeIx, String)>,
    /// Some statement of the module says by name or value what is exported, instead of standing before a declaration.
    pub(super) lists_exports: bool,
    pub(super) scopes: Vec<Scope>,
    pub(super) stack: Vec<Task<'t>>,
    cursor: TreeCursor<'t>,
    keywords: Vec<u32>,
}

impl<'a, 't> Walk<'a, 't> {
    pub(super) fn new(
        root: Node<'t>,
        syntax: &'static Syntax,
        text: &'a str,
        lines: &'a Lines,
        language: Language,
        path: &'a crate::model::RepoPath,
    ) -> Self {
        let module = Scope {
            level: Level::Module,
            symbol: None,
            container: None,
            is_local: false,
            is_ambient: path.is_declaration(),
            region: None,
            local: None,
        };
        Self {
            syntax,
            text,
            lines,
            language,
            stem: path.stem(),
            symbols: Vec::new(),
            access: Vec::new(),
            regions: Vec::new(),
            imports: Vec::new(),
            exports: Vec::new(),
            symbol_starts: Vec::new(),
            import_starts: Vec::new(),
            bound_names: None,
            namespace_exports: Vec::new(),
            lists_exports: false,
            scopes: vec![module],
            stack: Vec::new(),
            cursor: root.walk(),
            keywords: keywords(text),
        }
    }

    /// Visits everything below `root`.
    pub(super) fn run(&mut self, root: Node<'t>) {
        self.push_list(root, 0);
        while let Some(task) = self.stack.pop() {
            match task {
                Task::Item(item, scope) => match self.scopes[scope].level {
                    Level::Module | Level::Namespace | Level::Local => self.statement(&item, scope),
                    Level::Class => self.class_member(&item, scope),
                    Level::Interface => self.interface_member(&item, scope),
                    Level::Object => self.object_member(&item, scope),
                },
                Task::Declarator(declarator, scope) => self.declarator(&declarator, scope),
                Task::Node(node, scope, in_type) => self.node(node, scope, in_type),
            }
        }
        self.export_ambient_declarations();
    }

    /// Plans a visit of the entries of `list`, in order.
    pub(super) fn push_list(&mut self, list: Node<'t>, scope: ScopeIx) {
        if self.scopes[scope].level == Level::Local && !self.holds_keyword(list) {
            return;
        }
        let found = list_items(list, &mut self.cursor, self.syntax, self.text, self.lines);
        self.stack.extend(found.into_iter().rev().map(|item| Task::Item(item, scope)));
    }

    /// Plans a visit of the children of `node` that may hold something.
    pub(super) fn push_children(&mut self, node: Node<'t>, scope: ScopeIx, in_type: bool) {
        let from = self.stack.len();
        self.cursor.reset(node);
        let mut more = self.cursor.goto_first_child();
        while more {
            let child = self.cursor.node();
            if child.is_named() && self.holds_keyword(child) {
                self.stack.push(Task::Node(child, scope, in_type));
            }
            more = self.cursor.goto_next_sibling();
        }
        self.stack[from..].reverse();
    }

    /// Plans a visit of `node`.
    pub(super) fn push_node(&mut self, node: Node<'t>, scope: ScopeIx) {
        if self.holds_keyword(node) {
            self.stack.push(Task::Node(node, scope, false));
        }
    }

    fn node(&mut self, node: Node<'t>, scope: ScopeIx, in_type: bool) {
        match self.syntax.kind(node) {
            Kind::Program | Kind::StatementBlock => {
                let local = self.local_of(scope);
                self.push_list(node, local);
            }
            Kind::FunctionExpression
            | Kind::GeneratorFunction
            | Kind::ArrowFunction
            | Kind::MethodDefinition
            | Kind::FunctionDeclaration
            | Kind::GeneratorDeclaration => {
                let local = self.local_of(scope);
                self.push_children(node, local, in_type);
            }
            Kind::LexicalDeclaration | Kind::VariableDeclaration | Kind::UsingDeclaration => {
                let item = Item {
                    node,
                    overloads: Vec::new(),
                    lead: offset(node.start_byte()),
                    start: offset(node.start_byte()),
                    trail: offset(node.end_byte()),
                    doc: None,
                };
                let local = self.local_of(scope);
                self.statement(&item, local);
            }
            Kind::ClassExpression => self.class_expression(node, scope),
            Kind::CallExpression => {
                self.import_call(node, in_type);
                self.push_children(node, scope, in_type);
            }
            Kind::TypeAnnotation
            | Kind::TypeArguments
            | Kind::TypeParameters
            | Kind::TypeQuery
            | Kind::ImplementsClause
            | Kind::ExtendsTypeClause => self.push_children(node, scope, true),
            Kind::TypeIdentifier | Kind::Identifier => self.masked_import_type(node),
            _ => self.push_children(node, scope, in_type),
        }
    }

    /// The scope of blocks inside `scope` that declare no symbol themselves.
    pub(super) fn local_of(&mut self, scope: ScopeIx) -> ScopeIx {
        if self.scopes[scope].level == Level::Local {
            return scope;
        }
        if let Some(local) = self.scopes[scope].local {
            return local;
        }
        let local = self.scopes.len();
        let around = &self.scopes[scope];
        let inner = Scope {
            level: Level::Local,
            symbol: around.symbol,
            container: around.container.clone(),
            is_local: true,
            is_ambient: false,
            region: None,
            local: None,
        };
        self.scopes.push(inner);
        self.scopes[scope].local = Some(local);
        local
    }

    /// A scope inside `symbol`, which was declared in `around`.
    pub(super) fn scope_in(
        &mut self,
        symbol: SymbolIx,
        level: Level,
        around: ScopeIx,
        region: Option<u32>,
    ) -> ScopeIx {
        let container = self.symbols[symbol.0 as usize].qualified_name();
        let around = &self.scopes[around];
        let scope = Scope {
            level,
            symbol: Some(symbol),
            container: Some(container.into()),
            is_local: around.is_local || level == Level::Local,
            is_ambient: around.is_ambient,
            region: region.filter(|_| level != Level::Local),
            local: None,
        };
        self.scopes.push(scope);
        self.scopes.len() - 1
    }

    /// Records a symbol of `scope`.
    pub(super) fn declare(&mut self, new: Declared, scope: ScopeIx) -> SymbolIx {
        let ix = SymbolIx(offset(self.symbols.len()));
        let around = &self.scopes[scope];
        self.symbol_starts.push((new.name_span.start, ix));
        self.symbols.push(Symbol {
            name: new.name,
            container: around.container.as_deref().map(str::to_owned),
            kind: new.kind,
            parent: around.symbol,
            lines: self.line_range(new.keyword, new.span.end as usize),
            span: new.span,
            name_line: self.lines.line(new.name_span.start as usize),
            name_span: new.name_span,
            is_exported: false,
            is_local: around.is_local,
            is_static: new.is_static,
            ordinal: 0,
            detail: new.detail,
        });
        self.access.push(new.access);
        ix
    }

    /// Records a chunk for `symbol` of `scope`, unless declarations there get none.
    pub(super) fn region(
        &mut self,
        kind: ChunkKind,
        symbol: SymbolIx,
        range: ByteRange,
        head_end: usize,
        scope: ScopeIx,
    ) -> Option<u32> {
        let lines = self.symbols[symbol.0 as usize].lines;
        let declaration = self.symbols[symbol.0 as usize].span.start;
        let region = Region {
            parent: None,
            kind,
            symbol: Some(symbol),
            name: None,
            range,
            declaration,
            head_end: offset(head_end),
            lines,
            is_exported: false,
        };
        self.push_region(region, scope)
    }

    /// Records a chunk of `scope`.
    pub(super) fn push_region(&mut self, region: Region, scope: ScopeIx) -> Option<u32> {
        let around = &self.scopes[scope];
        if around.is_local || around.level == Level::Interface {
            return None;
        }
        self.regions.push(Region { parent: around.region, ..region });
        Some(offset(self.regions.len() - 1))
    }

    /// Whether a keyword that can begin a declaration or import stands in `node`.
    pub(super) fn holds_keyword(&self, node: Node<'_>) -> bool {
        let (start, end) = (offset(node.start_byte()), offset(node.end_byte()));
        let at = self.keywords.partition_point(|keyword| *keyword < start);
        self.keywords.get(at).is_some_and(|keyword| *keyword < end)
    }

    pub(super) fn line_range(&self, start: usize, end: usize) -> LineRange {
        self.lines.range(start, end)
    }

    pub(super) fn text_of(&self, node: Node<'_>) -> &'a str {
        self.text.get(node.byte_range()).unwrap_or("")
    }
}

/// Offsets of everything that can begin a nested declaration or an import.
fn keywords(text: &str) -> Vec<u32> {
    let mut found = Vec::new();
    for word in ["=>", "function", "class", "import", "require", "interface", "enum ", "namespace", "type "] {
        let finder = memchr::memmem::Finder::new(word);
        found.extend(finder.find_iter(text.as_bytes()).map(offset));
    }
    // Methods of object literals and classes have no keyword, but only count inside constants and classes, whose lists
    // are always read.
    found.sort_unstable();
    found
}
