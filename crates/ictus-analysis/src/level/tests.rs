use super::*;

fn sine(hz: f64, amplitude: f64, seconds: f64, rate: f64) -> Vec<f32> {
    let n = (seconds * rate) as usize;
    (0..n).map(|i| (amplitude * libm::sin(2.0 * PI * hz * i as f64 / rate)) as f32).collect()
}

fn stereo(left: &[f32], right: &[f32]) -> Vec<f32> {
    left.iter().zip(right).flat_map(|(&l, &r)| [l, r]).collect()
}

#[test]
fn a_full_scale_sine_has_rms_3_db_below_peak() {
    let s = sine(1000.0, 1.0, 1.0, 48_000.0);
    assert!(peak_dbfs(&s).unwrap().abs() < 1e-6);
    assert!((rms_dbfs(&s).unwrap() + 3.0103).abs() < 1e-4);
}

#[test]
fn silence_has_no_level() {
    let levels = Levels::of(&[0.0f32; 96_000], 2, 48_000.0);
    assert_eq!(levels, Levels { peak_dbfs: None, rms_dbfs: None, loudness_lufs: None, finite: true });
    assert_eq!(peak_dbfs::<f32>(&[]), None);
    assert_eq!(loudness_lufs::<f32>(&[], 1, 48_000.0), None);
}

#[test]
fn a_bad_sample_is_reported_and_does_not_spoil_the_level() {
    let mut s = sine(997.0, 0.5, 1.0, 48_000.0);
    s[100] = f32::NAN;
    s[200] = f32::INFINITY;
    let levels = Levels::of(&s, 1, 48_000.0);
    assert!(!levels.finite);
    assert!((levels.peak_dbfs.unwrap() + 6.0206).abs() < 1e-3);
    assert!(levels.loudness_lufs.unwrap().is_finite());
}

#[test]
fn loudness_of_the_997_hz_reference_at_every_rate() {
    for rate in [22_050.0, 44_100.0, 48_000.0, 88_200.0, 96_000.0, 192_000.0] {
        let s = sine(997.0, 1.0, 5.0, rate);
        let quiet = vec![0.0f32; s.len()];
        let mono = loudness_lufs(&s, 1, rate).unwrap();
        let one_side = loudness_lufs(&stereo(&s, &quiet), 2, rate).unwrap();
        let both = loudness_lufs(&stereo(&s, &s), 2, rate).unwrap();
        // BS.1770-4: −3.01 LKFS. The meters' tolerance is 0.1 dB.
        assert!((mono + 3.01).abs() < 0.03, "{rate} Hz: {mono}");
        assert!((one_side - mono).abs() < 1e-9);
        assert!((both - mono - 3.0103).abs() < 1e-3);
    }
}

#[test]
fn pauses_do_not_count() {
    let rate = 48_000.0;
    let loud = sine(997.0, 0.1, 4.0, rate);
    let mut with_pause = loud.clone();
    with_pause.extend(sine(997.0, 0.001, 20.0, rate));
    let (a, b) = (loudness_lufs(&loud, 1, rate).unwrap(), loudness_lufs(&with_pause, 1, rate).unwrap());
    // The blocks that straddle the edge still count, hence not exactly the same.
    assert!((a - b).abs() < 0.3, "{a} and {b}");
    assert!((a + 23.01).abs() < 0.02);
}

#[test]
fn a_short_sound_has_a_loudness() {
    let rate = 48_000.0;
    let quarter = loudness_lufs(&sine(997.0, 1.0, 0.1, rate), 1, rate).unwrap();
    // A quarter of the block is filled: 6.02 dB below the steady tone.
    assert!((quarter + 3.01 + 6.02).abs() < 0.1, "{quarter}");
}
