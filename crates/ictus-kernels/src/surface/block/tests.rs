//! Blocks compared with single steps.

use super::*;
use crate::lanes::LANES;
use crate::simd::Arrays;
use crate::surface::step::{Losses, Motion, step_flexible, step_stiff};
use crate::surface::{Lattice, Plan, Point, Stores, curvature, flexible, stiff};
use crate::{Aligned, Level, force};

const STRIDE: usize = 32;
const SOME_STEPS: usize = 13;
const MOBILITY: f64 = 0.3;

fn numbers(n: usize, seed: usize) -> Vec<f64> {
    (0..n).map(|i| ((i * 7919 + seed * 104_729) % 1009) as f64 / 1009.0 - 0.4).collect()
}

/// Shape of the moving region: a disc, or a rectangle, which may be narrow, or whose right rim may be the left rim of the next row.
#[derive(Clone, Copy, Debug)]
enum Outline {
    Disc,
    Rectangle,
    Narrow,
    Shared,
}

#[derive(Clone, Copy, Debug)]
struct Case {
    outline: Outline,
    /// Rows with moving points.
    tall: usize,
    /// At rest until a force acts.
    still: bool,
    steps: usize,
    /// B at the rim of a plate; `None` for a membrane.
    rim: Option<f64>,
    tension: f64,
    square: bool,
    ports: usize,
    earlier: Option<f64>,
}

/// Rows above the first moving one.
const ABOVE: usize = 3;

impl Case {
    fn len(self) -> usize {
        STRIDE * (2 * ABOVE + self.tall)
    }

    fn holds(self, i: usize) -> bool {
        let (column, row) = (i % STRIDE, i / STRIDE);
        let radius = 0.5 * self.tall as f64;
        let (x, y) = (column as f64 - 14.3, row as f64 - ABOVE as f64 + 0.3 - radius);
        let inside = match self.outline {
            Outline::Disc => (1..STRIDE - 1).contains(&column) && x * x + y * y < radius * radius,
            Outline::Rectangle => (1..STRIDE - 1).contains(&column),
            Outline::Narrow => (5..13).contains(&column),
            Outline::Shared => column < STRIDE - 1,
        };
        inside && (ABOVE..ABOVE + self.tall).contains(&row)
    }
}

/// A surface and its state.
struct Scene {
    plan: Plan,
    mask: Aligned,
    weight: Aligned,
    motion: [Aligned; 3],
}

