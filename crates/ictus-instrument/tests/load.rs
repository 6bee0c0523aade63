//! Whole files, resolved.

use crate::common::{BAR, EVERYTHING, SURFACES, TANPURA};
use ictus_instrument::{
    Action, Barrier, BarrierShape, BarrierStiffness, End, Finger, Law, Loaded, Method, Pluck, PortRef, Quantity,
    Repeat, ResonatorKind, Scheme, Shape, Side, Strike, StringDamping, TapSource, load,
};

#[test]
fn the_bar_resolves_with_its_defaults() {
    let loaded = load("bar.toml", BAR, &[]).expect("a valid file");
    let spec = &loaded.spec;
    assert_eq!((spec.scheme, spec.oversampling, spec.seed), (Scheme::Midpoint, 1, 1));
    assert_eq!((spec.seconds, spec.gravity_m_s2), (4.0, 0.0));
    assert_eq!(spec.resonators[1].port_names().collect::<Vec<_>>(), ["strike", "air"]);
    let strike = PortRef { resonator: 1, port: 0 };
    assert_eq!(spec.port_name(strike), "bar.strike");
    let contact = &spec.interactions[0];
    assert_eq!(contact.id, "mallet-bar.strike");
    assert_eq!(contact.between, [End::Port(PortRef { resonator: 0, port: 0 }), End::Port(strike)]);
    let Law::Collision { stiffness, exponent, gap_m, damping_s_m, method } = contact.law else { panic!("collision") };
    assert!((stiffness / 1e8 - 1.0).abs() < 1e-12, "the knob stands in the middle of 1e6 and 1e10: {stiffness}");
    assert_eq!((exponent, gap_m, damping_s_m, method), (2.3, 0.001, 0.0, Method::Gradient));
    assert_eq!(spec.gestures[0].id, "throw");
    assert_eq!(spec.taps[0].id, "tap");
    assert_eq!(spec.taps[0].from, TapSource::Port(PortRef { resonator: 1, port: 1 }));
    assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
}

