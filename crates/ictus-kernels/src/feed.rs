//! Driven modal banks: the end of a step and the prediction of the next in one pass over the modes.
//!
//! The operations and their order are those of [`modes`](crate::modes), so the bits are the same.

use crate::bank::{BankState, chunks, chunks_mut};
use crate::dispatch::vector_kernel;
use crate::lanes::LANES;
use crate::simd::Simd;

/// Coefficients for the energy of a bank; empty if the step is not audited.
#[derive(Clone, Copy, Debug)]
pub struct Stores<'a> {
    /// m.
    pub mass: &'a [f64],
    /// K.
    pub stiffness: &'a [f64],
    /// Lags a and b, in steps, of the two displacements q − a v and q − b v whose product is stored.
    pub lags: [f64; 2],
}

/// The force at one port of a bank.
#[derive(Clone, Copy, Debug)]
pub struct PortForce<'a> {
    /// Shape of the driven port.
    pub driven: &'a [f64],
    /// Force f, N.
    pub force: f64,
}

/// Energy terms of one step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Fed {
    /// Σ r (v + v⁺)² of the step.
    pub power: f64,
    /// Σ m v² + K (q − a v)(q − b v) after it, with the lags a and b of [`Stores`].
    pub energy: f64,
}

#[inline(always)]
fn feed_one<S: Simd, const AUDITED: bool>(
    simd: S,
    bank: &mut BankState,
    stores: Stores,
    PortForce { driven, force }: PortForce,
) -> Fed {
    let n = bank.ahead.len() / LANES;
    let (q, v, ahead) = (chunks_mut(bank.q, n), chunks_mut(bank.v, n), chunks_mut(bank.ahead, n));
    let (kept, pull, driven) = (chunks(bank.kept, n, true), chunks(bank.pull, n, true), chunks(driven, n, true));
    let resistance = chunks(bank.resistance, n, AUDITED);
    let (mass, stiffness) = (chunks(stores.mass, n, AUDITED), chunks(stores.stiffness, n, AUDITED));
    let force = simd.splat(force);
    let lags = stores.lags.map(|lag| simd.splat(lag));
    let [mut power, mut energy] = [simd.splat(0.0); 2];
    for at in 0..n {
        let speed = simd.add(simd.load(&ahead[at]), simd.mul(simd.load(&driven[at]), force));
        let x = simd.add(simd.load(&q[at]), speed);
        if AUDITED {
            let both = simd.add(simd.load(&v[at]), speed);
            power = simd.add(power, simd.mul(simd.mul(simd.load(&resistance[at]), both), both));
            let moving = simd.mul(simd.mul(simd.load(&mass[at]), speed), speed);
            let [one, other] = lags.map(|lag| simd.sub(x, simd.mul(lag, speed)));
            let bent = simd.mul(simd.mul(simd.load(&stiffness[at]), one), other);
            energy = simd.add(energy, simd.add(moving, bent));
        }
        simd.store(&mut q[at], x);
        simd.store(&mut v[at], speed);
        let (kept, pull) = (simd.load(&kept[at]), simd.load(&pull[at]));
        simd.store(&mut ahead[at], simd.sub(simd.mul(kept, speed), simd.mul(pull, x)));
    }
    Fed { power: simd.sum(power), energy: simd.sum(energy) }
}

vector_kernel! {
    /// Adds the force to a predicted step, takes it, and predicts the next.
    pub fn feed<S>(simd, bank: &mut BankState, stores: Stores, port_force: PortForce) -> Fed {
        match bank.resistance.is_empty() {
            true => feed_one::<S, false>(simd, bank, stores, port_force),
            false => feed_one::<S, true>(simd, bank, stores, port_force),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Aligned, Level, force, modes};

    fn numbers(n: usize, seed: usize) -> Aligned {
        (0..n).map(|i| ((i * 6007 + seed * 15_485_863) % 1013) as f64 / 1013.0 - 0.6).collect()
    }

    #[test]
    fn one_pass_equals_separate_passes_on_every_level() {
        for n in [0, 8, 64, 104] {
            let [kept, pull, shape, resistance] = [1, 2, 4, 5].map(|seed| numbers(n, seed));
            let [mass, stiffness, q, v, ahead] = [6, 7, 8, 9, 10].map(|seed| numbers(n, seed));
            for lags in [[0.0, 1.0], [0.5, 0.5]] {
                let [mut x, mut speed, mut next] = [q.clone(), v.clone(), ahead.clone()];
                modes::add(&mut next, &shape, 0.7);
                modes::advance(&mut x, &mut speed, &mut next);
                let power = modes::power(&resistance, &next);
                let energy = modes::energy(&mass, &speed, &stiffness, &x, lags);
                modes::predict(&x, &speed, &kept, &pull, &mut next);
                for level in [Level::Baseline, Level::Avx2, Level::Avx512] {
                    force(level);
                    for audited in [true, false] {
                        let [mut q, mut v, mut ahead] = [q.clone(), v.clone(), ahead.clone()];
                        let mut bank = BankState {
                            q: &mut q,
                            v: &mut v,
                            ahead: &mut ahead,
                            kept: &kept,
                            pull: &pull,
                            resistance: if audited { &resistance } else { &[] },
                        };
                        let port_force = PortForce { driven: &shape, force: 0.7 };
                        let fed = feed(&mut bank, Stores { mass: &mass, stiffness: &stiffness, lags }, port_force);
                        assert!(
                            [(&q, &x), (&v, &speed), (&ahead, &next)].iter().all(|(one, other)| ***one == ***other)
                        );
                        let [power, energy] = [power, energy].map(|x| if audited { x } else { 0.0 });
                        assert_eq!(fed, Fed { power, energy }, "{n} modes, {level:?}");
                    }
                }
            }
        }
    }
}
