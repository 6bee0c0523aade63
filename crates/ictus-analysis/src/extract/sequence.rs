//! Hits, one after another, in one recording; a recording of a single hit is the shortest case.
//!
//! Model: every hit sets the same modes ringing with amplitudes of its own. From one hit to the next the object rings freely, so every stretch between two hits
//! shows the poles. Amplitudes follow stretch by stretch: what rings on from the hits before is taken away, and the rest is the new hit's.

use super::Poles;
use super::deviation;
use super::fit::{Fit, add, exp};
use super::push;
use super::search::{self, Aim};
use super::stroke::Stroke;
use ictus_transform::Complex64;

/// Stretches searched for poles at most, the longest first, …
const SEARCHED: usize = 8;
/// … and none shorter than this share of the longest: it would show little but the hit itself.
const LONG: f64 = 0.5;
/// A stretch of which less than this share is unexplained is not searched (−70 dB): a mode that only one hit or one microphone has can be that weak in the whole
/// and be all there is in its third of an octave.
const EXPLAINED: f64 = 1e-7;
/// Share of the diagonal by which the amplitudes of known modes are held small in a new stretch.
const RIDGE: f64 = 1e-6;
/// Delays after the first summit from which an object may be left to itself, seconds …
const LATER_S: [f64; 4] = [0.0, 0.005, 0.012, 0.025];
/// … of which the first is taken after which modes leave less than this share unexplained (−24 dB).
const NEARLY_ALL: f64 = 4e-3;
/// A push may begin this long before it is heard, seconds.
const LEAD_S: f64 = 1e-3;

/// The poles of a recording with hits at `onsets` (frames) that ends at `end`; `contact` frames after a hit the object is left to itself.
pub fn poles(channels: &[Vec<f64>], onsets: &[usize], end: usize, contact: usize, aim: &Aim) -> Poles {
    let ends = onsets.iter().skip(1).copied().chain([end]);
    let mut stretches: Vec<(usize, usize)> = onsets.iter().copied().zip(ends).collect();
    stretches.sort_by_key(|(from, to)| std::cmp::Reverse(to - from));
    let shortest = contact + (super::SHORTEST_S * aim.sample_rate) as usize;
    let long = stretches.first().map_or(0.0, |(from, to)| LONG * (to - from) as f64);
    stretches.retain(|(from, to)| to - from >= shortest && (to - from) as f64 >= long);
    let contact = stretches.first().map_or(contact, |&stretch| contact + still_pushed(channels, stretch, contact, aim));
    let Poles { mut poles, mut deviations } = Poles::default();
    for (from, to) in stretches.into_iter().take(SEARCHED) {
        let sounds: Vec<Vec<f64>> = channels.iter().map(|c| c[from + contact..to].to_vec()).collect();
        let known = Fit::ridged(poles.clone(), &sounds, RIDGE);
        let rest = search::left_over(&known, &sounds);
        let energy = |sounds: &[Vec<f64>]| sounds.iter().flatten().map(|x| x * x).sum::<f64>();
        let most = aim.max_modes - poles.len();
        if most > 0 && energy(&rest) > EXPLAINED * energy(&sounds) {
            let found = search::search(&rest, &Aim { max_modes: most, ..*aim });
            let certain = deviation::deviations(&found, &rest);
            let known = poles.clone();
            for (pole, deviation) in found.poles.into_iter().zip(certain) {
                if known.iter().all(|q| !search::same(pole, *q, aim.sample_rate)) {
                    poles.push(pole);
                    deviations.push(deviation);
                }
            }
        }
    }
    Poles { poles, deviations }
}

/// Frames, beyond `contact`, for which the object is still pushed in a stretch: until modes explain nearly everything. A stick on a skin stays long after the sound has passed its
/// first summit. Where modes never do, in a recording with noise, nothing is gained by waiting.
fn still_pushed(channels: &[Vec<f64>], (from, to): (usize, usize), contact: usize, aim: &Aim) -> usize {
    let shortest = (super::SHORTEST_S * aim.sample_rate) as usize;
    let later = LATER_S.map(|seconds| (seconds * aim.sample_rate) as usize);
    let explained = |extra: &usize| {
        let sounds: Vec<Vec<f64>> = channels.iter().map(|c| c[from + contact + extra..to].to_vec()).collect();
        search::unexplained(&sounds, aim) < NEARLY_ALL
    };
    later.into_iter().filter(|extra| from + contact + extra + shortest <= to).find(explained).unwrap_or(0)
}

/// The hits at `onsets` of a recording that ends at `end`, each with the frame from which its own frames count.
pub fn strokes(
    channels: &[Vec<f64>],
    onsets: &[usize],
    end: usize,
    poles: &[Complex64],
    sample_rate: f64,
) -> Vec<(usize, Stroke)> {
    let lead = (LEAD_S * sample_rate) as usize;
    let begins: Vec<usize> = onsets.iter().map(|onset| onset - lead.min(*onset)).collect();
    let ends = begins.iter().skip(1).copied().chain([end]);
    // what rings on from the hits before, at the beginning of the stretch
    let mut ringing = vec![vec![Complex64::ZERO; poles.len()]; channels.len()];
    let mut strokes = Vec::new();
    for ((&onset, &from), to) in onsets.iter().zip(&begins).zip(ends) {
        let sounds: Vec<Vec<f64>> = (channels.iter().zip(&ringing))
            .map(|(channel, ringing)| {
                let mut sound = channel[from..to].to_vec();
                let minus: Vec<Complex64> = ringing.iter().map(|a| -a).collect();
                add(poles, &minus, &mut sound);
                sound
            })
            .collect();
        let stroke = push::search(poles, &sounds, onset - from, sample_rate);
        for (ringing, amplitudes) in ringing.iter_mut().zip(&stroke.amplitudes) {
            for ((ringing, c), &pole) in ringing.iter_mut().zip(amplitudes).zip(poles) {
                let after = stroke.force.response(pole).after.unwrap_or(Complex64::ZERO);
                let later = exp(pole * (to - from - stroke.force.end().min(to - from)) as f64);
                *ringing = *ringing * exp(pole * (to - from) as f64) + c * after * later;
            }
        }
        strokes.push((from, stroke));
    }
    strokes
}
