//! One sample: its parameters, its sound, its row.

use crate::error::{Error, GOES_ON};
use crate::folder::{file_name, make_room};
use crate::table::{Energy, Measured, Status, TableRow};
use crate::{Container, Sweep};
use ictus_analysis::wav::{FileWriter, Format, WavError, Written};
use ictus_analysis::{flac, level, mono, pitch};
use ictus_engine::{Fade, Patch, Player};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Frames rendered between checks of the stop flag.
const BLOCK: usize = 1024;
/// Of longer sounds, loudness and pitch are taken from this beginning.
const KEPT_SECONDS: usize = 60;

/// What a thread keeps from sample to sample, so that memory stays as it is.
pub(crate) struct Worker<'a> {
    sweep: &'a Sweep,
    folder: &'a Path,
    stop: &'a AtomicBool,
    block: Vec<[f32; 2]>,
    /// Interleaved beginning of the sound; of a FLAC file all of it.
    kept: Vec<f32>,
}

impl<'a> Worker<'a> {
    pub fn new(sweep: &'a Sweep, folder: &'a Path, stop: &'a AtomicBool) -> Self {
        Self { sweep, folder, stop, block: vec![[0.0; 2]; BLOCK], kept: Vec::new() }
    }

    /// Renders a sample to its file; `None` if stopped.
    pub fn render(&mut self, index: u64) -> Result<Option<TableRow>, Error> {
        let plan = &self.sweep.plan;
        let values = self.sweep.values(index);
        let keys = plan.vary.iter().map(|vary| vary.key.clone());
        let settings: Vec<(String, String)> =
            plan.settings.iter().cloned().chain(keys.zip(values.iter().cloned())).collect();
        let loaded = self.sweep.document.load(&settings);
        let compiled = loaded.and_then(|loaded| {
            let patch = Patch::compile_with(&loaded, plan.sample_rate, &self.sweep.results)?;
            Ok((patch, plan.seconds.unwrap_or(loaded.spec.seconds), loaded.spec.fade_s))
        });
        let (patch, seconds, fade_s) = match compiled {
            Ok(compiled) => compiled,
            Err(error) => {
                let error = error.message().replace("--set", "--vary");
                let row =
                    TableRow { index, file: String::new(), status: Status::Refused, values, measured: None, error };
                return Ok(Some(row));
            }
        };
        let frames = (seconds * f64::from(plan.sample_rate)).round().max(1.0) as u64;
        let file = file_name(index, plan.container.extension());
        let Some((player, written, peak)) =
            self.perform(&patch, &Fade::new(fade_s, frames, plan.sample_rate), frames, &file)?
        else {
            return Ok(None);
        };
        let healthy = player.counts().quarantined == 0 && player.muted() == 0;
        let status = if healthy { Status::Ok } else { Status::Silenced };
        let measured = self.measure(&patch, &player, written, peak);
        Ok(Some(TableRow { index, file, status, values, measured: Some(measured), error: String::new() }))
    }

    /// Plays an instrument into a file. Gives the player at its end, what was written, and the peak.
    fn perform(
        &mut self,
        patch: &Patch,
        fade: &Fade,
        frames: u64,
        file: &str,
    ) -> Result<Option<(Player, Written, f64)>, Error> {
        let plan = &self.sweep.plan;
        let path = self.folder.join(file);
        make_room(&path)?;
        let format = Format { channels: 2, sample_rate: plan.sample_rate, encoding: plan.encoding };
        let mut streamed = match plan.container {
            Container::Wav => Some(FileWriter::create(&path, format).map_err(unwritten)?),
            Container::Flac => None,
        };
        let keep = match plan.container {
            Container::Wav => 2 * KEPT_SECONDS * plan.sample_rate as usize,
            Container::Flac => usize::MAX,
        };
        self.kept.clear();
        let mut player = Player::new(patch);
        player.skip_latency();
        let (mut left, mut peak) = (frames, 0.0f64);
        while left > 0 {
            if self.stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let block = &mut self.block[..usize::try_from(left).unwrap_or(BLOCK).min(BLOCK)];
            player.render(block);
            fade.apply(block, frames - left);
            left -= block.len() as u64;
            let samples = block.as_flattened();
            peak = peak.max(level::peak(samples));
            let room = keep.saturating_sub(self.kept.len());
            self.kept.extend_from_slice(&samples[..samples.len().min(room)]);
            if let Some(file) = &mut streamed {
                file.write(samples).map_err(unwritten)?;
            }
        }
        let written = match streamed {
            Some(file) => file.finish(),
            None => flac::write_file(&path, format, &self.kept),
        };
        Ok(Some((player, written.map_err(unwritten)?, peak)))
    }

    fn pitch(&self, stereo: &[f32], rate: f64) -> Option<f64> {
        if !self.sweep.plan.pitch {
            return None;
        }
        pitch::heard(&mono(stereo, 2), rate).hz()
    }

    fn measure(&self, patch: &Patch, played: &Player, written: Written, peak: f64) -> Measured {
        let rate = f64::from(patch.sample_rate());
        let kept = &self.kept[..self.kept.len().min(2 * KEPT_SECONDS * patch.sample_rate() as usize)];
        let statistics = &played.state().contact_statistics;
        let mut forces = vec![0.0f64; self.sweep.contacts.len()];
        for (name, contact) in patch.model().contact_names().zip(statistics) {
            // the points of a barrier, a bow or wires are numbered in brackets
            let id = name.split('[').next().unwrap_or(name);
            if let Some(column) = self.sweep.contacts.iter().position(|known| known == id) {
                forces[column] = forces[column].max(contact.peak);
            }
        }
        let ledger = played.ledger();
        Measured {
            seconds: written.frames as f64 / rate,
            peak_dbfs: level::decibels(peak),
            lufs: level::loudness_lufs(kept, 2, rate),
            pitch_hz: self.pitch(kept, rate),
            clipped: written.clipped,
            peak_force: statistics.iter().fold(0.0, |peak, contact| contact.peak.max(peak)),
            contact_count: statistics.iter().map(|contact| contact.count).sum(),
            contact: statistics.iter().map(|contact| contact.steps).sum::<u64>() as f64 * patch.model().clock().dt,
            energy: Energy {
                supplied: ledger.total.initial + ledger.total.supplied.value(),
                dissipated: ledger.total.dissipated.value(),
                stored: ledger.total.stored,
                peak: ledger.peak,
                residual: ledger.max_residual_rel(),
            },
            missed: played.counts().missed,
            forces,
        }
    }
}

fn unwritten(error: WavError) -> Error {
    Error::new(format!("cannot write {error}"), GOES_ON)
}
