//! What is varied, as a person types it: `hardness=0..1`, `gap_m=0.1mm..5mm:log`, `bar.material=steel,oak`.

use crate::error::Error;
use ictus_instrument::{Curve, Dimension};
use std::fmt;
use std::str::FromStr;

/// Whole numbers beyond this are not exact in a double.
const MAX_WHOLE: f64 = 9_007_199_254_740_992.0;
const HELP: &str = "write KEY=LOW..HIGH, KEY=LOW..HIGH:log, KEY=LOW..HIGH:int or KEY=A,B,C";

/// One varied key. The text is kept: it is what the recipe and messages show.
#[derive(Clone, Debug, PartialEq)]
pub struct Vary {
    /// What `--set` would name: a control or a path.
    pub key: String,
    text: String,
    spread: Spread,
}

#[derive(Clone, Debug, PartialEq)]
enum Spread {
    Range { low: String, high: String, spacing: Spacing },
    Choice(Vec<String>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spacing {
    Linear,
    Log,
    Whole,
}

impl FromStr for Vary {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (key, values) = text.split_once('=').ok_or_else(|| format!("there is no `=`; {HELP}"))?;
        let (key, values) = (key.trim(), values.trim());
        if key.is_empty() || values.is_empty() {
            return Err(format!("the {} is missing; {HELP}", if key.is_empty() { "key" } else { "range" }));
        }
        let spread = match values.split_once("..") {
            Some((low, rest)) => {
                let (high, spacing) = match rest.rsplit_once(':') {
                    None => (rest, Spacing::Linear),
                    Some((high, "log")) => (high, Spacing::Log),
                    Some((high, "int")) => (high, Spacing::Whole),
                    Some((_, other)) => return Err(format!("`:{other}` is not known; {HELP}")),
                };
                let (low, high) = (low.trim(), high.trim());
                if low.is_empty() || high.is_empty() {
                    return Err(format!(
                        "the range has no {} end; {HELP}",
                        if low.is_empty() { "low" } else { "high" }
                    ));
                }
                Spread::Range { low: low.to_owned(), high: high.to_owned(), spacing }
            }
            None => {
                let choices = split(values);
                if choices.len() < 2 {
                    return Err(format!("`{values}` is a single value, which --set would set; {HELP}"));
                }
                if choices.iter().any(String::is_empty) {
                    return Err(format!("one of the choices is empty; {HELP}"));
                }
                Spread::Choice(choices)
            }
        };
        Ok(Self { key: key.to_owned(), text: text.trim().to_owned(), spread })
    }
}

impl fmt::Display for Vary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Splits at commas outside brackets and quotes.
fn split(text: &str) -> Vec<String> {
    let (mut depth, mut quoted) = (0i32, false);
    let parts = text.split(|c| {
        match c {
            '"' => quoted = !quoted,
            '[' | '{' if !quoted => depth += 1,
            ']' | '}' if !quoted => depth -= 1,
            _ => {}
        }
        c == ',' && depth == 0 && !quoted
    });
    parts.map(|part| part.trim().to_owned()).collect()
}

/// The values of a varied key, in SI.
#[derive(Clone, Debug)]
pub(crate) enum Span {
    Between(Curve),
    Whole(f64, f64),
    Choice(Vec<String>),
}

/// Where in its span a sample lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Target {
    /// A share from 0 up to, but not, 1.
    Share(f64),
    /// Step of so many, both ends included.
    Step(u64, u64),
}

