//! Many steps of a bank under no force, or forces known ahead.
//!
//! A few eights of modes at a time go through all the steps, their motion in registers: only what is seen of a step goes through memory.
//! The same operations in the same order as [`feed_back`](super::feed_back), so the same bits.

#![allow(unsafe_code)]

use super::parts::{part, parts};
use super::{Answers, Bank, FORESEEN};
use crate::dispatch::vector_kernel;
use crate::groups::{Room, Rows, Sum, add_up, next_group};
use crate::lanes::LANES;
use crate::simd::Simd;
use crate::single::from_memory;

/// Most steps of a call.
pub const STEPS: usize = crate::groups::STEPS;
/// Most other ports that are heard, and most ports whose displacement is.
pub const PORTS: usize = 4;
/// Sums of a step: Σ v, Σ v°, the power lost, and one for every port of these.
const SUMS: usize = 3 + 2 * PORTS;

/// What is looked at in steps of a bank, and what is seen there. A bank begins moved, and ends with the push of its last step still to come.
#[derive(Debug)]
pub struct Looks<'a> {
    /// How many steps, at least one.
    pub steps: usize,
    /// Forces, step after step; empty where nothing pushes.
    pub forces: &'a [f64],
    /// Σ v after every step; empty where nobody looks.
    pub own: &'a mut [f64],
    /// Σ v° after every step but the last, but for G f; empty where nobody looks. Under no force it is Σ v of the step after it.
    pub ahead: &'a mut [f64],
    /// Shapes of other ports that are heard.
    pub heard: &'a [&'a [f64]],
    /// Σ shape·v of these ports after every step, step after step.
    pub velocities: &'a mut [f64],
    /// Shapes of ports whose displacement is heard.
    pub placed: &'a [&'a [f64]],
    /// Σ shape·q of these after every step, step after step.
    pub displacements: &'a mut [f64],
    /// r, and v before the first step; empty where no power is asked for.
    pub losses: [&'a [f64]; 2],
    /// Σ r (v + v⁺)² of every step.
    pub power: &'a mut [f64],
}

/// Sums by name.
mod sum {
    pub(super) const OWN: usize = 0;
    pub(super) const AHEAD: usize = 1;
    pub(super) const POWER: usize = 2;
    pub(super) const HEARD: usize = 3;
    pub(super) const PLACED: usize = HEARD + super::PORTS;
}

/// What a loop looks at. What is common has loops without branches: with them, the compiler would not keep the motion in registers.
trait Look {
    const PUSHED: bool = false;
    const AUDITED: bool = false;
    const OWN: bool = true;
    const AHEAD: bool = false;
    /// Other ports: none, one, or any number.
    const HEARD: usize = 0;
    /// Ports whose displacement is heard, likewise; one only where no other port is heard.
    const PLACED: usize = 0;
    /// Eights side by side where it is [crowded](Simd::CROWDED): the fastest of 2 to 5 with AVX2. Of more than stay in registers, displacements are left in memory.
    const CROWD: usize;
}

const ONE: usize = 1;
const MANY: usize = 2;

macro_rules! look {
    ($name:ident $(, $what:ident = $value:expr)*) => {
        struct $name;
        impl Look for $name {
            $(const $what: look!(@ $what) = $value;)*
        }
    };
    (@ HEARD) => { usize };
    (@ PLACED) => { usize };
    (@ CROWD) => { usize };
    (@ $other:ident) => { bool };
}
look!(Rings, CROWD = 5);
look!(RingsElsewhere, CROWD = 2, HEARD = ONE);
look!(RingsPlaced, CROWD = 5, PLACED = ONE);
look!(RingsEverywhere, CROWD = 3, HEARD = MANY, PLACED = MANY);
look!(Audited, CROWD = 4, AUDITED = true);
look!(AuditedElsewhere, CROWD = 3, AUDITED = true, HEARD = ONE);
look!(AuditedEverywhere, CROWD = 2, AUDITED = true, HEARD = MANY, PLACED = MANY);
look!(Pushed, CROWD = 5, PUSHED = true);
look!(PushedElsewhere, CROWD = 3, PUSHED = true, OWN = false, HEARD = ONE);
look!(PushedPlaced, CROWD = 3, PUSHED = true, OWN = false, PLACED = ONE);
look!(PushedEverywhere, CROWD = 3, PUSHED = true, AHEAD = true, HEARD = MANY, PLACED = MANY);
look!(PushedAudited, CROWD = 2, PUSHED = true, AUDITED = true, AHEAD = true, HEARD = MANY, PLACED = MANY);

