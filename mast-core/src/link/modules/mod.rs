//! **Holds** the way from a module specifier to the file it means.
//! **Takes / gives** the indexed paths and the texts of the project's configuration files; gives [`Resolved`].
//! **Never** looks at the disk: the set of indexed paths decides, so that case counts everywhere, answers do not depend
//! on what is installed or built, and equal input gives equal output.
//! **Next** the rest of `link`, which follows names through the files found here.
//!
//! The rules are TypeScript's for `moduleResolution: bundler`, with one difference of purpose: a workspace package means
//! its source, also when its package.json points at output that was never built.

mod configs;
mod exports;
mod files;
mod glob;
mod packages;
mod source;
mod tsconfig;

use std::collections::BTreeSet;

use configs::Configs;
use exports::Lookup;
use files::{Files, below, strip};
use packages::{Origin, Package, Packages, split_name};
use tsconfig::{Project, Projects};

use crate::model::{RepoPath, normalize};

/// What a module specifier means.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Resolved {
    /// An indexed file.
    File(RepoPath),
    /// A module from outside the workspace: a registry package, a builtin module, a URL.
    External,
    /// Something of the workspace that is not indexed, not there, or not the only one of its name.
    Missing,
}

/// Whether a file of this name steers module resolution, so that its text must be given to [`Resolver::new`].
#[must_use]
pub fn is_project_config(file_name: &str) -> bool {
    matches!(file_name, "package.json" | "pnpm-workspace.yaml" | "lerna.json")
        || file_name.strip_suffix(".json").is_some_and(|stem| {
            ["tsconfig", "jsconfig"].iter().any(|name| stem.strip_prefix(name).is_some_and(is_variant))
        })
}

/// What may follow in the name of a configuration: nothing, or a part set off like `.build`.
fn is_variant(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with(['.', '-', '_'])
}

/// Resolves module specifiers. Built once per run; shared between threads.
#[derive(Debug)]
pub struct Resolver {
    files: Files,
    projects: Projects,
    packages: Packages,
    warnings: Vec<String>,
}

impl Resolver {
    /// Reads the project's configuration.
    ///
    /// `paths` are the indexed files, `config_paths` the files the walk met for which [`is_project_config`] holds.
    /// `read` gives the text of a file by its path from the workspace root, `None` when there is none; it is also asked
    /// for files of other names that a configuration extends, some below `node_modules`.
    pub fn new(
        paths: impl IntoIterator<Item = RepoPath>,
        config_paths: impl IntoIterator<Item = String>,
        read: impl Fn(&str) -> Option<String>,
    ) -> Self {
        let files = Files::new(paths);
        // Parents first, equal input in any order.
        let config_paths: BTreeSet<String> = config_paths.into_iter().collect();
        let mut config_paths: Vec<String> = config_paths.into_iter().collect();
        config_paths.sort_by_cached_key(|path| (path.matches('/').count(), path.clone()));

        let mut configs = Configs::new(&read);
        let packages = Packages::load(&config_paths, &mut configs);
        let package_directory = |from: &str, name: &str| match packages.find(from, name) {
            Origin::Here(at) => packages.get(at).map(|package| package.dir.clone()),
            _ => None,
        };
        let projects = Projects::load(&config_paths, &mut configs, &package_directory, files.iter());
        let warnings = configs.warnings;
        Self { files, projects, packages, warnings: warnings.into_iter().collect() }
    }

    /// What was wrong with configuration files, each text beginning with the file's path; sorted.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The file that `specifier` means when `from` imports it.
    #[must_use]
    pub fn resolve(&self, from: &RepoPath, specifier: &str) -> Resolved {
        let found = self.resolve_written(from, specifier);
        // `./page.ts?raw` names the file with a wish to the bundler; but a file may have `?` in its name.
        match specifier.split_once('?') {
            Some((path, _)) if !path.is_empty() && !matches!(found, Resolved::File(_)) => {
                self.resolve_written(from, path)
            }
            _ => found,
        }
    }

