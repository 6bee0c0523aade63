//! Banks of modes that nothing pushes, or one port with forces known ahead, step after step.
//!
//! A few eights of modes at a time go through all the steps, their motion in registers: only what is seen of a step goes through memory. The
//! same operations in the same order as [`modes`](crate::modes), so the same bits.

use crate::coast::Bank;
use crate::dispatch::vector_kernel;
use crate::lanes::LANES;
use crate::simd::Simd;
use std::mem::MaybeUninit;

/// Most steps of a call.
pub const STEPS: usize = 32;
/// Most ports that are watched, and most that are heard.
pub const PORTS: usize = 4;
/// Sums of a step: of every port, and the power lost.
const SUMS: usize = 2 * PORTS + 1;

/// What is looked at in steps of a bank, and what is seen there.
#[derive(Debug)]
pub struct Looks<'a> {
    /// How many steps.
    pub steps: usize,
    /// Y φ of the port that is pushed; empty where none is.
    pub driven: &'a [f64],
    /// Forces there, step after step.
    pub forces: &'a [f64],
    /// Shapes of ports whose v̄ is watched, as it would be without the push.
    pub watched: &'a [&'a [f64]],
    /// v̄ of the watched ports, step after step.
    pub free: &'a mut [f64],
    /// Shapes of ports whose v after the step is heard.
    pub heard: &'a [&'a [f64]],
    /// v of the heard ports, step after step.
    pub velocities: &'a mut [f64],
    /// Σ r v̄² of every step, where the bank's resistance is known.
    pub power: &'a mut [f64],
}

/// A sum in its lanes, for every step. Eights that straddle two cache lines would be twice as dear.
#[repr(align(64))]
struct Lanes([[f64; LANES]; STEPS]);

/// Which ports are looked at. What is common has loops without branches: with them, the compiler would not keep the motion in registers.
mod look {
    /// One is heard.
    pub(super) const HEARD: usize = 0;
    /// One is watched, one heard.
    pub(super) const BOTH: usize = 1;
    /// One is watched.
    pub(super) const WATCHED: usize = 2;
    /// Any.
    pub(super) const MANY: usize = 3;
}

/// Adds the port velocity of a group to a sum, one eight of modes after the other.
#[inline(always)]
fn add_to<S: Simd, const N: usize>(simd: S, sum: &mut [f64; LANES], shape: &[S::V; N], velocities: &[S::V; N]) {
    let mut total = simd.load(sum);
    for i in 0..N {
        total = simd.add(total, simd.mul(shape[i], velocities[i]));
    }
    simd.store(sum, total);
}

/// The sums of every step, side by side.
#[inline(always)]
fn sum_up<S: Simd>(simd: S, out: &mut [f64], sums: &[&mut [[f64; LANES]]]) {
    for (port, sum) in sums.iter().enumerate() {
        for (row, lanes) in out.chunks_exact_mut(sums.len()).zip(sum.iter()) {
            row[port] = simd.sum(simd.load(lanes));
        }
    }
}

/// `N` eights, from eight `at`.
#[inline(always)]
fn take<S: Simd, const N: usize>(simd: S, slice: &[f64], at: usize) -> [S::V; N] {
    let chunks = &slice.as_chunks::<LANES>().0[at..at + N];
    let mut taken = [simd.splat(0.0); N];
    for i in 0..N {
        taken[i] = simd.load(&chunks[i]);
    }
    taken
}

/// What is done to a bank: Y φ of a port, and the force there in every step.
#[derive(Clone, Copy)]
struct Push<'a> {
    driven: &'a [f64],
    forces: &'a [f64],
}

