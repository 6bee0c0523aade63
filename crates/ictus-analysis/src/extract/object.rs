//! An instrument file from extracted modes.
//!
//! A push with the impulse J gives mode i the velocity φˢ J/m if it comes all at once. It
//! then moves as v = V e^{−αt}(cos ωt − (α/ω) sin ωt) and u = V e^{−αt} sin(ωt)/ω. A recorded mode is
//! e^{−αt}(a cos ωt − b sin ωt), so every microphone has two ports: one that is heard by its velocity (shape ∝ a) and
//! one by its displacement (shape ∝ ω(a α/ω − b)). Together they give back amplitude and phase.
//!
//! A recording does not tell the mass: only φ²/m is heard. All modes get the same mass, and amplitude is shared evenly
//! between strike and microphone. Of several hits the best product of strike and microphone shapes is taken: hits that differ in phase
//! are only approximated.
//!
//! Every hit is a force curve at its own port, with straight lines between the frames of the recording. Modes that the push does not explain have a second
//! port, struck by a short pulse in the middle of the push. Where the push itself is heard, it also moves a mass that is heard by its acceleration; so does the noise of a hit.

mod knobs;
mod shapes;
mod spectra;
mod text;

pub use spectra::pulse_spectrum;

use super::force::short_spectrum;
use super::{Extraction, Hit, Mode};
pub use shapes::product;
use shapes::{REFERENCE_HZ, Shapes};
use spectra::line_spectrum;
use std::f64::consts::TAU;
use std::fmt::Write;
use text::{curve, largest, list, long_curve, points};

/// Modal mass, kg: that of a small bar.
const MASS_KG: f64 = 0.1;
/// Impulse of a hit, N s: a tap.
const IMPULSE_N_S: f64 = 0.01;
/// Length of a short pulse, s: its spectrum is still at half its height at 20 kHz.
const DURATION_S: f64 = 50e-6;
/// The push itself is written where it is heard this much below the peak (−60 dB).
const HEARD: f64 = 1e-3;
/// Damping of the mass that lets noise be heard, N s/m for 1 kg: it comes to rest, and below 20 Hz it is not heard. The one that lets pushes be heard has none, because
/// these make up for what modes do during the push, down to the lowest frequencies.
const REST_N_S_M: f64 = 125.0;
/// Share of its second difference that is taken from the noise.
const EMPHASIS: f64 = 0.17;
/// Noise samples written at most, of all hits together: some hundred kilobytes of text. Later hits do without.
const MOST_NOISE: usize = 12_000;

