//! What players move: inputs that the file itself does not use, and gestures where it has none.

use ictus_engine::{Action, Event, InputId, Patch, Player, PortId, Time, presets};
use ictus_instrument::InputKind;
use std::f64::consts::TAU;

const RATE: u32 = 48_000;

fn patch_of(text: &str) -> Patch {
    let loaded = ictus_instrument::load("test.toml", text, &[]).expect("a valid file");
    Patch::compile(&loaded, RATE).expect("it compiles")
}

fn input(patch: &Patch, name: &str) -> InputId {
    patch.find_input(name).unwrap_or_else(|| panic!("no input {name}"))
}

/// Moves an input at a frame.
fn set(patch: &Patch, frame: u64, (name, value): (&str, f64), ramp_s: f64) -> Event {
    Event::new(Time::frame(frame), Action::Input { input: input(patch, name), value, ramp_s: Some(ramp_s) })
}

fn left(player: &mut Player, frames: usize) -> Vec<f64> {
    let mut sound = vec![[0.0; 2]; frames];
    sound.chunks_mut(128).for_each(|block| player.render(block));
    sound.iter().map(|frame| f64::from(frame[0])).collect()
}

fn energy(sound: &[f64]) -> f64 {
    sound.iter().map(|x| x * x).sum()
}

/// How far two sounds differ, as a share of the first.
fn difference(a: &[f64], b: &[f64]) -> f64 {
    let between: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
    (energy(&between) / energy(a)).sqrt()
}

const HAMMER: &str = r#"
    format = 1
    [[resonator]]
    id = "hammer"
    kind = "mass"
    mass_kg = "10 g"
    [[interaction]]
    id = "felt"
    kind = "felt"
    between = ["hammer", "wall"]
    stiffness = 1e9
    exponent = 2.5
    hysteresis = 0.1
    relaxation_s = 1e-5
    gap_m = "1 mm"
    [[tap]]
    from = "hammer"
"#;

#[test]
fn a_felt_that_is_lifted_pushes_what_lies_above() {
    let patch = patch_of(HAMMER);
    let mut player = Player::new(&patch);
    player.schedule(&[set(&patch, 480, ("felt.lift", 0.9e-3), 0.01)]);
    left(&mut player, 4800);
    assert_eq!(player.meter().stored_j, 0.0, "it does not reach the hammer");
    player.schedule(&[set(&patch, 4800, ("felt.lift", 1.5e-3), 0.01)]);
    left(&mut player, 4800);
    let speed = player.state().velocity(patch.model(), patch.model().find_body("hammer").expect("a hammer"), 0);
    // the felt pushes the mass down at no less than the speed at which it comes
    assert!((-1.0..-0.05).contains(&speed), "{speed} m/s");
    assert!(player.ledger().max_residual_rel() < 1e-12 && player.event_counts().refused() == 0);
}

const BAR: &str = r#"
    format = 1
    [[resonator]]
    id = "bar"
    kind = "modes"
    frequency_hz = [440, 1213, 2378]
    decay_s = 1.0
    mass_kg = 0.1
    ports = { strike = [1.0, -0.6, 0.3], air = [0.8, 0.5, 0.2] }
    [[tap]]
    from = "bar.air"
    quantity = "velocity"
    [[gesture]]
"#;

#[test]
fn a_velocity_is_imposed_by_events_as_by_the_file() {
    let gesture = |at: f64| {
        let curve = "curve = [[0, 0], [0.05, 0.1], [0.1, 0.1]]";
        format!("{BAR}at_s = {at}\nvelocity = {{ what = \"bar.strike\", {curve} }}\n")
    };
    let mut by_file = Player::new(&patch_of(&gesture(0.0)));
    // the file begins when all is over
    let patch = patch_of(&gesture(10.0));
    let mut player = Player::new(&patch);
    let grip = |frame, weight| set(&patch, frame, ("bar.strike.grip", weight), 0.0);
    let swing = set(&patch, 0, ("bar.strike.velocity_m_s", 0.1), 0.05);
    player.schedule(&[grip(0, 1.0), swing, grip(4800, 0.0)]);
    let (a, b) = (left(&mut by_file, 9600), left(&mut player, 9600));
    assert!(energy(&a) > 1e-3);
    assert!(difference(&a, &b) < 1e-6, "{}", difference(&a, &b));
    assert!(player.ledger().max_residual_rel() < 1e-12);
    // a hand that lets go releases the port, also within a window of the file
    let mut held = Player::new(&patch_of(&gesture(0.0)));
    left(&mut held, 3000);
    held.schedule(&[Event::new(Time::frame(3000), Action::AllOff)]);
    let after = left(&mut held, 9600);
    assert!(difference(&a[3000..], &after) > 0.1);
    let crossings = after.windows(2).filter(|pair| pair[0] * pair[1] < 0.0).count();
    assert!(crossings > 150, "it rings at 440 Hz: {crossings}");
}

