//! The interaction `friction`: what it means, what it leaves to defaults, what it refuses.

use crate::common::BAR;
use ictus_instrument::{FrictionForm, FrictionModel, Interaction, Law, Surfaces, load};

const RUB: &str =
    "between = [\"bar.strike\", \"wall\"]\nsticking = 0.6\nsliding = 0.3\nstribeck_m_s = 0.1\nstiffness_n_m = 1e4\n";

/// The bar of the common file with a friction after its collision.
fn file(keys: &str) -> String {
    BAR.replace(
        "[[gesture]]",
        &format!("[[interaction]]\nid = \"rub\"\nkind = \"friction\"\n{RUB}{keys}\n\n[[gesture]]"),
    )
}

fn friction(keys: &str) -> (Surfaces, Interaction) {
    let interaction = load("rub.toml", &file(keys), &[]).unwrap_or_else(|e| panic!("{e}")).spec.interactions[1].clone();
    let Law::Friction(surfaces) = interaction.law else { panic!("friction") };
    (surfaces, interaction)
}

#[test]
fn keys_and_defaults() {
    let (surfaces, interaction) = friction("normal_n = 2");
    assert_eq!((surfaces.damping_n_s_m, surfaces.viscosity_n_s_m, surfaces.breakaway), (0.0, 0.0, 0.7));
    assert_eq!((surfaces.model, surfaces.form), (FrictionModel::ElastoPlastic, FrictionForm::Passive));
    assert_eq!((interaction.rub.normal, interaction.rub.speed), (vec![(0.0, 2.0)], vec![]));
    assert!(interaction.rub.roughness.is_none() && surfaces.pressed_by.is_none());

    let keys = "normal_n = [[0, 0], [\"0.1 s\", 3]]\nspeed_m_s = [[0, 0.1], [1, -0.1]]\nroughness = 0.2\nmodel = \"lugre\"\nform = \"printed\"";
    let (surfaces, interaction) = friction(keys);
    assert_eq!((surfaces.model, surfaces.form), (FrictionModel::Lugre, FrictionForm::Printed));
    assert_eq!(interaction.rub.normal, [(0.0, 0.0), (0.1, 3.0)]);
    assert_eq!(interaction.rub.speed, [(0.0, 0.1), (1.0, -0.1)]);
    assert_eq!(interaction.rub.roughness.map(|(share, _)| share), Some(0.2));

    let (surfaces, _) = friction("pressed_by = \"mallet-bar.strike\"");
    assert_eq!(surfaces.pressed_by, Some(0));
    let (surfaces, _) = friction("normal_n = 1\ndamping_n_s_m = 2\nmodel = \"dahl\"");
    assert_eq!((surfaces.sticking, surfaces.damping_n_s_m), (0.3, 0.0));
    let (_, rough) =
        friction("normal_n = 1\nroughness = 0.5\ntexture = { beta = 0.5, coarsest_m = \"1 cm\", finest_m = \"1 mm\" }");
    let (_, texture) = rough.rub.roughness.expect("rough");
    assert_eq!((texture.beta, texture.coarsest_m, texture.finest_m, texture.height_m), (0.5, 0.01, 0.001, 1.0));
}

/// The file with a bow curve in place of the bristles.
fn bow_curve(keys: &str) -> String {
    let bristles = RUB.split_once('\n').expect("ends first").1;
    file(&format!("model = \"bow_curve\"\n{keys}")).replace(bristles, "")
}

