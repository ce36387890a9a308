//! The block of lines in a git hook that keeps indexes current: one entry a project, between two marker lines.
//!
//! Taking the last entry out restores the hook byte for byte: whether it ended with a line break is told by whether a
//! block at its end does.

const BEGIN: &str = "# >>> mast >>>";
const END: &str = "# <<< mast <<<";
const SHEBANG: &str = "#!/bin/sh\n";

/// What the hook does for one project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The programs to try, as words of a shell command.
    programs: String,
    /// The project's directory seen from the work tree, as one word; `None` for the work tree itself.
    target: Option<String>,
}

/// Where a hook stands.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Surroundings {
    /// It runs in several repositories.
    pub(crate) is_shared: bool,
    /// The first command that fails ends it, whatever the script says: husky runs its scripts like that.
    pub(crate) is_strict: bool,
}

impl Entry {
    /// The entry of the project at `below`, seen from the work tree, that tries `programs` and the `mast` of `PATH`. Fails
    /// for a name that does not fit on a line.
    pub(crate) fn new(programs: &[String], below: Option<&str>) -> Result<Self, String> {
        if below.is_some_and(|path| path.contains(['\n', '\r'])) {
            return Err("the project's path has a line break, which a git hook cannot name".into());
        }
        let mut programs = programs.to_vec();
        if !programs.iter().any(|program| program == "mast") {
            programs.push("mast".into());
        }
        let target = below.map(|path| format!("'{}'", path.replace('\'', "'\\''")));
        Ok(Self { programs: programs.join(" "), target })
    }

    /// The project, for a person.
    pub(crate) fn project(&self) -> &str {
        self.target.as_deref().unwrap_or(".")
    }

    fn is_of_the_same_project_as(&self, other: &Self) -> bool {
        self.target == other.target
    }
}

/// The hook with `entry` among those of the block. The error says what is wrong with the hook; it is to be left alone then.
pub(crate) fn install(text: Option<&str>, entry: &Entry, around: Surroundings) -> Result<String, String> {
    let text = text.filter(|text| !text.trim().is_empty()).unwrap_or(SHEBANG);
    require_shell_script(text)?;
    let Some(block) = Block::find(text)? else {
        return Ok(place(text, &render(std::slice::from_ref(entry), around), around));
    };
    let mut entries = block.entries();
    match entries.iter_mut().find(|known| known.is_of_the_same_project_as(entry)) {
        Some(known) => known.clone_from(entry),
        None => entries.push(entry.clone()),
    }
    let lines = render(&entries, around);
    let rest = block.rest();
    // An older installation may have put it where the script does not always come.
    if block.after.trim().is_empty() && !reaches_its_end(&rest, around) {
        return Ok(place(&rest, &lines, around));
    }
    let lines = if block.text.ends_with('\n') { lines.as_str() } else { lines.trim_end() };
    Ok([block.before, lines, block.after].concat())
}

/// The hook without the entry of this project; `None` when nothing but what an installation writes is left.
pub(crate) fn remove(text: &str, entry: &Entry, around: Surroundings) -> Result<Option<String>, String> {
    let Some(block) = Block::find(text)? else { return Ok(Some(text.to_owned())) };
    let mut entries = block.entries();
    let count = entries.len();
    entries.retain(|known| !known.is_of_the_same_project_as(entry));
    if entries.len() == count && count > 0 {
        return Ok(Some(text.to_owned()));
    }
    if entries.is_empty() {
        let rest = block.rest();
        return Ok((rest != SHEBANG).then_some(rest));
    }
    let lines = render(&entries, around);
    let lines = if block.text.ends_with('\n') { lines.as_str() } else { lines.trim_end() };
    Ok(Some([block.before, lines, block.after].concat()))
}

/// The projects the hook serves; none when it has no block, or a damaged one.
pub(crate) fn entries(text: &str) -> Vec<Entry> {
    Block::find(text).ok().flatten().map(|block| block.entries()).unwrap_or_default()
}

/// A hook taken apart.
struct Block<'a> {
    before: &'a str,
    /// The block with its markers, and the line break behind it if there is one.
    text: &'a str,
    after: &'a str,
}