/// The text of an instrument file that sounds like the first recording, with all its hits; `level` multiplies all taps.
pub fn object_toml(found: &Extraction, title: &str, level: f64) -> String {
    let mut modes: Vec<&Mode> = found.modes.iter().collect();
    modes.sort_by(|a, b| a.hz.total_cmp(&b.hz));
    let shapes: Vec<Shapes> = modes.iter().map(|m| Shapes::of(m, found)).collect();
    let strike_scale = largest(shapes.iter().flat_map(|s| &s.strikes));
    let microphone_scale = largest(shapes.iter().flat_map(|s| s.velocity.iter().chain(&s.displacement)));
    let gain = level * MASS_KG / IMPULSE_N_S * strike_scale * microphone_scale;

    let mut text = header(found, title);
    list(&mut text, "frequency_hz", modes.iter().map(|m| m.hz));
    list(&mut text, "decay_s", modes.iter().map(|m| m.t60_s));
    text.push_str("\n[resonator.ports]\n");
    for (index, hit) in found.hits.iter().enumerate() {
        let pushed: Vec<bool> = modes.iter().map(|m| hit.force.response(m.pole(found.sample_rate)).explained).collect();
        let shape = |s: &Shapes| s.strikes[index] / strike_scale;
        let part = |wanted: bool, gain: &dyn Fn(f64) -> f64| -> Vec<f64> {
            let values = shapes.iter().zip(&modes).zip(&pushed);
            values.map(|((s, m), p)| if *p == wanted { shape(s) * gain(m.hz) } else { 0.0 }).collect()
        };
        let _ = writeln!(text, "# Where hit {} landed.", index + 1);
        list(&mut text, &strike(index), part(true, &|hz| 1.0 / line_spectrum(hz / found.sample_rate)).into_iter());
        if pushed.contains(&false) {
            let sharp = part(false, &|hz| short_spectrum() / pulse_spectrum(hz * DURATION_S));
            list(&mut text, &format!("{}_sharp", strike(index)), sharp.into_iter());
        }
    }
    for channel in 0..found.channels {
        let name = channel + 1;
        let _ = writeln!(text, "# Microphone {name}: heard by its velocity, and by its displacement for the phases.");
        list(&mut text, &format!("mic{name}"), shapes.iter().map(|s| s.velocity[channel] / microphone_scale));
        let turned = shapes.iter().map(|s| s.displacement[channel] / microphone_scale);
        list(&mut text, &format!("mic{name}_turned"), turned);
    }
    let played = Played::of(found, &modes);
    gestures(&mut text, found, &played);
    knock(&mut text, found, &played, level);
    thud(&mut text, found, &played, level);
    noise(&mut text, found, &played, level);
    for channel in 0..found.channels {
        let name = channel + 1;
        let pan = pan(channel, found.channels);
        for (port, quantity, gain) in [("", "velocity", gain), ("_turned", "displacement", gain * TAU * REFERENCE_HZ)] {
            let _ = write!(
                text,
                "\n[[tap]]\nid = \"mic{name}{port}\"\nfrom = \"object.mic{name}{port}\"\n\
                 quantity = \"{quantity}\"\ngain = {gain:.6e}\npan = {pan}\n"
            );
        }
    }
    knobs::write(&mut text, found, &modes, &played);
    text
}

/// Comment, title and the beginning of the object.
fn header(found: &Extraction, title: &str) -> String {
    let title: String = title.chars().filter(|c| !c.is_control()).collect();
    let title = title.replace('\\', "\\\\").replace('"', "\\\"");
    let hits = if found.hits.len() == 1 { "one hit".to_owned() } else { format!("{} hits", found.hits.len()) };
    let longest = found.modes.iter().map(|m| m.t60_s).fold(1.0, f64::max).min(8.0);
    let noise = match found.noise_db() {
        Some(db) => format!(
            "What of the hits does not ring is a burst of filtered noise, {db:.1} dB of the recording's energy while it lasts."
        ),
        None => "There is no noise to speak of in the hits.".to_owned(),
    };
    format!(
        "# {} modes of a struck object, from a recording of {hits} with {} channel(s).\n\
         # What the modes leave unexplained: {:.1} dB of the recording's energy.\n\
         # {noise}\n\
         # Masses are not heard in a recording: all are the same, and the shapes carry the amplitudes.\n\n\
         format = 1\ntitle = \"{title}\"\nseconds = {:.1}\n\n\
         [[resonator]]\nid = \"object\"\nkind = \"modes\"\nmass_kg = {MASS_KG}\n",
        found.modes.len(),
        found.channels,
        found.residual_db,
        found.span_s() + longest,
    )
}

/// The hits that the file plays, those of the first recording, and what is written of each.
struct Played<'a> {
    hits: Vec<PlayedHit<'a>>,
    /// How loud every microphone hears the pushes themselves; empty if it does not.
    ears: Vec<f64>,
    /// Amplitude of the thuds at every microphone; empty if there are none.
    thuds: Vec<f64>,
    /// Amplitude of the noise at every microphone; empty if there is none.
    noise: Vec<f64>,
}

struct PlayedHit<'a> {
    hit: &'a Hit,
    index: usize,
    at_s: f64,
    points: Vec<(usize, f64)>,
    /// Strength of the push itself.
    knock: Option<f64>,
    /// Modes that the push does not explain are struck by a short pulse.
    sharp: bool,
    /// Factor on the points of the thud.
    thud: Option<f64>,
    /// Factor on the samples of the noise.
    noise: Option<f64>,
}

