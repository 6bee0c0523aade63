//! Coefficients of a bank, found when it is built and again when it is retuned.
//!
//! Every coefficient is computed from the modes and the shapes φ alone, never from its former value, so a retuned bank has the bits of a new one.
//! Velocities and displacements are stored in units of √Y: to stay what they are, they are scaled by √Y before over √Y after.

use super::{GridString, ModalBank, Oscillator, PortPosition, Track, impulse_gain, scale, split};
use crate::clock::{Clock, Scheme};
use crate::resonator::grid::StringParameters;
use crate::resonator::{FastResonator, Tuning};
use ictus_kernels::Aligned;

/// What a bank was before it was last retuned.
#[derive(Clone, Debug)]
pub(super) struct Spare {
    oscillators: Vec<Oscillator>,
    form: Vec<f64>,
    changed: Changed,
    /// Former √Y over √Y.
    ratio: Aligned,
}

/// What was changed last.
#[derive(Clone, Copy, Debug)]
enum Changed {
    Nothing,
    Modes,
    /// φ of a port.
    Shape(usize),
    /// With its former parameters.
    String(StringParameters),
}

impl Spare {
    pub fn new(modes: usize, padded: usize) -> Self {
        let none = Oscillator { mass: 0.0, stiffness: 0.0, resistance: 0.0 };
        Self {
            oscillators: vec![none; modes],
            form: vec![0.0; modes],
            changed: Changed::Nothing,
            ratio: Aligned::new(0.0, padded),
        }
    }
}

impl ModalBank {
    /// Computes all coefficients of the modes but those of a tension.
    pub(super) fn find_coefficients(&mut self) {
        let (dt, unit) = (self.clock.dt, self.unit);
        for (i, &Oscillator { mass, stiffness, resistance }) in self.oscillators.iter().enumerate() {
            let mut denominator = 2.0 * mass / dt + resistance;
            if self.scheme == Scheme::Midpoint {
                denominator += 0.5 * stiffness * dt;
            }
            let mobility = 1.0 / denominator;
            let kept = 1.0 - 2.0 * resistance * mobility;
            let root = mobility.sqrt();
            self.mass[i] = 4.0 * mobility * mass;
            self.stiffness[i] = 4.0 * mobility * stiffness * unit * unit;
            self.resistance[i] = 0.5 * (1.0 - kept);
            self.kept[i] = kept;
            self.pull[i] = 2.0 * stiffness * mobility * unit;
            self.spare.ratio[i] = self.root[i] / root;
            self.root[i] = root;
            self.impulse_gain[i] = impulse_gain(mobility, mass);
        }
    }

    /// Computes what the modes of a string take from an impulse: its mass is that of the points, without the correction for losses.
    pub(super) fn find_impulse_gain(&mut self) {
        let Some(string) = &self.string else { return };
        let mass = string.modal_mass();
        for (gain, root) in self.impulse_gain.iter_mut().zip(&self.root[..self.modes]) {
            *gain = impulse_gain(root * root, mass);
        }
    }

    /// Computes the coefficients of a tension that the modes share, if they do.
    pub(super) fn find_tension(&mut self) {
        let tension = &mut self.tension;
        for (i, kappa) in tension.kappa.iter().enumerate() {
            let root = self.root[i];
            tension.pulled[i] = kappa * root * root;
            tension.slopes[i] = 4.0 * tension.pulled[i];
            tension.pull[i] = 0.5 * self.pull[i];
        }
    }

    /// Computes ψ of every port.
    pub(super) fn scale_shapes(&mut self) {
        for (shape, form) in self.shapes.iter_mut().zip(&self.forms) {
            scale(shape, form, &self.root);
        }
    }

    fn find_all(&mut self) {
        self.find_coefficients();
        self.find_impulse_gain();
        self.find_tension();
        self.scale_shapes();
    }

    /// φ of a port.
    pub(super) fn form(&self, port: usize) -> &[f64] {
        &self.forms[port]
    }

    /// √Y of the modes.
    pub(super) fn root(&self) -> &[f64] {
        &self.root
    }

