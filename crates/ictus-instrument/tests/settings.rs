//! `--set`, and knobs.

use crate::common::{BAR, TANPURA, bar_with};
use ictus_instrument::{
    Action, Barrier, BarrierShape, BarrierStiffness, Curve, Law, ResonatorKind, Scheme, Spec, load,
};

fn spec(settings: &[(&str, &str)]) -> Spec {
    bar_with(settings).unwrap_or_else(|e| panic!("{settings:?}: {e}")).spec
}

fn mallet_mass(spec: &Spec) -> f64 {
    let ResonatorKind::Mass(mass) = &spec.resonators[0].kind else { panic!("mass") };
    mass.mass_kg
}

fn decay(spec: &Spec) -> &[f64] {
    let ResonatorKind::Modes(modes) = &spec.resonators[1].kind else { panic!("modes") };
    &modes.decay_s
}

fn stiffness(spec: &Spec) -> f64 {
    let Law::Collision { stiffness, .. } = spec.interactions[0].law else { panic!("collision") };
    stiffness
}

#[test]
fn raw_values_can_be_set() {
    assert_eq!(mallet_mass(&spec(&[("mallet.mass_kg", "0.03")])), 0.03);
    assert_eq!(mallet_mass(&spec(&[("mallet.mass_kg", "30 g")])), 0.03);
    assert_eq!(mallet_mass(&spec(&[("mallet.mass_kg", ".5")])), 0.5);
    assert_eq!(decay(&spec(&[("bar.decay_s[1]", "0.9")])), [1.8, 0.9, 0.3]);
    assert_eq!(decay(&spec(&[("bar.decay_s", "inf")])), [f64::INFINITY; 3]);
    assert_eq!(decay(&spec(&[("bar.decay_s", "[1, \"2 ms\", 3]")])), [1.0, 0.002, 3.0]);
    assert_eq!(stiffness(&spec(&[("mallet-bar.strike.stiffness", "5e7")])), 5e7, "wins over the knob");
    assert_eq!(spec(&[("seed", "9")]).seed, 9);
    assert_eq!(spec(&[("scheme", "leapfrog")]).scheme, Scheme::Leapfrog);
    assert_eq!(spec(&[("oversampling", "4")]).oversampling, 4);
    assert_eq!(spec(&[("tap.gain", "0.5")]).taps[0].gain, 0.5);
    assert_eq!(spec(&[("tap.from", "bar.strike")]).taps[0].from, spec(&[("tap.from", "\"bar.strike\"")]).taps[0].from);
    assert_eq!(spec(&[("seed", "2"), ("seed", "3")]).seed, 3);
}

#[test]
fn a_gesture_path_may_skip_the_verb() {
    for path in ["throw.velocity_m_s", "throw.throw.velocity_m_s"] {
        let spec = spec(&[(path, "3")]);
        assert!(matches!(spec.gestures[0].action, Action::Throw { velocity_m_s: 3.0, .. }), "{path}");
    }
    assert_eq!(spec(&[("throw.at_s", "1 ms")]).gestures[0].at_s, 0.001);
    let repeat = spec(&[("throw.repeat.times", "3"), ("throw.repeat.every_s", "0.1")]).gestures[0].repeat;
    assert_eq!(repeat.map(|r| r.times), Some(3));
}

#[test]
fn knobs_can_be_set() {
    let loaded = bar_with(&[("hardness", "1")]).expect("valid");
    assert_eq!(stiffness(&loaded.spec), 1e10);
    let control = &loaded.controls[0];
    assert_eq!((control.id.as_str(), control.value), ("hardness", 1.0));
    assert_eq!((control.mapped[0].path.as_str(), control.mapped[0].value), ("mallet-bar.strike.stiffness", 1e10));
    assert_eq!(stiffness(&spec(&[("hardness.default", "0")])), 1e6);
    assert_eq!(stiffness(&spec(&[("hardness.map[0].range[0]", "5"), ("hardness", "0")])), 5.0);
    let overridden = bar_with(&[("hardness", "1"), ("mallet-bar.strike.stiffness", "7")]).expect("valid");
    assert_eq!(stiffness(&overridden.spec), 7.0);
    assert!(overridden.controls[0].mapped.is_empty());
}

