//! Kettledrums: published modes, the power that is radiated, what the air does in its limits.

use ictus_objects::{DampingLaw, Description, Material, Object, ObjectError, ObjectMode, Shape, find};
use std::f64::consts::{PI, TAU};

const AIR_DENSITY: f64 = 1.204; // kg/m³
const SOUND: f64 = 343.2; // m/s
const RADIUS: f64 = 0.325; // m: a drum of 26 inches
const DEPTH: f64 = 0.42; // m: 0.14 m³

fn mylar(a: f64) -> Material {
    Material { damping: DampingLaw { a, b: 0.0, c: 0.0 }, ..find("mylar").unwrap().clone() }
}

fn kettledrum(depth_m: f64, pitch_hz: f64, damping: f64) -> Description {
    let shape = Shape::Kettledrum { radius_m: RADIUS, thickness_m: 0.19e-3, tension_n_m: 3000.0, depth_m };
    Description { pitch_hz: Some(pitch_hz), ..Description::new(shape, mylar(damping)) }
}

fn find_mode(object: &Object, label: (u32, u32)) -> (usize, ObjectMode) {
    object.modes.iter().copied().enumerate().find(|(_, mode)| mode.label == label).expect("a mode of that label")
}

/// A 65 cm drum tuned to 150 Hz. [Rossing 1982; Christian et al. 1984; Fletcher & Rossing table 18.1]
#[test]
fn modes_lie_where_they_were_measured() {
    let object = kettledrum(DEPTH, 150.0, 1.0).build(1000.0, 80).unwrap();
    for (label, ratio) in
        [((0, 1), 0.85), ((2, 1), 1.51), ((0, 2), 1.68), ((3, 1), 1.99), ((4, 1), 2.44), ((0, 3), 2.79), ((5, 1), 2.89)]
    {
        let heard = find_mode(&object, label).1.frequency_hz / 150.0;
        println!("{label:?}: {heard:.3}, measured {ratio}");
        assert!((heard / ratio - 1.0).abs() < 0.015, "{label:?}: {heard} instead of {ratio}");
    }
    assert!((find_mode(&object, (1, 1)).1.sounding_hz() / 150.0 - 1.0).abs() < 1e-9);
}

/// The pump is a monopole and gone in tenths of a second, the principal tone a dipole, and so on: each lasts longer. With the losses of mylar as tabled, a = 3 1/s.
#[test]
fn few_nodal_diameters_are_radiated_first() {
    let object = kettledrum(DEPTH, 150.0, 3.0).build(1000.0, 80).unwrap();
    let decays = [(0, 1), (1, 1), (2, 1), (3, 1)].map(|label| find_mode(&object, label).1.decay_s);
    println!("T60 {decays:.2?} s");
    for (decay, (low, high)) in decays.iter().zip([(0.05, 0.4), (0.6, 1.2), (1.6, 2.6), (2.2, 4.0)]) {
        assert!((low..high).contains(decay), "{decays:?}");
    }
    assert!(decays.is_sorted());
}

/// What a mode loses without losses of material is what arrives on a hemisphere far away: σ = ω² ∫value² R² dΩ/(2mρ₀c).
#[test]
fn the_power_that_is_lost_arrives_far_away() {
    let object = kettledrum(DEPTH, 150.0, 0.0).build(1000.0, 80).unwrap();
    for label in [(0, 1), (1, 1), (2, 1), (0, 2), (3, 1)] {
        let (i, mode) = find_mode(&object, label);
        let distance = 80.0; // radii
        let steps = 200;
        let mut sum = 0.0;
        for step in 0..steps {
            let theta = 0.5 * PI * (f64::from(step) + 0.5) / f64::from(steps);
            let value = object.shape(i, [distance * libm::sin(theta), 0.0, distance * libm::cos(theta)]);
            sum += value * value * libm::sin(theta) * 0.5 * PI / f64::from(steps);
        }
        let around = if label.0 == 0 { TAU } else { PI };
        let omega = TAU * mode.frequency_hz;
        let area = distance * distance * RADIUS * RADIUS * around;
        let rate = omega * omega * sum * area / (2.0 * mode.mass_kg * AIR_DENSITY * SOUND);
        println!("{label:?}: {:.4} 1/s lost, {rate:.4} 1/s arrive", mode.rate());
        // the layers at the kettle's walls take the rest: at these frequencies at most 0.4 1/s where the air in it moves as much as the head
        let walls = mode.rate() - rate;
        assert!(walls > -1e-3 * rate && walls < 0.4, "{label:?}: {rate} of {}", mode.rate());
    }
}

