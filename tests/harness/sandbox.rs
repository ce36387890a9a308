//! A project, a home directory and a `PATH` that belong to one test.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Everything a test may touch; gone when dropped.
pub(crate) struct Sandbox {
    _directory: tempfile::TempDir,
    pub(crate) root: PathBuf,
    pub(crate) home: PathBuf,
    /// Holds `mast`, and what a test puts beside it; the first entry of `PATH`.
    pub(crate) bin: PathBuf,
}

/// What a run left behind.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let base = fs::canonicalize(directory.path()).unwrap();
        let sandbox = Self {
            root: base.join("repo"),
            home: base.join("home"),
            bin: base.join("bin"),
            _directory: directory,
        };
        for path in [&sandbox.root, &sandbox.home, &sandbox.bin] {
            fs::create_dir(path).unwrap();
        }
        place_program(&sandbox.bin.join("mast"));
        sandbox
    }

    /// Runs the `mast` of `PATH` in the project.
    pub(crate) fn mast(&self, arguments: &[&str]) -> Run {
        self.run(&self.bin.join("mast"), arguments, b"")
    }

    /// Runs `program` in the project with `input`.
    pub(crate) fn run(&self, program: &Path, arguments: &[&str], input: &[u8]) -> Run {
        let mut child = self
            .command(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A program that does not read its input is no failure of the test.
        let _ = child.stdin.take().unwrap().write_all(input);
        let output = child.wait_with_output().unwrap();
        Run {
            code: output.status.code().expect("ended by itself"),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// `program` with the environment of the sandbox.
    pub(crate) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(&self.root)
            .env_clear()
            .env("HOME", &self.home)
            .env("USERPROFILE", &self.home)
            .env("PATH", format!("{}:/usr/bin:/bin", self.bin.display()))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CEILING_DIRECTORIES", self.root.parent().unwrap());
        for who in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{who}_NAME"), "t").env(format!("GIT_{who}_EMAIL"), "t@example.test");
        }
        command
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    pub(crate) fn exists(&self, path: &str) -> bool {
        self.root.join(path).exists()
    }

    /// What a hook takes for an index.
    pub(crate) fn fake_index(&self) {
        self.write(".mast/index.json", r#"{"schema_version":"2.2.0","file_count":3}"#);
        self.write(".mast/graph.db", "");
    }

    /// Writes an executable script.
    pub(crate) fn script(path: &Path, text: &str) {
        use std::os::unix::fs::PermissionsExt;
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        // Never write through a link to the program under test.
        let _ = fs::remove_file(path);
        fs::write(path, text).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
}

/// Puts the program under test at `path`.
pub(crate) fn place_program(path: &Path) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let program = env!("CARGO_BIN_EXE_mast");
    if fs::hard_link(program, path).is_err() {
        fs::copy(program, path).unwrap();
    }
}
