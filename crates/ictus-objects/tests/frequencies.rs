//! Natural frequencies against closed forms, tables and published values.

use ictus_objects::{
    BarEnds, CircularEdge, DampingLaw, Material, Object, RectangularEdges, Shape, TubeEnds, find, modes,
};

const PI: f64 = std::f64::consts::PI;

/// A material with round numbers and hardly any loss.
fn plain(poisson: f64) -> Material {
    let damping = DampingLaw { a: 0.1, b: 0.0, c: 0.0 };
    Material { name: "plain", density_kg_m3: 1000.0, young_pa: 1e10, poisson, damping }
}

fn close(measured: f64, expected: f64, tolerance: f64, what: &str) {
    let error = (measured / expected - 1.0).abs();
    assert!(error <= tolerance, "{what}: {measured} instead of {expected}, {error:.2e} off");
}

/// λ² = ω L² √(ρh/D) of every mode of a plate.
fn plate_numbers(object: &Object, material: &Material, thickness: f64, length: f64) -> Vec<f64> {
    let stiffness = thickness
        * (material.young_pa / (12.0 * material.density_kg_m3 * (1.0 - material.poisson * material.poisson))).sqrt();
    object.modes.iter().map(|m| 2.0 * PI * m.frequency_hz * length * length / stiffness).collect()
}

#[test]
fn circular_membrane_has_the_zeros_of_bessel_functions() {
    // j_ns by (n, s) [Abramowitz & Stegun table 9.5, with more digits]
    let table = [
        ((0, 1), 2.404825557695773),
        ((1, 1), 3.831705970207512),
        ((2, 1), 5.135622301840683),
        ((0, 2), 5.520078110286311),
        ((3, 1), 6.380161895923984),
        ((1, 2), 7.015586669815619),
        ((4, 1), 7.588342434503804),
        ((2, 2), 8.417244140399866),
        ((0, 3), 8.653727912911013),
        ((5, 1), 8.771483815959954),
        ((3, 2), 9.761023129981667),
        ((6, 1), 9.936109524217685),
        ((1, 3), 10.173468135062722),
        ((4, 2), 11.064709488501185),
        ((7, 1), 11.086370019245084),
        ((2, 3), 11.619841172149059),
        ((0, 4), 11.791534439014281),
        ((8, 1), 12.225092264004655),
        ((5, 2), 12.338604197466944),
        ((3, 3), 13.015200721698434),
        ((1, 4), 13.323691936314223),
        ((9, 1), 13.35430047743533),
        ((6, 2), 13.589290170541217),
    ];
    let drum = Shape::CircularMembrane { radius_m: 0.3, thickness_m: 1e-3, tension_n_m: 1000.0 };
    let object = modes(&drum, &plain(0.3), 1e5, 400).unwrap();
    let speed = (1000.0f64 / (1000.0 * 1e-3)).sqrt();
    let number = |hz: f64| 2.0 * PI * 0.3 * hz / speed;
    let mut singles: Vec<_> = object.modes.iter().map(|m| (m.label, number(m.frequency_hz))).collect();
    singles.dedup_by(|a, b| a.0 == b.0);
    for (expected, measured) in table.iter().zip(&singles) {
        assert_eq!(measured.0, expected.0);
        close(measured.1, expected.1, 1e-12, "zero");
    }
    // the rest against an independent J_n: value over slope is the distance to the zero
    for ((n, _), zero) in singles {
        let n = n as i32;
        let slope = f64::from(n) / zero * libm::jn(n, zero) - libm::jn(n + 1, zero);
        assert!((libm::jn(n, zero) / slope).abs() < 1e-10, "order {n}, {zero}");
    }
    // every mode with nodal diameters comes twice
    for label in object.modes[..390].iter().map(|m| m.label) {
        let copies = object.modes.iter().filter(|m| m.label == label).count();
        assert_eq!(copies, if label.0 == 0 { 1 } else { 2 }, "{label:?}");
    }
    close(number(object.modes[1].frequency_hz) / 2.404825557695773, 1.593, 4e-4, "second over first");
}

