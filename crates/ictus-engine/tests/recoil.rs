//! Loose bodies recoil: hammers on bars and plates that can move as a whole.

use ictus_engine::{Patch, Player};

const RATE: u32 = 192_000;
const SPEED: f64 = 1.0; // of the hammer, m/s
const HAMMER: f64 = 0.02; // kg
const HERTZ: f64 = 1e9; // N/m^1.5
const DENSITY: f64 = 7800.0;
const YOUNG: f64 = 210e9;
/// Length, width and thickness of a bar of 75 g, m.
const BAR: [f64; 3] = [0.12, 0.02, 0.004];

fn compile(text: &str) -> Result<Patch, ictus_instrument::Error> {
    Patch::compile(&ictus_instrument::load("test.toml", text, &[])?, RATE)
}

/// The hammer against a lossless bar at `x`.
fn struck_bar(top: &str, support: &str, x: f64) -> String {
    let [length, width, thickness] = BAR;
    format!(
        "format = 1\n{top}\n[[resonator]]\nid = \"hammer\"\nkind = \"mass\"\nmass_kg = {HAMMER}\nposition_m = \"-1 mm\"\n\
         [[resonator]]\nid = \"bar\"\nkind = \"modes\"\nshape = {{ bar = {{ length_m = {length}, width_m = {width}, thickness_m = {thickness} }} }}\n\
         material = {{ density_kg_m3 = {DENSITY}, young_pa = {YOUNG}, damping_1_s = 0, loss_factor = 0 }}\n{support}\n\
         ports = {{ strike = {x}, left = 0.0, right = 1.0 }}\n\
         [[interaction]]\nkind = \"collision\"\nbetween = [\"hammer\", \"bar.strike\"]\nstiffness = {HERTZ}\nexponent = 1.5\n\
         [[gesture]]\nthrow = {{ what = \"hammer\", velocity_m_s = {SPEED} }}\n\
         [[tap]]\nfrom = \"hammer\"\nquantity = \"velocity\"\npan = -1\ngain = 0.5\n\
         [[tap]]\nfrom = \"bar.left\"\nquantity = \"velocity\"\npan = 1\ngain = 0.1\n"
    )
}

/// Renders and returns both channels, which is quiet enough not to clip, and checks the ledger.
fn render(text: &str, seconds: f64) -> Vec<[f64; 2]> {
    let patch = compile(text).expect("an instrument");
    let mut player = Player::new(&patch);
    let mut block = vec![[0.0f32; 2]; (seconds * f64::from(RATE)) as usize];
    player.render(&mut block);
    let (ledger, counts) = (player.ledger(), player.counts());
    assert!(ledger.max_residual_rel() < 1e-11, "residual {:e}", ledger.max_residual_rel());
    assert_eq!((counts.missed, counts.quarantined), (0, 0));
    block.iter().map(|frame| frame.map(f64::from)).collect()
}

/// Speed at which the hammer leaves, m/s.
fn rebound(top: &str, support: &str, x: f64) -> f64 {
    let sound = render(&struck_bar(top, support, x), 0.008);
    sound.last().expect("samples")[0] / 0.5
}

/// φ of the k-th bending mode of a free bar, largest value 1, and its root: straight from the textbook's formula. [Fletcher & Rossing eq. 2.62]
fn bending(k: usize, x: f64) -> (f64, f64) {
    let mut beta = (k as f64 + 0.5) * std::f64::consts::PI;
    for _ in 0..20 {
        // cos β − 1/cosh β = 0 by Newton
        let (f, slope) = (
            libm::cos(beta) - 1.0 / libm::cosh(beta),
            -libm::sin(beta) + libm::sinh(beta) / (libm::cosh(beta) * libm::cosh(beta)),
        );
        beta -= f / slope;
    }
    let s = (libm::cosh(beta) - libm::cos(beta)) / (libm::sinh(beta) - libm::sin(beta));
    let z = beta * x;
    (0.5 * (libm::cosh(z) + libm::cos(z) - s * (libm::sinh(z) + libm::sin(z))), beta)
}

/// The same stroke in continuous time, by small steps of the modal equations: nothing of the engine has a part in it.
fn independent(loose: bool, x: f64) -> f64 {
    let [length, width, thickness] = BAR;
    let mass = DENSITY * length * width * thickness;
    let mut modes = Vec::new(); // ω², φ, m
    for k in 1.. {
        let (shape, beta) = bending(k, x);
        let omega = beta * beta / (length * length) * thickness * (YOUNG / (12.0 * DENSITY)).sqrt();
        if omega > std::f64::consts::TAU * 20e3 {
            break;
        }
        modes.push((omega * omega, shape, 0.25 * mass));
    }
    if loose {
        modes.push((0.0, 1.0, mass));
        // ½ I Ω² with I = M L²/12, in the speed of the ends
        modes.push((0.0, 2.0 * x - 1.0, mass / 3.0));
    }
    let step = 1.0 / 8e6;
    let (mut hammer, mut speed) = (0.0f64, SPEED);
    let mut motion = vec![(0.0f64, 0.0f64); modes.len()];
    for _ in 0..(0.006 / step) as usize {
        let bar: f64 = modes.iter().zip(&motion).map(|((_, shape, _), (q, _))| shape * q).sum();
        let compression = (hammer - bar).max(0.0);
        let force = HERTZ * compression * compression.sqrt();
        speed -= force / HAMMER * step;
        hammer += speed * step;
        for ((stiffness, shape, mass), (q, v)) in modes.iter().zip(&mut motion) {
            *v += (shape * force / mass - stiffness * *q) * step;
            *q += *v * step;
        }
    }
    speed
}

