//! How this `mast` was installed, and therefore how a hook should call it.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

/// The npm package of the command.
pub(crate) const PACKAGE: &str = "@spikedpunch/mast";

/// Where the running program came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Installation {
    /// On `PATH`, from a global install by a package manager or by hand.
    Global {
        /// The native program when a package manager keeps it behind a start script, at a path that outlives upgrades.
        native: Option<PathBuf>,
        /// The package manager's directory of global packages.
        store: Option<PathBuf>,
    },
    /// In the cache of npx, from where it may be gone tomorrow.
    Cached,
    /// In the `node_modules` of a project.
    Dependency {
        /// The directory that holds `node_modules`.
        base: PathBuf,
        /// The native program, where its path does not change with every release.
        native: Option<PathBuf>,
    },
    /// Built from source, or lying somewhere that is not on `PATH`.
    Loose {
        /// The program.
        exe: PathBuf,
        /// Whether it was built from source.
        is_build: bool,
    },
}

/// What the decision depends on.
#[derive(Debug)]
pub(crate) struct Surroundings<'a> {
    /// The running program.
    pub(crate) exe: &'a Path,
    /// `PATH`.
    pub(crate) path: Option<&'a OsStr>,
}

impl Installation {
    /// How the running program was installed, seen from the project at `root`.
    pub(crate) fn detect(surroundings: &Surroundings<'_>, root: &Path) -> Self {
        let exe = surroundings.exe;
        let Some(modules) = outermost_node_modules(exe) else {
            let is_build = is_build_output(exe);
            return if is_build || !is_on_path(surroundings.path) {
                Self::Loose { exe: exe.to_path_buf(), is_build }
            } else {
                Self::Global { native: None, store: None }
            };
        };
        let base = modules.parent().unwrap_or(Path::new("")).to_path_buf();
        if modules.components().any(|part| part.as_os_str() == "_npx") {
            return Self::Cached;
        }
        let native = lasting_path(exe);
        let is_near = root.starts_with(&base) || base.starts_with(root);
        if !is_global_store(&modules) && (is_near || base.join("package.json").is_file()) {
            return Self::Dependency { base, native };
        }
        Self::Global { native, store: Some(modules) }
    }
}

/// The ways to start `mast` in a hook, the preferred one first; a hook file that has any of them is current.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Launchers {
    /// Never empty.
    pub(crate) forms: Vec<String>,
    /// How many of the first forms the note is about.
    pub(crate) noted: usize,
    /// What the user has to know when the file has one of those.
    pub(crate) note: Option<String>,
}

/// Which file the hook goes into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// The project's, usually committed.
    Project,
    /// The user's own, for every project.
    User,
}

/// The ways to start `mast` from a hook file of `scope`, for the project at `root`.
///
/// `root_variable` is the shell's name for the project root where the harness sets one for its hooks.
/// Fails for a project dependency in a user file: the hook would break in every other project.
pub(crate) fn launchers(
    installation: &Installation,
    root: &Path,
    scope: Scope,
    root_variable: Option<&str>,
) -> Result<Launchers, String> {
    match installation {
        Installation::Cached => Err(
            "this mast runs from the cache of npx, where a hook would not find it; install it in the project or \
             globally first"
                .to_owned(),
        ),
        Installation::Global { native, .. } => {
            let mut forms = vec!["mast".to_owned()];
            if let Some(native) = native {
                // A start script costs more than the hook itself, and a user file is never shared between machines.
                let at = usize::from(scope == Scope::Project);
                forms.insert(at, quoted(native));
            }
            Ok(Launchers { forms, noted: 0, note: None })
        }
        Installation::Loose { exe, .. } => Ok(Launchers {
            forms: vec![quoted(exe)],
            noted: 1,
            note: (scope == Scope::Project).then(|| {
                format!("the hooks name {}, a path on this machine; do not commit this file", exe.display())
            }),
        }),
        Installation::Dependency { base, native } => {
            if scope == Scope::User {
                return Err(format!(
                    "this mast is a dependency of {}, so a hook for every project would break in the others; \
                     install mast globally to use --global",
                    base.display()
                ));
            }
            Ok(dependency_launchers(base, native.as_deref(), root, root_variable))
        }
    }
}