    fn resolve_written(&self, from: &RepoPath, specifier: &str) -> Resolved {
        let project = self.projects.of(from);
        if is_relative(specifier) {
            return file_or_missing(self.relative(from, specifier, project));
        }
        let mut is_aliased = false;
        if let Some(project) = project {
            if let Some(alias) = project.alias(specifier) {
                // A catch-all pattern says nothing about the names it happens to cover.
                is_aliased = alias.pattern != "*";
                if let Some(found) = self.first_target(&alias.targets) {
                    return Resolved::File(found);
                }
            } else if let Some(found) =
                project.base_url.as_deref().and_then(|base| self.load(&normalize(base, specifier)?))
            {
                return Resolved::File(found);
            }
        }
        if specifier.is_empty() || specifier.starts_with('/') {
            return Resolved::Missing;
        }
        let conditions = project.map_or(&[][..], |project| &project.conditions);
        if specifier.starts_with('#') {
            return self.package_import(from, specifier, conditions);
        }
        if has_scheme(specifier) || is_builtin(specifier) {
            return if is_aliased { Resolved::Missing } else { Resolved::External };
        }
        self.bare(from, specifier, conditions, is_aliased)
    }

    fn relative(&self, from: &RepoPath, specifier: &str, project: Option<&Project>) -> Option<RepoPath> {
        let path = normalize(from.directory(), specifier)?;
        let is_directory =
            specifier.ends_with('/') || matches!(specifier.rsplit('/').next(), Some("." | ".."));
        let load = |path: &str| if is_directory { self.directory(path) } else { self.load(path) };
        load(&path).or_else(|| {
            let roots = &project?.root_dirs;
            let suffix =
                roots.iter().filter_map(|root| strip(&path, root)).min_by_key(|suffix| suffix.len())?;
            roots.iter().find_map(|root| load(&below(root, suffix)))
        })
    }

    /// The file `path` means, or the directory's entry.
    fn load(&self, path: &str) -> Option<RepoPath> {
        self.files.file(path).or_else(|| self.directory(path))
    }

    /// The file an import of directory `path` means.
    fn directory(&self, path: &str) -> Option<RepoPath> {
        let package = self.packages.at(path);
        let entry = package.and_then(|package| self.first_entry(package, &package.entries));
        entry.or_else(|| self.files.index(path))
    }

    fn first_entry(&self, package: &Package, entries: &[String]) -> Option<RepoPath> {
        entries.iter().find_map(|entry| self.package_target(package, entry))
    }

    /// The first target of an alias that is there; then the first that is the output of a package's source.
    fn first_target(&self, targets: &[String]) -> Option<RepoPath> {
        targets.iter().find_map(|target| self.load(target)).or_else(|| {
            targets.iter().find_map(|target| {
                let package = self.packages.enclosing(target)?;
                self.package_target(package, strip(target, &package.dir)?)
            })
        })
    }

    /// `#name` by the `imports` of the package around the importing file.
    fn package_import(&self, from: &RepoPath, name: &str, conditions: &[String]) -> Resolved {
        let Some(package) = self.packages.enclosing(from.directory()) else { return Resolved::Missing };
        let lookup = package.imports.as_ref().map(|imports| exports::imports(imports, name, conditions));
        let Some(Lookup::Targets(targets)) = lookup else { return Resolved::Missing };
        let mut result = Resolved::Missing;
        for target in targets {
            let found = if is_relative(&target) {
                file_or_missing(self.package_target(package, &target))
            } else if has_scheme(&target) || is_builtin(&target) {
                Resolved::External
            } else {
                self.bare(from, &target, conditions, false)
            };
            match found {
                Resolved::File(_) => return found,
                Resolved::External => result = Resolved::External,
                Resolved::Missing => {}
            }
        }
        result
    }

