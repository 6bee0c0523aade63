//! What every preset promises: it sounds at once, at a matched level, in tune, in mono as in stereo, with its ledger balanced, at any usual
//! sample rate, and every knob is heard without hurting or clipping.
//!
//! `cargo test -p ictus-engine --test all presets:: -- --nocapture` prints the table of levels and pitches.
//! `ICTUS_PRESETS=cello-bow,wine-glass` checks only these.

use ictus_analysis::{level, mono, pitch};
use ictus_engine::{Fade, Patch, Player, presets, presets::Preset};
use ictus_instrument::{Dimension, Law, Loaded, load};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Mutex;

const RATE: u32 = 48_000;
const OTHER_RATES: [u32; 2] = [44_100, 96_000];
/// Seconds that decide about sample rates and about knobs; the level is measured over the whole sound.
const PIECE_S: f64 = 2.0;
const KNOB_S: f64 = 1.5;
/// Rattles in which the last digit decides which touch is the hardest: no two rates have the same.
const WANDERING: [&str; 1] = ["coin-table"];
const PEAK_DBFS: (f64, f64) = (-12.0, -1.0);
const LOUDNESS_LUFS: (f64, f64) = (-20.0, -16.0);
/// Sounds made of short knocks: at a loudness of -18 LUFS their peaks would clip. Peak has priority.
const PERCUSSIVE: &[&str] =
    &["bottle", "breaking-plate", "gravel-steps", "snare-drum", "tom-dive", "wooden-ball-stairs", "xylophone-bar"];
const PERCUSSIVE_LUFS: (f64, f64) = (-24.0, -16.0);
/// Peak of the last 10 ms, dB re that of the whole: what is louder is cut off.
const ENDED_DB: f64 = -40.0;
const RESIDUAL: f64 = 1e-9;
const CENTS: f64 = 3.0;
const KNOB_DB: f64 = 12.0;
/// Loudness that may be lost when both channels are added to one, LU. Channels that have nothing in common lose 3.
const MONO_LU: f64 = 2.0;
/// A knob's end that comes this near to clipping in its first seconds, or would by as much as the preset at rest still grows, is
/// rendered to its end, dB.
const NEAR_CLIPPING_DB: f64 = 3.0;
/// Frames rendered at a time where single ones are not examined.
const BLOCK: usize = 4096;
/// Two sounds whose difference is this far below the louder one (40 dB) count as the same.
const SAME: f64 = 0.01;

/// A render and what the engine said about it.
struct Sound {
    rate: f64,
    frames: Vec<[f32; 2]>,
    residual: f64,
    missed: u64,
    quarantined: u64,
    muted: u64,
    /// Largest force of any collision, friction or adherence, or else of the player, N. Only [`Sound::of`] reads it in every frame.
    force: f64,
    warnings: usize,
}

impl Sound {
    /// Frame by frame, with everything that can be said of it.
    fn of(loaded: &Loaded, rate: u32, seconds: f64) -> Result<Self, String> {
        Self::render(loaded, rate, seconds, true, 1)
    }

    /// Without its force: the samples are the same in blocks, in which stretches without contact take a fraction of the time.
    fn booked(loaded: &Loaded, rate: u32, seconds: f64) -> Result<Self, String> {
        Self::render(loaded, rate, seconds, true, BLOCK)
    }

    /// Without its ledger, which costs as much as the sound, and without its force.
    fn unaudited(loaded: &Loaded, rate: u32, seconds: f64) -> Result<Self, String> {
        Self::render(loaded, rate, seconds, false, BLOCK)
    }

