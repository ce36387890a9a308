//! A change to one file, planned first and carried out later, so that a dry run and a check are the same plan.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::{fs, process};

/// What becomes of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileEdit {
    /// The file.
    pub(crate) path: PathBuf,
    /// What it holds now; `None` when it does not exist.
    pub(crate) before: Option<String>,
    /// What it shall hold; `None` when it shall not exist.
    pub(crate) after: Option<String>,
}

impl FileEdit {
    /// Whether anything is to do.
    pub(crate) fn is_change(&self) -> bool {
        self.before != self.after
    }

    /// One word for what is done: `create`, `update`, `delete` or `keep`.
    pub(crate) fn verb(&self) -> &'static str {
        match (&self.before, &self.after) {
            (None, Some(_)) => "create",
            (Some(_), None) => "delete",
            _ if self.is_change() => "update",
            _ => "keep",
        }
    }

    /// Carries the change out; a file that stays as it is is not opened.
    pub(crate) fn carry_out(&self) -> Result<(), String> {
        if !self.is_change() {
            return Ok(());
        }
        let done = match &self.after {
            Some(text) => write(&self.path, text),
            None => fs::remove_file(&self.path),
        };
        done.map_err(|error| format!("cannot write {}: {error}", self.path.display()))
    }
}

/// The text of `path`, or `None` when there is no such file. The error is a whole line.
pub(crate) fn read(path: &Path) -> Result<Option<String>, String> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(format!("cannot read {}: {error}", path.display())),
    };
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Some(text)),
        Err(_) => Err(format!("{} is not valid UTF-8; it was left as it is", path.display())),
    }
}

/// `path` with links resolved, without the prefix Windows puts before such paths, which shells do not take.
pub(crate) fn canonical(path: &Path) -> io::Result<PathBuf> {
    let resolved = fs::canonicalize(path)?;
    let plain = resolved.to_str().and_then(|text| text.strip_prefix(r"\\?\")).map(PathBuf::from);
    Ok(plain.filter(|path| path.is_absolute()).unwrap_or(resolved))
}

/// Replaces the file in one step: a reader sees the old text or the new one. A symbolic link stays one: the file it
/// points at is replaced. Permissions are kept, and a read-only file is refused rather than replaced.
fn write(path: &Path, text: &str) -> io::Result<()> {
    let target = if path.exists() { fs::canonicalize(path)? } else { path.to_path_buf() };
    let directory = target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(directory)?;
    let permissions = fs::metadata(&target).ok().map(|metadata| metadata.permissions());
    if permissions.as_ref().is_some_and(fs::Permissions::readonly) {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file is read-only"));
    }
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let temporary = directory.join(format!(".{name}.{}.tmp", process::id()));
    let written = (|| {
        let mut file = fs::File::create(&temporary)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        if let Some(permissions) = permissions {
            fs::set_permissions(&temporary, permissions)?;
        }
        fs::rename(&temporary, &target)
    })();
    if written.is_err() {
        // The first error is the one to report.
        let _ = fs::remove_file(&temporary);
    }
    written
}
