//! Plays a patch: events in, blocks of samples out. The command's `render` is a player that is fed by the file's own gestures.

mod show;

use crate::ahead;
use crate::cue::{Effect, Queue};
use crate::event::{Action, Event, EventCounts, Time};
use crate::listen::sample;
use crate::meter::Levels;
use crate::patch::{Compiled, Patch};
use crate::record::Record;
use crate::resolve::{self, Refusal};
use crate::scheduler::BlockScheduler;
use crate::signal::InputId;
use crate::snapshot::Snapshot;
use crate::voice::{Acted, Request, Voice};
use ictus_core::{Ledger, Model, SolverCounts, State, step};
use ictus_kernels::FloatMode;

/// Largest residual of the energy ledger as a share of the peak energy.
const LEDGER_TOLERANCE: f64 = 1e-9;

/// The changing half: a voice, events that wait, filters. Owned and `Send`; a clone plays on as the original.
#[derive(Debug)]
pub struct Player {
    patch: Patch,
    /// The model of the patch, with the coefficients of now.
    model: Model,
    voice: Voice,
    queue: Queue,
    scheduler: BlockScheduler,
    /// Frames played.
    frame: u64,
    /// Frame at which the clock of the voice began.
    origin: i64,
    slots: Vec<Option<Voice>>,
    record: Option<Record>,
    muted: u64,
    events: EventCounts,
    levels: Levels,
}

impl Clone for Player {
    fn clone(&self) -> Self {
        Self {
            patch: self.patch.clone(),
            model: self.model.clone(),
            voice: self.voice.clone(),
            queue: self.queue.clone(),
            scheduler: self.scheduler.another(&self.patch.0),
            slots: self.slots.clone(),
            record: self.record.clone(),
            levels: self.levels.clone(),
            ..*self
        }
    }
}

/// What goes in and out of a block. All buffers have the length of the block.
#[derive(Debug)]
pub struct Io<'a> {
    /// Inputs that are moved at audio rate: a sample acts during its frame. An input keeps its last sample after the block.
    pub inputs: &'a [AudioInput<'a>],
    /// Left, right, then the taps in their order; as many as are wanted. One alone gets the mean of left and right.
    pub buses: &'a mut [&'a mut [f32]],
}

/// An input and its samples, in the unit of the input.
#[derive(Clone, Copy, Debug)]
pub struct AudioInput<'a> {
    /// Which.
    pub input: InputId,
    /// One per frame.
    pub samples: &'a [f32],
}

/// What a block came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Something is heard, or about to be.
    Sounding,
    /// Nothing above −100 dBFS, and nothing waits to happen: the block can be skipped.
    Silent,
}

/// Samples below this are silence (−100 dBFS).
const SILENCE: f32 = 1e-5;

impl Player {
    /// At time zero. Any thread but the audio thread; allocates.
    pub fn new(patch: &Patch) -> Self {
        let compiled = &*patch.0;
        let mut voice = compiled.initial().clone();
        voice.state.measure(&compiled.model, true);
        Self {
            patch: patch.clone(),
            model: compiled.model.clone(),
            voice,
            queue: Voice::queue(),
            scheduler: BlockScheduler::new(compiled),
            frame: 0,
            origin: 0,
            slots: Vec::new(),
            record: None,
            muted: 0,
            events: EventCounts::default(),
            levels: Levels::new(compiled.taps.len()),
        }
    }

    /// The patch that is played. The thread that uses the player; does not allocate, but a clone of it must not be the last to be dropped on the audio thread.
    pub fn patch(&self) -> &Patch {
        &self.patch
    }

    /// Frames played so far: the time of the next frame. The thread that uses the player; does not allocate.
    pub fn frame(&self) -> u64 {
        self.frame
    }

    /// Switches the energy ledger on or off; it is on at first. Off is cheaper; the sound is the same. Switched on, it begins anew with the energy stored now. The thread that uses the
    /// player; does not allocate.
    pub fn audit(&mut self, enabled: bool) {
        self.voice.state.audit(&self.model, enabled);
    }

    /// Switches the meter's sums on or off; they are on at first: the work done from outside, levels of taps, and load. Off, [`meter`](Self::meter) still gives levels of the channels, the stored
    /// energy and contacts. The sound is the same. Switched on, they begin anew. The thread that uses the player; does not allocate.
    pub fn measure(&mut self, enabled: bool) {
        self.levels.enabled = enabled;
        self.voice.state.measure(&self.model, enabled);
    }

