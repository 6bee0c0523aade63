//! Mode shapes: orthogonality, modal masses, normalisation, symmetry.

use ictus_objects::{BarEnds, CircularEdge, Object, RectangularEdges, Shape, TubeEnds, find, modes};

const PI: f64 = std::f64::consts::PI;

/// Simpson's nodes on 0..1, as (place, weight).
fn simpson(intervals: usize) -> Vec<(f64, f64)> {
    let n = intervals * 2;
    (0..=n)
        .map(|i| {
            let weight = if i == 0 || i == n { 1.0 } else { [2.0, 4.0][i % 2] };
            (i as f64 / n as f64, weight / (3.0 * n as f64))
        })
        .collect()
}

/// Places over a rectangle or a disc, with weights that sum to 1.
fn rectangle() -> Vec<([f64; 2], f64)> {
    let line = simpson(60);
    line.iter().flat_map(|&(x, u)| line.iter().map(move |&(y, v)| ([x, y], u * v))).collect()
}

fn disc() -> Vec<([f64; 2], f64)> {
    let turns = 48; // exact for the angles of low modes
    simpson(150)
        .into_iter()
        .flat_map(|(r, w)| {
            (0..turns).map(move |i| {
                let angle = 2.0 * PI * (f64::from(i) + 0.3) / f64::from(turns);
                ([r * libm::cos(angle), r * libm::sin(angle)], 2.0 * r * w / f64::from(turns))
            })
        })
        .collect()
}

/// Mass-weighted inner products are the modal masses on the diagonal and nothing off it.
fn assert_orthogonal(object: &Object, places: &[([f64; 2], f64)], count: usize, tolerance: f64) {
    let rows: Vec<Vec<f64>> = places.iter().map(|(at, _)| object.shapes(*at)).collect();
    for i in 0..count {
        for j in 0..=i {
            let mean: f64 = rows.iter().zip(places).map(|(row, (_, weight))| weight * row[i] * row[j]).sum();
            let expected = if i == j { object.modes[i].mass_kg } else { 0.0 };
            let error = (object.mass_kg * mean - expected).abs() / object.modes[i].mass_kg;
            assert!(error < tolerance, "modes {i} and {j}: {error:e}");
        }
    }
}

/// Largest size on a fine grid is 1.
fn assert_normalised(object: &Object, places: impl Iterator<Item = [f64; 2]>) {
    let mut top = vec![0.0f64; object.modes.len()];
    for at in places {
        for (top, value) in top.iter_mut().zip(object.shapes(at)) {
            *top = top.max(value.abs());
        }
    }
    for (i, top) in top.iter().enumerate() {
        assert!((0.97..1.0 + 1e-9).contains(top), "mode {i} reaches {top}");
    }
}

#[test]
fn bars_strings_and_tubes() {
    let line: Vec<_> = simpson(2000).into_iter().map(|(x, w)| ([x, 0.0], w)).collect();
    for ends in [BarEnds::FreeFree, BarEnds::ClampedFree, BarEnds::Supported] {
        let bar = Shape::Bar { length_m: 0.3, width_m: 0.03, thickness_m: 0.005, ends };
        let object = modes(&bar, find("rosewood").unwrap(), 1e6, 12).unwrap();
        assert_orthogonal(&object, &line, 12, 1e-8);
        assert_normalised(&object, line.iter().map(|p| p.0));
    }
    let string = Shape::String { length_m: 0.65, diameter_m: 1e-3, tension_n: 70.0 };
    let object = modes(&string, find("steel").unwrap(), 1e5, 12).unwrap();
    assert_orthogonal(&object, &line, 12, 1e-9);
    let closed = Shape::Tube { length_m: 0.65, radius_m: 1e-2, ends: TubeEnds::ClosedClosed };
    let object = modes(&closed, find("steel").unwrap(), 1e5, 12).unwrap();
    assert_orthogonal(&object, &line, 12, 1e-9);
    assert_eq!(object.shape(1, 1.0), 0.0);
    // motion at the open end is nearly the largest, at the closed end none
    let stopped = Shape::Tube { length_m: 0.65, radius_m: 1e-3, ends: TubeEnds::OpenClosed };
    let object = modes(&stopped, find("steel").unwrap(), 1e5, 4).unwrap();
    assert!(object.shape(0, 0.0) > 0.99 && object.shape(0, 1.0).abs() < 1e-12);
}

