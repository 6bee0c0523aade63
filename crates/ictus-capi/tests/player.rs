//! The boundary from the side of Rust: null everywhere, the samples of the engine, hostile events.

use ictus_capi::*;
use ictus_engine::{Action, AudioInput, Event, Io, Patch, Player, Status, Time};
use std::ffi::{CStr, CString};
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};

const BAR: &str = r#"
    format = 1
    [[resonator]]
    id = "bar"
    kind = "modes"
    frequency_hz = ["A4", 1213.0]
    decay_s = 1.0
    mass_kg = 0.1
    ports = { tip = [1.0, -0.6], end = [0.5, 0.7] }
    [[tap]]
    id = "tip"
    from = "bar.tip"
    pan = -0.5
    [[tap]]
    id = "end"
    from = "bar.end"
    pan = 1.0
"#;

const RATE: u32 = 48_000;

/// The patch of a text, or its error.
fn compile(toml: &str) -> Result<Box<IctusPatch>, String> {
    let toml = CString::new(toml).expect("no zero byte");
    let mut error = MaybeUninit::uninit();
    // SAFETY: texts that end in a zero byte.
    let patch = unsafe { ictus_patch_from_text(c"bar.toml".as_ptr(), toml.as_ptr(), RATE, Some(&mut error)) };
    // SAFETY: the function writes a pointer in any case: null, or an error that is ours.
    let error = unsafe { error.assume_init() };
    assert_eq!(patch.is_none(), !error.is_null());
    patch.ok_or_else(|| {
        // SAFETY: not null, by the assertion, and freed nowhere else.
        let error = unsafe { Box::from_raw(error) };
        let text = text(ictus_error_message(Some(&error)));
        ictus_error_free(Some(error));
        text
    })
}

fn text(pointer: *const std::ffi::c_char) -> String {
    assert!(!pointer.is_null());
    // SAFETY: not null, and a text of the library that is still there.
    unsafe { CStr::from_ptr(pointer) }.to_str().expect("UTF-8").to_owned()
}

fn process(
    player: &mut IctusPlayer,
    events: &[IctusEvent],
    inputs: &[IctusAudioInput],
    buses: &mut [Vec<f32>],
) -> IctusStatus {
    let frames = buses.first().map_or(0, Vec::len);
    let pointers: Vec<*mut f32> = buses.iter_mut().map(Vec::as_mut_ptr).collect();
    // SAFETY: lists with their lengths; all buses have the length of the first, and tests pass inputs of that length.
    unsafe {
        ictus_player_process(
            Some(player),
            events.as_ptr(),
            events.len(),
            inputs.as_ptr(),
            inputs.len(),
            pointers.as_ptr(),
            pointers.len(),
            frames,
        )
    }
}

fn event(frame: u64, kind: IctusEventKind, target: usize, a: f64, b: f64) -> IctusEvent {
    IctusEvent { frame, fraction: 0.25, kind: kind as u32, target, a, b }
}

