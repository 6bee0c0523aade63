//! Shapes and materials from the file to the sound, and contact times from the file to the contact.

use ictus_analysis::pitch;
use ictus_engine::{Patch, Player};

const RATE: u32 = 48_000;

fn compile_at(text: &str, rate: u32) -> Result<Patch, ictus_instrument::Error> {
    Patch::compile(&ictus_instrument::load("test.toml", text, &[])?, rate)
}

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

/// A struck object, its port `a` struck and heard at `b`.
fn struck(top: &str, object: &str) -> String {
    format!(
        "format = 1\n{top}\n[[resonator]]\nid = \"it\"\nkind = \"modes\"\n{object}\n\
         [[gesture]]\nstrike = {{ what = \"it.a\", impulse_n_s = 0.01, duration_s = \"0.2 ms\" }}\n\
         [[tap]]\nfrom = \"it.b\"\n"
    )
}

const BAR: &str = "shape = { bar = { length_m = 0.3, width_m = 0.04, thickness_m = 0.01 } }\nmaterial = \"rosewood\"\n\
                   ports = { a = 0.45, b = 0.03 }";

#[test]
fn an_object_sounds_at_the_pitch_and_ratios_typed_at_any_rate() {
    let object = format!("{BAR}\nfrequency_hz = \"A3\"\ntuning = [1, 4, 10]\ndecay_scale = 4");
    for top in ["", "scheme = \"leapfrog\"", "oversampling = 4"] {
        for rate in [44_100, 96_000] {
            let patch = compile_at(&struck(top, &object), rate).expect("a bar");
            assert!(patch.warnings().is_empty());
            let (sound, player) = render(&patch, 1.0);
            assert_sound(&player);
            for (ratio, name) in [(1.0, "first"), (4.0, "second"), (10.0, "third")] {
                let hz = 220.0 * ratio;
                let partial = pitch::partial(&sound, f64::from(rate), hz).expect(name);
                let cents = pitch::cents(hz, partial.hz);
                assert!(cents.abs() < 0.1, "{top} at {rate} Hz, {name}: {cents} cents");
                let law = ictus_objects::find("rosewood").expect("rosewood").damping;
                let (heard, expected) = (partial.t60_s().expect("a decay"), 4.0 * law.decay_s(hz));
                assert!((heard / expected - 1.0).abs() < 0.05, "{name}: T60 {heard} s, expected {expected} s");
            }
        }
    }
}

/// A bank takes the frequency at which a mode sounds, not its natural frequency: at a quality of 3 the two are 1.4 % apart.
#[test]
fn strong_losses_lower_the_pitch_as_they_should() {
    let object = BAR.replace("\"rosewood\"", "{ base = \"rosewood\", loss_factor = 0.3333333333 }");
    let patch = compile_at(&struck("", &object), RATE).expect("a bar");
    let bank = &patch.banks()[0];
    let material = ictus_objects::find("rosewood").expect("rosewood");
    let law = ictus_objects::DampingLaw { b: std::f64::consts::PI * 0.333_333_333_3, ..material.damping };
    let natural = ictus_objects::modes(
        &ictus_objects::Shape::Bar {
            length_m: 0.3,
            width_m: 0.04,
            thickness_m: 0.01,
            ends: ictus_objects::BarEnds::FreeFree,
        },
        &ictus_objects::Material { damping: law, ..material.clone() },
        20e3,
        100,
    )
    .expect("modes");
    assert_eq!(bank.modes.len(), natural.modes.len());
    for (heard, mode) in bank.modes.iter().zip(&natural.modes) {
        let sigma = law.rate(mode.frequency_hz) / std::f64::consts::TAU;
        let expected = (mode.frequency_hz * mode.frequency_hz - sigma * sigma).sqrt();
        assert!((heard.frequency / expected - 1.0).abs() < 1e-12);
        assert!(heard.frequency < 0.99 * mode.frequency_hz);
    }
}

#[test]
fn only_what_the_rate_can_carry_is_asked_for() {
    let text = struck("", &format!("{BAR}\nmax_hz = 1e6"));
    for (rate, limit) in [(8_000, 4_000.0), (48_000, 24_000.0), (192_000, 96_000.0)] {
        let patch = compile_at(&text, rate).expect("a bar");
        let modes = &patch.banks()[0].modes;
        assert!(modes.iter().all(|mode| mode.frequency < limit));
        assert!(modes.last().is_some_and(|mode| mode.frequency > 0.6 * limit), "{modes:?}");
        assert!(patch.warnings().is_empty());
    }
    // what is left out by default is what one does not hear
    let patch = compile_at(&struck("oversampling = 4", BAR), RATE).expect("a bar");
    assert!(patch.banks()[0].modes.iter().all(|mode| mode.frequency <= 20e3));
}