fn dependency_launchers(
    base: &Path,
    native: Option<&Path>,
    root: &Path,
    root_variable: Option<&str>,
) -> Launchers {
    let mut programs: Vec<(PathBuf, &Path)> = Vec::new();
    if let Some(native) = native {
        programs.push((native.to_path_buf(), base));
    }
    for place in [base, root] {
        let script = place.join("node_modules/.bin/mast");
        if programs.iter().any(|(known, _)| *known == script) {
            continue;
        }
        let is_there = script.exists() || script.with_extension("cmd").exists();
        if is_there || (place == base && native.is_none()) {
            programs.push((script, place));
        }
    }
    let mut forms = Vec::new();
    let mut is_absolute = false;
    let mut noted = 0;
    for (program, place) in &programs {
        if let Some(path) = relative(program, place, root) {
            if let Some(variable) = root_variable.filter(|_| !cfg!(windows)) {
                forms.push(format!("\"{variable}\"/{}", quoted_text(&path)));
            }
            forms.push(quoted_text(&path));
        } else {
            is_absolute |= forms.is_empty();
            forms.push(quoted(program));
        }
        if noted == 0 {
            noted = forms.len();
        }
    }
    let note = if is_absolute {
        Some(format!(
            "mast is not installed in {}; the hooks name a path on this machine, do not commit this file",
            root.display()
        ))
    } else if native.is_some_and(|native| !native.starts_with(base.join("node_modules/.bin"))) {
        Some(
            "the hooks name the program for this platform; where others commit from other platforms, put \
             node_modules/.bin/mast in its place: slower, and kept by setup"
                .to_owned(),
        )
    } else {
        None
    };
    Launchers { forms, noted, note }
}

/// `path`, which lies in `place`, seen from `root`, with `/` and `..`; `None` when neither of the two directories lies
/// in the other.
fn relative(path: &Path, place: &Path, root: &Path) -> Option<String> {
    let (up, base) = match root.strip_prefix(place) {
        Ok(below) => (below.components().count(), place),
        Err(_) => (0, root),
    };
    let inner: Option<Vec<&str>> =
        path.strip_prefix(base).ok()?.components().map(|part| part.as_os_str().to_str()).collect();
    Some(format!("{}{}", "../".repeat(up), inner?.join("/")))
}

/// A path to `exe` that outlives upgrades.
///
/// pnpm keeps the program below `.pnpm/<package>@<version>/`, which is gone after the next one. What stays is its link to
/// the main package, and beside the target of that link lies one to the program's package. Windows resolves `..` before
/// it follows links, so the way leads nowhere there.
fn lasting_path(exe: &Path) -> Option<PathBuf> {
    let Some(store) = exe.ancestors().find(|above| above.ends_with(".pnpm")) else {
        return Some(exe.to_path_buf());
    };
    let above = store.parent()?;
    let project = if above.ends_with("node_modules") { above.parent()? } else { above };
    let package = exe.parent()?.file_name()?;
    let path = project.join("node_modules").join(PACKAGE).join("..").join(package).join(exe.file_name()?);
    let is_same = fs::canonicalize(&path).ok()? == fs::canonicalize(exe).ok()?;
    (is_same && !cfg!(windows)).then_some(path)
}

/// `<…>/node_modules`, the first on the way down to `exe`.
fn outermost_node_modules(exe: &Path) -> Option<PathBuf> {
    let mut path = PathBuf::new();
    for part in exe.components() {
        path.push(part);
        if part.as_os_str() == "node_modules" {
            return Some(path);
        }
    }
    None
}

/// Whether `modules` is where pnpm, yarn or bun keep what is installed for every project, with a manifest of its own.
fn is_global_store(modules: &Path) -> bool {
    let parts: Vec<String> =
        modules.components().map(|part| part.as_os_str().to_string_lossy().to_lowercase()).collect();
    let is_store = |name: &str| matches!(name, "pnpm" | "yarn" | "install" | "data");
    parts.windows(2).any(|pair| is_store(&pair[0]) && pair[1] == "global")
}

/// Whether `exe` was built by cargo inside a source checkout.
fn is_build_output(exe: &Path) -> bool {
    exe.ancestors().skip(1).take(3).any(|directory| directory.join("CACHEDIR.TAG").is_file())
}

