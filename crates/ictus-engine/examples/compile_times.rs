//! Prints how long every preset takes from text to patch.
use ictus_engine::{Patch, Player, presets};
use std::time::Instant;

fn main() {
    let mut rows = Vec::new();
    for preset in presets::ALL {
        let mut best = [f64::INFINITY; 3];
        for _ in 0..5 {
            let start = Instant::now();
            let loaded = ictus_instrument::load(preset.stem, preset.text, &[]).expect("loads");
            let load = start.elapsed().as_secs_f64();
            let start = Instant::now();
            let patch = Patch::compile(&loaded, 48_000).expect("compiles");
            let compile = start.elapsed().as_secs_f64();
            let start = Instant::now();
            let player = Player::new(&patch);
            let new = start.elapsed().as_secs_f64();
            std::hint::black_box(player);
            for (best, x) in best.iter_mut().zip([load, compile, new]) {
                *best = best.min(x);
            }
        }
        rows.push((preset.stem, best));
    }
    rows.sort_by(|a, b| b.1[1].total_cmp(&a.1[1]));
    for (stem, [load, compile, new]) in rows {
        println!("{stem:24} load {:8.3} compile {:8.3} player {:8.3} ms", load * 1e3, compile * 1e3, new * 1e3);
    }
}
