//! Instrument files from text to sound: every element does what its page says.

use ictus_analysis::pitch;
use ictus_engine::{Patch, Player};

const RATE: u32 = 48_000;

fn compile(text: &str) -> Result<Patch, ictus_instrument::Error> {
    compile_at(text, RATE)
}

fn compile_at(text: &str, rate: u32) -> Result<Patch, ictus_instrument::Error> {
    Patch::compile(&ictus_instrument::load("test.toml", text, &[])?, rate)
}

/// Left channel of `seconds`, and the player afterwards.
fn render(patch: &Patch, seconds: f64) -> (Vec<f64>, Player) {
    let mut player = Player::new(patch);
    let mut block = vec![[0.0f32; 2]; (seconds * f64::from(patch.sample_rate())) as usize];
    player.render(&mut block);
    (block.iter().map(|frame| f64::from(frame[0])).collect(), player)
}

fn assert_sound(player: &Player) {
    let (ledger, counts) = (player.ledger(), player.counts());
    assert!(ledger.max_residual_rel() < 1e-11, "residual {:e}", ledger.max_residual_rel());
    assert_eq!((counts.missed, counts.quarantined, counts.refused_forces), (0, 0, 0));
    assert_eq!(player.muted(), 0);
}

fn string(extra: &str, rest: &str) -> String {
    format!(
        "format = 1\n{extra}\n[[resonator]]\nid = \"string\"\nkind = \"string\"\nlength_m = 0.65\ndensity_kg_m = 0.004\n\
         frequency_hz = 110\ndecay = [[100, 8], [2000, 3]]\nports = {{ pluck = 0.2, listen = 0.9 }}\n{rest}\n\
         [[tap]]\nfrom = \"string.listen\"\n"
    )
}

const PLUCK: &str = "[[gesture]]\npluck = { what = \"string.pluck\", displacement_m = -0.002 }\n";

#[test]
fn a_string_sounds_at_the_pitch_typed_in_every_method() {
    for (name, extra, kind) in [
        ("explicit", "scheme = \"leapfrog\"", ""),
        ("implicit", "scheme = \"midpoint\"", ""),
        ("modal", "", "modes = 60"),
        ("stiff", "scheme = \"leapfrog\"", "stiffness_n_m2 = 2e-4"),
        ("oversampled", "scheme = \"midpoint\"\noversampling = 4", "stiffness_n_m2 = 2e-4"),
    ] {
        let text = string(extra, PLUCK).replace("ports = {", &format!("{kind}\nports = {{"));
        for rate in [44_100, 48_000, 96_000] {
            let patch = compile_at(&text, rate).expect("a string");
            let (sound, player) = render(&patch, 1.0);
            assert_sound(&player);
            let partial = pitch::partial(&sound, f64::from(rate), 110.0).expect("a fundamental");
            let cents = pitch::cents(110.0, partial.hz);
            let decay = partial.t60_s().expect("a decay");
            println!("{name} at {rate} Hz: {cents:.3} cents, T60 {decay:.2} s");
            // losses pull a partial down by (σ/ω)²/2; nothing else may move it
            assert!(cents.abs() < 0.05, "{name}: {cents} cents");
            assert!((decay / 7.98 - 1.0).abs() < 0.02, "{name}: T60 {decay} s");
        }
    }
}

/// Touched at one port a string steps in the modes of its grid; with unused ports it stays on the grid.
#[test]
fn a_hammered_string_sounds_alike_in_its_modes_and_on_its_grid() {
    let hammer = "[[resonator]]\nid = \"hammer\"\nkind = \"mass\"\nmass_kg = 0.004\nposition_m = -0.001\n\
                  [[interaction]]\nkind = \"collision\"\nbetween = [\"hammer\", \"string.pluck\"]\nstiffness = 1e8\nexponent = 2.3\n\
                  [[gesture]]\nthrow = { what = \"hammer\", velocity_m_s = 1.5 }\n\
                  [[tap]]\nfrom = \"string.listen\"\nquantity = \"displacement\"\n";
    for scheme in ["midpoint", "leapfrog"] {
        let modes = string(&format!("scheme = \"{scheme}\""), hammer);
        let grid = modes.replace("listen = 0.9", "listen = 0.9, one = 0.3, other = 0.4");
        assert_ne!(modes, grid);
        let [modes, grid] = [modes, grid].map(|text| compile(&text).expect("a hammered string"));
        let [(modes, player), (grid, other)] = [render(&modes, 1.0), render(&grid, 1.0)];
        for player in [&player, &other] {
            assert_sound(player);
            assert!(player.counts().solves > 10, "the hammer misses the string");
        }
        let loudest = grid.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        // single precision of the samples
        for (n, (mode, point)) in modes.iter().zip(&grid).enumerate() {
            assert!(loudest > 1e-3 && (mode - point).abs() < 2e-7 * loudest, "{scheme}, sample {n}: {mode} {point}");
        }
    }
}

