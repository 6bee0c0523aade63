//! Modes from shapes and materials: what loads, what knobs and settings reach, and what is refused in which words.

use crate::common::OBJECTS;
use ictus_instrument::{Error, Law, Object, ResonatorKind, Spec, load};
use ictus_objects::Shape;

fn with(settings: &[(&str, &str)]) -> Result<Spec, Error> {
    let settings: Vec<(String, String)> = settings.iter().map(|(k, v)| ((*k).into(), (*v).into())).collect();
    load("objects.toml", OBJECTS, &settings).map(|loaded| loaded.spec)
}

fn object<'a>(spec: &'a Spec, id: &str) -> &'a Object {
    match &spec.resonators.iter().find(|resonator| resonator.id == id).expect(id).kind {
        ResonatorKind::Object(object) => object,
        other => panic!("{id} is {other:?}"),
    }
}

fn stiffness(spec: &Spec, id: &str) -> f64 {
    match spec.interactions.iter().find(|interaction| interaction.id == id).expect(id).law {
        Law::Collision { stiffness, .. } => stiffness,
        ref other => panic!("{id} is {other:?}"),
    }
}

#[test]
fn every_shape_loads_and_every_shape_of_the_catalogue_is_there() {
    let spec = with(&[]).expect("loads");
    for entry in ictus_objects::shapes() {
        assert!(OBJECTS.contains(&format!("{{ {} = {{", entry.name)), "{}", entry.name);
        for key in entry.keys {
            assert!(OBJECTS.contains(&format!("{} = ", key.name)), "{}.{}", entry.name, key.name);
        }
    }
    let bar = object(&spec, "bar");
    assert_eq!((bar.description.pitch_hz, bar.max_hz, bar.max_modes), (Some(220.0), 10e3, 12));
    assert_eq!(bar.description.ratios, [1.0, 4.0, 10.0]);
    assert_eq!(bar.description.decay_scale, 0.5);
    assert_eq!(bar.description.material, *ictus_objects::find("rosewood").expect("rosewood"));
    assert_eq!(bar.ports[0].point, 0.5.into());
    let string = object(&spec, "string");
    assert_eq!((string.max_hz, string.max_modes), (20e3, 100));
    assert_eq!(string.description.material.density_kg_m3, 7850.0);
    assert_eq!(string.description.material.poisson, 0.31);
    assert_eq!(object(&spec, "head").description.material.damping.c, 1e-7);
    assert_eq!(object(&spec, "drum").description.material.name, "mylar");
    let gong = object(&spec, "gong").morph.as_ref().expect("a morph");
    assert_eq!((gong.amount, gong.points[0]), (0.3, [0.0, 1.0].into()));
    assert!(matches!(gong.description.shape, Shape::Glass { .. }));
    let ring = object(&spec, "ring");
    assert_eq!(ring.morph.as_ref().expect("a morph").description.shape, ring.description.shape);
}

#[test]
fn chains_have_dampers_and_banks_random_weights() {
    let spec = with(&[]).expect("loads");
    let Shape::Chain { dampers_n_s_m, .. } = &object(&spec, "chain").description.shape else { panic!("a chain") };
    assert_eq!(*dampers_n_s_m, [0.0, 1.0, 2.0, 0.0]);
    assert_eq!(object(&spec, "chain").weights, None);
    let text = OBJECTS.replacen(
        "discretisation = \"bilinear\"\nports",
        "discretisation = \"bilinear\"\nweight_spread = 0.01\nweight_seed = 3\nports",
        1,
    );
    let spec = load("weights.toml", &text, &[]).expect("loads").spec;
    let weights = object(&spec, "chain").weights.expect("random weights");
    assert_eq!((weights.spread, weights.seed), (0.01, Some(3)));
    // with dampers a chain needs no material
    let bare =
        OBJECTS.replacen("material = \"steel\"\ndiscretisation = \"bilinear\"", "discretisation = \"bilinear\"", 1);
    assert_ne!(bare, OBJECTS);
    load("bare.toml", &bare, &[]).expect("loads");
    let undamped = bare.replacen(", dampers_n_s_m = [0, 1, \"2 N s/m\", 0]", "", 1);
    let error = load("undamped.toml", &undamped, &[]).expect_err("no material");
    assert!(error.message().contains("`chain.material` is missing"), "{error}");
}