#[test]
#[rustfmt::skip] // One case per line reads as a table.
fn a_bow_curve_needs_its_sharpness_and_nothing_of_bristles() {
    let spec = load("rub.toml", &bow_curve("normal_n = 1\nsharpness_s2_m2 = 50"), &[]).unwrap_or_else(|e| panic!("{e}")).spec;
    let Law::Friction(surfaces) = spec.interactions[1].law else { panic!("friction") };
    assert_eq!((surfaces.model, surfaces.sharpness_s2_m2), (FrictionModel::BowCurve, 50.0));
    // the top of the curve is 1 as in the paper, at 1/√(2a)
    assert_eq!((surfaces.sticking, surfaces.stribeck_m_s), (1.0, 0.1));
    for (text, code, message) in [
        (bow_curve("normal_n = 1"), "instrument::missing_key", "`rub.sharpness_s2_m2` is missing"),
        (bow_curve("normal_n = 1\nsharpness_s2_m2 = 0"), "instrument::out_of_range", "`rub.sharpness_s2_m2` is 0"),
        (bow_curve("normal_n = 1\nsharpness_s2_m2 = 50\nstiffness_n_m = 1"), "instrument::conflict", "but a `bow_curve` has no bristles"),
        (bow_curve("normal_n = 1\nsharpness_s2_m2 = 50\nnewton_steps = 2"), "instrument::conflict", "but a `bow_curve` has no bristles"),
        (file("normal_n = 1\nsharpness_s2_m2 = 50"), "instrument::conflict", "which only a `bow_curve` has"),
        (file("normal_n = 1").replace("sliding = 0.3\n", ""), "instrument::missing_key", "`rub.sliding` is missing"),
        (file("normal_n = 1").replace("stiffness_n_m = 1e4\n", ""), "instrument::missing_key", "`rub.stiffness_n_m` is missing"),
    ] {
        let error = load("rub.toml", &text, &[]).expect_err(message);
        assert_eq!(error.code(), code, "{message}: {error}");
        assert!(error.message().contains(message), "{message}: {error}");
    }
}

const STRING: &str = "\n[[resonator]]\nid = \"string\"\nkind = \"string\"\nlength_m = 0.5\ndensity_kg_m = 1e-3\nfrequency_hz = 200\nports = { bow = 0.1 }\n";

/// A string instead of the bar.
fn on_string(keys: &str) -> String {
    file(keys).replace("between = [\"bar.strike\"", "between = [\"string.bow\"").replacen(
        "\n[[interaction]]",
        &format!("{STRING}\n[[interaction]]"),
        1,
    )
}

#[test]
fn bows_with_a_width_hair_and_a_place() {
    let (surfaces, interaction) = friction("normal_n = 2");
    assert_eq!((surfaces.bow.points, surfaces.bow.width_m, surfaces.bow.hair), (1, 0.0, None));
    assert_eq!((surfaces.newton_steps, friction("normal_n = 2\nnewton_steps = 2").0.newton_steps), (None, Some(2)));
    assert!(interaction.rub.position.is_empty() && interaction.rub.noise.is_none());
    let keys = "normal_n = 2\nposition = [[0, 0.1], [1, 0.3]]\nwidth_m = \"8 mm\"\nhair = { stiffness_n_m = 3e4, mass_kg = \"0.2 g\" }\nnoise = 0.1";
    let spec = load("rub.toml", &on_string(keys), &[]).unwrap_or_else(|e| panic!("{e}")).spec;
    let interaction = &spec.interactions[1];
    let Law::Friction(surfaces) = interaction.law else { panic!("friction") };
    assert_eq!((surfaces.bow.points, surfaces.bow.width_m), (4, 0.008));
    let hair = surfaces.bow.hair.expect("hair");
    assert_eq!((hair.stiffness_n_m, hair.mass_kg, hair.damping_n_s_m), (3e4, 2e-4, 0.0));
    assert_eq!(interaction.rub.position, [(0.0, 0.1), (1.0, 0.3)]);
    assert_eq!(interaction.rub.noise.map(|(share, _)| share), Some(0.1));
    let turning = on_string("normal_n = 2").replace("ports = { bow", "modes = 20\ntorsion = { q = 20 }\nports = { bow");
    let spec = load("rub.toml", &turning, &[]).unwrap_or_else(|e| panic!("{e}")).spec;
    let torsion = spec.resonators.iter().find_map(|body| match &body.kind {
        ictus_instrument::ResonatorKind::String(string) => string.torsion,
        _ => None,
    });
    let torsion = torsion.expect("torsion");
    assert_eq!((torsion.speed_ratio, torsion.impedance_ratio, torsion.q), (5.2, 3.3, 20.0));
}