#[test]
fn barriers_buzz_alike_on_grids_and_modes() {
    let barrier = "[[barrier]]\nid = \"board\"\non = \"string\"\nflat = { height_m = -0.0009 }\nfrom = 0.05\nto = 0.6\n\
                   density = 1e8\nexponent = 1.5\n[[tap]]\nid = \"touch\"\nfrom = \"board\"\nquantity = \"force\"\ngain = 0\n";
    let mut levels = Vec::new();
    for (name, extra, kind) in [
        ("explicit", "scheme = \"leapfrog\"", "points = 120"),
        ("implicit", "scheme = \"midpoint\"", "points = 120"),
        ("modal", "scheme = \"midpoint\"", "modes = 120"),
    ] {
        let text = string(extra, &format!("{PLUCK}{barrier}")).replace("ports = {", &format!("{kind}\nports = {{"));
        let patch = compile(&text).expect("a string on a board");
        assert!(patch.contact_count() > 60, "{name}: {}", patch.contact_count());
        let (sound, player) = render(&patch, 0.3);
        assert_sound(&player);
        assert!(player.counts().solves > 100, "{name}: the string met the board");
        let power = sound.iter().map(|x| x * x).sum::<f64>() / sound.len() as f64;
        println!("{name}: {:.2} dB, {:.2} iterations", 10.0 * libm::log10(power), player.counts().mean_iterations());
        levels.push(10.0 * libm::log10(power));
    }
    let spread = levels.iter().copied().fold(f64::MIN, f64::max) - levels.iter().copied().fold(f64::MAX, f64::min);
    assert!(spread < 1.5, "the same board sounds {spread} dB apart: {levels:?}");
}

/// A finger behind a fret stops the string there: the pitch is that of the fret.
#[test]
fn a_finger_stops_the_string_at_its_fret() {
    for (scheme, fret) in [("leapfrog", 5), ("leapfrog", 7), ("midpoint", 5)] {
        let place = 1.0 - libm::exp2(-f64::from(fret) / 12.0) - 0.012;
        let rest = format!(
            "[[barrier]]\non = \"string\"\nfrets = {{ count = 12, height_m = -0.001 }}\nstiffness = 1e9\ndamping_s_m = 2\n\
             [[finger]]\non = \"string\"\nposition = {place}\nforce = [[0, 6]]\nheight_m = 0.002\n\
             [[gesture]]\nat_s = 0.1\npluck = {{ what = \"string.pluck\", force_n = 0.4, duration_s = 0.01 }}\n"
        );
        let text = string(&format!("scheme = \"{scheme}\""), &rest)
            .replace("ports = { pluck = 0.2", "points = 150\nports = { pluck = 0.8");
        let patch = compile(&text).expect("a fretted string");
        let (sound, player) = render(&patch, 0.7);
        assert_sound(&player);
        let expected = 110.0 * libm::exp2(f64::from(fret) / 12.0);
        let heard = pitch::fundamental(&sound[7000..], f64::from(RATE)).expect("a note").hz;
        println!("{scheme}, fret {fret}: {heard:.2} Hz, {:.1} cents from the fret", pitch::cents(expected, heard));
        assert!(pitch::cents(expected, heard).abs() < 25.0, "{heard} Hz against {expected} Hz");
    }
}

#[test]
fn a_sliding_finger_pays_for_its_work() {
    let rest = format!(
        "{PLUCK}[[finger]]\non = \"string\"\nposition = [[0, 0.3], [0.1, 0.3], [0.3, 0.4]]\nforce = [[0, 0.5], [0.05, 2]]\n\
         height_m = 0.001\n[[tap]]\nid = \"tip\"\nfrom = \"finger\"\nquantity = \"force\"\ngain = 0\n"
    );
    for scheme in ["leapfrog", "midpoint"] {
        let text = string(&format!("scheme = \"{scheme}\""), &rest).replace("ports = {", "points = 120\nports = {");
        let patch = compile(&text).expect("a finger on a string");
        let (_, player) = render(&patch, 0.4);
        assert_sound(&player);
        assert!(player.counts().solves > 5000, "the finger touched: {}", player.counts().solves);
    }
}

