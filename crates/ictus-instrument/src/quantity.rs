//! Quantities as a person types them: `"3 mm"`, `"1.2 N"`, `"1.5 kHz"`, `"A4"`.
//!
//! The key decides the dimension by its suffix (`_m`, `_n_s_m`, …). Powers of ten are applied to the decimal
//! text, not to the number, so that `"1.2 mm"` is the same double as `0.0012`.

use crate::document::show_float;

/// Powers of metre, kilogram and second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Powers(i8, i8, i8);

/// What a key measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dimension {
    /// "mass", "time", …
    pub noun: &'static str,
    /// SI unit as shown to people.
    pub unit: &'static str,
    /// A value in a handy unit.
    pub example: &'static str,
    powers: Powers,
}

const fn dim(noun: &'static str, unit: &'static str, example: &'static str, powers: Powers) -> Dimension {
    Dimension { noun, unit, example, powers }
}

const TIME: Dimension = dim("time", "s", "2 ms", Powers(0, 0, 1));

/// Suffixes of keys, longer before the shorter ones they end in.
const SUFFIXES: [(&str, Dimension); 18] = [
    ("tension_n_m", dim("tension per length", "N/m", "3 kN/m", Powers(0, 1, -2))),
    ("_n_s_m", dim("damping", "N s/m", "0.1 N s/m", Powers(0, 1, -1))),
    ("_m2_s", dim("damping", "m^2/s", "0.01 m^2/s", Powers(2, 0, -1))),
    ("_n_m2", dim("bending stiffness", "N m^2", "0.02 N m^2", Powers(3, 1, -2))),
    ("_m_s2", dim("acceleration", "m/s^2", "9.81 m/s^2", Powers(1, 0, -2))),
    ("_kg_m3", dim("density", "kg/m^3", "7800 kg/m^3", Powers(-3, 1, 0))),
    ("_kg_m", dim("linear density", "kg/m", "5 g/m", Powers(-1, 1, 0))),
    ("_n_m", dim("stiffness", "N/m", "2 kN/m", Powers(0, 1, -2))),
    ("_n_s", dim("impulse", "N s", "5 mN s", Powers(1, 1, -1))),
    ("_m_s", dim("velocity", "m/s", "20 cm/s", Powers(1, 0, -1))),
    ("_s_m", dim("damping", "s/m", "0.1 s/m", Powers(-1, 0, 1))),
    ("_1_s", dim("decay rate", "1/s", "3 1/s", Powers(0, 0, -1))),
    ("_pa", dim("modulus", "Pa", "210 GPa", Powers(-1, 1, -2))),
    ("_kg", dim("mass", "kg", "20 g", Powers(0, 1, 0))),
    ("_hz", dim("frequency", "Hz", "A4", Powers(0, 0, -1))),
    ("_m", dim("length", "m", "3 mm", Powers(1, 0, 0))),
    ("_n", dim("force", "N", "1.2 N", Powers(1, 1, -2))),
    ("_s", TIME),
];

impl Dimension {
    /// Dimension of a key by its suffix; `None` for a plain number.
    #[must_use]
    pub fn of_key(key: &str) -> Option<Self> {
        if key == "seconds" {
            return Some(TIME);
        }
        SUFFIXES.iter().find(|(suffix, _)| key.ends_with(suffix)).map(|(_, dimension)| *dimension)
    }

