//! Membranes and plates on a grid, also the heads of drums: parameters, grid, and all the places where something touches them.
//!
//! Wires add ports to the surface they lie over, so a surface is planned first, then given its ports, then built.

use super::{BodyPlan, Findings, drum, refuse};
use crate::compile::inputs::Inputs;
use crate::compile::{Site, SurfaceView};
use crate::drive::Drive;
use ictus_core::{
    Air, BodyId, BuildError, ContactId, Drum, Edge, FastResonator, Outline, Surface, SurfaceGrid, SurfaceParameters,
};
use ictus_instrument as file;
use ictus_instrument::{Error, Grid, Loaded};
use ictus_objects::{CircularEdge, Material, RectangularEdges, Shape};
use std::f64::consts::{LN_10, PI, TAU};

/// The lowest root of J0.
const MEMBRANE_ROOT: f64 = 2.404_825_557_695_773;
/// Frequencies, as multiples of the lowest mode's, at which the loss of a surface is that of its material.
const HEARD: [f64; 2] = [1.0, 10.0];

/// A surface or drum before it is built.
pub(in crate::compile) struct SurfacePlan {
    id: String,
    heads: Vec<Surface>,
    /// Places of the ports of every head; `None` is the mean of the head.
    positions: Vec<Vec<Option<[f64; 2]>>>,
    /// Head and number there of every port.
    ports: Vec<(usize, usize)>,
    /// What each head is called in pictures.
    pub names: Vec<String>,
    /// The air of a drum.
    pub air: Option<Air>,
    /// Heads under a pedal.
    pub pedals: Vec<usize>,
}

impl SurfacePlan {
    /// Without surfaces and ports.
    pub fn new(id: &str) -> Self {
        Self {
            id: id.to_owned(),
            heads: Vec::new(),
            positions: Vec::new(),
            ports: Vec::new(),
            names: Vec::new(),
            air: None,
            pedals: Vec::new(),
        }
    }

    /// The plan of a membrane or plate.
    pub fn of_grid(site: Site, id: &str, grid: &Grid) -> Result<Self, Error> {
        let mut plan = Self::new(id);
        let Grid { shape, material, frequency_hz, decay, .. } = grid;
        let sheet = Sheet { shape, material, pitch: *frequency_hz, decay: *decay, highest: 1.0 };
        plan.head(site, &sheet, grid.points, 0.0, "")?;
        plan.names.push(id.to_owned());
        plan.add_ports(&grid.ports);
        Ok(plan)
    }

    /// The ports of the file.
    pub fn add_ports(&mut self, ports: &[file::GridPort]) {
        for port in ports {
            self.add_port(port.head, port.at);
        }
    }

    /// Adds a surface. `share` of its stability limit belongs to others; `below` is where it stands in the resonator.
    pub(super) fn head(
        &mut self,
        Site { loaded, clock, .. }: Site,
        sheet: &Sheet,
        points: Option<usize>,
        share: f64,
        below: &str,
    ) -> Result<(), Error> {
        let path = format!("{}{below}", self.id);
        let refused = |error: BuildError| refuse(loaded, &path, &error);
        let mut parameters = sheet.parameters(loaded, &path)?;
        // the grid must bear the tension of the highest pitch
        parameters.tension *= sheet.highest * sheet.highest;
        let grid = match points {
            Some(points) => cells(parameters.outline, points),
            None => parameters.finest(clock.dt / (1.0 - share).max(0.1)).map_err(refused)?,
        };
        if let (Some(pitch), false) = (sheet.pitch, parameters.tension == 0.0) {
            // the grid's lowest eigenvalue is that of the continuum on a disc, its own on a rectangle; time bends it besides
            let wave = match parameters.outline {
                Outline::Disc(radius) => (MEMBRANE_ROOT / radius) * (MEMBRANE_ROOT / radius),
                Outline::Rectangle([x, y]) => {
                    let part = |side: f64, n: usize| {
                        let half = libm::sin(0.5 * PI / n as f64) * 2.0 * n as f64 / side;
                        half * half
                    };
                    part(x, grid.columns) + part(y, grid.rows)
                }
            };
            let omega = 2.0 / clock.dt * libm::sin(PI * sheet.highest * pitch * clock.dt);
            parameters.tension = parameters.density * omega * omega / wave;
        }
        self.heads.push(Surface::new(clock, parameters, grid, &[]).map_err(refused)?);
        self.positions.push(Vec::new());
        Ok(())
    }