/// What a group of modes goes through.
#[derive(Clone, Copy)]
struct Told<'a> {
    steps: usize,
    forces: &'a [f64],
    heard: &'a [&'a [f64]],
    placed: &'a [&'a [f64]],
    losses: [&'a [f64]; 2],
}

/// The sums of all steps. Those that nobody asks for are left alone.
type Sums<'a> = [Sum<'a>; SUMS];

/// `N` eights of modes on their way.
struct Group<S: Simd, const N: usize> {
    x: [S::V; N],
    ahead: [S::V; N],
    kept: [S::V; N],
    pull: [S::V; N],
    gain: [S::V; N],
    resistance: [S::V; N],
    /// v before the step.
    before: [S::V; N],
    /// Of the one port that is heard.
    shape: [S::V; N],
}

/// `N` eights.
#[inline(always)]
fn take<S: Simd, const N: usize>(simd: S, slice: &[f64], at: usize) -> [S::V; N] {
    let chunks = &slice.as_chunks::<LANES>().0[at..at + N];
    let mut taken = [simd.splat(0.0); N];
    for i in 0..N {
        taken[i] = simd.load(&chunks[i]);
    }
    taken
}

#[inline(always)]
fn pick<S: Simd, const N: usize>(simd: S, answers: &[Answers], of: impl Fn(&Answers) -> &[f64; LANES]) -> [S::V; N] {
    let mut taken = [simd.splat(0.0); N];
    for i in 0..N {
        taken[i] = simd.load(of(&answers[i]));
    }
    taken
}

/// Adds what ports with these shapes see of step `n` to their sums. A function, not a closure, which would not be compiled for the vectors of the machine.
///
/// # Safety
/// As of [`Group::step`].
#[inline(always)]
unsafe fn see<S: Simd, const N: usize>(
    simd: S,
    (n, at): (usize, usize),
    shapes: &[&[f64]],
    values: &[S::V; N],
    sums: &[Sum],
) {
    for (shape, sum) in shapes.iter().zip(sums) {
        let shape = take::<S, N>(simd, shape, at);
        // SAFETY: the caller says so.
        let mut seen = unsafe { sum.load(simd, n) };
        for i in 0..N {
            seen = simd.add(seen, simd.mul(shape[i], values[i]));
        }
        // SAFETY: as above.
        unsafe { sum.store(simd, n, seen) };
    }
}

impl<S: Simd, const N: usize> Group<S, N> {
    /// Displacements are in registers, too, and not in memory.
    const KEPT: bool = N <= S::GROUP;

    #[inline(always)]
    fn new<L: Look>(simd: S, bank: &Bank, at: usize, told: Told) -> Self {
        let answers = &bank.answers[at..at + N];
        let kept = pick(simd, answers, |answers| &answers.kept);
        let [resistance, before] = told.losses;
        Self {
            x: take(simd, bank.q, at),
            ahead: take(simd, bank.ahead, at),
            kept,
            pull: pick(simd, answers, |answers| &answers.pull),
            gain: if L::PUSHED { pick(simd, answers, |answers| &answers.gain) } else { kept },
            resistance: if L::AUDITED { take(simd, resistance, at) } else { kept },
            before: if L::AUDITED { take(simd, before, at) } else { kept },
            shape: match (L::HEARD, L::PLACED) {
                (ONE, _) => take(simd, told.heard[0], at),
                (_, ONE) => take(simd, told.placed[0], at),
                _ => kept,
            },
        }
    }

