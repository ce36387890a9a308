//! The C door from outside: compiles the scenarios, the examples and the documentation's program with the system's C
//! compiler and runs them on the libraries that this very build made.
//!
//! `CC`, `CXX` and `PYTHON` name other tools. Valgrind and pkg-config are used when present;
//! `MAST_TEST_REQUIRE=valgrind,pkg-config` makes their absence a failure.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test helper that fails is a test that fails")]

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

const SCENARIOS: usize = 9;
/// What `rustc --print native-static-libs` asks for beside libc.
const PRIVATE_LIBS: &[&str] = if cfg!(target_os = "macos") {
    &["-framework", "CoreServices", "-framework", "CoreFoundation", "-liconv", "-lm"]
} else {
    &["-lgcc_s", "-lutil", "-lrt", "-lpthread", "-lm", "-ldl", "-lc"]
};

#[test]
fn scenarios_with_the_shared_library() {
    let bench = Bench::new();
    let program = bench.compile(&source("tests/c/scenarios.c"), &bench.shared());
    bench.run_scenarios(&mut bench.command(&program));
}

#[test]
fn scenarios_with_the_static_library() {
    let bench = Bench::new();
    let archive = built("libmast.a").into_os_string().into_string().unwrap();
    let mut flags = vec![archive];
    flags.extend(PRIVATE_LIBS.iter().map(ToString::to_string));
    let program = bench.compile(&source("tests/c/scenarios.c"), &flags);
    bench.run_scenarios(&mut bench.command(&program));
}

#[test]
fn scenarios_leak_nothing() {
    if !tool_is_there("valgrind") {
        return;
    }
    let bench = Bench::new();
    let program = bench.compile(&source("tests/c/scenarios.c"), &bench.shared());
    let mut valgrind = bench.command(Path::new("valgrind"));
    valgrind.args(["--quiet", "--error-exitcode=9", "--leak-check=full"]);
    // What the library made once and keeps until the process ends is "possibly lost" to Valgrind.
    valgrind.args(["--show-leak-kinds=definite", "--errors-for-leak-kinds=definite"]);
    bench.run_scenarios(valgrind.arg(program));
}

#[test]
fn header_is_cplusplus_too() {
    let bench = Bench::new();
    let file = bench.path("include.cpp");
    fs::write(&file, "#include <mast.h>\nint main() { return mast_version() == nullptr; }\n").unwrap();
    let compiler = env::var_os("CXX").unwrap_or_else(|| "c++".into());
    let mut command = Command::new(compiler);
    run(command.args(["-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-I"]).arg(include()).arg(file));
}

#[test]
fn example_in_c_finds_the_declaration() {
    let bench = Bench::new();
    let program = bench.compile(&source("mast-ffi/examples/search.c"), &bench.shared());
    let answer = run(bench.command(&program).arg(bench.project()).arg("open \"store\""));
    assert_first_hit(&answer, "openStore", 1);
    let refused = bench.command(&program).arg(bench.path("nowhere")).arg("store").output().unwrap();
    assert_eq!(refused.status.code(), Some(1));
    assert!(refused.stdout.is_empty());
}

#[test]
fn example_in_python_finds_the_declaration() {
    let bench = Bench::new();
    let python = env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
    let script = source("mast-ffi/examples/search.py");
    let library = built(&format!("libmast{}", env::consts::DLL_SUFFIX));
    let mut command = Command::new(python);
    command.env("MAST_LIBRARY", library).arg(script).arg(bench.project());
    let answer = run(command.arg("openStore"));
    assert_eq!(answer.lines().next(), Some("src/store.ts:8 openStore"));
}

/// Python itself is not clean under Valgrind; only what names the library counts.
#[test]
fn example_in_python_leaks_nothing() {
    if !tool_is_there("valgrind") {
        return;
    }
    let bench = Bench::new();
    let python = env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
    // What is on the path may be a script that looks for Python.
    let python = run(Command::new(python).args(["-c", "import sys; print(sys.executable)"]));
    let mut command = Command::new("valgrind");
    command.args(["--leak-check=full", "--show-leak-kinds=definite", python.trim()]);
    command.env("MAST_LIBRARY", built(&format!("libmast{}", env::consts::DLL_SUFFIX)));
    command.env("PYTHONMALLOC", "malloc").arg(source("mast-ffi/examples/search.py")).arg(bench.project());
    let output = command.arg("openStore").output().unwrap();
    let report = String::from_utf8_lossy(&output.stderr);
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().next(), Some("src/store.ts:8 openStore"));
    assert!(report.contains("LEAK SUMMARY"), "{report}");
    // Each finding is a paragraph of lines like `==pid==    at 0x0: function (file)`; the first of all names the command.
    let ours = report.split("== \n").skip(1).filter(|finding| finding.contains("mast"));
    assert_eq!(ours.collect::<String>(), "");
}

#[test]
fn example_of_the_documentation_works() {
    let bench = Bench::new();
    let text = fs::read_to_string(source("docs/c.md")).unwrap();
    let programs = code_blocks(&text, "c");
    assert_eq!(programs.len(), 1, "docs/c.md shows one whole program");
    let file = bench.path("callers.c");
    fs::write(&file, &programs[0]).unwrap();
    let program = bench.compile(&file, &bench.shared());
    let answer = run(bench.command(&program).current_dir(bench.project()));
    assert!(answer.contains("\"caller_symbol\":\"start\""), "{answer}");
}

