use super::*;
use std::f64::consts::PI;

const RATE: u32 = 44_100;
/// Mixtures of 60 modes.
const SEEDS: u64 = 6;

/// A small generator, the same on all machines.
struct Random(u64);

impl Random {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.uniform()
    }

    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * libm::log(1.0 - self.uniform())).sqrt();
        radius * libm::cos(TAU * self.uniform())
    }
}

/// One true mode: Hz, T60, amplitude, phase.
type Truth = (f64, f64, f64, f64);

/// 60 modes: 40 alone, 10 pairs 2 Hz apart.
fn sixty(seed: u64) -> Vec<Truth> {
    let mut random = Random(seed);
    let mut truth: Vec<Truth> = Vec::new();
    while truth.len() < 60 {
        let pair = truth.len() >= 40;
        let hz = 120.0 * libm::pow(80.0, random.uniform());
        if truth.iter().any(|t| (t.0 - hz).abs() < 15.0) {
            continue;
        }
        let t60 = if pair { random.between(0.8, 3.0) } else { random.between(0.3, 3.0) };
        let mut add = |hz: f64, t60: f64| {
            let amplitude = libm::pow(10.0, random.between(-1.0, 0.0));
            truth.push((hz, t60, amplitude, random.between(-PI, PI)));
        };
        add(hz, t60);
        if pair {
            add(hz + 2.0, t60 * 1.1);
        }
    }
    truth
}

fn sound(truth: &[Truth], rate: u32, seconds: f64) -> Vec<f64> {
    let rate = f64::from(rate);
    let mut sound = vec![0.0; (seconds * rate) as usize];
    for &(hz, t60, amplitude, phase) in truth {
        let pole = Complex64::new(-3.0 * LN_10 / t60, TAU * hz) / rate;
        let a = fit::exp(Complex64::new(0.0, phase)) * amplitude;
        fit::add(&[pole], &[a], &mut sound);
    }
    sound
}

/// Noise at a level below the RMS of the first second.
fn noisy(mut sound: Vec<f64>, rate: u32, snr_db: f64, seed: u64) -> Vec<f64> {
    let mut random = Random(seed);
    let second = sound.len().min(rate as usize);
    let rms = (sound[..second].iter().map(|x| x * x).sum::<f64>() / second as f64).sqrt();
    let sigma = rms * libm::pow(10.0, -snr_db / 20.0);
    sound.iter_mut().for_each(|x| *x += sigma * random.normal());
    sound
}

fn audio(channels: &[Vec<f64>], rate: u32) -> Audio {
    let peak = channels.iter().flatten().fold(0.0, |m: f64, x| m.max(x.abs())).max(1e-9);
    let frames = channels[0].len();
    let samples = (0..frames).flat_map(|n| channels.iter().map(move |c| (0.7 * c[n] / peak) as f32)).collect();
    Audio { samples, channels: channels.len(), sample_rate: rate }
}

/// How many true modes have a found one within 0.1 % in frequency and 5 % in decay; found modes are used once.
fn hits(truth: &[Truth], found: &Extraction) -> usize {
    let mut used = vec![false; found.modes.len()];
    let mut count = 0;
    for t in truth {
        let near = |m: &Mode| (m.hz / t.0 - 1.0).abs() < 1e-3 && (m.t60_s / t.1 - 1.0).abs() < 0.05;
        let best = (0..used.len())
            .filter(|&i| !used[i] && near(&found.modes[i]))
            .min_by(|&i, &j| (found.modes[i].hz - t.0).abs().total_cmp(&(found.modes[j].hz - t.0).abs()));
        if let Some(i) = best {
            used[i] = true;
            count += 1;
        }
    }
    count
}

/// Modes of 60 that come back from a mixture 40 dB above its noise, and how many were found in all.
fn sixty_back(seed: u64) -> (usize, usize) {
    let truth = sixty(seed);
    let recording = audio(&[noisy(sound(&truth, RATE, 2.0), RATE, 40.0, seed)], RATE);
    let found = extract(&[recording], &Options::default()).unwrap();
    (hits(&truth, &found), found.modes.len())
}