#[test]
fn settings_and_knobs_reach_dimensions_and_materials() {
    let spec = with(&[
        ("bar.length_m", "40 cm"),
        ("bar.material.loss_factor", "0.02"),
        ("bar.material.base", "maple"),
        ("string.shape.string.tension_n", "80"),
        ("gong.morph.amount", "1"),
        ("chain.masses_kg[1]", "300 g"),
        ("tube.frequency_hz", "A4"),
        ("head.ports.middle[0]", "0.3"),
    ])
    .expect("loads");
    assert!(matches!(object(&spec, "bar").description.shape, Shape::Bar { length_m: 0.4, .. }));
    let material = &object(&spec, "bar").description.material;
    assert_eq!((material.name, material.damping.b), ("maple", 0.02 * std::f64::consts::PI));
    assert!(matches!(object(&spec, "string").description.shape, Shape::String { tension_n: 80.0, .. }));
    assert_eq!(object(&spec, "gong").morph.as_ref().map(|morph| morph.amount), Some(1.0));
    assert!(matches!(&object(&spec, "chain").description.shape, Shape::Chain { masses_kg, .. } if masses_kg[1] == 0.3));
    assert_eq!(object(&spec, "tube").description.pitch_hz, Some(440.0));
    assert_eq!(object(&spec, "head").ports[0].point.x, 0.3);

    let knobs = format!(
        "{OBJECTS}\n[[control]]\nid = \"size\"\nmap = [{{ to = \"bar.length_m\", range = [\"20 cm\", \"60 cm\"] }}, \
         {{ to = \"bar.material.density_kg_m3\", curve = \"exponential\", range = [500, 2000] }}, \
         {{ to = \"drum.tension_n_m\", scale = true, range = [1, 3] }}, \
         {{ to = \"touch.contact_time_s\", range = [\"1 ms\", \"3 ms\"] }}]\n"
    );
    let loaded = load("knobs.toml", &knobs, &[]).expect("loads");
    assert_eq!(loaded.controls[0].mapped[0].unit, "m");
    assert_eq!(loaded.controls[0].mapped[1].unit, "kg/m^3");
    assert!(matches!(object(&loaded.spec, "bar").description.shape, Shape::Bar { length_m: 0.4, .. }));
    assert_eq!(object(&loaded.spec, "bar").description.material.density_kg_m3.round(), 1000.0);
    assert!(matches!(
        object(&loaded.spec, "drum").description.shape,
        Shape::CircularMembrane { tension_n_m: 6000.0, .. }
    ));
    // half the hardness: k ~ t^−(exponent + 1)
    let ratio = stiffness(&with(&[]).expect("loads"), "touch") / stiffness(&loaded.spec, "touch");
    assert!((ratio - libm::pow(2.0, 3.3)).abs() < 1e-9, "{ratio}");
}

#[test]
fn a_contact_time_becomes_a_stiffness_of_what_moves_freely() {
    let spec = with(&[]).expect("loads");
    // the mallet against a bar that counts as immovable
    let wall = ictus_core::WallImpact { mass: 0.02, stiffness: stiffness(&spec, "touch"), exponent: 2.3, loss: 0.2 };
    assert!((wall.duration(2.0) / 1e-3 - 1.0).abs() < 1e-12);
    // a free chain against a plate: all its mass, 1 m/s, Hertz
    let wall = ictus_core::WallImpact { mass: 0.4, stiffness: stiffness(&spec, "knock"), exponent: 1.5, loss: 0.0 };
    assert!((wall.duration(1.0) / 0.5e-3 - 1.0).abs() < 1e-12);
    // two masses: their reduced mass
    let text = OBJECTS.replacen(
        "id = \"mallet\"",
        "id = \"ball\"\nkind = \"mass\"\nmass_kg = \"60 g\"\n\n[[resonator]]\nid = \"mallet\"",
        1,
    );
    let text = text.replacen("[\"mallet\", \"bar.strike\"]", "[\"mallet\", \"ball\"]", 1);
    let spec = load("two.toml", &text, &[]).expect("loads").spec;
    let wall = ictus_core::WallImpact { mass: 0.015, stiffness: stiffness(&spec, "touch"), exponent: 2.3, loss: 0.2 };
    assert!((wall.duration(2.0) / 1e-3 - 1.0).abs() < 1e-12);
}

