//! Modulators: what they do to everything that reads inputs, the same bits in every way of playing, and what events do to them.

use ictus_engine::{Action, Event, InputId, Io, Patch, Player, Snapshot, Take, Time};
use ictus_testkit::Draw;

const RATE: u32 = 48_000;
const FRAMES: usize = 24_000;

fn patch_of(text: &str) -> Patch {
    let loaded = ictus_instrument::load("test.toml", text, &[]).unwrap_or_else(|error| panic!("{error}"));
    Patch::compile(&loaded, RATE).unwrap_or_else(|error| panic!("{error}"))
}

fn input(patch: &Patch, name: &str) -> InputId {
    patch.find_input(name).unwrap_or_else(|| panic!("no input {name}"))
}

fn set(patch: &Patch, frame: f64, (name, value): (&str, f64), ramp_s: f64) -> Event {
    Event::new(Time::frames(frame), Action::Input { input: input(patch, name), value, ramp_s: Some(ramp_s) })
}

/// A bowed string, a rolling ball and a bar, with a modulator at everything that can be read: a force, a speed that carries a rough surface along, lifts, a place, a finger, a pushed port,
/// gain and pan.
const BUSY: &str = r#"
format = 1
[[resonator]]
id = "wire"
kind = "string"
length_m = 0.6
density_kg_m = 1e-3
tension_n = 60
modes = 20
ports = { near = 0.1, far = 0.7 }
[[resonator]]
id = "ball"
kind = "mass"
mass_kg = 0.01
stiffness_n_m = 10
[[resonator]]
id = "bar"
kind = "modes"
frequency_hz = [200, 551, 1080]
decay_s = 0.5
mass_kg = "20 g"
ports = { middle = [1.0, -0.6, 0.3], air = [0.8, 0.5, 0.2] }
[[interaction]]
id = "bow"
kind = "friction"
between = ["wire.near", "wall"]
normal_n = 0.5
speed_m_s = 0.1
sticking = 0.6
sliding = 0.3
stribeck_m_s = 0.1
stiffness_n_m = 1e4
roughness = 0.2
[[interaction]]
id = "roll"
kind = "collision"
between = ["bar.middle", "ball"]
stiffness = 1e6
gap_m = "-10 µm"
texture = { height_m = "20 µm", coarsest_m = "2 cm", finest_m = "0.2 mm" }
speed_m_s = 0.2
[[finger]]
id = "index"
on = "wire"
position = 0.5
force = [[0, 1]]
[[input]]
id = "place"
to = "index.position"
range = [0.4, 0.6]
[[modulator]]
id = "vibrato"
kind = "sine"
to = "place"
depth = 0.01
rate_hz = 6
[[modulator]]
id = "late"
kind = "envelope"
to = "vibrato.depth"
depth = 0.02
attack_s = 0.1
release_s = 0.05
at_s = 0.15
[[modulator]]
id = "strokes"
kind = "triangle"
to = "bow.speed_m_s"
depth = 0.15
rate_hz = 7
[[modulator]]
id = "press"
kind = "random_walk"
to = "bow.normal_n"
depth = 0.25
rate_hz = 30
[[modulator]]
id = "turn"
kind = "sine"
to = "roll.speed_m_s"
depth = 0.1
rate_hz = 4
[[modulator]]
id = "bump"
kind = "sequence"
to = "roll.lift"
range = [0, "5 µm"]
period_s = 0.1
steps = [0, 1, 0.5]
glide = 0.3
[[modulator]]
id = "push"
kind = "square"
to = "bar.air.force_n"
depth = 0.1
rate_hz = 11
[[modulator]]
id = "tremolo"
kind = "sine"
to = "left.gain"
range = [0.5, 2]
rate_hz = 5
[[modulator]]
id = "pan"
kind = "square"
to = "left.pan"
depth = 0.5
rate_hz = 3
[[tap]]
id = "left"
from = "wire.far"
[[tap]]
id = "right"
from = "bar.air"
gain = 10
"#;

