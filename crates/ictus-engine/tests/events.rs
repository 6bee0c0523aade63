//! Every preset under events: the same ones give the same samples, for blocks of any length, with and without the energy ledger, on every machine; absurd ones do no harm.
//!
//! `ICTUS_BLESS=1 cargo test -p ictus-engine --test events` writes new hashes; a change needs a line under "Sound changes" in the changelog, unless a preset got other
//! inputs or ports: then other events are drawn.
//! `ICTUS_PRESETS=gong,tom` looks at these presets only: emulated machines take their time. `ICTUS_EVENTS=1000000` sends so many absurd events in all, as the deep check does.

mod random_events;

use ictus_engine::{Action, AudioInput, Event, EventCounts, InputId, Io, Patch, Player, Time, presets};
use ictus_instrument as file;
use ictus_testkit::Draw;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;

const RATE: u32 = 48_000;
const FRAMES: usize = 9600;
const HASHES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/events.txt");
/// Lengths of blocks, in frames.
const BLOCKS: [usize; 6] = [4096, 512, 128, 64, 17, 1];
/// Longest of the blocks at random, in frames.
const LONGEST: usize = 700;

/// What is done with a preset.
struct Played {
    patch: Patch,
    events: Vec<Event>,
    /// Inputs with a sample for every frame, or for the first of them.
    inputs: Vec<(InputId, Vec<f32>)>,
}

/// The presets to look at: all, or those of `ICTUS_PRESETS`.
fn chosen() -> Vec<&'static presets::Preset> {
    match std::env::var("ICTUS_PRESETS") {
        Ok(stems) => stems.split(',').map(|stem| presets::find(stem).expect("the name of a preset")).collect(),
        Err(_) => presets::ALL.iter().collect(),
    }
}

/// Works on the presets on two threads. Each takes the next one when it is done: they differ in cost.
fn on_each<T: Send>(
    presets: Vec<&'static presets::Preset>,
    work: impl Fn(&'static presets::Preset) -> T + Sync,
) -> BTreeMap<&'static str, T> {
    let left = Mutex::new(presets);
    let next = || left.lock().expect("no panic while locked").pop();
    let all = || std::iter::from_fn(|| next().map(|preset| (preset.stem, work(preset)))).collect::<Vec<_>>();
    std::thread::scope(|scope| {
        // one of them is this thread: WebAssembly has no other
        let other = (!cfg!(target_family = "wasm")).then(|| scope.spawn(all));
        let mine = all();
        other.into_iter().flat_map(|other| other.join().expect("it ends well")).chain(mine).collect()
    })
}

fn load(preset: &presets::Preset) -> (file::Loaded, Patch) {
    let loaded = file::load(preset.stem, preset.text, &[]).expect("a preset loads");
    let patch = Patch::compile(&loaded, RATE).expect("a preset compiles");
    (loaded, patch)
}

impl Played {
    fn new(preset: &presets::Preset) -> Self {
        let (_, patch) = load(preset);
        let mut draw = Draw::new(23);
        // the first input is that of a contact where there is one; the other one stops in the middle
        let first = (InputId::new(0), samples(&mut draw, &patch, 0, FRAMES));
        let some = random_events::index(&mut draw, patch.inputs().len());
        let second = (InputId::new(some), samples(&mut draw, &patch, some, FRAMES / 2));
        Self { events: random_events::dense(&patch, 3, FRAMES), inputs: vec![first, second], patch }
    }

    /// The bits of all samples.
    fn play(&self, audited: bool, mut next_block: impl FnMut() -> usize) -> Vec<u32> {
        let mut player = Player::new(&self.patch);
        player.reserve_snapshots(1);
        player.audit(audited);
        let (mut left, mut right) = (vec![0.0; FRAMES], vec![0.0; FRAMES]);
        let mut at = 0;
        while at < FRAMES {
            let end = FRAMES.min(at + next_block());
            let block = at as u64..end as u64;
            let mine: Vec<Event> =
                self.events.iter().filter(|event| block.contains(&event.at.frame)).copied().collect();
            let inputs: Vec<AudioInput> = self
                .inputs
                .iter()
                .map(|(input, samples)| {
                    let samples = &samples[at.min(samples.len())..end.min(samples.len())];
                    AudioInput { input: *input, samples }
                })
                .collect();
            player.process(&mine, Io { inputs: &inputs, buses: &mut [&mut left[at..end], &mut right[at..end]] });
            at = end;
        }
        assert!(player.event_counts().late == 0, "{:?}", player.event_counts());
        left.iter().zip(&right).flat_map(|(left, right)| [left.to_bits(), right.to_bits()]).collect()
    }
}

