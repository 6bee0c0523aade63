//! Frictions of the file.

use super::surface;
use crate::score::{Grain, RubDrive, Travel};
use ictus_core::{Bristles, BuildError, Clock, ContactId, Damping, Friction, FrictionParameters};
use ictus_instrument as file;
use ictus_instrument::Loaded;

pub(super) fn law(clock: Clock, surfaces: &file::Surfaces) -> Result<Friction, BuildError> {
    let parameters = FrictionParameters {
        stiffness: surfaces.stiffness_n_m,
        damping: surfaces.damping_n_s_m,
        viscosity: surfaces.viscosity_n_s_m,
        sticking: surfaces.sticking,
        sliding: surfaces.sliding,
        stribeck: surfaces.stribeck_m_s,
        breakaway: surfaces.breakaway,
    };
    let bristles = match surfaces.model {
        file::FrictionModel::ElastoPlastic => Bristles::ElastoPlastic,
        file::FrictionModel::Lugre | file::FrictionModel::Dahl => Bristles::LuGre,
        file::FrictionModel::Stribeck => Bristles::None,
    };
    let form = match surfaces.form {
        file::FrictionForm::Passive => Damping::Passive,
        file::FrictionForm::Printed => Damping::Printed,
    };
    Friction::new(clock, parameters, bristles, form)
}

/// What the player does with interaction `index`, if it is a friction.
pub(super) fn drive(loaded: &Loaded, clock: Clock, index: usize, contact: ContactId) -> Option<RubDrive> {
    let interaction = &loaded.spec.interactions[index];
    let file::Law::Friction(_) = interaction.law else { return None };
    let file::Rub { normal, speed, roughness } = &interaction.rub;
    let in_steps = |curve: &[(f64, f64)]| curve.iter().map(|&(t, value)| (t / clock.dt, value)).collect::<Vec<_>>();
    let grain = roughness.map(|(share, roughness)| {
        let profile = surface::profile(&roughness, None, surface::seed(loaded, index, &roughness));
        // waves that pass in less than four steps would alias
        let step = speed.iter().map(|(_, v)| v.abs()).fold(0.0, f64::max) * clock.dt;
        let profile = if step > profile.spacing() { profile.smoothed(2.0 * step) } else { profile };
        let per_step: Vec<_> = in_steps(speed).into_iter().map(|(t, v)| (t, v * clock.dt)).collect();
        Grain { share, profile, travel: Travel::new(&per_step) }
    });
    Some(RubDrive { contact, normal: in_steps(normal), speed: in_steps(speed), grain })
}
