//! The same events give the same samples: for blocks of any length, with and without the energy ledger, on every machine.
//!
//! Every preset is played under one list of gestures and moved inputs and with two audio-rate inputs, in blocks of several lengths.
//! `ICTUS_BLESS=1 cargo test -p ictus-engine --test events` writes new hashes; a change needs a line under "Sound changes" in the changelog.
//! `ICTUS_PRESETS=gong,tom` looks at these presets only: emulated machines take their time.

mod random_events;

use ictus_engine::{AudioInput, Event, InputId, Io, Patch, Player, presets};
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

impl Played {
    fn new(preset: &presets::Preset) -> Self {
        let loaded = ictus_instrument::load(preset.stem, preset.text, &[]).expect("a preset loads");
        let patch = Patch::compile(&loaded, RATE).expect("a preset compiles");
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

/// Takes presets from a list until none is left: they differ in cost.
fn hashes(chosen: &Mutex<Vec<&'static presets::Preset>>) -> Vec<(&'static str, String)> {
    let next = || chosen.lock().expect("no panic while locked").pop();
    std::iter::from_fn(|| next().map(|preset| (preset.stem, hash(preset)))).collect()
}

#[test]
fn the_same_events_give_the_same_samples() {
    let some = std::env::var("ICTUS_PRESETS").ok();
    let chosen = match &some {
        Some(stems) => stems.split(',').map(|stem| presets::find(stem).expect("the name of a preset")).collect(),
        None => presets::ALL.iter().collect(),
    };
    let chosen = Mutex::new(chosen);
    let now: BTreeMap<&str, String> = std::thread::scope(|scope| {
        // one of them is this thread: WebAssembly has no other
        let other = (!cfg!(target_family = "wasm")).then(|| scope.spawn(|| hashes(&chosen)));
        let mine = hashes(&chosen);
        other.into_iter().flat_map(|other| other.join().expect("it ends well")).chain(mine).collect()
    });
    if std::env::var_os("ICTUS_BLESS").is_some() && some.is_none() {
        let text: String = now.iter().map(|(stem, hash)| format!("{hash}  {stem}\n")).collect();
        std::fs::write(HASHES, text).expect("a writable tree");
    }
    let text = std::fs::read_to_string(Path::new(HASHES)).expect("tests/events.txt");
    let then: BTreeMap<&str, &str> =
        text.lines().filter_map(|line| line.split_once("  ").map(|(a, b)| (b, a))).collect();
    let changed: Vec<&str> =
        now.iter().filter(|(stem, hash)| then.get(*stem) != Some(&hash.as_str())).map(|(stem, _)| *stem).collect();
    assert!(changed.is_empty(), "other samples, or new: {}", changed.join(", "));
    assert!(some.is_some() || now.len() == then.len(), "tests/events.txt names presets that do not exist");
}
