//! What The Sounding Object and D21 describe, said in files: chains with dampers, randomised weights, pole densities, the bow curve, a door with two leaves, a
//! wheel that rolls, brakes and stops.

use ictus_analysis::{Window, spectrum::Spectrum};
use ictus_engine::{Patch, Player, presets};
use ictus_instrument::load;

const RATE: u32 = 48_000;

fn compile(text: &str) -> Patch {
    let loaded = load("seeds.toml", text, &[]).unwrap_or_else(|error| panic!("{error}\n{text}"));
    Patch::compile(&loaded, RATE).unwrap_or_else(|error| panic!("{error}"))
}

/// Left channel.
fn render(text: &str, seconds: f64) -> Vec<f32> {
    let patch = compile(text);
    let mut player = Player::new(&patch);
    let mut frames = vec![[0.0f32; 2]; (seconds * f64::from(RATE)) as usize];
    player.render(&mut frames);
    assert!(player.ledger().max_residual_rel() < 1e-9, "{:e}", player.ledger().max_residual_rel());
    frames.iter().map(|frame| frame[0]).collect()
}

/// The same without its ledger: of a body that hardly moves, the rounding of the bow's work is all the energy there is.
fn unaudited(text: &str, seconds: f64) -> Vec<f32> {
    let patch = compile(text);
    let mut frames = vec![[0.0f32; 2]; (seconds * f64::from(RATE)) as usize];
    Player::new(&patch).render(&mut frames);
    frames.iter().map(|frame| frame[0]).collect()
}

fn peak(samples: &[f32]) -> f32 {
    samples.iter().fold(0.0, |peak, x| peak.max(x.abs()))
}

fn farthest(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).fold(0.0, |worst, (a, b)| worst.max((a - b).abs()))
}

const MASSES: [f64; 3] = [0.01, 0.02, 0.015];
const SPRINGS: [f64; 4] = [4e4, 6e4, 5e4, 3e4];

fn played(resonators: &str, first: &str, last: &str) -> String {
    format!(
        "format = 1\n{resonators}\n[[gesture]]\nstrike = {{ what = \"{first}\", force_n = 10, duration_s = 0.002 }}\n\
         [[tap]]\nfrom = \"{last}\"\n"
    )
}

/// The chain as a bank of modes, by the plain rule that masses and springs have too.
fn chain(dampers: &[f64]) -> String {
    let shape = format!(
        "[[resonator]]\nid = \"chain\"\nkind = \"modes\"\ndiscretisation = \"bilinear\"\nports = {{ first = 0, last = 1 }}\n\
         shape = {{ chain = {{ masses_kg = {MASSES:?}, springs_n_m = {SPRINGS:?}, dampers_n_s_m = {dampers:?} }} }}\n"
    );
    played(&shape, "chain.first", "chain.last")
}

/// The same, mass by mass.
fn masses(dampers: &[f64]) -> String {
    let mut text = String::new();
    for (i, mass) in MASSES.iter().enumerate() {
        text += &format!("[[resonator]]\nid = \"m{i}\"\nkind = \"mass\"\nmass_kg = {mass}\n");
    }
    let name = |i: usize| if i == 0 || i > MASSES.len() { "wall".to_owned() } else { format!("m{}", i - 1) };
    for (i, (spring, damper)) in SPRINGS.iter().zip(dampers).enumerate() {
        let ends = if i == 0 { [name(1), name(0)] } else { [name(i), name(i + 1)] };
        text += &format!(
            "[[interaction]]\nkind = \"spring\"\nbetween = {ends:?}\nstiffness_n_m = {spring}\ndamping_n_s_m = {damper}\n"
        );
    }
    played(&text, "m0", "m2")
}

#[test]
fn a_chain_with_dampers_moves_as_its_masses_do() {
    // in proportion to the springs: the modes stay apart, and the chain is exact
    let dampers = SPRINGS.map(|k| 2e-5 * k);
    let (bank, bodies) = (render(&chain(&dampers), 0.5), render(&masses(&dampers), 0.5));
    assert!(peak(&bank) > 0.01, "nothing moves: {}", peak(&bank));
    let off = farthest(&bank, &bodies) / peak(&bodies);
    assert!(off < 1e-5, "a proportionally damped chain is off by {off:e}");
    // one damper at the wall couples the modes: what is left out is of second order
    let (weak, weaker) = ([0.4, 0.0, 0.0, 0.0], [0.2, 0.0, 0.0, 0.0]);
    let error = |dampers: &[f64]| {
        let bodies = render(&masses(dampers), 0.1);
        farthest(&render(&chain(dampers), 0.1), &bodies) / peak(&bodies)
    };
    let (large, small) = (error(&weak), error(&weaker));
    println!("off by {large:.4} and {small:.4} for half the damping");
    assert!(large < 0.05, "off by {large}");
    assert!(small < 0.7 * large, "{small} is not less than {large}");
    // and the damper does damp
    let tail = |dampers: &[f64]| peak(&render(&chain(dampers), 0.5)[20_000..]);
    assert!(tail(&weak) < 0.3 * tail(&[0.0; 4]));
}

