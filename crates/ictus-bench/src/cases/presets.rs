//! The load of every preset as it is played: the mean and the worst block, with the ledger and without. Measured by `ictus bench presets` only.

use super::{Case, Measured};
use crate::line::Line;
use crate::measure::Meter;
use crate::scene::RATE;
use ictus_engine::{Io, Patch, Player, presets};
use std::time::Instant;

/// Frames of a block.
const BLOCK: usize = 64;
/// Most seconds of a preset.
const LONGEST: f64 = 2.0;
/// Times each block is played; the fastest counts, so that another program does not.
const TIMES: usize = 3;

pub(super) fn cases() -> Vec<Case> {
    let case = |preset: &'static presets::Preset| {
        Case::on_request(format!("presets, {}", preset.stem), move |name, meter| load_of(name, meter, preset))
    };
    presets::ALL.iter().map(case).collect()
}

/// Two lines: without the ledger, as it is played live, and with it, as it is rendered.
fn load_of(name: &str, meter: Meter, preset: &presets::Preset) -> Measured {
    let loaded = ictus_instrument::load(preset.stem, preset.text, &[]).map_err(|error| error.to_string())?;
    let patch = Patch::compile(&loaded, RATE as u32).map_err(|error| error.to_string())?;
    let longest = if meter.is_quick() { 0.1 } else { LONGEST };
    let blocks = (loaded.spec.seconds.min(longest) * RATE) as usize / BLOCK;
    let mut lines = Vec::new();
    for audited in [false, true] {
        let mut least = vec![f64::INFINITY; blocks];
        for _ in 0..if meter.is_quick() { 1 } else { TIMES } {
            play(&patch, audited, &mut least);
        }
        let share = |seconds: f64| 100.0 * seconds * RATE / BLOCK as f64;
        let mean = share(least.iter().sum::<f64>() / blocks as f64);
        let worst = share(least.iter().fold(0.0, |most: f64, x| most.max(*x)));
        let what = if audited { "audited, worst block" } else { "worst block" };
        lines.push(Line::new(name, mean, "% of real time").with_ratio(format!("{what} {worst:.1} %"), mean / worst));
    }
    Ok(lines)
}

fn play(patch: &Patch, audited: bool, least: &mut [f64]) {
    let mut player = Player::new(patch);
    player.audit(audited);
    let (mut left, mut right) = ([0.0f32; BLOCK], [0.0f32; BLOCK]);
    for least in least {
        let start = Instant::now();
        player.process(&[], Io { inputs: &[], buses: &mut [&mut left, &mut right] });
        *least = least.min(start.elapsed().as_secs_f64());
        std::hint::black_box((&left, &right));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preset_has_two_loads() {
        let preset = presets::find("marimba-bar").expect("a preset");
        let lines = load_of("marimba", Meter::QUICK, preset).expect("it plays");
        assert!(lines.len() == 2 && lines.iter().all(|line| line.value > 0.0 && line.ratio <= Some(1.0)), "{lines:?}");
    }
}
