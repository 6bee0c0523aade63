//! From the validated file to a constant model at one sample rate.

mod bodies;
mod gestures;

use crate::listen::{Source, Tap};
use crate::score::Score;
use ictus_core::{
    BodyId, BuildError, Clock, Collision, Contact, ContactId, End, Frame, Gradient, Law, Model, ModelBuilder,
    NonlinearSpring, PowerLaw, Quadratised, Spring,
};
use ictus_instrument as file;
use ictus_instrument::{Error, Loaded};

/// Contacts and drives in one instrument. Coupled ones share a dense matrix, so their number must be bounded.
const MAX_CONTACTS: usize = 2000;
/// Steps per second the engine will compute, against absurd sample rates.
const MAX_RATE: u64 = 8 * 384_000;

/// An instrument compiled for one sample rate. Constant; any number of [`Performance`](crate::Performance)s may share it.
#[derive(Debug)]
pub struct Instrument {
    pub(crate) model: Model,
    pub(crate) score: Score,
    pub(crate) taps: Vec<Tap>,
    pub(crate) oversampling: u32,
    sample_rate: u32,
    interactions: Vec<ContactId>,
    warnings: Vec<Error>,
}

impl Instrument {
    /// Compiles a loaded file.
    ///
    /// # Errors
    /// What the file's own rules allow but this sample rate or the physics does not: an unstable grid, conflicting constraints.
    pub fn compile(loaded: &Loaded, sample_rate: u32) -> Result<Self, Error> {
        let spec = &loaded.spec;
        let rate = u64::from(sample_rate) * u64::from(spec.oversampling);
        if !(1000..=384_000).contains(&sample_rate) || rate > MAX_RATE {
            let message = format!("the sample rate is {sample_rate} Hz, expected 1000 to 384000 Hz");
            return Err(loaded.error_at("", "engine::sample_rate", message, "", None));
        }
        let frame = match spec.scheme {
            file::Scheme::Midpoint => Frame::Midpoint,
            file::Scheme::Leapfrog => Frame::Leapfrog,
        };
        let clock = Clock::new(frame, 1.0 / rate as f64);
        let mut warnings = Vec::new();
        let mut builder = ModelBuilder::new(clock);
        let mut ids = Vec::new();
        for resonator in &spec.resonators {
            let body = bodies::build(loaded, clock, resonator, &mut warnings)?;
            ids.push(builder.boxed_body(resonator.id.clone(), body));
        }
        if spec.interactions.len() > MAX_CONTACTS {
            let message =
                format!("the file has {} interactions, expected at most {MAX_CONTACTS}", spec.interactions.len());
            return Err(loaded.error_at("", "engine::too_many_contacts", message, "", None));
        }
        let mut interactions = Vec::new();
        for interaction in &spec.interactions {
            interactions.push(builder.contact(contact(loaded, clock, &ids, interaction)?));
        }
        let gestures = gestures::Compiler::new(loaded, clock, &ids).compile(&mut builder)?;
        let names = gestures.names;
        let model = builder.build().map_err(|error| build_error(loaded, &names, &error))?;
        gestures::check_constraints(loaded, &model, &gestures.score, &names, &mut warnings)?;
        gestures::check_deflections(loaded, &model, &gestures.score, &gestures.origins)?;
        let taps = spec.taps.iter().map(|tap| tap_of(tap, &ids, &interactions)).collect();
        Ok(Self {
            model,
            score: gestures.score,
            taps,
            oversampling: spec.oversampling,
            sample_rate,
            interactions,
            warnings,
        })
    }

    /// Output sample rate, Hz.
    pub fn sample_rate(&self) -> u32 {
        self.sample_rate
    }

    /// Names of the taps, in the order of their stems.
    pub fn tap_names(&self) -> impl Iterator<Item = &str> {
        self.taps.iter().map(|tap| tap.id.as_str())
    }

    /// What was odd but workable at this sample rate.
    pub fn warnings(&self) -> &[Error] {
        &self.warnings
    }

    /// The physics.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Contacts of the model in the order of the file's interactions.
    pub fn interactions(&self) -> &[ContactId] {
        &self.interactions
    }
}

fn end(ids: &[BodyId], end: file::End) -> End {
    match end {
        file::End::Wall => End::Wall,
        file::End::Port(port) => End::port(ids[port.resonator], port.port),
    }
}

fn contact(loaded: &Loaded, clock: Clock, ids: &[BodyId], interaction: &file::Interaction) -> Result<Contact, Error> {
    let ends = interaction.between.map(|e| end(ids, e));
    let (law, gap): (Law, f64) = match interaction.law {
        file::Law::Collision { stiffness, exponent, gap_m, damping_s_m, method } => {
            let power = PowerLaw::new(stiffness, exponent);
            let law = match method {
                file::Method::Gradient => Collision::new(clock, power, damping_s_m).into(),
                file::Method::Quadratised => Quadratised::new(clock, power, Gradient::Current).into(),
                file::Method::QuadratisedCorrected => Quadratised::new(clock, power, Gradient::Corrected).into(),
            };
            (law, gap_m)
        }
        file::Law::Spring { stiffness_n_m, damping_n_s_m } => {
            let spring =
                Spring::new(clock, stiffness_n_m, damping_n_s_m).map_err(|error| build_error(loaded, &[], &error))?;
            (spring.into(), 0.0)
        }
        file::Law::NonlinearSpring { stiffness, exponent } => {
            (NonlinearSpring::new(clock, PowerLaw::new(stiffness, exponent)).into(), 0.0)
        }
    };
    Ok(Contact::new(interaction.id.clone(), ends, law).with_gap(gap))
}

fn tap_of(tap: &file::Tap, ids: &[BodyId], interactions: &[ContactId]) -> Tap {
    let angle = (tap.pan + 1.0) * std::f64::consts::FRAC_PI_4;
    Tap {
        id: tap.id.clone(),
        source: match tap.from {
            file::TapSource::Port(port) => Source::Port { body: ids[port.resonator], port: port.port },
            file::TapSource::Interaction(index) => Source::Contact(interactions[index]),
        },
        quantity: tap.quantity,
        gains: [tap.gain * libm::cos(angle), tap.gain * libm::sin(angle)],
        gain: tap.gain,
    }
}

/// A fault the model found, told in the file's terms. `names` gives the path of each drive by the name of its contact.
fn build_error(loaded: &Loaded, names: &[(String, String)], error: &BuildError) -> Error {
    let path = match error {
        BuildError::WallAgainstWall { contact }
        | BuildError::NoSuchPort { contact, .. }
        | BuildError::ImmovableConstraint { contact } => {
            names.iter().find(|(name, _)| name == contact).map_or(contact.as_str(), |(_, path)| path)
        }
        BuildError::Parameter { .. } => "",
    };
    loaded.error_at(path, "engine::model", error.to_string(), "here", None)
}
