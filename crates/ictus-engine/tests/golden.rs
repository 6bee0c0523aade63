//! The same file and seed give the same bytes: debug and release, any block length, any thread.
//!
//! `ICTUS_BLESS=1 cargo test -p ictus-engine --test golden` writes new hashes; a change needs a line under "Sound changes" in the changelog.
//! `ICTUS_PRESETS=gong,tom` looks at these presets only: emulated machines take their time.

use ictus_engine::{Instrument, Performance, presets};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::Path;

const RATE: u32 = 48_000;
/// One second: enough for every preset's first contacts.
const FRAMES: usize = 48_000;
const HASHES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden.txt");

fn compile(preset: &presets::Preset) -> Instrument {
    let loaded = ictus_instrument::load(preset.stem, preset.text, &[]).expect("a preset loads");
    Instrument::compile(&loaded, RATE).expect("a preset compiles")
}

/// SHA-256 of the little-endian samples, rendered in blocks of `block`.
fn hash(instrument: &Instrument, block: usize) -> String {
    let mut performance = Performance::new(instrument);
    let mut frames = vec![[0.0f32; 2]; block];
    let mut digest = Sha256::new();
    let mut left = FRAMES;
    while left > 0 {
        let n = left.min(block);
        performance.render(&mut frames[..n]);
        for sample in frames[..n].as_flattened() {
            digest.update(sample.to_le_bytes());
        }
        left -= n;
    }
    digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The presets to look at: all, or those of `ICTUS_PRESETS`.
fn chosen() -> Vec<&'static presets::Preset> {
    match std::env::var("ICTUS_PRESETS") {
        Ok(stems) => stems.split(',').map(|stem| presets::find(stem).expect("the name of a preset")).collect(),
        Err(_) => presets::ALL.iter().collect(),
    }
}

/// The chosen presets on `threads` threads.
fn hashes(threads: usize, block: usize) -> BTreeMap<&'static str, String> {
    let chosen = &chosen();
    let work = |worker| {
        let mine = chosen.iter().skip(worker).step_by(threads);
        mine.map(|preset| (preset.stem, hash(&compile(preset), block))).collect::<Vec<_>>()
    };
    std::thread::scope(|scope| {
        // one of them is this thread: WebAssembly has no other
        let workers: Vec<_> = (1..threads).map(|worker| scope.spawn(move || work(worker))).collect();
        let mine = work(0);
        let others = workers.into_iter().flat_map(|worker| worker.join().expect("a worker ends well"));
        others.chain(mine).collect()
    })
}

#[test]
fn presets_sound_as_they_did() {
    let now = hashes(if cfg!(target_family = "wasm") { 1 } else { 2 }, 4096);
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
    let reference = hashes(1, FRAMES);
    assert_eq!(reference, hashes(2, 64));
    assert_eq!(reference, hashes(2, 1), "frame by frame");
}

#[test]
fn a_snapshot_plays_on_as_the_original() {
    let preset = presets::find(presets::DEFAULT).expect("the default preset");
    let instrument = compile(preset);
    let mut original = Performance::new(&instrument);
    let (mut a, mut b) = (vec![[0.0f32; 2]; 5000], vec![[0.0f32; 2]; 5000]);
    original.render(&mut a);
    let mut snapshot = original.clone();
    original.render(&mut a);
    snapshot.render(&mut b);
    assert_eq!(a, b);
    original.audit(false);
    snapshot.audit(true);
    original.render(&mut a);
    snapshot.render(&mut b);
    assert_eq!(a, b, "the audit changes no sample");
}
