//! Players: what events do, and that they do it to the bit.

use crate::random_events;
use ictus_engine::{Action, AudioInput, Event, Io, Patch, Player, Take, Time, presets};

const RATE: u32 = 48_000;

fn patch_of(text: &str) -> Patch {
    let loaded = ictus_instrument::load("test.toml", text, &[]).expect("a valid file");
    Patch::compile(&loaded, RATE).expect("it compiles")
}

fn preset(stem: &str) -> Patch {
    patch_of(presets::find(stem).expect("a preset").text)
}

/// Plays `frames` frames in blocks as `next_block` gives them, each with the events that lie in it.
fn play(player: &mut Player, events: &[Event], frames: usize, mut next_block: impl FnMut() -> usize) -> Vec<u32> {
    let mut bits = Vec::new();
    let (mut left, mut right) = (vec![0.0; frames], vec![0.0; frames]);
    let end = player.frame() + frames as u64;
    while player.frame() < end {
        let n = next_block().clamp(1, (end - player.frame()) as usize);
        let block = player.frame()..player.frame() + n as u64;
        let mine: Vec<Event> = events.iter().filter(|event| block.contains(&event.at.frame)).copied().collect();
        let (left, right) = (&mut left[..n], &mut right[..n]);
        player.process(&mine, Io { inputs: &[], buses: &mut [left, right] });
        bits.extend(left.iter().zip(right.iter()).flat_map(|(l, r)| [l.to_bits(), r.to_bits()]));
    }
    bits
}

fn is_heard(bits: &[u32]) -> bool {
    bits.iter().any(|&bits| f32::from_bits(bits).abs() > 1e-4)
}

const MALLET: &str = r#"
    format = 1
    [[resonator]]
    id = "mallet"
    kind = "mass"
    mass_kg = "20 g"
    [[resonator]]
    id = "bar"
    kind = "modes"
    frequency_hz = [440, 1213, 2378]
    decay_s = 1.0
    mass_kg = 0.1
    ports = { strike = [1.0, -0.6, 0.3], air = [0.8, 0.5, 0.2], edge = [0.2, 0.4, -0.9] }
    [[interaction]]
    id = "felt"
    kind = "collision"
    between = ["mallet", "bar.strike"]
    stiffness = 4.0e8
    exponent = 2.3
    gap_m = 0.001
    [[tap]]
    from = "bar.air"
"#;

/// 0.0107 s are not a whole number of steps.
#[test]
fn a_throw_by_an_event_is_the_throw_of_the_file() {
    let file = format!("{MALLET}[[gesture]]\nat_s = 0.0107\nthrow = {{ what = \"mallet\", velocity_m_s = 1.5 }}\n");
    let by_file = play(&mut Player::new(&patch_of(&file)), &[], 9600, || 512);
    let patch = patch_of(MALLET);
    let port = patch.find_port("mallet").expect("a port");
    let throw = Action::Throw { port, velocity_m_s: 1.5, position_m: None };
    let events = [Event::new(Time::frames(0.0107 * f64::from(RATE)), throw)];
    let by_event = play(&mut Player::new(&patch), &events, 9600, || 64);
    assert!(is_heard(&by_file));
    assert!(by_file == by_event);
}

#[test]
fn a_strike_by_an_event_is_the_strike_of_the_file() {
    let strike = "strike = { what = \"bar.edge\", impulse_n_s = 0.02, duration_s = \"2 ms\" }";
    let file = format!("{MALLET}[[gesture]]\nat_s = 0.0107\n{strike}\n[[gesture]]\nat_s = 0.1\n{strike}\n");
    let patch = patch_of(&file);
    let by_file = play(&mut Player::new(&patch), &[], 9600, || 512);
    let port = patch.find_port("bar.edge").expect("a port");
    let strike = Action::Strike { port, impulse_n_s: 0.02, duration_s: 0.002 };
    let at = [0.0107, 0.1].map(|seconds| Time::frames(seconds * f64::from(RATE)));
    // the file's own gestures begin again only after a reset
    let mut player = Player::new(&patch);
    let mut events = vec![Event::new(Time::frame(0), Action::AllOff)];
    events.extend(at.map(|at| Event::new(at, strike)));
    let by_event = play(&mut player, &events, 9600, || 100);
    assert!(is_heard(&by_file));
    assert!(by_file == by_event);
}

