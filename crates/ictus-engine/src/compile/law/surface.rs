//! Surfaces of the file to moving gaps.

use crate::compile::Site;
use crate::compile::inputs::Inputs;
use crate::drive::{Drive, Hand, Stage};
use crate::signal::InputId;
use ictus_core::{BodyId, ContactId, Profile, Roughness};
use ictus_instrument as file;
use ictus_instrument::{Error, InputKind, Loaded};

/// What moves the gap of interaction `index`: lift and the surface that passes.
pub(super) fn drive(
    site: Site,
    (ids, inputs): (&[BodyId], &Inputs),
    (index, contact): (usize, ContactId),
    warnings: &mut Vec<Error>,
) -> Result<Option<Box<dyn Drive>>, Error> {
    let Site { loaded, clock, .. } = site;
    let interaction = &loaded.spec.interactions[index];
    let file::Surface { texture, speed, carried_by, .. } = &interaction.surface;
    let file::Law::Collision { gap_m, .. } = interaction.law else { return Ok(None) };
    let Some(lift) = inputs.find(InputKind::Lift { interaction: index }) else { return Ok(None) };
    let passes = inputs.find(InputKind::Speed { interaction: index });
    let reach = passes.map_or(0.0, |speed| inputs.reach(speed));
    let fastest = speed.iter().map(|(_, v)| v.abs()).fold(0.0, f64::max) + reach;
    let fastest = carried_by.map_or(fastest, |mass| speed_of(&loaded.spec, mass));
    let ground = match texture {
        None => Ground::default(),
        Some(texture) => {
            let rough = |roughness| traced(site, index, (roughness, texture.radius_m), fastest, warnings);
            let profile = texture.roughness.map(rough).transpose()?;
            let wheel = texture.radius_m.filter(|_| !texture.eccentricity_m.is_empty());
            Ground::new(profile, wheel.map(|radius| (radius, texture.eccentricity_m.clone())))
        }
    };
    let motion = match (carried_by, passes) {
        (Some(mass), _) => Motion::Carried { mass: ids[*mass], dt: clock.dt },
        (None, Some(speed)) => Motion::Travel { speed },
        (None, None) => Motion::None,
    };
    Ok(Some(Box::new(SurfaceDrive { contact, gap: gap_m, lift, start: inputs.start(lift), motion, ground })))
}

/// The profile under a point of interaction `index` that passes at up to `fastest` m/s. Waves too short to be followed are smoothed away, with a warning.
fn traced(
    site: Site,
    index: usize,
    (roughness, radius): (file::Roughness, Option<f64>),
    fastest: f64,
    warnings: &mut Vec<Error>,
) -> Result<Profile, Error> {
    let Site { loaded, clock, .. } = site;
    let seed = seed(loaded, index, &roughness);
    // four steps per finest wave, or the gap would jump
    let step = fastest * clock.dt;
    if step <= in_the_core(&roughness).spacing() {
        return profile(site, &roughness, radius, seed, None);
    }
    let heard = 4.0 * step;
    let id = &loaded.spec.interactions[index].id;
    let message = format!(
        "`{id}`: at {fastest} m/s waves shorter than {heard:.2e} m pass too fast to be followed and are smoothed away"
    );
    let path = format!("{id}.texture.finest_m");
    let help = Some(format!("raise `oversampling`, or write `finest_m = {heard:.1e}`"));
    warnings.push(loaded.warning_at(&path, "engine::too_fast", message, "finer than can be heard", help));
    profile(site, &roughness, radius, seed, Some(2.0 * step))
}

/// A rough surface in the terms of the core.
pub(super) fn in_the_core(roughness: &file::Roughness) -> Roughness {
    let file::Roughness {
        height_m: height,
        beta,
        coarsest_m: coarsest,
        finest_m: finest,
        poles_per_decade: density,
        ..
    } = *roughness;
    Roughness { height, beta, coarsest, finest, density }
}

/// The profile of a surface as traced by a body of that radius, without waves shorter than twice `smooth` if it is given, m.
pub(super) fn profile(
    site: Site,
    roughness: &file::Roughness,
    radius: Option<f64>,
    seed: u64,
    smooth: Option<f64>,
) -> Result<Profile, Error> {
    let roughness = in_the_core(roughness);
    let Roughness { height, beta, coarsest, finest, density } = roughness;
    let from = ([height, beta, coarsest, finest], density, radius, seed, smooth);
    let heights = site.result("profile", &from, || {
        let mut profile = Profile::fractal(&roughness, seed);
        if let Some(radius) = radius {
            profile = profile.rolled(radius);
        }
        if let Some(width) = smooth {
            profile = profile.smoothed(width);
        }
        Ok(profile.into_heights())
    })?;
    Ok(Profile::from_heights(heights, roughness.spacing()))
}