/// Only gains move, so that free runs and mixing ahead have something to get wrong.
const CALM: &str = r#"
format = 1
[[resonator]]
id = "bar"
kind = "modes"
frequency_hz = [200, 551, 1080]
decay_s = 0.5
mass_kg = "20 g"
ports = { middle = [1.0, -0.6, 0.3], air = [0.8, 0.5, 0.2] }
[[gesture]]
strike = { what = "bar.middle", duration_s = "2 ms", force_n = 20 }
[[tap]]
id = "left"
from = "bar.air"
[[tap]]
id = "right"
from = "bar.middle"
[[input]]
id = "fade"
to = "right.gain"
curve = [[0, 0.2], [0.1, 0.2], [0.15, 1], [0.3, 1], [0.35, 0.1]]
[[modulator]]
id = "chop"
kind = "square"
to = "left.gain"
range = [0.1, 1]
rate_hz = 9.7
[[modulator]]
id = "fall"
kind = "envelope"
to = "left.pan"
depth = 0.7
attack_s = 0.05
decay_s = 0.02
sustain = 0.3
release_s = 0.05
at_s = 0.1
[[modulator]]
id = "nudge"
kind = "square"
to = "bar.air.force_n"
depth = 0
rate_hz = 5
"#;

/// Events at odd times that move rates, depths, gates and bases of `patch`.
fn events(patch: &Patch) -> Vec<Event> {
    let mut draw = Draw::new(5);
    let mut events = Vec::new();
    let names: Vec<(InputId, (f64, f64))> = (patch.inputs().enumerate())
        .filter(|(_, input)| {
            let modulates = ["rate_hz", "depth", "gate"].iter().any(|key| input.path.ends_with(&format!(".{key}")));
            modulates || input.path == "bow.speed_m_s" || input.path == "left.gain"
        })
        .map(|(index, input)| (InputId::new(index), input.range))
        .collect();
    for n in 0..40 {
        let (input, (low, high)) = names[(draw.uniform(0.0, 1.0) * names.len() as f64) as usize % names.len()];
        let action = Action::Input { input, value: draw.uniform(low, high), ramp_s: Some(draw.uniform(0.0, 0.05)) };
        events.push(Event::new(Time::frames(500.0 * f64::from(n) + draw.uniform(0.0, 400.0)), action));
    }
    events
}

fn play(player: &mut Player, mut next_block: impl FnMut() -> usize, frames: usize) -> Vec<u32> {
    let (mut left, mut right) = (vec![0.0; frames], vec![0.0; frames]);
    let mut at = 0;
    while at < frames {
        let end = frames.min(at + next_block());
        player.process(&[], Io { inputs: &[], buses: &mut [&mut left[at..end], &mut right[at..end]] });
        at = end;
    }
    left.iter().zip(&right).flat_map(|(left, right)| [left.to_bits(), right.to_bits()]).collect()
}

#[test]
fn blocks_and_the_ledger_do_not_change_a_bit() {
    for oversampling in [1, 2] {
        for text in [BUSY, CALM] {
            let patch =
                patch_of(&text.replace("format = 1\n", &format!("format = 1\noversampling = {oversampling}\n")));
            for events in [Vec::new(), events(&patch)] {
                let player = |audited: bool| {
                    let mut player = Player::new(&patch);
                    player.audit(audited);
                    player.schedule(&events);
                    player
                };
                let mut whole = player(true);
                let reference = play(&mut whole, || FRAMES, FRAMES);
                assert!(whole.ledger_closes() && whole.event_counts().refused() == 0, "{:?}", whole.event_counts());
                let heard = reference.iter().map(|&bits| f32::from_bits(bits).abs()).fold(0.0, f32::max);
                assert!((1e-4..1e3).contains(&heard), "{heard}");
                for (block, audited) in [(1, true), (17, false), (64, true), (512, false)] {
                    let sound = play(&mut player(audited), || block, FRAMES);
                    let first = sound.iter().zip(&reference).position(|(a, b)| a != b);
                    assert_eq!(first, None, "blocks of {block}");
                }
                let mut stepped = player(true);
                stepped.step_singly();
                assert!(play(&mut stepped, || 256, FRAMES) == reference, "step by step");
            }
        }
    }
}

