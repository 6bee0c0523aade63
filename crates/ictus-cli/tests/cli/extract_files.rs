//! What `extract` reads, what it says of its uncertainty, and what it writes.

use super::common::{TempFolder, json, stderr};
use ictus_analysis::wav::{self, Encoding, Format};
use ictus_analysis::{bands, flac, mono};
use ictus_testkit::Draw;
use serde_json::Value;
use std::f64::consts::TAU;

/// Hz, T60 (s), amplitude.
const BELL: [(f64, f64, f64); 3] = [(523.0, 1.4, 0.3), (1190.0, 0.8, 0.2), (1310.0, 0.5, -0.1)];

/// The bell, struck after a tenth of a second, in noise of this standard deviation; `click` is white noise that fades within milliseconds after the stroke.
fn bell(rate: u32, seconds: f64, noise: f64, click: f64, seed: u64) -> Vec<f32> {
    let mut draw = Draw::new(seed);
    // twelve uniform numbers make a normal one
    let mut normal = || (0..12).map(|_| draw.uniform(-0.5, 0.5)).sum::<f64>();
    (0..(seconds * f64::from(rate)) as usize)
        .map(|n| {
            let t = n as f64 / f64::from(rate) - 0.1;
            let mode = |(hz, t60, a): &(f64, f64, f64)| a * libm::exp(-6.9078 * t / t60) * libm::cos(TAU * hz * t);
            let rings = if t < 0.0 { 0.0 } else { BELL.iter().map(mode).sum::<f64>() };
            let burst = if t < 0.0 { 0.0 } else { click * libm::exp(-t / 0.004) };
            (rings + (noise + burst) * normal()) as f32
        })
        .collect()
}

fn format(sample_rate: u32) -> Format {
    Format { channels: 1, sample_rate, encoding: Encoding::Pcm24 }
}

fn float(place: &TempFolder, name: &str, sample_rate: u32, samples: &[f32]) {
    let format = Format { encoding: Encoding::Float32, ..format(sample_rate) };
    wav::write_file(&place.path(name), format, samples).expect("a WAV file");
}

fn extract(place: &TempFolder, name: &str) -> Value {
    let done = place.run(&["extract", name, "-o", "object.toml", "--json"]);
    assert!(done.status.success(), "{name}: {}", stderr(&done));
    json(&done)
}

/// The found mode nearest to a frequency.
fn nearest(report: &Value, hz: f64) -> &Value {
    let off = |mode: &&Value| (mode["frequency_hz"].as_f64().unwrap_or(f64::INFINITY) - hz).abs();
    let modes = report["modes"].as_array().expect("modes");
    modes.iter().min_by(|a, b| off(a).total_cmp(&off(b))).expect("a mode")
}

fn number(value: &Value, key: &str) -> f64 {
    value[key].as_f64().unwrap_or_else(|| panic!("{key} in {value}"))
}

/// The bell's modes are there, in frequency and decay.
fn assert_bell(name: &str, report: &Value, cents: f64, share: f64) {
    for (hz, t60, _) in BELL {
        let mode = nearest(report, hz);
        let off = 1200.0 * libm::log2(number(mode, "frequency_hz") / hz);
        assert!(off.abs() < cents, "{name}: {hz} Hz is {off} cents off");
        let decay = number(mode, "decay_s") / t60 - 1.0;
        assert!(decay.abs() < share, "{name}: T60 of {hz} Hz is off by {decay}");
    }
}

#[test]
fn flac_is_read_as_the_same_sound_as_wav() {
    let place = TempFolder::new();
    let sound = bell(24_000, 1.2, 0.0, 0.0, 1);
    flac::write_file(&place.path("bell.flac"), format(24_000), &sound).expect("a FLAC file");
    wav::write_file(&place.path("bell.wav"), format(24_000), &sound).expect("a WAV file");
    // the content decides, not the name
    std::fs::copy(place.path("bell.flac"), place.path("misnamed.wav")).expect("a copy");
    let [flac, wav, misnamed] = ["bell.flac", "bell.wav", "misnamed.wav"].map(|name| extract(&place, name));
    assert_bell("FLAC", &flac, 0.01, 1e-3);
    assert_eq!((&flac["modes"], &flac["hits"]), (&wav["modes"], &wav["hits"]));
    assert_eq!(flac["modes"], misnamed["modes"]);
}

/// `bell.ogg` is this bell at 24 kHz for a second, encoded by `oggenc -q 5` (vorbis-tools). What the codec changes is noise 30 to 40 dB below each tone.
#[test]
fn ogg_vorbis_is_read() {
    let place = TempFolder::new();
    std::fs::write(place.path("bell.ogg"), include_bytes!("bell.ogg")).expect("a file");
    let report = extract(&place, "bell.ogg");
    assert_eq!((report["channels"].as_u64(), report["sample_rate"].as_f64()), (Some(1), Some(24_000.0)));
    assert_bell("Ogg Vorbis", &report, 1.0, 0.05);
    let half = &include_bytes!("bell.ogg")[..2000];
    std::fs::write(place.path("torn.ogg"), half).expect("a file");
    let done = place.run(&["extract", "torn.ogg", "-o", "torn.toml"]);
    assert_eq!(done.status.code(), Some(2), "{}", stderr(&done));
}