/// A finger on a string by modes presses where the file says, whatever the number of modes and the sample rate: the bent string is
/// two straight lines that meet under it.
#[test]
fn a_finger_on_modes_stands_where_it_is_asked() {
    let (left, place, right) = (0.1, 0.3137, 0.8);
    for (modes, rate) in [(40, RATE), (57, RATE), (150, RATE), (150, 24_000)] {
        let deflection = |port: f64| {
            let text = format!(
                "format = 1\n[[resonator]]\nid = \"string\"\nkind = \"string\"\nlength_m = 0.65\ndensity_kg_m = 6e-3\nfrequency_hz = 110\n\
                 modes = {modes}\ndecay = [[100, 0.1], [2000, 0.05]]\nports = {{ listen = {port} }}\n\
                 [[finger]]\non = \"string\"\nposition = {place}\nforce = [[0, 0.5]]\nheight_m = 1e-5\n\
                 [[tap]]\nfrom = \"string.listen\"\nquantity = \"displacement\"\n"
            );
            let loaded = ictus_instrument::load("finger.toml", &text, &[]).unwrap_or_else(|error| panic!("{error}"));
            let patch = Patch::compile(&loaded, rate).unwrap_or_else(|error| panic!("{error}"));
            let mut player = Player::new(&patch);
            let mut frames = vec![[0.0f32; 2]; rate as usize];
            player.render(&mut frames);
            f64::from(frames.last().expect("samples")[0])
        };
        // u(left)/left = u(place)/place and u(right)/(1 - right) = u(place)/(1 - place)
        let (steep, flat) = (deflection(left) / left, deflection(right) / (1.0 - right));
        let found = flat / (steep + flat);
        println!("{modes} modes at {rate} Hz: the finger presses at {found:.4}");
        assert!(steep < -1e-4, "the finger presses the string down: {steep}");
        assert!((found - place).abs() < 1e-3, "{modes} modes at {rate} Hz: {found} instead of {place}");
    }
}

const MASS: &str = "[[resonator]]\nid = \"ball\"\nkind = \"mass\"\nmass_kg = 0.1\n[[tap]]\nfrom = \"ball\"\nquantity = \"displacement\"\n";

#[test]
fn forces_velocities_and_gravity_move_a_mass_as_newton_says() {
    let cases = [
        ("gravity_m_s2 = 9.81", "", -0.5 * 9.81 * 0.01),
        ("", "[[gesture]]\nforce = { what = \"ball\", curve = [[0, 0.2]] }", 0.5 * 2.0 * 0.01),
        ("", "[[gesture]]\nvelocity = { what = \"ball\", curve = [[0, 0], [0.1, 1]] }", 0.05),
        ("", "[[gesture]]\nthrow = { what = \"ball\", velocity_m_s = 0.3, position_m = 0.01 }", 0.04),
        ("", "[[gesture]]\nstrike = { what = \"ball\", impulse_n_s = 0.05, duration_s = 0.01 }", 0.5 * (0.1 - 0.005)),
    ];
    for (top, gesture, expected) in cases {
        for scheme in ["leapfrog", "midpoint"] {
            let text = format!("format = 1\nscheme = \"{scheme}\"\n{top}\n{MASS}{gesture}\n");
            let patch = compile(&text).expect("a mass");
            let (sound, player) = render(&patch, 0.1);
            assert_sound(&player);
            // equal-power panning leaves √½ on each side
            let place = sound.last().expect("samples") * 2.0f64.sqrt();
            assert!(
                (place - expected).abs() < 2e-4 * expected.abs().max(0.1),
                "{gesture}{top}: {place} against {expected}"
            );
        }
    }
}

#[test]
fn a_released_velocity_leaves_the_mass_moving() {
    for scheme in ["leapfrog", "midpoint"] {
        let text = format!(
            "format = 1\nscheme = \"{scheme}\"\n{MASS}[[gesture]]\nvelocity = {{ what = \"ball\", curve = [[0, 1], [0.01, 1]] }}\n"
        );
        let patch = compile(&text).expect("a mass");
        let (sound, player) = render(&patch, 0.1);
        assert_sound(&player);
        assert!((sound.last().expect("samples") * 2.0f64.sqrt() - 0.1).abs() < 1e-4);
    }
}

