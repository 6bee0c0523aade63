//! Playing allocates nothing: files that pass surfaces, move floors and throw at random, and every preset under dense random events.
//!
//! `ICTUS_SECONDS=600` plays every preset so long, or as far as `ICTUS_BUDGET=10` seconds of work go; `ICTUS_SHARE=0/2` takes every second preset, for two programs side by side.
//! The deep check does all three.

mod random_events;

use ictus_engine::{Event, Io, Patch, Player, Scene, Time, presets, scenes};
use ictus_instrument::load;
use ictus_testkit::Draw;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;
use std::time::Instant;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Frames of a block.
const BLOCK: usize = 128;

fn patch(stem: &str) -> Patch {
    let preset = presets::find(stem).expect("a preset");
    let loaded = load(stem, preset.text, &[]).expect("a valid file");
    Patch::compile(&loaded, 48_000).expect("it compiles")
}

/// Allocations and reallocations since the region began.
fn allocations(region: &Region<System>) -> (usize, usize) {
    let change = region.change();
    (change.allocations, change.reallocations)
}

/// One thread, because the allocator is that of the whole program.
fn main() {
    for stem in ["wooden-ball-stairs", "scraped-board", "breaking-plate", "gravel-steps", "bouncing-ball"] {
        let mut player = Player::new(&patch(stem));
        let mut block = [[0.0f32; 2]; 480];
        let region = Region::new(ALLOCATOR);
        for _ in 0..50 {
            player.render(&mut block);
        }
        let change = allocations(&region);
        assert!(player.ledger().total.supplied.value() > 0.0, "{stem}: something happened");
        assert_eq!(change, (0, 0), "{stem}");
    }
    let number = |name| std::env::var(name).ok().and_then(|number| number.parse().ok());
    let (seconds, budget) = (number("ICTUS_SECONDS").unwrap_or(5.0), number("ICTUS_BUDGET").unwrap_or(f64::INFINITY));
    let (mut played, mut sent) = (0.0, 0);
    for preset in share() {
        // a preset has events of its own, whatever the others are
        let mut draw = Draw::new(preset.stem.bytes().fold(17, |seed, byte| 31 * seed % 1_000_003 + u64::from(byte)));
        let begun = Instant::now();
        let done = under_events(preset.stem, seconds, budget, &mut draw);
        if budget.is_finite() {
            let spent = begun.elapsed().as_secs_f64();
            println!("{:20} {:5.0} s of audio, {:6} events, in {spent:4.1} s", preset.stem, done.seconds, done.events);
        }
        (played, sent) = (played + done.seconds, sent + done.events);
    }
    println!("test result: ok. 1 passed; 0 failed; {played:.0} s under {sent} events do not allocate");
}

/// The presets of `ICTUS_SHARE`, written as which of how many; all of them without.
fn share() -> impl Iterator<Item = &'static presets::Preset> {
    let text = std::env::var("ICTUS_SHARE").unwrap_or("0/1".to_owned());
    let (which, of) = text.split_once('/').expect("such as 0/2");
    presets::ALL.iter().skip(which.parse().expect("a number")).step_by(of.parse().expect("a number"))
}

/// How far a preset was played.
struct Done {
    seconds: f64,
    events: usize,
}

/// Some three events per block, sensible and absurd, with snapshots, on the player and on a clone of it. Ends early when `budget` seconds have gone.
fn under_events(stem: &str, seconds: f64, budget: f64, draw: &mut Draw) -> Done {
    let patch = patch(stem);
    let mut player = Player::new(&patch);
    player.reserve_snapshots(1);
    player.audit(false);
    let mut players = [player.clone(), player];
    let mut snapshot = players[0].snapshot();
    let (mut scene, (mut sender, mut receiver)) = (Scene::new(&patch), scenes(&patch, 60.0));
    let mut arrived = 0;
    let (mut left, mut right) = ([0.0f32; BLOCK], [0.0f32; BLOCK]);
    let mut events = Vec::with_capacity(8);
    let begun = Instant::now();
    let mut done = Done { seconds: 0.0, events: 0 };
    for block in 0..(seconds * 48_000.0) as usize / BLOCK {
        if block % 100 == 0 && begun.elapsed().as_secs_f64() > budget {
            break;
        }
        done.seconds += BLOCK as f64 / 48_000.0;
        let player = &mut players[block % 2];
        events.clear();
        for _ in 0..random_events::index(draw, 6) {
            let at = Time {
                frame: player.frame() + random_events::index(draw, BLOCK) as u64,
                fraction: draw.uniform(0.0, 1.0),
            };
            let absurd = random_events::index(draw, 4) == 0;
            let event: fn(&mut Draw, &Patch, Time) -> Event =
                if absurd { random_events::absurd } else { random_events::sensible };
            events.push(event(draw, &patch, at));
        }
        done.events += events.len();
        let region = Region::new(ALLOCATOR);
        player.process(&events, Io { inputs: &[], buses: &mut [&mut left, &mut right] });
        if block % 50 == 0 {
            player.save(&mut snapshot);
        } else if block % 50 == 25 {
            player.restore(&snapshot);
        }
        match block % 64 {
            11 => player.audit(true),
            13 => player.audit(false),
            15 => player.measure(false),
            17 => player.measure(true),
            19 => assert!(player.scene(&mut scene)),
            _ => {}
        }
        player.send_scene(&mut sender);
        arrived += u64::from(receiver.latest().1);
        let levels = (player.tap_level(0), player.quarantined().count());
        let meter = player.meter();
        let change = allocations(&region);
        assert_eq!(change, (0, 0), "{stem}, block {block}: {events:?}");
        assert!(left.iter().chain(&right).all(|x| x.is_finite()), "{stem}, block {block}");
        assert!(levels.0.is_some() && levels.1 == meter.quarantined as usize, "{stem}, block {block}");
        assert!(meter.stored_j.is_finite(), "{stem}, block {block}");
    }
    assert!(arrived > 0, "{stem}: no scene arrived");
    done
}
