//! Many steps of a bank under no force, or forces known ahead.
//!
//! A few eights of modes at a time go through all the steps, their motion in registers: only what is seen of a step goes through memory.
//! The same operations in the same order as [`feed_back`](super::feed_back), so the same bits.

use super::parts::{part, parts};
use super::{Answers, Bank, FORESEEN};
use crate::dispatch::vector_kernel;
use crate::lanes::LANES;
use crate::simd::Simd;
use std::mem::MaybeUninit;

/// Most steps of a call.
pub const STEPS: usize = 64;
/// Most other ports that are heard.
pub const PORTS: usize = 4;
/// Sums of a step: Σ v, Σ v°, the power lost, and one for every other port.
const SUMS: usize = 3 + PORTS;

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
    /// r, and v before the first step; empty where no power is asked for.
    pub losses: [&'a [f64]; 2],
    /// Σ r (v + v⁺)² of every step.
    pub power: &'a mut [f64],
}

/// A sum in its lanes, for every step. Eights that straddle two cache lines would be twice as dear.
#[repr(align(64))]
struct Lanes([[f64; LANES]; STEPS]);

/// Sums by name.
mod sum {
    pub(super) const OWN: usize = 0;
    pub(super) const AHEAD: usize = 1;
    pub(super) const POWER: usize = 2;
    pub(super) const HEARD: usize = 3;
}

/// What a loop looks at. What is common has loops without branches: with them, the compiler would not keep the motion in registers.
trait Look {
    const PUSHED: bool = false;
    const AUDITED: bool = false;
    const OWN: bool = true;
    const AHEAD: bool = false;
    /// Other ports: none, one, or any number.
    const HEARD: usize = 0;
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
    (@ $other:ident) => { bool };
}
look!(Rings);
look!(RingsElsewhere, HEARD = ONE);
look!(RingsEverywhere, HEARD = MANY);
look!(Audited, AUDITED = true);
look!(AuditedElsewhere, AUDITED = true, HEARD = ONE);
look!(AuditedEverywhere, AUDITED = true, HEARD = MANY);
look!(Pushed, PUSHED = true);
look!(PushedElsewhere, PUSHED = true, OWN = false, HEARD = ONE);
look!(PushedEverywhere, PUSHED = true, AHEAD = true, HEARD = MANY);
look!(PushedAudited, PUSHED = true, AUDITED = true, AHEAD = true, HEARD = MANY);

/// What a group of modes goes through.
#[derive(Clone, Copy)]
struct Told<'a> {
    steps: usize,
    forces: &'a [f64],
    heard: &'a [&'a [f64]],
    losses: [&'a [f64]; 2],
}

/// The sums of all steps, those that are asked for.
type Sums<'a> = [&'a mut [[f64; LANES]]];

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
    /// Of the other port.
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

impl<S: Simd, const N: usize> Group<S, N> {
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
            shape: if L::HEARD == ONE { take(simd, told.heard[0], at) } else { kept },
        }
    }

    /// Takes step `n`; `MOVES` on to the next.
    #[inline(always)]
    // one index for all parts of a group
    #[allow(clippy::needless_range_loop)]
    fn step<L: Look, const MOVES: bool>(&mut self, simd: S, (n, at): (usize, usize), told: Told, sums: &mut Sums) {
        let zero = simd.splat(0.0);
        let force = if L::PUSHED { simd.splat(told.forces[n]) } else { zero };
        let mut own = if L::OWN { simd.load(&sums[sum::OWN][n]) } else { zero };
        let mut ahead = if L::AHEAD { simd.load(&sums[sum::AHEAD][n]) } else { zero };
        let mut lost = if L::AUDITED { simd.load(&sums[sum::POWER][n]) } else { zero };
        let mut heard = if L::HEARD == ONE { simd.load(&sums[sum::HEARD][n]) } else { zero };
        let mut speeds = [zero; N];
        for i in 0..N {
            let free = self.ahead[i];
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
            if L::AUDITED {
                let both = simd.add(self.before[i], speed);
                lost = simd.add(lost, simd.mul(simd.mul(self.resistance[i], both), both));
                self.before[i] = speed;
            }
            if MOVES {
                let known = simd.add(self.x[i], free);
                self.x[i] = simd.add(self.x[i], speed);
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
        }
        if L::OWN {
            simd.store(&mut sums[sum::OWN][n], own);
        }
        if L::AHEAD {
            simd.store(&mut sums[sum::AHEAD][n], ahead);
        }
        if L::AUDITED {
            simd.store(&mut sums[sum::POWER][n], lost);
        }
        if L::HEARD == ONE {
            simd.store(&mut sums[sum::HEARD][n], heard);
        }
        if L::HEARD == MANY {
            for (sum, shape) in sums[sum::HEARD..].iter_mut().zip(told.heard) {
                let shape = take::<S, N>(simd, shape, at);
                let mut heard = simd.load(&sum[n]);
                for i in 0..N {
                    heard = simd.add(heard, simd.mul(shape[i], speeds[i]));
                }
                simd.store(&mut sum[n], heard);
            }
        }
    }
}

