//! What is left of a sound: a struck bar that has decayed beyond hearing, and on to numbers too small for a processor's fast path.

use super::{Case, Measured};
use crate::line::Line;
use crate::measure::{Meter, median};
use crate::scene::RATE;
use ictus_engine::{Instrument, Performance};
use std::time::Instant;

/// Sixty decibels take 0.2 s: after ten seconds only 10⁻¹⁵⁰ is left.
const BAR: &str = include_str!("bar.toml");
/// Samples of a section.
const SECTION: usize = 12_000;
const SECTIONS: usize = 48;
/// Sections in which the bar sounds, the stroke left out.
const SOUNDING: std::ops::Range<usize> = 1..4;
/// First section of the tail: 600 dB down.
const SILENT: usize = 8;
/// Sections in which what is slow would be slow throughout: half the decay from the smallest usual number to zero.
const ALIKE: usize = 4;

pub(super) fn case() -> Case {
    Case::new("silent tail", silent_tail)
}

fn silent_tail(name: &str, meter: Meter) -> Measured {
    let loaded = ictus_instrument::load("bar.toml", BAR, &[]).map_err(|error| error.to_string())?;
    let instrument = Instrument::compile(&loaded, RATE as u32).map_err(|error| error.to_string())?;
    let mut frames = vec![[0.0f32; 2]; SECTION];
    let mut times = vec![Vec::new(); SECTIONS];
    let mut loudest = [0.0f32; SECTIONS];
    for _ in 0..meter.rounds_of(SECTIONS) {
        let mut performance = Performance::new(&instrument);
        for (times, loudest) in times.iter_mut().zip(&mut loudest) {
            let start = Instant::now();
            performance.render(&mut frames);
            times.push(start.elapsed().as_secs_f64() * 1e9 / SECTION as f64);
            *loudest = frames.iter().fold(0.0, |most, [left, _]| left.abs().max(most));
        }
    }
    assert!(loudest[SOUNDING.start] > 1e-6, "the bar was not struck");
    assert!(loudest[SILENT] < 1e-20, "the bar still rings");
    let middle = |sections: &[Vec<f64>]| median(sections.concat());
    let active = middle(&times[SOUNDING]);
    // the slowest second, so that no stretch of the tail hides behind another
    let silent = times[SILENT..].chunks(ALIKE).map(middle).fold(0.0, f64::max);
    Ok(vec![Line::new(name, silent, "ns/sample").against("the sound", active).goal(1.0 / 1.1)])
}
