//! Membranes, plates, drums and wires as the file describes them, at any rate.

use ictus_engine::{Patch, Player};
use ictus_instrument::load;

const FILE: &str = include_str!("../../ictus-instrument/tests/files/grids.toml");

fn compile(text: &str, rate: u32) -> Result<Patch, String> {
    let loaded = load("grids.toml", text, &[]).map_err(|error| error.to_string())?;
    Patch::compile(&loaded, rate).map_err(|error| error.to_string())
}

#[test]
fn one_file_plays_at_any_rate_in_both_schemes() {
    for scheme in ["leapfrog", "midpoint"] {
        for rate in [44_100, 96_000] {
            let text = FILE.replace("\"leapfrog\"", &format!("\"{scheme}\""));
            let patch = compile(&text, rate).unwrap();
            let mut player = Player::new(&patch);
            let mut block = vec![[0.0_f32; 2]; rate as usize / 8];
            player.render(&mut block);
            let peak = block.iter().flatten().fold(0.0_f32, |peak, x| peak.max(x.abs()));
            assert!(peak > 1e-3 && peak.is_finite(), "{scheme} {rate}: {peak}");
            let residual = player.state().ledger.max_residual_rel();
            assert!(residual < 1e-12, "{scheme} {rate}: {residual:e}");
            assert_eq!(player.state().counts.missed, 0);
        }
    }
}

#[test]
fn wires_on_the_nodes_are_solved_one_by_one() {
    let lone = "[[wires]]\non = \"head\"";
    let text = FILE[..FILE.find(lone).unwrap()].to_owned() + &FILE[FILE.find("[[interaction]]").unwrap()..];
    let snapped = compile(&text.replace("spread_m = \"50 mm\"", "spread_m = \"60 mm\""), 48_000).unwrap();
    assert_eq!(snapped.model().island_count(), snapped.model().contact_count());
    let free = compile(&text.replace("snap = true", "snap = false"), 48_000).unwrap();
    assert!(free.model().island_count() < free.model().contact_count() / 2);
}

#[test]
#[rustfmt::skip] // One case per line reads as a table.
fn what_the_physics_refuses() {
    for (from, to, message) in [
        ("points = 24", "points = 900", "stability limit"),
        ("hit = [0.3, -0.2]", "hit = [0.9, 0.9]", "unit disc"),
        ("corner = [0, 1]", "corner = [0, 1.2]", "fractions of the sides"),
        ("from = [0, -0.7]", "from = [0.1, -0.7]", "across the rows"),
        ("radius_m = \"15 cm\"", "radius_m = \"0.1 mm\"", "too short"),
    ] {
        // the knob would move the grid
        let text = FILE.replace(", { to = \"head.points\", range = [20, 30] }", "");
        assert!(text.contains(from), "{from}");
        let error = compile(&text.replacen(from, to, 1), 48_000).expect_err(to);
        assert!(error.contains(message), "{to}: {error}");
    }
}