/// Takes the steps, `N` eights of modes from eight `at`.
#[inline(always)]
fn group<S: Simd, L: Look, const N: usize>(simd: S, bank: &mut Bank, at: usize, told: Told, sums: &mut Sums) {
    let mut group = Group::<S, N>::new::<L>(simd, bank, at, told);
    let last = told.steps - 1;
    for n in 0..last {
        group.step::<L, true>(simd, (n, at), told, sums);
    }
    group.step::<L, false>(simd, (last, at), told, sums);
    for (slice, values) in [(&mut *bank.q, group.x), (&mut *bank.ahead, group.ahead)] {
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

#[inline(always)]
fn run<S: Simd, L: Look>(simd: S, bank: &mut Bank, looks: &mut Looks) {
    let Looks { steps, forces, heard, losses, .. } = *looks;
    let told = Told { steps, forces, heard, losses };
    // only what is asked for is ever touched
    let mut room = [const { MaybeUninit::<Lanes>::uninit() }; SUMS];
    let mut sums: [&mut [[f64; LANES]]; SUMS] = std::array::from_fn(|_| &mut [] as &mut [[f64; LANES]]);
    for (which, (sum, room)) in sums.iter_mut().zip(&mut room).enumerate() {
        let asked = match which {
            sum::OWN => L::OWN,
            sum::AHEAD => L::AHEAD,
            sum::POWER => L::AUDITED,
            _ => which - sum::HEARD < heard.len(),
        };
        if asked {
            *sum = &mut room.write(Lanes([[0.0; LANES]; STEPS])).0[..steps];
        }
    }
    let eights = bank.answers.len();
    let count = parts(eights);
    let mut earlier = (count > 1).then(|| [Lanes([[0.0; LANES]; STEPS]), Lanes([[0.0; LANES]; STEPS])]);
    let mut at = 0;
    for number in 0..count {
        // groups do not straddle where modes cease to be foreseen
        for end in [eights.min(FORESEEN), eights.min(FORESEEN + part(eights, number).end)] {
            while at < end {
                let size = next_group::<S>(end - at);
                match size {
                    5 => group::<S, L, 5>(simd, bank, at, told, &mut sums),
                    4 => group::<S, L, 4>(simd, bank, at, told, &mut sums),
                    3 => group::<S, L, 3>(simd, bank, at, told, &mut sums),
                    2 => group::<S, L, 2>(simd, bank, at, told, &mut sums),
                    _ => group::<S, L, 1>(simd, bank, at, told, &mut sums),
                }
                at += size;
            }
        }
        if let Some(earlier) = &mut earlier {
            let [own, ahead, ..] = &mut sums;
            add_part(earlier, [own, ahead], number + 1 == count);
        }
    }
    if L::OWN {
        total(simd, sums[sum::OWN], looks.own);
    }
    if L::AHEAD {
        total(simd, sums[sum::AHEAD], looks.ahead);
    }
    if L::AUDITED {
        total(simd, sums[sum::POWER], looks.power);
    }
    for (place, lanes) in sums[sum::HEARD..].iter().enumerate().take(heard.len()) {
        let mut totals = [0.0; STEPS];
        total(simd, lanes, &mut totals);
        let rows = looks.velocities.chunks_exact_mut(heard.len());
        rows.zip(&totals[..steps]).for_each(|(row, v)| row[place] = *v);
    }
}

/// Adds the sums of a part to those of the parts before it, and clears them for the next or gives them back if it is the last one.
#[inline(never)]
fn add_part(earlier: &mut [Lanes; 2], sums: [&mut [[f64; LANES]]; 2], is_last: bool) {
    for (earlier, sums) in earlier.iter_mut().zip(sums) {
        for (earlier, sum) in earlier.0.as_flattened_mut().iter_mut().zip(sums.as_flattened_mut()) {
            *earlier += *sum;
            *sum = if is_last { *earlier } else { 0.0 };
        }
    }
}

/// Adds up the lanes of as many steps as there is room for.
#[inline(always)]
fn total<S: Simd>(simd: S, lanes: &[[f64; LANES]], out: &mut [f64]) {
    let n = lanes.len().min(out.len());
    let (eights, rest) = lanes[..n].as_chunks::<LANES>();
    let (totals, last) = out[..n].as_chunks_mut::<LANES>();
    for (totals, lanes) in totals.iter_mut().zip(eights) {
        *totals = simd.sums(lanes);
    }
    for (total, lanes) in last.iter_mut().zip(rest) {
        *total = simd.sum(simd.load(lanes));
    }
}

vector_kernel! {
    /// Takes some steps, at most [`STEPS`], and looks at them.
    pub fn ring<S>(simd, bank: &mut Bank, looks: &mut Looks) {
        let Looks { steps, heard, ref ahead, ref own, .. } = *looks;
        assert!(heard.len() <= PORTS && (1..=STEPS).contains(&steps), "more than a call takes");
        let pushed = !looks.forces.is_empty();
        match (pushed, !looks.losses[0].is_empty(), heard.len()) {
            (false, false, 0) => run::<S, Rings>(simd, bank, looks),
            (false, false, 1) => run::<S, RingsElsewhere>(simd, bank, looks),
            (false, false, _) => run::<S, RingsEverywhere>(simd, bank, looks),
            (false, true, 0) => run::<S, Audited>(simd, bank, looks),
            (false, true, 1) => run::<S, AuditedElsewhere>(simd, bank, looks),
            (false, true, _) => run::<S, AuditedEverywhere>(simd, bank, looks),
            (true, false, 0) if ahead.is_empty() => run::<S, Pushed>(simd, bank, looks),
            (true, false, 1) if ahead.is_empty() && own.is_empty() => run::<S, PushedElsewhere>(simd, bank, looks),
            (true, false, _) => run::<S, PushedEverywhere>(simd, bank, looks),
            (true, true, _) => run::<S, PushedAudited>(simd, bank, looks),
        }
    }
}
