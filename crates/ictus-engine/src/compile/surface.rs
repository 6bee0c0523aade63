//! Surfaces of the file to moving gaps.

use crate::score::{Ground, SurfaceDrive, Travel};
use ictus_core::{Clock, ContactId, Profile, Roughness};
use ictus_instrument as file;
use ictus_instrument::{Error, Loaded};

/// The moving gap of interaction `index`, if it moves.
pub(super) fn drive(
    loaded: &Loaded,
    clock: Clock,
    index: usize,
    contact: ContactId,
    warnings: &mut Vec<Error>,
) -> Option<SurfaceDrive> {
    let interaction = &loaded.spec.interactions[index];
    let file::Surface { lift, texture, speed } = &interaction.surface;
    let file::Law::Collision { gap_m, .. } = interaction.law else { return None };
    if lift.is_empty() && texture.is_none() {
        return None;
    }
    let fastest = speed.iter().map(|(_, v)| v.abs()).fold(0.0, f64::max);
    let ground = texture.as_ref().map_or_else(Ground::default, |texture| {
        let profile = texture.roughness.map(|roughness| {
            let profile = profile(&roughness, texture.radius_m, seed(loaded, index, &roughness));
            // four steps per finest wave, or the gap would jump
            let step = fastest * clock.dt;
            if step <= profile.spacing() {
                return profile;
            }
            let heard = 4.0 * step;
            let message = format!(
                "`{}`: at {fastest} m/s waves shorter than {:.2e} m pass too fast to be followed and are smoothed away",
                interaction.id, heard
            );
            let path = format!("{}.texture.finest_m", interaction.id);
            let help = Some(format!("raise `oversampling`, or write `finest_m = {heard:.1e}`"));
            warnings.push(loaded.warning_at(&path, "engine::too_fast", message, "finer than can be heard", help));
            profile.smoothed(2.0 * step)
        });
        let wheel = texture.radius_m.filter(|_| !texture.eccentricity_m.is_empty());
        Ground::new(profile, wheel.map(|radius| (radius, texture.eccentricity_m.clone())))
    });
    let in_steps = |curve: &[(f64, f64)]| curve.iter().map(|&(t, value)| (t / clock.dt, value)).collect::<Vec<_>>();
    let per_step: Vec<_> = in_steps(speed).into_iter().map(|(t, v)| (t, v * clock.dt)).collect();
    Some(SurfaceDrive { contact, gap: gap_m, lift: in_steps(lift), travel: Travel::new(&per_step), ground })
}

/// Where a contact stands before the first step, m.
pub(super) fn gap_at_start(interaction: &file::Interaction, gap: f64) -> f64 {
    gap - crate::score::held(&interaction.surface.lift, 0.0)
}

pub(super) fn profile(roughness: &file::Roughness, radius: Option<f64>, seed: u64) -> Profile {
    let file::Roughness { height_m: height, beta, coarsest_m: coarsest, finest_m: finest, .. } = *roughness;
    let profile = Profile::fractal(&Roughness { height, beta, coarsest, finest }, seed);
    match radius {
        Some(radius) => profile.rolled(radius),
        None => profile,
    }
}

/// Every interaction has its own surface unless the file says which.
pub(super) fn seed(loaded: &Loaded, index: usize, roughness: &file::Roughness) -> u64 {
    // an odd factor keeps the surfaces of neighbouring file seeds apart
    let own = loaded.spec.seed.wrapping_add((index as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    roughness.seed.unwrap_or(own)
}
