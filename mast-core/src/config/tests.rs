//! Resolution of values, of the project root, and every way a file can be wrong.

use std::fs;

use super::*;

struct Disk {
    directory: tempfile::TempDir,
}

impl Disk {
    fn new(files: &[(&str, &str)]) -> Self {
        let disk = Self { directory: tempfile::tempdir().unwrap() };
        for (name, text) in files {
            let file = disk.path(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        disk
    }

    fn path(&self, name: &str) -> PathBuf {
        let root = root::canonical(self.directory.path());
        if name.is_empty() { root } else { root.join(name) }
    }

    fn standing_in(&self, name: &str) -> Environment {
        Environment { working_directory: self.path(name), ..Environment::default() }
    }

    fn load(&self) -> Result<Config> {
        let request = ConfigRequest { root: RootChoice::Explicit(self.path("")), ..ConfigRequest::default() };
        Config::load(&request, &self.standing_in(""))
    }

    fn search(&self, from: &str) -> Result<Config> {
        Config::load(&ConfigRequest::default(), &self.standing_in(from))
    }
}

/// The error for a `mast.config.json` with this text, after the file's name.
fn refused(text: &str) -> String {
    let disk = Disk::new(&[(CONFIG_FILE, text)]);
    let error = disk.load().unwrap_err();
    assert_eq!(error.code(), crate::error::ErrorCode::Config);
    let message = error.to_string();
    assert!(!message.contains('\n'), "{message}");
    let prefix = format!("{}: ", disk.path(CONFIG_FILE).display());
    message.strip_prefix(&prefix).unwrap_or_else(|| panic!("{message}")).to_owned()
}

#[test]
fn defaults() {
    let config = Disk::new(&[]).load().unwrap();
    assert_eq!(*config.file_extensions, [".ts", ".tsx", ".js", ".jsx", ".md"]);
    assert_eq!(config.exclude_patterns.len(), 9);
    assert!(config.include_dot_dirs.is_empty() && config.include_ignored.is_empty());
    assert!(*config.respect_gitignore && *config.declaration_exact_ranker);
    assert_eq!((*config.rrf_k, *config.chunk_split_threshold), (60, 100));
    assert_eq!((*config.context_lines, *config.markdown_heading_depth), (3, 2));
    assert_eq!(config.rrf_k.origin, Origin::Default);
    assert_eq!(config.state_dir.value, config.project_root.join(".mast"));
    assert!(config.config_file.is_none() && config.saved_file.is_none() && config.warnings.is_empty());
}

#[test]
fn flags_beat_the_file_and_the_file_beats_what_was_saved() {
    let disk = Disk::new(&[
        (CONFIG_FILE, "{ // by hand\n \"context_lines\": 5, \"rrf_k\": 10, \"exclude_patterns\": [], }"),
        (
            ".mast/config.json",
            r#"{ "context_lines": 9, "markdown_heading_depth": 4, "state_dir": "/elsewhere" }"#,
        ),
    ]);
    let layer = ConfigLayer {
        rrf_k: Some(7),
        file_extensions: Some(vec!["ts".into(), ".mts".into(), "ts".into()]),
        ..ConfigLayer::default()
    };
    let request = ConfigRequest { root: RootChoice::Explicit(disk.path("")), state_dir: None, layer };
    let config = Config::load(&request, &disk.standing_in("")).unwrap();
    assert_eq!((*config.rrf_k, config.rrf_k.origin), (7, Origin::Flag));
    assert_eq!((*config.context_lines, config.context_lines.origin), (5, Origin::ConfigFile));
    assert_eq!((*config.markdown_heading_depth, config.markdown_heading_depth.origin), (4, Origin::Saved));
    assert_eq!((config.exclude_patterns.len(), config.exclude_patterns.origin), (0, Origin::ConfigFile));
    assert_eq!(*config.file_extensions, [".ts", ".mts"]);
    assert_eq!(config.state_dir.value, disk.path(".mast"), "a saved path is not read back");
    assert_eq!(config.saved_file, Some(disk.path(".mast/config.json")));
}

#[test]
fn state_directory_order() {
    let disk = Disk::new(&[(CONFIG_FILE, r#"{ "state_dir": "cache/idx" }"#), ("src/a.ts", "")]);
    let load = |flag: Option<&str>, variable: Option<&str>, from: &str| {
        let request = ConfigRequest {
            root: RootChoice::Explicit(disk.path("")),
            state_dir: flag.map(PathBuf::from),
            layer: ConfigLayer::default(),
        };
        let environment = Environment { state_dir: variable.map(PathBuf::from), ..disk.standing_in(from) };
        Config::load(&request, &environment).unwrap()
    };
    assert_eq!(load(None, None, "").state_dir, Setting::new(disk.path("cache/idx"), Origin::ConfigFile));
    assert_eq!(load(None, Some("env"), "").state_dir, Setting::new(disk.path("env"), Origin::Environment));
    let flagged = load(Some("flag"), Some("env"), "src");
    assert_eq!(flagged.state_dir, Setting::new(disk.path("flag"), Origin::Flag));
    assert_eq!(
        flagged.warnings,
        [format!(
            "--state-dir flag is relative to the project root, so it means {}, not {}",
            disk.path("flag").display(),
            disk.path("src/flag").display()
        )]
    );
    assert!(load(Some("flag"), None, "").warnings.is_empty());
    let request = ConfigRequest { state_dir: Some(".".into()), ..ConfigRequest::default() };
    assert!(
        Config::load(&request, &disk.standing_in(""))
            .unwrap_err()
            .to_string()
            .contains("is the project root itself")
    );
}

#[test]
fn the_root_is_found_upward() {
    let disk = Disk::new(&[
        (".git/HEAD", ""),
        ("app/mast.config.json", "{}"),
        ("app/lib/.mast/graph.db", ""),
        ("app/lib/src/a.ts", ""),
        ("tools/.mast/graph.db", ""),
        ("tools/src/a.ts", ""),
        ("docs/a.md", ""),
    ]);
    let found = |from: &str| {
        let config = disk.search(from).unwrap();
        (config.project_root, config.root_origin)
    };
    assert_eq!(found("app/lib/src"), (disk.path("app"), RootOrigin::ConfigFile));
    assert_eq!(found("tools/src"), (disk.path("tools"), RootOrigin::ExistingIndex));
    assert_eq!(found("docs"), (disk.path(""), RootOrigin::GitTop));
    let note = disk.search("docs").unwrap().root_note().unwrap();
    assert_eq!(
        note,
        format!("using project root {} (the top of the git work tree)", disk.path("").display())
    );
    assert_eq!(disk.search("app").unwrap().root_note(), None);
    let here = ConfigRequest { root: RootChoice::WorkingDirectory, ..ConfigRequest::default() };
    assert_eq!(Config::load(&here, &disk.standing_in("docs")).unwrap().project_root, disk.path("docs"));
}

#[test]
fn an_absolute_state_directory_names_its_project() {
    let disk = Disk::new(&[("project/a.ts", ""), ("elsewhere/mast.config.json", "{}")]);
    let load = |state_dir: PathBuf| {
        let environment = Environment { state_dir: Some(state_dir), ..disk.standing_in("elsewhere") };
        Config::load(&ConfigRequest::default(), &environment)
    };
    let config = load(disk.path("project/.mast")).unwrap();
    assert_eq!((config.project_root, config.root_origin), (disk.path("project"), RootOrigin::StateDir));
    let other = load(disk.path("project/index")).unwrap();
    assert_eq!((other.project_root, other.root_origin), (disk.path("elsewhere"), RootOrigin::ConfigFile));
    let error = load(disk.path("gone/.mast")).unwrap_err().to_string();
    assert_eq!(
        error,
        format!("MAST_STATE_DIR: the project root {} does not exist", disk.path("gone").display())
    );
}

#[test]
fn roots_that_are_refused() {
    let disk = Disk::new(&[("file.ts", "")]);
    let explicit = |name: &str| {
        let request = ConfigRequest { root: RootChoice::Explicit(name.into()), ..ConfigRequest::default() };
        Config::load(&request, &disk.standing_in("")).map(|config| config.project_root)
    };
    assert_eq!(explicit("file.ts").unwrap_err().to_string(), "file.ts is not a directory");
    assert_eq!(explicit("nowhere").unwrap_err().to_string(), "nowhere does not exist");
    assert_eq!(explicit(".").unwrap(), disk.path(""));
    let at_home = Environment { home: Some(disk.path("")), ..disk.standing_in("") };
    let error = Config::load(&ConfigRequest::default(), &at_home).unwrap_err().to_string();
    assert!(error.contains("is the home directory"), "{error}");
    let named = ConfigRequest { root: RootChoice::Explicit(".".into()), ..ConfigRequest::default() };
    assert_eq!(Config::load(&named, &at_home).unwrap().project_root, disk.path(""));
    let at_top = Environment { working_directory: "/".into(), ..Environment::default() };
    let error = Config::load(
        &ConfigRequest { root: RootChoice::WorkingDirectory, ..ConfigRequest::default() },
        &at_top,
    );
    assert!(error.unwrap_err().to_string().contains("is the root of the file system"));
}

#[test]
fn a_stray_project_in_the_home_directory_is_passed_over() {
    for stray in ["home/.mast/config.json", "home/mast.config.json", "home/.git/HEAD"] {
        let disk = Disk::new(&[
            (stray, "{}"),
            ("home/repo/.git/HEAD", ""),
            ("home/repo/src/a.ts", ""),
            ("home/known/.mast/graph.db", ""),
            ("home/notes/a.md", ""),
        ]);
        let marker = disk.path(stray.strip_suffix("/config.json").unwrap_or(stray));
        let home = disk.path("home");
        let load = |from: &str, root: RootChoice| {
            let environment = Environment { home: Some(home.clone()), ..disk.standing_in(from) };
            Config::load(&ConfigRequest { root, ..ConfigRequest::default() }, &environment)
        };
        let warning = format!(
            "{} is passed over: {} is the home directory, which is a project only when it is named (--root {1})",
            marker.display(),
            home.display()
        );
        // A repository of dot files says nothing of mast.
        let warnings = if stray.contains(".git") { vec![] } else { vec![warning] };
        for (from, root, origin) in [
            ("home/repo/src", "home/repo", RootOrigin::GitTop),
            ("home/notes", "home/notes", RootOrigin::WorkingDirectory),
        ] {
            let config = load(from, RootChoice::Search).unwrap();
            assert_eq!(
                (config.project_root.clone(), config.root_origin),
                (disk.path(root), origin),
                "{stray}"
            );
            assert_eq!(config.warnings, warnings);
            let reloaded = config.reloaded().unwrap();
            assert!(reloaded.says_the_same_as(&config), "{:?}", reloaded.warnings);
        }
        let known = load("home/known", RootChoice::Search).unwrap();
        assert_eq!((known.project_root, known.warnings.len()), (disk.path("home/known"), 0), "{stray}");

        let refusal = load("home", RootChoice::Search).unwrap_err().to_string();
        let home = home.display();
        if stray.contains(".git") {
            let plain = format!(
                "{home} is the home directory; to index it, name it as the project: `mast index {home}`"
            );
            assert_eq!(refusal, plain);
        } else {
            let found = format!(
                "{} was found, but {home} is the home directory, which is a project only when it is named: use --root \
                 {home}, or go to the directory of a project",
                marker.display()
            );
            assert_eq!(refusal, found);
        }
        let named = load("home/repo", RootChoice::Explicit(disk.path("home"))).unwrap();
        assert_eq!(named.project_root, disk.path("home"));
    }
}

#[test]
fn a_state_directory_is_no_file() {
    let disk =
        Disk::new(&[("G.md", ""), ("a/mast.config.json", r#"{ "state_dir": "x.ts/idx" }"#), ("a/x.ts", "")]);
    let refused = |root: &str, flag: Option<&str>, variable: Option<&str>| {
        let request = ConfigRequest {
            root: RootChoice::Explicit(disk.path(root)),
            state_dir: flag.map(PathBuf::from),
            layer: ConfigLayer::default(),
        };
        let environment = Environment { state_dir: variable.map(PathBuf::from), ..disk.standing_in(root) };
        Config::load(&request, &environment).unwrap_err().to_string()
    };
    let advice = "is not a directory; move it away, or name another place for the index";
    let file = disk.path("G.md");
    let file = file.display();
    assert_eq!(refused("", Some("G.md"), None), format!("--state-dir: {file} {advice}"));
    assert_eq!(refused("", Some("G.md/below/it"), None), format!("--state-dir: {file} {advice}"));
    assert_eq!(refused("", None, Some("G.md")), format!("MAST_STATE_DIR: {file} {advice}"));
    assert_eq!(
        refused("a", None, None),
        format!(
            "{}: state_dir: {} {advice}",
            disk.path("a/mast.config.json").display(),
            disk.path("a/x.ts").display()
        )
    );
}

#[test]
fn a_value_of_the_caller_is_an_argument() {
    let disk = Disk::new(&[]);
    let refused = |layer: ConfigLayer| {
        let request = ConfigRequest { root: RootChoice::Explicit(disk.path("")), state_dir: None, layer };
        let error = Config::load(&request, &disk.standing_in("")).unwrap_err();
        assert_eq!(error.code(), crate::error::ErrorCode::InvalidInput);
        error.to_string()
    };
    assert_eq!(
        refused(ConfigLayer { exclude_patterns: Some(vec!["a{b".into()]), ..ConfigLayer::default() }),
        "exclude_patterns: `a{b` has unbalanced `{` and `}` or too many alternatives"
    );
    assert_eq!(
        refused(ConfigLayer { rrf_k: Some(0), ..ConfigLayer::default() }),
        "rrf_k: must be a whole number from 1 to 1000000, not 0"
    );
}

#[test]
fn files_that_are_no_configuration() {
    assert!(refused("{ \"rrf_k\": 60").starts_with("not valid JSON: "));
    assert!(refused("{ rrf_k: 60 }").starts_with("not valid JSON: "));
    assert!(refused(&"[".repeat(100_000)).starts_with("not valid JSON: nested too deeply"));
    assert_eq!(refused("[]"), "must hold one object, like { \"context_lines\": 5 }");
    assert_eq!(refused("// nothing\n"), "must hold one object, like { \"context_lines\": 5 }");
    assert_eq!(refused(" \n"), "not valid JSON: the file is empty; write {} or delete it");
}

#[test]
fn values_that_cannot_be_used() {
    let check = |value: &str, message: &str| assert_eq!(refused(&format!("{{ {value} }}")), message);
    check(r#""rrf_k": "60""#, "rrf_k: must be a whole number from 1 to 1000000, not a string");
    check(r#""rrf_k": 0"#, "rrf_k: must be a whole number from 1 to 1000000, not 0");
    check(r#""context_lines": -1"#, "context_lines: must be a whole number from 0 to 1000, not -1");
    check(
        r#""context_lines": 999999999999"#,
        "context_lines: must be a whole number from 0 to 1000, not 999999999999",
    );
    check(
        r#""chunk_split_threshold": 2.5"#,
        "chunk_split_threshold: must be a whole number from 1 to 1000000, not 2.5",
    );
    // The parser makes a string of a number that is too large for it, which another key would take as one.
    for number in ["1e400", "-1e400"] {
        check(&format!(r#""rrf_k": {number}"#), &format!("rrf_k: the number {number} cannot be read"));
        check(
            &format!(r#""state_dir": {number}"#),
            &format!("state_dir: the number {number} cannot be read"),
        );
        check(
            &format!(r#""exclude_patterns": ["a", {number}]"#),
            &format!("exclude_patterns: the number {number} cannot be read"),
        );
    }
    check(
        r#""markdown_heading_depth": 7"#,
        "markdown_heading_depth: must be a whole number from 1 to 6, not 7",
    );
    check(r#""respect_gitignore": "yes""#, "respect_gitignore: must be true or false, not a string");
    check(r#""exclude_patterns": "dist""#, "exclude_patterns: must be a list of strings, not a string");
    check(r#""exclude_patterns": [1]"#, "exclude_patterns: must be a list of strings, but holds a number");
    check(
        r#""exclude_patterns": ["{a,b"]"#,
        "exclude_patterns: `{a,b` has unbalanced `{` and `}` or too many alternatives",
    );
    check(r#""file_extensions": []"#, "file_extensions: must list at least one extension, like \".ts\"");
    check(r#""file_extensions": ["*.ts"]"#, "file_extensions: \"*.ts\" is not a file extension like \".ts\"");
    check(r#""state_dir": """#, "state_dir: must name a directory, not be empty");
    check(
        r#""include_dot_dirs": [".a*"]"#,
        "include_dot_dirs: \".a*\" is a glob; name one directory, like \".github\"",
    );
    check(
        r#""include_dot_dirs": ["a/../.b"]"#,
        "include_dot_dirs: \"a/../.b\" leaves the project root with \"..\"",
    );
    for absolute in ["/etc/.x", "C:/x/.y", "~/.x"] {
        check(
            &format!(r#""include_dot_dirs": ["{absolute}"]"#),
            &format!(
                "include_dot_dirs: {absolute:?} is an absolute path; name a directory relative to the project root, like \".github\""
            ),
        );
    }
    assert!(refused(r#"{ "file_extensions": [".py"] }"#).contains("is not a language mast reads"));
}

#[test]
fn unknown_keys_are_named_with_the_nearest_known_one() {
    let disk = Disk::new(&[(CONFIG_FILE, r#"{ "excludePatterns": [], "context_line": 1, "$schema": "x" }"#)]);
    let file = disk.path(CONFIG_FILE);
    assert_eq!(
        disk.load().unwrap().warnings,
        [
            format!(
                "{}: excludePatterns: unknown key, ignored (did you mean exclude_patterns?)",
                file.display()
            ),
            format!("{}: context_line: unknown key, ignored (did you mean context_lines?)", file.display()),
        ]
    );
}

#[test]
fn dot_directories_are_spelled_one_way() {
    let disk = Disk::new(&[(
        CONFIG_FILE,
        r#"{ "include_dot_dirs": ["./.agents/", "a//.b"], "context_lines": null }"#,
    )]);
    let config = disk.load().unwrap();
    assert_eq!(*config.include_dot_dirs, [".agents", "a/.b"]);
    assert_eq!((*config.context_lines, config.context_lines.origin), (3, Origin::Default));
}

#[test]
fn saving_writes_the_resolved_values_once() {
    let disk = Disk::new(&[(CONFIG_FILE, r#"{ "rrf_k": 10 }"#)]);
    let config = disk.load().unwrap();
    config.save().unwrap();
    let file = disk.path(".mast/config.json");
    let saved: serde_json::Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(saved["rrf_k"], 10);
    assert_eq!(saved["state_dir"], ".mast");
    assert_eq!(saved["project_root"], disk.path("").to_str().unwrap());
    assert_eq!(saved["resolved_state_dir"], disk.path(".mast").to_str().unwrap());
    let written = fs::metadata(&file).unwrap().modified().unwrap();
    disk.load().unwrap().save().unwrap();
    assert_eq!(fs::metadata(&file).unwrap().modified().unwrap(), written);
    let names: Vec<_> =
        fs::read_dir(disk.path(".mast")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["config.json"], "no temporary file is left");
    fs::remove_file(disk.path(CONFIG_FILE)).unwrap();
    assert_eq!(disk.load().unwrap().rrf_k, Setting::new(10, Origin::Saved));
}

#[test]
fn names_that_are_indexed() {
    let config = Disk::new(&[(CONFIG_FILE, r#"{ "file_extensions": [".d.ts", "js"] }"#)]).load().unwrap();
    assert!(config.is_indexed_name("a.d.ts") && config.is_indexed_name("x.js"));
    assert!(!config.is_indexed_name("a.ts") && !config.is_indexed_name(".js"));
}
