//! Banks of modes of which one port is touched, measured there: q and v of a mode are its shares of the port's.
//!
//! A step waits for the force f of its contact, and the contact waits for what the bank does by itself. So a bank keeps q and v° as they were when f was
//! asked for, and the next step begins with the push: v = v° + w f, q ← q + v, v° ← a v − b q. The port then moves with Σ v°.
//!
//! That sum does not wait for the push in all modes. Of the first [`FORESEEN`] it is Σ (a v° − b (q + v°)), known before f is, and what f adds, G f with
//! G = Σ (a − b) w. So the contact of a small bank waits for none of its modes, and the modes of a large one that are foreseen move while the others are summed up.
//!
//! A bank too large for the nearest cache is gone through to and fro: what was read last is there still. Its port's sums are taken in parts (`parts.rs`), so that they do not depend on the way.

mod parts;
mod ring;

use crate::dispatch::{kernel, vector_kernel};
use crate::lanes::{LANES, sum_zip};
use crate::simd::Simd;
use crate::single::at_once;
pub use parts::is_parted;
use parts::{PARTS, begins_part, part};
pub use ring::{Looks, PORTS, STEPS, ring};

/// Eights of modes whose share of the port's motion is known a step ahead. It takes four operations more for a mode: as many as pass while the others are summed up.
pub const FORESEEN: usize = 8;

/// How eight modes move, side by side, so that a step reads few places at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct Answers {
    /// a.
    pub kept: [f64; LANES],
    /// b.
    pub pull: [f64; LANES],
    /// w.
    pub gain: [f64; LANES],
}

/// A bank in motion. q and v° have eight numbers for each of the answers.
#[derive(Debug)]
pub struct Bank<'a> {
    /// Displacements q, in the way of a step at unit velocity.
    pub q: &'a mut [f64],
    /// v°: velocities after the step, as far as nothing pushes.
    pub ahead: &'a mut [f64],
    /// How they move.
    pub answers: &'a [Answers],
}

/// Shares of Σ v° that are known a step ahead, in their lanes.
pub type Lanes = [f64; LANES];

/// What is needed to audit a bank.
#[derive(Clone, Copy, Debug)]
pub struct Stores<'a> {
    /// m.
    pub mass: &'a [f64],
    /// K.
    pub stiffness: &'a [f64],
    /// r.
    pub resistance: &'a [f64],
    /// How far q is ahead of the two displacements whose product is stored, in steps.
    pub lags: [f64; 2],
}

/// What is seen of an audited step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Fed {
    /// As [`feed_back`] returns it.
    pub ahead: f64,
    /// Σ r (v + v⁺)².
    pub power: f64,
    /// Σ m v² + K (q − a v)(q − b v) after it, with the lags a and b of [`Stores`].
    pub energy: f64,
}

/// Eight modes: pushed and moved.
struct Eight<S: Simd> {
    x: S::V,
    speed: S::V,
    ahead: S::V,
}

/// What all modes of a step share.
#[derive(Clone, Copy)]
struct Shared<S: Simd> {
    simd: S,
    force: S::V,
}

impl<S: Simd> Shared<S> {
    #[inline(always)]
    fn new(simd: S, force: f64) -> Self {
        Self { simd, force: simd.splat(force) }
    }

    #[inline(always)]
    fn take(self, q: &Lanes, ahead: &Lanes, answers: &Answers) -> Eight<S> {
        let Self { simd, force } = self;
        let speed = simd.add(simd.load(ahead), simd.mul(simd.load(&answers.gain), force));
        let x = simd.add(simd.load(q), speed);
        Eight { x, speed, ahead: next(simd, speed, x, answers) }
    }

    /// Moves some eights, and adds their v° to a sum.
    #[inline(always)]
    fn pass(self, q: &mut [Lanes], ahead: &mut [Lanes], answers: &[Answers], mut port: S::V) -> S::V {
        let simd = self.simd;
        // side by side, so that nothing is checked eight by eight
        for ((q, ahead), answers) in q.iter_mut().zip(ahead).zip(answers) {
            let eight = self.take(q, ahead, answers);
            simd.store(q, eight.x);
            simd.store(ahead, eight.ahead);
            port = simd.add(port, eight.ahead);
        }
        port
    }
}

