//! Multi-step kernel of single-port banks, free or under scheduled forces.
//!
//! Groups of a few lane blocks take all steps with their state in registers: only the recorded sums of a step go through memory.
//! The operations and their order are those of [`feed_back`](super::feed_back), so the bits are the same.

#![allow(unsafe_code)]

use super::parts::{part, parts};
use super::{Answers, FORESEEN, SinglePortModes};
use crate::dispatch::vector_kernel;
use crate::groups::{LaneSums, Scratch, Sum, add_up, next_group};
use crate::lanes::LANES;
use crate::simd::Simd;
use crate::single::from_memory;

/// Most steps per call.
pub const STEPS: usize = crate::groups::STEPS;
/// Most other velocity ports, and most displacement ports.
pub const PORTS: usize = 4;
/// Sums per step: Σ v, Σ v°, the dissipated power, and one per velocity and displacement port.
const SUMS: usize = 3 + 2 * PORTS;

/// Inputs and recorded outputs of a block of steps. The bank begins advanced, and ends with the force of its last step still to be applied.
#[derive(Debug)]
pub struct SinglePortBlock<'a> {
    /// Number of steps, at least one.
    pub steps: usize,
    /// Scheduled forces, N, one per step; empty if none.
    pub forces: &'a [f64],
    /// Σ v after every step; empty if not recorded.
    pub own: &'a mut [f64],
    /// Σ v° after every step but the last, without G f; empty if not recorded. Without force it is Σ v of the next step.
    pub ahead: &'a mut [f64],
    /// Shapes of other ports whose velocity is recorded.
    pub velocity_ports: &'a [&'a [f64]],
    /// Σ shape·v of these ports after every step, step by step.
    pub velocities: &'a mut [f64],
    /// Shapes of ports whose displacement is recorded.
    pub displacement_ports: &'a [&'a [f64]],
    /// Σ shape·q of these ports after every step, step by step.
    pub displacements: &'a mut [f64],
    /// r, and v before the first step; empty if the block is not audited.
    pub losses: [&'a [f64]; 2],
    /// Σ r (v + v⁺)² of every step.
    pub power: &'a mut [f64],
}

/// Indices of the sums.
mod sum {
    pub(super) const OWN: usize = 0;
    pub(super) const AHEAD: usize = 1;
    pub(super) const POWER: usize = 2;
    pub(super) const VELOCITY: usize = 3;
    pub(super) const DISPLACEMENT: usize = VELOCITY + super::PORTS;
}

/// Which outputs a loop records. The common cases have loops without branches, because with branches the compiler spills the state.
trait Recorded {
    const DRIVEN: bool = false;
    const AUDITED: bool = false;
    const OWN: bool = true;
    const AHEAD: bool = false;
    /// Other velocity ports: none, one, or any number.
    const VELOCITY: usize = 0;
    /// Displacement ports, likewise; one only if there is no other velocity port.
    const DISPLACEMENT: usize = 0;
    /// Lane blocks per group if registers are [few](Simd::CROWDED): the fastest of 2 to 5 with AVX2. Groups larger than the registers leave displacements in memory.
    const CROWD: usize;
}

const ONE: usize = 1;
const MANY: usize = 2;

macro_rules! outputs {
    ($name:ident $(, $what:ident = $value:expr)*) => {
        struct $name;
        impl Recorded for $name {
            $(const $what: outputs!(@ $what) = $value;)*
        }
    };
    (@ VELOCITY) => { usize };
    (@ DISPLACEMENT) => { usize };
    (@ CROWD) => { usize };
    (@ $other:ident) => { bool };
}
outputs!(Free, CROWD = 5);
outputs!(FreeVelocity, CROWD = 2, VELOCITY = ONE);
outputs!(FreeDisplacement, CROWD = 5, DISPLACEMENT = ONE);
outputs!(FreeMany, CROWD = 3, VELOCITY = MANY, DISPLACEMENT = MANY);
outputs!(Audited, CROWD = 4, AUDITED = true);
outputs!(AuditedVelocity, CROWD = 3, AUDITED = true, VELOCITY = ONE);
outputs!(AuditedMany, CROWD = 2, AUDITED = true, VELOCITY = MANY, DISPLACEMENT = MANY);
outputs!(Driven, CROWD = 5, DRIVEN = true);
outputs!(DrivenVelocity, CROWD = 3, DRIVEN = true, OWN = false, VELOCITY = ONE);
outputs!(DrivenDisplacement, CROWD = 3, DRIVEN = true, OWN = false, DISPLACEMENT = ONE);
outputs!(DrivenMany, CROWD = 3, DRIVEN = true, AHEAD = true, VELOCITY = MANY, DISPLACEMENT = MANY);
outputs!(DrivenAudited, CROWD = 2, DRIVEN = true, AUDITED = true, AHEAD = true, VELOCITY = MANY, DISPLACEMENT = MANY);

