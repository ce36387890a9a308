//! A project in a temporary directory and the binary run in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A project on disk, with a home of its own so that no test depends on the machine.
pub(crate) struct Project {
    directory: tempfile::TempDir,
}

/// What one run of the binary gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Project {
    /// Writes `files`: path and text.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let project = Self { directory: tempfile::tempdir().unwrap() };
        fs::create_dir(project.directory.path().join("home")).unwrap();
        fs::create_dir(project.root()).unwrap();
        for (path, text) in files {
            project.write(path, text);
        }
        project
    }

    /// The same, indexed.
    pub(crate) fn indexed(files: &[(&str, &str)]) -> Self {
        let project = Self::new(files);
        let ran = project.mast(&["index"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        project
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.directory.path().canonicalize().unwrap().join("project")
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let file = self.root().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    pub(crate) fn exists(&self, path: &str) -> bool {
        self.root().join(path).exists()
    }

    /// Runs `mast` at the root.
    pub(crate) fn mast(&self, arguments: &[&str]) -> Ran {
        self.mast_in(".", arguments, &[])
    }

    /// Runs `mast` in `directory` with further environment variables.
    pub(crate) fn mast_in(&self, directory: &str, arguments: &[&str], variables: &[(&str, &str)]) -> Ran {
        let output = Command::new(env!("CARGO_BIN_EXE_mast"))
            .args(arguments)
            .current_dir(self.root().join(directory))
            .env("HOME", self.directory.path().join("home"))
            .env_remove("MAST_STATE_DIR")
            .envs(variables.iter().copied())
            .output()
            .unwrap();
        let text = |bytes: Vec<u8>| self.without_root(&String::from_utf8(bytes).unwrap());
        Ran { code: output.status.code().unwrap(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    /// `text` with `{ROOT}` for the project root.
    fn without_root(&self, text: &str) -> String {
        text.replace(path_text(&self.root()), "{ROOT}")
    }
}

fn path_text(path: &Path) -> &str {
    path.to_str().unwrap()
}

impl Ran {
    /// Checks for a refusal: this exit code, nothing on standard output, exactly this line on standard error.
    #[track_caller]
    pub(crate) fn refused(&self, code: i32, line: &str) {
        assert_eq!((self.code, &*self.stdout, &*self.stderr), (code, "", &*format!("mast: {line}\n")));
    }

    /// Checks for success with this on standard output.
    #[track_caller]
    pub(crate) fn printed(&self, stdout: &str) {
        assert_eq!((self.code, &*self.stdout), (0, stdout), "{}", self.stderr);
    }
}