#[test]
fn sixty_modes_with_close_pairs_come_back_at_40_db() {
    let counts: Vec<(usize, usize)> = std::thread::scope(|scope| {
        let runs: Vec<_> = (1..=SEEDS).map(|seed| scope.spawn(move || sixty_back(seed))).collect();
        runs.into_iter().map(|run| run.join().unwrap()).collect()
    });
    println!("right and found of 60, seed after seed: {counts:?}");
    for (seed, (right, found)) in (1..).zip(&counts) {
        assert!(*right >= 57, "seed {seed}: {right} of 60");
        assert!(*found < 75, "seed {seed}: {found} modes");
    }
}

#[test]
fn a_clean_mode_comes_back_to_a_millionth() {
    let truth = [(440.0, 1.2, 0.5, 0.3)];
    let found = extract(&[audio(&[sound(&truth, RATE, 2.0)], RATE)], &Options::default()).unwrap();
    let mode = &found.modes[0];
    assert!((mode.hz / 440.0 - 1.0).abs() < 1e-6 && (mode.t60_s / 1.2 - 1.0).abs() < 1e-6, "{mode:?}");
}

#[test]
fn microphones_share_modes_and_keep_their_signs() {
    let left = [(300.0, 0.8, 0.5, 0.0), (770.0, 0.5, 0.3, 0.0)];
    let right = [(300.0, 0.8, 0.25, 0.0), (770.0, 0.5, 0.3, PI)];
    let channels = [sound(&left, 48_000, 1.0), sound(&right, 48_000, 1.0)];
    let found = extract(&[audio(&channels, 48_000)], &Options::default()).unwrap();
    assert_eq!(found.modes.len(), 2);
    for (mode, ratio) in found.modes.iter().zip([0.5, -1.0]) {
        let measured = mode.amplitudes[1] / mode.amplitudes[0];
        assert!((measured - ratio).norm_sqr().sqrt() < 1e-3, "{mode:?}");
    }
}

#[test]
fn hits_in_one_recording_have_their_own_amplitudes() {
    let hits = [(0.1, [0.5, 0.3]), (0.35, [0.1, -0.2]), (0.42, [0.3, 0.05])];
    let mut recording = vec![0.0; 72_000];
    for (at, strengths) in hits {
        let modes = [(300.0, 0.8, strengths[0], 0.2), (770.0, 0.5, strengths[1], 0.2)];
        let start = (at * 48_000.0) as usize;
        recording[start..].iter_mut().zip(sound(&modes, 48_000, 1.4)).for_each(|(x, y)| *x += y);
    }
    let found = extract(&[audio(&[recording], 48_000)], &Options::default()).unwrap();
    assert_eq!((found.hits.len(), found.modes.len(), found.crowd), (3, 2, None));
    for (hit, (at, _)) in found.hits.iter().zip(hits) {
        assert!((hit.onset as f64 / 48_000.0 - at).abs() < 2e-4, "{:?}", found.hits);
    }
    let low = found.modes.iter().find(|m| (m.hz - 300.0).abs() < 0.1).unwrap();
    for (amplitude, (_, strengths)) in low.amplitudes.iter().zip(hits) {
        let measured = amplitude.norm_sqr().sqrt() / low.amplitudes[0].norm_sqr().sqrt();
        assert!((measured / (strengths[0] / 0.5) - 1.0).abs() < 0.02, "{measured}");
    }
    assert!(found.residual_db < -30.0 && found.distance_db.unwrap() < 0.3, "{found:?}");
    let text = object_toml(&found, "three hits", 1.0);
    assert_eq!(text.matches("[[gesture]]").count(), 3, "{text}");
}

#[test]
fn unusable_recordings_are_refused() {
    let refuse = |samples: Vec<f32>| {
        let audio = Audio { samples, channels: 1, sample_rate: RATE };
        extract(&[audio], &Options::default()).map(|f| (f.modes.len(), f.residual_db)).unwrap_err()
    };
    assert_eq!(extract(&[], &Options::default()).unwrap_err(), ExtractError::Nothing);
    assert_eq!(refuse(vec![]), ExtractError::Silent { hit: 0 });
    assert_eq!(refuse(vec![0.0; 9000]), ExtractError::Silent { hit: 0 });
    assert!(matches!(refuse(vec![0.5]), ExtractError::TooShort { .. }));
    for frames in [4000, 60_000] {
        let mut random = Random(7);
        let noise = (0..frames).map(|_| 0.1 * random.normal() as f32).collect();
        let error = refuse(noise);
        assert!(matches!(error, ExtractError::NoModes { .. }), "{error}");
    }
    let error = refuse(vec![f32::NAN; 9000]);
    assert_eq!(error, ExtractError::Silent { hit: 0 });
}