impl<'a> Block<'a> {
    fn find(text: &'a str) -> Result<Option<Self>, String> {
        let mut at = 0;
        let (mut begin, mut end) = (None, None);
        for line in text.split_inclusive('\n') {
            match line.trim_end() {
                BEGIN if begin.is_none() => begin = Some(at),
                END if end.is_none() => end = Some(at + line.len()),
                BEGIN | END => return Err(format!("has `{BEGIN}` or `{END}` twice")),
                _ => {}
            }
            at += line.len();
        }
        match (begin, end) {
            (None, None) => Ok(None),
            (Some(begin), Some(end)) if begin < end => {
                Ok(Some(Self { before: &text[..begin], text: &text[begin..end], after: &text[end..] }))
            }
            _ => Err(format!("has `{BEGIN}` or `{END}` without the other")),
        }
    }

    /// The hook without the block.
    fn rest(&self) -> String {
        // A block without a final line break was put behind a text that had none.
        let before = if self.text.ends_with('\n') {
            self.before
        } else {
            self.before.strip_suffix('\n').unwrap_or(self.before)
        };
        [before, self.after].concat()
    }

    fn entries(&self) -> Vec<Entry> {
        let mut programs = "";
        let mut found: Vec<Entry> = Vec::new();
        for line in self.text.lines().map(str::trim) {
            if let Some(list) = line.strip_prefix("for mast_program in ").and_then(|l| l.strip_suffix("; do"))
            {
                programs = list;
            }
            let Some(arguments) = line.strip_prefix("\"$mast_program\" index --incremental") else {
                continue;
            };
            let Some((target, _)) = arguments.rsplit_once(" </dev/null") else { continue };
            let target = target.strip_prefix(" -- ").map(str::to_owned);
            found.push(Entry { programs: programs.to_owned(), target });
        }
        found
    }
}

/// The marked lines. POSIX shell, safe under `set -e` and `set -u`, and without influence on the exit status.
fn render(entries: &[Entry], around: Surroundings) -> String {
    let mut commands = String::new();
    for Entry { programs, target } in entries {
        let target = target.as_deref().map(|target| format!(" -- {target}")).unwrap_or_default();
        let guard = if around.is_shared {
            // These hooks run in every repository; only one that has an index is kept current.
            format!("      \"$mast_program\" status{target} >/dev/null 2>&1 || break\n")
        } else {
            String::new()
        };
        commands.push_str(&format!(
            "    for mast_program in {programs}; do\n      \
               command -v \"$mast_program\" >/dev/null 2>&1 || continue\n\
             {guard}      \
               \"$mast_program\" index --incremental{target} </dev/null >/dev/null 2>&1 || true\n      \
               break\n    \
             done\n"
        ));
    }
    format!(
        "{BEGIN}\n\
         # Keeps the mast index current. What goes wrong here never reaches git.\n\
         mast_code=$?\n\
         case \"${{1:-}}\" in\n  \
           0000000000*) ;; # a clone or a new work tree: nothing was indexed yet\n  \
           *)\n\
         {commands}    \
             ;;\n\
         esac\n\
         case $- in *e*) ;; *) (exit \"$mast_code\") ;; esac\n\
         {END}\n"
    )
}

/// `text` with the block at its end, where it sees what the rest has done, or behind the first line when the script may
/// end before its end.
fn place(text: &str, block: &str, around: Surroundings) -> String {
    let head = if text.starts_with("#!") { text.find('\n').map_or(text.len(), |end| end + 1) } else { 0 };
    if reaches_its_end(text, around) || text[head..].trim().is_empty() {
        if text.ends_with('\n') { format!("{text}{block}") } else { format!("{text}\n{}", block.trim_end()) }
    } else {
        [&text[..head], block, &text[head..]].concat()
    }
}

