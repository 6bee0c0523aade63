//! What a new user meets in the first ten minutes: names, units, knobs, warnings, the tutorial's own sounds.

use crate::common::{GOOD, TempFolder, json, stderr, stdout};
use crate::documents::saved_file;
use ictus_instrument::{Law, ResonatorKind};

#[test]
fn a_first_word_names_a_preset() {
    let place = TempFolder::new();
    let output = place.run(&["show", "tanpura"]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stderr(&output).contains("using tanpura-bridge; the name also fits tanpura-jivari"), "{}", stderr(&output));
    assert!(stderr(&output).contains("knobs: force 0.5"), "{}", stderr(&output));
    let shown = stdout(&output);
    assert_eq!(Some(shown.as_str()), ictus_engine::presets::find("tanpura-bridge").map(|preset| preset.text));
    place.write("mine.toml", shown);
    for source in ["tanpura", "mine.toml"] {
        let output = place.run(&["render", source, "-s", "10ms", "-o", "a.wav"]);
        assert!(output.status.success(), "{source}: {}", stderr(&output));
    }
    std::fs::create_dir(place.path("gong")).expect("a folder");
    let output = place.run(&["check", "gong"]);
    assert!(output.status.success(), "a folder does not hide a preset: {}", stderr(&output));
    let output = place.run(&["render", "bow"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("cello-bow") && stderr(&output).contains("violin-bow"), "{}", stderr(&output));
}

#[test]
fn knobs_are_listed() {
    let place = TempFolder::new();
    let text = stdout(&place.run(&["list", "xylophone"]));
    assert!(text.contains("knobs: force 0.5, "), "{text}");
    let list = json(&place.run(&["list", "--json"]));
    for preset in list.as_array().expect("a list") {
        let knobs = preset["knobs"].as_array().expect("knobs");
        assert!(!knobs.is_empty() && knobs.iter().all(|knob| knob["id"].is_string()), "{preset}");
    }
}

#[test]
fn lengths_and_rates_may_carry_units() {
    let place = TempFolder::new();
    place.write("good.toml", GOOD);
    let report = json(&place.run(&["render", "good.toml", "--json", "-s", "200ms", "-r", "44.1k", "-o", "a.wav"]));
    assert_eq!((&report["seconds"], &report["sample_rate"]), (&0.2.into(), &44_100.into()));
    let output = place.run(&["render", "good.toml", "-s", "2 m"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("expected a time, such as 2, 2s or 500ms"), "{}", stderr(&output));
}

#[test]
fn knob_names_are_accepted_in_any_case() {
    let place = TempFolder::new();
    place.write("good.toml", GOOD);
    let value = |knob: &str| {
        let output = place.run(&["check", "good.toml", "--json", "--set", knob]);
        assert!(output.status.success(), "{}", stderr(&output));
        json(&output)["controls"][0]["value"].clone()
    };
    for knob in ["hardness=0.8", "Hardness=0.8", "HARDNESS=0.8"] {
        assert_eq!(value(knob), 0.8, "{knob}");
    }
}

#[test]
fn oddities_are_said_by_check_and_render() {
    let place = TempFolder::new();
    place.write("good.toml", GOOD);
    let unplayed = GOOD.replace("[[gesture]]\nthrow = { what = \"mallet\", velocity_m_s = 1.5 }\n", "");
    place.write("unplayed.toml", unplayed);
    place.write("hard.toml", GOOD.replace("stiffness = 4.0e8", "stiffness = \"hard\""));
    for verb in ["check", "render"] {
        let output = place.run(&[verb, "unplayed.toml", "-s", "0.1"]);
        assert!(output.status.success(), "{}", stderr(&output));
        assert!(stderr(&output).contains("nothing plays this instrument"), "{}", stderr(&output));
        let both = ["--set", "hardness=1", "--set", "contact.stiffness=1e8"];
        let output = place.run(&[&[verb, "good.toml", "-s", "0.1"], &both[..]].concat());
        assert!(output.status.success(), "{}", stderr(&output));
        assert!(stderr(&output).contains("overrides the knob `hardness`"), "{}", stderr(&output));
        let output = place.run(&[verb, "hard.toml", "-s", "0.1"]);
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains("`contact.stiffness` is \"hard\", expected a number"), "{}", stderr(&output));
    }
    let output = place.run(&["check", "good.toml", "--set", "contact.stiffness=1e8"]);
    assert!(!stderr(&output).contains("overrides"), "the knob was left alone: {}", stderr(&output));
}

#[test]
fn the_tutorials_string_buzzes_without_clipping() {
    let place = TempFolder::new();
    place.write("buzz.toml", saved_file("docs/book/src/tutorial.md", "buzz.toml"));
    let report = json(&place.run(&["render", "buzz.toml", "--json", "-o", "a.wav"]));
    assert!((-20.0..-3.0).contains(&report["peak_dbfs"].as_f64().expect("a level")), "{report}");
    let pitch = report["pitch_hz"].as_f64().expect("a pitch");
    assert!((pitch - 146.83).abs() < 0.5, "{pitch} Hz");
    let clean =
        json(&place.run(&["render", "buzz.toml", "--json", "-o", "b.wav", "--set", "wall-string.fret.gap_m=5mm"]));
    assert_ne!(report["sha256"], clean["sha256"], "the string touches the fret");
    assert_eq!(stderr(&place.run(&["check", "buzz.toml"])), "", "no warning");
    for verb in ["check", "render"] {
        let output = place.run(&[verb, "buzz.toml", "-s", "0.1", "--set", "pluck.displacement_m=-4mm"]);
        let text = stderr(&output);
        assert!(text.contains("inside `wall-string.fret`") && text.contains("stores 16.3 J"), "{text}");
    }
}

#[test]
fn the_tutorials_hardness_knob_keeps_the_loudness() {
    let place = TempFolder::new();
    place.write("bar.toml", saved_file("docs/book/src/tutorial.md", "bar.toml"));
    let positions = ["0", "0.25", "0.5", "0.75", "1"];
    let loudness = positions.map(|at| {
        let knob = format!("hardness={at}");
        let report = json(&place.run(&["render", "bar.toml", "--json", "-o", "a.wav", "--set", &knob]));
        report["lufs"].as_f64().expect("a loudness")
    });
    let (least, most) = loudness.iter().fold((0.0f64, -100.0f64), |(least, most), &x| (least.min(x), most.max(x)));
    assert!(most - least < 12.0, "{loudness:?} LUFS");
    assert!(most - least > 1.0, "the knob does something: {loudness:?} LUFS");
}

#[test]
fn a_film_begins_where_something_moves() {
    let place = TempFolder::new();
    let plucked = "[[gesture]]\nat_s = 0.25\npluck = { what = \"wire.middle\", displacement_m = 0.002 }\n\n[[control]]";
    place.write("late.toml", GOOD.replace("[[control]]", plucked));
    let output = place.run(&["film", "late.toml", "--frames", "3"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = stderr(&output);
    let from = text.split_once("from ").and_then(|(_, rest)| rest.split_once(" s"));
    let from: f64 = from.and_then(|(from, _)| from.parse().ok()).unwrap_or_else(|| panic!("{text}"));
    assert!((0.248..=0.25).contains(&from), "{text}");
    let output = place.run(&["film", "late.toml", "-q", "--from", "250ms", "--frames", "3"]);
    assert!(output.status.success() && output.stderr.is_empty() && output.stdout.is_empty(), "{}", stderr(&output));
}

/// `frequency_hz` of a string that runs over a bridge is not the note that sounds.
#[test]
fn ranges_promise_no_retuning_over_a_bridge() {
    let mut bridged = 0;
    for preset in ictus_engine::presets::ALL {
        let spec = ictus_instrument::load(preset.stem, preset.text, &[]).expect("a preset").spec;
        let range = spec.preset.as_ref().and_then(|block| block.range.clone()).unwrap_or_default();
        for (index, resonator) in spec.resonators.iter().enumerate() {
            let carried = spec.interactions.iter().any(|interaction| {
                matches!(interaction.law, Law::Spring { .. } | Law::NonlinearSpring { .. })
                    && interaction
                        .between
                        .iter()
                        .any(|end| matches!(end, ictus_instrument::End::Port(port) if port.resonator == index))
            });
            if !carried || !matches!(resonator.kind, ResonatorKind::String(_)) {
                continue;
            }
            bridged += 1;
            let id = &resonator.id;
            for promise in [
                "retune".to_owned(),
                format!("set {id}.frequency_hz"),
                format!("{id}.frequency_hz moves"),
                "by frequency_hz".to_owned(),
            ] {
                assert!(!range.contains(&promise), "{}: {range}", preset.stem);
            }
        }
    }
    assert!(bridged > 10, "{bridged} strings over bridges");
}
