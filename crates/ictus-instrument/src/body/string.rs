//! Stiff strings: as written, resolved, and the way between.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Body, plain_port_names, two_decays};
use crate::context::Context;
use crate::error::{Error, nearest};
use crate::number::{Factor, Fraction, ModeCount, Named, NonNegative, Points, Positive, PositiveFactor};
use crate::path::{Seg, trail};
use crate::raw::Scheme;

/// Torsion where the file says no more: of the order measured on wound strings of a cello.
const TORSION: Torsion = Torsion { speed_ratio: 5.2, impedance_ratio: 3.3, q: 34.0 };

/// A stiff, damped string; give `tension_n` or `frequency_hz`, and either the two damping keys or `decay`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename = "StiffString", deny_unknown_fields)]
#[schemars(extend(
    "oneOf" = [{ "required": ["tension_n"] }, { "required": ["frequency_hz"] }],
    "not" = { "required": ["points", "modes"] },
))]
pub(crate) struct StringTable {
    /// Name by which the rest of the file refers to it.
    pub id: String,
    /// Length.
    pub length_m: Positive,
    /// Mass per length.
    pub density_kg_m: Positive,
    /// Tension; instead of `frequency_hz`.
    pub tension_n: Option<Positive>,
    /// Pitch of the string; instead of `tension_n`. The tension is set so that the fundamental sounds there.
    pub frequency_hz: Option<Positive>,
    /// Bending stiffness EI; 0 if not given.
    pub stiffness_n_m2: Option<NonNegative>,
    /// Loss at all frequencies, sigma 0; 0 if not given.
    pub damping_1_s: Option<NonNegative>,
    /// Loss growing with frequency, sigma 1; 0 if not given.
    pub damping_m2_s: Option<NonNegative>,
    /// Decay times T60 at two frequencies, [[hz, s], [hz, s]]; instead of the two damping keys.
    pub decay: Option<[(Positive, Positive); 2]>,
    /// Kelvin–Voigt relaxation time, only with the midpoint scheme; 0 if not given.
    pub kelvin_voigt_s: Option<NonNegative>,
    /// Boundary condition at both ends.
    #[serde(default)]
    pub ends: StringEnds,
    /// Number of grid intervals; chosen by the engine if not given.
    pub points: Option<Points>,
    /// Compute the string by this many modes; instead of a grid of `points`.
    pub modes: Option<ModeCount>,
    /// The string also turns under a bow; only with `modes`.
    pub torsion: Option<TorsionTable>,
    /// Axial stiffness EA, by which the string pulls tighter the further it is bent; 0 if not given.
    pub axial_stiffness_n: Option<NonNegative>,
    /// Where it can be touched or heard: name and fraction of the length.
    #[serde(default)]
    pub ports: Named<Fraction>,
    /// Direction of ports around the string, degrees, 0 for those not named; with it the string moves in two planes. Needs `modes`.
    pub angle_deg: Option<Named<Factor>>,
}

/// Twisting of a string, which what rubs it sets in motion too.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename = "Torsion", deny_unknown_fields)]
pub(crate) struct TorsionTable {
    /// Speed of torsional waves over that of transverse ones; 5.2 if not given.
    pub speed_ratio: Option<PositiveFactor>,
    /// Their impedance at the surface over that of transverse ones; 3.3 if not given.
    pub impedance_ratio: Option<PositiveFactor>,
    /// Their quality factor; 34 if not given.
    pub q: Option<PositiveFactor>,
}

/// Boundary condition at both ends of a string.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StringEnds {
    /// No displacement, free to turn.
    #[default]
    Supported,
    /// No displacement, no slope.
    Fixed,
}

/// A stiff, damped string.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StiffString {
    /// L > 0.
    pub length_m: f64,
    /// ρA > 0, linear density.
    pub density_kg_m: f64,
    /// T > 0; computed as ρA (2 L f)² where the file gives a frequency.
    pub tension_n: f64,
    /// The pitch, where the file gives one instead of a tension; the engine tunes its grid to it.
    pub frequency_hz: Option<f64>,
    /// EI ≥ 0, in N m².
    pub stiffness_n_m2: f64,
    /// Losses.
    pub damping: StringDamping,
    /// Kelvin–Voigt relaxation time ≥ 0; above 0 only with [`Scheme::Midpoint`].
    pub kelvin_voigt_s: f64,
    /// Boundary condition at both ends.
    pub ends: StringEnds,
    /// Number of grid intervals, 3 to 100 000; `None` leaves the choice to the engine.
    pub points: Option<usize>,
    /// Number of modes, 1 to 100 000, where the string is computed by modes; then `points` is `None`.
    pub modes: Option<usize>,
    /// How it turns under what rubs it; then `modes` is given.
    pub torsion: Option<Torsion>,
    /// EA ≥ 0, in N.
    pub axial_stiffness_n: f64,
    /// In file order.
    pub ports: Vec<StringPort>,
    /// The string moves in two planes; only with `modes`.
    pub two_planes: bool,
}

/// Twisting of a string.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Torsion {
    /// Speed of its waves over that of transverse ones, > 0.
    pub speed_ratio: f64,
    /// Their impedance at the surface over that of transverse ones, > 0.
    pub impedance_ratio: f64,
    /// Their quality factor > 0.
    pub q: f64,
}

/// Where a string can be touched or heard.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StringPort {
    /// Name within the resonator.
    pub name: String,
    /// Fraction of the length, strictly between 0 and 1.
    pub position: f64,
    /// Direction around the string, degrees; 0 in the first plane.
    pub angle_deg: f64,
}

