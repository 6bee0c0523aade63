//! Modes from recordings.

use super::common::{TempFolder, json, stderr};
use ictus_analysis::wav::{self, Encoding, Format};
use ictus_testkit::Draw;
use std::f64::consts::TAU;

/// Writes samples as a float WAV.
fn record(place: &TempFolder, name: &str, channels: u16, sample_rate: u32, samples: &[f32]) {
    let format = Format { channels, sample_rate, encoding: Encoding::Float32 };
    wav::write_file(&place.path(name), format, samples).expect("a WAV file");
}

/// Three modes, struck after a tenth of a second.
fn bell(sample_rate: u32, seconds: f64, gain: f64) -> Vec<f32> {
    let modes = [(523.0, 1.4, 0.3), (1190.0, 0.8, 0.2), (1310.0, 0.5, -0.1)];
    (0..(seconds * f64::from(sample_rate)) as usize)
        .map(|n| {
            let t = n as f64 / f64::from(sample_rate) - 0.1;
            let mode = |(hz, t60, a): &(f64, f64, f64)| a * libm::exp(-6.9078 * t / t60) * libm::cos(TAU * hz * t);
            if t < 0.0 { 0.0 } else { (gain * modes.iter().map(mode).sum::<f64>()).clamp(-1.0, 1.0) as f32 }
        })
        .collect()
}

#[test]
fn a_recording_becomes_an_instrument_that_sounds_like_it() {
    let place = TempFolder::new();
    record(&place, "bell.wav", 1, 48_000, &bell(48_000, 1.2, 1.0));
    let done = place.run(&["extract", "bell.wav", "-o", "object.toml", "--resynthesis", "again.wav", "--json"]);
    assert!(done.status.success(), "{}", stderr(&done));
    let report = json(&done);
    assert_eq!(report["modes"].as_array().unwrap().len(), 3, "{report}");
    assert!(report["residual_db"].as_f64().unwrap() < -60.0, "{report}");
    assert_eq!(place.files(), ["again.wav", "bell.wav", "object.toml"]);
    let again = wav::read_file(&place.path("again.wav")).unwrap();
    let top = |samples: &[f32]| samples.iter().fold(0.0, |m: f32, x| m.max(x.abs()));
    let peak = top(&bell(48_000, 1.2, 1.0));
    assert!((top(&again.samples) - peak).abs() < 1e-3 * peak, "{peak}");

    let done = place.run(&["render", "object.toml", "-o", "object.wav", "-s", "1", "--json"]);
    assert!(done.status.success(), "{}", stderr(&done));
    let report = json(&done);
    let recorded = 20.0 * libm::log10(f64::from(peak));
    assert!((report["peak_dbfs"].as_f64().unwrap() - recorded).abs() < 0.5, "{report}");
    // the render begins at the stroke and has the recording's modes, each at its level and in its phase
    let render = ictus_analysis::mono(&wav::read_file(&place.path("object.wav")).unwrap().samples, 2);
    let original: Vec<f64> = bell(48_000, 1.1, 1.0)[4800..].iter().map(|&x| f64::from(x)).collect();
    let distance = ictus_analysis::extract::log_spectral_distance(&original, &render, 48_000.0).unwrap();
    assert!(distance < 1.0, "{distance} dB");
}

#[test]
fn the_render_of_a_preset_is_resynthesised_within_a_decibel() {
    let place = TempFolder::new();
    let done = place.run(&["render", "struck-bar", "-s", "2", "-o", "bar.wav", "-q"]);
    assert!(done.status.success(), "{}", stderr(&done));
    let done = place.run(&["extract", "bar.wav", "-o", "object.toml", "--json"]);
    assert!(done.status.success(), "{}", stderr(&done));
    let report = json(&done);
    assert!(report["distance_db"].as_f64().unwrap() < 1.0, "{report}");
    let nearest = |hz: f64| {
        let modes = report["modes"].as_array().unwrap();
        modes.iter().map(|m| (m["frequency_hz"].as_f64().unwrap() - hz).abs()).fold(f64::INFINITY, f64::min)
    };
    for hz in [1040.0, 1760.0, 4400.0] {
        assert!(nearest(hz) < 0.5, "{hz} Hz: {}", nearest(hz));
    }
    let done = place.run(&["check", "object.toml"]);
    assert!(done.status.success(), "{}", stderr(&done));
}

/// The bell struck at several moments (s, strength).
fn struck(hits: &[(f64, f32)], seconds: f64) -> Vec<f32> {
    let one = &bell(48_000, seconds + 0.1, 1.0)[4800..];
    let mut all = vec![0.0; (seconds * 48_000.0) as usize];
    for (at_s, strength) in hits {
        all[(at_s * 48_000.0) as usize..].iter_mut().zip(one).for_each(|(x, y)| *x += strength * y);
    }
    all
}

