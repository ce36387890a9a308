//! What TypeScript's answers rest on beside the indexed files: the other files of its programs, configurations, and which names
//! there are where it looks for files.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::Value;

use super::configs::Chain;
use crate::model::{FileId, FileStamp, InputKind, RepoPath};
use crate::source;
use crate::store::InputRow;

/// What package managers leave in `node_modules` and write again with every installation.
const INSTALLED: [&str; 4] = [".package-lock.json", ".modules.yaml", ".yarn-state.yml", ".yarn-integrity"];

/// What decides, in directories above the root too, to which project a file belongs and how its imports are meant.
const DECIDING: [&str; 3] = ["tsconfig.json", "jsconfig.json", "package.json"];

/// The stamps, with what is known of them from before TypeScript was asked.
#[derive(Debug)]
pub(super) struct Inputs {
    root: PathBuf,
    stamps: BTreeMap<String, (InputKind, Option<FileStamp>)>,
    packages: BTreeSet<String>,
    /// When the pass began, in nanoseconds since the Unix epoch.
    began_ns: i64,
}

impl Inputs {
    /// Takes the stamps of `configs`, which are relative to the root, of what is installed beside them, and of the directories of
    /// the project. `walked` are those the index was made from.
    pub(super) fn of(root: &Path, configs: &[String], walked: &[String]) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let mut inputs = Self {
            root: root.to_owned(),
            stamps: BTreeMap::new(),
            packages: BTreeSet::new(),
            began_ns: i64::try_from(now.as_nanos()).unwrap_or(i64::MAX),
        };
        for config in configs {
            inputs.add(config, InputKind::File);
            if let Some(directory) = config.strip_suffix("package.json") {
                inputs.add_installed(directory);
                inputs.packages.extend(package_name(&root.join(config)));
            }
        }
        inputs.add_installed("");
        inputs.add("mast.config.json", InputKind::File);
        inputs.add_directories(walked);
        for directory in root.ancestors() {
            for name in DECIDING {
                inputs.add_path(&directory.join(name), InputKind::File);
            }
            inputs.add_packages(&directory.join("node_modules"));
        }
        inputs
    }

    /// Adds every directory below the root in which a file may come to be that TypeScript reads.
    fn add_directories(&mut self, walked: &[String]) {
        let walked: BTreeSet<&str> = walked.iter().map(String::as_str).collect();
        let mut open: Vec<String> = walked.iter().map(|&directory| directory.to_owned()).collect();
        open.push(String::new());
        let mut seen = BTreeSet::new();
        while let Some(directory) = open.pop() {
            if !seen.insert(directory.clone()) {
                continue;
            }
            let is_walked = walked.contains(directory.as_str());
            self.add(&directory, if is_walked { InputKind::Sources } else { InputKind::Types });
            for entry in fs::read_dir(self.root.join(&directory)).into_iter().flatten().flatten() {
                let name = entry.file_name();
                let Some(name) = name.to_str() else { continue };
                if name == "node_modules" {
                    self.add_packages(&entry.path());
                } else if !name.starts_with('.') && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    let slash = if directory.is_empty() { "" } else { "/" };
                    open.push(format!("{directory}{slash}{name}"));
                }
            }
        }
    }

    /// Adds which packages a `node_modules` holds, those in scopes too; also that it is not there.
    fn add_packages(&mut self, node_modules: &Path) {
        if !self.add_path(node_modules, InputKind::Packages) {
            return;
        }
        for entry in fs::read_dir(node_modules).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with('@') {
                self.add_path(&entry.path(), InputKind::Packages);
            }
        }
    }

    /// Adds the configuration of a project with all it extends and refers to, and gives the projects among them.
    pub(super) fn add_project(&mut self, config: &str) -> BTreeSet<PathBuf> {
        let chain = Chain::of(Path::new(config));
        for file in &chain.files {
            self.add_path(file, InputKind::File);
        }
        chain.projects
    }

    /// Adds the files of a program, absolute and with `/`. Those in `indexed` are looked at with the index; for those of
    /// TypeScript's own, in `library`, their package answers.
    pub(super) fn add_program(
        &mut self,
        files: &[String],
        indexed: &HashMap<RepoPath, FileId>,
        library: &[&Path],
    ) {
        for library in library {
            self.add_path(&library.join("package.json"), InputKind::File);
        }
        for file in files {
            let path = Path::new(file);
            if library.iter().any(|library| path.starts_with(library)) || !path.is_absolute() {
                continue;
            }
            let relative = relative_to(&self.root, path);
            if relative.as_deref().and_then(RepoPath::new).is_some_and(|path| indexed.contains_key(&path)) {
                continue;
            }
            self.add_path(path, InputKind::File);
            if let Some(package) = package_of(path) {
                self.add_path(&package.join("package.json"), InputKind::File);
            }
            for directory in path.ancestors().filter(|directory| directory.ends_with("node_modules")) {
                self.add_packages(directory);
            }
            if let Some(directory) = path.parent().filter(|_| !file.contains("/node_modules/")) {
                self.add_path(directory, InputKind::Types);
            }
        }
    }

    /// Names of the project's own packages.
    pub(super) fn packages(&self) -> &BTreeSet<String> {
        &self.packages
    }

    /// What is another one now, or may have been another one when TypeScript read it.
    pub(super) fn changed(&self) -> Option<&str> {
        let differs = |path: &str, kind, stamp: Option<FileStamp>| {
            let is_young = kind == InputKind::File && stamp.is_some_and(|s| s.mtime_ns >= self.began_ns);
            is_young || source::input_changed(&self.root, path, kind, stamp)
        };
        let mut stamps = self.stamps.iter();
        stamps.find(|(path, (kind, stamp))| differs(path, *kind, *stamp)).map(|(path, _)| path.as_str())
    }

    /// The rows to keep.
    pub(super) fn rows(&self) -> Vec<InputRow> {
        let row = |(path, (kind, stamp)): (&String, &(InputKind, _))| InputRow {
            path: path.clone(),
            kind: *kind,
            stamp: *stamp,
        };
        self.stamps.iter().map(row).collect()
    }

    fn add(&mut self, path: &str, kind: InputKind) {
        if !self.stamps.contains_key(path) {
            self.stamps.insert(path.to_owned(), (kind, source::stamp_input(&self.root, path, kind)));
        }
    }

    /// The same for an absolute path; `false` when it was there already, or cannot be kept.
    fn add_path(&mut self, path: &Path, kind: InputKind) -> bool {
        let Some(relative) = relative_to(&self.root, path) else { return false };
        let is_new = !self.stamps.contains_key(&relative);
        self.add(&relative, kind);
        is_new
    }

    fn add_installed(&mut self, directory: &str) {
        for name in INSTALLED {
            self.add(&format!("{directory}node_modules/{name}"), InputKind::File);
        }
    }
}

