//! What pictures and tables need to know of a compiled instrument.

use super::build::Compiler;
use ictus_core::{BodyId, ContactId, Mode};
use ictus_instrument::End;

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
    /// Contacts of the barriers, one per point.
    pub barrier_contacts: Vec<Vec<ContactId>>,
}

/// A contact of an instrument as a picture needs it: of an interaction, or of a point of a barrier, a wire or a fingertip.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactView {
    /// Id in the file of the interaction, barrier, wires or finger.
    pub id: String,
    /// The contact of the model.
    pub contact: ContactId,
    /// Ports of its two ends, as files name them (`mallet`, `bar.strike`), or `wall`; of barriers, wires and fingers the body and the row itself.
    pub between: [String; 2],
    /// Where on a string or a surface it is, if it is on one. Ports that move along a string begin there.
    pub place: Option<ContactPlace>,
}

/// A place on a string or a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ContactPlace {
    /// On a string.
    String {
        /// Index in [`Patch::strings`](crate::Patch::strings).
        string: usize,
        /// Distance from its beginning, m.
        position_m: f64,
    },
    /// On a membrane or plate.
    Surface {
        /// Index in [`Patch::surfaces`](crate::Patch::surfaces).
        surface: usize,
        /// In its coordinates.
        at: [f64; 2],
    },
}

impl Compiler<'_> {
    /// Every contact but those of gestures, in the order of the file: interactions, barriers, wires, fingers.
    pub(super) fn contact_views(&mut self, strings: &[StringView], surfaces: &[SurfaceView]) -> Vec<ContactView> {
        let spec = &self.site.loaded.spec;
        let on_surface = |contact: ContactId| {
            let touched = |view: &SurfaceView| view.touched.iter().find(|(_, on)| *on == contact).map(|(at, _)| *at);
            let mut found = surfaces.iter().enumerate().filter_map(|(i, view)| Some((i, touched(view)?)));
            found.next().map(|(surface, at)| ContactPlace::Surface { surface, at })
        };
        let string_of = |body: BodyId| strings.iter().position(|view| view.body == body);
        let mut views = Vec::new();
        for (interaction, contacts) in spec.interactions.iter().zip(&self.rows.interactions) {
            let between = interaction.between.map(|end| match end {
                End::Port(port) => spec.port_name(port),
                End::Wall => "wall".to_owned(),
            });
            let mut place = on_surface(contacts[0]);
            for end in interaction.between {
                let End::Port(port) = end else { continue };
                if let (Some(string), Some(plan)) =
                    (string_of(self.ids[port.resonator]), self.bodies[port.resonator].as_string())
                {
                    let position_m = plan.position(port.port) * plan.parameters.length;
                    place = place.or(Some(ContactPlace::String { string, position_m }));
                }
            }
            let view = |&contact| ContactView { id: interaction.id.clone(), contact, between: between.clone(), place };
            views.extend(contacts.iter().map(view));
        }
        for (string, view) in strings.iter().enumerate() {
            let rows = spec.barriers.iter().filter(|barrier| self.ids[barrier.string] == view.body);
            for (barrier, (points, contacts)) in rows.zip(view.barriers.iter().zip(&view.barrier_contacts)) {
                let point = |(&(position_m, _), &contact): (&(f64, f64), &ContactId)| ContactView {
                    id: barrier.id.clone(),
                    contact,
                    between: [view.id.clone(), barrier.id.clone()],
                    place: Some(ContactPlace::String { string, position_m }),
                };
                views.extend(points.iter().zip(contacts).map(point));
            }
        }
        for (wires, row) in spec.wires.iter().zip(&self.rows.wires) {
            let between = [spec.resonators[wires.surface].id.clone(), wires.id.clone()];
            views.extend(row.contacts.iter().map(|&contact| ContactView {
                id: wires.id.clone(),
                contact,
                between: between.clone(),
                place: on_surface(contact),
            }));
        }
        for ((finger, row), plan) in spec.fingers.iter().zip(&self.rows.fingers).zip(&self.fingers) {
            let string = string_of(self.ids[finger.string]);
            let between = [spec.resonators[finger.string].id.clone(), finger.id.clone()];
            views.extend(row.contacts.iter().zip(plan.positions()).map(|(&contact, position_m)| ContactView {
                id: finger.id.clone(),
                contact,
                between: between.clone(),
                place: string.map(|string| ContactPlace::String { string, position_m }),
            }));
        }
        views
    }
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
