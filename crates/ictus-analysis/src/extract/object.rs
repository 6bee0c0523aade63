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
//! port, struck by a short pulse in the middle of the push. Where the push itself is heard, it also moves a mass that is heard by its acceleration.

use super::force::short_spectrum;
use super::{Extraction, Hit, Mode};
use std::f64::consts::{LN_10, PI, TAU};
use std::fmt::Write;

/// Modal mass, kg: that of a small bar.
const MASS_KG: f64 = 0.1;
/// Impulse of a hit, N s: a tap.
const IMPULSE_N_S: f64 = 0.01;
/// Length of a short pulse, s: its spectrum is still at half its height at 20 kHz.
const DURATION_S: f64 = 50e-6;
/// Points of a push are left out if the line between their neighbours is this near, as a share of its top.
const STRAIGHT: f64 = 5e-3;
/// The push itself is written where it is heard this much below the peak (−60 dB).
const HEARD: f64 = 1e-3;
/// Frequency at which the shapes of the velocity and the displacement port of a microphone weigh the same, Hz.
const REFERENCE_HZ: f64 = 1000.0;
/// Numbers on one line of a list.
const PER_LINE: usize = 8;

/// The text of an instrument file that sounds like the first recording, with all its hits; `level` multiplies all taps.
pub fn object_toml(found: &Extraction, title: &str, level: f64) -> String {
    let mut modes: Vec<&Mode> = found.modes.iter().collect();
    modes.sort_by(|a, b| a.hz.total_cmp(&b.hz));
    let shapes: Vec<Shapes> = modes.iter().map(|m| Shapes::of(m, found)).collect();
    let strike_scale = largest(shapes.iter().flat_map(|s| &s.strikes));
    let microphone_scale = largest(shapes.iter().flat_map(|s| s.velocity.iter().chain(&s.displacement)));
    let gain = level * MASS_KG / IMPULSE_N_S * strike_scale * microphone_scale;
    let longest = found.span_s() + modes.iter().map(|m| m.t60_s).fold(1.0, f64::max).min(8.0);

    let mut text = String::new();
    let title: String = title.chars().filter(|c| !c.is_control()).collect();
    let title = title.replace('\\', "\\\\").replace('"', "\\\"");
    let hits = if found.hits.len() == 1 { "one hit".to_owned() } else { format!("{} hits", found.hits.len()) };
    let _ = write!(
        text,
        "# {} modes of a struck object, from a recording of {hits} with {} channel(s).\n\
         # What the modes leave unexplained: {:.1} dB of the recording's energy.\n\
         # Masses are not heard in a recording: all are the same, and the shapes carry the amplitudes.\n\n\
         format = 1\ntitle = \"{title}\"\nseconds = {longest:.1}\n\n\
         [[resonator]]\nid = \"object\"\nkind = \"modes\"\nmass_kg = {MASS_KG}\n",
        modes.len(),
        found.channels,
        found.residual_db,
    );
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
    gestures(&mut text, &modes, found, level);
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
    text
}

/// The hits of the first recording, and the mass that lets the push itself be heard if it is.
fn gestures(text: &mut String, modes: &[&Mode], found: &Extraction, level: f64) {
    let direct: Vec<Vec<f64>> = found.hits.iter().map(|hit| hit.direct.clone()).collect();
    let peak = largest(found.peaks.iter());
    let top = |hit: &Hit| largest(hit.push().iter()) * largest(hit.direct.iter());
    let heard = found.hits.iter().any(|hit| top(hit) > HEARD * peak);
    let (knocks, ears) = product(&direct);
    let played = found.hits.iter().enumerate().filter(|(_, hit)| hit.recording == 0);
    for (index, hit) in played {
        let at_s = (hit.onset - found.start(0)) as f64 / found.sample_rate;
        let name = strike(index);
        let curve = |impulse: f64| curve(hit.push(), impulse * found.sample_rate, found.sample_rate);
        let gesture = |text: &mut String, what: &str| {
            let _ = write!(text, "\n[[gesture]]\nat_s = {at_s:.6}\n{what}\n");
        };
        gesture(text, &format!("force = {{ what = \"object.{name}\", curve = {} }}", curve(IMPULSE_N_S)));
        if heard && knocks[index] != 0.0 {
            gesture(text, &format!("force = {{ what = \"knock\", curve = {} }}", curve(knocks[index])));
        }
        if modes.iter().any(|m| !hit.force.response(m.pole(found.sample_rate)).explained) {
            let middle = (hit.force.middle() + 1.0) / found.sample_rate;
            let at_s = (at_s + middle - 0.5 * DURATION_S).max(0.0);
            let _ = write!(
                text,
                "\n[[gesture]]\nat_s = {at_s:.6}\nstrike = {{ what = \"object.{name}_sharp\", \
                 impulse_n_s = {IMPULSE_N_S}, duration_s = {DURATION_S} }}\n",
            );
        }
    }
    if heard {
        text.push_str("\n# The push itself, as a microphone on the object hears it.\n[[resonator]]\n");
        text.push_str("id = \"knock\"\nkind = \"mass\"\nmass_kg = 1\n");
        for (channel, ear) in ears.iter().enumerate() {
            let (name, pan) = (channel + 1, pan(channel, found.channels));
            let gain = level * ear / found.sample_rate;
            let _ = write!(
                text,
                "\n[[tap]]\nid = \"knock{name}\"\nfrom = \"knock\"\nquantity = \"acceleration\"\n\
                 gain = {gain:.6e}\npan = {pan}\n"
            );
        }
    }
}

