//! Banks of modes that are pushed: the end of a step and the prediction of the next in one pass over the modes.
//!
//! The same operations in the same order as [`modes`](crate::modes), so the same bits.

use crate::coast::{Bank, chunks, chunks_mut};
use crate::dispatch::vector_kernel;
use crate::lanes::LANES;
use crate::simd::Simd;

/// What is needed to audit a bank; empty where it is not.
#[derive(Clone, Copy, Debug)]
pub struct Stores<'a> {
    /// m.
    pub mass: &'a [f64],
    /// K.
    pub stiffness: &'a [f64],
}

/// What is done to a bank, and what is looked at.
#[derive(Clone, Copy, Debug)]
pub struct Push<'a> {
    /// Y φ of the port that is pushed.
    pub driven: &'a [f64],
    /// By so much, N.
    pub force: f64,
    /// Shape of the port whose v̄ in the next step is watched; empty where nobody looks.
    pub watched: &'a [f64],
}

/// What is seen of a step and of the next.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Fed {
    /// v̄ of the watched port in the next step.
    pub watched: f64,
    /// Σ r v̄² of the step.
    pub power: f64,
    /// Σ m v² + K q (q − back·v) after it, with back = k in leapfrog and 0 in the midpoint frame.
    pub energy: f64,
}

/// Eight modes: pushed, moved, predicted.
struct Eight<S: Simd> {
    x: S::V,
    speed: S::V,
    /// v̄ of the step that is taken.
    mean: S::V,
    /// v̄ of the next.
    next: S::V,
}

/// What all modes of a step share.
#[derive(Clone, Copy)]
struct Shared<S: Simd> {
    simd: S,
    k: S::V,
    force: S::V,
}

impl<S: Simd> Shared<S> {
    #[inline(always)]
    fn new(simd: S, k: f64, force: f64) -> Self {
        Self { simd, k: simd.splat(k), force: simd.splat(force) }
    }

    /// Pushes eight modes at [q, v, v̄] with [Y φ, drag, pull] and takes their step.
    #[inline(always)]
    fn take<const MIDPOINT: bool>(self, [x, speed, mean]: [S::V; 3], [driven, drag, pull]: [S::V; 3]) -> Eight<S> {
        let Self { simd, k, force } = self;
        let mean = simd.add(mean, simd.mul(driven, force));
        let speed = simd.twice_less(mean, speed);
        let x = simd.add(x, simd.mul(k, if MIDPOINT { mean } else { speed }));
        let taken = simd.add(simd.mul(drag, speed), simd.mul(pull, x));
        Eight { x, speed, mean, next: simd.sub(speed, taken) }
    }
}

#[inline(always)]
fn feed_one<S: Simd, const MIDPOINT: bool, const WATCHED: bool, const AUDITED: bool>(
    simd: S,
    bank: &mut Bank,
    stores: Stores,
    Push { driven, force, watched }: Push,
) -> Fed {
    let n = bank.mean.len() / LANES;
    let (q, v, mean) = (chunks_mut(bank.q, n), chunks_mut(bank.v, n), chunks_mut(bank.mean, n));
    let (drag, pull) = (chunks(bank.drag, n, true), chunks(bank.pull, n, true));
    let (driven, shape) = (chunks(driven, n, true), chunks(watched, n, WATCHED));
    let resistance = chunks(bank.resistance, n, AUDITED);
    let (mass, stiffness) = (chunks(stores.mass, n, AUDITED), chunks(stores.stiffness, n, AUDITED));
    let shared = Shared::new(simd, bank.k, force);
    let [mut watched, mut power, mut energy] = [simd.splat(0.0); 3];
    for at in 0..n {
        let [motion, moves] = [[&q[at], &v[at], &mean[at]], [&driven[at], &drag[at], &pull[at]]]
            .map(|eights| eights.map(|eight| simd.load(eight)));
        let Eight { x, speed, mean: m, next } = shared.take::<MIDPOINT>(motion, moves);
        simd.store(&mut q[at], x);
        simd.store(&mut v[at], speed);
        simd.store(&mut mean[at], next);
        if AUDITED {
            power = simd.add(power, simd.mul(simd.mul(simd.load(&resistance[at]), m), m));
            let moving = simd.mul(simd.mul(simd.load(&mass[at]), speed), speed);
            let partner = if MIDPOINT { x } else { simd.sub(x, simd.mul(shared.k, speed)) };
            let bent = simd.mul(simd.mul(simd.load(&stiffness[at]), x), partner);
            energy = simd.add(energy, simd.add(moving, bent));
        }
        if WATCHED {
            watched = simd.add(watched, simd.mul(simd.load(&shape[at]), next));
        }
    }
    Fed { watched: simd.sum(watched), power: simd.sum(power), energy: simd.sum(energy) }
}

vector_kernel! {
    /// Pushes a predicted step, takes it, and predicts the next.
    pub fn feed<S>(simd, bank: &mut Bank, stores: Stores, push: Push) -> Fed {
        match (bank.midpoint, push.watched.is_empty(), bank.resistance.is_empty()) {
            (true, true, true) => feed_one::<S, true, false, false>(simd, bank, stores, push),
            (true, true, false) => feed_one::<S, true, false, true>(simd, bank, stores, push),
            (true, false, true) => feed_one::<S, true, true, false>(simd, bank, stores, push),
            (true, false, false) => feed_one::<S, true, true, true>(simd, bank, stores, push),
            (false, true, true) => feed_one::<S, false, false, false>(simd, bank, stores, push),
            (false, true, false) => feed_one::<S, false, false, true>(simd, bank, stores, push),
            (false, false, true) => feed_one::<S, false, true, false>(simd, bank, stores, push),
            (false, false, false) => feed_one::<S, false, true, true>(simd, bank, stores, push),
        }
    }
}

