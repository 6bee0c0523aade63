//! `ictus film`: the shapes of an instrument's strings, membranes and plates over time, as a filmstrip and as an animation.

mod surface;

use crate::cli::Film;
use crate::failure::Failure;
use crate::session::Session;
use ictus_analysis::plot::{self, Axis, Curve, Lines, PALETTE, Rgb};
use ictus_engine::{Performance, StringView};
use ictus_experiments::Animation;
use ictus_experiments::view::grid;
use std::process::ExitCode;
use surface::Map;

/// Pictures on the strip.
const STRIP: usize = 9;
/// How long a frame of the animation is shown, ms.
const FRAME_MS: u16 = 60;
const GREY: Rgb = Rgb(0x8A, 0x8F, 0x96);
const MILLI: f64 = 1e3;

/// Shapes of one string, m, with their times, s.
struct Reel<'a> {
    view: &'a StringView,
    shots: Vec<(f64, Vec<f64>)>,
}

pub fn run(options: &Film) -> Result<ExitCode, Failure> {
    let (from, to) = (options.from, options.to);
    if !(from >= 0.0 && to > from && to <= 3600.0) {
        return Err(Failure::new(
            format!("--from {from} --to {to} is no stretch of time"),
            "expected 0 ≤ from < to ≤ 3600, such as --from 0 --to 0.02",
        ));
    }
    let session = Session::open(&options.play)?;
    let (mut reels, maps) = film(&session, options);
    reels.retain(|reel| !reel.shots.is_empty());
    if reels.is_empty() && maps.is_empty() {
        return Err(Failure::new(
            format!("{} has no string, membrane or plate on a grid to film", session.title()),
            "what is given by `modes` has no grid; film a string that uses `points` or neither, or a surface of `kind = \"grid\"`",
        ));
    }
    std::fs::create_dir_all(&options.out).map_err(|error| Failure::file(&options.out, "create the folder", &error))?;
    for reel in &reels {
        reel.write(options, &session.title())?;
    }
    for map in &maps {
        map.write(options, &session.title())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Plays until the end of the stretch, taking shots at even times.
fn film<'a>(session: &'a Session, options: &Film) -> (Vec<Reel<'a>>, Vec<Map<'a>>) {
    let rate = f64::from(session.instrument.sample_rate());
    let mut reels: Vec<Reel> =
        session.instrument.strings().iter().map(|view| Reel { view, shots: Vec::new() }).collect();
    let mut maps: Vec<Map> = session.instrument.surfaces().iter().map(Map::new).collect();
    let mut performance = Performance::new(&session.instrument);
    performance.audit(false);
    let mut block = [[0.0f32; 2]; 256];
    let mut played = 0;
    for frame in 0..options.frames {
        let share = f64::from(frame) / f64::from(options.frames - 1);
        let due = ((options.from + share * (options.to - options.from)) * rate).round() as u64;
        while played < due {
            let n = (due - played).min(block.len() as u64) as usize;
            performance.render(&mut block[..n]);
            played += n as u64;
        }
        for reel in &mut reels {
            if let Some(profile) = performance.state().profile(session.instrument.model(), reel.view.body) {
                reel.shots.push((played as f64 / rate, profile.into_owned()));
            }
        }
        for map in &mut maps {
            map.shoot(&session.instrument, performance.state(), played as f64 / rate);
        }
    }
    (reels, maps)
}

impl Reel<'_> {
    fn write(&self, options: &Film, title: &str) -> Result<(), Failure> {
        let title = format!("{title}: {}", self.view.id);
        let count = STRIP.min(self.shots.len());
        let chosen = (0..count).map(|i| &self.shots[i * (self.shots.len() - 1) / (count - 1).max(1)]);
        let strip: Vec<Lines> = chosen.map(|shot| self.draw(shot)).collect();
        for extension in ["png", "svg"] {
            let path = options.out.join(format!("{}-filmstrip.{extension}", self.view.id));
            plot::panels(&path, &title, 3, &strip)?;
            eprintln!("  wrote {}", path.display());
        }
        let frames = self.shots.iter().map(|shot| grid("frame", &title, 1, vec![self.draw(shot)])).collect();
        let animation = Animation { name: "film", frames, frame_ms: FRAME_MS };
        let path = options.out.join(format!("{}.apng", self.view.id));
        let bytes = animation.apng(&options.out)?;
        std::fs::write(&path, bytes).map_err(|error| Failure::file(&path, "write", &error))?;
        eprintln!("  wrote {}", path.display());
        Ok(())
    }

    fn draw(&self, (time, shape): &(f64, Vec<f64>)) -> Lines {
        let length = self.view.length;
        let reach = self.shots.iter().flat_map(|(_, shape)| shape).fold(1e-9f64, |reach, u| reach.max(u.abs()));
        let y = Axis::linear("Displacement (mm)").with_range(-1.15 * reach * MILLI, 1.15 * reach * MILLI);
        let x = Axis::linear("Position (mm)").with_range(0.0, length * MILLI);
        let mut plot = Lines::new(format!("{:.2} ms", time * MILLI), x, y);
        for barrier in &self.view.barriers {
            let points = barrier.iter().map(|(x, height)| (x * MILLI, height * MILLI)).collect();
            plot = plot.with(Curve::new("", points).marked().color(GREY));
        }
        let intervals = (shape.len() - 1) as f64;
        let points =
            shape.iter().enumerate().map(|(i, u)| (i as f64 / intervals * length * MILLI, u * MILLI)).collect();
        plot.with(Curve::new("", points).color(PALETTE[0]))
    }
}
