//! A struck object answers to how hard and where it is struck, not only louder or softer: the spectrum itself changes.
//!
//! Measure: levels in third-octave bands over the first 1.5 s, each spectrum set to the same total; rms difference in dB over the bands
//! that lie within 40 dB of the strongest in either. A difference of 1 dB in one band is about what an ear notices.

use ictus_analysis::{Window, mono, spectrum::Spectrum};
use ictus_engine::{Patch, Player, presets, presets::Preset};
use ictus_instrument::{Category, load};
use std::sync::Mutex;

const RATE: u32 = 48_000;
const SECONDS: f64 = 1.5;
const LOWEST_HZ: f64 = 40.0;
const BANDS: i32 = 26; // thirds of an octave, to 16 kHz
const RANGE_DB: f64 = 40.0;
const HEARD_DB: f64 = 1.0;
/// Struck by falling on something: the place is not theirs to choose.
const WITHOUT_POSITION: [&str; 4] = ["bouncing-ball", "bouncing-mass", "newtons-cradle", "tea-cup"];

/// Struck harder it is hardly brighter (0.4 dB): its felt stays for 2 ms, short against the periods of all its strong partials.
const LOUDER_ONLY: [&str; 1] = ["timpani"];

/// Band levels, dB, with the total at 0 dB.
fn bands(preset: &Preset, knob: &str, position: &str) -> Result<Vec<f64>, String> {
    let settings = [(knob.to_owned(), position.to_owned())];
    let loaded = load(preset.stem, preset.text, &settings).map_err(|error| error.to_string())?;
    let patch = Patch::compile(&loaded, RATE).map_err(|error| error.to_string())?;
    let mut player = Player::new(&patch);
    player.audit(false);
    let mut frames = vec![[0.0f32; 2]; (SECONDS * f64::from(RATE)) as usize];
    player.render(&mut frames);
    let spectrum = Spectrum::of(&mono(frames.as_flattened(), 2), f64::from(RATE), Window::Rectangular);
    let edge = |band: i32| ((LOWEST_HZ * libm::exp2(f64::from(band) / 3.0)) / spectrum.bin_hz) as usize;
    let power = |band: i32| spectrum.amplitude[edge(band)..edge(band + 1)].iter().map(|a| a * a).sum::<f64>();
    let powers: Vec<f64> = (0..BANDS).map(power).collect();
    let total: f64 = powers.iter().sum();
    if total <= 0.0 {
        return Err(format!("{knob} at {position} is silent"));
    }
    Ok(powers.iter().map(|power| 10.0 * libm::log10((power / total).max(1e-12))).collect())
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    let top = |bands: &[f64]| bands.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let (top_a, top_b) = (top(a), top(b));
    let heard = a.iter().zip(b).filter(|(a, b)| **a > top_a - RANGE_DB || **b > top_b - RANGE_DB);
    // what has sunk below the range counts as having sunk to its floor
    let difference = |(a, b): (&f64, &f64)| a.max(top_a - RANGE_DB) - b.max(top_b - RANGE_DB);
    let squares: Vec<f64> = heard.map(difference).map(|d| d * d).collect();
    (squares.iter().sum::<f64>() / squares.len() as f64).sqrt()
}

#[test]
fn force_and_position_change_the_spectrum_of_everything_struck() {
    let struck: Vec<&Preset> = (presets::ALL.iter())
        .filter(|preset| {
            let spec = load(preset.stem, preset.text, &[]).expect("a preset loads").spec;
            spec.preset.is_some_and(|block| block.category == Category::Struck)
        })
        .collect();
    assert!(struck.len() >= 15);
    let next = Mutex::new(struck.iter());
    let failures = Mutex::new(Vec::new());
    let work = || {
        while let Some(preset) = { next.lock().expect("no panic while locked").next() } {
            let mut knobs = Vec::new();
            if !LOUDER_ONLY.contains(&preset.stem) {
                knobs.push("force");
            }
            if !WITHOUT_POSITION.contains(&preset.stem) {
                knobs.push("position");
            }
            for knob in knobs {
                let found = bands(preset, knob, "0").and_then(|low| Ok(distance(&low, &bands(preset, knob, "1")?)));
                println!("{:<20} {knob:<9} {found:.1?} dB", preset.stem);
                if !found.as_ref().is_ok_and(|&distance| distance >= HEARD_DB) {
                    failures.lock().expect("no panic while locked").push(format!("{}: {knob} {found:?}", preset.stem));
                }
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    let failures = failures.into_inner().expect("no panic while locked");
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

#[test]
fn the_measure_does_not_hear_level() {
    let preset = presets::find(presets::DEFAULT).expect("the default preset");
    let plain = bands(preset, "left.gain", "2.4e-4").expect("a sound");
    assert!(distance(&plain, &plain) == 0.0);
    let moved: Vec<f64> = plain.iter().map(|level| level - 6.0).collect();
    let back: f64 = 10.0 * libm::log10(moved.iter().map(|level| libm::pow(10.0, 0.1 * level)).sum::<f64>());
    let moved: Vec<f64> = moved.iter().map(|level| level - back).collect();
    assert!(distance(&plain, &moved) < 1e-9);
}
