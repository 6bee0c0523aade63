//! Modes that are neighbours in frequency, a few dozen at a time.
//!
//! Modes far apart in frequency hardly know of each other, while the cost of treating modes together grows with the third power of their number. What
//! depends on neighbours only, the movement of poles and what a mode is worth, is done group by group; amplitudes are still fitted all together.

use super::fit::{Fit, add};
use super::limits::Limits;
use ictus_transform::Complex64;

/// Most modes of a group …
const MOST: usize = 40;
/// … and the fewest, if there are more to come: in between, the widest gap is where a group ends.
const FEWEST: usize = 24;

/// Indices of poles, group by group, each in order of frequency.
pub fn groups(poles: &[Complex64]) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..poles.len()).collect();
    order.sort_by(|&i, &j| poles[i].im.total_cmp(&poles[j].im));
    let mut all = Vec::new();
    while order.len() > MOST {
        let gap = |k: usize| poles[order[k]].im - poles[order[k - 1]].im;
        let cut = (FEWEST..MOST).max_by(|&a, &b| gap(a).total_cmp(&gap(b))).unwrap_or(MOST);
        let rest = order.split_off(cut);
        all.push(std::mem::replace(&mut order, rest));
    }
    all.push(order);
    all
}

/// [`Fit::refine`], group after group, each on what the others leave.
pub fn refine(fit: Fit, sounds: &[Vec<f64>], limits: &Limits, steps: usize, gain: f64) -> Fit {
    let groups = groups(&fit.poles);
    if groups.len() == 1 {
        return fit.refine(sounds, limits, steps, gain);
    }
    let mut rest = sounds.to_vec();
    let shift = |sounds: &mut [Vec<f64>], poles: &[Complex64], amplitudes: &[Vec<Complex64>], sign: f64| {
        for (sound, amplitudes) in sounds.iter_mut().zip(amplitudes) {
            let signed: Vec<Complex64> = amplitudes.iter().map(|a| a * sign).collect();
            add(poles, &signed, sound);
        }
    };
    shift(&mut rest, &fit.poles, &fit.amplitudes, -1.0);
    let mut poles = fit.poles.clone();
    for group in groups {
        let mine: Vec<Complex64> = group.iter().map(|&i| fit.poles[i]).collect();
        let amplitudes: Vec<Vec<Complex64>> =
            fit.amplitudes.iter().map(|a| group.iter().map(|&i| a[i]).collect()).collect();
        shift(&mut rest, &mine, &amplitudes, 1.0);
        let better = Fit::new(mine, &rest).refine(&rest, limits, steps, gain);
        shift(&mut rest, &better.poles, &better.amplitudes, -1.0);
        group.iter().zip(better.poles).for_each(|(&i, p)| poles[i] = p);
    }
    let better = Fit::new(poles, sounds);
    if better.residual < fit.residual { better } else { fit }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_end_at_wide_gaps_and_keep_all_poles() {
        let pole = |k: u32| Complex64::new(-1e-3, 0.01 * f64::from(k) + if k >= 30 { 0.02 } else { 0.0 });
        let poles: Vec<Complex64> = (0..100).rev().map(pole).collect();
        let found = groups(&poles);
        assert_eq!(found[0].len(), 30);
        let mut all = found.concat();
        all.sort_unstable();
        assert!(all.into_iter().eq(0..100));
        assert_eq!(groups(&[]), [Vec::<usize>::new()]);
    }
}
