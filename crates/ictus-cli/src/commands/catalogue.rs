//! Of what and in which form objects can be made.

use crate::failure::Failure;
use ictus_objects::{Key, Material};
use serde_json::{Value, json};
use std::io::Write;
use std::process::ExitCode;

/// Frequency at which the table shows how long a material rings, Hz.
const SHOWN_AT: f64 = 1000.0;

pub fn materials(wanted: &str, as_json: bool) -> Result<ExitCode, Failure> {
    let found: Vec<&Material> = ictus_objects::materials().filter(|material| material.name.contains(wanted)).collect();
    if as_json {
        let one = |material: &&Material| {
            json!({
                "name": material.name,
                "density_kg_m3": material.density_kg_m3,
                "young_pa": material.young_pa,
                "poisson": material.poisson,
                "damping_1_s": material.damping.a,
                "loss_factor": material.damping.b / std::f64::consts::PI,
                "viscous_s": material.damping.c,
            })
        };
        return print(&pretty(&found.iter().map(one).collect::<Vec<_>>()));
    }
    let mut text = format!(
        "  {:<14} {:>8} {:>8} {:>8} {:>12} {:>14}\n",
        "material", "kg/m³", "GPa", "Poisson", "loss factor", "T60 at 1 kHz"
    );
    for material in &found {
        let Material { name, density_kg_m3, young_pa, poisson, damping } = material;
        let loss = damping.b / std::f64::consts::PI;
        let decay = damping.decay_s(SHOWN_AT);
        let young = young_pa / 1e9;
        text += &format!("  {name:<14} {density_kg_m3:>8} {young:>8} {poisson:>8} {loss:>12.5} {decay:>12.3} s\n");
    }
    listed(found.is_empty(), "material", wanted, &text)
}

pub fn shapes(wanted: &str, as_json: bool) -> Result<ExitCode, Failure> {
    let found: Vec<_> = ictus_objects::shapes().iter().filter(|shape| shape.name.contains(wanted)).collect();
    if as_json {
        let key = |key: &Key| json!({"name": key.name, "what": key.what, "default": key.default});
        let list = found.iter().map(|shape| {
            let keys: Vec<Value> = shape.keys.iter().map(key).collect();
            json!({"name": shape.name, "what": shape.what, "keys": keys, "point": shape.point})
        });
        return print(&pretty(&list.collect::<Vec<_>>()));
    }
    let mut text = String::new();
    for shape in &found {
        text += &format!("  {} — {}\n", shape.name, shape.what);
        for key in shape.keys {
            let default = key.default.map_or(String::new(), |value| format!(" [{value}]"));
            text += &format!("      {:<14} {}{default}\n", key.name, key.what);
        }
        text += &format!("      {:<14} {}\n", "port", shape.point);
    }
    listed(found.is_empty(), "shape", wanted, &text)
}

fn listed(empty: bool, what: &str, wanted: &str, text: &str) -> Result<ExitCode, Failure> {
    if empty {
        let help = format!("`ictus list --{what}s` shows all of them");
        return Err(Failure::new(format!("no {what} matches `{wanted}`"), help));
    }
    print(text)
}

pub(super) fn pretty(list: &impl serde::Serialize) -> String {
    serde_json::to_string_pretty(list).unwrap_or_default() + "\n"
}

pub(super) fn print(text: &str) -> Result<ExitCode, Failure> {
    write!(std::io::stdout().lock(), "{text}").map_err(|_| Failure::Hangup)?;
    Ok(ExitCode::SUCCESS)
}
