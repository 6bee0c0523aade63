//! Tuned objects and the way between two of them.

use ictus_objects::{
    BarEnds, CircularEdge, Description, ObjectError, Point, RectangularEdges, Shape, Support, TubeEnds, find,
    materials, morph,
};
use proptest::prelude::*;

fn bar(material: &str) -> Description {
    let shape = Shape::Bar { length_m: 0.3, width_m: 0.05, thickness_m: 0.02, ends: BarEnds::FreeFree };
    Description::new(shape, find(material).unwrap().clone())
}

fn points(count: usize) -> Vec<Point> {
    (0..count).map(|i| Point::from([0.1 + 0.21 * i as f64, 0.3])).collect()
}

#[test]
fn a_tuned_bar_sounds_at_its_ratios_whatever_its_losses() {
    for (material, scale) in [("rosewood", 1.0), ("steel", 1.0), ("cork", 1.0), ("rubber", 0.3), ("glass", 10.0)] {
        let tuned =
            Description { pitch_hz: Some(220.0), ratios: vec![1.0, 4.0, 10.0], decay_scale: scale, ..bar(material) };
        let object = tuned.build(20e3, 20).unwrap();
        for (mode, ratio) in object.modes.iter().zip([1.0, 4.0, 10.0]) {
            let sounding = mode.sounding_hz();
            assert!((sounding / (220.0 * ratio) - 1.0).abs() < 1e-12, "{material}: {sounding}");
            // losses are the material's at the new frequency
            let expected = scale * tuned.material.damping.decay_s(mode.frequency_hz);
            assert!((mode.decay_s / expected - 1.0).abs() < 1e-12, "{material}: {} {expected}", mode.decay_s);
        }
        // higher ones follow the third
        let plain = bar(material).build(1e6, 6).unwrap();
        let ratio =
            |object: &ictus_objects::Object, i: usize| object.modes[i].frequency_hz / object.modes[2].frequency_hz;
        if object.modes.len() > 3 {
            assert!((ratio(&object, 3) / ratio(&plain, 3) - 1.0).abs() < 1e-12);
        }
        assert!(object.modes.is_sorted_by(|a, b| a.frequency_hz < b.frequency_hz));
        assert!(object.modes.iter().all(|mode| mode.frequency_hz <= 20e3));
        assert_eq!(object.shapes(0.3).len(), object.modes.len());
    }
}

#[test]
fn ratios_without_a_pitch_keep_the_first_partial() {
    let plain = bar("maple").build(20e3, 8).unwrap();
    let tuned = Description { ratios: vec![1.0, 3.0], ..bar("maple") }.build(20e3, 8).unwrap();
    assert_eq!(tuned.modes[0], plain.modes[0]);
    assert!((tuned.modes[1].sounding_hz() / plain.modes[0].frequency_hz - 3.0).abs() < 1e-9);
    // the pitch is where the ratio 1 sounds: a kettledrum's name is that of its second partial
    let drum = Shape::CircularMembrane { radius_m: 0.32, thickness_m: 0.2e-3, tension_n_m: 3000.0 };
    let drum = Description {
        ratios: vec![0.85, 1.0, 1.5, 1.7],
        pitch_hz: Some(110.0),
        ..Description::new(drum, find("mylar").unwrap().clone())
    };
    let modes = drum.build(5000.0, 12).unwrap().modes;
    assert_eq!(modes.iter().take(6).map(|mode| mode.label.0).collect::<Vec<_>>(), [0, 1, 1, 2, 2, 0]);
    for (mode, hz) in modes.iter().zip([93.5, 110.0, 110.0, 165.0, 165.0, 187.0]) {
        assert!((mode.sounding_hz() / hz - 1.0).abs() < 1e-12, "{mode:?}");
    }
}

#[test]
fn what_cannot_be_tuned_is_refused_by_name() {
    let parameter = |description: Description| match description.build(20e3, 20) {
        Err(ObjectError::Parameter { what, .. }) => what,
        other => panic!("{other:?}"),
    };
    assert_eq!(parameter(Description { pitch_hz: Some(f64::NAN), ..bar("steel") }), "frequency_hz");
    assert_eq!(parameter(Description { pitch_hz: Some(0.0), ..bar("steel") }), "frequency_hz");
    assert_eq!(parameter(Description { ratios: vec![1.0, 1.0], ..bar("steel") }), "tuning");
    assert_eq!(parameter(Description { ratios: vec![1.0, f64::INFINITY], ..bar("steel") }), "tuning");
    assert_eq!(parameter(Description { decay_scale: 0.0, ..bar("steel") }), "decay_scale");
    assert_eq!(parameter(Description { ratios: vec![1.0; 65], ..bar("steel") }), "number of tuning ratios");
    let chain = Shape::Chain { masses_kg: vec![1.0, 1.0], springs_n_m: vec![0.0, 1e5, 0.0], dampers_n_s_m: Vec::new() };
    let chain = Description::new(chain, find("steel").unwrap().clone());
    assert_eq!(parameter(Description { ratios: vec![1.0, 2.0], ..chain.clone() }), "number of tuning ratios");
    // the rigid motion stays, the vibration is tuned
    let tuned = Description { pitch_hz: Some(100.0), ..chain }.build(20e3, 20).unwrap();
    assert_eq!(tuned.modes[0].frequency_hz, 0.0);
    assert!((tuned.modes[1].sounding_hz() - 100.0).abs() < 1e-10);
    assert!(matches!(
        Description { pitch_hz: Some(30e3), ..bar("steel") }.build(20e3, 20),
        Err(ObjectError::NoModes { .. })
    ));
}