#[test]
fn the_centre_of_a_drum_moves_no_antisymmetric_mode() {
    let object = "shape = { circular_membrane = { radius_m = 0.16, thickness_m = 2.5e-4, tension_n_m = 2500 } }\n\
                  material = \"mylar\"\nmax_modes = 40\nports = { a = [0, 0], b = [0.9, 0.2] }";
    let centre = compile_at(&struck("", object), RATE).expect("a drum");
    let moved = |patch: &Patch| patch.banks()[0].shapes[0].iter().filter(|value| value.abs() > 1e-9).count();
    assert!(moved(&centre) >= 4 && moved(&centre) <= 8, "{}", moved(&centre));
    let rim = compile_at(&struck("", &object.replace("a = [0, 0]", "a = [0.8, 0.3]")), RATE).expect("a drum");
    assert_eq!(moved(&rim), 40);
    for patch in [&centre, &rim] {
        let (sound, player) = render(patch, 0.2);
        assert_sound(&player);
        assert!(sound.iter().any(|x| x.abs() > 1e-4));
    }
}

#[test]
fn a_morph_starts_and_ends_at_its_objects_and_sounds_between() {
    let plate = "shape = { circular_plate = { radius_m = 0.15, thickness_m = 0.002 } }\nmaterial = \"bronze\"\nports = { a = [0.4, 0.1], b = [0.7, 0.2] }";
    let bar = BAR.replace("a = 0.45, b = 0.03", "a = [0.4, 0.1], b = [0.7, 0.2]");
    let way = |amount: f64| {
        format!(
            "{plate}\nmorph = {{ shape = {{ bar = {{ length_m = 0.3, width_m = 0.04, thickness_m = 0.01 }} }}, \
             material = \"rosewood\", amount = {amount} }}"
        )
    };
    let sound = |object: &str| {
        let patch = compile_at(&struck("", object), RATE).expect("an object");
        let (sound, player) = render(&patch, 0.2);
        assert_sound(&player);
        (sound, patch.banks()[0].modes[0].frequency)
    };
    let (first, low) = sound(plate);
    let (second, high) = sound(&bar);
    assert_eq!(sound(&way(0.0)).0, first, "the same samples");
    assert_eq!(sound(&way(1.0)).0, second, "the same samples");
    let mut before = low;
    for amount in [0.1, 0.3, 0.5, 0.7, 0.9] {
        let (between, pitch) = sound(&way(amount));
        assert!(pitch > before && pitch < high, "{amount}: {pitch} Hz after {before} Hz");
        before = pitch;
        assert!(between.iter().all(|x| x.is_finite()) && between.iter().any(|x| x.abs() > 1e-4));
    }
}

#[test]
fn what_a_shape_cannot_be_is_refused_at_its_key() {
    for (object, path, line) in [
        (
            BAR.replace("thickness_m = 0.01", "thickness_m = 0.5"),
            "`thickness_m` is 0.5, expected at most the length, 0.3 m",
            6,
        ),
        (BAR.replace("0.3", "1e9"), "`length_m` is 1000000000, expected from 0.000001 to 10000 m", 6),
        (BAR.replace("\"rosewood\"", "{ base = \"oak\", poisson = 0.7 }"), "`poisson` is 0.7", 7),
        (format!("{BAR}\nfrequency_hz = \"A10\""), "no mode that sounds below 20000 Hz", 6),
        (format!("{BAR}\nfrequency_hz = 1e8"), "still rings", 9),
        (format!("{BAR}\ndecay_scale = 1e-5"), "no mode that sounds", 6),
        (format!("{BAR}\nmax_hz = 2e9"), "", 0),
        (
            format!(
                "{BAR}\nmorph = {{ amount = 0.5, shape = {{ ring = {{ radius_m = 0.01, thickness_m = 0.1, width_m = 0.1 }} }} }}"
            ),
            "expected at most the radius",
            9,
        ),
    ] {
        match compile_at(&struck("", &object), RATE) {
            Ok(_) => assert_eq!(line, 0, "{object}"),
            Err(error) => {
                assert_eq!(
                    (error.code(), error.line_column().map_or(0, |place| place.0)),
                    ("engine::object", line),
                    "{error}"
                );
                assert!(error.message().contains(path), "{error}");
            }
        }
    }
}

