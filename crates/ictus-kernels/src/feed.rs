//! Banks of modes that are pushed: the end of a step and the prediction of the next in one pass over the modes.
//!
//! The same operations in the same order as [`modes`](crate::modes), so the same bits.

use crate::bank::{Bank, chunks, chunks_mut};
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
    /// How far q is ahead of the two displacements whose product is stored, in steps.
    pub lags: [f64; 2],
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
    /// Σ m v² + K (q − a v)(q − b v) after it, with the lags a and b of [`Stores`].
    pub energy: f64,
}

/// Eight modes: pushed, moved, predicted.
struct Eight<S: Simd> {
    x: S::V,
    speed: S::V,
    /// v° of the next step.
    ahead: S::V,
}

/// What all modes of a step share.
#[derive(Clone, Copy)]
struct Shared<S: Simd> {
    simd: S,
    twice_force: S::V,
}

impl<S: Simd> Shared<S> {
    #[inline(always)]
    fn new(simd: S, force: f64) -> Self {
        Self { simd, twice_force: simd.splat(2.0 * force) }
    }

    /// Pushes eight modes at [q, v°] with [Y φ, a, b] and takes their step.
    #[inline(always)]
    fn take(self, [x, ahead]: [S::V; 2], [driven, kept, pull]: [S::V; 3]) -> Eight<S> {
        let Self { simd, twice_force } = self;
        let speed = simd.add(ahead, simd.mul(driven, twice_force));
        let x = simd.add(x, speed);
        Eight { x, speed, ahead: simd.sub(simd.mul(kept, speed), simd.mul(pull, x)) }
    }
}

/// v̄ of a port from the sums of its velocity before and after.
#[inline(always)]
fn mean<S: Simd>(simd: S, [before, after]: [S::V; 2]) -> f64 {
    0.5 * (simd.sum(before) + simd.sum(after))
}

#[inline(always)]
fn feed_one<S: Simd, const WATCHED: bool, const AUDITED: bool>(
    simd: S,
    bank: &mut Bank,
    stores: Stores,
    Push { driven, force, watched }: Push,
) -> Fed {
    let n = bank.ahead.len() / LANES;
    let (q, v, ahead) = (chunks_mut(bank.q, n), chunks_mut(bank.v, n), chunks_mut(bank.ahead, n));
    let (kept, pull) = (chunks(bank.kept, n, true), chunks(bank.pull, n, true));
    let (driven, shape) = (chunks(driven, n, true), chunks(watched, n, WATCHED));
    let resistance = chunks(bank.resistance, n, AUDITED);
    let (mass, stiffness) = (chunks(stores.mass, n, AUDITED), chunks(stores.stiffness, n, AUDITED));
    let shared = Shared::new(simd, force);
    let half = simd.splat(0.5);
    let lags = stores.lags.map(|lag| simd.splat(lag));
    let [mut power, mut energy] = [simd.splat(0.0); 2];
    let mut port = [simd.splat(0.0); 2];
    for at in 0..n {
        let motion = [simd.load(&q[at]), simd.load(&ahead[at])];
        let moves = [&driven[at], &kept[at], &pull[at]].map(|eight| simd.load(eight));
        let Eight { x, speed, ahead: next } = shared.take(motion, moves);
        if AUDITED {
            let mean = simd.mul(half, simd.add(simd.load(&v[at]), speed));
            power = simd.add(power, simd.mul(simd.mul(simd.load(&resistance[at]), mean), mean));
            let moving = simd.mul(simd.mul(simd.load(&mass[at]), speed), speed);
            let [one, other] = lags.map(|lag| simd.sub(x, simd.mul(lag, speed)));
            let bent = simd.mul(simd.mul(simd.load(&stiffness[at]), one), other);
            energy = simd.add(energy, simd.add(moving, bent));
        }
        simd.store(&mut q[at], x);
        simd.store(&mut v[at], speed);
        simd.store(&mut ahead[at], next);
        if WATCHED {
            let shape = simd.load(&shape[at]);
            port = [simd.add(port[0], simd.mul(shape, speed)), simd.add(port[1], simd.mul(shape, next))];
        }
    }
    Fed { watched: mean(simd, port), power: simd.sum(power), energy: simd.sum(energy) }
}

vector_kernel! {
    /// Pushes a predicted step, takes it, and predicts the next.
    pub fn feed<S>(simd, bank: &mut Bank, stores: Stores, push: Push) -> Fed {
        match (push.watched.is_empty(), bank.resistance.is_empty()) {
            (true, true) => feed_one::<S, false, false>(simd, bank, stores, push),
            (true, false) => feed_one::<S, false, true>(simd, bank, stores, push),
            (false, true) => feed_one::<S, true, false>(simd, bank, stores, push),
            (false, false) => feed_one::<S, true, true>(simd, bank, stores, push),
        }
    }
}