/// One of each shape, of ordinary size.
fn every_kind() -> Vec<Shape> {
    vec![
        Shape::Bar { length_m: 0.3, width_m: 0.05, thickness_m: 0.02, ends: BarEnds::FreeFree },
        Shape::String { length_m: 0.65, diameter_m: 1e-3, tension_n: 70.0 },
        Shape::RectangularMembrane { length_m: 0.4, width_m: 0.3, thickness_m: 2e-4, tension_n_m: 3000.0 },
        Shape::CircularMembrane { radius_m: 0.2, thickness_m: 2e-4, tension_n_m: 3000.0 },
        Shape::RectangularPlate { length_m: 0.4, width_m: 0.3, thickness_m: 2e-3, edges: RectangularEdges::Free },
        Shape::CircularPlate { radius_m: 0.2, thickness_m: 2e-3, edge: CircularEdge::Free },
        Shape::Ring { radius_m: 0.1, thickness_m: 5e-3, width_m: 0.02 },
        Shape::Glass { radius_m: 0.04, thickness_m: 1.5e-3, height_m: 0.1 },
        Shape::BoxCavity { length_m: 0.4, width_m: 0.3, height_m: 0.1, absorption: 0.02 },
        Shape::Tube { length_m: 0.4, radius_m: 0.02, ends: TubeEnds::OpenClosed },
        Shape::Chain {
            masses_kg: vec![0.1, 0.2, 0.1],
            springs_n_m: vec![0.0, 1e6, 1e6, 0.0],
            dampers_n_s_m: Vec::new(),
        },
    ]
}

#[test]
fn a_morph_is_exact_at_its_ends_and_monotone_between() {
    let steel = find("steel").unwrap();
    let wood = find("spruce").unwrap();
    for a in every_kind() {
        for b in every_kind() {
            let [first, second] = [(&a, steel), (&b, wood)].map(|(shape, material)| {
                Description::new(shape.clone(), material.clone()).build(20e3, 24).unwrap().bank(&points(3))
            });
            let alike = std::mem::discriminant(&a) == std::mem::discriminant(&b);
            assert_eq!(morph(&first, &second, 0.0, alike), first);
            assert_eq!(morph(&first, &second, 1.0, alike), second);
            let way: Vec<_> = (1..10).map(|i| morph(&first, &second, f64::from(i) / 10.0, alike)).collect();
            for bank in &way {
                assert_eq!(bank.modes.len(), way[0].modes.len(), "{a:?} {b:?}");
                for mode in &bank.modes {
                    assert!(mode.frequency_hz >= 0.0 && mode.frequency_hz <= 20e3);
                    assert!(mode.mass_kg > 0.0 && mode.mass_kg.is_finite() && mode.decay_s > 0.0);
                }
                assert!(bank.ports.iter().flatten().all(|value| value.abs() <= 1.0 + 1e-6));
            }
            // the lowest sounding pair moves one way, in equal ratios
            let lowest =
                |bank: &ictus_objects::PortModes| bank.modes.iter().position(|mode| mode.frequency_hz > 0.0).unwrap();
            if !alike && lowest(&first) == lowest(&second) {
                let (from, to) = (first.modes[lowest(&first)], second.modes[lowest(&second)]);
                for (bank, i) in way.iter().zip(1..) {
                    let t = f64::from(i) / 10.0;
                    let expected = libm::pow(from.frequency_hz, 1.0 - t) * libm::pow(to.frequency_hz, t);
                    assert!(
                        bank.modes.iter().any(|mode| (mode.frequency_hz / expected - 1.0).abs() < 1e-12),
                        "{a:?} {b:?} at {t}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_morph_to_itself_changes_nothing() {
    for shape in every_kind() {
        let bank = Description::new(shape, find("brass").unwrap().clone()).build(20e3, 24).unwrap().bank(&points(2));
        let same = morph(&bank, &bank, 0.37, true);
        for (a, b) in same.modes.iter().zip(&bank.modes) {
            assert_eq!((a.frequency_hz, a.decay_s, a.mass_kg), (b.frequency_hz, b.decay_s, b.mass_kg));
        }
        for (a, b) in same.ports.iter().flatten().zip(bank.ports.iter().flatten()) {
            assert!((a - b).abs() < 1e-15);
        }
    }
}

proptest! {
    #[test]
    fn any_tuning_is_refused_or_playable(
        kind in 0usize..11,
        material in 0usize..40,
        pitch in prop::option::of(1e-4f64..1e6),
        ratios in prop::collection::vec(0.1f64..40.0, 0..5),
        decay_scale in 1e-7f64..1e7,
        max_hz in 1.0f64..1e5,
    ) {
        let shape = every_kind()[kind].clone();
        let all: Vec<_> = materials().collect();
        let material = all[material % all.len()].clone();
        let description = Description { shape, material, pitch_hz: pitch, ratios, decay_scale, support: Support::Fixed };
        if let Ok(object) = description.build(max_hz, 10) {
            prop_assert!(!object.modes.is_empty() && object.modes.len() <= 10);
            for mode in &object.modes {
                prop_assert!(mode.frequency_hz >= 0.0 && mode.frequency_hz <= max_hz);
                prop_assert!(mode.frequency_hz == 0.0 || mode.sounding_hz() > 0.0);
                prop_assert!(mode.decay_s > 0.0 && mode.mass_kg > 0.0 && mode.mass_kg.is_finite());
            }
            prop_assert_eq!(object.shapes([0.3, 0.2]).len(), object.modes.len());
        }
    }
}
