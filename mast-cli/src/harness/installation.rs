//! How this `mast` was installed, and therefore how a hook should call it.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

/// The npm package of the command.
pub(crate) const PACKAGE: &str = "@spikedpunch/mast";

/// Where the running program came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Installation {
    /// On `PATH`, from a global install by a package manager or by hand.
    Global {
        /// The native program when a package manager keeps it behind a start script.
        native: Option<PathBuf>,
    },
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
                Self::Global { native: None }
            };
        };
        let base = modules.parent().unwrap_or(Path::new("")).to_path_buf();
        let is_near = root.starts_with(&base) || base.starts_with(root);
        if !is_global_store(&modules) && (is_near || base.join("package.json").is_file()) {
            // pnpm keeps the program below `.pnpm/<package>@<version>/`, a path that is gone after the next upgrade.
            let is_stable = exe.strip_prefix(&modules).is_ok_and(|inner| {
                inner.components().all(|part| !matches!(part, Component::Normal(n) if n == ".pnpm"))
            });
            let native = is_stable.then(|| exe.to_path_buf());
            return Self::Dependency { base, native };
        }
        Self::Global { native: Some(exe.to_path_buf()) }
    }
}

/// The ways to start `mast` in a hook, the preferred one first; a hook file that has any of them is current.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Launchers {
    /// Never empty.
    pub(crate) forms: Vec<String>,
    /// What the user has to know about the preferred one.
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
        Installation::Global { native } => {
            let mut forms = vec!["mast".to_owned()];
            if let Some(native) = native {
                // A start script costs more than the hook itself, and a user file is never shared between machines.
                let at = usize::from(scope == Scope::Project);
                forms.insert(at, quoted(native));
            }
            Ok(Launchers { forms, note: None })
        }
        Installation::Loose { exe, .. } => Ok(Launchers {
            forms: vec![quoted(exe)],
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
        let is_there = script.exists() || script.with_extension("cmd").exists();
        if is_there || (place == base && native.is_none()) {
            programs.push((script, place));
        }
    }
    let mut forms = Vec::new();
    let mut is_absolute = false;
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
    }
    forms.dedup();
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
    Launchers { forms, note }
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

/// Whether `modules` is where a package manager keeps what is installed for every project, or npx its cache.
fn is_global_store(modules: &Path) -> bool {
    let parts: Vec<String> =
        modules.components().map(|part| part.as_os_str().to_string_lossy().to_lowercase()).collect();
    parts
        .windows(2)
        .any(|pair| pair[1] == "global" && matches!(pair[0].as_str(), "pnpm" | "yarn" | "install" | "data"))
        || parts.iter().any(|part| part == "_npx")
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

fn quoted(path: &Path) -> String {
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
