//! The search for the push of a hit.
//!
//! First among raised cosines: a falling sequence of steps around the best so far. Then as a curve of straight lines, by damped Gauss–Newton steps on its points:
//! a contact that chatters for a millisecond is no smooth hump. In these steps the ringing after the push is held, since the sound tells it, so a point moves what
//! a mode does during the push relative to how it rings on.

use super::force::Force;
use super::real::{Square, dot};
use super::stroke::{Stroke, fit};
use ictus_transform::Complex64;

/// Raised cosines that are tried first, seconds; the longer ones only if the shorter ones were better than none.
const LENGTHS_S: [[f64; 4]; 2] = [[1e-4, 2.5e-4, 5e-4, 1e-3], [2e-3, 4e-3, 8e-3, 16e-3]];
/// First step of the search, as a share of the length, and the one at which it stops.
const STEPS: (f64, f64) = (0.3, 0.04);
/// The push is looked for in this much of a stretch, seconds.
const SEEN_S: f64 = 0.2;
/// Most points of a curve.
const POINTS: usize = 24;
/// Lengths of curves that are tried, in lengths of the raised cosine.
const LONGER: [f64; 2] = [1.5, 4.0];
/// Gauss–Newton steps, and attempts at each with rising damping.
const NEWTON: (usize, usize) = (12, 3);
/// A curve has to leave less than this share of what a raised cosine leaves.
const WORTH_A_CURVE: f64 = 0.9;
/// A step that lowers the residual by less than this share is the last.
const GAIN: f64 = 0.01;

/// The best hit for a stretch in which something new was heard at frame `heard`.
pub fn search(poles: &[Complex64], sounds: &[Vec<f64>], heard: usize, sample_rate: f64) -> Stroke {
    let seen = sounds.first().map_or(0, Vec::len).min((SEEN_S * sample_rate) as usize);
    let seen: Vec<Vec<f64>> = sounds.iter().map(|s| s[..seen].to_vec()).collect();
    let simple = raised_cosine(poles, &seen, heard, sample_rate);
    let curves = side_by_side(&LONGER, |&longer| curve(poles, &seen, &simple, longer));
    let best = curves.into_iter().min_by(|a, b| a.residual.total_cmp(&b.residual));
    let best = best.filter(|b| b.residual < WORTH_A_CURVE * simple.residual);
    fit(poles, sounds, best.unwrap_or(simple).force)
}

/// What comes of all trials, each on a thread of its own; those that come to nothing are left out.
fn side_by_side<T: Sync, R: Send>(trials: &[T], work: impl Fn(&T) -> Option<R> + Sync) -> Vec<R> {
    std::thread::scope(|scope| {
        let work = &work;
        let running: Vec<_> = trials.iter().map(|trial| scope.spawn(move || work(trial))).collect();
        running.into_iter().filter_map(|thread| thread.join().expect("a fit does not panic")).collect()
    })
}

/// A raised cosine: beginning and length, frames.
type PulsePosition = (f64, f64);

fn raised_cosine(poles: &[Complex64], seen: &[Vec<f64>], heard: usize, sample_rate: f64) -> Stroke {
    let longest = 0.5 * seen[0].len() as f64;
    let attempt = |&(start, length): &PulsePosition| {
        let sane = start >= 0.0 && length >= 1.0 && start + length < longest;
        sane.then(|| ((start, length), fit(poles, seen, Force::pulse(start, length))))
    };
    let heard = (heard as f64).min(longest);
    let mut best = ((heard, 1.0), fit(poles, seen, Force::pulse(heard, 1.0)));
    // whether one of the trials is better
    let improve = |best: &mut (PulsePosition, Stroke), trials: &[PulsePosition]| {
        let tried = side_by_side(trials, attempt).into_iter();
        match tried.min_by(|a, b| a.1.residual.total_cmp(&b.1.residual)) {
            Some(trial) if trial.1.residual < best.1.residual => {
                *best = trial;
                true
            }
            _ => false,
        }
    };
    for lengths in LENGTHS_S {
        // little is heard of the first tenth of a raised cosine
        let trial = |s: f64| ((heard - 0.1 * s * sample_rate).max(0.0), s * sample_rate);
        if !improve(&mut best, &lengths.map(trial)) {
            break;
        }
    }
    let mut step = STEPS.0;
    while step > STEPS.1 {
        let (start, length) = best.0;
        let moves = [
            (start, length * (1.0 + step)),
            (start, length / (1.0 + step)),
            (start + step * length, length),
            (start - step * length, length),
        ];
        if !improve(&mut best, &moves) {
            step *= 0.5;
        }
    }
    best.1
}

/// Hats, each a rise and a fall of `step` frames; neighbours overlap by half, so that their sum is a curve of straight lines.
struct Hats {
    from: usize,
    step: usize,
    count: usize,
}

impl Hats {
    fn end(&self) -> usize {
        self.from + (self.count + 1) * self.step
    }

    fn value(&self, k: usize, n: usize) -> f64 {
        let top = self.from + (k + 1) * self.step;
        (1.0 - n.abs_diff(top) as f64 / self.step as f64).max(0.0)
    }

    fn force(&self, points: &[f64]) -> Force {
        let sum = |n: usize| points.iter().enumerate().map(|(k, g)| g * self.value(k, n)).sum();
        Force::new((0..self.end()).map(sum).collect())
    }

