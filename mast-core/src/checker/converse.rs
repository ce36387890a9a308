//! The questions about the files of one TypeScript process, and its answers.

use std::collections::HashMap;

use super::overlay::Overlay;
use super::process::{Patience, Spoken};
use super::questions::FileQuestions;
use super::server::{Document, Place, Position, Server};

/// What TypeScript said about one mention.
#[derive(Debug, Clone, Default)]
pub(super) struct Answer {
    /// Definitions of the name where it stands.
    pub(super) as_it_stands: Vec<Place>,
    /// Definitions of the name alone, of a call.
    pub(super) named: Vec<Place>,
}

/// Asks about every mention as it stands, then about the called names alone. All files are altered at once between the two,
/// because every alteration makes TypeScript begin anew.
pub(super) fn converse(
    server: &mut dyn Server,
    files: &[(FileQuestions, String)],
    patience: &Patience,
    progress: &dyn Fn((u64, u64)),
) -> Spoken<Vec<Vec<Answer>>> {
    let total = 2 * files.len() as u64;
    let mut done = 0;
    let mut answers = Vec::with_capacity(files.len());
    for (file, path) in files {
        let places: Vec<Position> = file.questions.iter().map(|q| (q.line, q.column)).collect();
        let found = server.definitions(path, &places, patience)?;
        let answer = |as_it_stands| Answer { as_it_stands, named: Vec::new() };
        answers.push(found.into_iter().map(answer).collect::<Vec<_>>());
        done += 1;
        progress((done, total));
    }
    let overlays: HashMap<&str, Overlay> =
        files.iter().filter_map(|(file, path)| Some((path.as_str(), Overlay::of(file)?))).collect();
    let altered: Vec<Document<'_>> = files
        .iter()
        .filter_map(|(_, path)| Some(Document { path, text: &overlays.get(path.as_str())?.text }))
        .collect();
    server.open(&altered, patience)?;
    for ((file, path), answers) in files.iter().zip(&mut answers) {
        if let Some(overlay) = overlays.get(path.as_str()) {
            let twice = || file.questions.iter().enumerate().filter(|(_, q)| q.is_asked_twice());
            let places: Vec<Position> = twice().map(|(_, q)| overlay.altered((q.line, q.column))).collect();
            let found = server.definitions(path, &places, patience)?;
            for ((at, _), mut named) in twice().zip(found) {
                for place in &mut named {
                    if let Some(overlay) = overlays.get(place.file.as_str()) {
                        place.start = overlay.unaltered(place.start);
                    }
                }
                answers[at].named = named;
            }
        }
        done += 1;
        progress((done, total));
    }
    Ok(answers)
}
