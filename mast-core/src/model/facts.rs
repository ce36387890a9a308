//! What linking must know about a file: its bindings, the expressions and types that say what they hold, its call
//! sites. A small intermediate form of the program, with every name already looked up in the scopes of the file.
//!
//! Everything lives in arenas and refers by index, so a file's facts can be kept as one compact blob and read back
//! without the source. Lexical scope analysis happens once, when the facts are made: an identifier is either a
//! [`Binding`] of this file or a global name.

use serde::{Deserialize, Serialize};

use super::SymbolIx;

macro_rules! index {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub struct $name(pub u32);

        impl $name {
            /// The index as a `usize`.
            #[must_use]
            pub fn at(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

index! {
    /// Index into [`ModuleFacts::names`].
    NameIx;
    /// Index into [`ModuleFacts::bindings`].
    BindingIx;
    /// Index into [`ModuleFacts::expressions`].
    ExprIx;
    /// Index into [`ModuleFacts::types`].
    TypeIx;
    /// Index into [`ModuleFacts::functions`].
    FunctionIx;
    /// Index into [`ModuleFacts::classes`].
    ClassIx;
    /// Index into [`ModuleFacts::interfaces`].
    InterfaceIx;
    /// Index into [`ModuleFacts::aliases`].
    TypeAliasIx;
    /// Index into [`ModuleFacts::objects`].
    ObjectIx;
    /// Index into [`ModuleFacts::namespaces`].
    NamespaceIx;
}

/// The linking facts of one file.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ModuleFacts {
    /// Every name mentioned, once.
    pub names: Vec<String>,
    /// Declared names of all scopes.
    pub bindings: Vec<Binding>,
    /// Bindings of the file's top-level scope, by name.
    pub top_level: Vec<(NameIx, BindingIx)>,
    /// Expressions that matter for some call, declaration or export.
    pub expressions: Vec<Expr>,
    /// Type annotations.
    pub types: Vec<TypeExpr>,
    /// Functions of every form, signatures included.
    pub functions: Vec<FunctionFacts>,
    /// Classes.
    pub classes: Vec<ClassFacts>,
    /// Interfaces and type literals.
    pub interfaces: Vec<InterfaceFacts>,
    /// Type aliases.
    pub aliases: Vec<TypeAliasFacts>,
    /// Object literals that matter.
    pub objects: Vec<ObjectFacts>,
    /// Namespaces, enums included (their members are their exports).
    pub namespaces: Vec<NamespaceFacts>,
    /// Call sites in file order.
    pub calls: Vec<CallSite>,
    /// Mentions of types and of values in type position or heritage clauses, in file order.
    pub type_references: Vec<TypeReference>,
    /// Where calls stand that take functions: tells type parameters that only the result mentions. Sorted by call.
    pub call_contexts: Vec<(ExprIx, Context)>,
    /// Tests that may narrow the type of a value: within them an edge from its declared type would be wrong.
    pub guards: Vec<Guard>,
    /// Value of `export default <expression>`.
    pub default_export: Option<ExprIx>,
    /// Value of `export =` / `module.exports =`.
    pub export_equals: Option<ExprIx>,
    /// Values of `exports.x = …` / `module.exports.x = …`.
    pub commonjs_exports: Vec<(NameIx, ExprIx)>,
    /// `declare global` and `declare module "m"` blocks, and scripts without imports or exports, put names in scopes
    /// other files see; they are never used to prove anything but are recorded to doubt global names.
    pub augments_globals: bool,
}

/// A declared name in some scope of the file. Merged declarations share one binding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Binding {
    /// The name.
    pub name: NameIx,
    /// All that is declared under the name, in file order; more than one for merged declarations.
    pub values: Vec<BindingValue>,
    /// Assigned to after its declaration, or declared more than once as a variable: what it holds is not known from
    /// its initializer alone (a type annotation still counts).
    pub is_reassigned: bool,
}

/// What one declaration puts into a binding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum BindingValue {
    /// A name of an import: position in the file's imports and in its names.
    Import {
        /// Position in the import list.
        import: u32,
        /// Position in the names of that import.
        name: u32,
    },
    /// Function declaration.
    Function(FunctionIx),
    /// Class declaration.
    Class(ClassIx),
    /// Interface declaration.
    Interface(InterfaceIx),
    /// Type alias.
    TypeAlias(TypeAliasIx),
    /// Type parameter with its constraint.
    TypeParameter {
        /// `extends …`.
        constraint: Option<TypeIx>,
        /// `= …`.
        default: Option<TypeIx>,
    },
    /// Namespace or enum.
    Namespace(NamespaceIx),
    /// Variable.
    Variable {
        /// The symbol, where the variable is one.
        symbol: Option<SymbolIx>,
        /// Its annotation.
        annotation: Option<TypeIx>,
        /// Its initializer.
        initializer: Option<ExprIx>,
    },
    /// Parameter of a function.
    Parameter {
        /// The function.
        function: FunctionIx,
        /// Position among its parameters, a `this` parameter not counted.
        position: u32,
    },
    /// Variable or parameter taken apart by a pattern: `const { a: [x] } = source`.
    Destructured {
        /// The symbol, where the variable is one.
        symbol: Option<SymbolIx>,
        /// What is taken apart.
        source: ExprIx,
        /// The way from the source to this name.
        path: Vec<PathStep>,
        /// Default value in the pattern.
        default: Option<ExprIx>,
    },
    /// `for (const x of source)`: one element of what `source` iterates (awaited for `for await`).
    ElementOf {
        /// The iterated expression.
        source: ExprIx,
        /// Way from the element to this name, for patterns.
        path: Vec<PathStep>,
    },
    /// Catch variable, `for … in` key, and whatever else cannot be known.
    Opaque,
}

