//! Bows with a width, with hair that gives, on strings that turn, and on the move: each plays, changes what it should, and balances its ledger.

use ictus_analysis::{Window, spectrum::Spectrum};
use ictus_core::State;
use ictus_engine::{Patch, Player};
use ictus_instrument::load;

const RATE: u32 = 48_000;

/// The bowed string of the handbook, with `string` and `bow` among its keys.
fn file(string: &str, bow: &str) -> String {
    format!(
        "format = 1\ntitle = \"bow\"\nseconds = 2.0\n\n[[resonator]]\nid = \"string\"\nkind = \"string\"\nlength_m = 0.33\ndensity_kg_m = 2.66e-3\n\
         frequency_hz = 196\nmodes = 60\ndecay = [[196, 1.4], [5000, 1.3]]\nports = {{ bow = 0.1, out = 0.97 }}\n{string}\n\n\
         [[interaction]]\nid = \"bow\"\nkind = \"friction\"\nbetween = [\"string.bow\", \"wall\"]\nnormal_n = 3.6\nspeed_m_s = [[0, 0], [0.2, 0.3]]\n\
         sticking = 0.4\nsliding = 0.2\nstribeck_m_s = 0.1\nstiffness_n_m = 1e4\ndamping_n_s_m = 1.0\n{bow}\n\n\
         [[tap]]\nfrom = \"string.out\"\n"
    )
}

struct Played {
    samples: Vec<f64>,
    state: State,
    names: Vec<String>,
}

fn play(text: &str) -> Played {
    let loaded = load("bow.toml", text, &[]).unwrap_or_else(|error| panic!("{error}"));
    let patch = Patch::compile(&loaded, RATE).unwrap_or_else(|error| panic!("{error}"));
    let mut player = Player::new(&patch);
    let mut frames = vec![[0.0f32; 2]; 2 * RATE as usize];
    player.render(&mut frames);
    let names = patch.model().contact_names().map(str::to_owned).collect();
    let samples = frames.iter().map(|frame| f64::from(frame[0])).collect();
    Played { samples, state: player.state().clone(), names }
}

impl Played {
    fn last_second(&self) -> &[f64] {
        &self.samples[RATE as usize..]
    }

    fn pitch(&self) -> f64 {
        ictus_analysis::pitch::fundamental(self.last_second(), f64::from(RATE)).map_or(0.0, |pitch| pitch.hz)
    }

    /// Centre of the power spectrum, Hz.
    fn centroid(&self) -> f64 {
        let spectrum = Spectrum::of(self.last_second(), f64::from(RATE), Window::Hann);
        spectrum.centroid_hz().unwrap_or(0.0)
    }

    fn check_ledger(&self) {
        let ledger = &self.state.ledger;
        let flow = ledger.total.dissipated.value().max(ledger.peak);
        assert!(
            ledger.total.max_residual.max(ledger.total.max_raw_residual) < 1e-11 * flow,
            "the ledger does not close"
        );
        assert_eq!(self.state.counts.missed, 0);
    }
}

#[test]
fn every_kind_of_bow_plays_the_note() {
    for (name, string, bow) in [
        ("a point", "", ""),
        ("a point of its own", "", "position = 0.12"),
        ("10 mm, 4 points", "", "width_m = \"10 mm\""),
        ("10 mm, 8 points", "", "width_m = \"10 mm\"\npoints = 8"),
        ("hair", "", "hair = { stiffness_n_m = 3e4, mass_kg = \"0.2 g\", damping_n_s_m = 1 }"),
        ("torsion", "torsion = {}", ""),
        (
            "all",
            "torsion = {}",
            "width_m = \"8 mm\"\nhair = { stiffness_n_m = 3e4, mass_kg = \"0.2 g\", damping_n_s_m = 1 }",
        ),
    ] {
        let played = play(&file(string, bow));
        println!("{name}: {:.2} Hz, centroid {:.0} Hz", played.pitch(), played.centroid());
        played.check_ledger();
        assert!((played.pitch() - 196.0).abs() < 2.0, "{name}: {} Hz", played.pitch());
    }
}

/// Pressed hard, the hairs of a wide bow do not let go together, and hair that gives lets the string swing while it sticks: both dull the corner.
#[test]
fn a_wide_bow_and_soft_hair_are_duller() {
    let at = |normal: &str, bow: &str| {
        let played = play(&file("", bow).replace("normal_n = 3.6", &format!("normal_n = {normal}")));
        played.check_ledger();
        played.centroid()
    };
    let soft = "hair = { stiffness_n_m = 5e3, mass_kg = \"0.2 g\", damping_n_s_m = 1 }";
    let (point, wide) = (at("32", ""), at("32", "width_m = \"10 mm\"\npoints = 6"));
    println!("at 32 N: centroid {point:.0} Hz, 10 mm wide {wide:.0} Hz");
    assert!(wide < 0.8 * point);
    let (point, hair) = (at("16", ""), at("16", soft));
    println!("at 16 N: centroid {point:.0} Hz, soft hair {hair:.0} Hz");
    assert!(hair < 0.8 * point);
}

