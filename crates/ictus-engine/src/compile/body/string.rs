//! Strings: parameters, grid or modes, and all the places where something touches them.
//!
//! Barriers and fingers add ports to the string they lie on, so a string is planned first, then given its ports, then built.

use super::{BodyPlan, Findings, refuse};
use crate::compile::Site;
use ictus_core::{
    BuildError, Clock, Discretisation, Ends, ExplicitString, FastResonator, Grid, ImplicitString, ModalBank, Mode,
    Path, Scheme, Stepping, StretchedBank, StretchedString, StringParameters,
};
use ictus_instrument as file;
use ictus_instrument::{Error, Loaded};
use std::f64::consts::{LN_10, PI, TAU};

/// How many times its tension at rest a string that pulls tighter has room for. Grids and modes are chosen for it.
pub(super) const ROOM: f64 = 2.0;

/// A string before it is built.
pub(in crate::compile) struct StringPlan {
    id: String,
    pub parameters: StringParameters,
    /// Where barriers may touch it: the grid of the scheme, or as many intervals as there are modes.
    pub grid: Grid,
    /// Modes the file asks for, whatever the sample rate can carry.
    asked_modes: Option<usize>,
    stepping: Stepping,
    modes: Option<usize>,
    positions: Vec<f64>,
    /// Per port its share of each plane in which the string moves.
    directions: Vec<Vec<f64>>,
    planes: usize,
    axial_stiffness: f64,
    torsion: Option<file::Torsion>,
    /// Ports on the surface, which turns with the string, and whether they move along it.
    rubbed: Vec<(usize, bool)>,
}

impl StringPlan {
    pub fn new(
        loaded: &Loaded,
        clock: Clock,
        id: &str,
        string: &file::StiffString,
        warnings: &mut Vec<Error>,
    ) -> Result<Self, Error> {
        let mut parameters = StringParameters {
            length: string.length_m,
            density: string.density_kg_m,
            tension: string.tension_n,
            stiffness: string.stiffness_n_m2,
            damping: 0.0,
            diffusion: 0.0,
            kelvin_voigt: string.kelvin_voigt_s,
            ends: match string.ends {
                file::StringEnds::Supported => Ends::Supported,
                file::StringEnds::Fixed => Ends::Fixed,
            },
        };
        (parameters.damping, parameters.diffusion) = losses(loaded, id, &parameters, string.damping)?;
        let positions = string.ports.iter().map(|port| port.position).collect();
        let planes = if string.two_planes { 2 } else { 1 };
        let mut plan = Self {
            id: id.to_owned(),
            parameters,
            grid: parameters.grid(3),
            asked_modes: string.modes,
            stepping: Stepping::Explicit,
            modes: None,
            positions,
            directions: string.ports.iter().map(|port| direction(port.angle_deg, planes)).collect(),
            planes,
            axial_stiffness: string.axial_stiffness_n,
            torsion: string.torsion,
            rubbed: Vec::new(),
        };
        match string.modes {
            Some(modes) => plan.choose_modes(loaded, clock, modes, string.frequency_hz, warnings)?,
            None => plan.choose_grid(loaded, clock, string)?,
        }
        Ok(plan)
    }

    /// A new port at `position` (fraction of the length); returns its index.
    pub fn add_port(&mut self, position: f64) -> usize {
        self.positions.push(position);
        self.directions.push(direction(0.0, self.planes));
        self.positions.len() - 1
    }

    /// A new port at `position` in the direction of another one.
    fn add_port_like(&mut self, port: usize, position: f64) -> usize {
        self.positions.push(position);
        self.directions.push(self.directions[port].clone());
        self.positions.len() - 1
    }

    /// Where a port lies, a fraction of the length.
    pub fn position(&self, port: usize) -> f64 {
        self.positions[port]
    }

    /// Distance of points along the string that can tell a touch from its neighbour, as a fraction of the length: half the
    /// shortest wave. None for a grid, which is touched at its own points.
    pub fn resolution(&self) -> Option<f64> {
        self.asked_modes.map(|modes| 1.0 / modes as f64)
    }