/// Inputs common to all groups of a call.
#[derive(Clone, Copy)]
struct GroupTask<'a> {
    steps: usize,
    forces: &'a [f64],
    velocity_ports: &'a [&'a [f64]],
    displacement_ports: &'a [&'a [f64]],
    losses: [&'a [f64]; 2],
}

/// The sums of all steps. Sums that are not recorded are never accessed.
type Sums<'a> = [Sum<'a>; SUMS];

/// State and coefficients of `N` lane blocks.
struct Group<S: Simd, const N: usize> {
    x: [S::V; N],
    ahead: [S::V; N],
    kept: [S::V; N],
    pull: [S::V; N],
    gain: [S::V; N],
    resistance: [S::V; N],
    /// v before the step.
    before: [S::V; N],
    /// Shape of the single recorded port.
    shape: [S::V; N],
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

#[inline(always)]
fn pick<S: Simd, const N: usize>(simd: S, answers: &[Answers], of: impl Fn(&Answers) -> &[f64; LANES]) -> [S::V; N] {
    let mut blocks = [simd.splat(0.0); N];
    for i in 0..N {
        blocks[i] = simd.load(of(&answers[i]));
    }
    blocks
}

/// Adds the outputs of step `n` at ports with these shapes to their sums. A function, because a closure would not be compiled for the kernel's instruction set.
///
/// # Safety
/// That of [`Group::step`].
#[inline(always)]
unsafe fn record<S: Simd, const N: usize>(
    simd: S,
    (n, at): (usize, usize),
    shapes: &[&[f64]],
    values: &[S::V; N],
    sums: &[Sum],
) {
    for (shape, sum) in shapes.iter().zip(sums) {
        let shape = take::<S, N>(simd, shape, at);
        // SAFETY: the step is below STEPS and the sums of earlier groups are written: the contract above, kept by the loop over groups
        let mut recorded = unsafe { sum.load(simd, n) };
        for i in 0..N {
            recorded = simd.add(recorded, simd.mul(shape[i], values[i]));
        }
        // SAFETY: `n < STEPS`: the contract above, kept by the loop over steps, whose number `ring` asserts to be at most STEPS
        unsafe { sum.store(simd, n, recorded) };
    }
}

/// Stores the sums of step `n` that `L` records.
///
/// # Safety
/// `n < STEPS`.
#[inline(always)]
unsafe fn store_sums<S: Simd, L: Recorded>(simd: S, n: usize, sums: &Sums, values: [S::V; 5]) {
    let [own, ahead, lost, velocity, displacement] = values;
    // SAFETY: `n < STEPS`: the contract above, kept by the loop over steps, whose number `ring` asserts to be at most STEPS
    let keep = |which: usize, x: S::V| unsafe { sums[which].store(simd, n, x) };
    if L::OWN {
        keep(sum::OWN, own);
    }
    if L::AHEAD {
        keep(sum::AHEAD, ahead);
    }
    if L::AUDITED {
        keep(sum::POWER, lost);
    }
    if L::VELOCITY == ONE {
        keep(sum::VELOCITY, velocity);
    }
    if L::DISPLACEMENT == ONE {
        keep(sum::DISPLACEMENT, displacement);
    }
}

impl<S: Simd, const N: usize> Group<S, N> {
    /// True if displacements stay in registers too, false if they stay in memory.
    const KEPT: bool = N <= S::GROUP;

