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
    /// The command that installs what is asked about, to name in advice.
    pub(crate) command: &'a str,
}

/// The files concerned, changed or not, and what the user should know.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    /// In the order to carry them out.
    pub(crate) edits: Vec<FileEdit>,
    /// One line each.
    pub(crate) notes: Vec<String>,
    /// A file that goes takes the directories with it that it leaves empty, up to this one.
    pub(crate) base: PathBuf,
    /// Directories that stay all the same: no installation makes them.
    pub(crate) keep: Vec<PathBuf>,
}

/// Works out the edits. The error is one line; nothing is to be written then.
pub(crate) fn plan(harness: &Harness, request: &Request<'_>) -> Result<Plan, String> {
    let base = match request.scope {
        Scope::Project => request.root,
        Scope::User => request.home.unwrap_or(request.root),
    };
    let mut plan = Plan { base: base.to_path_buf(), ..Plan::default() };
    if request.scope == Scope::User && harness.hooks.is_none() && !matches!(harness.rules, Rules::None) {
        return Err(format!("{} has no user-level file mast can write; leave out --global", harness.title));
    }
    if let Some(hooks) = &harness.hooks {
        plan_hooks(hooks, request, &mut plan)?;
    }
    match &harness.rules {
        Rules::None => {}
        Rules::Own { .. } if request.scope == Scope::User => {
            if !request.is_removal {
                let title = harness.title;
                plan.notes.push(format!("{title} has no user-level rules file; only its hooks are set up"));
            }
        }
        Rules::Own { path, places, signposts, front_matter } => {
            plan.keep = signposts.iter().map(|name| request.root.join(name)).collect();
            plan_own_rules(&path(request.root), places, front_matter, request, &mut plan)?;
        }
        Rules::Block { candidates } => plan_block(harness, candidates, request, &mut plan)?,
    }
    Ok(plan)
}

fn plan_hooks(hooks: &Hooks, request: &Request<'_>, plan: &mut Plan) -> Result<(), String> {
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
        let flag = if request.is_removal { " --remove" } else { "" };
        format!(
            "{}: {reason}; it was left as it is, fix it and run `{}{flag}` again",
            path.display(),
            request.command
        )
    };
    let after = if request.is_removal {
        match body {
            None => None,
            Some(body) => {
                let rest = hooks.format.remove(body).map_err(refuse)?;
                let is_done = rest != body
                    && if hooks.is_own_file {
                        HookFormat::is_bare(&rest)
                    } else {
                        mark.is_empty() && hooks.format.is_whole(body)
                    };
                (!is_done).then(|| format!("{mark}{rest}"))
            }
        }
    } else {
        let root_variable = hooks.root_variable;
        let launchers =
            installation::launchers(request.installation, request.root, request.scope, root_variable)?;
        let installed = hooks.format.install(body, &launchers.forms).map_err(refuse)?;
        let noted = &launchers.forms[..launchers.noted];
        plan.notes.extend(launchers.note.filter(|_| hooks.format.is_started_with(&installed.text, noted)));
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
        let Some(text) = &before else {
            if is_target {
                plan.edits.push(FileEdit { path, before, after: Some(wanted.clone()) });
            }
            continue;
        };
        if !is_target && !text::is_ours(text) {
            let shown = path.display();
            plan.notes.push(format!("{shown} holds a text that is not mast's; it was left as it is"));
            continue;
        }
        if is_target && !text::is_ours(text) {
            let shown = path.display();
            plan.notes.push(format!(
                "{shown}: its text was not mast's; the file is mast's by name, so setup replaces it"
            ));
        }
        // A checkout with converted line ends has the same text.
        let is_same = text.replace("\r\n", "\n") == wanted;
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
            plan.edits.extend(Some(block_removal(path)?).filter(FileEdit::is_change));
        }
        return Ok(());
    }
    let Some(path) = files.into_iter().next() else {
        return Err(format!(
            "{} reads none of the files in {}; create `.rules`, or AGENTS.md where other assistants should read it \
             too, and run `{}` again",
            harness.title,
            request.root.display(),
            request.command
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

/// The edit that takes the skill text out of `path`, which exists.
pub(crate) fn block_removal(path: PathBuf) -> Result<FileEdit, String> {
    let before = file_edit::read(&path)?;
    let rest = before.as_deref().map(marked_block::remove).transpose();
    let after = rest.map_err(|reason| damaged(&path, &reason))?;
    Ok(FileEdit { path, before, after })
}

fn damaged(path: &Path, reason: &str) -> String {
    format!("{} {reason}; it was left as it is", path.display())
}