#[test]
fn circular_membrane() {
    let drum = Shape::CircularMembrane { radius_m: 0.3, thickness_m: 2.5e-4, tension_n_m: 3000.0 };
    let object = modes(&drum, find("mylar").unwrap(), 1e5, 24).unwrap();
    assert_orthogonal(&object, &disc(), 24, 1e-8);
    assert_normalised(&object, disc().into_iter().map(|p| p.0).chain([[0.0, 0.0]]));
    for (i, mode) in object.modes.iter().enumerate() {
        assert!(object.shape(i, [0.6, 0.8]).abs() < 1e-13, "the rim moves in mode {i}");
        let centre = object.shape(i, [0.0, 0.0]);
        assert_eq!(centre, if mode.label.0 == 0 { 1.0 } else { 0.0 }, "mode {i}");
    }
    // the twin of a pair is turned by a right angle
    assert_eq!(object.modes[1].label, object.modes[2].label);
    assert_eq!(object.shape(1, [0.0, 0.5]), 0.0);
    assert_eq!(object.shape(1, [0.5, 0.0]), object.shape(2, [0.0, 0.5]));
    // struck near the rim, the low mode takes a smaller share
    let share = |at: [f64; 2]| object.shape(0, at).abs() / object.shapes(at).iter().map(|s| s.abs()).sum::<f64>();
    assert!(share([0.9, 0.0]) < 0.5 * share([0.05, 0.0]));
}

#[test]
fn circular_plates() {
    for edge in [CircularEdge::Free, CircularEdge::Clamped, CircularEdge::Supported] {
        let plate = Shape::CircularPlate { radius_m: 0.2, thickness_m: 1e-3, edge };
        let object = modes(&plate, find("bronze").unwrap(), 1e6, 24).unwrap();
        assert_orthogonal(&object, &disc(), 24, 1e-7);
        assert_normalised(&object, disc().into_iter().map(|p| p.0).chain([[0.0, 0.0]]));
        for i in 0..24 {
            let rim = object.shape(i, [0.8, 0.6]).abs();
            assert!(edge == CircularEdge::Free || rim < 1e-12, "{edge:?} {i}: {rim:e}");
            if object.modes[i].label.0 > 0 {
                assert_eq!(object.shape(i, [0.0, 0.0]), 0.0);
            }
        }
    }
}

#[test]
fn many_modes_of_discs_are_normalised() {
    let mut shapes = vec![Shape::CircularMembrane { radius_m: 0.2, thickness_m: 1e-3, tension_n_m: 1e4 }];
    for edge in [CircularEdge::Free, CircularEdge::Clamped, CircularEdge::Supported] {
        shapes.push(Shape::CircularPlate { radius_m: 0.2, thickness_m: 1e-3, edge });
    }
    for shape in shapes {
        let mut object = modes(&shape, find("steel").unwrap(), 1e9, 800).unwrap();
        // along y = 0 only the cosine members move; they are the first of each pair
        let top: Vec<f64> = (0..=1000)
            .map(|i| object.shapes([f64::from(i) / 1000.0, 0.0]))
            .fold(vec![0.0; object.modes.len()], |top, row| {
                top.iter().zip(row).map(|(t, v): (&f64, f64)| t.max(v.abs())).collect()
            });
        object.modes.truncate(790);
        for (i, mode) in object.modes.iter().enumerate() {
            let sine = mode.label.0 > 0 && i > 0 && object.modes[i - 1].label == mode.label;
            assert!(
                (if sine { 0.0..1e-300 } else { 0.995..1.0 + 1e-9 }).contains(&top[i]),
                "{shape:?} {mode:?} {}",
                top[i]
            );
        }
    }
}

