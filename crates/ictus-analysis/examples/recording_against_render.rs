//! Compares a recording with the render of the file that `ictus extract` made of it: `recording_against_render [--bands] RECORDING RENDER`.
//!
//! Prints one line: the mean absolute difference of third-octave levels over the first second (dB), the number of strong partials, how many of them are within
//! 3 cents, how many have a T60 within 10 %, and the largest deviations. Nothing of the extractor is used: levels are sums over a spectrum, and partials are measured by
//! shifting each to 0 Hz, smoothing it, and fitting straight lines to phase and level over time. Levels are absolute, and both sounds begin at their onsets.
//! `scripts/compare-extract` calls it.

use ictus_analysis::recording;
use ictus_analysis::{Window, bands, spectrum::Spectrum};
use std::f64::consts::{PI, TAU};
use std::path::Path;

/// Bands this far below the strongest band of the recording do not count, dB.
const RANGE_DB: f64 = 60.0;
/// Partials this far below the strongest one are not strong, dB.
const STRONG_DB: f64 = 20.0;
/// Most partials.
const MOST: usize = 8;
/// Partials are measured from here on, s after the onset, …
const FROM_S: f64 = 0.05;
/// … until they have fallen by this, dB, or for a second.
const FALL_DB: f64 = 25.0;
const TO_S: f64 = 1.0;
/// Half length of the smoothing window, s: other partials are 50 Hz away or more, and 80 dB down at that distance.
const SMOOTH_S: f64 = 0.04;
/// Partials nearer to a stronger one than this are part of it, Hz: their beat is slower than the smoothing window.
const APART_HZ: f64 = 50.0;
/// A partial whose level leaves its straight line by more than this (rms, dB) beats, and has no single T60.
const STRAIGHT_DB: f64 = 1.5;

/// Channels of a sound from its onset on.
struct Sound {
    channels: Vec<Vec<f64>>,
    rate: f64,
}

impl Sound {
    fn read(path: &str) -> Result<Self, String> {
        let audio = recording::read_file(Path::new(path)).map_err(|e| e.to_string())?;
        let rate = f64::from(audio.sample_rate);
        let channel = |c: usize| audio.samples.chunks_exact(audio.channels).map(|f| f64::from(f[c])).collect();
        let channels: Vec<Vec<f64>> = (0..audio.channels).map(channel).collect();
        let power: Vec<f64> =
            (0..channels[0].len()).map(|n| channels.iter().map(|c| c[n] * c[n]).sum::<f64>().sqrt()).collect();
        let onset = bands::onset(&power, rate).ok_or_else(|| format!("{path} is silent"))?;
        Ok(Self { channels: channels.iter().map(|c| c[onset..].to_vec()).collect(), rate })
    }

    /// Mean energy per channel of each third octave in the first second, dB.
    fn levels(&self) -> Vec<f64> {
        let mut sum = vec![0.0; bands::centres().len()];
        for channel in &self.channels {
            let mut piece = channel[..channel.len().min(self.rate as usize)].to_vec();
            // the end is faded out over 25 ms: cutting a loud low tone would add to the high bands
            let fade = ((0.025 * self.rate) as usize).min(piece.len() / 2).max(1);
            let last = piece.len();
            for n in 0..fade {
                piece[last - 1 - n] *= 0.5 - 0.5 * libm::cos(PI * n as f64 / fade as f64);
            }
            piece.resize(self.rate as usize, 0.0);
            sum.iter_mut().zip(bands::energies(&piece, self.rate)).for_each(|(s, e)| *s += e);
        }
        sum.iter().map(|e| 10.0 * libm::log10((e / self.channels.len() as f64).max(1e-30))).collect()
    }

