//! From the validated file to a constant model at one sample rate.

mod along;
mod body;
mod build;
mod coefficients;
mod deflections;
mod gap;
mod gesture;
mod inputs;
mod law;
mod view;
mod wires;

pub use self::view::{BankView, ContactPlace, ContactView, StringView, SurfaceView};

use self::along::PointContacts;
use self::build::Finished;
use self::inputs::Inputs;
use crate::knob::Knob;
use crate::listen::{Source, Tap, pan};
use crate::onset::Onset;
use crate::patch::{Compiled, Port};
use crate::results::Results;
use crate::snapshot::fingerprint;
use crate::voice::phase;
use ictus_core::{BodyId, BuildError, Clock, ContactId, End, Scheme};
use ictus_instrument as file;
use ictus_instrument::{Error, InputKind, Loaded};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::OnceLock;

/// Contacts and drives in one instrument. Coupled ones share a dense matrix, so their number must be bounded.
const MAX_CONTACTS: usize = 2000;
/// Steps per second the engine will compute, against absurd sample rates.
const MAX_RATE: u64 = 8 * 384_000;

/// What everything is compiled for: a file and a time step; and what earlier compilations found.
#[derive(Clone, Copy)]
struct Site<'a> {
    loaded: &'a Loaded,
    clock: Clock,
    results: &'a Results,
}

impl<'a> Site<'a> {
    fn new(loaded: &'a Loaded, sample_rate: u32, results: &'a Results) -> Result<Self, Error> {
        let rate = u64::from(sample_rate) * u64::from(loaded.spec.oversampling);
        if !(1000..=384_000).contains(&sample_rate) || rate > MAX_RATE {
            let message = format!("the sample rate is {sample_rate} Hz, expected 1000 to 384000 Hz");
            return Err(loaded.error_at("", "engine::sample_rate", message, "", None));
        }
        let scheme = match loaded.spec.scheme {
            file::Scheme::Midpoint => Scheme::Midpoint,
            file::Scheme::Leapfrog => Scheme::Leapfrog,
        };
        Ok(Self { loaded, clock: Clock::new(scheme, 1.0 / rate as f64), results })
    }

    /// The result of `make`, which depends on its kind and on `from` alone: the one that is kept, or a new one.
    fn result<T: Serialize + DeserializeOwned>(
        &self,
        kind: &str,
        from: &impl Serialize,
        make: impl FnOnce() -> Result<T, Error>,
    ) -> Result<T, Error> {
        let Some(key) = self.results.key(kind, from) else { return make() };
        if let Some(result) = self.results.find(&key) {
            return Ok(result);
        }
        if self.results.is_complete() {
            let message = format!("the plan lacks a result ({kind}) that its text needs");
            let help = Some("make the plan again".to_owned());
            return Err(self.loaded.error_at("", "engine::incomplete_plan", message, "", help));
        }
        let result = make()?;
        self.results.keep(key, &result);
        Ok(result)
    }
}

/// Compiles a loaded file.
pub(crate) fn compile(loaded: &Loaded, sample_rate: u32, results: &Results) -> Result<Compiled, Error> {
    let site = Site::new(loaded, sample_rate, results)?;
    let spec = &loaded.spec;
    let mut compiler = build::Compiler::plan(site)?;
    compiler.build_bodies()?;
    compiler.build_laws()?;
    compiler.build_rows()?;
    let Finished { model, drives, cues, driven } = compiler.finish()?;
    let along: usize = compiler.rows.all().map(|row| row.contacts.len()).sum();
    let inputs = &compiler.inputs;
    let taps: Vec<Tap> = (spec.taps.iter().enumerate())
        .map(|(index, tap)| tap_of(index, tap, &compiler.ids, (inputs, &compiler.rows)))
        .collect();
    let mut readers = vec![None; inputs.tracks.len()];
    for (index, drive) in drives.iter().enumerate() {
        for input in drive.inputs() {
            inputs.read_by(index, input, &mut readers);
        }
    }
    let mixes = taps.iter().any(|tap| inputs.is_live(tap.gain_input) || inputs.is_live(tap.pan_input));
    let modulated_speeds = inputs.modulated_speeds();
    let (strings, surfaces) = (compiler.string_views(), compiler.surface_views());
    let knobs = spec.controls.iter().map(|control| Knob::new(control, &compiler.inputs.tracks)).collect();
    let onsets = Onset::all(spec, site.clock.dt, |kind| compiler.inputs.find(kind));
    Ok(Compiled {
        onsets,
        knobs,
        fingerprint: fingerprint(spec, sample_rate),
        contacts: compiler.contact_views(&strings, &surfaces),
        phase: phase(site.clock),
        taps,
        ports: ports(spec, &compiler.ids, &driven, drives.len() - 1),
        contact_count: compiler.rows.interactions.iter().map(Vec::len).sum::<usize>() + along,
        strings,
        surfaces,
        banks: compiler.found.banks,
        oversampling: spec.oversampling,
        sample_rate,
        interactions: compiler.rows.interactions.iter().map(|contacts| contacts[0]).collect(),
        warnings: compiler.found.warnings,
        tracks: compiler.inputs.tracks,
        initial: OnceLock::new(),
        model,
        drives,
        cues,
        readers,
        modulated_speeds,
        mixes,
    })
}

/// The ports that the file names, each with the drive that plays strokes on it: its own, or that of impulses.
fn ports(spec: &file::Spec, ids: &[BodyId], driven: &[(BodyId, usize)], impulses: usize) -> Vec<Port> {
    let mut ports = Vec::new();
    for (resonator, body) in spec.resonators.iter().enumerate() {
        for port in 0..body.port_names().count() {
            let on = (ids[resonator], port);
            let drive = driven.iter().position(|driven| *driven == on).unwrap_or(impulses);
            let at = file::PortRef { resonator, port };
            let (name, touchable) = (spec.port_name(at), spec.can_be_touched(at));
            ports.push(Port { name, body: on.0, port, drive, touchable });
        }
    }
    ports
}

fn end(ids: &[BodyId], end: file::End) -> End {
    match end {
        file::End::Wall => End::Wall,
        file::End::Port(port) => End::port(ids[port.resonator], port.port),
    }
}

/// Contacts along strings and wires, and the bodies of fingers.
#[derive(Default)]
struct ContactIds {
    /// One contact each, but for bows with several points.
    interactions: Vec<Vec<ContactId>>,
    barriers: Vec<PointContacts>,
    wires: Vec<PointContacts>,
    fingers: Vec<PointContacts>,
    finger_bodies: Vec<BodyId>,
}

impl ContactIds {
    fn all(&self) -> impl Iterator<Item = &PointContacts> {
        self.barriers.iter().chain(&self.wires).chain(&self.fingers)
    }
}

/// A curve over seconds as one over steps.
fn in_steps(clock: Clock, curve: &[(f64, f64)]) -> Vec<(f64, f64)> {
    curve.iter().map(|&(t, value)| (t / clock.dt, value)).collect()
}

fn tap_of(index: usize, tap: &file::Tap, ids: &[BodyId], (inputs, rows): (&Inputs, &ContactIds)) -> Tap {
    let input = |kind| inputs.find(kind).expect("every tap has a gain and a pan");
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
        gains: pan(tap.gain, tap.pan),
        gain: tap.gain,
        gain_input: input(InputKind::TapGain { tap: index }),
        pan_input: input(InputKind::TapPan { tap: index }),
    }
}

/// Converts a fault of the model to the file's terms. `names` gives the path of each drive by the name of its contact.
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
