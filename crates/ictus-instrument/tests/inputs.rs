//! Inputs: what files offer to players, and what `[[input]]` makes of it.

use crate::broken::{Case, check};
use crate::common::{BAR, INPUTS};
use ictus_instrument::{Input, InputKind, PortRef, Spec, load};

fn spec(more: &str) -> Spec {
    match load("inputs.toml", &format!("{INPUTS}\n{more}"), &[]) {
        Ok(loaded) => loaded.spec,
        Err(error) => panic!("{error}"),
    }
}

fn input(spec: &Spec, path: &str) -> Input {
    spec.inputs().into_iter().find(|input| input.path == path).unwrap_or_else(|| panic!("no {path}"))
}

/// Path, kind, unit, range, limits, start.
type InputCase = (&'static str, InputKind, &'static str, (f64, f64), (f64, f64), f64);

#[test]
#[rustfmt::skip] // One input per line reads as a table.
fn a_file_offers_every_kind_of_input_in_its_order() {
    use InputKind::{BarrierLift, FingerForce, FingerPosition, Force, Lift, Normal, Pedal, Position, Speed, TapGain, TapPan, Weight, WiresLift};
    let (signed, pressing, share) = ((-1e6, 1e6), (0.0, 1e6), (0.0, 1.0));
    let port = |resonator, port| Force { port: PortRef { resonator, port } };
    let expected: [InputCase; 24] = [
        ("bow.normal_n", Normal { interaction: 0 }, "N", (0.0, 6.0), pressing, 0.5),
        ("bow.speed_m_s", Speed { interaction: 0 }, "m/s", (-0.8, 0.8), signed, -0.4),
        ("bow.position", Position { interaction: 0 }, "", (0.1, 0.2), (0.01, 0.99), 0.1),
        ("thumb.weight", Weight { interaction: 1 }, "", share, share, 0.25),
        ("roll.lift", Lift { interaction: 2 }, "m", (-0.009, 0.031), signed, 0.001),
        ("roll.speed_m_s", Speed { interaction: 2 }, "m/s", (-0.5, 0.5), signed, 0.1),
        ("carried.lift", Lift { interaction: 3 }, "m", (-0.005, 0.005), signed, 0.0),
        ("pressed.speed_m_s", Speed { interaction: 4 }, "m/s", (-0.5, 0.5), signed, 0.0),
        ("bridge.lift", BarrierLift { barrier: 0 }, "m", (-0.005, 0.005), signed, 0.0),
        ("snares.lift", WiresLift { wires: 0 }, "m", (-0.005, 0.005), signed, -0.002),
        ("index.position", FingerPosition { finger: 0 }, "", (0.2, 0.3), (0.2, 0.3), 0.3),
        ("index.force", FingerForce { finger: 0 }, "N", (0.0, 8.0), pressing, 1.0),
        ("still.force", FingerForce { finger: 1 }, "N", (0.0, 5.0), pressing, 0.0),
        ("kettle.top.pedal", Pedal { resonator: 2, head: 0 }, "", (0.5, 1.0), (0.01, 1.0), 0.5),
        ("kettle.low.pedal", Pedal { resonator: 2, head: 1 }, "", (0.5, 1.0), (0.01, 1.0), 1.0),
        ("ball.force_n", port(0, 0), "N", (-14.0, 14.0), signed, 0.0),
        ("wire.near.force_n", port(1, 0), "N", (-1.0, 1.0), signed, 0.0),
        ("wire.far.force_n", port(1, 1), "N", (-1.0, 1.0), signed, 0.0),
        ("kettle.strike.force_n", port(2, 0), "N", (-1.0, 1.0), signed, 0.0),
        ("skin.hit.force_n", port(3, 0), "N", (-40.0, 40.0), signed, 0.0),
        ("left.gain", TapGain { tap: 0 }, "", (0.0, 80.0), (-1e9, 1e9), 40.0),
        ("left.pan", TapPan { tap: 0 }, "", (-1.0, 1.0), (-1.0, 1.0), -0.5),
        ("tap.gain", TapGain { tap: 1 }, "", (-0.002, 0.0), (-1e9, 1e9), -0.001),
        ("tap.pan", TapPan { tap: 1 }, "", (-1.0, 1.0), (-1.0, 1.0), 0.0),
    ];
    let inputs = spec("").inputs();
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-15; // rounding of the few operations that make a range
    for (got, (path, kind, unit, range, limits, start)) in inputs.iter().zip(&expected) {
        assert_eq!((got.path.as_str(), got.kind, got.unit, got.limits), (*path, *kind, *unit, *limits));
        assert!(near(got.range.0, range.0) && near(got.range.1, range.1), "{got:?}");
        assert!(near(got.start, *start), "{got:?}");
        assert_eq!((&got.id, got.ramp_s), (&got.path, 0.005));
    }
    // coefficients, then what gestures read when they begin
    let rest = &inputs[expected.len()..];
    let onset = |input: &Input| matches!(input.kind, InputKind::Onset { .. });
    let coefficient = |input: &Input| matches!(input.kind, InputKind::Law { .. } | InputKind::Body { .. });
    let first = rest.iter().position(onset).expect("gestures read something");
    assert!(rest[..first].iter().all(coefficient) && rest[first..].iter().all(onset), "{rest:#?}");
    let paths: Vec<&str> = rest.iter().map(|input| input.path.as_str()).collect();
    for path in ["bow.sticking", "roll.stiffness", "ball.stiffness_n_m", "strike.force_n"] {
        assert!(paths.contains(&path), "{path} in {paths:?}");
    }
    for Input { path, range, limits, start, .. } in rest {
        assert!(limits.0 <= range.0 && range.0 < range.1 && range.1 <= limits.1, "{path}");
        assert!((limits.0..=limits.1).contains(start), "{path}");
    }
}

