//! `ictus extract`: the modes of a struck object, from a recording to an instrument file.

use crate::cli::Extract;
use crate::failure::Failure;
use crate::table::{count, level};
use ictus_analysis::extract::{Burst, ExtractError, Extraction, Mode, Options, RINGS_S, extract, object_toml};
use ictus_analysis::plot::{self, Side};
use ictus_analysis::recording;
use ictus_analysis::wav::{self, Audio, Encoding, Format};
use ictus_engine::{Patch, Player};
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

/// Rate at which the level of the new instrument is tried out: what `render` uses.
const TRIAL_RATE: u32 = 48_000;
/// Seconds tried out after the last hit: a struck object is loudest at once.
const TRIAL_SECONDS: f64 = 0.5;
/// Seconds shown in the picture at most.
const PLOTTED_S: f64 = 1.5;
/// Modes and hits shown in the report.
const SHOWN: usize = 10;
/// Above this residual, dB, the modes are a poor picture of the recording.
const POOR_DB: f64 = -10.0;

pub fn run(options: &Extract) -> Result<ExitCode, Failure> {
    let clock = Instant::now();
    let first = &options.recordings[0];
    let output = options.output.clone().unwrap_or_else(|| {
        let stem = first.file_stem().map_or("object".into(), |s| s.to_string_lossy().into_owned());
        PathBuf::from(format!("{stem}.toml"))
    });
    let to_stdout = output.as_os_str() == "-";
    if to_stdout && options.json {
        return Err(Failure::new(
            "standard output cannot carry the instrument and --json at once",
            "write the instrument to a file with -o",
        ));
    }
    if options.recordings.contains(&output) {
        let message = format!("{} is the recording itself", output.display());
        return Err(Failure::new(message, "write the instrument to another file with -o"));
    }
    let recordings: Vec<Audio> = options.recordings.iter().map(|path| read(path)).collect::<Result<_, _>>()?;
    let settings = Options {
        max_modes: usize::from(options.modes),
        min_hz: options.min_hz,
        max_hz: options.max_hz,
        seconds: options.seconds,
    };
    let found = extract(&recordings, &settings).map_err(|error| refused(&error, &options.recordings))?;
    let title = first.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let text = levelled(&found, &title)?;
    if let Some(path) = &options.resynthesis {
        write_resynthesis(path, &found, recordings[0].sample_rate)?;
    }
    if let Some(path) = &options.plot {
        draw(path, &title, &recordings[0], &found, &text)?;
    }
    if to_stdout {
        write!(std::io::stdout(), "{text}").map_err(|_| Failure::Hangup)?;
    } else {
        std::fs::write(&output, text).map_err(|error| Failure::file(&output, "write", &error))?;
    }
    let elapsed = clock.elapsed().as_secs_f64();
    if !options.quiet {
        warn(&found);
    }
    if options.json {
        let text = serde_json::to_string_pretty(&report(&found, elapsed)).unwrap_or_default();
        writeln!(std::io::stdout(), "{text}").map_err(|_| Failure::Hangup)?;
    } else if !options.quiet {
        print(&found, &title, &output, options, elapsed);
    }
    Ok(ExitCode::SUCCESS)
}

fn read(path: &Path) -> Result<Audio, Failure> {
    let help = format!("give a recording in {}", recording::ACCEPTED);
    recording::read_file(path).map_err(|error| Failure::new(format!("cannot read {error}"), help))
}

/// The fault with the name of the file it lies in.
fn refused(error: &ExtractError, recordings: &[PathBuf]) -> Failure {
    let hit = match error {
        ExtractError::Silent { hit } | ExtractError::Different { hit } => *hit,
        _ => 0,
    };
    Failure::new(format!("{}: {error}", recordings[hit].display()), error.help())
}

/// The instrument at the recording's level: tried out once, then scaled so that what rings after the last hit has the same energy.
fn levelled(found: &Extraction, title: &str) -> Result<String, Failure> {
    let heard = trial(&object_toml(found, title, 1.0), found)?;
    let seconds = found.span_s() + TRIAL_SECONDS;
    let rate = found.sample_rate;
    let channels: Vec<Vec<f64>> =
        (0..found.channels).map(|c| found.resynthesis(c, (seconds * rate) as usize)).collect();
    let recorded: Vec<f64> = (0..channels[0].len())
        .map(|n| channels.iter().map(|c| c[n] * c[n]).sum::<f64>() / found.channels as f64)
        .collect();
    let heard: Vec<f64> =
        heard.iter().map(|[l, r]| 0.5 * (f64::from(*l) * f64::from(*l) + f64::from(*r) * f64::from(*r))).collect();
    // from where what rings is alone; of a sound that is over by then, all of it
    let power =
        |squares: &[f64], rate: f64, from_s: f64| squares.iter().skip((from_s * rate) as usize).sum::<f64>() / rate;
    let late = found.span_s() + RINGS_S;
    let from =
        if power(&heard, f64::from(TRIAL_RATE), late) > 0.0 && power(&recorded, rate, late) > 0.0 { late } else { 0.0 };
    let ratio = power(&recorded, rate, from) / power(&heard, f64::from(TRIAL_RATE), from);
    let scale = if ratio.is_finite() && ratio > 0.0 { ratio.sqrt() } else { 1.0 };
    let text = object_toml(found, title, scale);
    // what is written loads and renders
    trial(&text, found)?;
    Ok(text)
}