    /// Reads a number with a unit, or a note name for a frequency, into SI.
    ///
    /// # Errors
    /// What is wrong with the text, in words that follow "expected".
    pub fn parse(self, text: &str) -> Result<f64, String> {
        let text = text.trim();
        if self.unit == "Hz"
            && let Some(frequency) = note(text)
        {
            return Ok(frequency);
        }
        let wanted = || format!("a {} in {}, such as \"{}\"", self.noun, self.unit, self.example);
        let end = number_end(text);
        let (number, unit) = (&text[..end], text[end..].trim());
        let infinite = matches!(number, "inf" | "+inf" | "-inf");
        let Ok(plain) = number.parse::<f64>() else {
            return Err(wanted());
        };
        if unit.is_empty() {
            return Err(format!("{} (a number in quotes needs a unit)", wanted()));
        }
        let Some(scale) = unit_scale(unit) else {
            return Err(format!("{} (the unit `{unit}` is not known)", wanted()));
        };
        if scale.powers != self.powers {
            return Err(format!("{} (`{unit}` does not measure that)", wanted()));
        }
        if infinite {
            return Ok(plain);
        }
        let (digits, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
        let exponent: i32 = exponent.parse().map_err(|_| wanted())?;
        let shifted = format!("{digits}e{}", exponent.saturating_add(scale.ten));
        let shifted: f64 = shifted.parse().map_err(|_| wanted())?;
        Ok(shifted * scale.factor)
    }

    /// Writes a value with a handy prefix, so that `parse` gives the same double back.
    #[must_use]
    pub fn format(self, value: f64) -> String {
        let prefixed: &[(i32, &str)] = match self.unit {
            "m" => &[(0, "m"), (-2, "cm"), (-3, "mm"), (-6, "µm")],
            "kg" => &[(0, "kg"), (-3, "g"), (-6, "mg")],
            "s" => &[(0, "s"), (-3, "ms"), (-6, "µs")],
            "N" => &[(3, "kN"), (0, "N"), (-3, "mN"), (-6, "µN")],
            "Hz" => &[(3, "kHz"), (0, "Hz")],
            "N/m" => &[(6, "MN/m"), (3, "kN/m"), (0, "N/m")],
            "kg/m" => &[(0, "kg/m"), (-3, "g/m")],
            unit => return format!("{} {unit}", show_float(value)),
        };
        let scientific = format!("{value:e}");
        let Some((digits, exponent)) = scientific.split_once('e') else {
            return format!("{value} {}", self.unit);
        };
        let exponent: i32 = exponent.parse().unwrap_or(0);
        let fits = |(ten, _): &&(i32, &str)| exponent >= *ten;
        let smallest = prefixed[prefixed.len() - 1];
        let (ten, unit) = if value == 0.0 { (0, self.unit) } else { *prefixed.iter().find(fits).unwrap_or(&smallest) };
        let shifted: f64 = format!("{digits}e{}", exponent - ten).parse().unwrap_or(value);
        let text = format!("{} {unit}", show_float(shifted));
        // A shifted decimal may need one digit more than the double can hold; then the plain unit is exact.
        if self.parse(&text) == Ok(value) { text } else { format!("{} {}", show_float(value), self.unit) }
    }
}

/// Length of the number at the start of `text`.
fn number_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    let sign = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    if text[sign..].starts_with("inf") {
        return sign + 3;
    }
    let digits = |from: usize| from + bytes[from..].iter().take_while(|b| b.is_ascii_digit() || **b == b'.').count();
    let end = digits(sign);
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let start = end + 1 + usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent_end = digits(start.min(bytes.len()));
        if exponent_end > start {
            return exponent_end;
        }
    }
    end
}

/// A unit as powers of ten, a factor for the units that are none, and its dimension.
struct Scale {
    ten: i32,
    factor: f64,
    powers: Powers,
}

/// Reads a product of units: `N`, `mm`, `N s/m`, `m/s^2`, `g/m`, `1/s`. All after the slash divides.
fn unit_scale(unit: &str) -> Option<Scale> {
    let mut total = Scale { ten: 0, factor: 1.0, powers: Powers(0, 0, 0) };
    let mut sides = unit.split('/');
    let (top, bottom) = (sides.next()?, sides.next());
    if sides.next().is_some() || unit.len() > 32 {
        return None;
    }
    for (side, sign) in [(Some(top), 1i8), (bottom, -1)] {
        let Some(side) = side else { continue };
        let mut factors = side.split([' ', '*', '·']).filter(|f| !f.is_empty()).peekable();
        factors.peek()?;
        for factor in factors {
            if factor == "1" && sign == 1 && bottom.is_some() {
                continue;
            }
            let (ten, plain, powers, exponent) = unit_factor(factor)?;
            let power = exponent * sign;
            total.ten += ten * i32::from(power);
            // Only minutes and hours have a factor, and only plain or as a divisor.
            total.factor *= if power > 0 { plain } else { 1.0 / plain };
            let Powers(m, kg, s) = powers;
            total.powers.0 = total.powers.0.checked_add(m.checked_mul(power)?)?;
            total.powers.1 = total.powers.1.checked_add(kg.checked_mul(power)?)?;
            total.powers.2 = total.powers.2.checked_add(s.checked_mul(power)?)?;
        }
    }
    Some(total)
}