#[test]
fn felts_offer_a_lift_and_imposed_velocities_their_grip() {
    let felt = "[[interaction]]\nid = \"pad\"\nkind = \"felt\"\nbetween = [\"ball\", \"wall\"]\nstiffness = 1e6\nexponent = 2\nhysteresis = 0.1\nrelaxation_s = 1e-5\n";
    let swing = "[[gesture]]\nvelocity = { what = \"wire.far\", curve = [[0, 0], [1, -2]] }\n";
    let spec = spec(&format!("{felt}{swing}"));
    assert_eq!((input(&spec, "pad.lift").unit, input(&spec, "pad.lift").start), ("m", 0.0));
    let velocity = input(&spec, "wire.far.velocity_m_s");
    assert_eq!((velocity.unit, velocity.range, velocity.start), ("m/s", (-4.0, 4.0), 0.0));
    let grip = input(&spec, "wire.far.grip");
    assert_eq!((grip.unit, grip.range, grip.limits, grip.start), ("", (0.0, 1.0), (0.0, 1.0), 0.0));
    assert!(spec.inputs().iter().all(|input| input.path != "wire.near.grip"), "nothing could hold it");
}

#[test]
fn an_input_of_the_file_overrides_the_standard_one_in_its_place() {
    let spec = spec(
        "[[input]]\nid = \"volume\"\nto = \"left.gain\"\n[[input]]\nid = \"bow-speed\"\nto = \"bow.speed_m_s\"\nrange = [\"-60 cm/s\", 0.7]\nramp_s = \"20 ms\"\n",
    );
    let inputs = spec.inputs();
    let speed = &inputs[1];
    assert_eq!((speed.id.as_str(), speed.path.as_str()), ("bow-speed", "bow.speed_m_s"));
    assert_eq!((speed.range, speed.ramp_s, speed.limits, speed.start), ((-0.6, 0.7), 0.02, (-1e6, 1e6), -0.4));
    let gain = input(&spec, "left.gain");
    assert_eq!((gain.id.as_str(), gain.range, gain.ramp_s), ("volume", (0.0, 80.0), 0.005));
    let ids: Vec<&str> = spec.named_inputs.iter().map(|input| input.id.as_str()).collect();
    assert_eq!(ids, ["volume", "bow-speed"], "as in the file");
    assert_eq!(inputs.len(), self::spec("").inputs().len());
}

#[test]
fn an_input_makes_a_place_that_stands_still_movable() {
    let none = spec("");
    assert!(none.inputs().iter().all(|input| !["thumb.position", "pressed.position"].contains(&input.path.as_str())));
    let kind = InputKind::Position { interaction: 1 };
    assert_eq!(none.named_input(kind), None);

    // a place the file gives, the place of a port on a shape, and a range
    let asked = spec(
        "[[input]]\nid = \"a\"\nto = \"thumb.position\"\n[[input]]\nid = \"b\"\nto = \"pressed.position\"\nrange = [0.2, 0.4]\n",
    );
    let thumb = input(&asked, "thumb.position");
    assert_eq!((thumb.kind, thumb.range, thumb.start), (kind, (0.0, 1.0), 0.5));
    assert_eq!(asked.named_input(kind).map(|named| named.range), Some((0.0, 1.0)));
    let pressed = input(&asked, "pressed.position");
    assert_eq!((pressed.range, pressed.limits, pressed.start), ((0.2, 0.4), (0.0, 1.0), 0.3));
}

