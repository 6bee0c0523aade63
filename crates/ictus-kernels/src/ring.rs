//! Multi-step kernel of modal banks that are free or driven at one port by scheduled forces.
//!
//! Groups of a few lane blocks take all steps with their state in registers: only the recorded sums of a step go through memory. The
//! operations and their order are those of [`modes`](crate::modes), so the bits are the same.

#![allow(unsafe_code)]

use crate::bank::BankState;
use crate::dispatch::vector_kernel;
use crate::groups::{Scratch, Sum, add_up, next_group};
use crate::lanes::LANES;
use crate::simd::Simd;
use std::mem::MaybeUninit;

/// Most steps per call.
pub const STEPS: usize = crate::groups::STEPS;
/// Most free-velocity ports, and most velocity ports.
pub const PORTS: usize = 4;
/// Sums per step: the velocity of every port, the free velocity of the free-velocity ports, and the dissipated power.
const SUMS: usize = 3 * PORTS + 1;

/// Inputs and recorded outputs of a block of steps. Forces and outputs are stored step by step.
#[derive(Debug)]
pub struct BankBlock<'a> {
    /// Number of steps.
    pub steps: usize,
    /// Shape of the driven port; empty if none.
    pub driven: &'a [f64],
    /// Scheduled forces at that port, N, one per step.
    pub forces: &'a [f64],
    /// Shapes of ports whose free mean velocity v̄ is recorded.
    pub free_ports: &'a [&'a [f64]],
    /// v̄ of these ports, m/s.
    pub free: &'a mut [f64],
    /// Shapes of ports whose velocity v after the step is recorded.
    pub velocity_ports: &'a [&'a [f64]],
    /// v of these ports, m/s.
    pub velocities: &'a mut [f64],
    /// Σ r (v + v⁺)² of every step, if the bank has `resistance`.
    pub power: &'a mut [f64],
}

/// Distinct ports whose velocity after the step is summed: a port recorded twice is summed once.
struct PortSet<'a> {
    shapes: [&'a [f64]; 2 * PORTS],
    count: usize,
    /// Index in `shapes` of each free-velocity port, and of each velocity port.
    free_ports: [usize; PORTS],
    velocity_ports: [usize; PORTS],
}

impl<'a> PortSet<'a> {
    fn new(free_ports: &[&'a [f64]], velocity_ports: &[&'a [f64]]) -> Self {
        let mut ports = Self { shapes: [&[]; 2 * PORTS], count: 0, free_ports: [0; PORTS], velocity_ports: [0; PORTS] };
        for (index, shape) in free_ports.iter().enumerate() {
            ports.free_ports[index] = ports.index_in(shape);
        }
        for (index, shape) in velocity_ports.iter().enumerate() {
            ports.velocity_ports[index] = ports.index_in(shape);
        }
        ports
    }

    fn index_in(&mut self, shape: &'a [f64]) -> usize {
        let existing = self.shapes[..self.count].iter().position(|existing| std::ptr::eq(*existing, shape));
        existing.unwrap_or_else(|| {
            self.shapes[self.count] = shape;
            self.count += 1;
            self.count - 1
        })
    }
}

/// Number of recorded ports. The common cases have loops without branches, because with branches the compiler spills the state.
mod case {
    pub(super) const ONE: usize = 1;
    pub(super) const TWO: usize = 2;
    /// Any number, and free velocities under a force.
    pub(super) const MANY: usize = 3;
}

/// Adds the port velocity of a group to the sum of a step, one lane block after the other.
///
/// # Safety
/// `step < STEPS`, and every finished group has stored this step of `sum`.
#[inline(always)]
unsafe fn add_to<S: Simd, const N: usize>(simd: S, sum: Sum, step: usize, shape: &[S::V; N], velocities: &[S::V; N]) {
    // SAFETY: the step is below STEPS and the sums of earlier groups are written: the contract above, kept by the loop over groups
    let mut total = unsafe { sum.load(simd, step) };
    for i in 0..N {
        total = simd.add(total, simd.mul(shape[i], velocities[i]));
    }
    // SAFETY: `step < STEPS`: the contract above, kept by the loop over steps, whose number `ring` asserts to be at most STEPS
    unsafe { sum.store(simd, step, total) };
}