    /// Marks `port` as a point of the surface, which turns with the string; `moves` if it also travels along the string.
    pub fn rub(&mut self, port: usize, moves: bool) {
        self.rubbed.push((port, moves));
    }

    /// Takes the file's grid or the finest one; where the file gives a pitch, corrects the tension for the grid's dispersion,
    /// so that the string sounds what was typed.
    fn choose_grid(&mut self, loaded: &Loaded, clock: Clock, string: &file::StiffString) -> Result<(), Error> {
        let room = if self.axial_stiffness > 0.0 { ROOM } else { 1.0 };
        let finest = |parameters: &StringParameters| {
            let tightest = StringParameters { tension: room * parameters.tension, ..*parameters };
            tightest.finest(clock.dt).map_err(|error| refuse(loaded, &self.id, &error))
        };
        let mut grid = match string.points {
            Some(points) => self.parameters.grid(points),
            None => finest(&self.parameters)?,
        };
        let mut way = stepping(clock, &self.parameters, grid);
        if let Some(frequency) = string.frequency_hz {
            let mut tuned = self.parameters;
            while let Some(tension) = self.parameters.tuned_tension(way, clock.dt, grid, frequency) {
                tuned.tension = tension;
                // more tension may need a coarser grid, or on a grid that is given another way, and either needs another tension
                if string.points.is_none() && grid.intervals > finest(&tuned)?.intervals {
                    grid = self.parameters.grid(grid.intervals - 1);
                } else if way == Stepping::Explicit && stepping(clock, &tuned, grid) == Stepping::Implicit {
                    way = Stepping::Implicit;
                } else {
                    break;
                }
            }
            self.parameters = tuned;
        }
        self.grid = grid;
        self.stepping = way;
        Ok(())
    }

    fn choose_modes(
        &mut self,
        loaded: &Loaded,
        clock: Clock,
        wanted: usize,
        pitch: Option<f64>,
        warnings: &mut Vec<Error>,
    ) -> Result<(), Error> {
        let path = format!("{}.modes", self.id);
        if self.parameters.stiffness > 0.0 && self.parameters.ends == Ends::Fixed {
            let message = format!("`{}` is stiff with fixed ends, which only a grid computes", self.id);
            let help = Some("remove `modes`, or use `ends = \"supported\"`".to_owned());
            return Err(loaded.error_at(&path, "engine::unsupported", message, "here", help));
        }
        if let Some(frequency) = pitch {
            let wave = (PI / self.parameters.length) * (PI / self.parameters.length);
            let omega = TAU * frequency;
            let tension = (self.parameters.density * omega * omega - self.parameters.stiffness * wave * wave) / wave;
            if tension > 0.0 {
                self.parameters.tension = tension;
            }
        }
        let limit = if self.axial_stiffness > 0.0 { 0.5 / ROOM.sqrt() } else { 0.5 } / clock.dt;
        let kept = (1..=wanted).take_while(|&m| self.mode(m).frequency < limit).count();
        if kept == 0 {
            let message = format!("`{}` has no mode below {limit:.0} Hz", self.id);
            return Err(loaded.error_at(&path, "engine::too_high", message, "here", None));
        }
        if kept < wanted {
            let message = format!(
                "{} of {wanted} modes of `{}` lie above {limit:.0} Hz and are left out",
                wanted - kept,
                self.id
            );
            let help = Some(format!("`modes = {kept}` is all this sample rate can carry"));
            warnings.push(loaded.warning_at(&path, "engine::too_high", message, "here", help));
        }
        self.modes = Some(kept);
        self.grid = self.parameters.grid(kept.max(3));
        Ok(())
    }

    /// Mode m of the supported string: ω² = c²β² + κ²β⁴, σ = σ0 + σ1β² + ηω²/2, β = mπ/L.
    fn mode(&self, m: usize) -> Mode {
        let StringParameters { length, density, tension, stiffness, damping, diffusion, kelvin_voigt, .. } =
            self.parameters;
        let beta = m as f64 * PI / length;
        let wave = beta * beta;
        let omega_squared = (tension * wave + stiffness * wave * wave) / density;
        let sigma = damping + diffusion * wave + 0.5 * kelvin_voigt * omega_squared;
        let sounding = (omega_squared - sigma * sigma).max(0.0).sqrt();
        let decay = if sigma > 0.0 { 3.0 * LN_10 / sigma } else { f64::INFINITY };
        Mode { frequency: sounding / TAU, decay, mass: 0.5 * density * length }
    }

