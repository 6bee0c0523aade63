//! A struck bar that is quick to render.

use ictus_sweep::{Error, Plan, Summary, Sweep};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;

pub const BAR: &str = r#"
format = 1
title = "Test bar"
seconds = 0.05

[[resonator]]
id = "mallet"
kind = "mass"
mass_kg = 0.02

[[resonator]]
id = "bar"
kind = "modes"
frequency_hz = [440.0, 1212.9, 2377.7]
decay_s = [1.8, 0.7, 0.3]
mass_kg = 0.11
ports = { strike = [1.0, -0.6, 0.3], air = [0.8, 0.5, 0.2] }

[[interaction]]
id = "felt"
kind = "collision"
between = ["mallet", "bar.strike"]
stiffness = 4.0e8
exponent = 2.3
gap_m = 0.001

[[gesture]]
throw = { what = "mallet", velocity_m_s = 1.5 }

[[tap]]
from = "bar.air"
gain = 5.0

[[control]]
id = "hardness"
map = [{ to = "felt.stiffness", curve = "exponential", range = [1e7, 1e9] }]
"#;

pub fn plan(vary: &[&str], count: u64) -> Plan {
    let vary = vary.iter().map(|text| text.parse().expect("a range")).collect();
    Plan { count: Some(count), ..Plan::new("bar.toml", BAR, vary) }
}

pub fn run(plan: &Plan, folder: &Path, jobs: usize) -> Result<Summary, Error> {
    Sweep::new(plan.clone())?.run(folder, jobs, &AtomicBool::new(false), &|_| {})
}

/// Every file below a folder with its bytes.
pub fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    fn walk(root: &Path, folder: &Path, found: &mut BTreeMap<String, Vec<u8>>) {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                walk(root, &path, found);
            } else {
                let name = path.strip_prefix(root).expect("below").to_string_lossy().into_owned();
                found.insert(name, std::fs::read(&path).expect("a file"));
            }
        }
    }
    let mut found = BTreeMap::new();
    walk(folder, folder, &mut found);
    found
}

/// The cells of the table by column. Good for tables without quoted cells.
pub fn columns(folder: &Path) -> BTreeMap<String, Vec<String>> {
    let text = std::fs::read_to_string(folder.join(ictus_sweep::TABLE)).expect("the table");
    let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    let names = lines.next().expect("a header");
    let rows: Vec<Vec<String>> = lines.collect();
    assert!(rows.iter().all(|row| row.len() == names.len()), "{text}");
    names.into_iter().enumerate().map(|(i, name)| (name, rows.iter().map(|row| row[i].clone()).collect())).collect()
}