#[test]
fn a_snapshot_in_the_middle_plays_on() {
    for text in [BUSY, CALM] {
        let patch = patch_of(text);
        let events = events(&patch);
        let mut player = Player::new(&patch);
        player.schedule(&events);
        play(&mut player, || 333, 12_345);
        let bytes = player.snapshot().to_bytes();
        let mut clone = player.clone();
        let rest = play(&mut player, || 512, 9000);
        assert!(play(&mut clone, || 17, 9000) == rest, "a clone");
        // the queue belongs to the player: events that are yet to come are given again, at the player's own frames
        let mut other = Player::new(&patch);
        assert!(other.restore(&Snapshot::from_bytes(&patch, &bytes).expect("of this patch")));
        let later: Vec<Event> = (events.iter().filter(|event| event.at.frame >= 12_345))
            .map(|event| Event { at: Time { frame: event.at.frame - 12_345, ..event.at }, ..*event })
            .collect();
        other.schedule(&later);
        assert!(play(&mut other, || 64, 9000) == rest, "from bytes");
    }
}

#[test]
fn free_runs_go_on_under_gains_that_move() {
    let patch = patch_of(CALM);
    let mut player = Player::new(&patch);
    play(&mut player, || 512, FRAMES);
    assert!(player.free_run_steps() > FRAMES as u64 / 2, "{}", player.free_run_steps());
}

#[test]
fn an_input_has_the_value_that_its_modulators_give_it() {
    let patch = patch_of(CALM);
    let mut player = Player::new(&patch);
    let mut values = Vec::new();
    let (gain, pan) = (input(&patch, "left.gain"), input(&patch, "left.pan"));
    for _ in 0..10 {
        values.push([gain, pan].map(|input| player.input(input).expect("it")));
        play(&mut player, || 64, 960);
    }
    // half turns of 9.7 Hz take 51.5 ms
    let gains: Vec<f64> = values.iter().map(|[gain, _]| *gain).collect();
    assert_eq!(
        gains,
        [1.0, 1.0, 1.0, 0.1, 0.1, 0.1, 1.0, 1.0, 0.1, 0.1].map(|gain: f64| if gain == 1.0 {
            0.55 + 0.45
        } else {
            0.55 - 0.45
        })
    );
    // the envelope opens at 100 ms
    let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
    assert!(near(values[5][1], 0.0) && near(values[6][1], 0.7 * 0.4) && near(values[7][1], 0.7 * 0.8), "{values:?}");
    assert!(near(values[9][1], 0.7 * 0.3), "{values:?}");
}

#[test]
fn the_gain_of_a_tap_is_what_its_modulator_says() {
    let with = |more: &str| {
        let file = CALM.split("[[input]]").next().expect("the file without inputs");
        let mut player = Player::new(&patch_of(&format!("{file}{more}")));
        let mut sound = vec![[0.0f32; 2]; FRAMES];
        let mut stems = vec![vec![0.0f32; FRAMES]; 2];
        player.render_stems(&mut sound, &mut stems);
        stems.swap_remove(0)
    };
    let plain = with("");
    let moved = with(
        "[[modulator]]\nid = \"m\"\nkind = \"sine\"\nto = \"left.gain\"\nrange = [0, 1]\nrate_hz = 5\nphase = 0.75\n",
    );
    for (n, (plain, moved)) in plain.iter().zip(&moved).enumerate() {
        let gain = 0.5 - 0.5 * libm::cos(std::f64::consts::TAU * 5.0 * n as f64 / f64::from(RATE));
        let expected = f64::from(*plain) * gain;
        assert!((f64::from(*moved) - expected).abs() <= 1e-6 * f64::from(plain.abs()) + 1e-12, "frame {n}");
    }
}