#[test]
#[rustfmt::skip] // One case per line reads as a table.
fn bad_settings_say_so() {
    for (key, value, code, message) in [
        ("mallet.mass_kg", "-1", "instrument::out_of_range", "`mallet.mass_kg` was set to -1 by --set, expected a positive mass"),
        ("mallet.mass_kg", "3 mm", "instrument::unit", "was set to \"3 mm\" by --set, expected a mass in kg"),
        ("mallet.mas_kg", "1", "instrument::unknown_key", "`mallet` has no key `mas_kg`, set by --set"),
        ("malet.mass_kg", "1", "instrument::setting", "`malet.mass_kg` names no element: there is no `malet`"),
        ("mallet", "1", "instrument::setting", "names an element, expected a key of it"),
        ("mallet.id", "x", "instrument::setting", "an id cannot be set"),
        ("format", "2", "instrument::setting", "the format cannot be set"),
        ("hardness", "2", "instrument::out_of_range", "`hardness` was set to 2 by --set, expected a number from 0 to 1"),
        ("hardness", "soft", "instrument::out_of_range", "`hardness` was set to \"soft\" by --set"),
        ("bar.decay_s[3]", "1", "instrument::setting", "[3] does not exist, the list has 3 values"),
        ("mallet.mass_kg[0]", "1", "instrument::setting", "the file gives 0.02 there, not a list"),
        ("mallet.mass_kg.x", "1", "instrument::setting", "the file gives 0.02 there, not a table"),
        ("bar.decay_s[", "1", "instrument::setting", "`bar.decay_s[` is not a path"),
        ("", "1", "instrument::setting", "names no element"),
        ("seed", "-1", "instrument::out_of_range", "`seed` was set to -1 by --set"),
        ("seed", "1.5", "instrument::wrong_type", "`seed` was set to 1.5 by --set, expected a whole number"),
        ("tap.from", "nothing", "instrument::unknown_reference", "`tap.from` was set to \"nothing\" by --set"),
        ("scheme", "midpiont", "instrument::unknown_value", "expected one of `midpoint`, `leapfrog`"),
    ] {
        let error = bar_with(&[(key, value)]).expect_err(key);
        assert_eq!(error.code(), code, "{key}={value}: {error}");
        assert!(error.message().contains(message), "{key}={value}: {error}");
        assert_eq!(error.file(), "--set", "{key}={value}");
        let span = error.span().expect("a place in the setting");
        assert!(span.end <= key.len() + 1 + value.len(), "{key}={value}: {span:?}");
    }
    let error = bar_with(&[("malet.mass_kg", "1")]).expect_err("misspelt");
    assert!(error.help_text().is_some_and(|h| h.contains("did you mean `mallet`?")), "{error:?}");
}

fn with_map(map: &str) -> String {
    let start = BAR.find("map = ").expect("the map");
    format!("{}map = [{map}]\n", &BAR[..start])
}

#[test]
fn knobs_scale_replace_and_round() {
    let at = |map: &str, knob: &str| {
        load("bar.toml", &with_map(map), &[("hardness".into(), knob.into())]).unwrap_or_else(|e| panic!("{map}: {e}"))
    };
    let scaled = at("{ to = \"bar.decay_s\", range = [1, 3], scale = true }", "0.5");
    assert_eq!(decay(&scaled.spec), [3.6, 1.4, 0.6]);
    assert!(scaled.controls[0].mapped[0].scale);
    let replaced = at("{ to = \"bar.decay_s\", range = [\"100 ms\", 3] }", "0");
    assert_eq!(decay(&replaced.spec), [0.1; 3]);
    assert_eq!(replaced.controls[0].mapped[0].unit, "s");
    assert_eq!(decay(&at("{ to = \"bar.decay_s[1]\", range = [1, 3] }", "1").spec), [1.8, 3.0, 0.3]);
    assert_eq!(at("{ to = \"oversampling\", range = [1, 2] }", "0.9").spec.oversampling, 2);
    assert_eq!(at("{ to = \"mallet.velocity_m_s\", range = [1, 2] }", "0").spec.seed, 1);
    let both = load(
        "bar.toml",
        &with_map("{ to = \"bar.decay_s\", range = [2, 2], scale = true }"),
        &[("bar.decay_s[0]".into(), "1".into())],
    );
    assert_eq!(decay(&both.expect("valid").spec), [1.0, 1.4, 0.6], "the setting wins over the scale");
}

fn tanpura(settings: &[(&str, &str)]) -> Result<Spec, ictus_instrument::Error> {
    let settings: Vec<(String, String)> = settings.iter().map(|(k, v)| ((*k).into(), (*v).into())).collect();
    load("tanpura.toml", TANPURA, &settings).map(|loaded| loaded.spec)
}