#[test]
fn bars_have_the_roots_of_cos_cosh() {
    let (length, thickness) = (0.4, 0.008);
    for (ends, sign) in [(BarEnds::FreeFree, 1.0), (BarEnds::ClampedFree, -1.0)] {
        let bar = Shape::Bar { length_m: length, width_m: 0.03, thickness_m: thickness, ends };
        let object = modes(&bar, &plain(0.3), 1e9, 60).unwrap();
        assert_eq!(object.modes.len(), 60);
        for (i, mode) in object.modes.iter().enumerate() {
            let beta = length * (2.0 * PI * mode.frequency_hz / (thickness * (1e10f64 / 12e3).sqrt())).sqrt();
            // one Newton step of cos β − ±1/cosh β from the answer is the distance to the root
            let step = (libm::cos(beta) - sign / libm::cosh(beta))
                / (-libm::sin(beta) + sign * libm::tanh(beta) / libm::cosh(beta));
            assert!(step.abs() < 1e-9, "{ends:?} {i}: {step:e}");
            assert!((beta / PI - (i as f64 + 1.0 + 0.5 * sign)).abs() < 0.1, "a root was missed at {i}");
        }
    }
    // ratios of the free bar, 1 : 2.7565 : 5.4039 : 8.9330 [Fletcher & Rossing §2.15]
    let bar = Shape::Bar { length_m: 0.4, width_m: 0.03, thickness_m: 0.008, ends: BarEnds::FreeFree };
    let object = modes(&bar, find("aluminium").unwrap(), 1e5, 4).unwrap();
    for (mode, ratio) in object.modes.iter().zip([1.0, 2.7565, 5.4039, 8.9330]) {
        close(mode.frequency_hz / object.modes[0].frequency_hz, ratio, 2e-5, "ratio");
    }
    let bar = Shape::Bar { length_m: 0.4, width_m: 0.03, thickness_m: 0.008, ends: BarEnds::Supported };
    for (i, mode) in modes(&bar, &plain(0.3), 1e6, 20).unwrap().modes.iter().enumerate() {
        let k = (i + 1) as f64;
        close(mode.frequency_hz, 0.5 * PI * k * k / 0.16 * 0.008 * (1e10f64 / 12e3).sqrt(), 1e-12, "supported");
    }
}

#[test]
fn rectangles_and_boxes_have_their_closed_forms() {
    let material = plain(0.3);
    let (a, b, h): (f64, f64, f64) = (0.5, 0.37, 0.004);
    let plate = Shape::RectangularPlate { length_m: a, width_m: b, thickness_m: h, edges: RectangularEdges::Supported };
    let rigidity = (1e10 * h * h * h / (12.0 * (1.0 - 0.09)) / (1000.0 * h)).sqrt();
    let skin = Shape::RectangularMembrane { length_m: a, width_m: b, thickness_m: h, tension_n_m: 900.0 };
    let speed = (900.0 / (1000.0 * h)).sqrt();
    let (mut plates, mut skins, mut boxes) = (Vec::new(), Vec::new(), Vec::new());
    for m in 0..60 {
        for n in 0..60 {
            let (m, n) = (f64::from(m), f64::from(n));
            let square = (m / a) * (m / a) + (n / b) * (n / b);
            if m > 0.0 && n > 0.0 {
                plates.push(0.5 * PI * square * rigidity);
                skins.push(0.5 * speed * square.sqrt());
            }
            boxes.extend((0..60).map(|l| 0.5 * 343.2 * (square + f64::from(l * l) / (1.1 * 1.1)).sqrt()));
        }
    }
    boxes.retain(|&hz| hz > 0.0);
    let air = Shape::BoxCavity { length_m: a, width_m: b, height_m: 1.1, absorption: 0.0 };
    for (shape, mut expected) in [(plate, plates), (skin, skins), (air, boxes)] {
        expected.sort_by(f64::total_cmp);
        let object = modes(&shape, &material, 1e6, 300).unwrap();
        assert_eq!(object.modes.len(), 300);
        for (mode, expected) in object.modes.iter().zip(expected) {
            close(mode.frequency_hz, expected, 1e-12, "closed form");
        }
    }
}

#[test]
fn free_square_plate_matches_leissa() {
    let material = plain(0.3);
    let plate =
        Shape::RectangularPlate { length_m: 0.4, width_m: 0.4, thickness_m: 0.002, edges: RectangularEdges::Free };
    let object = modes(&plate, &material, 1e6, 12).unwrap();
    let numbers = plate_numbers(&object, &material, 0.002, 0.4);
    // [Leissa 1973 table for FFFF, ν = 0.3; the first five to four digits]
    let published = [13.47, 19.60, 24.27, 34.80, 34.80, 61.09, 61.09, 63.69];
    for (measured, expected) in numbers.iter().zip(published) {
        close(*measured, expected, 5e-3, "free square plate");
    }
    // pairs that symmetry makes equal
    close(numbers[4], numbers[3], 1e-8, "pair");
}