#[test]
fn events_move_the_rate_and_the_depth_without_a_jump() {
    let patch = patch_of(BUSY);
    let mut player = Player::new(&patch);
    let speed = input(&patch, "bow.speed_m_s");
    player.schedule(&[
        set(&patch, 1000.0, ("strokes.rate_hz", 20.0), 0.1),
        set(&patch, 8000.0, ("strokes.depth", 0.0), 0.05),
        set(&patch, 12_000.0, ("strokes.depth", 0.3), 0.05),
    ]);
    let mut values = Vec::new();
    for _ in 0..1500 {
        values.push(player.input(speed).expect("it"));
        play(&mut player, || 16, 16);
    }
    // at most 20 Hz and a depth of 0.3: four times their product per second, and the depth goes with 6 per second
    let steepest = (4.0 * 20.0 * 0.3 + 6.0) * 16.0 / f64::from(RATE);
    assert!(values.windows(2).all(|pair| (pair[1] - pair[0]).abs() <= steepest));
    assert!(values[660..740].iter().all(|value| (value - 0.1).abs() < 1e-12), "the depth is gone");
    let top = values[1000..].iter().copied().fold(0.0, f64::max);
    assert!((top - 0.4).abs() < 0.02, "{top}");
}

#[test]
fn all_off_takes_the_hands_off_modulators_too() {
    let patch = patch_of(BUSY);
    let mut player = Player::new(&patch);
    play(&mut player, || 512, 9600);
    player.schedule(&[Event::new(Time::frame(9600), Action::AllOff)]);
    play(&mut player, || 512, 4800);
    for name in ["bow.normal_n", "bow.speed_m_s", "bar.air.force_n", "strokes.depth", "late.gate"] {
        assert_eq!(player.input(input(&patch, name)), Some(0.0), "{name}");
    }
    assert!(player.input(input(&patch, "left.gain")).is_some_and(|gain| gain > 0.4), "no hand holds a gain");
}

#[test]
fn a_take_that_moves_rate_and_depth_is_played_again() {
    let patch = patch_of(CALM);
    let mut live = Player::new(&patch);
    live.start_recording(100);
    live.schedule(&events(&patch));
    let sound = play(&mut live, || 100, FRAMES);
    let take = Take { events: live.stop_recording() }.to_text(&patch);
    assert!(take.contains("chop.rate_hz"), "{take}");
    let mut again = Player::new(&patch);
    again.schedule(&Take::parse(&take, &patch).expect("a take").events);
    assert!(play(&mut again, || 512, FRAMES) == sound);
}

/// The curve of an input is that of the element, where that can have one.
#[test]
fn a_curve_of_an_input_is_the_curve_of_its_element() {
    let bow = |normal: &str, more: &str| {
        let file = BUSY.split("[[modulator]]").next().expect("the file without modulators");
        let taps = &BUSY[BUSY.find("[[tap]]").expect("taps")..];
        let text = format!("{}{taps}{more}", file.replace("normal_n = 0.5", normal));
        play(&mut Player::new(&patch_of(&text)), || 512, FRAMES)
    };
    let curve = "[[0, 0.2], [0.2, 1], [0.4, 0.1]]";
    let own = bow(&format!("normal_n = {curve}"), "");
    let given = bow("normal_n = 0.5", &format!("[[input]]\nid = \"press\"\nto = \"bow.normal_n\"\ncurve = {curve}\n"));
    assert!(own == given);
    assert!(own != bow("normal_n = 0.5", ""));
}

/// The file starts with the gap that the modulator asks for: nothing is pushed in the first step.
#[test]
fn a_modulated_lift_begins_where_it_is() {
    let text = BUSY.replace("[[tap]]\nid = \"left\"", "[[modulator]]\nid = \"far\"\nkind = \"sine\"\nto = \"roll.lift\"\ndepth = \"1 mm\"\nrate_hz = 1\nphase = 0.75\n[[tap]]\nid = \"left\"");
    let text = text.replace("gap_m = \"-10 µm\"", "gap_m = \"1 mm\"").replace("speed_m_s = 0.2", "speed_m_s = 0");
    let mut player = Player::new(&patch_of(&text));
    play(&mut player, || 1, 1);
    assert!(player.ledger_closes());
    let contact = player.patch().interactions()[1];
    assert_eq!(player.state().contact_force(contact), 0.0);
}