/// A port that no contact and no gesture of the file touches: as loud as the same strike where the file has one.
#[test]
fn a_strike_reaches_ports_that_the_file_does_not_touch() {
    let strike = "strike = { what = \"bar.edge\", impulse_n_s = 0.02, duration_s = \"2 ms\" }";
    let with = patch_of(&format!("{MALLET}[[gesture]]\nat_s = 0.01\n{strike}\n"));
    let without = patch_of(MALLET);
    let by_file = play(&mut Player::new(&with), &[], 9600, || 512);
    let port = without.find_port("bar.edge").expect("a port");
    let action = Action::Strike { port, impulse_n_s: 0.02, duration_s: 0.002 };
    let mut player = Player::new(&without);
    let by_event = play(&mut player, &[Event::new(Time::frame(480), action)], 9600, || 512);
    let energy = |bits: &[u32]| bits.iter().map(|&x| f64::from(f32::from_bits(x)).powi(2)).sum::<f64>();
    let difference: f64 =
        by_file.iter().zip(&by_event).map(|(&a, &b)| f64::from(f32::from_bits(a) - f32::from_bits(b)).powi(2)).sum();
    assert!(is_heard(&by_file));
    // impulses between the steps are of first order: half a step of delay at 440 to 2378 Hz
    assert!(difference < 0.02 * energy(&by_file), "{} of {}", difference, energy(&by_file));
    assert!(player.ledger().max_residual_rel() < 1e-12);
    assert_eq!(player.event_counts().refused(), 0);
}

/// Speed, force and place of a bow, as curves of the file whose values are exact in `f32`.
const BOWED: &str = r#"
    format = 1
    seconds = 1.0
    [[resonator]]
    id = "string"
    kind = "string"
    length_m = 0.33
    frequency_hz = 220
    density_kg_m = 0.001
    modes = 40
    decay = [[196, 1.4], [5000, 1.3]]
    ports = { bow = 0.12, bridge = 0.97 }
    [[interaction]]
    id = "bow"
    kind = "friction"
    between = ["string.bow", "wall"]
    stiffness_n_m = 1e4
    sticking = 0.8
    sliding = 0.3
    stribeck_m_s = 0.1
    normal_n = NORMAL
    speed_m_s = SPEED
    position = PLACE
    [[tap]]
    from = "string.bridge"
    [[input]]
    id = "place"
    to = "bow.position"
"#;

fn bowed(normal: &str, speed: &str, place: &str) -> Patch {
    patch_of(&BOWED.replace("NORMAL", normal).replace("SPEED", speed).replace("PLACE", place))
}

#[test]
fn a_bow_of_audio_rate_inputs_is_the_bow_of_the_file() {
    const FRAMES: usize = 24_000;
    // 32768 frames from end to end: every step adds a power of two
    let end = 32_768.0 / f64::from(RATE);
    let by_file = {
        let patch = bowed(
            &format!("[[0, 0.5], [{end}, 1.5]]"),
            &format!("[[0, 0], [{end}, 0.25]]"),
            &format!("[[0, 0.125], [{end}, 0.1875]]"),
        );
        play(&mut Player::new(&patch), &[], FRAMES, || 512)
    };
    // the same inputs, held still by the file
    let patch = bowed("0.5", "0", "0.125");
    let mut player = Player::new(&patch);
    let phase = 0.5; // the midpoint scheme
    let ramp = |from: f64, to: f64| -> Vec<f32> {
        (0..FRAMES).map(|n| (from + (to - from) * ((n as f64 + phase) / 32_768.0)) as f32).collect()
    };
    let signals =
        [("bow.normal_n", ramp(0.5, 1.5)), ("bow.speed_m_s", ramp(0.0, 0.25)), ("place", ramp(0.125, 0.1875))];
    let mut bits = Vec::new();
    for start in (0..FRAMES).step_by(96) {
        let inputs = signals.each_ref().map(|(name, samples)| AudioInput {
            input: patch.find_input(name).expect("an input"),
            samples: &samples[start..start + 96],
        });
        let (mut left, mut right) = ([0.0; 96], [0.0; 96]);
        player.process(&[], Io { inputs: &inputs, buses: &mut [&mut left, &mut right] });
        bits.extend(left.iter().zip(right).flat_map(|(l, r)| [l.to_bits(), r.to_bits()]));
    }
    assert!(is_heard(&by_file));
    assert_eq!(player.event_counts().refused(), 0);
    assert!(by_file == bits, "first differs at {:?}", by_file.iter().zip(&bits).position(|(a, b)| a != b));
}

