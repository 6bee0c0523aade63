//! Prints how long every preset takes from text to plan, and from the bytes of a plan to a player that can be heard.
use ictus_engine::{Plan, Player, presets};
use std::time::Instant;

fn main() {
    let mut rows = Vec::new();
    for preset in presets::ALL {
        let mut best = [f64::INFINITY; 3];
        let mut size = 0;
        for _ in 0..5 {
            let mut times = [0.0; 3];
            let start = Instant::now();
            let loaded = ictus_instrument::load(preset.stem, preset.text, &[]).expect("loads");
            times[0] = start.elapsed().as_secs_f64();
            let plan = Plan::compile(&loaded, 48_000).expect("compiles");
            times[1] = start.elapsed().as_secs_f64();
            let bytes = plan.to_bytes();
            size = bytes.len();
            let start = Instant::now();
            let patch = Plan::from_bytes(&bytes).expect("is a plan").link().expect("links");
            std::hint::black_box(Player::new(&patch));
            times[2] = start.elapsed().as_secs_f64();
            for (best, x) in best.iter_mut().zip(times) {
                *best = best.min(1e3 * x);
            }
        }
        rows.push((preset.stem, best, size));
    }
    rows.sort_by(|a, b| b.1[2].total_cmp(&a.1[2]));
    for (stem, [load, plan, link], size) in &rows {
        println!("{stem:24} load {load:7.3}  to plan {plan:8.3}  link {link:7.3} ms  {:8.1} kB", *size as f64 / 1e3);
    }
    let median = |of: fn(&(&str, [f64; 3], usize)) -> f64| {
        let mut all: Vec<f64> = rows.iter().map(of).collect();
        all.sort_by(f64::total_cmp);
        all[all.len() / 2]
    };
    let [plan, link] = [median(|row| row.1[1]), median(|row| row.1[2])];
    println!("median: to plan {plan:.2}  link {link:.2} ms  {:.1} kB", median(|row| row.2 as f64) / 1e3);
    let quick = rows.iter().filter(|row| row.1[2] <= 2.0).count();
    println!("{quick} of {} presets link within 2 ms", rows.len());
}
