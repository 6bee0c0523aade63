//! Force-free steps of tension-modulated modal banks: motion, prediction and sums in one pass over the modes per step.
//!
//! The operations and their order are those of [`modes`](crate::modes), so the bits are the same.

use crate::bank::{chunks, chunks_mut};
use crate::dispatch::vector_kernel;
use crate::lanes::LANES;
use crate::simd::Simd;

/// A tension-modulated modal bank. All slices have one length, a multiple of [`LANES`].
#[derive(Debug)]
pub struct StretchedModes<'a> {
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
    /// r of the dissipated power; empty if the step is not audited.
    pub resistance: &'a [f64],
    /// Time step k, s.
    pub k: f64,
}

/// Tension modulation: the added tension M S̃ of a bank grows with its stretch S̃.
#[derive(Clone, Copy, Debug)]
pub struct Stretching<'a> {
    /// κ of every mode.
    pub kappa: &'a [f64],
    /// Y κ.
    pub pulled: &'a [f64],
    /// M.
    pub modulus: f64,
    /// Shape of the port whose velocity after the step is recorded; empty if none.
    pub velocity_ports: &'a [f64],
}

/// Sums over a deflected body: S̃, Gᵀv̄ and GᵀYG.
pub type Sums = [f64; 3];

/// Effect of the added tension in one step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tightened {
    /// c of the mobility Y − c (YG)(YG)ᵀ.
    pub stiffening: f64,
    /// M S̃.
    pub tension: f64,
    /// Coefficient of the added pull: v̄ += factor · YG.
    pub factor: f64,
}

/// Solves the scalar equation of a tension-modulated step. `k` is the time step, s.
#[inline]
pub fn tighten([stretch, rate, mobility]: Sums, modulus: f64, k: f64) -> Tightened {
    let per_rate = modulus * k;
    let denominator = 1.0 + per_rate * mobility;
    let tension = modulus * stretch;
    let rate = (rate - tension * mobility) / denominator;
    Tightened { stiffening: per_rate / denominator, tension, factor: -(tension + per_rate * rate) }
}

/// Recorded outputs of one step of a tension-modulated bank.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StretchedOutputs {
    /// v of the recorded port after the step.
    pub velocity_ports: f64,
    /// Σ r v̄².
    pub power: f64,
    /// M S̃ before the step.
    pub tension: f64,
}

#[inline(always)]
fn pulled_step<S: Simd, const PROBED: bool, const AUDITED: bool>(
    simd: S,
    bank: &mut StretchedModes,
    stretching: Stretching,
    factor: f64,
) -> ([f64; 2], Sums) {
    let n = bank.mean.len() / LANES;
    let (q, v, mean) = (chunks_mut(bank.q, n), chunks_mut(bank.v, n), chunks_mut(bank.mean, n));
    let (drag, pull) = (chunks(bank.drag, n, true), chunks(bank.pull, n, true));
    let (kappa, pulled) = (chunks(stretching.kappa, n, true), chunks(stretching.pulled, n, true));
    let (resistance, probe_shape) = (chunks(bank.resistance, n, AUDITED), chunks(stretching.velocity_ports, n, PROBED));
    let (k, factor) = (simd.splat(bank.k), simd.splat(factor));
    let [mut velocity_ports, mut power, mut stretch, mut rate, mut yielding] = [simd.splat(0.0); 5];
    for at in 0..n {
        let (x, speed) = (simd.load(&q[at]), simd.load(&v[at]));
        let pulled = simd.load(&pulled[at]);
        let m = simd.add(simd.load(&mean[at]), simd.mul(simd.mul(pulled, x), factor));
        if AUDITED {
            power = simd.add(power, simd.mul(simd.mul(simd.load(&resistance[at]), m), m));
        }
        let speed = simd.twice_less(m, speed);
        let moved = simd.mul(k, speed);
        let x = simd.add(x, moved);
        if PROBED {
            velocity_ports = simd.add(velocity_ports, simd.mul(simd.load(&probe_shape[at]), speed));
        }
        simd.store(&mut q[at], x);
        simd.store(&mut v[at], speed);
        // prediction of the next step
        let taken = simd.add(simd.mul(simd.load(&drag[at]), speed), simd.mul(simd.load(&pull[at]), x));
        let m = simd.sub(speed, taken);
        simd.store(&mut mean[at], m);
        let g = simd.mul(simd.load(&kappa[at]), x);
        stretch = simd.add(stretch, simd.mul(g, simd.sub(x, moved)));
        rate = simd.add(rate, simd.mul(g, m));
        yielding = simd.add(yielding, simd.mul(simd.mul(pulled, x), g));
    }
    ([simd.sum(velocity_ports), simd.sum(power)], [simd.sum(stretch), simd.sum(rate), simd.sum(yielding)])
}