/// A hammer of `mass` kg against a wall, `contact` the keys of the collision.
fn wall(contact: &str, speed: f64) -> String {
    format!(
        "format = 1\noversampling = 4\n[[resonator]]\nid = \"hammer\"\nkind = \"mass\"\nmass_kg = 0.01\nvelocity_m_s = {speed}\n\
         [[interaction]]\nid = \"touch\"\nkind = \"collision\"\nbetween = [\"hammer\", \"wall\"]\ngap_m = 0.0003\n{contact}\n\
         [[tap]]\nfrom = \"hammer\"\n"
    )
}

/// Time in the first contact of the hammer and its velocity afterwards, by the impulse it took.
fn contact(text: &str, speed: f64) -> (f64, f64) {
    let patch = compile_at(text, RATE).expect("a hammer and a wall");
    let model = patch.model();
    let touch = patch.interactions()[0];
    let mut state = ictus_core::State::new(model);
    let (mut steps, mut forces) = (0.0, 0.0);
    for _ in 0..200_000 {
        ictus_core::step(model, &mut state);
        let force = state.contact_force(touch);
        if force > 0.0 {
            steps += 1.0;
            forces += force;
        } else if steps > 0.0 {
            break;
        }
    }
    assert!(steps > 0.0, "no contact");
    (steps * model.clock().dt, speed - forces * model.clock().dt / 0.01)
}

#[test]
fn a_contact_lasts_as_long_as_asked() {
    for (exponent, damping, at) in
        [(1.0, 0.0, 1.0), (1.5, 0.0, 1.0), (1.5, 0.5, 2.0), (2.8, 0.6, 1.0), (2.8, 0.6, 4.0), (4.0, 0.1, 0.3)]
    {
        for time in [2e-3, 4e-3] {
            let keys =
                format!("contact_time_s = {time}\nat_m_s = {at}\nexponent = {exponent}\ndamping_s_m = {damping}");
            let (measured, _) = contact(&wall(&keys, at), at);
            println!(
                "α {exponent} μ {damping} at {at} m/s: asked {:.3} ms, measured {:.4} ms",
                1e3 * time,
                1e3 * measured
            );
            assert!((measured / time - 1.0).abs() < 0.01, "{keys}: {measured}");
        }
    }
}

/// [handbook §4]: the stiffness of the table from its contact times, and the velocities it leaves with.
#[test]
fn the_table_of_the_handbook_from_contact_times() {
    for (speed, time_ms, out) in
        [(1.0, 1.172401601, -0.711950180), (2.0, 0.919713781, -1.093708101), (4.0, 0.775855263, -1.451489274)]
    {
        let keys = format!("contact_time_s = {}\nat_m_s = {speed}\nexponent = 2.8\ndamping_s_m = 0.6", 1e-3 * time_ms);
        let text = wall(&keys, speed);
        let spec = ictus_instrument::load("wall.toml", &text, &[]).expect("loads").spec;
        let ictus_instrument::Law::Collision { stiffness, .. } = spec.interactions[0].law else {
            panic!("a collision")
        };
        assert!((stiffness / 1.5e11 - 1.0).abs() < 1e-8, "{stiffness}");
        let (measured, velocity) = contact(&text, speed);
        println!("v_in {speed}: t0 {:.4} ms for {time_ms}, v_out {velocity:.6} for {out}", 1e3 * measured);
        assert!((velocity / out - 1.0).abs() < 3e-4, "{velocity}");
        assert!((measured / (1e-3 * time_ms) - 1.0).abs() < 0.01, "{measured}");
    }
}