/// Loads and renders an instrument up to some time after its last hit.
fn trial(text: &str, found: &Extraction) -> Result<Vec<[f32; 2]>, Failure> {
    let loaded = ictus_instrument::load("object", text, &[])?;
    let patch = Patch::compile(&loaded, TRIAL_RATE)?;
    let mut player = Player::new(&patch);
    let mut block = vec![[0.0f32; 2]; ((found.span_s() + TRIAL_SECONDS) * f64::from(TRIAL_RATE)) as usize];
    player.render(&mut block);
    if block.as_flattened().iter().all(|x| x.is_finite()) {
        return Ok(block);
    }
    Err(Failure::new("the instrument renders samples that are not finite", "limit the band with --min-hz and --max-hz"))
}

/// Silence up to the onset, then the sum of the modes, for every channel of the first recording.
fn write_resynthesis(path: &Path, found: &Extraction, sample_rate: u32) -> Result<(), Failure> {
    let channels: Vec<Vec<f64>> = (0..found.channels).map(|c| found.resynthesis(c, found.frames)).collect();
    let mut samples = vec![0.0f32; found.start(0) * found.channels];
    samples.extend((0..found.frames).flat_map(|n| channels.iter().map(move |c| c[n] as f32)));
    let format = Format {
        channels: u16::try_from(found.channels).unwrap_or(u16::MAX),
        sample_rate,
        encoding: Encoding::Float32,
    };
    wav::write_file(path, format, &samples)?;
    Ok(())
}

/// Recording against render, both from the first hit on, at the rate of the trial.
fn draw(path: &Path, title: &str, recording: &Audio, found: &Extraction, text: &str) -> Result<(), Failure> {
    let seconds = (found.frames as f64 / found.sample_rate).clamp(0.1, PLOTTED_S);
    let loaded = ictus_instrument::load("object", text, &[])?;
    let rate = TRIAL_RATE;
    let patch = Patch::compile(&loaded, rate)?;
    let mut block = vec![[0.0f32; 2]; (seconds * f64::from(rate)) as usize];
    Player::new(&patch).render(&mut block);
    let from = found.start(0) * recording.channels;
    let to = recording.samples.len().min(from + (seconds * found.sample_rate) as usize * recording.channels);
    let recorded =
        Side { samples: &recording.samples[from..to], channels: recording.channels, sample_rate: found.sample_rate };
    let render = Side { samples: block.as_flattened(), channels: 2, sample_rate: f64::from(rate) };
    plot::comparison(path, title, &recorded, &render)?;
    Ok(())
}

fn warn(found: &Extraction) {
    if found.clipped > 0 {
        eprintln!(
            "warning: {} clipped: the strongest modes come out too weak, and false ones may appear",
            count(found.clipped, "sample looks", "samples look")
        );
        eprintln!("  help: record with more headroom, or analyse after the clipped part");
    }
    let says = if let Some(bursts) = found.crowd {
        format!("{bursts} bursts are too many to be hits")
    } else if found.residual_db > POOR_DB {
        format!("ringing modes leave {:.1} dB of the energy unexplained", found.residual_db)
    } else {
        return;
    };
    eprintln!("warning: this is not a struck sound that rings: {says}");
    eprintln!(
        "  help: what rolls, rubs, rattles or glides has no modes of its own to find; record single strokes, closer and drier"
    );
}

/// Level of a mode from 30 ms after the hits on, dB re the strongest.
fn relative_db(mode: &Mode, found: &Extraction) -> f64 {
    10.0 * libm::log10((mode.energy / found.modes[0].energy.max(f64::MIN_POSITIVE)).max(1e-30))
}