    /// A new port on a head; returns its index.
    pub fn add_port(&mut self, head: usize, at: Option<[f64; 2]>) -> usize {
        self.positions[head].push(at);
        self.ports.push((head, self.positions[head].len() - 1));
        self.ports.len() - 1
    }

    /// A head as it is, without ports.
    pub fn surface(&self, head: usize) -> &Surface {
        &self.heads[head]
    }

    /// The surfaces for pictures. `touched` are ports of the body with the contacts there.
    pub fn views(&self, body: BodyId, touched: &[(usize, ContactId)]) -> Vec<SurfaceView> {
        let view = |(which, head): (usize, &Surface)| {
            let (sides, round) = match head.outline() {
                Outline::Rectangle(sides) => (sides, false),
                Outline::Disc(radius) => ([2.0 * radius; 2], true),
            };
            let here = touched.iter().filter_map(|&(port, contact)| {
                let (head, local) = *self.ports.get(port)?;
                (head == which).then_some((self.positions[head][local]?, contact))
            });
            SurfaceView { id: self.names[which].clone(), body, which, sides, round, touched: here.collect() }
        };
        self.heads.iter().enumerate().map(view).collect()
    }
}

impl BodyPlan for SurfacePlan {
    fn build(&self, Site { loaded, clock, .. }: Site, _: &mut Findings) -> Result<Box<dyn FastResonator>, Error> {
        let refused = |error: BuildError| refuse(loaded, &self.id, &error);
        let heads = self.heads.iter().zip(&self.positions);
        let mut heads = heads.map(|(head, at)| head.with_places(at)).collect::<Result<Vec<_>, _>>().map_err(refused)?;
        Ok(match self.air {
            Some(air) => Box::new(Drum::new(clock, heads, air, self.ports.clone()).map_err(refused)?),
            None => Box::new(heads.remove(0)),
        })
    }

    fn drives(&self, inputs: &Inputs, (resonator, body): (usize, BodyId)) -> Vec<Box<dyn Drive>> {
        let pedal = |head: usize| {
            let pitch = inputs.find(file::InputKind::Pedal { resonator, head })?;
            // the tension that a head was built for is not that of its pedal at the start: no pitch is set yet
            let built = if self.pedals.contains(&head) { f64::NAN } else { 1.0 };
            Some(Box::new(drum::PedalDrive { body, head, pitch, built }) as Box<dyn Drive>)
        };
        (0..self.heads.len()).filter_map(pedal).collect()
    }

    fn as_surface(&mut self) -> Option<&mut SurfacePlan> {
        Some(self)
    }
}

/// Cells of about the same size in both directions, `points` of them along the longer one.
fn cells(outline: Outline, points: usize) -> SurfaceGrid {
    match outline {
        Outline::Disc(_) => SurfaceGrid { columns: points, rows: points },
        Outline::Rectangle([x, y]) => {
            let other = |ratio: f64| ((points as f64 * ratio).round() as usize).max(4);
            if x >= y {
                SurfaceGrid { columns: points, rows: other(y / x) }
            } else {
                SurfaceGrid { columns: other(x / y), rows: points }
            }
        }
    }
}

/// A surface as the file describes it.
pub(super) struct Sheet<'a> {
    pub shape: &'a Shape,
    pub material: &'a Material,
    pub pitch: Option<f64>,
    pub decay: Option<[(f64, f64); 2]>,
    /// How many times as high a pedal takes the pitch.
    pub highest: f64,
}

