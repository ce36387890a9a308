//! JSON Schemas of inputs and outputs, made from the types: what clients are told is what the parser enforces.

use std::sync::OnceLock;

use schemars::generate::SchemaSettings;
use schemars::transform::{Transform, transform_subschemas};
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};

use super::{Contract, Coverage, answer};

/// The schema of a tool's arguments: `type: object`, no references, unknown properties refused.
#[must_use]
pub fn input_schema<T: Contract>() -> Value {
    argument_schema::<T::Input>()
}

/// The schema of an object that callers hand over.
pub(super) fn argument_schema<T: JsonSchema>() -> Value {
    generate::<T>(SchemaSettings::draft2020_12())
}

/// The schema of a tool's whole answer, signals and `_stats` included.
#[must_use]
pub fn output_schema<T: Contract>() -> Value {
    let for_output = || SchemaSettings::draft2020_12().for_serialize();
    let mut schema = generate::<T::Output>(for_output());
    if T::COVERAGE != Coverage::None || T::HAS_STATS {
        let mut signals = generate::<answer::Signals>(for_output());
        leave_to_their_names(&mut signals["properties"]["index_building"], &["done", "total"]);
        add_properties(&mut schema, signals, |name| answer::carries::<T>(name));
    }
    if T::HAS_STATS {
        let mut stats = generate::<answer::Stats>(for_output());
        if !T::COUNTS_EXCLUDED {
            remove_property(&mut stats, "excluded_files");
        }
        if let Some(stats) = stats.as_object_mut() {
            stats.remove("$schema");
        }
        leave_to_their_names(&mut stats, &["tool", "files_referenced", "duration_ms"]);
        add_properties(&mut schema, json!({"properties": {"_stats": stats}, "required": ["_stats"]}), |_| {
            true
        });
    }
    schema
}

/// Takes the descriptions off properties whose names say it all. Every tool repeats them, and clients put them before a model.
fn leave_to_their_names(schema: &mut Value, names: &[&str]) {
    for name in names {
        if let Some(property) = schema["properties"][*name].as_object_mut() {
            property.remove("description");
        }
    }
}

/// Makes a schema once and keeps it.
#[derive(Debug)]
pub struct CachedSchema {
    make: fn() -> Value,
    made: OnceLock<Value>,
}

impl CachedSchema {
    /// Will call `make` when first asked.
    pub(crate) const fn new(make: fn() -> Value) -> Self {
        Self { make, made: OnceLock::new() }
    }

    /// The schema.
    pub fn get(&self) -> &Value {
        self.made.get_or_init(self.make)
    }
}

fn generate<T: JsonSchema>(settings: SchemaSettings) -> Value {
    let is_output = settings.contract.is_serialize();
    let settings = settings.with(|s| {
        s.inline_subschemas = true;
        s.meta_schema = None;
    });
    let mut schema = settings
        .with_transform(Simplify { is_output })
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value();
    if let Some(object) = schema.as_object_mut() {
        object.remove("title");
        object.remove("description");
    }
    schema
}

/// Puts schemas in the plain form that every client understands: no number formats (validators warn about those they
/// do not know), one list of allowed texts instead of a choice of constants, `null` as a further type instead of a
/// choice of schemas.
#[derive(Debug, Clone, Copy)]
struct Simplify {
    is_output: bool,
}

impl Transform for Simplify {
    fn transform(&mut self, schema: &mut Schema) {
        transform_subschemas(self, schema);
        let Some(object) = schema.as_object_mut() else { return };
        object.remove("format");
        if object.get("minimum") == Some(&json!(0)) {
            object.remove("minimum");
        }
        if let Some(Value::String(text)) = object.get_mut("description") {
            *text = text.replace('\n', " ");
        }
        if object.get("default").is_some_and(Value::is_null) {
            object.remove("default");
        }
        merge_constants(object);
        merge_null(object);
        mark_required(object);
        // The list says what its entries are.
        if let Some(item) = object.get_mut("items").and_then(Value::as_object_mut) {
            item.remove("description");
        }
        if self.is_output {
            refuse_null(object);
        }
    }
}