#[test]
fn null_does_nothing() {
    // SAFETY: null is allowed everywhere.
    unsafe {
        assert!(ictus_patch_from_text(null(), null(), RATE, None).is_none());
        assert!(ictus_patch_from_text(null(), c"format = 7".as_ptr(), RATE, None).is_none());
        assert!(ictus_plan_from_text(null(), null(), RATE, None).is_none());
        assert!(ictus_patch_from_plan(null(), 9, None).is_none());
        assert_eq!(ictus_patch_find_port(None, c"bar".as_ptr()), usize::MAX);
        assert_eq!(ictus_patch_find_input(None, null()), usize::MAX);
        assert_eq!(ictus_player_process(None, null(), 3, null(), 3, null(), 3, 64), IctusStatus::Silent);
    }
    assert!(ictus_error_message(None).is_null());
    ictus_error_free(None);
    ictus_patch_free(None);
    assert!(ictus_plan_bytes(None).is_null() && ictus_plan_length(None) == 0);
    ictus_plan_free(None);
    assert_eq!((ictus_patch_sample_rate(None), ictus_patch_latency_frames(None)), (0, 0));
    let counts = [ictus_patch_port_count(None), ictus_patch_tap_count(None), ictus_patch_input_count(None)];
    assert_eq!(counts, [0; 3]);
    assert!(ictus_patch_port_name(None, 0).is_null() && ictus_patch_tap_name(None, 0).is_null());
    assert!(!ictus_patch_input(None, 0, None));
    assert!(ictus_player_new(None).is_none());
    ictus_player_free(None);
    ictus_player_audit(None, true);
    assert_eq!(ictus_player_frame(None), 0);
    assert!(!ictus_player_meter(None, None) && !ictus_player_tap_level(None, 0, None));
    assert!(ictus_player_quarantined(None, 0).is_null());
    ictus_player_measure(None, true);
    assert!(ictus_player_snapshot(None).is_none() && ictus_snapshot_bytes(None, None).is_null());
    assert!(!ictus_player_save(None, None) && !ictus_player_restore(None, None));
    ictus_snapshot_free(None);
    assert!(ictus_scene_new(None).is_none() && !ictus_player_scene(None, None));
    assert_eq!(ictus_scene_frame(None), 0);
    assert!(!ictus_scene_string(None, 0, None) && !ictus_scene_surface(None, 0, None));
    assert!(!ictus_scene_port(None, 0, None) && !ictus_scene_contact(None, 0, None));
    assert!(!ictus_scene_barrier_point(None, 0, 0, 0, None));
    ictus_scene_free(None);
    assert_eq!(ictus_player_event_counts(None), IctusEventCounts::default());
    assert!(!ictus_player_start_recording(None, 1) && ictus_player_stop_recording(None).is_none());
    assert!(ictus_take_text(None).is_null());
    ictus_take_free(None);
    // SAFETY: null is allowed everywhere.
    assert!(unsafe { !ictus_player_play_take(None, null(), None) });
    assert!(!ictus_player_reserve_events(None, 1) && !ictus_player_reserve_snapshots(None, 1));

    let patch = compile(BAR).expect("it compiles");
    // SAFETY: null is allowed everywhere.
    unsafe {
        assert_eq!(ictus_patch_find_port(Some(&patch), null()), usize::MAX);
        assert_eq!(ictus_patch_find_input(Some(&patch), null()), usize::MAX);
    }
    assert!(!ictus_patch_input(Some(&patch), 0, None));
    assert!(ictus_patch_port_name(Some(&patch), usize::MAX).is_null());
    let mut player = ictus_player_new(Some(&patch)).expect("a player");
    assert!(!ictus_player_meter(Some(&player), None));
    let (inputs, buses) = ([IctusAudioInput { input: 0, samples: null() }], [null_mut(), null_mut()]);
    // SAFETY: null is allowed everywhere; the other lists have their lengths.
    unsafe {
        assert!(ictus_snapshot_from_bytes(None, null(), 9, None).is_none());
        assert!(ictus_snapshot_from_bytes(Some(&patch), null(), 9, None).is_none());
        ictus_player_process(Some(&mut player), null(), 3, null(), 3, null(), 3, 64);
        ictus_player_process(Some(&mut player), null(), 0, inputs.as_ptr(), 1, buses.as_ptr(), 2, 64);
    }
    assert_eq!(ictus_player_frame(Some(&player)), 128, "time passes unheard");
    ictus_player_free(Some(player));
}

