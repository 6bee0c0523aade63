//! Shapes and their modes: one file per shape, each with its model, source, coordinates and limits.

mod air;
pub(crate) mod bar;
mod cavity;
mod chain;
mod circular_plate;
pub(crate) mod disc;
mod free_plate;
pub(crate) mod kettledrum;
mod membrane;
mod rectangle;
mod ring;
mod string;
mod tube;

use crate::error::{ObjectError, require};
use crate::material::{Material, decay_s};
use crate::object::{Field, Object, ObjectMode};

pub use bar::BarEnds;
pub use circular_plate::CircularEdge;
use kettledrum::Kettle;
pub use rectangle::RectangularEdges;
pub use tube::TubeEnds;

/// Most modes one object can be asked for.
pub const MAX_MODES: usize = 4096;

/// What an object looks like. Lengths in m; points are fractions 0..1 of each side unless said otherwise.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// Bar in bending. x along the bar. Label (k, 0).
    Bar {
        /// Length L.
        length_m: f64,
        /// Width, of importance to the mass only.
        width_m: f64,
        /// Thickness in the direction of motion.
        thickness_m: f64,
        /// How it is held.
        ends: BarEnds,
    },
    /// Stiff string between supports. x along the string. Label (k, 0).
    String {
        /// Speaking length.
        length_m: f64,
        /// Diameter.
        diameter_m: f64,
        /// Tension, N.
        tension_n: f64,
    },
    /// Membrane on a rectangular frame. Label (half waves in x, in y).
    RectangularMembrane {
        /// Side in x.
        length_m: f64,
        /// Side in y.
        width_m: f64,
        /// Thickness.
        thickness_m: f64,
        /// Tension per length of rim, N/m.
        tension_n_m: f64,
    },
    /// Membrane on a hoop. x and y in the unit disc, centre (0, 0). Label (nodal diameters, nodal circles with the rim).
    CircularMembrane {
        /// Radius.
        radius_m: f64,
        /// Thickness.
        thickness_m: f64,
        /// Tension per length of rim, N/m.
        tension_n_m: f64,
    },
    /// Membrane on a kettle, with the air above and below it. x and y in the unit disc, centre (0, 0); with z > 0 a place in the air, in radii from the
    /// centre, where the value is that of the pressure: p = Σ value·q̈. Label (nodal diameters, nodal circles with the rim), (n, 0) for air in the kettle.
    Kettledrum {
        /// Radius.
        radius_m: f64,
        /// Thickness.
        thickness_m: f64,
        /// Tension per length of rim, N/m.
        tension_n_m: f64,
        /// Volume of the kettle over the area of the head.
        depth_m: f64,
    },
    /// Rectangular plate. Label (half waves in x, in y) supported; leading polynomials free (from 0, about the nodal lines) and clamped (from 1).
    RectangularPlate {
        /// Side in x.
        length_m: f64,
        /// Side in y.
        width_m: f64,
        /// Thickness.
        thickness_m: f64,
        /// How the rim is held.
        edges: RectangularEdges,
    },
    /// Circular plate. x and y in the unit disc, centre (0, 0). Label (nodal diameters, nodal circles without the rim).
    CircularPlate {
        /// Radius.
        radius_m: f64,
        /// Thickness.
        thickness_m: f64,
        /// How the rim is held.
        edge: CircularEdge,
    },
    /// Ring bending in its plane. x once around, radial motion. Label (waves around, 0).
    Ring {
        /// Mean radius.
        radius_m: f64,
        /// Thickness in the direction of the radius.
        thickness_m: f64,
        /// Width along the axis, of importance to the mass only.
        width_m: f64,
    },
    /// Wine glass or bowl: a cylinder held at its foot. x once around, y from foot to rim, radial motion. Label (waves around, 0).
    Glass {
        /// Radius.
        radius_m: f64,
        /// Height of the wall.
        height_m: f64,
        /// Thickness of the wall.
        thickness_m: f64,
    },
    /// Air in a box with hard walls; the material is not used. x, y, z; the shape is that of the pressure. Label (waves in x, in y).
    BoxCavity {
        /// Side in x.
        length_m: f64,
        /// Side in y.
        width_m: f64,
        /// Side in z.
        height_m: f64,
        /// Share of sound the walls absorb, 0 for none.
        absorption: f64,
    },
    /// Air in a narrow tube; the material is not used. x along it; the shape is that of the motion of the air. Label (k, 0).
    Tube {
        /// Length.
        length_m: f64,
        /// Radius.
        radius_m: f64,
        /// Which ends are open.
        ends: TubeEnds,
    },
    /// Masses in a row, held by springs and dampers; the material adds its decay. x = i/(n − 1) is mass i. Label (k, 0).
    Chain {
        /// The n masses, kg.
        masses_kg: Vec<f64>,
        /// The n + 1 springs, N/m: wall to first, between neighbours, last to wall; 0 for none.
        springs_n_m: Vec<f64>,
        /// Dampers beside the springs, N s/m; n + 1 of them, or an empty list for none.
        dampers_n_s_m: Vec<f64>,
    },
}

