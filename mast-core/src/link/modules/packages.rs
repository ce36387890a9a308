//! package.json files: which packages the workspace holds, under which name each is seen from where, and what a
//! package offers.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use serde_json::Value;

use super::configs::{Configs, string, strings};
use super::files::{strip, upward};
use super::glob::{Glob, expand_braces};
use crate::model::normalize;

/// One package.json, as far as resolution asks.
#[derive(Debug)]
pub(super) struct Package {
    /// Its directory.
    pub(super) dir: String,
    /// `name`.
    pub(super) name: Option<String>,
    /// `exports`.
    pub(super) exports: Option<Value>,
    /// `imports`.
    pub(super) imports: Option<Value>,
    /// Values of the fields that name the entry file, the most telling first.
    pub(super) entries: Vec<String>,
    /// `publishConfig.exports`.
    pub(super) published_exports: Option<Value>,
    /// `publishConfig` entry fields.
    pub(super) published_entries: Vec<String>,
    dependencies: HashMap<String, String>,
}

const ENTRY_FIELDS: [&str; 6] = ["source", "types", "typings", "module", "main", "browser"];
const DEPENDENCY_FIELDS: [&str; 4] =
    ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];

impl Package {
    fn new(dir: &str, value: &Value) -> Self {
        let entries = |of: &Value| {
            ENTRY_FIELDS.iter().filter_map(|field| string(of, field)).map(str::to_owned).collect()
        };
        let published = value.get("publishConfig").unwrap_or(&Value::Null);
        let mut dependencies = HashMap::new();
        for field in DEPENDENCY_FIELDS {
            for (name, version) in value.get(field).and_then(Value::as_object).into_iter().flatten() {
                if let Some(version) = version.as_str() {
                    dependencies.entry(name.clone()).or_insert_with(|| version.to_owned());
                }
            }
        }
        Self {
            dir: dir.to_owned(),
            name: string(value, "name").filter(|name| !name.is_empty()).map(str::to_owned),
            exports: value.get("exports").filter(|value| !value.is_null()).cloned(),
            imports: value.get("imports").cloned(),
            entries: entries(value),
            published_exports: published.get("exports").cloned(),
            published_entries: entries(published),
            dependencies,
        }
    }
}

/// Where a bare specifier's package is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// A package of the workspace.
    Here(usize),
    /// A package of the workspace that is not there, or not the only one of its name.
    Unclear,
    /// From a registry, and stated so.
    Registry,
    /// Nobody in the workspace has the name.
    Unknown,
}

/// Every package of the workspace.
#[derive(Debug, Default)]
pub(super) struct Packages {
    list: Vec<Package>,
    by_directory: HashMap<String, usize>,
    by_name: HashMap<String, Vec<usize>>,
    /// Members by name, by the directory of the workspace root that lists them.
    workspaces: HashMap<String, HashMap<String, Vec<usize>>>,
}

impl Packages {
    /// Reads the package.json, pnpm-workspace.yaml and lerna.json files among `config_paths`.
    pub(super) fn load(config_paths: &[String], configs: &mut Configs<'_>) -> Self {
        let mut packages = Self::default();
        let mut members: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for path in config_paths {
            let (dir, file) = path.rsplit_once('/').unwrap_or(("", path));
            let patterns = match file {
                "package.json" => configs.json(path).map(|value| {
                    packages.add(dir, &value);
                    workspace_patterns(&value)
                }),
                "pnpm-workspace.yaml" => configs.yaml_strings(path, "packages"),
                "lerna.json" => configs.json(path).map(|value: Rc<Value>| match value.get("packages") {
                    None if value.get("useWorkspaces").is_none() => vec!["packages/*".to_owned()],
                    list => strings(list),
                }),
                _ => None,
            };
            members.entry(dir.to_owned()).or_default().extend(patterns.into_iter().flatten());
        }
        for (root, patterns) in members {
            if !patterns.is_empty() {
                packages.add_workspace(root, &patterns);
            }
        }
        packages
    }

    fn add(&mut self, dir: &str, value: &Value) {
        let package = Package::new(dir, value);
        let at = self.list.len();
        if let Some(name) = &package.name {
            self.by_name.entry(name.clone()).or_default().push(at);
        }
        self.by_directory.insert(dir.to_owned(), at);
        self.list.push(package);
    }

    fn add_workspace(&mut self, root: String, patterns: &[String]) {
        let globs = |negated: bool| -> Vec<Glob> {
            let chosen = patterns.iter().filter(|pattern| pattern.starts_with('!') == negated);
            let written_out = chosen.flat_map(|pattern| expand_braces(pattern.trim_start_matches('!')));
            written_out
                .filter_map(|pattern| normalize(&root, &pattern))
                .map(|pattern| Glob::new(&pattern))
                .collect()
        };
        let (listed, excluded) = (globs(false), globs(true));
        let mut by_name: HashMap<String, Vec<usize>> = HashMap::new();
        for (at, package) in self.list.iter().enumerate() {
            let Some(name) = &package.name else { continue };
            let is_member = listed.iter().any(|glob| glob.matches(&package.dir))
                && !excluded.iter().any(|glob| glob.matches(&package.dir));
            // The root is a package of its own workspace too.
            if is_member || package.dir == root {
                by_name.entry(name.clone()).or_default().push(at);
            }
        }
        self.workspaces.insert(root, by_name);
    }

