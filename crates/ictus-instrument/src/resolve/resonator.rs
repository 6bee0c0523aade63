//! Masses, listed modes and strings.

use crate::context::Context;
use crate::error::{Error, nearest};
use crate::names::{PLAIN, is_plain};
use crate::number::{Named, OneOrMany, Positive};
use crate::path::{Seg, trail};
use crate::raw::{self, Scheme};
use crate::spec::{Mass, ModePort, Modes, Resonator, ResonatorKind, StiffString, StringDamping, StringPort, Torsion};

/// Modes of one bank.
const MAX_MODES: usize = 100_000;
/// Mode-shape values of the whole file: 400 MB, more than any instrument needs and less than breaks a machine.
const MAX_SHAPE_VALUES: usize = 50_000_000;

/// Torsion where the file says no more: of the order measured on wound strings of a cello.
const TORSION: Torsion = Torsion { speed_ratio: 5.2, impedance_ratio: 3.3, q: 34.0 };

pub(super) fn resolve(context: &Context, raw: Vec<raw::Resonator>, scheme: Scheme) -> Result<Vec<Resonator>, Error> {
    let mut values = 0;
    super::each(raw, |index, raw| {
        let base = trail!["resonator", index];
        let (id, kind) = match raw {
            raw::Resonator::Mass(raw) => (raw.id.clone(), ResonatorKind::Mass(mass(&raw))),
            raw::Resonator::Modes(raw) => (raw.id.clone(), ResonatorKind::Modes(modes(context, &base, raw)?)),
            raw::Resonator::Object(raw) => {
                (raw.id.clone(), ResonatorKind::Object(Box::new(super::object::object(context, &base, *raw)?)))
            }
            raw::Resonator::Grid(raw) => {
                (raw.id.clone(), ResonatorKind::Grid(Box::new(super::grid::grid(context, &base, *raw)?)))
            }
            raw::Resonator::Drum(raw) => {
                (raw.id.clone(), ResonatorKind::Drum(Box::new(super::grid::drum(context, &base, *raw)?)))
            }
            raw::Resonator::String(raw) => {
                (raw.id.clone(), ResonatorKind::String(string(context, &base, &raw, scheme)?))
            }
        };
        values += match &kind {
            ResonatorKind::Modes(modes) => modes.frequency_hz.len() * modes.ports.len(),
            ResonatorKind::Object(object) => {
                (1 + usize::from(object.morph.is_some())) * object.max_modes * object.ports.len()
            }
            _ => 0,
        };
        if values > MAX_SHAPE_VALUES {
            let message = format!("the file has more than {MAX_SHAPE_VALUES} mode-shape values");
            return Err(context.error(&base, "instrument::limit", message, "from here on"));
        }
        Ok(Resonator { id, kind })
    })
}

fn mass(raw: &raw::Mass) -> Mass {
    Mass {
        mass_kg: raw.mass_kg.0,
        stiffness_n_m: raw.stiffness_n_m.map_or(0.0, |x| x.0),
        damping_n_s_m: raw.damping_n_s_m.map_or(0.0, |x| x.0),
        position_m: raw.position_m.map_or(0.0, |x| x.0),
        velocity_m_s: raw.velocity_m_s.map_or(0.0, |x| x.0),
    }
}

fn modes(context: &Context, base: &[Seg], raw: raw::Modes) -> Result<Modes, Error> {
    let count = raw.frequency_hz.len();
    let frequencies = [base, &trail!["frequency_hz"]].concat();
    if count == 0 || count > MAX_MODES {
        let expected = format!("1 to {MAX_MODES} frequencies");
        return Err(context.unexpected(&frequencies, "instrument::length", &expected));
    }
    let same_length = |len: usize, below: &[Seg]| {
        if len == count {
            return Ok(());
        }
        let at = [base, below].concat();
        let (name, other) = (context.names.show(&at), context.names.show(&frequencies));
        let message = format!("`{name}` has {len} values, but `{other}` has {count}");
        Err(context.error(&at, "instrument::length", message, format!("expected {count} values")))
    };
    let decay_s = match raw.decay_s {
        OneOrMany::One(x) => vec![x.0; count],
        OneOrMany::Many(list) => list.into_iter().map(|x| x.0).collect(),
    };
    let mass_kg = match raw.mass_kg {
        OneOrMany::One(x) => vec![x.0; count],
        OneOrMany::Many(list) => list.into_iter().map(|x| x.0).collect(),
    };
    same_length(decay_s.len(), &trail!["decay_s"])?;
    same_length(mass_kg.len(), &trail!["mass_kg"])?;
    plain_port_names(context, base, &raw.ports)?;
    let mut ports = Vec::with_capacity(raw.ports.0.len());
    for (name, shape) in raw.ports.0 {
        same_length(shape.len(), &trail!["ports", name.as_str()])?;
        ports.push(ModePort { name, shape: shape.into_iter().map(|x| x.0).collect() });
    }
    let frequency_hz = raw.frequency_hz.into_iter().map(|x| x.0).collect();
    Ok(Modes { frequency_hz, decay_s, mass_kg, ports, discretisation: raw.discretisation })
}

fn string(context: &Context, base: &[Seg], raw: &raw::StiffString, scheme: Scheme) -> Result<StiffString, Error> {
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
            let message = format!("`{name}.angle_deg` names `{port}`, which is no port of `{name}`");
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

fn damping(context: &Context, base: &[Seg], raw: &raw::StiffString) -> Result<StringDamping, Error> {
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

/// Decay times at two frequencies, the lower one first and no shorter; `at` is where they stand.
pub(super) fn two_decays(
    context: &Context,
    at: &[Seg],
    raw: [(Positive, Positive); 2],
) -> Result<[(f64, f64); 2], Error> {
    let name = context.names.show(at);
    let mut decay = raw.map(|(hz, s)| (hz.0, s.0));
    decay.sort_by(|a, b| a.0.total_cmp(&b.0));
    let [(low, slow), (high, fast)] = decay;
    if low == high {
        let message = format!("`{name}` gives {low} Hz twice, expected two different frequencies");
        return Err(context.error(at, "instrument::out_of_range", message, "the same frequency"));
    }
    if fast > slow {
        let message = format!(
            "`{name}` gives {slow} s at {low} Hz and {fast} s at {high} Hz, \
             expected the higher frequency to decay no slower"
        );
        return Err(context.error(at, "instrument::out_of_range", message, "would need negative damping"));
    }
    Ok(decay)
}

pub(super) fn plain_port_names<T>(context: &Context, base: &[Seg], ports: &Named<T>) -> Result<(), Error> {
    match ports.0.iter().find(|(name, _)| !is_plain(name)) {
        None => Ok(()),
        Some((name, _)) => {
            let at = [base, &trail!["ports", name.as_str()]].concat();
            let expected = format!("expected {PLAIN}");
            let message = format!("`{}.ports` has the name {name:?}, {expected}", context.names.show(base));
            Err(context.error(&at, "instrument::bad_name", message, expected))
        }
    }
}
