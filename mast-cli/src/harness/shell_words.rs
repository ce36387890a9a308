//! Splits a shell command into simple commands and their words. Nothing is run or expanded.

use std::iter::Peekable;
use std::str::Chars;

/// One simple command.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Simple {
    /// Its words, without redirections.
    pub(super) words: Vec<String>,
    /// Whether its standard input comes from a pipe, a file or a here-document.
    pub(super) is_fed: bool,
    /// How many parentheses it stands in.
    pub(super) depth: usize,
}

/// A here-document that was announced and begins on the next line.
struct HereDocument {
    delimiter: String,
    /// Written `<<-`: tabs before its lines do not count.
    has_tabs: bool,
}

/// What the next word is, when it is the target of a redirection.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Redirection {
    Input,
    Output,
}

/// Splits at `;`, `&`, `|`, line breaks and parentheses, and into words; `None` when it cannot be told where a quoted
/// text ends.
pub(super) fn split(command: &str) -> Option<Vec<Simple>> {
    let mut splitter = Splitter {
        rest: command.chars().peekable(),
        commands: vec![Simple::default()],
        word: None,
        redirection: None,
        depth: 0,
        documents: Vec::new(),
    };
    splitter.run()?;
    Some(splitter.commands)
}

struct Splitter<'a> {
    rest: Peekable<Chars<'a>>,
    /// Never empty.
    commands: Vec<Simple>,
    word: Option<String>,
    redirection: Option<Redirection>,
    depth: usize,
    documents: Vec<HereDocument>,
}

