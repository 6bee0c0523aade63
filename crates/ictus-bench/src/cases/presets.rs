//! The load of every preset as it is played: the mean and the worst block, with the ledger and without. Measured by `ictus bench presets` only.

use super::{Case, Measured};
use crate::line::Line;
use crate::measure::{Meter, median};
use crate::scene::RATE;
use ictus_engine::{Io, Patch, Player, presets};
use std::time::Instant;

/// What the names of all begin with, and those with the ledger end with.
const PREFIX: &str = "presets, ";
const AUDITED: &str = ", audited";
/// Frames of a block.
const BLOCK: usize = 64;
/// Most seconds of a preset.
const LONGEST: f64 = 2.0;
/// Times each block is played; the fastest counts, so that another program does not.
const TIMES: usize = 3;

pub(super) fn cases() -> Vec<Case> {
    let case = |preset: &'static presets::Preset| {
        Case::on_request(format!("{PREFIX}{}", preset.stem), move |name, meter| load_of(name, meter, preset))
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
        // a line of its own, or the table would hide its value
        let name = if audited { format!("{name}{AUDITED}") } else { name.to_owned() };
        lines.push(Line::new(&name, mean, "% of real time").with_worst(worst));
    }
    Ok(lines)
}

/// Two lines over all presets measured, if there are several: the median and the largest of the means, and beside them of the worst blocks.
pub fn load_summary(lines: &[Line]) -> Vec<String> {
    let summary = |audited: bool| {
        let loads: Vec<(f64, f64, &str)> = lines
            .iter()
            .filter(|line| line.name.ends_with(AUDITED) == audited)
            .filter_map(|line| Some((line.value, line.worst()?, line.name.strip_prefix(PREFIX)?)))
            .collect();
        let describe = |of: fn(&(f64, f64, &str)) -> f64| {
            let most = loads.iter().max_by(|one, other| of(one).total_cmp(&of(other)))?;
            let middle = median(loads.iter().map(of).collect());
            Some(format!("median {middle:.2} %, largest {:.1} % ({})", of(most), most.2.trim_end_matches(AUDITED)))
        };
        let how = if audited { "with the ledger" } else { "without the ledger" };
        let (mean, worst) = (describe(|load| load.0)?, describe(|load| load.1)?);
        (loads.len() > 1).then(|| format!("{} presets {how}: mean load {mean}; worst block {worst}", loads.len()))
    };
    [false, true].into_iter().filter_map(summary).collect()
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
        assert_eq!([&lines[0].name, &lines[1].name], ["marimba", "marimba, audited"]);
        assert!(lines.iter().all(|line| line.worst() >= Some(line.value)), "{lines:?}");
    }

    #[test]
    fn the_summary_has_median_and_largest_of_each_kind() {
        let line = |name: &str, mean, worst| Line::new(name, mean, "% of real time").with_worst(worst);
        let mut lines = vec![Line::new("clock", 3.0, "GHz"), line("presets, a", 2.0, 20.0)];
        assert!(load_summary(&lines).is_empty(), "one preset has no median");
        lines.extend([line("presets, b", 4.0, 16.0), line("presets, c", 8.0, 10.0)]);
        lines.extend([line("presets, a, audited", 5.0, 50.0), line("presets, b, audited", 6.0, 8.0)]);
        assert_eq!(
            load_summary(&lines),
            [
                "3 presets without the ledger: mean load median 4.00 %, largest 8.0 % (c); worst block median 16.00 %, largest 20.0 % (a)",
                "2 presets with the ledger: mean load median 6.00 %, largest 6.0 % (b); worst block median 50.00 %, largest 50.0 % (a)"
            ]
        );
    }
}
