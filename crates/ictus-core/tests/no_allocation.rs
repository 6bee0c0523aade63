//! A step allocates nothing, whatever happens in it.

use ictus_testkit::Draw;
use ictus_testkit::scene::{FRAMES, island};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

#[test]
fn steps_do_not_allocate() {
    let mut contacts = 0;
    for (name, build) in island::SCENES {
        for frame in FRAMES {
            let mut scene = build(frame, &mut Draw::new(5));
            let drive = scene.drives.first().copied();
            let region = Region::new(ALLOCATOR);
            for n in 0..2000 {
                // inputs and constraints change in the audio path too
                if let (Some(drive), 1000) = (drive, n) {
                    scene.state.set_input(drive, 0.0);
                    scene.state.engage(&scene.model, drive, false);
                }
                ictus_core::step(&scene.model, &mut scene.state);
            }
            let change = region.change();
            let count = change.allocations + change.reallocations + change.deallocations;
            assert_eq!(count, 0, "{name} {frame:?}: {change:?}");
            contacts += scene.state.counts.solves;
        }
    }
    println!("no allocation in {contacts} solves with contact");
    assert!(contacts > 1000);
}