/// One unit with prefix and exponent: (power of ten, factor, dimension, exponent).
fn unit_factor(factor: &str) -> Option<(i32, f64, Powers, i8)> {
    let (name, exponent) = if let Some(name) = factor.strip_suffix(['2', '²']) {
        (name.strip_suffix('^').unwrap_or(name), 2)
    } else if let Some(name) = factor.strip_suffix(['3', '³']) {
        (name.strip_suffix('^').unwrap_or(name), 3)
    } else {
        (factor, 1)
    };
    let time = Powers(0, 0, 1);
    match name {
        "min" => return (exponent == 1).then_some((0, 60.0, time, 1)),
        "h" => return (exponent == 1).then_some((0, 3600.0, time, 1)),
        _ => {}
    }
    let bases = [
        ("Hz", 0, Powers(0, 0, -1)),
        ("N", 0, Powers(1, 1, -2)),
        ("Pa", 0, Powers(-1, 1, -2)),
        ("g", -3, Powers(0, 1, 0)),
        ("m", 0, Powers(1, 0, 0)),
        ("s", 0, time),
    ];
    let prefixes = [
        ("", 0),
        ("k", 3),
        ("M", 6),
        ("G", 9),
        ("c", -2),
        ("d", -1),
        ("m", -3),
        ("µ", -6),
        ("μ", -6),
        ("u", -6),
        ("n", -9),
    ];
    for (base, ten, powers) in bases {
        let Some(prefix) = name.strip_suffix(base) else {
            continue;
        };
        if let Some((_, shift)) = prefixes.iter().find(|(p, _)| *p == prefix) {
            return Some((ten + shift, 1.0, powers, exponent));
        }
    }
    None
}

