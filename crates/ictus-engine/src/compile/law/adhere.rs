//! Adherences of the file: where they touch, and what is done with them.

use super::friction::Shift;
use super::{Built, LawPlan, Making};
use crate::compile::body::BodyPlan;
use crate::compile::{Site, end};
use crate::curve::held;
use crate::drive::{Drive, Hand, Stage};
use crate::signal::{InputId, Signals};
use ictus_core::{Contact, ContactId, End, Law};
use ictus_instrument as file;
use ictus_instrument::{Error, InputKind, Interaction};

/// Where an adherence touches its first end.
pub(super) struct HoldPlan<'a> {
    index: usize,
    interaction: &'a Interaction,
    /// Port of the first end where it has a place of its own.
    port: Option<usize>,
}

impl<'a> HoldPlan<'a> {
    /// Adds a port for an adherence with a place of its own, or one that is `moved`, from the place given.
    pub fn new(
        index: usize,
        interaction: &'a Interaction,
        moved: Option<f64>,
        bodies: &mut [Box<dyn BodyPlan + 'a>],
    ) -> Self {
        let position = &interaction.rub.position;
        let own = match interaction.between[0] {
            file::End::Port(port) => {
                let fixed = (!position.is_empty()).then(|| held(position, 0.0));
                moved.or(fixed).map(|place| bodies[port.resonator].add_place(port.port, place, moved.is_some()))
            }
            file::End::Wall => None,
        };
        Self { index, interaction, port: own }
    }
}

impl LawPlan for HoldPlan<'_> {
    fn build(&self, _: Site, making: &mut Making) -> Result<Built, Error> {
        let Interaction { id, between, law, .. } = self.interaction;
        let interaction = self.index;
        let file::Law::Adhere { height_m, return_s } = *law else { unreachable!("only adherences are planned") };
        let mut ends = between.map(|e| end(making.ids, e));
        let mut shift = None;
        if let (End::Port { body, port }, Some(own)) = (&mut ends[0], self.port) {
            *port = own;
            shift = making.inputs.find(InputKind::Position { interaction }).map(|position| Shift {
                body: *body,
                ports: vec![(own, 0.0)],
                position,
                start: making.inputs.start(position),
            });
        }
        let contact = making.builder.contact(Contact::new(id.clone(), ends, Law::Velocity));
        let drive = HoldDrive {
            contact,
            weight: making.inputs.find(InputKind::Weight { interaction }).expect("an adherence has a weight"),
            returning: height_m.map(|height| (height, 1.0 / return_s)),
            shift,
        };
        Ok(Built { contacts: vec![contact], drive: Some(Box::new(drive)) })
    }
}

/// An adherence in the player's hand.
#[derive(Clone, Debug)]
struct HoldDrive {
    contact: ContactId,
    /// 0 to 1
    weight: InputId,
    /// Where the ends return to (m) and how fast (1/s).
    returning: Option<(f64, f64)>,
    shift: Option<Shift>,
}

impl Drive for HoldDrive {
    fn inputs(&self) -> Vec<InputId> {
        [self.weight].into_iter().chain(self.shift.as_ref().map(|shift| shift.position)).collect()
    }

    fn hand(&self) -> Hand {
        Shift::hand(self.shift.as_ref())
    }

    fn play(&self, hand: &mut Hand, stage: &mut Stage) -> f64 {
        if let Some(shift) = &self.shift {
            shift.play(hand, stage);
        }
        let time = stage.time();
        let weight = stage.signals.at(self.weight, time);
        stage.state.grip(stage.model, self.contact, weight);
        if let Some((height, rate)) = self.returning.filter(|_| weight > 0.0) {
            stage.state.hold(stage.model, self.contact, height, rate);
        }
        // what is held now must be held on or let go in the next step
        if weight > 0.0 { stage.next() } else { self.idle_until(&stage.signals, time + 1.0) - stage.phase }
    }
}

impl HoldDrive {
    /// The time until which nothing is held and nothing moves, as seen from `time`.
    fn idle_until(&self, signals: &Signals, time: f64) -> f64 {
        let shift = self.shift.as_ref().map_or(f64::INFINITY, |shift| signals.still_until(shift.position, time - 1.0));
        if signals.at(self.weight, time) > 0.0 { time } else { signals.still_until(self.weight, time).min(shift) }
    }
}