/// From left to right.
fn pan(channel: usize, channels: usize) -> f64 {
    if channels == 1 { 0.0 } else { 2.0 * channel as f64 / (channels - 1) as f64 - 1.0 }
}

/// Points of a push, from rest to rest, scaled.
fn curve(push: &[f64], scale: f64, sample_rate: f64) -> String {
    let values: Vec<f64> = std::iter::once(0.0).chain(push.iter().copied()).chain([0.0]).collect();
    let tolerance = STRAIGHT * largest(push.iter());
    let mut kept = vec![false; values.len()];
    let mut open = vec![(0, values.len() - 1)];
    while let Some((from, to)) = open.pop() {
        (kept[from], kept[to]) = (true, true);
        let line = |n: usize| values[from] + (values[to] - values[from]) * (n - from) as f64 / (to - from) as f64;
        let off = |n: &usize| (values[*n] - line(*n)).abs();
        let farthest = (from + 1..to).max_by(|a, b| off(a).total_cmp(&off(b)));
        if let Some(n) = farthest.filter(|n| off(n) > tolerance) {
            open.extend([(from, n), (n, to)]);
        }
    }
    let points = (0..values.len()).filter(|&n| kept[n]);
    let points: Vec<String> =
        points.map(|n| format!("[{:.7}, {:.4e}]", n as f64 / sample_rate, scale * values[n])).collect();
    format!("[{}]", points.join(", "))
}

/// Spectrum of straight lines between frames at f over the sample rate: sinc².
fn line_spectrum(x: f64) -> f64 {
    let sinc = if x.abs() < 1e-6 { 1.0 } else { libm::sin(PI * x) / (PI * x) };
    sinc * sinc
}

fn strike(hit: usize) -> String {
    if hit == 0 { "strike".to_owned() } else { format!("strike{}", hit + 1) }
}

/// The signed shapes of one mode.
struct Shapes {
    strikes: Vec<f64>,
    velocity: Vec<f64>,
    displacement: Vec<f64>,
}

impl Shapes {
    fn of(mode: &Mode, found: &Extraction) -> Self {
        let omega = TAU * mode.hz;
        let lag = 3.0 * LN_10 / mode.t60_s / omega; // α/ω
        let tilt = mode.hz / REFERENCE_HZ;
        // rows: hits; columns: velocity of every channel, then displacement
        let rows: Vec<Vec<f64>> = (mode.amplitudes.chunks(found.channels))
            .map(|a| {
                let turned = a.iter().map(|a| tilt * (a.re * lag - a.im));
                a.iter().map(|a| a.re).chain(turned).collect()
            })
            .collect();
        let (strikes, microphones) = product(&rows);
        let size = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
        // even shares
        let share = (size(&microphones) / size(&strikes).max(f64::MIN_POSITIVE)).sqrt().max(f64::MIN_POSITIVE);
        let (velocity, displacement) = microphones.split_at(found.channels);
        let heard = |x: &[f64]| x.iter().map(|x| x / share).collect();
        Self {
            strikes: strikes.iter().map(|s| s * share).collect(),
            velocity: heard(velocity),
            displacement: heard(displacement),
        }
    }
}

/// The best s·mᵀ for a matrix, by alternating least squares from the first row.
fn product(rows: &[Vec<f64>]) -> (Vec<f64>, Vec<f64>) {
    let energy = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().max(f64::MIN_POSITIVE);
    let mut right = rows[0].clone();
    let mut left = vec![1.0];
    for _ in 0..30 {
        let scale = energy(&right);
        left = rows.iter().map(|row| row.iter().zip(&right).map(|(a, b)| a * b).sum::<f64>() / scale).collect();
        let scale = energy(&left);
        right = (0..right.len()).map(|j| rows.iter().zip(&left).map(|(r, l)| r[j] * l).sum::<f64>() / scale).collect();
    }
    (left, right)
}

/// Spectrum of a raised cosine of length d at f d, 1 at zero: sinc(fd)/(1 − (fd)²), a half at fd = 1.
pub fn pulse_spectrum(x: f64) -> f64 {
    match x.min(1.5) {
        x if x < 1e-6 => 1.0,
        x if (x - 1.0).abs() < 1e-6 => 0.5,
        x => libm::sin(PI * x) / (PI * x * (1.0 - x * x)),
    }
}

fn largest<'a>(values: impl Iterator<Item = &'a f64>) -> f64 {
    values.fold(f64::MIN_POSITIVE, |m, x| m.max(x.abs()))
}

fn list(text: &mut String, key: &str, values: impl Iterator<Item = f64>) {
    let values: Vec<String> = values.map(digits).collect();
    if values.len() <= PER_LINE {
        let _ = writeln!(text, "{key} = [{}]", values.join(", "));
        return;
    }
    let lines: Vec<String> = values.chunks(PER_LINE).map(|line| format!("  {},", line.join(", "))).collect();
    let _ = writeln!(text, "{key} = [\n{}\n]", lines.join("\n"));
}

/// Seven significant digits without exponent.
fn digits(x: f64) -> String {
    let place = if x == 0.0 { 0.0 } else { libm::floor(libm::log10(x.abs())) };
    let decimals = (6.0 - place).clamp(1.0, 12.0) as usize;
    format!("{x:.decimals$}")
}
