//! The files beside the index that TypeScript's answers rest on: configurations, and what package managers installed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path};

use jsonc_parser::{ParseOptions, parse_to_serde_value};
use serde_json::Value;

use crate::model::FileStamp;
use crate::source;
use crate::store::InputRow;

/// What package managers leave in `node_modules` and write again with every installation.
const INSTALLED: [&str; 4] = [".package-lock.json", ".modules.yaml", ".yarn-state.yml", ".yarn-integrity"];

/// Longest chain of `extends` that is followed above the root.
const CHAIN: usize = 16;

/// The stamps from before TypeScript was asked.
#[derive(Debug)]
pub(super) struct Inputs {
    stamps: BTreeMap<String, Option<FileStamp>>,
    packages: BTreeSet<String>,
}

impl Inputs {
    /// Takes the stamps of `configs`, which are relative to the root, and of what is installed beside them.
    pub(super) fn of(root: &Path, configs: &[String]) -> Self {
        let mut inputs = Self { stamps: BTreeMap::new(), packages: BTreeSet::new() };
        for config in configs {
            inputs.add(root, config);
            if let Some(directory) = config.strip_suffix("package.json") {
                inputs.add_installed(root, directory);
                inputs.packages.extend(package_name(&root.join(config)));
            }
        }
        inputs.add_installed(root, "");
        inputs
    }

    /// Adds the configuration of a project and those it extends, where module resolution did not read them: above the root.
    pub(super) fn add_project(&mut self, root: &Path, config: &str) {
        let mut config = config.to_owned();
        for _ in 0..CHAIN {
            let Some(relative) = relative_to(root, Path::new(&config)) else { return };
            if self.stamps.contains_key(&relative) {
                return;
            }
            self.add(root, &relative);
            let text = fs::read_to_string(&config).unwrap_or_default();
            let value = parse_to_serde_value(&text, &ParseOptions::default()).ok().flatten();
            let value: Value = value.unwrap_or_default();
            let Some(base) = value["extends"].as_str().filter(|base| base.starts_with('.')) else { return };
            let Some(directory) = Path::new(&config).parent() else { return };
            let mut next = directory.join(base);
            if !next.is_file() {
                next = directory.join(format!("{base}.json"));
            }
            let Ok(next) = next.canonicalize() else { return };
            config = next.to_string_lossy().into_owned();
        }
    }

    /// Names of the project's own packages.
    pub(super) fn packages(&self) -> &BTreeSet<String> {
        &self.packages
    }

    /// Whether any of the files is another one now.
    pub(super) fn have_changed(&self, root: &Path) -> bool {
        self.stamps.iter().any(|(path, stamp)| source::input_changed(root, path, *stamp))
    }

    /// The rows to keep.
    pub(super) fn rows(&self) -> Vec<InputRow> {
        self.stamps.iter().map(|(path, stamp)| InputRow { path: path.clone(), stamp: *stamp }).collect()
    }

    fn add(&mut self, root: &Path, path: &str) {
        self.stamps.entry(path.to_owned()).or_insert_with(|| source::stamp_input(root, path));
    }

    fn add_installed(&mut self, root: &Path, directory: &str) {
        for name in INSTALLED {
            self.add(root, &format!("{directory}node_modules/{name}"));
        }
    }
}

fn package_name(manifest: &Path) -> Option<String> {
    let manifest: Value = serde_json::from_slice(&fs::read(manifest).ok()?).ok()?;
    Some(manifest["name"].as_str()?.to_owned())
}

/// `path` seen from `root`, with `/`; both absolute.
fn relative_to(root: &Path, path: &Path) -> Option<String> {
    let shared = root.components().zip(path.components()).take_while(|(a, b)| a == b).count();
    let up = root.components().skip(shared).map(|_| "..".to_owned());
    let down = path.components().skip(shared).map(|part| match part {
        Component::Normal(name) => name.to_str().map(str::to_owned),
        _ => None,
    });
    Some(up.map(Some).chain(down).collect::<Option<Vec<_>>>()?.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn configurations_their_bases_and_installations_are_inputs() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().canonicalize().unwrap();
        let root = top.join("packages/app");
        fs::create_dir_all(&root).unwrap();
        fs::write(top.join("base.json"), "{}").unwrap();
        fs::write(top.join("tsconfig.json"), "{ /* as people write */ \"extends\": \"./base\", }").unwrap();
        fs::write(root.join("package.json"), r#"{"name": "@acme/app"}"#).unwrap();
        let mut inputs = Inputs::of(&root, &["package.json".to_owned()]);
        inputs.add_project(&root, top.join("tsconfig.json").to_str().unwrap());
        let rows = inputs.rows();
        let present: Vec<&str> =
            rows.iter().filter(|row| row.stamp.is_some()).map(|row| row.path.as_str()).collect();
        assert_eq!(present, ["../../base.json", "../../tsconfig.json", "package.json"]);
        assert!(rows.iter().any(|row| row.path == "node_modules/.package-lock.json" && row.stamp.is_none()));
        assert_eq!(inputs.packages().iter().collect::<Vec<_>>(), ["@acme/app"]);
        assert!(!inputs.have_changed(&root));
        fs::write(top.join("base.json"), "{ }").unwrap();
        assert!(inputs.have_changed(&root));
    }
}