impl<'a> Played<'a> {
    fn of(found: &'a Extraction, modes: &[&Mode]) -> Self {
        let direct: Vec<Vec<f64>> = found.hits.iter().map(|hit| hit.direct.clone()).collect();
        let peak = largest(found.peaks.iter());
        let top = |hit: &Hit| largest(hit.push().iter()) * largest(hit.direct.iter());
        let heard = found.hits.iter().any(|hit| top(hit) > HEARD * peak);
        let (knocks, ears) = product(&direct);
        let silent = vec![0.0; found.channels];
        let gains = |hit: &Hit| hit.noise.as_ref().map_or(silent.clone(), |noise| noise.gains.clone());
        let (noises, microphones) = product(&found.hits.iter().map(gains).collect::<Vec<_>>());
        let gains = |hit: &Hit| hit.thud.as_ref().map_or(silent.clone(), |thud| thud.gains.clone());
        let (thuds, thud_microphones) = product(&found.hits.iter().map(gains).collect::<Vec<_>>());
        let mut written = 0;
        let played = found.hits.iter().enumerate().filter(|(_, hit)| hit.recording == 0);
        let hits: Vec<PlayedHit> = played
            .map(|(index, hit)| {
                let samples = hit.noise.as_ref().map_or(0, |noise| noise.samples.len());
                written += samples;
                let unexplained = |m: &&Mode| !hit.force.response(m.pole(found.sample_rate)).explained;
                PlayedHit {
                    hit,
                    index,
                    at_s: (hit.onset - found.start(0)) as f64 / found.sample_rate,
                    points: points(hit.push()),
                    knock: (heard && knocks[index] != 0.0).then_some(knocks[index]),
                    sharp: modes.iter().any(unexplained),
                    thud: hit.thud.as_ref().map(|_| thuds[index]),
                    noise: (samples > 0 && written <= MOST_NOISE).then_some(noises[index]),
                }
            })
            .collect();
        let ears = if hits.iter().any(|hit| hit.knock.is_some()) { ears } else { Vec::new() };
        let noise = if hits.iter().any(|hit| hit.noise.is_some()) { microphones } else { Vec::new() };
        let thuds = if hits.iter().any(|hit| hit.thud.is_some()) { thud_microphones } else { Vec::new() };
        Self { hits, ears, thuds, noise }
    }
}

/// The pushes of the hits.
fn gestures(text: &mut String, found: &Extraction, played: &Played) {
    for PlayedHit { hit, index, at_s, points, knock, sharp, .. } in &played.hits {
        let (name, number) = (strike(*index), index + 1);
        let curve = |impulse: f64| curve(points, impulse * found.sample_rate, found.sample_rate);
        let mut gesture = |id: &str, at_s: f64, what: &str| {
            let _ = write!(text, "\n[[gesture]]\nid = \"{id}{number}\"\nat_s = {at_s:.6}\n{what}\n");
        };
        let push = format!("force = {{ what = \"object.{name}\", curve = {} }}", curve(IMPULSE_N_S));
        gesture("hit", *at_s, &push);
        if let Some(knock) = knock {
            gesture("push", *at_s, &format!("force = {{ what = \"knock\", curve = {} }}", curve(*knock)));
        }
        if *sharp {
            let middle = (hit.force.middle() + 1.0) / found.sample_rate;
            let strike = format!(
                "strike = {{ what = \"object.{name}_sharp\", impulse_n_s = {IMPULSE_N_S}, duration_s = {DURATION_S} }}"
            );
            gesture("sharp", (at_s + middle - 0.5 * DURATION_S).max(0.0), &strike);
        }
    }
}

