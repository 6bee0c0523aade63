//! Membranes and plates on grids, drums and wires: what they mean, what they leave to defaults, what they refuse.

use crate::common::GRIDS;
use ictus_instrument::{BarrierStiffness, ResonatorKind, Side, TapSource, load};

#[test]
fn keys_and_defaults() {
    let spec = load("grids.toml", GRIDS, &[]).unwrap_or_else(|e| panic!("{e}")).spec;
    let ResonatorKind::Grid(head) = &spec.resonators[1].kind else { panic!("a grid") };
    assert_eq!((head.frequency_hz, head.points), (Some(220.0), Some(25)), "the knob stands in the middle");
    assert_eq!(head.decay, Some([(200.0, 0.5), (2000.0, 0.1)]));
    assert_eq!(head.ports[0].at, Some([0.3, -0.2]));
    let ResonatorKind::Drum(drum) = &spec.resonators[3].kind else { panic!("a drum") };
    assert_eq!((drum.radius_m, drum.heads.len()), (0.16, 2));
    assert_eq!(drum.heads[0].frequency_hz, Some(185.0));
    assert_eq!((drum.ports[1].head, drum.ports[1].at), (1, Some([0.5, 0.1])));
    let [snares, lone] = spec.wires.as_slice() else { panic!("two sets of wires") };
    assert_eq!((snares.surface, snares.head, snares.count, snares.snap), (3, 1, 4, true));
    assert_eq!(snares.stiffness, BarrierStiffness::Density(1e7));
    assert_eq!((lone.id.as_str(), lone.surface, lone.head, lone.side), ("wires", 1, 0, Side::Above));
    assert_eq!((lone.exponent, lone.spread_m, lone.sigma0_1_s), (1.5, 0.04, 0.0));
    assert_eq!(spec.taps[1].from, TapSource::Wires(0));
    let set = [("head.tension_n_m".to_owned(), "3 kN/m".to_owned())];
    load("grids.toml", GRIDS, &set).unwrap_or_else(|e| panic!("{e}"));
}

#[test]
#[rustfmt::skip] // One case per line reads as a table.
fn what_is_refused() {
    for (from, to, code, message) in [
        ("{ circular_membrane = {", "{ ring = {", "instrument::unknown_key", "tension_n_m"),
        ("{ circular_membrane = { radius_m = \"15 cm\", thickness_m = \"0.2 mm\", tension_n_m = \"2 kN/m\" } }", "{ bar = { length_m = 1, width_m = 1, thickness_m = 1 } }", "instrument::conflict", "neither a membrane nor a plate"),
        ("material = \"steel\"", "material = \"steel\"\nfrequency_hz = 100", "instrument::conflict", "as its thickness makes it"),
        ("points = 24", "points = 3", "instrument::out_of_range", "a whole number from 4 to 1000"),
        ("hit = [0.3, -0.2]", "hit = [0.3]", "instrument::wrong_type", "2"),
        ("decay = [[200, 0.5], [2000, 0.1]]", "decay = [[200, 0.5], [2000, 0.9]]", "instrument::out_of_range", "decay no slower"),
        ("hit = [\"batter\", 0.2, 0.1]", "hit = [\"bater\", 0.2, 0.1]", "instrument::unknown_reference", "no such head"),
        ("name = \"snare\"", "name = \"batter\"", "instrument::duplicate_id", "both heads are called `batter`"),
        ("tension_n_m = 2000,", "", "instrument::missing_key", "neither `tension_n_m` nor `frequency_hz`"),
        ("tension_n_m = 2000,", "tension_n_m = 2000, frequency_hz = 300,", "instrument::conflict", "expected one of them"),
        ("tension_n_m = 2000,", "tension_n_m = 2000, pedal = [[0, 11]],", "instrument::out_of_range", "a number from 0.1 to 10"),
        ("tension_n_m = 2000,", "tension_n_m = 2000, pedal = [[1, 1], [1, 1.2]],", "instrument::out_of_range", "a time after 1 s"),
        ("tension_n_m = 2000,", "tension_n_m = 2000, pedal = [],", "instrument::length", "at least 1 point"),
        ("on = \"drum.snare\"", "on = \"drum.snares\"", "instrument::unknown_reference", "no such surface on a grid"),
        ("on = \"drum.snare\"", "on = \"stick\"", "instrument::unknown_reference", "no such surface on a grid"),
        ("to = [0, 0.7]", "to = [0, -0.7]", "instrument::out_of_range", "two different points"),
        ("count = 4", "count = 0", "instrument::out_of_range", "a whole number from 1 to 64"),
        ("density = 1e7\n", "", "instrument::missing_key", "neither `stiffness` nor `density`"),
        ("method = \"gradient\"", "method = \"quadratised\"", "instrument::conflict", "no damping"),
        ("snap = true", "snapp = true", "instrument::unknown_key", "has no key `snapp`"),
        ("kind = \"drum\"", "kind = \"drums\"", "instrument::unknown_value", "drum"),
    ] {
        // the knob would set the grid right again
        let text = GRIDS.replace(", { to = \"head.points\", range = [20, 30] }", "");
        assert!(text.contains(from), "{from}");
        let error = load("grids.toml", &text.replacen(from, to, 1), &[]).map(|_| ()).expect_err(to);
        assert_eq!(error.code(), code, "{to:?}: {error}");
        assert!(error.to_string().contains(message), "{to:?}: {error}");
    }
}

#[test]
fn a_supported_round_plate_is_refused_at_its_edge() {
    let text = "format = 1\n[[resonator]]\nid = \"plate\"\nkind = \"grid\"\nmaterial = \"steel\"\n\
                shape = { circular_plate = { radius_m = 0.1, thickness_m = 0.001, edge = \"supported\" } }\n\
                ports = { a = [0, 0] }\n[[tap]]\nfrom = \"plate.a\"\n";
    let error = load("plate.toml", text, &[]).map(|_| ()).expect_err("no such plate");
    assert_eq!(error.code(), "instrument::conflict");
    let span = error.span().expect("a place");
    assert_eq!(&text[span], "\"supported\"", "{error}");
    assert!(error.to_string().contains("round plate on a grid"), "{error}");
    for edge in ["free", "clamped"] {
        load("plate.toml", &text.replace("supported", edge), &[]).unwrap_or_else(|error| panic!("{edge}: {error}"));
    }
    // by modes it can be had
    load("plate.toml", &text.replace("\"grid\"", "\"modes\""), &[]).unwrap_or_else(|error| panic!("{error}"));
}