fn package_name(manifest: &Path) -> Option<String> {
    let manifest: Value = serde_json::from_slice(&fs::read(manifest).ok()?).ok()?;
    Some(manifest["name"].as_str()?.to_owned())
}

/// The directory of the package in a `node_modules` that a file belongs to.
fn package_of(path: &Path) -> Option<&Path> {
    path.ancestors().find(|directory| {
        let parent = directory.parent();
        let is_scope = directory.file_name().is_some_and(|name| name.to_string_lossy().starts_with('@'));
        let is_in = |parent: &Path| parent.ends_with("node_modules");
        let is_scoped = |parent: &Path| {
            parent.parent().is_some_and(is_in)
                && parent.file_name().is_some_and(|name| name.to_string_lossy().starts_with('@'))
        };
        parent.is_some_and(|parent| is_scoped(parent) || is_in(parent) && !is_scope)
    })
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

    fn write(path: &Path, text: &str) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn configurations_their_bases_installations_and_programs_are_inputs() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().canonicalize().unwrap();
        let root = top.join("packages/app");
        write(&top.join("base.json"), "{}");
        write(&top.join("tsconfig.json"), "{ \"extends\": \"./base\", }");
        write(&top.join("out/x.d.ts"), "");
        write(&top.join("ts/lib/lib.d.ts"), "");
        write(&top.join("ts/package.json"), "{}");
        write(&top.join("node_modules/@s/dep/lib/i.d.ts"), "");
        write(&top.join("node_modules/@s/dep/package.json"), "{}");
        write(&root.join("package.json"), r#"{"name": "@acme/app"}"#);
        write(&root.join("src/a.ts"), "");
        write(&root.join("gen/deep/t.d.ts"), "");
        let mut inputs = Inputs::of(&root, &["package.json".to_owned()], &[String::new(), "src".to_owned()]);
        let projects = inputs.add_project(top.join("tsconfig.json").to_str().unwrap());
        assert_eq!(projects.len(), 1);
        let program =
            ["packages/app/src/a.ts", "out/x.d.ts", "ts/lib/lib.d.ts", "node_modules/@s/dep/lib/i.d.ts"];
        let program = program.map(|file| format!("{}/{file}", top.to_str().unwrap().replace('\\', "/")));
        let indexed = HashMap::from([(RepoPath::new("src/a.ts").unwrap(), FileId(1))]);
        inputs.add_program(&program, &indexed, &[&top.join("ts")]);
        let rows = inputs.rows();
        // What lies further above is the machine's.
        let is_ours = |row: &&InputRow| row.stamp.is_some() && !row.path.starts_with("../../..");
        let present: Vec<String> =
            rows.iter().filter(is_ours).map(|row| format!("{:?} {}", row.kind, row.path)).collect();
        assert_eq!(
            present,
            [
                "Sources ",
                "File ../../base.json",
                "Packages ../../node_modules",
                "Packages ../../node_modules/@s",
                "File ../../node_modules/@s/dep/lib/i.d.ts",
                "File ../../node_modules/@s/dep/package.json",
                "Types ../../out",
                "File ../../out/x.d.ts",
                "File ../../ts/package.json",
                "File ../../tsconfig.json",
                "Types gen",
                "Types gen/deep",
                "File package.json",
                "Sources src",
            ]
        );
        for absent in
            ["../tsconfig.json", "../../package.json", "node_modules", "node_modules/.package-lock.json"]
        {
            assert!(rows.iter().any(|row| row.path == absent && row.stamp.is_none()), "{absent}");
        }
        assert_eq!(inputs.packages().iter().collect::<Vec<_>>(), ["@acme/app"]);
        assert_eq!(inputs.changed(), None);
        fs::write(top.join("base.json"), "{ }").unwrap();
        assert_eq!(inputs.changed(), Some("../../base.json"));
    }

    #[test]
    fn a_file_that_is_younger_than_the_question_is_not_trusted() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let mut inputs = Inputs::of(&root, &[], &[]);
        std::thread::sleep(std::time::Duration::from_millis(50));
        write(&root.join("node_modules/a/i.d.ts"), "");
        inputs.stamps.clear();
        inputs.add("node_modules/a/i.d.ts", InputKind::File);
        assert_eq!(inputs.changed(), Some("node_modules/a/i.d.ts"));
    }
}