    /// The partials of every plane, then those of torsion.
    fn bank(&self, clock: Clock, partials: usize) -> Result<Box<dyn FastResonator>, BuildError> {
        let mut list: Vec<Mode> = (0..self.planes).flat_map(|_| (1..=partials).map(|m| self.mode(m))).collect();
        let across = list.len();
        let twists = self.twists(clock, partials);
        list.extend(&twists);
        let sines = |count: usize, x: f64, factor: f64| (1..=count).map(move |m| factor * libm::sin(m as f64 * PI * x));
        let on_surface = |port: usize| self.rubbed.iter().any(|(rubbed, _)| *rubbed == port);
        let shape = |(port, &x): (usize, &f64)| -> Vec<f64> {
            let turning = if on_surface(port) { 1.0 } else { 0.0 };
            let planes = self.directions[port].iter().flat_map(|&share| sines(partials, x, share));
            planes.chain(sines(twists.len(), x, turning)).collect()
        };
        let shapes: Vec<Vec<f64>> = self.positions.iter().enumerate().map(shape).collect();
        let path = |port: usize| {
            let planes = self.directions[port].iter().enumerate();
            let mut ranges: Vec<_> =
                planes.map(|(plane, &share)| (plane * partials..(plane + 1) * partials, share)).collect();
            ranges.push((across..list.len(), 1.0));
            Path::String(ranges)
        };
        let mut moving = self.rubbed.iter().filter(|(_, moves)| *moves).map(|&(port, _)| port);
        if self.axial_stiffness == 0.0 {
            let bank = ModalBank::new(clock, &list, &shapes, Discretisation::Exact)?;
            return Ok(Box::new(moving.try_fold(bank, |bank, port| bank.with_path(port, path(port)))?));
        }
        let length = self.parameters.length;
        let slope = |m: usize| 0.5 * (m as f64 * PI) * (m as f64 * PI) / length;
        // turning stretches nothing
        let mut slopes: Vec<f64> = (0..self.planes).flat_map(|_| (1..=partials).map(slope)).collect();
        slopes.resize(list.len(), 0.0);
        let bank = StretchedBank::new(clock, &list, &shapes, &slopes, self.axial_stiffness / (2.0 * length))?;
        Ok(Box::new(moving.try_fold(bank, |bank, port| bank.with_path(port, path(port)))?))
    }

    /// Torsional modes, referred to the motion of the surface: at n times the first, with the mass that gives waves their impedance, Z_t/c_t per length.
    fn twists(&self, clock: Clock, most: usize) -> Vec<Mode> {
        let Some(file::Torsion { speed_ratio, impedance_ratio, q }) = self.torsion else { return Vec::new() };
        let StringParameters { length, density, tension, .. } = self.parameters;
        let first = speed_ratio * (tension / density).sqrt() / (2.0 * length);
        let mass = 0.5 * density * length * impedance_ratio / speed_ratio;
        (1..=most)
            .map(|n| n as f64 * first)
            .take_while(|frequency| *frequency < 0.5 / clock.dt)
            .map(|frequency| Mode { frequency, decay: 3.0 * LN_10 * q / (PI * frequency), mass })
            .collect()
    }
}