/// A hammer with modes of its own: a free chain of six masses thrown at `target`.
fn modal_hammer(top: &str, target: &str, resonators: &str, speed: f64) -> String {
    format!(
        "format = 1\n{top}\n[[resonator]]\nid = \"hammer\"\nkind = \"modes\"\nmaterial = {{ base = \"maple\", loss_factor = 0.001 }}\n\
         max_hz = 40e3\nports = {{ back = 0, tip = 1 }}\n\
         shape = {{ chain = {{ masses_kg = [0.004, 0.003, 0.003, 0.003, 0.003, 0.004], springs_n_m = [0, 2e6, 2e6, 2e6, 2e6, 2e6, 0] }} }}\n\
         {resonators}\n[[interaction]]\nid = \"touch\"\nkind = \"collision\"\nbetween = [\"hammer.tip\", \"{target}\"]\n\
         gap_m = 0.004\ncontact_time_s = \"0.4 ms\"\n\
         [[gesture]]\nvelocity = {{ what = \"hammer.back\", curve = [[0, 0], [\"2 ms\", {speed}]] }}\n\
         [[tap]]\nfrom = \"hammer.tip\"\n[[tap]]\nid = \"back\"\nfrom = \"hammer.back\"\n"
    )
}

const PLATE: &str = "[[resonator]]\nid = \"plate\"\nkind = \"modes\"\nmaterial = \"steel\"\nmax_modes = 200\n\
     shape = { circular_plate = { radius_m = 0.12, thickness_m = 0.003 } }\nports = { strike = [0.3, 0.2], ear = [0.8, -0.1] }\n\
     [[tap]]\nid = \"ear\"\nfrom = \"plate.ear\"\n";

/// Contacts of the first interaction: how many, the largest and the smallest force, N.
fn contacts(player: &mut Player, touch: ictus_core::ContactId, frames: usize) -> (u32, f64, f64) {
    let (mut count, mut open, mut largest, mut smallest) = (0, true, 0.0f64, 0.0f64);
    let mut frame = [[0.0f32; 2]];
    for _ in 0..frames {
        player.render(&mut frame);
        let force = player.state().contact_force(touch);
        count += u32::from(open && force > 0.0);
        open = force <= 0.0;
        (largest, smallest) = (largest.max(force), smallest.min(force));
    }
    (count, largest, smallest)
}

#[test]
fn a_hammer_with_modes_against_a_wall_gives_back_what_it_does_not_keep() {
    for top in ["", "oversampling = 4", "scheme = \"leapfrog\"\noversampling = 2"] {
        let patch = compile_at(&modal_hammer(top, "wall", "", 2.0), RATE).expect("a hammer");
        assert_eq!(patch.banks()[0].modes[0].frequency, 0.0, "it flies");
        assert_eq!(patch.banks()[0].modes.len(), 6);
        let mut player = Player::new(&patch);
        let (count, largest, smallest) = contacts(&mut player, patch.interactions()[0], RATE as usize / 10);
        assert_sound(&player);
        let ledger = player.ledger();
        let supplied = ledger.total.supplied.value();
        println!(
            "{top:?}: {count} contacts, {largest:.0} N, {:.3e} J given, {:.3e} J left",
            supplied, ledger.total.stored
        );
        assert!(count >= 1 && largest > 20.0, "{count} contacts, {largest} N");
        assert!(smallest >= -1e-9 * largest, "a contact pulls: {smallest} N");
        // thrown at 2 m/s, some 40 mJ; the wall takes nothing, the wood loses little in a tenth of a second
        assert!(supplied > 0.03, "{supplied} J");
        assert!(ledger.total.stored > 0.3 * supplied && ledger.total.stored <= supplied * (1.0 + 1e-9));
    }
}

#[test]
fn two_objects_with_many_modes_each_meet_and_part() {
    for top in ["", "oversampling = 4"] {
        let patch = compile_at(&modal_hammer(top, "plate.strike", PLATE, 2.0), RATE).expect("a hammer and a plate");
        assert!(patch.banks()[1].modes.len() > 80);
        let mut player = Player::new(&patch);
        let (count, largest, smallest) = contacts(&mut player, patch.interactions()[0], RATE as usize / 10);
        assert_sound(&player);
        println!("{top:?}: {count} contacts, {largest:.0} N");
        assert!(count >= 1 && largest > 20.0 && smallest >= -1e-9 * largest);
        let state = player.state();
        assert!(state.contact_force(patch.interactions()[0]) == 0.0, "they stick");
        // nothing passes through: the hammer is back on its side of the gap
        assert!(state.gap(patch.model(), patch.interactions()[0]).now < 0.0);
    }
}

