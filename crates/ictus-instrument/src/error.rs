//! One diagnostic type for everything that can be wrong with an instrument file.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use miette::{Diagnostic, LabeledSpan, NamedSource, Severity, SourceCode};

/// Keys and texts of hostile files are quoted in messages; no one reads more than this many bytes of them.
const MAX_MESSAGE: usize = 1000;

/// What is wrong with an instrument file, and where.
///
/// The message stands on its own; the label and the help are for renderers that show the source.
/// Warnings are the same type with [`Error::is_warning`] true.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{}", .0.message)]
pub struct Error(Box<Inner>);

#[derive(Debug, Clone)]
struct Inner {
    code: Cow<'static, str>,
    message: String,
    label: String,
    help: Option<String>,
    source: NamedSource<Arc<str>>,
    span: Option<Range<usize>>,
    warning: bool,
}

impl Error {
    pub(crate) fn new(code: impl Into<Cow<'static, str>>, message: impl Into<String>, source: &Source) -> Self {
        let mut message = message.into();
        if message.len() > MAX_MESSAGE {
            message.truncate(floor_boundary(&message, MAX_MESSAGE));
            message.push('…');
        }
        Self(Box::new(Inner {
            code: code.into(),
            message,
            label: String::new(),
            help: None,
            source: NamedSource::new(&source.name, Arc::clone(&source.text)),
            span: None,
            warning: false,
        }))
    }

    /// Points at `span`, moved inside the text and onto character boundaries if it is not.
    pub(crate) fn at(mut self, span: Range<usize>, label: impl Into<String>) -> Self {
        let text = self.0.source.inner();
        let start = floor_boundary(text, span.start);
        let end = ceil_boundary(text, span.end.max(start));
        self.0.span = Some(start..end);
        self.0.label = label.into();
        self
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.0.help = Some(help.into());
        self
    }

    pub(crate) fn maybe_help(mut self, help: Option<String>) -> Self {
        self.0.help = help;
        self
    }

    pub(crate) fn warning(mut self) -> Self {
        self.0.warning = true;
        self
    }

    /// Stable name of the kind of error, such as `instrument::unknown_key`.
    #[must_use]
    pub fn code(&self) -> &str {
        &self.0.code
    }

    /// The whole story in one sentence.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// What to write beside the marked text; may be empty.
    #[must_use]
    pub fn label(&self) -> &str {
        &self.0.label
    }

    /// The way out, if one is known.
    #[must_use]
    pub fn help_text(&self) -> Option<&str> {
        self.0.help.as_deref()
    }

    /// Name of the file, or `--set` when the fault lies in a setting.
    #[must_use]
    pub fn file(&self) -> &str {
        self.0.source.name()
    }

    /// Byte range in the text of [`Error::file`].
    #[must_use]
    pub fn span(&self) -> Option<Range<usize>> {
        self.0.span.clone()
    }

    /// Line and column of the span, both counted from 1.
    #[must_use]
    pub fn line_column(&self) -> Option<(usize, usize)> {
        let before = &self.0.source.inner()[..self.0.span.as_ref()?.start];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Some((line, column))
    }

    /// The file loads all the same.
    #[must_use]
    pub fn is_warning(&self) -> bool {
        self.0.warning
    }
}

impl Diagnostic for Error {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(&self.0.code))
    }
    fn severity(&self) -> Option<Severity> {
        Some(if self.0.warning { Severity::Warning } else { Severity::Error })
    }
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.0.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }
    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.0.span.is_some().then_some(&self.0.source as &dyn SourceCode)
    }
    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let span = self.0.span.clone()?;
        let label = Some(self.0.label.clone()).filter(|label| !label.is_empty());
        Some(Box::new(std::iter::once(LabeledSpan::new(label, span.start, span.len()))))
    }
}

/// The character boundary at or before a byte.
pub(crate) fn floor_boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0)
}

/// The character boundary at or after a byte.
fn ceil_boundary(text: &str, at: usize) -> usize {
    (at.min(text.len())..=text.len()).find(|i| text.is_char_boundary(*i)).unwrap_or(text.len())
}

/// A named text that errors point into.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    pub name: String,
    pub text: Arc<str>,
}

/// The nearest of `names`, if it is near enough to be a slip of the finger.
pub(crate) fn nearest<'a>(wrong: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Long garbage is not a misspelling of anything, and the distance costs length times length.
    if wrong.len() > 64 {
        return None;
    }
    let lower = wrong.to_lowercase();
    (names.into_iter().filter(|name| name.len() <= 64))
        .map(|name| (strsim::jaro_winkler(&lower, &name.to_lowercase()), name))
        .filter(|(similarity, _)| *similarity >= 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
}

/// "did you mean `x`?", or the list where it is short enough to read.
pub(crate) fn suggest<'a>(wrong: &str, names: impl IntoIterator<Item = &'a str>, what: &str) -> Option<String> {
    let names: Vec<&str> = names.into_iter().collect();
    let near = nearest(wrong, names.iter().copied()).map(|name| format!("did you mean `{name}`?"));
    let list = (!names.is_empty() && names.len() <= 12).then(|| format!("{what}: {}", listed(&names)));
    match (near, list) {
        (Some(near), Some(list)) => Some(format!("{near} ({list})")),
        (near, list) => near.or(list),
    }
}

/// `a`, `b`, `c`
pub(crate) fn listed(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_recognised_and_garbage_is_not() {
        let keys = ["frequency_hz", "decay_s", "mass_kg", "ports"];
        assert_eq!(nearest("freqency_hz", keys), Some("frequency_hz"));
        assert_eq!(nearest("frequency", keys), Some("frequency_hz"));
        assert_eq!(nearest("mass", keys), Some("mass_kg"));
        assert_eq!(nearest("xyz", keys), None);
    }

    #[test]
    fn spans_are_moved_onto_characters() {
        let source = Source { name: "t".into(), text: "aé\nb".into() };
        let error = Error::new("c", "m", &source).at(2..900, "here");
        assert_eq!(error.span(), Some(1..5));
        assert_eq!(error.line_column(), Some((1, 2)));
    }
}