/// Arguments without which there is no question carry `x-required`, because their types have defaults like all others.
fn mark_required(object: &mut Map<String, Value>) {
    let Some(properties) = object.get_mut("properties").and_then(Value::as_object_mut) else { return };
    let mut required: Vec<Value> = Vec::new();
    for (name, property) in properties {
        let Some(property) = property.as_object_mut() else { continue };
        if property.remove("x-required").is_some() {
            property.remove("default");
            required.push(name.as_str().into());
        }
    }
    if !required.is_empty() {
        object.insert("required".into(), required.into());
    }
}

/// `oneOf: [{const: "a"}, …]` → `enum: ["a", …]`.
fn merge_constants(object: &mut Map<String, Value>) {
    let Some(choices) = object.get("oneOf").and_then(Value::as_array) else { return };
    let constants: Option<Vec<Value>> = choices
        .iter()
        .map(|choice| match (choice.get("const"), choice.get("enum").and_then(Value::as_array)) {
            (Some(constant), _) => Some(vec![constant.clone()]),
            (None, Some(constants)) => Some(constants.clone()),
            (None, None) => None,
        })
        .collect::<Option<Vec<_>>>()
        .map(|lists| lists.concat());
    if let Some(constants) = constants {
        object.remove("oneOf");
        object.insert("type".into(), "string".into());
        object.insert("enum".into(), constants.into());
    }
}

/// `anyOf: [S, {type: null}]` → `S` that also allows `null`.
fn merge_null(object: &mut Map<String, Value>) {
    let Some([Value::Object(some), none]) = object.get("anyOf").and_then(Value::as_array).map(Vec::as_slice)
    else {
        return;
    };
    if none.get("type") != Some(&json!("null")) {
        return;
    }
    let mut some = some.clone();
    object.remove("anyOf");
    if let Some(single) = some.remove("type") {
        some.insert("type".into(), json!([single, "null"]));
    }
    if let Some(constants) = some.get_mut("enum").and_then(Value::as_array_mut) {
        constants.push(Value::Null);
    }
    for (key, value) in some {
        // The description of the property says more than that of its type.
        object.entry(key).or_insert(value);
    }
}

/// A field of an answer that does not apply is left out, never null.
fn refuse_null(object: &mut Map<String, Value>) {
    let required = object.get("required").cloned().unwrap_or_default();
    let is_required = |name: &str| required.as_array().is_some_and(|all| all.iter().any(|n| n == name));
    let Some(properties) = object.get_mut("properties").and_then(Value::as_object_mut) else { return };
    for (name, property) in properties {
        let Some(property) = property.as_object_mut() else { continue };
        if property.remove("x-nullable").is_some() || is_required(name) {
            continue;
        }
        if let Some([single, Value::String(null)]) =
            property.get("type").and_then(Value::as_array).map(Vec::as_slice)
            && null == "null"
        {
            let single = single.clone();
            property.insert("type".into(), single);
        }
    }
}

fn add_properties(schema: &mut Value, mut from: Value, keep: impl Fn(&str) -> bool) {
    let (Some(into), Some(from)) = (schema.as_object_mut(), from.as_object_mut()) else { return };
    if let Some(Value::Object(added)) = from.remove("properties") {
        let properties = into.entry("properties").or_insert_with(|| json!({}));
        if let Some(properties) = properties.as_object_mut() {
            properties.extend(added.into_iter().filter(|(name, _)| keep(name)));
        }
    }
    if let Some(Value::Array(added)) = from.remove("required") {
        let required = into.entry("required").or_insert_with(|| json!([]));
        if let Some(required) = required.as_array_mut() {
            required.extend(added.into_iter().filter(|name| name.as_str().is_some_and(&keep)));
        }
    }
}

fn remove_property(schema: &mut Value, name: &str) {
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.remove(name);
    }
    if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
        required.retain(|required| required != name);
    }
}

#[cfg(test)]
#[path = "schema_tests.rs"]
mod tests;
