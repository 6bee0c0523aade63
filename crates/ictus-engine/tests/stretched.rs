//! Stretched strings and sheets and adherences, from the file to the sound.

use ictus_analysis::{Window, mono, pitch::cents, spectrum::Spectrum};
use ictus_engine::{Patch, Player};
use ictus_instrument::load;
use std::ops::Range;

const RATE: u32 = 48_000;

const STRING: &str = r#"
format = 1
[[resonator]]
kind = "string"
id = "string"
length_m = 0.86
density_kg_m = 8e-3
frequency_hz = 82.4
decay = [[80, 4.0], [3000, 0.8]]
axial_stiffness_n = 6e4
ports = { pluck = 0.5, ear = 0.11, finger = 0.72 }
MODES
MORE
[[gesture]]
id = "thumb"
pluck = { what = "string.pluck", displacement_m = 0.012, shape = "sine" }
[[tap]]
from = "string.ear"
"#;

struct Take {
    samples: Vec<f64>,
    residual: f64,
    overstretched: u64,
}

fn render(text: &str, seconds: f64) -> Take {
    let loaded = load("test.toml", text, &[]).unwrap_or_else(|error| panic!("{error}"));
    let patch = Patch::compile(&loaded, RATE).unwrap_or_else(|error| panic!("{error}"));
    let mut player = Player::new(&patch);
    let mut frames = vec![[0.0f32; 2]; (seconds * f64::from(RATE)) as usize];
    player.render(&mut frames);
    let state = player.state();
    Take {
        samples: mono(frames.as_flattened(), 2),
        residual: state.ledger.max_residual_rel(),
        overstretched: state.counts.overstretched,
    }
}

/// Message and help.
fn refused(text: &str) -> String {
    let error = match load("test.toml", text, &[]) {
        Err(error) => error,
        Ok(loaded) => Patch::compile(&loaded, RATE).expect_err("it is refused"),
    };
    format!("{error}; {}", error.help_text().unwrap_or(""))
}

impl Take {
    /// Strongest partial between `low` and `high`, Hz.
    fn hz(&self, seconds: Range<f64>, low: f64, high: f64) -> f64 {
        let at = |s: f64| (s * f64::from(RATE)) as usize;
        let spectrum = Spectrum::of(&self.samples[at(seconds.start)..at(seconds.end)], f64::from(RATE), Window::Hann);
        let peaks = spectrum.peaks(-300.0, 400);
        let within = peaks.iter().filter(|peak| (low..high).contains(&peak.hz));
        within.max_by(|a, b| a.db.total_cmp(&b.db)).map_or(f64::NAN, |peak| peak.hz)
    }
}

fn string(modes: &str, more: &str) -> String {
    STRING.replace("MODES", modes).replace("MORE", more)
}

#[test]
fn a_hard_pluck_glides_down_on_grid_and_modes() {
    let mut starts = Vec::new();
    for modes in ["modes = 60", ""] {
        let take = render(&string(modes, ""), 3.0);
        let (start, end) = (take.hz(0.02..0.25, 70.0, 120.0), take.hz(2.7..3.0, 70.0, 120.0));
        println!("{modes:?}: {start:.2} Hz falls to {end:.2} Hz, residual {:.1e}", take.residual);
        assert!(cents(end, start) > 50.0, "{start} to {end} Hz");
        assert!(cents(82.4, end).abs() < 12.0, "{end} Hz");
        assert!(take.residual < 1e-11 && take.overstretched == 0);
        starts.push(start);
    }
    assert!(cents(starts[0], starts[1]).abs() < 5.0, "{starts:?}");
}

#[test]
fn a_slide_sets_the_pitch_while_it_is_down() {
    let slide = "[[interaction]]\nkind = \"adhere\"\nid = \"slide\"\nbetween = [\"string.finger\", \"wall\"]\n\
                 position = [[0, 0.6667], [1.5, 0.6667], [1.6, 0.5]]\nweight = [[0.5, 0], [0.51, 1]]\nheight_m = 0";
    for modes in ["modes = 60", ""] {
        let text = string(modes, slide).replace("axial_stiffness_n = 6e4", "axial_stiffness_n = 1e3");
        let take = render(&text, 3.0);
        let found = [take.hz(0.1..0.5, 70.0, 200.0), take.hz(0.8..1.4, 70.0, 200.0), take.hz(2.0..2.8, 70.0, 200.0)];
        println!("{modes:?}: {found:?} Hz, residual {:.1e}", take.residual);
        for (hz, expected) in found.into_iter().zip([82.4, 82.4 / 0.6667, 82.4 / 0.5]) {
            assert!(cents(expected, hz).abs() < 35.0, "{hz} Hz instead of {expected}");
        }
        assert!(take.residual < 1e-11);
    }
}

