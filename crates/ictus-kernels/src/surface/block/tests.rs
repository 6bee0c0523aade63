//! Blocks against single steps.

use super::*;
use crate::surface::step::{Losses, step_flexible, step_stiff};
use crate::surface::{Lattice, Plan, Point, Stores, curvature, flexible, stiff};
use crate::{Aligned, Level, force};

const STRIDE: usize = 32;
const ROWS: usize = 24;
const LEN: usize = STRIDE * ROWS;
const SOME_STEPS: usize = 13;
const MOBILITY: f64 = 0.3;

fn numbers(n: usize, seed: usize) -> Vec<f64> {
    (0..n).map(|i| ((i * 7919 + seed * 104_729) % 1009) as f64 / 1009.0 - 0.4).collect()
}

/// What moves: a disc, or a rectangle, of which the rim to the right may be that to the left of the next row.
#[derive(Clone, Copy, Debug)]
enum Outline {
    Disc,
    Rectangle,
    Shared,
}

impl Outline {
    fn holds(self, i: usize) -> bool {
        let (column, row) = (i % STRIDE, i / STRIDE);
        let (x, y) = (column as f64 - 14.3, row as f64 - 11.2);
        match self {
            Self::Disc => x * x + y * y < 75.0,
            Self::Rectangle => (1..STRIDE - 1).contains(&column) && (3..ROWS - 3).contains(&row),
            Self::Shared => column < STRIDE - 1 && (3..ROWS - 3).contains(&row),
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Case {
    outline: Outline,
    /// B at the rim of a plate; none of a membrane.
    rim: Option<f64>,
    tension: f64,
    square: bool,
    ports: usize,
    earlier: Option<f64>,
}

/// A surface and its motion.
struct Scene {
    plan: Plan,
    mask: Aligned,
    weight: Aligned,
    motion: [Aligned; 3],
}

impl Scene {
    fn new(case: Case) -> Self {
        let moves = |i: usize| case.outline.holds(i);
        let mask: Aligned = (0..LEN).map(|i| f64::from(u8::from(moves(i)))).collect();
        let rim = |i: usize| [1, STRIDE].iter().any(|&d| i >= d && i + d < LEN && (moves(i - d) || moves(i + d)));
        let weight: Aligned = (0..if case.rim.is_some() { LEN } else { 0 })
            .map(|i| match case.rim {
                _ if moves(i) => 1.0,
                Some(bent) if rim(i) => bent,
                _ => 0.0,
            })
            .collect();
        let matters =
            |i: usize| moves(i) || moves(i + 1) || moves(i + STRIDE) || weight.get(i).is_some_and(|w| *w > 0.0);
        let plan = Plan::new(LEN, STRIDE, matters)
            .with_whole(|i| moves(i) && weight.get(i).is_none_or(|weight| *weight == 1.0))
            .with_lines(moves);
        assert!(plan.has_lines());
        let moving =
            |seed: usize| numbers(LEN, seed).into_iter().enumerate().map(|(i, x)| if moves(i) { x } else { 0.0 });
        let motion = [1, 2, 3].map(|seed| moving(seed).collect());
        Self { plan, mask, weight, motion }
    }

    fn held(&self, case: Case) -> Held<'_> {
        let [across, along] = if case.square { [1.0; 2] } else { [1.25, 0.8] };
        Held {
            plan: &self.plan,
            mask: &self.mask,
            lattice: Lattice { stride: STRIDE, across, along },
            point: Point { tension: case.tension, bending: 0.03, diffusion: 0.02, drag: 0.001 },
            stores: Stores { mass: 0.7, tension: 1.3, bending: 0.4, diffusion: 0.05, back: 0.01 },
            losses: Losses { uniform: 0.3, spread: 0.11 },
        }
    }
}

/// Places in the middle, at the rim, on a point and over the same points as others.
fn spots(outline: Outline, count: usize, seed: usize) -> Vec<Spot> {
    let places =
        [11 * STRIDE + 14, 12 * STRIDE + 7, 3 * STRIDE + 13, 11 * STRIDE + 13, 12 * STRIDE + 15, 18 * STRIDE + 16];
    let spot = |i: usize| {
        let node = places[(i + seed) % places.len()];
        let at = [node, node + 1, node + STRIDE, node + STRIDE + 1];
        let shares = if i == 1 { [1.0, 0.0, 0.0, 0.0] } else { [0.3, 0.2, 0.4, 0.1] };
        Spot { at, share: [0, 1, 2, 3].map(|i| if outline.holds(at[i]) { shares[i] } else { 0.0 }) }
    };
    (0..count).map(spot).collect()
}

/// What is seen of a surface, and its motion after the last step.
fn bits(seen: [Vec<f64>; 3], motion: &[Aligned; 3]) -> Vec<u64> {
    seen.iter().flatten().chain(motion[..2].iter().flat_map(|x| x.iter())).map(|x| x.to_bits()).collect()
}

fn at_once(case: Case) -> Vec<u64> {
    let mut scene = Scene::new(case);
    let [pushed, watched, heard, placed] = [0, 1, 2, 3].map(|kind| spots(case.outline, case.ports, kind));
    let forces = numbers(case.ports * SOME_STEPS, 9);
    let mut seen = [(); 3].map(|()| vec![0.0; case.ports * SOME_STEPS]);
    let [free, velocities, displacements] = &mut seen;
    let mut looks = Looks {
        steps: SOME_STEPS,
        pushed: &pushed,
        forces: &forces,
        mobility: MOBILITY,
        watched: &watched,
        free,
        heard: &heard,
        velocities,
        placed: &placed,
        earlier: case.earlier,
        displacements,
    };
    let mut motion = scene.motion.clone();
    let [u, v, mean] = &mut motion;
    run(Motion { u, v, mean }, &scene.weight, scene.held(case), &mut looks);
    scene.motion = motion;
    bits(seen, &scene.motion)
}

fn one_by_one(case: Case, audited: bool) -> Vec<u64> {
    let scene = Scene::new(case);
    let [pushed, watched, heard, placed] = [0, 1, 2, 3].map(|kind| spots(case.outline, case.ports, kind));
    let forces = numbers(case.ports * SOME_STEPS, 9);
    let mut seen = [(); 3].map(|()| Vec::new());
    let [free, velocities, displacements] = &mut seen;
    let held = scene.held(case);
    let Held { mask, lattice, point, .. } = held;
    let mut motion = scene.motion.clone();
    let [u, v, mean] = &mut motion;
    let mut bent = vec![0.0; LEN];
    if scene.weight.is_empty() {
        flexible(u, v, mask, lattice, point, mean);
    } else {
        curvature(u, &scene.weight, lattice, &mut bent);
        stiff(&bent, v, mask, lattice, point, mean);
    }
    let read = |spot: &Spot, values: &[f64]| {
        let [a, b, c, d] = [0, 1, 2, 3].map(|i| spot.share[i] * values[spot.at[i]]);
        (a + b) + (c + d)
    };
    for step in 0..SOME_STEPS {
        free.extend(watched.iter().map(|spot| read(spot, mean)));
        for (spot, force) in pushed.iter().zip(&forces[step * case.ports..]) {
            for (at, share) in spot.points() {
                mean[at] += MOBILITY * share * force;
            }
        }
        let motion = Motion { u, v, mean };
        if scene.weight.is_empty() {
            step_flexible(motion, held, 0.0, audited);
        } else {
            step_stiff(motion, &mut bent, &scene.weight, held, audited);
        }
        velocities.extend(heard.iter().map(|spot| read(spot, v)));
        displacements.extend(placed.iter().map(|spot| {
            let ahead = read(spot, u);
            case.earlier.map_or(ahead, |time| ahead - time * read(spot, v))
        }));
    }
    bits(seen, &motion)
}

#[test]
fn blocks_have_the_bits_of_single_steps() {
    for outline in [Outline::Disc, Outline::Rectangle, Outline::Shared] {
        for (rim, tension) in [(None, 0.21), (Some(0.0), 0.0), (Some(1.0), 0.0), (Some(2.0), 0.04)] {
            if matches!((outline, rim), (Outline::Shared, Some(1.0..))) {
                continue; // a rim that bends is nobody else's
            }
            for (square, ports, earlier) in
                [(true, 0, None), (false, 1, None), (true, 3, Some(0.2)), (false, PORTS, None)]
            {
                let case = Case { outline, rim, tension, square, ports, earlier };
                force(Level::Baseline);
                let expected = one_by_one(case, true);
                for level in [Level::Baseline, Level::Avx2, Level::Avx512] {
                    force(level);
                    assert!(at_once(case) == expected, "{case:?}, {level:?}");
                    assert!(one_by_one(case, false) == expected, "{case:?}, {level:?}, step by step");
                }
            }
        }
    }
}

#[test]
fn rows_that_are_no_whole_chunks_have_no_lines() {
    let plan = |len: usize, stride: usize| {
        Plan::new(len, stride, |i| i / stride == 3).with_lines(move |i| i / stride == 3).has_lines()
    };
    assert!(plan(10 * 16, 16));
    assert!(!plan(10 * 13, 13));
    // no room for rows that are put aside
    assert!(!plan(7 * 8, 8));
}
