//! Recognises a search of the repository in a shell command. Nothing is run; what is not understood is no search.

use std::path::Path;

use super::scope::{Search, positive_globs};
use super::shell_words;

/// The searches of the repository `command` makes. A filter behind a pipe reads its input and is none.
pub(crate) fn searches(command: &str) -> Vec<Search> {
    let Some(commands) = shell_words::split(command) else { return Vec::new() };
    let mut found = Vec::new();
    // Where each level of parentheses stands; a `cd` inside them ends with them.
    let mut directories = vec![String::new()];
    for simple in &commands {
        directories.truncate(simple.depth + 1);
        while directories.len() <= simple.depth {
            directories.push(directories.last().cloned().unwrap_or_default());
        }
        let Some(here) = directories.last_mut() else { continue };
        if let Some(to) = change_of_directory(&simple.words) {
            *here = joined(here, to);
        } else if !simple.is_fed {
            found.extend(search_of(&simple.words).map(|search| search.below(here)));
        }
    }
    found
}

impl Search {
    /// The same search made in `directory`; `""` is where the shell stands.
    fn below(mut self, directory: &str) -> Self {
        if directory.is_empty() {
            return self;
        }
        if self.paths.is_empty() {
            self.paths.push(directory.to_owned());
        } else {
            self.paths.iter_mut().for_each(|path| *path = joined(directory, path));
        }
        self
    }
}

/// `path` seen from `directory`.
fn joined(directory: &str, path: &str) -> String {
    let is_own_place = Path::new(path).is_absolute() || path.starts_with(['/', '~', '$']);
    if directory.is_empty() || is_own_place { path.to_owned() } else { format!("{directory}/{path}") }
}

/// Where `cd` goes, when `words` are that.
fn change_of_directory(words: &[String]) -> Option<&str> {
    let (program, arguments) = words.split_first()?;
    let is_it =
        matches!(program.to_ascii_lowercase().as_str(), "cd" | "chdir" | "pushd" | "set-location" | "sl");
    if !is_it {
        return None;
    }
    Some(match arguments.iter().find(|argument| *argument == "-" || !argument.starts_with('-')) {
        None => "~",
        // Where that is is not known here.
        Some(back) if back == "-" => "$OLDPWD",
        Some(directory) => directory,
    })
}

/// The search one simple command makes.
fn search_of(words: &[String]) -> Option<Search> {
    let mut words = words.iter().map(String::as_str).peekable();
    // Assignments and commands that run another command.
    while words
        .next_if(|word| is_assignment(word) || matches!(*word, "sudo" | "time" | "command" | "env" | "nice"))
        .is_some()
    {}
    let program = words.next()?;
    let arguments: Vec<&str> = words.collect();
    match program_name(program).as_str() {
        "rg" | "ag" | "ack" | "ugrep" | "ug" => Some(content_search(&arguments, true)?),
        "grep" | "egrep" | "fgrep" | "zgrep" => content_search(&arguments, false),
        "git" => {
            let at = arguments.iter().position(|argument| *argument == "grep")?;
            let before = &arguments[..at];
            let is_directory = |index: usize| index > 0 && before[index - 1] == "-C";
            if !(0..before.len()).all(|index| before[index].starts_with('-') || is_directory(index)) {
                return None;
            }
            let directory = (0..before.len())
                .filter(|&index| is_directory(index))
                .fold(String::new(), |here, index| joined(&here, before[index]));
            let mut search = content_search(&arguments[at + 1..], true)?;
            // `:!path` and the like are no paths.
            search.paths.retain(|path| !path.starts_with(':'));
            Some(search.below(&directory))
        }
        "find" | "bfs" => find_search(&arguments),
        "fd" | "fdfind" => fd_search(&arguments),
        "select-string" | "sls" => Some(powershell_search(&arguments, true)?),
        "get-childitem" | "gci" => powershell_search(&arguments, false),
        _ => None,
    }
}