    /// Takes every step by itself from here on, also where nothing touches. Slower; the sound is the same. The thread that uses the player; does not allocate.
    pub fn step_singly(&mut self) {
        self.scheduler.step_singly();
    }

    /// Plays the next block. The audio thread calls it: it does not allocate, lock, wait or fail, whatever the events and samples are, and gives the same samples
    /// for blocks of any length, whatever the floating-point mode of the thread.
    ///
    /// Events may lie in later blocks; up to 4096 wait, or as many as were [reserved](Self::reserve_events).
    pub fn process(&mut self, events: &[Event], io: Io) -> Status {
        let _mode = FloatMode::exact();
        self.schedule(events);
        let Io { inputs, buses } = io;
        let frames = buses.first().map_or(0, |bus| bus.len());
        let started = self.levels.begin();
        let mut next = 0;
        while next < frames {
            let run = self.move_inputs(inputs, next, frames);
            let end = next + run;
            while next < end {
                let Self { patch, voice, scheduler, .. } = &*self;
                let ahead = ahead::frames(&patch.0, voice, scheduler, (self.voice_time(), end - next));
                if ahead > 0 {
                    self.write_ahead(buses, next, ahead);
                    next += ahead;
                } else {
                    let frame = self.next_frame(end - next);
                    self.write(buses, next, frame);
                    next += 1;
                }
            }
        }
        self.levels.end(started, frames, self.patch.0.sample_rate);
        let waiting = self.queue.next_step() != u64::MAX || self.voice.has_gestures(&self.patch.0);
        let sounds = self.levels.peaks().iter().any(|peak| *peak >= SILENCE);
        if sounds || waiting { Status::Sounding } else { Status::Silent }
    }

    /// Puts events into the queue; those in the past act in the next frame. The audio thread; does not allocate.
    pub fn schedule(&mut self, events: &[Event]) {
        for event in events {
            let mut event = *event;
            if event.at.frame < self.frame {
                self.events.late += 1;
                event.at = Time::frame(self.frame);
            }
            self.accept(event);
        }
    }

    fn accept(&mut self, event: Event) {
        // frames of the player to steps of the voice
        let frame = i128::from(event.at.frame) - i128::from(self.origin);
        let frame = u64::try_from(frame.max(0)).unwrap_or(u64::MAX);
        let cue = match resolve::cue(&self.patch.0, frame, &event) {
            Ok(cue) => cue,
            Err(Refusal::Impossible) => return self.events.impossible += 1,
            Err(Refusal::OutOfRange) => return self.events.out_of_range += 1,
        };
        if matches!(cue.effect, Effect::Save { slot } | Effect::Restore { slot } if slot >= self.slots.len()) {
            self.events.impossible += 1;
            return;
        }
        let insertion = self.queue.insert(cue);
        let recorded = self.record.as_mut().is_none_or(|record| record.note(event, insertion));
        self.events.overflowed += u64::from(insertion.overflowed()) + u64::from(!recorded);
    }

    /// Makes space for `events` further events in the queue. Any thread but the audio thread; allocates.
    pub fn reserve_events(&mut self, events: usize) {
        self.queue.reserve(events);
    }

    /// Makes `slots` slots for [`Action::Save`]. Any thread but the audio thread; allocates.
    pub fn reserve_snapshots(&mut self, slots: usize) {
        self.slots.resize_with(slots, || None);
        let initial = self.patch.0.initial();
        self.slots.iter_mut().for_each(|slot| *slot = Some(initial.clone()));
    }

    /// Records the events of the next blocks, at most `events`. Any thread but the audio thread; allocates.
    pub fn start_recording(&mut self, events: usize) {
        self.record = Some(Record::new(events));
    }

    /// What was recorded, in order of arrival, without events that did nothing; playing it from the same start gives the same samples. Any thread but the audio thread:
    /// dropping the list frees memory.
    pub fn stop_recording(&mut self) -> Vec<Event> {
        self.record.take().map_or_else(Vec::new, Record::into_events)
    }

    /// Moves the inputs that have samples to those of frame `n`; returns for how many frames all of them keep their values. An event may move one of them
    /// in between: the run ends with its frame, so that the samples take the input back in the next one, whatever the length of the block.
    fn move_inputs(&mut self, inputs: &[AudioInput], n: usize, frames: usize) -> usize {
        let mut run = frames - n;
        for AudioInput { input, samples } in inputs {
            let Some(&value) = samples.get(n) else { continue };
            run = samples[n..].iter().take(run).position(|sample| *sample != value).unwrap_or(run).max(1);
            let known = input.index() < self.patch.0.tracks.len();
            if known && self.voice.target(*input) == Some(f64::from(value)) {
                continue;
            }
            let action = Action::Input { input: *input, value: value.into(), ramp_s: Some(0.0) };
            self.accept(Event::new(Time::frame(self.frame), action));
        }
        if inputs.is_empty() { run } else { run.min(self.frames_to_cue()) }
    }