    fn render(loaded: &Loaded, rate: u32, seconds: f64, audited: bool, block: usize) -> Result<Self, String> {
        let patch = Patch::compile(loaded, rate).map_err(|error| error.to_string())?;
        let model = patch.model();
        let spec = &loaded.spec;
        let colliding = spec
            .interactions
            .iter()
            .filter(|i| {
                matches!(i.law, Law::Collision { .. } | Law::Felt { .. } | Law::Friction(_) | Law::Adhere { .. })
            })
            .map(|i| i.id.as_str());
        let rows = spec.barriers.iter().map(|barrier| barrier.id.as_str());
        let named: Vec<&str> = colliding.chain(rows).collect();
        // a point of a barrier is called after it: bridge[3]
        let collisions: Vec<_> = (model.contact_names())
            // where nothing else touches, the player's hand does
            .filter(|name| named.is_empty() || named.contains(&name.split_once('[').map_or(*name, |(row, _)| row)))
            .filter_map(|name| model.find_contact(name))
            .collect();
        let mut player = Player::new(&patch);
        player.audit(audited);
        let mut frames = vec![[0.0f32; 2]; (seconds * f64::from(rate)) as usize];
        let mut force: f64 = 0.0;
        for block in frames.chunks_mut(block) {
            player.render(block);
            for &contact in &collisions {
                force = force.max(player.state().contact_force(contact).abs());
            }
        }
        let counts = player.counts();
        Ok(Self {
            rate: f64::from(rate),
            residual: player.ledger().max_residual_rel(),
            missed: counts.missed,
            quarantined: counts.quarantined,
            muted: player.muted(),
            warnings: loaded.warnings.len() + patch.warnings().len(),
            frames,
            force,
        })
    }

    fn peak(&self) -> f64 {
        level::peak_dbfs(self.frames.as_flattened()).unwrap_or(f64::NEG_INFINITY)
    }

    fn loudness(&self) -> f64 {
        level::loudness_lufs(self.frames.as_flattened(), 2, self.rate).unwrap_or(f64::NEG_INFINITY)
    }

    /// Loudness lost when both channels play the mean of the two, LU.
    fn mono_loss(&self) -> f64 {
        let mean: Vec<f32> = (self.frames.iter()).flat_map(|[left, right]| [0.5 * (left + right); 2]).collect();
        self.loudness() - level::loudness_lufs(&mean, 2, self.rate).unwrap_or(f64::NEG_INFINITY)
    }

    /// The first `seconds`.
    fn beginning(&self, seconds: f64) -> Self {
        let length = ((seconds * self.rate) as usize).min(self.frames.len());
        Self { frames: self.frames[..length].to_vec(), ..*self }
    }

    /// Distance from `hz` of the partial there, cents: the median over pieces, because a new stroke shifts the phase and
    /// a buzz the pitch of the piece it falls in.
    fn cents(&self, hz: f64) -> Option<f64> {
        let sound = mono(self.frames.as_flattened(), 2);
        let length = (0.6 * self.rate) as usize;
        let mut found: Vec<f64> = (sound.windows(length).step_by(length / 2))
            .filter_map(|piece| pitch::partial(piece, self.rate, hz))
            .map(|partial| pitch::cents(hz, partial.hz))
            .collect();
        found.sort_by(f64::total_cmp);
        found.get(found.len() / 2).copied()
    }

    fn finite(&self) -> bool {
        self.quarantined == 0 && self.muted == 0 && level::all_finite(self.frames.as_flattened())
    }

    /// Rms of the difference as a share of the louder rms.
    fn differs(&self, other: &Self) -> f64 {
        let (a, b) = (self.frames.as_flattened(), other.frames.as_flattened());
        assert_eq!(a.len(), b.len(), "sounds of unequal length");
        let difference: Vec<f32> = a.iter().zip(b).map(|(a, b)| a - b).collect();
        level::rms(&difference) / level::rms(a).max(level::rms(b)).max(1e-12)
    }
}

fn open(preset: &Preset, settings: &[(String, String)]) -> Result<Loaded, String> {
    load(preset.stem, preset.text, settings).map_err(|error| error.to_string())
}

/// The note of a preset, from its tag `pitch:A4`.
fn note(loaded: &Loaded) -> Option<(String, f64)> {
    let tags = &loaded.spec.preset.as_ref()?.tags;
    let name = tags.iter().find_map(|tag| tag.strip_prefix("pitch:"))?;
    let hz = Dimension::of_key("frequency_hz").and_then(|dimension| dimension.parse(name).ok());
    Some((name.to_owned(), hz.unwrap_or(f64::NAN)))
}

