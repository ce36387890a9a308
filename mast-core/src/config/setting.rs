//! A value and where it came from; the layers values come from; the defaults.

use std::ops::Deref;

/// Extensions indexed unless configured.
pub(super) const FILE_EXTENSIONS: [&str; 5] = [".ts", ".tsx", ".js", ".jsx", ".md"];

/// Patterns left out unless configured.
pub(super) const EXCLUDE_PATTERNS: [&str; 9] = [
    "**/node_modules/**",
    "**/dist/**",
    "**/build/**",
    "**/coverage/**",
    "**/.next/**",
    "**/.turbo/**",
    ".mast/**",
    "**/*.test.ts",
    "**/*.spec.ts",
];

/// Where a value came from, weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// Nobody set it.
    Default,
    /// `<state_dir>/config.json`.
    Saved,
    /// `mast.config.json`.
    ConfigFile,
    /// An environment variable.
    Environment,
    /// The command line, or the caller of the library.
    Flag,
}

impl Origin {
    /// A word for a person.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Saved => "saved config",
            Self::ConfigFile => "mast.config.json",
            Self::Environment => "environment",
            Self::Flag => "flag",
        }
    }
}

/// A resolved value that remembers where it came from; reads as the value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting<T> {
    /// The value.
    pub value: T,
    /// Its source.
    pub origin: Origin,
}

impl<T> Setting<T> {
    pub(super) fn new(value: T, origin: Origin) -> Self {
        Self { value, origin }
    }
}

impl<T> Deref for Setting<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

/// One source of values: a configuration file, or the flags of a door. What is `None` is left to a weaker source.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConfigLayer {
    /// Directory of the index, relative to the project root.
    pub state_dir: Option<String>,
    /// Endings of the files to index.
    pub file_extensions: Option<Vec<String>>,
    /// Globs of files and directories left out.
    pub exclude_patterns: Option<Vec<String>>,
    /// Dot directories walked.
    pub include_dot_dirs: Option<Vec<String>>,
    /// Whether files that git ignores are left out.
    pub respect_gitignore: Option<bool>,
    /// Globs of files walked although git ignores them.
    pub include_ignored: Option<Vec<String>>,
    /// Constant of reciprocal rank fusion.
    pub rrf_k: Option<u32>,
    /// Whether the declaration-exact ranker takes part.
    pub declaration_exact_ranker: Option<bool>,
    /// Lines above which a declaration is split.
    pub chunk_split_threshold: Option<u32>,
    /// Source lines shown before and after a chunk.
    pub context_lines: Option<u32>,
    /// Deepest heading level that starts a Markdown chunk.
    pub markdown_heading_depth: Option<u32>,
}

/// The layers of one project.
pub(super) struct Layers {
    pub(super) flags: ConfigLayer,
    pub(super) hand_written: ConfigLayer,
    pub(super) saved: ConfigLayer,
}

impl Layers {
    /// The value of the strongest layer that has one.
    pub(super) fn pick<T: Clone>(
        &self,
        of: impl Fn(&ConfigLayer) -> Option<&T>,
        default: impl FnOnce() -> T,
    ) -> Setting<T> {
        let layers = [
            (&self.flags, Origin::Flag),
            (&self.hand_written, Origin::ConfigFile),
            (&self.saved, Origin::Saved),
        ];
        for (layer, origin) in layers {
            if let Some(value) = of(layer) {
                return Setting::new(value.clone(), origin);
            }
        }
        Setting::new(default(), Origin::Default)
    }
}
