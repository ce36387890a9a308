//! The parts of a declaration that say how it is used: parameters, return type, type names.

use tree_sitter::Node;

use super::syntax::{Field, Kind, Syntax};
use crate::model::{ByteRange, ParameterText, SymbolDetail};

/// Adds parameters, return type and type names of function-like `node` to `detail`.
pub(super) fn describe_function(node: Node<'_>, syntax: &Syntax, text: &str, detail: &mut SymbolDetail) {
    detail.parameters.clear();
    let type_parameters = syntax.child(node, Field::TypeParameters);
    if let Some(list) = syntax.child(node, Field::Parameters) {
        for at in 0..list.named_child_count() {
            let Some(child) = u32::try_from(at).ok().and_then(|at| list.named_child(at)) else { break };
            detail.parameters.extend(parameter(child, syntax));
        }
    } else if let Some(single) = syntax.child(node, Field::Parameter) {
        detail.parameters.extend(parameter(single, syntax));
    }
    let return_type = syntax.child(node, Field::ReturnType);
    detail.return_type = return_type.map(|node| annotation_range(node, syntax));
    let parts = [type_parameters, syntax.child(node, Field::Parameters), return_type];
    for part in parts.into_iter().flatten() {
        collect_type_names(part, syntax, text, &mut detail.type_names);
    }
    drop_type_parameters(node, syntax, text, &mut detail.type_names);
}

/// Drops the names of the type parameters of `node`, which no other declaration means.
pub(super) fn drop_type_parameters(node: Node<'_>, syntax: &Syntax, text: &str, names: &mut Vec<ByteRange>) {
    let Some(list) = syntax.child(node, Field::TypeParameters) else { return };
    let mut cursor = list.walk();
    for parameter in list.named_children(&mut cursor) {
        if let Some(name) = syntax.child(parameter, Field::Name) {
            let name = text.get(name.byte_range()).unwrap_or("");
            names.retain(|range| range.of(text) != name);
        }
    }
}

fn parameter(node: Node<'_>, syntax: &Syntax) -> Option<ParameterText> {
    let range = |node: Node<'_>| ByteRange::new(node.start_byte(), node.end_byte());
    let (pattern, type_annotation, default, is_marked) = match syntax.kind(node) {
        kind @ (Kind::RequiredParameter | Kind::OptionalParameter) => (
            syntax.child(node, Field::Pattern)?,
            syntax.child(node, Field::Type),
            syntax.child(node, Field::Value),
            kind == Kind::OptionalParameter,
        ),
        Kind::AssignmentPattern => {
            (syntax.child(node, Field::Left)?, None, syntax.child(node, Field::Right), false)
        }
        Kind::Identifier | Kind::RestPattern | Kind::ObjectPattern | Kind::ArrayPattern => {
            (node, None, None, false)
        }
        _ => return None,
    };
    if syntax.kind(pattern) == Kind::This {
        return None;
    }
    let is_rest = syntax.kind(pattern) == Kind::RestPattern;
    let name = if is_rest { pattern.named_child(0).unwrap_or(pattern) } else { pattern };
    Some(ParameterText {
        name: range(name),
        type_annotation: type_annotation.map(|node| annotation_range(node, syntax)),
        default: default.map(range),
        is_optional: is_marked || default.is_some(),
        is_rest,
    })
}

/// The type of an annotation, without its colon.
pub(super) fn annotation_range(node: Node<'_>, syntax: &Syntax) -> ByteRange {
    let inner = match syntax.kind(node) {
        Kind::TypeAnnotation | Kind::Other => node.named_child(0).filter(|_| starts_with_colon(node)),
        _ => None,
    };
    let inner = inner.unwrap_or(node);
    ByteRange::new(inner.start_byte(), node.end_byte().max(inner.end_byte()))
}

fn starts_with_colon(node: Node<'_>) -> bool {
    node.child(0).is_some_and(|first| first.kind() == ":")
}

/// Adds the names of types mentioned anywhere below `node`, those already present left out.
pub(super) fn collect_type_names(node: Node<'_>, syntax: &Syntax, text: &str, names: &mut Vec<ByteRange>) {
    let mut cursor = node.walk();
    let mut depth = 0_u32;
    loop {
        let here = cursor.node();
        let enters = match syntax.kind(here) {
            Kind::TypeIdentifier | Kind::NestedTypeIdentifier => {
                add_name(here, text, names);
                false
            }
            Kind::TypeQuery => {
                if let Some(named) = here.named_child(0).filter(|n| syntax.kind(*n) == Kind::Identifier) {
                    add_name(named, text, names);
                }
                true
            }
            Kind::StatementBlock | Kind::ClassBody => false,
            _ => true,
        };
        if enters && cursor.goto_first_child() {
            depth += 1;
            continue;
        }
        while !cursor.goto_next_sibling() {
            if depth == 0 || !cursor.goto_parent() {
                return;
            }
            depth -= 1;
        }
        if depth == 0 {
            return;
        }
    }
}

fn add_name(node: Node<'_>, text: &str, names: &mut Vec<ByteRange>) {
    let range = ByteRange::new(node.start_byte(), node.end_byte());
    let name = range.of(text);
    let last = name.rsplit('.').next().unwrap_or(name);
    let is_pascal = last.chars().next().is_some_and(|c| c.is_uppercase() || c == '_' || c == '$');
    if is_pascal && !names.iter().any(|other| other.of(text) == name) {
        names.push(range);
    }
}
