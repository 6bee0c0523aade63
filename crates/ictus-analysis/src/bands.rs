//! Third-octave band levels of a piece of sound, and how far one sound is from several recordings of the same kind.
//!
//! Bands: base-ten third octaves of IEC 61260-1, nominal mid-band frequencies 50 Hz to 16 kHz, energies summed over FFT bins.
//! Each sound is cut at its onset into the attack (the first 200 ms) and the ring (the following second). Levels are relative to the
//! loudest band of the piece and not below −60 dB, where recordings are noise. The target is the mean of the recordings' levels;
//! the overall level is removed by the offset that makes the mean absolute difference smallest, which is the median of the differences.

use crate::{Window, spectrum::Spectrum};

/// Lowest and highest band: mid-band frequency 10^(k/10) Hz.
const BANDS: std::ops::RangeInclusive<i32> = 17..=42;
/// Levels below this are not compared, dB re the loudest band.
const FLOOR_DB: f64 = -60.0;
/// Length of the attack and of the ring, s.
const PIECES_S: [f64; 2] = [0.2, 1.0];
/// The ring is compared if its level is at most this far below that of the attack, dB.
const RINGS_DB: f64 = -30.0;
/// The onset is the first millisecond this far below the loudest one of the first second after it, dB.
const ONSET_DB: f64 = -25.0;

/// Mid-band frequencies, Hz.
pub fn centres() -> Vec<f64> {
    BANDS.map(|k| libm::exp10(f64::from(k) / 10.0)).collect()
}

/// Energy of each third-octave band; a sine of amplitude 1 has the energy of its samples' mean square times the length in seconds.
pub fn energies(signal: &[f64], sample_rate: f64) -> Vec<f64> {
    let spectrum = Spectrum::of(signal, sample_rate, Window::Rectangular);
    let edge = libm::exp10(0.05);
    // Parseval: amplitudes are 2|X|/N, and the transform is rate/bin_hz points long with its zeros
    let seconds = signal.len() as f64 / sample_rate;
    let scale = 0.5 * seconds * seconds * spectrum.bin_hz;
    centres()
        .iter()
        .map(|centre| {
            let bin = |hz: f64| ((hz / spectrum.bin_hz).ceil() as usize).min(spectrum.amplitude.len());
            let bins = &spectrum.amplitude[bin(centre / edge)..bin(centre * edge)];
            scale * bins.iter().map(|a| a * a).sum::<f64>()
        })
        .collect()
}

/// First sample of the sound proper; `None` for silence.
pub fn onset(signal: &[f64], sample_rate: f64) -> Option<usize> {
    let frame = ((1e-3 * sample_rate) as usize).max(1);
    let energy: Vec<f64> = signal.chunks(frame).map(|piece| piece.iter().map(|x| x * x).sum()).collect();
    let loudest = energy.iter().take(1500).fold(0.0, |a: f64, &b| a.max(b));
    let quiet = loudest * libm::exp10(ONSET_DB / 10.0);
    energy.iter().position(|&e| loudest > 0.0 && e > quiet).map(|k| k * frame)
}

/// Band levels of the attack and the ring of a sound, dB.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// Levels of the attack, dB re its loudest band.
    pub attack: Vec<f64>,
    /// Levels of the ring, if it rings.
    pub ring: Option<Vec<f64>>,
}

impl Profile {
    /// Measures one channel; `None` for silence.
    pub fn of(signal: &[f64], sample_rate: f64) -> Option<Self> {
        let start = onset(signal, sample_rate)?;
        let [attack, ring] = PIECES_S.map(|s| (s * sample_rate) as usize);
        let piece = |from: usize, length: usize| &signal[from.min(signal.len())..(from + length).min(signal.len())];
        let (attack, ring) = (piece(start, attack), piece(start + attack, ring));
        let power = |piece: &[f64]| piece.iter().map(|x| x * x).sum::<f64>() / piece.len().max(1) as f64;
        let rings =
            ring.len() as f64 >= 0.5 * sample_rate && power(ring) > power(attack) * libm::exp10(RINGS_DB / 10.0);
        Some(Self {
            attack: levels(&energies(&faded(attack, sample_rate, false), sample_rate)),
            ring: rings.then(|| levels(&energies(&faded(ring, sample_rate, true), sample_rate))),
        })
    }
}