fn heights(barrier: &Barrier) -> Vec<f64> {
    match &barrier.shape {
        BarrierShape::Flat { height_m } => vec![*height_m],
        BarrierShape::Profile { height_m } | BarrierShape::Frets { height_m } => height_m.clone(),
        BarrierShape::Points(points) => points.iter().map(|p| p.1).collect(),
    }
}

#[test]
fn barriers_and_fingers_can_be_set() {
    let set = |key: &str, value: &str| tanpura(&[(key, value)]).unwrap_or_else(|e| panic!("{key}: {e}"));
    for path in ["barrier.flat.height_m", "barrier.height_m"] {
        assert_eq!(heights(&set(path, "-2 mm").barriers[1]), [-0.002], "{path}");
    }
    for path in ["bridge.profile.height_m", "bridge.height_m"] {
        assert_eq!(heights(&set(&format!("{path}[0]"), "-2 mm").barriers[0]), [-0.002, 0.01, -4.0], "{path}");
        assert_eq!(heights(&set(&format!("{path}[2]"), "-5").barriers[0]), [-0.0001, 0.01, -5.0], "{path}");
        assert_eq!(heights(&set(path, "[\"1 mm\", 2]").barriers[0]), [0.001, 2.0], "{path}");
    }
    for path in ["frets.frets.height_m", "frets.height_m"] {
        assert_eq!(heights(&set(path, "-2 mm").barriers[2]), [-0.002; 3], "{path}");
    }
    for path in ["frets.frets.count", "frets.count"] {
        assert_eq!(heights(&set(path, "12").barriers[2]).len(), 12, "{path}");
    }
    assert_eq!(heights(&set("barrier#2.points[1][1]", "5 mm").barriers[3]), [0.001, 0.005]);
    assert_eq!(set("barrier.stiffness", "7").barriers[1].stiffness, BarrierStiffness::PerPoint(7.0));
    assert_eq!(set("bridge.density", "7").barriers[0].stiffness, BarrierStiffness::Density(7.0));
    assert_eq!(set("bridge.from", "0.01").barriers[0].from, 0.01);
    assert_eq!(set("barrier.lift[1][1]", "1 mm").barriers[1].lift, [(0.0, 0.0), (0.5, 0.001)]);
    assert_eq!(set("finger.force[1][1]", "2.5 N").fingers[0].force, [(0.0, 0.0), (0.1, 2.5), (1.0, 0.0)]);
    assert_eq!(set("finger#2.force", "[[0, \"1 N\"]]").fingers[1].force, [(0.0, 1.0)]);
    assert_eq!(set("finger#2.position", "0.3").fingers[1].position, [(0.0, 0.3)]);
    assert_eq!(set("finger#2.position[1][0]", "2 s").fingers[1].position, [(0.0, 0.5), (2.0, 0.25)]);
    assert_eq!(set("finger.height_m", "3 mm").fingers[0].height_m, 0.003);
    let ResonatorKind::String(wire) = &set("wire.modes", "30").resonators[1].kind else { panic!("string") };
    assert_eq!(wire.modes, Some(30));
    for (key, value, code, message) in [
        ("bridge.height_m[3]", "1", "instrument::setting", "[3] does not exist, the list has 3 values"),
        (
            "bridge.to",
            "0",
            "instrument::out_of_range",
            "`bridge.to` was set to 0 by --set, expected more than `from`, 0",
        ),
        ("bridge.stiffness", "1", "instrument::conflict", "`bridge` has both `stiffness` and `density`"),
        ("bridge.flat.height_m", "1", "instrument::conflict", "`bridge` has `flat`, `profile`"),
        ("bridge.heigth_m", "1", "instrument::unknown_key", "`bridge` has no key `heigth_m`, set by --set"),
        ("barrier#2.height_m", "1", "instrument::unknown_key", "`barrier#2` has no key `height_m`, set by --set"),
        (
            "finger.force[1][1]",
            "-1",
            "instrument::out_of_range",
            "was set to -1 by --set, expected a force of zero or more",
        ),
        ("finger.on", "ball", "instrument::unknown_reference", "only a string can be pressed"),
        ("finger", "1", "instrument::setting", "names an element, expected a key of it"),
    ] {
        let error = tanpura(&[(key, value)]).expect_err(key);
        assert_eq!(error.code(), code, "{key}={value}: {error}");
        assert!(error.message().contains(message), "{key}={value}: {error}");
    }
}