/// How eight modes with one port answer: their coefficients side by side, so that a step reads few places at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct Answers {
    /// Y φ.
    pub driven: [f64; LANES],
    /// a.
    pub kept: [f64; LANES],
    /// b.
    pub pull: [f64; LANES],
    /// φ.
    pub shape: [f64; LANES],
}

vector_kernel! {
    /// The same as [`feed`], unaudited, where the port that is pushed is also watched, with `motion` q, v and v° one after the other. Returns v̄ of the port in the next step.
    pub fn feed_back<S>(simd, motion: &mut [f64], answers: &[Answers], force: f64) -> f64 {
        let (n, motion) = (answers.len(), motion.as_chunks_mut::<LANES>().0);
        let (q, rest) = motion.split_at_mut(n);
        let (v, ahead) = rest.split_at_mut(n);
        let shared = Shared::new(simd, force);
        let mut port = [simd.splat(0.0); 2];
        // side by side, so that nothing is checked eight by eight
        for (((q, v), ahead), Answers { driven, kept, pull, shape }) in q.iter_mut().zip(v).zip(ahead).zip(answers) {
            let motion = [simd.load(q), simd.load(ahead)];
            let Eight { x, speed, ahead: next } = shared.take(motion, [driven, kept, pull].map(|eight| simd.load(eight)));
            simd.store(q, x);
            simd.store(v, speed);
            simd.store(ahead, next);
            let shape = simd.load(shape);
            port = [simd.add(port[0], simd.mul(shape, speed)), simd.add(port[1], simd.mul(shape, next))];
        }
        mean(simd, port)
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
            let [kept, pull, driven, shape, resistance] = [1, 2, 3, 4, 5].map(|seed| numbers(n, seed));
            let [mass, stiffness, q, v, ahead] = [6, 7, 8, 9, 10].map(|seed| numbers(n, seed));
            for lags in [[0.0, 1.0], [0.5, 0.5]] {
                let [mut x, mut speed, mut next] = [q.clone(), v.clone(), ahead.clone()];
                modes::add(&mut next, &driven, 1.4);
                modes::advance(&mut x, &mut speed, &mut next);
                let power = modes::power(&resistance, &next);
                let energy = modes::energy(&mass, &speed, &stiffness, &x, lags);
                modes::predict(&x, &speed, &kept, &pull, &mut next);
                let expected = Fed { watched: 0.5 * (dot(&shape, &speed) + dot(&shape, &next)), power, energy };
                for level in [Level::Baseline, Level::Avx2, Level::Avx512] {
                    force(level);
                    for (audited, watched) in [(true, true), (true, false), (false, true), (false, false)] {
                        let [mut q, mut v, mut ahead] = [q.clone(), v.clone(), ahead.clone()];
                        let mut bank = Bank {
                            q: &mut q,
                            v: &mut v,
                            ahead: &mut ahead,
                            kept: &kept,
                            pull: &pull,
                            resistance: if audited { &resistance } else { &[] },
                        };
                        let push = Push { driven: &driven, force: 0.7, watched: if watched { &shape } else { &[] } };
                        let fed = feed(&mut bank, Stores { mass: &mass, stiffness: &stiffness, lags }, push);
                        assert!(
                            [(&q, &x), (&v, &speed), (&ahead, &next)].iter().all(|(one, other)| ***one == ***other)
                        );
                        let [power, energy] = [expected.power, expected.energy].map(|x| if audited { x } else { 0.0 });
                        let watched = if watched { expected.watched } else { 0.0 };
                        assert_eq!(fed, Fed { watched, power, energy }, "{n} modes, {level:?}");
                    }
                    let mut motion: Aligned =
                        [&q, &v, &ahead].into_iter().flat_map(|part| part.iter().copied()).collect();
                    let eights = [&driven, &kept, &pull, &shape].map(|part| part.as_chunks::<LANES>().0);
                    let answers: Vec<Answers> = (0..n / LANES)
                        .map(|at| {
                            let [driven, kept, pull, shape] = eights.map(|eights| eights[at]);
                            Answers { driven, kept, pull, shape }
                        })
                        .collect();
                    assert_eq!(feed_back(&mut motion, &answers, 0.7), expected.watched, "{level:?}");
                    for (part, expected) in [&x, &speed, &next].into_iter().enumerate() {
                        assert_eq!(motion[part * n..(part + 1) * n], **expected, "{n} modes, {level:?}");
                    }
                }
            }
        }
    }
}
