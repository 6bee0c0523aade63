//! Banks of modes that nothing pushes, or one port with forces known ahead, step after step.
//!
//! A few eights of modes at a time go through all the steps, their motion in registers: only what is seen of a step goes through memory. The
//! same operations in the same order as [`modes`](crate::modes), so the same bits.

#![allow(unsafe_code)]

use crate::bank::Bank;
use crate::dispatch::vector_kernel;
use crate::groups::{Room, Sum, add_up, next_group};
use crate::lanes::LANES;
use crate::simd::Simd;
use std::mem::MaybeUninit;

/// Most steps of a call.
pub const STEPS: usize = crate::groups::STEPS;
/// Most ports that are watched, and most that are heard.
pub const PORTS: usize = 4;
/// Sums of a step: the velocity of every port, that of the watched ones before the push, and the power lost.
const SUMS: usize = 3 * PORTS + 1;

/// What is looked at in steps of a bank, and what is seen there.
#[derive(Debug)]
pub struct Looks<'a> {
    /// How many steps.
    pub steps: usize,
    /// Shape of the port that is pushed; empty where none is.
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
    /// Σ r (v + v⁺)² of every step, where the bank's resistance is known.
    pub power: &'a mut [f64],
}

/// Ports whose velocity after the step is summed up: a port that is watched and heard is looked at once.
struct Seen<'a> {
    shapes: [&'a [f64]; 2 * PORTS],
    count: usize,
    /// Which of them the watched ports are, and the heard ones.
    watched: [usize; PORTS],
    heard: [usize; PORTS],
}

impl<'a> Seen<'a> {
    fn new(watched: &[&'a [f64]], heard: &[&'a [f64]]) -> Self {
        let mut seen = Self { shapes: [&[]; 2 * PORTS], count: 0, watched: [0; PORTS], heard: [0; PORTS] };
        for (place, shape) in watched.iter().enumerate() {
            seen.watched[place] = seen.place_of(shape);
        }
        for (place, shape) in heard.iter().enumerate() {
            seen.heard[place] = seen.place_of(shape);
        }
        seen
    }

    fn place_of(&mut self, shape: &'a [f64]) -> usize {
        let known = self.shapes[..self.count].iter().position(|known| std::ptr::eq(*known, shape));
        known.unwrap_or_else(|| {
            self.shapes[self.count] = shape;
            self.count += 1;
            self.count - 1
        })
    }
}

/// How many ports are seen. What is common has loops without branches: with them, the compiler would not keep the motion in registers.
mod look {
    pub(super) const ONE: usize = 1;
    pub(super) const TWO: usize = 2;
    /// Any number, and watched ones before a push.
    pub(super) const MANY: usize = 3;
}

/// Adds the port velocity of a group to the sum of a step, one eight of modes after the other.
///
/// # Safety
/// There are as many steps, and all groups before have taken them.
#[inline(always)]
unsafe fn add_to<S: Simd, const N: usize>(simd: S, sum: Sum, step: usize, shape: &[S::V; N], velocities: &[S::V; N]) {
    // SAFETY: the caller says so.
    let mut total = unsafe { sum.load(simd, step) };
    for i in 0..N {
        total = simd.add(total, simd.mul(shape[i], velocities[i]));
    }
    // SAFETY: as above.
    unsafe { sum.store(simd, step, total) };
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

/// What a group of modes goes through.
#[derive(Clone, Copy)]
struct Told<'a> {
    steps: usize,
    /// Shape of the pushed port, and the force there in every step.
    driven: &'a [f64],
    forces: &'a [f64],
    /// Ports whose velocity after a step is seen, and ports whose velocity before the push is.
    seen: &'a [&'a [f64]],
    expected: &'a [&'a [f64]],
}