impl Sheet<'_> {
    fn parameters(&self, loaded: &Loaded, path: &str) -> Result<SurfaceParameters, Error> {
        let Material { density_kg_m3, young_pa, poisson, .. } = *self.material;
        let (outline, thickness, tension, edge) = match *self.shape {
            Shape::RectangularMembrane { length_m, width_m, thickness_m, tension_n_m } => {
                (Outline::Rectangle([length_m, width_m]), thickness_m, tension_n_m, Edge::Supported)
            }
            Shape::CircularMembrane { radius_m, thickness_m, tension_n_m } => {
                (Outline::Disc(radius_m), thickness_m, tension_n_m, Edge::Supported)
            }
            Shape::RectangularPlate { length_m, width_m, thickness_m, edges } => {
                let edge = match edges {
                    RectangularEdges::Free => Edge::Free,
                    RectangularEdges::Supported => Edge::Supported,
                    RectangularEdges::Clamped => Edge::Clamped,
                };
                (Outline::Rectangle([length_m, width_m]), thickness_m, 0.0, edge)
            }
            Shape::CircularPlate { radius_m, thickness_m, edge } => {
                let edge = match edge {
                    CircularEdge::Free => Edge::Free,
                    CircularEdge::Clamped => Edge::Clamped,
                    CircularEdge::Supported => Edge::Supported,
                };
                (Outline::Disc(radius_m), thickness_m, 0.0, edge)
            }
            _ => unreachable!("the file's rules allow membranes and plates only"),
        };
        let plate = tension == 0.0;
        let cubed = thickness * thickness * thickness;
        let mut parameters = SurfaceParameters {
            outline,
            density: density_kg_m3 * thickness,
            tension,
            rigidity: if plate { young_pa * cubed / (12.0 * (1.0 - poisson * poisson)) } else { 0.0 },
            poisson,
            damping: 0.0,
            diffusion: 0.0,
            edge,
        };
        if let Some(pitch) = self.pitch {
            parameters.tension = parameters.density * (TAU * pitch) * (TAU * pitch) / lowest_wave(outline);
        }
        (parameters.damping, parameters.diffusion) = self.losses(loaded, path, &parameters)?;
        Ok(parameters)
    }

    /// σ0 and σ1: σ(ω) = σ0 + σ1 β², β the wave number at ω, met at two frequencies.
    fn losses(&self, loaded: &Loaded, path: &str, parameters: &SurfaceParameters) -> Result<(f64, f64), Error> {
        let (c2, kappa2) = (parameters.tension / parameters.density, parameters.rigidity / parameters.density);
        let wave = |frequency: f64| {
            let omega = TAU * frequency;
            // ω² = c²β² + κ²β⁴, in the form that survives κ → 0
            2.0 * omega * omega / (c2 + (c2 * c2 + 4.0 * kappa2 * omega * omega).sqrt())
        };
        let rates = match self.decay {
            Some(pair) => pair.map(|(frequency, decay)| (frequency, 3.0 * LN_10 / decay)),
            None => {
                let q = lowest_wave(parameters.outline);
                let lowest = (c2 * q + kappa2 * q * q).sqrt() / TAU;
                HEARD.map(|factor| (factor * lowest, self.material.damping.rate(factor * lowest)))
            }
        };
        let [(low, slow), (high, fast)] = rates;
        let diffusion = (fast - slow) / (wave(high) - wave(low));
        let damping = slow - diffusion * wave(low);
        if damping < 0.0 && self.decay.is_none() {
            // the loss of the material rises more steeply than a surface's can: right at the lowest mode, too little above
            return Ok((0.0, slow / wave(low)));
        }
        if diffusion < 0.0 || damping < 0.0 {
            let message = format!(
                "`{path}` decays in {:.3} s at {low:.0} Hz and {:.3} s at {high:.0} Hz, expected a loss that grows at most as the square of the wave number",
                3.0 * LN_10 / slow,
                3.0 * LN_10 / fast
            );
            return Err(loaded.error_at(&format!("{path}.decay"), "engine::out_of_range", message, "here", None));
        }
        Ok((damping, diffusion))
    }
}

/// −Δ of the lowest mode with a held rim, 1/m².
fn lowest_wave(outline: Outline) -> f64 {
    match outline {
        Outline::Disc(radius) => (MEMBRANE_ROOT / radius) * (MEMBRANE_ROOT / radius),
        Outline::Rectangle([x, y]) => (PI / x) * (PI / x) + (PI / y) * (PI / y),
    }
}