/// A file in which every key stands.
fn everything() -> Loaded {
    load("everything.toml", EVERYTHING, &[]).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn every_key_is_read() {
    let Loaded { spec, controls, warnings, .. } = everything();
    assert_eq!((spec.oversampling, spec.seed, spec.seconds), (2, u64::MAX, 1.5));
    assert_eq!(spec.preset.as_ref().map(|p| p.name.as_str()), Some("Everything, All At Once"));
    assert_eq!((spec.taps[2].from, spec.taps[2].quantity), (TapSource::Interaction(1), Quantity::Force));
    assert_eq!(controls[1].name, "damping");
    assert!(warnings.is_empty(), "{warnings:?}");
}

#[test]
fn every_key_of_a_resonator_is_read() {
    let spec = everything().spec;
    let ResonatorKind::Mass(mallet) = &spec.resonators[0].kind else { panic!("mass") };
    assert_eq!((mallet.mass_kg, mallet.position_m), (0.02, -0.003));
    let ResonatorKind::Modes(bar) = &spec.resonators[1].kind else { panic!("modes") };
    assert_eq!(bar.frequency_hz, [440.0, 1200.0, 2377.7]);
    assert_eq!(bar.mass_kg, [0.11; 3]);
    assert_eq!(bar.decay_s, [1.8, f64::INFINITY, 0.3], "the knob stands where its table says 1");
    let ResonatorKind::String(wire) = &spec.resonators[2].kind else { panic!("string") };
    let speed = 2.0 * 0.65 * 82.406_889_228_217_48;
    assert!((wire.tension_n / (0.005 * speed * speed) - 1.0).abs() < 1e-12);
    assert_eq!(wire.damping, StringDamping::Decay([(100.0, 6.0), (2000.0, 0.5)]));
    assert_eq!(wire.points, Some(200));
    let ResonatorKind::String(low) = &spec.resonators[3].kind else { panic!("string") };
    assert_eq!(low.damping, StringDamping::Coefficients { sigma0_1_s: 0.5, sigma1_m2_s: 1e-3 });
    let ResonatorKind::String(sitar) = &spec.resonators[4].kind else { panic!("string") };
    assert_eq!((sitar.points, sitar.modes), (None, Some(80)));
}

#[test]
fn every_key_of_an_interaction_is_read() {
    let spec = everything().spec;
    let ids: Vec<&str> = spec.interactions.iter().map(|i| i.id.as_str()).collect();
    assert_eq!(
        ids,
        [
            "hit",
            "wire.bridge-wall",
            "wire.bridge-bar.air",
            "bar.air-low.middle",
            "wall-bar.strike",
            "finger",
            "soft_bow"
        ]
    );
    assert_eq!(spec.interactions[2].law, Law::Spring { stiffness_n_m: 2000.0, damping_n_s_m: 0.01 });
}

#[test]
fn every_key_of_a_gesture_is_read() {
    let spec = everything().spec;
    let ids: Vec<&str> = spec.gestures.iter().map(|g| g.id.as_str()).collect();
    // `force` is taken by a control, which the file names itself.
    assert_eq!(ids, ["first", "pluck", "pluck#2", "strike", "strike#2", "force#2", "velocity"]);
    assert_eq!(spec.gestures[0].repeat, Some(Repeat { times: 3, every_s: 0.25, vary: 0.1, jitter_s: 0.005 }));
    let port = PortRef { resonator: 2, port: 0 };
    let pluck = |how| Action::Pluck { port, how };
    assert_eq!(spec.gestures[1].action, pluck(Pluck::Force { force_n: 1.2, duration_s: 0.004 }));
    assert_eq!(spec.gestures[2].action, pluck(Pluck::Displacement { displacement_m: 0.002, shape: Shape::Sine }));
    let Action::Strike { amount, .. } = spec.gestures[3].action else { panic!("strike") };
    assert_eq!(amount, Strike::ImpulseNS(0.005));
    let Action::Force { curve, .. } = &spec.gestures[5].action else { panic!("force") };
    assert_eq!(curve.as_slice(), [(0.0, 0.0), (0.01, 1.0), (0.02, 0.0)]);
    let Action::Velocity { curve, .. } = &spec.gestures[6].action else { panic!("velocity") };
    assert_eq!(curve.as_slice(), [(0.0, 0.1), (0.1, 0.0)]);
}

#[test]
fn every_key_of_a_barrier_and_a_finger_is_read() {
    let spec = everything().spec;
    let jawari = Barrier {
        id: "jawari".into(),
        string: 4,
        side: Side::Below,
        // Where the knob at 0 puts it.
        shape: BarrierShape::Profile { height_m: vec![-0.0001, 0.0, -4.0] },
        from: 0.0,
        to: 0.015,
        stiffness: BarrierStiffness::Density(1e10),
        exponent: 1.3,
        damping_s_m: 0.5,
        method: Method::Gradient,
        lift: vec![(0.0, 0.0), (0.5, 0.0002)],
    };
    assert_eq!(spec.barriers[0], jawari);
    let index = Finger {
        id: "index".into(),
        string: 4,
        mass_kg: 0.012,
        damping_n_s_m: 4.0,
        stiffness: 2e6,
        exponent: 2.0,
        damping_s_m: 0.2,
        radius_m: 0.008,
        width_m: 0.01,
        height_m: 0.005,
        hold_n_m: 30.0,
        side: Side::Above,
        position: vec![(0.0, 0.1), (1.0, 0.2)],
        force: vec![(0.0, 0.0), (0.1, 3.0), (0.9, 3.0), (1.0, 0.0)],
    };
    assert_eq!(spec.fingers[0], index);
}

#[test]
fn barriers_and_fingers_resolve_with_their_defaults() {
    let loaded = load("tanpura.toml", TANPURA, &[]).unwrap_or_else(|e| panic!("{e}"));
    let spec = &loaded.spec;
    let ids: Vec<&str> = spec.barriers.iter().map(|barrier| barrier.id.as_str()).collect();
    assert_eq!(ids, ["bridge", "barrier", "frets", "barrier#2"]);
    let [bridge, thread, frets, pegs] = spec.barriers.as_slice() else { panic!("four barriers") };
    assert_eq!([bridge.string, thread.string, frets.string, pegs.string], [1, 1, 2, 2]);
    assert_eq!(bridge.shape, BarrierShape::Profile { height_m: vec![-0.0001, 0.01, -4.0] });
    assert_eq!(thread.shape, BarrierShape::Flat { height_m: -0.001 });
    assert_eq!(frets.shape, BarrierShape::Frets { height_m: vec![-0.0015; 3] });
    assert_eq!(pegs.shape, BarrierShape::Points(vec![(0.2, 0.001), (0.7, 0.002)]));
    assert_eq!([bridge.from, thread.from, frets.from, pegs.from], [0.0, 0.04, 0.0, 0.0]);
    assert_eq!([bridge.to, thread.to, frets.to, pegs.to], [0.03, 0.05, 1.0, 1.0]);
    assert_eq!([bridge.side, pegs.side], [Side::Below, Side::Above]);
    assert_eq!([bridge.exponent, thread.exponent], [1.3, 1.5]);
    assert_eq!([bridge.damping_s_m, thread.damping_s_m], [0.5, 0.0]);
    assert_eq!(bridge.stiffness, BarrierStiffness::Density(1e10));
    assert_eq!(thread.stiffness, BarrierStiffness::PerPoint(1e8));
    assert_eq!((thread.method, thread.lift.as_slice()), (Method::Gradient, [(0.0, 0.0), (0.5, 0.0004)].as_slice()));
    assert!(bridge.lift.is_empty());
    let finger = Finger {
        id: "finger".into(),
        string: 2,
        mass_kg: 0.01,
        damping_n_s_m: 5.0,
        stiffness: 1e6,
        exponent: 1.5,
        damping_s_m: 0.1,
        radius_m: 0.01,
        width_m: 0.012,
        height_m: 0.01,
        hold_n_m: 20.0,
        side: Side::Above,
        position: vec![(0.0, 0.13)],
        force: vec![(0.0, 0.0), (0.1, 4.0), (1.0, 0.0)],
    };
    assert_eq!(spec.fingers[0], finger);
    let second = &spec.fingers[1];
    assert_eq!((second.id.as_str(), second.side), ("finger#2", Side::Below));
    assert_eq!(second.position, [(0.0, 0.5), (1.0, 0.25)]);
    assert!(second.force.is_empty());
    assert_eq!(spec.taps[1].from, TapSource::Barrier(0));
    assert_eq!(spec.taps[2].from, TapSource::Finger(1));
    assert!(loaded.warnings.is_empty(), "a barrier or a finger is use enough: {:?}", loaded.warnings);
}

#[test]
fn equal_pairs_get_numbered_ids() {
    let twice = BAR.replace(
        "[[gesture]]",
        "[[interaction]]\nkind = \"spring\"\nbetween = [\"mallet\", \"bar.strike\"]\nstiffness_n_m = 1\n\n[[gesture]]",
    );
    let loaded = load("bar.toml", &twice, &[]).expect("valid");
    assert_eq!(loaded.spec.interactions[1].id, "mallet-bar.strike#2");
    let settings = [("mallet-bar.strike#2.stiffness_n_m".to_owned(), "7".to_owned())];
    let loaded = load("bar.toml", &twice, &settings).expect("valid");
    assert_eq!(loaded.spec.interactions[1].law, Law::Spring { stiffness_n_m: 7.0, damping_n_s_m: 0.0 });
}

#[test]
fn odd_files_load_with_a_warning() {
    for (edit, code, line) in [
        (("at_s = 0.0", "at_s = 9.0"), "instrument::too_late", 25),
        (("map = [{", "# map = [{"), "instrument::unused", 32),
        (("velocity_m_s = 1.5", "velocity_m_s = 0"), "instrument::unused", 24),
        (("[[tap]]", "[[resonator]]\nid = \"x\"\nkind = \"mass\"\nmass_kg = 1\n[[tap]]"), "instrument::unused", 28),
    ] {
        let loaded = load("bar.toml", &BAR.replace(edit.0, edit.1), &[]).unwrap_or_else(|e| panic!("{e}"));
        let [warning] = loaded.warnings.as_slice() else { panic!("{edit:?}: {:?}", loaded.warnings) };
        assert!(warning.is_warning());
        assert_eq!((warning.code(), warning.line_column().map(|p| p.0)), (code, Some(line)), "{warning}");
    }
}

#[test]
fn later_errors_point_into_the_file() {
    let loaded = load("bar.toml", BAR, &[]).expect("valid");
    for (path, line) in [
        ("mallet-bar.strike.stiffness", 35),
        ("mallet-bar.strike.gap_m", 22),
        ("mallet-bar.strike.method", 17),
        ("bar", 9),
        ("bar.decay_s[1]", 13),
        ("bar.ports.air", 15),
        ("throw.velocity_m_s", 26),
        ("title", 2),
    ] {
        let error = loaded.error_at(path, "engine::test", "message", "label", Some("help".into()));
        assert_eq!((error.code(), error.line_column().map(|p| p.0)), ("engine::test", Some(line)), "{path}");
        assert_eq!((error.message(), error.help_text(), error.file()), ("message", Some("help"), "bar.toml"));
    }
    assert_eq!(loaded.error_at("no.such.path", "c", "m", "l", None).line_column(), None);
    assert_eq!(loaded.error_at("scheme", "c", "m", "l", None).line_column(), None, "not in the file");
}

#[test]
fn surfaces_and_scattered_throws() {
    let loaded = load("surfaces.toml", SURFACES, &[]).expect("a valid file");
    let surface = &loaded.spec.interactions[0].surface;
    assert_eq!(surface.lift, [(0.0, 0.0), (1.0, -0.05)]);
    // the knobs stand in the middle: scaled by 1.25, and half way from 1 to 50 µm
    assert_eq!(surface.speed, [(0.0, 0.625), (2.0, 0.0)]);
    let texture = surface.texture.as_ref().expect("a texture");
    let roughness = texture.roughness.expect("rough");
    assert!((roughness.height_m - 25.5e-6).abs() < 1e-12);
    assert_eq!((roughness.beta, roughness.coarsest_m, roughness.finest_m, roughness.seed), (1.5, 0.02, 2e-4, Some(7)));
    assert_eq!((texture.radius_m, texture.eccentricity_m.as_slice()), (Some(0.005), &[1e-4, 5e-6][..]));
    let smooth = &loaded.spec.interactions[1].surface;
    assert_eq!(smooth.speed, [(0.0, 0.2)]);
    assert_eq!(smooth.texture.as_ref().and_then(|texture| texture.roughness), None);
    let Action::Scatter { masses, rate, velocity_m_s, exponent } = &loaded.spec.gestures[0].action else {
        panic!("scatter")
    };
    assert_eq!((masses.as_slice(), *exponent), (&[1, 0][..], 1.4));
    assert_eq!((rate.as_slice(), *velocity_m_s), (&[(0.0, 250.0), (2.0, 0.0)][..], (-0.1, -3.0)));
}

#[test]
fn an_instrument_that_nothing_plays_gets_a_warning() {
    let warned = |text: &str| {
        let loaded = load("bar.toml", text, &[]).unwrap_or_else(|error| panic!("{error}"));
        loaded.warnings.iter().any(|warning| warning.code() == "instrument::not_played")
    };
    let start = BAR.find("[[gesture]]").expect("a gesture");
    let end = start + BAR[start..].find("\n\n").expect("its end");
    let unplayed = format!("{}{}", &BAR[..start], &BAR[end..]);
    assert!(!warned(BAR));
    assert!(warned(&unplayed));
    let falls = unplayed.replacen("format = 1", "format = 1\ngravity_m_s2 = 9.81", 1);
    let thrown = unplayed.replacen("kind = \"mass\"", "kind = \"mass\"\nvelocity_m_s = 1", 1);
    assert!(!warned(&falls) && !warned(&thrown), "weight and a start in motion play too");
}