#[test]
fn a_plan_links_to_the_patch_of_its_text() {
    let toml = CString::new(BAR).expect("no zero byte");
    // SAFETY: texts that end in a zero byte.
    let plan = unsafe { ictus_plan_from_text(null(), toml.as_ptr(), RATE, None) }.expect("it compiles");
    let (bytes, length) = (ictus_plan_bytes(Some(&plan)), ictus_plan_length(Some(&plan)));
    let mut error = MaybeUninit::uninit();
    // SAFETY: the bytes of a plan, which is freed later, and fewer of them.
    let (patch, cut) = unsafe {
        (ictus_patch_from_plan(bytes, length, None), ictus_patch_from_plan(bytes, length - 1, Some(&mut error)))
    };
    let patch = patch.expect("it links");
    ictus_plan_free(Some(plan));
    assert!(cut.is_none());
    // SAFETY: the function has written an error, which is ours.
    let error = unsafe { Box::from_raw(error.assume_init()) };
    assert!(text(ictus_error_message(Some(&error))).contains("damaged"));
    let compiled = compile(BAR).expect("it compiles");
    let sounds = [patch, compiled].map(|patch| {
        let mut player = ictus_player_new(Some(&patch)).expect("a player");
        let strike = event(10, IctusEventKind::Strike, 0, 0.02, 0.002);
        let mut buses = [vec![0.0; 4800], vec![0.0; 4800]];
        process(&mut player, &[strike], &[], &mut buses);
        buses
    });
    assert!(sounds[0][0].iter().any(|x| x.abs() > 1e-3));
    assert_eq!(sounds[0], sounds[1]);
}

#[test]
fn a_null_player_gives_silence() {
    let mut bus = [1.0f32; 8];
    let buses = [bus.as_mut_ptr(), null_mut()];
    // SAFETY: two buses, of which one is null and one has 8 samples.
    let status = unsafe { ictus_player_process(None, null(), 0, null(), 0, buses.as_ptr(), 2, 8) };
    assert_eq!((status, bus), (IctusStatus::Silent, [0.0; 8]));
}

#[test]
fn errors_name_the_place() {
    let error = compile("format = 1\n[[resonator]]\nid = \"bar\"\nkind = \"moods\"\n").expect_err("no such kind");
    assert!(error.starts_with("bar.toml:4:") && error.contains("moods"), "{error}");
    let mut error = MaybeUninit::uninit();
    // SAFETY: texts that end in a zero byte.
    let patch = unsafe { ictus_patch_from_text(null(), c"\xff".as_ptr(), RATE, Some(&mut error)) };
    assert!(patch.is_none());
    // SAFETY: there is no patch, so there is an error.
    let error = unsafe { Box::from_raw(error.assume_init()) };
    assert!(text(ictus_error_message(Some(&error))).contains("not UTF-8"));
}

#[test]
fn the_patch_is_described() {
    let patch = compile(BAR).expect("it compiles");
    let loaded = ictus_instrument::load("bar.toml", BAR, &[]).expect("a valid file");
    let engine = Patch::compile(&loaded, RATE).expect("it compiles");
    assert_eq!(ictus_patch_sample_rate(Some(&patch)), RATE);
    assert_eq!(ictus_patch_latency_frames(Some(&patch)), engine.latency_frames());
    let ports = (0..ictus_patch_port_count(Some(&patch))).map(|port| text(ictus_patch_port_name(Some(&patch), port)));
    assert!(ports.eq(engine.ports()) && engine.ports().len() > 0);
    let taps = (0..ictus_patch_tap_count(Some(&patch))).map(|tap| text(ictus_patch_tap_name(Some(&patch), tap)));
    assert!(taps.eq(["tip", "end"]));
    assert_eq!(ictus_patch_input_count(Some(&patch)), engine.inputs().len());
    assert!(engine.inputs().len() > 0);
    for (n, expected) in engine.inputs().enumerate() {
        let mut input = MaybeUninit::uninit();
        assert!(ictus_patch_input(Some(&patch), n, Some(&mut input)));
        // SAFETY: written, as the result says.
        let input = unsafe { input.assume_init() };
        let texts = [text(input.id), text(input.path), text(input.unit)];
        assert_eq!(texts, [expected.id.as_str(), &expected.path, expected.unit]);
        let numbers = [input.low, input.high, input.limit_low, input.limit_high, input.start, input.ramp_s];
        let ((low, high), (lowest, highest)) = (expected.range, expected.limits);
        assert_eq!(numbers, [low, high, lowest, highest, expected.start, expected.ramp_s]);
        // SAFETY: a text of the patch.
        assert_eq!(unsafe { ictus_patch_find_input(Some(&patch), input.path) }, n);
    }
}