/// Whether every way through the script leads to its end. Only what is certain counts; a word in a comment makes it
/// uncertain too, which costs no more than the better place.
fn reaches_its_end(script: &str, around: Surroundings) -> bool {
    const LEAVING: [&str; 10] =
        [".", "exit", "exec", "return", "set", "trap", "kill", "eval", "source", "shift"];
    const PAIRS: [(&str, &str); 5] = [("if", "fi"), ("do", "done"), ("case", "esac"), ("{", "}"), ("(", ")")];
    let first = script.lines().next().unwrap_or_default();
    let has_options =
        first.starts_with("#!") && first.split_whitespace().skip(1).any(|w| w.starts_with('-') && w != "-S");
    let spaced = script.replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced
        .split(|c: char| c.is_whitespace() || ";&|`\"'".contains(c))
        .filter(|word| !word.is_empty())
        .collect();
    let count = |wanted: &str| words.iter().filter(|word| **word == wanted).count();
    let is_even = |quote: char| script.matches(quote).count().is_multiple_of(2);
    !around.is_strict
        && !has_options
        && !words.iter().any(|word| LEAVING.contains(word))
        && PAIRS.iter().all(|(open, close)| count(open) == count(close))
        && ['"', '\'', '`'].into_iter().all(is_even)
        // A here-document, `${x:?}`, and a last line that goes on.
        && !script.contains("<<")
        && !script.contains('?')
        && !script.trim_end().ends_with(['\\', '|', '&'])
}

/// Fails for what a shell would not understand.
fn require_shell_script(text: &str) -> Result<(), String> {
    if text.contains('\0') {
        return Err(
            "is not a shell script but a program; have it run `mast index --incremental` itself".into()
        );
    }
    let first = text.lines().next().unwrap_or_default();
    if first.starts_with("#!") && !is_shell(first) {
        return Err(format!(
            "is not a shell script ({}); have it run `mast index --incremental` itself",
            first.trim()
        ));
    }
    Ok(())
}

