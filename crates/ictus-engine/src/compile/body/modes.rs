//! Banks of modes, listed in the file or computed from a shape.

use super::{BodyPlan, Findings, refuse, weights};
use crate::compile::coefficients::top_pitch;
use crate::compile::{BankView, Site};
use ictus_core::{BuildError, Clock, Discretisation, FastResonator, ModalBank, Mode, Path, Scheme, StretchedBank};
use ictus_instrument as file;
use ictus_instrument::Error;
use ictus_objects::Stretching;

/// Listed modes, which are planned as they stand in the file.
pub(super) struct ModesPlan<'a> {
    pub id: &'a str,
    pub modes: &'a file::Modes,
}

impl BodyPlan for ModesPlan<'_> {
    fn build(&self, site: Site, found: &mut Findings) -> Result<Box<dyn FastResonator>, Error> {
        let mut modes = self.modes.clone();
        if let Some(weights) = modes.weights {
            let mut shapes: Vec<Vec<f64>> = modes.ports.iter().map(|port| port.shape.clone()).collect();
            let seed = (site.loaded.spec.seed, self.id);
            weights::randomise(&weights, seed, &modes.frequency_hz, &mut shapes);
            for (port, shape) in modes.ports.iter_mut().zip(shapes) {
                port.shape = shape;
            }
        }
        modal(site, self.id, &modes, Change::default(), found)
    }
}

/// The frequency below which a mode can be carried, Hz.
pub(super) fn highest(clock: Clock, discretisation: file::Discretisation) -> f64 {
    match (discretisation, clock.scheme) {
        (file::Discretisation::Bilinear, Scheme::Leapfrog) => 1.0 / (std::f64::consts::PI * clock.dt),
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

/// The bank of `modes`, those that the sample rate can carry.
pub(super) fn modal(
    site: Site,
    id: &str,
    modes: &file::Modes,
    change: Change,
    found: &mut Findings,
) -> Result<Box<dyn FastResonator>, Error> {
    let Site { loaded, clock, .. } = site;
    let discretisation = match modes.discretisation {
        file::Discretisation::Exact => Discretisation::Exact,
        file::Discretisation::Bilinear => Discretisation::Plain,
    };
    let limit = highest(clock, modes.discretisation) / top_pitch(site, id);
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
        found.warnings.push(loaded.warning_at(&path, "engine::too_high", message, "in this list", help));
    }
    let list: Vec<Mode> = kept
        .iter()
        .map(|&i| Mode { frequency: modes.frequency_hz[i], decay: modes.decay_s[i], mass: modes.mass_kg[i] })
        .collect();
    let ports: Vec<Vec<f64>> = modes.ports.iter().map(|port| kept.iter().map(|&i| port.shape[i]).collect()).collect();
    let bank = bank(clock, &list, &ports, discretisation, change).map_err(|error| refuse(loaded, id, &error))?;
    let names = modes.ports.iter().map(|port| port.name.clone()).collect();
    found.banks.push(BankView { id: id.to_owned(), ports: names, modes: list, shapes: ports });
    Ok(bank)
}

fn bank(
    clock: Clock,
    modes: &[Mode],
    ports: &[Vec<f64>],
    discretisation: Discretisation,
    change: Change,
) -> Result<Box<dyn FastResonator>, BuildError> {
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
