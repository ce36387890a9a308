//! The one writer for answers on standard output.

use std::io::{self, BufWriter, IsTerminal, StdoutLock, Write};

/// Standard output, buffered, with colours only where a person looks at it.
pub(crate) struct Output {
    inner: BufWriter<StdoutLock<'static>>,
    has_colour: bool,
}

/// What a piece of text is, for colouring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    /// The place or name a result begins with.
    Heading,
    /// Something to be careful about.
    Warning,
    /// Less important.
    Faint,
}

impl Output {
    /// Opens standard output. Colours need a terminal and an unset or empty `NO_COLOR`.
    pub(crate) fn open() -> Self {
        let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let stdout = io::stdout();
        let has_colour = stdout.is_terminal() && !no_color;
        Self { inner: BufWriter::new(stdout.lock()), has_colour }
    }

    /// `text` dressed for `tone`, or as it is without colours.
    pub(crate) fn tone(&self, tone: Tone, text: &str) -> String {
        if !self.has_colour {
            return text.to_owned();
        }
        let code = match tone {
            Tone::Heading => "1",
            Tone::Warning => "33",
            Tone::Faint => "2",
        };
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.inner.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