#[test]
fn knobs_move_barriers_and_fingers() {
    let at = |map: &str, knob: &str| {
        let text = format!("{TANPURA}\n[[control]]\nid = \"knob\"\nmap = [{{ {map} }}]\n");
        load("tanpura.toml", &text, &[("knob".into(), knob.into())]).unwrap_or_else(|e| panic!("{map}: {e}"))
    };
    let replaced = |to: &str, range: &str| at(&format!("to = \"{to}\", range = {range}"), "0.5").spec;
    let scaled = |to: &str| at(&format!("to = \"{to}\", range = [1, 3], scale = true"), "0.5").spec;
    for path in ["barrier.height_m", "barrier.flat.height_m"] {
        assert_eq!(heights(&replaced(path, "[\"1 mm\", \"3 mm\"]").barriers[1]), [0.002], "{path}");
        assert_eq!(heights(&scaled(path).barriers[1]), [-0.002], "{path}");
    }
    for path in ["bridge.height_m", "bridge.profile.height_m"] {
        let first = replaced(&format!("{path}[0]"), "[\"1 mm\", \"3 mm\"]");
        assert_eq!(heights(&first.barriers[0]), [0.002, 0.01, -4.0], "{path}");
        assert_eq!(heights(&scaled(&format!("{path}[1]")).barriers[0]), [-0.0001, 0.02, -4.0], "{path}");
        assert_eq!(heights(&scaled(path).barriers[0]), [-0.0002, 0.02, -8.0], "{path}");
    }
    assert_eq!(heights(&replaced("frets.height_m", "[1e-3, 3e-3]").barriers[2]), [0.002; 3]);
    assert_eq!(heights(&scaled("frets.height_m").barriers[2]), [-0.003; 3]);
    assert_eq!(heights(&replaced("frets.count", "[1, 12]").barriers[2]).len(), 7, "to the nearest whole number");
    assert_eq!(replaced("barrier.from", "[0.01, 0.03]").barriers[1].from, 0.02);
    assert_eq!(replaced("bridge.from", "[0.01, 0.03]").barriers[0].from, 0.02, "where the file gives none");
    assert_eq!(replaced("barrier.to", "[0.06, 0.1]").barriers[1].to, 0.08);
    assert_eq!(at("to = \"barrier.from\", range = [0.5, 1], scale = true", "0").spec.barriers[1].from, 0.02);
    assert_eq!(scaled("barrier.to").barriers[1].to, 0.1);
    let unit = |to: &str| at(&format!("to = \"{to}\", range = [0.01, 0.02]"), "0").controls[0].mapped[0].unit;
    assert_eq!([unit("barrier.height_m"), unit("bridge.height_m[0]"), unit("bridge.height_m[1]")], ["m", "m", ""]);
    assert_eq!([unit("finger.force[1][1]"), unit("finger.position"), unit("barrier.from")], ["N", "", ""]);
    assert_eq!(replaced("finger#2.position", "[0.2, 0.4]").fingers[1].position.len(), 1);

    // Of a curve only the second column is scaled.
    assert_eq!(scaled("finger.force").fingers[0].force, [(0.0, 0.0), (0.1, 8.0), (1.0, 0.0)]);
    assert_eq!(scaled("finger.force[1]").fingers[0].force, [(0.0, 0.0), (0.1, 8.0), (1.0, 0.0)]);
    assert_eq!(scaled("finger.force[1][0]").fingers[0].force, [(0.0, 0.0), (0.2, 4.0), (1.0, 0.0)]);
    assert_eq!(scaled("barrier.lift").barriers[1].lift, [(0.0, 0.0), (0.5, 0.0008)]);
    assert_eq!(scaled("barrier#2.points").barriers[3].shape, BarrierShape::Points(vec![(0.2, 0.002), (0.7, 0.004)]));
    let position = at("to = \"finger#2.position\", range = [0.5, 1], scale = true", "0").spec;
    assert_eq!(position.fingers[1].position, [(0.0, 0.25), (1.0, 0.125)]);

    let text = format!("{TANPURA}\n[[control]]\nid = \"knob\"\nmap = [{{ to = \"bridge.to\", range = [-1, 1] }}]\n");
    let error = load("tanpura.toml", &text, &[]).expect_err("no stretch");
    let message = "`bridge.to` was set to 0 by control `knob`, expected more than `from`, 0";
    assert_eq!((error.code(), error.message()), ("instrument::out_of_range", message));
}

