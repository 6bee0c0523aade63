use super::*;
use ictus_testkit::Draw;
use std::f64::consts::PI;

/// A plucked-string-like tone: harmonics with amplitudes 1/k and T60 falling with the number.
fn plucked(hz: f64, t60: f64, seconds: f64, rate: f64) -> Vec<f32> {
    let count = ((0.45 * rate / hz) as usize).min(20);
    let at = |t: f64| {
        let mode = |k: f64| libm::exp(-6.9078 * t / t60 * (1.0 + 0.1 * k)) * libm::sin(2.0 * PI * k * hz * t + k) / k;
        0.3 * (1..=count).map(|k| mode(k as f64)).sum::<f64>()
    };
    (0..(seconds * rate) as usize).map(|n| at(n as f64 / rate) as f32).collect()
}

#[test]
fn decaying_harmonic_tones_from_c2_to_c6() {
    for rate in [44_100.0, 48_000.0, 96_000.0] {
        for key in (36..=84).step_by(6) {
            let hz = 440.0 * libm::exp2((f64::from(key) - 69.0 + 0.137) / 12.0);
            for t60 in [0.4, 3.0] {
                let got = fundamental(&plucked(hz, t60, 1.0, rate), rate).unwrap();
                let off = cents(hz, got.hz);
                assert!(off.abs() < 0.1, "{hz} Hz at {rate} Hz, T60 {t60} s: off by {off} cents");
                assert!(got.clarity > 0.9, "{hz} Hz: clarity {}", got.clarity);
            }
        }
    }
}

#[test]
fn a_missing_fundamental_and_a_weak_one_are_heard() {
    let rate = 48_000.0;
    for first in [0.0, 0.02] {
        let amplitude = [first, 0.5, 0.4, 0.3, 0.3];
        let tone = |n: usize| {
            let phase = 2.0 * PI * 196.0 * n as f64 / rate;
            amplitude.iter().enumerate().map(|(k, a)| a * libm::sin((k as f64 + 1.0) * phase)).sum()
        };
        let signal: Vec<f64> = (0..48_000).map(tone).collect();
        assert!(cents(196.0, fundamental(&signal, rate).unwrap().hz).abs() < 0.05);
    }
}

#[test]
fn a_tone_that_swells_after_silence_is_found() {
    let rate = 48_000.0;
    let swell = |n: usize| {
        if n < 20_000 { 0.0 } else { (n as f64 - 20_000.0) / 50_000.0 }
    };
    let signal: Vec<f64> = (0..70_000).map(|n| swell(n) * libm::sin(2.0 * PI * 523.25 * n as f64 / rate)).collect();
    let got = fundamental(&signal, rate).unwrap();
    assert!(cents(523.25, got.hz).abs() < 0.5, "{got:?}");
}

#[test]
fn noise_and_silence_have_no_pitch() {
    let mut draw = Draw::new(1);
    let hiss: Vec<f64> = (0..48_000).map(|_| draw.uniform(-0.5, 0.5)).collect();
    assert_eq!(fundamental(&hiss, 48_000.0), None);
    assert_eq!(note(&hiss, 48_000.0), None);
    assert_eq!(note(&[0.0f32; 48_000], 48_000.0), None);
    assert_eq!(fundamental(&[0.0f32; 48_000], 48_000.0), None);
    assert_eq!(fundamental::<f32>(&[], 48_000.0), None);
    assert_eq!(fundamental(&[1.0f32; 5], 48_000.0), None);
}

#[test]
fn the_note_of_a_bar_is_its_first_partial_and_of_a_string_its_fundamental() {
    let rate = 48_000.0;
    let modes = [(440.0, 1.8, 0.5), (1212.9, 0.7, 0.4), (2377.7, 0.3, 0.3)];
    let mode = |t: f64, (hz, t60, a): (f64, f64, f64)| a * libm::exp(-6.9078 * t / t60) * libm::sin(2.0 * PI * hz * t);
    let at = |n: i32| modes.iter().map(|&m| mode(f64::from(n) / rate, m)).sum::<f64>();
    let bar: Vec<f64> = (0..96_000).map(at).collect();
    assert!(cents(440.0, note(&bar, rate).unwrap().hz).abs() < 0.01, "{:?}", note(&bar, rate));
    let string = note(&plucked(98.0, 2.0, 1.0, rate), rate).unwrap();
    assert!(cents(98.0, string.hz).abs() < 0.1 && string.clarity > 0.9, "{string:?}");
    // A bass tone that a small loudspeaker has robbed of its fundamental.
    let robbed = |n: i32| (2..7).map(|k| libm::sin(2.0 * PI * 110.0 * f64::from(k * n) / rate)).sum::<f64>() / 6.0;
    let robbed: Vec<f64> = (0..48_000).map(robbed).collect();
    assert!(cents(110.0, note(&robbed, rate).unwrap().hz).abs() < 0.1);
}

#[test]
fn notes_have_names() {
    assert_eq!(note_name(440.0), "A4");
    assert_eq!(note_name(697.2), "F5 −3 ¢");
    assert_eq!(note_name(261.6256), "C4");
    assert_eq!(note_name(30.868), "B0");
    assert_eq!(note_name(70.1), "C#2 +20 ¢");
    assert_eq!(note_name(8.0), "C-1 −38 ¢");
    assert_eq!(note_name(0.0), "");
    assert_eq!(note_name(f64::NAN), "");
}