#[test]
fn free_plates_do_not_change_with_the_number_of_terms() {
    let material = plain(0.3);
    for width in [0.4, 0.17, 0.03] {
        let plate = Shape::RectangularPlate {
            length_m: 0.4,
            width_m: width,
            thickness_m: 0.002,
            edges: RectangularEdges::Free,
        };
        let few = modes(&plate, &material, 1e9, 30).unwrap();
        let many = modes(&plate, &material, 1e9, 200).unwrap();
        assert_eq!(few.modes.len(), if width > 0.1 { 30 } else { few.modes.len() });
        for (coarse, fine) in few.modes.iter().zip(&many.modes) {
            close(coarse.frequency_hz, fine.frequency_hz, 1e-3, "terms");
        }
    }
}

#[test]
fn long_free_plate_is_a_bar_either_way_round() {
    let material = Material { damping: DampingLaw { a: 1e-6, b: 0.0, c: 0.0 }, ..plain(0.0) };
    for width in [0.1, 0.01, 1e-3, 1e-4] {
        let thickness_m = 0.1 * width;
        let bar = Shape::Bar { length_m: 1.0, width_m: width, thickness_m, ends: BarEnds::FreeFree };
        let bar = modes(&bar, &material, 1e9, 4).unwrap();
        for (length_m, width_m) in [(1.0, width), (width, 1.0)] {
            let plate = Shape::RectangularPlate { length_m, width_m, thickness_m, edges: RectangularEdges::Free };
            let plate = modes(&plate, &material, 1e9, 40).unwrap();
            for mode in &bar.modes {
                let off = |m: &ictus_objects::ObjectMode| (m.frequency_hz / mode.frequency_hz - 1.0).abs();
                let nearest = plate.modes.iter().map(off).fold(1.0, f64::min);
                assert!(nearest < 1e-5, "{length_m} by {width_m}, {} Hz: {nearest:e}", mode.frequency_hz);
            }
        }
    }
}

#[test]
fn circular_plates_match_leissa() {
    // λ² in order of frequency, each pair once [Leissa 1969 §2.1; free at ν = 0.33, supported at ν = 0.3]
    let clamped = [10.2158, 21.26, 34.88, 39.771, 51.04, 60.82, 69.666, 84.58, 89.104];
    // the book of 1969 prints 4.977 for the first; Leissa & Narita 1980 correct it
    let supported = [4.9351, 13.898, 25.613, 29.720];
    let free = [5.253, 9.084, 12.23, 20.52, 21.6, 33.1, 35.25, 38.55];
    let cases = [
        (CircularEdge::Clamped, 0.3, &clamped[..]),
        (CircularEdge::Supported, 0.3, &supported[..]),
        (CircularEdge::Free, 0.33, &free[..]),
    ];
    for (edge, poisson, published) in cases {
        let material = plain(poisson);
        let plate = Shape::CircularPlate { radius_m: 0.2, thickness_m: 0.001, edge };
        let object = modes(&plate, &material, 1e9, 40).unwrap();
        let mut numbers = plate_numbers(&object, &material, 0.001, 0.2);
        numbers.dedup();
        let worst = published.iter().zip(&numbers).map(|(p, m): (&f64, &f64)| (m / p - 1.0).abs()).fold(0.0, f64::max);
        println!("{edge:?}: worst {worst:.2e}");
        for (measured, expected) in numbers.iter().zip(published) {
            close(*measured, *expected, 5e-3, &format!("{edge:?}"));
        }
    }
}

#[test]
fn supported_circular_plate_satisfies_its_equation() {
    // n = 0: J₁/J₀ + I₁/I₀ = 2λ/(1 − ν), with I by its power series
    let material = plain(0.3);
    let plate = Shape::CircularPlate { radius_m: 0.2, thickness_m: 0.001, edge: CircularEdge::Supported };
    let object = modes(&plate, &material, 1e9, 40).unwrap();
    for (mode, number) in object.modes.iter().zip(plate_numbers(&object, &material, 0.001, 0.2)) {
        if mode.label.0 > 0 {
            continue;
        }
        let x = number.sqrt();
        let (mut i0, mut i1, mut term) = (0.0, 0.0, 1.0);
        for k in 0..60 {
            i0 += term;
            i1 += term * 0.5 * x / f64::from(k + 1);
            term *= 0.25 * x * x / f64::from((k + 1) * (k + 1));
        }
        close(libm::j1(x) / libm::j0(x) + i1 / i0, 2.0 * x / 0.7, 1e-9, "supported plate");
    }
}

