//! The knobs of an extracted instrument. In the middle, where they start, the file sounds like the recording.

use super::super::{Extraction, Mode};
use super::Played;
use std::fmt::Write;

/// Factor on all forces at the ends of the knob.
const FORCE: f64 = 2.5;
/// Factor on the length of pushes; the impulse stays.
const HARDNESS: f64 = 1.6;
/// Factor on all decay times.
const DAMPING: f64 = 2.5;
/// Power of the frequency, relative to the lowest strong mode, with which decay times change.
const BRIGHTNESS: f64 = 0.5;
/// Largest factor by which brightness changes a decay.
const MOST_BRIGHTNESS: f64 = 4.0;
/// Factor on the noise.
const NOISE: f64 = 10.0;

/// Writes the knobs: force, hardness, brightness, damping, and noise if there is some. `modes` are in the order of the file.
pub fn write(text: &mut String, found: &Extraction, modes: &[&Mode], played: &Played) {
    control(text, "How hard the hits are.", "force", "Force", &forces(played));
    control(
        text,
        "From a soft mallet to a hard one: how long it pushes, with the same impulse.",
        "hardness",
        "Hardness",
        &lengths(played),
    );
    let brightness = brightness(found, modes);
    control(text, "How long the high modes ring compared with the low ones.", "brightness", "Brightness", &brightness);
    let damping = [scaled("object.decay_s", DAMPING, 1.0 / DAMPING)];
    control(text, "A hand on the object.", "damping", "Damping", &damping);
    if !played.noise.is_empty() {
        let taps: Vec<String> =
            (1..=played.noise.len()).map(|name| scaled(&format!("hiss{name}.gain"), 1.0 / NOISE, NOISE)).collect();
        control(text, "How loud what does not ring is.", "noise", "Noise", &taps);
    }
}

fn control(text: &mut String, about: &str, id: &str, name: &str, maps: &[String]) {
    let maps: Vec<String> = maps.iter().map(|map| format!("  {map},")).collect();
    let _ =
        write!(text, "\n# {about}\n[[control]]\nid = \"{id}\"\nname = \"{name}\"\nmap = [\n{}\n]\n", maps.join("\n"));
}

/// A map that multiplies, by 1 in the middle.
fn scaled(to: &str, low: f64, high: f64) -> String {
    format!("{{ to = \"{to}\", curve = \"exponential\", range = [{low:.5}, {high:.5}], scale = true }}")
}

fn forces(played: &Played) -> Vec<String> {
    let mut maps = Vec::new();
    for hit in &played.hits {
        let number = hit.index + 1;
        let mut map = |key: String| maps.push(scaled(&key, 1.0 / FORCE, FORCE));
        map(format!("hit{number}.force.curve"));
        if hit.knock.is_some() {
            map(format!("push{number}.force.curve"));
        }
        if hit.sharp {
            map(format!("sharp{number}.strike.impulse_n_s"));
        }
        if hit.thud.is_some() {
            map(format!("thud{number}.force.curve"));
        }
        if hit.noise.is_some() {
            map(format!("burst{number}.force.curve"));
        }
    }
    maps
}

fn lengths(played: &Played) -> Vec<String> {
    let mut maps = Vec::new();
    for hit in &played.hits {
        let number = hit.index + 1;
        let ids = [Some("hit"), hit.knock.map(|_| "push")];
        for id in ids.into_iter().flatten() {
            maps.push(scaled(&format!("{id}{number}.force.curve"), 1.0 / HARDNESS, HARDNESS));
            let times = 1..hit.points.len();
            maps.extend(times.map(|k| scaled(&format!("{id}{number}.force.curve[{k}][0]"), HARDNESS, 1.0 / HARDNESS)));
        }
    }
    maps
}

/// One map for every mode: decays change with a power of the frequency, those of the strongest mode and below do not.
fn brightness(found: &Extraction, modes: &[&Mode]) -> Vec<String> {
    let lowest = found.modes.iter().take(5).map(|m| m.hz).fold(f64::INFINITY, f64::min);
    let factor = |m: &Mode| libm::pow((m.hz / lowest).max(1.0), BRIGHTNESS).min(MOST_BRIGHTNESS);
    let maps = modes.iter().enumerate().filter(|(_, m)| factor(m) > 1.0);
    let mut maps: Vec<String> =
        maps.map(|(k, m)| scaled(&format!("object.decay_s[{k}]"), 1.0 / factor(m), factor(m))).collect();
    if maps.is_empty() {
        maps.push(scaled("object.decay_s", 0.5, 2.0));
    }
    maps
}