#[test]
fn a_hammer_leaves_a_loose_bar_as_an_independent_computation_says() {
    for (support, loose, expected) in [("", false, [-0.813, -0.451]), ("support = \"free\"", true, [-0.189, -0.198])] {
        for (x, expected) in [0.224, 0.5].into_iter().zip(expected) {
            let apart = independent(loose, x);
            assert!((apart - expected).abs() < 0.002, "{support} at {x}: {apart} by itself, {expected} published");
            for top in ["oversampling = 4", "oversampling = 4\nscheme = \"leapfrog\""] {
                let found = rebound(top, support, x);
                assert!((found - apart).abs() < 0.002, "{top} {support} at {x}: {found}, not {apart} m/s");
            }
        }
    }
    // within the blow cords are as good as nothing
    let (free, cords) = (rebound("", "support = \"free\"", 0.5), rebound("", "support = \"cords\"", 0.5));
    assert!((free - cords).abs() < 1e-3, "{free} and {cords} m/s");
}

#[test]
fn momentum_and_spin_go_to_the_loose_bar() {
    let mass = DENSITY * BAR[0] * BAR[1] * BAR[2];
    for top in ["", "scheme = \"leapfrog\""] {
        let sound = render(&struck_bar(top, "support = \"free\"", 0.224), 1.0);
        let left = sound.last().expect("samples")[0] / 0.5;
        // its bending modes swing around the rigid motion; the mean over a second leaves that
        let half = &sound[sound.len() / 4..];
        let end = half.iter().map(|frame| frame[1] / 0.1).sum::<f64>() / half.len() as f64;
        // at x = 0: translation p/M, and rotation by the moment p(½ − x)L about I = M L²/12
        let momentum = HAMMER * (SPEED - left);
        let expected = momentum / mass * (1.0 + 12.0 * (0.5 - 0.224) * 0.5);
        assert!((end / expected - 1.0).abs() < 1e-3, "{top}: the end moves at {end}, expected {expected} m/s");
    }
}

#[test]
fn cords_bring_the_bar_back() {
    let text = struck_bar("", "support = \"cords\"", 0.5)
        .replace("quantity = \"velocity\"\npan = 1\ngain = 0.1", "quantity = \"displacement\"\npan = 1\ngain = 20");
    let sound = render(&text, 1.2);
    let peak = sound.iter().fold(0.0f64, |most, frame| most.max(frame[1].abs())) / 20.0;
    let last = &sound[sound.len() - RATE as usize / 5..];
    let late = last.iter().map(|frame| frame[1]).sum::<f64>().abs() / last.len() as f64 / 20.0;
    // some 0.3 m/s over 2π·5 Hz, then 60 dB in 0.8 s
    assert!(peak > 5e-3 && peak < 20e-3 && late < 1e-3 * peak, "{peak} m, later {late} m");
}

#[test]
fn plates_and_rings_recoil_as_their_mass_says() {
    let shapes = [
        (
            "rectangular_plate = { length_m = 0.2, width_m = 0.15, thickness_m = 0.003 }",
            "[0.3, 0.8]",
            1.0 + 3.0 * 0.16 + 3.0 * 0.36,
            0.2 * 0.15 * 0.003,
        ),
        (
            "circular_plate = { radius_m = 0.1, thickness_m = 0.003 }",
            "[0.5, -0.3]",
            1.0 + 4.0 * 0.34,
            std::f64::consts::PI * 0.01 * 0.003,
        ),
        (
            "ring = { radius_m = 0.1, thickness_m = 0.006, width_m = 0.01 }",
            "0.15",
            1.0,
            std::f64::consts::TAU * 0.1 * 0.006 * 0.01,
        ),
    ];
    for (shape, at, mobility, volume) in shapes {
        let text = format!(
            "format = 1\n[[resonator]]\nid = \"it\"\nkind = \"modes\"\nshape = {{ {shape} }}\nmaterial = \"steel\"\nsupport = \"free\"\nports = {{ a = {at} }}\n\
             [[gesture]]\nstrike = {{ what = \"it.a\", impulse_n_s = 0.01, duration_s = \"2 ms\" }}\n\
             [[tap]]\nfrom = \"it.a\"\nquantity = \"velocity\"\npan = -1\n"
        );
        let sound = render(&text, 1.0);
        let half = &sound[sound.len() / 4..];
        let mean = half.iter().map(|frame| frame[0]).sum::<f64>() / half.len() as f64;
        let expected = 0.01 * mobility / (DENSITY * volume);
        assert!((mean / expected - 1.0).abs() < 2e-3, "{shape}: {mean}, expected {expected} m/s");
    }
}

#[test]
fn only_loose_shapes_have_a_support() {
    for shape in [
        "bar = { length_m = 0.2, width_m = 0.02, thickness_m = 0.004, ends = \"supported\" }",
        "glass = { radius_m = 0.04, height_m = 0.1, thickness_m = 0.002 }",
    ] {
        let text = format!(
            "format = 1\n[[resonator]]\nid = \"it\"\nkind = \"modes\"\nshape = {{ {shape} }}\nmaterial = \"steel\"\nsupport = \"free\"\nports = {{ a = 0.3 }}\n[[tap]]\nfrom = \"it.a\"\n"
        );
        let error = compile(&text).expect_err("held shapes cannot be loose").to_string();
        assert!(error.contains("support"), "{error}");
    }
}
