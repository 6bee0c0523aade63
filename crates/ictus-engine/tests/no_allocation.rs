//! Playing allocates nothing: files that pass surfaces, move floors and throw at random, and every preset under dense random events.
//!
//! `ICTUS_SECONDS=600` plays as long as the deep check does.

mod random_events;

use ictus_engine::{Event, Io, Patch, Player, Time, presets};
use ictus_instrument::load;
use ictus_testkit::Draw;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;

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
    let seconds = std::env::var("ICTUS_SECONDS").ok().and_then(|seconds| seconds.parse().ok()).unwrap_or(5.0);
    let mut draw = Draw::new(17);
    for preset in presets::ALL {
        under_events(preset.stem, seconds, &mut draw);
    }
    println!("test result: ok. 1 passed; 0 failed; playing does not allocate");
}

/// Some three events per block, sensible and absurd, with snapshots, on the player and on a clone of it.
fn under_events(stem: &str, seconds: f64, draw: &mut Draw) {
    let patch = patch(stem);
    let mut player = Player::new(&patch);
    player.reserve_snapshots(1);
    player.audit(false);
    let mut players = [player.clone(), player];
    let mut snapshot = players[0].snapshot();
    let (mut left, mut right) = ([0.0f32; BLOCK], [0.0f32; BLOCK]);
    let mut events = Vec::with_capacity(8);
    for block in 0..(seconds * 48_000.0) as usize / BLOCK {
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
        let region = Region::new(ALLOCATOR);
        player.process(&events, Io { inputs: &[], buses: &mut [&mut left, &mut right] });
        if block % 50 == 0 {
            player.save(&mut snapshot);
        } else if block % 50 == 25 {
            player.restore(&snapshot);
        }
        let meter = player.meter();
        let change = allocations(&region);
        assert_eq!(change, (0, 0), "{stem}, block {block}: {events:?}");
        assert!(left.iter().chain(&right).all(|x| x.is_finite()), "{stem}, block {block}");
        assert!(meter.stored_j.is_finite(), "{stem}, block {block}");
    }
}
