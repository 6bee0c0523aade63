//! Membranes, plates and drums: parameters, grid, and all the places where something touches them.
//!
//! Wires add ports to the surface they lie over, so a surface is planned first, then given its ports, then built.

use super::SurfaceView;
use super::bodies::refuse;
use super::rub::in_steps;
use crate::score::PedalDrive;
use ictus_core::{
    Air, BodyId, BuildError, Clock, ContactId, Drum, Edge, Outline, Resonator, Surface, SurfaceGrid, SurfaceParameters,
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
pub(super) struct GridPlan {
    id: String,
    heads: Vec<Surface>,
    positions: Vec<Vec<[f64; 2]>>,
    /// Head and number there of every port.
    ports: Vec<(usize, usize)>,
    /// The air of a drum.
    air: Option<Air>,
    /// Heads under a pedal: which, and its pitch as a share of its highest, `(s, share)`.
    pedals: Vec<(usize, Vec<(f64, f64)>)>,
}

impl GridPlan {
    /// The plan of a resonator that is a surface or a drum.
    pub fn of(loaded: &Loaded, clock: Clock, resonator: &file::Resonator) -> Result<Option<Self>, Error> {
        let id = &resonator.id;
        let mut plan = Self {
            id: id.clone(),
            heads: Vec::new(),
            positions: Vec::new(),
            ports: Vec::new(),
            air: None,
            pedals: Vec::new(),
        };
        let ports = match &resonator.kind {
            file::ResonatorKind::Grid(grid) => {
                let Grid { shape, material, frequency_hz, decay, .. } = &**grid;
                let sheet = Sheet { shape, material, pitch: *frequency_hz, decay: *decay, highest: 1.0 };
                plan.head(loaded, clock, &sheet, grid.points, 0.0, "")?;
                &grid.ports
            }
            file::ResonatorKind::Drum(drum) => {
                let area = PI * drum.radius_m * drum.radius_m;
                let air = Air {
                    volume: area * drum.depth_m,
                    depth: drum.depth_m,
                    cells: drum.air_cells,
                    damping: 3.0 * std::f64::consts::LN_10 / drum.air_decay_s,
                };
                let densities = drum.heads.iter().map(|head| (area, head.material.density_kg_m3 * head.thickness_m));
                // a little more than the heads will say: their staircases differ from the disc
                let share = 1.1 * air.share(clock.dt, densities);
                for (index, head) in drum.heads.iter().enumerate() {
                    let shape = Shape::CircularMembrane {
                        radius_m: drum.radius_m,
                        thickness_m: head.thickness_m,
                        tension_n_m: head.tension_n_m.unwrap_or(1.0),
                    };
                    let highest = head.pedal.iter().map(|&(_, factor)| factor).reduce(f64::max);
                    if let Some(highest) = highest {
                        let share = head.pedal.iter().map(|&(time, factor)| (time, factor / highest));
                        plan.pedals.push((index, share.collect()));
                    }
                    let sheet = Sheet {
                        shape: &shape,
                        material: &head.material,
                        pitch: head.frequency_hz,
                        decay: head.decay,
                        highest: highest.unwrap_or(1.0),
                    };
                    plan.head(loaded, clock, &sheet, head.points, share, &format!(".heads[{index}]"))?;
                }
                plan.air = Some(air);
                &drum.ports
            }
            _ => return Ok(None),
        };
        for port in ports {
            plan.add_port(port.head, port.at);
        }
        Ok(Some(plan))
    }

    /// Adds a surface. `share` of its stability limit belongs to others; `below` is where it stands in the resonator.
    fn head(
        &mut self,
        loaded: &Loaded,
        clock: Clock,
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
    pub fn add_port(&mut self, head: usize, at: [f64; 2]) -> usize {
        self.positions[head].push(at);
        self.ports.push((head, self.positions[head].len() - 1));
        self.ports.len() - 1
    }

    /// What the feet do to the heads.
    pub fn pedals(&self, clock: Clock, body: BodyId) -> impl Iterator<Item = PedalDrive> {
        self.pedals.iter().map(move |(head, pitch)| PedalDrive { body, head: *head, pitch: in_steps(clock, pitch) })
    }

    /// A head as it is, without ports.
    pub fn surface(&self, head: usize) -> &Surface {
        &self.heads[head]
    }

    pub fn build(&self, loaded: &Loaded, clock: Clock) -> Result<Box<dyn Resonator>, Error> {
        let refused = |error: BuildError| refuse(loaded, &self.id, &error);
        let heads = self.heads.iter().zip(&self.positions);
        let mut heads = heads.map(|(head, at)| head.with_ports(at)).collect::<Result<Vec<_>, _>>().map_err(refused)?;
        Ok(match self.air {
            Some(air) => Box::new(Drum::new(clock, heads, air, self.ports.clone()).map_err(refused)?),
            None => Box::new(heads.remove(0)),
        })
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
struct Sheet<'a> {
    shape: &'a Shape,
    material: &'a Material,
    pitch: Option<f64>,
    decay: Option<[(f64, f64); 2]>,
    /// How many times as high a pedal takes the pitch.
    highest: f64,
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

/// The surfaces of an instrument for pictures. `along` are the contacts of wires: surface, port there, contact.
pub(super) fn views(
    spec: &file::Spec,
    plans: &[Option<GridPlan>],
    ids: &[BodyId],
    interactions: &[ContactId],
    along: &[(usize, usize, ContactId)],
) -> Vec<SurfaceView> {
    let ends = spec.interactions.iter().zip(interactions).flat_map(|(interaction, &contact)| {
        interaction.between.into_iter().filter_map(move |end| match end {
            file::End::Port(port) => Some((port.resonator, port.port, contact)),
            file::End::Wall => None,
        })
    });
    let touched: Vec<(usize, usize, ContactId)> = ends.chain(along.iter().copied()).collect();
    let mut views = Vec::new();
    for (index, plan) in plans.iter().enumerate() {
        let Some(plan) = plan else { continue };
        for (which, head) in plan.heads.iter().enumerate() {
            let id = match &spec.resonators[index].kind {
                file::ResonatorKind::Drum(drum) => format!("{}.{}", plan.id, drum.heads[which].name),
                _ => plan.id.clone(),
            };
            let (sides, round) = match head.outline() {
                Outline::Rectangle(sides) => (sides, false),
                Outline::Disc(radius) => ([2.0 * radius; 2], true),
            };
            let here =
                touched.iter().filter(|(resonator, ..)| *resonator == index).filter_map(|&(_, port, contact)| {
                    let (head, local) = *plan.ports.get(port)?;
                    (head == which).then(|| (plan.positions[head][local], contact))
                });
            views.push(SurfaceView { id, body: ids[index], which, sides, round, touched: here.collect() });
        }
    }
    views
}
