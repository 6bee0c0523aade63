//! The table of a sweep: one line per sample, in the order of their numbers. Every value is a function of the recipe.

use crate::vary::shown;
use std::fmt::Write;

/// What became of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Rendered.
    Ok,
    /// Rendered, but the engine had to silence something that was no longer finite.
    Silenced,
    /// Not rendered: the parameters make no instrument. The last column says why.
    Refused,
}

impl Status {
    const ALL: [Self; 3] = [Self::Ok, Self::Silenced, Self::Refused];

    fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Silenced => "silenced",
            Self::Refused => "refused",
        }
    }

    pub(crate) fn read(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == text)
    }
}

/// Columns before the varied keys.
pub(crate) const FIRST: [&str; 3] = ["index", "file", "status"];
/// Columns after them; then one per contact, and the error.
const MEASURED: [&str; 14] = [
    "length_s",
    "peak_dbfs",
    "lufs",
    "pitch_hz",
    "clipped",
    "peak_force_n",
    "contacts",
    "contact_s",
    "energy_in_j",
    "energy_lost_j",
    "energy_left_j",
    "energy_peak_j",
    "residual",
    "missed",
];
const LAST: &str = "error";
/// Begins the columns of the contacts' own peak forces.
const CONTACT: &str = "peak_force_n";

/// True for a name that is a column already.
pub(crate) fn is_taken(key: &str) -> bool {
    FIRST.contains(&key) || MEASURED.contains(&key) || key == LAST
}

/// The first line.
pub(crate) fn header<'a>(keys: impl Iterator<Item = &'a str>, contacts: &[String]) -> String {
    let fixed = |names: &'static [&'static str]| names.iter().map(|name| (*name).to_owned());
    let contacts = contacts.iter().map(|id| format!("{CONTACT}.{id}"));
    let all = fixed(&FIRST).chain(keys.map(str::to_owned)).chain(fixed(&MEASURED)).chain(contacts).chain([LAST.into()]);
    let cells: Vec<String> = all.map(|name| quoted(&name)).collect();
    cells.join(",") + "\n"
}

/// What is measured of a rendered sample.
#[derive(Clone, Debug, Default)]
pub(crate) struct Measured {
    pub seconds: f64,
    pub peak_dbfs: Option<f64>,
    pub lufs: Option<f64>,
    pub pitch_hz: Option<f64>,
    /// Samples beyond full scale.
    pub clipped: u64,
    /// Largest force of any contact, N.
    pub peak_force: f64,
    /// Number of times a contact closed, over all contacts.
    pub contact_count: u64,
    /// Time of touch, summed over the contacts, s.
    pub contact: f64,
    pub energy: Energy,
    /// Solves that stopped above the tolerance.
    pub missed: u64,
    /// Largest force of each contact of the header, N.
    pub forces: Vec<f64>,
}

/// The ledger at the end, J; the residual as a share of the peak.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Energy {
    pub supplied: f64,
    pub dissipated: f64,
    pub stored: f64,
    pub peak: f64,
    pub residual: f64,
}

/// One line.
#[derive(Clone, Debug)]
pub(crate) struct TableRow {
    pub index: u64,
    /// Relative to the folder; empty if there is none.
    pub file: String,
    pub status: Status,
    pub values: Vec<String>,
    pub measured: Option<Measured>,
    pub error: String,
}

impl TableRow {
    pub fn line(&self, contacts: usize) -> String {
        let mut line = format!("{},{},{}", self.index, self.file, self.status.name());
        let mut cell = |text: &str| {
            line.push(',');
            line.push_str(&quoted(text));
        };
        for value in &self.values {
            cell(value);
        }
        match &self.measured {
            None => (0..MEASURED.len() + contacts).for_each(|_| cell("")),
            Some(m) => {
                // thousandths are below any audible difference
                let rounded = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.3}"));
                cell(&shown(m.seconds));
                cell(&rounded(m.peak_dbfs));
                cell(&rounded(m.lufs));
                cell(&rounded(m.pitch_hz));
                cell(&m.clipped.to_string());
                cell(&shown(m.peak_force));
                cell(&m.contact_count.to_string());
                cell(&shown(m.contact));
                let Energy { supplied, dissipated, stored, peak, residual } = m.energy;
                for value in [supplied, dissipated, stored, peak, residual] {
                    cell(&shown(value));
                }
                cell(&m.missed.to_string());
                for force in &m.forces {
                    cell(&shown(*force));
                }
            }
        }
        cell(&self.error);
        line.push('\n');
        line
    }
}

/// A cell as RFC 4180 has it; a line break would end the row for simple readers, so it becomes a space.
fn quoted(text: &str) -> String {
    if !text.contains([',', '"', '\n', '\r']) {
        return text.to_owned();
    }
    let mut cell = String::with_capacity(text.len() + 2);
    let _ = write!(cell, "\"{}\"", text.replace('"', "\"\"").replace(['\n', '\r'], " "));
    cell
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_have_the_columns_of_the_header() {
        let contacts = ["yarn".to_owned(), "mallet-bar.strike".to_owned()];
        let head = header(["hardness", "bar.material"].into_iter(), &contacts);
        assert!(head.starts_with("index,file,status,hardness,bar.material,length_s,"));
        assert!(head.ends_with(",peak_force_n.yarn,peak_force_n.mallet-bar.strike,error\n"));
        let mut row = TableRow {
            index: 3,
            file: String::new(),
            status: Status::Refused,
            values: vec!["0.5".into(), "\"a, b\"".into()],
            measured: None,
            error: "no".into(),
        };
        let plain = |line: &str| line.replace("\"\"\"a, b\"\"\"", "ab").matches(',').count();
        assert_eq!(plain(&row.line(2)), head.matches(',').count());
        row.measured = Some(Measured { forces: vec![1.0, 2.0], ..Measured::default() });
        assert_eq!(plain(&row.line(2)), head.matches(',').count());
        assert!(row.line(2).starts_with("3,,refused,0.5,\"\"\"a, b\"\"\","), "{}", row.line(2));
    }

    #[test]
    fn cells_stay_on_one_line() {
        assert_eq!(quoted("a\nb"), "\"a b\"");
        assert_eq!(quoted("plain 1.5"), "plain 1.5");
        assert!(Status::ALL.iter().all(|status| Status::read(status.name()) == Some(*status)));
    }
}