impl Shape {
    /// Air, which has no material.
    pub fn is_air(&self) -> bool {
        matches!(self, Self::BoxCavity { .. } | Self::Tube { .. })
    }
}

/// The shape tuned as its maker or player tunes it, by its tension, so that it sounds at `pitch`; `None` for shapes that are tuned by moving all modes alike.
/// `decay_scale` is the factor on its decays.
pub(crate) fn tightened(
    shape: &Shape,
    material: &Material,
    pitch: f64,
    decay_scale: f64,
) -> Result<Option<Shape>, ObjectError> {
    check_material(material)?;
    match *shape {
        Shape::Kettledrum { radius_m, thickness_m, tension_n_m, depth_m } => {
            let kettle = Kettle { radius: radius_m, thickness: thickness_m, tension: tension_n_m, depth: depth_m };
            let tension_n_m = kettle.tension_for(material, pitch, decay_scale)?;
            Ok(Some(Shape::Kettledrum { radius_m, thickness_m, tension_n_m, depth_m }))
        }
        _ => Ok(None),
    }
}

/// What is wanted of a shape.
#[derive(Clone, Copy)]
struct Request {
    max_hz: f64,
    count: usize,
}

/// A mode as a shape states it.
struct Raw {
    frequency: f64, // Hz
    rate: f64,      // σ, 1/s
    mass: f64,      // kg
    label: (u32, u32),
    field: Field,
}

/// The modes of a shape so far.
struct Family {
    mass: f64,
    lowest: f64,
    modes: Vec<Raw>,
}

impl Family {
    fn new(mass: f64) -> Self {
        Self { mass, lowest: f64::INFINITY, modes: Vec::new() }
    }

    /// Takes a mode if it sounds; false when there is no use in going on to higher ones.
    fn push(&mut self, request: Request, mode: Raw) -> bool {
        self.lowest = self.lowest.min(mode.frequency);
        if self.modes.len() >= request.count || mode.frequency > request.max_hz {
            return false;
        }
        // beyond critical damping there is no oscillation; rigid motion (of a chain) has neither
        if mode.frequency == 0.0 || mode.rate < std::f64::consts::TAU * mode.frequency {
            self.modes.push(mode);
        }
        true
    }
}

