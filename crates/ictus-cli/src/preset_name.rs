//! Finds a preset by what a user types.
//!
//! The first rule that fits decides; upper and lower case are the same, and so are spaces, commas and hyphens:
//!
//! 1. the whole id (`timpani`) or display name (`wine glass spoon`);
//! 2. the beginning of one id only (`xylo`);
//! 3. whole words of one id or name only (`cello bow`, `jivari`);
//! 4. the first words of several ids: the id that adds least to them, the shortest and then the first in the alphabet (`tanpura`
//!    is `tanpura-bridge`); the others are returned too, for a hint;
//! 5. any part of one id or name only (`arimb`).
//!
//! What still fits several presets is an error that lists them.

use crate::failure::Failure;
use ictus_engine::presets::{self, Preset};

/// A preset, and the ones that fit as well as it does but for rule 4.
pub struct Found {
    pub preset: &'static Preset,
    pub others: Vec<&'static str>,
}

/// Finds the preset a word names.
pub fn find(word: &str) -> Result<Found, Failure> {
    let wanted = words(word);
    let only = |preset| Ok(Found { preset, others: Vec::new() });
    let matching = |fits: &dyn Fn(&str, &str) -> bool| -> Vec<&'static Preset> {
        presets::ALL.iter().filter(|preset| fits(&words(preset.stem), &words(preset.name()))).collect()
    };
    if wanted.is_empty() {
        return Err(unknown(word));
    }
    if let [preset, ..] = matching(&|id, name| id == wanted || name == wanted)[..] {
        return only(preset);
    }
    let beginning = matching(&|id, _| id.starts_with(&wanted));
    if let [preset] = beginning[..] {
        return only(preset);
    }
    let whole = matching(&|id, name| has_words(id, &wanted) || has_words(name, &wanted));
    if let [preset] = whole[..] {
        return only(preset);
    }
    let mut first = matching(&|id, _| id.strip_prefix(&wanted).is_some_and(|rest| rest.starts_with(' ')));
    first.sort_by_key(|preset| (preset.stem.len(), preset.stem));
    if let [preset, others @ ..] = &first[..] {
        return Ok(Found { preset, others: others.iter().map(|preset| preset.stem).collect() });
    }
    let part = matching(&|id, name| id.contains(&wanted) || name.contains(&wanted));
    match part[..] {
        [preset] => only(preset),
        [] => Err(unknown(word)),
        _ => {
            let names: Vec<&str> = part.iter().map(|preset| preset.stem).collect();
            Err(Failure::new(
                format!("`{word}` matches {} presets", part.len()),
                format!("try one of: {}", names.join(", ")),
            ))
        }
    }
}

/// Lower case, one space between words.
fn words(text: &str) -> String {
    let text = text.to_lowercase().replace('\'', "");
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// True if `text` contains `wanted` between word boundaries.
fn has_words(text: &str, wanted: &str) -> bool {
    format!(" {text} ").contains(&format!(" {wanted} "))
}

fn unknown(word: &str) -> Failure {
    let wanted = words(word);
    let likeness = |preset: &Preset| {
        strsim::jaro_winkler(&words(preset.stem), &wanted).max(strsim::jaro_winkler(&words(preset.name()), &wanted))
    };
    let nearest = presets::ALL.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b))).map_or("", |p| p.stem);
    Failure::new(
        format!("there is no preset or file `{word}`"),
        format!("did you mean `{nearest}`? `ictus list` shows all presets"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(word: &str) -> &'static str {
        find(word).unwrap_or_else(|failure| panic!("{word}: {failure:?}")).preset.stem
    }

    #[test]
    fn rules_apply_in_order() {
        assert_eq!(found("timpani"), "timpani", "the whole id, although others begin with it");
        assert_eq!(found("Wine Glass"), "wine-glass", "an id typed with a space");
        assert_eq!(found("Wine Glass, Wet Finger"), "glass-finger", "a display name");
        assert_eq!(found("xylo"), "xylophone-bar", "the beginning of an id");
        assert_eq!(found("guitar"), "guitar-phrase", "the beginning of an id, although other names contain it");
        assert_eq!(found("jivari"), "tanpura-jivari", "a whole word");
        assert_eq!(found("Newton's"), "newtons-cradle");
        assert_eq!(found("arimb"), "marimba-bar", "a part");
    }

    #[test]
    fn the_first_word_of_several_ids_takes_the_plainest() {
        let tanpura = find("tanpura").expect("a preset");
        assert_eq!((tanpura.preset.stem, &tanpura.others[..]), ("tanpura-bridge", &["tanpura-jivari"][..]));
        assert_eq!(found("snare"), "snare-drum");
        assert_eq!(found("vibraphone"), "vibraphone-bow");
    }

    #[test]
    fn what_remains_ambiguous_is_listed() {
        for word in ["bow", "bar", "t", ""] {
            assert!(find(word).is_err(), "{word}");
        }
        let Err(Failure::Plain { help: Some(help), .. }) = find("bow") else { panic!("expected an error with help") };
        assert!(help.contains("cello-bow") && help.contains("violin-bow"), "{help}");
        let Err(Failure::Plain { help: Some(help), .. }) = find("tanpra") else {
            panic!("expected an error with help")
        };
        assert!(help.contains("tanpura-"), "{help}");
    }

    #[test]
    fn every_preset_is_found_by_its_id_and_by_its_name() {
        for preset in presets::ALL {
            assert_eq!(found(preset.stem), preset.stem);
            assert_eq!(found(preset.name()), preset.stem);
        }
    }
}
