//! Coefficients that change while an instrument sounds.

use ictus_engine::{Action, Event, InputId, Patch, Player, Time, presets};
use ictus_instrument::{InputKind, Loaded};
use ictus_testkit::Draw;

const RATE: u32 = 48_000;

fn load(stem: &str, settings: &[(String, String)]) -> Loaded {
    let preset = presets::find(stem).expect("a preset");
    ictus_instrument::load(preset.stem, preset.text, settings).expect("a preset loads")
}

fn compile(text: &str) -> Patch {
    let loaded = ictus_instrument::load("test.toml", text, &[]).expect("a valid file");
    Patch::compile(&loaded, RATE).expect("it compiles")
}

fn play(player: &mut Player, frames: usize) -> Vec<[f32; 2]> {
    let mut out = vec![[0.0; 2]; frames];
    player.render(&mut out);
    out
}

fn at(frame: u64, action: Action) -> Event {
    Event::new(Time::frame(frame), action)
}

/// The coefficients of a patch or a player: every number of its model with all digits.
fn coefficients(model: &ictus_core::Model) -> String {
    format!("{model:?}")
}

#[test]
fn a_live_knob_ends_where_loading_with_its_position_begins() {
    let (mut live, mut all) = (0, 0);
    for preset in presets::ALL {
        let patch = Patch::compile(&load(preset.stem, &[]), RATE).expect("it compiles");
        for (knob, known) in patch.knobs().iter().enumerate() {
            all += 1;
            if !known.is_live() {
                continue;
            }
            live += 1;
            let position = 0.83;
            let mut player = Player::new(&patch);
            player.audit(false);
            player.schedule(&[at(1000, Action::Knob { knob, position, ramp_s: Some(0.01) })]);
            play(&mut player, 2400);
            let settings = [(known.control.id.clone(), position.to_string())];
            let fresh = Patch::compile(&load(preset.stem, &settings), RATE).expect("it compiles");
            let name = format!("{}, {}", preset.stem, known.control.id);
            assert!(coefficients(player.model()) == coefficients(fresh.model()), "{name}: other coefficients");
            for (input, value) in known.values(position) {
                assert_eq!(player.input(input), Some(value), "{name}");
            }
            assert_eq!(player.event_counts().refused(), 0, "{name}");
        }
    }
    println!("{live} of {all} knobs are live");
    assert!(5 * live > all, "{live} of {all} knobs are live");
}

/// A bar with a pitch that bends, struck at 20 ms.
fn bar(ratio: f64) -> String {
    let frequencies: Vec<f64> = [220.0, 607.0, 1190.0].iter().map(|hz| hz * ratio).collect();
    format!(
        r#"
        format = 1
        title = "Bar"
        seconds = 1.0

        [[resonator]]
        id = "bar"
        kind = "modes"
        frequency_hz = {frequencies:?}
        decay_s = [1.8, 0.7, 0.3]
        mass_kg = "110 g"
        ports = {{ strike = [1.0, -0.6, 0.3], air = [0.8, 0.5, 0.2] }}

        [[resonator]]
        id = "mallet"
        kind = "mass"
        mass_kg = "20 g"
        position_m = "-2 mm"

        [[interaction]]
        id = "felt"
        kind = "collision"
        between = ["mallet", "bar.strike"]
        stiffness = 4.0e7

        [[gesture]]
        at_s = 0.02
        throw = {{ what = "mallet", velocity_m_s = 1.5 }}

        [[input]]
        id = "pitch"
        to = "bar.pitch_cents"
        range = [-2400, 2400]
        ramp_s = 0.0

        [[tap]]
        from = "bar.air"
        quantity = "velocity"
    "#
    )
}

#[test]
fn a_bar_bent_before_the_stroke_sounds_like_one_of_that_pitch() {
    let patch = compile(&bar(1.0));
    let pitch = patch.find_input("pitch").expect("a pitch");
    for cents in [700.0, -1200.0, 3.0] {
        let mut player = Player::new(&patch);
        player.schedule(&[at(0, Action::Input { input: pitch, value: cents, ramp_s: None })]);
        let bent = play(&mut player, 24_000);
        let fresh = compile(&bar(libm::exp2(cents / 1200.0)));
        let other = play(&mut Player::new(&fresh), 24_000);
        assert!(bent == other, "{cents} cents");
        assert!(bent.iter().any(|frame| frame[0].abs() > 1e-3), "silence");
    }
}