/// Whether some `mast` is on `path`.
fn is_on_path(path: Option<&OsStr>) -> bool {
    let name = if cfg!(windows) { "mast.exe" } else { "mast" };
    path.is_some_and(|path| std::env::split_paths(path).any(|directory| directory.join(name).is_file()))
}

/// `path` as one word of a shell command.
pub(crate) fn quoted(path: &Path) -> String {
    let text = path.to_string_lossy();
    // Both shells on Windows take forward slashes, and only one of them takes back slashes unquoted.
    quoted_text(&if cfg!(windows) { text.replace('\\', "/") } else { text.into_owned() })
}

/// `text` as one word of a shell command.
fn quoted_text(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "_@%+=:,./-".contains(c);
    if text.chars().all(is_plain) {
        return text.to_owned();
    }
    let mut out = String::from("\"");
    for c in text.chars() {
        if matches!(c, '"' | '$' | '`' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detect(exe: &str, root: &str) -> Installation {
        Installation::detect(&Surroundings { exe: Path::new(exe), path: None }, Path::new(root))
    }

    fn forms(exe: &str, root: &str, scope: Scope) -> Vec<String> {
        launchers(&detect(exe, root), Path::new(root), scope, None).unwrap().forms
    }

    const MAIN: &str = "node_modules/@spikedpunch/mast/node_modules/@spikedpunch/mast-linux-x64-gnu/mast";
    const PNPM: &str =
        ".pnpm/@spikedpunch+mast-linux-x64-gnu@1.0.0/node_modules/@spikedpunch/mast-linux-x64-gnu/mast";

    #[test]
    fn global_installs_are_called_by_name_in_a_file_that_is_shared() {
        let npm = format!("/usr/lib/{MAIN}");
        assert_eq!(forms(&npm, "/home/u/p", Scope::Project), ["mast", npm.as_str()]);
        assert_eq!(forms(&npm, "/home/u/p", Scope::User), [npm.as_str(), "mast"]);
        let nvm = format!("/home/u/.nvm/versions/node/v22.1.0/lib/{MAIN}");
        assert_eq!(forms(&nvm, "/home/u/p", Scope::Project)[0], "mast");
        // Paths with a release in them would break with the next one.
        let pnpm = format!("/home/u/.local/share/pnpm/global/5/{PNPM}");
        assert_eq!(forms(&pnpm, "/home/u/p", Scope::User), ["mast"]);
        let yarn = format!("/home/u/.config/yarn/global/{MAIN}");
        assert_eq!(forms(&yarn, "/home/u/p", Scope::Project)[0], "mast");
    }

    #[test]
    fn dependencies_are_called_through_the_project() {
        let store = format!("/p/node_modules/{PNPM}");
        assert_eq!(forms(&store, "/p", Scope::Project), ["node_modules/.bin/mast"]);
        assert_eq!(forms(&store, "/p/packages/a", Scope::Project), ["../../node_modules/.bin/mast"]);
        let below = format!("/p/my ts/node_modules/{PNPM}");
        assert_eq!(forms(&below, "/p", Scope::Project), ["\"my ts/node_modules/.bin/mast\""]);
        let native = "/p/node_modules/@spikedpunch/mast-linux-x64-gnu/mast";
        assert_eq!(
            forms(native, "/p", Scope::Project)[0],
            "node_modules/@spikedpunch/mast-linux-x64-gnu/mast"
        );
        assert!(launchers(&detect(native, "/p"), Path::new("/p"), Scope::User, None).is_err());
        let variable =
            launchers(&detect(&store, "/p"), Path::new("/p"), Scope::Project, Some("${P:-.}")).unwrap();
        assert_eq!(variable.forms, ["\"${P:-.}\"/node_modules/.bin/mast", "node_modules/.bin/mast"]);
    }

    #[test]
    fn npx_and_programs_off_the_path_are_told_apart() {
        assert_eq!(detect(&format!("/home/u/.npm/_npx/abc/{MAIN}"), "/p"), Installation::Cached);
        let loose = detect("/opt/my tools/mast", "/p");
        assert_eq!(loose, Installation::Loose { exe: "/opt/my tools/mast".into(), is_build: false });
        let launchers = launchers(&loose, Path::new("/p"), Scope::Project, None).unwrap();
        assert_eq!(launchers.forms, ["\"/opt/my tools/mast\""]);
        assert!(launchers.note.unwrap().contains("do not commit"));
    }
}
