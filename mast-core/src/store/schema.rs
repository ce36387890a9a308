//! The tables, and the number that says which program may read them.

/// Version of everything in the state directory. An index of an older version is rebuilt, of a newer one refused.
///
/// - 2.0.0: first version of this program; above every version the TypeScript releases wrote.
/// - 2.1.0: what the repository's own TypeScript said about mentions of names.
/// - 2.2.0: everything such an answer rests on: every file of the program, and which names there are in directories.
pub const SCHEMA_VERSION: &str = "2.2.0";

/// Size of a database page. Larger pages than SQLite's default keep the full-text segments in fewer, longer runs.
pub(super) const PAGE_SIZE: u32 = 16_384;

/// Tables whose rows describe usage, not the repository: they survive a rebuild.
pub(super) const KEPT_TABLES: [&str; 2] = ["metrics", "metrics_daily"];

/// All tables but the full-text ones.
///
/// `files` is narrow because freshness reads all of it; texts and facts, which are read one by one, live apart.
/// A chunk's row number is `file × 2^20 + position in the file`, so that full text can be scoped to files without a join.
/// Symbol rows keep their id while a file is indexed again, so edges from other files stay valid. Edges are derived:
/// they can always be made again from `facts` and `imports`. The verdicts of the type checker cannot, so they hold only as long
/// as no facts change: see [`verdicts`](super::verdicts).
pub(super) const TABLES: &str = "
CREATE TABLE meta (
  key TEXT PRIMARY KEY,
  value ANY
) STRICT, WITHOUT ROWID;

CREATE TABLE files (
  id INTEGER PRIMARY KEY,
  path TEXT NOT NULL UNIQUE,
  language INTEGER NOT NULL,
  size INTEGER NOT NULL,
  mtime_ns INTEGER NOT NULL,
  hash BLOB NOT NULL,
  is_skipped INTEGER NOT NULL,
  lines INTEGER NOT NULL,
  tokens INTEGER NOT NULL
) STRICT;

CREATE TABLE problems (
  path TEXT NOT NULL,
  kind INTEGER NOT NULL,
  message TEXT NOT NULL,
  lines BLOB NOT NULL
) STRICT;
CREATE INDEX problems_path ON problems (path);

CREATE TABLE texts (
  file_id INTEGER PRIMARY KEY,
  length INTEGER NOT NULL,
  body BLOB NOT NULL
) STRICT;

CREATE TABLE facts (
  file_id INTEGER PRIMARY KEY,
  length INTEGER NOT NULL,
  body BLOB NOT NULL
) STRICT;

CREATE TABLE symbols (
  id INTEGER PRIMARY KEY,
  file_id INTEGER NOT NULL,
  ix INTEGER NOT NULL,
  name TEXT NOT NULL COLLATE NOCASE,
  container TEXT,
  kind INTEGER NOT NULL,
  flags INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  parent INTEGER,
  start_line INTEGER NOT NULL,
  end_line INTEGER NOT NULL,
  name_line INTEGER NOT NULL,
  span BLOB NOT NULL,
  detail BLOB NOT NULL
) STRICT;
CREATE INDEX symbols_file ON symbols (file_id, ix);
CREATE INDEX symbols_name ON symbols (name);

CREATE TABLE chunks (
  id INTEGER PRIMARY KEY,
  symbol_id INTEGER,
  name TEXT,
  kind INTEGER NOT NULL,
  is_exported INTEGER NOT NULL,
  start_line INTEGER NOT NULL,
  end_line INTEGER NOT NULL,
  part INTEGER NOT NULL,
  segments BLOB NOT NULL
) STRICT;
CREATE INDEX chunks_symbol ON chunks (symbol_id) WHERE symbol_id IS NOT NULL;

CREATE TABLE imports (
  file_id INTEGER NOT NULL,
  ix INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  specifier TEXT NOT NULL,
  line INTEGER NOT NULL,
  names BLOB NOT NULL,
  is_external INTEGER NOT NULL,
  resolved INTEGER,
  PRIMARY KEY (file_id, ix)
) STRICT, WITHOUT ROWID;
CREATE INDEX imports_resolved ON imports (resolved) WHERE resolved IS NOT NULL;

CREATE TABLE exports (
  file_id INTEGER NOT NULL,
  ix INTEGER NOT NULL,
  name TEXT NOT NULL,
  is_type_only INTEGER NOT NULL,
  line INTEGER NOT NULL,
  source BLOB NOT NULL,
  PRIMARY KEY (file_id, ix)
) STRICT, WITHOUT ROWID;

CREATE TABLE calls (
  file_id INTEGER NOT NULL,
  site INTEGER NOT NULL,
  target INTEGER NOT NULL,
  caller INTEGER,
  line INTEGER NOT NULL,
  column INTEGER NOT NULL,
  resolution INTEGER NOT NULL,
  PRIMARY KEY (file_id, site, target)
) STRICT, WITHOUT ROWID;
CREATE INDEX calls_target ON calls (target);
CREATE INDEX calls_caller ON calls (caller) WHERE caller IS NOT NULL;

CREATE TABLE heritage (
  file_id INTEGER NOT NULL,
  child INTEGER NOT NULL,
  parent INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  PRIMARY KEY (file_id, child, parent, kind)
) STRICT, WITHOUT ROWID;
CREATE INDEX heritage_parent ON heritage (parent);

CREATE TABLE type_uses (
  file_id INTEGER NOT NULL,
  reference INTEGER NOT NULL,
  target INTEGER NOT NULL,
  line INTEGER NOT NULL,
  column INTEGER NOT NULL,
  PRIMARY KEY (file_id, reference, target)
) STRICT, WITHOUT ROWID;
CREATE INDEX type_uses_target ON type_uses (target);

CREATE TABLE consulted (
  file_id INTEGER NOT NULL,
  other INTEGER NOT NULL,
  PRIMARY KEY (file_id, other)
) STRICT, WITHOUT ROWID;
CREATE INDEX consulted_other ON consulted (other);

CREATE TABLE verdicts (
  file_id INTEGER NOT NULL,
  line INTEGER NOT NULL,
  column INTEGER NOT NULL,
  is_call INTEGER NOT NULL,
  is_complete INTEGER NOT NULL,
  caller INTEGER,
  PRIMARY KEY (file_id, line, column)
) STRICT, WITHOUT ROWID;

CREATE TABLE verdict_targets (
  file_id INTEGER NOT NULL,
  line INTEGER NOT NULL,
  column INTEGER NOT NULL,
  target INTEGER NOT NULL,
  is_proven INTEGER NOT NULL,
  PRIMARY KEY (file_id, line, column, target)
) STRICT, WITHOUT ROWID;
CREATE INDEX verdict_targets_target ON verdict_targets (target);

CREATE TABLE verdict_inputs (
  path TEXT PRIMARY KEY,
  kind INTEGER NOT NULL,
  size INTEGER,
  mtime_ns INTEGER,
  hash BLOB
) STRICT, WITHOUT ROWID;

CREATE TABLE pending_links (
  file_id INTEGER PRIMARY KEY
) STRICT;
";
