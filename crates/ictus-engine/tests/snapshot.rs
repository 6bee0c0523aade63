//! Snapshots as bytes: they come back to the bit, and damage is found.

use crate::random_events;
use ictus_engine::{Action, Event, Patch, Player, Snapshot, SnapshotError, Time, presets};
use ictus_testkit::Draw;

const RATE: u32 = 48_000;

fn preset(stem: &str, rate: u32) -> Patch {
    let loaded = ictus_instrument::load(stem, presets::find(stem).expect("a preset").text, &[]).expect("a valid file");
    Patch::compile(&loaded, rate).expect("it compiles")
}

fn render(player: &mut Player, frames: usize) -> Vec<[u32; 2]> {
    let mut block = vec![[0.0f32; 2]; frames];
    player.render(&mut block);
    block.into_iter().map(|frame| frame.map(f32::to_bits)).collect()
}

/// A player in the middle of a sound, with strokes and ramps under way.
fn playing(patch: &Patch, seed: u64) -> Player {
    let mut player = Player::new(patch);
    player.audit(false);
    let mut draw = Draw::new(seed);
    for _ in 0..20 {
        let frame = draw.uniform(0.0, 11_900.0) as u64;
        let event = random_events::sensible(&mut draw, patch, Time { frame, fraction: 0.7 });
        if !matches!(event.action, Action::AllOff | Action::Reset) {
            player.schedule(&[event]);
        }
    }
    for port in patch.ports().collect::<Vec<_>>() {
        let port = patch.find_port(port).expect("a port");
        let pluck = Action::Pluck { port, force_n: 0.3, duration_s: 0.05 };
        player.schedule(&[Event::new(Time { frame: 11_000, fraction: 0.2 }, pluck)]);
    }
    render(&mut player, 12_000);
    player
}

#[test]
fn bytes_bring_back_the_sound_of_every_preset() {
    let mut heard = 0;
    for (number, of) in presets::ALL.iter().enumerate() {
        let mut player = playing(&preset(of.stem, RATE), 90 + number as u64);
        let bytes = player.snapshot().to_bytes();
        // another handle of the same file, as another process has it
        let patch = preset(of.stem, RATE);
        let snapshot = Snapshot::from_bytes(&patch, &bytes).unwrap_or_else(|error| panic!("{}: {error}", of.stem));
        assert!(snapshot.to_bytes() == bytes, "{}: the same bytes", of.stem);
        let mut other = Player::new(&patch);
        other.audit(false);
        assert!(other.restore(&snapshot));
        let (kept, restored) = (render(&mut player, 48_000), render(&mut other, 48_000));
        assert!(kept == restored, "{}", of.stem);
        heard += usize::from(kept.iter().flatten().any(|bits| f32::from_bits(*bits).abs() > 1e-5));
    }
    assert!(heard > presets::ALL.len() / 2, "{heard} of {} sound", presets::ALL.len());
}

#[test]
fn damage_is_found_and_never_panics() {
    let patch = preset("struck-bar", RATE);
    let bytes = playing(&patch, 3).snapshot().to_bytes();
    for cut in 0..bytes.len() {
        let error = Snapshot::from_bytes(&patch, &bytes[..cut]).expect_err("cut off");
        assert!(matches!(error, SnapshotError::CutOff { found, .. } if found == cut), "{cut}: {error}");
    }
    let mut changed = bytes.clone();
    for at in 0..bytes.len() {
        for flip in [0x01, 0x80, 0xff] {
            changed[at] ^= flip;
            let error = Snapshot::from_bytes(&patch, &changed).expect_err("changed");
            let expected = match at {
                0..8 => matches!(error, SnapshotError::NoSnapshot),
                8..12 => matches!(error, SnapshotError::Version { expected: 2, .. }),
                24..32 => matches!(error, SnapshotError::CutOff { .. } | SnapshotError::Damaged),
                _ => error == SnapshotError::Damaged,
            };
            assert!(expected, "byte {at}: {error}");
            changed[at] ^= flip;
        }
    }
    let longer: Vec<u8> = bytes.iter().copied().chain([0]).collect();
    assert_eq!(Snapshot::from_bytes(&patch, &longer).expect_err("longer"), SnapshotError::Damaged);
    let mut draw = Draw::new(8);
    for _ in 0..200 {
        let noise: Vec<u8> =
            (0..random_events::index(&mut draw, 300)).map(|_| draw.uniform(0.0, 256.0) as u8).collect();
        assert!(Snapshot::from_bytes(&patch, &noise).is_err());
    }
    assert!(Snapshot::from_bytes(&patch, &bytes).is_ok());
}

#[test]
fn a_snapshot_of_another_instrument_is_refused() {
    let patch = preset("struck-bar", RATE);
    let bytes = playing(&patch, 3).snapshot().to_bytes();
    let refused = |patch: &Patch| Snapshot::from_bytes(patch, &bytes).expect_err("another one");
    assert_eq!(refused(&preset("bouncing-ball", RATE)), SnapshotError::OtherInstrument);
    assert_eq!(refused(&preset("struck-bar", 44_100)), SnapshotError::SampleRate { found: 48_000, expected: 44_100 });
    // the same layout, other numbers
    let text = presets::find("struck-bar").expect("a preset").text;
    let settings = [("yarn.stiffness".to_owned(), "1e6".to_owned())];
    let loaded = ictus_instrument::load("struck-bar", text, &settings).expect("a valid file");
    let other = Patch::compile(&loaded, RATE).expect("it compiles");
    assert_eq!(refused(&other), SnapshotError::OtherInstrument);
    assert!(refused(&other).to_string().contains("another instrument"));
}
