//! Loose bodies: their rigid motions beside tuning, morphing and stretching.

use ictus_objects::{
    BarEnds, CORDS_HZ, CircularEdge, Description, Point, RectangularEdges, Shape, Support, find, morph,
};

fn bar() -> Shape {
    Shape::Bar { length_m: 0.3, width_m: 0.04, thickness_m: 0.01, ends: BarEnds::FreeFree }
}

fn plate() -> Shape {
    Shape::RectangularPlate { length_m: 0.3, width_m: 0.2, thickness_m: 0.002, edges: RectangularEdges::Free }
}

fn of(shape: Shape, support: Support) -> Description {
    Description { support, ..Description::new(shape, find("steel").unwrap().clone()) }
}

#[test]
fn rigid_motions_come_first_and_leave_the_partials_alone() {
    let disc = Shape::CircularPlate { radius_m: 0.2, thickness_m: 0.002, edge: CircularEdge::Free };
    let ring = Shape::Ring { radius_m: 0.1, thickness_m: 0.005, width_m: 0.02 };
    for (shape, masses) in [
        (bar(), vec![1.0, 1.0 / 3.0]),
        (plate(), vec![1.0, 1.0 / 3.0, 1.0 / 3.0]),
        (disc, vec![1.0, 0.25, 0.25]),
        (ring, vec![1.0, 1.0]),
    ] {
        for (pitch_hz, ratios) in [(None, vec![]), (Some(220.0), vec![1.0, 4.0])] {
            let tuned = |support| Description { pitch_hz, ratios: ratios.clone(), ..of(shape.clone(), support) };
            let fixed = tuned(Support::Fixed).build(20e3, 10).unwrap();
            for (support, hz) in [(Support::Free, 0.0), (Support::Cords, CORDS_HZ)] {
                let loose = tuned(support).build(20e3, 10).unwrap();
                let (rigid, others) = loose.modes.split_at(masses.len());
                assert_eq!(others, fixed.modes, "{shape:?}");
                for (mode, share) in rigid.iter().zip(&masses) {
                    assert!((mode.sounding_hz() - hz).abs() < 1e-12, "{shape:?}: {mode:?}");
                    assert!((mode.mass_kg / (share * loose.mass_kg) - 1.0).abs() < 1e-12, "{shape:?}: {mode:?}");
                }
                // the mobility that contact times are reckoned with is that of these modes
                let at = Point::from([0.3, 0.6]);
                let sum: f64 = (0..masses.len()).map(|i| loose.shape(i, at).powi(2) / loose.modes[i].mass_kg).sum();
                let known = shape.rigid_mobility(find("steel").unwrap(), at);
                assert!((known / sum - 1.0).abs() < 1e-12, "{shape:?}: {known} and {sum}");
            }
        }
    }
}

#[test]
fn shapes_that_are_held_have_no_rigid_motion() {
    for shape in [
        Shape::Bar { length_m: 0.3, width_m: 0.04, thickness_m: 0.01, ends: BarEnds::ClampedFree },
        Shape::CircularPlate { radius_m: 0.2, thickness_m: 0.002, edge: CircularEdge::Clamped },
        Shape::Glass { radius_m: 0.04, thickness_m: 1.5e-3, height_m: 0.1 },
    ] {
        assert!(!shape.can_be_loose());
        let [fixed, free] =
            [Support::Fixed, Support::Free].map(|support| of(shape.clone(), support).build(20e3, 8).unwrap());
        assert_eq!(fixed.modes, free.modes);
    }
}

#[test]
fn rigid_motions_morph_among_themselves() {
    let points = [Point::from([0.2, 0.1])];
    for support in [Support::Cords, Support::Free] {
        let [first, second] = [bar(), plate()].map(|shape| of(shape, support).build(20e3, 8).unwrap().bank(&points));
        let between = morph(&first, &second, 0.5, false);
        // two pairs and the plate's third, then eight pairs: nothing lies between 5 Hz and a partial
        assert_eq!(between.modes.len(), 11);
        let hz = if support == Support::Free { 0.0 } else { CORDS_HZ };
        assert!(between.modes[..3].iter().all(|mode| (mode.sounding_hz() - hz).abs() < 1e-9), "{:?}", between.modes);
        let lowest = (first.modes[2].frequency_hz * second.modes[3].frequency_hz).sqrt();
        assert!((between.modes[3].frequency_hz / lowest - 1.0).abs() < 1e-12);
    }
}

#[test]
fn rigid_motions_do_not_stretch() {
    let stretching = |support| {
        let description = of(plate(), support);
        description.stretching(&description.build(20e3, 8).unwrap()).unwrap().unwrap()
    };
    let (fixed, free) = (stretching(Support::Fixed), stretching(Support::Free));
    assert_eq!(free.slopes[..3], [0.0; 3]);
    assert_eq!(free.slopes[3..], fixed.slopes);
}
