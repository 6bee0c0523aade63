//! Where a stroke begins, and where the object is left to itself.
//!
//! Energies of millisecond frames, summed over the microphones. The onset is the last rise to the loudest stroke:
//! going back from its frame, the first frame that is far below it. The object rings freely once the energy has
//! passed its first summit; while the mallet touches it, it is not a sum of decaying sinusoids.

/// Length of a frame, seconds.
const FRAME_S: f64 = 1e-3;
/// The stroke begins where the energy is this far below its summit (−40 dB) …
const QUIET: f64 = 1e-4;
/// … or only this much above what was heard before it.
const ABOVE_BEFORE: f64 = 6.0;
/// The summit is looked for in the frames around the loudest sample, and contact lasts no longer than this, seconds.
const CONTACT_S: f64 = 0.02;

/// Frames of the sound at which the stroke begins and at which the free ringing begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Onset {
    pub stroke: usize,
    pub free: usize,
}

/// The loudest stroke of a recording; `None` for silence.
pub fn find(channels: &[Vec<f64>], sample_rate: f64) -> Option<Onset> {
    let length = channels.iter().map(Vec::len).min().unwrap_or(0);
    let frame = ((sample_rate * FRAME_S) as usize).max(1);
    let energies: Vec<f64> = (0..length.div_ceil(frame))
        .map(|k| {
            let range = k * frame..((k + 1) * frame).min(length);
            channels.iter().flat_map(|c| &c[range.clone()]).map(|x| x * x).sum()
        })
        .collect();
    let summit = (0..energies.len()).max_by(|&i, &j| energies[i].total_cmp(&energies[j]).then(j.cmp(&i)))?;
    let loudest = energies[summit];
    if loudest <= 0.0 {
        return None;
    }
    let mut before = energies[..summit.saturating_sub(2)].to_vec();
    before.sort_by(f64::total_cmp);
    let floor = before.get(before.len() / 2).copied().unwrap_or(0.0);
    let quiet = (QUIET * loudest).max(ABOVE_BEFORE * floor).min(0.1 * loudest);
    let first = (0..summit).rev().find(|&k| energies[k] <= quiet).map_or(0, |k| k + 1);
    // within the first loud frame, the first sample that stands out
    let level = channels.iter().flat_map(|c| &c[first * frame..((first + 1) * frame).min(length)]);
    let level = 0.01 * level.fold(0.0, |m: f64, x| m.max(x.abs()));
    let from = first * frame;
    let stroke = (from..length).find(|&n| channels.iter().any(|c| c[n].abs() > level)).unwrap_or(from);
    let contact = (CONTACT_S / FRAME_S) as usize;
    let end = energies.len().min(first + contact);
    let top = (first..end).max_by(|&i, &j| energies[i].total_cmp(&energies[j]).then(j.cmp(&i))).unwrap_or(first);
    // a sound that starts at once is at its top in its first frame: nothing of it is contact
    let free = if top == first { stroke } else { (top + 1) * frame };
    Some(Onset { stroke, free: free.min(length.saturating_sub(1)) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stroke_after_a_pause_is_found_to_the_sample() {
        let mut sound = vec![0.0; 20_000];
        for n in 0..15_000 {
            sound[5000 + n] = libm::exp(-3e-4 * n as f64) * libm::cos(0.2 * n as f64);
        }
        let onset = find(&[sound], 48_000.0).unwrap();
        assert!(onset.stroke == 5000 && onset.free < 5200, "{onset:?}");
    }

    #[test]
    fn silence_and_nothing_have_none() {
        assert_eq!(find(&[vec![0.0; 100]], 48_000.0), None);
        assert_eq!(find(&[vec![]], 48_000.0), None);
        assert_eq!(find(&[], 48_000.0), None);
    }
}
