//! Axes: scales, ranges, and where the ticks go.

/// How values are spread along an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences, equal distances.
    #[default]
    Linear,
    /// Equal ratios, equal distances; zero and negative values are left out.
    Log,
}

/// An axis: what it shows, in which unit, on which scale.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// Quantity and unit, such as `Time (s)`.
    pub label: String,
    /// Linear or logarithmic.
    pub scale: Scale,
    /// Lowest and highest value shown; `None` fits the data.
    pub range: Option<(f64, f64)>,
}

impl Axis {
    /// A linear axis that fits its data.
    pub fn linear(label: impl Into<String>) -> Self {
        Self { label: label.into(), scale: Scale::Linear, range: None }
    }

    /// A logarithmic axis that fits its data.
    pub fn log(label: impl Into<String>) -> Self {
        Self { label: label.into(), scale: Scale::Log, range: None }
    }

    /// Fixes the range.
    pub fn with_range(mut self, low: f64, high: f64) -> Self {
        self.range = Some((low, high));
        self
    }

    /// The range to show: the fixed one if it is usable, or that of the values, wider by `margin` of it on both sides.
    pub(super) fn fit(&self, values: impl Iterator<Item = f64>, margin: f64) -> Span {
        let scale = self.scale;
        let usable = |v: &f64| v.is_finite() && (scale == Scale::Linear || *v > 0.0);
        if let Some((low, high)) = self.range.filter(|(low, high)| usable(low) && usable(high) && low < high) {
            return Span { scale, low, high };
        }
        let (low, high) =
            values.filter(usable).fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
        let (low, high) = match scale {
            _ if low > high => (if scale == Scale::Log { 0.1 } else { 0.0 }, 1.0),
            Scale::Linear if low == high => (low - widening(low), high + widening(high)),
            Scale::Linear => (low - margin * (high - low), high + margin * (high - low)),
            Scale::Log if high / low < 1.001 => (low / 3.0, high * 3.0),
            Scale::Log => {
                let stretch = libm::pow(high / low, margin);
                (low / stretch, high * stretch)
            }
        };
        Span { scale, low, high }
    }
}

/// Half a unit around a constant, or a tenth of it.
fn widening(value: f64) -> f64 {
    if value == 0.0 { 1.0 } else { 0.1 * value.abs() }
}

/// A range on a scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Span {
    pub(super) scale: Scale,
    pub(super) low: f64,
    pub(super) high: f64,
}

/// Ticks of an axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Ticks {
    pub(super) labelled: Vec<(f64, String)>,
    pub(super) fine: Vec<f64>,
    /// Power of ten taken out of the labels, to be added to the axis' own label.
    pub(super) factor: Option<String>,
}

impl Span {
    /// Position of a value as a fraction of the range, also outside of it; `None` where the scale has no place for it.
    pub(super) fn fraction(&self, value: f64) -> Option<f64> {
        if !value.is_finite() {
            return None;
        }
        match self.scale {
            Scale::Linear => Some((value - self.low) / (self.high - self.low)),
            Scale::Log if value > 0.0 => Some(libm::log(value / self.low) / libm::log(self.high / self.low)),
            Scale::Log => None,
        }
    }

    /// Value at a fraction of the range.
    pub(super) fn value(&self, fraction: f64) -> f64 {
        match self.scale {
            Scale::Linear => self.low + fraction * (self.high - self.low),
            Scale::Log => self.low * libm::pow(self.high / self.low, fraction),
        }
    }

    /// About `count` labelled ticks.
    pub(super) fn ticks(&self, count: usize) -> Ticks {
        match self.scale {
            Scale::Linear => self.linear_ticks(count.max(2)),
            Scale::Log => self.log_ticks(count.max(2)),
        }
    }

    fn linear_ticks(&self, count: usize) -> Ticks {
        let rough = (self.high - self.low) / count as f64;
        let power = libm::log10(rough).floor();
        let unit = libm::pow(10.0, power);
        let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|s| s * unit).find(|&s| s >= 0.999 * rough).unwrap_or(unit);
        // Thousands and thousandths leave the labels for the axis; 0.01 to 99 999 are read as they are.
        let largest = self.low.abs().max(self.high.abs());
        let exponent = libm::log10(largest).floor() as i32;
        let shift = if (-2..5).contains(&exponent) { 0 } else { 3 * exponent.div_euclid(3) };
        let scale = libm::pow(10.0, f64::from(shift));
        let decimals = (f64::from(shift) - libm::log10(step).floor()).max(0.0) as usize;
        // A range that ends one sample before a round number still gets its label.
        let close = 2e-3 * (self.high - self.low) / step;
        let first = (self.low / step - close).ceil() as i64;
        let last = (self.high / step + close).floor() as i64;
        let labelled = (first..=last).map(|i| i as f64 * step).map(|v| (v, number(v / scale, decimals))).collect();
        let factor = (shift != 0).then(|| format!("×{}", power_of_ten(shift)));
        Ticks { labelled, fine: Vec::new(), factor }
    }

    fn log_ticks(&self, count: usize) -> Ticks {
        let (bottom, top) = (libm::log10(self.low), libm::log10(self.high));
        let decades = (bottom - 1e-9).ceil() as i32..=(top + 1e-9).floor() as i32;
        let inside = |v: &f64| *v >= self.low * (1.0 - 1e-9) && *v <= self.high * (1.0 + 1e-9);
        let every = ((top - bottom) / count as f64).ceil().max(1.0) as i32;
        let plain = bottom >= -3.01 && top <= 5.01;
        let label = |v: f64, e: i32| if plain { number(v, (-e).max(0) as usize) } else { power_of_ten(e) };
        let each = |multiples: &'static [f64]| {
            let from = *decades.start() - 1;
            (from..=*decades.end())
                .flat_map(move |e| multiples.iter().map(move |m| (m * libm::pow(10.0, f64::from(e)), e)))
        };
        let labelled: Vec<(f64, String)> = if top - bottom < 1.0 || 3.0 * (top - bottom) <= count as f64 {
            // Where there is room for it, and where powers of ten alone would be one label or none.
            let text = |v: f64, e: i32| match (plain, v / libm::pow(10.0, f64::from(e))) {
                (true, _) => label(v, e),
                (false, m) => format!("{}·{}", m.round(), power_of_ten(e)),
            };
            each(&[1.0, 2.0, 5.0]).filter(|(v, _)| inside(v)).map(|(v, e)| (v, text(v, e))).collect()
        } else {
            let powers = decades.clone().filter(|e| e.rem_euclid(every) == 0);
            powers.map(|e| (libm::pow(10.0, f64::from(e)), e)).map(|(v, e)| (v, label(v, e))).collect()
        };
        let multiples: &[f64] = match top - bottom {
            d if d < 6.0 => &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0],
            _ => &[1.0],
        };
        let fine = each(multiples).map(|(v, _)| v).filter(inside).collect();
        Ticks { labelled, fine, factor: None }
    }
}