/// One step into a destructured value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum PathStep {
    /// `{ name }`.
    Property(NameIx),
    /// `[ , x ]`.
    Index(u32),
    /// `...rest`.
    Rest,
}

/// An expression, as far as it can say which declaration a value comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Expr {
    /// Anything not modelled.
    Unknown,
    /// A name bound in this file.
    Binding(BindingIx),
    /// A name no scope of this file binds.
    Global(NameIx),
    /// `this` inside the given class or function, or unknown.
    This(Option<Declarer>),
    /// `super` inside the given class.
    Super {
        /// The class.
        class: ClassIx,
        /// In a static member.
        is_static: bool,
    },
    /// `object.name`, `object?.name`, `object["name"]`, `object.#name`.
    Member {
        /// The receiver.
        object: ExprIx,
        /// The member, `#` included.
        name: NameIx,
    },
    /// `object[…]` with a key that is no string literal.
    Element(ExprIx),
    /// A call.
    Call {
        /// What is called.
        callee: ExprIx,
        /// Written type arguments.
        type_arguments: Vec<TypeIx>,
        /// Arguments, up to a spread.
        arguments: Vec<ExprIx>,
    },
    /// `new callee(…)`.
    New {
        /// The constructor.
        callee: ExprIx,
        /// Written type arguments.
        type_arguments: Vec<TypeIx>,
        /// Arguments, up to a spread.
        arguments: Vec<ExprIx>,
    },
    /// `await value`.
    Await(ExprIx),
    /// `value as T`, `<T>value`. `as const`, `satisfies T` and `value!` leave only the value.
    Cast {
        /// The value.
        value: ExprIx,
        /// The type.
        to: TypeIx,
    },
    /// Function or arrow expression.
    Function(FunctionIx),
    /// Class expression.
    Class(ClassIx),
    /// Object literal.
    Object(ObjectIx),
    /// Array literal, up to a spread.
    Array(Vec<ExprIx>),
    /// One of several values: `a ? b : c`, `a || b`, `a ?? b`, `a && b` (its right side).
    OneOf(Vec<ExprIx>),
    /// `test(value) ? value : …` and `value instanceof C ? value : …`: the value where the test holds.
    Tested {
        /// The value.
        value: ExprIx,
        /// The test.
        test: GuardTest,
    },
    /// A value of a primitive type.
    Literal(Literal),
    /// Dynamic `import("m")`: a promise of the namespace of that import (position in the import list).
    ImportCall(u32),
    /// `require("m")`: the namespace (or `export =` value) of that import.
    Require(u32),
}

/// Primitive types a literal or operator proves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Literal {
    /// String or template.
    String,
    /// Number or bigint.
    Number,
    /// Boolean.
    Boolean,
    /// Regular expression.
    RegExp,
    /// `null`, `undefined`, `void x`.
    Nullish,
}

/// What `this` is an instance of, or what owns a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Declarer {
    /// An instance of the class.
    Instance(ClassIx),
    /// The class itself (static members).
    Static(ClassIx),
    /// What the function's `this` parameter, its context, or the object literal it stands in says.
    Function(FunctionIx),
}

