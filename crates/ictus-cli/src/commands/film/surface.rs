//! Membranes and plates from above, with the points where something touches them.

use super::{FRAME_MS, MILLI, STRIP};
use crate::cli::Film;
use crate::failure::Failure;
use ictus_analysis::plot::{HeatMap, heat_maps};
use ictus_core::State;
use ictus_engine::{Instrument, SurfaceView};
use ictus_experiments::animation::join;

/// Points of a map along the longer side.
const POINTS: usize = 90;

/// Shapes of one surface.
pub(super) struct Map<'a> {
    view: &'a SurfaceView,
    shots: Vec<HeatMap>,
}

impl<'a> Map<'a> {
    pub fn new(view: &'a SurfaceView) -> Self {
        Self { view, shots: Vec::new() }
    }

    /// Share of the picture's width and height at which a point of the surface lies; y points up.
    fn place(&self, [x, y]: [f64; 2]) -> (f64, f64) {
        if self.view.round { (0.5 * (x + 1.0), 0.5 * (1.0 - y)) } else { (x, 1.0 - y) }
    }

    pub fn shoot(&mut self, instrument: &Instrument, state: &State, time: f64) {
        let Some(sheet) = state.sheet(instrument.model(), self.view.body, self.view.which) else { return };
        let [width, height] = self.view.sides;
        let aspect = height / width;
        let count = |share: f64| ((POINTS as f64 * share).round() as usize).max(8);
        let (columns, rows) = if aspect > 1.0 { (count(1.0 / aspect), POINTS) } else { (POINTS, count(aspect)) };
        let mut values = Vec::with_capacity(columns * rows);
        for row in 0..rows {
            for column in 0..columns {
                let (u, v) = ((column as f64 + 0.5) / columns as f64, 1.0 - (row as f64 + 0.5) / rows as f64);
                let at = if self.view.round { [2.0 * u - 1.0, 2.0 * v - 1.0] } else { [u, v] };
                let outside = self.view.round && at[0] * at[0] + at[1] * at[1] > 1.0;
                values.push(if outside { f64::NAN } else { sheet.read(at) });
            }
        }
        let touched = self.view.touched.iter();
        let marks = touched.map(|&(at, contact)| (self.place(at), state.contact_force(contact) != 0.0)).collect();
        self.shots.push(HeatMap { title: format!("{:.2} ms", time * MILLI), values, columns, aspect, marks });
    }

    pub fn write(&self, options: &Film, title: &str) -> Result<(), Failure> {
        let values = self.shots.iter().flat_map(|shot| &shot.values).filter(|u| u.is_finite());
        let reach = values.fold(1e-9_f64, |reach, u| reach.max(u.abs()));
        let title = format!("{title}: {} (up to {:.3} mm)", self.view.id, reach * MILLI);
        let count = STRIP.min(self.shots.len());
        let chosen = (0..count).map(|i| self.shots[i * (self.shots.len() - 1) / (count - 1).max(1)].clone());
        let strip: Vec<HeatMap> = chosen.collect();
        let path = options.out.join(format!("{}-filmstrip.png", self.view.id));
        heat_maps(&path, &title, 3, reach, &strip)?;
        eprintln!("  wrote {}", path.display());
        let files: Vec<_> = (0..self.shots.len())
            .map(|i| options.out.join(format!(".{}-{}-{i}.png", self.view.id, std::process::id())))
            .collect();
        let drawn = self
            .shots
            .iter()
            .zip(&files)
            .try_for_each(|(shot, file)| heat_maps(file, &self.view.id, 1, reach, std::slice::from_ref(shot)));
        let joined = drawn.and_then(|()| join(&files, FRAME_MS));
        for file in &files {
            let _ = std::fs::remove_file(file);
        }
        let path = options.out.join(format!("{}.apng", self.view.id));
        std::fs::write(&path, joined?).map_err(|error| Failure::file(&path, "write", &error))?;
        eprintln!("  wrote {}", path.display());
        Ok(())
    }
}