/// The modes of a shape of a material: the `max_modes` lowest at most, none above `max_hz`.
pub fn modes(shape: &Shape, material: &Material, max_hz: f64, max_modes: usize) -> Result<Object, ObjectError> {
    require("max_hz", max_hz, 1e-3, 1e9, "Hz")?;
    require("max_modes", max_modes as f64, 1.0, MAX_MODES as f64, "")?;
    check_material(material)?;
    let request = Request { max_hz, count: max_modes };
    let mut family = match *shape {
        Shape::Bar { length_m, width_m, thickness_m, ends } => {
            bar::modes([length_m, width_m, thickness_m], ends, material, request)
        }
        Shape::String { length_m, diameter_m, tension_n } => {
            string::modes(length_m, diameter_m, tension_n, material, request)
        }
        Shape::RectangularMembrane { length_m, width_m, thickness_m, tension_n_m } => {
            rectangle::membrane([length_m, width_m, thickness_m], tension_n_m, material, request)
        }
        Shape::CircularMembrane { radius_m, thickness_m, tension_n_m } => {
            membrane::modes(radius_m, thickness_m, tension_n_m, material, request)
        }
        Shape::Kettledrum { radius_m, thickness_m, tension_n_m, depth_m } => {
            let kettle = Kettle { radius: radius_m, thickness: thickness_m, tension: tension_n_m, depth: depth_m };
            kettledrum::modes(kettle, material, request)
        }
        Shape::RectangularPlate { length_m, width_m, thickness_m, edges } => {
            rectangle::plate([length_m, width_m, thickness_m], edges, material, request)
        }
        Shape::CircularPlate { radius_m, thickness_m, edge } => {
            circular_plate::modes(radius_m, thickness_m, edge, material, request)
        }
        Shape::Ring { radius_m, thickness_m, width_m } => {
            ring::ring([radius_m, thickness_m, width_m], material, request)
        }
        Shape::Glass { radius_m, height_m, thickness_m } => {
            ring::glass([radius_m, thickness_m, height_m], material, request)
        }
        Shape::BoxCavity { length_m, width_m, height_m, absorption } => {
            cavity::modes([length_m, width_m, height_m], absorption, request)
        }
        Shape::Tube { length_m, radius_m, ends } => tube::modes(length_m, radius_m, ends, request),
        Shape::Chain { ref masses_kg, ref springs_n_m, ref dampers_n_s_m } => {
            chain::modes(masses_kg, springs_n_m, dampers_n_s_m, material, request)
        }
    }?;
    if family.modes.is_empty() {
        return Err(ObjectError::NoModes { lowest_hz: family.lowest, max_hz });
    }
    family.modes.sort_by(|a, b| a.frequency.total_cmp(&b.frequency));
    let modes = family
        .modes
        .iter()
        .map(|raw| ObjectMode {
            frequency_hz: raw.frequency,
            decay_s: decay_s(raw.rate),
            mass_kg: raw.mass,
            label: raw.label,
        })
        .collect();
    Ok(Object {
        modes,
        mass_kg: family.mass,
        rigid: 0,
        fields: family.modes.into_iter().map(|raw| raw.field).collect(),
    })
}

fn check_material(material: &Material) -> Result<(), ObjectError> {
    require("density_kg_m3", material.density_kg_m3, 1e-2, 1e6, "kg/m³")?;
    require("young_pa", material.young_pa, 1e2, 1e14, "Pa")?;
    require("poisson", material.poisson, -0.9, 0.4999, "")?;
    require("damping_1_s", material.damping.a, 0.0, 1e6, "1/s")?;
    require("loss_factor", material.damping.b / std::f64::consts::PI, 0.0, 300.0, "")?;
    require("viscous_s", material.damping.c, 0.0, 1e3, "s")
}

/// Bending of anything thicker than it is long is not what these shapes compute.
fn require_thin(thickness: f64, span: f64, named: &str) -> Result<(), ObjectError> {
    if thickness <= span {
        return Ok(());
    }
    let expected = format!("at most {named}, {span} m");
    Err(ObjectError::Parameter { what: "thickness_m", value: thickness, expected })
}

/// f = k²/(2π) √(D/ρh): frequency of a bending wave of wave number k, 1/m.
fn wave(wave_number: f64, stiffness: f64) -> f64 {
    wave_number * wave_number * stiffness / std::f64::consts::TAU
}

/// √(D/ρh) of a plate, D = E h³/12(1 − ν²), m²/s.
fn plate_stiffness(thickness: f64, material: &Material) -> f64 {
    let Material { density_kg_m3, young_pa, poisson, .. } = *material;
    thickness * (young_pa / (12.0 * density_kg_m3 * (1.0 - poisson * poisson))).sqrt()
}
