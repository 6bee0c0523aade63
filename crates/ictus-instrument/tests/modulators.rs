//! Modulators: what files say of them, what they offer to players, and curves of inputs.

use crate::broken::{Case, check};
use crate::common::INPUTS;
use ictus_instrument::{Envelope, Input, InputKind, Loaded, Modulator, Spec, Wave, load};

fn loaded(more: &str) -> Loaded {
    load("modulators.toml", &format!("{INPUTS}\n{more}"), &[]).unwrap_or_else(|error| panic!("{error}"))
}

fn input(spec: &Spec, path: &str) -> Input {
    spec.inputs().into_iter().find(|input| input.path == path).unwrap_or_else(|| panic!("no {path}"))
}

/// One of every kind.
pub const ALL: &str = r#"
[[input]]
id = "bow-speed"
to = "bow.speed_m_s"
[[input]]
id = "vibrato-depth"
to = "vibrato.depth"
range = [0, "10 cm/s"]
curve = [[0, 0], ["1 s", "2 cm/s"]]
[[modulator]]
id = "vibrato"
kind = "sine"
to = "bow-speed"
depth = "5 cm/s"
rate_hz = "6 Hz"
phase = 0.25
[[modulator]]
id = "swell"
kind = "envelope"
to = "vibrato-depth"
depth = "1 cm/s"
attack_s = "200 ms"
release_s = 0.5
at_s = 1
[[modulator]]
id = "sway"
kind = "random_walk"
to = "roll.lift"
depth = "0.1 mm"
period_s = "250 ms"
seed = 7
[[modulator]]
id = "walk"
kind = "sequence"
to = "left.pan"
range = [-0.5, 1]
period_s = 2
steps = [0, 1, 0.5]
glide = 0.1
[[modulator]]
id = "beat"
kind = "square"
to = "left.gain"
range = [0, 40]
rate_hz = 3
[[modulator]]
id = "drift"
kind = "triangle"
to = "bow.normal_n"
depth = "0.5 N"
rate_hz = 0.1
"#;

#[test]
fn every_kind_of_modulator_is_read() {
    let spec = loaded(ALL).spec;
    let [vibrato, swell, sway, walk, beat, drift] = spec.modulators.as_slice() else { panic!("{:?}", spec.modulators) };
    let speed = InputKind::Speed { interaction: 0 };
    assert_eq!((vibrato.target, &vibrato.wave), (speed, &Wave::Sine));
    assert_eq!((vibrato.rate_hz, vibrato.phase, vibrato.depth, vibrato.base), (6.0, 0.25, 0.05, None));
    assert_eq!((swell.target, swell.depth), (InputKind::ModulatorDepth { modulator: 0 }, 0.01));
    let envelope = Envelope { attack_s: 0.2, decay_s: 0.0, sustain: 1.0, release_s: 0.5, at_s: Some(1.0) };
    assert_eq!(swell.wave, Wave::Envelope(envelope));
    assert_eq!((&sway.wave, sway.rate_hz), (&Wave::RandomWalk { seed: Some(7) }, 4.0));
    assert_eq!(walk.wave, Wave::Sequence { steps: vec![0.0, 1.0, 0.5], slide: 0.1 });
    // a sequence rises from the lower end, what swings does so around the middle
    assert_eq!((walk.base, walk.depth, walk.rate_hz), (Some(-0.5), 1.5, 0.5));
    assert_eq!((beat.base, beat.depth, &beat.wave), (Some(20.0), 20.0, &Wave::Square));
    assert_eq!((drift.wave.clone(), drift.depth), (Wave::Triangle, 0.5));
}

#[test]
fn modulators_offer_inputs_behind_all_others() {
    let spec = loaded(ALL).spec;
    let inputs = spec.inputs();
    let plain = loaded("").spec.inputs();
    for (input, before) in inputs.iter().zip(&plain) {
        assert_eq!(input.path, before.path);
    }
    let paths: Vec<&str> = inputs[plain.len()..].iter().map(|input| input.path.as_str()).collect();
    let expected = ["vibrato.rate_hz", "vibrato.depth", "swell.gate", "swell.depth", "sway.rate_hz", "sway.depth"];
    assert_eq!(paths[..6], expected);
    let depth = input(&spec, "vibrato.depth");
    assert_eq!(
        (depth.id.as_str(), depth.unit, depth.range, depth.limits),
        ("vibrato-depth", "m/s", (0.0, 0.1), (-2e6, 2e6))
    );
    assert_eq!(depth.start, 0.0, "that of its curve");
    let rate = input(&spec, "vibrato.rate_hz");
    assert_eq!((rate.unit, rate.range, rate.limits, rate.start), ("Hz", (0.0, 12.0), (0.0, 1000.0), 6.0));
    let gate = input(&spec, "swell.gate");
    assert_eq!((gate.range, gate.ramp_s, gate.start), ((0.0, 1.0), 0.0, 0.0));
    // a range says where the input is
    assert_eq!([input(&spec, "left.gain").start, input(&spec, "left.pan").start], [20.0, -0.5]);
    let names: Vec<&str> = spec.named_inputs.iter().map(|input| input.id.as_str()).collect();
    assert_eq!(names, ["bow-speed", "vibrato-depth"]);
}