#[test]
fn conflicting_constraints_are_named_at_load_and_equal_ones_only_warned_about() {
    let two = "format = 1\n[[resonator]]\nid = \"rod\"\nkind = \"modes\"\nfrequency_hz = [0]\ndecay_s = inf\nmass_kg = 1\n\
               ports = { a = [1], b = [1] }\n[[tap]]\nfrom = \"rod.a\"\n\
               [[gesture]]\nid = \"left\"\nvelocity = { what = \"rod.a\", curve = [[0, 1], [1, 1]] }\n\
               [[gesture]]\nid = \"right\"\nvelocity = { what = \"rod.b\", curve = [[0, V], [1, V]] }\n";
    let patch = compile(&two.replace('V', "1")).expect("equal velocities");
    assert_eq!(patch.warnings().len(), 1);
    let (_, player) = render(&patch, 0.05);
    assert!(player.ledger().max_residual_rel() < 1e-12);
    let error = compile(&two.replace('V', "2")).expect_err("different velocities");
    assert_eq!(error.code(), "engine::conflict");
    assert!(error.message().contains("left") && error.message().contains("right"), "{error}");

    let overlapping = two.replace("rod.b", "rod.a").replace('V', "1");
    let error = compile(&overlapping).expect_err("two velocities at once on one port");
    assert_eq!(error.code(), "engine::conflict");

    let immovable = "format = 1\n[[resonator]]\nid = \"bar\"\nkind = \"modes\"\nfrequency_hz = [100]\ndecay_s = 1\nmass_kg = 1\n\
                     ports = { node = [0], tip = [1] }\n[[tap]]\nfrom = \"bar.tip\"\n\
                     [[gesture]]\nid = \"hold\"\nvelocity = { what = \"bar.node\", curve = [[0, 1], [1, 1]] }\n";
    let error = compile(immovable).expect_err("a velocity at a node");
    assert!(error.message().contains("no force can move"), "{error}");
}

#[test]
fn what_a_sample_rate_cannot_carry_is_left_out_or_refused() {
    let text = "format = 1\n[[resonator]]\nid = \"bar\"\nkind = \"modes\"\nfrequency_hz = [100, 30000]\ndecay_s = 1\n\
                mass_kg = 1\nports = { tip = [1, 1] }\n[[tap]]\nfrom = \"bar.tip\"\n";
    assert_eq!(compile_at(text, 48_000).expect("one mode is left").warnings().len(), 1);
    assert_eq!(compile_at(text, 96_000).expect("both modes").warnings().len(), 0);
    assert_eq!(
        compile(&text.replace("[100, 30000]", "[25000, 30000]")).expect_err("no mode").code(),
        "engine::too_high"
    );
    let stiff = format!("format = 1\nscheme = \"leapfrog\"\n{MASS}")
        .replace("mass_kg = 0.1", "mass_kg = 1e-6\nstiffness_n_m = 1e6");
    let error = compile(&stiff).expect_err("an unstable spring");
    assert_eq!(error.code(), "engine::unstable");
    assert!(error.help_text().is_some_and(|help| help.contains("midpoint")));
}

/// A string with a stop below it, pulled by `PULL` and let go.
const PULLED_STRING: &str = r#"
    format = 1
    [[resonator]]
    id = "string"
    kind = "string"
    length_m = 0.65
    density_kg_m = 0.004
    frequency_hz = "D3"
    points = 100
    ports = { pluck = 0.2, stop = 0.4, listen = 0.9 }
    [[interaction]]
    id = "stop"
    kind = "collision"
    between = ["wall", "string.stop"]
    stiffness = 1e8
    exponent = 1.5
    gap_m = "0.6 mm"
    [[gesture]]
    pluck = { what = "string.pluck", displacement_m = "PULL" }
    [[tap]]
    from = "string.listen"
"#;

#[test]
fn a_deflection_into_a_contact_is_warned_about_with_its_energy() {
    let warnings = |text: &str| -> Vec<String> {
        let patch = compile(text).unwrap_or_else(|error| panic!("{error}"));
        assert!(patch.warnings().iter().all(|warning| warning.code() == "engine::starts_inside"));
        patch.warnings().iter().map(ToString::to_string).collect()
    };
    // 4 mm at 0.2 L are 3 mm at 0.4 L: 2.4 mm inside; K/(α + 1) δ^(α + 1) = 11.29 J. T/2 (1/0.2 + 1/0.8) u²/L = 0.0112 J.
    let inside = warnings(&PULLED_STRING.replace("PULL", "-4 mm"));
    let expected = "`pluck` starts `string` inside `stop`: 2.40 mm deep, which stores 11.3 J beside the 11.2 mJ of its own bending";
    assert_eq!(inside, [expected]);
    assert!(warnings(&PULLED_STRING.replace("PULL", "4 mm")).is_empty(), "away from the stop");
    assert!(warnings(&PULLED_STRING.replace("PULL", "-0.7 mm")).is_empty(), "not as far as the stop");

    let start = PULLED_STRING.find("[[interaction]]").expect("a contact");
    let end = PULLED_STRING.find("[[gesture]]").expect("a gesture");
    let barrier =
        "[[barrier]]\nid = \"fret\"\non = \"string\"\npoints = [[0.4, \"-0.6 mm\"]]\nstiffness = 1e8\nexponent = 1.5\n";
    let on_fret = format!("{}{barrier}{}", &PULLED_STRING[..start], &PULLED_STRING[end..]);
    assert_eq!(warnings(&on_fret.replace("PULL", "-4 mm")), [expected.replace("`stop`", "`fret`")]);
    assert!(warnings(&on_fret.replace("PULL", "4 mm")).is_empty());
}