/// Close above the head the pressure of a mode is that of the air it accelerates; far above it falls as the distance.
#[test]
fn the_field_clings_and_fades() {
    let object = kettledrum(DEPTH, 110.0, 1.0).build(1000.0, 80).unwrap();
    let value = |label, at: [f64; 3]| object.shape(find_mode(&object, label).0, at).abs();
    // (4,1) clings: it falls about as e^(−jz), j = 7.588, while (1,1) at j = 3.832 is radiated besides
    let fall = |label| value(label, [0.7, 0.0, 0.3]) / value(label, [0.7, 0.0, 0.05]);
    let clinging = libm::exp(-0.25 * 7.588);
    assert!((0.8 * clinging..1.4 * clinging).contains(&fall((4, 1))), "{} beside {clinging}", fall((4, 1)));
    assert!(fall((1, 1)) > libm::exp(-0.25 * 3.832), "{}", fall((1, 1)));
    let far = value((1, 1), [30.0, 0.0, 20.0]) / value((1, 1), [60.0, 0.0, 40.0]);
    assert!((far - 2.0).abs() < 0.01, "{far}");
    // the same from both sides of a nodal line, nothing on it
    let (i, _) = find_mode(&object, (1, 1));
    assert_eq!(object.shape(i, [0.0, 0.5, 0.2]), 0.0);
    assert_eq!(object.shape(i, [0.5, 0.1, 0.2]), -object.shape(i, [-0.5, 0.1, 0.2]));
}

/// A head far heavier than its air is that of a bare membrane; a small kettle is a stiff spring for what pumps, and nothing for what does not.
#[test]
fn heavy_heads_and_small_kettles() {
    let heavy = |shape| Description::new(shape, mylar(0.1)).build(2000.0, 30).unwrap();
    let thick = 0.02;
    let bare = heavy(Shape::CircularMembrane { radius_m: 0.3, thickness_m: thick, tension_n_m: 1e6 });
    let kettle = Shape::Kettledrum { radius_m: 0.3, thickness_m: thick, tension_n_m: 1e6, depth_m: 0.5 };
    let loaded = heavy(kettle);
    for mode in &bare.modes[..12] {
        let ratio = find_mode(&loaded, mode.label).1.frequency_hz / mode.frequency_hz;
        assert!((ratio - 1.0).abs() < 0.01, "{:?}: {ratio}", mode.label);
        let mass = find_mode(&loaded, mode.label).1.mass_kg / mode.mass_kg;
        assert!((mass - 1.0).abs() < 0.05, "{:?}: {mass}", mode.label);
    }
    let untuned = |depth| Description { pitch_hz: None, ..kettledrum(depth, 110.0, 1.0) };
    let [small, large] = [0.1, 0.8].map(|depth| untuned(depth).build(1000.0, 60).unwrap());
    let hz = |object: &Object, label| find_mode(object, label).1.frequency_hz;
    assert!(hz(&small, (0, 1)) > 1.4 * hz(&large, (0, 1)));
    assert!((hz(&small, (4, 1)) / hz(&large, (4, 1)) - 1.0).abs() < 0.05);
}

#[test]
fn the_pedal_is_the_tension_and_ratios_are_refused() {
    for pitch in [87.3, 110.0, 131.0] {
        let object = kettledrum(DEPTH, pitch, 1.5).build(4000.0, 200).unwrap();
        assert!((find_mode(&object, (1, 1)).1.sounding_hz() / pitch - 1.0).abs() < 1e-9);
    }
    let tuned = Description { ratios: vec![1.0, 1.5], ..kettledrum(DEPTH, 110.0, 1.5) };
    let error = tuned.build(4000.0, 200).unwrap_err();
    assert!(error.to_string().contains("the air puts the partials"), "{error}");
    let absurd = kettledrum(DEPTH, 1e8, 1.5).build(1e9, 20).unwrap_err();
    assert!(matches!(absurd, ObjectError::Parameter { .. } | ObjectError::NoConvergence), "{absurd}");
}