    #[inline(always)]
    fn new<L: Recorded>(simd: S, bank: &SinglePortModes, at: usize, task: GroupTask) -> Self {
        let answers = &bank.answers[at..at + N];
        let kept = pick(simd, answers, |answers| &answers.kept);
        let [resistance, before] = task.losses;
        Self {
            x: take(simd, bank.q, at),
            ahead: take(simd, bank.ahead, at),
            kept,
            pull: pick(simd, answers, |answers| &answers.pull),
            gain: if L::DRIVEN { pick(simd, answers, |answers| &answers.gain) } else { kept },
            resistance: if L::AUDITED { take(simd, resistance, at) } else { kept },
            before: if L::AUDITED { take(simd, before, at) } else { kept },
            shape: match (L::VELOCITY, L::DISPLACEMENT) {
                (ONE, _) => take(simd, task.velocity_ports[0], at),
                (_, ONE) => take(simd, task.displacement_ports[0], at),
                _ => kept,
            },
        }
    }

    /// Takes step `n`, and predicts the next if `MOVES`.
    ///
    /// # Safety
    /// `n < STEPS`, and every finished group has stored step `n` of the sums that `L` records.
    #[inline(always)]
    // one index for all arrays of a group
    #[allow(clippy::needless_range_loop)]
    unsafe fn step<L: Recorded, const MOVES: bool>(
        &mut self,
        simd: S,
        (n, at): (usize, usize),
        task: GroupTask,
        sums: &Sums,
        q: &mut [[f64; LANES]],
    ) {
        // SAFETY: `n < STEPS` and the sums of earlier groups are written: the contract above, kept by the loop over groups; only sums that `L` records are loaded
        let sum = |which: usize| unsafe { sums[which].load(simd, n) };
        let zero = simd.splat(0.0);
        let force = if L::DRIVEN { simd.splat(task.forces[n]) } else { zero };
        let mut own = if L::OWN { sum(sum::OWN) } else { zero };
        let mut ahead = if L::AHEAD { sum(sum::AHEAD) } else { zero };
        let mut lost = if L::AUDITED { sum(sum::POWER) } else { zero };
        let mut velocity_ports = if L::VELOCITY == ONE { sum(sum::VELOCITY) } else { zero };
        let mut displacement_ports = if L::DISPLACEMENT == ONE { sum(sum::DISPLACEMENT) } else { zero };
        let (mut speeds, mut displacements) = ([zero; N], [zero; N]);
        for i in 0..N {
            let free = self.ahead[i];
            if !Self::KEPT {
                self.x[i] = simd.load(&q[i]);
            }
            let speed = if L::DRIVEN { simd.add(free, simd.mul(self.gain[i], force)) } else { free };
            if L::OWN {
                own = simd.add(own, speed);
            }
            if L::VELOCITY == ONE {
                velocity_ports = simd.add(velocity_ports, simd.mul(self.shape[i], speed));
            }
            if L::VELOCITY == MANY {
                speeds[i] = speed;
            }
            let displacement = simd.add(self.x[i], speed);
            if L::DISPLACEMENT == ONE {
                displacement_ports = simd.add(displacement_ports, simd.mul(self.shape[i], displacement));
            }
            if L::DISPLACEMENT == MANY {
                displacements[i] = displacement;
            }
            if L::AUDITED {
                let both = simd.add(self.before[i], speed);
                lost = simd.add(lost, simd.mul(simd.mul(self.resistance[i], both), both));
                self.before[i] = speed;
            }
            if MOVES {
                let free_displacement = simd.add(self.x[i], free);
                self.x[i] = displacement;
                self.ahead[i] = simd.sub(simd.mul(self.kept[i], speed), simd.mul(self.pull[i], self.x[i]));
                if L::AHEAD {
                    let share = if at < FORESEEN {
                        simd.sub(simd.mul(self.kept[i], free), simd.mul(self.pull[i], free_displacement))
                    } else {
                        self.ahead[i]
                    };
                    ahead = simd.add(ahead, share);
                }
            }
            if !Self::KEPT {
                simd.store(&mut q[i], self.x[i]);
            }
        }
        // SAFETY: `n < STEPS`: the contract above
        unsafe { store_sums::<S, L>(simd, n, sums, [own, ahead, lost, velocity_ports, displacement_ports]) };
        if L::VELOCITY == MANY {
            // SAFETY: `n < STEPS` and the sums of earlier groups are written: the contract above
            unsafe { record(simd, (n, at), task.velocity_ports, &speeds, &sums[sum::VELOCITY..]) };
        }
        if L::DISPLACEMENT == MANY {
            // SAFETY: `n < STEPS` and the sums of earlier groups are written: the contract above
            unsafe { record(simd, (n, at), task.displacement_ports, &displacements, &sums[sum::DISPLACEMENT..]) };
        }
    }
}

/// Takes all steps with `N` lane blocks from block `at` on.
#[inline(always)]
fn group<S: Simd, L: Recorded, const N: usize>(
    simd: S,
    bank: &mut SinglePortModes,
    at: usize,
    task: GroupTask,
    sums: &mut Sums,
) {
    let mut group = Group::<S, N>::new::<L>(simd, bank, at, task);
    let last = task.steps - 1;
    let q = &mut bank.q.as_chunks_mut::<LANES>().0[at..at + N];
    // a local copy without a reference to it stays in registers
    let local_sums = *sums;
    // SAFETY: n <= last < STEPS, asserted in `ring`, and every group before this one has stored all steps of the sums that `L` records
    unsafe {
        for n in 0..last {
            group.step::<L, true>(simd, (n, at), task, &local_sums, q);
            if !Group::<S, N>::KEPT {
                from_memory();
            }
        }
        group.step::<L, false>(simd, (last, at), task, &local_sums, q);
    }
    let ahead = &mut bank.ahead.as_chunks_mut::<LANES>().0[at..at + N];
    for i in 0..N {
        simd.store(&mut ahead[i], group.ahead[i]);
        simd.store(&mut q[i], group.x[i]);
    }
    sums.iter_mut().for_each(Sum::go_on);
}

/// Largest group, in lane blocks.
const fn largest<S: Simd, L: Recorded>() -> usize {
    if S::CROWDED { L::CROWD } else { S::GROUP }
}

#[inline(always)]
fn run<S: Simd, L: Recorded>(simd: S, bank: &mut SinglePortModes, io: &mut SinglePortBlock) {
    let SinglePortBlock { steps, forces, velocity_ports, displacement_ports, losses, .. } = *io;
    let task = GroupTask { steps, forces, velocity_ports, displacement_ports, losses };
    // only the recorded sums are ever accessed
    let mut scratch = [const { Scratch::uninit() }; SUMS];
    let mut sums = scratch.each_mut().map(Sum::new);
    let eights = bank.answers.len();
    let count = parts(eights);
    let mut whole = if count > 1 { Some([LaneSums::ZERO, LaneSums::ZERO]) } else { None };
    let mut at = 0;
    for number in 0..count {
        // groups do not straddle the end of the foreseen blocks
        for end in [eights.min(FORESEEN), eights.min(FORESEEN + part(eights, number).end)] {
            while at < end {
                let size = next_group(largest::<S, L>(), end - at);
                // groups larger than `largest` never occur and are not compiled
                match size {
                    5 if const { largest::<S, L>() >= 5 } => group::<S, L, 5>(simd, bank, at, task, &mut sums),
                    4 if const { largest::<S, L>() >= 4 } => group::<S, L, 4>(simd, bank, at, task, &mut sums),
                    3 if const { largest::<S, L>() >= 3 } => group::<S, L, 3>(simd, bank, at, task, &mut sums),
                    2 if const { largest::<S, L>() >= 2 } => group::<S, L, 2>(simd, bank, at, task, &mut sums),
                    _ => group::<S, L, 1>(simd, bank, at, task, &mut sums),
                }
                at += size;
            }
        }
        if let Some(whole) = &mut whole {
            let [own, ahead] = whole;
            // SAFETY: steps <= STEPS, asserted in `ring`, and every group has stored all steps of the sums that `L` records
            unsafe {
                if L::OWN {
                    sums[sum::OWN].hand_over(own, steps);
                }
                if L::AHEAD {
                    sums[sum::AHEAD].hand_over(ahead, steps);
                }
            }
        }
    }
    // SAFETY: as above; `ring` selects an `L` that records every sum read below
    let rows = |which: usize| unsafe { sums[which].rows(steps) };
    let [own, ahead] = match &whole {
        Some(whole) => whole.each_ref().map(|lanes| lanes.rows(steps)),
        None => [if L::OWN { rows(sum::OWN) } else { &[] }, if L::AHEAD { rows(sum::AHEAD) } else { &[] }],
    };
    if L::OWN {
        add_up(simd, own, io.own);
    }
    if L::AHEAD {
        add_up(simd, ahead, io.ahead);
    }
    if L::AUDITED {
        add_up(simd, rows(sum::POWER), io.power);
    }
    let recorded = [
        (sum::VELOCITY, velocity_ports.len(), &mut *io.velocities),
        (sum::DISPLACEMENT, displacement_ports.len(), io.displacements),
    ];
    for (first, ports, out) in recorded {
        for port in 0..ports {
            let mut totals = [0.0; STEPS];
            add_up(simd, rows(first + port), &mut totals);
            out.chunks_exact_mut(ports).zip(&totals[..steps]).for_each(|(row, total)| row[port] = *total);
        }
    }
}

/// One kernel per case: a single function for all of them takes minutes to compile.
mod kernels {
    use super::*;

