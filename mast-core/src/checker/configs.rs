//! A project's configuration with all it extends and refers to: which files it rests on, and whether it can be used at all.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use jsonc_parser::{ParseOptions, parse_to_serde_value};
use serde_json::Value;

/// Most files that are followed from one configuration.
const MOST: usize = 1000;

/// A configuration and those it leads to.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Chain {
    /// Every file that was read or looked for.
    pub(super) files: BTreeSet<PathBuf>,
    /// The projects: the configuration itself, and those it refers to.
    pub(super) projects: BTreeSet<PathBuf>,
    /// What makes it unusable: the file, and what is wrong with it.
    pub(super) broken: Option<(PathBuf, &'static str)>,
}

/// The configuration TypeScript takes for a directory, of those that are in it.
pub(super) fn config_in(directory: &Path) -> Option<PathBuf> {
    ["tsconfig.json", "jsconfig.json"].iter().map(|name| directory.join(name)).find(|path| path.is_file())
}

impl Chain {
    /// Follows the configuration in the file `config`.
    pub(super) fn of(config: &Path) -> Self {
        let mut chain = Self::default();
        let mut open = vec![config.to_owned()];
        while let Some(project) = open.pop() {
            if chain.projects.len() < MOST && chain.projects.insert(project.clone()) {
                let settings = chain.read(&project, &mut Vec::new());
                for reference in settings["references"].as_array().into_iter().flatten() {
                    let Some(path) = reference["path"].as_str() else { continue };
                    let path = plain_join(&project, path);
                    open.push(if path.is_dir() { path.join("tsconfig.json") } else { path });
                }
            }
        }
        chain
    }

    /// Reads a file and what it extends. `above` are those that led to it.
    fn read(&mut self, config: &Path, above: &mut Vec<PathBuf>) -> Value {
        self.files.insert(config.to_owned());
        let Ok(text) = fs::read_to_string(config) else { return Value::Null };
        let text = text.trim_start_matches('\u{feff}');
        let settings = match parse_to_serde_value(text, &ParseOptions::default()) {
            Ok(None) => return Value::Null,
            Ok(Some(settings)) if settings.is_object() => settings,
            Ok(Some(_)) | Err(_) => {
                self.breaks(config, "is no JSON object");
                return Value::Null;
            }
        };
        above.push(config.to_owned());
        let bases = match &settings["extends"] {
            Value::Array(bases) => bases.as_slice(),
            base => std::slice::from_ref(base),
        };
        for base in bases.iter().filter_map(Value::as_str) {
            match self.base(config, base) {
                Some(base) if above.contains(&base) => self.breaks(config, "extends itself"),
                Some(base) if self.files.len() < MOST => drop(self.read(&base, above)),
                Some(_) | None => {}
            }
        }
        above.pop();
        settings
    }

    fn breaks(&mut self, config: &Path, how: &'static str) {
        self.broken.get_or_insert_with(|| (config.to_owned(), how));
    }

    /// The file that `extends: base` means. What is looked for on the way counts: it decides when it comes into being.
    fn base(&mut self, config: &Path, base: &str) -> Option<PathBuf> {
        let mut places = Vec::new();
        if base.starts_with('.') || Path::new(base).is_absolute() {
            let path = plain_join(config, base);
            places.extend([path.clone(), with_json(&path)]);
        } else {
            for directory in config.ancestors().skip(1) {
                let path = directory.join("node_modules").join(base);
                places.extend([
                    path.join("package.json"),
                    path.clone(),
                    with_json(&path),
                    path.join("tsconfig.json"),
                ]);
            }
        }
        for place in places {
            let is_manifest = place.file_name().is_some_and(|name| name == "package.json");
            self.files.insert(place.clone());
            if !is_manifest && place.is_file() {
                return Some(place);
            }
            if is_manifest && let Some(named) = named_by(&place) {
                return Some(named);
            }
        }
        None
    }
}

/// The configuration a package names as its own.
fn named_by(manifest: &Path) -> Option<PathBuf> {
    let manifest_text = fs::read_to_string(manifest).ok()?;
    let value: Value = serde_json::from_str(&manifest_text).ok()?;
    let path = plain_join(manifest, value["tsconfig"].as_str()?);
    path.is_file().then_some(path)
}

fn with_json(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".json");
    name.into()
}

/// What `path` means in the file `from`, without `.` and `..`.
fn plain_join(from: &Path, path: &str) -> PathBuf {
    let joined = from.parent().unwrap_or(from).join(path);
    let mut plain = PathBuf::new();
    for part in joined.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A directory of configurations, and the chain of the first.
    fn chain(files: &[(&str, &str)]) -> (Vec<String>, Vec<String>, Option<String>) {
        let dir = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let found = Chain::of(&dir.path().join(files[0].0));
        let name = |path: &PathBuf| {
            path.strip_prefix(dir.path()).map(|path| path.to_str().unwrap().replace('\\', "/")).ok()
        };
        let broken = found.broken.map(|(path, how)| format!("{} {how}", name(&path).unwrap()));
        let present = found.files.iter().filter(|path| path.is_file());
        (present.filter_map(name).collect(), found.projects.iter().filter_map(name).collect(), broken)
    }

    #[test]
    fn bases_and_references_belong_to_a_configuration() {
        let (files, projects, broken) = chain(&[
            (
                "app/tsconfig.json",
                r#"{ "extends": ["../base", "@shared/ts/strict.json", "cfg"], "references": [{ "path": "../lib" }], }"#,
            ),
            ("base.json", "{ /* as people write */ \"extends\": \"./more/base.json\" }"),
            ("more/base.json", "\u{feff}{}"),
            ("node_modules/@shared/ts/strict.json", "{}"),
            ("node_modules/cfg/package.json", r#"{ "tsconfig": "own.json" }"#),
            ("node_modules/cfg/own.json", "{}"),
            ("lib/tsconfig.json", r#"{ "references": [{ "path": "../app" }, { "path": "./nothing" }] }"#),
        ]);
        assert_eq!(
            files,
            [
                "app/tsconfig.json",
                "base.json",
                "lib/tsconfig.json",
                "more/base.json",
                "node_modules/@shared/ts/strict.json",
                "node_modules/cfg/own.json",
                "node_modules/cfg/package.json",
            ]
        );
        assert_eq!(projects, ["app/tsconfig.json", "lib/nothing", "lib/tsconfig.json"]);
        assert_eq!(broken, None);
    }

    #[test]
    fn what_cannot_be_used_is_named() {
        for (files, expected) in [
            (&[("a.json", r#"{ "extends": "./a.json" }"#)][..], Some("a.json extends itself")),
            (
                &[("a.json", r#"{ "extends": "./b" }"#), ("b.json", r#"{ "extends": "./a" }"#)],
                Some("b.json extends itself"),
            ),
            (
                &[("a.json", r#"{ "references": [{ "path": "./b.json" }] }"#), ("b.json", "{ nonsense")],
                Some("b.json is no JSON object"),
            ),
            (&[("a.json", "[]")], Some("a.json is no JSON object")),
            (&[("a.json", "")], None),
            (&[("a.json", r#"{ "extends": "./missing" }"#)], None),
            (
                // Twice is not in a circle.
                &[
                    ("a.json", r#"{ "extends": ["./b", "./c"] }"#),
                    ("b.json", r#"{ "extends": "./c" }"#),
                    ("c.json", "{}"),
                ],
                None,
            ),
        ] {
            assert_eq!(chain(files).2.as_deref(), expected, "{files:?}");
        }
    }
}