/// Takes a step for every force, `N` eights of modes from eight `at`.
#[inline(always)]
fn group<S: Simd, const N: usize, const MIDPOINT: bool, const AUDITED: bool, const LOOK: usize, const PUSHED: bool>(
    simd: S,
    bank: &mut Bank,
    at: usize,
    looks: [&[&[f64]]; 2],
    sums: &mut [&mut [[f64; LANES]]],
    (steps, push): (usize, Push),
) {
    let (mut x, mut speed) = (take::<S, N>(simd, bank.q, at), take::<S, N>(simd, bank.v, at));
    let (drag, pull) = (take::<S, N>(simd, bank.drag, at), take::<S, N>(simd, bank.pull, at));
    let resistance = if AUDITED { take::<S, N>(simd, bank.resistance, at) } else { drag };
    let driven = if PUSHED { take::<S, N>(simd, push.driven, at) } else { drag };
    let forces = if PUSHED { &push.forces[..steps] } else { &[] };
    let mut shapes = [[drag; PORTS]; 2];
    for (shapes, looks) in shapes.iter_mut().zip(looks) {
        for (shape, look) in shapes.iter_mut().zip(looks) {
            *shape = take::<S, N>(simd, look, at);
        }
    }
    let [watched_shapes, heard_shapes] = &shapes;
    let (k, two) = (simd.splat(bank.k), simd.splat(std::hint::black_box(2.0)));
    let (watched, rest) = sums.split_at_mut(looks[0].len());
    let (heard, power) = rest.split_at_mut(looks[1].len());
    let [one_watched, one_heard] =
        [LOOK == look::BOTH || LOOK == look::WATCHED, LOOK == look::BOTH || LOOK == look::HEARD];
    let power = if AUDITED { &mut power[0][..steps] } else { &mut [] };
    let (watched_one, watched) =
        if one_watched { (&mut watched[0][..steps], &mut [][..]) } else { (&mut [][..], watched) };
    let (heard_one, heard) = if one_heard { (&mut heard[0][..steps], &mut [][..]) } else { (&mut [][..], heard) };
    for step in 0..steps {
        let mut seen = if one_watched { simd.load(&watched_one[step]) } else { k };
        let mut lost = if AUDITED { simd.load(&power[step]) } else { k };
        let force = if PUSHED { simd.splat(forces[step]) } else { k };
        let mut means = [k; N];
        for i in 0..N {
            let taken = simd.add(simd.mul(drag[i], speed[i]), simd.mul(pull[i], x[i]));
            let m = simd.sub(speed[i], taken);
            if one_watched {
                seen = simd.add(seen, simd.mul(watched_shapes[0][i], m));
            }
            if LOOK == look::MANY {
                means[i] = m;
            }
            let m = if PUSHED { simd.add(m, simd.mul(driven[i], force)) } else { m };
            if AUDITED {
                lost = simd.add(lost, simd.mul(simd.mul(resistance[i], m), m));
            }
            speed[i] = simd.sub(simd.mul(two, m), speed[i]);
            x[i] = simd.add(x[i], simd.mul(k, if MIDPOINT { m } else { speed[i] }));
        }
        if one_watched {
            simd.store(&mut watched_one[step], seen);
        }
        if AUDITED {
            simd.store(&mut power[step], lost);
        }
        if one_heard {
            add_to::<S, N>(simd, &mut heard_one[step], &heard_shapes[0], &speed);
        }
        if LOOK == look::MANY {
            for (sum, shape) in watched.iter_mut().zip(watched_shapes) {
                add_to::<S, N>(simd, &mut sum[step], shape, &means);
            }
            for (sum, shape) in heard.iter_mut().zip(heard_shapes) {
                add_to::<S, N>(simd, &mut sum[step], shape, &speed);
            }
        }
    }
    for (slice, values) in [(&mut *bank.q, x), (&mut *bank.v, speed)] {
        let chunks = &mut slice.as_chunks_mut::<LANES>().0[at..at + N];
        for i in 0..N {
            simd.store(&mut chunks[i], values[i]);
        }
    }
}

/// Eights of modes to take next where so many are left: none is left to go alone, for it would wait for itself.
#[inline(always)]
fn next_group<S: Simd>(left: usize) -> usize {
    if S::GROUP > 2 && left > S::GROUP && left % S::GROUP == 1 { S::GROUP - 1 } else { left.min(S::GROUP) }
}