/// a v − b q.
#[inline(always)]
fn next<S: Simd>(simd: S, speed: S::V, x: S::V, answers: &Answers) -> S::V {
    simd.sub(simd.mul(simd.load(&answers.kept), speed), simd.mul(simd.load(&answers.pull), x))
}

/// v° after a step under no force.
#[inline(always)]
fn foreseen<S: Simd>(simd: S, x: S::V, ahead: S::V, answers: &Answers) -> S::V {
    next(simd, ahead, simd.add(x, ahead), answers)
}

vector_kernel! {
    /// Takes the push of the last step and moves. Returns Σ v°, but for G f. `motion` is what [`foresee`] has found, which becomes that of the next step, then q, and v° so
    /// many numbers behind q as `pitch` says: a contact waits for this, and few arguments are handed over in registers. For banks that are not [parted](is_parted).
    pub fn feed_back<S>(simd, motion: &mut [f64], pitch: usize, answers: &[Answers], force: f64) -> f64 {
        feed::<S, false>(simd, motion, pitch, answers, force, false)
    }
}

vector_kernel! {
    /// The same for those that are: the same bits there and `back`.
    pub fn feed_back_in_parts<S>(simd, motion: &mut [f64], pitch: usize, answers: &[Answers], force: f64, back: bool) -> f64 {
        feed::<S, true>(simd, motion, pitch, answers, force, back)
    }
}

#[inline(always)]
fn feed<S: Simd, const PARTED: bool>(
    simd: S,
    motion: &mut [f64],
    pitch: usize,
    answers: &[Answers],
    force: f64,
    back: bool,
) -> f64 {
    let (known, modes) = motion.split_at_mut(LANES);
    let (q, ahead) = modes.split_at_mut(pitch);
    let (q, ahead) = (q.as_chunks_mut::<LANES>().0, ahead.as_chunks_mut::<LANES>().0);
    let [known] = known.as_chunks_mut::<LANES>().0 else { return 0.0 };
    let eights = answers.len();
    let early = eights.min(FORESEEN);
    let ((first_q, q), (first_ahead, ahead)) = (q.split_at_mut(early), ahead.split_at_mut(early));
    let (first_answers, answers) = answers.split_at(early);
    let shared = Shared::new(simd, force);
    let port = if PARTED {
        let mut sums = [simd.splat(0.0); PARTS];
        sums[0] = simd.load(known);
        for number in 0..PARTS {
            let number = if back { PARTS - 1 - number } else { number };
            let range = part(eights, number);
            let (q, ahead) = (&mut q[range.clone()], &mut ahead[range.clone()]);
            sums[number] = shared.pass(q, ahead, &answers[range], sums[number]);
        }
        let [first, second, third, fourth] = sums;
        simd.add(simd.add(simd.add(first, second), third), fourth)
    } else {
        shared.pass(q, ahead, answers, simd.load(known))
    };
    // here and not where it is used: what follows must not be waited for
    let sum = at_once(simd.sum(port));
    let mut port = simd.splat(0.0);
    for ((q, ahead), answers) in first_q.iter_mut().zip(first_ahead).zip(first_answers) {
        let eight = shared.take(q, ahead, answers);
        simd.store(q, eight.x);
        simd.store(ahead, eight.ahead);
        port = simd.add(port, foreseen(simd, eight.x, eight.ahead, answers));
    }
    simd.store(known, port);
    sum
}