/// A type as written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum TypeExpr {
    /// Anything not modelled; also `any` and `unknown`.
    Unknown,
    /// `string`, `number`, `boolean`, ….
    Primitive(Literal),
    /// A literal type: one value of a primitive type.
    Constant(Literal),
    /// `void`, `undefined`, `null`, `never`: adds nothing to a union.
    Nothing,
    /// `A.B<C>`.
    Named {
        /// First name.
        head: TypeHead,
        /// Further names.
        path: Vec<NameIx>,
        /// Type arguments.
        arguments: Vec<TypeIx>,
    },
    /// `typeof value` (the expression is a binding or a member chain).
    TypeOf(ExprIx),
    /// `T[]`, `readonly T[]`.
    Array(TypeIx),
    /// `[A, B]`.
    Tuple(Vec<TypeIx>),
    /// `[A, ...B[]]`.
    OpenTuple {
        /// `A`.
        first: Vec<TypeIx>,
        /// `B[]`.
        rest: TypeIx,
    },
    /// `A | B`.
    Union(Vec<TypeIx>),
    /// `A & B`.
    Intersection(Vec<TypeIx>),
    /// Function type.
    Function(FunctionIx),
    /// `new (…) => T`.
    Constructor(FunctionIx),
    /// `{ … }`.
    Literal(InterfaceIx),
    /// `this`.
    This,
    /// `T["name"]`.
    Indexed {
        /// The type.
        object: TypeIx,
        /// The property.
        name: NameIx,
    },
    /// `T[number]`.
    Element(TypeIx),
    /// `T[K]` with any other key.
    IndexedBy {
        /// The type.
        object: TypeIx,
        /// The key.
        key: TypeIx,
    },
    /// `{ [K in keyof T]: … }`.
    Mapped {
        /// `T`.
        source: TypeIx,
        /// `K`.
        key: BindingIx,
        /// Type of each property.
        value: TypeIx,
    },
    /// `A extends B ? C : D`.
    Conditional {
        /// `C`.
        consequence: TypeIx,
        /// `D`.
        alternative: TypeIx,
    },
}

/// First name of a type reference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum TypeHead {
    /// A name bound in this file.
    Binding(BindingIx),
    /// A name no scope of this file binds (`Promise`, `Array`, …).
    Global(NameIx),
    /// `import("m")`: position in the import list.
    Import(u32),
}

/// A type parameter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypeParameter {
    /// Its binding, which holds constraint and default.
    pub binding: BindingIx,
}

/// A function, method, accessor, constructor, or one signature of them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct FunctionFacts {
    /// The symbol it is, if it is one.
    pub symbol: Option<SymbolIx>,
    /// Type parameters.
    pub type_parameters: Vec<TypeParameter>,
    /// Parameters, a `this` parameter left out.
    pub parameters: Vec<Parameter>,
    /// Type of the written `this` parameter.
    pub this_type: Option<TypeIx>,
    /// The written return type; for predicates and assertions, unknown.
    pub return_type: Option<TypeIx>,
    /// Returned expressions of a body without a written return type, nested functions left out.
    pub returns: Vec<ExprIx>,
    /// Yields values of a generator (`yield*` as the iterated expression wrapped in [`Expr::Element`]).
    pub is_generator: bool,
    /// Result is a promise of what is returned.
    pub is_async: bool,
    /// Overload signatures, in order, the implementation left out.
    pub overloads: Vec<FunctionIx>,
    /// The parameter a predicate or assertion signature is about and the type it asserts (`x is T`, `asserts x is T`).
    pub predicate: Option<(Asserted, TypeIx)>,
    /// Where the function expression stands: types its parameters.
    pub context: Option<Context>,
}

/// What a type predicate is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Asserted {
    /// The receiver of the call.
    This,
    /// The parameter at this position.
    Parameter(u32),
}

/// Where an expression stands, as far as that gives it a type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Context {
    /// Argument of a call or `new`, by position.
    Argument {
        /// The call.
        call: ExprIx,
        /// Position among the arguments.
        position: u32,
    },
    /// Under a written type: annotation of the variable or property, `satisfies`, `as`.
    Type(TypeIx),
    /// Value of a property of an object literal.
    Property {
        /// The object literal.
        object: ObjectIx,
        /// The property.
        name: NameIx,
    },
    /// Returned by the function.
    Returned(FunctionIx),
    /// Attribute of the JSX element whose component is the expression.
    Attribute {
        /// The component.
        component: ExprIx,
        /// The attribute.
        name: NameIx,
    },
}

/// A parameter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameter {
    /// Its binding; `None` for a pattern and in signatures.
    pub binding: Option<BindingIx>,
    /// Its annotation.
    pub annotation: Option<TypeIx>,
    /// Its default value.
    pub default: Option<ExprIx>,
    /// `...rest`.
    pub is_rest: bool,
    /// `name?`, or has a default.
    pub is_optional: bool,
}

/// What kind of member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum MemberKind {
    /// Method or method signature.
    Method,
    /// Property, parameter property, auto-accessor, property signature.
    Property,
    /// Getter.
    Getter,
    /// Setter.
    Setter,
    /// Constructor or construct signature.
    Constructor,
    /// Call signature of an interface or type literal.
    Call,
}