    /// A package name with or without a path below it.
    fn bare(&self, from: &RepoPath, specifier: &str, conditions: &[String], is_aliased: bool) -> Resolved {
        let Some((name, rest)) = split_name(specifier) else { return Resolved::Missing };
        match self.packages.find(from.directory(), name) {
            Origin::Here(at) => {
                let package = self.packages.get(at);
                file_or_missing(package.and_then(|package| self.package_file(package, rest, conditions)))
            }
            Origin::Unclear => Resolved::Missing,
            Origin::Unknown if is_aliased && !self.packages.is_declared(from.directory(), name) => {
                Resolved::Missing
            }
            Origin::Registry | Origin::Unknown => Resolved::External,
        }
    }

    /// The file of a workspace package that `name` (`rest` empty) or `name/rest` means.
    fn package_file(&self, package: &Package, rest: &str, conditions: &[String]) -> Option<RepoPath> {
        let subpath = if rest.is_empty() { ".".to_owned() } else { format!("./{rest}") };
        let offered = |table: &Option<serde_json::Value>| {
            table.as_ref().map_or(Lookup::Unlisted, |table| exports::exports(table, &subpath, conditions))
        };
        let first =
            |targets: &[String]| targets.iter().find_map(|target| self.package_target(package, target));
        if let Lookup::Targets(targets) = offered(&package.exports) {
            if targets.is_empty() {
                return None;
            }
            if let Some(found) = first(&targets) {
                return Some(found);
            }
        }
        let written = if rest.is_empty() {
            self.first_entry(package, &package.entries)
        } else {
            self.load(&packages::inside(&package.dir, rest)?)
        };
        written
            .or_else(|| match offered(&package.published_exports) {
                Lookup::Targets(targets) => first(&targets),
                Lookup::Unlisted => None,
            })
            .or_else(|| {
                if rest.is_empty() {
                    self.first_entry(package, &package.published_entries)
                        .or_else(|| self.conventional_entry(&package.dir))
                } else {
                    self.package_target(package, rest)
                }
            })
    }
}

fn file_or_missing(found: Option<RepoPath>) -> Resolved {
    found.map_or(Resolved::Missing, Resolved::File)
}

fn is_relative(specifier: &str) -> bool {
    matches!(specifier, "." | "..") || specifier.starts_with("./") || specifier.starts_with("../")
}

/// `node:fs`, `https://…`, `npm:x`, `virtual:x`.
fn has_scheme(specifier: &str) -> bool {
    specifier.split_once(':').is_some_and(|(scheme, _)| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b))
    })
}

/// Node's modules that may be named without `node:`. They win over packages of the same name.
fn is_builtin(specifier: &str) -> bool {
    const BUILTINS: [&str; 42] = [
        "assert",
        "async_hooks",
        "buffer",
        "child_process",
        "cluster",
        "console",
        "constants",
        "crypto",
        "dgram",
        "diagnostics_channel",
        "dns",
        "domain",
        "events",
        "fs",
        "http",
        "http2",
        "https",
        "inspector",
        "module",
        "net",
        "os",
        "path",
        "perf_hooks",
        "process",
        "punycode",
        "querystring",
        "readline",
        "repl",
        "stream",
        "string_decoder",
        "sys",
        "timers",
        "tls",
        "trace_events",
        "tty",
        "url",
        "util",
        "v8",
        "vm",
        "wasi",
        "worker_threads",
        "zlib",
    ];
    let first = specifier.split('/').next().unwrap_or(specifier);
    let is_path = specifier.len() > first.len();
    BUILTINS.binary_search(&first).is_ok()
        && (!is_path
            || matches!(
                specifier,
                "assert/strict"
                    | "dns/promises"
                    | "fs/promises"
                    | "inspector/promises"
                    | "path/posix"
                    | "path/win32"
                    | "readline/promises"
                    | "stream/consumers"
                    | "stream/promises"
                    | "stream/web"
                    | "timers/promises"
                    | "util/types"
            ))
}

#[cfg(test)]
mod tests;