#[test]
fn knobs_and_settings_reach_modulators() {
    let knob = "[[control]]\nid = \"shape\"\ndefault = 1\nmap = [{ to = \"beat.range\", range = [0.5, 2], scale = true }, { to = \"drift.rate_hz\", range = [\"0.1 Hz\", \"0.4 Hz\"] }]\n";
    let settings = [("sway.depth".to_owned(), "0.2 mm".to_owned())];
    let spec = load("modulators.toml", &format!("{INPUTS}\n{ALL}{knob}"), &settings).expect("loads").spec;
    let by_id = |id: &str| spec.modulators.iter().find(|known| known.id == id).expect("it").clone();
    let Modulator { base, depth, .. } = by_id("beat");
    assert_eq!((base, depth), (Some(40.0), 40.0));
    assert_eq!((by_id("drift").rate_hz, by_id("sway").depth), (0.4, 0.0002));
}

#[test]
fn a_curve_of_an_input_moves_what_nothing_else_moves() {
    let curves = "[[input]]\nid = \"loud\"\nto = \"left.gain\"\ncurve = [[0, 0], [\"1 s\", 100]]\n[[input]]\nid = \"slide\"\nto = \"thumb.position\"\ncurve = [[0.5, 0.3], [1, 0.6]]\n[[input]]\nid = \"push\"\nto = \"ball.force_n\"\ncurve = [[0, \"2 N\"]]\n";
    let spec = loaded(curves).spec;
    let loud = input(&spec, "left.gain");
    assert_eq!((loud.start, loud.range), (0.0, (0.0, 100.0)), "it reaches as far as its curve");
    assert_eq!(spec.named_inputs[0].curve, [(0.0, 0.0), (1.0, 100.0)]);
    assert_eq!(input(&spec, "thumb.position").start, 0.3);
    assert_eq!(spec.interactions[1].rub.position, [(0.5, 0.3), (1.0, 0.6)]);
    assert_eq!(input(&spec, "ball.force_n").start, 2.0);
}

