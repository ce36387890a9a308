//! Every rule of resolution, on projects written out as `path: text`.

use super::*;

/// A project: configuration files carry their text, every other path is an indexed file.
fn resolver(files: &[(&str, &str)]) -> Resolver {
    let is_config = |path: &str| is_project_config(path.rsplit('/').next().unwrap());
    let paths = files.iter().filter(|(path, text)| text.is_empty() && !is_config(path));
    let configs = files.iter().filter(|(path, _)| is_config(path)).map(|(path, _)| (*path).to_owned());
    let read = |path: &str| files.iter().find(|(name, _)| *name == path).map(|(_, text)| (*text).to_owned());
    Resolver::new(paths.map(|(path, _)| RepoPath::new(path).unwrap()), configs, read)
}

/// `from` importing `specifier`, spelled: the path, `external` or `missing`.
fn resolve(resolver: &Resolver, from: &str, specifier: &str) -> String {
    match resolver.resolve(&RepoPath::new(from).unwrap(), specifier) {
        Resolved::File(path) => path.to_string(),
        Resolved::External => "external".to_owned(),
        Resolved::Missing => "missing".to_owned(),
    }
}

/// Checks `(importing file, specifier, expected)` rows in the project of `files`.
#[track_caller]
fn check(files: &[(&str, &str)], rows: &[(&str, &str, &str)]) {
    let resolver = resolver(files);
    for (from, specifier, expected) in rows {
        assert_eq!(resolve(&resolver, from, specifier), *expected, "{specifier} from {from}");
    }
    assert_eq!(resolver.warnings(), [] as [&str; 0]);
}