    /// The package with this number.
    pub(super) fn get(&self, at: usize) -> Option<&Package> {
        self.list.get(at)
    }

    /// The package in exactly this directory.
    pub(super) fn at(&self, directory: &str) -> Option<&Package> {
        self.by_directory.get(directory).and_then(|&at| self.list.get(at))
    }

    /// The package that a file in `directory` belongs to.
    pub(super) fn enclosing(&self, directory: &str) -> Option<&Package> {
        upward(directory).find_map(|dir| self.at(dir))
    }

    /// Whether a package.json around `directory` states a dependency on `name`.
    pub(super) fn is_declared(&self, directory: &str, name: &str) -> bool {
        upward(directory)
            .filter_map(|dir| self.at(dir))
            .any(|package| package.dependencies.contains_key(name))
    }

    /// Where the package called `name` is for a file in `directory`.
    pub(super) fn find(&self, directory: &str, name: &str) -> Origin {
        if let Some(origin) = self.declared_origin(directory, name) {
            return origin;
        }
        let enclosing = self.enclosing(directory);
        if let Some(package) = enclosing.filter(|package| package.exports.is_some())
            && package.name.as_deref() == Some(name)
            && let Some(&at) = self.by_directory.get(&package.dir)
        {
            return Origin::Here(at);
        }
        upward(directory)
            .filter_map(|root| self.workspaces.get(root)?.get(name))
            .map(|members| sole(members))
            .next()
            .unwrap_or(Origin::Unknown)
    }

    /// What the version in the nearest package.json that states the dependency says outright: a directory, another
    /// name, the workspace, a registry. `None` for an ordinary version, which a workspace package may satisfy.
    fn declared_origin(&self, directory: &str, name: &str) -> Option<Origin> {
        let declaring = upward(directory)
            .filter_map(|dir| self.at(dir))
            .find(|package| package.dependencies.contains_key(name))?;
        let version = declaring.dependencies.get(name)?;
        if let Some(path) =
            ["file:", "link:", "portal:"].iter().find_map(|protocol| version.strip_prefix(protocol))
        {
            let at = normalize(&declaring.dir, path).and_then(|dir| self.by_directory.get(&dir).copied());
            return at.map(Origin::Here);
        }
        if let Some(aliased) = version.strip_prefix("npm:") {
            // `npm:` and nothing but the same name says no more than `*` does, and pnpm links the workspace's own package.
            return (aliased != name).then_some(Origin::Registry);
        }
        let rest = version.strip_prefix("workspace:")?;
        // `workspace:name@range` is an alias, `workspace:../dir` a path, anything else a range.
        if rest.starts_with('.') {
            let at = normalize(&declaring.dir, rest).and_then(|dir| self.by_directory.get(&dir).copied());
            return at.map(Origin::Here);
        }
        let aliased = rest.rfind('@').filter(|&at| at > 0).map(|at| &rest[..at]);
        let name = aliased.unwrap_or(name);
        let listed = upward(directory).find_map(|root| self.workspaces.get(root)?.get(name));
        Some(listed.or_else(|| self.by_name.get(name)).map_or(Origin::Unclear, |members| sole(members)))
    }
}

fn sole(members: &[usize]) -> Origin {
    match members {
        [at] => Origin::Here(*at),
        _ => Origin::Unclear,
    }
}

/// `workspaces: […]` or `workspaces: { packages: […] }`.
fn workspace_patterns(value: &Value) -> Vec<String> {
    match value.get("workspaces") {
        Some(Value::Object(table)) => strings(table.get("packages")),
        list => strings(list),
    }
}

/// Splits a bare specifier into package name and what follows (`""` or a path); `None` when no package can have the
/// name, as with `@/x`, `~/x` or `$lib/x`.
pub(super) fn split_name(specifier: &str) -> Option<(&str, &str)> {
    let slash = if specifier.starts_with('@') {
        let scope = specifier.find('/')?;
        specifier[scope + 1..].find('/').map(|at| scope + 1 + at)
    } else {
        specifier.find('/')
    };
    let (name, rest) = match slash {
        Some(at) => (&specifier[..at], &specifier[at + 1..]),
        None => (specifier, ""),
    };
    let bare = name.strip_prefix('@').unwrap_or(name);
    let is_segment = |segment: &str| {
        !segment.is_empty()
            && !segment.starts_with('.')
            && segment != "~"
            && segment.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._~".contains(&b))
    };
    let is_name = match bare.split_once('/') {
        Some((scope, name)) => is_segment(scope) && is_segment(name),
        None => !name.starts_with('@') && is_segment(bare),
    };
    is_name.then_some((name, rest))
}

/// The path of `rest` in a package at `dir`.
pub(super) fn inside(dir: &str, rest: &str) -> Option<String> {
    normalize(dir, rest).filter(|path| path == dir || strip(path, dir).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_no_package_can_have_are_refused() {
        assert_eq!(split_name("@a/b/c/d"), Some(("@a/b", "c/d")));
        assert_eq!(split_name("lodash"), Some(("lodash", "")));
        assert_eq!(split_name("lodash/fp.js"), Some(("lodash", "fp.js")));
        for odd in ["@/x", "~/x", "$lib/x", "@a", "", "a b"] {
            assert_eq!(split_name(odd), None, "{odd}");
        }
    }
}
