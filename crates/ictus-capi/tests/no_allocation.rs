//! Playing allocates nothing: floods of events, inputs at audio rate, taps, snapshots, the meter.

use ictus_capi::*;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;
use std::mem::MaybeUninit;
use std::ptr::null_mut;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const BAR: &std::ffi::CStr = cr#"
    format = 1
    [[resonator]]
    id = "bar"
    kind = "modes"
    frequency_hz = ["A4", 1213.0]
    decay_s = 1.0
    mass_kg = 0.1
    ports = { tip = [1.0, -0.6] }
    [[tap]]
    id = "tip"
    from = "bar.tip"
"#;

fn main() {
    const FRAMES: usize = 700;
    // SAFETY: texts that end in a zero byte.
    let patch = unsafe { ictus_patch_from_text(c"bar.toml".as_ptr(), BAR.as_ptr(), 48_000, None) };
    let mut player = ictus_player_new(patch.as_deref()).expect("it compiles");
    assert!(ictus_player_reserve_snapshots(Some(&mut player), 2));
    // SAFETY: a text that ends in a zero byte.
    let gain = unsafe { ictus_patch_find_input(patch.as_deref(), c"tip.gain".as_ptr()) };
    let samples: Vec<f32> = (0..FRAMES).map(|n| (n % 9) as f32 * 0.1).collect();
    let inputs = [IctusAudioInput { input: gain, samples: samples.as_ptr() }; 80];
    let mut buffers = vec![vec![0.0f32; FRAMES]; 80];
    let mut buses: Vec<*mut f32> = buffers.iter_mut().map(Vec::as_mut_ptr).collect();
    buses[5] = null_mut();
    // all kinds and two that do not exist, ever further in the future: more than the queue holds
    let event = |n: u64| IctusEvent {
        frame: n * 7,
        fraction: 0.5,
        kind: (n % 11) as u32,
        target: (n % 3) as usize,
        a: 0.01,
        b: 0.001,
    };
    let events: Vec<IctusEvent> = (0..10_000).map(event).collect();
    let mut heard = false;
    let mut scene = ictus_scene_new(patch.as_deref()).expect("a scene");
    let mut snapshot = ictus_player_snapshot(Some(&player)).expect("a snapshot");

    let region = Region::new(ALLOCATOR);
    for _ in 0..20 {
        let (player, list) = (Some(&mut *player), buses.as_ptr());
        // SAFETY: lists with their lengths; buffers have FRAMES samples.
        unsafe {
            ictus_player_process(player, events.as_ptr(), events.len(), inputs.as_ptr(), 80, list, buses.len(), FRAMES)
        };
        // SAFETY: bus 0 has FRAMES samples, and nothing else refers to it here.
        heard |= unsafe { std::slice::from_raw_parts(buses[0], FRAMES) }.iter().any(|x| *x != 0.0);
    }
    assert!(ictus_player_scene(Some(&player), Some(&mut scene)));
    let (mut motion, mut level) = (MaybeUninit::uninit(), MaybeUninit::uninit());
    assert!(ictus_scene_port(Some(&scene), 0, Some(&mut motion)));
    assert!(ictus_player_tap_level(Some(&player), 0, Some(&mut level)));
    ictus_player_audit(Some(&mut player), false);
    ictus_player_audit(Some(&mut player), true);
    assert!(ictus_player_save(Some(&player), Some(&mut snapshot)));
    assert!(ictus_player_restore(Some(&mut player), Some(&snapshot)));
    let mut meter = MaybeUninit::uninit();
    assert!(ictus_player_meter(Some(&player), Some(&mut meter)));
    let counts = ictus_player_event_counts(Some(&player));
    let change = region.change();
    assert!(heard && counts.overflowed > 0 && counts.unknown > 0, "{counts:?}");
    assert_eq!((change.allocations, change.reallocations, change.deallocations), (0, 0, 0));
    println!("14000 frames under 10000 events: nothing allocated");
}
