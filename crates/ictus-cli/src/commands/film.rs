//! `ictus film`: the shapes of an instrument's strings, membranes and plates over time, as a filmstrip and as an animation.

mod surface;

use crate::cli::Film;
use crate::failure::Failure;
use crate::session::Session;
use ictus_analysis::plot::{self, Axis, Curve, Lines, PALETTE, Rgb};
use ictus_engine::{Player, StringView};
use ictus_experiments::Animation;
use ictus_experiments::view::grid;
use std::path::PathBuf;
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

/// How long a film is if no end is given, s.
const LENGTH: f64 = 0.02;
/// A change of shape smaller than this is no motion, m.
const STILL: f64 = 1e-9;
/// Frames between checks for the first motion.
const LOOK: usize = 32;

pub fn run(options: &Film) -> Result<ExitCode, Failure> {
    let session = Session::open(&options.play)?;
    let window = window(&session, options)?;
    let (mut reels, mut maps) = film(&session, options.frames, window);
    reels.retain(|reel| !reel.shots.is_empty());
    maps.retain(Map::has_shots);
    if reels.is_empty() && maps.is_empty() {
        return Err(Failure::new(
            format!("{} has no string, membrane or plate on a grid to film", session.title()),
            "a body given by `modes` has no grid; film a string that uses `points` or neither, or a surface of `kind = \"grid\"`",
        ));
    }
    std::fs::create_dir_all(&options.out).map_err(|error| Failure::file(&options.out, "create the folder", &error))?;
    let mut written = Vec::new();
    for reel in &reels {
        written.extend(reel.write(options, &session.title())?);
    }
    for map in &maps {
        written.extend(map.write(options, &session.title())?);
    }
    if !options.play.quiet {
        eprintln!("  from {:.4} s to {:.4} s", window[0], window[1]);
        for path in written {
            eprintln!("  wrote {}", path.display());
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Beginning and end of the film, s.
fn window(session: &Session, options: &Film) -> Result<[f64; 2], Failure> {
    let from = match (options.from, options.to) {
        (Some(from), _) => from,
        (None, Some(_)) => 0.0,
        (None, None) => first_motion(session),
    };
    let to = options.to.unwrap_or(from + LENGTH);
    if from >= 0.0 && to > from && to <= 3600.0 {
        return Ok([from, to]);
    }
    Err(Failure::new(
        format!("--from {from} --to {to} is not a time range"),
        "expected 0 ≤ from < to ≤ 3600, such as --from 0 --to 20ms",
    ))
}

/// When the first string or surface leaves the shape it starts in, s; 0 if none ever does.
fn first_motion(session: &Session) -> f64 {
    let shapes = |player: &Player| -> Vec<f64> {
        let (model, state) = (session.patch.model(), player.state());
        let strings = session.patch.strings().iter().filter_map(|view| state.profile(model, view.body));
        let mut shapes: Vec<f64> = strings.flatten().collect();
        for view in session.patch.surfaces() {
            shapes.extend(surface::heights(view, &session.patch, state));
        }
        shapes
    };
    let mut player = session.player();
    player.audit(false);
    let start = shapes(&player);
    if start.is_empty() {
        return 0.0;
    }
    let mut block = [[0.0f32; 2]; LOOK];
    for played in (0..session.frames).step_by(LOOK) {
        player.render(&mut block);
        if shapes(&player).iter().zip(&start).any(|(now, then)| (now - then).abs() > STILL) {
            return played as f64 / f64::from(session.patch.sample_rate());
        }
    }
    0.0
}

/// Plays until the end of the window, taking shots at even times.
fn film(session: &Session, frames: u16, [from, to]: [f64; 2]) -> (Vec<Reel<'_>>, Vec<Map<'_>>) {
    let rate = f64::from(session.patch.sample_rate());
    let mut reels: Vec<Reel> = session.patch.strings().iter().map(|view| Reel { view, shots: Vec::new() }).collect();
    let mut maps: Vec<Map> = session.patch.surfaces().iter().map(Map::new).collect();
    let mut player = session.player();
    player.audit(false);
    let mut block = [[0.0f32; 2]; 256];
    let mut played = 0;
    for frame in 0..frames {
        let share = f64::from(frame) / f64::from(frames - 1);
        let due = ((from + share * (to - from)) * rate).round() as u64;
        while played < due {
            let n = (due - played).min(block.len() as u64) as usize;
            player.render(&mut block[..n]);
            played += n as u64;
        }
        for reel in &mut reels {
            if let Some(profile) = player.state().profile(session.patch.model(), reel.view.body) {
                reel.shots.push((played as f64 / rate, profile));
            }
        }
        for map in &mut maps {
            map.shoot(&session.patch, player.state(), played as f64 / rate);
        }
    }
    (reels, maps)
}

impl Reel<'_> {
    /// Writes the pictures and returns their names.
    fn write(&self, options: &Film, title: &str) -> Result<Vec<PathBuf>, Failure> {
        let mut written = Vec::new();
        let title = format!("{title}: {}", self.view.id);
        let count = STRIP.min(self.shots.len());
        let chosen = (0..count).map(|i| &self.shots[i * (self.shots.len() - 1) / (count - 1).max(1)]);
        let strip: Vec<Lines> = chosen.map(|shot| self.draw(shot)).collect();
        for extension in ["png", "svg"] {
            let path = options.out.join(format!("{}-filmstrip.{extension}", self.view.id));
            plot::panels(&path, &title, 3, &strip)?;
            written.push(path);
        }
        let frames = self.shots.iter().map(|shot| grid("frame", &title, 1, vec![self.draw(shot)])).collect();
        let animation = Animation { name: "film", frames, frame_ms: FRAME_MS };
        let path = options.out.join(format!("{}.apng", self.view.id));
        let bytes = animation.apng(&options.out)?;
        std::fs::write(&path, bytes).map_err(|error| Failure::file(&path, "write", &error))?;
        written.push(path);
        Ok(written)
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