/// Levels of the hits, dB re the strongest.
fn hit_levels(found: &Extraction) -> Vec<f64> {
    let strengths: Vec<f64> = (0..found.hits.len()).map(|hit| found.strength(hit)).collect();
    let strongest = strengths.iter().fold(f64::MIN_POSITIVE, |m: f64, &s| m.max(s));
    strengths.iter().map(|s| 20.0 * libm::log10((s / strongest).max(1e-9))).collect()
}

fn report(found: &Extraction, elapsed: f64) -> serde_json::Value {
    let modes: Vec<_> = found
        .modes
        .iter()
        .map(|mode| {
            let amplitudes: Vec<[f64; 2]> = mode.amplitudes.iter().map(|a| [a.re, a.im]).collect();
            json!({
                "frequency_hz": mode.hz,
                "frequency_sd_hz": mode.hz_deviation,
                "decay_s": mode.t60_s,
                "decay_sd_s": mode.t60_deviation_s,
                "level_db": relative_db(mode, found),
                "amplitudes": amplitudes,
            })
        })
        .collect();
    let rate = found.sample_rate;
    let hits: Vec<_> = (found.hits.iter().zip(hit_levels(found)))
        .map(|(hit, level_db)| {
            json!({
                "recording": hit.recording,
                "onset_s": hit.onset as f64 / rate,
                "push_s": hit.push().len() as f64 / rate,
                "level_db": level_db,
                "push": hit.push(),
                "direct": hit.direct,
                "noise": hit.noise.as_ref().map(noise),
            })
        })
        .collect();
    json!({
        "sample_rate": found.sample_rate,
        "noise_db": found.noise_db(),
        "hits": hits,
        "crowd": found.crowd,
        "channels": found.channels,
        "seconds": found.frames as f64 / found.sample_rate,
        "residual_db": found.residual_db,
        "distance_db": found.distance_db,
        "clipped": found.clipped,
        "modes": modes,
        "elapsed_s": elapsed,
    })
}

/// The noise of a hit, third octave by third octave.
fn noise(burst: &Burst) -> serde_json::Value {
    let bands: Vec<_> =
        burst.bands.iter().map(|b| json!({ "hz": b.hz, "energy": b.energy, "decay_s": b.t60_s })).collect();
    json!({ "level_db": burst.level_db, "gains": burst.gains, "bands": bands })
}

fn print(found: &Extraction, title: &str, output: &Path, options: &Extract, elapsed: f64) {
    let seconds = found.frames as f64 / found.sample_rate;
    eprintln!(
        "  {title}   {} · {} · {} · {} kHz · {seconds:.2} s",
        count(found.modes.len(), "mode", "modes"),
        count(found.channels, "microphone", "microphones"),
        count(found.hits.len(), "hit", "hits"),
        found.sample_rate / 1e3,
    );
    let distance = found.distance_db.map_or(String::new(), |d| format!("   third octaves {d:.2} dB apart"));
    eprintln!("  residual {}{distance}", level(Some(found.residual_db), "dB"));
    match found.noise_db() {
        Some(db) => eprintln!("  what does not ring: a burst of noise at {} of the hit", level(Some(db), "dB")),
        None => eprintln!("  what does not ring: nothing to speak of"),
    }
    if found.hits.len() > 1 {
        eprintln!("  {:>10}  {:>8}  {:>8}", "hit at s", "push ms", "dB");
        for (hit, level_db) in found.hits.iter().zip(hit_levels(found)).take(SHOWN) {
            let (at_s, push_s) = (hit.onset as f64 / found.sample_rate, hit.push().len() as f64 / found.sample_rate);
            let db = format!("{level_db:.1}").replace('-', "−");
            eprintln!("  {at_s:>10.3}  {:>8.2}  {db:>8}", 1e3 * push_s);
        }
        if found.hits.len() > SHOWN {
            eprintln!("  … and {} more", found.hits.len() - SHOWN);
        }
    }
    eprintln!("  {:>10}  {:>8}  {:>8}  {:>8}  {:>8}", "Hz", "±", "T60 s", "±", "dB");
    for mode in found.modes.iter().take(SHOWN) {
        let db = format!("{:.1}", relative_db(mode, found)).replace('-', "−");
        let (hz, s) = (mode.hz_deviation, mode.t60_deviation_s);
        eprintln!("  {:>10.2}  {hz:>8.3}  {:>8.3}  {s:>8.3}  {db:>8}", mode.hz, mode.t60_s);
    }
    if found.modes.len() > SHOWN {
        eprintln!("  … and {} weaker", found.modes.len() - SHOWN);
    }
    let others = options.resynthesis.iter().chain(&options.plot);
    let beside: String = others.map(|path| format!(" and {}", path.display())).collect();
    eprintln!("  wrote {}{beside} in {elapsed:.2} s", output.display());
}
