//! The straightforward loops over the same numbers, which everything else is compared with.

mod touched;

pub use touched::{PlainBow, PlainContact};

use crate::scene::RATE;
use std::hint::black_box;

/// A bank of modes.
#[derive(Clone, Debug)]
pub struct PlainBank {
    q: Vec<f64>,
    v: Vec<f64>,
    damped: Vec<f64>,
    pull: Vec<f64>,
    mobility: Vec<f64>,
    shape: Vec<f64>,
}

impl PlainBank {
    /// Of so many modes, deflected, all of 1 kHz and without loss: they never get so small that the processor slows down.
    pub fn new(modes: usize) -> Self {
        let of = |x: f64| vec![black_box(x); modes];
        let turn = std::f64::consts::PI * 1000.0 / RATE;
        let share = 1.0 / (1.0 + turn * turn);
        let pull = 2.0 * RATE * turn * turn * share;
        Self { q: of(1e-3), v: of(0.0), damped: of(share), pull: of(pull), mobility: of(1e-4), shape: of(1.0) }
    }

    /// A step in which what a port does is answered by a force on it.
    pub fn feed_back(&mut self) {
        let Self { q, v, damped, pull, mobility, shape } = self;
        let mut port = 0.0;
        for i in 0..q.len() {
            port += shape[i] * (damped[i] * v[i] - pull[i] * q[i]);
        }
        let force = -1e-3 * black_box(port);
        for i in 0..q.len() {
            let mean = damped[i] * v[i] - pull[i] * q[i] + mobility[i] * shape[i] * force;
            v[i] = 2.0 * mean - v[i];
            q[i] += mean / RATE;
        }
    }

    /// A step under no force; returns the velocity of a port.
    pub fn ring(&mut self) -> f64 {
        let Self { q, v, damped, pull, shape, .. } = self;
        let mut output = 0.0;
        for i in 0..q.len() {
            let mean = damped[i] * v[i] - pull[i] * q[i];
            v[i] = 2.0 * mean - v[i];
            q[i] += mean / RATE;
            output += shape[i] * v[i];
        }
        output
    }
}

/// A stiff lossy string.
#[derive(Clone, Debug)]
pub struct StiffString {
    now: Vec<f64>,
    before: Vec<f64>,
    next: Vec<f64>,
}

impl StiffString {
    /// Of so many points.
    pub fn new(points: usize) -> Self {
        let mut now = vec![black_box(0.0); points + 4];
        let next = now.clone();
        now[2..points + 2].fill(black_box(1e-3));
        Self { before: now.clone(), now, next }
    }

    /// A step.
    pub fn step(&mut self) {
        let Self { now, before, next } = self;
        for i in 2..now.len() - 2 {
            next[i] = 1.9999 * now[i] - 0.9999 * before[i] + 0.4 * (now[i - 1] - 2.0 * now[i] + now[i + 1])
                - 0.01 * (now[i - 2] - 4.0 * now[i - 1] + 6.0 * now[i] - 4.0 * now[i + 1] + now[i + 2])
                + 0.001 * (now[i - 1] - 2.0 * now[i] + now[i + 1] - before[i - 1] + 2.0 * before[i] - before[i + 1]);
        }
        std::mem::swap(before, now);
        std::mem::swap(now, next);
    }
}

/// A square membrane or plate with losses.
#[derive(Clone, Debug)]
pub struct Square {
    side: usize,
    now: Vec<f64>,
    before: Vec<f64>,
    next: Vec<f64>,
}

impl Square {
    /// Of side × side points.
    pub fn new(side: usize) -> Self {
        let mut now = vec![black_box(0.0); (side + 4) * (side + 4)];
        let next = now.clone();
        for row in now.chunks_mut(side + 4).skip(2).take(side) {
            row[2..side + 2].fill(black_box(1e-3));
        }
        Self { side, before: now.clone(), now, next }
    }

    /// A step; `bending` beside tension: 13 points instead of 5.
    pub fn step(&mut self, bending: bool) {
        let Self { side, now, before, next } = self;
        let stride = *side + 4;
        let round = |u: &[f64], i: usize| u[i - 1] + u[i + 1] + u[i - stride] + u[i + stride];
        for row in 2..*side + 2 {
            for i in row * stride + 2..row * stride + 2 + *side {
                let spread = round(now, i) - 4.0 * now[i] - (round(before, i) - 4.0 * before[i]);
                let force = if bending {
                    let corners = now[i - stride - 1] + now[i - stride + 1] + now[i + stride - 1] + now[i + stride + 1];
                    let far = now[i - 2] + now[i + 2] + now[i - 2 * stride] + now[i + 2 * stride];
                    -0.01 * (far + 2.0 * corners - 8.0 * round(now, i) + 20.0 * now[i])
                } else {
                    0.2 * (round(now, i) - 4.0 * now[i])
                };
                next[i] = 1.9999 * now[i] - 0.9999 * before[i] + force + 0.001 * spread;
            }
        }
        std::mem::swap(before, now);
        std::mem::swap(now, next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_runs_away_while_it_is_timed() {
        let (mut bank, mut ringing) = (PlainBank::new(5), PlainBank::new(5));
        let (mut string, mut membrane, mut plate) = (StiffString::new(9), Square::new(7), Square::new(7));
        for _ in 0..20_000 {
            bank.feed_back();
            ringing.ring();
            string.step();
            membrane.step(false);
            plate.step(true);
        }
        let values = bank.q.iter().chain(&ringing.q).chain(&string.now).chain(&membrane.now).chain(&plate.now);
        assert!(values.clone().all(|x| x.abs() < 1.0) && values.clone().any(|x| *x != 0.0));
    }
}
