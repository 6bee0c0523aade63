//! How a render ends and is written: FLAC, fades, silence, loudness, one channel, one hit; and what the report says of it.

use crate::common::{GOOD, TempFolder, json, stderr};
use ictus_analysis::{level, wav};
use serde_json::Value;

fn render(place: &TempFolder, file: &str, extra: &[&str]) -> Value {
    let arguments = [&["render", file, "--json", "-o", "a.wav", "--format", "32f"], extra].concat();
    let output = place.run(&arguments);
    assert!(output.status.success(), "{}", stderr(&output));
    json(&output)
}

fn sound(place: &TempFolder, name: &str) -> wav::Audio {
    wav::read_file(&place.path(name)).expect("a WAV")
}

fn end_db(audio: &wav::Audio) -> f64 {
    let last = &audio.samples[audio.samples.len() - audio.channels * audio.sample_rate as usize / 100..];
    20.0 * libm::log10(level::peak(last).max(1e-12) / level::peak(&audio.samples))
}

#[test]
fn the_name_decides_the_kind_of_file() {
    let place = TempFolder::new();
    place.write("good.toml", GOOD);
    let output = place.run(&["render", "good.toml", "-q", "-s", "0.2", "-o", "a.flac", "--stems"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(place.files(), ["a.flac", "a.tap.flac", "good.toml"]);
    for name in ["a.flac", "a.tap.flac"] {
        assert!(std::fs::read(place.path(name)).expect(name).starts_with(b"fLaC"), "{name}");
    }
    for (name, format) in [("a.ogg", "24"), ("a.mp3", "24"), ("sound", "24"), ("b.flac", "32f")] {
        let output = place.run(&["render", "good.toml", "-s", "0.2", "--format", format, "-o", name]);
        let text = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{name}: {text}");
        assert!(text.contains(".wav") && (name == "b.flac" || text.contains(".flac")), "{name}: {text}");
        assert!(!place.path(name).exists(), "{name} was written");
    }
    let output = place.run(&["render", "good.toml", "-q", "-s", "0.2", "-o", "A.WAV"]);
    assert!(output.status.success() && std::fs::read(place.path("A.WAV")).expect("A.WAV").starts_with(b"RIFF"));
}

#[test]
fn a_fade_ends_in_silence_and_leaves_the_rest() {
    let place = TempFolder::new();
    place.write("good.toml", GOOD);
    place.write("fading.toml", GOOD.replace("format = 1\n", "format = 1\nfade_s = \"200 ms\"\n"));
    let plain = render(&place, "good.toml", &["-s", "0.5"]);
    let cut = sound(&place, "a.wav");
    assert!(end_db(&cut) > -40.0 && plain["end_db"].as_f64() > Some(-40.0), "{plain}");
    assert_eq!(plain["fade_s"], 0.0);
    let faded = render(&place, "good.toml", &["-s", "0.5", "--fade", "0.2", "--stems"]);
    let sound_faded = sound(&place, "a.wav");
    assert!(end_db(&sound_faded) < -40.0 && faded["end_db"].as_f64() < Some(-40.0), "{faded}");
    assert_eq!(sound_faded.samples[..2 * 14_400], cut.samples[..2 * 14_400], "unchanged before the fade");
    assert!((end_db(&sound(&place, "a.tap.wav")) - end_db(&sound_faded)).abs() < 0.5, "the stem fades too");
    let own = render(&place, "fading.toml", &["-s", "0.5"]);
    assert_eq!((&own["sha256"], &own["fade_s"]), (&faded["sha256"], &Value::from(0.2)));
    assert_eq!(render(&place, "fading.toml", &["-s", "0.5", "--fade", "0"])["sha256"], plain["sha256"]);
    assert_eq!(render(&place, "good.toml", &["-s", "2", "--fade"])["fade_s"], 0.5);
}

#[test]
fn until_silent_ends_where_the_sound_does() {
    let place = TempFolder::new();
    place.write("good.toml", GOOD);
    let short = render(&place, "good.toml", &["--until-silent", "30"]);
    let long = render(&place, "good.toml", &["--until-silent"]);
    let (short, long) = (short["seconds"].as_f64().expect("a length"), long["seconds"].as_f64().expect("a length"));
    // the lowest mode falls by 60 dB in 1.8 s
    assert!(short > 0.3 && short < 1.1 && long > 1.4 && long < 2.2, "{short} s to −30 dB, {long} s to −60 dB");
    assert!(end_db(&sound(&place, "a.wav")) < -55.0);
    assert_eq!(sound(&place, "a.wav").samples.len(), 2 * (long * 48_000.0).round() as usize);
    let output = place.run(&["render", "good.toml", "-o", "a.wav", "-s", "0.5", "--until-silent"]);
    assert!(output.status.success() && stderr(&output).contains("not silent"), "{}", stderr(&output));
    // repeated strokes with seconds of silence between them are all waited for
    let repeated = "velocity_m_s = 1.5, position_m = 0 }\nrepeat = { times = 2, every_s = 3.5 }";
    place.write("twice.toml", GOOD.replace("velocity_m_s = 1.5 }", repeated));
    assert!(render(&place, "twice.toml", &["--until-silent", "40"])["seconds"].as_f64() > Some(4.0));
    assert!(render(&place, "twice.toml", &["--until-silent", "40", "--hit"])["seconds"].as_f64() < Some(2.0));
    let piped = place.run(&["render", "good.toml", "-q", "-o", "-", "--until-silent"]);
    assert!(
        piped.status.success() && wav::read(piped.stdout.as_slice()).is_ok_and(|audio| audio.samples.len() > 100_000)
    );
}

#[test]
fn normalise_and_mono_do_what_they_say_and_the_report_follows() {
    let place = TempFolder::new();
    place.write("good.toml", GOOD);
    let loud = render(&place, "good.toml", &["-s", "1", "--normalise", "-23", "--mono", "--stems"]);
    let written = sound(&place, "a.wav");
    assert_eq!((written.channels, &loud["channels"]), (1, &Value::from(1)));
    let lufs = level::loudness_lufs(&written.samples, 1, 48_000.0).expect("a loudness");
    assert!(
        (lufs + 23.0).abs() < 0.05 && (loud["lufs"].as_f64().expect("a number") + 23.0).abs() < 0.05,
        "{lufs}: {loud}"
    );
    let stem = level::peak(&sound(&place, "a.tap.wav").samples);
    let plain = render(&place, "good.toml", &["-s", "1", "--stems"]);
    let gain = stem / level::peak(&sound(&place, "a.tap.wav").samples);
    assert!(
        (20.0 * libm::log10(gain) - loud["gain_db"].as_f64().expect("a gain")).abs() < 0.01,
        "the stem has the same gain"
    );
    assert_eq!(plain["gain_db"], 0.0);
    for arguments in [["--normalise", "12"], ["--fade", "-1"], ["--until-silent", "0"]] {
        let output = place.run(&["render", "good.toml", "-s", "0.1", "-o", "b.wav", arguments[0], arguments[1]]);
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        assert!(stderr(&output).contains(arguments[0]), "{}", stderr(&output));
    }
}

#[test]
fn a_mallet_that_flies_away_moves_and_does_not_ring() {
    let place = TempFolder::new();
    place.write("good.toml", GOOD);
    let output = place.run(&["render", "good.toml", "-s", "4", "-o", "a.wav"]);
    assert!(stderr(&output).contains("+ moving"), "{}", stderr(&output));
    let report = render(&place, "good.toml", &["-s", "4"]);
    let number = |key: &str| report["energy"][key].as_f64().unwrap_or(f64::NAN);
    // the mallet got 22.5 mJ and keeps most of it; after 4 s a bar that falls by 60 dB in 1.8 s has a 10⁻¹³th of its own
    assert!(number("moving_j") > 1e-4 && number("ringing_j").abs() < 1e-9, "{report}");
    assert_eq!(report["energy"]["closes"], true);
    assert_eq!(report["pitch"]["note"].as_str().map(|name| &name[..2]), Some("A4"), "{report}");
}

#[test]
fn a_ledger_that_does_not_close_is_a_warning_and_exit_code_1() {
    let place = TempFolder::new();
    place.write("good.toml", GOOD);
    let absurd = ["--set", "mallet.damping_n_s_m=1e300"];
    let output = place.run(&[&["render", "good.toml", "-s", "0.1", "-o", "a.wav"], &absurd[..]].concat());
    let text = stderr(&output);
    assert!(text.contains("mallet.damping_n_s_m") && text.contains("beyond physical reason"), "{text}");
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("does not close"), "{text}");
    let report = place.run(&[&["render", "good.toml", "-s", "0.1", "-o", "a.wav", "--json"], &absurd[..]].concat());
    assert_eq!((report.status.code(), &json(&report)["energy"]["closes"]), (Some(1), &Value::from(false)));
}

/// Bows and fingers that hardly press: plausible numbers, so nothing is said when the file is read, but friction turns over far more energy than is ever stored.
#[test]
fn open_ledgers_that_no_warning_foretold_are_told() {
    let place = TempFolder::new();
    for (preset, number) in [
        ("cello-bow", "bow.normal_n=1e-12"),
        ("violin-bow", "bow.normal_n=1e-9"),
        ("glass-finger", "finger.normal_n=1e-9"),
        ("musical-saw", "bow.normal_n=1e-9"),
        ("door-hinge", "hinge.normal_n=1e-9"),
    ] {
        let output = place.run(&["render", preset, "--set", number, "-s", "0.1", "-o", "a.wav", "--json"]);
        let (text, report) = (stderr(&output), json(&output));
        assert!(!text.contains("beyond physical reason\n"), "{preset} {number} is warned about at load: {text}");
        assert_eq!(
            (output.status.code(), &report["energy"]["closes"]),
            (Some(1), &Value::from(false)),
            "{preset}: {text}"
        );
        let output = place.run(&["render", preset, "--set", number, "-s", "0.1", "-o", "a.wav"]);
        assert_eq!(output.status.code(), Some(1), "{preset}");
        assert!(
            stderr(&output).contains("the energy ledger does not close within 1e-9"),
            "{preset}: {}",
            stderr(&output)
        );
    }
}

/// What a listener says, of presets: struck things have a strike note, phrases have several.
#[test]
fn pitches_are_those_a_listener_names() {
    let place = TempFolder::new();
    for (preset, note) in [("wine-glass", "A5"), ("hand-bell", "C5"), ("church-bell", "A3"), ("struck-bar", "A4")] {
        let report = render(&place, preset, &[]);
        let name = report["pitch"]["note"].as_str().unwrap_or_default();
        assert!(name.starts_with(note), "{preset}: {}", report["pitch"]);
    }
    let timpani = render(&place, "timpani", &[]);
    let cents = timpani["pitch_hz"].as_f64().map(|hz| 1200.0 * libm::log2(hz / 110.0));
    assert!(cents.is_some_and(|cents| cents.abs() < 5.0), "not A2: {}", timpani["pitch"]);
    assert_eq!(timpani["pitch"]["kind"], "strike note");
    for plate in ["gong", "cymbal"] {
        let report = render(&place, plate, &[]);
        let said = (&report["pitch"]["reason"], &report["pitch_hz"]);
        assert_eq!(said, (&Value::from("no single pitch"), &Value::Null), "{plate}");
    }
    let phrase = render(&place, "harp-bray", &[]);
    assert_eq!((&phrase["pitch"]["reason"], &phrase["pitch_hz"]), (&Value::from("several notes"), &Value::Null));
}