#[inline(always)]
fn pulled_steps<S: Simd, const PROBED: bool, const AUDITED: bool>(
    simd: S,
    bank: &mut StretchedModes,
    stretching: Stretching,
    mut sums: Sums,
    outputs: &mut [StretchedOutputs],
) -> Sums {
    for outputs in outputs {
        let Tightened { tension, factor, .. } = tighten(sums, stretching.modulus, bank.k);
        let ([velocity_ports, power], next) = pulled_step::<S, PROBED, AUDITED>(simd, bank, stretching, factor);
        *outputs = StretchedOutputs { velocity_ports, power, tension };
        sums = next;
    }
    sums
}

vector_kernel! {
    /// Takes one leapfrog step of a tension-modulated bank per element of `outputs`. On entry the first step is predicted, with the sums
    /// `sums` of [`predict_stretch`](crate::modes::predict_stretch); on return the step after the last is, and its sums are returned.
    pub fn free_run_stretched<S>(simd, bank: &mut StretchedModes, stretching: Stretching, sums: Sums, outputs: &mut [StretchedOutputs]) -> Sums {
        match (stretching.velocity_ports.is_empty(), bank.resistance.is_empty()) {
            (true, true) => pulled_steps::<S, false, false>(simd, bank, stretching, sums, outputs),
            (true, false) => pulled_steps::<S, false, true>(simd, bank, stretching, sums, outputs),
            (false, true) => pulled_steps::<S, true, false>(simd, bank, stretching, sums, outputs),
            (false, false) => pulled_steps::<S, true, true>(simd, bank, stretching, sums, outputs),
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

    /// The outputs of a bank and its state after the last step.
    fn run(n: usize, velocity_ports: bool, audited: bool) -> (Vec<StretchedOutputs>, [Aligned; 2]) {
        let [mut q, mut v, mut mean, drag, pull] = [1, 2, 3, 4, 5].map(|seed| numbers(n, seed));
        let [resistance, shape, kappa, pulled] = [6, 8, 9, 10].map(|seed| numbers(n, seed));
        let part = |slice, used| if used { slice } else { &[] as &[f64] };
        let mut bank = StretchedModes {
            q: &mut q,
            v: &mut v,
            mean: &mut mean,
            drag: &drag,
            pull: &pull,
            resistance: part(&resistance, audited),
            k: 0.3,
        };
        let sums = modes::predict_stretch([bank.q, bank.v], [&drag, &pull], &kappa, &pulled, bank.mean, 0.3);
        let mut outputs = vec![StretchedOutputs::default(); STEPS];
        let velocity_ports = part(&shape, velocity_ports);
        free_run_stretched(
            &mut bank,
            Stretching { kappa: &kappa, pulled: &pulled, modulus: 0.2, velocity_ports },
            sums,
            &mut outputs,
        );
        (outputs, [q, v])
    }

    /// The same with one kernel after the other.
    fn run_separately(n: usize) -> (Vec<StretchedOutputs>, [Aligned; 2]) {
        let [mut q, mut v, mut mean, drag, pull] = [1, 2, 3, 4, 5].map(|seed| numbers(n, seed));
        let [resistance, velocity_ports, kappa, pulled] = [6, 8, 9, 10].map(|seed| numbers(n, seed));
        let outputs = (0..STEPS).map(|_| {
            let sums = modes::predict_stretch([&q, &v], [&drag, &pull], &kappa, &pulled, &mut mean, 0.3);
            let Tightened { tension, factor, .. } = tighten(sums, 0.2, 0.3);
            modes::pull_leapfrog(&mut q, &mut v, &mut mean, &pulled, factor, 0.3);
            StretchedOutputs {
                velocity_ports: dot(&velocity_ports, &v),
                power: modes::power(&resistance, &mean),
                tension,
            }
        });
        (outputs.collect(), [q, v])
    }

    #[test]
    fn one_pass_equals_separate_passes_on_every_level() {
        for n in [0, 8, 64, 104] {
            let expected = run_separately(n);
            for level in [Level::Baseline, Level::Avx2, Level::Avx512] {
                force(level);
                let (outputs, motion) = run(n, true, true);
                assert_eq!(outputs, expected.0, "{n} modes, {level:?}");
                assert!(motion.iter().zip(&expected.1).all(|(one, other)| **one == **other));
                for (velocity_ports, audited) in [(true, false), (false, true), (false, false)] {
                    let motion = run(n, velocity_ports, audited).1;
                    assert!(motion.iter().zip(&expected.1).all(|(one, other)| **one == **other));
                }
            }
        }
    }
}