/// The same where groups are wide: the last two share what is left.
#[inline(always)]
fn next_wide(left: usize, most: usize) -> usize {
    if left > 2 * most { most } else { left.div_ceil(left.div_ceil(most)) }
}

#[inline(always)]
fn run<S: Simd, const MIDPOINT: bool, const AUDITED: bool, const LOOK: usize, const PUSHED: bool, const WIDE: bool>(
    simd: S,
    bank: &mut Bank,
    looks: &mut Looks,
) {
    let Looks { steps, watched, heard, driven, forces, .. } = *looks;
    let told = (steps, Push { driven, forces });
    assert!(watched.len() <= PORTS && heard.len() <= PORTS && steps <= STEPS, "more than a call takes");
    // only what is asked for is ever touched
    let mut room = [const { MaybeUninit::<Lanes>::uninit() }; SUMS];
    let mut sums: [&mut [[f64; LANES]]; SUMS] = std::array::from_fn(|_| &mut [] as &mut [[f64; LANES]]);
    let asked = watched.len() + heard.len() + usize::from(AUDITED);
    for (sum, room) in sums.iter_mut().zip(&mut room).take(asked) {
        *sum = &mut room.write(Lanes([[0.0; LANES]; STEPS])).0[..steps];
    }
    let sums = &mut sums[..asked];
    let (chunks, mut at) = (bank.mean.len() / LANES, 0);
    while at < chunks {
        let most = const { S::WIDE[if PUSHED { wide::PUSHED } else { LOOK }] };
        let size = if WIDE { next_wide(chunks - at, most) } else { next_group::<S>(chunks - at) };
        match size {
            7 if WIDE && most >= 7 => {
                group::<S, 7, MIDPOINT, AUDITED, LOOK, PUSHED>(simd, bank, at, [watched, heard], sums, told)
            }
            6 if WIDE && most >= 6 => {
                group::<S, 6, MIDPOINT, AUDITED, LOOK, PUSHED>(simd, bank, at, [watched, heard], sums, told)
            }
            5 if WIDE && most >= 5 => {
                group::<S, 5, MIDPOINT, AUDITED, LOOK, PUSHED>(simd, bank, at, [watched, heard], sums, told)
            }
            4 => group::<S, 4, MIDPOINT, AUDITED, LOOK, PUSHED>(simd, bank, at, [watched, heard], sums, told),
            3 => group::<S, 3, MIDPOINT, AUDITED, LOOK, PUSHED>(simd, bank, at, [watched, heard], sums, told),
            2 => group::<S, 2, MIDPOINT, AUDITED, LOOK, PUSHED>(simd, bank, at, [watched, heard], sums, told),
            _ => group::<S, 1, MIDPOINT, AUDITED, LOOK, PUSHED>(simd, bank, at, [watched, heard], sums, told),
        }
        at += size;
    }
    let (free, rest) = sums.split_at(watched.len());
    let (velocities, power) = rest.split_at(heard.len());
    sum_up(simd, looks.free, free);
    sum_up(simd, looks.velocities, velocities);
    sum_up(simd, looks.power, power);
}

#[inline(always)]
fn run_looked_at<S: Simd, const LOOK: usize>(simd: S, bank: &mut Bank, looks: &mut Looks) {
    match (bank.midpoint, bank.resistance.is_empty()) {
        (true, true) => run::<S, true, false, LOOK, false, false>(simd, bank, looks),
        (true, false) => run::<S, true, true, LOOK, false, false>(simd, bank, looks),
        (false, true) => run::<S, false, false, LOOK, false, false>(simd, bank, looks),
        (false, false) => run::<S, false, true, LOOK, false, false>(simd, bank, looks),
    }
}

