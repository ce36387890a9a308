//! What a file is for, told by its name.

/// Whether a file is the program itself or stands beside it. Ordered: what is looked for most comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Source of the program.
    Source,
    /// A declaration file: what it declares is defined elsewhere.
    Declaration,
    /// Examples, benchmarks, scripts, fixtures, mocks, stories.
    Example,
    /// Tests.
    Test,
}

impl Role {
    /// The role of the file named `path`.
    #[must_use]
    pub fn of(path: &str) -> Self {
        let (directories, name) = path.rsplit_once('/').unwrap_or(("", path));
        let middle = |part: &str| name.split('.').rev().skip(1).any(|p| p == part);
        let inside = |names: &[&str]| directories.split('/').any(|d| names.contains(&d));
        if middle("test") || middle("spec") || inside(&["test", "tests", "__tests__", "e2e", "spec"]) {
            Self::Test
        } else if inside(&[
            "example",
            "examples",
            "bench",
            "benchmark",
            "benchmarks",
            "benches",
            "demo",
            "demos",
            "fixture",
            "fixtures",
            "__fixtures__",
            "__mocks__",
            "mocks",
            "scripts",
            "playground",
            "stories",
        ]) || middle("stories")
            || middle("bench")
        {
            Self::Example
        } else if middle("d") {
            Self::Declaration
        } else {
            Self::Source
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Role;

    #[test]
    fn roles() {
        for (path, role) in [
            ("src/app.ts", Role::Source),
            ("src/test-utils.ts", Role::Source),
            ("d.ts", Role::Source),
            ("types/node.d.ts", Role::Declaration),
            ("src/app.test.ts", Role::Test),
            ("src/__tests__/app.ts", Role::Test),
            ("benchmarks/router/run.ts", Role::Example),
            ("src/Button.stories.tsx", Role::Example),
        ] {
            assert_eq!(Role::of(path), role, "{path}");
        }
    }
}
