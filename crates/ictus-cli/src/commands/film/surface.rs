//! Membranes and plates from above, with the points where something touches them.

use super::{FRAME_MS, MILLI, STRIP};
use crate::cli::Film;
use crate::failure::Failure;
use ictus_analysis::plot::{HeatMap, heat_maps};
use ictus_core::State;
use ictus_engine::{Patch, SurfaceView};
use ictus_experiments::animation::join;
use std::path::PathBuf;

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

    /// True if the surface could be read.
    pub fn has_shots(&self) -> bool {
        !self.shots.is_empty()
    }

    pub fn shoot(&mut self, patch: &Patch, state: &State, time: f64) {
        let values = heights(self.view, patch, state);
        if values.is_empty() {
            return;
        }
        let [columns, _] = raster(self.view);
        let aspect = self.view.sides[1] / self.view.sides[0];
        let touched = self.view.touched.iter();
        let marks = touched.map(|&(at, contact)| (self.place(at), state.contact_force(contact) != 0.0)).collect();
        self.shots.push(HeatMap { title: format!("{:.2} ms", time * MILLI), values, columns, aspect, marks });
    }

    /// Writes the pictures and returns their names.
    pub fn write(&self, options: &Film, title: &str) -> Result<Vec<PathBuf>, Failure> {
        let values = self.shots.iter().flat_map(|shot| &shot.values).filter(|u| u.is_finite());
        let reach = values.fold(1e-9_f64, |reach, u| reach.max(u.abs()));
        let title = format!("{title}: {} (up to {:.3} mm)", self.view.id, reach * MILLI);
        let count = STRIP.min(self.shots.len());
        let chosen = (0..count).map(|i| self.shots[i * (self.shots.len() - 1) / (count - 1).max(1)].clone());
        let strip: Vec<HeatMap> = chosen.collect();
        let filmstrip = options.out.join(format!("{}-filmstrip.png", self.view.id));
        heat_maps(&filmstrip, &title, 3, reach, &strip)?;
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
        Ok(vec![filmstrip, path])
    }
}

/// Columns and rows of a picture.
fn raster(view: &SurfaceView) -> [usize; 2] {
    let aspect = view.sides[1] / view.sides[0];
    let count = |share: f64| ((POINTS as f64 * share).round() as usize).max(8);
    if aspect > 1.0 { [count(1.0 / aspect), POINTS] } else { [POINTS, count(aspect)] }
}

/// Displacements over the raster, row by row from the top, m; NaN outside a disc. Empty if the body has no surface to read.
pub(super) fn heights(view: &SurfaceView, patch: &Patch, state: &State) -> Vec<f64> {
    let Some(sheet) = state.surface_shape(patch.model(), view.body, view.which) else { return Vec::new() };
    let [columns, rows] = raster(view);
    let mut values = Vec::with_capacity(columns * rows);
    for row in 0..rows {
        for column in 0..columns {
            let (u, v) = ((column as f64 + 0.5) / columns as f64, 1.0 - (row as f64 + 0.5) / rows as f64);
            let at = if view.round { [2.0 * u - 1.0, 2.0 * v - 1.0] } else { [u, v] };
            let outside = view.round && at[0] * at[0] + at[1] * at[1] > 1.0;
            values.push(if outside { f64::NAN } else { sheet.read(at) });
        }
    }
    values
}
