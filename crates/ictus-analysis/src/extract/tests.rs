use super::random::Random;
use super::*;
use std::f64::consts::PI;

const RATE: u32 = 44_100;
/// Mixtures of 60 modes.
const SEEDS: u64 = 6;

fn between(random: &mut Random, low: f64, high: f64) -> f64 {
    low + (high - low) * random.uniform()
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
        let t60 = if pair { between(&mut random, 0.8, 3.0) } else { between(&mut random, 0.3, 3.0) };
        let mut add = |hz: f64, t60: f64| {
            let amplitude = libm::pow(10.0, between(&mut random, -1.0, 0.0));
            truth.push((hz, t60, amplitude, between(&mut random, -PI, PI)));
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
    assert_eq!(text.matches("id = \"hit").count(), 3, "{text}");
}

/// A bell of three modes that starts with a click of white noise.
fn noisy_bell(noise: f64) -> Vec<f64> {
    let mut sound = sound(&[(520.0, 1.5, 0.5, 0.1), (1430.0, 0.9, 0.3, -0.4), (2810.0, 0.6, 0.2, 0.9)], RATE, 1.5);
    let mut random = Random(3);
    let fade = |n: usize| libm::exp(-(n as f64) / (0.008 * f64::from(RATE)));
    sound.iter_mut().enumerate().for_each(|(n, x)| *x += noise * fade(n) * random.normal());
    [vec![0.0; 4000], sound].concat()
}

#[test]
fn noise_of_a_hit_is_told_from_what_rings() {
    let clean = extract(&[audio(&[noisy_bell(0.0)], RATE)], &Options::default()).unwrap();
    assert!(clean.noise_db().is_none_or(|db| db < -40.0), "{:?}", clean.noise_db());
    let recording = audio(&[noisy_bell(0.3)], RATE);
    let found = extract(&[recording], &Options::default()).unwrap();
    assert!(found.modes.len() < 20, "{} modes", found.modes.len());
    for hz in [520.0, 1430.0, 2810.0] {
        let near = |m: &Mode| (m.hz / hz - 1.0).abs() < 1e-4;
        assert!(found.modes.iter().take(3).any(near), "{hz} Hz is not among the strongest");
    }
    let noise = found.hits[0].noise.as_ref().unwrap();
    assert!(noise.level_db > -20.0 && noise.bands.len() > 8, "{} dB", noise.level_db);
    assert!(found.distance_db.unwrap() < 2.5, "{:?}", found.distance_db);
}

#[test]
fn offset_and_rumble_below_the_band_make_no_modes() {
    let mut recording = noisy_bell(0.0);
    let rumble = |n: usize| 0.2 + 0.1 * libm::sin(TAU * 12.0 * n as f64 / f64::from(RATE));
    recording.iter_mut().enumerate().skip(3990).for_each(|(n, x)| *x += rumble(n));
    let options = Options { min_hz: 100.0, ..Options::default() };
    let found = extract(&[audio(&[recording], RATE)], &options).unwrap();
    assert!(found.modes.iter().all(|m| m.hz >= 100.0 && m.hz <= 20_000.0 && m.t60_s > 0.0), "{:?}", found.modes);
    assert!(found.modes.iter().take(3).any(|m| (m.hz - 520.0).abs() < 0.1), "{:?}", found.modes);
}

#[test]
fn a_recording_that_is_cut_off_keeps_its_decay() {
    let mut recording = noisy_bell(0.0);
    recording.truncate(20_000);
    recording.resize(120_000, 0.0);
    let found = extract(&[audio(&[recording], RATE)], &Options::default()).unwrap();
    let low = found.modes.iter().find(|m| (m.hz - 520.0).abs() < 0.1).unwrap();
    assert!((low.t60_s / 1.5 - 1.0).abs() < 0.01, "{low:?}");
}

#[test]
fn odd_recordings_end_in_an_error_or_in_something_finite() {
    let mut random = Random(9);
    let mut click = vec![0.0; 9000];
    click[3000] = 1.0;
    let mut not_numbers = noisy_bell(0.1);
    not_numbers[5000] = f64::NAN;
    let step = vec![1.0; 9000];
    let square: Vec<f64> = (0..9000).map(|n| if n / 50 % 2 == 0 { 1.0 } else { -1.0 }).collect();
    let noise: Vec<f64> = (0..9000).map(|_| random.normal()).collect();
    let eight: Vec<Vec<f64>> = (0..8).map(|c| noisy_bell(0.02).iter().map(|x| x * f64::from(c)).collect()).collect();
    let single = |x: Vec<f64>| vec![x];
    for channels in [single(click), single(not_numbers), single(step), single(square), single(noise), eight] {
        for rate in [8000, 192_000] {
            if let Ok(found) = extract(&[audio(&channels, rate)], &Options { max_modes: 30, ..Options::default() }) {
                assert!(found.modes.iter().all(|m| m.hz.is_finite() && m.t60_s.is_finite() && m.t60_s > 0.0));
                let text = object_toml(&found, "odd", 1.0);
                assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
            }
        }
    }
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