impl Splitter<'_> {
    fn run(&mut self) -> Option<()> {
        while let Some(c) = self.rest.next() {
            match c {
                '\'' | '"' => self.quoted(c)?,
                '\\' => {
                    if let Some(escaped) = self.rest.next().filter(|&escaped| escaped != '\n') {
                        self.word.get_or_insert_default().push(escaped);
                    }
                }
                ' ' | '\t' | '\r' => self.finish_word(),
                '>' | '<' => self.redirect(c),
                ';' | '\n' | '&' | '|' | '(' | ')' => self.separate(c),
                other => self.word.get_or_insert_default().push(other),
            }
        }
        self.finish_word();
        Some(())
    }

    fn quoted(&mut self, quote: char) -> Option<()> {
        let word = self.word.get_or_insert_default();
        loop {
            match self.rest.next()? {
                end if end == quote => return Some(()),
                '\\' if quote == '"' => word.push(self.rest.next()?),
                // A here-document inside `"$(…)"` may hold quotes of its own; where this one ends is anybody's guess.
                '<' if quote == '"' && word.ends_with('<') && word.contains("$(") => return None,
                inner => word.push(inner),
            }
        }
    }

    fn redirect(&mut self, sign: char) {
        // The digit before it names a file descriptor.
        self.word = self.word.take().filter(|word| !word.bytes().all(|b| b.is_ascii_digit()));
        self.finish_word();
        if sign == '<' {
            match self.rest.peek() {
                // Process substitution: a command, which the parenthesis begins.
                Some('(') => return,
                Some('<') => {
                    self.rest.next();
                    if self.rest.next_if_eq(&'<').is_none() {
                        self.announce_document();
                        return;
                    }
                }
                _ => {}
            }
        }
        while self.rest.next_if(|&next| matches!(next, '>' | '<' | '&' | '|')).is_some() {}
        self.redirection = Some(if sign == '<' { Redirection::Input } else { Redirection::Output });
    }

    /// Reads what follows `<<`.
    fn announce_document(&mut self) {
        let has_tabs = self.rest.next_if_eq(&'-').is_some();
        while self.rest.next_if(|&next| matches!(next, ' ' | '\t')).is_some() {}
        let mut delimiter = String::new();
        let mut quote = None;
        while let Some(c) =
            self.rest.next_if(|&next| next != '\n' && (quote.is_some() || !" \t\r;&|()<>".contains(next)))
        {
            match c {
                '\'' | '"' if quote.is_none() => quote = Some(c),
                _ if quote == Some(c) => quote = None,
                '\\' => {}
                other => delimiter.push(other),
            }
        }
        self.documents.push(HereDocument { delimiter, has_tabs });
        self.last().is_fed = true;
    }

    fn separate(&mut self, sign: char) {
        self.finish_word();
        self.redirection = None;
        match sign {
            '(' => self.depth += 1,
            ')' => self.depth = self.depth.saturating_sub(1),
            '\n' => self.skip_documents(),
            _ => {}
        }
        let is_fed = sign == '|' && self.rest.next_if_eq(&'|').is_none();
        if is_fed {
            // `|&` is a pipe too.
            self.rest.next_if_eq(&'&');
        }
        let depth = self.depth;
        if !self.last().words.is_empty() {
            self.commands.push(Simple { words: Vec::new(), is_fed, depth });
        } else if sign != '\n' {
            // A line break behind `|` changes nothing.
            let last = self.last();
            (last.is_fed, last.depth) = (is_fed, depth);
        }
    }

    fn skip_documents(&mut self) {
        for document in std::mem::take(&mut self.documents) {
            while self.rest.peek().is_some() {
                let line: String = self.rest.by_ref().take_while(|&c| c != '\n').collect();
                let line = line.trim_end_matches('\r');
                let line = if document.has_tabs { line.trim_start_matches('\t') } else { line };
                if line == document.delimiter {
                    break;
                }
            }
        }
    }

    fn finish_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        match self.redirection.take() {
            None => self.last().words.push(word),
            // A program that would read its input finds nothing there, and searches the tree.
            Some(Redirection::Input) if word != "/dev/null" => self.last().is_fed = true,
            Some(_) => {}
        }
    }

    fn last(&mut self) -> &mut Simple {
        if self.commands.is_empty() {
            self.commands.push(Simple::default());
        }
        let at = self.commands.len() - 1;
        &mut self.commands[at]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each command as its words, with `<` before one whose input is given and a `(` for each parenthesis around it.
    fn check(command: &str, expected: &[&str]) {
        let found: Vec<String> = split(command)
            .unwrap()
            .iter()
            .filter(|simple| !simple.words.is_empty())
            .map(|simple| {
                let fed = if simple.is_fed { "<" } else { "" };
                format!("{}{fed}{}", "(".repeat(simple.depth), simple.words.join(" "))
            })
            .collect();
        assert_eq!(found, expected, "{command}");
    }

    #[test]
    fn commands_and_words_are_told_apart() {
        check("a 'b c' \"d e\"f; g && h || i", &["a b c d ef", "g", "h", "i"]);
        check("a | b |& c |\n d", &["a", "<b", "<c", "<d"]);
        check("(a; (b)); c $(d)", &["(a", "((b", "c $", "(d"]);
        check("a \\\n b\nc", &["a b", "c"]);
        check("a 2>&1 > b >> c 2>/dev/null d", &["a d"]);
        check("a < b; c </dev/null; d <<< e f; g < b h", &["<a", "c", "<d f", "<g h"]);
        check("diff <(a) <(b)", &["diff", "(a", "(b"]);
        assert_eq!(split("a 'b"), None);
        assert_eq!(split("a \"b"), None);
    }

    #[test]
    fn the_text_of_a_here_document_is_no_command() {
        check("cat > x <<'EOF'\na 'b\nc\nEOF\nd", &["<cat", "d"]);
        check("cat <<EOF | a\nb\nEOF\nd", &["<cat", "<a", "d"]);
        check("cat <<\"E F\"; a\nb\nE F\nc", &["<cat", "a", "c"]);
        check("cat <<-E\n\tb\n\tE\nd", &["<cat", "d"]);
        check("x <<A <<B\n1\nB\nA\n2\nB\nc", &["<x", "c"]);
        check("cat <<A\r\nb\r\nA\r\nc", &["<cat", "c"]);
        check("cat <<A\nb", &["<cat"]);
        check("git commit -m \"$(cat)\"; a", &["git commit -m $(cat)", "a"]);
        assert_eq!(split("git commit -m \"$(cat <<'A'\nsay \"hi\nb\"\nA\n)\""), None);
        check("echo \"a << b\"; c", &["echo a << b", "c"]);
    }
}
