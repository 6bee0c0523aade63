//! An object as a person describes it: shape, material, and what a maker tunes.
//!
//! Tuning moves frequencies and leaves shapes and masses: f'_i = base · ratio_i for the partials that have a ratio, and the higher ones
//! follow the last of them, as those of an undercut bar nearly do (fourth and fifth partial of a 1 : 4 : 10 bar by finite elements 17.7
//! and 26.6; by this rule 16.5 and 24.7). Twins of one frequency are one partial.
//! Losses: σ' = σ · law(f')/law(f) by the material's law; of air σ' = σ f'/f, the same Q. `decay_scale` divides σ'.
//! A kettledrum is tuned by its tension instead, until the mode with one nodal diameter, its principal tone, sounds at the pitch; it takes no ratios.
//! A tuned partial *sounds* at its frequency: f'² = sounding² + (σ'/2π)².

use crate::error::{ObjectError, require};
use crate::material::Material;
use crate::object::{Object, ObjectMode};
use crate::shape::{MAX_MODES, Shape, modes, tightened};
use crate::support::Support;

/// Most ratios a tuning can have.
pub const MAX_RATIOS: usize = 64;

/// Partials closer than this, relative, are twins.
const TWINS: f64 = 1e-9;
/// Frequency to search to for the lowest modes, Hz: the library's own limit.
const EVERYTHING: f64 = 1e9;

/// A shape of a material, perhaps tuned.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Description {
    /// What it looks like.
    pub shape: Shape,
    /// What it is made of; air has none.
    pub material: Material,
    /// Where the ratio 1 sounds, Hz: without ratios the first partial. `None` leaves the first partial where it is.
    pub pitch_hz: Option<f64>,
    /// Frequencies of the first partials as multiples of the pitch, rising; may be empty.
    pub ratios: Vec<f64>,
    /// Factor on every decay time.
    pub decay_scale: f64,
    /// How a body with free edges is held; of no effect on others.
    pub support: Support,
}

impl Description {
    /// A shape of a material as it is.
    pub fn new(shape: Shape, material: Material) -> Self {
        Self { shape, material, pitch_hz: None, ratios: Vec::new(), decay_scale: 1.0, support: Support::Fixed }
    }

    /// Its modes: the `max_modes` lowest at most, none above `max_hz` after tuning. The rigid motions of a loose body come first and are not counted.
    ///
    /// # Errors
    /// A parameter out of its range, or no mode left.
    pub fn build(&self, max_hz: f64, max_modes: usize) -> Result<Object, ObjectError> {
        require("max_hz", max_hz, 1e-3, EVERYTHING, "Hz")?;
        require("decay_scale", self.decay_scale, 1e-6, 1e6, "")?;
        if let Some(shape) = self.pulled()? {
            return Self { shape, pitch_hz: None, ..self.clone() }.build(max_hz, max_modes);
        }
        let mut object = if self.pitch_hz.is_none() && self.ratios.is_empty() {
            let mut object = modes(&self.shape, &self.material, max_hz, max_modes)?;
            for mode in &mut object.modes {
                mode.decay_s *= self.decay_scale;
            }
            object
        } else {
            self.tuned(max_hz, max_modes)?
        };
        // less decay or another place may be beyond critical damping
        let lowest_hz = object.modes.iter().map(|mode| mode.frequency_hz).fold(f64::INFINITY, f64::min);
        let sounds = |mode: &ObjectMode| {
            mode.frequency_hz == 0.0
                || mode.frequency_hz <= max_hz && mode.rate() < std::f64::consts::TAU * mode.frequency_hz
        };
        let kept: Vec<bool> = object.modes.iter().map(sounds).collect();
        let mut of_field = kept.iter();
        object.fields.retain(|_| of_field.next() == Some(&true));
        object.modes.retain(sounds);
        if object.modes.is_empty() {
            return Err(ObjectError::NoModes { lowest_hz, max_hz });
        }
        self.support.add_to(&mut object, &self.shape);
        Ok(object)
    }

    /// The shape with the tension that its pitch asks for, where that is how it is tuned.
    fn pulled(&self) -> Result<Option<Shape>, ObjectError> {
        if matches!(self.shape, Shape::Kettledrum { .. }) && !self.ratios.is_empty() {
            let expected = "none: the air puts the partials of a kettledrum where they are".to_owned();
            let value = self.ratios.len() as f64;
            return Err(ObjectError::Parameter { what: "number of tuning ratios", value, expected });
        }
        let Some(pitch) = self.pitch_hz else { return Ok(None) };
        require("frequency_hz", pitch, 1e-3, EVERYTHING, "Hz")?;
        tightened(&self.shape, &self.material, pitch, self.decay_scale)
    }

