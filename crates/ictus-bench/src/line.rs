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
    /// Whether the comparison is with the worst block of the same sound.
    #[serde(skip)]
    pub(crate) has_worst: bool,
    /// Where it belongs on a curve of growth.
    #[serde(skip)]
    pub(crate) point: Option<Point>,
}

/// A point of a curve of growth; its height is the value of the line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Point {
    /// What grows.
    pub curve: &'static str,
    /// How many.
    pub count: usize,
}

impl Line {
    /// A value on its own.
    pub fn new(name: &str, value: f64, unit: &'static str) -> Self {
        Self {
            name: name.to_owned(),
            value: rounded(value),
            unit,
            against: None,
            ratio: None,
            goal: None,
            pass: None,
            instead: false,
            has_worst: false,
            point: None,
        }
    }

    /// The same as a point of a curve.
    pub fn at(self, curve: &'static str, count: usize) -> Self {
        Self { point: Some(Point { curve, count }), ..self }
    }

    /// Compared with the worst block, which takes `worst` in the same unit.
    pub fn with_worst(self, worst: f64) -> Self {
        let ratio = self.value / worst;
        let line = self.with_ratio(format!("worst block, {worst:.1} %"), ratio);
        Self { has_worst: true, ..line }
    }

    /// The worst block, in the line's unit.
    pub fn worst(&self) -> Option<f64> {
        self.ratio.filter(|ratio| self.has_worst && *ratio > 0.0).map(|ratio| self.value / ratio)
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
}

/// Of the goals of these lines, one is enough.
pub fn either<const N: usize>(lines: [Line; N]) -> [Line; N] {
    let mut lines = lines.map(|line| Line { instead: true, ..line });
    excuse(&mut lines);
    lines
}

/// One line of several measurements of it: the median of values and of ratios, judged again. What it is compared with is that of the median ratio. None of none.
pub fn merged(measured: &[Line]) -> Option<Line> {
    let first = measured.first()?.clone();
    let value = rounded(median(measured.iter().map(|line| line.value).collect()));
    if first.has_worst {
        let worst = median(measured.iter().filter_map(Line::worst).collect());
        return Some(Line { value, ..first }.with_worst(worst));
    }
    let ratios: Vec<f64> = measured.iter().filter_map(|line| line.ratio).collect();
    let ratio = if ratios.is_empty() { None } else { Some(median(ratios)) };
    let pass = first.goal.zip(ratio).map(|(goal, ratio)| ratio >= goal);
    let against = measured.iter().find(|line| line.ratio == ratio).and_then(|line| line.against.clone());
    Some(Line { value, ratio, pass, against, ..first })
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
    }

    #[test]
    fn a_line_tells_its_worst_block_also_after_several_passes() {
        let line = |mean: f64, worst| Line::new("x", mean, "%").with_worst(worst);
        let one = merged(&[line(2.0, 5.0), line(3.0, 4.0), line(1.0, 9.0)]).expect("a line");
        assert_eq!((one.value, one.ratio), (2.0, Some(0.4)));
        assert_eq!(one.against.as_deref(), Some("worst block, 5.0 %"));
        assert!((one.worst().expect("a worst block") - 5.0).abs() < 1e-12);
        assert_eq!(Line::new("x", 1.0, "ns").against("y", 2.0).worst(), None);
    }

    #[test]
    fn the_rival_named_is_that_of_the_median_ratio() {
        let line = |rival, ratio| Line::new("x", 1.0, "ns").with_ratio(rival, ratio);
        let one = merged(&[line("a", 5.0), line("b", 7.0), line("c", 6.0)]).expect("a line");
        assert_eq!((one.against.as_deref(), one.ratio), (Some("c"), Some(6.0)));
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