#[test]
fn the_samples_are_those_of_the_engine() {
    let loaded = ictus_instrument::load("bar.toml", BAR, &[]).expect("a valid file");
    let engine = Patch::compile(&loaded, RATE).expect("it compiles");
    let patch = compile(BAR).expect("it compiles");
    let gain = engine.find_input("tip.gain").expect("a standard input");
    let tip = engine.find_port("bar.tip").expect("a port");
    // one bus, two, taps, more than there are; blocks shorter and longer than the buffers in between
    for (bus_count, frames) in [(1, 100), (2, 256), (3, 1), (4, 700), (70, 300)] {
        let mut expected = Player::new(&engine);
        let mut player = ictus_player_new(Some(&patch)).expect("a player");
        let mut heard = false;
        for block in 0..12u64 {
            let frame = block * frames as u64 + frames as u64 / 3;
            let time = Time { frame, fraction: 0.25 };
            let strike = Action::Strike { port: tip, impulse_n_s: 0.02, duration_s: 0.001 };
            let moved = Action::Input { input: gain, value: 0.5 + 0.01 * block as f64, ramp_s: None };
            let events = [Event::new(time, strike), Event::new(time, moved)];
            let other = [
                event(frame, IctusEventKind::Strike, tip.index(), 0.02, 0.001),
                event(frame, IctusEventKind::Input, gain.index(), 0.5 + 0.01 * block as f64, f64::NAN),
            ];
            let samples: Vec<f32> = (0..frames).map(|n| (n % 7) as f32 * 0.1).collect();
            let inputs = [AudioInput { input: gain, samples: &samples }];
            let other_inputs = [IctusAudioInput { input: gain.index(), samples: samples.as_ptr() }];
            let moving = block % 3 == 2;

            let mut wanted = vec![vec![0.0f32; frames]; bus_count];
            let mut slices: Vec<&mut [f32]> = wanted.iter_mut().map(Vec::as_mut_slice).collect();
            let io = Io { inputs: &inputs[..usize::from(moving)], buses: &mut slices };
            let wanted_status = expected.process(&events, io);
            let mut buses = vec![vec![f32::NAN; frames]; bus_count];
            let status = process(&mut player, &other, &other_inputs[..usize::from(moving)], &mut buses);

            assert_eq!(status == IctusStatus::Silent, wanted_status == Status::Silent);
            let bits = |buses: &[Vec<f32>]| buses.iter().flatten().map(|x| x.to_bits()).collect::<Vec<_>>();
            assert!(bits(&buses) == bits(&wanted), "{bus_count} buses, {frames} frames, block {block}");
            heard |= wanted.iter().take(4).all(|bus| bus.iter().any(|x| *x != 0.0));

            let mut meter = MaybeUninit::uninit();
            assert!(ictus_player_meter(Some(&player), Some(&mut meter)));
            // SAFETY: written, as the result says.
            let (meter, wanted) = (unsafe { meter.assume_init() }, expected.meter());
            assert_eq!([meter.peak_left, meter.peak_right], wanted.peak);
            assert_eq!((meter.frame, meter.stored_j, meter.lost_j), (wanted.frame, wanted.stored_j, wanted.lost_j));
            for (rms, wanted) in [meter.rms_left, meter.rms_right].into_iter().zip(wanted.rms) {
                assert!((rms - wanted).abs() <= 1e-5 * wanted, "{rms} for {wanted}");
            }
            let mut level = MaybeUninit::uninit();
            assert!(ictus_player_tap_level(Some(&player), 1, Some(&mut level)));
            // SAFETY: written, as the result says.
            let level = unsafe { level.assume_init() };
            assert_eq!(level.peak, expected.tap_level(1).expect("a tap").peak);
        }
        assert!(heard, "{bus_count} buses, {frames} frames");
    }
}

