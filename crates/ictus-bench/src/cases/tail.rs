//! What is left of a sound: a struck bar that has decayed beyond hearing, and on to numbers too small for a processor's fast path.

use super::{Case, Measured};
use crate::line::Line;
use crate::measure::{Meter, median};
use crate::scene::RATE;
use ictus_engine::{Patch, Player};
use std::time::Instant;

const BAR: &str = include_str!("bar.toml");
/// Decay of the bar that fades, s per 60 dB: in five seconds it would pass the smallest number there is, 10⁻³²⁴.
const FADING: &str = "0.04";
/// Samples of a section.
const SECTION: usize = 4800;
/// Sections of the bar that sounds; the stroke is in the first.
const SOUNDING: usize = 5;
/// Sections of the bar that fades.
const FADED: usize = 50;
/// The first of them that is silent: 750 dB down.
const SILENT: usize = 5;
/// Sections that are judged together. Numbers that are slow to calculate with would last as long.
const ALIKE: usize = 5;

pub(super) fn case() -> Case {
    Case::new("silent tail", silent_tail)
}

fn silent_tail(name: &str, meter: Meter) -> Measured {
    let (sounding, fading) = (patch(&[])?, patch(&[("bar.decay_s".to_owned(), FADING.to_owned())])?);
    let (mut sound, mut tail) = (vec![Vec::new(); SOUNDING], vec![Vec::new(); FADED]);
    for _ in 0..meter.rounds_of(FADED) {
        let last = play(&sounding, &mut sound);
        assert!(last > 1e-6, "the bar was not struck");
        let last = play(&fading, &mut tail);
        assert!(last < 1e-20, "the bar still rings");
    }
    let middle = |sections: &[Vec<f64>]| median(sections.concat());
    let active = middle(&sound[1..]);
    // the slowest stretch, so that it cannot hide behind the others
    let silent = tail[SILENT..].chunks(ALIKE).map(middle).fold(0.0, f64::max);
    Ok(vec![Line::new(name, silent, "ns/sample").against("the sound", active).goal(1.0 / 1.1)])
}

fn patch(settings: &[(String, String)]) -> Result<Patch, String> {
    let loaded = ictus_instrument::load("bar.toml", BAR, settings).map_err(|error| error.to_string())?;
    Patch::compile(&loaded, RATE as u32).map_err(|error| error.to_string())
}

/// Plays from the beginning and notes the ns of a sample in each section; returns how loud the last section is.
fn play(patch: &Patch, sections: &mut [Vec<f64>]) -> f32 {
    let mut player = Player::new(patch);
    let mut frames = [[0.0f32; 2]; SECTION];
    for times in sections {
        let start = Instant::now();
        player.render(&mut frames);
        times.push(start.elapsed().as_secs_f64() * 1e9 / SECTION as f64);
    }
    frames.iter().fold(0.0, |most, [left, _]| left.abs().max(most))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_sounds_and_fades() {
        let lines = silent_tail("tail", Meter::QUICK).expect("a bar");
        assert!(lines[0].ratio > Some(0.0), "{lines:?}");
    }
}
