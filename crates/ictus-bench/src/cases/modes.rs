//! Banks of modes: with a force fed back every sample, and ringing in blocks.

use super::{Case, Measured};
use crate::line::{Line, either};
use crate::measure::{Meter, repeated, restarted};
use crate::plain;
use crate::probe::{Loads, Operations};
use crate::scene::{bank, clock};
use ictus_core::{BLOCK, Block, Deflection, FastResonator, Scheme, StepValues};
use ictus_kernels::Aligned;
use std::hint::black_box;

/// What a mode is in a fed-back step: its displacement and velocity, two coefficients of its motion, the port's shape and what a force there does. A bank that gets by
/// with fewer loads is as good as one that loads faster.
const BYTES: f64 = 6.0 * 8.0;
/// Products and sums of a mode in a step of a ringing bank that is heard: 3 for v, 1 for q, 1 for the port.
const OPERATIONS: f64 = 5.0;

pub(super) fn cases() -> Vec<Case> {
    let fed =
        |modes| Case::new(format!("modal bank, {modes} modes fed back"), move |name, meter| fed(name, meter, modes));
    let rings =
        |modes| Case::new(format!("modal bank, {modes} modes ringing"), move |name, meter| rings(name, meter, modes));
    vec![fed(300), fed(1000), Case::new("modal bank, 10000 modes fed back", many), rings(300), rings(1000)]
}

/// A bank of which one port is touched, deflected, and its state.
fn deflected(modes: usize) -> (Box<dyn FastResonator>, Aligned) {
    let bank = bank(clock(Scheme::Midpoint), modes).touched_at(0).expect("a port that moves");
    let mut state: Aligned = vec![0.0; bank.state_len()].into_iter().collect();
    bank.reset(&mut state);
    let pluck = Deflection::Static { port: 0, displacement: 1e-4 };
    assert!(bank.capabilities().deflect.is_some_and(|bank| bank.deflect(&mut state, pluck)));
    (bank, state)
}

/// A step whose force answers what the port does.
fn feed_back(bank: &dyn FastResonator, state: &mut Aligned) {
    let bank = black_box(bank);
    let velocity = bank.free_velocity(state, 0, false);
    bank.advance_single_port(state, 0, -1e-3 * velocity);
}

fn fed(name: &str, meter: Meter, modes: usize) -> Measured {
    let (bank, state) = deflected(modes);
    let loads = Loads::fastest();
    let [ours, plain, load] = meter.race([
        &mut restarted(state, |state| feed_back(&*bank, state)),
        &mut restarted(plain::PlainBank::new(modes), plain::PlainBank::feed_back),
        &mut repeated(|| loads.run()),
    ]);
    let each = modes as f64;
    let line = || Line::new(name, ours / each, "ns/mode");
    let share = BYTES * each / ours / (Loads::BYTES / load);
    Ok(vec![
        line().against("plain loop", plain / each).goal(3.0),
        line().with_ratio("loads from the nearest cache", share).goal(0.8),
    ])
}

fn many(name: &str, meter: Meter) -> Measured {
    let ((many, many_state), (few, few_state)) = (deflected(10_000), deflected(1000));
    let [many, few] = meter.race([
        &mut restarted(many_state, |state| feed_back(&*many, state)),
        &mut restarted(few_state, |state| feed_back(&*few, state)),
    ]);
    Ok(vec![Line::new(name, many / 1e4, "ns/mode").against("1000 modes", few / 1e3).goal(1.0 / 3.0)])
}

fn rings(name: &str, meter: Meter, modes: usize) -> Measured {
    let (bank, state) = deflected(modes);
    let operations = Operations::fastest();
    let (mut velocities, mut lost) = ([0.0; BLOCK], [0.0; BLOCK]);
    let [ours, plain, peak] = meter.race([
        &mut restarted(state, |state| {
            let (velocities, lost) = (StepValues(&mut velocities), &mut lost);
            let mut block = Block { steps: BLOCK, velocity_ports: &[0], velocities, lost, ..Block::default() };
            black_box(&*bank).run_block(state, &mut block);
        }),
        &mut restarted(plain::PlainBank::new(modes), |bank| {
            black_box(bank.ring());
        }),
        &mut repeated(|| operations.run()),
    ]);
    let each = modes as f64;
    let ours = ours / (BLOCK as f64 * each);
    let line = || Line::new(name, ours, "ns/mode");
    let share = OPERATIONS / ours / (operations.count() / peak);
    let lines = [
        line().against("plain loop", plain / each).goal(6.0),
        line().with_ratio("products and sums", share).goal(0.75),
    ];
    Ok(either(lines).into())
}
