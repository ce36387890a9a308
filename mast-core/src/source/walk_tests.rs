//! What the walk takes and what it leaves.

use std::fs;
use std::path::Path;

use super::*;
use crate::config::{ConfigRequest, Environment, RootChoice};

/// A project in a temporary directory.
struct Project {
    directory: tempfile::TempDir,
}

impl Project {
    fn new(files: &[(&str, &str)]) -> Self {
        let project = Self { directory: tempfile::tempdir().unwrap() };
        for (path, text) in files {
            project.write(path, text);
        }
        project
    }

    fn root(&self) -> &Path {
        self.directory.path()
    }

    fn write(&self, path: &str, text: &str) {
        let file = self.root().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    fn config_of(root: &Path) -> Config {
        let request =
            ConfigRequest { root: RootChoice::Explicit(root.to_path_buf()), ..ConfigRequest::default() };
        Config::load(
            &request,
            &Environment { working_directory: root.to_path_buf(), ..Environment::default() },
        )
        .unwrap()
    }

    fn walk(&self) -> Walk {
        walk(&Self::config_of(self.root()))
    }
}

fn names(walk: &Walk) -> Vec<&str> {
    walk.files.iter().map(|file| file.path.as_str()).collect()
}

/// Files with these names, all of them source.
fn check(files: &[&str], expected: &[&str]) {
    let project = Project::new(&files.iter().map(|name| (*name, "export {};\n")).collect::<Vec<_>>());
    assert_eq!(names(&project.walk()), expected);
}

#[test]
fn default_excludes_and_extensions() {
    check(
        &[
            "dist/x.ts",
            "packages/a/dist/y.ts",
            "packages/a/node_modules/z/i.ts",
            "root.test.ts",
            "src/n.test.ts",
            "src/distribution/k.ts",
            "src/contest.ts",
            "src/rebuild/r.ts",
            "a.mts",
            "b.py",
            "ts",
            "README.md",
        ],
        &["README.md", "src/contest.ts", "src/distribution/k.ts", "src/rebuild/r.ts"],
    );
}

#[test]
fn the_order_is_that_of_path_bytes() {
    check(&["b.ts", "a/z.ts", "a-b.ts", "B.ts", "é.ts"], &["B.ts", "a-b.ts", "a/z.ts", "b.ts", "é.ts"]);
}

#[test]
fn dot_entries_are_opt_in() {
    let files = [
        ".storybook/main.ts",
        ".storybook/.deep/x.ts",
        ".storybook/.dot.ts",
        "src/.hidden/h.ts",
        "src/a.ts",
        ".x/y/.z/q.ts",
        ".x/w.ts",
    ];
    check(&files, &["src/a.ts"]);
    let project = Project::new(&files.map(|name| (name, "")));
    project.write(
        "mast.config.json",
        r#"{ "include_dot_dirs": [".storybook", ".x/y/.z", ".agnets", "src/a.ts", ".empty"] }"#,
    );
    fs::create_dir(project.root().join(".empty")).unwrap();
    let walk = project.walk();
    assert_eq!(names(&walk), [".storybook/main.ts", ".x/y/.z/q.ts", "src/a.ts"]);
    let report: Vec<_> =
        walk.dot_directories.iter().map(|dot| (dot.path.as_str(), dot.files, dot.trouble)).collect();
    assert_eq!(
        report,
        [
            (".storybook", 1, None),
            (".x/y/.z", 1, None),
            (".agnets", 0, Some(DotDirectoryTrouble::Missing)),
            ("src/a.ts", 0, Some(DotDirectoryTrouble::NotADirectory)),
            (".empty", 0, Some(DotDirectoryTrouble::Empty)),
        ]
    );
}

#[test]
fn ignore_files_at_every_level() {
    let project = Project::new(&[
        (".gitignore", "dist-out/\n*.gen.ts\n!keep.gen.ts\n/rooted.ts\n"),
        ("web/.gitignore", ".output\n/local.ts\r\n!special.gen.ts\n"),
        ("web/local.ts", ""),
        ("web/special.gen.ts", ""),
        ("web/deep/local.ts", ""),
        ("a.gen.ts", ""),
        ("keep.gen.ts", ""),
        ("rooted.ts", ""),
        ("web/rooted.ts", ""),
        ("x/dist-out/q.ts", ""),
        ("src/a.ts", ""),
        ("src/a.test.ts", ""),
    ]);
    let walk = project.walk();
    assert_eq!(
        names(&walk),
        ["keep.gen.ts", "src/a.ts", "web/deep/local.ts", "web/rooted.ts", "web/special.gen.ts"]
    );
    assert_eq!(walk.ignored, LeftOut { files: 3, directories: 1 });
    assert_eq!(walk.excluded, LeftOut { files: 1, directories: 0 });
    assert_eq!(walk.left_out_files(), 4);

    project.write("mast.config.json", r#"{ "respect_gitignore": false }"#);
    assert_eq!(project.walk().files.len(), 9);
}

#[test]
fn ignored_files_that_are_wanted_all_the_same() {
    let project = Project::new(&[
        (".gitignore", "gen/\nout/\n*.g.ts\n"),
        ("gen/api/a.ts", ""),
        ("gen/other/b.ts", ""),
        ("out/c.ts", ""),
        ("out/d.js", ""),
        ("src/e.g.ts", ""),
        ("src/f.g.ts", ""),
        ("mast.config.json", r#"{ "include_ignored": ["gen/api", "out/*.ts", "src/e.g.ts"] }"#),
    ]);
    let walk = project.walk();
    assert_eq!(names(&walk), ["gen/api/a.ts", "out/c.ts", "src/e.g.ts"]);
    assert_eq!(walk.ignored, LeftOut { files: 2, directories: 1 });
}

#[test]
fn repositories_have_their_own_rules() {
    let project = Project::new(&[
        (".git/HEAD", ""),
        (".git/info/exclude", "excluded.ts\n"),
        (".gitignore", "shadow.ts\n"),
        ("excluded.ts", ""),
        ("shadow.ts", ""),
        ("app/excluded.ts", ""),
        ("vendor/.git/HEAD", ""),
        ("vendor/.gitignore", "private/\n"),
        ("vendor/private/p.ts", ""),
        ("vendor/shadow.ts", ""),
        ("vendor/excluded.ts", ""),
        ("linked/.git", "gitdir: ../.git/worktrees/linked\n"),
        (".git/worktrees/linked/commondir", "../..\n"),
        ("linked/excluded.ts", ""),
        ("linked/kept.ts", ""),
    ]);
    assert_eq!(names(&project.walk()), ["linked/kept.ts", "vendor/excluded.ts", "vendor/shadow.ts"]);
}

#[test]
fn rules_above_the_root_count_inside_the_same_repository() {
    let project = Project::new(&[
        (".gitignore", "outside.ts\n"),
        ("repo/.git/HEAD", ""),
        ("repo/.git/info/exclude", "secret.ts\n"),
        ("repo/.gitignore", "*.gen.ts\n/packages/app/only-here.ts\n"),
        ("repo/packages/.gitignore", "!wanted.gen.ts\n"),
        ("repo/packages/app/a.ts", ""),
        ("repo/packages/app/b.gen.ts", ""),
        ("repo/packages/app/wanted.gen.ts", ""),
        ("repo/packages/app/only-here.ts", ""),
        ("repo/packages/app/outside.ts", ""),
        ("repo/packages/app/secret.ts", ""),
    ]);
    let walk = walk(&Project::config_of(&project.root().join("repo/packages/app")));
    assert_eq!(names(&walk), ["a.ts", "outside.ts", "wanted.gen.ts"]);
}

#[test]
fn the_state_directory_is_never_walked() {
    let project = Project::new(&[
        ("mast.config.json", r#"{ "state_dir": "cache/idx" }"#),
        ("cache/idx/notes.md", ""),
        ("cache/keep.ts", ""),
    ]);
    assert_eq!(names(&project.walk()), ["cache/keep.ts"]);
}

#[test]
fn configuration_files_of_module_resolution() {
    let project = Project::new(&[
        ("package.json", "{}"),
        ("base.json", "{}"),
        ("tsconfig.json", "{}"),
        ("data/strings.json", "{}"),
        ("packages/a/tsconfig.build.json", "{}"),
        ("packages/a/shared.json", "{}"),
        ("packages/a/node_modules/x/package.json", "{}"),
        ("pnpm-workspace.yaml", ""),
        (".vscode/tsconfig.json", "{}"),
    ]);
    assert_eq!(
        project.walk().configs,
        [
            "base.json",
            "package.json",
            "packages/a/shared.json",
            "packages/a/tsconfig.build.json",
            "pnpm-workspace.yaml",
            "tsconfig.json"
        ]
    );
}

#[test]
fn stamps_are_those_of_the_disk() {
    let project = Project::new(&[("a.ts", "let a;\n")]);
    let walk = project.walk();
    assert_eq!((walk.files[0].stamp.size, walk.files[0].stamp.hash), (7, 0));
    assert_eq!(walk.files[0].stamp, stamp_of(&fs::metadata(project.root().join("a.ts")).unwrap()));
}

#[cfg(unix)]
#[test]
fn links_and_odd_entries() {
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;

    let project = Project::new(&[("src/a.ts", ""), ("real/.inner/b.ts", ""), ("src/dir.ts/inner.ts", "")]);
    symlink("..", project.root().join("src/up")).unwrap();
    symlink("self", project.root().join("src/self")).unwrap();
    symlink("nowhere.ts", project.root().join("src/gone.ts")).unwrap();
    symlink("a.ts", project.root().join("src/twin.ts")).unwrap();
    symlink("real/.inner", project.root().join(".link")).unwrap();
    let pipe = std::process::Command::new("mkfifo").arg(project.root().join("src/pipe.ts")).status();
    let odd_name = project.root().join(OsStr::from_bytes(b"src/\xff.ts"));
    let has_odd_name = fs::write(odd_name, "").is_ok();
    project.write("mast.config.json", r#"{ "include_dot_dirs": [".link"] }"#);
    let walk = project.walk();
    assert_eq!(names(&walk), ["src/a.ts", "src/dir.ts/inner.ts"]);
    assert_eq!(walk.dot_directories[0].trouble, Some(DotDirectoryTrouble::SymbolicLink));
    let mut expected = Vec::new();
    if pipe.is_ok_and(|status| status.success()) {
        expected.push(("src/pipe.ts", ProblemKind::Skipped));
    }
    if has_odd_name {
        expected.push(("src/\u{fffd}.ts", ProblemKind::Unreadable));
    }
    let problems: Vec<_> = walk.problems.iter().map(|p| (p.path.as_str(), p.problem.kind)).collect();
    assert_eq!(problems, expected);
}
