//! Gestures of the file to cues and drives: the table of kinds.

mod force;
mod impulse;
mod pluck;
mod scatter;
mod setting;
mod strike;
mod throw;
mod velocity;

pub(super) use self::force::ForceDrive;
pub(super) use self::impulse::ImpulseDrive;
pub(super) use self::setting::{SetAction, Setting};

use self::force::Forces;
use self::velocity::Velocities;
use super::inputs::Inputs;
use super::{ContactIds, MAX_CONTACTS, Site, end};
use crate::cue::{Cue, CuedOnset};
use crate::drive::Drive;
use crate::voice::phase;
use ictus_core::{BodyId, Contact, ContactId, End, Law, Model, ModelBuilder, White};
use ictus_instrument as file;
use ictus_instrument::{Action, Error, PortRef};
use rand_pcg::Pcg64;
use rand_pcg::rand_core::RngCore;

/// The gestures of a file in the making: drives are contacts of the model, one per driven port.
pub(super) struct Gestures<'a> {
    site: Site<'a>,
    ids: &'a [BodyId],
    /// Changes of state, with the index of their gesture.
    pub settings: Vec<(Setting, usize)>,
    forces: Forces,
    velocities: Velocities,
    /// Contact name and the file's path, for every drive.
    pub names: Vec<(String, String)>,
}

/// Drives of ports.
pub(super) struct Drives {
    /// They act before those of interactions.
    pub forces: Vec<ForceDrive>,
    /// They act after them.
    pub velocities: Vec<Box<dyn Drive>>,
}

/// One occurrence of a gesture.
#[derive(Clone, Copy)]
struct Occurrence {
    /// Index of the gesture.
    index: usize,
    /// In steps.
    start: f64,
    /// Of its amplitude.
    factor: f64,
}

impl Occurrence {
    fn onset(self) -> CuedOnset {
        CuedOnset { gesture: self.index, factor: self.factor }
    }
}

impl<'a> Gestures<'a> {
    /// All gestures of the file, and weights.
    pub fn new(site: Site<'a>, ids: &'a [BodyId]) -> Self {
        let spec = &site.loaded.spec;
        let mut gestures = Self {
            site,
            ids,
            settings: Vec::new(),
            forces: Forces::of_weights(spec),
            velocities: Velocities::default(),
            names: Vec::new(),
        };
        for (index, gesture) in spec.gestures.iter().enumerate() {
            let mut white = White::new(spec.seed, SCATTER + index as u64);
            for (time, factor) in occurrences(spec.seed, index, gesture) {
                let start = time / site.clock.dt;
                gestures.add(&gesture.action, Occurrence { index, start, factor }, &mut white);
            }
        }
        gestures.settings.sort_by_key(|(setting, _)| setting.step);
        gestures
    }

    /// One occurrence of a gesture: one line per kind.
    fn add(&mut self, action: &Action, once: Occurrence, white: &mut White) {
        match action {
            Action::Throw { resonator, velocity_m_s, position_m } => {
                self.throw(once, *resonator, *velocity_m_s, *position_m);
            }
            Action::Pluck { port, how } => self.pluck(once, *port, how),
            Action::Strike { port, duration_s, amount } => self.strike(once, *port, *duration_s, *amount),
            Action::Force { port, curve } => self.force(once, *port, curve),
            Action::Velocity { port, curve } => self.velocity(once, *port, curve),
            Action::Scatter { masses, rate, velocity_m_s, exponent } => {
                self.scatter(once, masses, scatter::events(white, masses.len(), rate, *velocity_m_s, *exponent));
            }
        }
    }

    /// Seconds in steps.
    fn steps(&self, seconds: f64) -> f64 {
        seconds / self.site.clock.dt
    }

    fn set(&mut self, once: Occurrence, start: f64, resonator: usize, action: SetAction) {
        let setting = Setting { step: start.round() as u64, body: self.ids[resonator], action, onset: once.onset() };
        self.settings.push((setting, once.index));
    }

    /// Makes the contacts of the drives.
    pub fn drives(
        &mut self,
        builder: &mut ModelBuilder,
        (inputs, rows): (&Inputs, &ContactIds),
    ) -> Result<Drives, Error> {
        self.check_number(rows)?;
        let mut join = Join { ids: self.ids, builder, names: &mut self.names };
        let forces = self.forces.drives(self.site, (inputs, rows), &mut join);
        let velocities = self.velocities.drives(self.site, inputs, &mut join)?;
        Ok(Drives { forces, velocities })
    }

    /// What happens when, for force drives of which the first has index `first`: changes of state before strokes.
    pub fn cues(&mut self, forces: &[ForceDrive], first: usize) -> Vec<Cue> {
        let mut cues: Vec<Cue> = self.settings.iter().map(|(setting, _)| setting.cue()).collect();
        cues.extend(self.forces.cues(forces, first, phase(self.site.clock)));
        // stable: at the same step the order above stays
        cues.sort_by_key(|cue| cue.step);
        cues
    }

    fn check_number(&self, rows: &ContactIds) -> Result<(), Error> {
        let Site { loaded, .. } = self.site;
        let drives = self.forces.len() + self.velocities.len() + loaded.spec.fingers.len();
        let along: usize = rows.all().map(|row| row.contacts.len()).sum();
        let contacts = loaded.spec.interactions.len() + along;
        if contacts + drives > MAX_CONTACTS {
            let message =
                format!("{contacts} contacts and {drives} driven ports, expected at most {MAX_CONTACTS} together");
            return Err(loaded.error_at("", "engine::too_many_contacts", message, "", None));
        }
        Ok(())
    }

    /// See [`velocity::check`].
    pub fn check_constraints(&self, model: &Model, warnings: &mut Vec<Error>) -> Result<(), Error> {
        velocity::check(self.site.loaded, model, &self.velocities, &self.names, warnings)
    }
}

/// Makes contacts by which drives reach the model.
struct Join<'a> {
    ids: &'a [BodyId],
    builder: &'a mut ModelBuilder,
    names: &'a mut Vec<(String, String)>,
}

impl Join<'_> {
    /// A contact with the player; `path` is what the file calls it.
    fn contact(&mut self, on: End, name: String, law: Law, path: &str) -> ContactId {
        self.names.push((name.clone(), path.to_owned()));
        self.builder.contact(Contact::new(name, [on, End::Wall], law))
    }

    fn body(&self, port: PortRef) -> BodyId {
        self.ids[port.resonator]
    }

    fn end(&self, port: PortRef) -> End {
        end(self.ids, file::End::Port(port))
    }
}

/// Streams of random numbers from here on belong to scattered throws, those below to repetitions.
const SCATTER: u64 = 1 << 32;

/// When and how strongly a gesture happens: (s, factor). Random choices depend on the seed and the gesture only.
fn occurrences(seed: u64, index: usize, gesture: &file::Gesture) -> Vec<(f64, f64)> {
    let Some(repeat) = gesture.repeat else { return vec![(gesture.at_s, 1.0)] };
    let mut random = Pcg64::new(u128::from(seed), index as u128);
    // uniform in −1..1 with 53 bits
    let mut draw = || (random.next_u64() >> 11) as f64 / (1u64 << 52) as f64 - 1.0;
    (0..repeat.times)
        .map(|i| {
            let (shift, factor) = (repeat.jitter_s * draw(), 1.0 + repeat.vary * draw());
            ((gesture.at_s + repeat.every_s * f64::from(i) + shift).max(0.0), factor)
        })
        .collect()
}