/// The mass that lets the pushes themselves be heard.
fn knock(text: &mut String, found: &Extraction, played: &Played, level: f64) {
    if !played.ears.is_empty() {
        text.push_str("\n# The push itself, as a microphone on the object hears it.");
        let gains: Vec<f64> = played.ears.iter().map(|ear| level * ear / found.sample_rate).collect();
        heard_mass(text, "knock", "", &gains);
    }
}

/// The low parts of the hits, and the mass that lets them be heard.
fn thud(text: &mut String, found: &Extraction, played: &Played, level: f64) {
    if played.thuds.is_empty() {
        return;
    }
    text.push_str("\n# What of the hits is heard below the lowest mode.");
    let gains: Vec<f64> = played.thuds.iter().map(|gain| level * gain).collect();
    heard_mass(text, "low", "", &gains);
    for PlayedHit { hit, index, at_s, thud, .. } in &played.hits {
        if let (Some(factor), Some(thud)) = (thud, &hit.thud) {
            let points: Vec<(usize, f64)> = thud.points.iter().enumerate().map(|(k, x)| (k * thud.step, *x)).collect();
            let curve = curve(&points, *factor, found.sample_rate);
            let number = index + 1;
            let _ = write!(
                text,
                "\n[[gesture]]\nid = \"thud{number}\"\nat_s = {at_s:.6}\nforce = {{ what = \"low\", curve = {curve} }}\n"
            );
        }
    }
}

/// The noise of the hits, and the mass that lets it be heard.
fn noise(text: &mut String, found: &Extraction, played: &Played, level: f64) {
    if played.noise.is_empty() {
        return;
    }
    text.push_str("\n# What of the hits does not ring: noise with the recording's levels and decays, third octave by third octave.");
    let gains: Vec<f64> = played.noise.iter().map(|gain| level * gain).collect();
    heard_mass(text, "hiss", &format!("damping_n_s_m = {REST_N_S_M}\n"), &gains);
    for PlayedHit { hit, index, at_s, noise, .. } in &played.hits {
        if let (Some(factor), Some(burst)) = (noise, &hit.noise) {
            let samples: Vec<f64> = burst.samples.iter().map(|x| factor * x).collect();
            let curve = long_curve(&emphasised(&samples), found.sample_rate);
            let number = index + 1;
            let _ = write!(
                text,
                "\n[[gesture]]\nid = \"burst{number}\"\nat_s = {at_s:.6}\n\
                 force = {{ what = \"hiss\", curve = {curve} }}\n"
            );
        }
    }
}

/// With more of its highest frequencies, which straight lines between samples take away; within 1 dB up to 0.4 of the sample rate.
fn emphasised(samples: &[f64]) -> Vec<f64> {
    let at = |n: usize| samples.get(n).copied().unwrap_or(0.0);
    let bend = |n: usize| n.checked_sub(1).map_or(0.0, at) - 2.0 * at(n) + at(n + 1);
    (0..samples.len()).map(|n| at(n) - EMPHASIS * bend(n)).collect()
}

/// A mass of 1 kg, and a tap of its acceleration for every microphone.
fn heard_mass(text: &mut String, id: &str, damping: &str, gains: &[f64]) {
    let _ = write!(text, "\n[[resonator]]\nid = \"{id}\"\nkind = \"mass\"\nmass_kg = 1\n{damping}");
    for (channel, gain) in gains.iter().enumerate() {
        let (name, pan) = (channel + 1, pan(channel, gains.len()));
        let _ = write!(
            text,
            "\n[[tap]]\nid = \"{id}{name}\"\nfrom = \"{id}\"\nquantity = \"acceleration\"\n\
             gain = {gain:.6e}\npan = {pan}\n"
        );
    }
}

/// From left to right.
fn pan(channel: usize, channels: usize) -> f64 {
    if channels == 1 { 0.0 } else { 2.0 * channel as f64 / (channels - 1) as f64 - 1.0 }
}

fn strike(hit: usize) -> String {
    if hit == 0 { "strike".to_owned() } else { format!("strike{}", hit + 1) }
}