    /// The time of the next frame on the clock of the voice, in steps.
    fn voice_time(&self) -> f64 {
        (self.frame as i64 - self.origin) as f64 * f64::from(self.patch.0.oversampling)
    }

    /// Frames up to and with that of the next cue.
    fn frames_to_cue(&self) -> usize {
        let per_frame = u64::from(self.patch.0.oversampling);
        let now = (self.frame as i64 - self.origin) as u64 * per_frame;
        let quiet = self.voice.next_cue_step(&self.patch.0, &self.queue).saturating_sub(now) / per_frame;
        usize::try_from(quiet).unwrap_or(usize::MAX).saturating_add(1)
    }

    fn write(&mut self, buses: &mut [&mut [f32]], n: usize, frame: [f32; 2]) {
        match buses {
            [mono] => mono[n] = 0.5 * (frame[0] + frame[1]),
            [left, right, stems @ ..] => {
                if let (Some(left), Some(right)) = (left.get_mut(n), right.get_mut(n)) {
                    (*left, *right) = (frame[0], frame[1]);
                }
                for (tap, stem) in stems.iter_mut().enumerate() {
                    if let (Some(sample), Some(value)) = (stem.get_mut(n), self.stem(tap)) {
                        *sample = value;
                    }
                }
            }
            [] => {}
        }
    }

    /// Writes frames that a free run has computed ahead. Apart, because its buffers would burden [`process`](Self::process) where every step is single.
    #[inline(never)]
    fn write_ahead(&mut self, buses: &mut [&mut [f32]], n: usize, frames: usize) {
        let Self { patch, voice, scheduler, levels, muted, .. } = self;
        let mix = ahead::mix(&patch.0, voice, (scheduler, &mut *levels), frames, (&mut *buses, n));
        let [left, right] = mix.samples(levels, muted);
        let (left, right) = (&left[..frames], &right[..frames]);
        match buses {
            [mono] => {
                let pairs = left.iter().zip(right);
                mono[n..n + frames].iter_mut().zip(pairs).for_each(|(mono, (l, r))| *mono = 0.5 * (l + r));
            }
            [to_left, to_right, ..] => {
                for (bus, samples) in [(to_left, left), (to_right, right)] {
                    let bus = bus.get_mut(n..).unwrap_or_default();
                    bus.iter_mut().zip(samples).for_each(|(out, sample)| *out = *sample);
                }
            }
            [] => {}
        }
        self.frame += frames as u64;
    }

    /// What a tap gives in the last frame.
    fn stem(&self, tap: usize) -> Option<f32> {
        Some(sample(self.voice.heard.get(tap)? * self.voice.gains[tap][2]))
    }

    /// Plays and discards the frames by which the decimation filters delay the sound ([`Patch::latency_frames`]): the next frame
    /// rendered is the first one of the sound. Call it once, before anything is rendered, where nothing has to be heard at once. The thread that uses the player; does not allocate.
    pub fn skip_latency(&mut self) {
        let mut discarded = [[0.0; 2]; 64];
        let mut left = self.patch.latency_frames();
        while left > 0 {
            let n = left.min(discarded.len());
            self.render(&mut discarded[..n]);
            left -= n;
        }
    }

    /// Fills a block with stereo samples: [`process`](Self::process) without further events. The audio thread; does not allocate.
    pub fn render(&mut self, out: &mut [[f32; 2]]) {
        self.render_stems(out, &mut []);
    }

    /// Fills a block with stereo samples and, per tap, its stem: `stems[tap][frame]`. The audio thread; does not allocate.
    pub fn render_stems(&mut self, out: &mut [[f32; 2]], stems: &mut [Vec<f32>]) {
        let _mode = FloatMode::exact();
        let frames = out.len();
        let started = self.levels.begin();
        for (n, frame) in out.iter_mut().enumerate() {
            *frame = self.next_frame(frames - n);
            for (tap, stem) in stems.iter_mut().enumerate() {
                if let Some(value) = self.stem(tap) {
                    stem[n] = value;
                }
            }
        }
        self.levels.end(started, frames, self.patch.0.sample_rate);
    }