impl BodyPlan for StringPlan {
    fn build(&self, Site { loaded, clock, .. }: Site, _: &mut Findings) -> Result<Box<dyn FastResonator>, Error> {
        let refused = |error: BuildError| refuse(loaded, &self.id, &error);
        if let Some(modes) = self.modes {
            return self.bank(clock, modes).map_err(refused);
        }
        let (parameters, grid, positions) = (self.parameters, self.grid, &self.positions);
        let moving = self.rubbed.iter().filter(|(_, moves)| *moves).map(|(port, _)| *port);
        Ok(match self.stepping {
            Stepping::Explicit if self.axial_stiffness > 0.0 => {
                let string = StretchedString::new(clock, parameters, grid, positions, self.axial_stiffness);
                Box::new(moving.fold(string.map_err(refused)?, StretchedString::with_movable))
            }
            Stepping::Explicit => {
                let string = ExplicitString::new(clock, parameters, grid, positions).map_err(refused)?;
                Box::new(moving.fold(string, ExplicitString::with_movable))
            }
            Stepping::Implicit if self.axial_stiffness > 0.0 => {
                let message = format!("`{}` is stepped implicitly, where it cannot pull tighter", self.id);
                let help = Some("give it `modes`, or fewer `points` and no `kelvin_voigt_s`".to_owned());
                let path = format!("{}.axial_stiffness_n", self.id);
                return Err(loaded.error_at(&path, "engine::unsupported", message, "here", help));
            }
            Stepping::Implicit if self.rubbed.iter().any(|(_, moves)| *moves) => {
                let message = format!("`{}` is stepped implicitly, where nothing can move along it", self.id);
                let help = Some("give it `modes`, or fewer `points`".to_owned());
                return Err(loaded.error_at(&self.id, "engine::unsupported", message, "here", help));
            }
            Stepping::Implicit => Box::new(ImplicitString::new(clock, parameters, grid, positions).map_err(refused)?),
        })
    }

    fn add_place(&mut self, like: usize, place: f64, moves: bool) -> usize {
        let own = self.add_port_like(like, place);
        self.rub(own, moves);
        own
    }

    fn as_string(&mut self) -> Option<&mut StringPlan> {
        Some(self)
    }
}

/// Share of a port in each plane.
fn direction(angle_deg: f64, planes: usize) -> Vec<f64> {
    let (sin, cos) = libm::sincos(angle_deg.to_radians());
    if planes == 1 { vec![1.0] } else { vec![cos, sin] }
}

/// Explicit wherever it is stable: cheaper, its contacts do not couple, and its corners do not disperse.
fn stepping(clock: Clock, parameters: &StringParameters, grid: Grid) -> Stepping {
    if clock.scheme == Scheme::Leapfrog || grid.allows_explicit(parameters, clock.dt) {
        Stepping::Explicit
    } else {
        Stepping::Implicit
    }
}

/// σ0 and σ1 from coefficients or from two decay times: σ(ω) = σ0 + σ1 β², β the wave number at ω.
fn losses(
    loaded: &Loaded,
    id: &str,
    parameters: &StringParameters,
    damping: file::StringDamping,
) -> Result<(f64, f64), Error> {
    let [low, high] = match damping {
        file::StringDamping::Coefficients { sigma0_1_s, sigma1_m2_s } => return Ok((sigma0_1_s, sigma1_m2_s)),
        file::StringDamping::Decay(pair) => pair,
    };
    let rate = |decay: f64| 3.0 * LN_10 / decay;
    let wave = |frequency: f64| {
        let omega = TAU * frequency;
        let (c2, kappa2) = (parameters.tension / parameters.density, parameters.stiffness / parameters.density);
        // ω² = c²β² + κ²β⁴, in the form that survives κ → 0
        2.0 * omega * omega / (c2 + (c2 * c2 + 4.0 * kappa2 * omega * omega).sqrt())
    };
    let (b1, b2) = (wave(low.0), wave(high.0));
    let (s1, s2) = (rate(low.1), rate(high.1));
    let diffusion = (s2 - s1) / (b2 - b1);
    let damping = s1 - diffusion * b1;
    if diffusion < 0.0 || damping < 0.0 {
        let (longest, shortest) = (low.1, rate(s1 * b2 / b1));
        let message = format!(
            "`{id}.decay` is {} s at {} Hz, expected {shortest:.3} to {longest:.3} s there, given {} s at {} Hz",
            high.1, high.0, low.1, low.0
        );
        let label = "the loss of a string grows with frequency, at most as its square";
        return Err(loaded.error_at(&format!("{id}.decay"), "engine::out_of_range", message, label, None));
    }
    Ok((damping, diffusion))
}
