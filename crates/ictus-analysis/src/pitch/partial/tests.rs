use super::*;
use crate::pitch::cents;

/// Damped cosines: (Hz, T60 in seconds, amplitude).
fn ringing(parts: &[(f64, f64, f64)], seconds: f64, rate: f64) -> Vec<f64> {
    let at = |t: f64| {
        let one = |&(hz, t60, a): &(f64, f64, f64)| a * libm::exp(-3.0 * LN_10 * t / t60) * libm::cos(TAU * hz * t);
        parts.iter().map(one).sum()
    };
    (0..(seconds * rate) as usize).map(|n| at(n as f64 / rate)).collect()
}

#[test]
fn a_lone_mode_is_exact() {
    for rate in [44_100.0, 48_000.0, 96_000.0] {
        for (hz, t60) in [(41.2, 3.0), (65.4, 1.0), (440.0, 0.05), (440.0, 20.0), (1046.5, 0.3), (9999.9, 0.1)] {
            let found = partial(&ringing(&[(hz, t60, 0.7)], 2.0, rate), rate, 1.01 * hz).unwrap();
            let off = cents(hz, found.hz);
            assert!(off.abs() < 1e-3, "{hz} Hz, T60 {t60} s at {rate} Hz: off by {off} cents");
            let t = found.t60_s().unwrap();
            assert!((t / t60 - 1.0).abs() < 1e-4, "{hz} Hz: T60 {t} s instead of {t60} s");
            assert!((found.amplitude / 0.7 - 1.0).abs() < 1e-3, "{found:?}");
        }
    }
}

#[test]
fn single_precision_is_good_enough() {
    let signal: Vec<f32> = ringing(&[(440.0, 2.0, 0.5)], 2.0, 48_000.0).iter().map(|&x| x as f32).collect();
    assert!(cents(440.0, partial(&signal, 48_000.0, 441.0).unwrap().hz).abs() < 1e-3);
}

#[test]
fn other_partials_do_not_disturb() {
    let rate = 48_000.0;
    let modes = [(440.0, 1.8, 0.1), (455.0, 2.5, 1.0), (1212.9, 0.7, 1.0), (2377.7, 0.3, 0.5), (3929.0, 0.1, 0.3)];
    let signal = ringing(&modes, 3.0, rate);
    for (hz, t60, amplitude) in modes {
        let found = partial(&signal, rate, hz + 1.0).unwrap();
        assert!(cents(hz, found.hz).abs() < 0.01, "{hz} Hz: {found:?}");
        assert!((found.t60_s().unwrap() / t60 - 1.0).abs() < 1e-3, "{hz} Hz: {found:?}");
        assert!((found.amplitude / amplitude - 1.0).abs() < 0.01, "{hz} Hz: {found:?}");
    }
}

#[test]
fn a_steady_tone_does_not_decay() {
    let found = partial(&ringing(&[(300.0, 1e12, 1.0)], 1.0, 48_000.0), 48_000.0, 301.0).unwrap();
    assert!(found.decay_rate.abs() < 1e-4);
    assert!(cents(300.0, found.hz).abs() < 1e-3);
}

#[test]
fn nothing_is_found_where_nothing_is() {
    let signal = ringing(&[(440.0, 1.0, 1.0)], 2.0, 48_000.0);
    assert_eq!(partial(&signal, 48_000.0, 3000.0), None);
    assert_eq!(partial(&signal, 48_000.0, -1.0), None);
    assert_eq!(partial(&signal, 48_000.0, 30_000.0), None);
    assert_eq!(partial(&[0.0f32; 48_000], 48_000.0, 440.0), None);
    assert_eq!(partial::<f32>(&[], 48_000.0, 440.0), None);
    assert_eq!(strongest(&[0.0f32; 48_000], 48_000.0), None);
}

#[test]
fn the_strongest_partial_of_a_bar_is_its_note() {
    let modes = [(440.0, 1.8, 1.0), (1212.9, 0.7, 0.6), (2377.7, 0.3, 0.4)];
    let found = strongest(&ringing(&modes, 2.0, 48_000.0), 48_000.0).unwrap();
    assert!(cents(440.0, found.hz).abs() < 0.001, "{found:?}");
}
