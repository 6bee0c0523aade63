//! Banks of modes that nothing pushes: prediction and motion in one pass over the modes, step after step.
//!
//! The same operations in the same order as [`modes`](crate::modes), so the same bits.

use crate::dispatch::vector_kernel;
use crate::lanes::LANES;
use crate::simd::Simd;

/// A bank in motion. All slices have one length, a multiple of [`LANES`]; shapes may be empty where nobody looks.
#[derive(Debug)]
pub struct Bank<'a> {
    /// Displacements q.
    pub q: &'a mut [f64],
    /// Velocities v.
    pub v: &'a mut [f64],
    /// Mean velocities v̄ of the step.
    pub mean: &'a mut [f64],
    /// d of v̄ = v − (d v + b q).
    pub drag: &'a [f64],
    /// b.
    pub pull: &'a [f64],
    /// r, for the energy lost; empty where it is not asked for.
    pub resistance: &'a [f64],
    /// Shape of the port whose v̄ is watched.
    pub watched: &'a [f64],
    /// Shape of the port whose velocity after the step is heard.
    pub heard: &'a [f64],
    /// Time step.
    pub k: f64,
    /// q moves with v̄ (midpoint frame) instead of the new v (leapfrog).
    pub midpoint: bool,
}

/// What is looked at in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Seen {
    /// v̄ of the watched port.
    pub watched: f64,
    /// v of the heard port.
    pub heard: f64,
    /// Σ r v̄².
    pub power: f64,
}

/// The first `n` chunks of a slice, or none if nobody looks.
#[inline(always)]
pub(crate) fn chunks(slice: &[f64], n: usize, looked_at: bool) -> &[[f64; LANES]] {
    &slice.as_chunks::<LANES>().0[..if looked_at { n } else { 0 }]
}

/// The first `n` chunks of a slice.
#[inline(always)]
pub(crate) fn chunks_mut(slice: &mut [f64], n: usize) -> &mut [[f64; LANES]] {
    &mut slice.as_chunks_mut::<LANES>().0[..n]
}

#[inline(always)]
fn step<S: Simd, const MIDPOINT: bool, const WATCHED: bool, const HEARD: bool, const AUDITED: bool>(
    simd: S,
    bank: &mut Bank,
) -> Seen {
    let n = bank.mean.len() / LANES;
    let (q, v, mean) = (chunks_mut(bank.q, n), chunks_mut(bank.v, n), chunks_mut(bank.mean, n));
    let (drag, pull) = (chunks(bank.drag, n, true), chunks(bank.pull, n, true));
    let resistance = chunks(bank.resistance, n, AUDITED);
    let (watched_shape, heard_shape) = (chunks(bank.watched, n, WATCHED), chunks(bank.heard, n, HEARD));
    let (k, two) = (simd.splat(bank.k), simd.splat(2.0));
    let [mut watched, mut heard, mut power] = [simd.splat(0.0); 3];
    for at in 0..n {
        let (x, speed) = (simd.load(&q[at]), simd.load(&v[at]));
        let taken = simd.add(simd.mul(simd.load(&drag[at]), speed), simd.mul(simd.load(&pull[at]), x));
        let m = simd.sub(speed, taken);
        if WATCHED {
            watched = simd.add(watched, simd.mul(simd.load(&watched_shape[at]), m));
        }
        if AUDITED {
            power = simd.add(power, simd.mul(simd.mul(simd.load(&resistance[at]), m), m));
        }
        let speed = simd.sub(simd.mul(two, m), speed);
        let x = simd.add(x, simd.mul(k, if MIDPOINT { m } else { speed }));
        if HEARD {
            heard = simd.add(heard, simd.mul(simd.load(&heard_shape[at]), speed));
        }
        simd.store(&mut q[at], x);
        simd.store(&mut v[at], speed);
        simd.store(&mut mean[at], m);
    }
    Seen { watched: simd.sum(watched), heard: simd.sum(heard), power: simd.sum(power) }
}

#[inline(always)]
fn steps<S: Simd, const MIDPOINT: bool, const WATCHED: bool, const HEARD: bool>(
    simd: S,
    bank: &mut Bank,
    seen: &mut [Seen],
) {
    for seen in seen {
        *seen = if bank.resistance.is_empty() {
            step::<S, MIDPOINT, WATCHED, HEARD, false>(simd, bank)
        } else {
            step::<S, MIDPOINT, WATCHED, HEARD, true>(simd, bank)
        };
    }
}

vector_kernel! {
    /// One step for every element of `seen`.
    pub fn coast<S>(simd, bank: &mut Bank, seen: &mut [Seen]) {
        match (bank.midpoint, bank.watched.is_empty(), bank.heard.is_empty()) {
            (true, true, true) => steps::<S, true, false, false>(simd, bank, seen),
            (true, true, false) => steps::<S, true, false, true>(simd, bank, seen),
            (true, false, true) => steps::<S, true, true, false>(simd, bank, seen),
            (true, false, false) => steps::<S, true, true, true>(simd, bank, seen),
            (false, true, true) => steps::<S, false, false, false>(simd, bank, seen),
            (false, true, false) => steps::<S, false, false, true>(simd, bank, seen),
            (false, false, true) => steps::<S, false, true, false>(simd, bank, seen),
            (false, false, false) => steps::<S, false, true, true>(simd, bank, seen),
        }
    }
}