/// The same under a push. Fewer loops of their own: every one is compiled a dozen times.
#[inline(always)]
fn run_pushed<S: Simd>(simd: S, bank: &mut Bank, looks: &mut Looks) {
    let audited = !bank.resistance.is_empty();
    match (looks.watched.len(), looks.heard.len(), bank.midpoint, audited) {
        (0, 1, true, false) => run::<S, true, false, { look::HEARD }, true, false>(simd, bank, looks),
        (0, 1, false, false) => run::<S, false, false, { look::HEARD }, true, false>(simd, bank, looks),
        (_, _, true, false) => run::<S, true, false, { look::MANY }, true, false>(simd, bank, looks),
        (_, _, false, false) => run::<S, false, false, { look::MANY }, true, false>(simd, bank, looks),
        (_, _, true, true) => run::<S, true, true, { look::MANY }, true, false>(simd, bank, looks),
        (_, _, false, true) => run::<S, false, true, { look::MANY }, true, false>(simd, bank, looks),
    }
}

vector_kernel! {
    /// Takes the steps under any looks.
    pub fn ring_any<S>(simd, bank: &mut Bank, looks: &mut Looks) {
        match (looks.watched.len(), looks.heard.len()) {
            _ if !looks.driven.is_empty() => run_pushed(simd, bank, looks),
            (0, 1) => run_looked_at::<S, { look::HEARD }>(simd, bank, looks),
            (1, 1) => run_looked_at::<S, { look::BOTH }>(simd, bank, looks),
            (1, 0) => run_looked_at::<S, { look::WATCHED }>(simd, bank, looks),
            _ => run_looked_at::<S, { look::MANY }>(simd, bank, looks),
        }
    }
}

/// Larger banks whose books are not kept: more eights at a time than fit into registers. Every look is compiled on its own, so that a change of one leaves the others'
/// registers as they were.
mod wide {
    use super::{Bank, Looks, look, run};
    use crate::dispatch::vector_kernel;

    /// The place of the pushed loop in `Simd::WIDE`; the others have that of their look.
    pub(super) const PUSHED: usize = 0;

    macro_rules! kernels {
        ($($name:ident: $look:ident, $pushed:literal;)*) => {
            $(vector_kernel! {
                pub fn $name<S>(simd, bank: &mut Bank, looks: &mut Looks) {
                    if bank.midpoint {
                        run::<S, true, false, { look::$look }, $pushed, true>(simd, bank, looks);
                    } else {
                        run::<S, false, false, { look::$look }, $pushed, true>(simd, bank, looks);
                    }
                }
            })*
        };
    }

    kernels! {
        both: BOTH, false;
        watched: WATCHED, false;
        pushed: HEARD, true;
    }
}

/// Banks from so many modes on are worked through in wide groups.
const MANY_MODES: usize = 4 * LANES;

