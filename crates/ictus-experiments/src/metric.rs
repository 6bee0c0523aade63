//! Metrics: what a paper claims, what was measured before, what is measured now, and whether that will do.

/// How a measurement is judged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Check {
    /// |measured − reference| ≤ tolerance.
    Within {
        /// The number to meet.
        reference: f64,
        /// How closely.
        tolerance: f64,
    },
    /// measured ≤ bound.
    AtMost {
        /// What was measured before, or 0 where only the bound is known.
        reference: f64,
        /// The limit.
        bound: f64,
    },
    /// measured ≥ bound.
    AtLeast {
        /// What was measured before.
        reference: f64,
        /// The limit.
        bound: f64,
    },
    /// Not judged: it stands beside the others for comparison.
    Shown,
}

/// One row of a figure's table.
#[derive(Clone, Debug, PartialEq)]
pub struct Metric {
    /// What is measured, with its unit.
    pub name: String,
    /// What the paper says about it, in our words.
    pub claim: String,
    /// How it is judged.
    pub check: Check,
    /// The measurement.
    pub measured: f64,
    /// The verdict; `None` where nothing is judged.
    pub pass: Option<bool>,
    /// True if it must hold for any parameters, not only for the published ones.
    pub law: bool,
}

impl Metric {
    /// A judged measurement.
    pub fn new(name: impl Into<String>, claim: impl Into<String>, measured: f64, check: Check) -> Self {
        let pass = match check {
            Check::Within { reference, tolerance } => Some((measured - reference).abs() <= tolerance),
            Check::AtMost { bound, .. } => Some(measured <= bound),
            Check::AtLeast { bound, .. } => Some(measured >= bound),
            Check::Shown => None,
        };
        Self { name: name.into(), claim: claim.into(), check, measured, pass, law: false }
    }

    /// A measurement within a tolerance of a reference.
    pub fn within(
        name: impl Into<String>,
        claim: impl Into<String>,
        measured: f64,
        reference: f64,
        tolerance: f64,
    ) -> Self {
        Self::new(name, claim, measured, Check::Within { reference, tolerance })
    }

    /// A measurement below a bound.
    pub fn at_most(
        name: impl Into<String>,
        claim: impl Into<String>,
        measured: f64,
        reference: f64,
        bound: f64,
    ) -> Self {
        Self::new(name, claim, measured, Check::AtMost { reference, bound })
    }

    /// A measurement for comparison.
    pub fn shown(name: impl Into<String>, claim: impl Into<String>, measured: f64) -> Self {
        Self::new(name, claim, measured, Check::Shown)
    }

    /// The same metric, judged also when parameters were changed.
    pub fn law(mut self) -> Self {
        self.law = true;
        self
    }

    /// The reference number, if there is one.
    pub fn reference(&self) -> Option<f64> {
        match self.check {
            Check::Within { reference, .. } | Check::AtMost { reference, .. } | Check::AtLeast { reference, .. } => {
                Some(reference)
            }
            Check::Shown => None,
        }
    }

    /// Tolerance or bound, if there is one.
    pub fn tolerance(&self) -> Option<f64> {
        match self.check {
            Check::Within { tolerance, .. } => Some(tolerance),
            Check::AtMost { bound, .. } | Check::AtLeast { bound, .. } => Some(bound),
            Check::Shown => None,
        }
    }

    /// `within`, `at most`, `at least` or `shown`.
    pub fn test(&self) -> &'static str {
        match self.check {
            Check::Within { .. } => "within",
            Check::AtMost { .. } => "at most",
            Check::AtLeast { .. } => "at least",
            Check::Shown => "shown",
        }
    }

    /// What is asked for, for people: `1.518 ± 0.01`, `≤ 1e-13`.
    pub fn wanted(&self) -> String {
        match self.check {
            Check::Within { reference, tolerance: 0.0 } => short(reference),
            Check::Within { reference, tolerance } => format!("{} ± {}", short(reference), short(tolerance)),
            Check::AtMost { bound, .. } => format!("≤ {}", short(bound)),
            Check::AtLeast { bound, .. } => format!("≥ {}", short(bound)),
            Check::Shown => String::new(),
        }
    }
}

/// A number in at most four digits.
pub fn short(x: f64) -> String {
    let trim = |text: String| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    };
    match x.abs() {
        0.0 => "0".into(),
        a if !a.is_finite() => format!("{x}"),
        a if (1e-3..1e5).contains(&a) => {
            let digits = (3 - libm::log10(a).floor() as i32).max(0) as usize;
            trim(format!("{x:.digits$}"))
        }
        _ => {
            let text = format!("{x:.2e}");
            let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
            format!("{}e{exponent}", trim(mantissa.to_owned()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(short(1.518), "1.518");
        assert_eq!(short(0.01), "0.01");
        assert_eq!(short(3.5e-14), "3.5e-14");
        assert_eq!(short(1e12), "1e12");
        assert_eq!(short(-0.4651234), "-0.4651");
        assert_eq!(short(44_100.0), "44100");
    }

    #[test]
    fn bounds_judge_on_one_side() {
        assert_eq!(Metric::at_most("", "", 0.9, 0.5, 1.0).pass, Some(true));
        assert_eq!(Metric::at_most("", "", f64::NAN, 0.5, 1.0).pass, Some(false));
        assert_eq!(Metric::within("", "", 1.2, 1.0, 0.1).pass, Some(false));
        assert_eq!(Metric::shown("", "", 1.2).pass, None);
    }
}