/// A bow that stands still on a plucked string: the string is held, but it turns, and loses by that.
#[test]
fn torsion_takes_from_a_string_that_is_held() {
    let left = |string: &str| {
        let held = file(string, "")
            .replace("normal_n = 3.6", "normal_n = 50")
            .replace("speed_m_s = [[0, 0], [0.2, 0.3]]", "speed_m_s = 0")
            .replace("stiffness_n_m = 1e4\ndamping_n_s_m = 1.0", "stiffness_n_m = 1e6");
        let played = play(&format!(
            "{held}\n[[gesture]]\nstrike = {{ what = \"string.out\", force_n = 1, duration_s = 1e-4 }}\n"
        ));
        played.check_ledger();
        let rms = |from: usize| ictus_analysis::level::rms_dbfs(&played.samples[from..from + 4800]).unwrap_or(-300.0);
        rms(9600) - rms(480)
    };
    let (stiff, turning) = (left(""), left("torsion = {}"));
    println!("0.2 s after the stroke: {stiff:.1} dB, {turning:.1} dB where the string turns");
    assert!(turning < stiff - 3.0);
}

#[test]
fn a_bow_moves_along_the_string_while_it_plays() {
    for string in ["", "torsion = {}"] {
        let moving =
            play(&file(string, "position = [[0, 0.08], [0.9, 0.08], [1.1, 0.3]]\nwidth_m = \"4 mm\"\npoints = 2"));
        moving.check_ledger();
        // a string drawn along at v_b swings as v_b/β
        let level = |from: usize| {
            ictus_analysis::level::rms_dbfs(&moving.samples[from..from + RATE as usize / 3]).unwrap_or(-300.0)
        };
        let (near, far) = (level(24_000), level(72_000));
        println!("{near:.1} dB near the bridge, {far:.1} dB over the fingerboard; {:.2} Hz", moving.pitch());
        assert!((moving.pitch() - 196.0).abs() < 2.0);
        assert!(far < near - 6.0);
    }
    // on a grid as on modes
    let grid = file("", "position = [[0, 0.1], [2, 0.2]]").replace("modes = 60\n", "");
    let played = play(&grid);
    played.check_ledger();
    assert!((played.pitch() - 196.0).abs() < 2.0, "{} Hz", played.pitch());
}

/// Noise is a force from outside: the ledger shows its work, and still closes; the friction itself gives nothing.
#[test]
fn noise_is_supplied() {
    let played = play(&file("", "noise = 0.1"));
    played.check_ledger();
    let entry = |name: &str| &played.state.ledger.contacts[played.names.iter().position(|n| n == name).expect("there")];
    let (noise, bow) = (entry("bow.noise").supplied.value(), entry("bow"));
    println!("noise supplied {noise:.2e} J, the friction took {:.2e} J", bow.dissipated.value());
    assert!(noise.abs() > 1e-9 && bow.min_dissipated >= 0.0);
    let still = play(&file("", "noise = 0.1").replace("[[0, 0], [0.2, 0.3]]", "0"));
    assert!(still.samples.iter().all(|x| x.abs() < 1e-9), "no noise where nothing passes");
}

/// The surface turns under the bow, so a tap on the rubbed port hears the torsional waves; a port beside it does not.
#[test]
fn a_tap_on_the_rubbed_port_hears_the_surface() {
    // rms of the difference between a tap on the bow's port and one at the same place that nothing rubs, over the rms of the first;
    // torsion moves the surface of this string by a few thousandths of its velocity
    let heard = |string: &str, bow: &str| {
        let text = file(string, bow).replace("bow = 0.1,", "bow = 0.1, beside = 0.1,");
        let [surface, axis] = ["bow", "beside"]
            .map(|port| play(&text.replace("from = \"string.out\"", &format!("from = \"string.{port}\""))));
        let difference: Vec<f64> =
            surface.last_second().iter().zip(axis.last_second()).map(|(surface, axis)| surface - axis).collect();
        ictus_analysis::level::rms(&difference) / ictus_analysis::level::rms(surface.last_second())
    };
    for bow in ["", "position = 0.1", "width_m = \"4 mm\"", "position = [[0, 0.1], [2, 0.12]]"] {
        let (stiff, turning) = (heard("", bow), heard("torsion = {}", bow));
        println!("{bow:<40} share of torsion in the tap {turning:.3}, without torsion {stiff:.1e}");
        assert!(stiff < 1e-12 && turning > 1e-3, "{bow}: {turning}, {stiff}");
    }
}
