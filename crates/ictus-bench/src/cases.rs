//! Everything that is measured, in the order of the report.

mod contacts;
mod grids;
mod limits;
mod modes;
mod peers;
mod powers;
mod sweeps;
mod tail;

use crate::line::Line;
use crate::measure::Meter;

/// Lines, or why there are none.
type Measured = Result<Vec<Line>, String>;

/// Measures what has this name.
type Measure = dyn Fn(&str, Meter) -> Measured;

/// Something that can be measured.
pub struct Case {
    /// What it is called; so are its lines.
    pub name: String,
    measure: Box<Measure>,
}

impl Case {
    fn new(name: impl Into<String>, measure: impl Fn(&str, Meter) -> Measured + 'static) -> Self {
        Self { name: name.into(), measure: Box::new(measure) }
    }

    /// Measures it.
    ///
    /// # Errors
    /// Something it needs is not installed: what, and how to get it.
    pub fn run(&self, meter: Meter) -> Result<Vec<Line>, String> {
        (self.measure)(&self.name, meter)
    }
}

/// All of them.
pub fn cases() -> Vec<Case> {
    let mut all: Vec<Case> = limits::cases().into();
    all.extend(modes::cases());
    all.extend(contacts::cases());
    all.extend(grids::cases());
    all.extend(powers::cases());
    all.push(tail::case());
    all.push(sweeps::case());
    all.extend(peers::cases());
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
