//! x
use ictus_testkit::scene::{FRAMES, island};
use ictus_testkit::Draw;
#[test]
fn tails() {
    for (name, build) in island::SCENES {
        for frame in FRAMES {
            let mut hist = [0u64; 32]; let mut missed = 0; let mut worst_scene: f64 = 0.0;
            for seed in 0..ictus_testkit::draws(200) {
                let mut scene = build(frame, &mut Draw::new(0x7_0000 + seed as u64));
                for _ in 0..400 { ictus_core::step(&scene.model, &mut scene.state); }
                let c = &scene.state.counts;
                for (a, b) in hist.iter_mut().zip(c.histogram) { *a += b; }
                missed += c.missed; worst_scene = worst_scene.max(c.mean_iterations());
            }
            let n: u64 = hist.iter().sum();
            let max = hist.iter().rposition(|&x| x > 0).unwrap_or(0);
            let mean = hist.iter().enumerate().map(|(i, &x)| i as f64 * x as f64).sum::<f64>() / n as f64;
            println!("{name:>22} {frame:?} mean {mean:.3} >5 {:.4}% max {max} missed {missed} worst mean {worst_scene:.2}", 100.0 * hist[6..].iter().sum::<u64>() as f64 / n as f64);
        }
    }
}