    /// The next of `left` frames that are wanted. The state runs ahead of what is heard, but not beyond these.
    fn next_frame(&mut self, left: usize) -> [f32; 2] {
        let oversampling = self.patch.0.oversampling as usize;
        let time = self.voice_time();
        for n in 0..oversampling {
            self.take_step(left * oversampling - n);
        }
        self.voice.mix_at(&self.patch.0, time);
        self.frame += 1;
        let mut mix = [0.0; 2];
        for (heard, gains) in self.voice.heard.iter().zip(&self.voice.gains) {
            for (mix, gain) in mix.iter_mut().zip(gains) {
                *mix += gain * heard;
            }
        }
        let mixed = mix.map(|value| {
            let value = sample(value);
            if value.is_finite() {
                value
            } else {
                self.muted += 1;
                0.0
            }
        });
        let Voice { heard, gains, .. } = &self.voice;
        self.levels.hear(mixed, heard.iter().zip(gains).map(|(heard, gains)| sample(heard * gains[2])));
        mixed
    }

    /// Lets the taps hear the next of `left` steps.
    fn take_step(&mut self, left: usize) {
        if self.scheduler.has_heard_all() {
            if self.voice.next_cue_step(&self.patch.0, &self.queue) <= self.voice.state.steps {
                self.take_cues();
            }
            let Self { patch, model, voice, queue, scheduler, .. } = self;
            let patch = &*patch.0;
            scheduler.advance(patch, model, voice, queue, left);
            if scheduler.has_heard_all() {
                voice.play_drives(patch, model);
                step(model, &mut voice.state);
            }
        }
        let Self { patch, model, voice, scheduler, .. } = self;
        let Compiled { taps, .. } = &*patch.0;
        let taken = scheduler.next_unheard();
        let Voice { ears, heard, state, .. } = voice;
        for (i, ((ear, tap), heard)) in ears.iter_mut().zip(taps).zip(heard).enumerate() {
            let value = match taken.and_then(|n| scheduler.heard(i, tap.quantity, n)) {
                Some(value) => ear.hear_port(tap, model, value),
                None => ear.hear(tap, model, state),
            };
            if let Some(value) = value {
                *heard = value;
            }
        }
    }

    /// Everything that happens before the step to come.
    fn take_cues(&mut self) {
        let mut acted = Acted::default();
        while let Some(request) = self.voice.take_cues(&self.patch.0, &self.model, &mut self.queue, &mut acted) {
            match request {
                Request::Reset => {
                    let patch = self.patch.clone();
                    self.replace_voice(patch.0.initial());
                }
                Request::Save { slot } => {
                    if let Some(Some(kept)) = self.slots.get_mut(slot) {
                        kept.clone_from(&self.voice);
                    }
                }
                Request::Restore { slot } => {
                    if let Some(kept) = self.slots.get_mut(slot).and_then(Option::take) {
                        self.replace_voice(&kept);
                        self.slots[slot] = Some(kept);
                    }
                }
            }
        }
        self.events.impossible += acted.impossible;
        self.events.overflowed += acted.overflowed;
    }

    /// Another state from here on; the player's clock and what waits in the queue go on.
    fn replace_voice(&mut self, other: &Voice) {
        let State { ledger, steps: before, .. } = &self.voice.state;
        let (audited, before, measured) = (ledger.enabled, *before, self.voice.state.is_measured());
        self.voice.clone_from(other);
        self.voice.restore_coefficients(&self.patch.0, &mut self.model);
        // sums that the other state does not have begin here
        self.voice.state.audit(&self.model, audited);
        self.voice.state.measure(&self.model, measured);
        self.queue.rebase(before, self.voice.state.steps);
        self.origin = self.frame as i64 - (self.voice.state.steps / u64::from(self.patch.0.oversampling)) as i64;
    }