    fn tuned(&self, max_hz: f64, max_modes: usize) -> Result<Object, ObjectError> {
        let pitch = self.pitch_hz;
        if let Some(pitch) = pitch {
            require("frequency_hz", pitch, 1e-3, EVERYTHING, "Hz")?;
        }
        require("number of tuning ratios", self.ratios.len() as f64, 0.0, MAX_RATIOS as f64, "")?;
        for (i, &ratio) in self.ratios.iter().enumerate() {
            let above = if i == 0 { 1e-6 } else { self.ratios[i - 1] * (1.0 + 2.0 * TWINS) };
            require("tuning", ratio, above, 1e6, "(rising)")?;
        }
        let ratios: &[f64] = if self.ratios.is_empty() { &[1.0] } else { &self.ratios };
        let natural = self.partials(ratios.len())?;
        let base = pitch.unwrap_or(natural[0].frequency_hz / ratios[0]);
        // f'/f of each partial that has a ratio
        let mut factors = Vec::new();
        for (&ratio, mode) in ratios.iter().zip(&natural) {
            factors.push(match pitch {
                None if factors.is_empty() => 1.0,
                _ => self.place(base * ratio, mode)? / mode.frequency_hz,
            });
        }
        let last = factors[factors.len() - 1];
        let highest = natural[natural.len() - 1].frequency_hz;
        let reach = (max_hz / last).max(highest * (1.0 + TWINS)).min(EVERYTHING);
        let mut object = modes(&self.shape, &self.material, reach, max_modes)?;
        let (mut partial, mut before) = (0, 0.0);
        for mode in &mut object.modes {
            let frequency = mode.frequency_hz;
            if frequency == 0.0 {
                continue;
            }
            if before > 0.0 && frequency > before * (1.0 + TWINS) {
                partial += 1;
            }
            before = frequency;
            let moved = frequency * factors.get(partial).copied().unwrap_or(last);
            mode.decay_s /= self.loss(frequency, moved);
            mode.frequency_hz = moved;
        }
        Ok(object)
    }

    /// The `count` lowest partials that sound, the first of each twins.
    fn partials(&self, count: usize) -> Result<Vec<ObjectMode>, ObjectError> {
        let mut found: Vec<ObjectMode> = Vec::new();
        // in most shapes every partial has one or two modes; a cube of air has more, a soft material mutes the lowest
        for wanted in [2 * count + 1, MAX_MODES] {
            match modes(&self.shape, &self.material, EVERYTHING, wanted) {
                Ok(object) => {
                    found.clear();
                    for mode in object.modes.iter().filter(|mode| mode.frequency_hz > 0.0) {
                        if found.last().is_none_or(|last| mode.frequency_hz > last.frequency_hz * (1.0 + TWINS)) {
                            found.push(*mode);
                        }
                    }
                }
                Err(ObjectError::NoModes { .. }) if wanted < MAX_MODES => {}
                Err(error) => return Err(error),
            }
            if found.len() >= count {
                found.truncate(count);
                return Ok(found);
            }
        }
        let expected = format!("at most {}, as many partials as the shape has", found.len());
        Err(ObjectError::Parameter { what: "number of tuning ratios", value: count as f64, expected })
    }

    /// σ'/σ of a mode moved from one frequency to another, with the decay scale.
    fn loss(&self, from: f64, to: f64) -> f64 {
        let law = |f: f64| if self.shape.is_air() { f } else { self.material.damping.rate(f) };
        let ratio = if law(from) > 0.0 { law(to) / law(from) } else { 1.0 };
        ratio / self.decay_scale
    }

    /// The natural frequency at which `mode` sounds at `sounding`.
    fn place(&self, sounding: f64, mode: &ObjectMode) -> Result<f64, ObjectError> {
        let mut at = sounding;
        for _ in 0..200 {
            let next = libm::hypot(sounding, mode.rate() * self.loss(mode.frequency_hz, at) / std::f64::consts::TAU);
            if (next - at).abs() <= 1e-15 * at {
                return Ok(next);
            }
            at = next;
        }
        let expected = "a frequency at which the material still rings, or a longer decay".to_owned();
        Err(ObjectError::Parameter { what: "frequency_hz", value: sounding, expected })
    }
}
