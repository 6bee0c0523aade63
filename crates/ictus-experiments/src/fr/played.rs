//! The bowed string as an instrument file on a player: what maps play.

use super::bow::Bow;
use ictus_core::BodyId;
use ictus_engine::{Action, Event, InputId, Patch, Player, Time};
use ictus_instrument::Error;

/// A string under the bow of a player.
#[derive(Debug)]
pub struct Played {
    player: Player,
    force: InputId,
    speed: InputId,
    string: BodyId,
}

impl Bow {
    /// The instrument file of the string bowed at `place`, a share of the length. The bow rests: events move it.
    pub fn file(&self, place: f64) -> String {
        let (modes, surfaces) = (self.modes(), self.surfaces());
        let frequencies: Vec<f64> = modes.iter().map(|mode| mode.frequency).collect();
        format!(
            r#"format = 1
scheme = "midpoint"
[[resonator]]
id = "string"
kind = "modes"
frequency_hz = {frequencies:?}
decay_s = {:?}
mass_kg = {:?}
ports = {{ bow = {:?} }}
[[interaction]]
id = "bow"
kind = "friction"
between = ["string.bow", "wall"]
stiffness_n_m = {:?}
damping_n_s_m = {:?}
viscosity_n_s_m = {:?}
sticking = {:?}
sliding = {:?}
stribeck_m_s = {:?}
breakaway = {:?}
normal_n = 0
[[tap]]
from = "string.bow"
"#,
            modes.first().map_or(1.0, |mode| mode.decay),
            modes.first().map_or(1.0, |mode| mode.mass),
            Self::shape(modes.len(), place),
            surfaces.stiffness,
            surfaces.damping,
            surfaces.viscosity,
            surfaces.sticking,
            surfaces.sliding,
            surfaces.stribeck,
            surfaces.breakaway,
        )
    }

    /// Bowed at `place` by a player.
    pub fn played_at(&self, place: f64) -> Result<Played, Error> {
        let loaded = ictus_instrument::load("bow.toml", &self.file(place), &[])?;
        let patch = Patch::compile(&loaded, self.rate.round() as u32)?;
        let input = |name| patch.find_input(name).expect("a friction has a force and a speed");
        let mut player = Player::new(&patch);
        player.audit(false);
        let string = patch.model().find_body("string").expect("the file has a string");
        Ok(Played { force: input("bow.normal_n"), speed: input("bow.speed_m_s"), player, string })
    }
}

impl Played {
    /// One frame under a bow pressed with `normal` (N) that moves at `speed` (m/s). Returns the velocity of the string relative to the bow, m/s.
    pub fn step(&mut self, normal: f64, speed: f64) -> f64 {
        let now = Time::frame(self.player.frame());
        let jump = |input, value| Event::new(now, Action::Input { input, value, ramp_s: Some(0.0) });
        self.player.schedule(&[jump(self.force, normal), jump(self.speed, speed)]);
        self.player.render(&mut [[0.0; 2]]);
        self.player.state().velocity(self.player.patch().model(), self.string, 0) - speed
    }
}

#[cfg(test)]
mod tests {
    use super::super::bow::{PARAMETERS, ramped};
    use super::*;
    use crate::figure::Values;

    #[test]
    fn the_player_bows_as_the_core_does() {
        let values = Values::defaults(PARAMETERS);
        let bow = Bow::new(&values);
        for (place, force) in [(0.1, 3.6), (0.17, 0.3), (0.06, 60.0)] {
            let mut core = bow.at(place).expect("a string");
            let mut played = bow.played_at(place).expect("a file");
            for n in 0..20_000 {
                let speed = ramped(0.3, 0.2, f64::from(n) / bow.rate);
                let (a, b) = (core.step(force, speed).sliding, played.step(force, speed));
                assert!(a.to_bits() == b.to_bits(), "step {n} at {place}: {a} {b}");
            }
            assert_eq!(played.player.event_counts().refused(), 0);
        }
    }
}
