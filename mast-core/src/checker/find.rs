//! Which TypeScript to ask, and how it is started.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::CheckRequest;
use super::uri::plain;
use crate::error::{Error, Result};

/// Oldest major version that is asked.
const OLDEST: u64 = 5;

/// First major version that is a native program with a language server of its own.
const NATIVE: u64 = 7;

/// Memory one TypeScript process may use, in MiB: a hard limit for the versions that run on Node, a goal for the native ones.
const MEMORY_MIB: u64 = 4096;

/// An installed TypeScript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TypeScript {
    /// Its version.
    pub(super) version: String,
    /// The package's directory.
    pub(super) package: PathBuf,
    /// The program that is started.
    pub(super) program: PathBuf,
    /// Its arguments.
    pub(super) arguments: Vec<OsString>,
    /// Variables set for it.
    pub(super) environment: Vec<(&'static str, String)>,
    /// The protocol it speaks.
    pub(super) protocol: Protocol,
}

impl TypeScript {
    /// How people call it.
    pub(super) fn name(&self) -> String {
        format!("TypeScript {}", self.version)
    }

    /// The directories of its packages: of a native one, that of the program too.
    pub(super) fn packages(&self) -> Vec<&Path> {
        let of_program = self.program.parent().and_then(Path::parent);
        let of_program = of_program.filter(|_| self.protocol == Protocol::Lsp);
        of_program.into_iter().chain([self.package.as_path()]).collect()
    }
}

/// How to talk to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Protocol {
    /// `tsserver`, versions 5 and 6.
    Tsserver,
    /// The Language Server Protocol, version 7 and later.
    Lsp,
}

/// Fails when there is no usable TypeScript for a project. `directories` are those the walk entered, relative to the root.
pub fn require(root: &Path, directories: &[String], request: &CheckRequest) -> Result<()> {
    any_typescript(root, directories, request).map(|_| ())
}

/// The TypeScript a person named, else the first one found at the root, above it within the repository, or below it in one of
/// `directories`.
pub(super) fn any_typescript(
    root: &Path,
    directories: &[String],
    request: &CheckRequest,
) -> Result<TypeScript> {
    if let Some(given) = &request.typescript {
        return given_typescript(given);
    }
    let places = upward(root, root).chain(directories.iter().map(|directory| root.join(directory)));
    let mut failure = None;
    for package in places.filter_map(|place| package_in(&place)) {
        match open(&package) {
            Ok(typescript) => return Ok(typescript),
            Err(error) => failure = failure.or(Some(error)),
        }
    }
    Err(failure.unwrap_or_else(|| missing(root)))
}

/// The TypeScript installed nearest to a project whose configuration is in `directory`, from there upward.
pub(super) fn nearest_typescript(root: &Path, directory: &Path) -> Result<Option<TypeScript>> {
    upward(root, directory).find_map(|place| package_in(&place)).map(|package| open(&package)).transpose()
}

fn missing(directory: &Path) -> Error {
    Error::Config(format!(
        "--checker found no TypeScript for {}; install the project's dependencies (or `npm install --save-dev typescript`), \
         or name one with --typescript <dir>",
        directory.display()
    ))
}

/// `directory` and those above it, up to the one that holds the repository, or to the project root.
pub(super) fn upward<'p>(root: &Path, directory: &'p Path) -> impl Iterator<Item = PathBuf> + use<'p> {
    let top = root.ancestors().find(|place| place.join(".git").exists()).unwrap_or(root).to_path_buf();
    let mut is_over = false;
    directory.ancestors().map(Path::to_path_buf).take_while(move |place| {
        let goes_on = !is_over;
        is_over = *place == top;
        goes_on
    })
}

fn package_in(directory: &Path) -> Option<PathBuf> {
    let package = directory.join("node_modules").join("typescript");
    package.join("package.json").is_file().then_some(package)
}

/// The TypeScript a person named.
fn given_typescript(given: &Path) -> Result<TypeScript> {
    let candidates = [given.to_path_buf(), given.join("node_modules/typescript"), given.join("typescript")];
    let is_typescript = |package: &&PathBuf| {
        manifest(package).is_some_and(|manifest| manifest["name"].as_str() == Some("typescript"))
    };
    match candidates.iter().find(is_typescript) {
        Some(package) => open(package),
        None => Err(Error::Config(format!(
            "--typescript {}: no TypeScript package there; name the package's directory, its node_modules, or the directory \
             that has it installed",
            given.display()
        ))),
    }
}

fn manifest(package: &Path) -> Option<Value> {
    serde_json::from_slice(&fs::read(package.join("package.json")).ok()?).ok()
}

