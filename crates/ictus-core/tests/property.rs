//! Random models of every kind: finite, passive, audited.

use ictus_core::step;
use ictus_testkit::scene::{SCHEMES, anything};
use ictus_testkit::{Draw, draws};

const STEPS: usize = 600;

#[test]
fn random_worlds_are_finite_passive_and_balanced() {
    for scheme in SCHEMES {
        let count = draws(500);
        let (mut worst, mut worst_raw, mut excess) = ((0.0_f64, 0), 0.0_f64, 0.0_f64);
        let (mut touched, mut missed, mut solves, mut most) = (0, 0, 0, 0);
        for seed in 0..count {
            let mut draw = Draw::new(0x9_0000 + seed as u64);
            let mut world = anything::world(scheme, &mut draw);
            let mut contact = false;
            for n in 0..STEPS {
                world.gesture(n, &mut draw);
                let scene = &mut world.scene;
                step(&scene.model, &mut scene.state);
                for &collision in &scene.collisions {
                    let force = scene.state.contact_force(collision);
                    assert!(force >= 0.0 && force.is_finite(), "{scheme:?} seed {seed} step {n}: force {force:e} N");
                    contact |= force > 0.0;
                }
                let total = &scene.state.ledger.total;
                let balance = total.stored - total.initial - total.supplied.value() - total.solver.value();
                excess = excess.max(balance / scene.state.ledger.scale());
            }
            let state = &world.scene.state;
            for &body in &world.scene.bodies {
                assert!(state.displacement(&world.scene.model, body, 0).is_finite(), "{scheme:?} seed {seed}");
            }
            assert_eq!(state.counts.quarantined, 0, "{scheme:?} seed {seed}: quarantined");
            assert_eq!(state.counts.refused_forces, 0, "{scheme:?} seed {seed}: refused forces");
            let residual = state.ledger.total.max_residual / state.ledger.scale();
            if residual > worst.0 {
                worst = (residual, seed);
            }
            worst_raw = worst_raw.max(state.ledger.total.max_raw_residual / state.ledger.scale());
            touched += usize::from(contact);
            missed += state.counts.missed;
            solves += state.counts.solves;
            most = most.max(state.counts.max_coupled_iterations);
        }
        println!(
            "{scheme:?}: {count} worlds, {touched} with collisions, {solves} solves, {missed} missed, most {most} iterations, residual {:.1e} \
             (seed {}), without the solver column {worst_raw:.1e}, energy above what was supplied {excess:.1e}",
            worst.0, worst.1
        );
        assert!(touched > count / 4, "only {touched} worlds had contact");
        assert!(worst.0 < 1e-9, "residual {:e} at seed {}", worst.0, worst.1);
        assert!(excess < 1e-9, "energy from nowhere: {excess:e}");
        assert_eq!(missed, 0);
    }
}