impl Scene {
    fn new(case: Case) -> Self {
        let (len, moves) = (case.len(), |i: usize| case.holds(i));
        let mask: Aligned = (0..len).map(|i| f64::from(u8::from(moves(i)))).collect();
        let rim = |i: usize| [1, STRIDE].iter().any(|&d| i >= d && i + d < len && (moves(i - d) || moves(i + d)));
        let weight: Aligned = (0..if case.rim.is_some() { len } else { 0 })
            .map(|i| match case.rim {
                _ if moves(i) => 1.0,
                Some(bent) if rim(i) => bent,
                _ => 0.0,
            })
            .collect();
        let matters =
            |i: usize| moves(i) || moves(i + 1) || moves(i + STRIDE) || weight.get(i).is_some_and(|w| *w > 0.0);
        let plan = Plan::new(len, STRIDE, matters)
            .with_whole(|i| moves(i) && weight.get(i).is_none_or(|weight| *weight == 1.0))
            .with_bands(&mask, &weight);
        assert!(plan.scratch().is_some());
        let moving = |seed: usize| {
            numbers(len, seed).into_iter().enumerate().map(|(i, x)| if moves(i) && !case.still { x } else { 0.0 })
        };
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

/// Positions at the rim, across bands, on a point and sharing points with others.
fn spots(case: Case, kind: usize) -> Vec<Spot> {
    let [eighth, quarter] = [8, 4].map(|bands| case.tall.div_ceil(bands));
    let rows = [case.tall / 2, eighth - 1, quarter - 1, 0, 2 * quarter - 1, case.tall - 2, 3 * quarter - 2];
    let spot = |i: usize| {
        let place = (i + 2 * kind) % rows.len();
        let node = (ABOVE + rows[place]) * STRIDE + [11, 7, 12, 11, 6, 10, 9][place];
        let at = [node, node + 1, node + STRIDE, node + STRIDE + 1];
        let shares = if i == 1 { [1.0, 0.0, 0.0, 0.0] } else { [0.3, 0.2, 0.4, 0.1] };
        Spot { at, share: [0, 1, 2, 3].map(|i| if case.holds(at[i]) { shares[i] } else { 0.0 }) }
    };
    (0..case.ports).map(spot).collect()
}

/// The outputs of a surface, and its state after the last step, as bits.
fn bits(outputs: [Vec<f64>; 3], motion: &[Aligned; 3]) -> Vec<u64> {
    outputs.iter().flatten().chain(motion[..2].iter().flat_map(|x| x.iter())).map(|x| x.to_bits()).collect()
}

/// Takes all steps in one call of `take`.
fn in_one_call(
    case: Case,
    take: impl FnOnce([&mut [f64]; 2], &[f64], Held, &mut SurfaceBlock, &mut [f64]),
) -> Vec<u64> {
    let mut scene = Scene::new(case);
    let [pushed, free_ports, velocity_ports, displacement_ports] = [0, 1, 2, 3].map(|kind| spots(case, kind));
    let forces = numbers(case.ports * case.steps, 9);
    let mut outputs = [(); 3].map(|()| vec![0.0; case.ports * case.steps]);
    let [free, velocities, displacements] = &mut outputs;
    let mut io = SurfaceBlock {
        steps: case.steps,
        pushed: &pushed,
        forces: &forces,
        mobility: MOBILITY,
        free_ports: &free_ports,
        free,
        velocity_ports: &velocity_ports,
        velocities,
        displacement_ports: &displacement_ports,
        earlier: case.earlier,
        displacements,
    };
    let mut motion = scene.motion.clone();
    let [u, v, _] = &mut motion;
    let mut scratch = numbers(scene.plan.scratch().unwrap(), 5);
    take([u, v], &scene.weight, scene.held(case), &mut io, &mut scratch);
    scene.motion = motion;
    bits(outputs, &scene.motion)
}

fn one_by_one(case: Case, audited: bool) -> Vec<u64> {
    let scene = Scene::new(case);
    let [pushed, free_ports, velocity_ports, displacement_ports] = [0, 1, 2, 3].map(|kind| spots(case, kind));
    let forces = numbers(case.ports * case.steps, 9);
    let mut outputs = [(); 3].map(|()| Vec::new());
    let [free, velocities, displacements] = &mut outputs;
    let held = scene.held(case);
    let Held { mask, lattice, point, .. } = held;
    let mut motion = scene.motion.clone();
    let [u, v, mean] = &mut motion;
    let mut bent = vec![0.0; case.len()];
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
    for step in 0..case.steps {
        free.extend(free_ports.iter().map(|spot| read(spot, mean)));
        for (spot, force) in pushed.iter().zip(&forces[step * case.ports..]) {
            for (at, share) in spot.at.into_iter().zip(spot.share).filter(|(_, share)| *share != 0.0) {
                mean[at] += MOBILITY * share * force;
            }
        }
        let motion = Motion { u, v, mean };
        if scene.weight.is_empty() {
            step_flexible(motion, held, 0.0, audited);
        } else {
            step_stiff(motion, &mut bent, &scene.weight, held, audited);
        }
        velocities.extend(velocity_ports.iter().map(|spot| read(spot, v)));
        displacements.extend(displacement_ports.iter().map(|spot| {
            let ahead = read(spot, u);
            case.earlier.map_or(ahead, |time| ahead - time * read(spot, v))
        }));
    }
    bits(outputs, &motion)
}

fn compare(case: Case) {
    force(Level::Baseline);
    let expected = one_by_one(case, true);
    for level in [Level::Baseline, Level::Avx2, Level::Avx512] {
        force(level);
        assert!(in_one_call(case, run) == expected, "{case:?}, {level:?}");
        assert!(one_by_one(case, false) == expected, "{case:?}, {level:?}, step by step");
    }
    // with numbers of lanes that this machine may not have
    assert!(in_one_call(case, |u, w, h, l, r| run_in(Arrays::<4>, u, w, h, l, r)) == expected, "{case:?}, 4 lanes");
    assert!(in_one_call(case, |u, w, h, l, r| run_in(Arrays::<8>, u, w, h, l, r)) == expected, "{case:?}, 8 lanes");
}

/// [`run`] with any number of lanes.
fn run_in<W: Words>(
    words: W,
    motion: [&mut [f64]; 2],
    weight: &[f64],
    held: Held,
    io: &mut SurfaceBlock,
    scratch: &mut [f64],
) {
    let Held { lattice, point, .. } = held;
    match (weight.is_empty(), point.tension == 0.0, lattice.across == 1.0 && lattice.along == 1.0) {
        (true, _, true) => run_with::<W, false, true, true>(words, motion, held, io, scratch),
        (true, _, false) => run_with::<W, false, true, false>(words, motion, held, io, scratch),
        (_, true, true) => run_with::<W, true, false, true>(words, motion, held, io, scratch),
        (_, true, false) => run_with::<W, true, false, false>(words, motion, held, io, scratch),
        (_, _, true) => run_with::<W, true, true, true>(words, motion, held, io, scratch),
        (_, _, false) => run_with::<W, true, true, false>(words, motion, held, io, scratch),
    }
}

const KINDS: [(Option<f64>, f64); 4] = [(None, 0.21), (Some(0.0), 0.0), (Some(1.0), 0.0), (Some(2.0), 0.04)];

#[test]
fn blocks_have_the_bits_of_single_steps() {
    for outline in [Outline::Disc, Outline::Rectangle, Outline::Narrow, Outline::Shared] {
        for (rim, tension) in KINDS {
            if matches!((outline, rim), (Outline::Shared, Some(1.0..))) {
                continue; // a rim that bends cannot be shared
            }
            for (tall, square, ports, earlier) in
                [(18, true, 0, None), (17, false, 1, None), (23, true, 3, Some(0.2)), (24, false, PORTS, None)]
            {
                let (still, steps) = (false, SOME_STEPS);
                compare(Case { outline, tall, still, steps, rim, tension, square, ports, earlier });
            }
        }
    }
}

#[test]
fn bands_that_do_not_fill_their_lanes_have_the_same_bits() {
    for tall in (LANES + 1..20).chain([31, 32, 33, 40, 41]) {
        for (rim, tension) in KINDS {
            let (outline, square, ports, earlier) = (Outline::Rectangle, true, 2, None);
            let steps = SOME_STEPS;
            compare(Case { outline, tall, still: false, steps, rim, tension, square, ports, earlier });
        }
    }
}

#[test]
fn a_force_spreads_through_a_surface_at_rest() {
    for (rim, tension) in KINDS {
        let (outline, tall, steps) = (Outline::Rectangle, 22, 90);
        compare(Case { outline, tall, still: true, steps, rim, tension, square: true, ports: PORTS, earlier: None });
    }
}

#[test]
fn small_surfaces_have_no_blocks() {
    let has_blocks = |rows: usize, columns: usize| {
        let stride = 16;
        let moves = |i: usize| (2..2 + rows).contains(&(i / stride)) && (1..1 + columns).contains(&(i % stride));
        let mask: Vec<f64> = (0..(rows + 4) * stride).map(|i| f64::from(u8::from(moves(i)))).collect();
        Plan::new(mask.len(), stride, moves).with_bands(&mask, &[]).scratch().is_some()
    };
    assert!(has_blocks(9, 8));
    assert!(!has_blocks(8, 8));
    assert!(!has_blocks(9, 7));
}