#[test]
fn rings_glasses_strings_and_tubes() {
    let material = plain(0.3);
    let ring = Shape::Ring { radius_m: 0.1, thickness_m: 0.003, width_m: 0.02 };
    let object = modes(&ring, &material, 1e9, 10).unwrap();
    for (i, pair) in object.modes.chunks(2).enumerate() {
        let n = (i + 2) as f64;
        let omega = (1e10f64 * 9e-6 / 12e3).sqrt() / 0.01 * n * (n * n - 1.0) / (n * n + 1.0).sqrt();
        close(pair[0].frequency_hz, omega / (2.0 * PI), 1e-12, "ring");
        assert_eq!(pair[0].frequency_hz, pair[1].frequency_hz);
    }
    // a tall glass is its rim
    let glass = Shape::Glass { radius_m: 0.1, height_m: 10.0, thickness_m: 0.003 };
    close(modes(&glass, &material, 1e9, 1).unwrap().modes[0].frequency_hz, object.modes[0].frequency_hz, 1e-6, "glass");

    let string = Shape::String { length_m: 0.65, diameter_m: 1e-3, tension_n: 70.0 };
    let object = modes(&string, find("nylon").unwrap(), 1e5, 10).unwrap();
    let line = 1140.0 * 0.25 * PI * 1e-6;
    let stiffness = PI * PI * PI * 5e9 * 1e-12 / 64.0 / (70.0 * 0.65 * 0.65);
    for (i, mode) in object.modes.iter().enumerate() {
        let k = (i + 1) as f64;
        close(
            mode.frequency_hz,
            k / 1.3 * (70.0 / line).sqrt() * (1.0 + stiffness * k * k).sqrt(),
            1e-12,
            "stiff string",
        );
    }
    // a nylon guitar string rings for seconds: tension hides the loss of the material
    assert!((1.0..12.0).contains(&object.modes[0].decay_s), "{}", object.modes[0].decay_s);

    for (ends, correction, first, step) in [
        (TubeEnds::OpenOpen, 2.0, 1.0, 1.0),
        (TubeEnds::OpenClosed, 1.0, 0.5, 1.0),
        (TubeEnds::ClosedClosed, 0.0, 1.0, 1.0),
    ] {
        let tube = Shape::Tube { length_m: 0.6, radius_m: 0.01, ends };
        for (i, mode) in modes(&tube, &material, 5000.0, 8).unwrap().modes.iter().enumerate() {
            let half_waves = first + step * i as f64;
            let length = 0.6 + correction * 0.6133 * 0.01;
            close(mode.frequency_hz, half_waves * 343.2 / (2.0 * length), 1e-12, "tube");
        }
    }
}