/// Fades the ends of a piece over 25 ms, so that cutting a loud low tone adds nothing to the high bands; an onset is not faded.
fn faded(piece: &[f64], sample_rate: f64, fade_in: bool) -> Vec<f64> {
    let fade = ((0.025 * sample_rate) as usize).clamp(1, (piece.len() / 2).max(1));
    let mut faded = piece.to_vec();
    let last = faded.len().saturating_sub(1);
    for n in 0..fade.min(faded.len()) {
        let gain = 0.5 - 0.5 * libm::cos(std::f64::consts::PI * n as f64 / fade as f64);
        faded[last - n] *= gain;
        if fade_in {
            faded[n] *= gain;
        }
    }
    faded
}

fn levels(energies: &[f64]) -> Vec<f64> {
    let loudest = energies.iter().fold(f64::MIN_POSITIVE, |a, &b| a.max(b));
    energies.iter().map(|e| (10.0 * libm::log10((e / loudest).max(1e-30))).max(FLOOR_DB)).collect()
}

/// Mean of several level profiles, band by band, dB.
pub fn mean(profiles: &[&[f64]]) -> Vec<f64> {
    let bands = profiles.first().map_or(0, |p| p.len());
    (0..bands).map(|k| profiles.iter().map(|p| p[k]).sum::<f64>() / profiles.len() as f64).collect()
}

/// Level differences, band by band, with the overall level removed, dB; bands at the floor in both are left out (NaN).
pub fn differences(sound: &[f64], target: &[f64]) -> Vec<f64> {
    let mut differences: Vec<f64> = sound
        .iter()
        .zip(target)
        .map(|(a, b)| if *a <= FLOOR_DB && *b <= FLOOR_DB { f64::NAN } else { a - b })
        .collect();
    let mut sorted: Vec<f64> = differences.iter().copied().filter(|d| d.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let offset = sorted.get(sorted.len() / 2).copied().unwrap_or(0.0);
    differences.iter_mut().for_each(|d| *d -= offset);
    differences
}

/// Mean absolute difference over the compared bands, dB.
pub fn distance(sound: &[f64], target: &[f64]) -> f64 {
    let compared: Vec<f64> = differences(sound, target).into_iter().filter(|d| d.is_finite()).collect();
    compared.iter().map(|d| d.abs()).sum::<f64>() / compared.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: f64 = 48e3;

    fn sine(hz: f64, amplitude: f64, seconds: f64) -> Vec<f64> {
        let step = std::f64::consts::TAU * hz / RATE;
        (0..(seconds * RATE) as usize).map(|n| amplitude * libm::sin(step * n as f64)).collect()
    }

    #[test]
    fn a_sine_lies_in_its_band_with_its_energy() {
        let energies = energies(&sine(1000.0, 1.0, 0.2), RATE);
        let loudest = (0..energies.len()).max_by(|&i, &j| energies[i].total_cmp(&energies[j])).unwrap();
        assert!((centres()[loudest] - 1000.0).abs() < 1e-9);
        // mean square ½ for 0.2 s
        assert!((energies[loudest] / 0.1 - 1.0).abs() < 0.02, "{}", energies[loudest]);
    }

    #[test]
    fn level_delay_and_nothing_else_are_ignored() {
        let tone: Vec<f64> = sine(500.0, 1.0, 1.5).iter().zip(sine(4000.0, 0.1, 1.5)).map(|(a, b)| a + b).collect();
        let mut late = vec![0.0; 4800];
        late.extend(tone.iter().map(|x| 0.01 * x));
        let bright: Vec<f64> = sine(500.0, 1.0, 1.5).iter().zip(sine(4000.0, 1.0, 1.5)).map(|(a, b)| a + b).collect();
        let [tone, late, bright] = [tone, late, bright].map(|s| Profile::of(&s, RATE).unwrap());
        assert!(distance(&tone.attack, &late.attack) < 0.1);
        let ring = |p: &Profile| p.ring.clone().unwrap();
        assert!(distance(&ring(&tone), &ring(&late)) < 0.1);
        let k = centres().iter().position(|hz| (hz / 4000.0 - 1.0).abs() < 0.01).unwrap();
        let found = bright.attack[k] - tone.attack[k];
        assert!((found - 20.0).abs() < 1.0, "{found} dB");
        assert!(distance(&tone.attack, &bright.attack) > 0.3);
    }
}