#[test]
#[rustfmt::skip] // One case per line reads as a table.
fn bows_that_are_refused() {
    for (text, code, message) in [
        (file("normal_n = 1\nposition = 0.2"), "instrument::conflict", "`bar` has no places to move between, expected a string or a shape"),
        (file("normal_n = 1\nwidth_m = 0.01"), "instrument::conflict", "`rub.width_m`: `bar` is not a string"),
        (on_string("normal_n = 1\npoints = 3"), "instrument::conflict", "`rub.points` is 3, but the bow has no `width_m`"),
        (on_string("normal_n = 1\nwidth_m = 0.2"), "instrument::conflict", "a bow of 0.2 m at 0.1 reaches over the end of `string`"),
        (on_string("normal_n = 1\nposition = 1.5"), "instrument::conflict", "1.5 is not on `string`"),
        (on_string("normal_n = 1\npoints = 40\nwidth_m = 0.01"), "instrument::out_of_range", "expected a whole number from 1 to 32"),
        (on_string("normal_n = 1\nhair = { mass_kg = 1e-4 }"), "instrument::missing_key", "stiffness_n_m"),
        (on_string("normal_n = 1\nhair = { stiffness_n_m = 1e4, mass_kg = 1e-4, mas = 1 }"), "instrument::unknown_key", "has no key `mas`"),
        (on_string("normal_n = 1\nhair = { stiffness_n_m = 1e4, mass_kg = 1e-4 }").replace("between = [\"string.bow\", \"wall\"]", "between = [\"string.bow\", \"mallet\"]"), "instrument::conflict", "so the second end must be \"wall\""),
        (file("pressed_by = \"mallet-bar.strike\"\nnoise = 0.1"), "instrument::conflict", "noise is a share of `normal_n`"),
        (on_string("normal_n = 1").replace("ports = { bow", "torsion = {}\nports = { bow"), "instrument::conflict", "has `torsion`, which needs `modes`"),
    ] {
        let error = load("rub.toml", &text, &[]).expect_err(message);
        assert_eq!(error.code(), code, "{message}: {error}");
        assert!(error.message().contains(message), "{message}: {error}");
    }
}

#[test]
#[rustfmt::skip] // One case per line reads as a table.
fn what_is_refused() {
    for (keys, code, message) in [
        ("", "instrument::missing_key", "`rub` is not pressed, expected `normal_n` or `pressed_by`"),
        ("normal_n = 1\npressed_by = \"mallet-bar.strike\"", "instrument::missing_key", "`rub` has both `normal_n` and `pressed_by`"),
        ("pressed_by = \"mallet\"", "instrument::unknown_reference", "`rub.pressed_by` is \"mallet\", expected a collision or felt further up"),
        ("pressed_by = \"rub\"", "instrument::unknown_reference", "expected a collision or felt further up"),
        ("normal_n = -1", "instrument::out_of_range", "`rub.normal_n` is -1"),
        ("normal_n = \"2 m\"", "instrument::unit", "`m` does not measure that"),
        ("normal_n = [[1, 2], [0, 1]]", "instrument::out_of_range", "`rub.normal_n[1][0]` is 0, expected a time after 1 s"),
        ("normal_n = 1\nspeed_m_s = inf", "instrument::out_of_range", "`rub.speed_m_s`"),
        ("normal_n = 1\nbreakaway = 1", "instrument::out_of_range", "expected a number from 0 to below 1"),
        ("normal_n = 1\nnewton_steps = 0", "instrument::out_of_range", "expected a whole number from 1 to 16"),
        ("normal_n = 1\nroughness = 2", "instrument::out_of_range", "`rub.roughness` is 2"),
        ("normal_n = 1\nmodel = \"lugr\"", "instrument::unknown_value", "expected one of"),
        ("normal_n = 1\nfriction = 1", "instrument::unknown_key", "has no key `friction`"),
    ] {
        let error = load("rub.toml", &file(keys), &[]).expect_err(keys);
        assert_eq!(error.code(), code, "{keys:?}: {error}");
        assert!(error.message().contains(message), "{keys:?}: {error}");
    }
    let weak = file("normal_n = 1").replace("sticking = 0.6", "sticking = 0.2");
    let error = load("rub.toml", &weak, &[]).expect_err("sticks less than it slides");
    assert!(error.message().contains("`rub.sticking` is 0.2, expected at least `sliding`, 0.3"), "{error}");
}
