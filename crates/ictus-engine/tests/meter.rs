//! The meter: its energies are those of the ledger, and it changes no bit.

use crate::random_events;
use ictus_engine::{Action, Event, Io, Meter, Patch, Player, Time, presets};
use ictus_testkit::Draw;

const RATE: u32 = 48_000;
const BLOCK: usize = 128;
/// Agreement with the ledger, relative to the largest energy: both add rounding errors of some hundred thousand steps.
const SAME: f64 = 1e-9;

fn preset(stem: &str) -> Patch {
    let loaded = ictus_instrument::load(stem, presets::find(stem).expect("a preset").text, &[]).expect("a valid file");
    Patch::compile(&loaded, RATE).expect("it compiles")
}

/// Some thirty events a second, without those that go back to an earlier state.
fn events(patch: &Patch, seconds: f64, seed: u64) -> Vec<Event> {
    let mut draw = Draw::new(seed);
    let mut events = Vec::new();
    for _ in 0..(30.0 * seconds) as usize {
        let frame = draw.uniform(0.0, seconds * f64::from(RATE)) as u64;
        let event = random_events::sensible(&mut draw, patch, Time { frame, fraction: 0.3 });
        if !matches!(event.action, Action::Save { .. } | Action::Restore { .. } | Action::Reset | Action::AllOff) {
            events.push(event);
        }
    }
    events.sort_by_key(|event| event.at.frame);
    events
}

/// Plays `seconds`; returns the bits of the left channel.
fn play(player: &mut Player, events: &[Event], seconds: f64) -> Vec<u32> {
    let (mut left, mut right) = ([0.0f32; BLOCK], [0.0f32; BLOCK]);
    let mut bits = Vec::new();
    player.reserve_events(events.len());
    player.schedule(events);
    for _ in 0..(seconds * f64::from(RATE)) as usize / BLOCK {
        player.process(&[], Io { inputs: &[], buses: &mut [&mut left, &mut right] });
        bits.extend(left.map(f32::to_bits));
    }
    bits
}

#[test]
fn energies_are_those_of_the_ledger() {
    let (mut supplied_by_any, mut failures) = (0, Vec::new());
    for (number, preset_of) in presets::ALL.iter().enumerate() {
        let stem = preset_of.stem;
        let patch = preset(stem);
        let events = events(&patch, 2.0, 40 + number as u64);
        let mut players = [true, false].map(|audited| {
            let mut player = Player::new(&patch);
            player.audit(audited);
            player
        });
        let [with, without] = players.each_mut().map(|player| play(player, &events, 2.0));
        assert!(with == without, "{stem}: the ledger changes the sound");
        let mut unmeasured = Player::new(&patch);
        unmeasured.audit(false);
        unmeasured.measure(false);
        let bits = play(&mut unmeasured, &events, 0.5);
        assert!(bits == with[..bits.len()], "{stem}: the meter changes the sound");
        let ledger = players[0].ledger();
        let (supplied, lost) = (ledger.total.supplied.value(), ledger.total.dissipated.value());
        let scale = ledger.scale().max(supplied.abs()).max(lost);
        supplied_by_any += usize::from(supplied > 0.0);
        for player in &players {
            let meter = player.meter();
            if meter.quarantined > 0 {
                continue;
            }
            let off = [meter.supplied_j - supplied, meter.lost_j - lost, meter.stored_j - ledger.total.stored];
            if !off.iter().all(|off| off.abs() <= SAME * scale) {
                failures.push(format!("{stem}: supplied, lost, stored are off by {off:?} J of {scale:e} J"));
            }
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
    assert!(supplied_by_any > presets::ALL.len() / 2);
}

/// With all the ways by which energy comes in: a bow, barriers that move, pedals, thrown hammers, impulses between steps.
#[test]
fn the_ledger_begins_anew_when_it_is_switched_on() {
    for stem in ["struck-bar", "violin-bow", "snare-drum", "timpani-glissando", "bouncing-ball"] {
        let Some(_) = presets::find(stem) else { panic!("{stem} is a preset") };
        let patch = preset(stem);
        let events = events(&patch, 1.0, 7);
        let mut player = Player::new(&patch);
        player.audit(false);
        play(&mut player, &events, 0.25);
        player.audit(true);
        let opened = player.ledger().total.stored;
        assert!(opened > 0.0, "{stem}: something sounds");
        // the ledger sums in another order
        let stored = player.state().stored(player.model());
        assert!((opened - stored).abs() <= 4.0 * f64::EPSILON * stored, "{stem}: {opened:e} {stored:e}");
        play(&mut player, &[], 0.75);
        let ledger = player.ledger();
        assert!(ledger.max_residual_rel() < 1e-11, "{stem}: {:e}", ledger.max_residual_rel());
    }
}

#[test]
fn levels_are_those_of_the_block() {
    let patch = preset("struck-bar");
    let mut player = Player::new(&patch);
    let port = patch.find_port("mallet").expect("a port");
    let throw = Action::Throw { port, velocity_m_s: 1.0, position_m: Some(0.0) };
    player.schedule(&[Event::new(Time::frame(0), throw)]);
    let mut buses = vec![vec![0.0f32; 4800]; 2 + patch.tap_names().count()];
    let mut earlier = Meter::default();
    for _ in 0..10 {
        let mut slices: Vec<&mut [f32]> = buses.iter_mut().map(Vec::as_mut_slice).collect();
        player.process(&[], Io { inputs: &[], buses: &mut slices });
        let meter = player.meter();
        let peak = |bus: &[f32]| bus.iter().fold(0.0, |most: f32, x| most.max(x.abs()));
        let rms = |bus: &[f32]| (bus.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>() / bus.len() as f64).sqrt();
        for (channel, bus) in buses[..2].iter().enumerate() {
            assert_eq!(meter.peak[channel], peak(bus));
            assert!((f64::from(meter.rms[channel]) - rms(bus)).abs() <= 1e-4 * rms(bus));
        }
        for (tap, stem) in buses[2..].iter().enumerate() {
            assert_eq!(player.tap_level(tap).expect("a tap").peak, peak(stem));
        }
        assert!(meter.load.is_some_and(|load| load > 0.0));
        let [supplied, lost] = meter.since(&earlier);
        assert!(supplied.is_finite() && lost.is_finite());
        earlier = meter;
    }
    assert!(earlier.peak[0] > 1e-4 && earlier.lost_j > 0.0);
    assert_eq!(player.tap_level(buses.len() - 2), None);
    player.measure(false);
    player.render(&mut [[0.0; 2]; 480]);
    let meter = player.meter();
    assert_eq!((meter.supplied_j, meter.lost_j, meter.load), (0.0, 0.0, None));
    assert!(meter.peak[0] > 0.0 && meter.stored_j > 0.0, "peaks and energy need no sums");
}

/// A body whose state is not finite is named.
#[test]
fn stopped_bodies_are_named() {
    let patch = preset("struck-bar");
    let mut player = Player::new(&patch);
    assert_eq!(player.quarantined().count(), 0);
    let port = patch.find_port("mallet").expect("a port");
    let throw = Action::Throw { port, velocity_m_s: 1e149, position_m: None };
    player.schedule(&[Event::new(Time::frame(0), throw)]);
    player.render(&mut [[0.0; 2]; 4800]);
    let stopped: Vec<&str> = player.quarantined().collect();
    assert_eq!(stopped.len(), player.meter().quarantined as usize);
    if player.event_counts().refused() == 0 {
        assert!(stopped.contains(&"mallet"), "{stopped:?}");
    }
}
