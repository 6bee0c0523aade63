//! Frictions of the file: where they touch, what lies between them and the player, what the player does.

use super::bodies::{Tracks, refuse};
use super::strings::StringPlan;
use super::{end, surface};
use crate::score::{Grain, Noise, RubDrive, Shift, Travel};
use ictus_core::{
    BodyId, Bristles, BuildError, Clock, Contact, ContactId, Damping, End, Friction, FrictionParameters, Law, Mass,
    ModelBuilder,
};
use ictus_instrument as file;
use ictus_instrument::{Error, Loaded};

/// Where a friction touches its first end.
pub(super) struct RubPlan {
    places: Vec<Place>,
}

struct Place {
    /// Port of the first end; none for the wall.
    port: Option<usize>,
    /// How far from the middle of the bow, as a fraction of the string.
    offset: f64,
}

impl RubPlan {
    /// Chooses the points and adds their ports to the string or to the tracks of the body.
    pub fn new(interaction: &file::Interaction, strings: &mut [Option<StringPlan>], tracks: &mut [Tracks]) -> Self {
        let file::Law::Friction(surfaces) = &interaction.law else { return Self { places: Vec::new() } };
        let file::End::Port(port) = interaction.between[0] else {
            return Self { places: vec![Place { port: None, offset: 0.0 }] };
        };
        let position = &interaction.rub.position;
        let moves = position.len() > 1;
        let start = (!position.is_empty()).then(|| crate::score::held(position, 0.0));
        let Some(string) = strings[port.resonator].as_mut() else {
            let port = start.map_or(port.port, |start| tracks[port.resonator].add(port.port, start, moves));
            return Self { places: vec![Place { port: Some(port), offset: 0.0 }] };
        };
        let points = surfaces.bow.points;
        let width = surfaces.bow.width_m / string.parameters.length;
        let middle = start.unwrap_or_else(|| string.position(port.port));
        let places = (0..points)
            .map(|i| {
                let offset = width * ((i as f64 + 0.5) / points as f64 - 0.5);
                let port = match start {
                    None if points == 1 => port.port,
                    _ => string.add_port(middle + offset),
                };
                string.rub(port, moves);
                Place { port: Some(port), offset }
            })
            .collect();
        Self { places }
    }

    /// Points of contact.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// The contacts, the hair, and the port by which noise comes in.
    pub fn build(
        &self,
        loaded: &Loaded,
        clock: Clock,
        ids: &[BodyId],
        interaction: &file::Interaction,
        pressed_by: Option<ContactId>,
        builder: &mut ModelBuilder,
    ) -> Result<Rubbing, Error> {
        let file::Law::Friction(surfaces) = &interaction.law else {
            unreachable!("only frictions are planned");
        };
        let refused = |error: BuildError| refuse(loaded, &interaction.id, &error);
        let other = match &surfaces.bow.hair {
            None => end(ids, interaction.between[1]),
            Some(hair) => {
                let mass = Mass::new(clock, hair.mass_kg, hair.stiffness_n_m, hair.damping_n_s_m).map_err(refused)?;
                End::port(builder.body(format!("{}.hair", interaction.id), mass), 0)
            }
        };
        let body = match interaction.between[0] {
            file::End::Wall => None,
            file::End::Port(port) => Some(ids[port.resonator]),
        };
        let ends = |place: &Place| {
            let own = body.zip(place.port).map_or(End::Wall, |(body, port)| End::port(body, port));
            [own, other]
        };
        let mut contacts = Vec::new();
        for (i, place) in self.places.iter().enumerate() {
            let law = law(clock, surfaces, self.len()).map_err(refused)?;
            let name = if self.len() == 1 { interaction.id.clone() } else { format!("{}[{i}]", interaction.id) };
            let mut contact = Contact::new(name, ends(place), law.into());
            if let Some(by) = pressed_by {
                contact = contact.pressed_by(by);
            }
            contacts.push(builder.contact(contact));
        }
        let noise = interaction.rub.noise.map(|_| {
            let middle = &self.places[self.len() / 2];
            builder.contact(Contact::new(format!("{}.noise", interaction.id), ends(middle), Law::Force))
        });
        let moved = body.filter(|_| interaction.rub.position.len() > 1);
        let shift = moved.map(|body| Shift {
            body,
            ports: self.places.iter().filter_map(|place| Some((place.port?, place.offset))).collect(),
            position: in_steps(clock, &interaction.rub.position),
        });
        Ok(Rubbing { contacts, noise, shift })
    }
}

/// The contacts of one friction.
pub(super) struct Rubbing {
    pub contacts: Vec<ContactId>,
    noise: Option<ContactId>,
    shift: Option<Shift>,
}

pub(super) fn in_steps(clock: Clock, curve: &[(f64, f64)]) -> Vec<(f64, f64)> {
    curve.iter().map(|&(t, value)| (t / clock.dt, value)).collect()
}

/// The law at one of `points`, each with its share of everything: μ takes the share of the force, so that all feel the whole normal force.
fn law(clock: Clock, surfaces: &file::Surfaces, points: usize) -> Result<Friction, BuildError> {
    let share = 1.0 / points as f64;
    let parameters = FrictionParameters {
        stiffness: share * surfaces.stiffness_n_m,
        damping: share * surfaces.damping_n_s_m,
        viscosity: share * surfaces.viscosity_n_s_m,
        sticking: share * surfaces.sticking,
        sliding: share * surfaces.sliding,
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
    let friction = Friction::new(clock, parameters, bristles, form)?;
    Ok(match surfaces.newton_steps {
        None => friction,
        Some(steps) => friction.with_steps(steps),
    })
}

/// What the player does with interaction `index`.
pub(super) fn drive(loaded: &Loaded, clock: Clock, index: usize, rubbing: Rubbing) -> RubDrive {
    let interaction = &loaded.spec.interactions[index];
    let file::Rub { normal, speed, roughness, noise, .. } = &interaction.rub;
    let grain = |rough: &Option<(f64, file::Roughness)>, other: u64| {
        rough.map(|(share, roughness)| {
            let profile =
                surface::profile(&roughness, None, surface::seed(loaded, index, &roughness).wrapping_add(other));
            // waves that pass in less than four steps would alias
            let step = speed.iter().map(|(_, v)| v.abs()).fold(0.0, f64::max) * clock.dt;
            let profile = if step > profile.spacing() { profile.smoothed(2.0 * step) } else { profile };
            let per_step: Vec<_> = in_steps(clock, speed).into_iter().map(|(t, v)| (t, v * clock.dt)).collect();
            Grain { share, profile, travel: Travel::new(&per_step), apart: ASIDE * roughness.coarsest_m }
        })
    };
    RubDrive {
        grain: grain(roughness, 0),
        noise: rubbing.noise.zip(grain(noise, NOISE_SEED)).map(|(contact, grain)| {
            let file::Law::Friction(surfaces) = &interaction.law else { unreachable!("only frictions are planned") };
            Noise { contact, grain, full: surfaces.stribeck_m_s }
        }),
        contacts: rubbing.contacts,
        normal: in_steps(clock, normal),
        speed: in_steps(clock, speed),
        shift: rubbing.shift,
    }
}

/// Points of a bow side by side do not pass the same grain at the same time: they read the profile this many of its longest waves apart.
const ASIDE: f64 = 1.37;
/// Keeps the noise of a friction apart from its roughness.
const NOISE_SEED: u64 = 0x6e6f_6973;