/// How the TypeScript in `package` is started.
fn open(package: &Path) -> Result<TypeScript> {
    let unusable = |why: &str| {
        Error::Config(format!(
            "the TypeScript in {} cannot be asked: {why}; install it again, or name another with --typescript <dir>",
            package.display()
        ))
    };
    let manifest = manifest(package).ok_or_else(|| unusable("its package.json cannot be read"))?;
    let version = manifest["version"].as_str().unwrap_or("");
    let major: u64 = version
        .split('.')
        .next()
        .and_then(|major| major.parse().ok())
        .ok_or_else(|| unusable("its package.json names no version"))?;
    if major < OLDEST {
        return Err(Error::Config(format!(
            "TypeScript {version} in {} is too old for --checker; install version {OLDEST} or newer, or name one with \
             --typescript <dir>",
            package.display()
        )));
    }
    // Node resolves what a package brings along from where the package really is.
    let package = plain(package.canonicalize().map_err(|e| Error::io(package, e))?);
    let version = version.to_owned();
    if major >= NATIVE {
        let program = native_program(&package)
            .ok_or_else(|| unusable("the program for this platform is not installed beside it"))?;
        return Ok(TypeScript {
            version,
            package,
            program,
            arguments: ["--lsp", "--stdio"].map(OsString::from).to_vec(),
            environment: vec![("GOMEMLIMIT", format!("{MEMORY_MIB}MiB"))],
            protocol: Protocol::Lsp,
        });
    }
    let script = package.join("lib").join("tsserver.js");
    if !script.is_file() {
        return Err(unusable("lib/tsserver.js is missing"));
    }
    let program = on_path("node").ok_or_else(|| {
        Error::Config(format!(
            "--checker needs Node for TypeScript {version}, and there is no `node` on the PATH; install Node, or name a \
             TypeScript {NATIVE} with --typescript <dir>"
        ))
    })?;
    let mut arguments = vec![OsString::from(format!("--max-old-space-size={MEMORY_MIB}")), script.into()];
    // Nothing is fetched, nothing is reported unasked.
    for option in
        ["--disableAutomaticTypingAcquisition", "--suppressDiagnosticEvents", "--noGetErrOnBackgroundUpdate"]
    {
        arguments.push(option.into());
    }
    Ok(TypeScript {
        version,
        package,
        program,
        arguments,
        environment: Vec::new(),
        protocol: Protocol::Tsserver,
    })
}

/// The native program, which is in a package of its own for each platform.
fn native_program(package: &Path) -> Option<PathBuf> {
    let system = match env::consts::OS {
        "macos" => "darwin",
        "windows" => "win32",
        other => other,
    };
    let processor = match env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        "x86" => "ia32",
        other => other,
    };
    let inside = format!("node_modules/@typescript/typescript-{system}-{processor}/lib");
    let file = format!("tsc{}", env::consts::EXE_SUFFIX);
    package.ancestors().map(|place| place.join(&inside).join(&file)).find(|program| program.is_file())
}

/// A program of the search path.
fn on_path(name: &str) -> Option<PathBuf> {
    let file = format!("{name}{}", env::consts::EXE_SUFFIX);
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|place| place.join(&file)).find(|program| program.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn install(place: &Path, version: &str, file: &str) -> PathBuf {
        let package = place.join("node_modules/typescript");
        fs::create_dir_all(package.join("lib")).unwrap();
        let manifest = format!(r#"{{"name": "typescript", "version": "{version}"}}"#);
        fs::write(package.join("package.json"), manifest).unwrap();
        if !file.is_empty() {
            fs::write(package.join(file), "").unwrap();
        }
        plain(package.canonicalize().unwrap())
    }

    fn request(given: Option<PathBuf>) -> CheckRequest {
        CheckRequest { typescript: given, ..CheckRequest::default() }
    }

    #[test]
    fn the_nearest_one_upward_is_taken_and_none_above_the_repository() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().join("repository");
        let app = top.join("packages/app");
        fs::create_dir_all(app.join("src")).unwrap();
        fs::create_dir_all(top.join(".git")).unwrap();
        install(dir.path(), "5.1.0", "lib/tsserver.js");
        let find = || nearest_typescript(&top.join("packages"), &app.join("src")).unwrap();
        assert_eq!(find(), None);
        let nothing = any_typescript(&top, &["packages/app".to_owned()], &request(None)).unwrap_err();
        assert!(nothing.to_string().starts_with("--checker found no TypeScript for "), "{nothing}");
        install(&app, "6.0.1", "lib/tsserver.js");
        let below = any_typescript(&top, &["packages/app".to_owned()], &request(None)).unwrap();
        assert_eq!(below.version, "6.0.1");
        assert_eq!(find().unwrap().version, "6.0.1");
        fs::remove_dir_all(app.join("node_modules")).unwrap();
        let outer = install(&top, "5.9.3", "lib/tsserver.js");
        let found = find().unwrap();
        assert_eq!((found.version.as_str(), found.package), ("5.9.3", outer));
    }

    #[test]
    fn a_given_one_may_be_named_in_three_ways() {
        let dir = tempfile::tempdir().unwrap();
        let package = install(dir.path(), "5.9.3", "lib/tsserver.js");
        for place in [dir.path().to_path_buf(), dir.path().join("node_modules"), package.clone()] {
            let found = any_typescript(dir.path(), &[], &request(Some(place))).unwrap();
            assert_eq!((found.package, found.protocol), (package.clone(), Protocol::Tsserver));
        }
        let nowhere = require(dir.path(), &[], &request(Some(dir.path().join("lib")))).unwrap_err();
        assert!(nowhere.to_string().contains("no TypeScript package there"), "{nowhere}");
    }

    #[test]
    fn what_cannot_be_asked_is_said() {
        for (version, file, why) in [
            ("4.9.5", "lib/tsserver.js", "TypeScript 4.9.5 in "),
            ("5.9.3", "", "lib/tsserver.js is missing"),
            ("7.0.2", "", "the program for this platform is not installed beside it"),
            ("next", "", "names no version"),
        ] {
            let dir = tempfile::tempdir().unwrap();
            install(dir.path(), version, file);
            let error = require(dir.path(), &[], &request(None)).unwrap_err();
            assert!(matches!(error, Error::Config(_)) && error.to_string().contains(why), "{error}");
        }
    }
}
