//! Compares a sound with recordings, third octave by third octave: `third_octaves [--bands] SOUND RECORDING…` (WAV, FLAC or Ogg Vorbis).
//!
//! Prints the mean absolute difference (dB) in the attack (first 200 ms) and the ring (the next second) between the sound and the
//! mean of the recordings, and in parentheses how far the recordings are from the mean of the others. `scripts/compare-presets` calls it.

use ictus_analysis::bands::{self, Profile};
use ictus_analysis::{mono, recording};
use std::path::Path;

fn read(path: &str) -> Result<Profile, String> {
    let audio = recording::read_file(Path::new(path)).map_err(|e| e.to_string())?;
    let rate = f64::from(audio.sample_rate);
    Profile::of(&mono(&audio.samples, audio.channels), rate).ok_or_else(|| format!("{path} is silent"))
}

/// Distance of the sound from the mean of the recordings, and the mean distance of each recording from the mean of the others.
fn compare(sound: &[f64], recordings: &[&[f64]]) -> (f64, f64) {
    let others =
        |i: usize| -> Vec<&[f64]> { recordings.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, r)| *r).collect() };
    let spread = (0..recordings.len()).map(|i| bands::distance(recordings[i], &bands::mean(&others(i)))).sum::<f64>();
    (bands::distance(sound, &bands::mean(recordings)), spread / recordings.len() as f64)
}

fn run() -> Result<(), String> {
    let mut paths: Vec<String> = std::env::args().skip(1).collect();
    let table = paths.first().is_some_and(|a| a == "--bands");
    if table {
        paths.remove(0);
    }
    if paths.len() < 3 {
        return Err("third_octaves [--bands] SOUND RECORDING RECORDING…".to_owned());
    }
    let profiles = paths.iter().map(|path| read(path)).collect::<Result<Vec<_>, _>>()?;
    let (sound, recordings) = profiles.split_first().expect("at least three");
    let attacks: Vec<&[f64]> = recordings.iter().map(|p| p.attack.as_slice()).collect();
    let rings: Vec<&[f64]> = recordings.iter().filter_map(|p| p.ring.as_deref()).collect();
    let mut pieces = vec![("attack", sound.attack.clone(), attacks)];
    // where at least two recordings ring; a sound that has ended by then is at the floor
    if rings.len() >= 2 {
        let own = sound.ring.clone().unwrap_or_else(|| vec![-60.0; sound.attack.len()]);
        pieces.push(("ring", own, rings));
    }
    for (name, own, recordings) in &pieces {
        let (distance, spread) = compare(own, recordings);
        println!("{name} {distance:.1} ({spread:.1})");
        if table {
            let target = bands::mean(recordings);
            let differences = bands::differences(own, &target);
            for (((hz, own), target), difference) in bands::centres().iter().zip(own).zip(&target).zip(differences) {
                println!("{hz:8.0} Hz  sound {own:6.1}  recordings {target:6.1}  difference {difference:+6.1}");
            }
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