    /// The heights of a push at the points.
    fn heights(&self, force: &Force) -> Vec<f64> {
        let at = |k: usize| force.values().get(self.from + (k + 1) * self.step).copied().unwrap_or(0.0);
        (0..self.count).map(at).collect()
    }
}

/// The best curve that lasts `longer` times the simple push; `None` where there is no room for one.
fn curve(poles: &[Complex64], seen: &[Vec<f64>], simple: &Stroke, longer: f64) -> Option<Stroke> {
    let start = simple.force.start();
    let length = simple.force.end() - start;
    let room = (seen[0].len() / 2).checked_sub(start)?;
    let span = ((longer * length as f64) as usize).max(8).min(room);
    let step = span.div_ceil(POINTS).max(1);
    // raised cosines begin late
    let hats = Hats { from: start.saturating_sub(step + length / 8), step, count: span / step };
    if hats.count < 3 {
        return None;
    }
    let mut now = fit(poles, seen, hats.force(&hats.heights(&simple.force)));
    let mut damping = 1e-2;
    for _ in 0..NEWTON.0 {
        let points = hats.heights(&now.force);
        let (curvature, slope) = equations(poles, seen, &now, &hats);
        let mut better = None;
        for _ in 0..NEWTON.1 {
            let change = curvature.clone().damped(damping).cholesky(1e-12).solve_cholesky(&slope);
            let trial: Vec<f64> = points.iter().zip(&change).map(|(g, d)| g + d).collect();
            better = Some(fit(poles, seen, hats.force(&trial))).filter(|s| s.residual < now.residual);
            if better.is_some() {
                damping = (damping * 0.2).max(1e-6);
                break;
            }
            damping *= 10.0;
        }
        let Some(stroke) = better else { break };
        let enough = stroke.residual > (1.0 - GAIN) * now.residual;
        now = stroke;
        if enough {
            break;
        }
    }
    Some(now)
}

/// Curvature and slope of the residual over the points of a curve, with the ringing after the push held.
fn equations(poles: &[Complex64], seen: &[Vec<f64>], now: &Stroke, hats: &Hats) -> (Square, Vec<f64>) {
    let end = hats.end();
    let each: Vec<Force> = (0..hats.count).map(|k| Force::raw((0..end).map(|n| hats.value(k, n)).collect())).collect();
    let mut rest: Vec<Vec<f64>> = seen.iter().map(|s| s[..end].to_vec()).collect();
    let mut rows = vec![vec![vec![0.0; end]; hats.count]; seen.len()];
    for (i, &pole) in poles.iter().enumerate() {
        let whole = now.force.response(pole);
        for (rest, c) in rest.iter_mut().zip(&now.amplitudes) {
            rest.iter_mut().zip(&whole.during).for_each(|(x, y)| *x -= (c[i] * y).re);
        }
        if !whole.explained {
            continue;
        }
        for (k, hat) in each.iter().enumerate() {
            let part = hat.follow(pole);
            let share = whole.after.map_or(Complex64::ZERO, |after| part[end - 1] * super::fit::exp(pole) / after);
            let change: Vec<Complex64> = part.iter().zip(&whole.during).map(|(y, all)| y - all * share).collect();
            for (rows, c) in rows.iter_mut().zip(&now.amplitudes) {
                rows[k].iter_mut().zip(&change).for_each(|(r, y)| *r += (c[i] * y).re);
            }
        }
    }
    let mut curvature = Square::zeros(hats.count);
    let mut slope = vec![0.0; hats.count];
    for ((rows, rest), &direct) in rows.iter_mut().zip(&mut rest).zip(&now.direct) {
        rest.iter_mut().zip(now.force.values()).for_each(|(x, f)| *x -= direct * f);
        for (row, hat) in rows.iter_mut().zip(&each) {
            row.iter_mut().zip(hat.values()).for_each(|(r, h)| *r += direct * h);
        }
        for i in 0..hats.count {
            slope[i] += dot(&rows[i], rest);
            for j in 0..=i {
                curvature.add_both(i, j, dot(&rows[i], &rows[j]));
            }
        }
    }
    (curvature, slope)
}

#[cfg(test)]
mod tests {
    use super::super::stroke::ring;
    use super::*;

    #[test]
    fn a_double_push_is_found() {
        let poles: Vec<Complex64> = [0.11, 0.27, 0.45, 0.7].iter().map(|&w| Complex64::new(-1e-3, w)).collect();
        let amplitudes: Vec<Complex64> = [0.5, -0.3, 0.4, 0.2].iter().map(|&a| Complex64::new(a, 0.3 * a)).collect();
        let pushes = [(60.0, 9.0, 1.0), (76.0, 7.0, 0.6)];
        let mut values = vec![0.0; 90];
        for (start, length, strength) in pushes {
            let pulse = Force::pulse(start, length);
            values.iter_mut().zip(pulse.values()).for_each(|(f, p)| *f += strength * p);
        }
        let mut sound = vec![0.0; 6000];
        ring(&poles, &amplitudes, 0.0, &Force::new(values), &mut sound);
        let sounds = [sound];
        let simple = raised_cosine(&poles, &sounds, 61, 48_000.0);
        let found = search(&poles, &sounds, 61, 48_000.0);
        let energy: f64 = sounds[0].iter().map(|x| x * x).sum();
        println!("{:e} {:e}", simple.residual / energy, found.residual / energy);
        assert!(found.residual < 0.1 * simple.residual && found.residual < 1e-3 * energy);
    }
}
