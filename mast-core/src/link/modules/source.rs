//! From the built file a package.json points at to the source it is built from, by the layout conventions of
//! TypeScript packages: an output directory mirrors the source directory.

use super::Resolver;
use super::files::{below, strip};
use super::packages::{Package, inside};
use crate::model::RepoPath;

/// Directories that hold nothing but output. Where such a file has a source, the source is meant even when the output
/// has been built.
const OUTPUT: [&str; 8] = ["dist", "build", "out", "output", "esm", "cjs", "umd", ".output"];

/// Directories that hold output in some packages and source in others.
const PERHAPS_OUTPUT: [&str; 9] =
    ["lib", "es", "types", "typings", "module", "modules", "commonjs", "node", "bin"];

/// Where sources are kept; `""` is the package itself.
const SOURCE: [&str; 3] = ["src", "source", ""];

/// Endings of a built file's name that its source does not have.
const FLAVOURS: [&str; 12] = [
    ".min",
    ".esm",
    ".cjs",
    ".mjs",
    ".umd",
    ".es",
    ".module",
    ".prod",
    ".production",
    ".development",
    ".bundle",
    ".node",
];

impl Resolver {
    /// The file a package means by `target`, relative to the package.
    pub(super) fn package_target(&self, package: &Package, target: &str) -> Option<RepoPath> {
        let path = inside(&package.dir, target)?;
        let relative = strip(&path, &package.dir).unwrap_or_default();
        let first = relative.split('/').next().unwrap_or_default();
        let written = || self.files.file_or_index(&path);
        let source = || self.source_of(&package.dir, relative);
        if is_output(first) && relative.contains('/') {
            source().or_else(written)
        } else {
            written().or_else(source)
        }
    }

    /// The source of the built file `relative` in the package at `dir`.
    fn source_of(&self, dir: &str, relative: &str) -> Option<RepoPath> {
        let path = below(dir, relative);
        if let Some((output, root)) = self.projects.at(dir).and_then(|project| project.output.as_ref())
            && let Some(rest) = strip(&path, output)
            && output != dir
            && let Some(root) = root
            && let Some(found) = self.built_from(&below(root, rest))
        {
            return Some(found);
        }
        // Strip one output directory after the other: `dist/esm/a.js` mirrors `src/esm/a.ts` or `src/a.ts`.
        let mut rest = relative;
        while let Some((first, inner)) = rest.split_once('/') {
            if !is_output(first) && !PERHAPS_OUTPUT.contains(&first) {
                break;
            }
            rest = inner;
            let found = SOURCE.iter().find_map(|source| self.built_from(&below(&below(dir, source), rest)));
            if found.is_some() {
                return found;
            }
        }
        // Output beside the sources' directory: `index.js` from `src/index.ts`.
        if rest == relative { self.built_from(&below(dir, &below("src", rest))) } else { None }
    }

    /// The source from which a build makes `path`, given in the source directory.
    fn built_from(&self, path: &str) -> Option<RepoPath> {
        let Some((stem, extensions)) = source_extensions(path) else {
            return self.files.file_or_index(path);
        };
        let by_stem = |stem: &str| {
            let found = self.files.first(stem, extensions);
            found.or_else(|| self.files.first(&below(stem, "index"), extensions)).or_else(|| {
                let directory = stem.strip_suffix("/index")?;
                self.files.first(directory, extensions)
            })
        };
        by_stem(stem).or_else(|| {
            let plain = FLAVOURS.iter().find_map(|flavour| stem.strip_suffix(flavour))?;
            by_stem(plain)
        })
    }

    /// The entry file of a package whose package.json leads nowhere.
    pub(super) fn conventional_entry(&self, dir: &str) -> Option<RepoPath> {
        self.files.index(&below(dir, "src")).or_else(|| self.files.index(dir))
    }
}

fn is_output(directory: &str) -> bool {
    OUTPUT.contains(&directory) || directory.starts_with("dist-") || directory.starts_with("build-")
}

/// Splits a built file's name into stem and the extensions its source may have; `None` when it is no script.
fn source_extensions(path: &str) -> Option<(&str, &'static [&'static str])> {
    const PLAIN: &[&str] = &[".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".d.ts"];
    const MODULE: &[&str] =
        &[".mts", ".ts", ".tsx", ".cts", ".mjs", ".js", ".jsx", ".cjs", ".d.mts", ".d.ts"];
    const COMMON: &[&str] =
        &[".cts", ".ts", ".tsx", ".mts", ".cjs", ".js", ".jsx", ".mjs", ".d.cts", ".d.ts"];
    [
        (".d.ts", PLAIN),
        (".d.mts", MODULE),
        (".d.cts", COMMON),
        (".js", PLAIN),
        (".jsx", PLAIN),
        (".mjs", MODULE),
        (".cjs", COMMON),
        (".ts", PLAIN),
        (".tsx", PLAIN),
        (".mts", MODULE),
        (".cts", COMMON),
    ]
    .into_iter()
    .find_map(|(extension, sources)| Some((path.strip_suffix(extension)?, sources)))
}