    pub(super) fn retune_modes(&mut self, tuning: &mut Tuning) -> bool {
        let changed = match tuning {
            Tuning::Modes(mode) => self.stage_modes(mode),
            Tuning::Shape { port, shape } => self.stage_shape(*port, shape),
            Tuning::String(parameters) => self.stage_string(*parameters),
            Tuning::Mass(_) => None,
        };
        let Some(changed) = changed else { return false };
        self.spare.changed = changed;
        self.exchange();
        true
    }

    pub(super) fn take_back(&mut self) {
        if let (Changed::String(former), Some(string)) = (self.spare.changed, &mut self.string) {
            string.parameters = former;
        }
        self.exchange();
        self.spare.changed = Changed::Nothing;
    }

    /// Exchanges what is spare and what is in use.
    fn exchange(&mut self) {
        let Spare { oscillators, form, changed, ratio } = &mut self.spare;
        match *changed {
            Changed::Nothing => {}
            Changed::Shape(port) => {
                std::mem::swap(form, &mut self.forms[port]);
                scale(&mut self.shapes[port], &self.forms[port], &self.root);
                ratio[..self.modes].fill(1.0);
            }
            Changed::Modes | Changed::String(_) => {
                std::mem::swap(oscillators, &mut self.oscillators);
                self.find_all();
            }
        }
    }

    fn stage_modes(&mut self, mode: &mut dyn FnMut(usize) -> super::Mode) -> Option<Changed> {
        if self.string.is_some() {
            return None;
        }
        let clock = Clock { scheme: self.scheme, ..self.clock };
        for (i, spare) in self.spare.oscillators.iter_mut().enumerate() {
            *spare = mode(i).try_discretised(clock, self.by)?;
        }
        Some(Changed::Modes)
    }

    fn stage_shape(&mut self, port: usize, shape: &[f64]) -> Option<Changed> {
        let fixed = self.string.is_none() && matches!(self.tracks.get(port), Some(None));
        let valid = shape.len() == self.modes && shape.iter().all(|value| value.is_finite());
        (fixed && valid).then(|| {
            self.spare.form.copy_from_slice(shape);
            Changed::Shape(port)
        })
    }

    fn stage_string(&mut self, parameters: StringParameters) -> Option<Changed> {
        let string = self.string.as_mut()?;
        let former = std::mem::replace(&mut string.parameters, parameters);
        if !string.is_possible(former, self.clock) {
            string.parameters = former;
            return None;
        }
        for (i, spare) in self.spare.oscillators.iter_mut().enumerate() {
            *spare = string.oscillator(self.clock, i + 1);
        }
        Some(Changed::String(former))
    }

    pub(super) fn carry_state(&self, state: &mut [f64]) {
        self.forget(state);
        let [q, v, _] = split(state, self.padded);
        for ((q, v), ratio) in q.iter_mut().zip(v).zip(&*self.spare.ratio) {
            *q *= ratio;
            *v *= ratio;
        }
        for (track, shape) in self.tracks.iter().zip(&self.shapes) {
            let Some(track) = track else { continue };
            match PortPosition(&state[track.shape + self.padded..]).get() {
                Some(place) => self.follow(track, place, state),
                None => state[track.shape..track.shape + self.padded].copy_from_slice(shape),
            }
        }
    }

    /// Writes ψ of a movable port at its place.
    pub(super) fn follow(&self, Track { path, shape }: &Track, place: f64, state: &mut [f64]) {
        let shape = &mut state[*shape..*shape + self.padded];
        path.shape(place, &mut shape[..self.modes]);
        shape.iter_mut().zip(&*self.root).for_each(|(shape, root)| *shape *= root);
    }
}

impl GridString {
    /// True if the string of these parameters, after `former` ones, is stable on its grid and has the same kind of modes.
    fn is_possible(&self, former: StringParameters, clock: Clock) -> bool {
        self.has_sines() && self.parameters.may_follow(&former, &self.grid, clock.dt)
    }
}