    /// Takes step `n`; `MOVES` on to the next.
    ///
    /// # Safety
    /// There are as many steps, and all groups before have taken them.
    #[inline(always)]
    // one index for all parts of a group
    #[allow(clippy::needless_range_loop)]
    unsafe fn step<L: Look, const MOVES: bool>(
        &mut self,
        simd: S,
        (n, at): (usize, usize),
        told: Told,
        sums: &Sums,
        q: &mut [[f64; LANES]],
    ) {
        // SAFETY: the caller says so.
        let sum = |which: usize| unsafe { sums[which].load(simd, n) };
        let zero = simd.splat(0.0);
        let force = if L::PUSHED { simd.splat(told.forces[n]) } else { zero };
        let mut own = if L::OWN { sum(sum::OWN) } else { zero };
        let mut ahead = if L::AHEAD { sum(sum::AHEAD) } else { zero };
        let mut lost = if L::AUDITED { sum(sum::POWER) } else { zero };
        let mut heard = if L::HEARD == ONE { sum(sum::HEARD) } else { zero };
        let mut placed = if L::PLACED == ONE { sum(sum::PLACED) } else { zero };
        let (mut speeds, mut places) = ([zero; N], [zero; N]);
        for i in 0..N {
            let free = self.ahead[i];
            if !Self::KEPT {
                self.x[i] = simd.load(&q[i]);
            }
            let speed = if L::PUSHED { simd.add(free, simd.mul(self.gain[i], force)) } else { free };
            if L::OWN {
                own = simd.add(own, speed);
            }
            if L::HEARD == ONE {
                heard = simd.add(heard, simd.mul(self.shape[i], speed));
            }
            if L::HEARD == MANY {
                speeds[i] = speed;
            }
            let place = simd.add(self.x[i], speed);
            if L::PLACED == ONE {
                placed = simd.add(placed, simd.mul(self.shape[i], place));
            }
            if L::PLACED == MANY {
                places[i] = place;
            }
            if L::AUDITED {
                let both = simd.add(self.before[i], speed);
                lost = simd.add(lost, simd.mul(simd.mul(self.resistance[i], both), both));
                self.before[i] = speed;
            }
            if MOVES {
                let known = simd.add(self.x[i], free);
                self.x[i] = place;
                self.ahead[i] = simd.sub(simd.mul(self.kept[i], speed), simd.mul(self.pull[i], self.x[i]));
                if L::AHEAD {
                    let share = if at < FORESEEN {
                        simd.sub(simd.mul(self.kept[i], free), simd.mul(self.pull[i], known))
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
        // SAFETY: the caller says so.
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
        if L::HEARD == ONE {
            keep(sum::HEARD, heard);
        }
        if L::PLACED == ONE {
            keep(sum::PLACED, placed);
        }
        if L::HEARD == MANY {
            // SAFETY: the caller says so.
            unsafe { see(simd, (n, at), told.heard, &speeds, &sums[sum::HEARD..]) };
        }
        if L::PLACED == MANY {
            // SAFETY: the caller says so.
            unsafe { see(simd, (n, at), told.placed, &places, &sums[sum::PLACED..]) };
        }
    }
}

/// Takes the steps, `N` eights of modes from eight `at`.
#[inline(always)]
fn group<S: Simd, L: Look, const N: usize>(simd: S, bank: &mut Bank, at: usize, told: Told, sums: &mut Sums) {
    let mut group = Group::<S, N>::new::<L>(simd, bank, at, told);
    let last = told.steps - 1;
    let q = &mut bank.q.as_chunks_mut::<LANES>().0[at..at + N];
    // a copy of its own, to which no reference exists, stays in registers
    let places = *sums;
    // SAFETY: every group takes all steps.
    unsafe {
        for n in 0..last {
            group.step::<L, true>(simd, (n, at), told, &places, q);
            if !Group::<S, N>::KEPT {
                from_memory();
            }
        }
        group.step::<L, false>(simd, (last, at), told, &places, q);
    }
    let ahead = &mut bank.ahead.as_chunks_mut::<LANES>().0[at..at + N];
    for i in 0..N {
        simd.store(&mut ahead[i], group.ahead[i]);
        simd.store(&mut q[i], group.x[i]);
    }
    sums.iter_mut().for_each(Sum::go_on);
}

/// Most eights side by side.
const fn most<S: Simd, L: Look>() -> usize {
    if S::CROWDED { L::CROWD } else { S::GROUP }
}

#[inline(always)]
fn run<S: Simd, L: Look>(simd: S, bank: &mut Bank, looks: &mut Looks) {
    let Looks { steps, forces, heard, placed, losses, .. } = *looks;
    let told = Told { steps, forces, heard, placed, losses };
    // only what is asked for is ever touched
    let mut room = [const { Room::uninit() }; SUMS];
    let mut sums = room.each_mut().map(Sum::new);
    let eights = bank.answers.len();
    let count = parts(eights);
    let mut whole = if count > 1 { Some([Rows::ZERO, Rows::ZERO]) } else { None };
    let mut at = 0;
    for number in 0..count {
        // groups do not straddle where modes cease to be foreseen
        for end in [eights.min(FORESEEN), eights.min(FORESEEN + part(eights, number).end)] {
            while at < end {
                let size = next_group(most::<S, L>(), end - at);
                // loops that are never taken are not compiled
                match size {
                    5 if const { most::<S, L>() >= 5 } => group::<S, L, 5>(simd, bank, at, told, &mut sums),
                    4 if const { most::<S, L>() >= 4 } => group::<S, L, 4>(simd, bank, at, told, &mut sums),
                    3 if const { most::<S, L>() >= 3 } => group::<S, L, 3>(simd, bank, at, told, &mut sums),
                    2 if const { most::<S, L>() >= 2 } => group::<S, L, 2>(simd, bank, at, told, &mut sums),
                    _ => group::<S, L, 1>(simd, bank, at, told, &mut sums),
                }
                at += size;
            }
        }
        if let Some(whole) = &mut whole {
            let [own, ahead] = whole;
            // SAFETY: every group has taken all steps.
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
    // SAFETY: as above.
    let rows = |which: usize| unsafe { sums[which].rows(steps) };
    let [own, ahead] = match &whole {
        Some(whole) => whole.each_ref().map(|lanes| lanes.rows(steps)),
        None => [if L::OWN { rows(sum::OWN) } else { &[] }, if L::AHEAD { rows(sum::AHEAD) } else { &[] }],
    };
    if L::OWN {
        add_up(simd, own, looks.own);
    }
    if L::AHEAD {
        add_up(simd, ahead, looks.ahead);
    }
    if L::AUDITED {
        add_up(simd, rows(sum::POWER), looks.power);
    }
    let seen = [(sum::HEARD, heard.len(), &mut *looks.velocities), (sum::PLACED, placed.len(), looks.displacements)];
    for (first, ports, out) in seen {
        for port in 0..ports {
            let mut totals = [0.0; STEPS];
            add_up(simd, rows(first + port), &mut totals);
            out.chunks_exact_mut(ports).zip(&totals[..steps]).for_each(|(row, total)| row[port] = *total);
        }
    }
}

/// A kernel for every look: one for all of them is a function so large that it takes the compiler minutes.
mod kernels {
    use super::*;

    macro_rules! kernels {
        ($($name:ident: $look:ident),* $(,)?) => {
            $(vector_kernel! {
                pub fn $name<S>(simd, bank: &mut Bank, looks: &mut Looks) {
                    run::<S, $look>(simd, bank, looks);
                }
            })*
        };
    }
    kernels! {
        rings: Rings,
        rings_elsewhere: RingsElsewhere,
        rings_placed: RingsPlaced,
        rings_everywhere: RingsEverywhere,
        audited: Audited,
        audited_elsewhere: AuditedElsewhere,
        audited_everywhere: AuditedEverywhere,
        pushed: Pushed,
        pushed_elsewhere: PushedElsewhere,
        pushed_placed: PushedPlaced,
        pushed_everywhere: PushedEverywhere,
        pushed_audited: PushedAudited,
    }
}

/// Takes some steps, at most [`STEPS`], and looks at them.
pub fn ring(bank: &mut Bank, looks: &mut Looks) {
    let Looks { steps, heard, placed, ref ahead, ref own, .. } = *looks;
    let ports = heard.len().max(placed.len());
    assert!(ports <= PORTS && (1..=STEPS).contains(&steps), "more than a call takes");
    let (pushed, audited) = (!looks.forces.is_empty(), !looks.losses[0].is_empty());
    match (pushed, audited, heard.len(), placed.len()) {
        (false, false, 0, 0) => kernels::rings(bank, looks),
        (false, false, 1, 0) => kernels::rings_elsewhere(bank, looks),
        (false, false, 0, 1) => kernels::rings_placed(bank, looks),
        (false, false, ..) => kernels::rings_everywhere(bank, looks),
        (false, true, 0, 0) => kernels::audited(bank, looks),
        (false, true, 1, 0) => kernels::audited_elsewhere(bank, looks),
        (false, true, ..) => kernels::audited_everywhere(bank, looks),
        (true, false, 0, 0) if ahead.is_empty() => kernels::pushed(bank, looks),
        (true, false, 1, 0) if ahead.is_empty() && own.is_empty() => kernels::pushed_elsewhere(bank, looks),
        (true, false, 0, 1) if ahead.is_empty() && own.is_empty() => kernels::pushed_placed(bank, looks),
        (true, false, ..) => kernels::pushed_everywhere(bank, looks),
        (true, true, ..) => kernels::pushed_audited(bank, looks),
    }
}
