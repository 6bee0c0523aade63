//! A ball on a rough surface really collides with it.
//!
//! `cargo test -p ictus-engine --test all surfaces:: -- --nocapture` prints the rates.

use ictus_engine::{Patch, Player};
use ictus_instrument::load;

const RATE: u32 = 96_000;

/// A steel ball of 5 mm radius on a glass plate, pressed by ten times its weight.
const ROLLING: &str = r#"
    format = 1
    gravity_m_s2 = 9.81
    [[resonator]]
    id = "ball"
    kind = "mass"
    mass_kg = "4 g"
    [[resonator]]
    id = "plate"
    kind = "modes"
    frequency_hz = [820, 2150, 4300]
    decay_s = [0.3, 0.2, 0.1]
    mass_kg = 0.3
    ports = { under = [1.0, 0.7, -0.9] }
    [[interaction]]
    id = "rolling"
    kind = "collision"
    between = ["plate.under", "ball"]
    stiffness = 1e9
    damping_s_m = 30
    speed_m_s = 0.6
    texture = { height_m = "3 µm", beta = 2, coarsest_m = "10 mm", finest_m = "0.2 mm", radius_m = "5 mm" }
    [[gesture]]
    id = "press"
    force = { what = "ball", curve = [[0.0, -0.4]] }
    [[tap]]
    from = "plate.under"
"#;

#[derive(Clone, Copy, Debug, Default)]
struct Rolled {
    /// Contacts that began, per second.
    impacts: f64,
    /// Share of the time in contact.
    touching: f64,
    /// Deepest compression, m.
    deepest: f64,
    residual: f64,
    /// Energy that the ledger counts as supplied, J.
    supplied: f64,
    /// Work of weight, press and of what moves the surface, J.
    pressed: f64,
    moved: f64,
}

fn roll(settings: &[(&str, &str)], seconds: f64) -> Rolled {
    let settings: Vec<_> = settings.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let loaded = load("rolling.toml", ROLLING, &settings).expect("a valid file");
    let patch = Patch::compile(&loaded, RATE).expect("it compiles");
    assert!(patch.warnings().is_empty(), "{:?}", patch.warnings());
    let (model, contact) = (patch.model(), patch.interactions()[0]);
    let bodies = [model.find_body("plate").expect("a plate"), model.find_body("ball").expect("a ball")];
    let mut player = Player::new(&patch);
    let mut frame = [[0.0f32; 2]];
    let mut rolled = Rolled::default();
    let (mut touching, mut surface) = (false, 0.0);
    let n = (seconds * f64::from(RATE)) as usize;
    for _ in 0..n {
        player.render(&mut frame);
        let state = player.state();
        let force = state.contact_force(contact);
        let [plate, ball] = bodies.map(|body| state.displacement(model, body, 0));
        let compression = state.gap(model, contact).now;
        let gap = plate - ball - compression;
        rolled.moved -= force * (gap - surface);
        surface = gap;
        rolled.impacts += f64::from(u8::from(force > 0.0 && !touching)) / seconds;
        touching = force > 0.0;
        rolled.touching += f64::from(u8::from(touching)) / n as f64;
        rolled.deepest = rolled.deepest.max(compression);
        rolled.pressed = -(0.4 + 0.004 * 9.81) * ball;
    }
    assert!(rolled.touching > 0.0, "nothing touched");
    assert_eq!(player.counts().missed, 0);
    assert_eq!(player.muted(), 0);
    rolled.residual = player.ledger().max_residual_rel();
    rolled.supplied = player.ledger().total.supplied.value();
    rolled
}

/// Rates of three surfaces at each value of one setting, and how long the ball touches.
fn rates(key: &str, values: &[&str]) -> Vec<[Rolled; 3]> {
    (values.iter())
        .map(|value| {
            let all = ["1", "2", "3"].map(|seed| roll(&[(key, value), ("seed", seed)], 1.0));
            println!("{key} {value}: {:.0?} /s, touching {:.2}", all.map(|r| r.impacts), all[0].touching);
            all
        })
        .collect()
}

fn assert_growing(rates: &[[Rolled; 3]]) {
    for pair in rates.windows(2) {
        for (slow, fast) in pair[0].iter().zip(&pair[1]) {
            assert!(fast.impacts > slow.impacts, "{slow:?} then {fast:?}");
        }
    }
    for rolled in rates.iter().flatten() {
        assert!(rolled.residual < 1e-9, "{rolled:?}");
        assert!(rolled.touching > 0.5, "it rolls, it does not hop: {rolled:?}");
        // it rides on the surface: the deepest dent is a thousandth of its radius
        assert!(rolled.deepest < 5e-6, "{rolled:?}");
    }
}

