//! Recognises a search of the repository in a shell command. Nothing is run; what is not understood is no search.

use super::scope::{Search, positive_globs};

/// The searches of the repository `command` makes. A filter behind a pipe reads its input and is none.
pub(crate) fn searches(command: &str) -> Vec<Search> {
    let Some(commands) = split(command) else { return Vec::new() };
    commands.iter().filter(|simple| !simple.is_piped).filter_map(|simple| search_of(&simple.words)).collect()
}

/// One simple command.
#[derive(Debug, Default)]
struct Simple {
    words: Vec<String>,
    is_piped: bool,
}

/// Splits at `;`, `&`, `|`, line breaks and parentheses, and into words; `None` when a quote is left open.
fn split(command: &str) -> Option<Vec<Simple>> {
    let mut commands = vec![Simple::default()];
    let mut word: Option<String> = None;
    let mut chars = command.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next()? {
                        '\'' => break,
                        inner => word.push(inner),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match chars.next()? {
                        '"' => break,
                        '\\' => word.push(chars.next()?),
                        inner => word.push(inner),
                    }
                }
            }
            '\\' => {
                if let Some(escaped) = chars.next().filter(|&escaped| escaped != '\n') {
                    word.get_or_insert_default().push(escaped);
                }
            }
            ' ' | '\t' | '\r' => finish(&mut commands, &mut word),
            '>' | '<' => {
                // A redirection: its target is the next word, marked so that it is not taken for a path.
                // The digit before it names a file descriptor.
                word = word.filter(|word| !word.bytes().all(|b| b.is_ascii_digit()));
                finish(&mut commands, &mut word);
                while chars.next_if(|&next| matches!(next, '>' | '<' | '&' | '|')).is_some() {}
                word = Some(String::from("\0"));
                while chars.next_if(|&next| next == ' ').is_some() {}
            }
            ';' | '\n' | '&' | '|' | '(' | ')' => {
                finish(&mut commands, &mut word);
                let is_pipe = c == '|' && chars.next_if_eq(&'|').is_none();
                if commands.last().is_some_and(|last| !last.words.is_empty()) {
                    commands.push(Simple::default());
                }
                if let Some(last) = commands.last_mut() {
                    last.is_piped = is_pipe;
                }
            }
            other => word.get_or_insert_default().push(other),
        }
    }
    finish(&mut commands, &mut word);
    Some(commands)
}

fn finish(commands: &mut [Simple], word: &mut Option<String>) {
    if let (Some(word), Some(last)) = (word.take(), commands.last_mut())
        && !word.starts_with('\0')
    {
        last.words.push(word);
    }
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
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    let name = name.strip_suffix(".exe").unwrap_or(name).to_ascii_lowercase();
    let arguments: Vec<&str> = words.collect();
    match name.as_str() {
        "rg" | "ag" | "ack" | "ugrep" | "ug" => Some(content_search(&arguments, true)?),
        "grep" | "egrep" | "fgrep" | "zgrep" => content_search(&arguments, false),
        "git" => {
            let at = arguments.iter().position(|argument| *argument == "grep")?;
            let before = &arguments[..at];
            let is_option =
                |index: usize| before[index].starts_with('-') || index > 0 && before[index - 1] == "-C";
            if !(0..before.len()).all(is_option) {
                return None;
            }
            content_search(&arguments[at + 1..], true)
        }
        "find" | "bfs" => find_search(&arguments),
        "fd" | "fdfind" => fd_search(&arguments),
        "select-string" | "sls" => Some(powershell_search(&arguments, true)?),
        "get-childitem" | "gci" => powershell_search(&arguments, false),
        _ => None,
    }
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

/// `find`: a search when it looks for a name or a path.
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
            "-name" | "-iname" | "-path" | "-ipath" | "-wholename" => {
                let pattern = arguments.next()?;
                if !is_negated {
                    search.globs.push(pattern.to_owned());
                }
            }
            _ => {}
        }
        is_negated = false;
    }
    (!search.globs.is_empty()).then_some(search)
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
            "-t" | "--type" | "-E" | "--exclude" | "-d" | "--max-depth" | "--min-depth" | "-x" | "-X"
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
        check("cd packages/a && grep -rn --include='*.ts' \"class Foo\" .", &["|*.ts|."]);
        check("grep -rne Foo src", &["||src"]);
        check("grep -n Foo src/a.ts", &["||src/a.ts"]);
        check("git -C sub grep -n Foo -- '*.ts'", &["||*.ts"]);
        check("find . -name '*.ts' -not -name '*.test.ts'", &["|*.ts|."]);
        check("fd -e ts user src", &["|*.ts|src"]);
        check("LC_ALL=C /usr/bin/rg foo", &["||"]);
        check("(rg a; rg b)", &["||", "||"]);
        check("rg foo > out.txt 2>/dev/null", &["||"]);
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
