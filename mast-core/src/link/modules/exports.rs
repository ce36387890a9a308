//! `exports` and `imports` of a package.json: which targets a subpath may mean, best first.
//!
//! The lookup is Node's (exact key, then the pattern with the longest part before its star). The choice among
//! conditions is not: the question is not what a run would load but which source file is meant, so every target is
//! kept, ordered by how directly its condition speaks of source.

use serde_json::{Map, Value};

/// What the table says about a subpath.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Lookup {
    /// No key covers it.
    Unlisted,
    /// A key covers it; its targets, best first. Empty when the package closes the subpath (`null`).
    Targets(Vec<String>),
}

/// Looks up `subpath` (`.` or `./sub`) in an `exports` value.
pub(super) fn exports(value: &Value, subpath: &str, conditions: &[String]) -> Lookup {
    match value {
        Value::Object(table) if table.keys().any(|key| key.starts_with('.')) => {
            lookup(table, subpath, conditions)
        }
        // A string, an array or a table of conditions is short for `{ ".": … }`.
        _ if subpath == "." => Lookup::Targets(targets(value, "", conditions)),
        _ => Lookup::Unlisted,
    }
}

/// Looks up `#name` in an `imports` value.
pub(super) fn imports(value: &Value, name: &str, conditions: &[String]) -> Lookup {
    value.as_object().map_or(Lookup::Unlisted, |table| lookup(table, name, conditions))
}

fn lookup(table: &Map<String, Value>, key: &str, conditions: &[String]) -> Lookup {
    if let Some(value) = table.get(key).filter(|_| !key.contains('*')) {
        return Lookup::Targets(targets(value, "", conditions));
    }
    let mut best: Option<(&str, &str, &Value)> = None;
    for (pattern, value) in table {
        // A key that ends in `/` is the old form of `/*`.
        let (head, tail) = match pattern.split_once('*') {
            Some(parts) => parts,
            None if pattern.ends_with('/') => (pattern.as_str(), ""),
            None => continue,
        };
        let covers = key.len() > head.len() + tail.len() && key.starts_with(head) && key.ends_with(tail);
        let is_better = best.is_none_or(|(h, t, _)| (head.len(), tail.len()) > (h.len(), t.len()));
        if covers && is_better {
            best = Some((head, tail, value));
        }
    }
    match best {
        Some((head, tail, value)) => {
            Lookup::Targets(targets(value, &key[head.len()..key.len() - tail.len()], conditions))
        }
        None => Lookup::Unlisted,
    }
}

fn targets(value: &Value, star: &str, conditions: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    collect(value, star, conditions, &mut found);
    found
}

/// Nesting is bounded by the reader of configuration files.
fn collect(value: &Value, star: &str, conditions: &[String], found: &mut Vec<String>) {
    match value {
        Value::String(target) => {
            let mut target = target.replace('*', star);
            if target.ends_with('/') {
                target.push_str(star);
            }
            if !found.contains(&target) {
                found.push(target);
            }
        }
        Value::Array(choices) => {
            for choice in choices {
                collect(choice, star, conditions, found);
            }
        }
        Value::Object(table) => {
            let mut keys: Vec<&String> = table.keys().collect();
            keys.sort_by_key(|key| preference(key, conditions));
            for key in keys {
                collect(&table[key.as_str()], star, conditions, found);
            }
        }
        _ => {}
    }
}

fn preference(condition: &str, custom: &[String]) -> u8 {
    if custom.iter().any(|name| name == condition) {
        return 0;
    }
    match condition {
        "src" | "ts" | "typescript" => 1,
        _ if condition.contains("source") => 1,
        "types" => 2,
        _ if condition.starts_with("types@") => 2,
        "development" => 3,
        "import" | "module-sync" => 4,
        "module" => 5,
        "node" => 6,
        "default" => 7,
        "require" => 8,
        _ => 9,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(value: &Value, subpath: &str) -> Option<Vec<String>> {
        match exports(value, subpath, &["custom".to_owned()]) {
            Lookup::Targets(targets) => Some(targets),
            Lookup::Unlisted => None,
        }
    }

    fn list(items: &[&str]) -> Vec<String> {
        items.iter().map(|&item| item.to_owned()).collect()
    }

    #[test]
    fn short_forms_mean_the_package_itself() {
        assert_eq!(check(&json!("./a.js"), "."), Some(list(&["./a.js"])));
        assert_eq!(check(&json!(["./a.js", "./b.js"]), "."), Some(list(&["./a.js", "./b.js"])));
        assert_eq!(check(&json!({"import": "./a.js"}), "."), Some(list(&["./a.js"])));
        assert_eq!(check(&json!("./a.js"), "./sub"), None);
    }

    #[test]
    fn conditions_are_ordered_by_how_they_speak_of_source() {
        let value = json!({".": {
            "browser": "./browser.js", "require": "./a.cjs", "import": { "types": "./a.d.ts", "default": "./a.js" },
            "@x/source": "./src/a.ts", "custom": "./custom.ts", "default": "./d.js"
        }});
        let expected =
            ["./custom.ts", "./src/a.ts", "./a.d.ts", "./a.js", "./d.js", "./a.cjs", "./browser.js"];
        assert_eq!(check(&value, "."), Some(list(&expected)));
    }

    #[test]
    fn the_longest_head_wins_and_null_closes() {
        let value = json!({"./*": "./src/*.ts", "./icons/*": "./assets/*.ts", "./icons/*.svg": "./svg/*.ts",
            "./internal/*": null, "./old/": "./lib/", "./icons/fixed": "./fixed.ts"});
        assert_eq!(check(&value, "./a/b"), Some(list(&["./src/a/b.ts"])));
        assert_eq!(check(&value, "./icons/x"), Some(list(&["./assets/x.ts"])));
        assert_eq!(check(&value, "./icons/x.svg"), Some(list(&["./svg/x.ts"])));
        assert_eq!(check(&value, "./icons/fixed"), Some(list(&["./fixed.ts"])));
        assert_eq!(check(&value, "./internal/x"), Some(list(&[])));
        assert_eq!(check(&value, "./old/x.js"), Some(list(&["./lib/x.js"])));
        assert_eq!(check(&value, "."), None);
    }
}