#[test]
fn two_knobs_on_one_parameter_are_reported() {
    let text = format!(
        "{BAR}\n[[control]]\nid = \"more\"\nmap = [{{ to = \"mallet-bar.strike.stiffness\", range = [1, 2] }}]\n"
    );
    let loaded = load("bar.toml", &text, &[]).expect("valid");
    assert_eq!(stiffness(&loaded.spec), 1.5);
    assert_eq!(loaded.warnings[0].code(), "instrument::two_controls");
}

#[test]
#[rustfmt::skip] // One case per line reads as a table.
fn bad_maps_say_so() {
    for (map, code, message) in [
        ("{ to = \"malet.mass_kg\", range = [1, 2] }", "instrument::unknown_reference", "there is no `malet`"),
        ("{ to = \"mallet.mas_kg\", range = [1, 2] }", "instrument::unknown_key", "`mallet` has no key `mas_kg`, set by control `hardness`"),
        ("{ to = \"mallet.mass_kg\", range = [-2, -1] }", "instrument::out_of_range", "`mallet.mass_kg` was set to -1.5 by control `hardness`, expected a positive mass"),
        ("{ to = \"mallet\", range = [1, 2] }", "instrument::unknown_reference", "names an element"),
        ("{ to = \"hardness.default\", range = [0, 1] }", "instrument::unknown_reference", "cannot drive a control"),
        ("{ to = \"format\", range = [0, 1] }", "instrument::unknown_reference", "format"),
        ("{ to = \"seed\", range = [0, inf] }", "instrument::out_of_range", "`hardness.map[0].range[1]` is inf"),
        ("{ to = \"mallet.mass_kg\", range = [1, \"2 m\"] }", "instrument::unit", "`hardness.map[0].range[1]` is \"2 m\", expected a mass in kg"),
        ("{ to = \"bar.decay_s\", range = [1, \"2 s\"], scale = true }", "instrument::out_of_range", "expected a finite number"),
        ("{ to = \"mallet.mass_kg\", curve = \"exponential\", range = [0, 1] }", "instrument::out_of_range", "same sign"),
        ("{ to = \"mallet.mass_kg\", curve = \"exponential\", range = [-1, 1] }", "instrument::out_of_range", "same sign"),
        ("{ to = \"mallet.mass_kg\", curve = \"table\", table = [[0, 1], [0.5, 2]] }", "instrument::out_of_range", "increasing from 0 to 1"),
        ("{ to = \"mallet.mass_kg\", curve = \"table\", table = [[0, 1], [0, 1], [1, 2]] }", "instrument::out_of_range", "increasing from 0 to 1"),
        ("{ to = \"mallet.mass_kg\", curve = \"table\", table = [] }", "instrument::out_of_range", "increasing from 0 to 1"),
        ("{ to = \"mallet.mass_kg\", curve = \"table\", range = [1, 2] }", "instrument::conflict", "give `table`"),
        ("{ to = \"mallet.mass_kg\", table = [[0, 1], [1, 2]] }", "instrument::conflict", "curve = \"table\""),
        ("{ to = \"mallet.mass_kg\" }", "instrument::missing_key", "`hardness.map[0].range` is missing"),
        ("{ to = \"mallet.mass_kg\", curve = \"table\" }", "instrument::missing_key", "`hardness.map[0].table` is missing"),
        ("{ to = \"mallet.mass_kg\", range = [1] }", "instrument::wrong_type", "`hardness.map[0].range` is a list of 1, expected a list of 2"),
        ("{ to = \"mallet.damping_n_s_m\", range = [1, 2], scale = true }", "instrument::unknown_reference", "no value to scale"),
        ("{ to = \"tap.from\", range = [1, 2], scale = true }", "instrument::unknown_reference", "only numbers"),
        ("{ to = \"tap.from\", range = [1, 2] }", "instrument::wrong_type", "`tap.from` was set to 1.5 by control `hardness`, expected text"),
    ] {
        let error = load("bar.toml", &with_map(map), &[]).expect_err(map);
        assert_eq!(error.code(), code, "{map}: {error}");
        assert!(error.message().contains(message), "{map}: {error}");
        assert_eq!((error.file(), error.line_column().map(|p| p.0)), ("bar.toml", Some(35)), "{map}: {error}");
    }
}

