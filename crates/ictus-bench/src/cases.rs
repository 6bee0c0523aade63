//! Everything that is measured, in the order of the report.

mod contacts;
mod grids;
mod limits;
mod modes;
mod peers;
mod player;
mod powers;
mod presets;
mod scale;
mod sweeps;
mod tail;

pub use presets::load_summary;

use crate::disturbance::{take_mean_reference, was_undisturbed};
use crate::line::{Line, judged, merged};
use crate::measure::Meter;

/// Lines, or why there are none.
type Measured = Result<Vec<Line>, String>;

/// Measures what has this name.
type Measure = dyn Fn(&str, Meter) -> Measured;

/// Something that can be measured.
pub struct Case {
    /// What it is called; so are its lines.
    pub name: String,
    /// Measured only when it is asked for by its name.
    pub on_request: bool,
    measure: Box<Measure>,
}

impl Case {
    fn new(name: impl Into<String>, measure: impl Fn(&str, Meter) -> Measured + 'static) -> Self {
        Self { name: name.into(), on_request: false, measure: Box::new(measure) }
    }

    fn on_request(name: impl Into<String>, measure: impl Fn(&str, Meter) -> Measured + 'static) -> Self {
        Self { on_request: true, ..Self::new(name, measure) }
    }

    /// Measures it once.
    ///
    /// # Errors
    /// Something it needs is not installed: what, and how to get it.
    fn run(&self, meter: Meter) -> Result<Vec<Line>, String> {
        (self.measure)(&self.name, meter)
    }
}

/// The lines of one pass of a case, and the reference time of the core meanwhile.
#[derive(Clone)]
struct Pass {
    lines: Vec<Line>,
    reference: f64,
}

/// Measures these; calls `each` before every case. Returns the lines, and what was left out and why.
pub fn measure(cases: &[Case], meter: Meter, each: impl Fn(&Case)) -> (Vec<Line>, Vec<String>) {
    let mut measured: Vec<Vec<Pass>> = vec![Vec::new(); cases.len()];
    let mut left_out = Vec::new();
    for pass in 0..meter.passes {
        for (case, measured) in cases.iter().zip(&mut measured) {
            if pass > 0 && measured.is_empty() {
                continue;
            }
            each(case);
            match case.run(meter) {
                Ok(lines) => measured.push(Pass { lines, reference: take_mean_reference() }),
                Err(why) => left_out.push(format!("{}: {why}", case.name)),
            }
        }
    }
    let merge = |mut passes: Vec<Pass>| {
        if passes.iter().any(|pass| was_undisturbed(pass.reference)) {
            passes.retain(|pass| was_undisturbed(pass.reference));
            passes.sort_by(|one, other| one.reference.total_cmp(&other.reference));
            // of an odd number the median of times and that of ratios are the same pass
            passes.truncate((passes.len() - 1) / 2 * 2 + 1);
        }
        let count = passes.first().map_or(0, |pass| pass.lines.len());
        let line = |i: usize| passes.iter().filter_map(|pass| pass.lines.get(i).cloned()).collect::<Vec<Line>>();
        judged((0..count).filter_map(|i| merged(&line(i))).collect())
    };
    (measured.into_iter().flat_map(merge).collect(), left_out)
}

/// How often [`measure`] begins with a case.
pub fn beginnings(cases: &[Case], meter: Meter) -> usize {
    cases.len() * meter.passes
}

/// All of them.
pub fn cases() -> Vec<Case> {
    let mut all: Vec<Case> = limits::cases().into();
    all.extend(modes::cases());
    all.extend(contacts::cases());
    all.extend(grids::cases());
    all.extend(powers::cases());
    all.extend(player::cases());
    all.push(tail::case());
    all.push(sweeps::case());
    all.extend(peers::cases());
    all.extend(scale::cases());
    all.extend(presets::cases());
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_case_has_a_name_of_its_own() {
        let mut names: Vec<String> = cases().into_iter().map(|case| case.name).collect();
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn passes_make_one_line_each() {
        let cases = [
            Case::new("a", |name, _| Ok(vec![Line::new(name, 1.0, "ns"), Line::new(name, 2.0, "ns")])),
            Case::new("b", |_, _| Err("not today".to_owned())),
            Case::new("c", |name, _| Ok(vec![Line::new(name, 3.0, "ns")])),
        ];
        let begun = std::cell::RefCell::new(String::new());
        let (lines, left_out) = measure(&cases, Meter::THOROUGH, |case| begun.borrow_mut().push_str(&case.name));
        assert_eq!(lines.iter().map(|line| line.value).collect::<Vec<_>>(), [1.0, 2.0, 3.0]);
        assert_eq!(left_out, ["b: not today"]);
        assert_eq!(begun.into_inner(), "abcacacacac");
    }

    #[test]
    fn lines_carry_the_name_of_their_case() {
        for name in ["clock", "x^2.3, one after the other", "contact, 1 mode, closed", "modal bank, 300 modes fed back"]
        {
            let case = cases().into_iter().find(|case| case.name == name).expect("a known case");
            let lines = case.run(Meter::QUICK).expect("it needs nothing");
            assert!(!lines.is_empty(), "{name}");
            for line in lines {
                assert!(line.name == name && line.value > 0.0 && line.value.is_finite(), "{line:?}");
            }
        }
    }
}
