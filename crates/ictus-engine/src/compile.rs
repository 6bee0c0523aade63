//! From the validated file to a constant model at one sample rate.

mod along;
mod bodies;
mod gestures;
mod grids;
mod hold;
mod objects;
mod rub;
mod scatter;
mod strings;
mod surface;
mod wires;

use self::along::{BarrierPlan, FingerPlan, Row};
use self::bodies::Tracks;
use self::grids::GridPlan;
use self::hold::HoldPlan;
use self::rub::RubPlan;
use self::strings::StringPlan;
use self::wires::WiresPlan;
use crate::listen::{Source, Tap};
use crate::score::Score;
use ictus_core::{
    BodyId, BuildError, Clock, Collision, Contact, ContactId, End, Felt, Frame, Gradient, Law, Mode, Model,
    ModelBuilder, NonlinearSpring, PowerLaw, Quadratised, Spring,
};
use ictus_instrument as file;
use ictus_instrument::{Error, Loaded};

/// Contacts and drives in one instrument. Coupled ones share a dense matrix, so their number must be bounded.
const MAX_CONTACTS: usize = 2000;
/// Steps per second the engine will compute, against absurd sample rates.
const MAX_RATE: u64 = 8 * 384_000;

/// A string of an instrument as a picture needs it.
#[derive(Clone, Debug)]
pub struct StringView {
    /// Its id in the file.
    pub id: String,
    /// The body.
    pub body: BodyId,
    /// L, m.
    pub length: f64,
    /// Barriers on it, each a list of (position, height), m, as they stand at the beginning.
    pub barriers: Vec<Vec<(f64, f64)>>,
}

/// A membrane or plate of an instrument as a picture needs it.
#[derive(Clone, Debug)]
pub struct SurfaceView {
    /// Its id in the file; of a drum with its head, `drum.snare`.
    pub id: String,
    /// The body.
    pub body: BodyId,
    /// Which of the body's surfaces.
    pub which: usize,
    /// Sides, or the diameter twice, m.
    pub sides: [f64; 2],
    /// True for a disc, whose coordinates run from −1 to 1 instead of 0 to 1.
    pub round: bool,
    /// Contacts and where they touch it, in its coordinates.
    pub touched: Vec<([f64; 2], ContactId)>,
}

/// A modal body of an instrument, as it is at its rate.
#[derive(Clone, Debug)]
pub struct BankView {
    /// Its id in the file.
    pub id: String,
    /// Names of its ports.
    pub ports: Vec<String>,
    /// Where each mode sounds, how long and with which mass.
    pub modes: Vec<Mode>,
    /// Signed shapes, `shapes[port][mode]`.
    pub shapes: Vec<Vec<f64>>,
}

