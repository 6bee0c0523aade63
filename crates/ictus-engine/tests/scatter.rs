//! Scattered throws are real collisions, as many and as strong as asked for.

use ictus_engine::{Patch, Player, presets};
use ictus_instrument::{Loaded, load};

const RATE: u32 = 48_000;

/// Forty grains over one stone: so many that one is hardly ever thrown again before it has hit.
fn rain(rate: &str, seed: u64) -> Loaded {
    let mut text = format!(
        r#"
        format = 1
        seed = {seed}
        [[resonator]]
        id = "stone"
        kind = "modes"
        frequency_hz = [2100, 3700]
        decay_s = [0.03, 0.02]
        mass_kg = 0.1
        ports = {{ face = [1.0, 0.8] }}
        [[tap]]
        from = "stone.face"
        "#
    );
    let mut names = Vec::new();
    for i in 0..40 {
        names.push(format!("\"g{i}\""));
        text += &format!(
            r#"
            [[resonator]]
            id = "g{i}"
            kind = "mass"
            mass_kg = "0.2 g"
            [[interaction]]
            kind = "collision"
            between = ["stone.face", "g{i}"]
            stiffness = 1e8
            gap_m = "10 µm"
            "#
        );
    }
    let names = names.join(", ");
    text += &format!(
        "[[gesture]]\nscatter = {{ what = [{names}], rate_hz = {rate}, velocity_m_s = [-0.05, -2], exponent = 1.5 }}"
    );
    load("rain.toml", &text, &[]).expect("a valid file")
}

/// Times at which contacts began, s, and the player's residual.
fn contacts(loaded: &Loaded, seconds: f64) -> (Vec<f64>, f64) {
    let patch = Patch::compile(loaded, RATE).expect("it compiles");
    let mut player = Player::new(&patch);
    let mut touching = vec![false; patch.interactions().len()];
    let mut times = Vec::new();
    for n in 0..(seconds * f64::from(RATE)) as usize {
        player.render(&mut [[0.0; 2]]);
        for (was, &contact) in touching.iter_mut().zip(patch.interactions()) {
            let now = player.state().contact_force(contact) > 0.0;
            if now && !*was {
                times.push(n as f64 / f64::from(RATE));
            }
            *was = now;
        }
    }
    assert_eq!((player.counts().missed, player.muted()), (0, 0));
    (times, player.ledger().max_residual_rel())
}

/// Every throw lands: contacts are counted in the physics, not in the list of cues. Five standard deviations of a Poisson count, and
/// the few grains that the ringing stone hits twice.
#[test]
fn every_throw_is_a_contact() {
    for seed in 1..=3 {
        let (times, residual) = contacts(&rain("[[0, 300], [3, 300]]", seed), 3.1);
        println!("seed {seed}: {} contacts of 900 expected, residual {residual:.1e}", times.len());
        assert!((times.len() as f64 - 900.0).abs() < 5.0 * 30.0 + 0.05 * 900.0);
        assert!(residual < 1e-9);
    }
}

#[test]
fn a_falling_rate_is_heard_to_fall() {
    for seed in 1..=3 {
        let (times, _) = contacts(&rain("[[0, 900], [4, 0]]", seed), 4.0);
        let counts: Vec<usize> = (0..4).map(|s| times.iter().filter(|t| **t as usize == s).count()).collect();
        println!("seed {seed}: {counts:?}");
        assert!(counts.windows(2).all(|pair| pair[1] < pair[0]), "{counts:?}");
    }
}

#[test]
fn the_seed_decides() {
    let rate = "[[0, 200], [0.5, 200]]";
    let [a, again, b] = [4, 4, 5].map(|seed| contacts(&rain(rate, seed), 0.5).0);
    assert_eq!(a, again);
    assert_ne!(a, b);
}

/// The broken plate is choked by its pads, within a tenth of a second to a fiftieth of what it would be, and the ledger shows where the energy went.
#[test]
fn a_broken_plate_is_silent_and_its_pieces_ring() {
    let preset = presets::find("breaking-plate").expect("the preset");
    let energies = |text: &str| {
        let loaded = load("plate.toml", text, &[]).expect("a valid file");
        let patch = Patch::compile(&loaded, RATE).expect("it compiles");
        let model = patch.model();
        let [whole, piece] = ["whole", "piece1"].map(|name| model.find_body(name).expect("a body"));
        let mut player = Player::new(&patch);
        // the largest speed at the fifth port, the one that is listened to, in the first hundredth of a second and in the tenth
        let (mut first, mut last, mut rings) = (0.0f64, 0.0f64, 0.0f64);
        for n in 0..RATE / 10 {
            player.render(&mut [[0.0; 2]]);
            let speed = player.state().velocity(model, whole, 4).abs();
            match n * 100 / RATE {
                0 => first = first.max(speed),
                9 => last = last.max(speed),
                _ => {}
            }
            rings = rings.max(player.state().body_energy(model, piece));
        }
        assert!(player.ledger().max_residual_rel() < 1e-9);
        (first, last, rings)
    };
    let (choked, free) = (energies(preset.text), energies(&preset.text.replace("lift = ", "# lift = ")));
    println!("speed at first and after 0.1 s (m/s), energy of a piece (J): choked {choked:?}, free {free:?}");
    assert!(choked.2 > 0.0, "the pieces ring");
    assert!(choked.1 < 0.02 * free.1, "{} against {} m/s", choked.1, free.1);
}