/// A struck head under a pedal: it sounds where the foot has taken it, and the ledger holds the foot's work.
#[test]
fn a_pedal_moves_the_pitch() {
    let file = |pedal: &str| {
        format!(
            r#"
format = 1
scheme = "leapfrog"
seconds = 1
[[resonator]]
id = "kettle"
kind = "drum"
radius_m = 0.3
depth_m = 3
heads = [{{ name = "head", thickness_m = "1 mm", material = "mylar", frequency_hz = 150, decay = [[100, 9], [1500, 0.05]], points = 24{pedal} }}]
ports = {{ hit = ["head", 0, 0], ear = ["head", 0, 0.1] }}
[[gesture]]
at_s = 0
strike = {{ what = "kettle.hit", force_n = 1, duration_s = "5 ms" }}
[[tap]]
id = "ear"
from = "kettle.ear"
"#
        )
    };
    let pitch = |pedal: &str| {
        let patch = compile(&file(pedal), 48_000).unwrap();
        let mut player = Player::new(&patch);
        let mut sound = vec![[0.0_f32; 2]; 48_000];
        player.render(&mut sound);
        let ledger = &player.state().ledger;
        assert!(ledger.max_residual_rel() < 1e-12, "{pedal}: {:e}", ledger.max_residual_rel());
        // the last half second, in which only the lowest mode is left
        let mut passages = (24_000..47_999).filter(|&n| sound[n][0] < 0.0 && sound[n + 1][0] >= 0.0);
        let first = passages.next().expect("a sound");
        let (count, last) = passages.fold((0, first), |(count, _), n| (count + 1, n));
        48_000.0 * count as f64 / (last - first) as f64
    };
    let still = pitch("");
    for (pedal, factor) in [
        (", pedal = [[0, 1]]", 1.0),
        (", pedal = [[0, 1.3]]", 1.3),
        (", pedal = [[0.1, 1], [0.4, 1.3]]", 1.3),
        (", pedal = [[0.1, 1.3], [0.4, 0.8]]", 0.8),
    ] {
        // the pedal moves the tension's part of ω², that of 150 Hz, and leaves the air's
        let expected = (still * still + 150.0 * 150.0 * (factor * factor - 1.0)).sqrt();
        let cents = 1200.0 * libm::log2(pitch(pedal) / expected);
        assert!(cents.abs() < 1.0, "{pedal}: {cents} cents beside {expected} Hz");
    }
}

/// ω a² √(ρh/D) of a clamped square: 35.99, 73.41, 108.3 [Leissa 1973]. The grid is flat by an error of second order, the modes are not.
#[test]
fn a_clamped_square_sounds_as_published_on_a_grid_and_by_modes() {
    let rate = 48_000;
    let side = 0.3;
    let (density, young, poisson, thickness) = (7800.0, 2.1e11, 0.3, 0.001);
    let wave: f64 = thickness * (young / (12.0 * density * (1.0_f64 - poisson * poisson))).sqrt();
    let mut fundamentals = Vec::new();
    for (kind, extra) in [("modes", ""), ("grid", "points = 12"), ("grid", "points = 24")] {
        let text = format!(
            "format = 1\n[[resonator]]\nid = \"it\"\nkind = \"{kind}\"\n{extra}\n\
             shape = {{ rectangular_plate = {{ length_m = {side}, width_m = {side}, thickness_m = {thickness}, edges = \"clamped\" }} }}\n\
             material = {{ density_kg_m3 = {density}, young_pa = {young}, poisson = {poisson}, damping_1_s = 2, loss_factor = 0 }}\n\
             ports = {{ a = [0.3, 0.35], b = [0.6, 0.55] }}\n\
             [[gesture]]\nstrike = {{ what = \"it.a\", impulse_n_s = 0.01, duration_s = \"0.3 ms\" }}\n\
             [[tap]]\nfrom = \"it.b\"\n"
        );
        let patch = compile(&text, rate).unwrap_or_else(|error| panic!("{kind}: {error}"));
        let mut player = Player::new(&patch);
        let mut block = vec![[0.0_f32; 2]; rate as usize];
        player.render(&mut block);
        assert!(player.ledger().max_residual_rel() < 1e-11);
        let sound: Vec<f64> = block.iter().map(|frame| f64::from(frame[0])).collect();
        let mut errors = Vec::new();
        for number in [35.985, 73.394, 108.217] {
            let theory = number * wave / (side * side * std::f64::consts::TAU);
            // the grid is flat by up to this much
            let expected = if kind == "grid" { theory * 0.98 } else { theory };
            let found = ictus_analysis::pitch::partial(&sound, f64::from(rate), expected).expect("a partial").hz;
            errors.push(1200.0 * libm::log2(found / theory));
        }
        println!("{kind} {extra}: {errors:.1?} cents");
        fundamentals.push(errors);
    }
    assert!(fundamentals[0].iter().all(|cents| cents.abs() < 1.0), "modes: {:?}", fundamentals[0]);
    for (coarse, fine) in fundamentals[1].iter().zip(&fundamentals[2]) {
        let order = libm::log2(coarse / fine);
        assert!(fine.abs() < 35.0 && (1.7..2.3).contains(&order), "{coarse} and {fine} cents: order {order}");
    }
}