/// How eight modes with one port answer: their coefficients side by side, so that a step reads few places at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct Answers {
    /// Y φ.
    pub driven: [f64; LANES],
    /// d.
    pub drag: [f64; LANES],
    /// b.
    pub pull: [f64; LANES],
    /// φ.
    pub shape: [f64; LANES],
}

#[inline(always)]
fn feed_eights<S: Simd, const MIDPOINT: bool>(
    simd: S,
    motion: &mut [[f64; LANES]],
    answers: &[Answers],
    (k, force): (f64, f64),
) -> f64 {
    let n = answers.len();
    let (q, rest) = motion.split_at_mut(n);
    let (v, mean) = rest.split_at_mut(n);
    let shared = Shared::new(simd, k, force);
    let mut watched = simd.splat(0.0);
    // side by side, so that nothing is checked eight by eight
    for (((q, v), mean), Answers { driven, drag, pull, shape }) in q.iter_mut().zip(v).zip(mean).zip(answers) {
        let [motion, moves] =
            [[&*q, &*v, &*mean], [driven, drag, pull]].map(|eights| eights.map(|eight| simd.load(eight)));
        let Eight { x, speed, next, .. } = shared.take::<MIDPOINT>(motion, moves);
        simd.store(q, x);
        simd.store(v, speed);
        simd.store(mean, next);
        watched = simd.add(watched, simd.mul(simd.load(shape), next));
    }
    simd.sum(watched)
}

vector_kernel! {
    /// The same as [`feed`], unaudited, where the port that is pushed is also watched, with `motion` q, v and v̄ one after the other. Returns v̄ of the port in the next step.
    pub fn feed_back<S>(simd, motion: &mut [f64], answers: &[Answers], k: f64, midpoint: bool, force: f64) -> f64 {
        let motion = motion.as_chunks_mut::<LANES>().0;
        if midpoint {
            feed_eights::<S, true>(simd, motion, answers, (k, force))
        } else {
            feed_eights::<S, false>(simd, motion, answers, (k, force))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Aligned, Level, dot, force, modes};

    fn numbers(n: usize, seed: usize) -> Aligned {
        (0..n).map(|i| ((i * 6007 + seed * 15_485_863) % 1013) as f64 / 1013.0 - 0.6).collect()
    }

    #[test]
    fn one_pass_computes_what_many_do_on_every_level() {
        for n in [0, 8, 64, 104] {
            let [drag, pull, driven, shape, resistance] = [1, 2, 3, 4, 5].map(|seed| numbers(n, seed));
            let [mass, stiffness, q, v, mean] = [6, 7, 8, 9, 10].map(|seed| numbers(n, seed));
            for midpoint in [true, false] {
                let [mut x, mut speed, mut m] = [q.clone(), v.clone(), mean.clone()];
                modes::add(&mut m, &driven, 0.7);
                let power = modes::power(&resistance, &m);
                if midpoint {
                    modes::advance_midpoint(&mut x, &mut speed, &m, 0.3);
                } else {
                    modes::advance_leapfrog(&mut x, &mut speed, &m, 0.3);
                }
                let energy = modes::energy(&mass, &speed, &stiffness, &x, if midpoint { 0.0 } else { 0.3 });
                modes::predict(&x, &speed, &drag, &pull, &mut m);
                let expected = Fed { watched: dot(&shape, &m), power, energy };
                for level in [Level::Baseline, Level::Avx2, Level::Avx512] {
                    force(level);
                    for (audited, watched) in [(true, true), (true, false), (false, true), (false, false)] {
                        let [mut q, mut v, mut mean] = [q.clone(), v.clone(), mean.clone()];
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
                        let push = Push { driven: &driven, force: 0.7, watched: if watched { &shape } else { &[] } };
                        let fed = feed(&mut bank, Stores { mass: &mass, stiffness: &stiffness }, push);
                        assert!([(&q, &x), (&v, &speed), (&mean, &m)].iter().all(|(one, other)| ***one == ***other));
                        let [power, energy] = [expected.power, expected.energy].map(|x| if audited { x } else { 0.0 });
                        let watched = if watched { expected.watched } else { 0.0 };
                        assert_eq!(fed, Fed { watched, power, energy }, "{n} modes, {level:?}");
                    }
                    let mut motion: Aligned =
                        [&q, &v, &mean].into_iter().flat_map(|part| part.iter().copied()).collect();
                    let eights = [&driven, &drag, &pull, &shape].map(|part| part.as_chunks::<LANES>().0);
                    let answers: Vec<Answers> = (0..n / LANES)
                        .map(|at| {
                            let [driven, drag, pull, shape] = eights.map(|eights| eights[at]);
                            Answers { driven, drag, pull, shape }
                        })
                        .collect();
                    assert_eq!(feed_back(&mut motion, &answers, 0.3, midpoint, 0.7), expected.watched, "{level:?}");
                    for (part, expected) in [&x, &speed, &m].into_iter().enumerate() {
                        assert_eq!(motion[part * n..(part + 1) * n], **expected, "{n} modes, {level:?}");
                    }
                }
            }
        }
    }
}