#[test]
fn impacts_grow_with_speed() {
    assert_growing(&rates("rolling.speed_m_s", &["0.4", "0.46", "0.53", "0.63", "0.75", "0.9"]));
}

#[test]
fn impacts_grow_with_roughness() {
    assert_growing(&rates("rolling.texture.height_m", &["0.7 µm", "1 µm", "1.5 µm", "2.2 µm", "4 µm", "7 µm"]));
}

/// Under its weight alone a fast ball hops: flights grow longer, so that impacts become fewer and harder.
#[test]
fn a_light_ball_hops() {
    let light = |speed: &str| roll(&[("press.curve[0][1]", "0"), ("rolling.speed_m_s", speed)], 1.0);
    let (slow, fast) = (light("0.25"), light("1"));
    println!(
        "hopping: {:.0} /s touching {:.2}, {:.0} /s touching {:.2}",
        slow.impacts, slow.touching, fast.impacts, fast.touching
    );
    assert!(fast.impacts < slow.impacts && fast.touching < slow.touching && fast.deepest > slow.deepest);
}

#[test]
fn a_larger_ball_rolls_more_quietly() {
    let all = ["1 mm", "3 mm", "10 mm", "30 mm"].map(|radius| roll(&[("rolling.texture.radius_m", radius)], 1.0));
    println!("radius 1, 3, 10, 30 mm: {:.0?} /s, work {:?} J", all.map(|r| r.impacts), all.map(|r| r.moved));
    assert!(all.windows(2).all(|pair| pair[1].moved < pair[0].moved), "{all:?}");
}

/// The ball's energy comes from what presses it and what moves the surface, and from nowhere else.
#[test]
fn energy_comes_from_the_drive() {
    for speed in ["0", "0.3", "1.2"] {
        let rolled = roll(&[("rolling.speed_m_s", speed)], 1.0);
        println!("{speed} m/s: {rolled:?}");
        let error = rolled.supplied - rolled.pressed - rolled.moved;
        assert!(error.abs() < 1e-9 * (rolled.moved.abs() + rolled.pressed.abs()), "{error:e} of {rolled:?}");
        assert!(rolled.residual < 1e-9);
        if speed == "0" {
            assert_eq!(rolled.moved, 0.0, "a surface at rest does no work");
        } else {
            assert!(rolled.moved > 0.0);
        }
    }
}

#[test]
fn both_schemes_balance_their_ledger() {
    let text = ROLLING.replace("format = 1", "format = 1\n    scheme = \"leapfrog\"");
    let loaded = load("rolling.toml", &text, &[]).expect("a valid file");
    let patch = Patch::compile(&loaded, RATE).expect("it compiles");
    let mut player = Player::new(&patch);
    player.render(&mut vec![[0.0; 2]; RATE as usize]);
    assert!(player.ledger().max_residual_rel() < 1e-9);
    assert!(player.ledger().total.supplied.value() > 0.0);
}

#[test]
fn block_lengths_do_not_matter() {
    let loaded = load("rolling.toml", ROLLING, &[]).expect("a valid file");
    let patch = Patch::compile(&loaded, 48_000).expect("it compiles");
    let render = |length: usize| {
        let mut out = vec![[0.0f32; 2]; 12_000];
        let mut player = Player::new(&patch);
        for block in out.chunks_mut(length) {
            player.render(block);
        }
        out
    };
    let whole = render(12_000);
    assert!(whole.iter().any(|frame| frame[0] != 0.0));
    for length in [1, 64, 777] {
        assert_eq!(render(length), whole, "blocks of {length}");
    }
}