const BANK: &str = "[[resonator]]\nid = \"bar\"\nkind = \"modes\"\nmaterial = \"steel\"\nports = { strike = 0.31, ear = 0.87 }\n\
                    shape = { bar = { length_m = 0.3, width_m = 0.03, thickness_m = 0.004 } }\n";

fn shapes(keys: &str) -> Vec<Vec<f64>> {
    let text = played(&format!("{BANK}{keys}\n"), "bar.strike", "bar.ear");
    compile(&text).banks()[0].shapes.clone()
}

#[test]
fn weights_are_randomised_more_the_higher_the_mode() {
    let plain = shapes("");
    assert_eq!(shapes("weight_spread = 0"), plain);
    let drawn = shapes("weight_spread = 0.02");
    assert_eq!(shapes("weight_spread = 0.02"), drawn, "the same file, another draw");
    assert_ne!(shapes("weight_spread = 0.02\nweight_seed = 5"), drawn, "another seed, the same draw");
    for (port, (before, after)) in plain.iter().zip(&drawn).enumerate() {
        assert!(after.len() > 8);
        assert!((before[0] - after[0]).abs() < 0.1, "port {port}: the lowest mode changes by {}", before[0] - after[0]);
        assert!(after.iter().all(|w| w.abs() <= 1.0 + 1e-12), "port {port}: a weight beyond the largest");
    }
    let change = |range: std::ops::Range<usize>| {
        let squares = plain.iter().zip(&drawn).flat_map(|(a, b)| range.clone().map(|i| (a[i] - b[i]) * (a[i] - b[i])));
        (squares.sum::<f64>() / (2 * range.len()) as f64).sqrt()
    };
    let last = plain[0].len();
    let (low, high) = (change(0..3), change(last - 4..last));
    assert!(high > 5.0 * low, "low modes change by {low:.3}, high ones by {high:.3}");
    // each port has its own draw, and a listed bank is changed too
    let listed = |keys: &str| {
        let bank = format!(
            "[[resonator]]\nid = \"b\"\nkind = \"modes\"\nfrequency_hz = [100, 900, 3000]\ndecay_s = 1\nmass_kg = 0.1\n\
             ports = {{ a = [1, 1, 1], c = [0.5, 0.5, 0.5] }}\n{keys}\n"
        );
        compile(&played(&bank, "b.a", "b.c")).banks()[0].shapes.clone()
    };
    let drawn = listed("weight_spread = 0.1");
    assert!((drawn[0][2] - 1.0).abs() > 0.01 && (drawn[1][2] - 0.5).abs() > 0.01, "{drawn:?}");
    assert!(render(&played(&format!("{BANK}weight_spread = 0.05\n"), "bar.strike", "bar.ear"), 0.2).len() == 9600);
}

/// f = μ N √(2a) v e^(½ − a v²), whatever the speed.
#[test]
fn a_bow_curve_has_the_force_of_its_formula() {
    let force = |speed: f64, points: &str| {
        let text = format!(
            "format = 1\n[[resonator]]\nid = \"string\"\nkind = \"string\"\nlength_m = 0.5\ndensity_kg_m = 1e9\ntension_n = 1e12\nports = {{ bow = 0.5 }}\n\
             [[interaction]]\nid = \"bow\"\nkind = \"friction\"\nmodel = \"bow_curve\"\nbetween = [\"string.bow\", \"wall\"]\nnormal_n = 2.5\n\
             speed_m_s = {speed}\nsharpness_s2_m2 = 100\nsticking = 0.8\n{points}\n[[tap]]\nfrom = \"bow\"\nquantity = \"force\"\n"
        );
        // one tap in the middle has a gain of √½
        f64::from(unaudited(&text, 0.01)[400]) * std::f64::consts::SQRT_2
    };
    for speed in [-0.3, -0.05, 0.02, 0.070_710_678, 0.2] {
        let expected = 2.0 * 200f64.sqrt() * speed * libm::exp(0.5 - 100.0 * speed * speed);
        for points in ["", "width_m = 0.01\npoints = 3"] {
            let found = force(speed, points);
            assert!((found.abs() - expected.abs()).abs() < 1e-4, "{speed} m/s {points}: {found} N, not {expected}");
        }
    }
}