#[test]
#[rustfmt::skip] // One case per line reads as a table.
fn broken_modulators() {
    let text = format!("{INPUTS}\n[[modulator]]\nid = \"wave\"\nkind = \"sine\"\nto = \"left.pan\"\nrange = [-0.5, 0.5]\nrate_hz = 5\n");
    let first = INPUTS.lines().count() + 2;
    let [id, kind, to, range, rate] = [1, 2, 3, 4, 5].map(|below| first + below);
    let cases: [Case; 25] = [
        ("id = \"wave\"", "", "instrument::missing_key", first, "`modulator[0].id` is missing", ""),
        ("id = \"wave\"", "id = \"bow\"", "instrument::duplicate_id", id, "the id `bow` is used twice, by an interaction and a modulator", ""),
        ("kind = \"sine\"", "kind = \"sinus\"", "instrument::unknown_value", kind, "`wave.kind` is \"sinus\", expected one of `sine`, `triangle`", ""),
        ("kind = \"sine\"", "kind = \"sine\"\nglide = 1", "instrument::unknown_key", kind + 1, "`wave` has no key `glide`", ""),
        ("kind = \"sine\"", "kind = \"sequence\"\nsteps = []", "instrument::length", kind + 1, "`wave.steps` is a list of 0, expected 1 to 1000 values from 0 to 1", ""),
        ("kind = \"sine\"", "kind = \"sequence\"\nsteps = [2]", "instrument::out_of_range", kind + 1, "`wave.steps[0]` is 2, expected a number from 0 to 1", ""),
        ("to = \"left.pan\"", "to = \"left.pen\"", "instrument::unknown_reference", to, "`wave.to` is \"left.pen\", but the file has no such input", "did you mean `left.pan`?"),
        ("to = \"left.pan\"", "to = \"thumb.position\"", "instrument::unknown_reference", to, "which stands still in the file", "add an `[[input]]` with `to = \"thumb.position\"`"),
        ("to = \"left.pan\"", "to = \"wave.depth\"", "instrument::unknown_reference", to, "only the depths of modulators further up", ""),
        ("range = [-0.5, 0.5]", "", "instrument::missing_key", first, "`wave.range` is missing", "or `depth`"),
        ("range = [-0.5, 0.5]", "range = [-0.5, 0.5]\ndepth = 1", "instrument::conflict", range + 1, "`wave` has `range` and `depth`, expected one of them", ""),
        ("range = [-0.5, 0.5]", "range = [0.5, -0.5]", "instrument::out_of_range", range, "`wave.range` goes from 0.5 to -0.5, expected the lower value first", ""),
        ("range = [-0.5, 0.5]", "range = [-0.5, 1.5]", "instrument::out_of_range", range, "`wave.range[1]` is 1.5, expected at most 1", ""),
        ("range = [-0.5, 0.5]", "range = [-0.5, \"1 N\"]", "instrument::out_of_range", range, "`wave.range[1]` is \"1 N\"", ""),
        ("range = [-0.5, 0.5]", "depth = 0.75", "instrument::out_of_range", range, "`left.pan` is moved from -1.25 to 0.25 by `wave`, expected -1 to 1", "move it less far"),
        ("range = [-0.5, 0.5]", "depth = inf", "instrument::out_of_range", range, "`wave.depth` is inf, expected a finite number", ""),
        ("rate_hz = 5", "", "instrument::missing_key", first, "`wave.rate_hz` is missing", "period_s"),
        ("rate_hz = 5", "rate_hz = 0", "instrument::out_of_range", rate, "`wave.rate_hz` is 0, expected a positive frequency of at most 1000 Hz", ""),
        ("rate_hz = 5", "rate_hz = 1001", "instrument::out_of_range", rate, "`wave.rate_hz` is 1001", ""),
        ("rate_hz = 5", "rate_hz = \"5 m\"", "instrument::unit", rate, "`wave.rate_hz` is \"5 m\", expected a frequency in Hz", ""),
        ("rate_hz = 5", "period_s = 0", "instrument::out_of_range", rate, "`wave.period_s` is 0, expected a time from 0.001 to 3600 s", ""),
        ("rate_hz = 5", "rate_hz = 5\nperiod_s = 0.2", "instrument::conflict", rate + 1, "`wave` has `rate_hz` and `period_s`, expected one of them", ""),
        ("to = \"left.pan\"\nrange = [-0.5, 0.5]", "to = \"bow.normal_n\"\nrange = [0, 1]", "instrument::conflict", range, "`wave.range` says where `bow.normal_n` is, which `bow` says already", "give `depth`"),
        ("to = \"left.pan\"\nrange = [-0.5, 0.5]", "to = \"bow.speed_m_s\"\ndepth = \"1 N\"", "instrument::unit", range, "`wave.depth` is \"1 N\", expected a velocity in m/s", ""),
        ("kind = \"sine\"", "kind = \"envelope\"", "instrument::missing_key", first, "`wave.attack_s` is missing", ""),
    ];
    // the last one leaves a key that envelopes do not have
    check(&text, &cases[..24]);
    let (from, to_envelope, ..) = cases[24];
    let envelope = text.replace(from, to_envelope).replace("rate_hz = 5\n", "");
    check(&envelope, &[("range", "range", "instrument::missing_key", first, "`wave.attack_s` is missing", "")]);
    let second = "rate_hz = 5\n[[modulator]]\nid = \"other\"\nkind = \"square\"\nto = \"left.pan\"\nrate_hz = 1";
    let and = |more: &str| text.replace("rate_hz = 5", &format!("{second}\n{more}"));
    check(&and("depth = 0.2"), &[
        ("depth = 0.2", "range = [0, 1]", "instrument::conflict", rate + 6, "`other.range` says where `left.pan` is, which `wave` says already", "give `depth`"),
        ("depth = 0.2", "depth = 0.75", "instrument::out_of_range", rate + 6, "`left.pan` is moved from -1.25 to 1.25 by `wave` and `other`, expected -1 to 1", ""),
        ("to = \"left.pan\"\nrate_hz = 1\ndepth = 0.2", "to = \"wave.rate_hz\"\nrate_hz = 1\ndepth = 1", "instrument::conflict", rate + 4, "`other.to` is \"wave.rate_hz\", which only events and curves move", "`depth`"),
    ]);
}

#[test]
#[rustfmt::skip] // One case per line reads as a table.
fn broken_curves() {
    let text = format!("{INPUTS}\n[[input]]\nid = \"way\"\nto = \"ball.force_n\"\ncurve = [[0, 0], [1, \"2 N\"]]\n");
    let line = INPUTS.lines().count() + 5;
    check(&text, &[
        ("[[0, 0], [1, \"2 N\"]]", "[]", "instrument::length", line, "`way.curve` is a list of 0, expected at least 1 point", ""),
        ("[1, \"2 N\"]]", "[0, \"2 N\"]]", "instrument::out_of_range", line, "`way.curve[1][0]` is 0, expected a time after 0 s", ""),
        ("[1, \"2 N\"]]", "[-1, \"2 N\"]]", "instrument::out_of_range", line, "`way.curve[1][0]` is -1, expected a time of zero or more", ""),
        ("\"2 N\"", "\"2 m\"", "instrument::unit", line, "`way.curve[1][1]` is \"2 m\", expected a force in N", ""),
        ("\"2 N\"", "2e6", "instrument::out_of_range", line, "`way.curve[1][1]` is 2000000, expected at most 1000000 N", ""),
        ("to = \"ball.force_n\"\ncurve = [[0, 0], [1, \"2 N\"]]", "to = \"bow.normal_n\"\ncurve = [[0, 0], [1, 2]]", "instrument::conflict", line, "`way.curve` moves `bow.normal_n`, which `bow` moves already", "leave out one"),
    ]);
}
