//! Resonators of the file to resonators of the core.

use super::BankView;
use super::strings::StringPlan;
use ictus_core::{BuildError, Clock, Discretisation, Frame, Mass, ModalBank, Mode, Path, Resonator, StretchedBank};
use ictus_instrument as file;
use ictus_instrument::{Error, Loaded};
use ictus_objects::Stretching;

/// Ports of a shape beside those of the file: the places of frictions that have one of their own.
pub(super) struct Tracks {
    declared: usize,
    pub list: Vec<Track>,
}

/// A port that is like another one of its body but for its first coordinate.
pub(super) struct Track {
    /// Index of that port.
    pub like: usize,
    /// Where it begins.
    pub start: f64,
    pub moves: bool,
}

impl Tracks {
    pub fn new(resonator: &file::Resonator) -> Self {
        Self { declared: resonator.port_names().count(), list: Vec::new() }
    }

    /// A new port; returns its index.
    pub fn add(&mut self, like: usize, start: f64, moves: bool) -> usize {
        self.list.push(Track { like, start, moves });
        self.declared + self.list.len() - 1
    }
}

pub(super) fn build(
    loaded: &Loaded,
    clock: Clock,
    resonator: &file::Resonator,
    (string, tracks): (Option<&StringPlan>, &Tracks),
    banks: &mut Vec<BankView>,
    warnings: &mut Vec<Error>,
) -> Result<Box<dyn Resonator>, Error> {
    match (&resonator.kind, string) {
        (file::ResonatorKind::Mass(mass), _) => {
            let body = Mass::new(clock, mass.mass_kg, mass.stiffness_n_m, mass.damping_n_s_m)
                .map_err(|error| refuse(loaded, &resonator.id, &error))?;
            Ok(Box::new(body.starting(mass.position_m, mass.velocity_m_s)))
        }
        (file::ResonatorKind::Modes(modes), _) => {
            modal(loaded, clock, &resonator.id, modes, Change::default(), banks, warnings)
        }
        (file::ResonatorKind::Object(object), _) => {
            let limit = highest(clock, object.discretisation);
            let limit = if object.stretching > 0.0 { limit / super::strings::ROOM.sqrt() } else { limit };
            let (modes, change) = super::objects::modes(loaded, &resonator.id, object, &tracks.list, limit)?;
            modal(loaded, clock, &resonator.id, &modes, change, banks, warnings)
        }
        (_, Some(plan)) => plan.build(loaded, clock),
        (file::ResonatorKind::String(_) | file::ResonatorKind::Grid(_) | file::ResonatorKind::Drum(_), None) => {
            unreachable!("strings and surfaces are planned before they are built")
        }
    }
}

/// A parameter the physics refuses, pointing at the key it came from.
pub(super) fn refuse(loaded: &Loaded, id: &str, error: &BuildError) -> Error {
    let key = match error {
        BuildError::Parameter { what, .. } => match *what {
            "stiffness" => "stiffness_n_m",
            "number of grid intervals" => "points",
            "kelvin_voigt" => "kelvin_voigt_s",
            "frequency" => "frequency_hz",
            _ => "",
        },
        _ => "",
    };
    let path = if key.is_empty() { id.to_owned() } else { format!("{id}.{key}") };
    let leapfrog = loaded.spec.scheme == file::Scheme::Leapfrog;
    let help = leapfrog.then(|| "`scheme = \"midpoint\"` has no stability limit; `oversampling` raises it".to_owned());
    loaded.error_at(&path, "engine::unstable", format!("`{id}`: {error}"), "here", help)
}

/// The frequency below which a mode can be carried, Hz.
fn highest(clock: Clock, discretisation: file::Discretisation) -> f64 {
    match (discretisation, clock.frame) {
        (file::Discretisation::Bilinear, Frame::Leapfrog) => 1.0 / (std::f64::consts::PI * clock.dt),
        _ => 0.5 / clock.dt,
    }
}

/// What changes in a bank while it sounds.
#[derive(Default)]
pub(super) struct Change {
    pub stretching: Option<Stretching>,
    /// Ports that move, and where.
    pub paths: Vec<(usize, Path)>,
}

fn modal(
    loaded: &Loaded,
    clock: Clock,
    id: &str,
    modes: &file::Modes,
    change: Change,
    banks: &mut Vec<BankView>,
    warnings: &mut Vec<Error>,
) -> Result<Box<dyn Resonator>, Error> {
    let discretisation = match modes.discretisation {
        file::Discretisation::Exact => Discretisation::Exact,
        file::Discretisation::Bilinear => Discretisation::Plain,
    };
    let limit = highest(clock, modes.discretisation);
    // a mode above half the sample rate cannot sound: the same file must still play at any rate
    let kept: Vec<usize> = (0..modes.frequency_hz.len()).filter(|&i| modes.frequency_hz[i] < limit).collect();
    let path = format!("{id}.frequency_hz");
    let lost = modes.frequency_hz.len() - kept.len();
    if kept.is_empty() {
        let message = format!("every mode of `{id}` lies above {limit:.0} Hz, the highest this sample rate can carry");
        let help = Some("raise the sample rate or `oversampling`".to_owned());
        return Err(loaded.error_at(&path, "engine::too_high", message, "all of these", help));
    }
    if lost > 0 {
        let message =
            format!("{lost} of {} modes of `{id}` lie above {limit:.0} Hz and are left out", modes.frequency_hz.len());
        let help = Some("raise the sample rate or `oversampling` to keep them".to_owned());
        warnings.push(loaded.warning_at(&path, "engine::too_high", message, "in this list", help));
    }
    let list: Vec<Mode> = kept
        .iter()
        .map(|&i| Mode { frequency: modes.frequency_hz[i], decay: modes.decay_s[i], mass: modes.mass_kg[i] })
        .collect();
    let ports: Vec<Vec<f64>> = modes.ports.iter().map(|port| kept.iter().map(|&i| port.shape[i]).collect()).collect();
    let bank = bank(clock, &list, &ports, discretisation, change).map_err(|error| refuse(loaded, id, &error))?;
    let names = modes.ports.iter().map(|port| port.name.clone()).collect();
    banks.push(BankView { id: id.to_owned(), ports: names, modes: list, shapes: ports });
    Ok(bank)
}

fn bank(
    clock: Clock,
    modes: &[Mode],
    ports: &[Vec<f64>],
    discretisation: Discretisation,
    change: Change,
) -> Result<Box<dyn Resonator>, BuildError> {
    let Change { stretching, paths } = change;
    let mut paths = paths.into_iter();
    Ok(match stretching {
        None => {
            let bank = ModalBank::new(clock, modes, ports, discretisation)?;
            Box::new(paths.try_fold(bank, |bank, (port, path)| bank.with_path(port, path))?)
        }
        Some(Stretching { modulus, slopes }) => {
            let bank = StretchedBank::new(clock, modes, ports, &slopes, modulus)?;
            Box::new(paths.try_fold(bank, |bank, (port, path)| bank.with_path(port, path))?)
        }
    })
}
