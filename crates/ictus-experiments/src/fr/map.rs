//! Where a bow plays what: bow force against place (Schelleng) and against acceleration (Guettler).
//!
//! Helmholtz motion needs a force between f_min = v Z σ/(4 f β² Δμ) and f_max = 2 v Z/(β Δμ): below it the string slips more than once per period, above
//! it does not let go in time. Z is the wave impedance, σ the decay rate of the string (for a bridge of resistance R = 2Zf/σ), Δμ = μ_S − μ_C.
//! [Schelleng 1973; Guettler 2002]

mod regime;

use super::bow::{Bow, PARAMETERS, ramped};
use crate::figure::{Error, Parameter, Values, within};
use crate::metric::Metric;
use crate::outcome::{Outcome, Table};
use crate::view::grid;
use ictus_analysis::plot::{Axis, Curve, Lines, Stroke};
use ictus_instrument::Error as FileError;
use rayon::prelude::*;
pub use regime::Regime;

/// Adds what theory says to the plot, and measures how well the cells agree.
type Finish = fn(&Bow, &Values, &[Cell], Lines) -> (Vec<Metric>, Lines);

/// A map: what it is called and which numbers it depends on beside those of the string.
#[derive(Debug)]
pub struct Map {
    /// On the command line and in the names of files.
    pub id: &'static str,
    /// One line.
    pub title: &'static str,
    /// What it depends on.
    pub parameters: &'static [Parameter],
    cell: fn(&Bow, &Values, f64, f64) -> Result<Regime, FileError>,
    finish: Finish,
    axis: &'static str,
}

/// One bow stroke and what came of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// Place (share of the length) or acceleration (m/s²).
    pub x: f64,
    /// Bow force, N.
    pub force: f64,
    /// What was played.
    pub regime: Regime,
}

/// Bristles stiffer than those of the figures: under a large force softer ones bend as far as the string swings, and nothing slides.
const HARD: Parameter = within("stiffness", 3e4, "N/m", "k_e of the bristles", (1.0, 1e12));
const COLUMNS: Parameter = within("columns", 16.0, "", "cells across", (2.0, 400.0));
const ROWS: Parameter = within("rows", 32.0, "", "cells up", (2.0, 400.0));

/// Bow force against place.
pub static SCHELLENG: Map = Map {
    id: "schelleng",
    title: "Bow force against the place of the bow",
    parameters: &[
        COLUMNS,
        within("rows", 40.0, "", "cells up", (2.0, 400.0)),
        within("x_from", 0.06, "", "nearest place, a share of the length", (0.001, 0.5)),
        within("x_to", 0.2, "", "farthest place", (0.001, 0.5)),
        within("force_from", 0.05, "N", "least force", (1e-6, 1e3)),
        // above the largest force at the nearest place, which would otherwise be left out of the fit
        within("force_to", 300.0, "N", "largest force", (1e-6, 1e3)),
        HARD,
    ],
    cell: schelleng,
    finish: schelleng_laws,
    axis: "Place of the bow (share of the length)",
};

/// Bow force against acceleration.
pub static GUETTLER: Map = Map {
    id: "guettler",
    title: "Bow force against acceleration from rest",
    parameters: &[
        COLUMNS,
        ROWS,
        within("x_from", 0.05, "m/s²", "least acceleration", (1e-4, 1e3)),
        within("x_to", 10.0, "m/s²", "largest acceleration", (1e-4, 1e3)),
        within("force_from", 0.1, "N", "least force", (1e-6, 1e3)),
        within("force_to", 20.0, "N", "largest force", (1e-6, 1e3)),
        within("place", 0.1, "", "place of the bow, a share of the length", (0.001, 0.5)),
        HARD,
    ],
    cell: guettler,
    finish: |_, _, _, plot| (Vec::new(), plot),
    axis: "Acceleration (m/s²)",
};

/// Every map.
pub static MAPS: [&Map; 2] = [&SCHELLENG, &GUETTLER];