/// Whether a `#!` line names a shell of the Bourne family.
fn is_shell(shebang: &str) -> bool {
    let words = shebang.trim_start_matches("#!").split_whitespace();
    let names = words.map(|word| word.rsplit(['/', '\\']).next().unwrap_or(word));
    names.filter(|name| !matches!(*name, "env" | "-S")).take(1).any(|name| {
        matches!(name.trim_end_matches(".exe"), "sh" | "bash" | "dash" | "zsh" | "ksh" | "ash" | "busybox")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const INSIDE: Surroundings = Surroundings { is_shared: false, is_strict: false };

    fn entry(below: Option<&str>) -> Entry {
        Entry::new(&["mast".into()], below).unwrap()
    }

    fn with(text: &str) -> String {
        install(Some(text), &entry(None), INSIDE).unwrap()
    }

    /// The block as it is written for one project.
    fn block() -> String {
        render(&[entry(None)], INSIDE)
    }

    #[test]
    fn the_block_goes_where_it_is_reached() {
        let block = block();
        let at_the_end = ["echo a\n", "if a; then b; fi\n", "a || b\n", "echo 'a b'\n", ""];
        for body in at_the_end {
            assert_eq!(with(&format!("#!/bin/sh\n{body}")), format!("#!/bin/sh\n{body}{block}"), "{body}");
        }
        assert_eq!(with("echo a\n"), format!("echo a\n{block}"));
        assert_eq!(with("#!/bin/sh\necho a"), format!("#!/bin/sh\necho a\n{}", block.trim_end()));
        let behind_the_first_line = [
            "a\nexit 0\n",
            "if a; then exit 0; fi\nb\n",
            "main(){ exit 0; }; main\n",
            "main() {\n  return 1\n}\nmain\n",
            "exec other \"$@\"\n",
            "cat <<EOF\na\n",
            "set -e\na\n",
            "set -o errexit\na",
            ". ./helper.sh\n",
            "a || { b; exit; }\n",
            "echo \"unclosed\n: '\n",
            "if a; then\n  b\n",
            "echo ${1:?}\n",
            "a \\\n",
        ];
        for body in behind_the_first_line {
            assert_eq!(with(&format!("#!/bin/sh\n{body}")), format!("#!/bin/sh\n{block}{body}"), "{body}");
        }
        assert_eq!(with("#!/bin/sh -e\na\n"), format!("#!/bin/sh -e\n{block}a\n"));
        assert_eq!(with("exit 0\n"), format!("{block}exit 0\n"));
        let strict = Surroundings { is_strict: true, ..INSIDE };
        assert_eq!(install(Some("a\n"), &entry(None), strict).unwrap(), format!("{block}a\n"));
    }

    #[test]
    fn removal_is_the_opposite_of_installation() {
        for text in [
            "#!/bin/sh\necho a\n",
            "#!/bin/sh\necho a",
            "echo a\n",
            "#!/bin/sh\nexit 0\n",
            "exit 0",
            "#!/bin/sh\r\na\r\n",
        ] {
            let installed = with(text);
            assert_eq!(with(&installed), installed, "again changes nothing: {text:?}");
            assert_eq!(
                remove(&installed, &entry(None), INSIDE).unwrap().as_deref(),
                Some(text),
                "{installed}"
            );
        }
        for text in [None, Some(""), Some("\n")] {
            let installed = install(text, &entry(None), INSIDE).unwrap();
            assert_eq!(installed, format!("#!/bin/sh\n{}", block()));
            assert_eq!(remove(&installed, &entry(None), INSIDE), Ok(None), "{text:?}");
        }
        assert_eq!(remove("a\n", &entry(None), INSIDE).unwrap().as_deref(), Some("a\n"), "nothing of ours");
    }

    #[test]
    fn each_project_has_an_entry() {
        let (app, odd) = (entry(Some("packages/app")), entry(Some("it's </dev/null")));
        let mut text = with("#!/bin/sh\necho a");
        for project in [&app, &odd, &app] {
            text = install(Some(&text), project, INSIDE).unwrap();
        }
        let projects: Vec<String> = entries(&text).iter().map(|entry| entry.project().to_owned()).collect();
        assert_eq!(projects, [".", "'packages/app'", "'it'\\''s </dev/null'"]);
        assert_eq!(text.matches(BEGIN).count(), 1);
        let text = remove(&text, &odd, INSIDE).unwrap().unwrap();
        let text = remove(&text, &entry(None), INSIDE).unwrap().unwrap();
        assert_eq!(entries(&text), std::slice::from_ref(&app));
        assert_eq!(remove(&text, &odd, INSIDE).unwrap().unwrap(), text, "it is not there");
        assert_eq!(remove(&text, &app, INSIDE).unwrap().unwrap(), "#!/bin/sh\necho a");
        assert!(Entry::new(&[], Some("a\nb")).is_err());
    }

    #[test]
    fn an_entry_follows_the_installation() {
        let other = Entry::new(&["node_modules/.bin/mast".into()], None).unwrap();
        let text = install(Some(&with("a\n")), &other, INSIDE).unwrap();
        assert_eq!(text, format!("a\n{}", render(&[other], INSIDE)));
        assert!(text.contains("in node_modules/.bin/mast mast; do"), "{text}");
    }

    /// A block for one project, as earlier builds wrote it.
    const OLD: &str = "# >>> mast >>>\n\
        # Keeps the mast index current. What goes wrong here never reaches git.\n\
        case \"${1:-}\" in\n  0000000000*) ;; # a clone\n  *)\n    for mast_program in mast; do\n      \
        command -v \"$mast_program\" >/dev/null 2>&1 || continue\n      \
        \"$mast_program\" index --incremental -- 'packages/app' </dev/null >/dev/null 2>&1 || true\n      \
        break\n    done\n    ;;\nesac\n# <<< mast <<<\n";

    #[test]
    fn an_older_block_is_replaced_and_moved_where_it_is_reached() {
        let both = render(&[entry(Some("packages/app")), entry(None)], INSIDE);
        assert_eq!(with(&format!("a\n{OLD}b\n")), format!("a\n{both}b\n"), "where the user put it");
        assert_eq!(with(&format!("set -e\na\n{OLD}")), format!("{both}set -e\na\n"));
        let unknown = "# >>> mast >>>\nx\n# <<< mast <<<\n";
        assert_eq!(with(&format!("a\n{unknown}")), format!("a\n{}", block()));
    }

    #[test]
    fn a_hook_that_is_no_shell_script_or_lost_a_marker_is_left_alone() {
        for text in [
            "#!/usr/bin/env node\nx\n",
            "#!/usr/bin/python3\n",
            "#!/bin/sh\n# >>> mast >>>\n",
            "# >>> mast >>>\n# >>> mast >>>\n# <<< mast <<<\n",
            "\u{7f}ELF\0\0",
            "MZ\0",
        ] {
            assert!(install(Some(text), &entry(None), INSIDE).is_err(), "{text:?}");
        }
        assert!(remove("#!/bin/sh\n# >>> mast >>>\n", &entry(None), INSIDE).is_err());
    }
}
