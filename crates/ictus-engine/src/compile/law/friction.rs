//! Frictions of the file: where they touch, what lies between them and the player, what the player does.

use super::{Built, LawPlan, Making, surface};
use crate::compile::body::{BodyPlan, refuse};
use crate::compile::inputs::Inputs;
use crate::compile::{Site, end};
use crate::curve::held;
use crate::drive::{Drive, Hand, Stage};
use crate::signal::InputId;
use ictus_core::{
    BodyId, Bow, Bristles, BuildError, Clock, Contact, ContactId, Damping, End, Friction, FrictionParameters, Law,
    Mass, Profile,
};
use ictus_instrument as file;
use ictus_instrument::{Error, InputKind, Interaction, Surfaces};

/// Where a friction touches its first end.
pub(super) struct RubPlan<'a> {
    index: usize,
    interaction: &'a Interaction,
    surfaces: &'a Surfaces,
    places: Vec<RubbedPoint>,
}

struct RubbedPoint {
    /// Port of the first end; none for the wall.
    port: Option<usize>,
    /// How far from the middle of the bow, as a fraction of the string.
    offset: f64,
}

impl<'a> RubPlan<'a> {
    /// Chooses the points and adds their ports to the body: where the file says, or from the place given where the bow is `moved`.
    pub fn new(
        index: usize,
        interaction: &'a Interaction,
        surfaces: &'a Surfaces,
        moved: Option<f64>,
        bodies: &mut [Box<dyn BodyPlan + 'a>],
    ) -> Self {
        let places = places(interaction, surfaces, moved, bodies);
        Self { index, interaction, surfaces, places }
    }
}

/// The points, with ports of the body.
fn places<'a>(
    interaction: &Interaction,
    surfaces: &Surfaces,
    moved: Option<f64>,
    bodies: &mut [Box<dyn BodyPlan + 'a>],
) -> Vec<RubbedPoint> {
    let file::End::Port(port) = interaction.between[0] else {
        return vec![RubbedPoint { port: None, offset: 0.0 }];
    };
    let position = &interaction.rub.position;
    let moves = moved.is_some();
    let fixed = (!position.is_empty()).then(|| held(position, 0.0));
    let start = moved.or(fixed);
    let body = &mut bodies[port.resonator];
    let Some(string) = body.as_string() else {
        let port = start.map_or(port.port, |start| body.add_place(port.port, start, moves));
        return vec![RubbedPoint { port: Some(port), offset: 0.0 }];
    };
    let points = surfaces.bow.points;
    let width = surfaces.bow.width_m / string.parameters.length;
    let middle = start.unwrap_or_else(|| string.position(port.port));
    // a tap on the port that the file names hears the surface, also where the bow touches at ports of its own
    string.rub(port.port, moves && start.is_none());
    let place = |i: usize| {
        let offset = width * ((i as f64 + 0.5) / points as f64 - 0.5);
        let port = match start {
            None if points == 1 => port.port,
            _ => string.add_port(middle + offset),
        };
        string.rub(port, moves);
        RubbedPoint { port: Some(port), offset }
    };
    (0..points).map(place).collect()
}

impl LawPlan for RubPlan<'_> {
    fn rubbing_points(&self) -> usize {
        self.places.len()
    }