/// Takes some steps, at most [`STEPS`], and looks at them. v̄ is left as it was.
pub fn ring(bank: &mut Bank, looks: &mut Looks) {
    let large = bank.resistance.is_empty() && bank.mean.len() >= MANY_MODES;
    match (looks.watched.len(), looks.heard.len(), looks.driven.is_empty()) {
        (1, 1, true) if large => wide::both(bank, looks),
        (1, 0, true) if large => wide::watched(bank, looks),
        (0, 1, false) if large => wide::pushed(bank, looks),
        _ => ring_any(bank, looks),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Aligned, Level, dot, force, modes};

    fn numbers(n: usize, seed: usize) -> Aligned {
        (0..n).map(|i| ((i * 7919 + seed * 104_729) % 1009) as f64 / 1009.0 - 0.4).collect()
    }

    /// What is seen of a bank, and its state after the last step.
    #[derive(Debug, PartialEq)]
    struct Run {
        free: Vec<f64>,
        velocities: Vec<f64>,
        power: Vec<f64>,
        motion: [Vec<f64>; 2],
    }

    fn bank(n: usize) -> ([Aligned; 6], [Vec<Aligned>; 2]) {
        let shapes = [20, 30].map(|seed| (0..PORTS).map(|port| numbers(n, seed + port)).collect());
        ([1, 2, 3, 4, 5, 6].map(|seed| numbers(n, seed)), shapes)
    }

    /// What is done with a bank.
    #[derive(Clone, Copy, Debug)]
    struct Done {
        midpoint: bool,
        /// Watched and heard.
        ports: [usize; 2],
        audited: bool,
        pushed: bool,
        steps: usize,
    }

    fn at_once(n: usize, done: Done) -> Run {
        let Done { midpoint, ports, audited, pushed, steps } = done;
        let ([mut q, mut v, mut mean, drag, pull, resistance], shapes) = bank(n);
        let (driven, forces) = (numbers(n, 40), numbers(steps, 41));
        let mut bank = Bank {
            q: &mut q,
            v: &mut v,
            mean: &mut mean,
            drag: &drag,
            pull: &pull,
            resistance: if audited { &resistance } else { &[] },
            k: 0.3,
            midpoint,
        };
        let [watched, heard] = [0, 1].map(|i| shapes[i][..ports[i]].iter().map(|shape| &**shape).collect::<Vec<_>>());
        let [mut free, mut velocities] = ports.map(|ports| vec![0.0; ports * steps]);
        let mut power = vec![0.0; if audited { steps } else { 0 }];
        let (free_out, velocities_out) = (&mut free[..], &mut velocities[..]);
        let mut looks = Looks {
            steps,
            driven: if pushed { &driven } else { &[] },
            forces: if pushed { &forces } else { &[] },
            watched: &watched,
            free: free_out,
            heard: &heard,
            velocities: velocities_out,
            power: &mut power,
        };
        ring(&mut bank, &mut looks);
        Run { free, velocities, power, motion: [q, v].map(|part| part.to_vec()) }
    }

    /// The same, one kernel after the other.
    fn one_by_one(n: usize, done: Done) -> Run {
        let Done { midpoint, ports, audited, pushed, steps } = done;
        let ([mut q, mut v, mut mean, drag, pull, resistance], shapes) = bank(n);
        let (driven, forces) = (numbers(n, 40), numbers(steps, 41));
        let (mut free, mut velocities, mut power) = (Vec::new(), Vec::new(), Vec::new());
        for &force in &*forces {
            modes::predict(&q, &v, &drag, &pull, &mut mean);
            free.extend(shapes[0][..ports[0]].iter().map(|shape| dot(shape, &mean)));
            if pushed {
                modes::add(&mut mean, &driven, force);
            }
            if audited {
                power.push(modes::power(&resistance, &mean));
            }
            if midpoint {
                modes::advance_midpoint(&mut q, &mut v, &mean, 0.3);
            } else {
                modes::advance_leapfrog(&mut q, &mut v, &mean, 0.3);
            }
            velocities.extend(shapes[1][..ports[1]].iter().map(|shape| dot(shape, &v)));
        }
        Run { free, velocities, power, motion: [q, v].map(|part| part.to_vec()) }
    }

    #[test]
    fn many_steps_at_once_compute_what_single_ones_do_on_every_level() {
        let looks = [([0, 0], false), ([1, 0], true), ([0, 1], false), ([1, 1], true), ([3, 2], false), ([4, 4], true)];
        for n in [0, 8, 16, 24, 32, 40, 56, 104, 304] {
            for (midpoint, steps) in [(true, 5), (false, 5), (true, STEPS), (false, 1)] {
                for ((ports, audited), pushed) in looks.into_iter().flat_map(|look| [(look, false), (look, true)]) {
                    let done = Done { midpoint, ports, audited, pushed, steps };
                    let expected = one_by_one(n, done);
                    for level in [Level::Baseline, Level::Avx2, Level::Avx512] {
                        force(level);
                        assert_eq!(at_once(n, done), expected, "{n} modes, {level:?}, {done:?}");
                    }
                }
            }
        }
    }
}