/// Takes the steps, `N` eights of modes from eight `at`. `sums` are those of the ports seen, of the ports expected, and the power.
#[inline(always)]
// one index for forces and sums
#[allow(clippy::needless_range_loop)]
fn group<S: Simd, const N: usize, const AUDITED: bool, const LOOK: usize, const PUSHED: bool>(
    simd: S,
    bank: &mut Bank,
    at: usize,
    told: Told,
    sums: &mut [Sum; SUMS],
) {
    let Told { steps, driven, forces, seen, expected } = told;
    let (mut x, mut speed) = (take::<S, N>(simd, bank.q, at), take::<S, N>(simd, bank.v, at));
    let (kept, pull) = (take::<S, N>(simd, bank.kept, at), take::<S, N>(simd, bank.pull, at));
    let resistance = if AUDITED { take::<S, N>(simd, bank.resistance, at) } else { kept };
    let driven = if PUSHED { take::<S, N>(simd, driven, at) } else { kept };
    let forces = if PUSHED { &forces[..steps] } else { &[] };
    let zero = simd.splat(0.0);
    let [one, two] = [LOOK == look::ONE || LOOK == look::TWO, LOOK == look::TWO];
    let first_shape = if one { take::<S, N>(simd, seen[0], at) } else { kept };
    let second_shape = if two { take::<S, N>(simd, seen[1], at) } else { kept };
    // copies of their own, to which no reference exists, stay in registers
    let (places, power) = (*sums, sums[seen.len() + expected.len()]);
    let [first, second, ..] = places;
    // SAFETY: every group takes all steps.
    let load = |sum: Sum, step: usize| unsafe { sum.load(simd, step) };
    // SAFETY: as above.
    let store = |sum: Sum, step: usize, x: S::V| unsafe { sum.store(simd, step, x) };
    for step in 0..steps {
        let mut first_sum = if one { load(first, step) } else { zero };
        let mut second_sum = if two { load(second, step) } else { zero };
        let mut lost = if AUDITED { load(power, step) } else { zero };
        let force = if PUSHED { simd.splat(forces[step]) } else { zero };
        let mut ahead = [zero; N];
        for i in 0..N {
            let free = simd.sub(simd.mul(kept[i], speed[i]), simd.mul(pull[i], x[i]));
            if LOOK == look::MANY && PUSHED {
                ahead[i] = free;
            }
            let next = if PUSHED { simd.add(free, simd.mul(driven[i], force)) } else { free };
            if AUDITED {
                let both = simd.add(speed[i], next);
                lost = simd.add(lost, simd.mul(simd.mul(resistance[i], both), both));
            }
            speed[i] = next;
            x[i] = simd.add(x[i], next);
            if one {
                first_sum = simd.add(first_sum, simd.mul(first_shape[i], next));
            }
            if two {
                second_sum = simd.add(second_sum, simd.mul(second_shape[i], next));
            }
        }
        if one {
            store(first, step, first_sum);
        }
        if two {
            store(second, step, second_sum);
        }
        if AUDITED {
            store(power, step, lost);
        }
        if LOOK == look::MANY {
            let (after, before) = places.split_at(seen.len());
            // SAFETY: as above.
            unsafe {
                for (sum, shape) in after.iter().zip(seen) {
                    add_to::<S, N>(simd, *sum, step, &take::<S, N>(simd, shape, at), &speed);
                }
                for (sum, shape) in before.iter().zip(expected) {
                    add_to::<S, N>(simd, *sum, step, &take::<S, N>(simd, shape, at), &ahead);
                }
            }
        }
    }
    sums.iter_mut().for_each(Sum::go_on);
    for (slice, values) in [(&mut *bank.q, x), (&mut *bank.v, speed)] {
        let chunks = &mut slice.as_chunks_mut::<LANES>().0[at..at + N];
        for i in 0..N {
            simd.store(&mut chunks[i], values[i]);
        }
    }
}