impl Map {
    /// Its own parameters and the string's, with some replaced, as `(name, number)`.
    pub fn values(&self, settings: &[(String, String)]) -> Result<Values, Error> {
        let own = |p: &&Parameter| self.parameters.iter().all(|own| own.name != p.name);
        let all: Vec<Parameter> = self.parameters.iter().chain(PARAMETERS.iter().filter(own)).copied().collect();
        Values::defaults(&all).with(self.id, settings)
    }

    /// Plays every cell, on all cores; `progress` hears of each one done.
    pub fn run(&self, values: &Values, progress: &(dyn Fn() + Sync)) -> Result<(Vec<Cell>, Outcome), Error> {
        self.play(values, progress).map_err(|error| Error::File { figure: self.id, error })
    }

    fn play(&self, values: &Values, progress: &(dyn Fn() + Sync)) -> Result<(Vec<Cell>, Outcome), FileError> {
        let bow = Bow::new(values);
        let spread = |from: &str, to: &str, count: &str| -> Vec<f64> {
            let (from, to, n) = (values.get(from), values.get(to), values.count(count));
            (0..n).map(|i| from * libm::pow(to / from, i as f64 / (n - 1) as f64)).collect()
        };
        let (across, up) = (spread("x_from", "x_to", "columns"), spread("force_from", "force_to", "rows"));
        let places: Vec<(f64, f64)> = across.iter().flat_map(|&x| up.iter().map(move |&force| (x, force))).collect();
        let cells = places
            .into_par_iter()
            .map(|(x, force)| {
                let regime = (self.cell)(&bow, values, x, force)?;
                progress();
                Ok(Cell { x, force, regime })
            })
            .collect::<Result<Vec<Cell>, FileError>>()?;
        let range = |values: &[f64]| (values[0].min(values[values.len() - 1]), values[0].max(values[values.len() - 1]));
        let ((left, right), (low, high)) = (range(&across), range(&up));
        let mut plot = Lines::new(
            "",
            Axis::log(self.axis).with_range(left / 1.05, right * 1.05),
            Axis::log("Bow force (N)").with_range(low / 1.1, high * 1.1),
        );
        for regime in Regime::ALL {
            let points = cells.iter().filter(|cell| cell.regime == regime).map(|cell| (cell.x, cell.force)).collect();
            plot = plot.with(Curve::new(regime.name(), points).stroke(Stroke::Points).color(regime.color()));
        }
        let (mut metrics, plot) = (self.finish)(&bow, values, &cells, plot);
        for regime in Regime::ALL {
            let count = cells.iter().filter(|cell| cell.regime == regime).count();
            metrics.push(Metric::shown(format!("cells: {}", regime.name()), "", count as f64));
        }
        let column = |f: fn(&Cell) -> f64| cells.iter().map(f).collect::<Vec<_>>();
        let table = Table::new("")
            .with("x", column(|cell| cell.x))
            .with("force_n", column(|cell| cell.force))
            .with("regime", column(|cell| f64::from(cell.regime as u8)));
        let pictures = vec![grid("", self.title, 1, vec![plot])];
        Ok((cells, Outcome { metrics, pictures, tables: vec![table], animations: Vec::new() }))
    }
}

/// f_min and f_max in theory, N.
fn limits(bow: &Bow, speed: f64, place: f64) -> (f64, f64) {
    let scale = speed * bow.impedance() / bow.grip();
    (scale / (4.0 * bow.decay() * bow.pitch * place * place), 2.0 * scale / place)
}