/// Loads `N` lane blocks from block `at` on.
#[inline(always)]
fn take<S: Simd, const N: usize>(simd: S, slice: &[f64], at: usize) -> [S::V; N] {
    let chunks = &slice.as_chunks::<LANES>().0[at..at + N];
    let mut blocks = [simd.splat(0.0); N];
    for i in 0..N {
        blocks[i] = simd.load(&chunks[i]);
    }
    blocks
}

/// Work common to all groups of a call.
#[derive(Clone, Copy)]
struct GroupTask<'a> {
    steps: usize,
    /// Shape of the driven port, and its force in every step.
    driven: &'a [f64],
    forces: &'a [f64],
    /// Ports whose velocity after a step is recorded, and ports whose free velocity is.
    ports: &'a [&'a [f64]],
    free_ports: &'a [&'a [f64]],
}

/// Takes all steps with `N` lane blocks from block `at` on. `sums` are those of `ports`, then of `free_ports`, then the power.
#[inline(always)]
// one index for forces and sums
#[allow(clippy::needless_range_loop)]
fn group<S: Simd, const N: usize, const AUDITED: bool, const CASE: usize, const PUSHED: bool>(
    simd: S,
    bank: &mut BankState,
    at: usize,
    task: GroupTask,
    sums: &mut [Sum; SUMS],
) {
    let GroupTask { steps, driven, forces, ports, free_ports } = task;
    let (mut x, mut speed) = (take::<S, N>(simd, bank.q, at), take::<S, N>(simd, bank.v, at));
    let (kept, pull) = (take::<S, N>(simd, bank.kept, at), take::<S, N>(simd, bank.pull, at));
    let resistance = if AUDITED { take::<S, N>(simd, bank.resistance, at) } else { kept };
    let driven = if PUSHED { take::<S, N>(simd, driven, at) } else { kept };
    let forces = if PUSHED { &forces[..steps] } else { &[] };
    let zero = simd.splat(0.0);
    let [one, two] = [CASE == case::ONE || CASE == case::TWO, CASE == case::TWO];
    let first_shape = if one { take::<S, N>(simd, ports[0], at) } else { kept };
    let second_shape = if two { take::<S, N>(simd, ports[1], at) } else { kept };
    // local copies without a reference to them stay in registers
    let (local_sums, power) = (*sums, sums[ports.len() + free_ports.len()]);
    let [first, second, ..] = local_sums;
    // SAFETY: step < steps <= STEPS, asserted in `ring`, and every group before this one has stored all steps of each sum it loads
    let load = |sum: Sum, step: usize| unsafe { sum.load(simd, step) };
    // SAFETY: step < steps <= STEPS, asserted in `ring`
    let store = |sum: Sum, step: usize, x: S::V| unsafe { sum.store(simd, step, x) };
    for step in 0..steps {
        let mut first_sum = if one { load(first, step) } else { zero };
        let mut second_sum = if two { load(second, step) } else { zero };
        let mut lost = if AUDITED { load(power, step) } else { zero };
        let force = if PUSHED { simd.splat(forces[step]) } else { zero };
        let mut ahead = [zero; N];
        for i in 0..N {
            let free = simd.sub(simd.mul(kept[i], speed[i]), simd.mul(pull[i], x[i]));
            if CASE == case::MANY && PUSHED {
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
        if CASE == case::MANY {
            let (after, before) = local_sums.split_at(ports.len());
            // SAFETY: step < steps <= STEPS, asserted in `ring`, and every group before this one has stored all steps of these sums
            unsafe {
                for (sum, shape) in after.iter().zip(ports) {
                    add_to::<S, N>(simd, *sum, step, &take::<S, N>(simd, shape, at), &speed);
                }
                for (sum, shape) in before.iter().zip(free_ports) {
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
fn run<S: Simd, const AUDITED: bool, const CASE: usize, const PUSHED: bool>(
    simd: S,
    bank: &mut BankState,
    io: &mut BankBlock,
    ports: &PortSet,
) {
    let BankBlock { steps, free_ports, velocity_ports, driven, forces, .. } = *io;
    let driven_free_ports = if PUSHED { free_ports } else { &[] };
    let task = GroupTask { steps, driven, forces, ports: &ports.shapes[..ports.count], free_ports: driven_free_ports };
    // only the requested sums are ever accessed
    let mut scratch = [const { Scratch::uninit() }; SUMS];
    let mut sums = scratch.each_mut().map(Sum::new);
    let used = ports.count + driven_free_ports.len() + usize::from(AUDITED);
    let mut before = [0.0; PORTS];
    for (before, shape) in before.iter_mut().zip(free_ports) {
        *before = total(simd, shape, bank.v);
    }
    let (chunks, mut at) = (bank.q.len() / LANES, 0);
    while at < chunks {
        let size = next_group(S::GROUP, chunks - at);
        // groups larger than S::GROUP never occur and are not compiled
        match size {
            5 if const { S::GROUP >= 5 } => group::<S, 5, AUDITED, CASE, PUSHED>(simd, bank, at, task, &mut sums),
            4 if const { S::GROUP >= 4 } => group::<S, 4, AUDITED, CASE, PUSHED>(simd, bank, at, task, &mut sums),
            3 if const { S::GROUP >= 3 } => group::<S, 3, AUDITED, CASE, PUSHED>(simd, bank, at, task, &mut sums),
            2 if const { S::GROUP >= 2 } => group::<S, 2, AUDITED, CASE, PUSHED>(simd, bank, at, task, &mut sums),
            _ => group::<S, 1, AUDITED, CASE, PUSHED>(simd, bank, at, task, &mut sums),
        }
        at += size;
    }
    let mut totals = [const { MaybeUninit::<[f64; STEPS]>::uninit() }; SUMS];
    let mut summed: [&[f64]; SUMS] = [&[]; SUMS];
    for ((sum, scratch), summed) in sums[..used].iter().zip(&mut totals).zip(&mut summed) {
        let scratch = &mut scratch.write([0.0; STEPS])[..steps];
        // SAFETY: steps <= STEPS, asserted in `ring`, and each group has stored all steps of these `used` sums
        add_up(simd, unsafe { sum.rows(steps) }, scratch);
        *summed = scratch;
    }
    for index in 0..velocity_ports.len() {
        let rows = io.velocities.chunks_exact_mut(velocity_ports.len());
        rows.zip(summed[ports.velocity_ports[index]]).for_each(|(row, v)| row[index] = 2.0 * v);
    }
    for (index, before) in before.iter_mut().enumerate().take(free_ports.len()) {
        let after = summed[ports.free_ports[index]];
        let free = if PUSHED { summed[ports.count + index] } else { after };
        let rows = io.free.chunks_exact_mut(free_ports.len()).map(|row| &mut row[index]);
        for ((mean, free), after) in rows.zip(free).zip(after) {
            *mean = *before + free;
            *before = *after;
        }
    }
    if AUDITED {
        io.power[..steps].copy_from_slice(summed[used - 1]);
    }
}

/// Σ shape·v.
#[inline(always)]
fn total<S: Simd>(simd: S, shape: &[f64], v: &[f64]) -> f64 {
    let eights = shape.as_chunks::<LANES>().0.iter().zip(v.as_chunks::<LANES>().0);
    let add = |sum, (shape, v): (&[f64; LANES], &[f64; LANES])| simd.add(sum, simd.mul(simd.load(shape), simd.load(v)));
    simd.sum(eights.fold(simd.splat(0.0), add))
}

/// One kernel per case: a single function for all of them takes minutes to compile.
mod kernels {
    use super::*;

    macro_rules! kernels {
        ($($name:ident: $audited:literal, $case:ident, $pushed:literal;)*) => {
            $(vector_kernel! {
                pub fn $name<S>(simd, bank: &mut BankState, io: &mut BankBlock, ports: &PortSet) {
                    run::<S, $audited, { case::$case }, $pushed>(simd, bank, io, ports);
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

/// Takes `steps` steps, at most [`STEPS`], and records the outputs. Leaves v° as it was.
pub fn ring(bank: &mut BankState, io: &mut BankBlock) {
    let BankBlock { steps, free_ports, velocity_ports, .. } = *io;
    assert!(
        free_ports.len() <= PORTS && velocity_ports.len() <= PORTS && steps <= STEPS,
        "at most {PORTS} ports of a kind and {STEPS} steps per call"
    );
    let ports = &PortSet::new(free_ports, velocity_ports);
    let pushed = !io.driven.is_empty();
    match (ports.count, pushed, !bank.resistance.is_empty()) {
        (1, false, false) => kernels::one(bank, io, ports),
        (1, false, true) => kernels::one_audited(bank, io, ports),
        (2, false, false) => kernels::two(bank, io, ports),
        (2, false, true) => kernels::two_audited(bank, io, ports),
        (_, false, false) => kernels::many(bank, io, ports),
        (_, false, true) => kernels::many_audited(bank, io, ports),
        (1, true, false) if free_ports.is_empty() => kernels::one_pushed(bank, io, ports),
        (_, true, false) => kernels::many_pushed(bank, io, ports),
        (_, true, true) => kernels::many_pushed_audited(bank, io, ports),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Aligned, Level, dot, force, modes};

    fn numbers(n: usize, seed: usize) -> Aligned {
        (0..n).map(|i| ((i * 7919 + seed * 104_729) % 1009) as f64 / 1009.0 - 0.4).collect()
    }

    /// The outputs of a bank, and its state after the last step.
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

    /// A test case.
    #[derive(Clone, Copy, Debug)]
    struct Case {
        /// Number of free-velocity and of velocity ports.
        ports: [usize; 2],
        /// Both kinds are the same ports.
        shared: bool,
        audited: bool,
        pushed: bool,
        steps: usize,
    }

    impl Case {
        /// Shapes of the free-velocity ports, and of the velocity ports.
        fn io<'a>(&self, shapes: &'a [Vec<Aligned>; 2]) -> [Vec<&'a [f64]>; 2] {
            let of = |i: usize| if self.shared { &shapes[0] } else { &shapes[i] };
            [0, 1].map(|i| of(i)[..self.ports[i]].iter().map(|shape| &**shape).collect())
        }
    }

    fn in_one_call(n: usize, case: Case) -> Run {
        let Case { ports, audited, pushed, steps, .. } = case;
        let ([mut q, mut v, mut ahead, kept, pull, resistance], shapes) = bank(n);
        let (driven, forces) = (numbers(n, 40), numbers(steps, 41));
        let mut bank = BankState {
            q: &mut q,
            v: &mut v,
            ahead: &mut ahead,
            kept: &kept,
            pull: &pull,
            resistance: if audited { &resistance } else { &[] },
        };
        let [free_ports, velocity_ports] = case.io(&shapes);
        let [mut free, mut velocities] = ports.map(|ports| vec![0.0; ports * steps]);
        let mut power = vec![0.0; if audited { steps } else { 0 }];
        let (free_out, velocities_out) = (&mut free[..], &mut velocities[..]);
        let mut io = BankBlock {
            steps,
            driven: if pushed { &driven } else { &[] },
            forces: if pushed { &forces } else { &[] },
            free_ports: &free_ports,
            free: free_out,
            velocity_ports: &velocity_ports,
            velocities: velocities_out,
            power: &mut power,
        };
        ring(&mut bank, &mut io);
        Run { free, velocities, power, motion: [q, v].map(|part| part.to_vec()) }
    }

    /// The same with one kernel after the other.
    fn one_by_one(n: usize, case: Case) -> Run {
        let Case { audited, pushed, steps, .. } = case;
        let ([mut q, mut v, mut ahead, kept, pull, resistance], shapes) = bank(n);
        let (driven, forces) = (numbers(n, 40), numbers(steps, 41));
        let [free_ports, velocity_ports] = case.io(&shapes);
        let (mut free, mut velocities, mut power) = (Vec::new(), Vec::new(), Vec::new());
        for &force in &*forces {
            modes::predict(&q, &v, &kept, &pull, &mut ahead);
            free.extend(free_ports.iter().map(|shape| dot(shape, &v) + dot(shape, &ahead)));
            if pushed {
                modes::add(&mut ahead, &driven, force);
            }
            modes::advance(&mut q, &mut v, &mut ahead);
            if audited {
                power.push(modes::power(&resistance, &ahead));
            }
            velocities.extend(velocity_ports.iter().map(|shape| 2.0 * dot(shape, &v)));
        }
        Run { free, velocities, power, motion: [q, v].map(|part| part.to_vec()) }
    }

    #[test]
    fn many_steps_at_once_compute_what_single_ones_do_on_every_level() {
        let io = [
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
                for ((ports, audited), pushed) in io.into_iter().flat_map(|case| [(case, false), (case, true)]) {
                    let case = Case { ports, shared, audited, pushed, steps };
                    let expected = one_by_one(n, case);
                    for level in [Level::Baseline, Level::Avx2, Level::Avx512] {
                        force(level);
                        assert_eq!(in_one_call(n, case), expected, "{n} modes, {level:?}, {case:?}");
                    }
                }
            }
        }
    }
}
