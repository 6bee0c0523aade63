//! No input panics, and what comes out can be played.

use ictus_objects::{
    BarEnds, CircularEdge, MAX_MODES, Object, ObjectError, RectangularEdges, Shape, TubeEnds, find, materials, modes,
};
use proptest::prelude::*;

/// Every shape and every way to hold it, with the given sizes; `t` is a tension, an absorption or a spring.
fn every_shape([a, b, c, t]: [f64; 4]) -> Vec<Shape> {
    let mut shapes = vec![
        Shape::String { length_m: a, diameter_m: c, tension_n: t },
        Shape::RectangularMembrane { length_m: a, width_m: b, thickness_m: c, tension_n_m: t },
        Shape::CircularMembrane { radius_m: a, thickness_m: c, tension_n_m: t },
        Shape::Kettledrum { radius_m: a, thickness_m: c, tension_n_m: t, depth_m: b },
        Shape::Ring { radius_m: a, thickness_m: c, width_m: b },
        Shape::Glass { radius_m: a, thickness_m: c, height_m: b },
        Shape::BoxCavity { length_m: a, width_m: b, height_m: c, absorption: t },
        Shape::Chain { masses_kg: vec![a, b, c], springs_n_m: vec![t, b, c, 0.0], dampers_n_s_m: Vec::new() },
        Shape::Chain { masses_kg: vec![a], springs_n_m: vec![t], dampers_n_s_m: Vec::new() },
        Shape::Chain { masses_kg: vec![], springs_n_m: vec![], dampers_n_s_m: Vec::new() },
    ];
    for ends in [BarEnds::FreeFree, BarEnds::ClampedFree, BarEnds::Supported] {
        shapes.push(Shape::Bar { length_m: a, width_m: b, thickness_m: c, ends });
    }
    for edges in [RectangularEdges::Supported, RectangularEdges::Free] {
        shapes.push(Shape::RectangularPlate { length_m: a, width_m: b, thickness_m: c, edges });
    }
    for edge in [CircularEdge::Free, CircularEdge::Clamped, CircularEdge::Supported] {
        shapes.push(Shape::CircularPlate { radius_m: a, thickness_m: c, edge });
    }
    for ends in [TubeEnds::OpenOpen, TubeEnds::OpenClosed, TubeEnds::ClosedClosed] {
        shapes.push(Shape::Tube { length_m: a, radius_m: c, ends });
    }
    shapes
}

fn assert_playable(object: &Object, shape: &Shape, max_hz: f64, max_modes: usize) {
    assert!(!object.modes.is_empty() && object.modes.len() <= max_modes, "{shape:?}");
    assert!(object.mass_kg > 0.0 && object.mass_kg.is_finite(), "{shape:?}");
    assert!(object.modes.is_sorted_by(|a, b| a.frequency_hz <= b.frequency_hz), "{shape:?}");
    let rigid = matches!(shape, Shape::Chain { .. });
    for (i, mode) in object.modes.iter().enumerate() {
        let f = mode.frequency_hz;
        assert!((f > 0.0 || rigid && f == 0.0) && f <= max_hz, "{shape:?} mode {i}: {mode:?}");
        assert!(mode.decay_s > 0.0 && (mode.decay_s.is_finite() || f == 0.0), "{shape:?} mode {i}: {mode:?}");
        assert!(mode.mass_kg > 0.0 && mode.mass_kg.is_finite(), "{shape:?} mode {i}: {mode:?}");
        for at in [[0.0, 0.0], [0.3, 0.4], [0.5, 0.5], [1.0, 1.0], [-7.0, 1e300], [f64::INFINITY, 0.2]] {
            let value = object.shape(i, at);
            let outside = at[0].is_infinite();
            assert!(value.abs() <= 1.0 + 1e-6 || outside, "{shape:?} mode {i} at {at:?}: {value}");
        }
    }
    assert_eq!(object.shape(object.modes.len(), 0.5), 0.0);
}