vector_kernel! {
    /// The same for a step that is audited, taken at once. v goes from one end of the step to the other.
    pub fn feed_back_audited<S>(simd, bank: &mut Bank, v: &mut [f64], stores: Stores, force: f64, known: &mut Lanes) -> Fed {
        let n = bank.answers.len();
        let (q, ahead) = (&mut bank.q.as_chunks_mut::<LANES>().0[..n], &mut bank.ahead.as_chunks_mut::<LANES>().0[..n]);
        let v = &mut v.as_chunks_mut::<LANES>().0[..n];
        let [mass, stiffness, resistance] =
            [stores.mass, stores.stiffness, stores.resistance].map(|part| &part.as_chunks::<LANES>().0[..n]);
        let shared = Shared::new(simd, force);
        let lags = stores.lags.map(|lag| simd.splat(lag));
        let [mut power, mut energy, mut next, mut total] = [simd.splat(0.0); 4];
        let mut port = simd.load(known);
        for (at, answers) in bank.answers.iter().enumerate() {
            if begins_part(n, at) {
                total = simd.add(total, port);
                port = simd.splat(0.0);
            }
            let Eight { x, speed, ahead: free } = shared.take(&q[at], &ahead[at], answers);
            let both = simd.add(simd.load(&v[at]), speed);
            power = simd.add(power, simd.mul(simd.mul(simd.load(&resistance[at]), both), both));
            let moving = simd.mul(simd.mul(simd.load(&mass[at]), speed), speed);
            let [one, other] = lags.map(|lag| simd.sub(x, simd.mul(lag, speed)));
            let bent = simd.mul(simd.mul(simd.load(&stiffness[at]), one), other);
            energy = simd.add(energy, simd.add(moving, bent));
            simd.store(&mut q[at], x);
            simd.store(&mut v[at], speed);
            simd.store(&mut ahead[at], free);
            if at < FORESEEN {
                next = simd.add(next, foreseen(simd, x, free, answers));
            } else {
                port = simd.add(port, free);
            }
        }
        simd.store(known, next);
        Fed { ahead: simd.sum(simd.add(total, port)), power: simd.sum(power), energy: simd.sum(energy) }
    }
}

vector_kernel! {
    /// What is known ahead of Σ v°, in the modes that are foreseen.
    pub fn foresee<S>(simd, q: &[f64], ahead: &[f64], answers: &[Answers]) -> Lanes {
        let (q, ahead) = (q.as_chunks::<LANES>().0, ahead.as_chunks::<LANES>().0);
        let mut port = simd.splat(0.0);
        for ((q, ahead), answers) in q.iter().zip(ahead).zip(answers).take(FORESEEN) {
            port = simd.add(port, foreseen(simd, simd.load(q), simd.load(ahead), answers));
        }
        let mut known = [0.0; LANES];
        simd.store(&mut known, port);
        known
    }
}

kernel! {
    /// v = v° + w f.
    pub fn speeds(ahead: &[f64], gain: &[f64], force: f64, v: &mut [f64]) {
        for ((v, ahead), gain) in v.iter_mut().zip(ahead).zip(gain) {
            *v = ahead + gain * force;
        }
    }
}

vector_kernel! {
    /// Σ v of the port, with v = v° + w f: to the same bits as Σ v° of [`feed_back`], where nothing pushed before.
    pub fn own_velocity<S>(simd, ahead: &[f64], gain: &[f64], force: f64) -> f64 {
        let (ahead, gain) = (ahead.as_chunks::<LANES>().0, gain.as_chunks::<LANES>().0);
        let (eights, force) = (gain.len(), simd.splat(force));
        let [mut total, mut port] = [simd.splat(0.0); 2];
        for (at, (ahead, gain)) in ahead.iter().zip(gain).enumerate() {
            if begins_part(eights, at) {
                total = simd.add(total, port);
                port = simd.splat(0.0);
            }
            port = simd.add(port, simd.add(simd.load(ahead), simd.mul(simd.load(gain), force)));
        }
        simd.sum(simd.add(total, port))
    }
}

kernel! {
    /// Σ shape·v of another port with the same v.
    pub fn velocity(shape: &[f64], ahead: &[f64], gain: &[f64], force: f64) -> f64 {
        sum_zip([shape, ahead, gain], |[shape, ahead, gain]| shape * (ahead + gain * force))
    }
}

kernel! {
    /// Σ shape·(q + v) likewise.
    pub fn displacement(shape: &[f64], motion: [&[f64]; 2], gain: &[f64], force: f64) -> f64 {
        let [q, ahead] = motion;
        sum_zip([shape, q, ahead, gain], |[shape, q, ahead, gain]| shape * (q + (ahead + gain * force)))
    }
}

kernel! {
    /// Energy of a bank at q + v with the same v, as in [`Fed`].
    pub fn energy(motion: [&[f64]; 2], gain: &[f64], stores: Stores, force: f64) -> f64 {
        let ([q, ahead], [a, b]) = (motion, stores.lags);
        sum_zip([q, ahead, gain, stores.mass, stores.stiffness], |[q, ahead, gain, m, k]| {
            let v = ahead + gain * force;
            let q = q + v;
            m * v * v + k * (q - a * v) * (q - b * v)
        })
    }
}

#[cfg(test)]
mod tests;
