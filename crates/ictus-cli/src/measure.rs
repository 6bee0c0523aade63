//! What a render is measured by, in memory that does not grow with its length.

use ictus_analysis::level;
use ictus_analysis::pitch::Heard;
use ictus_core::Ledger;
use sha2::{Digest, Sha256};

/// Of longer sounds, loudness, pitch and pictures are taken from this beginning.
pub const KEPT_SECONDS: usize = 60;
/// Points of the energy curves; when full, every second one goes.
const CURVE_POINTS: usize = 4096;

/// Running measurements over blocks of interleaved channels.
pub struct Meter {
    digest: Sha256,
    bytes: Vec<u8>,
    peak: f64,
    squares: f64,
    samples: u64,
    finite: bool,
    /// Interleaved beginning of the sound.
    pub kept: Vec<f32>,
    keep: usize,
    channels: usize,
    sample_rate: f64,
    /// Largest samples of the last stretches of 5 ms, newest last; the current one is not full yet.
    ends: [f64; 3],
    in_last: usize,
    pub energy: EnergyCurve,
}

impl Meter {
    pub fn new(sample_rate: u32, channels: usize) -> Self {
        Self {
            digest: Sha256::new(),
            bytes: Vec::new(),
            peak: 0.0,
            squares: 0.0,
            samples: 0,
            finite: true,
            kept: Vec::new(),
            keep: channels * KEPT_SECONDS * sample_rate as usize,
            channels,
            ends: [0.0; 3],
            in_last: 0,
            sample_rate: f64::from(sample_rate),
            energy: EnergyCurve { stride: 1, ..EnergyCurve::default() },
        }
    }

    /// Takes one block of interleaved samples, as they are written.
    pub fn take(&mut self, interleaved: &[f32]) {
        let stretch = (0.005 * self.sample_rate) as usize * self.channels;
        self.bytes.clear();
        for &sample in interleaved {
            self.bytes.extend_from_slice(&sample.to_le_bytes());
            let x = f64::from(sample);
            self.finite &= x.is_finite();
            self.peak = self.peak.max(x.abs());
            self.squares += x * x;
            if self.in_last == stretch {
                self.ends = [self.ends[1], self.ends[2], 0.0];
                self.in_last = 0;
            }
            self.ends[2] = self.ends[2].max(x.abs());
            self.in_last += 1;
        }
        self.digest.update(&self.bytes);
        self.samples += interleaved.len() as u64;
        let room = self.keep.saturating_sub(self.kept.len());
        self.kept.extend_from_slice(&interleaved[..interleaved.len().min(room)]);
    }

    pub fn finite(&self) -> bool {
        self.finite
    }

    pub fn peak_dbfs(&self) -> Option<f64> {
        level::decibels(self.peak)
    }

    /// Peak of the last 10 ms relative to that of the whole, dB; `None` for silence there or everywhere.
    pub fn end_db(&self) -> Option<f64> {
        let end = self.ends.iter().fold(0.0f64, |most, x| most.max(*x));
        level::decibels(end).zip(self.peak_dbfs()).map(|(end, peak)| end - peak)
    }

    /// Channels of the samples.
    pub fn channels(&self) -> usize {
        self.channels
    }

    pub fn rms_dbfs(&self) -> Option<f64> {
        level::decibels((self.squares / self.samples.max(1) as f64).sqrt())
    }

    pub fn loudness_lufs(&self) -> Option<f64> {
        level::loudness_lufs(&self.kept, self.channels, self.sample_rate)
    }

    pub fn pitch(&self) -> Heard {
        let mono = ictus_analysis::mono(&self.kept, self.channels);
        ictus_analysis::pitch::heard(&mono, self.sample_rate)
    }

    /// SHA-256 of the little-endian `f32` samples, in hexadecimal.
    pub fn sha256(&self) -> String {
        self.digest.clone().finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// The ledger over time.
#[derive(Default)]
pub struct EnergyCurve {
    pub time: Vec<f64>,
    pub stored: Vec<f64>,
    pub supplied: Vec<f64>,
    pub dissipated: Vec<f64>,
    pub residual: Vec<f64>,
    stride: usize,
    count: usize,
}

impl EnergyCurve {
    /// Takes the ledger as it is at a time, s.
    pub fn take(&mut self, time: f64, ledger: &Ledger) {
        self.count += 1;
        if !self.count.is_multiple_of(self.stride) {
            return;
        }
        if self.time.len() == CURVE_POINTS {
            for series in
                [&mut self.time, &mut self.stored, &mut self.supplied, &mut self.dissipated, &mut self.residual]
            {
                let mut index = 0;
                series.retain(|_| {
                    index += 1;
                    index % 2 == 0
                });
            }
            self.stride *= 2;
        }
        self.time.push(time);
        self.stored.push(ledger.total.stored);
        self.supplied.push(ledger.total.initial + ledger.total.supplied.value());
        self.dissipated.push(ledger.total.dissipated.value());
        self.residual.push(ledger.total.residual());
    }
}
