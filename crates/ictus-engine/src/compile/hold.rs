//! Adherences of the file: where they touch, and what is done with them.

use super::bodies::Tracks;
use super::end;
use super::rub::in_steps;
use super::strings::StringPlan;
use crate::score::{HoldDrive, Shift, held};
use ictus_core::{BodyId, Clock, Contact, End, Law, ModelBuilder};
use ictus_instrument as file;

/// Where an adherence touches its first end.
pub(super) struct HoldPlan {
    /// Port of the first end where it has a place of its own.
    port: Option<usize>,
}

impl HoldPlan {
    /// Adds a port for an adherence with a place of its own.
    pub fn new(interaction: &file::Interaction, strings: &mut [Option<StringPlan>], tracks: &mut [Tracks]) -> Self {
        let position = &interaction.rub.position;
        let (file::Law::Adhere { .. }, file::End::Port(port), false) =
            (&interaction.law, interaction.between[0], position.is_empty())
        else {
            return Self { port: None };
        };
        let (start, moves) = (held(position, 0.0), position.len() > 1);
        let own = match strings[port.resonator].as_mut() {
            None => tracks[port.resonator].add(port.port, start, moves),
            Some(string) => {
                let own = string.add_port_like(port.port, start);
                string.rub(own, moves);
                own
            }
        };
        Self { port: Some(own) }
    }

    pub fn build(
        &self,
        clock: Clock,
        ids: &[BodyId],
        interaction: &file::Interaction,
        builder: &mut ModelBuilder,
    ) -> HoldDrive {
        let file::Law::Adhere { height_m, return_s } = interaction.law else {
            unreachable!("only adherences are planned");
        };
        let mut ends = interaction.between.map(|e| end(ids, e));
        let mut shift = None;
        if let (End::Port { body, port }, Some(own)) = (&mut ends[0], self.port) {
            *port = own;
            let position = in_steps(clock, &interaction.rub.position);
            shift = (position.len() > 1).then(|| Shift { body: *body, ports: vec![(own, 0.0)], position });
        }
        HoldDrive {
            contact: builder.contact(Contact::new(interaction.id.clone(), ends, Law::Velocity)),
            weight: in_steps(clock, &interaction.rub.weight),
            returning: height_m.map(|height| (height, 1.0 / return_s)),
            shift,
        }
    }
}