#[test]
fn hits_in_a_row_become_gestures() {
    let place = TempFolder::new();
    let hits = [(0.1, 1.0), (0.4, 0.3), (0.55, 0.6)];
    record(&place, "row.wav", 1, 48_000, &struck(&hits, 1.2));
    let done = place.run(&["extract", "row.wav", "-o", "object.toml", "--json"]);
    assert!(done.status.success(), "{}", stderr(&done));
    let report = json(&done);
    let found = report["hits"].as_array().unwrap();
    assert_eq!((found.len(), report["modes"].as_array().unwrap().len()), (3, 3), "{report}");
    for (hit, (at_s, strength)) in found.iter().zip(hits) {
        assert!((hit["onset_s"].as_f64().unwrap() - at_s).abs() < 1e-3, "{hit}");
        let level = 20.0 * libm::log10(f64::from(strength));
        assert!((hit["level_db"].as_f64().unwrap() - level).abs() < 0.5, "{hit}");
    }
    let done = place.run(&["render", "object.toml", "-o", "object.wav", "-s", "1.1", "-q"]);
    assert!(done.status.success(), "{}", stderr(&done));
    let render = ictus_analysis::mono(&wav::read_file(&place.path("object.wav")).unwrap().samples, 2);
    let original: Vec<f64> = struck(&hits, 1.2)[4800..].iter().map(|&x| f64::from(x)).collect();
    let distance = ictus_analysis::extract::log_spectral_distance(&original, &render, 48_000.0).unwrap();
    assert!(distance < 1.0, "{distance} dB");
    let done = place.run(&["extract", "row.wav", "-o", "object.toml"]);
    assert!(stderr(&done).contains("3 hits") && stderr(&done).contains("hit at s"), "{}", stderr(&done));
}

#[test]
fn what_rattles_is_used_with_a_warning() {
    let place = TempFolder::new();
    let mut draw = Draw::new(1);
    let hits: Vec<(f64, f32)> =
        (0..110).map(|k| (0.01 + 0.013 * f64::from(k), draw.uniform(-0.5, 0.5) as f32)).collect();
    record(&place, "rattle.wav", 1, 48_000, &struck(&hits, 1.5));
    let done = place.run(&["extract", "rattle.wav", "-o", "rattle.toml"]);
    assert!(done.status.success(), "{}", stderr(&done));
    assert!(stderr(&done).contains("not a struck sound that rings"), "{}", stderr(&done));
}

#[test]
fn several_strokes_in_stereo_share_their_modes() {
    let place = TempFolder::new();
    let stereo = |left: f32, right: f32| -> Vec<f32> {
        bell(24_000, 0.8, 1.0).iter().flat_map(|x| [left * x, right * x]).collect()
    };
    record(&place, "one.wav", 2, 24_000, &stereo(1.0, -0.5));
    record(&place, "two.wav", 2, 24_000, &stereo(0.6, -0.3));
    let done = place.run(&["extract", "one.wav", "two.wav", "-o", "object.toml", "-q"]);
    assert!(done.status.success(), "{}", stderr(&done));
    assert_eq!(stderr(&done), "");
    let text = std::fs::read_to_string(place.path("object.toml")).unwrap();
    assert!(text.contains("strike2 = ") && text.contains("mic2 = "), "{text}");
    let done = place.run(&["check", "object.toml"]);
    assert!(done.status.success(), "{}", stderr(&done));
}

#[test]
fn unusable_recordings_are_refused_with_a_way_out() {
    let place = TempFolder::new();
    let mut draw = Draw::new(1);
    let noise: Vec<f32> = (0..20_000).map(|_| draw.uniform(-0.5, 0.5) as f32).collect();
    record(&place, "noise.wav", 1, 44_100, &noise);
    record(&place, "silence.wav", 1, 44_100, &[0.0; 5000]);
    record(&place, "sample.wav", 1, 44_100, &[0.5]);
    record(&place, "empty.wav", 2, 44_100, &[]);
    place.write("text.wav", "not a sound");
    let cases = [
        ("noise.wav", "no ringing modes"),
        ("silence.wav", "silent"),
        ("sample.wav", "ms of sound after the onset"),
        ("empty.wav", "silent"),
        ("text.wav", "recordings are WAV"),
        ("missing.wav", "cannot read missing.wav"),
    ];
    for (name, message) in cases {
        let done = place.run(&["extract", name, "-o", "object.toml"]);
        let said = stderr(&done);
        assert_eq!(done.status.code(), Some(2), "{name}: {said}");
        assert!(said.contains(message) && said.contains("help:"), "{name}: {said}");
    }
    assert!(!place.files().contains(&"object.toml".to_owned()));
}

#[test]
fn clipped_and_telephone_recordings_are_used_with_a_word() {
    let place = TempFolder::new();
    record(&place, "loud.wav", 1, 24_000, &bell(24_000, 0.8, 5.0));
    let done = place.run(&["extract", "loud.wav", "-o", "loud.toml"]);
    assert!(done.status.success() && stderr(&done).contains("look clipped"), "{}", stderr(&done));
    record(&place, "phone.wav", 1, 8_000, &bell(8_000, 1.2, 1.0));
    let done = place.run(&["extract", "phone.wav", "-o", "phone.toml"]);
    assert!(done.status.success() && stderr(&done).contains("3 modes"), "{}", stderr(&done));
}

#[test]
fn limits_that_leave_nothing_are_refused() {
    let place = TempFolder::new();
    record(&place, "bell.wav", 1, 24_000, &bell(24_000, 0.5, 1.0));
    for limits in [["--min-hz", "20000"], ["--seconds", "-1"], ["--max-hz", "10"], ["--seconds", "nan"]] {
        let done = place.run(&["extract", "bell.wav", "-o", "bell.toml", limits[0], limits[1]]);
        assert_eq!(done.status.code(), Some(2), "{limits:?}: {}", stderr(&done));
    }
    let done = place.run(&["extract", "bell.wav", "-o", "bell.wav"]);
    assert_eq!(done.status.code(), Some(2));
}