#[test]
fn chains_are_diagonalised() {
    let n = 12;
    let material = plain(0.3);
    let chain = Shape::Chain { masses_kg: vec![0.01; n], springs_n_m: vec![1e4; n + 1], dampers_n_s_m: Vec::new() };
    let object = modes(&chain, &material, 1e6, 100).unwrap();
    assert_eq!(object.modes.len(), n);
    for (i, mode) in object.modes.iter().enumerate() {
        let omega = 2.0 * (1e4f64 / 0.01).sqrt() * libm::sin(0.5 * PI * (i + 1) as f64 / (n + 1) as f64);
        close(mode.frequency_hz, omega / (2.0 * PI), 1e-12, "chain");
    }
    // dampers in proportion to the springs, c = τk: σ = τω²/2; in proportion to equal masses as well, at the walls only: by Rayleigh
    let damped = Shape::Chain {
        masses_kg: vec![0.01; n],
        springs_n_m: vec![1e4; n + 1],
        dampers_n_s_m: vec![1e4 * 1e-5; n + 1],
    };
    let lossless = Material { damping: DampingLaw { a: 0.0, b: 0.0, c: 0.0 }, ..material.clone() };
    for mode in modes(&damped, &lossless, 1e6, 100).unwrap().modes {
        let omega = 2.0 * PI * mode.frequency_hz;
        close(mode.rate(), 0.5e-5 * omega * omega, 1e-9, "damped chain");
    }
    // the material's loss comes on top
    let both = modes(&damped, &material, 1e6, 100).unwrap().modes[0];
    close(
        both.rate() - material.damping.rate(both.frequency_hz),
        modes(&damped, &lossless, 1e6, 100).unwrap().modes[0].rate(),
        1e-9,
        "both",
    );
    for (dampers, springs) in [(vec![0.1; 3], vec![1e4; n + 1]), (vec![-1.0; n + 1], vec![1e4; n + 1])] {
        let bad = Shape::Chain { masses_kg: vec![0.01; n], springs_n_m: springs, dampers_n_s_m: dampers };
        assert!(modes(&bad, &lossless, 1e6, 100).unwrap_err().to_string().contains("dampers_n_s_m"));
    }
    // rigid motion against a damper is no mode
    let loose = Shape::Chain { masses_kg: vec![1.0], springs_n_m: vec![0.0, 0.0], dampers_n_s_m: vec![0.5, 0.0] };
    assert!(modes(&loose, &lossless, 1e6, 100).unwrap_err().to_string().contains("no spring holds"));
    // held at neither end: two masses on a spring, and the rigid motion
    let free =
        Shape::Chain { masses_kg: vec![1.0, 3.0], springs_n_m: vec![0.0, 300.0, 0.0], dampers_n_s_m: Vec::new() };
    let object = modes(&free, &material, 1e6, 100).unwrap();
    assert_eq!(object.modes[0].frequency_hz, 0.0);
    assert_eq!(object.modes[0].decay_s, f64::INFINITY);
    close(object.modes[0].mass_kg, 4.0, 1e-12, "rigid mass");
    close(object.modes[1].frequency_hz, (300.0f64 / 0.75).sqrt() / (2.0 * PI), 1e-12, "reduced mass");
    close(object.shape(1, 0.0) / object.shape(1, 1.0), -3.0, 1e-12, "shape");
}

/// A. W. Leissa, The free vibration of rectangular plates, J. Sound Vib. 31 (1973), CCCC: 35.992, 73.413, 108.27, 131.64, 132.24, upper bounds; the digits
/// here are those to which larger computations settle, 35.985, 73.394, 108.217, 131.581, 132.205.
#[test]
fn clamped_square_plate_has_published_frequencies() {
    let material = plain(0.3);
    let plate = |length: f64, width: f64| Shape::RectangularPlate {
        length_m: length,
        width_m: width,
        thickness_m: 1e-3,
        edges: RectangularEdges::Clamped,
    };
    let object = modes(&plate(0.5, 0.5), &material, 20e3, 12).unwrap();
    let published = [35.992, 73.413, 73.413, 108.27, 131.64, 132.24];
    let settled = [35.985, 73.394, 73.394, 108.217, 131.581, 132.205];
    let numbers = plate_numbers(&object, &material, 1e-3, 0.5);
    for ((number, published), settled) in numbers.iter().zip(published).zip(settled) {
        close(*number, published, 6e-4, "Leissa");
        assert!(*number < published, "{number} is no better than {published}");
        close(*number, settled, 2e-5, "settled");
    }
    assert_eq!(object.modes[0].label, (1, 1));
    assert_eq!(object.modes.len(), 12);
    // held and flat at the edges, largest in the middle, M⟨φ²⟩ the modal mass
    assert!((object.shape(0, [0.5, 0.5]) - 1.0).abs() < 1e-3);
    for along in [0.0, 0.3, 0.5] {
        for at in [[0.0, along], [1.0, along], [along, 0.0], [along, 1.0]] {
            assert!(object.shape(0, at).abs() < 1e-9, "{at:?}");
        }
        assert!(object.shape(0, [1e-4, along]).abs() < 1e-6);
    }
    let mean: f64 = (0..100)
        .flat_map(|i| (0..100).map(move |j| [i, j].map(|k| (f64::from(k) + 0.5) / 100.0)))
        .map(|at| object.shape(0, at) * object.shape(0, at))
        .sum::<f64>()
        / 1e4;
    close(object.modes[0].mass_kg, object.mass_kg * mean, 1e-3, "modal mass");
    // a long plate bends as a clamped bar across: (4.730)² over the shorter side, a little stiffer for its ends
    let long = modes(&plate(2.0, 0.1), &material, 20e3, 4).unwrap();
    let first = plate_numbers(&long, &material, 1e-3, 0.1)[0];
    assert!((22.37..22.6).contains(&first), "{first}");
    // as many as asked for, however many there are
    assert_eq!(modes(&plate(0.5, 0.3), &material, 1e9, 150).unwrap().modes.len(), 150);
}
