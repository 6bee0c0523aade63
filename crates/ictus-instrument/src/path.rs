//! Places in the file: `bar.decay_s[1]` as a list of keys and indices, and the unit a place is written in.

use crate::document::{Node, Value};
use crate::quantity::Dimension;

/// One step down the tree.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Seg {
    Key(String),
    Index(usize),
}

impl From<&str> for Seg {
    fn from(key: &str) -> Self {
        Seg::Key(key.to_owned())
    }
}

impl From<usize> for Seg {
    fn from(index: usize) -> Self {
        Seg::Index(index)
    }
}

/// `trail![section, i, "between", 0]`
macro_rules! trail {
    ($($seg:expr),* $(,)?) => { [$($crate::path::Seg::from($seg)),*] };
}
pub(crate) use trail;

/// `.decay_s[1]`
pub(crate) fn show(segs: &[Seg]) -> String {
    let mut text = String::new();
    for seg in segs {
        match seg {
            Seg::Key(key) => {
                text.push('.');
                text.push_str(key);
            }
            Seg::Index(index) => text.push_str(&format!("[{index}]")),
        }
    }
    text
}

/// Reads what [`show`] writes; `None` if it is not of that form.
pub(crate) fn read(text: &str) -> Option<Vec<Seg>> {
    let mut segs = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix('.') {
            let end = after.find(['.', '[']).unwrap_or(after.len());
            if end == 0 {
                return None;
            }
            segs.push(Seg::from(&after[..end]));
            rest = &after[end..];
        } else {
            let (index, after) = rest.strip_prefix('[')?.split_once(']')?;
            segs.push(Seg::Index(index.parse().ok()?));
            rest = after;
        }
    }
    Some(segs)
}

/// One step down; `None` where the tree ends.
pub(crate) fn step<'a>(node: &'a Node, seg: &Seg) -> Option<&'a Node> {
    match seg {
        Seg::Key(key) => node.get(key),
        Seg::Index(index) => node.items().get(*index),
    }
}

/// The node at the path, if it is there.
pub(crate) fn find<'a>(root: &'a Node, segs: &[Seg]) -> Option<&'a Node> {
    segs.iter().try_fold(root, step)
}

/// As [`find`], to write.
pub(crate) fn find_mut<'a>(root: &'a mut Node, segs: &[Seg]) -> Option<&'a mut Node> {
    let mut node = root;
    for seg in segs {
        node = match (seg, &mut node.value) {
            (Seg::Index(index), Value::List(items)) => items.get_mut(*index)?,
            (Seg::Key(key), Value::Table(entries)) => &mut entries.iter_mut().find(|entry| entry.key == *key)?.node,
            _ => return None,
        };
    }
    Some(node)
}

/// The unit a place is written in, followed down the tree.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Units {
    /// One dimension for the value and everything in it.
    Of(Option<Dimension>),
    /// Names below are the user's own, so their spelling says nothing about units.
    Plain,
    /// Inside a finger, whose `force` is no verb.
    Finger,
    /// Inside an input, whose `curve` is measured as what it moves.
    Input,
    /// Inside a modulator, whose `rate_hz` is one number.
    Modulator,
    /// Inside a barrier's profile.
    Profile,
    /// Coefficients of a height: the first is a length, the next a plain slope, and so on.
    Coefficients,
    /// Inside a gesture's verb, whose `curve` has this second column.
    Verb(&'static str),
    /// A list of pairs, the columns measured like these keys.
    Curve(&'static str, &'static str),
    /// One value like the second of these keys, or a list of pairs.
    Either(&'static str, &'static str),
    /// One such pair.
    Pair(&'static str, &'static str),
}

impl Units {
    pub const ROOT: Self = Units::Of(None);

    pub fn below_key(self, key: &str) -> Self {
        match (self, key) {
            (Units::Plain, _) | (_, "ports" | "microphones" | "mean" | "angle_deg") => Units::Plain,
            (Units::Verb(column), "curve") => Units::Curve("_s", column),
            (_, "finger") => Units::Finger,
            (_, "input") => Units::Input,
            (Units::Input, "curve") => Units::Curve("_s", ""),
            (_, "modulator") => Units::Modulator,
            (Units::Modulator, "rate_hz") => Units::Of(Dimension::of_key("_hz")),
            (Units::Finger, "force") => Units::Curve("_s", "_n"),
            (Units::Finger, "position") => Units::Curve("_s", ""),
            (_, "position" | "weight") => Units::Either("_s", ""),
            (_, "profile") => Units::Profile,
            (Units::Profile, "height_m") => Units::Coefficients,
            (_, "points") => Units::Curve("", "_m"),
            (_, "speed_m_s") => Units::Either("_s", "_m_s"),
            (_, "normal_n") => Units::Either("_s", "_n"),
            (_, "rate_hz") => Units::Curve("_s", "_hz"),
            (_, "pedal") => Units::Curve("_s", ""),
            (_, "lift") => Units::Curve("_s", "_m"),
            (_, "force") => Units::Verb("_n"),
            (_, "velocity") => Units::Verb("_m_s"),
            (_, "decay") => Units::Curve("_hz", "_s"),
            _ => Units::Of(Dimension::of_key(key)),
        }
    }