/// String losses, as coefficients or as two decay times.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StringDamping {
    /// u_tt = … − 2σ₀ u_t + 2σ₁ u_txx.
    Coefficients {
        /// σ₀ ≥ 0, 1/s.
        sigma0_1_s: f64,
        /// σ₁ ≥ 0, m²/s.
        sigma1_m2_s: f64,
    },
    /// T60 at two frequencies, `[hz, s]`, the lower frequency first and both above 0.
    Decay([(f64, f64); 2]),
}

impl Body for StiffString {
    fn port_names(&self) -> Vec<&str> {
        self.ports.iter().map(|port| port.name.as_str()).collect()
    }
}

pub(super) fn string(context: &Context, base: &[Seg], raw: &StringTable, scheme: Scheme) -> Result<StiffString, Error> {
    let at = |key: &str| [base, &trail![key]].concat();
    let name = context.names.show(base);
    let conflict =
        |key: &str, message: String, label: &str| Err(context.error(&at(key), "instrument::conflict", message, label));
    let (length_m, density_kg_m) = (raw.length_m.0, raw.density_kg_m.0);
    let tension_n = match (raw.tension_n, raw.frequency_hz) {
        (Some(tension), None) => tension.0,
        (None, Some(frequency)) => {
            let speed = 2.0 * length_m * frequency.0;
            density_kg_m * speed * speed
        }
        (Some(_), Some(_)) => {
            let message = format!("`{name}` has both `tension_n` and `frequency_hz`, expected one of them");
            return conflict("frequency_hz", message, "one too many");
        }
        (None, None) => {
            let message = format!("`{name}` has neither `tension_n` nor `frequency_hz`, expected one of them");
            return Err(context.error(base, "instrument::missing_key", message, "this needs `frequency_hz`"));
        }
    };
    if !(tension_n > 0.0 && tension_n.is_finite()) {
        let message = format!("`{name}.frequency_hz` asks for a tension of {tension_n} N, expected a positive force");
        return Err(context.error(&at("frequency_hz"), "instrument::out_of_range", message, "gives that tension"));
    }
    let kelvin_voigt_s = raw.kelvin_voigt_s.map_or(0.0, |x| x.0);
    if kelvin_voigt_s > 0.0 && scheme == Scheme::Leapfrog {
        let message = format!("{}, which the leapfrog scheme cannot do", context.state(&at("kelvin_voigt_s")));
        return conflict("kelvin_voigt_s", message, "needs `scheme = \"midpoint\"`");
    }
    if raw.points.is_some() && raw.modes.is_some() {
        let message = format!("`{name}` has both `points` and `modes`, expected one of them");
        return conflict("modes", message, "one too many");
    }
    if raw.torsion.is_some() && raw.modes.is_none() {
        let message = format!("`{name}` has `torsion`, which needs `modes`");
        return conflict("torsion", message, "needs `modes`");
    }
    plain_port_names(context, base, &raw.ports)?;
    let mut ports: Vec<StringPort> = (raw.ports.0.iter())
        .map(|(name, x)| StringPort { name: name.clone(), position: x.0, angle_deg: 0.0 })
        .collect();
    if raw.angle_deg.is_some() && (raw.modes.is_none() || raw.torsion.is_some()) {
        let message =
            format!("`{name}` has `angle_deg`, but only a string of `modes` without `torsion` moves in two planes");
        return conflict("angle_deg", message, "needs `modes`, no `torsion`");
    }
    for (port, angle) in raw.angle_deg.iter().flat_map(|angles| &angles.0) {
        let Some(found) = ports.iter_mut().find(|known| known.name == *port) else {
            let here = [&at("angle_deg"), &trail![port.as_str()][..]].concat();
            let message = format!("`{name}.angle_deg` names `{port}`, which is not a port of `{name}`");
            let help = nearest(port, raw.ports.0.iter().map(|(name, _)| name.as_str()));
            let error = context.error(&here, "instrument::unknown_reference", message, "no such port");
            return Err(error.maybe_help(help.map(|name| format!("did you mean `{name}`?"))));
        };
        found.angle_deg = angle.0;
    }
    Ok(StiffString {
        length_m,
        density_kg_m,
        tension_n,
        frequency_hz: raw.frequency_hz.map(|f| f.0),
        stiffness_n_m2: raw.stiffness_n_m2.map_or(0.0, |x| x.0),
        damping: damping(context, base, raw)?,
        kelvin_voigt_s,
        ends: raw.ends,
        points: raw.points.map(|n| n.0 as usize),
        modes: raw.modes.map(|n| n.0 as usize),
        torsion: raw.torsion.as_ref().map(|torsion| Torsion {
            speed_ratio: torsion.speed_ratio.map_or(TORSION.speed_ratio, |x| x.0),
            impedance_ratio: torsion.impedance_ratio.map_or(TORSION.impedance_ratio, |x| x.0),
            q: torsion.q.map_or(TORSION.q, |x| x.0),
        }),
        axial_stiffness_n: raw.axial_stiffness_n.map_or(0.0, |x| x.0),
        ports,
        two_planes: raw.angle_deg.is_some(),
    })
}

fn damping(context: &Context, base: &[Seg], raw: &StringTable) -> Result<StringDamping, Error> {
    let Some(decay) = raw.decay else {
        return Ok(StringDamping::Coefficients {
            sigma0_1_s: raw.damping_1_s.map_or(0.0, |x| x.0),
            sigma1_m2_s: raw.damping_m2_s.map_or(0.0, |x| x.0),
        });
    };
    let at = [base, &trail!["decay"]].concat();
    let name = context.names.show(base);
    if raw.damping_1_s.is_some() || raw.damping_m2_s.is_some() {
        let message = format!("`{name}` has both `decay` and damping coefficients, expected one of them");
        return Err(context.error(&at, "instrument::conflict", message, "one too many"));
    }
    two_decays(context, &at, decay).map(StringDamping::Decay)
}
