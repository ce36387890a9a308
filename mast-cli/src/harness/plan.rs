//! What setting a harness up, or taking it out, changes on disk: worked out in full before anything is written.

use std::path::{Path, PathBuf};

use super::file_edit::{self, FileEdit};
use super::hook_file::HookFormat;
use super::installation::{self, Installation, Scope};
use super::{Harness, Hooks, Rules, marked_block, text};

/// What is wanted.
#[derive(Debug)]
pub(crate) struct Request<'a> {
    /// The project root.
    pub(crate) root: &'a Path,
    /// The user's home directory; `None` when it is not known.
    pub(crate) home: Option<&'a Path>,
    /// Whose file.
    pub(crate) scope: Scope,
    /// Take out instead of put in.
    pub(crate) is_removal: bool,
    /// How this program was installed.
    pub(crate) installation: &'a Installation,
}

/// The files concerned, changed or not, and what the user should know.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    /// In the order to carry them out.
    pub(crate) edits: Vec<FileEdit>,
    /// One line each.
    pub(crate) notes: Vec<String>,
}

/// Works out the edits. The error is one line; nothing is to be written then.
pub(crate) fn plan(harness: &Harness, request: &Request<'_>) -> Result<Plan, String> {
    let mut plan = Plan::default();
    if request.scope == Scope::User && harness.hooks.is_none() && !matches!(harness.rules, Rules::None) {
        return Err(format!("{} has no user-level file mast can write; leave out --global", harness.title));
    }
    if let Some(hooks) = &harness.hooks {
        plan_hooks(harness, hooks, request, &mut plan)?;
    }
    match &harness.rules {
        Rules::None => {}
        Rules::Own { .. } if request.scope == Scope::User => {
            plan.notes
                .push(format!("{} has no user-level rules file; only its hooks are set up", harness.title));
        }
        Rules::Own { path, places, front_matter } => {
            plan_own_rules(&path(request.root), places, front_matter, request, &mut plan)?;
        }
        Rules::Block { candidates } => plan_block(harness, candidates, request, &mut plan)?,
    }
    Ok(plan)
}

fn plan_hooks(
    harness: &Harness,
    hooks: &Hooks,
    request: &Request<'_>,
    plan: &mut Plan,
) -> Result<(), String> {
    let path = match request.scope {
        Scope::Project => request.root.join(hooks.project_file),
        Scope::User => request.home.ok_or("the home directory is not known")?.join(hooks.user_file),
    };
    let before = file_edit::read(&path)?;
    let (mark, body) = match before.as_deref() {
        Some(text) => match text.strip_prefix('\u{feff}') {
            Some(body) => ("\u{feff}", Some(body)),
            None => ("", Some(text)),
        },
        None => ("", None),
    };
    let refuse = |reason: String| {
        format!(
            "{}: {reason}; it was left as it is, fix it and run mast setup {} again",
            path.display(),
            harness.id
        )
    };
    let after = if request.is_removal {
        match body {
            None => None,
            Some(body) => {
                let rest = hooks.format.remove(body).map_err(refuse)?;
                let is_done = hooks.is_own_file && rest != body && HookFormat::is_bare(&rest);
                (!is_done).then(|| format!("{mark}{rest}"))
            }
        }
    } else {
        let root_variable = hooks.root_variable;
        let launchers =
            installation::launchers(request.installation, request.root, request.scope, root_variable)?;
        let installed = hooks.format.install(body, &launchers.forms).map_err(refuse)?;
        plan.notes.extend(launchers.note);
        plan.notes.extend(installed.note.map(|note| format!("{}: {note}", path.display())));
        Some(format!("{mark}{}", installed.text))
    };
    plan.edits.push(FileEdit { path, before, after });
    Ok(())
}

fn plan_own_rules(
    target: &Path,
    places: &[&str],
    front_matter: &str,
    request: &Request<'_>,
    plan: &mut Plan,
) -> Result<(), String> {
    let wanted = format!("{front_matter}{}", text::SKILL);
    for place in places {
        let path = request.root.join(place);
        let before = file_edit::read(&path)?;
        let is_target = path == target && !request.is_removal;
        if !is_target && before.is_none() {
            continue;
        }
        // A checkout with converted line ends has the same text.
        let is_same = before.as_ref().is_some_and(|text| text.replace("\r\n", "\n") == wanted);
        let after = match (is_target, is_same) {
            (true, true) => before.clone(),
            (true, false) => Some(wanted.clone()),
            (false, _) => None,
        };
        if after.is_none() && !request.is_removal {
            plan.notes.push(format!("{} moves to {}", path.display(), target.display()));
        }
        plan.edits.push(FileEdit { path, before, after });
    }
    Ok(())
}

fn plan_block(
    harness: &Harness,
    candidates: &[&str],
    request: &Request<'_>,
    plan: &mut Plan,
) -> Result<(), String> {
    let files: Vec<PathBuf> =
        candidates.iter().map(|name| request.root.join(name)).filter(|path| path.is_file()).collect();
    if request.is_removal {
        for path in files {
            let before = file_edit::read(&path)?;
            let after = before
                .as_deref()
                .map(marked_block::remove)
                .transpose()
                .map_err(|reason| damaged(&path, &reason))?;
            if before != after {
                plan.edits.push(FileEdit { path, before, after });
            }
        }
        return Ok(());
    }
    let Some(path) = files.into_iter().next() else {
        return Err(format!(
            "{} reads none of the files in {}; create `.rules`, or AGENTS.md where other assistants should read it \
             too, and run mast setup {} again",
            harness.title,
            request.root.display(),
            harness.id
        ));
    };
    plan.edits.push(block_edit(path)?);
    Ok(())
}

/// The edit that puts the skill text into `path`, which exists.
pub(crate) fn block_edit(path: PathBuf) -> Result<FileEdit, String> {
    let before = file_edit::read(&path)?;
    let text = before.as_deref().unwrap_or_default();
    let after = Some(marked_block::splice(text, text::SKILL).map_err(|reason| damaged(&path, &reason))?);
    Ok(FileEdit { path, before, after })
}

fn damaged(path: &Path, reason: &str) -> String {
    format!("{} {reason}; it was left as it is", path.display())
}