#[test]
fn a_bow_curve_makes_a_string_speak() {
    let text = "format = 1\n[[resonator]]\nid = \"string\"\nkind = \"string\"\nlength_m = 0.33\ndensity_kg_m = 2.66e-3\nfrequency_hz = 196\nmodes = 40\n\
         decay = [[196, 1.5], [4000, 0.5]]\nports = { bow = 0.12, ear = 0.3 }\n\
         [[interaction]]\nid = \"bow\"\nkind = \"friction\"\nmodel = \"bow_curve\"\nbetween = [\"string.bow\", \"wall\"]\nnormal_n = 0.5\n\
         speed_m_s = [[0, 0], [0.1, 0.2]]\nsharpness_s2_m2 = 100\n[[tap]]\nfrom = \"string.ear\"\n";
    let sound = render(text, 1.5);
    let tail = &sound[48_000..];
    assert!(peak(tail) > 0.02, "no motion: {}", peak(tail));
    let hz = Spectrum::of(tail, f64::from(RATE), Window::Hann).peaks(-300.0, 1)[0].hz;
    let harmonic = (hz / 196.0).round();
    assert!(harmonic >= 1.0 && (hz / harmonic - 196.0).abs() < 3.0, "{hz} Hz");
}

/// A ball on a rough plate; `how` says what moves it.
fn rolling(how: &str, texture: &str) -> String {
    format!(
        "format = 1\ngravity_m_s2 = 9.81\n[[resonator]]\nid = \"ball\"\nkind = \"mass\"\nmass_kg = 0.004\n\
         [[resonator]]\nid = \"plate\"\nkind = \"modes\"\nfrequency_hz = [820, 2150]\ndecay_s = 0.3\nmass_kg = 0.3\nports = {{ under = [1.0, 0.7] }}\n\
         {how}\ntexture = {{ height_m = 3e-6, coarsest_m = 0.01, finest_m = 2e-4, radius_m = 0.005, eccentricity_m = 1e-5{texture} }}\n\
         [[tap]]\nfrom = \"plate.under\"\ngain = 1000\n"
    )
}

const CONTACT: &str = "[[interaction]]\nid = \"rolling\"\nkind = \"collision\"\nbetween = [\"plate.under\", \"ball\"]\nstiffness = 1e9\ndamping_s_m = 30\n";

/// Without gravity the cart keeps its speed, so it carries the ball as a given speed does.
#[test]
fn a_mass_carries_a_point_along_a_surface() {
    let weight = "[[gesture]]\nforce = { what = \"ball\", curve = [[0.0, -0.04]] }\n";
    let rolling = |how: &str| rolling(how, "").replace("gravity_m_s2 = 9.81\n", "") + weight;
    let cart = "[[resonator]]\nid = \"cart\"\nkind = \"mass\"\nmass_kg = 1\nvelocity_m_s = 0.3\n";
    let given = render(&rolling(&format!("{CONTACT}speed_m_s = 0.3")), 0.5);
    let carried = render(&rolling(&format!("{cart}{CONTACT}carried_by = \"cart\"")), 0.5);
    assert!(peak(&given) > 1e-3);
    // later on rounding decides when the ball leaves the plate
    let off = farthest(&given[..480], &carried[..480]) / peak(&given[..480]);
    assert!(peak(&given[..480]) > 1e-3 && off < 1e-3, "off by {off} of {}", peak(&given[..480]));
    let level = |x: &[f32]| x.iter().map(|x| x * x).sum::<f32>().sqrt();
    assert!((level(&given) / level(&carried) - 1.0).abs() < 0.2, "{} and {}", level(&given), level(&carried));
    // a cart with friction comes to rest, and the ball falls silent
    let slowed = cart.replace("velocity_m_s = 0.3", "velocity_m_s = 0.3\ndamping_n_s_m = 30");
    let stopped = render(&rolling(&format!("{slowed}{CONTACT}carried_by = \"cart\"")), 1.5);
    assert!(peak(&stopped[65_000..]) < 0.02 * peak(&stopped[..10_000]));
    // a cart at rest does not roll, a faster one makes another sound
    let fast = cart.replace("velocity_m_s = 0.3", "velocity_m_s = 0.6");
    assert_ne!(render(&rolling(&format!("{fast}{CONTACT}carried_by = \"cart\"")), 0.1), carried[..4800]);
}

#[test]
fn poles_per_decade_make_another_surface_and_four_is_the_default() {
    let how = format!("{CONTACT}speed_m_s = 0.3");
    let plain = render(&rolling(&how, ""), 0.1);
    assert_eq!(render(&rolling(&how, ", poles_per_decade = 4"), 0.1), plain);
    assert_ne!(render(&rolling(&how, ", poles_per_decade = 1"), 0.1), plain);
    let rub = |texture: &str| {
        let text = "format = 1\n[[resonator]]\nid = \"r\"\nkind = \"modes\"\nfrequency_hz = [500]\ndecay_s = 1\nmass_kg = 0.02\nports = { a = [1] }\n\
             [[interaction]]\nkind = \"friction\"\nbetween = [\"r.a\", \"wall\"]\nnormal_n = 1\nspeed_m_s = 0.3\nsticking = 0.5\nsliding = 0.4\n\
             stribeck_m_s = 0.1\nstiffness_n_m = 1e4\nroughness = 0.2\n";
        format!(
            "{text}texture = {{ beta = 1, coarsest_m = 0.005, finest_m = 1e-4{texture} }}\n[[tap]]\nfrom = \"r.a\"\n"
        )
    };
    assert_eq!(render(&rub(""), 0.1), render(&rub(", poles_per_decade = 4"), 0.1));
    assert_ne!(render(&rub(""), 0.1), render(&rub(", poles_per_decade = 12"), 0.1));
}