#[test]
fn installed_with_pkg_config() {
    if !tool_is_there("pkg-config") {
        return;
    }
    let bench = Bench::new();
    let prefix = bench.path("usr local");
    let installed = source("scripts/install-c");
    run(Command::new(installed).arg(&prefix).arg(built_folder()));
    let flags = |extra: &[&str]| {
        let mut command = Command::new("pkg-config");
        command.env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig"));
        let text = run(command.args(extra).args(["--cflags", "--libs", "mast"]));
        split_flags(&text)
    };
    let program = bench.compile(&source("mast-ffi/examples/search.c"), &flags(&[]));
    let mut command = Command::new(program);
    command.env("LD_LIBRARY_PATH", prefix.join("lib")).env("DYLD_LIBRARY_PATH", prefix.join("lib"));
    assert_first_hit(&run(command.arg(bench.project()).arg("openStore")), "openStore", 1);

    let private = flags(&["--static"]);
    assert!(private.iter().any(|flag| flag == "-lm" || flag == "-liconv"), "{private:?}");
}

/// A project to ask about, an empty directory, and a place for compiled programs.
struct Bench {
    folder: TempDir,
}

impl Bench {
    fn new() -> Self {
        let bench = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir_all(bench.project().join("src")).unwrap();
        fs::create_dir(bench.path("empty")).unwrap();
        let store = "/** Where values are kept. */\n\
                     export interface Store {\n  get(key: string): string | undefined;\n}\n\n\
                     const entries = new Map<string, string>();\n\n\
                     export function openStore(): Store {\n  return entries;\n}\n";
        let main = "import { openStore } from \"./store.js\";\n\n\
                    export function start(): void {\n  openStore().get(\"a\");\n}\n";
        fs::write(bench.project().join("src/store.ts"), store).unwrap();
        fs::write(bench.project().join("src/main.ts"), main).unwrap();
        fs::write(bench.project().join("README.md"), "# A project\n\nIt keeps values.\n").unwrap();
        bench
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn project(&self) -> PathBuf {
        self.path("project")
    }

    /// Compiles one C file into this folder.
    fn compile(&self, file: &Path, flags: &[String]) -> PathBuf {
        let program = self.path("program");
        let compiler = env::var_os("CC").unwrap_or_else(|| "cc".into());
        let mut command = Command::new(compiler);
        command.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-pthread", "-I"]).arg(include());
        command.arg(format!("-DEXPECTED_VERSION=\"{}\"", env!("CARGO_PKG_VERSION")));
        command.arg(format!("-DEXPECTED_SCHEMA=\"{}\"", mast_core::SCHEMA_VERSION));
        run(command.arg(file).arg("-o").arg(&program).args(flags));
        program
    }

    fn shared(&self) -> [String; 2] {
        let _ = self;
        [format!("-L{}", built_folder().display()), "-lmast".to_owned()]
    }

    /// A command that finds the shared library.
    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.folder.path());
        command.env("LD_LIBRARY_PATH", built_folder()).env("DYLD_LIBRARY_PATH", built_folder());
        command
    }

    fn run_scenarios(&self, command: &mut Command) {
        let output = run(command.arg(self.project()).arg(self.path("empty")));
        assert_eq!(output.lines().last(), Some("done"), "{output}");
        assert_eq!(output.lines().count(), SCENARIOS + 1, "{output}");
    }
}

/// Standard output; anything but success, or a word on stderr, fails the test.
fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}\n{text}{errors}", output.status);
    assert!(errors.is_empty(), "{command:?} said on stderr:\n{errors}");
    text
}

fn assert_first_hit(json: &str, symbol: &str, rank: u64) {
    let answer: serde_json::Value = serde_json::from_str(json).unwrap();
    let hit = &answer["results"][0];
    assert_eq!((hit["symbol_name"].as_str(), hit["rank"].as_u64()), (Some(symbol), Some(rank)), "{json}");
}

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name)
}

fn include() -> PathBuf {
    source("mast-ffi/include")
}

/// Cargo leaves the libraries beside the tests that depend on them.
fn built_folder() -> PathBuf {
    env::current_exe().unwrap().parent().unwrap().to_owned()
}

fn built(name: &str) -> PathBuf {
    let file = built_folder().join(name);
    assert!(file.is_file(), "{} was not built", file.display());
    file
}

fn tool_is_there(name: &str) -> bool {
    let paths = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&paths).any(|folder| folder.join(name).is_file());
    let required = env::var("MAST_TEST_REQUIRE").unwrap_or_default();
    assert!(
        found || !required.split(',').any(|tool| OsStr::new(tool) == name),
        "{name} is required and missing"
    );
    found
}

/// The fenced blocks of one language.
fn code_blocks(markdown: &str, language: &str) -> Vec<String> {
    let fence = format!("```{language}\n");
    let blocks = markdown.split(fence.as_str()).skip(1);
    blocks.map(|rest| rest.split("\n```").next().unwrap_or_default().to_owned() + "\n").collect()
}

/// What a shell would make of flags that pkg-config escaped with backslashes.
fn split_flags(text: &str) -> Vec<String> {
    let mut flags = vec![String::new()];
    let mut characters = text.trim().chars();
    while let Some(character) = characters.next() {
        match character {
            ' ' => flags.push(String::new()),
            '\\' => flags.last_mut().unwrap().extend(characters.next()),
            other => flags.last_mut().unwrap().push(other),
        }
    }
    flags.retain(|flag| !flag.is_empty());
    flags
}