/// What makes a bank pull tighter when it is bent.
#[derive(Clone, Copy, Debug)]
pub struct Stretching<'a> {
    /// κ of every mode.
    pub kappa: &'a [f64],
    /// Y κ.
    pub pulled: &'a [f64],
    /// M.
    pub modulus: f64,
}

/// Sums over a bent body: S̃, Gᵀv̄ and GᵀYG.
pub type Sums = [f64; 3];

/// What the added tension does in one step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tightened {
    /// c of the mobility Y − c (YG)(YG)ᵀ.
    pub stiffening: f64,
    /// M S̃.
    pub tension: f64,
    /// The pull that is added: v̄ += factor · YG.
    pub factor: f64,
}

/// Solves for the one number that a step of a stretched body needs. `k` is the time step.
#[inline]
pub fn tighten([stretch, rate, mobility]: Sums, modulus: f64, k: f64) -> Tightened {
    let per_rate = modulus * k;
    let denominator = 1.0 + per_rate * mobility;
    let tension = modulus * stretch;
    let rate = (rate - tension * mobility) / denominator;
    Tightened { stiffening: per_rate / denominator, tension, factor: -(tension + per_rate * rate) }
}

/// What is looked at in a step of a stretched bank.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SeenStretched {
    /// v of the heard port after the step.
    pub heard: f64,
    /// Σ r v̄².
    pub power: f64,
    /// M S̃ before the step.
    pub tension: f64,
}

#[inline(always)]
fn pulled_step<S: Simd, const HEARD: bool, const AUDITED: bool>(
    simd: S,
    bank: &mut Bank,
    stretching: Stretching,
    factor: f64,
) -> ([f64; 2], Sums) {
    let n = bank.mean.len() / LANES;
    let (q, v, mean) = (chunks_mut(bank.q, n), chunks_mut(bank.v, n), chunks_mut(bank.mean, n));
    let (drag, pull) = (chunks(bank.drag, n, true), chunks(bank.pull, n, true));
    let (kappa, pulled) = (chunks(stretching.kappa, n, true), chunks(stretching.pulled, n, true));
    let (resistance, heard_shape) = (chunks(bank.resistance, n, AUDITED), chunks(bank.heard, n, HEARD));
    let (k, two, factor) = (simd.splat(bank.k), simd.splat(2.0), simd.splat(factor));
    let [mut heard, mut power, mut stretch, mut rate, mut yielding] = [simd.splat(0.0); 5];
    for at in 0..n {
        let (x, speed) = (simd.load(&q[at]), simd.load(&v[at]));
        let pulled = simd.load(&pulled[at]);
        let m = simd.add(simd.load(&mean[at]), simd.mul(simd.mul(pulled, x), factor));
        if AUDITED {
            power = simd.add(power, simd.mul(simd.mul(simd.load(&resistance[at]), m), m));
        }
        let speed = simd.sub(simd.mul(two, m), speed);
        let moved = simd.mul(k, speed);
        let x = simd.add(x, moved);
        if HEARD {
            heard = simd.add(heard, simd.mul(simd.load(&heard_shape[at]), speed));
        }
        simd.store(&mut q[at], x);
        simd.store(&mut v[at], speed);
        // the next step
        let taken = simd.add(simd.mul(simd.load(&drag[at]), speed), simd.mul(simd.load(&pull[at]), x));
        let m = simd.sub(speed, taken);
        simd.store(&mut mean[at], m);
        let g = simd.mul(simd.load(&kappa[at]), x);
        stretch = simd.add(stretch, simd.mul(g, simd.sub(x, moved)));
        rate = simd.add(rate, simd.mul(g, m));
        yielding = simd.add(yielding, simd.mul(simd.mul(pulled, x), g));
    }
    ([simd.sum(heard), simd.sum(power)], [simd.sum(stretch), simd.sum(rate), simd.sum(yielding)])
}

#[inline(always)]
fn pulled_steps<S: Simd, const HEARD: bool, const AUDITED: bool>(
    simd: S,
    bank: &mut Bank,
    stretching: Stretching,
    mut sums: Sums,
    seen: &mut [SeenStretched],
) -> Sums {
    for seen in seen {
        let Tightened { tension, factor, .. } = tighten(sums, stretching.modulus, bank.k);
        let ([heard, power], next) = pulled_step::<S, HEARD, AUDITED>(simd, bank, stretching, factor);
        *seen = SeenStretched { heard, power, tension };
        sums = next;
    }
    sums
}