/// An instrument compiled for one sample rate. Constant; any number of [`Performance`](crate::Performance)s may share it.
#[derive(Debug)]
pub struct Instrument {
    pub(crate) model: Model,
    pub(crate) score: Score,
    pub(crate) taps: Vec<Tap>,
    pub(crate) oversampling: u32,
    sample_rate: u32,
    interactions: Vec<ContactId>,
    contact_count: usize,
    strings: Vec<StringView>,
    surfaces: Vec<SurfaceView>,
    banks: Vec<BankView>,
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
        if spec.interactions.len() > MAX_CONTACTS {
            let message =
                format!("the file has {} interactions, expected at most {MAX_CONTACTS}", spec.interactions.len());
            return Err(loaded.error_at("", "engine::too_many_contacts", message, "", None));
        }
        let mut strings = Vec::new();
        for resonator in &spec.resonators {
            strings.push(match &resonator.kind {
                file::ResonatorKind::String(string) => {
                    Some(StringPlan::new(loaded, clock, &resonator.id, string, &mut warnings)?)
                }
                _ => None,
            });
        }
        let plan = |strings: &mut [Option<StringPlan>], index: usize| {
            strings[index].take().expect("a barrier lies on a string")
        };
        let mut barrier_plans = Vec::new();
        for barrier in &spec.barriers {
            let mut string = plan(&mut strings, barrier.string);
            barrier_plans.push(BarrierPlan::new(loaded, barrier, &mut string)?);
            strings[barrier.string] = Some(string);
        }
        let mut finger_plans = Vec::new();
        for finger in &spec.fingers {
            let mut string = plan(&mut strings, finger.string);
            finger_plans.push(FingerPlan::new(loaded, finger, &mut string)?);
            strings[finger.string] = Some(string);
        }
        let mut tracks: Vec<Tracks> = spec.resonators.iter().map(Tracks::new).collect();
        let rub_plans: Vec<RubPlan> =
            spec.interactions.iter().map(|interaction| RubPlan::new(interaction, &mut strings, &mut tracks)).collect();
        let hold_plans: Vec<HoldPlan> =
            spec.interactions.iter().map(|interaction| HoldPlan::new(interaction, &mut strings, &mut tracks)).collect();
        let rubbing: usize = rub_plans.iter().map(RubPlan::len).sum();
        if rubbing > MAX_CONTACTS {
            let message = format!("the frictions have {rubbing} points of contact, expected at most {MAX_CONTACTS}");
            return Err(loaded.error_at("", "engine::too_many_contacts", message, "", None));
        }
        let mut grids = Vec::new();
        for resonator in &spec.resonators {
            grids.push(GridPlan::of(loaded, clock, resonator)?);
        }
        let mut wire_plans = Vec::new();
        for wires in &spec.wires {
            let grid = grids[wires.surface].as_mut().expect("wires lie over a surface on a grid");
            wire_plans.push(WiresPlan::new(loaded, clock, wires, grid)?);
        }
        let mut ids = Vec::new();
        let mut banks = Vec::new();
        let planned = strings.iter().zip(&tracks).zip(&grids);
        for (resonator, ((string, tracks), grid)) in spec.resonators.iter().zip(planned) {
            let touched = (string.as_ref(), tracks);
            let body = match grid {
                Some(grid) => grid.build(loaded, clock)?,
                None => bodies::build(loaded, clock, resonator, touched, &mut banks, &mut warnings)?,
            };
            ids.push(builder.boxed_body(resonator.id.clone(), body));
        }
        let mut interactions: Vec<ContactId> = Vec::new();
        let mut rows = Rows::default();
        let (mut rubs, mut holds) = (Vec::new(), Vec::new());
        for (index, (interaction, plan)) in spec.interactions.iter().zip(&rub_plans).enumerate() {
            let contacts = match interaction.law {
                file::Law::Friction(file::Surfaces { pressed_by, .. }) => {
                    let by = pressed_by.map(|by| interactions[by]);
                    let rubbing = plan.build(loaded, clock, &ids, interaction, by, &mut builder)?;
                    let contacts = rubbing.contacts.clone();
                    rubs.push(rub::drive(loaded, clock, index, rubbing));
                    contacts
                }
                file::Law::Adhere { .. } => {
                    let hold = hold_plans[index].build(clock, &ids, interaction, &mut builder);
                    let contact = hold.contact;
                    holds.push(hold);
                    vec![contact]
                }
                _ => vec![builder.contact(contact(loaded, clock, &ids, interaction)?)],
            };
            interactions.push(contacts[0]);
            rows.interactions.push(contacts);
        }
        for (barrier, plan) in spec.barriers.iter().zip(&barrier_plans) {
            rows.barriers.push(plan.build(clock, barrier, ids[barrier.string], &mut builder));
        }
        for (wires, plan) in spec.wires.iter().zip(&wire_plans) {
            rows.wires.push(plan.build(loaded, clock, wires, ids[wires.surface], &mut builder)?);
        }
        for (finger, plan) in spec.fingers.iter().zip(&finger_plans) {
            let length = strings[finger.string].as_ref().map_or(1.0, |string| string.parameters.length);
            let (body, row) = plan
                .build(clock, finger, (ids[finger.string], length), &mut builder)
                .map_err(|error| bodies::refuse(loaded, &finger.id, &error))?;
            rows.fingers.push(row);
            rows.finger_bodies.push(body);
        }
        let mut gestures = gestures::Compiler::new(loaded, clock, &ids).compile(&mut builder, &rows)?;
        gestures.score.surfaces = (interactions.iter().enumerate())
            .filter_map(|(index, &contact)| surface::drive(loaded, clock, index, contact, &mut warnings))
            .collect();
        gestures.score.rubs = rubs;
        gestures.score.holds = holds;
        let planned = grids.iter().zip(&ids).filter_map(|(plan, &body)| Some((plan.as_ref()?, body)));
        gestures.score.pedals = planned.flat_map(|(plan, body)| plan.pedals(clock, body)).collect();
        let names = gestures.names;
        let model = builder.build().map_err(|error| build_error(loaded, &names, &error))?;
        gestures::check_constraints(loaded, &model, &gestures.score, &names, &mut warnings)?;
        gestures::check_deflections(loaded, &model, &gestures.score, &gestures.origins)?;
        let taps = spec.taps.iter().map(|tap| tap_of(tap, &ids, &rows)).collect();
        let views = spec.resonators.iter().zip(&strings).zip(&ids).filter_map(|((resonator, string), &body)| {
            let string = string.as_ref()?;
            let length = string.parameters.length;
            let on_it = spec.barriers.iter().zip(&barrier_plans).filter(|(b, _)| ids[b.string] == body);
            let barriers = on_it.map(|(barrier, plan)| plan.outline(barrier, length)).collect();
            Some(StringView { id: resonator.id.clone(), body, length, barriers })
        });
        let views = views.collect();
        let along_wires: Vec<_> =
            wire_plans.iter().zip(&rows.wires).flat_map(|(plan, row)| plan.touched(row)).collect();
        let surfaces = grids::views(spec, &grids, &ids, &interactions, &along_wires);
        let along: usize = rows.all().map(|row| row.contacts.len()).sum();
        Ok(Self {
            model,
            contact_count: rows.interactions.iter().map(Vec::len).sum::<usize>() + along,
            strings: views,
            surfaces,
            banks,
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

    /// The strings, for pictures.
    pub fn strings(&self) -> &[StringView] {
        &self.strings
    }

    /// The membranes and plates, for pictures.
    pub fn surfaces(&self) -> &[SurfaceView] {
        &self.surfaces
    }

    /// The modal bodies, for tables.
    pub fn banks(&self) -> &[BankView] {
        &self.banks
    }

    /// Contacts of the model that are not drives: interactions, points of barriers, fingertips.
    pub fn contact_count(&self) -> usize {
        self.contact_count
    }

    /// Contacts of the model in the order of the file's interactions; of a bow with several points the first.
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

/// Contacts along strings and wires, and the bodies of fingers.
#[derive(Default)]
struct Rows {
    /// One contact each, but for bows with several points.
    interactions: Vec<Vec<ContactId>>,
    barriers: Vec<Row>,
    wires: Vec<Row>,
    fingers: Vec<Row>,
    finger_bodies: Vec<BodyId>,
}

impl Rows {
    fn all(&self) -> impl Iterator<Item = &Row> {
        self.barriers.iter().chain(&self.wires).chain(&self.fingers)
    }
}

fn collision(clock: Clock, stiffness: f64, exponent: f64, loss: f64, method: file::Method) -> Law {
    let power = PowerLaw::new(stiffness, exponent);
    match method {
        file::Method::Gradient => Collision::new(clock, power, loss).into(),
        file::Method::Quadratised => Quadratised::new(clock, power, Gradient::Current).into(),
        file::Method::QuadratisedCorrected => Quadratised::new(clock, power, Gradient::Corrected).into(),
    }
}

fn contact(loaded: &Loaded, clock: Clock, ids: &[BodyId], interaction: &file::Interaction) -> Result<Contact, Error> {
    let ends = interaction.between.map(|e| end(ids, e));
    let (law, gap): (Law, f64) = match interaction.law {
        file::Law::Collision { stiffness, exponent, gap_m, damping_s_m, method } => {
            (collision(clock, stiffness, exponent, damping_s_m, method), surface::gap_at_start(interaction, gap_m))
        }
        file::Law::Felt { stiffness, exponent, hysteresis, relaxation_s, gap_m } => {
            let felt = Felt::new(clock, PowerLaw::new(stiffness, exponent), hysteresis, relaxation_s)
                .map_err(|error| build_error(loaded, &[], &error))?;
            (felt.into(), gap_m)
        }
        file::Law::Friction(_) | file::Law::Adhere { .. } => unreachable!("frictions and adherences are planned"),
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

fn tap_of(tap: &file::Tap, ids: &[BodyId], rows: &Rows) -> Tap {
    let angle = (tap.pan + 1.0) * std::f64::consts::FRAC_PI_4;
    Tap {
        id: tap.id.clone(),
        source: match tap.from {
            file::TapSource::Port(port) => Source::Port { body: ids[port.resonator], port: port.port },
            file::TapSource::Interaction(index) => Source::Contacts(rows.interactions[index].clone()),
            file::TapSource::Barrier(index) => Source::Contacts(rows.barriers[index].contacts.clone()),
            file::TapSource::Wires(index) => Source::Contacts(rows.wires[index].contacts.clone()),
            file::TapSource::Finger(index) => Source::Contacts(rows.fingers[index].contacts.clone()),
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