/// Frequency of a note name in equal temperament, A4 = 440 Hz: `A4`, `C#3`, `Bb2`.
fn note(text: &str) -> Option<f64> {
    let mut chars = text.chars();
    let step = match chars.next()?.to_ascii_uppercase() {
        'C' => 0,
        'D' => 2,
        'E' => 4,
        'F' => 5,
        'G' => 7,
        'A' => 9,
        'B' => 11,
        _ => return None,
    };
    let rest = chars.as_str();
    let (shift, octave) = if let Some(octave) = rest.strip_prefix(['#', '♯']) {
        (1, octave)
    } else if let Some(octave) = rest.strip_prefix(['b', '♭']) {
        (-1, octave)
    } else {
        (0, rest)
    };
    let octave: i32 = octave.parse().ok().filter(|octave| (-1..=10).contains(octave))?;
    let from_a4 = f64::from(12 * (octave - 4) + step + shift - 9);
    Some(440.0 * libm::exp2(from_a4 / 12.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(key: &str, text: &str) -> Result<f64, String> {
        Dimension::of_key(key).expect("a physical key").parse(text)
    }

    #[test]
    fn units_give_the_same_double_as_si() {
        for (key, text, si) in [
            ("gap_m", "3 mm", 0.003),
            ("gap_m", "1.2mm", 0.0012),
            ("gap_m", "-7.7 µm", -7.7e-6),
            ("gap_m", "1e2 cm", 1.0),
            ("mass_kg", "20 g", 0.02),
            ("mass_kg", "0.5 kg", 0.5),
            ("force_n", "1.2 N", 1.2),
            ("force_n", "3.3 mN", 0.0033),
            ("decay_s", "2 ms", 0.002),
            ("decay_s", "2 min", 120.0),
            ("decay_s", "inf s", f64::INFINITY),
            ("seconds", "1.5 s", 1.5),
            ("frequency_hz", "1.5 kHz", 1500.0),
            ("velocity_m_s", "20 cm/s", 0.2),
            ("velocity_m_s", "1 mm/ms", 1.0),
            ("velocity_m_s", "36 km/h", 10.0),
            ("stiffness_n_m", "2.5 N/mm", 2500.0),
            ("stiffness_n_m2", "0.02 N m^2", 0.02),
            ("damping_n_s_m", "0.1 N s/m", 0.1),
            ("damping_n_s_m", "0.1 kg/s", 0.1),
            ("damping_1_s", "3 1/s", 3.0),
            ("damping_m2_s", "5 cm²/s", 5e-4),
            ("damping_s_m", "0.3 s/m", 0.3),
            ("density_kg_m", "5.1 g/m", 0.0051),
            ("impulse_n_s", "5 mN s", 0.005),
            ("gravity_m_s2", "9.81 m/s²", 9.81),
            ("density_kg_m3", "7.8 g/cm^3", 7800.0),
            ("density_kg_m3", "2700 kg/m³", 2700.0),
            ("young_pa", "210 GPa", 210e9),
            ("young_pa", "5 N/mm²", 5e6),
            ("tension_n_m", "3 kN/m", 3000.0),
            ("contact_time_s", "0.8 ms", 0.8e-3),
            ("at_m_s", "2 m/s", 2.0),
        ] {
            let value = read(key, text).unwrap_or_else(|e| panic!("{key} = {text:?}: {e}"));
            assert!((value - si).abs() <= 1e-15 * si.abs() || value == si, "{key} = {text:?} gave {value}, not {si}");
        }
        assert_eq!(read("gap_m", "1.2 mm"), Ok(0.0012));
        assert_eq!(read("density_kg_m", "5.1 g/m"), Ok(0.0051));
    }

    #[test]
    fn notes_are_equal_tempered() {
        assert_eq!(read("frequency_hz", "A4"), Ok(440.0));
        assert_eq!(read("frequency_hz", "A2"), Ok(110.0));
        let near = |text, hz: f64| (read("frequency_hz", text).expect(text) - hz).abs() < 0.001;
        assert!(near("C4", 261.6256) && near("C#3", 138.5913) && near("Bb2", 116.5409) && near("Cb4", 246.9417));
        assert_eq!(read("frequency_hz", "A#3"), read("frequency_hz", "Bb3"));
        assert!(read("frequency_hz", "H4").is_err() && read("frequency_hz", "A99").is_err());
    }

    #[test]
    fn units_of_the_wrong_kind_are_refused() {
        for (key, text, part) in [
            ("length_m", "3 kg", "does not measure that"),
            ("length_m", "3", "needs a unit"),
            ("length_m", "3 furlong", "not known"),
            ("length_m", "long", "a length in m, such as \"3 mm\""),
            ("decay_s", "5 Hz", "does not measure that"),
            ("mass_kg", "A4", "a mass in kg"),
            ("mass_kg", "1e g", "not known"),
            ("mass_kg", "", "a mass"),
            ("mass_kg", "1 /", "not known"),
            ("mass_kg", "1 g/m/s", "not known"),
        ] {
            let error = read(key, text).expect_err(text);
            assert!(error.contains(part), "{key} = {text:?}: {error}");
        }
    }

    proptest! {
        #[test]
        fn parse_undoes_format(mantissa in -10.0f64..10.0, exponent in -12i32..12, which in 0usize..SUFFIXES.len()) {
            let value: f64 = format!("{mantissa:e}").parse::<f64>().unwrap()
                * format!("1e{exponent}").parse::<f64>().unwrap();
            let dimension = SUFFIXES[which].1;
            prop_assert_eq!(dimension.parse(&dimension.format(value)), Ok(value), "{}", dimension.format(value));
        }

        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,12}", which in 0usize..SUFFIXES.len()) {
            let _ = SUFFIXES[which].1.parse(&text);
        }

        #[test]
        fn text_like_units_is_read_or_refused(text in "[-+0-9.eEkmµcgNsHz/ ^2inf#b]{0,12}", which in 0usize..SUFFIXES.len()) {
            let _ = SUFFIXES[which].1.parse(&text);
        }
    }

    #[test]
    fn formatting_picks_a_readable_prefix() {
        let format = |key: &str, x| Dimension::of_key(key).expect("physical").format(x);
        assert_eq!(format("gap_m", 0.0012), "1.2 mm");
        assert_eq!(format("mass_kg", 0.02), "20 g");
        assert_eq!(format("frequency_hz", 440.0), "440 Hz");
        assert_eq!(format("frequency_hz", 1500.0), "1.5 kHz");
        assert_eq!(format("gap_m", 0.0), "0 m");
        assert_eq!(format("decay_s", f64::INFINITY), "inf s");
    }
}