vector_kernel! {
    /// One leapfrog step of a stretched bank for every element of `seen`. The first is predicted already and has the sums
    /// `sums`, see [`predict_stretch`](crate::modes::predict_stretch); so is the one after the last when this returns, whose sums are given back.
    pub fn coast_stretched<S>(simd, bank: &mut Bank, stretching: Stretching, sums: Sums, seen: &mut [SeenStretched]) -> Sums {
        match (bank.heard.is_empty(), bank.resistance.is_empty()) {
            (true, true) => pulled_steps::<S, false, false>(simd, bank, stretching, sums, seen),
            (true, false) => pulled_steps::<S, false, true>(simd, bank, stretching, sums, seen),
            (false, true) => pulled_steps::<S, true, false>(simd, bank, stretching, sums, seen),
            (false, false) => pulled_steps::<S, true, true>(simd, bank, stretching, sums, seen),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Aligned, Level, dot, force, modes};

    const STEPS: usize = 5;

    fn numbers(n: usize, seed: usize) -> Aligned {
        (0..n).map(|i| ((i * 7919 + seed * 104_729) % 1009) as f64 / 1009.0 - 0.4).collect()
    }

    /// Everything that is seen of a bank, and its state after the last step, to the last bit.
    fn run(n: usize, midpoint: bool, ports: [bool; 2], audited: bool) -> (Vec<Seen>, Vec<SeenStretched>, [Aligned; 2]) {
        let [mut q, mut v, mut mean, drag, pull] = [1, 2, 3, 4, 5].map(|seed| numbers(n, seed));
        let [resistance, watched, heard, kappa, pulled] = [6, 7, 8, 9, 10].map(|seed| numbers(n, seed));
        let part = |slice, asked| if asked { slice } else { &[] as &[f64] };
        let mut bank = Bank {
            q: &mut q,
            v: &mut v,
            mean: &mut mean,
            drag: &drag,
            pull: &pull,
            resistance: part(&resistance, audited),
            watched: part(&watched, ports[0]),
            heard: part(&heard, ports[1]),
            k: 0.3,
            midpoint,
        };
        let mut seen = vec![Seen::default(); STEPS];
        coast(&mut bank, &mut seen);
        let sums = modes::predict_stretch([bank.q, bank.v], [&drag, &pull], &kappa, &pulled, bank.mean, 0.3);
        let mut stretched = vec![SeenStretched::default(); STEPS];
        coast_stretched(&mut bank, Stretching { kappa: &kappa, pulled: &pulled, modulus: 0.2 }, sums, &mut stretched);
        (seen, stretched, [q, v])
    }

    /// The same, one kernel after the other.
    fn run_apart(n: usize, midpoint: bool) -> (Vec<Seen>, Vec<SeenStretched>, [Aligned; 2]) {
        let [mut q, mut v, mut mean, drag, pull] = [1, 2, 3, 4, 5].map(|seed| numbers(n, seed));
        let [resistance, watched, heard, kappa, pulled] = [6, 7, 8, 9, 10].map(|seed| numbers(n, seed));
        let seen = (0..STEPS).map(|_| {
            let watched = modes::predict_port(&q, &v, &drag, &pull, &watched, &mut mean);
            let power = modes::power(&resistance, &mean);
            if midpoint {
                modes::advance_midpoint(&mut q, &mut v, &mean, 0.3);
            } else {
                modes::advance_leapfrog(&mut q, &mut v, &mean, 0.3);
            }
            Seen { watched, heard: dot(&heard, &v), power }
        });
        let seen = seen.collect();
        let stretched = (0..STEPS).map(|_| {
            let sums = modes::predict_stretch([&q, &v], [&drag, &pull], &kappa, &pulled, &mut mean, 0.3);
            let Tightened { tension, factor, .. } = tighten(sums, 0.2, 0.3);
            modes::pull_leapfrog(&mut q, &mut v, &mut mean, &pulled, factor, 0.3);
            SeenStretched { heard: dot(&heard, &v), power: modes::power(&resistance, &mean), tension }
        });
        (seen, stretched.collect(), [q, v])
    }

    #[test]
    fn one_pass_computes_what_many_do_on_every_level() {
        for n in [0, 8, 64, 104] {
            for midpoint in [true, false] {
                let expected = run_apart(n, midpoint);
                for level in [Level::Baseline, Level::Avx2, Level::Avx512] {
                    force(level);
                    let (seen, stretched, motion) = run(n, midpoint, [true; 2], true);
                    assert_eq!(seen, expected.0, "{n} modes, {level:?}");
                    assert_eq!(stretched, expected.1, "{n} modes, {level:?}");
                    assert!(motion.iter().zip(&expected.2).all(|(one, other)| **one == **other));
                    for ports in [[true, false], [false, true], [false; 2]] {
                        let motion = run(n, midpoint, ports, false).2;
                        assert!(motion.iter().zip(&expected.2).all(|(one, other)| **one == **other));
                    }
                }
            }
        }
    }
}
