//! What can be moved in an instrument while it sounds: its inputs and its knobs.

use super::catalogue::{pretty, print};
use crate::failure::Failure;
use crate::source;
use ictus_engine::{Knob, Patch};
use ictus_instrument::{Dimension, Input};
use serde_json::{Value, json};
use std::process::ExitCode;

/// Samples per second for which the instrument is compiled: its inputs are the same at any.
const RATE: u32 = 48_000;

pub fn run(name: Option<&str>, as_json: bool) -> Result<ExitCode, Failure> {
    let source = source::find(name)?;
    let loaded = ictus_instrument::load(&source.name, &source.text, &[])?;
    let patch = Patch::compile(&loaded, RATE)?;
    if as_json {
        let inputs: Vec<Value> = patch.inputs().map(input).collect();
        let knobs: Vec<Value> = patch.knobs().iter().map(|known| knob(&patch, known)).collect();
        return print(&pretty(&json!({ "inputs": inputs, "knobs": knobs })));
    }
    let rows: Vec<[String; 4]> = patch.inputs().map(row).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let (first, second, third) = (width(0), width(1), width(2));
    let mut text = "inputs: moved by events, modulators and surfaces\n".to_owned();
    for [id, value, range, ramp] in &rows {
        text += &format!("  {id:<first$}  {value:>second$}  {range:<third$}  {ramp}\n");
    }
    text += "knobs: 0 to 1\n";
    for known in patch.knobs() {
        let structural = listed(&structural(&patch, known));
        let how = if known.is_live() {
            let driven: Vec<&str> = known.control.map.iter().map(|map| map.to.as_str()).collect();
            format!("live: {}", listed(&driven))
        } else {
            format!("before it is loaded (--set): it drives {structural}")
        };
        text += &format!("  {:<first$}  {:>second$}  {how}\n", known.control.id, known.control.default);
    }
    print(&text)
}

/// The first of them, and how many follow.
fn listed(paths: &[&str]) -> String {
    match paths {
        [first, second, _, rest @ ..] => format!("{first}, {second} and {} more", rest.len() + 1),
        _ => paths.join(", "),
    }
}

/// What a knob drives that cannot be moved while the instrument sounds.
fn structural<'a>(patch: &'a Patch, knob: &'a Knob) -> Vec<&'a str> {
    let paths: Vec<&str> = patch.inputs().map(|input| input.path.as_str()).collect();
    let found: Vec<&str> = knob.structural(&paths);
    // an input that the file moves along a curve of its own, or that two knobs drive
    if found.is_empty() { knob.control.map.iter().map(|map| map.to.as_str()).collect() } else { found }
}

fn row(input: &Input) -> [String; 4] {
    let (low, high) = input.range;
    let range = format!("{} … {}", shown(input, low), shown(input, high));
    let ramp = if input.ramp_s > 0.0 { format!("in {}", time(input.ramp_s)) } else { "at once".to_owned() };
    [input.id.clone(), shown(input, input.start), range, ramp]
}

/// A value with its unit.
fn shown(input: &Input, value: f64) -> String {
    // a computed value has more digits than a person reads
    let short: f64 = format!("{value:.5e}").parse().unwrap_or(value);
    input.kind.dimension().map_or_else(|| format!("{short}"), |dimension| dimension.format(short))
}

fn time(seconds: f64) -> String {
    Dimension::of_key("_s").map_or_else(|| format!("{seconds} s"), |dimension| dimension.format(seconds))
}

fn input(input: &Input) -> Value {
    json!({
        "id": input.id, "path": input.path, "kind": "live", "unit": input.unit,
        "range": [input.range.0, input.range.1], "limits": [input.limits.0, input.limits.1],
        "default": input.start, "ramp_s": input.ramp_s, "text": shown(input, input.start),
    })
}

fn knob(patch: &Patch, knob: &Knob) -> Value {
    let maps: Vec<Value> =
        knob.control.map.iter().map(|map| json!({ "to": map.to, "curve": map.curve, "scale": map.scale })).collect();
    let kind = if knob.is_live() { "live" } else { "structural" };
    let mut out = json!({
        "id": knob.control.id, "name": knob.control.name, "default": knob.control.default, "kind": kind, "map": maps,
    });
    if !knob.is_live() {
        out["structural"] = json!(structural(patch, knob));
    }
    out
}