/// Speed of the carriage, m/s, and levels of rail and wheel after each tenth of a second.
#[test]
fn the_wheel_rolls_brakes_and_stops() {
    let preset = presets::find("wheel-brake").expect("the preset");
    let loaded = load(preset.stem, preset.text, &[]).expect("it loads");
    let patch = Patch::compile(&loaded, RATE).expect("it compiles");
    let model = patch.model();
    let body = |name: &str| model.find_body(name).expect("a body");
    let (carriage, wheel, rail) = (body("carriage"), body("wheel"), body("rail"));
    let mut player = Player::new(&patch);
    let mut frames = vec![[0.0f32; 2]; 480];
    let mut places = Vec::new();
    // largest energy of the wheel and speed of the rail in each tenth of a second, and the speed at its end
    let tenths: Vec<[f64; 3]> = (0..(10.0 * loaded.spec.seconds) as usize)
        .map(|_| {
            let (mut squeal, mut rumble) = (0.0f64, 0.0f64);
            for _ in 0..10 {
                player.render(&mut frames);
                squeal = squeal.max(player.state().body_energy(model, wheel));
                rumble = rumble.max(player.state().velocity(model, rail, 1).abs());
            }
            places.push(player.state().displacement(model, carriage, 0));
            [player.state().velocity(model, carriage, 0), squeal, rumble]
        })
        .collect();
    let at = |seconds: f64| tenths[(10.0 * seconds) as usize];
    assert!((at(1.0)[0] - 1.8).abs() < 1e-6, "it brakes itself: {} m/s", at(1.0)[0]);
    assert!(at(3.0)[0] < 1.5 && at(3.0)[0] > 0.3, "at 3 s it moves at {} m/s", at(3.0)[0]);
    // it sways on its brake by some micrometres
    let rest = (places[54] - places[50]).abs();
    assert!(rest < 1e-4, "it does not stop: {rest} m in the last 0.4 s");
    // it squeals only when it is slow; before, the brake just bends the wheel
    let slow = tenths.iter().filter(|t| t[0] > 0.02 && t[0] < 0.7).map(|t| t[1]).fold(0.0, f64::max);
    assert!(slow > 100.0 * at(2.5)[1], "{slow:e} J slow, {:e} J fast", at(2.5)[1]);
    assert!(at(5.3)[2] < 0.1 * at(1.0)[2], "the rail rumbles on");
}

/// Each leaf creaks at its own pitch on its own side: the left one first, then the right one, then both.
#[test]
fn the_leaves_of_a_double_door_creak_by_themselves() {
    let preset = presets::find("double-door").expect("the preset");
    let loaded = load(preset.stem, preset.text, &[("space".into(), "1".into())]).expect("it loads");
    let patch = Patch::compile(&loaded, RATE).expect("it compiles");
    let mut player = Player::new(&patch);
    player.audit(false);
    let mut frames = vec![[0.0f32; 2]; (loaded.spec.seconds * f64::from(RATE)) as usize];
    player.render(&mut frames);
    let piece = |side: usize, from: f64, to: f64| -> Vec<f32> {
        let at = |t: f64| (t * f64::from(RATE)) as usize;
        frames[at(from)..at(to)].iter().map(|frame| frame[side]).collect()
    };
    let hz = |samples: &[f32]| Spectrum::of(samples, f64::from(RATE), Window::Hann).peaks(-300.0, 1)[0].hz;
    let near = |found: f64, hz: f64| assert!((found - hz).abs() < 12.0, "{found} Hz, not {hz}");
    near(hz(&piece(0, 0.5, 0.9)), 155.0);
    assert!(peak(&piece(1, 0.5, 1.7)) < 1e-3 * peak(&piece(0, 0.5, 1.7)), "the right leaf moves too early");
    near(hz(&piece(1, 2.4, 2.8)), 220.0);
    assert!(peak(&piece(0, 2.9, 3.5)) < 0.1 * peak(&piece(1, 2.9, 3.5)), "the left leaf does not rest");
    near(hz(&piece(0, 4.3, 4.6)), 155.0);
    near(hz(&piece(1, 4.3, 4.6)), 220.0);
}