#[inline(always)]
fn run<S: Simd, const AUDITED: bool, const LOOK: usize, const PUSHED: bool>(
    simd: S,
    bank: &mut Bank,
    looks: &mut Looks,
    seen: &Seen,
) {
    let Looks { steps, watched, heard, driven, forces, .. } = *looks;
    let expected = if PUSHED { watched } else { &[] };
    let told = Told { steps, driven, forces, seen: &seen.shapes[..seen.count], expected };
    // only what is asked for is ever touched
    let mut room = [const { Room::uninit() }; SUMS];
    let mut sums = room.each_mut().map(Sum::new);
    let asked = seen.count + expected.len() + usize::from(AUDITED);
    let mut before = [0.0; PORTS];
    for (before, shape) in before.iter_mut().zip(watched) {
        *before = total(simd, shape, bank.v);
    }
    let (chunks, mut at) = (bank.q.len() / LANES, 0);
    while at < chunks {
        let size = next_group(S::GROUP, chunks - at);
        // loops that are never taken are not compiled
        match size {
            5 if const { S::GROUP >= 5 } => group::<S, 5, AUDITED, LOOK, PUSHED>(simd, bank, at, told, &mut sums),
            4 if const { S::GROUP >= 4 } => group::<S, 4, AUDITED, LOOK, PUSHED>(simd, bank, at, told, &mut sums),
            3 if const { S::GROUP >= 3 } => group::<S, 3, AUDITED, LOOK, PUSHED>(simd, bank, at, told, &mut sums),
            2 if const { S::GROUP >= 2 } => group::<S, 2, AUDITED, LOOK, PUSHED>(simd, bank, at, told, &mut sums),
            _ => group::<S, 1, AUDITED, LOOK, PUSHED>(simd, bank, at, told, &mut sums),
        }
        at += size;
    }
    let mut totals = [const { MaybeUninit::<[f64; STEPS]>::uninit() }; SUMS];
    let mut summed: [&[f64]; SUMS] = [&[]; SUMS];
    for ((sum, room), summed) in sums[..asked].iter().zip(&mut totals).zip(&mut summed) {
        let room = &mut room.write([0.0; STEPS])[..steps];
        // SAFETY: every group has taken all steps.
        add_up(simd, unsafe { sum.rows(steps) }, room);
        *summed = room;
    }
    for place in 0..heard.len() {
        let rows = looks.velocities.chunks_exact_mut(heard.len());
        rows.zip(summed[seen.heard[place]]).for_each(|(row, v)| row[place] = 2.0 * v);
    }
    for (place, before) in before.iter_mut().enumerate().take(watched.len()) {
        let after = summed[seen.watched[place]];
        let free = if PUSHED { summed[seen.count + place] } else { after };
        let rows = looks.free.chunks_exact_mut(watched.len()).map(|row| &mut row[place]);
        for ((mean, free), after) in rows.zip(free).zip(after) {
            *mean = *before + free;
            *before = *after;
        }
    }
    if AUDITED {
        looks.power[..steps].copy_from_slice(summed[asked - 1]);
    }
}

/// Σ shape·v.
#[inline(always)]
fn total<S: Simd>(simd: S, shape: &[f64], v: &[f64]) -> f64 {
    let eights = shape.as_chunks::<LANES>().0.iter().zip(v.as_chunks::<LANES>().0);
    let add = |sum, (shape, v): (&[f64; LANES], &[f64; LANES])| simd.add(sum, simd.mul(simd.load(shape), simd.load(v)));
    simd.sum(eights.fold(simd.splat(0.0), add))
}

/// A kernel for every look: one for all of them is a function so large that it takes the compiler minutes.
mod kernels {
    use super::*;

    macro_rules! kernels {
        ($($name:ident: $audited:literal, $look:ident, $pushed:literal;)*) => {
            $(vector_kernel! {
                pub fn $name<S>(simd, bank: &mut Bank, looks: &mut Looks, seen: &Seen) {
                    run::<S, $audited, { look::$look }, $pushed>(simd, bank, looks, seen);
                }
            })*
        };
    }
    kernels! {
        one: false, ONE, false;
        one_audited: true, ONE, false;
        two: false, TWO, false;
        two_audited: true, TWO, false;
        many: false, MANY, false;
        many_audited: true, MANY, false;
        one_pushed: false, ONE, true;
        many_pushed: false, MANY, true;
        many_pushed_audited: true, MANY, true;
    }
}