/// Eight noisy recordings of one bell: its 48 errors of frequency and decay against the standard deviations that the report gives.
#[test]
fn deviations_in_json_are_as_large_as_the_errors() {
    let (mut within, mut squares, mut count) = (0, 0.0, 0);
    for seed in 1..=8 {
        let place = TempFolder::new();
        float(&place, "bell.wav", 16_000, &bell(16_000, 1.2, 0.003, 0.0, 7919 * seed));
        let report = extract(&place, "bell.wav");
        for (hz, t60, _) in BELL {
            let mode = nearest(&report, hz);
            for (key, sd, truth) in [("frequency_hz", "frequency_sd_hz", hz), ("decay_s", "decay_sd_s", t60)] {
                let (error, sd) = (number(mode, key) - truth, number(mode, sd));
                assert!(sd > 0.0 && sd < 0.02 * truth, "{sd} of {truth}");
                within += usize::from(error.abs() < 2.0 * sd);
                squares += error * error / (sd * sd);
                count += 1;
            }
        }
    }
    // 95 % of normal errors lie within two standard deviations: of 48, 41 and more in 99.5 % of all draws
    println!("{within} of {count} within two standard deviations, mean square {}", squares / f64::from(count));
    assert!(within >= 41 && squares / f64::from(count) < 2.0, "{within} of {count}, {squares}");
    // and they are no larger than need be
    assert!(squares / f64::from(count) > 0.4, "{squares} of {count}");
}

fn render(place: &TempFolder, file: &str, extra: &[&str]) -> Vec<f64> {
    let arguments = [&["render", file, "-q", "-s", "1", "--format", "32f", "-o", "a.wav"], extra].concat();
    let done = place.run(&arguments);
    assert!(done.status.success(), "{}", stderr(&done));
    let audio = wav::read_file(&place.path("a.wav")).expect("a WAV file");
    mono(&audio.samples, audio.channels)
}

/// A stroke with a click: the file has the knobs, they start where they change nothing, and their ends are heard.
#[test]
fn knobs_are_written_and_start_neutral() {
    let place = TempFolder::new();
    float(&place, "bell.wav", 24_000, &bell(24_000, 1.2, 0.0, 0.1, 1));
    extract(&place, "bell.wav");
    let text = std::fs::read_to_string(place.path("object.toml")).expect("the file");
    let plain: Vec<&str> = text.split("\n[[control]]").collect();
    let without = plain[0].trim_end_matches(|c| c != '\n');
    place.write("plain.toml", without);
    let (sound, bare) = (render(&place, "object.toml", &[]), render(&place, "plain.toml", &[]));
    let peak = bare.iter().fold(0.0f64, |most, x| most.max(x.abs()));
    let apart = |a: &[f64], b: &[f64]| a.iter().zip(b).fold(0.0f64, |most, (a, b)| most.max((a - b).abs()));
    assert!(peak > 0.1 && apart(&sound, &bare) < 1e-5 * peak, "{} of {peak}", apart(&sound, &bare));
    for knob in ["force", "hardness", "brightness", "damping", "noise"] {
        assert!(text.contains(&format!("id = \"{knob}\"")), "no {knob}:\n{text}");
        for end in ["0", "1"] {
            let turned = render(&place, "object.toml", &["--set", &format!("{knob}={end}")]);
            assert!(apart(&turned, &sound) > 1e-3 * peak, "{knob} = {end} is not heard");
        }
    }
}

/// A click four times as loud as what rings: the file has the level of what rings, not the peak of the click.
#[test]
fn the_file_is_as_loud_as_what_rings() {
    let place = TempFolder::new();
    for (name, click) in [("clean", 0.0), ("click", 0.8)] {
        let recording = bell(24_000, 1.2, 0.0, click, 3);
        float(&place, "bell.wav", 24_000, &recording);
        extract(&place, "bell.wav");
        let recording: Vec<f64> = recording.iter().map(|x| f64::from(*x)).collect();
        let sound = render(&place, "object.toml", &[]);
        let rings = |sound: &[f64], rate: f64| {
            let onset = bands::onset(sound, rate).expect("an onset");
            let from = onset + (0.03 * rate) as usize;
            let to = onset + (0.5 * rate) as usize;
            10.0 * libm::log10(sound[from..to].iter().map(|x| x * x).sum::<f64>() / rate)
        };
        let off = rings(&sound, 48_000.0) - rings(&recording, 24_000.0);
        assert!(off.abs() < 0.3, "{name}: {off} dB");
    }
}