#[test]
fn curves_meet_their_ends_and_stay_between() {
    let curves = [
        Curve::Linear([2.0, -3.0]),
        Curve::Exponential([1e-3, 1e3]),
        Curve::Exponential([-5.0, -0.1]),
        Curve::Exponential([1e-300, 1e300]),
        Curve::Table(vec![(0.0, 1.0), (0.25, 5.0), (1.0, 7.0)]),
    ];
    for curve in &curves {
        let (first, last) = (curve.at(0.0), curve.at(1.0));
        for step in 0..=100 {
            let value = curve.at(f64::from(step) / 100.0);
            assert!(value >= first.min(last) && value <= first.max(last), "{curve:?} at {step} %: {value}");
        }
        assert_eq!((curve.at(-1.0), curve.at(2.0)), (first, last), "{curve:?}");
    }
    assert_eq!((curves[0].at(0.0), curves[0].at(1.0), curves[0].at(0.5)), (2.0, -3.0, -0.5));
    assert_eq!((curves[1].at(0.0), curves[1].at(1.0)), (1e-3, 1e3));
    assert!((curves[1].at(0.5) - 1.0).abs() < 1e-12);
    assert_eq!((curves[4].at(0.125), curves[4].at(0.25), curves[4].at(0.625)), (3.0, 5.0, 6.0));
}

#[test]
fn knobs_are_found_by_id_or_name_in_any_case() {
    for key in ["hardness", "Hardness", "HARDNESS"] {
        assert_eq!(stiffness(&spec(&[(key, "1")])), 1e10, "{key}");
    }
    let text = BAR.replacen("id = \"hardness\"", "id = \"hardness\"\nname = \"Felt to Brass\"", 1);
    let named = load("bar.toml", &text, &[("felt to brass".into(), "1".into())]).expect("valid");
    assert_eq!(stiffness(&named.spec), 1e10);
    let twice = format!("{BAR}\n[[control]]\nid = \"Hardness\"\nmap = [{{ to = \"tap.gain\", range = [0, 1] }}]\n");
    let exact = load("bar.toml", &twice, &[("Hardness".into(), "1".into())]).expect("valid");
    assert_eq!((exact.controls[0].value, exact.controls[1].value), (0.5, 1.0), "the exact id comes first");
    assert!(load("bar.toml", &twice, &[("HARDNESS".into(), "1".into())]).is_err(), "two controls fit");
}

#[test]
fn a_setting_that_overrides_a_set_knob_is_said() {
    let warnings = |settings: &[(&str, &str)]| -> Vec<String> {
        bar_with(settings).expect("valid").warnings.iter().map(ToString::to_string).collect()
    };
    let both = warnings(&[("hardness", "1"), ("mallet-bar.strike.stiffness", "5e7")]);
    assert_eq!(both, ["--set `mallet-bar.strike.stiffness` overrides the knob `hardness`, which --set turns too"]);
    assert!(warnings(&[("hardness", "1")]).is_empty());
    assert!(warnings(&[("mallet-bar.strike.stiffness", "5e7")]).is_empty());
}

#[test]
fn a_value_under_a_knob_is_checked() {
    let with = |value: &str, settings: &[(&str, &str)]| {
        let text = BAR.replacen("stiffness = 4.0e8", &format!("stiffness = {value}"), 1);
        assert_ne!(text, BAR);
        let settings: Vec<(String, String)> = settings.iter().map(|(k, v)| ((*k).into(), (*v).into())).collect();
        load("bar.toml", &text, &settings)
    };
    for (value, expected) in [
        ("\"hard\"", "`mallet-bar.strike.stiffness` is \"hard\", expected a number"),
        ("true", "`mallet-bar.strike.stiffness` is true, expected a number"),
        ("-1", "`mallet-bar.strike.stiffness` is -1, expected a positive number"),
    ] {
        assert_eq!(with(value, &[]).expect_err(value).to_string(), expected);
        assert!(with(value, &[("hardness", "1")]).is_err(), "{value}: the knob hides nothing");
        assert!(with(value, &[("mallet-bar.strike.stiffness", "1e8")]).is_ok(), "{value}: a setting replaces it");
    }
    let missing = BAR.replacen("stiffness = 4.0e8\n", "", 1);
    assert_ne!(missing, BAR);
    assert!(load("bar.toml", &missing, &[]).is_ok(), "a knob may give a value that the file leaves out");
}