/// Runs a check on every preset, in parallel, and reports all failures together.
fn every_preset(check: impl Fn(&Preset, &mut Vec<String>) -> Result<(), String> + Sync) {
    let chosen = std::env::var("ICTUS_PRESETS").ok();
    let is_chosen = |preset: &&Preset| {
        chosen.as_ref().is_none_or(|chosen| chosen.split(',').any(|stem| stem.trim() == preset.stem))
    };
    let next = Mutex::new(presets::ALL.iter().filter(is_chosen));
    let failures = Mutex::new(Vec::new());
    let work = || {
        while let Some(preset) = { next.lock().expect("no panic while locked").next() } {
            let mut found = Vec::new();
            if let Err(error) = check(preset, &mut found) {
                found.push(error);
            }
            let named = found.into_iter().map(|text| format!("{}: {text}", preset.stem));
            failures.lock().expect("no panic while locked").extend(named);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    let failures = failures.into_inner().expect("no panic while locked");
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

fn within(value: f64, (low, high): (f64, f64)) -> bool {
    (low..=high).contains(&value)
}

#[test]
fn every_file_is_listed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../instruments");
    let files: BTreeSet<String> = std::fs::read_dir(folder)
        .expect("the folder of presets")
        .filter_map(|entry| Some(entry.ok()?.file_name().to_str()?.strip_suffix(".toml")?.to_owned()))
        .collect();
    let listed: Vec<&str> = presets::ALL.iter().map(|preset| preset.stem).collect();
    assert!(listed.is_sorted(), "{listed:?}");
    assert_eq!(files, listed.iter().map(|&stem| stem.to_owned()).collect());
    assert!(presets::find(presets::DEFAULT).is_some());
}

#[test]
fn every_preset_introduces_itself() {
    // what is rubbed has speed, grip and roughness of its own
    const ORDER: [&str; 11] = [
        "force",
        "speed",
        "position",
        "hardness",
        "grip",
        "brightness",
        "damping",
        "shape",
        "rattle",
        "roughness",
        "space",
    ];
    let mut names = BTreeSet::new();
    for preset in presets::ALL {
        let stem = preset.stem;
        let loaded = open(preset, &[]).unwrap_or_else(|error| panic!("{stem}: {error}"));
        let spec = &loaded.spec;
        let block = spec.preset.as_ref().unwrap_or_else(|| panic!("{stem}: no [preset]"));
        assert!(names.insert(block.name.clone()), "{stem}: another preset is called {}", block.name);
        assert_eq!(preset.name(), block.name, "{stem}");
        assert!((5..=28).contains(&block.name.chars().count()), "{stem}: {}", block.name);
        let title_case = block.name.split([' ', '-']).all(|word| word.starts_with(|c: char| c.is_uppercase()));
        assert!(title_case && block.name.contains(", "), "{stem}: {} is not \"Thing, Touch\"", block.name);
        for (key, value) in [
            ("how_to_play", &block.how_to_play),
            ("listen_for", &block.listen_for),
            ("range", &block.range),
            ("author", &block.author),
            ("licence", &block.licence),
        ] {
            assert!(value.as_ref().is_some_and(|text| !text.trim().is_empty()), "{stem}: {key} is missing");
        }
        assert!(!block.tags.is_empty() && !spec.title.is_empty(), "{stem}: tags or title missing");
        assert!(within(spec.seconds, (3.0, 8.0)), "{stem}: {} s", spec.seconds);
        let knobs: Vec<&str> = spec.controls.iter().map(|control| control.id.as_str()).collect();
        let places: Vec<Option<usize>> = knobs.iter().map(|id| ORDER.iter().position(|known| known == id)).collect();
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{stem}: knobs {knobs:?}");
        assert!((3..=8).contains(&knobs.len()), "{stem}: {} knobs", knobs.len());
        for control in &spec.controls {
            assert_eq!(control.name.to_lowercase(), control.id, "{stem}");
            assert!(control.name.starts_with(char::is_uppercase), "{stem}: {}", control.name);
        }
        assert!(preset.text.starts_with("# "), "{stem}: no comment at the top");
    }
}

/// What the file writes is what sounds: a knob at its default leaves every number as it stands.
#[test]
fn knobs_at_rest_change_nothing() {
    every_preset(|preset, failures| {
        let loaded = open(preset, &[])?;
        let (plain, _) = preset.text.split_once("[[control]]").ok_or("no control")?;
        let mut plain = load(preset.stem, plain, &[]).map_err(|error| error.to_string())?.spec;
        plain.controls.clone_from(&loaded.spec.controls);
        let [turned, plain] = [&loaded.spec, &plain].map(|spec| format!("{spec:?}"));
        let numbers = |text: &str| -> Vec<String> {
            text.split(|c: char| !(c.is_ascii_alphanumeric() || "+-._".contains(c))).map(str::to_owned).collect()
        };
        let (turned, plain) = (numbers(&turned), numbers(&plain));
        if turned.len() != plain.len() {
            failures.push(format!("{} words with knobs, {} without", turned.len(), plain.len()));
        }
        for (a, b) in turned.iter().zip(&plain) {
            let same = match (a.parse::<f64>(), b.parse::<f64>()) {
                (Ok(a), Ok(b)) => a == b || (a - b).abs() <= 0.002 * b.abs(),
                _ => a == b,
            };
            if !same {
                failures.push(format!("the file says {b}, its knobs make it {a}"));
            }
        }
        Ok(())
    });
}

/// Every two knobs at every corner: all at one end, and patterns in which any two knobs differ in both ways.
#[test]
fn knobs_at_their_ends_make_an_instrument_together() {
    every_preset(|preset, failures| {
        let knobs = open(preset, &[])?.spec.controls;
        // the binary digits of a knob's number and their opposites; the last two patterns have all knobs alike
        let bits = usize::BITS - knobs.len().leading_zeros();
        for pattern in 0..=bits {
            for flip in [0, 1] {
                let end = |i: usize| ((i >> pattern) & 1) ^ flip;
                let turned = knobs.iter().enumerate().map(|(i, knob)| (knob.id.clone(), end(i).to_string()));
                let turned: Vec<(String, String)> = turned.collect();
                let made = open(preset, &turned)
                    .and_then(|loaded| Patch::compile(&loaded, RATE).map(drop).map_err(|error| error.to_string()));
                if let Err(error) = made {
                    failures.push(format!("{turned:?}: {error}"));
                }
            }
        }
        Ok(())
    });
}

#[test]
fn every_preset_sounds_as_promised() {
    every_preset(|preset, failures| {
        let loaded = open(preset, &[])?;
        let mut sound = Sound::of(&loaded, RATE, loaded.spec.seconds)?;
        // as it is written: with its fade
        let fade = Fade::new(loaded.spec.fade_s, sound.frames.len() as u64, RATE);
        fade.apply(&mut sound.frames, 0);
        let ending = level::peak(sound.frames[sound.frames.len() - RATE as usize / 100..].as_flattened());
        let ending = level::decibels(ending).unwrap_or(f64::NEG_INFINITY) - sound.peak();
        let (peak, loudness) = (sound.peak(), sound.loudness());
        let target = if PERCUSSIVE.contains(&preset.stem) { PERCUSSIVE_LUFS } else { LOUDNESS_LUFS };
        let mut require = |fine: bool, text: String| {
            if !fine {
                failures.push(text);
            }
        };
        require(sound.warnings == 0, format!("{} warnings", sound.warnings));
        require(sound.finite(), "not finite".to_owned());
        require(within(peak, PEAK_DBFS), format!("peak {peak:.1} dBFS"));
        require(ending < ENDED_DB, format!("cut off {ending:.0} dB re its peak; give it a `fade_s` or another length"));
        require(within(loudness, target), format!("loudness {loudness:.1} LUFS"));
        let lost = sound.mono_loss();
        require(lost <= MONO_LU, format!("loses {lost:.1} LU in mono"));
        require(sound.residual < RESIDUAL, format!("energy residual {:.1e}", sound.residual));
        require(sound.missed == 0, format!("{} solves missed", sound.missed));
        require(sound.force > 0.0, "nothing touched".to_owned());
        let mean = |side: usize| sound.frames.iter().map(|frame| f64::from(frame[side])).sum::<f64>();
        let offset = mean(0).abs().max(mean(1).abs()) / sound.frames.len() as f64;
        require(offset < 1e-3, format!("an offset of {offset:.1e}"));
        let silent = longest_silence(&sound);
        require(silent < 1.0, format!("{silent:.1} s of silence"));
        let mut tuning = String::new();
        if let Some((name, hz)) = note(&loaded) {
            let cents = sound.cents(hz);
            require(cents.is_some_and(|cents| cents.abs() <= CENTS), format!("{name} is off by {cents:?} cents"));
            tuning = format!("{name} {:+.2} ¢", cents.unwrap_or(f64::NAN));
        }
        println!(
            "{:<20} peak {peak:6.1} dBFS {loudness:6.1} LUFS  mono {:+5.1} LU  residual {:.0e}  force {:8.2} N  {tuning}",
            preset.stem, -lost, sound.residual, sound.force
        );
        Ok(())
    });
}

/// Longest stretch, in seconds, whose peak stays 60 dB below that of the whole.
fn longest_silence(sound: &Sound) -> f64 {
    let block = (0.05 * sound.rate) as usize;
    let floor = 1e-3 * level::peak(sound.frames.as_flattened());
    let (mut longest, mut current) = (0usize, 0usize);
    for piece in sound.frames.chunks(block) {
        current = if level::peak(piece.as_flattened()) < floor { current + 1 } else { 0 };
        longest = longest.max(current);
    }
    longest as f64 * 0.05
}

#[test]
fn every_preset_is_the_same_at_other_rates() {
    every_preset(|preset, failures| {
        let loaded = open(preset, &[])?;
        let seconds = loaded.spec.seconds.min(PIECE_S);
        let here = Sound::unaudited(&loaded, RATE, seconds)?;
        for rate in OTHER_RATES {
            let there = Sound::booked(&loaded, rate, seconds)?;
            let (a, b) = (here.peak(), there.peak());
            if !there.finite() || there.residual >= RESIDUAL || there.missed > 0 || there.warnings > 0 {
                let (residual, missed, warnings) = (there.residual, there.missed, there.warnings);
                failures.push(format!("{rate} Hz: residual {residual:.1e}, {missed} misses, {warnings} warnings"));
            }
            if (a - b).abs() > 3.0 && !WANDERING.contains(&preset.stem) {
                failures.push(format!("{rate} Hz: peak {b:.1} dBFS instead of {a:.1}"));
            }
            if let Some((name, hz)) = note(&loaded) {
                let (a, b) = (here.cents(hz).unwrap_or(f64::NAN), there.cents(hz).unwrap_or(f64::NAN));
                println!(
                    "{:<20} {rate} Hz  peak {:+.2} dB  {name} {b:+.2} ¢ ({a:+.2})",
                    preset.stem,
                    there.peak() - here.peak()
                );
                if !((a - b).abs() <= CENTS && b.abs() <= 2.0 * CENTS) {
                    failures.push(format!("{rate} Hz: {name} is off by {b:.1} cents, not {a:.1}"));
                }
            }
        }
        Ok(())
    });
}

#[test]
fn every_knob_is_heard_and_none_hurts() {
    every_preset(|preset, failures| {
        let loaded = open(preset, &[])?;
        let seconds = loaded.spec.seconds.min(KNOB_S);
        let whole = Sound::unaudited(&loaded, RATE, loaded.spec.seconds)?;
        let rest = whole.beginning(seconds);
        let grows = whole.peak() - rest.peak();
        for control in &loaded.spec.controls {
            let mut levels = vec![rest.loudness()];
            for end in ["0", "1"] {
                let turned = open(preset, &[(control.id.clone(), end.to_owned())])?;
                let sound = Sound::unaudited(&turned, RATE, seconds)?;
                let place = format!("{} at {end}", control.id);
                if !sound.finite() || sound.missed > 0 {
                    failures.push(format!("{place}: finite {}, {} misses", sound.finite(), sound.missed));
                }
                let mut peak = sound.peak();
                if peak + grows > -NEAR_CLIPPING_DB {
                    peak = Sound::unaudited(&turned, RATE, turned.spec.seconds)?.peak();
                }
                if peak > 0.0 {
                    failures.push(format!("{place}: clips, peak {peak:+.1} dBFS"));
                }
                let mut difference = rest.differs(&sound);
                if difference < SAME {
                    // what the knob changes may come later, such as the end of a stop
                    difference = whole.differs(&Sound::unaudited(&turned, RATE, turned.spec.seconds)?);
                }
                if difference < SAME {
                    failures.push(format!("{place}: hardly heard, {difference:.1e}"));
                }
                levels.push(sound.loudness());
                println!("{:<20} {place:<16} peak {peak:5.1} dBFS {:6.1} LUFS", preset.stem, sound.loudness());
            }
            let loudest = levels.iter().fold(f64::NEG_INFINITY, |a, &b| a.max(b));
            let softest = levels.iter().fold(f64::INFINITY, |a, &b| a.min(b));
            let span = loudest - softest;
            if span.is_nan() || span >= KNOB_DB {
                failures.push(format!("{} spans {span:.1} dB", control.id));
            }
        }
        Ok(())
    });
}