/// A project of indexed files without configuration.
fn bare(paths: &[&'static str]) -> Vec<(&'static str, &'static str)> {
    paths.iter().map(|path| (*path, "")).collect()
}

#[test]
fn the_resolver_can_be_shared_between_threads() {
    fn is_shared<T: Send + Sync>() {}
    is_shared::<Resolver>();
}

#[test]
fn written_extensions_are_substituted_in_typescripts_order() {
    let files = bare(&[
        "x.ts",
        "x.js",
        "view.tsx",
        "plain.js",
        "types.d.ts",
        "types.js",
        "old.jsx",
        "m.mts",
        "m.mjs",
        "c.cts",
        "d.d.mts",
        "style.d.css.ts",
        "data.json.ts",
        "readme.md",
        "both.tsx",
        "both.ts",
    ]);
    check(
        &files,
        &[
            ("a.ts", "./x.js", "x.ts"),
            ("a.ts", "./view.js", "view.tsx"),
            ("a.ts", "./plain.js", "plain.js"),
            ("a.ts", "./types.js", "types.d.ts"),
            ("a.ts", "./old.js", "old.jsx"),
            ("a.ts", "./both.js", "both.ts"),
            ("a.ts", "./both.jsx", "both.tsx"),
            ("a.ts", "./x.ts", "x.ts"),
            ("a.ts", "./m.mjs", "m.mts"),
            ("a.ts", "./c.cjs", "c.cts"),
            ("a.ts", "./d.mjs", "d.d.mts"),
            ("a.ts", "./style.css", "style.d.css.ts"),
            ("a.ts", "./other.css", "missing"),
            ("a.ts", "./data.json", "data.json.ts"),
            ("a.ts", "./readme.md", "readme.md"),
            ("a.ts", "./x.mjs", "missing"),
        ],
    );
}

#[test]
fn left_out_extensions_are_added_to_the_whole_name() {
    let files =
        bare(&["src/user.ts", "src/user.entity.ts", "src/a.d.ts", "src/a.js", "src/only.mts", "src/n.js.ts"]);
    check(
        &files,
        &[
            ("src/m.ts", "./user", "src/user.ts"),
            ("src/m.ts", "./user.entity", "src/user.entity.ts"),
            ("src/m.ts", "./user.entity.js", "src/user.entity.ts"),
            ("src/m.ts", "./user.service", "missing"),
            ("src/m.ts", "./a", "src/a.d.ts"),
            ("src/m.ts", "./only", "src/only.mts"),
            ("src/m.ts", "./n.js", "src/n.js.ts"),
        ],
    );
}

#[test]
fn case_and_look_alikes_are_told_apart() {
    let files =
        bare(&["src/Button.ts", "src/button.ts", "src/my_util.ts", "src/my.util.ts", "src/myXutil.ts"]);
    check(
        &files,
        &[
            ("src/u.ts", "./Button", "src/Button.ts"),
            ("src/u.ts", "./button", "src/button.ts"),
            ("src/u.ts", "./BUTTON", "missing"),
            ("src/u.ts", "./my_util", "src/my_util.ts"),
        ],
    );
}

#[test]
fn directories_mean_their_index_and_files_come_first() {
    let files = bare(&[
        "index.ts",
        "src/index.ts",
        "src/util.ts",
        "src/util/index.ts",
        "src/deep/index.tsx",
        "src.ts",
    ]);
    check(
        &files,
        &[
            ("src/a.ts", "./util", "src/util.ts"),
            ("src/a.ts", "./util/", "src/util/index.ts"),
            ("src/a.ts", ".", "src/index.ts"),
            ("src/a.ts", "./", "src/index.ts"),
            ("src/deep/q.ts", "..", "src/index.ts"),
            ("src/deep/q.ts", "../", "src/index.ts"),
            ("src/deep/q.ts", "../.", "src/index.ts"),
            ("src/deep/q.ts", "../deep", "src/deep/index.tsx"),
            ("src/deep/q.ts", "../..", "index.ts"),
            ("src/deep/q.ts", "../../..", "missing"),
            ("src/deep/q.ts", "../../src", "src.ts"),
            ("a.ts", "../x", "missing"),
        ],
    );
}

#[test]
fn a_directory_with_a_package_json_means_its_entry() {
    check(
        &[
            ("lib/package.json", r#"{ "main": "./entry.js" }"#),
            ("lib/entry.ts", ""),
            ("lib/index.ts", ""),
            ("built/package.json", r#"{ "main": "dist/main.js", "types": "dist/main.d.ts" }"#),
            ("built/src/main.ts", ""),
            ("lost/package.json", r#"{ "main": "nowhere.js" }"#),
            ("lost/index.ts", ""),
            ("folder/package.json", r#"{ "main": "lib" }"#),
            ("folder/lib/index.js", ""),
        ],
        &[
            ("a.ts", "./lib", "lib/entry.ts"),
            ("a.ts", "./built", "built/src/main.ts"),
            ("a.ts", "./lost", "lost/index.ts"),
            ("a.ts", "./folder", "folder/lib/index.js"),
            ("lib/x/a.ts", "..", "lib/entry.ts"),
        ],
    );
}

#[test]
fn a_query_is_cut_off_only_when_no_file_has_it() {
    check(
        &bare(&["page.ts", "odd?raw.ts", "odd.ts"]),
        &[
            ("a.ts", "./page.ts?raw", "page.ts"),
            ("a.ts", "./page?worker&inline", "page.ts"),
            ("a.ts", "./odd?raw", "odd?raw.ts"),
            ("a.ts", "./gone?raw", "missing"),
        ],
    );
}

#[test]
fn paths_work_without_and_with_base_url() {
    let files =
        |config| [("tsconfig.json", config), ("src/lib/auth.ts", ""), ("lib/auth.ts", ""), ("src/x.ts", "")];
    let rows = [("src/x.ts", "@/lib/auth", "src/lib/auth.ts"), ("src/x.ts", "@/gone", "missing")];
    check(&files(r#"{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}"#), &rows);
    check(&files(r#"{"compilerOptions": {"baseUrl": "src", "paths": {"@/*": ["./*"]}}}"#), &rows);
    check(
        &files(r#"{"compilerOptions": {"baseUrl": "src"}}"#),
        &[("src/x.ts", "lib/auth", "src/lib/auth.ts"), ("src/x.ts", "react", "external")],
    );
}

#[test]
fn comments_trailing_commas_and_a_byte_order_mark_are_accepted() {
    let config = "\u{feff}// base\n{ /* note */ \"compilerOptions\": { \"paths\": { \"~/*\": [\"./src/*\"], }, }, /* end */ }";
    check(&[("tsconfig.json", config), ("src/u.ts", "")], &[("src/m.ts", "~/u", "src/u.ts")]);
    check(&[("tsconfig.json", ""), ("src/u.ts", "")], &[("src/m.ts", "~/u", "missing")]);
}

#[test]
fn the_longest_head_wins_and_fallbacks_are_tried_in_order() {
    check(
        &[
            (
                "tsconfig.json",
                r#"{"compilerOptions": {"paths": {"ui/*": ["./ui/*"], "ui/icons/*": ["./assets/*"], "ui": ["./ui/main.ts"],
                "*-gen": ["./gen/*.ts"], "f/*": ["./none/*", "./one/*", "./two/*"]}}}"#,
            ),
            ("ui/main.ts", ""),
            ("ui/button.ts", ""),
            ("ui/icons/x.ts", ""),
            ("ui/icons/only.ts", ""),
            ("assets/x.ts", ""),
            ("gen/api.ts", ""),
            ("one/a.ts", ""),
            ("two/a.ts", ""),
            ("two/b/index.ts", ""),
        ],
        &[
            ("m.ts", "ui", "ui/main.ts"),
            ("m.ts", "ui/button", "ui/button.ts"),
            ("m.ts", "ui/icons/x", "assets/x.ts"),
            ("m.ts", "ui/icons/only", "missing"),
            ("m.ts", "api-gen", "gen/api.ts"),
            ("m.ts", "f/a", "one/a.ts"),
            ("m.ts", "f/b", "two/b/index.ts"),
        ],
    );
}

#[test]
fn an_alias_that_finds_nothing_is_missing_unless_the_name_is_a_stated_dependency() {
    check(
        &[
            (
                "tsconfig.json",
                r#"{"compilerOptions": {"paths": {"@acme/*": ["./packages/*"], "*": ["./types/*"]}}}"#,
            ),
            ("package.json", r#"{"dependencies": {"@acme/registry": "^1.0.0"}}"#),
            ("types/shim.d.ts", ""),
        ],
        &[
            ("m.ts", "@acme/gone", "missing"),
            ("m.ts", "@acme/registry", "external"),
            ("m.ts", "shim", "types/shim.d.ts"),
            ("m.ts", "react", "external"),
        ],
    );
}

#[test]
fn the_nearest_configuration_applies() {
    let config = r#"{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}"#;
    check(
        &[
            ("apps/a/tsconfig.json", config),
            ("apps/b/jsconfig.json", config),
            ("apps/a/src/api.ts", ""),
            ("apps/b/src/api.js", ""),
        ],
        &[
            ("apps/a/src/deep/main.ts", "@/api", "apps/a/src/api.ts"),
            ("apps/b/src/main.js", "@/api", "apps/b/src/api.js"),
            ("apps/c.ts", "@/api", "missing"),
        ],
    );
}

#[test]
fn later_bases_win_and_paths_stay_relative_to_their_file() {
    check(
        &[
            ("configs/zero.json", r#"{"compilerOptions": {"baseUrl": "../base"}}"#),
            ("configs/one.json", r#"{"compilerOptions": {"paths": {"@x/*": ["../wrong/*"]}}}"#),
            ("configs/two.json", r#"{"extends": "./three", "compilerOptions": {}}"#),
            ("configs/three.json", r#"{"compilerOptions": {"paths": {"@x/*": ["../right/*"]}}}"#),
            ("tsconfig.json", r#"{"extends": ["./configs/one.json", "./configs/two.json"]}"#),
            (
                "own/tsconfig.json",
                r#"{"extends": "../configs/one.json", "compilerOptions": {"paths": {"@x/*": ["./*"]}}}"#,
            ),
            ("based/tsconfig.json", r#"{"extends": ["../configs/zero.json", "../configs/one.json"]}"#),
            ("wrong/v.ts", ""),
            ("right/v.ts", ""),
            ("own/v.ts", ""),
        ],
        &[
            ("src/m.ts", "@x/v", "right/v.ts"),
            ("own/m.ts", "@x/v", "own/v.ts"),
            // `paths` without a base of their own follow an inherited base URL: base/../wrong.
            ("based/m.ts", "@x/v", "wrong/v.ts"),
        ],
    );
}

#[test]
fn config_dir_is_the_directory_of_the_file_that_extends() {
    check(
        &[
            ("tsconfig.base.json", r#"{"compilerOptions": {"paths": {"@me/*": ["${configDir}/src/*"]}}}"#),
            ("pkg/one/tsconfig.json", r#"{"extends": "../../tsconfig.base.json"}"#),
            ("pkg/two/tsconfig.json", r#"{"extends": "../../tsconfig.base"}"#),
            ("pkg/one/src/k.ts", ""),
            ("pkg/two/src/k.ts", ""),
        ],
        &[
            ("pkg/one/src/m.ts", "@me/k", "pkg/one/src/k.ts"),
            ("pkg/two/src/m.ts", "@me/k", "pkg/two/src/k.ts"),
        ],
    );
}

#[test]
fn a_configuration_package_of_the_workspace_or_of_node_modules_can_be_extended() {
    check(
        &[
            ("package.json", r#"{"workspaces": ["packages/*"]}"#),
            ("packages/config/package.json", r#"{"name": "@acme/config"}"#),
            (
                "packages/config/base.json",
                r#"{"compilerOptions": {"paths": {"@/*": ["${configDir}/src/*"]}}}"#,
            ),
            ("packages/app/tsconfig.json", r#"{"extends": "@acme/config/base"}"#),
            ("packages/app/src/a.ts", ""),
            (
                "node_modules/@tool/cfg/tsconfig.json",
                r#"{"compilerOptions": {"baseUrl": "../../../installed"}}"#,
            ),
            ("packages/two/tsconfig.json", r#"{"extends": "@tool/cfg"}"#),
            ("installed/b.ts", ""),
        ],
        &[
            ("packages/app/src/m.ts", "@/a", "packages/app/src/a.ts"),
            ("packages/two/m.ts", "b", "installed/b.ts"),
        ],
    );
}

#[test]
fn broken_configuration_is_named_and_breaks_nothing_else() {
    let resolver = resolver(&[
        (
            "tsconfig.json",
            r#"{"extends": "@acme/gone/tsconfig.json", "compilerOptions": {"paths": {"@app/*": ["./src/*"]}}}"#,
        ),
        ("broken/tsconfig.json", r#"{"compilerOptions": "#),
        ("loop/tsconfig.json", r#"{"extends": "./other.json"}"#),
        ("loop/other.json", r#"{"extends": "./tsconfig.json", "compilerOptions": {"baseUrl": "."}}"#),
        ("list/package.json", "[]"),
        ("deep/package.json", &"[".repeat(100_000)),
        ("pnpm-workspace.yaml", "packages: [a, 'b"),
        ("b.ts", ""),
        ("src/x.ts", ""),
        ("loop/y.ts", ""),
    ]);
    assert_eq!(resolve(&resolver, "a.ts", "./b"), "b.ts");
    assert_eq!(resolve(&resolver, "a.ts", "@app/x"), "src/x.ts");
    assert_eq!(resolve(&resolver, "broken/a.ts", "../b"), "b.ts");
    assert_eq!(resolve(&resolver, "broken/a.ts", "@app/x"), "src/x.ts", "the next configuration up applies");
    assert_eq!(resolve(&resolver, "loop/a.ts", "y"), "loop/y.ts");
    let named: Vec<_> = resolver.warnings().iter().map(|text| text.split(": ").next().unwrap()).collect();
    let expected = [
        "broken/tsconfig.json",
        "deep/package.json",
        "list/package.json",
        "loop/other.json",
        "pnpm-workspace.yaml",
        "tsconfig.json",
    ];
    assert_eq!(named, expected);
}

#[test]
fn root_dirs_are_laid_over_each_other() {
    check(
        &[
            ("tsconfig.json", r#"{"compilerOptions": {"rootDirs": ["src", "generated", "src/deep/more"]}}"#),
            ("src/a/own.ts", ""),
            ("generated/a/made.ts", ""),
            ("generated/made.ts", ""),
        ],
        &[
            ("src/a/m.ts", "./own", "src/a/own.ts"),
            ("src/a/m.ts", "./made", "generated/a/made.ts"),
            ("generated/a/m.ts", "./own", "src/a/own.ts"),
            ("src/deep/more/m.ts", "./made", "generated/made.ts"),
            ("other/m.ts", "./made", "missing"),
        ],
    );
}

#[test]
fn a_solution_hands_over_to_the_project_that_includes_the_file() {
    check(
        &[
            (
                "tsconfig.json",
                r#"{"files": [], "references": [{"path": "./tsconfig.app.json"}, {"path": "./tools"}]}"#,
            ),
            (
                "tsconfig.app.json",
                r#"{"include": ["src"], "exclude": ["src/**/*.spec.ts"], "references": [{"path": "tsconfig.spec.json"}],
                "compilerOptions": {"paths": {"@/*": ["./src/*"]}}}"#,
            ),
            (
                "tsconfig.spec.json",
                r#"{"include": ["src/**/*.spec.ts"], "compilerOptions": {"paths": {"@/*": ["./mocks/*"]}}}"#,
            ),
            ("tsconfig.unreferenced.json", r#"{"compilerOptions": {"paths": {"@/*": ["./never/*"]}}}"#),
            (
                "tools/tsconfig.json",
                r#"{"include": ["**/*"], "compilerOptions": {"paths": {"@/*": ["./lib/*"]}}}"#,
            ),
            ("src/a.ts", ""),
            ("src/m.ts", ""),
            ("src/m.spec.ts", ""),
            ("mocks/a.ts", ""),
            ("tools/lib/a.ts", ""),
            ("never/a.ts", ""),
            ("scripts/m.ts", ""),
        ],
        &[
            ("src/m.ts", "@/a", "src/a.ts"),
            ("src/m.spec.ts", "@/a", "mocks/a.ts"),
            ("tools/m.ts", "@/a", "tools/lib/a.ts"),
            ("scripts/m.ts", "@/a", "missing"),
        ],
    );
}

#[test]
fn a_solution_with_an_entry_file_covers_what_the_entry_draws_in() {
    check(
        &[
            ("tsconfig.json", r#"{"files": [], "references": [{"path": "./tsconfig.app.json"}]}"#),
            (
                "tsconfig.app.json",
                r#"{"files": ["src/main.ts"], "compilerOptions": {"paths": {"@/*": ["./src/*"]}}}"#,
            ),
            ("src/main.ts", ""),
            ("src/a.ts", ""),
            ("src/b.ts", ""),
        ],
        &[("src/main.ts", "@/a", "src/a.ts"), ("src/a.ts", "@/b", "src/b.ts")],
    );
}

#[test]
fn hash_imports_follow_the_package_around_the_file() {
    check(
        &[
            (
                "package.json",
                r##"{"name": "app", "imports": {"#services/*": "./app/services/*.ts", "#cfg": {"node": "./app/cfg.js", "default": "./x.js"},
                "#built/*": "./dist/*.js", "#dep": "lodash", "#lib": "@acme/lib", "#closed": null}, "workspaces": ["lib", "sub"]}"##,
            ),
            ("sub/package.json", r#"{"type": "module"}"#),
            ("lib/package.json", r#"{"name": "@acme/lib", "main": "main.ts"}"#),
            ("lib/main.ts", ""),
            ("app/services/mail.ts", ""),
            ("app/cfg.ts", ""),
            ("src/b.ts", ""),
        ],
        &[
            ("app/main.ts", "#services/mail", "app/services/mail.ts"),
            ("app/main.ts", "#cfg", "app/cfg.ts"),
            ("app/main.ts", "#built/b", "src/b.ts"),
            ("app/main.ts", "#dep", "external"),
            ("app/main.ts", "#lib", "lib/main.ts"),
            ("app/main.ts", "#closed", "missing"),
            ("app/main.ts", "#gone", "missing"),
            ("sub/main.ts", "#cfg", "missing"),
        ],
    );
}

const CORE: &str = r#"{"name": "@acme/core", "exports": {".": "./src/index.ts",
    "./browser": {"types": "./src/browser.ts", "default": "./src/browser.ts"}, "./parts/*": "./src/parts/*.ts"}}"#;

#[test]
fn workspace_packages_are_found_by_name_and_subpath() {
    let members = [
        ("packages/core/package.json", CORE),
        ("packages/core/src/index.ts", ""),
        ("packages/core/src/browser.ts", ""),
        ("packages/core/src/parts/menu.ts", ""),
        ("packages/core/src/hidden.ts", ""),
        ("packages/test/package.json", r#"{"name": "@acme/test", "main": "t.ts"}"#),
        ("packages/test/t.ts", ""),
        ("packages/app/package.json", r#"{"name": "@acme/app"}"#),
    ];
    let rows = [
        ("packages/app/src/main.ts", "@acme/core", "packages/core/src/index.ts"),
        ("packages/app/src/main.ts", "@acme/core/browser", "packages/core/src/browser.ts"),
        ("packages/app/src/main.ts", "@acme/core/parts/menu", "packages/core/src/parts/menu.ts"),
        ("packages/app/src/main.ts", "@acme/core/src/hidden", "packages/core/src/hidden.ts"),
        ("packages/app/src/main.ts", "@acme/core/gone", "missing"),
        ("packages/app/src/main.ts", "@acme/test", "external"),
        ("packages/app/src/main.ts", "@acme/other", "external"),
        ("packages/app/src/main.ts", "fs", "external"),
        ("packages/app/src/main.ts", "node:fs", "external"),
    ];
    for root in [
        ("package.json", r#"{"workspaces": ["packages/*", "!packages/test"]}"#),
        ("package.json", r#"{"workspaces": {"packages": ["./packages/{core,app}/"]}}"#),
        (
            "pnpm-workspace.yaml",
            "catalog:\n  a: 1\npackages:\n  - 'packages/**'\n  - '!**/test'\nother: [x]\n",
        ),
        ("lerna.json", r#"{"packages": ["packages/core"]}"#),
    ] {
        let mut files = members.to_vec();
        files.push(root);
        check(&files, &rows);
    }
    let mut files = members.to_vec();
    files.push(("lerna.json", r#"{"version": "1.0.0"}"#));
    check(&files, &[("a.ts", "@acme/test", "packages/test/t.ts")]);
}

#[test]
fn output_that_was_never_built_means_its_source() {
    let package = |manifest: &'static str, source: &'static str| {
        vec![
            ("package.json", r#"{"workspaces": ["lib", "app"]}"#),
            ("lib/package.json", manifest),
            ("app/package.json", r#"{"name": "app"}"#),
            (source, ""),
        ]
    };
    let from = "app/m.ts";
    for (manifest, specifier, source) in [
        (
            r#"{"name": "l", "main": "./dist/index.js", "types": "./dist/index.d.ts"}"#,
            "l",
            "lib/src/index.ts",
        ),
        (r#"{"name": "l", "module": "dist/esm/main.mjs"}"#, "l", "lib/src/main.mts"),
        (
            r#"{"name": "l", "exports": {".": {"types": "./dist/types/index.d.ts"}}}"#,
            "l",
            "lib/src/index.tsx",
        ),
        (r#"{"name": "l", "exports": {"./a/*": "./dist/a/*.cjs"}}"#, "l/a/b", "lib/src/a/b.ts"),
        (r#"{"name": "l", "exports": {"./a": "./dist/a.js"}}"#, "l/a", "lib/src/a/index.ts"),
        (r#"{"name": "l", "exports": {"./a": "./dist/a/index.js"}}"#, "l/a", "lib/src/a.ts"),
        (r#"{"name": "l", "exports": {"./client": "./dist/bundle/c.js"}}"#, "l/client", "lib/src/client.ts"),
        (r#"{"name": "l", "main": "dist/index.esm.min.js"}"#, "l", "lib/src/index.ts"),
        (r#"{"name": "l", "main": "lib/index.js"}"#, "l", "lib/src/index.ts"),
        (r#"{"name": "l", "main": "dist/src/index.js"}"#, "l", "lib/src/index.ts"),
        (r#"{"name": "l", "main": "dist/l.umd.js"}"#, "l", "lib/index.ts"),
        (r#"{"name": "l"}"#, "l", "lib/src/index.ts"),
        (r#"{"name": "l"}"#, "l/deep/x", "lib/deep/x.ts"),
        (r#"{"name": "l"}"#, "l/dist/x", "lib/src/x.ts"),
        (r#"{"name": "l", "publishConfig": {"directory": "dist"}}"#, "l/x", "lib/src/x.ts"),
        (r#"{"name": "l", "publishConfig": {"main": "dist/start.js"}}"#, "l", "lib/src/start.ts"),
        (
            r#"{"name": "l", "main": "src/m.ts", "publishConfig": {"exports": {".": "./dist/x.js"}}}"#,
            "l",
            "lib/src/m.ts",
        ),
        (r#"{"name": "l", "types": "./index.d.cts"}"#, "l", "lib/src/index.ts"),
        (
            r#"{"name": "l", "exports": {".": {"@l/source": "./src/s.ts", "import": "./i.js"}}}"#,
            "l",
            "lib/src/s.ts",
        ),
    ] {
        check(&package(manifest, source), &[(from, specifier, source)]);
    }
    check(&package(r#"{"name": "l", "exports": {"./x": null}}"#, "lib/x.ts"), &[(from, "l/x", "missing")]);
    check(&package(r#"{"name": "l", "main": "../app/x.js"}"#, "app/x.ts"), &[(from, "l", "missing")]);
}

#[test]
fn built_output_that_is_indexed_gives_way_to_its_source() {
    check(
        &[
            ("package.json", r#"{"workspaces": ["l"]}"#),
            (
                "l/package.json",
                r#"{"name": "l", "main": "dist/a.js", "exports": {".": "./dist/a.js", "./lib": "./lib/b.js"}}"#,
            ),
            ("l/dist/a.js", ""),
            ("l/src/a.ts", ""),
            ("l/lib/b.js", ""),
            ("l/src/b.ts", ""),
        ],
        // `lib` is as often the place of sources: what is there is meant.
        &[("m.ts", "l", "l/src/a.ts"), ("m.ts", "l/lib", "l/lib/b.js")],
    );
}

#[test]
fn the_output_directory_of_the_configuration_is_honoured() {
    check(
        &[
            ("package.json", r#"{"workspaces": ["l"]}"#),
            ("l/package.json", r#"{"name": "l", "main": "made/code/a.js"}"#),
            ("l/tsconfig.json", r#"{"compilerOptions": {"outDir": "made", "rootDir": "written"}}"#),
            ("l/written/code/a.ts", ""),
        ],
        &[("m.ts", "l", "l/written/code/a.ts")],
    );
}

#[test]
fn two_packages_of_one_name_mean_neither_but_separate_workspaces_are_separate() {
    check(
        &[
            ("package.json", r#"{"workspaces": ["a", "b"]}"#),
            ("a/package.json", r#"{"name": "same", "main": "i.ts"}"#),
            ("b/package.json", r#"{"name": "same", "main": "i.ts"}"#),
            ("a/i.ts", ""),
            ("b/i.ts", ""),
            ("example/package.json", r#"{"workspaces": ["c"]}"#),
            ("example/c/package.json", r#"{"name": "same", "main": "i.ts"}"#),
            ("example/c/i.ts", ""),
        ],
        &[("m.ts", "same", "missing"), ("example/m.ts", "same", "example/c/i.ts")],
    );
}

#[test]
fn a_package_reaches_itself_through_its_exports() {
    check(
        &[
            ("package.json", r#"{"name": "me", "exports": {".": "./dist/index.js", "./x": "./src/x.ts"}}"#),
            ("src/index.ts", ""),
            ("src/x.ts", ""),
            ("plain/package.json", r#"{"name": "plain"}"#),
            ("plain/index.ts", ""),
        ],
        &[
            ("test/a.ts", "me", "src/index.ts"),
            ("test/a.ts", "me/x", "src/x.ts"),
            ("plain/a.ts", "plain", "external"),
        ],
    );
}

#[test]
fn a_stated_version_can_name_a_directory_another_package_or_the_registry() {
    check(
        &[
            ("package.json", r#"{"workspaces": ["core", "same"]}"#),
            ("core/package.json", r#"{"name": "core", "main": "i.ts"}"#),
            ("core/i.ts", ""),
            ("same/package.json", r#"{"name": "@a/same", "main": "s.ts"}"#),
            ("same/s.ts", ""),
            ("outside/package.json", r#"{"name": "outside", "main": "o.ts"}"#),
            ("outside/o.ts", ""),
            (
                "app/package.json",
                r#"{"dependencies": {"linked": "link:../outside", "filed": "file:../outside", "alias": "workspace:core@*",
                "outside": "workspace:^", "core": "npm:core@1", "@a/same": "npm:@a/same", "gone": "workspace:*"}}"#,
            ),
        ],
        &[
            ("app/m.ts", "linked", "outside/o.ts"),
            ("app/m.ts", "filed", "outside/o.ts"),
            ("app/m.ts", "alias", "core/i.ts"),
            ("app/m.ts", "outside", "outside/o.ts"),
            ("app/m.ts", "core", "external"),
            ("app/m.ts", "@a/same", "same/s.ts"),
            ("app/m.ts", "gone", "missing"),
            ("m.ts", "core", "core/i.ts"),
        ],
    );
}

#[test]
fn aliases_win_over_workspace_packages() {
    check(
        &[
            ("package.json", r#"{"workspaces": ["core"]}"#),
            ("core/package.json", r#"{"name": "@a/core", "main": "i.ts"}"#),
            ("core/i.ts", ""),
            (
                "tsconfig.json",
                r#"{"compilerOptions": {"paths": {"@a/core": ["./mock.ts"], "@a/*": ["./gone/*"]}}}"#,
            ),
            ("mock.ts", ""),
            ("core/x.ts", ""),
        ],
        &[("m.ts", "@a/core", "mock.ts"), ("m.ts", "@a/core/x", "core/x.ts")],
    );
}

#[test]
fn custom_conditions_come_first() {
    check(
        &[
            ("package.json", r#"{"workspaces": ["core"]}"#),
            ("core/package.json", r#"{"name": "core", "exports": {"types": "./a.ts", "special": "./b.ts"}}"#),
            ("core/a.ts", ""),
            ("core/b.ts", ""),
            ("app/tsconfig.json", r#"{"compilerOptions": {"customConditions": ["special"]}}"#),
        ],
        &[("m.ts", "core", "core/a.ts"), ("app/m.ts", "core", "core/b.ts")],
    );
}

#[test]
fn what_is_no_module_of_the_workspace_is_told_apart_from_what_is_gone() {
    check(
        &bare(&["a.ts"]),
        &[
            ("a.ts", "react", "external"),
            ("a.ts", "@scope/pkg/sub", "external"),
            ("a.ts", "fs/promises", "external"),
            ("a.ts", "https://example.org/x.ts", "external"),
            ("a.ts", "virtual:pwa", "external"),
            ("a.ts", "@/x", "missing"),
            ("a.ts", "~/x", "missing"),
            ("a.ts", "$lib/x", "missing"),
            ("a.ts", "/abs", "missing"),
            ("a.ts", "", "missing"),
            ("a.ts", "./gone", "missing"),
        ],
    );
}

#[test]
fn names_of_configuration_files() {
    for name in [
        "tsconfig.json",
        "tsconfig.build.json",
        "tsconfig-base.json",
        "jsconfig.json",
        "package.json",
        "lerna.json",
    ] {
        assert!(is_project_config(name), "{name}");
    }
    for name in ["tsconfigs.json", "package-lock.json", "tsconfig.json5", "config.json"] {
        assert!(!is_project_config(name), "{name}");
    }
}

#[test]
fn builtin_modules_win_over_packages_of_the_same_name() {
    check(
        &[
            ("package.json", r#"{"workspaces": ["*"]}"#),
            ("util/package.json", r#"{"name": "util", "main": "u.ts"}"#),
            ("util/u.ts", ""),
        ],
        &[("a.ts", "util", "external"), ("a.ts", "util/u", "util/u.ts"), ("a.ts", "zlib", "external")],
    );
    for name in
        ["assert", "diagnostics_channel", "string_decoder", "trace_events", "zlib", "constants", "sys"]
    {
        assert!(is_builtin(name), "{name}");
    }
}