#[test]
fn a_recorded_take_is_played_again_to_the_bit() {
    for stem in ["violin-bow", "tanpura-bridge", "snare-wires", "struck-bar"] {
        let patch = preset(stem);
        let events = random_events::dense(&patch, 5, 24_000);
        let mut player = Player::new(&patch);
        player.reserve_snapshots(1);
        player.start_recording(10_000);
        let sound = play(&mut player, &events, 24_000, || 128);
        let text = Take { events: player.stop_recording() }.to_text(&patch);
        let take = Take::parse(&text, &patch).unwrap_or_else(|error| panic!("{stem}: {error}"));
        assert!(take.events.len() > 50, "{stem}");
        let mut again = Player::new(&patch);
        again.reserve_snapshots(1);
        assert!(play(&mut again, &take.events, 24_000, || 500) == sound, "{stem}");
    }
}

/// Events move the inputs that have samples too; the samples take them back, in the same frame whatever the block. One event is dropped by the full queue.
#[test]
fn a_take_of_audio_rate_inputs_and_a_full_queue_is_played_again_to_the_bit() {
    const FRAMES: usize = 9600;
    let patch = preset("violin-bow");
    let input = patch.find_input("bow.speed_m_s").expect("an input");
    let samples: Vec<f32> = (0..FRAMES).map(|n| 0.1 + 0.2 * (n / 700 % 3) as f32).collect();
    let mut player = Player::new(&patch);
    player.start_recording(FRAMES);
    let far = |frame| Event::new(Time::frame(frame), Action::Reset);
    player.schedule(&(0..4096).map(|n| far(FRAMES as u64 + 4096 - n)).collect::<Vec<_>>());
    let strong = Event::new(Time::frame(0), Action::Input { input, value: 0.5, ramp_s: None });
    let mut sound = Vec::new();
    let (mut left, mut right) = ([0.0; 96], [0.0; 96]);
    for start in (0..FRAMES).step_by(96) {
        let at = Event { at: Time { frame: start as u64 + 50, fraction: 0.3 }, ..strong };
        let inputs = [AudioInput { input, samples: &samples[start..start + 96] }];
        player.process(&[at], Io { inputs: &inputs, buses: &mut [&mut left, &mut right] });
        sound.extend(left.iter().zip(right).flat_map(|(l, r)| [l.to_bits(), r.to_bits()]));
    }
    assert!(player.event_counts().overflowed > 0 && is_heard(&sound));
    let take = player.stop_recording();
    assert!(take.iter().all(|event| *event != far(FRAMES as u64 + 4096)), "it was dropped");
    let mut again = Player::new(&patch);
    again.reserve_events(take.len());
    assert!(play(&mut again, &take, FRAMES, || 500) == sound);
}

#[test]
fn faults_of_a_take_have_a_line_and_a_way_out() {
    let patch = patch_of(MALLET);
    let header = "{\"take\":1,\"sample_rate\":48000}\n";
    let cases = [
        ("", 1, "empty"),
        ("{\"take\":2,\"sample_rate\":48000}", 1, "format 2"),
        ("{\"take\":1,\"sample_rate\":44100}", 1, "44100 Hz"),
        ("HEADER\n{\"frame\":1}", 3, "0 actions"),
        ("HEADER{\"frame\":1,\"at_s\":1,\"reset\":{}}", 2, "no valid time"),
        (
            "HEADER{\"frame\":1,\"strike\":{\"port\":\"bar.tip\",\"impulse_n_s\":1,\"duration_s\":1}}",
            2,
            "no port `bar.tip`",
        ),
        ("HEADER{\"frame\":1,\"input\":{\"input\":\"bow\",\"value\":1}}", 2, "no input `bow`"),
        ("HEADER{\"frame\":1,\"sing\":{}}", 2, "no kind of event `sing`"),
        ("HEADER{\"frame\":1,\"reset\":{}}\n\n{\"frame\":2,\"adopt\":{\"patch\":1}}", 4, "`adopt` is reserved"),
        ("HEADER{\"frame\":1,\"shed\":{\"voice\":3}}", 2, "`shed` is reserved"),
        ("HEADER{\"frame\":1,\"reset\":{\"hard\":true}}", 2, "unknown field `hard`"),
        ("HEADER{\"frame\":1", 2, "EOF"),
    ];
    for (text, line, message) in cases {
        let error = Take::parse(&text.replace("HEADER", header), &patch).expect_err(text);
        assert_eq!(error.line, line, "{error}");
        assert!(error.message.contains(message), "{error}");
        assert!(!error.help.is_empty());
    }
}