/// The program's name without its directory.
fn program_name(program: &str) -> String {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    name.strip_suffix(".exe").unwrap_or(name).to_ascii_lowercase()
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

/// Options of the content searches whose value, which is neither pattern nor path, may be the next word.
const OPTIONS_WITH_VALUE: [&str; 24] = [
    "-A",
    "-B",
    "-C",
    "-M",
    "-T",
    "-d",
    "-j",
    "-m",
    "-r",
    "--after-context",
    "--before-context",
    "--colors",
    "--context",
    "--exclude",
    "--exclude-dir",
    "--ignore-file",
    "--max-columns",
    "--max-count",
    "--max-depth",
    "--replace",
    "--sort",
    "--sortr",
    "--threads",
    "--type-not",
];

/// `rg`, `grep` and their kin. Without `is_recursive`, standard input is read unless a path or `-r` is given.
fn content_search(arguments: &[&str], is_recursive: bool) -> Option<Search> {
    let mut search = Search::default();
    let mut words = Vec::new();
    let (mut is_recursive, mut has_pattern_option, mut only_words) = (is_recursive, false, false);
    let mut rest = arguments.iter().copied();
    while let Some(argument) = rest.next() {
        if only_words || argument == "-" || !argument.starts_with('-') {
            words.push(argument);
            continue;
        }
        let (option, value) = match argument.split_once('=') {
            Some((option, value)) => (option, Some(value)),
            None => (argument, None),
        };
        match option {
            "--" => only_words = true,
            "--type" | "-t" => search.types.extend(value.or_else(|| rest.next()).map(str::to_owned)),
            "--glob" | "-g" | "--iglob" | "--include" => {
                search.globs.extend(value.or_else(|| rest.next()).into_iter().flat_map(positive_globs));
            }
            "--regexp" | "-e" | "--file" | "-f" => {
                has_pattern_option = true;
                if value.is_none() {
                    rest.next();
                }
            }
            // grep's `-r` searches a tree; rg, which always does, has a replacement behind it.
            "-r" if !is_recursive => is_recursive = true,
            _ if value.is_none() && OPTIONS_WITH_VALUE.contains(&option) => {
                rest.next();
            }
            "--recursive" | "-R" | "--dereference-recursive" => is_recursive = true,
            // Asks for something else than a search.
            "--files" | "--type-list" | "--version" | "--help" | "-V" | "-h" if arguments.len() == 1 => {
                return None;
            }
            "--files" => has_pattern_option = true,
            _ if !option.starts_with("--") => {
                if let Some(types) = argument.strip_prefix("-t") {
                    search.types.push(types.to_owned());
                } else if let Some(glob) = argument.strip_prefix("-g") {
                    search.globs.extend(positive_globs(glob));
                } else {
                    let letters = &argument[1..];
                    is_recursive |= letters.contains(['r', 'R']);
                    // In a bundle only the last letter can take a value: `-rne pattern`.
                    if letters.ends_with('e') {
                        has_pattern_option = true;
                        rest.next();
                    } else if letters.ends_with(['A', 'B', 'C']) {
                        rest.next();
                    }
                }
            }
            _ => {}
        }
    }
    let paths = if has_pattern_option { words.as_slice() } else { words.get(1..)? };
    search.paths = paths.iter().filter(|path| **path != "-").map(|path| (*path).to_owned()).collect();
    let searches_tree = is_recursive || !search.paths.is_empty();
    searches_tree.then_some(search)
}

/// `find`: a search when it looks for a name or a path, and does nothing else with what it finds.
fn find_search(arguments: &[&str]) -> Option<Search> {
    let mut search = Search::default();
    let mut arguments = arguments.iter().copied().peekable();
    while let Some(path) = arguments.next_if(|argument| !argument.starts_with(['-', '(', '!'])) {
        search.paths.push(path.to_owned());
    }
    let mut is_negated = false;
    while let Some(argument) = arguments.next() {
        match argument {
            "-not" | "!" => {
                is_negated = true;
                continue;
            }
            "-name" | "-iname" | "-path" | "-ipath" | "-wholename" | "-iwholename" => {
                let pattern = arguments.next()?;
                if !is_negated {
                    search.globs.push(pattern.to_owned());
                }
            }
            "-delete" | "-fls" | "-fprint" | "-fprint0" | "-fprintf" => return None,
            "-exec" | "-execdir" | "-ok" | "-okdir" if !only_reads(arguments.next()?) => return None,
            _ => {}
        }
        is_negated = false;
    }
    (!search.globs.is_empty()).then_some(search)
}

/// Whether `program`, run on what was found, looks into it or prints it and no more.
fn only_reads(program: &str) -> bool {
    matches!(
        program_name(program).as_str(),
        "grep" | "egrep" | "fgrep" | "rg" | "ag" | "ack" | "cat" | "head" | "tail" | "wc" | "ls" | "echo"
    )
}

/// `fd`: pattern, then paths; `-e` names extensions.
fn fd_search(arguments: &[&str]) -> Option<Search> {
    let mut search = Search::default();
    let mut words = Vec::new();
    let mut rest = arguments.iter().copied();
    while let Some(argument) = rest.next() {
        let (option, value) = match argument.split_once('=') {
            Some((option, value)) => (option, Some(value)),
            None => (argument, None),
        };
        match option {
            "-e" | "--extension" => {
                let extension = value.or_else(|| rest.next())?;
                search.globs.push(format!("*.{}", extension.trim_start_matches('.')));
            }
            // Everything behind it is a command for what was found.
            "-x" | "-X" | "--exec" | "--exec-batch" => {
                if !only_reads(value.or_else(|| rest.next())?) {
                    return None;
                }
                break;
            }
            "-t" | "--type" | "-E" | "--exclude" | "-d" | "--max-depth" | "--min-depth"
                if value.is_none() =>
            {
                rest.next();
            }
            _ if !argument.starts_with('-') => words.push(argument),
            _ => {}
        }
    }
    search.paths = words.get(1..).unwrap_or_default().iter().map(|path| (*path).to_owned()).collect();
    (!words.is_empty() || !search.globs.is_empty()).then_some(search)
}

/// `Select-String` and `Get-ChildItem`, whose options are words with one `-` in any case.
fn powershell_search(arguments: &[&str], is_content: bool) -> Option<Search> {
    let mut search = Search::default();
    let mut words = Vec::new();
    let mut is_search = is_content;
    let mut rest = arguments.iter().copied().peekable();
    while let Some(argument) = rest.next() {
        match argument.to_ascii_lowercase().as_str() {
            "-path" | "-literalpath" => search.paths.extend(rest.next().map(str::to_owned)),
            "-include" | "-filter" => {
                is_search = true;
                search.globs.extend(rest.next().into_iter().flat_map(positive_globs));
            }
            "-pattern" => {
                rest.next();
                words.push("");
            }
            option if option.starts_with('-') => {}
            _ => words.push(argument),
        }
    }
    let paths = words.iter().skip(usize::from(is_content)).filter(|word| !word.is_empty());
    search.paths.extend(paths.map(|path| (*path).to_owned()));
    // A path with a wildcard in its name is a glob.
    let (globs, paths) = search.paths.drain(..).partition(|path: &String| path.contains(['*', '?']));
    search.globs.extend::<Vec<String>>(globs);
    search.paths = paths;
    let has_place = !search.paths.is_empty() || !search.globs.is_empty();
    (is_search && (!is_content || has_place)).then_some(search)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each search as `types|globs|paths`.
    fn check(command: &str, expected: &[&str]) {
        let found: Vec<String> = searches(command)
            .iter()
            .map(|s| format!("{}|{}|{}", s.types.join(","), s.globs.join(","), s.paths.join(",")))
            .collect();
        assert_eq!(found, expected, "{command}");
    }

    #[test]
    fn searches_of_the_tree_are_found() {
        check("rg -n foo src | head", &["||src"]);
        check("rg 'createUser(' --type=ts", &["ts||"]);
        check("rg -tpy -g '*.py' foo", &["py|*.py|"]);
        check("cd packages/a && grep -rn --include='*.ts' \"class Foo\" .", &["|*.ts|packages/a/."]);
        check("grep -rne Foo src", &["||src"]);
        check("grep -n Foo src/a.ts", &["||src/a.ts"]);
        check("git -C sub grep -n Foo -- '*.ts'", &["||sub/*.ts"]);
        check("git grep Foo -- ':!dist'", &["||"]);
        check("find . -name '*.ts' -not -name '*.test.ts'", &["|*.ts|."]);
        check("find . -name '*.ts' -exec grep -n foo {} +", &["|*.ts|."]);
        check("fd -e ts -x wc -l", &["|*.ts|"]);
        check("fd -e ts user src", &["|*.ts|src"]);
        check("LC_ALL=C /usr/bin/rg foo", &["||"]);
        check("(rg a; rg b)", &["||", "||"]);
        check("rg foo > out.txt 2>/dev/null", &["||"]);
        check("rg foo </dev/null", &["||"]);
    }

    #[test]
    fn a_search_is_made_where_the_shell_stands() {
        check("cd a && rg x && cd b && rg x c /d", &["||a", "||a/b/c,/d"]);
        check("(cd a; rg x); rg x", &["||a", "||"]);
        check("cd; rg x", &["||~"]);
        check("cd - && rg x c", &["||$OLDPWD/c"]);
        check("Set-Location a; Select-String -Path *.ts -Pattern x", &["|*.ts|a"]);
    }

    #[test]
    fn what_also_changes_files_is_no_search() {
        check("find . -name foo.ts -delete", &[]);
        check("find . -name '*.ts' -exec rm {} +", &[]);
        check("find . -name '*.ts' -execdir /bin/mv {} x ';'", &[]);
        check("find . -name '*.ts' -fprint list.txt", &[]);
        check("fd -e ts -x rm", &[]);
        check("fd -e ts --exec-batch=rm", &[]);
    }

    #[test]
    fn a_here_document_and_its_reader_are_no_search() {
        check("cat > run.sh <<'EOF'\nrg foo\nEOF", &[]);
        check("git commit -m \"$(cat <<'EOF'\nrg foo\nEOF\n)\"", &[]);
        check("rg foo <<EOF\nbar\nEOF", &[]);
        check("rg foo < list.txt", &[]);
        check("cat <<EOF\nx\nEOF\nrg foo", &["||"]);
    }

    #[test]
    fn filters_and_other_commands_are_no_search() {
        check("cat a.ts | grep foo", &[]);
        check("npm test 2>&1 | grep -i error", &[]);
        check("grep foo", &[]);
        check("git log --grep foo", &[]);
        check("git log -S grep", &[]);
        check("ls -la src", &[]);
        check("find . -type d", &[]);
        check("echo 'rg foo'", &[]);
        check("rg --version", &[]);
        check("echo \"unclosed", &[]);
        check("", &[]);
    }

    #[test]
    fn powershell_searches_are_found() {
        check("Select-String -Path src/*.ts -Pattern createUser", &["|src/*.ts|"]);
        check("Get-ChildItem -Recurse -Filter *.py", &["|*.py|"]);
        check("gci src -Recurse -Include *.ts", &["|*.ts|src"]);
        check("Get-ChildItem src", &[]);
    }
}