impl Vary {
    /// Reads the values; `dimension` is what the key measures.
    pub(crate) fn span(&self, dimension: Option<Dimension>) -> Result<Span, Error> {
        let refuse = |message: String| Error::new(format!("--vary {self}: {message}"), HELP);
        let (low, high, spacing) = match &self.spread {
            Spread::Choice(choices) => {
                let in_si = |choice: &String| match dimension.map(|dimension| dimension.parse(choice)) {
                    Some(Ok(value)) => shown(value),
                    _ => choice.clone(),
                };
                return Ok(Span::Choice(choices.iter().map(in_si).collect()));
            }
            Spread::Range { low, high, spacing } => (low, high, *spacing),
        };
        let number = |text: &str| match (text.parse::<f64>(), dimension) {
            (Ok(value), _) => Ok(value),
            (Err(_), Some(dimension)) => dimension.parse(text).map_err(|e| format!("`{text}` is not {e}")),
            (Err(_), None) => Err(format!("`{text}` is not a number")),
        };
        // a unit at the high end counts for both: 1..5mm
        let unit = high.parse::<f64>().is_err().then(|| unit_of(high)).flatten();
        let low_text = match (low.parse::<f64>(), unit) {
            (Ok(_), Some(unit)) => format!("{low}{unit}"),
            _ => low.clone(),
        };
        let [low, high] = [number(&low_text).map_err(refuse)?, number(high).map_err(refuse)?];
        if !(low.is_finite() && high.is_finite()) {
            return Err(refuse("the ends must be finite".into()));
        }
        if low >= high {
            let (low, high) = (shown(low), shown(high));
            return Err(refuse(format!("the range is empty: {low} is not below {high}")));
        }
        match spacing {
            Spacing::Linear => Ok(Span::Between(Curve::Linear([low, high]))),
            Spacing::Log if low > 0.0 || high < 0.0 => Ok(Span::Between(Curve::Exponential([low, high]))),
            Spacing::Log => Err(refuse("equal ratios need two ends of the same sign, neither of them 0".into())),
            Spacing::Whole if [low, high].iter().all(|x| x.round() == *x && x.abs() <= MAX_WHOLE) => {
                Ok(Span::Whole(low, high))
            }
            Spacing::Whole => Err(refuse("`:int` needs whole numbers at both ends".into())),
        }
    }
}

/// What follows the number at the start of a text.
fn unit_of(text: &str) -> Option<&str> {
    let ends = text.char_indices().map(|(at, _)| at).skip(1);
    let end = ends.filter(|&at| text[..at].trim_end().parse::<f64>().is_ok()).last()?;
    Some(&text[end..])
}

impl Span {
    /// The value at a place, as `--set` reads it and as the table shows it.
    pub fn at(&self, place: Target) -> String {
        let share = match place {
            Target::Share(share) => share,
            Target::Step(_, 0 | 1) => 0.5,
            Target::Step(step, of) => step as f64 / (of - 1) as f64,
        };
        match (self, place) {
            (Self::Between(curve), _) => shown(curve.at(share)),
            (Self::Whole(low, high), Target::Share(share)) => {
                format!("{:.0}", (low + (share * (high - low + 1.0)).floor()).min(*high))
            }
            (Self::Whole(low, high), Target::Step(..)) => format!("{:.0}", (low + share * (high - low)).round()),
            (Self::Choice(choices), Target::Share(share)) => {
                choices[((share * choices.len() as f64) as usize).min(choices.len() - 1)].clone()
            }
            (Self::Choice(choices), Target::Step(step, _)) => choices[step as usize % choices.len()].clone(),
        }
    }

    /// Steps of a grid that are given by the span itself.
    pub fn own_steps(&self) -> Option<u64> {
        match self {
            Self::Choice(choices) => Some(choices.len() as u64),
            _ => None,
        }
    }

    /// Both ends, or all choices.
    pub fn extremes(&self) -> Vec<String> {
        let steps = self.own_steps().unwrap_or(2);
        (0..steps).map(|step| self.at(Target::Step(step, steps))).collect()
    }
}