/// Two bars of one kind that meet with opposite motion of their first modes: what one loses the other gains.
#[test]
fn a_ringing_object_rings_another() {
    let text = format!(
        "format = 1\noversampling = 2\n[[resonator]]\nid = \"one\"\nkind = \"modes\"\n{BAR}\n[[resonator]]\nid = \"two\"\nkind = \"modes\"\n{BAR}\n\
         [[interaction]]\nid = \"touch\"\nkind = \"collision\"\nbetween = [\"one.b\", \"two.b\"]\nstiffness = 1e8\ngap_m = 1e-6\n\
         [[gesture]]\nstrike = {{ what = \"one.a\", impulse_n_s = 0.02, duration_s = \"0.2 ms\" }}\n\
         [[tap]]\nfrom = \"one.b\"\n[[tap]]\nid = \"far\"\nfrom = \"two.a\"\n"
    );
    let patch = compile_at(&text, RATE).expect("two bars");
    let mut player = Player::new(&patch);
    let (count, largest, smallest) = contacts(&mut player, patch.interactions()[0], RATE as usize / 5);
    assert_sound(&player);
    println!("{count} contacts, {largest:.1} N");
    assert!(count > 5 && smallest >= -1e-9 * largest, "{count} contacts, {smallest} N");
    let (mut block, mut stems) = (vec![[0.0f32; 2]; 2000], vec![vec![0.0f32; 2000]; 2]);
    player.render_stems(&mut block, &mut stems);
    let level = |stem: &[f32]| stem.iter().fold(0.0f32, |top, x| top.max(x.abs()));
    assert!(level(&stems[1]) > 0.01 * level(&stems[0]), "the second bar is silent");
}

/// Every dimension and every number of a material at its extremes: refused with a reason, or a finite sound.
#[test]
fn absurd_objects_are_refused_or_finite() {
    let file = include_str!("../../ictus-instrument/tests/files/objects.toml");
    let ids = [
        "bar", "string", "head", "drum", "kettle", "plate", "gong", "ring", "glass", "room", "tube", "chain", //
    ];
    let (mut refused, mut sounded) = (0, 0);
    let mut attempt = |path: String, value: &str| {
        // one object at a time: the others would only take time
        let settings = [(path.clone(), value.to_owned())];
        let Ok(loaded) = ictus_instrument::load("absurd.toml", file, &settings) else {
            refused += 1;
            return;
        };
        match Patch::compile(&loaded, 8000) {
            Err(error) => {
                refused += 1;
                assert!(error.code().starts_with("engine::") && error.message().len() > 20, "{path}={value}: {error}");
            }
            Ok(patch) => {
                sounded += 1;
                let (sound, player) = render(&patch, 0.02);
                assert!(sound.iter().all(|x| x.is_finite()) && player.muted() == 0, "{path}={value}");
                assert!(player.ledger().max_residual_rel() < 1e-9, "{path}={value}");
            }
        }
    };
    assert_eq!(ids.len(), ictus_objects::shapes().len(), "a body of every shape");
    for (id, entry) in ids.iter().zip(ictus_objects::shapes()) {
        for key in entry.keys.iter().filter(|key| !key.name.starts_with('e')) {
            let list = if entry.name == "chain" { "[1]" } else { "" };
            for value in ["1e-30", "1e-6", "1e-3", "10", "1e4", "1e300"] {
                attempt(format!("{id}.{}{list}", key.name), value);
            }
        }
    }
    for (key, values) in [
        ("density_kg_m3", ["1e-9", "1e-2", "1e6", "1e300"]),
        ("young_pa", ["1e-9", "1e2", "1e14", "1e300"]),
        ("poisson", ["-0.99", "-0.9", "0.4999", "0.7"]),
        ("loss_factor", ["0", "1.9", "300", "1e300"]),
        ("damping_1_s", ["0", "1e3", "1e6", "1e300"]),
        ("viscous_s", ["0", "1e-3", "1e3", "1e300"]),
    ] {
        for value in values {
            for id in ["bar", "drum", "plate"] {
                attempt(format!("{id}.material.{key}"), value);
            }
        }
    }
    for (path, value) in [
        ("bar.decay_scale", "1e-7"),
        ("bar.decay_scale", "1e7"),
        ("bar.max_modes", "4096"),
        ("gong.max_modes", "4096"),
        ("bar.tuning[2]", "1e9"),
        ("touch.contact_time_s", "1e-9"),
        ("touch.contact_time_s", "1e9"),
        ("touch.at_m_s", "1e-30"),
        ("touch.at_m_s", "1e30"),
        ("touch.damping_s_m", "1e30"),
    ] {
        attempt(path.to_owned(), value);
    }
    println!("{refused} refused, {sounded} sounded");
    assert!(refused > 50 && sounded > 50);
}