#[test]
fn a_reset_begins_anew_and_a_slot_returns() {
    for stem in ["struck-bar", "violin-bow", "bouncing-ball"] {
        let patch = preset(stem);
        let fresh = play(&mut Player::new(&patch), &[], 7200, || 512);
        let mut player = Player::new(&patch);
        player.reserve_snapshots(1);
        play(&mut player, &random_events::dense(&patch, 7, 4000), 4000, || 512);
        let again = play(&mut player, &[Event::new(Time::frame(4000), Action::Reset)], 7200, || 512);
        assert!(fresh == again, "{stem}: reset");

        let mut player = Player::new(&patch);
        player.reserve_snapshots(2);
        play(&mut player, &[], 1000, || 512);
        let save = [Event::new(Time::frame(1000), Action::Save { slot: 1 })];
        let first = play(&mut player, &save, 3000, || 512);
        let restore = [Event::new(Time::frame(4000), Action::Restore { slot: 1 })];
        assert!(play(&mut player, &restore, 3000, || 300) == first, "{stem}: restore");

        let snapshot = player.snapshot();
        let first = play(&mut player, &[], 3000, || 512);
        assert!(player.restore(&snapshot));
        assert!(play(&mut player, &[], 3000, || 300) == first, "{stem}: snapshot");
        assert!(!player.restore(&Player::new(&preset("gong")).snapshot()), "of another patch");
        player.start_recording(1);
        assert!(!player.restore(&snapshot), "a take cannot hold it");
        player.stop_recording();
        assert!(player.restore(&snapshot));
    }
}

#[test]
fn audio_rate_samples_that_are_no_numbers_hold_the_last_value() {
    let patch = preset("violin-bow");
    let input = patch.find_input("bow.normal_n").expect("an input");
    let mut player = Player::new(&patch);
    let mut samples = [1.0f32; 64];
    samples[10] = f32::NAN;
    samples[20] = f32::INFINITY;
    samples[30] = -5.0;
    let (mut left, mut right) = ([0.0f32; 64], [0.0f32; 64]);
    let inputs = [AudioInput { input, samples: &samples }];
    player.process(&[], Io { inputs: &inputs, buses: &mut [&mut left, &mut right] });
    assert_eq!(player.event_counts().out_of_range, 3);
    assert_eq!(player.input(input), Some(1.0));
    assert!(left.iter().all(|x| x.is_finite()));
}

#[test]
fn gains_and_pans_move_without_changing_the_physics() {
    let patch = preset("struck-bar");
    let tap = patch.tap_names().next().expect("a tap").to_owned();
    let gain = patch.find_input(&format!("{tap}.gain")).expect("a gain");
    let mut player = Player::new(&patch);
    let mute = Action::Input { input: gain, value: 0.0, ramp_s: Some(0.01) };
    let before = player.snapshot();
    let sound = play(&mut player, &[], 4800, || 512);
    assert!(player.restore(&before));
    let frame = player.frame();
    let muted = play(&mut player, &[Event::new(Time::frame(frame + 1000), mute)], 4800, || 512);
    assert!(sound[..2000] == muted[..2000] && sound != muted);
    if patch.tap_names().count() == 1 {
        assert!(muted[2 * 1500..].iter().all(|&bits| f32::from_bits(bits) == 0.0), "it is muted");
    }
}