#[test]
fn ordinary_objects_of_every_material() {
    for material in materials() {
        for shape in every_shape([0.3, 0.2, 0.002, 0.5]) {
            match modes(&shape, material, 2e4, 12) {
                Ok(object) => assert_playable(&object, &shape, 2e4, 12),
                Err(error) => assert!(!matches!(error, ObjectError::NoConvergence), "{shape:?}: {error}"),
            }
        }
    }
}

#[test]
fn sizes_that_cannot_be_are_refused_by_name() {
    let steel = find("steel").unwrap();
    for size in [0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MIN_POSITIVE, f64::MAX, 1e-30, 1e30] {
        for shape in every_shape([size, 0.2, 0.001, 0.5]) {
            let error = modes(&shape, steel, 2e4, 12).unwrap_err();
            assert!(matches!(error, ObjectError::Parameter { .. }), "{shape:?}: {error}");
        }
    }
    let bar = Shape::Bar { length_m: 0.1, width_m: 0.1, thickness_m: 0.2, ends: BarEnds::FreeFree };
    assert_eq!(
        modes(&bar, steel, 2e4, 9).unwrap_err().to_string(),
        "`thickness_m` is 0.2, expected at most the length, 0.1 m"
    );
}

#[test]
fn limits_are_kept() {
    let steel = find("steel").unwrap();
    for shape in every_shape([0.3, 0.2, 0.002, 0.5]) {
        for (max_hz, max_modes) in
            [(f64::NAN, 5), (0.0, 5), (-1.0, 5), (f64::INFINITY, 5), (1e3, 0), (1e3, MAX_MODES + 1)]
        {
            assert!(modes(&shape, steel, max_hz, max_modes).is_err(), "{shape:?} {max_hz} {max_modes}");
        }
        for max_modes in [1, 2, 7, 300] {
            if let Ok(object) = modes(&shape, steel, 1e5, max_modes) {
                assert_playable(&object, &shape, 1e5, max_modes);
            }
        }
    }
    let plate = Shape::CircularPlate { radius_m: 0.01, thickness_m: 0.005, edge: CircularEdge::Free };
    assert!(matches!(modes(&plate, steel, 100.0, 5), Err(ObjectError::NoModes { lowest_hz, .. }) if lowest_hz > 1e4));
}

#[test]
fn as_many_modes_as_allowed() {
    let steel = find("steel").unwrap();
    for shape in every_shape([0.7, 0.5, 1e-4, 0.5]) {
        if let Ok(object) = modes(&shape, steel, 1e9, MAX_MODES) {
            assert_playable(&object, &shape, 1e9, MAX_MODES);
            if matches!(
                shape,
                Shape::CircularMembrane { .. } | Shape::RectangularMembrane { .. } | Shape::CircularPlate { .. }
            ) {
                assert_eq!(object.modes.len(), MAX_MODES, "{shape:?}");
                // no mode is missing: Weyl's law with the rim's share, N = λ²/4 − λ/2
                if let Shape::CircularMembrane { radius_m, thickness_m, tension_n_m } = shape {
                    let speed = (tension_n_m / (steel.density_kg_m3 * thickness_m)).sqrt();
                    let number = std::f64::consts::TAU * object.modes[MAX_MODES - 1].frequency_hz * radius_m / speed;
                    let expected = 0.25 * number * number - 0.5 * number;
                    assert!((expected / MAX_MODES as f64 - 1.0).abs() < 0.005, "{expected}");
                }
            }
        }
    }
}

fn any_size() -> impl Strategy<Value = f64> {
    prop_oneof![8 => (-7.0..5.0).prop_map(|e| libm::pow(10.0, e)), 1 => any::<f64>()]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn nothing_panics(
        sizes in [any_size(), any_size(), any_size(), any_size()],
        max_hz in prop_oneof![Just(2e4), any::<f64>(), (-2.0..8.0).prop_map(|e| libm::pow(10.0, e))],
        max_modes in 0..40usize,
        which in 0..16usize,
    ) {
        let material = materials().nth(which).unwrap();
        for shape in every_shape(sizes) {
            match modes(&shape, material, max_hz, max_modes) {
                Ok(object) => assert_playable(&object, &shape, max_hz, max_modes),
                Err(error) => prop_assert!(!error.to_string().is_empty()),
            }
        }
    }
}
