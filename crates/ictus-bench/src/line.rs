//! What is reported: a value, what it is compared with, and whether that is good enough.

use crate::measure::median;
use serde::Serialize;

/// One comparison.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line {
    /// What was measured.
    pub name: String,
    /// How long or how much it is.
    pub value: f64,
    /// In which unit.
    pub unit: &'static str,
    /// What it is compared with.
    pub against: Option<String>,
    /// How many times as good: more is better, always.
    pub ratio: Option<f64>,
    /// The least ratio wanted.
    pub goal: Option<f64>,
    /// Whether it is reached; none if it is not, but another line of the same name reaches its own instead.
    pub pass: Option<bool>,
    /// Whether another line of the same name may reach its goal instead.
    #[serde(skip)]
    pub(crate) instead: bool,
}

impl Line {
    /// A value on its own.
    pub fn new(name: &str, value: f64, unit: &'static str) -> Self {
        let name = name.to_owned();
        Self { name, value: rounded(value), unit, against: None, ratio: None, goal: None, pass: None, instead: false }
    }

    /// Compared with something that takes `other` in the same unit.
    pub fn against(self, what: impl Into<String>, other: f64) -> Self {
        let ratio = other / self.value;
        self.with_ratio(what, ratio)
    }

    /// A `ratio` to something.
    pub fn with_ratio(mut self, what: impl Into<String>, ratio: f64) -> Self {
        (self.against, self.ratio) = (Some(what.into()), Some(rounded(ratio)));
        self
    }

    /// Wanted is a ratio of at least `goal`.
    pub fn goal(mut self, goal: f64) -> Self {
        let goal = rounded(goal);
        (self.goal, self.pass) = (Some(goal), self.ratio.map(|ratio| ratio >= goal));
        self
    }

    /// Wanted is at most `limit`, in the line's unit.
    pub fn limit(self, limit: f64) -> Self {
        let what = format!("{limit} {}", self.unit);
        self.against(what, limit).goal(1.0)
    }

    /// Wanted is at most 1.3 times the best figure known for a kernel of this kind.
    pub fn best_kernel(self, figure: f64) -> Self {
        let what = format!("best kernel, {figure} {}", self.unit);
        self.against(what, figure).goal(1.0 / 1.3)
    }
}

/// Of the goals of these lines, one is enough.
pub fn either<const N: usize>(lines: [Line; N]) -> [Line; N] {
    let mut lines = lines.map(|line| Line { instead: true, ..line });
    excuse(&mut lines);
    lines
}

/// One line of several measurements of it: the median of values and of ratios, judged again. None of none.
pub fn merged(measured: &[Line]) -> Option<Line> {
    let first = measured.first()?.clone();
    let value = rounded(median(measured.iter().map(|line| line.value).collect()));
    let ratios: Vec<f64> = measured.iter().filter_map(|line| line.ratio).collect();
    let ratio = if ratios.is_empty() { None } else { Some(rounded(median(ratios))) };
    let pass = first.goal.zip(ratio).map(|(goal, ratio)| ratio >= goal);
    Some(Line { value, ratio, pass, ..first })
}

/// Judges lines of one name together, where one goal is enough.
pub fn judged(mut lines: Vec<Line>) -> Vec<Line> {
    excuse(&mut lines);
    lines
}

/// Takes back the verdict on goals that are missed, but not needed.
fn excuse(lines: &mut [Line]) {
    let reached = lines.iter().any(|line| line.instead && line.pass == Some(true));
    for line in lines.iter_mut().filter(|line| reached && line.instead && line.pass == Some(false)) {
        line.pass = None;
    }
}

/// Four digits: the rest is noise.
fn rounded(x: f64) -> f64 {
    if x == 0.0 || !x.is_finite() {
        return x;
    }
    let scale = libm::pow(10.0, 3.0 - libm::floor(libm::log10(x.abs())));
    (x * scale).round() / scale
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_is_better() {
        let line = Line::new("x", 2.0, "ns").against("a plain loop", 7.0).goal(3.0);
        assert_eq!((line.ratio, line.pass), (Some(3.5), Some(true)));
        let line = Line::new("x", 200.0, "ns").limit(180.0);
        assert_eq!((line.ratio, line.goal, line.pass), (Some(0.9), Some(1.0), Some(false)));
        assert_eq!(line.against.as_deref(), Some("180 ns"));
        assert_eq!(Line::new("x", 0.5, "ns/point").best_kernel(0.41).pass, Some(true));
    }

    #[test]
    fn one_of_two_goals_is_enough() {
        let line = |ratio| Line::new("x", 1.0, "ns").with_ratio("y", ratio).goal(6.0);
        let verdicts = |ratios: [f64; 2]| either(ratios.map(line)).map(|line| line.pass);
        assert_eq!(verdicts([1.0, 7.0]), [None, Some(true)]);
        assert_eq!(verdicts([8.0, 7.0]), [Some(true); 2]);
        assert_eq!(verdicts([1.0, 2.0]), [Some(false); 2]);
    }

    #[test]
    fn several_measurements_make_one_line() {
        let line = |value, ratio| Line::new("x", value, "ns").with_ratio("y", ratio).goal(6.0);
        let all = [line(1.0, 5.0), line(9.0, 7.0), line(2.0, 6.5)];
        assert_eq!(merged(&all), Some(line(2.0, 6.5)));
        assert_eq!(merged(&[]), None);
        let of_two = either([line(1.0, 5.0), line(1.0, 7.0)]).map(|line| merged(&[line]).expect("a line"));
        assert_eq!(of_two.each_ref().map(|line| line.pass), [Some(false), Some(true)]);
        let verdicts: Vec<Option<bool>> = judged(of_two.into()).iter().map(|line| line.pass).collect();
        assert_eq!(verdicts, [None, Some(true)]);
    }

    #[test]
    fn four_digits_are_kept() {
        assert_eq!([123_456.0, 0.001_234_56, 0.0].map(rounded), [123_500.0, 0.001_235, 0.0]);
    }
}
