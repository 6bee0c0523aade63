//! Blocks compared with single steps.

use super::*;
use crate::string::step::{FIRST, StringSlot, step};
use crate::string::{Moves, Stores};
use crate::{Aligned, Level, force};

/// The outputs of a string, and its state after the last step.
#[derive(Debug, PartialEq)]
struct Run {
    free: Vec<u64>,
    velocities: Vec<u64>,
    displacements: Vec<u64>,
    motion: Vec<u64>,
}

const MOBILITY: f64 = 0.3;
const RATE: f64 = 70.0;

fn numbers(n: usize, seed: usize) -> Vec<f64> {
    (0..n).map(|i| ((i * 7919 + seed * 104_729) % 1009) as f64 / 1009.0 - 0.4).collect()
}

fn scene(points: usize, bending: f64, mirror: f64) -> (Aligned, Strung) {
    let own = (bending != 0.0).then_some(2.0 + 0.21 / bending);
    let moves = Moves { kept: 0.999, pull: if bending == 0.0 { 0.42 } else { 2.0 * bending }, own, ease: 0.04 };
    let stores = Stores { mass: 0.7, tension: 1.3, bending: 0.4 * bending, diffusion: 0.05, back: 1.0 };
    let strung = Strung { points, moves, stores, uniform: 0.3, spread: 0.11, mirror };
    let mut state = Aligned::new(0.0, 3 * pitch(points));
    for array in 0..2 {
        state[array * pitch(points) + FIRST..][..points].copy_from_slice(&numbers(points, array));
    }
    if bending != 0.0 {
        (state[FIRST - 2], state[FIRST + points + 1]) = (mirror * state[FIRST], mirror * state[FIRST + points - 1]);
    }
    (state, strung)
}

/// Positions along a string, including the ends and both sides of the segment boundaries.
fn spots(points: usize, count: usize, seed: usize) -> Vec<Spot> {
    let places = [0, points, points / 2, points / 4, points.div_ceil(8), points - 1, 7, 3 * points / 4];
    let spot = |i: usize| {
        let node = places[(i + seed) % places.len()];
        let inside = |node: usize, share: f64| if node >= 1 && node <= points { share } else { 0.0 };
        Spot { at: [node, node + 1], share: [inside(node, 0.3), inside(node + 1, 0.7)] }
    };
    (0..count).map(spot).collect()
}

fn bits(values: Vec<f64>) -> Vec<u64> {
    values.into_iter().map(f64::to_bits).collect()
}

#[derive(Clone, Copy, Debug)]
struct Case {
    points: usize,
    bending: f64,
    mirror: f64,
    ports: usize,
    seed: usize,
    earlier: bool,
}

/// More than one recording interval.
const SOME_STEPS: usize = STEPS + 7;

fn in_one_call(case: Case) -> Run {
    let Case { points, bending, mirror, ports, seed, earlier } = case;
    let (mut state, strung) = scene(points, bending, mirror);
    let [pushed, free_ports, velocity_ports, displacement_ports] =
        [0, 1, 2, 3].map(|kind| spots(points, ports, seed + kind));
    let forces = numbers(ports * SOME_STEPS, 9);
    let [mut free, mut velocities, mut displacements] = [(); 3].map(|()| vec![0.0; ports * SOME_STEPS]);
    let mut io = StringBlock {
        steps: SOME_STEPS,
        pushed: &pushed,
        forces: &forces,
        mobility: MOBILITY,
        free_ports: &free_ports,
        free: &mut free,
        velocity_ports: &velocity_ports,
        velocities: &mut velocities,
        displacement_ports: &displacement_ports,
        half_a_step_earlier: earlier,
        displacements: &mut displacements,
        rate: RATE,
    };
    run(&mut state, strung, &mut io);
    let motion = bits(state[..2 * pitch(points)].to_vec());
    Run { free: bits(free), velocities: bits(velocities), displacements: bits(displacements), motion }
}

fn one_by_one(case: Case) -> Run {
    let Case { points, bending, mirror, ports, seed, earlier } = case;
    let (mut state, strung) = scene(points, bending, mirror);
    let [pushed, free_ports, velocity_ports, displacement_ports] =
        [0, 1, 2, 3].map(|kind| spots(points, ports, seed + kind));
    let forces = numbers(ports * SOME_STEPS, 9);
    let at = |array: usize, node: usize| array * pitch(points) + FIRST - 1 + node;
    let read = |state: &[f64], array: usize, spot: &Spot| {
        let [one, other] = spot.at.map(|node| state[at(array, node)]);
        spot.share[0] * one + spot.share[1] * other
    };
    {
        // v⁺ of the first step
        let (motion, ahead) = state.split_at_mut(2 * pitch(points));
        let (u, v) = motion.split_at(pitch(points));
        let [u, v] = [u, v].map(|array| &array[FIRST - 2..FIRST + points + 2]);
        let ahead = &mut ahead[FIRST..FIRST + points];
        match strung.moves.own {
            None => crate::string::flexible(u, v, ahead, strung.moves),
            Some(own) => crate::string::stiff(u, v, ahead, strung.moves, own),
        }
    }
    let (mut free, mut velocities, mut displacements) = (Vec::new(), Vec::new(), Vec::new());
    for n in 0..SOME_STEPS {
        free.extend(free_ports.iter().map(|spot| {
            let [one, other] = spot.at.map(|node| state[at(1, node)] + state[at(2, node)]);
            0.5 * RATE * (spot.share[0] * one + spot.share[1] * other)
        }));
        for (spot, force) in pushed.iter().zip(&forces[n * ports..]) {
            for (&node, &share) in spot.at.iter().zip(&spot.share) {
                if share != 0.0 {
                    state[at(2, node)] += MOBILITY * share * force;
                }
            }
        }
        step(&mut state, &[StringSlot { start: 0, strung }], false);
        velocities.extend(velocity_ports.iter().map(|spot| RATE * read(&state, 1, spot)));
        displacements.extend(displacement_ports.iter().map(|spot| {
            let ahead = read(&state, 0, spot);
            if earlier { ahead - 0.5 * read(&state, 1, spot) } else { ahead }
        }));
    }
    let motion = bits(state[..2 * pitch(points)].to_vec());
    Run { free: bits(free), velocities: bits(velocities), displacements: bits(displacements), motion }
}

#[test]
fn many_steps_at_once_have_the_bits_of_single_ones_on_every_level() {
    for points in (FEWEST..FEWEST + 9).chain([100, 117, 1000, MOST]) {
        for (bending, mirror) in [(0.0, -1.0), (0.05, -1.0), (0.05, 1.0)] {
            for (ports, seed, earlier) in [(0, 0, false), (1, 0, false), (1, 5, true), (4, 1, false), (4, 4, true)] {
                let case = Case { points, bending, mirror, ports, seed, earlier };
                let expected = one_by_one(case);
                for level in [Level::Baseline, Level::Avx2, Level::Avx512] {
                    force(level);
                    assert_eq!(in_one_call(case), expected, "{level:?}, {case:?}");
                }
            }
        }
    }
}

#[test]
fn port_rows_may_have_any_distance() {
    for points in 90..=120 {
        for (seed, earlier) in (0..8).map(|seed| (seed, seed % 2 == 1)) {
            let case = Case { points, bending: 0.05, mirror: -1.0, ports: 2, seed, earlier };
            let expected = one_by_one(case);
            for level in [Level::Baseline, Level::Avx2, Level::Avx512] {
                force(level);
                assert_eq!(in_one_call(case), expected, "{level:?}, {case:?}");
            }
        }
    }
}
