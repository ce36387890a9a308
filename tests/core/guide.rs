//! The program in `docs/rust.md` does what the text says.

#[expect(
    dead_code,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a whole program; `main` is not called"
)]
mod program {
    include!("guide/callers.rs");

    const STORE: &str =
        "/** Where values are kept. */\nexport function openStore() {\n  return new Map();\n}\n";
    const MAIN: &str =
        "import { openStore } from \"./store.js\";\n\nexport function start() {\n  openStore();\n}\n";

    fn project() -> tempfile::TempDir {
        let project = tempfile::tempdir().unwrap();
        std::fs::write(project.path().join("store.ts"), STORE).unwrap();
        std::fs::write(project.path().join("main.ts"), MAIN).unwrap();
        project
    }

    #[test]
    fn it_names_the_declaration_and_the_callers() {
        let project = project();
        let report = |symbol| report(project.path().to_owned(), symbol, &Cancel::default()).unwrap();
        assert_eq!(report("openStore"), ["store.ts:2 declares it", "main.ts:4 calls it"]);
        assert_eq!(report("start"), ["main.ts:3 declares it"]);
        assert_eq!(report("closeStore"), ["closeStore is not in the index"]);
    }

    #[test]
    fn it_stops_when_it_is_told_to() {
        let (project, cancel) = (project(), Cancel::default());
        cancel.cancel();
        let stopped = report(project.path().to_owned(), "openStore", &cancel).unwrap_err();
        assert_eq!((stopped.code(), stopped.to_string()), (ErrorCode::Cancelled, "cancelled".to_owned()));
    }
}

#[test]
fn the_document_shows_that_program_and_this_version() {
    let document = include_str!("../../docs/rust.md").replace("\r\n", "\n");
    let program = include_str!("guide/callers.rs").replace("\r\n", "\n");
    let shown: Vec<_> =
        document.split("```rust\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert_eq!(shown, [program.as_str()]);
    let dependency = format!("tag = \"v{}\"", env!("CARGO_PKG_VERSION"));
    assert!(document.contains(&dependency), "{dependency}");
}