#[test]
fn rectangles() {
    let material = find("glass").unwrap();
    for edges in [RectangularEdges::Free, RectangularEdges::Supported, RectangularEdges::Clamped] {
        let plate = Shape::RectangularPlate { length_m: 0.3, width_m: 0.2, thickness_m: 2e-3, edges };
        let object = modes(&plate, material, 1e6, 20).unwrap();
        assert_orthogonal(&object, &rectangle(), 20, 1e-5);
        assert_normalised(&object, rectangle().into_iter().map(|p| p.0));
        // at the centre only modes that are even both ways move
        for (i, mode) in object.modes.iter().enumerate() {
            let even = match edges {
                RectangularEdges::Free => mode.label.0 % 2 == 0 && mode.label.1 % 2 == 0,
                RectangularEdges::Supported | RectangularEdges::Clamped => {
                    mode.label.0 % 2 == 1 && mode.label.1 % 2 == 1
                }
            };
            assert_eq!(object.shape(i, [0.5, 0.5]) != 0.0, even, "{edges:?} {i}");
        }
    }
    let skin = Shape::RectangularMembrane { length_m: 0.3, width_m: 0.2, thickness_m: 2e-4, tension_n_m: 1e3 };
    assert_orthogonal(&modes(&skin, material, 1e6, 20).unwrap(), &rectangle(), 20, 1e-8);
}

#[test]
fn rings_and_glasses() {
    let ring = Shape::Ring { radius_m: 0.1, thickness_m: 0.003, width_m: 0.02 };
    let object = modes(&ring, find("steel").unwrap(), 1e6, 8).unwrap();
    for (i, mode) in object.modes.iter().enumerate() {
        let n = f64::from(mode.label.0);
        // radial part of the kinetic energy, and that along the circle, 1/n² of it
        let mean: f64 = (0..360).map(|d| object.shape(i, f64::from(d) / 360.0)).map(|s| s * s / 360.0).sum();
        assert!((mode.mass_kg / (object.mass_kg * mean * (1.0 + 1.0 / (n * n))) - 1.0).abs() < 1e-12);
    }
    assert_eq!((object.shape(0, 0.0), object.shape(1, 0.0)), (1.0, 0.0));
    let glass = Shape::Glass { radius_m: 0.035, height_m: 0.08, thickness_m: 0.0012 };
    let object = modes(&glass, find("crystal").unwrap(), 2e4, 8).unwrap();
    let mean: f64 = simpson(200).iter().map(|&(y, w)| w * object.shape(0, [0.0, y]) * object.shape(0, [0.0, y])).sum();
    assert!((object.modes[0].mass_kg / (object.mass_kg * mean * 0.5 * 1.25) - 1.0).abs() < 1e-8);
    assert!((300.0..2000.0).contains(&object.modes[0].frequency_hz), "a wine glass: {}", object.modes[0].frequency_hz);
}

#[test]
fn cavities_and_chains() {
    let air = Shape::BoxCavity { length_m: 0.3, width_m: 0.2, height_m: 0.5, absorption: 0.0 };
    let object = modes(&air, find("oak").unwrap(), 2e3, 10).unwrap();
    let line = simpson(20);
    for i in 0..10 {
        for j in 0..=i {
            let mut mean = 0.0;
            for &(x, u) in &line {
                for &(y, v) in &line {
                    for &(z, w) in &line {
                        mean += u * v * w * object.shape(i, [x, y, z]) * object.shape(j, [x, y, z]);
                    }
                }
            }
            let expected = if i == j { object.modes[i].mass_kg } else { 0.0 };
            assert!((object.mass_kg * mean - expected).abs() < 1e-4 * object.mass_kg, "{i} {j}");
        }
    }
    let damped = Shape::BoxCavity { length_m: 0.3, width_m: 0.2, height_m: 0.5, absorption: 0.1 };
    let damped = modes(&damped, find("oak").unwrap(), 2e3, 10).unwrap();
    assert!(damped.modes[0].decay_s < 0.5 * object.modes[0].decay_s);

    let masses = vec![0.01, 0.02, 0.005, 0.03];
    let chain = Shape::Chain {
        masses_kg: masses.clone(),
        springs_n_m: vec![100.0, 2e3, 5e2, 1e3, 0.0],
        dampers_n_s_m: Vec::new(),
    };
    let object = modes(&chain, find("steel").unwrap(), 1e6, 10).unwrap();
    for i in 0..4 {
        for j in 0..=i {
            let at = |mode, k: usize| object.shape(mode, k as f64 / 3.0);
            let product: f64 = masses.iter().enumerate().map(|(k, m)| m * at(i, k) * at(j, k)).sum();
            let expected = if i == j { object.modes[i].mass_kg } else { 0.0 };
            assert!((product - expected).abs() < 1e-14, "{i} {j}: {product}");
        }
    }
}