#[test]
fn a_string_in_two_planes_turns_its_plane() {
    let heard = |angle: u32| {
        let angles = format!("angle_deg = {{ pluck = {angle}, ear = 90 }}");
        let take = render(&string("modes = 30", &angles).replace(", shape = \"sine\"", ""), 1.0);
        assert!(take.residual < 1e-11);
        take.samples.iter().fold(0.0f64, |most, x| most.max(x.abs()))
    };
    let (aslant, flat) = (heard(20), heard(0));
    println!("heard across: {aslant:.2e} of a slanting pluck, {flat:.2e} of a flat one");
    assert!(aslant > 0.01, "{aslant}");
    assert!(flat < 1e-12 * aslant, "what is plucked in one plane stays there: {flat}");
}

const DRUM: &str = r#"
format = 1
[[resonator]]
kind = "modes"
id = "head"
shape = { circular_membrane = { radius_m = 0.15, thickness_m = 0.19e-3, tension_n_m = 900 } }
material = "mylar"
max_modes = 30
stretching = 1
ports = { stick = [0.1, 0.2], ear = [0.4, -0.3] }
MORE
[[gesture]]
id = "blow"
strike = { what = "head.stick", force_n = FORCE, duration_s = "2 ms" }
[[tap]]
from = "head.ear"
"#;

#[test]
fn a_hard_struck_head_is_sharper_than_a_soft_one() {
    let hz = |force: &str| {
        let take = render(&DRUM.replace("FORCE", force).replace("MORE", ""), 0.5);
        assert!(take.residual < 1e-11);
        take.hz(0.01..0.15, 100.0, 400.0)
    };
    let (soft, hard) = (hz("0.5"), hz("300"));
    println!("soft {soft:.1} Hz, hard {hard:.1} Hz");
    assert!(cents(soft, hard) > 30.0, "{soft} and {hard} Hz");
}

#[test]
fn a_finger_wanders_over_a_head() {
    let finger = "[[interaction]]\nkind = \"adhere\"\nbetween = [\"head.ear\", \"wall\"]\nweight = 0.3\n\
                  position = [[0, 0.9], [\"0.2 s\", 0], [0.4, -0.9]]";
    let lost = |more: &str| {
        let take = render(
            &DRUM
                .replace("FORCE", "5")
                .replace("ear = [0.4, -0.3]", "ear = [0.4, -0.3], mic = [0.2, 0.1]")
                .replace("head.ear\"\n", "head.mic\"\n")
                .replace("MORE", more),
            0.5,
        );
        assert!(take.residual < 1e-11);
        take.samples[12_000..].iter().map(|x| x * x).sum::<f64>()
    };
    let (touched, free) = (lost(finger), lost(""));
    println!("left after a quarter of a second: {touched:.1e} touched, {free:.1e} free");
    assert!(touched < 0.1 * free && touched > 0.0, "{touched} of {free}");
}

#[test]
fn what_cannot_be_is_refused_with_a_reason() {
    let hold = |keys: &str| {
        let text =
            format!("[[interaction]]\nkind = \"adhere\"\nid = \"hold\"\nbetween = [\"string.ear\", \"wall\"]\n{keys}");
        string("modes = 20", &text)
    };
    let drum = |more: &str| DRUM.replace("FORCE", "1").replace("MORE", more);
    for (text, words) in [
        (string("points = 80", "angle_deg = { pluck = 10 }"), vec!["angle_deg", "`modes`"]),
        (string("modes = 20", "angle_deg = { pluk = 10 }"), vec!["pluk", "did you mean `pluck`"]),
        (string("kelvin_voigt_s = 1e-7", ""), vec!["implicitly", "pull tighter"]),
        (hold("weight = 2"), vec!["from 0 to 1"]),
        (hold("position = [[0, 0.3], [1, 1.3]]"), vec!["hold.position", "strictly between 0 and 1"]),
        (hold("position = [[0, 0.3], [0, 0.4]]"), vec!["a time after 0 s"]),
        (hold("weight = []"), vec!["at least 1 point"]),
        (drum("discretisation = \"bilinear\""), vec!["exact"]),
        (drum("morph = { amount = 0.5, material = \"steel\" }"), vec!["morph", "stretched"]),
        (
            drum("").replace(
                "circular_membrane = { radius_m = 0.15, thickness_m = 0.19e-3, tension_n_m = 900 }",
                "ring = { radius_m = 0.1, thickness_m = 0.005, width_m = 0.02 }",
            ),
            vec!["stretching", "only strings, membranes and plates"],
        ),
    ] {
        let message = refused(&text);
        for word in words {
            assert!(message.contains(word), "expected {word:?} in: {message}");
        }
    }
}