#[test]
fn a_modulated_pitch_begins_with_the_modulator() {
    let modulator = "[[modulator]]\nid = \"siren\"\nkind = \"square\"\nrate_hz = 0.001\nto = \"pitch\"\ndepth = 700\n";
    let patch = compile(&format!("{}\n{modulator}", bar(1.0)));
    let fresh = compile(&bar(libm::exp2(700.0 / 1200.0)));
    let [one, other] = [&patch, &fresh].map(|patch| play(&mut Player::new(patch), 24_000));
    assert!(one == other);
}

/// Events that move all coefficients of a patch at random.
fn storm(patch: &Patch, frames: u64, count: usize, draw: &mut Draw) -> Vec<Event> {
    let inputs: Vec<(InputId, (f64, f64))> = patch
        .inputs()
        .enumerate()
        .filter(|(_, input)| matches!(input.kind, InputKind::Law { .. } | InputKind::Body { .. }))
        .map(|(index, input)| (InputId::new(index), input.range))
        .collect();
    assert!(!inputs.is_empty(), "no coefficients");
    let mut events: Vec<Event> = (0..count)
        .map(|_| {
            let (input, (low, high)) = draw.pick(&inputs);
            let value = draw.uniform(low, high);
            let ramp_s = Some(if draw.chance(0.5) { 0.0 } else { draw.uniform(0.0, 0.02) });
            at(draw.uniform(0.0, frames as f64) as u64, Action::Input { input, value, ramp_s })
        })
        .collect();
    events.sort_by_key(|event| event.at.frame);
    events
}

const PLAYED: [&str; 6] = ["struck-bar", "violin-bow", "piano-bass", "wind-chime", "gong", "thumb-piano"];

#[test]
fn the_ledger_closes_while_everything_is_turned() {
    for stem in PLAYED {
        let patch = Patch::compile(&load(stem, &[]), RATE).expect("it compiles");
        let events = storm(&patch, 48_000, 500, &mut Draw::new(7));
        let mut player = Player::new(&patch);
        player.schedule(&events);
        let sound = play(&mut player, 48_000);
        let residual = player.ledger().max_residual_rel();
        println!("{stem}: residual {residual:.1e}");
        assert!(residual <= 1e-9, "{stem}: {residual:e}");
        assert!(sound.iter().flatten().all(|x| x.is_finite()) && player.muted() == 0, "{stem}");
        assert_eq!(player.counts().quarantined, 0, "{stem}");
        assert_eq!(player.event_counts().refused(), 0, "{stem}");
    }
}

#[test]
fn blocks_ledger_and_snapshots_change_no_bit_while_everything_is_turned() {
    for stem in PLAYED {
        let patch = Patch::compile(&load(stem, &[]), RATE).expect("it compiles");
        let events = storm(&patch, 9600, 100, &mut Draw::new(8));
        let mut reference = Player::new(&patch);
        reference.schedule(&events);
        let expected = play(&mut reference, 9600);
        for (block, audited) in [(1, false), (17, true), (64, false), (512, false)] {
            let mut player = Player::new(&patch);
            player.audit(audited);
            player.schedule(&events);
            let mut sound = Vec::new();
            while sound.len() < 9600 {
                let left = (9600 - sound.len()).min(block);
                sound.extend(play(&mut player, left));
            }
            assert!(sound == expected, "{stem}: blocks of {block}, ledger {audited}");
        }
        // back in time, and on again
        let mut player = Player::new(&patch);
        let (early, late): (Vec<Event>, Vec<Event>) = events.iter().partition(|event| event.at.frame < 4800);
        player.schedule(&early);
        play(&mut player, 4800);
        let kept = player.snapshot();
        player.schedule(&late);
        play(&mut player, 4800);
        assert!(player.restore(&kept));
        let again: Vec<Event> = late
            .iter()
            .map(|event| Event { at: Time { frame: event.at.frame + 4800, ..event.at }, ..*event })
            .collect();
        player.schedule(&again);
        assert!(play(&mut player, 4800) == expected[4800..], "{stem}: after a snapshot");
    }
}
