//! Times and sample rates of the command line: `2`, `2s`, `500 ms`; `44100`, `44.1k`, `48 kHz`.

use ictus_instrument::Dimension;

/// Reads a time in seconds; a plain number is in seconds.
pub fn seconds(text: &str) -> Result<f64, String> {
    read(text, "_s").ok_or_else(|| "expected a time, such as 2, 2s or 500ms".to_owned())
}

/// Reads a sample rate in Hz; a plain number is in Hz, `k` means kHz.
pub fn sample_rate(text: &str) -> Result<u32, String> {
    let expected = || "expected a sample rate, such as 48000, 44.1k or 96 kHz".to_owned();
    let trimmed = text.trim();
    // note names are frequencies, but no sample rates
    if !trimmed.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return Err(expected());
    }
    let kilo = trimmed.strip_suffix(['k', 'K']).map(|number| format!("{} kHz", number.trim_end()));
    let hz = read(kilo.as_deref().unwrap_or(trimmed), "_hz").ok_or_else(expected)?;
    if !(0.0..=f64::from(u32::MAX)).contains(&hz) {
        return Err(expected());
    }
    let whole = hz.round();
    if (hz - whole).abs() > 1e-6 {
        return Err(format!("{hz} Hz is not a whole number of samples per second"));
    }
    Ok(whole as u32)
}

/// A plain number, or one with the unit of `key`.
fn read(text: &str, key: &str) -> Option<f64> {
    let trimmed = text.trim();
    trimmed.parse().ok().or_else(|| Dimension::of_key(key)?.parse(trimmed).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_may_carry_units() {
        for (text, expected) in [("2", 2.0), ("2s", 2.0), ("0.5 s", 0.5), ("500ms", 0.5), ("-1", -1.0)] {
            assert_eq!(seconds(text), Ok(expected), "{text}");
        }
        for text in ["", "s", "2 m", "2 Hz", "two"] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }

    #[test]
    fn rates_may_carry_units() {
        for (text, expected) in [
            ("48000", 48_000),
            ("44.1k", 44_100),
            ("44.1 kHz", 44_100),
            ("96K", 96_000),
            ("22050Hz", 22_050),
            ("11.025k", 11_025),
        ] {
            assert_eq!(sample_rate(text), Ok(expected), "{text}");
        }
        for text in ["", "k", "A4", "-48000", "44100.5", "1e30", "48 s"] {
            assert!(sample_rate(text).is_err(), "{text}");
        }
    }
}