/// A pebble on a floor that sinks by a step, and one on a wheel with a bump, follow what carries them.
#[test]
fn floors_move_and_wheels_turn() {
    let floor = |extra: &str| {
        format!(
            r#"
            format = 1
            gravity_m_s2 = 9.81
            [[resonator]]
            id = "pebble"
            kind = "mass"
            mass_kg = "10 g"
            [[interaction]]
            id = "floor"
            kind = "collision"
            between = ["wall", "pebble"]
            stiffness = 1e8
            damping_s_m = 5
            {extra}
            [[tap]]
            from = "pebble"
            "#
        )
    };
    let place = |text: &str, seconds: f64| {
        let loaded = load("floor.toml", text, &[]).expect("a valid file");
        let patch = Patch::compile(&loaded, RATE).expect("it compiles");
        let mut player = Player::new(&patch);
        player.render(&mut vec![[0.0; 2]; (seconds * f64::from(RATE)) as usize]);
        assert!(player.ledger().max_residual_rel() < 1e-9);
        let pebble = patch.model().find_body("pebble").expect("a pebble");
        player.state().displacement(patch.model(), pebble, 0)
    };
    let stair = floor("lift = [[0, 0], [0.2, 0], [0.2001, -0.05], [1.5, -0.05], [1.6, 0.02]]");
    for (seconds, height) in [(0.19, 0.0), (1.4, -0.05), (2.5, 0.02)] {
        let found = place(&stair, seconds);
        assert!((found - height).abs() < 1e-5, "{found} m after {seconds} s, expected {height}");
    }
    // a wheel of 50 mm, 1 mm out of round, half a turn per second
    let wheel = floor("speed_m_s = 0.15707963267948966\ntexture = { radius_m = 0.05, eccentricity_m = 0.001 }");
    for (seconds, height) in [(0.5, -0.001), (1.0, -0.002), (2.0, 0.0)] {
        let found = place(&wheel, seconds);
        assert!((found - height).abs() < 2e-6, "{found} m after {seconds} s, expected {height}");
    }
}

/// Whatever a file may say within the format's rules: a finite sound, or an error.
#[test]
fn absurd_surfaces_stay_finite() {
    let values = [
        ("rolling.texture.height_m", ["0", "1e-300", "1", "1e12", "1e300"]),
        ("rolling.texture.radius_m", ["1e-300", "1e-9", "1e6", "1e150", "1e300"]),
        ("rolling.texture.eccentricity_m", ["0", "-1", "[1e3, -1e3, 1e3]", "1e150", "-1e300"]),
        ("rolling.speed_m_s", ["-1", "1e3", "-1e9", "1e200", "[[0, 1e300], [1e-300, -1e300]]"]),
        (
            "rolling.lift",
            [
                "[[0, 1]]",
                "[[0, -1e9], [1e-3, 1e9]]",
                "[[1e-3, 1e300]]",
                "[[0, 0], [1e-300, 1]]",
                "[[0, 1e-9], [1e300, -1]]",
            ],
        ),
        ("rolling.texture.beta", ["0", "0.1", "1", "3", "4"]),
    ];
    for (key, list) in values {
        for value in list {
            let text = ROLLING.replace("radius_m = \"5 mm\"", "radius_m = \"5 mm\", eccentricity_m = 0.0");
            let text = text.replace("speed_m_s = 0.6", "speed_m_s = 0.6\n    lift = [[0, 0]]");
            let settings = [(key.to_owned(), value.to_owned())];
            let loaded =
                load("absurd.toml", &text, &settings).unwrap_or_else(|error| panic!("{key} = {value}: {error}"));
            let patch = Patch::compile(&loaded, 48_000).unwrap_or_else(|error| panic!("{key} = {value}: {error}"));
            let mut player = Player::new(&patch);
            let mut block = vec![[0.0f32; 2]; 4800];
            player.render(&mut block);
            assert!(block.iter().flatten().all(|x| x.is_finite()), "{key} = {value}");
        }
    }
}

/// Too fast for the rate: said so, and smoothed instead of folded down.
#[test]
fn a_surface_that_passes_too_fast_is_smoothed() {
    let at = |rate: u32| {
        let settings = [("rolling.speed_m_s".to_owned(), "18".to_owned())];
        let loaded = load("fast.toml", ROLLING, &settings).expect("a valid file");
        let patch = Patch::compile(&loaded, rate).expect("it compiles");
        let codes: Vec<String> = patch.warnings().iter().map(|warning| warning.code().to_owned()).collect();
        let mut player = Player::new(&patch);
        let mut block = vec![[0.0f32; 2]; rate as usize / 10];
        player.render(&mut block);
        assert!(block.iter().flatten().all(|x| x.is_finite()));
        assert!(player.ledger().max_residual_rel() < 1e-9);
        codes
    };
    assert_eq!(at(48_000), ["engine::too_fast"]);
    // 18 m/s over 0.2 mm are 90 kHz, more than four steps each
    assert!(at(384_000).is_empty());
}