/// From, to, code, line, part of the message, part of the help.
type Case = (&'static str, &'static str, &'static str, usize, &'static str, &'static str);

#[test]
#[rustfmt::skip] // One case per line reads as a table.
fn broken_objects_say_what_is_wrong() {
    let cases: &[Case] = &[
        ("shape = { bar = {", "shape = { bare = {", "instrument::unknown_key", 7, "`bar.shape` has no key `bare`", "did you mean `bar`?"),
        ("shape = { bar = { length_m = \"30 cm\", width_m = \"5 cm\", thickness_m = \"2 cm\", ends = \"free_free\" } }", "shape = {}", "instrument::wrong_type", 7, "`bar.shape` is a table, expected a table with one of `bar`, `string`", ""),
        ("shape = { bar = { length_m = \"30 cm\", width_m = \"5 cm\", thickness_m = \"2 cm\", ends = \"free_free\" } }", "shape = \"bar\"", "instrument::wrong_type", 7, "`bar.shape` is \"bar\", expected a table with one of", ""),
        ("length_m = \"30 cm\", ", "", "instrument::missing_key", 7, "`bar.shape.bar.length_m` is missing", "length_m"),
        ("length_m = \"30 cm\"", "length_m = -1", "instrument::out_of_range", 7, "`bar.shape.bar.length_m` is -1, expected a positive length", ""),
        ("length_m = \"30 cm\"", "lenght_m = 1", "instrument::unknown_key", 7, "`bar.shape.bar` has no key `lenght_m`", "did you mean `length_m`?"),
        ("ends = \"free_free\"", "ends = \"free\"", "instrument::unknown_value", 7, "`bar.shape.bar.ends` is \"free\", expected one of `free_free`", ""),
        ("shape = { bar = {", "# {", "instrument::missing_key", 4, "`bar.shape` is missing", ""),
        ("material = \"rosewood\"", "material = \"rosewod\"", "instrument::unknown_value", 8, "`bar.material` is \"rosewod\", but there is no such material", "did you mean `rosewood`?"),
        ("material = \"rosewood\"", "", "instrument::missing_key", 4, "`bar.material` is missing", "ictus list --materials"),
        ("material = \"rosewood\"", "material = 3", "instrument::wrong_type", 8, "`bar.material` is 3, expected the name of a material, or a table", ""),
        ("base = \"steel\"", "base = \"stel\"", "instrument::unknown_value", 20, "`string.material.base` is \"stel\"", "did you mean `steel`?"),
        ("base = \"steel\", density_kg_m3 = \"7.85 g/cm^3\", ", "", "instrument::missing_key", 20, "`string.material.density_kg_m3` is missing", "`base`"),
        ("base = \"steel\"", "bass = \"steel\"", "instrument::unknown_key", 20, "`string.material` has no key `bass`", "did you mean `base`?"),
        ("density_kg_m3 = \"7.85 g/cm^3\"", "density_kg_m3 = \"7.85 g\"", "instrument::unit", 20, "`string.material.density_kg_m3` is \"7.85 g\", expected a density in kg/m^3", ""),
        ("young_pa = \"200 GPa\"", "young_pa = 0", "instrument::out_of_range", 20, "`string.material.young_pa` is 0, expected a positive modulus", ""),
        ("tuning = [1, 4, 10]", "tuning = []", "instrument::length", 10, "`bar.tuning` is a list of 0, expected 1 to 64 ratios", ""),
        ("tuning = [1, 4, 10]", "tuning = [1, 4, 4]", "instrument::out_of_range", 10, "`bar.tuning[2]` is 4, expected a ratio above 4", ""),
        ("tuning = [1, 4, 10]", "tuning = [0, 4]", "instrument::out_of_range", 10, "`bar.tuning[0]` is 0, expected a positive number", ""),
        ("frequency_hz = \"A3\"", "frequency_hz = [220]", "instrument::wrong_type", 9, "`bar.frequency_hz` is a list of 1, expected a number in Hz", ""),
        ("frequency_hz = \"A3\"", "mass_kg = 1", "instrument::unknown_key", 9, "`bar` has no key `mass_kg`", ""),
        ("max_modes = 12", "max_modes = 4097", "instrument::out_of_range", 13, "expected a whole number from 1 to 4096", ""),
        ("air = [0.1]", "air = [0.1, 0.2, 0.3, 0.4]", "instrument::length", 14, "`bar.ports.air` is a list of 4, expected a point of 1 to 3 coordinates", "a port is a point"),
        ("air = [0.1]", "air = []", "instrument::length", 14, "expected a point of 1 to 3 coordinates", ""),
        ("air = [0.1]", "\"a.b\" = [0.1]", "instrument::bad_name", 14, "`bar.ports` has the name \"a.b\"", ""),
        ("amount = 0.3", "amount = 2", "instrument::out_of_range", 59, "`gong.morph.amount` is 2, expected a number from 0 to 1", ""),
        ("amount = 0.3, ", "", "instrument::missing_key", 59, "`gong.morph.amount` is missing", ""),
        ("ports = { middle = [0, 1] }", "ports = { midle = [0, 1] }", "instrument::unknown_reference", 59, "`gong.morph.ports.midle` has no port of that name", "did you mean `middle`?"),
        ("ports = { corner = [0, 0, 0] }", "material = \"oak\"\nports = { corner = [0, 0, 0] }", "instrument::conflict", 80, "`room` is air, which has no material", ""),
        ("contact_time_s = \"1 ms\"", "contact_time_s = \"1 m\"", "instrument::unit", 107, "expected a time in s", ""),
        ("contact_time_s = \"1 ms\"", "contact_time_s = \"1 ms\"\nstiffness = 1e8", "instrument::conflict", 107, "`touch` has both `stiffness` and `contact_time_s`", ""),
        ("contact_time_s = \"1 ms\"", "stiffness = 1e8", "instrument::conflict", 108, "`touch` has `at_m_s`, which goes with `contact_time_s`", ""),
        ("contact_time_s = \"1 ms\"", "contact_time_s = 1e-300", "instrument::out_of_range", 107, "which asks for a stiffness of inf", ""),
        ("[\"mallet\", \"bar.strike\"]", "[\"plate.middle\", \"bar.strike\"]", "instrument::conflict", 107, "neither end moves freely", "give `stiffness`"),
        ("contact_time_s = \"1 ms\"\nat_m_s = \"2 m/s\"", "", "instrument::missing_key", 103, "`touch.stiffness` is missing", "contact_time_s"),
        ("depth_m = \"40 cm\"", "dept_m = 1", "instrument::unknown_key", 40, "`kettle.shape.kettledrum` has no key `dept_m`", "did you mean `depth_m`?"),
        (", depth_m = \"40 cm\"", "", "instrument::missing_key", 40, "`kettle.shape.kettledrum.depth_m` is missing", "depth_m"),
        ("max_modes = 20", "tuning = [1, 1.5, 2]", "instrument::conflict", 43, "the air puts the partials of a kettledrum where they are", "depth_m"),
    ];
    for (from, to, code, line, message, help) in cases {
        assert!(OBJECTS.contains(from), "the file has no {from:?}");
        let error = load("broken.toml", &OBJECTS.replacen(from, to, 1), &[]).expect_err(to);
        let got = (error.code(), error.line_column().map_or(0, |p| p.0));
        assert!(got == (*code, *line) && error.message().contains(message), "{to:?}: {got:?} {error}");
        assert!(error.help_text().unwrap_or_default().contains(help), "{to:?}: help {:?}", error.help_text());
    }
}