    /// Frequencies of the strong partials of the loudest channel, strongest first, Hz.
    fn partials(&self) -> Vec<f64> {
        let from = (FROM_S * self.rate) as usize;
        let Some(piece) = self.loudest().get(from..) else { return Vec::new() };
        let spectrum = Spectrum::of(&piece[..piece.len().min(self.rate as usize)], self.rate, Window::Hann);
        let a = &spectrum.amplitude;
        let mut peaks: Vec<usize> =
            (2..a.len().saturating_sub(2)).filter(|&k| a[k] > a[k - 1] && a[k] >= a[k + 1]).collect();
        // lines of a short sound are wide
        let loud = piece.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let lasts = piece.iter().rposition(|x| x.abs() > 0.01 * loud).unwrap_or(0) as f64 / self.rate;
        let apart = APART_HZ.max(10.0 / lasts.max(1e-3));
        peaks.retain(|&k| k as f64 * spectrum.bin_hz > APART_HZ);
        peaks.sort_by(|&i, &j| a[j].total_cmp(&a[i]));
        let mut found: Vec<f64> = Vec::new();
        for k in peaks.iter().take_while(|&&k| a[k] > a[peaks[0]] * libm::exp10(-STRONG_DB / 20.0)) {
            let hz = *k as f64 * spectrum.bin_hz;
            if found.len() < MOST && found.iter().all(|f| (f - hz).abs() > apart) {
                found.push(hz);
            }
        }
        found
    }

    fn loudest(&self) -> &[f64] {
        let energy = |c: &Vec<f64>| c.iter().map(|x| x * x).sum::<f64>();
        self.channels.iter().max_by(|a, b| energy(a).total_cmp(&energy(b))).expect("a channel")
    }

    /// Level (dB) and phase (rad, unwrapped) of what is around a frequency, every 5 ms.
    fn heterodyne(&self, channel: usize, hz: f64) -> (Vec<f64>, Vec<f64>) {
        let sound = &self.channels[channel.min(self.channels.len() - 1)];
        let half = (SMOOTH_S * self.rate) as usize;
        let hop = (0.005 * self.rate) as usize;
        let first = (FROM_S * self.rate) as usize;
        let last = sound.len().min(((FROM_S + TO_S) * self.rate) as usize).saturating_sub(half);
        let (mut levels, mut phases): (Vec<f64>, Vec<f64>) = (Vec::new(), Vec::new());
        for middle in (first.max(half)..last).step_by(hop) {
            let (mut re, mut im) = (0.0, 0.0);
            for (n, x) in (middle - half..).zip(&sound[middle - half..middle + half]) {
                let t = (n as f64 - middle as f64) / half as f64;
                // Blackman–Harris
                let w = 0.35875
                    + 0.48829 * libm::cos(PI * t)
                    + 0.14128 * libm::cos(2.0 * PI * t)
                    + 0.01168 * libm::cos(3.0 * PI * t);
                let (s, c) = libm::sincos(TAU * hz * n as f64 / self.rate);
                re += w * x * c;
                im -= w * x * s;
            }
            levels.push(10.0 * libm::log10((re * re + im * im).max(1e-30)));
            let phase = libm::atan2(im, re);
            let before = phases.last().copied().unwrap_or(phase);
            phases.push(before + libm::remainder(phase - before, TAU));
        }
        (levels, phases)
    }
}

/// Slope per step of a straight line through values, and the rms distance from it.
fn line(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let middle = 0.5 * (n - 1.0);
    let mean = values.iter().sum::<f64>() / n;
    let (mut xy, mut xx) = (0.0, 0.0);
    for (k, v) in values.iter().enumerate() {
        xy += (k as f64 - middle) * (v - mean);
        xx += (k as f64 - middle) * (k as f64 - middle);
    }
    let slope = xy / xx.max(1e-30);
    let off = values.iter().enumerate().map(|(k, v)| v - mean - slope * (k as f64 - middle));
    (slope, (off.map(|d| d * d).sum::<f64>() / n).sqrt())
}

