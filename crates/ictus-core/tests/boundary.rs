//! The work done from outside, summed without the ledger, is that of the ledger, for random worlds and gestures.

use ictus_core::step;
use ictus_testkit::scene::{SCHEMES, anything};
use ictus_testkit::{Draw, draws};

const STEPS: usize = 1500;
/// The worlds' ledgers close to 1e-11; the stored energies of both are measured in different orders.
const SAME: f64 = 1e-10;

#[test]
fn the_sum_without_the_ledger_is_that_of_the_ledger() {
    let mut supplied_by = 0;
    for scheme in SCHEMES {
        for seed in 0..draws(60) as u64 {
            let mut worlds = [true, false].map(|audited| {
                let mut draw = Draw::new(seed);
                let mut world = anything::world(scheme, &mut draw);
                let (model, state) = (&world.scene.model, &mut world.scene.state);
                state.audit(model, audited);
                state.measure(model, true);
                (world, draw)
            });
            let (mut supplied, mut kicks) = ([0.0; 2], Draw::new(seed + 1000));
            for n in 0..STEPS {
                let kick = kicks.chance(0.01).then(|| (kicks.integer(0, 100), kicks.uniform(-1e-3, 1e-3)));
                for ((world, draw), supplied) in worlds.iter_mut().zip(&mut supplied) {
                    world.gesture(n, draw);
                    let (model, state) = (&world.scene.model, &mut world.scene.state);
                    if let Some((body, impulse)) = kick {
                        state.kick(model, world.scene.bodies[body % world.scene.bodies.len()], 0, impulse);
                    }
                    step(model, state);
                    *supplied = state.balance(model).supplied;
                }
            }
            let (audited, measured) = (&worlds[0].0.scene, &worlds[1].0.scene);
            let ledger = &audited.state.ledger;
            let scale = ledger.scale().max(ledger.total.supplied.value().abs());
            let balance = measured.state.balance(&measured.model);
            let lost = ledger.total.dissipated.value() - ledger.total.solver.value();
            let off = [
                supplied[0] - ledger.total.supplied.value(),
                supplied[1] - ledger.total.supplied.value(),
                balance.stored - ledger.total.stored,
                balance.lost - lost,
            ];
            assert!(
                off.iter().all(|off| off.abs() <= SAME * scale),
                "{scheme:?} world {seed}: {off:?} J of {scale:e} J"
            );
            supplied_by += u32::from(balance.supplied != 0.0);
        }
    }
    assert!(supplied_by > 60, "{supplied_by} worlds were given energy");
}

/// Neither a residual nor work is invented for the time in which it was off.
#[test]
fn the_ledger_begins_with_the_energy_of_the_moment() {
    for scheme in SCHEMES {
        for seed in 0..draws(20) as u64 {
            let mut draw = Draw::new(seed);
            let mut world = anything::world(scheme, &mut draw);
            for n in 0..STEPS {
                let (model, state) = (&world.scene.model, &mut world.scene.state);
                if n % 300 == 100 {
                    state.audit(model, false);
                } else if n % 300 == 200 {
                    state.audit(model, true);
                    let (ledger, stored) = (&state.ledger, state.stored(model));
                    assert!((ledger.total.stored - stored).abs() <= 1e-12 * stored);
                    assert_eq!((ledger.total.supplied.value(), ledger.max_residual_rel()), (0.0, 0.0));
                }
                world.gesture(n, &mut draw);
                step(&world.scene.model, &mut world.scene.state);
            }
            let ledger = &world.scene.state.ledger;
            let residual = ledger.total.max_residual / ledger.scale();
            assert!(residual < 1e-11, "{scheme:?} world {seed}: {residual:e}");
        }
    }
}
