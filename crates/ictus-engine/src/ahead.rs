//! The sound of frames that a free run has computed ahead, many at a time: the same samples as frame by frame, for a fraction of the work.

use crate::listen::sample;
use crate::meter::Levels;
use crate::patch::Compiled;
use crate::scheduler::BlockScheduler;
use crate::voice::Voice;

/// Most frames at a time.
pub(crate) const MOST: usize = 64;

/// Frames of two channels.
pub(crate) struct Mix {
    channels: [[f64; MOST]; 2],
    frames: usize,
}

/// How many of `most` frames from `time` on, in steps, can be mixed at once: those that have been computed, where no filter and no moving gain comes in between.
#[inline]
pub(crate) fn frames(patch: &Compiled, voice: &Voice, scheduler: &BlockScheduler, (time, most): (f64, usize)) -> usize {
    let unheard = scheduler.unheard();
    if unheard < 2 || patch.oversampling != 1 || !scheduler.hears_ports_only() {
        return 0;
    }
    // without oversampling a frame is a step; the cast saturates
    let still = (voice.gains_until() - time).ceil().max(0.0) as usize;
    unheard.min(most).min(MOST).min(still)
}

/// Lets the taps hear the next `frames` steps of the free run, as many as [frames] said, and mixes them. `buses` are left, right and the taps; those of taps get their frames from `first` on.
pub(crate) fn mix(
    patch: &Compiled,
    voice: &mut Voice,
    (scheduler, levels): (&mut BlockScheduler, &mut Levels),
    frames: usize,
    (buses, first): (&mut [&mut [f32]], usize),
) -> Mix {
    let begin = scheduler.take_unheard(frames);
    levels.begin_many(frames);
    let mut mix = Mix { channels: [[0.0; MOST]; 2], frames };
    let mut values = [0.0; MOST];
    let values = &mut values[..frames];
    for (index, tap) in patch.taps.iter().enumerate() {
        scheduler.heard_from(index, tap.quantity, begin, values);
        voice.ears[index].hear_ports(tap, &patch.model, values);
        voice.heard[index] = values[frames - 1];
        let [left, right, own] = voice.gains[index];
        for (channel, gain) in mix.channels.iter_mut().zip([left, right]) {
            channel.iter_mut().zip(&*values).for_each(|(mix, value)| *mix += gain * value);
        }
        let bus = buses.get_mut(2 + index);
        if bus.is_some() || levels.enabled {
            let mut stem = [0.0; MOST];
            let stem = &mut stem[..frames];
            stem.iter_mut().zip(&*values).for_each(|(stem, value)| *stem = sample(value * own));
            levels.add(2 + index, stem);
            let bus = bus.and_then(|bus| bus.get_mut(first..)).unwrap_or_default();
            bus.iter_mut().zip(&*stem).for_each(|(out, sample)| *out = *sample);
        }
    }
    mix
}

impl Mix {
    /// Samples of the two channels, which `levels` measures too; those that are not finite are replaced by silence and counted.
    pub fn samples(&self, levels: &mut Levels, muted: &mut u64) -> [[f32; MOST]; 2] {
        let mut samples = [[0.0; MOST]; 2];
        for (channel, (samples, mix)) in samples.iter_mut().zip(&self.channels).enumerate() {
            let samples = &mut samples[..self.frames];
            samples.iter_mut().zip(mix).for_each(|(out, mix)| *out = sample(*mix));
            // not a number is not below anything
            if !samples.iter().fold(true, |all, out| all & (out.abs() < f32::INFINITY)) {
                for out in samples.iter_mut().filter(|out| !out.is_finite()) {
                    (*out, *muted) = (0.0, *muted + 1);
                }
            }
            levels.add(channel, samples);
        }
        samples
    }
}