/// A member of a class, interface or type literal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// Its name, `#` included; `None` for computed names, constructors and call signatures.
    pub name: Option<NameIx>,
    /// What kind.
    pub kind: MemberKind,
    /// `static`.
    pub is_static: bool,
    /// `private` or `#private`.
    pub is_private: bool,
    /// The symbol it is, if it is one.
    pub symbol: Option<SymbolIx>,
    /// Annotation of a property.
    pub annotation: Option<TypeIx>,
    /// Initializer of a property.
    pub initializer: Option<ExprIx>,
    /// Signature and body of methods, accessors, constructors and call signatures.
    pub function: Option<FunctionIx>,
}

/// A class.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ClassFacts {
    /// The symbol, unless anonymous.
    pub symbol: Option<SymbolIx>,
    /// Type parameters.
    pub type_parameters: Vec<TypeParameter>,
    /// The `extends` expression and its type arguments.
    pub extends: Option<(ExprIx, Vec<TypeIx>)>,
    /// `implements` types.
    pub implements: Vec<TypeIx>,
    /// Members in file order.
    pub members: Vec<Member>,
}

/// An interface or type literal.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct InterfaceFacts {
    /// The symbol; `None` for a type literal.
    pub symbol: Option<SymbolIx>,
    /// Type parameters.
    pub type_parameters: Vec<TypeParameter>,
    /// `extends` types.
    pub extends: Vec<TypeIx>,
    /// Members in file order.
    pub members: Vec<Member>,
}

/// A type alias.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypeAliasFacts {
    /// The symbol.
    pub symbol: Option<SymbolIx>,
    /// Type parameters.
    pub type_parameters: Vec<TypeParameter>,
    /// What it stands for.
    pub target: TypeIx,
}

/// An object literal.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ObjectFacts {
    /// Members in file order.
    pub members: Vec<ObjectMember>,
    /// Spread sources, each with the number of members written before it.
    pub spreads: Vec<(u32, ExprIx)>,
    /// Has a computed key, so that a member may be hidden by one not known.
    pub has_computed: bool,
    /// Where the literal stands: types its functions' parameters and their `this`.
    pub context: Option<Context>,
}

/// A member of an object literal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObjectMember {
    /// Its name.
    pub name: NameIx,
    /// The symbol, where it is one (methods and functions of a top-level constant's object).
    pub symbol: Option<SymbolIx>,
    /// Its value; of a getter, the getter's function with [`MemberKind::Getter`].
    pub value: ExprIx,
    /// Method, property, getter or setter.
    pub kind: MemberKind,
}

/// A namespace block or an enum.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct NamespaceFacts {
    /// The symbol.
    pub symbol: Option<SymbolIx>,
    /// Exported members and their bindings.
    pub exports: Vec<(NameIx, BindingIx)>,
    /// It is an enum; its members are values.
    pub is_enum: bool,
}

/// A test or assignment that may narrow the type of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Guard {
    /// What is narrowed.
    pub subject: GuardSubject,
    /// By what.
    pub test: GuardTest,
}

/// What a [`Guard`] narrows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum GuardSubject {
    /// A name.
    Binding(BindingIx),
    /// Any `….name`, whatever the receiver.
    Member(NameIx),
}

/// How a [`Guard`] narrows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum GuardTest {
    /// Removes members of a union only: comparison, `typeof`, `in`, truth of a property, assignment.
    Discriminant,
    /// `subject instanceof class`.
    InstanceOf(ExprIx),
    /// Passed to this callee, which may be a type predicate or an assertion.
    Call {
        /// The callee.
        callee: ExprIx,
        /// As what.
        subject: Asserted,
    },
}

/// How a call is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum CallKind {
    /// `f()`, `super()`, `import()` left out.
    Call,
    /// `new F()`.
    New,
    /// `` tag`…` ``.
    TaggedTemplate,
    /// `<Component …>`.
    Jsx,
    /// `@decorator`, `@decorator(…)`.
    Decorator,
}

/// One call site.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallSite {
    /// How it is written.
    pub kind: CallKind,
    /// What is called.
    pub callee: ExprIx,
    /// Last name of the callee (`m` of `a.b.m()`, `super` of `super()`); `None` for an anonymous callee.
    pub name: Option<NameIx>,
    /// 1-based line of the callee's last name.
    pub line: u32,
    /// 1-based column of the callee's last name, in UTF-16 code units.
    pub column: u32,
    /// The innermost enclosing symbol that has a name and is no local one; where there is none, the innermost local one;
    /// `None` at module level.
    pub caller: Option<SymbolIx>,
}

/// A mention of a declaration that is no call: a type reference, an `extends` or `implements` clause, `typeof x`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypeReference {
    /// What is named.
    pub to: TypeIx,
    /// 1-based line of the last name.
    pub line: u32,
    /// 1-based column of the last name, in UTF-16 code units.
    pub column: u32,
}