/// Takes some steps, at most [`STEPS`], and looks at them. v° is left as it was.
pub fn ring(bank: &mut Bank, looks: &mut Looks) {
    let Looks { steps, watched, heard, .. } = *looks;
    assert!(watched.len() <= PORTS && heard.len() <= PORTS && steps <= STEPS, "more than a call takes");
    let seen = &Seen::new(watched, heard);
    let pushed = !looks.driven.is_empty();
    match (seen.count, pushed, !bank.resistance.is_empty()) {
        (1, false, false) => kernels::one(bank, looks, seen),
        (1, false, true) => kernels::one_audited(bank, looks, seen),
        (2, false, false) => kernels::two(bank, looks, seen),
        (2, false, true) => kernels::two_audited(bank, looks, seen),
        (_, false, false) => kernels::many(bank, looks, seen),
        (_, false, true) => kernels::many_audited(bank, looks, seen),
        (1, true, false) if watched.is_empty() => kernels::one_pushed(bank, looks, seen),
        (_, true, false) => kernels::many_pushed(bank, looks, seen),
        (_, true, true) => kernels::many_pushed_audited(bank, looks, seen),
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
        /// Watched and heard.
        ports: [usize; 2],
        /// The same ones.
        shared: bool,
        audited: bool,
        pushed: bool,
        steps: usize,
    }

    impl Done {
        /// Shapes of the ports that are watched, and heard.
        fn looks<'a>(&self, shapes: &'a [Vec<Aligned>; 2]) -> [Vec<&'a [f64]>; 2] {
            let of = |i: usize| if self.shared { &shapes[0] } else { &shapes[i] };
            [0, 1].map(|i| of(i)[..self.ports[i]].iter().map(|shape| &**shape).collect())
        }
    }

    fn at_once(n: usize, done: Done) -> Run {
        let Done { ports, audited, pushed, steps, .. } = done;
        let ([mut q, mut v, mut ahead, kept, pull, resistance], shapes) = bank(n);
        let (driven, forces) = (numbers(n, 40), numbers(steps, 41));
        let mut bank = Bank {
            q: &mut q,
            v: &mut v,
            ahead: &mut ahead,
            kept: &kept,
            pull: &pull,
            resistance: if audited { &resistance } else { &[] },
        };
        let [watched, heard] = done.looks(&shapes);
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
        let Done { audited, pushed, steps, .. } = done;
        let ([mut q, mut v, mut ahead, kept, pull, resistance], shapes) = bank(n);
        let (driven, forces) = (numbers(n, 40), numbers(steps, 41));
        let [watched, heard] = done.looks(&shapes);
        let (mut free, mut velocities, mut power) = (Vec::new(), Vec::new(), Vec::new());
        for &force in &*forces {
            modes::predict(&q, &v, &kept, &pull, &mut ahead);
            free.extend(watched.iter().map(|shape| dot(shape, &v) + dot(shape, &ahead)));
            if pushed {
                modes::add(&mut ahead, &driven, force);
            }
            modes::advance(&mut q, &mut v, &mut ahead);
            if audited {
                power.push(modes::power(&resistance, &ahead));
            }
            velocities.extend(heard.iter().map(|shape| 2.0 * dot(shape, &v)));
        }
        Run { free, velocities, power, motion: [q, v].map(|part| part.to_vec()) }
    }

    #[test]
    fn many_steps_at_once_compute_what_single_ones_do_on_every_level() {
        let looks = [
            ([0, 0], false),
            ([1, 0], true),
            ([0, 1], false),
            ([1, 1], true),
            ([1, 1], false),
            ([3, 2], false),
            ([4, 4], true),
        ];
        for n in [0, 8, 16, 24, 32, 40, 56, 104, 304] {
            for (shared, steps) in [(true, 5), (false, 5), (true, STEPS), (false, 1)] {
                for ((ports, audited), pushed) in looks.into_iter().flat_map(|look| [(look, false), (look, true)]) {
                    let done = Done { ports, shared, audited, pushed, steps };
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