#[test]
fn the_range_of_an_input_widens_where_a_finger_can_touch() {
    let asked = spec("[[input]]\nid = \"a\"\nto = \"index.position\"\nrange = [0.25, 0.6]\n");
    let index = input(&asked, "index.position");
    assert_eq!((index.range, index.limits), ((0.25, 0.6), (0.2, 0.6)));
    let still = spec("[[input]]\nid = \"a\"\nto = \"still.position\"\nrange = [0.1, 0.4]\n");
    let still = input(&still, "still.position");
    assert_eq!((still.range, still.limits, still.start), ((0.1, 0.4), (0.1, 0.5), 0.5));
}

#[test]
fn a_closed_rim_is_gone_round_any_number_of_times() {
    let text = "format = 1\n[[resonator]]\nid = \"glass\"\nkind = \"modes\"\nshape = { glass = { radius_m = 0.03, height_m = 0.08, thickness_m = 1e-3 } }\nmaterial = \"glass\"\nports = { rim = 0.0 }\n[[interaction]]\nid = \"wet\"\nkind = \"friction\"\nbetween = [\"glass.rim\", \"wall\"]\nnormal_n = 1\nposition = [[0, 0], [4, 3]]\nsticking = 0.6\nsliding = 0.3\nstribeck_m_s = 0.1\nstiffness_n_m = 1e4\n[[tap]]\nfrom = \"glass.rim\"\n";
    let spec = load("glass.toml", text, &[]).expect("loads").spec;
    let place = input(&spec, "wet.position");
    assert_eq!((place.range, place.limits), ((0.0, 3.0), (-1e6, 1e6)));
}

#[test]
fn knobs_and_settings_move_what_inputs_start_from() {
    let settings = [("bow.speed_m_s".to_owned(), "2 m/s".to_owned())];
    let spec = load("inputs.toml", INPUTS, &settings).expect("loads").spec;
    let speed = input(&spec, "bow.speed_m_s");
    assert_eq!((speed.start, speed.range), (2.0, (-4.0, 4.0)));
}