/// A comfortable stroke first, then the force glides to where it is to be tried: what a force can keep up, not what it can start.
fn schelleng(bow: &Bow, values: &Values, place: f64, force: f64) -> Result<Regime, FileError> {
    let (start, slide, hold) = (1.5 * values.get("ramp"), 0.3, 0.35);
    let speed = values.get("speed");
    let (least, most) = limits(bow, speed, place);
    let comfort = (least * most).sqrt();
    let mut run = bow.played_at(place)?;
    let total = start + slide + hold;
    let heard = (0.25 * bow.rate) as usize;
    let steps = (total * bow.rate) as usize;
    let mut slides = Vec::with_capacity(heard);
    for n in 0..steps {
        let time = n as f64 / bow.rate;
        let way = ((time - start) / slide).clamp(0.0, 1.0);
        let sliding = run.step(comfort * libm::pow(force / comfort, way), ramped(speed, values.get("ramp"), time));
        if n + heard >= steps {
            slides.push((sliding, speed));
        }
    }
    Ok(Regime::of(&slides, bow.rate / bow.pitch))
}

/// From rest at a steady acceleration: what is played from the 20th to the 35th period.
fn guettler(bow: &Bow, values: &Values, acceleration: f64, force: f64) -> Result<Regime, FileError> {
    let period = bow.rate / bow.pitch;
    let (from, to) = ((20.0 * period) as usize, (35.0 * period) as usize);
    let mut run = bow.played_at(values.get("place"))?;
    let mut slides = Vec::with_capacity(to - from);
    for n in 0..to {
        let speed = acceleration * n as f64 / bow.rate;
        let sliding = run.step(force, speed);
        if n >= from {
            slides.push((sliding, speed));
        }
    }
    Ok(Regime::of(&slides, period))
}

/// The borders of Helmholtz motion, their exponents, and the theory's lines.
fn schelleng_laws(bow: &Bow, values: &Values, cells: &[Cell], plot: Lines) -> (Vec<Metric>, Lines) {
    let rows = values.count("rows");
    let borders: Vec<(f64, f64, f64)> = cells.chunks(rows).filter_map(border).collect();
    let fit = |of: fn(&(f64, f64, f64)) -> f64, inside: &dyn Fn(f64) -> bool| {
        let points: Vec<(f64, f64)> =
            borders.iter().filter(|b| inside(of(b))).map(|b| (libm::log(b.0), libm::log(of(b)))).collect();
        slope(&points)
    };
    // a border at the edge of the map is the map's, not the string's
    let (low, high) = (values.get("force_from"), values.get("force_to"));
    let inside = |force: f64| force > 1.05 * low && force < high / 1.05;
    let least = fit(|b| b.1, &inside);
    let most = fit(|b| b.2, &inside);
    let claim = "f_max falls as 1/β, f_min as 1/β² [Schelleng]";
    let metrics = vec![
        Metric::shown("exponent of the largest force over the place", claim, most),
        Metric::shown("exponent of the least force over the place", claim, least),
    ];
    let speed = values.get("speed");
    let line = |label: &str, f: &dyn Fn(f64) -> f64| {
        let points = borders.iter().map(|b| (b.0, f(b.0))).collect();
        Curve::new(label, points).dashed().color(crate::view::GREY)
    };
    let plot = plot
        .with(line("theory", &|place| limits(bow, speed, place).0))
        .with(line("", &|place| limits(bow, speed, place).1));
    (metrics, plot)
}

/// Place, least and largest force of the longest unbroken stretch of Helmholtz motion in a column.
fn border(column: &[Cell]) -> Option<(f64, f64, f64)> {
    let runs = column.chunk_by(|a, b| (a.regime == Regime::Helmholtz) == (b.regime == Regime::Helmholtz));
    let longest = runs.filter(|run| run[0].regime == Regime::Helmholtz).max_by_key(|run| run.len())?;
    Some((longest[0].x, longest[0].force, longest[longest.len() - 1].force))
}

/// Slope of a straight line through points; 0 for fewer than two.
fn slope(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let (mx, my) = (points.iter().map(|p| p.0).sum::<f64>() / n, points.iter().map(|p| p.1).sum::<f64>() / n);
    let (sxy, sxx) =
        points.iter().fold((0.0, 0.0), |(xy, xx), p| (xy + (p.0 - mx) * (p.1 - my), xx + (p.0 - mx) * (p.0 - mx)));
    if sxx > 0.0 { sxy / sxx } else { 0.0 }
}