/// Deviation of one partial of the render: cents, and T60 as a share if the recording's decay is a straight line.
fn partial(recording: &Sound, render: &Sound, hz: f64) -> Option<(f64, Option<f64>)> {
    let energy = |c: &Vec<f64>| c.iter().map(|x| x * x).sum::<f64>();
    let loudest = (0..recording.channels.len())
        .max_by(|&a, &b| energy(&recording.channels[a]).total_cmp(&energy(&recording.channels[b])))?;
    let (level, phase) = recording.heterodyne(loudest, hz);
    let (other_level, other_phase) = render.heterodyne(loudest, hz);
    // the noise floor: the quietest tenth of a second
    let until = level.iter().position(|l| *l < level[0] - FALL_DB).unwrap_or(level.len()).min(other_level.len());
    if until < 6 {
        return None;
    }
    let step_s = 0.005;
    let shift = |phase: &[f64]| line(&phase[..until]).0 / (TAU * step_s);
    let cents = 1200.0 * libm::log2((hz + shift(&other_phase)) / (hz + shift(&phase)));
    let (fall, off) = line(&level[..until]);
    let (other_fall, _) = line(&other_level[..until]);
    // T60 is −60 dB over the slope; less than 1 dB in the stretch shows no decay
    let shown = fall * (until as f64) < -1.0 && off < STRAIGHT_DB;
    Some((cents, shown.then_some(fall / other_fall - 1.0)))
}

fn run() -> Result<(), String> {
    let mut paths: Vec<String> = std::env::args().skip(1).collect();
    let table = paths.first().is_some_and(|a| a == "--bands");
    if table {
        paths.remove(0);
    }
    let [recording, render] = &paths[..] else {
        return Err("recording_against_render [--bands] RECORDING RENDER".to_owned());
    };
    let (recording, render) = (Sound::read(recording)?, Sound::read(render)?);
    let (a, b) = (recording.levels(), render.levels());
    let strongest = a.iter().fold(f64::NEG_INFINITY, |m, &l| m.max(l));
    let counted: Vec<f64> = a
        .iter()
        .zip(&b)
        .filter(|(a, _)| **a > strongest - RANGE_DB)
        .map(|(a, b)| (a - b).abs().min(RANGE_DB))
        .collect();
    let distance = counted.iter().sum::<f64>() / counted.len() as f64;
    let partials: Vec<(f64, (f64, Option<f64>))> =
        recording.partials().into_iter().filter_map(|hz| Some((hz, partial(&recording, &render, hz)?))).collect();
    let tuned = partials.iter().filter(|(_, p)| p.0.abs() <= 3.0).count();
    let decays: Vec<f64> = partials.iter().filter_map(|(_, p)| p.1).collect();
    let decayed = decays.iter().filter(|d| d.abs() <= 0.1).count();
    let worst = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, |m: f64, v| m.max(v.abs()));
    println!(
        "{distance:.2} dB {tuned}/{} {decayed}/{} {:.1} {:.0}",
        partials.len(),
        decays.len(),
        worst(&mut partials.iter().map(|(_, p)| p.0)),
        100.0 * worst(&mut decays.iter().copied()),
    );
    if table {
        for ((hz, a), b) in bands::centres().iter().zip(&a).zip(&b) {
            let mark = if *a > strongest - RANGE_DB { "" } else { "  not counted" };
            println!(
                "{hz:8.0} Hz  recording {:6.1}  render {:6.1}  {:+6.1}{mark}",
                a - strongest,
                b - strongest,
                b - a
            );
        }
        for (hz, (cents, decay)) in &partials {
            let decay = decay.map_or("beats".to_owned(), |d| format!("{:+.1} %", 100.0 * d));
            println!("{hz:8.1} Hz  {cents:+6.2} cents  T60 {decay}");
        }
    }
    Ok(())
}

fn main() -> std::process::ExitCode {
    match run() {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            std::process::ExitCode::FAILURE
        }
    }
}