#[test]
#[rustfmt::skip] // One case per line reads as a table.
fn broken_inputs() {
    let text = format!("{INPUTS}\n[[input]]\nid = \"draw\"\nto = \"bow.speed_m_s\"\nrange = [-1, \"1 m/s\"]\nramp_s = 0.01\n");
    let first = INPUTS.lines().count() + 2;
    let [id, to, range, ramp] = [1, 2, 3, 4].map(|below| first + below);
    let cases: [Case; 20] = [
        ("id = \"draw\"", "", "instrument::missing_key", first, "`input[0].id` is missing", ""),
        ("id = \"draw\"", "id = \"a.b\"", "instrument::bad_name", id, "the id \"a.b\" is not usable", ""),
        ("id = \"draw\"", "id = \"seed\"", "instrument::bad_name", id, "the id `seed` is reserved", ""),
        ("id = \"draw\"", "id = \"bow\"", "instrument::duplicate_id", id, "the id `bow` is used twice, by an interaction and an input", ""),
        ("to = \"bow.speed_m_s\"", "", "instrument::missing_key", first, "`draw.to` is missing", ""),
        ("to = \"bow.speed_m_s\"", "to = 3", "instrument::wrong_type", to, "`draw.to` is 3, expected text", ""),
        ("to = \"bow.speed_m_s\"", "to = \"bow.sped_m_s\"", "instrument::unknown_reference", to, "`draw.to` is \"bow.sped_m_s\", but the file has no such input", "did you mean `bow.speed_m_s`?"),
        ("to = \"bow.speed_m_s\"", "to = \"pressed.normal_n\"", "instrument::unknown_reference", to, "no such input", "did you mean"),
        ("to = \"bow.speed_m_s\"", "to = \"skin.ear.force_n\"", "instrument::unknown_reference", to, "no such input", "did you mean `strike.force_n`?"),
        ("to = \"bow.speed_m_s\"", "too = \"bow.speed_m_s\"", "instrument::unknown_key", to, "`draw` has no key `too`", "did you mean `to`?"),
        ("range = [-1, \"1 m/s\"]", "range = [-1]", "instrument::wrong_type", range, "`draw.range` is a list of 1", ""),
        ("range = [-1, \"1 m/s\"]", "range = [-1, \"1 N\"]", "instrument::unit", range, "`draw.range[1]` is \"1 N\", expected a velocity in m/s", ""),
        ("range = [-1, \"1 m/s\"]", "range = [nan, 1]", "instrument::out_of_range", range, "`draw.range[0]` is NaN, expected a finite number", ""),
        ("range = [-1, \"1 m/s\"]", "range = [-1, 2e6]", "instrument::out_of_range", range, "`draw.range[1]` is 2000000, expected at most 1000000 m/s", ""),
        ("range = [-1, \"1 m/s\"]", "range = [1, \"-1 m/s\"]", "instrument::out_of_range", range, "`draw.range` goes from 1 m/s to -1 m/s, expected the lower value first", ""),
        ("range = [-1, \"1 m/s\"]", "range = [1, 1]", "instrument::out_of_range", range, "and a higher one after it", ""),
        ("to = \"bow.speed_m_s\"", "to = \"bow.normal_n\"", "instrument::out_of_range", range, "`draw.range[0]` is -1, expected at least 0 N", ""),
        ("to = \"bow.speed_m_s\"", "to = \"left.pan\"", "instrument::out_of_range", range, "`draw.range[1]` is \"1 m/s\", expected a finite number", ""),
        ("ramp_s = 0.01", "ramp_s = -1", "instrument::out_of_range", ramp, "`draw.ramp_s` is -1, expected a time from 0 to 3600 s", ""),
        ("ramp_s = 0.01", "ramp_s = \"2 m\"", "instrument::unit", ramp, "`draw.ramp_s` is \"2 m\", expected a time in s", ""),
    ];
    check(&text, &cases);
    let second = "ramp_s = 0.01\n[[input]]\nid = \"again\"\nto = \"bow.speed_m_s\"";
    check(&text, &[
        ("ramp_s = 0.01", second, "instrument::conflict", ramp + 3, "`again.to` is \"bow.speed_m_s\", which `draw` moves already", ""),
        ("ramp_s = 0.01", "[[input]]\nid = \"draw\"\nto = \"left.pan\"", "instrument::duplicate_id", ramp + 1, "the id `draw` is used twice, by an input and an input", ""),
        ("to = \"bow.speed_m_s\"\nrange = [-1, \"1 m/s\"]", "to = \"still.position\"", "instrument::missing_key", first, "`draw.range` is missing, and `still.position` stands still", "range = ["),
        ("to = \"bow.speed_m_s\"\nrange = [-1, \"1 m/s\"]", "to = \"still.position\"\nrange = [0.2, 1.2]", "instrument::out_of_range", range, "`draw.range[1]` is 1.2, expected at most 1", ""),
    ]);
    // nothing to move between
    let bar = format!("{BAR}\n[[input]]\nid = \"a\"\nto = \"contact.position\"\n");
    assert_eq!(load("bar.toml", &bar, &[]).expect_err("no place").code(), "instrument::unknown_reference");
}

#[test]
fn every_preset_offers_its_taps_under_ids_of_their_own() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../instruments");
    let mut files = 0;
    for entry in std::fs::read_dir(folder).expect("the presets") {
        let path = entry.expect("a file").path();
        let text = std::fs::read_to_string(&path).expect("text");
        let spec = load(&path.display().to_string(), &text, &[]).expect("a preset loads").spec;
        let inputs = spec.inputs();
        let ids: std::collections::BTreeSet<&str> = inputs.iter().map(|input| input.id.as_str()).collect();
        assert_eq!(ids.len(), inputs.len(), "{path:?}");
        for tap in &spec.taps {
            assert!(ids.contains(format!("{}.gain", tap.id).as_str()), "{path:?}");
            assert!(ids.contains(format!("{}.pan", tap.id).as_str()), "{path:?}");
        }
        for Input { path: name, range, limits, start, .. } in &inputs {
            assert!(limits.0 <= range.0 && range.0 < range.1 && range.1 <= limits.1, "{path:?}: {name}");
            assert!((limits.0..=limits.1).contains(start), "{path:?}: {name}");
        }
        files += 1;
    }
    assert!(files > 60, "{files} presets");
}
