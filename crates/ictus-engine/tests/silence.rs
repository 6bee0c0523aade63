//! What has decayed leaves no subnormal numbers, neither in the state nor in the samples, and costs no more than sound. Processors take tens of times as
//! long for such numbers, and WebAssembly cannot switch them off.

use ictus_engine::{Patch, Player, presets};
use std::time::Instant;

const RATE: u32 = 48_000;
/// A tenth of a second.
const BLOCK: usize = 4800;
/// Dry: the last of its strokes, after four seconds, has decayed to 10⁻¹⁴⁰, where values are flushed, after 24.
const PRESET: &str = "xylophone-bar";
/// Seconds with strokes.
const STRUCK: usize = 4;
const SECONDS: usize = 26;

#[test]
fn a_tail_has_no_subnormal_numbers_and_costs_no_more_than_sound() {
    let preset = presets::find(PRESET).expect("a preset");
    let loaded = ictus_instrument::load(preset.stem, preset.text, &[]).expect("a preset loads");
    let patch = Patch::compile(&loaded, RATE).expect("a preset compiles");
    let mut player = Player::new(&patch);
    let mut frames = vec![[0.0f32; 2]; BLOCK];
    // medians of every second: other work on the machine slows single blocks
    let costs: Vec<f64> = (0..SECONDS)
        .map(|second| {
            let mut blocks = [0.0; RATE as usize / BLOCK].map(|_: f64| {
                let start = Instant::now();
                player.render(&mut frames);
                let cost = start.elapsed().as_secs_f64();
                let faintest = player.state().faintest().unwrap_or(1.0);
                assert!(!faintest.is_subnormal(), "{faintest:e} in the state after {second} s");
                let subnormal = frames.as_flattened().iter().find(|sample| sample.is_subnormal());
                assert_eq!(subnormal, None, "a sample after {second} s");
                cost
            });
            blocks.sort_by(f64::total_cmp);
            blocks[blocks.len() / 2]
        })
        .collect();
    let (struck, tail) = costs.split_at(STRUCK);
    let [struck, tail] = [struck, tail].map(|costs| costs.iter().copied().fold(0.0, f64::max));
    println!("{:.2} ms for {BLOCK} frames while struck, at most {:.2} ms after", 1e3 * struck, 1e3 * tail);
    assert!(player.ledger().peak > 0.0, "struck");
    assert!(frames.as_flattened().iter().all(|&sample| sample == 0.0), "silent after {SECONDS} s");
    // through subnormals it would be tens of times as much; on a busy machine it is less than four
    assert!(tail < 4.0 * struck, "the tail costs {:.1} times as much", tail / struck);
}
