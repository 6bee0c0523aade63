//! Faults of a plan that would spoil every sample, found before the first one is rendered.

use crate::Plan;
use crate::error::Error;
use crate::table::is_taken;
use crate::vary::{Span, Target, Vary};
use ictus_instrument::Document;

/// Lists longer than this are tried at their beginning only.
const MOST_TRIED: usize = 100;
/// A place inside a range that hits no round number.
const INSIDE: f64 = 0.381_966;

/// Reads the ranges and tries the ends of each by loading the instrument with them.
pub(crate) fn spans(plan: &Plan, document: &Document) -> Result<Vec<Span>, Error> {
    if plan.vary.is_empty() {
        return Err(Error::new("nothing is varied", "name a parameter with --vary KEY=LOW..HIGH"));
    }
    for (number, Vary { key, .. }) in plan.vary.iter().enumerate() {
        if plan.vary[..number].iter().any(|other| other.key == *key) {
            return Err(Error::new(format!("`{key}` is varied twice"), "keep one --vary of it"));
        }
        if plan.settings.iter().any(|(set, _)| set == key) {
            return Err(Error::new(format!("`{key}` is both set and varied"), "keep either --set or --vary"));
        }
        if is_taken(key) {
            let message = format!("`{key}` is also the name of a column of the table");
            return Err(Error::new(message, "give the control another id"));
        }
    }
    let read = |vary: &Vary| vary.span(document.dimension(&vary.key));
    let spans: Vec<Span> = plan.vary.iter().map(read).collect::<Result<_, _>>()?;
    for number in 0..spans.len() {
        try_ends(plan, document, &spans, number)?;
    }
    Ok(spans)
}

/// Tries a key at its ends. A value is at fault if it is refused beside the file's own values and beside the middle of the other ranges.
fn try_ends(plan: &Plan, document: &Document, spans: &[Span], number: usize) -> Result<(), Error> {
    let vary = &plan.vary[number];
    let alone = |value: &str| {
        let mut settings = plan.settings.clone();
        settings.push((vary.key.clone(), value.to_owned()));
        document.load(&settings)
    };
    let among = |value: &str| {
        let mut settings = plan.settings.clone();
        for (other, (vary, span)) in plan.vary.iter().zip(spans).enumerate() {
            let value = if other == number { value.to_owned() } else { span.at(Target::Share(0.5)) };
            settings.push((vary.key.clone(), value));
        }
        document.load(&settings)
    };
    let mut tried = spans[number].extremes();
    tried.truncate(MOST_TRIED);
    let ends = tried.len();
    tried.push(spans[number].at(Target::Share(INSIDE)));
    for (place, value) in tried.iter().enumerate() {
        let Err(error) = alone(value) else { continue };
        if among(value).is_ok() {
            continue;
        }
        let message = format!("--vary {vary}: {}", error.message().replace("--set", "--vary"));
        let help = match error.help_text() {
            _ if place == ends => "if it takes whole numbers only, write KEY=LOW..HIGH:int".to_owned(),
            Some(help) => help.replace("--set", "--vary"),
            None => "vary it within what the instrument takes".to_owned(),
        };
        return Err(Error::new(message, help));
    }
    Ok(())
}