    pub fn below_index(self, index: usize) -> Self {
        match self {
            Units::Curve(first, second) | Units::Either(first, second) => Units::Pair(first, second),
            Units::Pair(first, second) => Units::Of(Dimension::of_key(if index == 0 { first } else { second })),
            Units::Coefficients => Units::Of(if index == 0 { Dimension::of_key("_m") } else { None }),
            same => same,
        }
    }

    /// Units at the end of a path from the root.
    pub fn along(segs: &[Seg]) -> Self {
        segs.iter().fold(Units::ROOT, |units, seg| match seg {
            Seg::Key(key) => units.below_key(key),
            Seg::Index(index) => units.below_index(*index),
        })
    }

    pub fn dimension(self) -> Option<Dimension> {
        match self {
            Units::Of(dimension) => dimension,
            Units::Either(_, value) => Dimension::of_key(value),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn read_undoes_show() {
        for text in ["", ".a", ".a[0][12].b", ".decay_s[1]"] {
            assert_eq!(show(&read(text).expect(text)), text);
        }
        for text in ["a", ".", ".a[", ".a[x]", ".a..b", ".a[1]b", ".a[99999999999999999999999]"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn units_follow_the_keys() {
        let unit = |text| Units::along(&read(text).expect("a path")).dimension().map(|d| d.unit);
        assert_eq!(unit(".resonator[0].decay_s[1]"), Some("s"));
        assert_eq!(unit(".resonator[0].ports.x_m[1]"), None);
        assert_eq!(unit(".resonator[0].angle_deg.x_m"), None);
        assert_eq!(unit(".resonator[0].decay[0][0]"), Some("Hz"));
        assert_eq!(unit(".gesture[0].force.curve[0][1]"), Some("N"));
        assert_eq!(unit(".gesture[0].velocity.curve[0][1]"), Some("m/s"));
        assert_eq!(unit(".gesture[0].velocity.curve[0][0]"), Some("s"));
        assert_eq!(unit(".gesture[0].throw.velocity_m_s"), Some("m/s"));
        assert_eq!(unit(".barrier[0].lift[0][1]"), Some("m"));
        assert_eq!(unit(".interaction[0].speed_m_s"), Some("m/s"));
        assert_eq!(unit(".interaction[0].speed_m_s[0][0]"), Some("s"));
        assert_eq!(unit(".interaction[0].speed_m_s[0][1]"), Some("m/s"));
        assert_eq!(unit(".interaction[0].position[0][0]"), Some("s"));
        assert_eq!(unit(".interaction[0].position[0][1]"), None);
        assert_eq!(unit(".interaction[0].texture.height_m"), Some("m"));
        assert_eq!(unit(".gesture[0].scatter.rate_hz[0][1]"), Some("Hz"));
        assert_eq!(unit(".gesture[0].scatter.velocity_m_s[1]"), Some("m/s"));
        assert_eq!(unit(".barrier[0].points[0][0]"), None);
        assert_eq!(unit(".barrier[0].points[0][1]"), Some("m"));
        assert_eq!(unit(".barrier[0].frets.height_m[3]"), Some("m"));
        assert_eq!(unit(".barrier[0].profile.height_m[0]"), Some("m"));
        assert_eq!(unit(".barrier[0].profile.height_m[1]"), None);
        assert_eq!(unit(".finger[0].force[1][1]"), Some("N"));
        assert_eq!(unit(".finger[0].position[1][0]"), Some("s"));
        assert_eq!(unit(".finger[0].position[1][1]"), None);
        assert_eq!(unit(".finger[0].hold_n_m"), Some("N/m"));
        assert_eq!(unit(".input[0].curve[0][0]"), Some("s"));
        assert_eq!(unit(".input[0].curve[0][1]"), None);
        assert_eq!(unit(".modulator[0].rate_hz"), Some("Hz"));
        assert_eq!(unit(".modulator[0].depth"), None);
        assert_eq!(unit(".seconds"), Some("s"));
        assert_eq!(unit(".seed"), None);
    }
}