/// The strongest frequency from 40 to 400 Hz.
fn pitch(sound: &[f64]) -> f64 {
    let power = |hertz: f64| {
        let turn = |(n, x): (usize, &f64)| {
            let (sin, cos) = libm::sincos(TAU * hertz * n as f64 / f64::from(RATE));
            (x * cos, x * sin)
        };
        let (re, im) = sound.iter().enumerate().map(turn).fold((0.0, 0.0), |sum, x| (sum.0 + x.0, sum.1 + x.1));
        re * re + im * im
    };
    let all = (40..400).map(f64::from);
    all.max_by(|&a, &b| power(a).total_cmp(&power(b))).expect("some frequency")
}

#[test]
fn a_head_without_a_pedal_can_be_slackened() {
    let preset = presets::find("timpani-kettle").expect("a preset");
    let patch = patch_of(preset.text);
    let heads: Vec<InputId> = (0..patch.inputs().len())
        .map(InputId::new)
        .filter(|id| matches!(patch.inputs().nth(id.index()).map(|input| input.kind), Some(InputKind::Pedal { .. })))
        .collect();
    assert!(!heads.is_empty());
    let heard = |share: f64| {
        let mut player = Player::new(&patch);
        let slack = |input: &InputId| {
            Event::new(Time::frame(0), Action::Input { input: *input, value: share, ramp_s: Some(0.0) })
        };
        player.schedule(&heads.iter().map(slack).collect::<Vec<_>>());
        let sound = left(&mut player, RATE as usize / 2);
        assert!(player.ledger().max_residual_rel() < 1e-9 && player.event_counts().refused() == 0);
        pitch(&sound)
    };
    let (tight, slack) = (heard(1.0), heard(0.7));
    // the air below the head does not slacken with it
    assert!((0.65..0.8).contains(&(slack / tight)), "{slack} Hz of {tight} Hz");
}

/// A curve as an event per point: ramps of an input that follow each other.
fn ramps(patch: &Patch, name: &str, curve: &[(f64, f64)]) -> Vec<Event> {
    let points = curve.windows(2).map(|pair| {
        let ((from, _), (to, value)) = (pair[0], pair[1]);
        let action = Action::Input { input: input(patch, name), value, ramp_s: Some(to - from) };
        Event::new(Time::frames(from * f64::from(RATE)), action)
    });
    points.collect()
}

#[test]
fn ramps_of_a_force_are_the_force_curve_of_a_file() {
    // whole frames: between them the corners of ramps are rounded within half a step
    let curve = [(0.0, 0.0), (0.0105, 2.0), (0.02, -1.0), (0.0455, 0.5), (0.05, 0.0)];
    let text: Vec<String> = curve.iter().map(|(t, value)| format!("[{t}, {value}]")).collect();
    let by_file = format!("{BAR}force = {{ what = \"bar.strike\", curve = [{}] }}\n", text.join(", "));
    let by_file = left(&mut Player::new(&patch_of(&by_file)), 9600);
    assert!(energy(&by_file) > 1e-6);
    // at a port that the file drives too, and at one that it does not, where impulses between the steps are of first order:
    // half a step late, most of it heard in the highest mode
    let late = TAU * 2378.0 * 0.5 / f64::from(RATE);
    for (elsewhere, most) in [("bar.strike", 1e-6), ("bar.air", late)] {
        let strike = format!("at_s = 9\nstrike = {{ what = \"{elsewhere}\", force_n = 1, duration_s = \"2 ms\" }}\n");
        let patch = patch_of(&format!("{BAR}{strike}"));
        let mut player = Player::new(&patch);
        player.schedule(&ramps(&patch, "bar.strike.force_n", &curve));
        let by_events = left(&mut player, 9600);
        let off = difference(&by_file, &by_events);
        assert!(off < most, "{off} where the file drives {elsewhere}");
        assert!(player.ledger().max_residual_rel() < 1e-12 && player.event_counts().refused() == 0);
    }
}

/// A strike and a pluck at every port of every preset, of which the file drives few.
#[test]
fn gestures_reach_every_port_that_can_be_touched() {
    let mut reached = 0;
    for preset in presets::ALL {
        let loaded = ictus_instrument::load(preset.stem, preset.text, &[]).expect("a preset loads");
        let patch = Patch::compile(&loaded, RATE).expect("a preset compiles");
        let mut quiet = Player::new(&patch);
        quiet.schedule(&[Event::new(Time::frame(0), Action::AllOff)]);
        let mut still = quiet.clone();
        left(&mut still, 200);
        for (index, name) in patch.ports().enumerate() {
            // microphones and places in the air only listen
            let touchable = patch.find_input(&format!("{name}.force_n")).is_some();
            let port = PortId::new(index);
            let gestures = [
                Action::Strike { port, impulse_n_s: 1e-3, duration_s: 1e-3 },
                Action::Pluck { port, force_n: 1.0, duration_s: 1e-3 },
            ];
            for action in gestures {
                let mut player = quiet.clone();
                player.schedule(&[Event::new(Time::frame(100), action)]);
                left(&mut player, 200);
                let counts = player.event_counts();
                let supplied = |player: &Player| player.ledger().total.supplied.value();
                let acted = supplied(&player) != supplied(&still);
                assert!(acted == touchable, "{} {name}: {action:?}", preset.stem);
                assert_eq!(counts.impossible, u64::from(!touchable), "{} {name}: {action:?}", preset.stem);
                reached += usize::from(acted);
            }
        }
    }
    assert!(reached > 300, "{reached}");
}
