//! Warnings about numbers beyond physical reason.
//!
//! The engine renders them, and stays finite, but rounding may then leave an energy ledger that does not close: a mass of 1e-300 kg beside one of 20 g
//! has no digit in common with it. The limits are generous, several powers of ten beyond what any sounding object needs.

use crate::context::Context;
use crate::document::{Node, Value};
use crate::error::Error;
use crate::path::{Seg, Units, trail};

/// Most warnings of this kind: a list may hold thousands of such values.
const MOST: usize = 3;

/// Sections with physical numbers.
const SECTIONS: [&str; 7] = ["resonator", "interaction", "barrier", "wires", "finger", "gesture", "gravity_m_s2"];

/// Least and largest plausible size by SI unit; zero and infinity have meanings of their own and pass.
const LIMITS: [(&str, f64, f64); 17] = [
    ("s", 1e-12, 1e6),
    ("Hz", 1e-6, 1e9),
    ("1/s", 0.0, 1e9),
    ("m", 1e-15, 1e5),
    ("m/s", 1e-12, 1e4),
    ("m/s^2", 0.0, 1e6),
    ("kg", 1e-10, 1e7),
    ("kg/m", 1e-10, 1e6),
    ("kg/m^3", 1e-4, 1e6),
    ("N", 1e-12, 1e9),
    ("N s", 1e-15, 1e6),
    ("N/m", 0.0, 1e14),
    ("N s/m", 0.0, 1e9),
    ("s/m", 0.0, 1e6),
    ("m^2/s", 0.0, 1e6),
    ("N m^2", 0.0, 1e9),
    ("Pa", 0.0, 1e15),
];
/// Largest plausible plain number: a stiffness of power-law contacts, N/m^α.
const PLAIN: f64 = 1e18;

/// Warns about every implausible number, with its place.
pub(crate) fn check(context: &Context, warnings: &mut Vec<Error>) {
    let mut found = Vec::new();
    for section in SECTIONS {
        if let Some(node) = context.root.get(section) {
            walk(node, &mut trail![section].to_vec(), &mut found);
        }
    }
    for (path, expected) in found.iter().take(MOST) {
        let message = format!("{}, expected {expected}", context.state(path));
        let error = context.error(path, "instrument::implausible", message, "beyond physical reason");
        warnings.push(error.help("numbers so far apart leave rounding errors larger than the sound").warning());
    }
}

fn walk(node: &Node, path: &mut Vec<Seg>, found: &mut Vec<(Vec<Seg>, String)>) {
    let mut below = |seg: Seg, node: &Node| {
        path.push(seg);
        walk(node, path, found);
        path.pop();
    };
    match &node.value {
        Value::Table(entries) => entries.iter().for_each(|entry| below(entry.key.as_str().into(), &entry.node)),
        Value::List(items) => items.iter().enumerate().for_each(|(index, item)| below(index.into(), item)),
        _ if found.len() < MOST => {
            if let Some(expected) = implausible(node, Units::along(path)) {
                found.push((path.clone(), expected));
            }
        }
        _ => {}
    }
}

/// What was expected of a number that is beyond reason.
fn implausible(node: &Node, units: Units) -> Option<String> {
    let dimension = units.dimension();
    let size = match (&node.value, dimension) {
        #[expect(clippy::cast_precision_loss, reason = "only its size matters")]
        (Value::Integer(n), _) => *n as f64,
        (Value::Float(x), _) => *x,
        (Value::Text(text), Some(dimension)) => dimension.parse(text).ok()?,
        _ => return None,
    };
    let size = size.abs();
    if size == 0.0 || !size.is_finite() {
        return None;
    }
    let unit = dimension.map_or("", |dimension| dimension.unit);
    let (_, least, most) = LIMITS.into_iter().find(|(name, ..)| *name == unit).unwrap_or(("", 0.0, PLAIN));
    let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
    if size > most {
        return Some(format!("at most {most:e}{unit}"));
    }
    (size < least).then(|| format!("at least {least:e}{unit}"))
}
