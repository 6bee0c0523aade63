//! Coupled contacts: the scenes of handbook §7 with its figures.

use ictus_core::{Clock, Frame};
use ictus_testkit::scene::{FRAMES, island};
use ictus_testkit::{Draw, draws};

/// Steps per draw.
const STEPS: usize = 400;

#[test]
fn scenes_are_solved_without_a_miss() {
    for (name, build) in island::SCENES {
        for frame in FRAMES {
            let (mut solves, mut within, mut iterations, mut most, mut missed) = (0, 0, 0, 0, 0);
            let (mut residual, mut raw, mut pull, mut contacts) = (0.0_f64, 0.0_f64, 0.0_f64, 0);
            let count = draws(200);
            for seed in 0..count {
                let mut draw = Draw::new(0x7_0000 + seed as u64);
                let mut scene = build(frame, &mut draw);
                let report = scene.play(STEPS);
                let counts = &report.counts;
                if counts.missed > 0 || report.residual[0] > 1e-12 || counts.max_coupled_iterations > 12 {
                    println!("  {name} {frame:?} seed {seed}: missed {} residual {:.1e} raw {:.1e} max it {} in {} solves", counts.missed, report.residual[0], report.residual[1], counts.max_coupled_iterations, counts.coupled_solves);
                }
                solves += counts.coupled_solves;
                within += counts.histogram[..=5].iter().sum::<u64>();
                iterations += counts.coupled_iterations;
                most = most.max(counts.max_coupled_iterations);
                missed += counts.missed;
                residual = residual.max(report.residual[0]);
                raw = raw.max(report.residual[1]);
                pull = pull.min(report.force[0] / report.force[1].max(f64::MIN_POSITIVE));
                contacts += u64::from(report.contact_steps > 0);
            }
            println!(
                "{name:>22} {frame:?}: {contacts}/{count} touched, {solves} solves, mean {:.2}, {:.4} % within 5, most {most}, missed {missed}, \
                 residual {residual:.1e}, raw {raw:.1e}, pull {pull:.1e}",
                iterations as f64 / solves as f64,
                100.0 * within as f64 / solves as f64
            );
        }
    }
}

#[test]
fn sixteen_touching_balls_in_both_directions() {
    for frame in FRAMES {
        for forwards in [true, false] {
            let clock = Clock::new(frame, 1.0 / 44_100.0);
            let mut scene = island::touching(clock, 16, 1e13, forwards);
            let report = scene.play(2000);
            println!("{frame:?} forwards {forwards}: {:?} most {} mean {:.2} residual {:.1e} raw {:.1e} hist {:?}", report.contact_steps, report.counts.max_coupled_iterations, report.counts.mean_iterations(), report.residual[0], report.residual[1], &report.counts.histogram[..16]);
        }
    }
    let _ = Frame::Midpoint;
}