    fn build(&self, site: Site, making: &mut Making) -> Result<Built, Error> {
        let Self { interaction, surfaces, places, .. } = self;
        let Site { loaded, clock, .. } = site;
        let refused = |error: BuildError| refuse(loaded, &interaction.id, &error);
        let other = match &surfaces.bow.hair {
            None => end(making.ids, interaction.between[1]),
            Some(hair) => {
                let mass = Mass::new(clock, hair.mass_kg, hair.stiffness_n_m, hair.damping_n_s_m).map_err(refused)?;
                End::port(making.builder.body(format!("{}.hair", interaction.id), mass), 0)
            }
        };
        let body = match interaction.between[0] {
            file::End::Wall => None,
            file::End::Port(port) => Some(making.ids[port.resonator]),
        };
        let ends = |place: &RubbedPoint| {
            let own = body.zip(place.port).map_or(End::Wall, |(body, port)| End::port(body, port));
            [own, other]
        };
        let mut contacts = Vec::new();
        for (i, place) in places.iter().enumerate() {
            let law = law(clock, surfaces, places.len()).map_err(refused)?;
            let name = if places.len() == 1 { interaction.id.clone() } else { format!("{}[{i}]", interaction.id) };
            let mut contact = Contact::new(name, ends(place), law);
            if let Some(by) = surfaces.pressed_by {
                contact = contact.pressed_by(making.earlier[by].contacts[0]);
            }
            contacts.push(making.builder.contact(contact));
        }
        let noise = interaction.rub.noise.map(|_| {
            let middle = &places[places.len() / 2];
            making.builder.contact(Contact::new(format!("{}.noise", interaction.id), ends(middle), Law::Force))
        });
        let position = making.inputs.find(InputKind::Position { interaction: self.index });
        let shift = body.zip(position).map(|(body, position)| Shift {
            body,
            ports: places.iter().filter_map(|place| Some((place.port?, place.offset))).collect(),
            position,
            start: making.inputs.start(position),
        });
        let drive = self.drive(site, making.inputs, contacts.clone(), noise, shift)?;
        Ok(Built { contacts, drive: Some(Box::new(drive)) })
    }
}

/// The law at one of `points`, each with its share of everything: μ takes the share of the force, so that all feel the whole normal force.
fn law(clock: Clock, surfaces: &Surfaces, points: usize) -> Result<Law, BuildError> {
    let share = 1.0 / points as f64;
    if surfaces.model == file::FrictionModel::BowCurve {
        return Ok(Bow::new(clock, surfaces.sharpness_s2_m2)?.with_grip(share * surfaces.sticking)?.into());
    }
    Ok(friction(clock, surfaces, points)?.into())
}

/// The same for surfaces with bristles, and for those whose friction depends on the velocity only.
pub(in crate::compile) fn friction(clock: Clock, surfaces: &Surfaces, points: usize) -> Result<Friction, BuildError> {
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
        file::FrictionModel::Stribeck | file::FrictionModel::BowCurve => Bristles::None,
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

impl RubPlan<'_> {
    /// What the player does with it.
    fn drive(
        &self,
        site: Site,
        inputs: &Inputs,
        contacts: Vec<ContactId>,
        noise: Option<ContactId>,
        shift: Option<Shift>,
    ) -> Result<RubDrive, Error> {
        let rub = &self.interaction.rub;
        let interaction = self.index;
        let noise = noise.zip(self.grain((site, inputs), rub.noise, NOISE_SEED)?);
        Ok(RubDrive {
            grain: self.grain((site, inputs), rub.roughness, 0)?,
            noise: noise.map(|(contact, grain)| Noise { contact, grain, full: self.surfaces.stribeck_m_s }),
            contacts,
            normal: inputs.find(InputKind::Normal { interaction }),
            speed: inputs.find(InputKind::Speed { interaction }),
            shift,
        })
    }

    /// `other` keeps the draws apart.
    fn grain(
        &self,
        (site, inputs): (Site, &Inputs),
        rough: Option<(f64, file::Roughness)>,
        other: u64,
    ) -> Result<Option<Grain>, Error> {
        let Some((share, roughness)) = rough else { return Ok(None) };
        let Site { loaded, clock, .. } = site;
        let speed = &self.interaction.rub.speed;
        let seed = surface::seed(loaded, self.index, &roughness).wrapping_add(other);
        // waves that pass in less than four steps would alias
        let fastest = speed.iter().map(|(_, v)| v.abs()).fold(0.0, f64::max);
        let passes = inputs.find(InputKind::Speed { interaction: self.index });
        let fastest = fastest + passes.map_or(0.0, |speed| inputs.reach(speed));
        let step = fastest * clock.dt;
        let smooth = (step > surface::in_the_core(&roughness).spacing()).then_some(2.0 * step);
        let profile = surface::profile(site, &roughness, None, seed, smooth)?;
        Ok(Some(Grain { share, profile, apart: ASIDE * roughness.coarsest_m }))
    }
}

