//! Rendering allocates nothing: surfaces that pass, floors that move, throws at random, blocks under a weight.

use ictus_engine::{Instrument, Performance, presets};
use ictus_instrument::load;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

#[test]
fn rendering_does_not_allocate() {
    for stem in ["wooden-ball-stairs", "scraped-board", "breaking-plate", "gravel-steps", "bouncing-ball"] {
        let preset = presets::find(stem).expect("a preset");
        let loaded = load(stem, preset.text, &[]).expect("a valid file");
        let instrument = Instrument::compile(&loaded, 48_000).expect("it compiles");
        let mut performance = Performance::new(&instrument);
        let mut block = [[0.0f32; 2]; 480];
        let region = Region::new(ALLOCATOR);
        for _ in 0..50 {
            performance.render(&mut block);
        }
        let change = region.change();
        assert!(performance.ledger().total.supplied.value() > 0.0, "{stem}: something happened");
        assert_eq!((change.allocations, change.reallocations), (0, 0), "{stem}");
    }
}
