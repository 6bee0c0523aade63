//! Modes taken from renders of the presets: where one blow is left to ring, the sum of the modes sounds like the render.
//!
//! Which presets those are is decided by what happens in them, not by the result: at most one gesture begins in the first second, it is over within
//! [`STROKE_S`], and from then on no contact (collision, felt, friction, barrier, finger) pushes for a second after the first touch. Bodies that pull tighter
//! when bent glide: they are no sums of decaying sinusoids, and left out.
//!
//! `cargo test -p ictus-engine --test free_decay -- --ignored --nocapture` measures all presets.

use ictus_analysis::extract::{Options, extract};
use ictus_analysis::wav::Audio;
use ictus_engine::{Instrument, Performance, presets, presets::Preset};
use ictus_instrument::{Action, Gesture, Law, Pluck, ResonatorKind, Spec, load};
use std::sync::Mutex;

const RATE: u32 = 48_000;
/// The span that is compared, s after the first touch.
const WINDOW_S: f64 = 1.0;
/// How long a blow may take, s.
const STROKE_S: f64 = 0.05;
/// Third-octave distance of a resynthesis that sounds like its original, dB.
const NEAR_DB: f64 = 1.0;

/// Starts of a gesture before `until`.
fn begins(gesture: &Gesture, until: f64) -> usize {
    let (times, every) = gesture.repeat.map_or((1, 1.0), |repeat| (repeat.times, repeat.every_s));
    (0..times).take_while(|&i| gesture.at_s + f64::from(i) * every < until).count()
}

/// Seconds during which a gesture holds on.
fn lasts(action: &Action) -> f64 {
    let end = |curve: &[(f64, f64)]| curve.last().map_or(0.0, |point| point.0);
    match action {
        Action::Throw { .. } | Action::Pluck { how: Pluck::Displacement { .. }, .. } => 0.0,
        Action::Pluck { how: Pluck::Force { duration_s, .. }, .. } | Action::Strike { duration_s, .. } => *duration_s,
        Action::Force { curve, .. } | Action::Velocity { curve, .. } => end(curve),
        Action::Scatter { rate, .. } => end(rate),
    }
}

/// A render up to a second after the first touch, and whether it rings freely.
struct Take {
    audio: Audio,
    gestures: usize,
    /// Last push by a contact or a gesture, s after the first touch.
    pushed_s: f64,
    /// A body pulls tighter when it is bent.
    glides: bool,
}

impl Take {
    fn is_free(&self) -> bool {
        self.gestures <= 1 && self.pushed_s <= STROKE_S && !self.glides
    }
}

fn glides(spec: &Spec) -> bool {
    spec.resonators.iter().any(|resonator| match &resonator.kind {
        ResonatorKind::String(string) => string.axial_stiffness_n > 0.0,
        ResonatorKind::Object(object) => object.stretching > 0.0,
        _ => false,
    })
}

fn touching(spec: &Spec, name: &str) -> bool {
    let row = name.split_once('[').map_or(name, |(row, _)| row);
    let contact = spec.interactions.iter().find(|i| i.id == name);
    contact.is_some_and(|i| !matches!(i.law, Law::Spring { .. } | Law::NonlinearSpring { .. }))
        || spec.barriers.iter().any(|barrier| barrier.id == row)
        || spec.fingers.iter().any(|finger| finger.id == row)
}

fn take(preset: &Preset) -> Result<Take, String> {
    let loaded = load(preset.stem, preset.text, &[]).map_err(|error| error.to_string())?;
    let instrument = Instrument::compile(&loaded, RATE).map_err(|error| error.to_string())?;
    let (spec, model) = (&loaded.spec, instrument.model());
    let contacts: Vec<_> = (model.contact_names())
        .filter(|name| touching(spec, name))
        .filter_map(|name| model.find_contact(name))
        .collect();
    let rate = f64::from(RATE);
    // a pluck or a strike touches when it begins, a throw when it arrives
    let mut first = (spec.gestures.iter())
        .filter(|gesture| !matches!(gesture.action, Action::Throw { .. } | Action::Scatter { .. }))
        .map(|gesture| gesture.at_s)
        .reduce(f64::min);
    let mut pushed = first.unwrap_or(0.0);
    let mut performance = Performance::new(&instrument);
    performance.audit(false);
    let mut frames: Vec<[f32; 2]> = Vec::new();
    let longest = (spec.seconds * rate) as usize;
    while frames.len() < longest && first.is_none_or(|first| (frames.len() as f64) < (first + WINDOW_S) * rate) {
        let mut frame = [[0.0f32; 2]];
        performance.render(&mut frame);
        frames.extend(frame);
        if contacts.iter().any(|&contact| performance.state().contact_force(contact) != 0.0) {
            pushed = frames.len() as f64 / rate;
            first = Some(first.map_or(pushed, |first| first.min(pushed)));
        }
    }
    let first = first.ok_or("nothing touched")?;
    let until = first + WINDOW_S;
    for gesture in spec.gestures.iter().filter(|gesture| gesture.at_s < until) {
        pushed = pushed.max(gesture.at_s + lasts(&gesture.action));
    }
    Ok(Take {
        audio: Audio { samples: frames.into_flattened(), channels: 2, sample_rate: RATE },
        gestures: spec.gestures.iter().map(|gesture| begins(gesture, until)).sum(),
        pushed_s: pushed - first,
        glides: glides(spec),
    })
}

/// What was measured of one preset: distance and residual, dB, and the number of modes.
type Found = Result<(f64, f64, usize), String>;

fn measure(audio: Audio) -> Found {
    let found = extract(&[audio], &Options::default()).map_err(|error| error.to_string())?;
    Ok((found.distance_db.unwrap_or(f64::INFINITY), found.residual_db, found.modes.len()))
}

/// Takes of all presets, those that ring freely measured, the others too if asked for.
fn measured(all: bool) -> Vec<(&'static str, Take, Option<Found>)> {
    let next = Mutex::new(presets::ALL.iter());
    let done = Mutex::new(Vec::new());
    let work = || {
        while let Some(preset) = { next.lock().expect("no panic while locked").next() } {
            let take = take(preset).unwrap_or_else(|error| panic!("{}: {error}", preset.stem));
            let found = (all || take.is_free()).then(|| measure(take.audio.clone()));
            done.lock().expect("no panic while locked").push((preset.stem, take, found));
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    let mut done = done.into_inner().expect("no panic while locked");
    done.sort_by_key(|entry| entry.0);
    for (stem, take, found) in &done {
        let free = if take.is_free() { "free" } else { "" };
        let said = found.as_ref().map_or(String::new(), |found| match found {
            Ok((distance, residual, modes)) => {
                format!("{distance:6.2} dB apart, residual {residual:6.1} dB, {modes} modes")
            }
            Err(error) => error.clone(),
        });
        println!("{stem:<20} {} gestures, last push at {:.3} s {free:<5} {said}", take.gestures, take.pushed_s);
    }
    done
}

#[test]
fn what_rings_freely_is_resynthesised_within_a_decibel() {
    let far: Vec<String> = measured(false)
        .into_iter()
        .filter_map(|(stem, _, found)| match found? {
            Ok((distance, ..)) if distance <= NEAR_DB => None,
            Ok((distance, ..)) => Some(format!("{stem}: {distance:.2} dB apart")),
            Err(error) => Some(format!("{stem}: {error}")),
        })
        .collect();
    assert!(far.is_empty(), "\n{}", far.join("\n"));
}

#[test]
#[ignore = "a table for people: half of these are not free decays, and nothing is asked of them"]
fn every_preset() {
    measured(true);
}