/// Samples of an input within its range: held for a while, or gliding.
fn samples(draw: &mut Draw, patch: &Patch, input: usize, frames: usize) -> Vec<f32> {
    let (low, high) = patch.inputs().nth(input).expect("an input").range;
    let mut samples = Vec::new();
    let mut from = draw.uniform(low, high);
    while samples.len() < frames {
        let (to, steps) = (draw.uniform(low, high), 1 + random_events::index(draw, 1500));
        let glides = draw.chance(0.5);
        for step in 0..steps.min(frames - samples.len()) {
            let way = if glides { step as f64 / steps as f64 } else { 0.0 };
            samples.push((from + (to - from) * way) as f32);
        }
        from = to;
    }
    samples
}

/// Plays a preset in every way and returns the SHA-256 of the little-endian samples.
fn hash(preset: &presets::Preset) -> String {
    let played = Played::new(preset);
    let stem = preset.stem;
    let reference = played.play(true, || BLOCKS[0]);
    assert!(reference.iter().all(|&bits| f32::from_bits(bits).is_finite()), "{stem}");
    let same = |sound: Vec<u32>, way: &str| {
        let first = sound.iter().zip(&reference).position(|(a, b)| a != b);
        assert!(first.is_none(), "{stem}: {way}: sample {first:?} differs");
    };
    for block in &BLOCKS[1..] {
        same(played.play(false, || *block), &format!("blocks of {block}"));
    }
    let mut draw = Draw::new(9);
    same(played.play(true, || 1 + random_events::index(&mut draw, LONGEST)), "blocks at random");
    let mut digest = Sha256::new();
    reference.iter().for_each(|bits| digest.update(bits.to_le_bytes()));
    digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn the_same_events_give_the_same_samples() {
    let some = std::env::var_os("ICTUS_PRESETS").is_some();
    let now = on_each(chosen(), hash);
    if std::env::var_os("ICTUS_BLESS").is_some() && !some {
        let text: String = now.iter().map(|(stem, hash)| format!("{hash}  {stem}\n")).collect();
        std::fs::write(HASHES, text).expect("a writable tree");
    }
    let text = std::fs::read_to_string(Path::new(HASHES)).expect("tests/events.txt");
    let then: BTreeMap<&str, &str> =
        text.lines().filter_map(|line| line.split_once("  ").map(|(a, b)| (b, a))).collect();
    let changed: Vec<&str> =
        now.iter().filter(|(stem, hash)| then.get(*stem) != Some(&hash.as_str())).map(|(stem, _)| *stem).collect();
    assert!(changed.is_empty(), "other samples, or new: {}", changed.join(", "));
    assert!(some || now.len() == then.len(), "tests/events.txt names presets that do not exist");
}

/// A player after `count` absurd events, 200 in a block.
fn abused(patch: &Patch, count: usize, stem: &str) -> Player {
    let mut draw = Draw::new(11);
    let mut player = Player::new(patch);
    player.reserve_snapshots(2);
    let (mut left, mut right) = ([0.0f32; 64], [0.0f32; 64]);
    let mut sent = 0;
    while sent < count {
        let at = Time::frame(player.frame());
        let events: Vec<Event> = (0..200).map(|_| random_events::absurd(&mut draw, patch, at)).collect();
        sent += events.len();
        player.process(&events, Io { inputs: &[], buses: &mut [&mut left, &mut right] });
        assert!(left.iter().chain(&right).all(|x| x.is_finite()), "{stem}");
    }
    let counts = player.event_counts();
    assert!(counts.refused() > sent as u64 / 2, "{stem}: {counts:?} of {sent}");
    player
}

fn play(player: &mut Player, events: &[Event], frames: usize) -> Vec<[f32; 2]> {
    player.schedule(events);
    let mut sound = vec![[0.0; 2]; frames];
    sound.chunks_mut(512).for_each(|block| player.render(block));
    sound
}

#[test]
fn absurd_events_are_counted_and_a_reset_forgets_them() {
    let chosen = chosen();
    let number = std::env::var("ICTUS_EVENTS").ok().and_then(|n| n.parse().ok()).unwrap_or(1000 * chosen.len());
    let each = number.div_ceil(chosen.len());
    let counts = on_each(chosen, |preset| {
        let (_, patch) = load(preset);
        let mut player = abused(&patch, each, preset.stem);
        let counts = (player.event_counts(), player.muted());
        // what lies in the future is dropped
        let anew = [Action::AllOff, Action::Reset].map(|action| Event::new(Time::frame(player.frame()), action));
        let after = play(&mut player, &anew, 4800);
        assert_eq!((player.muted() - counts.1, player.meter().quarantined), (0, 0), "{}", preset.stem);
        assert!(after == play(&mut Player::new(&patch), &[], 4800), "{}: harmed", preset.stem);
        counts
    });
    let total = |of: fn(&EventCounts) -> u64| counts.values().map(|(counts, _)| of(counts)).sum::<u64>();
    println!(
        "absurd events: {} sent, {} impossible, {} out of range, {} overflowed, {} late; {} samples muted",
        each.div_ceil(200) * 200 * counts.len(),
        total(|counts| counts.impossible),
        total(|counts| counts.out_of_range),
        total(|counts| counts.overflowed),
        total(|counts| counts.late),
        counts.values().map(|(_, muted)| muted).sum::<u64>()
    );
}

/// The first throw of a file as an event: its mass, its speed, and where it begins.
fn throw(loaded: &file::Loaded, patch: &Patch) -> Option<Action> {
    let spec = &loaded.spec;
    spec.gestures.iter().find_map(|gesture| {
        let file::Action::Throw { resonator, velocity_m_s, position_m } = gesture.action else { return None };
        let file::ResonatorKind::Mass(mass) = &spec.resonators[resonator].kind else { return None };
        let port = patch.find_port(&spec.resonators[resonator].id)?;
        Some(Action::Throw { port, velocity_m_s, position_m: Some(position_m.unwrap_or(mass.position_m)) })
    })
}

/// They rattle, or their masses bounce, until a tremor decides when they touch: another past is another sound.
const NEVER_TWICE: [&str; 4] = ["bouncing-mass", "prepared-string", "sizzle-cymbal", "snare-drum"];
/// A few of the others: all of them are for the deep check, which sets `ICTUS_EVENTS`.
const SOME: [&str; 3] = ["struck-bar", "xylophone-bar", "hand-bell"];
/// Samples below this are silence: what still rings changes the next sound by some ten times its share at most, because contacts are not linear.
const SILENCE: f32 = 1e-9;
/// What hangs, such as snare wires, trembles on below the taps, s.
const REST: usize = 10;
/// Longest decay to wait for, s.
const LONGEST_DECAY: usize = 180;

/// Absurd events, then half a second of sensible ones.
fn harmed(patch: &Patch, stem: &str) -> Player {
    let mut player = abused(patch, 1000, stem);
    let now = player.frame();
    let events: Vec<Event> = random_events::dense(patch, 5, 24_000)
        .into_iter()
        .filter(|event| !matches!(event.action, Action::Reset | Action::Restore { .. }))
        .map(|event| Event { at: Time { frame: event.at.frame + now, ..event.at }, ..event })
        .collect();
    let sound = play(&mut player, &events, 24_000);
    assert!(sound.iter().any(|frame| *frame != [0.0; 2]), "{stem} is silent");
    player
}

/// Hands off, motors off, all other inputs as at the beginning, and silence. Returns how long that took, s.
fn calm(player: &mut Player, patch: &Patch, stem: &str) -> usize {
    // a motor that turns would sound for ever
    let stopped = |kind: file::InputKind| matches!(kind, file::InputKind::ModulatorDepth { .. });
    let back = patch.inputs().enumerate().map(|(index, input)| Action::Input {
        input: InputId::new(index),
        value: if stopped(input.kind) { 0.0 } else { input.start },
        ramp_s: None,
    });
    let now = Time::frame(player.frame());
    let events: Vec<Event> =
        std::iter::once(Action::AllOff).chain(back).map(|action| Event::new(now, action)).collect();
    player.schedule(&events);
    for second in 1..=LONGEST_DECAY {
        let sound = play(player, &[], RATE as usize);
        if sound[RATE as usize / 2..].as_flattened().iter().all(|x| x.abs() < SILENCE) {
            play(player, &[], REST * RATE as usize);
            return second;
        }
    }
    panic!("{stem} still sounds after {LONGEST_DECAY} s");
}

/// Without a reset: once all is silent, a throw sounds as on the first day.
#[test]
fn what_has_decayed_after_absurd_events_sounds_as_new() {
    let deep = std::env::var_os("ICTUS_EVENTS").is_some();
    let wanted = |preset: &&presets::Preset| deep || SOME.contains(&preset.stem);
    let compared = on_each(chosen().into_iter().filter(wanted).collect(), |preset| {
        let (loaded, patch) = load(preset);
        let throw = throw(&loaded, &patch).filter(|_| !NEVER_TWICE.contains(&preset.stem))?;
        let thrown = |mut player: Player| {
            let seconds = calm(&mut player, &patch, preset.stem);
            let now = Time::frame(player.frame());
            (play(&mut player, &[Event::new(now, throw)], 24_000), seconds)
        };
        let ((fresh, _), (after, seconds)) = (thrown(Player::new(&patch)), thrown(harmed(&patch, preset.stem)));
        let energy = |sound: &[[f32; 2]]| sound.as_flattened().iter().map(|&x| f64::from(x).powi(2)).sum::<f64>();
        let difference = fresh.iter().zip(&after).map(|(a, b)| [a[0] - b[0], a[1] - b[1]]).collect::<Vec<_>>();
        let off = (energy(&difference) / energy(&fresh)).sqrt();
        println!("{}: silent after {seconds} s, then {off:.1e} from a fresh player", preset.stem);
        assert!(energy(&fresh) > 1e-3, "{}: silence", preset.stem);
        assert!(off < 1e-6, "{}: {off:e} from a fresh player", preset.stem);
        Some(())
    });
    let compared = compared.values().flatten().count();
    assert!(compared >= if deep { 20 } else { SOME.len() } || chosen().len() < 20, "{compared}");
}