/// A number that reads back as the same double.
pub(crate) fn shown(value: f64) -> String {
    format!("{value:?}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn span(text: &str, key: &str) -> Result<Span, String> {
        let vary: Vary = text.parse()?;
        vary.span(Dimension::of_key(key)).map_err(|error| error.to_string())
    }

    fn values(text: &str, key: &str, steps: u64) -> Vec<String> {
        let span = span(text, key).expect(text);
        (0..steps).map(|step| span.at(Target::Step(step, steps))).collect()
    }

    #[test]
    fn ranges_lists_and_units_are_read() {
        assert_eq!(values("hardness=0..1", "", 3), ["0.0", "0.5", "1.0"]);
        assert_eq!(values("hardness = .25 .. 0.75", "", 2), ["0.25", "0.75"]);
        assert_eq!(values("g=1mm..5mm", "gap_m", 3), ["0.001", "0.003", "0.005"]);
        assert_eq!(values("g=1..5 mm", "gap_m", 2), ["0.001", "0.005"]);
        assert_eq!(values("g=100 µm..5e-3", "gap_m", 2), ["0.0001", "0.005"]);
        assert_eq!(values("g=-5mm..-1mm", "gap_m", 2), ["-0.005", "-0.001"]);
        assert_eq!(values("f=A3..A5:log", "frequency_hz", 3), ["220.0", "440.0", "880.0"].map(near_enough));
        assert_eq!(values("k=1e6..1e8:log", "", 2), ["1000000.0", "100000000.0"]);
        assert_eq!(values("n=1..5:int", "", 3), ["1", "3", "5"]);
        assert_eq!(values("m=steel,oak, glass", "", 3), ["steel", "oak", "glass"]);
        assert_eq!(values("g=1 mm,0.005", "gap_m", 2), ["0.001", "0.005"]);
        assert_eq!(values("p=[1,2],[3,4]", "", 2), ["[1,2]", "[3,4]"]);
        assert_eq!(values("p=\"a,b\",c", "", 2), ["\"a,b\"", "c"]);
    }

    /// The middle of a logarithmic range is a rounding away from the note.
    fn near_enough(text: &str) -> String {
        if text == "440.0" { shown(Curve::Exponential([220.0, 880.0]).at(0.5)) } else { text.to_owned() }
    }

    #[test]
    fn bad_ranges_say_why() {
        for (text, key, part) in [
            ("hardness", "", "no `=`"),
            ("=0..1", "", "key is missing"),
            ("hardness=", "", "range is missing"),
            ("hardness=1", "", "single value"),
            ("hardness=1..", "", "no high end"),
            ("hardness=..1", "", "no low end"),
            ("hardness=..", "", "no low end"),
            ("hardness=0..1:lin", "", "`:lin` is not known"),
            ("hardness=1..0", "", "1.0 is not below 0.0"),
            ("hardness=1..1", "", "is empty"),
            ("hardness=nan..1", "", "finite"),
            ("hardness=0..inf", "", "finite"),
            ("hardness=0..x", "", "`x` is not a number"),
            ("hardness=0..1:log", "", "neither of them 0"),
            ("hardness=-1..1:log", "", "same sign"),
            ("n=0.5..3:int", "", "whole numbers"),
            ("n=0..1e300:int", "", "whole numbers"),
            ("m=a,,b", "", "empty"),
            ("g=1kg..5kg", "gap_m", "does not measure that"),
            ("g=1 mm..5 furlong", "gap_m", "not known"),
        ] {
            let error = span(text, key).expect_err(text);
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn shares_reach_every_choice_and_whole_number_evenly() {
        for (text, count) in [("n=3..6:int", 4u64), ("m=a,b,c,d", 4)] {
            let span = span(text, "").expect(text);
            let mut seen: Vec<String> = (0..400).map(|i| span.at(Target::Share(f64::from(i) / 400.0))).collect();
            seen.sort();
            let all: Vec<&[String]> = seen.chunk_by(|a, b| a == b).collect();
            assert_eq!(all.len() as u64, count, "{text}");
            assert!(all.iter().all(|run| run.len() == 100), "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[a-z=.,:0-9\\[\\]\" -]{0,20}", share in 0.0f64..1.0) {
            if let Ok(span) = span(&text, "gap_m") {
                prop_assert!(!span.at(Target::Share(share)).is_empty());
            }
        }

        #[test]
        fn values_stay_between_the_ends(low in -1e9f64..1e9, width in 1e-3f64..1e9, share in 0.0f64..1.0) {
            let span = span(&format!("x={low:?}..{:?}", low + width), "").expect("a range");
            let value: f64 = span.at(Target::Share(share)).parse().expect("a number");
            prop_assert!((low..=low + width).contains(&value));
        }
    }
}
