//! The same file and seed give the same bytes: debug and release, any block length, any thread, with and without the energy ledger.
//!
//! `ICTUS_BLESS=1 cargo test -p ictus-engine --test golden` writes new hashes; a change needs a line under "Sound changes" in the changelog.
//! `ICTUS_PRESETS=gong,tom` looks at these presets only: emulated machines take their time.

use ictus_engine::{Patch, Player, presets};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::Path;

const RATE: u32 = 48_000;
/// One second: enough for every preset's first contacts.
const FRAMES: usize = 48_000;
const HASHES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden.txt");

fn compile(preset: &presets::Preset) -> Patch {
    let loaded = ictus_instrument::load(preset.stem, preset.text, &[]).expect("a preset loads");
    Patch::compile(&loaded, RATE).expect("a preset compiles")
}

/// How a preset is played; none of it may change a bit.
#[derive(Clone, Copy)]
struct Way {
    /// Frames of a block.
    block: usize,
    /// With the energy ledger.
    audited: bool,
}

/// SHA-256 of the little-endian samples; and how many steps were taken in free runs, without contact.
fn hash(patch: &Patch, way: Way) -> (String, u64) {
    let mut player = Player::new(patch);
    player.audit(way.audited);
    let mut frames = vec![[0.0f32; 2]; way.block];
    let mut digest = Sha256::new();
    let mut left = FRAMES;
    while left > 0 {
        let n = left.min(way.block);
        player.render(&mut frames[..n]);
        for sample in frames[..n].as_flattened() {
            digest.update(sample.to_le_bytes());
        }
        left -= n;
    }
    let hash = digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    (hash, player.free_run_steps())
}

/// The presets to look at: all, or those of `ICTUS_PRESETS`.
fn chosen() -> Vec<&'static presets::Preset> {
    match std::env::var("ICTUS_PRESETS") {
        Ok(stems) => stems.split(',').map(|stem| presets::find(stem).expect("the name of a preset")).collect(),
        Err(_) => presets::ALL.iter().collect(),
    }
}

/// The chosen presets on `threads` threads. Some of them run freely, unless they are played frame by frame.
fn hashes(threads: usize, way: Way) -> BTreeMap<&'static str, String> {
    let chosen = &chosen();
    let work = |worker| {
        let mine = chosen.iter().skip(worker).step_by(threads);
        mine.map(|preset| (preset.stem, hash(&compile(preset), way))).collect::<Vec<_>>()
    };
    let all: Vec<_> = std::thread::scope(|scope| {
        // one of them is this thread: WebAssembly has no other
        let workers: Vec<_> = (1..threads).map(|worker| scope.spawn(move || work(worker))).collect();
        let mine = work(0);
        let others = workers.into_iter().flat_map(|worker| worker.join().expect("a worker ends well"));
        others.chain(mine).collect()
    });
    if chosen.len() == presets::ALL.len() && way.block > 1 {
        let free = all.iter().filter(|(_, (_, steps))| *steps > FRAMES as u64 / 4).count();
        assert!(free > 10, "only {free} presets take a quarter of their steps in free runs");
    }
    all.into_iter().map(|(stem, (hash, _))| (stem, hash)).collect()
}

#[test]
fn presets_sound_as_they_did() {
    let threads = if cfg!(target_family = "wasm") { 1 } else { 2 };
    let now = hashes(threads, Way { block: 4096, audited: true });
    assert_eq!(now, hashes(threads, Way { block: 4096, audited: false }), "the ledger changes the sound");
    let some = std::env::var_os("ICTUS_PRESETS").is_some();
    if std::env::var_os("ICTUS_BLESS").is_some() && !some {
        let text: String = now.iter().map(|(stem, hash)| format!("{hash}  {stem}\n")).collect();
        std::fs::write(HASHES, text).expect("a writable tree");
    }
    let text = std::fs::read_to_string(Path::new(HASHES)).expect("tests/golden.txt");
    let mut then: BTreeMap<&str, String> =
        text.lines().filter_map(|line| line.split_once("  ")).map(|(hash, stem)| (stem, hash.to_owned())).collect();
    if some {
        then.retain(|stem, _| now.contains_key(stem));
    }
    let changed = now.iter().filter(|(stem, hash)| then.get(*stem) != Some(*hash));
    let changed: Vec<&str> = changed.map(|(stem, _)| *stem).collect();
    assert!(changed.is_empty() && now.len() == then.len(), "another sound, or new: {}", changed.join(", "));
}

#[test]
fn threads_and_blocks_do_not_change_a_bit() {
    let reference = hashes(1, Way { block: FRAMES, audited: true });
    assert_eq!(reference, hashes(2, Way { block: 64, audited: false }), "two threads, blocks of 64, no ledger");
    assert_eq!(reference, hashes(2, Way { block: 1, audited: true }), "frame by frame");
}

/// A copy of a player continues as the original, with the ledger or without, while contacts come and go and in free runs.
#[test]
fn a_snapshot_plays_on_as_the_original() {
    for (stem, free) in [(presets::DEFAULT, 0), ("bouncing-ball", 10_000), ("wind-chime", 1000)] {
        let patch = compile(presets::find(stem).expect("the preset"));
        let mut original = Player::new(&patch);
        let (mut a, mut b) = (vec![[0.0f32; 2]; 4800], vec![[0.0f32; 2]; 4800]);
        let mut heard = 0.0f32;
        for round in 0..6 {
            // not at the border of a block
            original.render(&mut a[..777]);
            let mut snapshot = original.clone();
            original.audit(round % 2 == 0);
            snapshot.audit(round % 2 == 1);
            original.render(&mut a);
            for piece in b.chunks_mut(100) {
                snapshot.render(piece);
            }
            assert_eq!(a, b, "{stem}, round {round}");
            heard = a.as_flattened().iter().fold(heard, |most, x| most.max(x.abs()));
        }
        assert!(heard > 0.01, "{stem} is silent");
        assert!(original.free_run_steps() >= free, "{stem}: {} steps in free runs", original.free_run_steps());
    }
}
