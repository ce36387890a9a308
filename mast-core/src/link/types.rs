//! Types as far as linking knows them.

use std::rc::Rc;

use crate::model::{
    BindingIx, ClassIx, ExprIx, FileId, FunctionIx, InterfaceIx, Literal, NamespaceIx, ObjectIx, TypeIx,
};

/// What is known while a declaration is looked at from outside: type arguments and the receiver.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Environment {
    /// What `this` is; `None` for the plain surrounding class.
    pub(super) this: Option<Type>,
    /// Type parameters with what stands for them.
    pub(super) bound: Vec<(FileId, BindingIx, Type)>,
}

/// A shared environment; `None` is the empty one.
pub(super) type Env = Option<Rc<Environment>>;

/// A thing of a file with the environment it is seen in.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct At<I> {
    pub(super) file: FileId,
    pub(super) ix: I,
    pub(super) env: Env,
}

impl<I> At<I> {
    pub(super) fn new(file: FileId, ix: I, env: &Env) -> Self {
        Self { file, ix, env: env.clone() }
    }
}

/// Type of a value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Type {
    /// Anything: nothing can be proven of it.
    Unknown,
    /// `undefined`, `null`, `void`, `never`.
    Nothing,
    /// A value of a primitive type.
    Primitive(Literal),
    /// Instance of a class.
    Instance(At<ClassIx>),
    /// The class itself.
    Class(At<ClassIx>),
    /// Interface or type literal.
    Interface(At<InterfaceIx>),
    /// Object literal.
    Object(At<ObjectIx>),
    /// Function.
    Function(At<FunctionIx>),
    /// Constructor type.
    Constructor(At<FunctionIx>),
    /// Namespace or enum.
    Namespace(FileId, NamespaceIx),
    /// The exports of a file.
    Module(FileId),
    /// A type parameter nothing stands for.
    Parameter(FileId, BindingIx),
    /// One of several; never fewer than two, never nested, no [`Type::Nothing`].
    Union(Rc<[Type]>),
    /// All of several.
    Intersection(Rc<[Type]>),
    /// Tuple.
    Tuple(Rc<[Type]>),
    /// Mapped type over the properties of another type.
    Mapped(TypeAt),
    /// The name of a property, as a type.
    Key(Rc<str>),
    /// A type of the language's library.
    Builtin(Builtin, Rc<[Type]>),
}

/// Library types that pass other types through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Builtin {
    /// `Array<T>`, `ReadonlyArray<T>`.
    Array,
    /// `Promise<T>`.
    Promise,
    /// `Map<K, V>`.
    Map,
    /// `Set<T>`.
    Set,
    /// Iterators and iterables of `T`, asynchronous ones, too.
    Iterable,
    /// `Record<K, V>`.
    Record,
}

impl Type {
    pub(super) fn builtin(kind: Builtin, arguments: impl IntoIterator<Item = Self>) -> Self {
        Self::Builtin(kind, arguments.into_iter().collect())
    }

    pub(super) fn array(element: Self) -> Self {
        Self::builtin(Builtin::Array, [element])
    }

    /// Joins alternatives. An unknown one makes the whole unknown.
    pub(super) fn union(types: impl IntoIterator<Item = Self>) -> Self {
        let mut members: Vec<Self> = Vec::new();
        for part in types {
            match part {
                Self::Unknown => return Self::Unknown,
                Self::Nothing => {}
                Self::Union(parts) => {
                    for part in parts.iter() {
                        if !members.contains(part) {
                            members.push(part.clone());
                        }
                    }
                }
                part if members.contains(&part) => {}
                part => members.push(part),
            }
        }
        match members.len() {
            0 => Self::Nothing,
            1 => members.swap_remove(0),
            _ => Self::Union(members.into()),
        }
    }

    pub(super) fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown)
    }
}

/// Something a name or a member leads to.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Declaration {
    /// A name of a file.
    Binding(FileId, BindingIx),
    /// An exported expression.
    Expression(FileId, ExprIx),
    /// The namespace of a file.
    Module(FileId),
    /// Member of a class by position, seen from a receiver.
    ClassMember(At<ClassIx>, usize),
    /// Member of an interface by position.
    InterfaceMember(At<InterfaceIx>, usize),
    /// Member of an object literal by position.
    ObjectMember(At<ObjectIx>, usize),
}

/// A type annotation in its file and environment.
pub(super) type TypeAt = At<TypeIx>;