fn number(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        Some(digits) if digits.bytes().all(|b| b == b'0' || b == b'.') => digits.to_owned(),
        Some(digits) => format!("−{digits}"),
        None => text,
    }
}

fn power_of_ten(exponent: i32) -> String {
    const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let raise = |c: char| c.to_digit(10).map_or('⁻', |d| RAISED[d as usize]);
    std::iter::once("10".to_owned()).chain(exponent.to_string().chars().map(|c| raise(c).to_string())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: Scale, low: f64, high: f64) -> (Vec<String>, Option<String>) {
        let ticks = Span { scale, low, high }.ticks(6);
        (ticks.labelled.into_iter().map(|(_, text)| text).collect(), ticks.factor)
    }

    #[test]
    fn linear_labels_are_round_numbers() {
        assert_eq!(
            labels(Scale::Linear, 0.0, 1.0),
            (["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"].map(String::from).into(), None)
        );
        assert_eq!(labels(Scale::Linear, -1.1, 1.1).0, ["−1.0", "−0.5", "0.0", "0.5", "1.0"]);
        assert_eq!(labels(Scale::Linear, 0.0, 20_000.0).0, ["0", "5000", "10000", "15000", "20000"]);
        let (texts, factor) = labels(Scale::Linear, 0.0, 0.0018);
        assert_eq!(texts, ["0.0", "0.5", "1.0", "1.5"]);
        assert_eq!(factor.as_deref(), Some("×10⁻³"));
    }

    #[test]
    fn log_labels_are_powers_of_ten_or_plain_numbers() {
        let ticks = Span { scale: Scale::Log, low: 30.0, high: 24_000.0 }.ticks(9);
        let texts: Vec<_> = ticks.labelled.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(texts, ["50", "100", "200", "500", "1000", "2000", "5000", "10000", "20000"]);
        assert_eq!(labels(Scale::Log, 30.0, 24_000.0).0, ["100", "1000", "10000"]);
        assert_eq!(labels(Scale::Log, 1e-16, 1e-4).0, ["10⁻¹⁶", "10⁻¹⁴", "10⁻¹²", "10⁻¹⁰", "10⁻⁸", "10⁻⁶", "10⁻⁴"]);
        assert_eq!(labels(Scale::Log, 40.0, 300.0).0, ["50", "100", "200"]);
        assert_eq!(labels(Scale::Log, 4e-6, 3e-5).0, ["5·10⁻⁶", "1·10⁻⁵", "2·10⁻⁵"]);
    }

    #[test]
    fn ranges_fit_data_of_every_kind() {
        let linear = Axis::linear("x");
        assert_eq!(
            linear.fit([1.0, 3.0, f64::NAN].into_iter(), 0.0),
            Span { scale: Scale::Linear, low: 1.0, high: 3.0 }
        );
        let log = Axis::log("x");
        assert_eq!(
            log.fit([0.0, -1.0, 1.0, 100.0].into_iter(), 0.0),
            Span { scale: Scale::Log, low: 1.0, high: 100.0 }
        );
        for axis in [linear, log] {
            for data in [vec![], vec![5.0], vec![0.0], vec![-2.0, -2.0], vec![f64::INFINITY]] {
                let span = axis.fit(data.iter().copied(), 0.04);
                assert!(span.low < span.high, "{data:?}");
                assert!(!span.ticks(6).labelled.is_empty(), "{data:?}: {span:?}");
            }
        }
        let fixed = Axis::linear("x").with_range(0.0, 2.0).fit([9.0].into_iter(), 0.1);
        assert_eq!((fixed.low, fixed.high), (0.0, 2.0));
    }

    #[test]
    fn values_and_fractions_undo_each_other() {
        for span in
            [Span { scale: Scale::Linear, low: -3.0, high: 7.0 }, Span { scale: Scale::Log, low: 30.0, high: 24_000.0 }]
        {
            for f in [0.0, 0.3, 1.0] {
                assert!((span.fraction(span.value(f)).unwrap() - f).abs() < 1e-12);
            }
            assert_eq!(span.fraction(f64::NAN), None);
        }
    }
}
