//! What a file is for, told by its name.

use crate::model::words;

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
        let mark = |part: &str| name.contains(&format!(".{part}."));
        let named = |text: &str, names: &[&str]| {
            words::runs(text).flat_map(|(_, run)| words::words(run)).any(|word| names.contains(&word))
        };
        if mark("test") || mark("spec") || named(directories, &TEST) {
            Self::Test
        } else if mark("stories") || mark("bench") || named(directories, &EXAMPLE) || named(name, &STAND_IN) {
            Self::Example
        } else if mark("d") {
            Self::Declaration
        } else {
            Self::Source
        }
    }
}

const TEST: [&str; 5] = ["test", "tests", "spec", "specs", "e2e"];
const EXAMPLE: [&str; 15] = [
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
    "mock",
    "mocks",
    "scripts",
    "playground",
    "stories",
];
const STAND_IN: [&str; 3] = ["mock", "mocks", "fixtures"];

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
            ("runtime-tests/lambda/app.ts", Role::Test),
            ("src/testing.ts", Role::Source),
            ("src/stream-mock.ts", Role::Example),
            ("benchmarks/router/run.ts", Role::Example),
            ("src/Button.stories.tsx", Role::Example),
        ] {
            assert_eq!(Role::of(path), role, "{path}");
        }
    }
}