    /// The state of now, to [return](Self::restore) to. Any thread but the audio thread; allocates, where [`save`](Self::save) does not.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot { patch: self.patch.clone(), voice: self.voice.clone() }
    }

    /// Writes the state of now over an older snapshot. The audio thread; does not allocate. False, and nothing is written, if that is of another patch.
    pub fn save(&self, snapshot: &mut Snapshot) -> bool {
        let same = snapshot.is_of(&self.patch);
        if same {
            snapshot.voice.clone_from(&self.voice);
        }
        same
    }

    /// Returns to a snapshot; the clock and what waits in the queue go on. The audio thread; does not allocate. False, and nothing changes, if it is of another patch, or while a take is
    /// recorded: a take does not hold the snapshot, so playing it again would give other samples. [`Action::Restore`] returns to a slot, which a take can hold.
    pub fn restore(&mut self, snapshot: &Snapshot) -> bool {
        let same = snapshot.is_of(&self.patch) && self.record.is_none();
        if same {
            self.replace_voice(&snapshot.voice);
        }
        same
    }

    /// The present value of an input, if the patch has it. The thread that uses the player; does not allocate.
    pub fn input(&self, input: InputId) -> Option<f64> {
        (input.index() < self.patch.0.tracks.len()).then(|| self.voice.input(&self.patch.0, input))
    }

    /// The energy ledger so far. The thread that uses the player; does not allocate.
    pub fn ledger(&self) -> &Ledger {
        &self.voice.state.ledger
    }

    /// True if the energy ledger has closed within 10⁻⁹ of the peak energy in every step so far. If not, the sound is not to be trusted: `ictus render` warns and exits with 1. The thread that uses the player; does not allocate.
    pub fn ledger_closes(&self) -> bool {
        self.ledger().max_residual_rel() <= LEDGER_TOLERANCE
    }

    /// What the solver did so far. The thread that uses the player; does not allocate.
    pub fn counts(&self) -> &SolverCounts {
        &self.voice.state.counts
    }

    /// Events that did not do what they said, so far. The thread that uses the player; does not allocate.
    pub fn event_counts(&self) -> EventCounts {
        self.events
    }

    /// Steps taken so far in free runs: blocks in which nothing touches, see [`step_singly`](Self::step_singly). The thread that uses the player; does not allocate.
    pub fn free_run_steps(&self) -> u64 {
        self.scheduler.steps()
    }

    /// The physics with the coefficients of now, with which [`state`](Self::state) is read. The thread that uses the player; does not allocate.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The simulation's state. The thread that uses the player; does not allocate.
    pub fn state(&self) -> &State {
        &self.voice.state
    }

    /// Samples that were not finite and were replaced by silence. The thread that uses the player; does not allocate.
    pub fn muted(&self) -> u64 {
        self.muted
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::presets;

    /// A bank that is pulled slowly, heard in every way.
    const PULLED: &str = r#"
        format = 1
        title = "Pulled"
        seconds = 1.0

        [[resonator]]
        id = "bar"
        kind = "modes"
        frequency_hz = [200, 551, 1080]
        decay_s = 0.5
        mass_kg = "20 g"
        ports = { middle = [1.0, -0.6, 0.3], air = [0.8, 0.5, 0.2] }

        [[gesture]]
        at_s = 0.013
        pluck = { what = "bar.middle", force_n = 2.0, duration_s = "400 ms" }

        [[gesture]]
        at_s = 0.2
        force = { what = "bar.air", curve = [[0.0, 0.0], [0.1, 1.0], [0.3, -1.0]] }

        [[tap]]
        from = "bar.air"
        quantity = "displacement"

        [[tap]]
        from = "bar.middle"
        quantity = "velocity"
    "#;

    const FRAMES: usize = 24_000;

    /// What is heard, and how many steps were taken in blocks.
    fn render(patch: &Patch, in_blocks: bool) -> (Vec<[u32; 2]>, usize) {
        let mut player = Player::new(patch);
        if !in_blocks {
            player.step_singly();
        }
        let (mut sound, mut ahead) = (Vec::new(), 0);
        for left in (1..=FRAMES).rev() {
            let before = player.voice.state.steps;
            sound.push(player.next_frame(left).map(f32::to_bits));
            ahead += (player.voice.state.steps - before).saturating_sub(patch.0.oversampling.into()) as usize;
        }
        (sound, ahead)
    }

    #[test]
    fn strokes_are_played_in_blocks_without_changing_a_bit() {
        let ball = presets::find("bouncing-ball").expect("a preset").text;
        for (name, text) in [("pulled.toml", PULLED), ("bouncing-ball.toml", ball)] {
            let loaded = ictus_instrument::load(name, text, &[]).expect("a valid file");
            let patch = Patch::compile(&loaded, 48_000).expect("it compiles");
            let (stepped, none) = render(&patch, false);
            let (glided, ahead) = render(&patch, true);
            assert!(stepped == glided, "{name}");
            assert!(none == 0 && ahead > FRAMES / 2, "{name}: {ahead} steps of {FRAMES} frames in blocks");
            assert!(stepped.iter().any(|frame| *frame != [0; 2]), "{name}: silence");
        }
    }
}