    macro_rules! kernels {
        ($($name:ident: $outputs:ident),* $(,)?) => {
            $(vector_kernel! {
                pub fn $name<S>(simd, bank: &mut SinglePortModes, io: &mut SinglePortBlock) {
                    run::<S, $outputs>(simd, bank, io);
                }
            })*
        };
    }
    kernels! {
        free: Free,
        free_velocity: FreeVelocity,
        free_displacement: FreeDisplacement,
        free_many: FreeMany,
        audited: Audited,
        audited_velocity: AuditedVelocity,
        audited_many: AuditedMany,
        driven: Driven,
        driven_velocity: DrivenVelocity,
        driven_displacement: DrivenDisplacement,
        driven_many: DrivenMany,
        driven_audited: DrivenAudited,
    }
}

/// Takes `steps` steps, at most [`STEPS`], and records the outputs.
pub fn ring(bank: &mut SinglePortModes, io: &mut SinglePortBlock) {
    let SinglePortBlock { steps, velocity_ports, displacement_ports, ref ahead, ref own, .. } = *io;
    let ports = velocity_ports.len().max(displacement_ports.len());
    assert!(
        ports <= PORTS && (1..=STEPS).contains(&steps),
        "at most {PORTS} ports of a kind and 1 to {STEPS} steps per call"
    );
    let (driven, audited) = (!io.forces.is_empty(), !io.losses[0].is_empty());
    match (driven, audited, velocity_ports.len(), displacement_ports.len()) {
        (false, false, 0, 0) => kernels::free(bank, io),
        (false, false, 1, 0) => kernels::free_velocity(bank, io),
        (false, false, 0, 1) => kernels::free_displacement(bank, io),
        (false, false, ..) => kernels::free_many(bank, io),
        (false, true, 0, 0) => kernels::audited(bank, io),
        (false, true, 1, 0) => kernels::audited_velocity(bank, io),
        (false, true, ..) => kernels::audited_many(bank, io),
        (true, false, 0, 0) if ahead.is_empty() => kernels::driven(bank, io),
        (true, false, 1, 0) if ahead.is_empty() && own.is_empty() => kernels::driven_velocity(bank, io),
        (true, false, 0, 1) if ahead.is_empty() && own.is_empty() => kernels::driven_displacement(bank, io),
        (true, false, ..) => kernels::driven_many(bank, io),
        (true, true, ..) => kernels::driven_audited(bank, io),
    }
}