/// Points of a bow side by side do not pass the same grain at the same time: they read the profile this many of its longest waves apart.
const ASIDE: f64 = 1.37;
/// Keeps the noise of a friction apart from its roughness.
const NOISE_SEED: u64 = 0x6e6f_6973;

/// One friction in the player's hand.
#[derive(Clone, Debug)]
pub(super) struct RubDrive {
    /// Points of contact, side by side.
    pub contacts: Vec<ContactId>,
    /// N; none where a collision presses.
    pub normal: Option<InputId>,
    /// m/s
    pub speed: Option<InputId>,
    pub grain: Option<Grain>,
    /// A force from outside that comes with the passing grain.
    pub noise: Option<Noise>,
    pub shift: Option<Shift>,
}

/// Roughness that varies a force as it passes.
#[derive(Clone, Debug)]
pub(super) struct Grain {
    /// Share of the normal force, rms.
    pub share: f64,
    /// Heights of rms 1.
    pub profile: Profile,
    /// Distance at which neighbouring points read it, m.
    pub apart: f64,
}

/// The force that comes with it.
#[derive(Clone, Debug)]
pub(super) struct Noise {
    pub contact: ContactId,
    pub grain: Grain,
    /// Speed (m/s) from which on it has its full size.
    pub full: f64,
}

impl Grain {
    /// For the point of that index, once the surfaces have travelled so far.
    fn at(&self, travelled: f64, point: usize) -> f64 {
        self.share * self.profile.height(travelled + self.apart * point as f64)
    }
}

/// Points of contact that move along their body.
#[derive(Clone, Debug)]
pub(super) struct Shift {
    pub body: BodyId,
    /// Port and distance from the middle.
    pub ports: Vec<(usize, f64)>,
    pub position: InputId,
    /// The place for which the ports were built.
    pub start: f64,
}

impl Shift {
    /// Moves the points to where they are when the forces of the step act.
    pub fn play(&self, hand: &mut Hand, stage: &mut Stage) {
        let place = stage.signals.at(self.position, stage.time());
        if std::mem::replace(&mut hand.applied[0], place) != place {
            for &(port, offset) in &self.ports {
                stage.state.move_port(stage.model, self.body, port, place + offset);
            }
        }
    }

    /// A hand that holds the points where they were built.
    pub fn hand(shift: Option<&Self>) -> Hand {
        Hand::at([shift.map_or(0.0, |shift| shift.start), 0.0])
    }
}

impl Drive for RubDrive {
    fn inputs(&self) -> Vec<InputId> {
        let position = self.shift.as_ref().map(|shift| shift.position);
        [self.normal, self.speed, position].into_iter().flatten().collect()
    }

    fn hand(&self) -> Hand {
        Shift::hand(self.shift.as_ref())
    }

    fn play(&self, hand: &mut Hand, stage: &mut Stage) -> f64 {
        if let Some(shift) = &self.shift {
            shift.play(hand, stage);
        }
        let time = stage.time();
        let Stage { model, state, signals, .. } = stage;
        let travelled = self.speed.map_or(0.0, |speed| signals.travel(speed, time));
        let normal = self.normal.map_or(0.0, |normal| signals.at(normal, time));
        if self.normal.is_some() {
            for (i, &contact) in self.contacts.iter().enumerate() {
                // surfaces do not pull: where the roughness would, they part
                let rough = self.grain.as_ref().map_or(1.0, |grain| (1.0 + grain.at(travelled, i)).max(0.0));
                state.press(model, contact, rough * normal);
            }
        }
        let speed = self.speed.map_or(0.0, |speed| signals.at(speed, time));
        if self.speed.is_some_and(|speed| signals.is_live(speed)) {
            for &contact in &self.contacts {
                state.slide(contact, speed);
            }
        }
        if let Some(Noise { contact, grain, full }) = &self.noise {
            // surfaces at rest are silent
            let passing = speed.abs() / (speed * speed + full * full).sqrt();
            state.set_input(*contact, normal * passing * grain.at(travelled, 0));
        }
        // a friction is never idle
        stage.next()
    }
}
