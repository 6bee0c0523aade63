//! Numbers and tables for people.

/// An energy with a fitting prefix: `1.84 mJ`.
pub fn joules(energy: f64) -> String {
    let (scale, unit) = match energy.abs() {
        0.0 => return "0 J".into(),
        e if !(1e-12..1e3).contains(&e) => return format!("{energy:.2e} J"),
        e if e >= 1.0 => (1.0, "J"),
        e if e >= 1e-3 => (1e3, "mJ"),
        e if e >= 1e-6 => (1e6, "µJ"),
        e if e >= 1e-9 => (1e9, "nJ"),
        _ => (1e12, "pJ"),
    };
    format!("{} {unit}", three_digits(energy * scale))
}

/// Three significant digits without exponent, for numbers from 1 to 1000.
fn three_digits(x: f64) -> String {
    match x.abs() {
        a if a >= 99.95 => format!("{x:.0}"),
        a if a >= 9.995 => format!("{x:.1}"),
        _ => format!("{x:.2}"),
    }
}

/// A level: `−3.1 dBFS`, `silent`.
pub fn level(value: Option<f64>, unit: &str) -> String {
    value.map_or("silent".to_owned(), |value| format!("{value:.1} {unit}").replace('-', "−"))
}

/// A number of things: `1 body`, `2 bodies`.
pub fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// A file size: `1.2 MB`.
pub fn bytes(n: u64) -> String {
    match n {
        0..1000 => format!("{n} B"),
        1000..1_000_000 => format!("{:.0} kB", n as f64 / 1e3),
        _ => format!("{:.1} MB", n as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn energies_read_well() {
        assert_eq!(joules(0.00184), "1.84 mJ");
        assert_eq!(joules(0.208_75), "209 mJ");
        assert_eq!(joules(-4.2e-10), "-420 pJ");
        assert_eq!(joules(0.0), "0 J");
        assert_eq!(joules(1.5e9), "1.50e9 J");
    }
}