#[test]
fn a_bus_may_be_the_buffer_of_an_input() {
    let patch = compile(BAR).expect("it compiles");
    // SAFETY: texts that end in a zero byte.
    let (gain, tip) = unsafe {
        (
            ictus_patch_find_input(Some(&patch), c"tip.gain".as_ptr()),
            ictus_patch_find_port(Some(&patch), c"bar.tip".as_ptr()),
        )
    };
    let samples: Vec<f32> = (0..1000).map(|n| n as f32 * 1e-3).collect();
    let strike = [event(0, IctusEventKind::Strike, tip, 0.02, 0.001)];
    let mut apart = vec![vec![0.0; 1000]];
    let mut player = ictus_player_new(Some(&patch)).expect("a player");
    process(&mut player, &strike, &[IctusAudioInput { input: gain, samples: samples.as_ptr() }], &mut apart);

    let mut shared = samples;
    let buffer = shared.as_mut_ptr();
    let (input, bus) = (IctusAudioInput { input: gain, samples: buffer }, [buffer]);
    let mut player = ictus_player_new(Some(&patch)).expect("a player");
    // SAFETY: one event, one input and one bus; the buffer of both has 1000 samples.
    unsafe { ictus_player_process(Some(&mut player), strike.as_ptr(), 1, &input, 1, bus.as_ptr(), 1, 1000) };
    assert!(shared == apart[0] && shared.iter().any(|x| *x != 0.0));
}

#[test]
fn events_that_make_no_sense_are_counted() {
    let patch = compile(BAR).expect("it compiles");
    let mut player = ictus_player_new(Some(&patch)).expect("a player");
    let mut buses = vec![vec![0.0f32; 64]; 2];
    let strange = |kind| IctusEvent { kind, ..event(0, IctusEventKind::Strike, 0, 0.0, 0.0) };
    let events = [
        strange(9),
        strange(u32::MAX),
        event(0, IctusEventKind::Strike, usize::MAX, 0.01, 0.001),
        event(0, IctusEventKind::Save, 0, 0.0, 0.0),
        event(0, IctusEventKind::Strike, 0, f64::NAN, 0.001),
        event(0, IctusEventKind::Input, 0, f64::INFINITY, f64::NAN),
    ];
    process(&mut player, &events, &[], &mut buses);
    process(&mut player, &[event(0, IctusEventKind::AllOff, 0, 0.0, 0.0)], &[], &mut buses);
    let expected = IctusEventCounts { late: 1, impossible: 2, out_of_range: 2, overflowed: 0, unknown: 2 };
    assert_eq!(ictus_player_event_counts(Some(&player)), expected);

    assert!(!ictus_player_reserve_events(Some(&mut player), usize::MAX));
    assert!(!ictus_player_reserve_snapshots(Some(&mut player), usize::MAX));
    // more than wait unless they are reserved
    let many = vec![event(1 << 40, IctusEventKind::Strike, 0, 0.01, 0.001); 5000];
    assert!(ictus_player_reserve_events(Some(&mut player), many.len()));
    process(&mut player, &many, &[], &mut buses);
    assert_eq!(ictus_player_event_counts(Some(&player)), expected);
}

#[test]
fn a_restored_snapshot_sounds_as_before() {
    let patch = compile(BAR).expect("it compiles");
    let mut player = ictus_player_new(Some(&patch)).expect("a player");
    assert!(ictus_player_reserve_snapshots(Some(&mut player), 1));
    let mut first = vec![vec![0.0f32; 480]; 2];
    process(&mut player, &[event(0, IctusEventKind::Strike, 0, 0.01, 0.001)], &[], &mut first);
    process(&mut player, &[event(480, IctusEventKind::Save, 0, 0.0, 0.0)], &[], &mut first);
    let mut again = vec![vec![0.0f32; 480]; 2];
    process(&mut player, &[event(960, IctusEventKind::Restore, 0, 0.0, 0.0)], &[], &mut again);
    assert!(first == again && first[0].iter().any(|x| *x != 0.0));
    assert_eq!(ictus_player_event_counts(Some(&player)), IctusEventCounts::default());
}