/// Every interaction has its own surface unless the file says which.
pub(super) fn seed(loaded: &Loaded, index: usize, roughness: &file::Roughness) -> u64 {
    // an odd factor keeps the surfaces of neighbouring file seeds apart
    let own = loaded.spec.seed.wrapping_add((index as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    roughness.seed.unwrap_or(own)
}

/// The highest speed a file gives to a mass, m/s.
fn speed_of(spec: &file::Spec, mass: usize) -> f64 {
    let start = match &spec.resonators[mass].kind {
        file::ResonatorKind::Mass(mass) => mass.velocity_m_s.abs(),
        _ => 0.0,
    };
    let thrown = spec.gestures.iter().map(|gesture| match &gesture.action {
        file::Action::Throw { resonator, velocity_m_s, .. } if *resonator == mass => velocity_m_s.abs(),
        _ => 0.0,
    });
    thrown.fold(start, f64::max)
}

/// One contact over a moving surface.
#[derive(Clone, Debug)]
struct SurfaceDrive {
    pub contact: ContactId,
    /// Gap over the place where the travel begins, without lift, m.
    pub gap: f64,
    /// m
    pub lift: InputId,
    /// The lift for which the contact was built, m.
    pub start: f64,
    pub motion: Motion,
    pub ground: Ground,
}

/// How a point travels over a surface.
#[derive(Clone, Debug)]
enum Motion {
    /// Not at all.
    None,
    /// At the speed of an input, m/s.
    Travel { speed: InputId },
    /// As a mass of the model moves.
    Carried {
        mass: BodyId,
        /// s
        dt: f64,
    },
}

impl Drive for SurfaceDrive {
    fn inputs(&self) -> Vec<InputId> {
        let speed = match self.motion {
            Motion::Travel { speed } => Some(speed),
            Motion::None | Motion::Carried { .. } => None,
        };
        [self.lift].into_iter().chain(speed).collect()
    }

    fn hand(&self) -> Hand {
        Hand::at([0.0, self.start])
    }

    /// Moves the gap to where it is at the end of the step, if it moves in it at all.
    fn play(&self, hand: &mut Hand, stage: &mut Stage) -> f64 {
        let next = stage.next();
        let Stage { model, state, signals, .. } = stage;
        let lift = signals.at(self.lift, next);
        let [before, lift_before, ..] = hand.applied;
        let (before, place, until) = match &self.motion {
            Motion::None => (before, before, f64::INFINITY),
            Motion::Travel { speed } => {
                (before, signals.travel(*speed, next), signals.travel_still_until(*speed, next))
            }
            // the step's own forces change its way by a share of dt² only
            Motion::Carried { mass, dt } => {
                let place = state.displacement(model, *mass, 0);
                (place, place + dt * state.velocity(model, *mass, 0), next)
            }
        };
        hand.applied[..2].copy_from_slice(&[place, lift]);
        if place != before || lift != lift_before {
            let gap = self.gap - lift - self.ground.height(place);
            if gap.is_finite() {
                state.set_gap(model, self.contact, gap);
            }
        }
        until.min(signals.still_until(self.lift, next))
    }
}

/// Heights over the distance travelled, from 0 at the start.
#[derive(Clone, Debug, Default)]
struct Ground {
    profile: Option<Profile>,
    /// Radius (m) and amplitudes (m) of 1, 2, 3 … waves per turn.
    wheel: Option<(f64, Vec<f64>)>,
    start: f64, // m
}

impl Ground {
    pub fn new(profile: Option<Profile>, wheel: Option<(f64, Vec<f64>)>) -> Self {
        let mut ground = Self { profile, wheel, start: 0.0 };
        ground.start = ground.height(0.0);
        ground
    }

    pub fn height(&self, distance: f64) -> f64 {
        let rough = self.profile.as_ref().map_or(0.0, |profile| profile.height(distance));
        let round = self.wheel.as_ref().map_or(0.0, |(radius, waves)| {
            let cos = libm::cos(distance / radius);
            // cos nθ = 2 cos θ cos (n − 1)θ − cos (n − 2)θ
            let (mut sum, mut before, mut now) = (0.0, 1.0, cos);
            for wave in waves {
                sum += wave * now;
                (before, now) = (now, 2.0 * cos * now - before);
            }
            sum
        });
        rough + round - self.start
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wheel_repeats_every_turn() {
        let ground = Ground::new(None, Some((0.5, vec![1.0, 0.25])));
        let turn = std::f64::consts::PI;
        for x in [0.0, 0.3, 2.0] {
            assert!((ground.height(x) - ground.height(x + turn)).abs() < 1e-14);
        }
        assert_eq!(ground.height(0.0), 0.0);
        assert!((ground.height(0.5 * turn) + 2.0).abs() < 1e-14);
    }
}
