//! What a step visits. Bodies that contacts join, one to the next, form a group; a group without motion sleeps as a whole, and costs nothing until something acts on it.
//!
//! No contact joins two groups, so a sleeping one is only woken from outside, between two steps. Sleep changes no bit: every variable of the group would keep its value.

use crate::clone_in_place::Reserved;
use crate::contact::ContactId;
use crate::model::{Body, Model, ModelContact};
use std::ops::Range;

/// Bodies and contacts that sleep and wake together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Group {
    pub bodies: Vec<usize>,
    pub contacts: Vec<usize>,
}

/// The groups of a model.
#[derive(Clone, Debug, Default)]
pub(crate) struct Groups {
    pub all: Vec<Group>,
    pub of_body: Vec<usize>,
    of_contact: Vec<usize>,
}

impl Groups {
    pub fn find(bodies: &[Body], contacts: &[ModelContact]) -> Self {
        let owner: Vec<usize> =
            bodies.iter().enumerate().flat_map(|(i, body)| body.slots.clone().map(move |_| i)).collect();
        let body_of = |contact: &ModelContact| contact.endpoints.into_iter().flatten().map(|(slot, _)| owner[slot]);
        let mut leader: Vec<usize> = (0..bodies.len()).collect();
        let root = |leader: &[usize], mut i: usize| {
            while leader[i] != i {
                i = leader[i];
            }
            i
        };
        for contact in contacts {
            let presser = contact.definition.pressed_by.map(|ContactId(by)| &contacts[by]);
            let joined: Vec<usize> = body_of(contact).chain(presser.into_iter().flat_map(body_of)).collect();
            for pair in joined.windows(2) {
                let (a, b) = (root(&leader, pair[0]), root(&leader, pair[1]));
                leader[a.max(b)] = a.min(b);
            }
        }
        let mut groups = Self::default();
        for i in 0..bodies.len() {
            // leaders come before their members
            let leader = root(&leader, i);
            let group = if leader == i { groups.all.len() } else { groups.of_body[leader] };
            if leader == i {
                groups.all.push(Group::default());
            }
            groups.of_body.push(group);
            groups.all[group].bodies.push(i);
        }
        for (i, contact) in contacts.iter().enumerate() {
            // a contact has an end that is not the wall
            let group = body_of(contact).next().map_or(0, |body| groups.of_body[body]);
            groups.of_contact.push(group);
            groups.all[group].contacts.push(i);
        }
        groups
    }
}

/// The groups that are awake, and what a step visits of them, in the order of the model.
#[derive(Debug)]
pub(crate) struct Awake {
    groups: Vec<bool>,
    of_contact: Vec<usize>,
    /// A group has woken or fallen asleep since the lists were made.
    changed: bool,
    pub bodies: Reserved<usize>,
    pub external_forces: Reserved<usize>,
    pub rows: Reserved<usize>,
    pub lone: Reserved<usize>,
    pub islands: Reserved<usize>,
}

clone_in_place!(Awake { groups, of_contact, changed, bodies, external_forces, rows, lone, islands });

impl Awake {
    /// Everything awake.
    pub fn new(model: &Model) -> Self {
        let mut awake = Self {
            groups: vec![true; model.groups.all.len()],
            of_contact: model.groups.of_contact.clone(),
            changed: true,
            bodies: Reserved::new(model.bodies.len()),
            external_forces: Reserved::new(model.external_forces.len()),
            rows: Reserved::new(model.rows.len()),
            lone: Reserved::new(model.lone.len()),
            islands: Reserved::new(model.islands.len()),
        };
        awake.update(model);
        awake
    }

    pub fn is_awake(&self, group: usize) -> bool {
        self.groups[group]
    }

    pub fn is_contact_awake(&self, contact: usize) -> bool {
        self.groups[self.of_contact[contact]]
    }

    #[inline]
    pub fn wake(&mut self, group: usize) {
        self.changed |= !self.groups[group];
        self.groups[group] = true;
    }

    /// Wakes the group of a contact.
    #[inline]
    pub fn wake_contact(&mut self, contact: usize) {
        self.wake(self.of_contact[contact]);
    }

    pub fn put_to_sleep(&mut self, group: usize) {
        self.groups[group] = false;
        self.changed = true;
    }

    /// Brings the lists up to date.
    #[inline(always)]
    pub fn update(&mut self, model: &Model) {
        if self.changed {
            self.list(model);
        }
    }

    #[cold]
    #[inline(never)]
    fn list(&mut self, model: &Model) {
        self.changed = false;
        let Self { groups, of_contact, .. } = self;
        let body = |body: usize| groups[model.groups.of_body[body]];
        let contact = |contact: usize| groups[of_contact[contact]];
        let any = |mut contacts: Range<usize>| contacts.any(contact);
        fill(&mut self.bodies, model.bodies.len(), body);
        fill(&mut self.external_forces, model.external_forces.len(), |i| contact(model.external_forces[i].contact));
        // the contacts of a row can belong to several groups
        fill(&mut self.rows, model.rows.len(), |i| any(model.rows[i].contacts.clone()));
        fill(&mut self.lone, model.lone.len(), |i| contact(model.lone[i].site.contact));
        fill(&mut self.islands, model.islands.len(), |i| contact(model.islands[i].contacts[0]));
    }
}

fn fill(list: &mut Reserved<usize>, count: usize, belongs: impl Fn(usize) -> bool) {
    list.clear();
    list.extend((0..count).filter(|&i| belongs(i)));
}

#[cfg(test)]
mod tests {
    use crate::{
        BodyId, Clock, Collision, Contact, ContactId, Discretisation, End, Law, Mass, ModalBank, Mode, Model,
        ModelBuilder, PowerLaw, Scheme, Spring, State, step,
    };
    use ictus_testkit::Draw;

    /// Steps after which a short sound has faded, with a round of housekeeping.
    const SILENCE: usize = 3 * 4096;

    /// Bars with a mallet and a push each; every second one stands on a spring. All fades fast.
    fn bars(scheme: Scheme, count: usize) -> (Model, Vec<[BodyId; 2]>, Vec<[ContactId; 2]>) {
        let clock = Clock::new(scheme, 1.0 / 48_000.0);
        let mut builder = ModelBuilder::new(clock);
        let (mut bodies, mut contacts) = (Vec::new(), Vec::new());
        for i in 0..count {
            let modes = [300.0, 811.0, 1702.0].map(|frequency| Mode { frequency, decay: 0.01, mass: 0.1 });
            let shapes = vec![vec![1.0, -0.5, 0.3], vec![0.2, 0.9, 0.4]];
            let bank = ModalBank::new(clock, &modes, &shapes, Discretisation::Exact).expect("a bank");
            let bar = builder.body(format!("bar {i}"), bank);
            let mallet = builder.body(format!("mallet {i}"), Mass::new(clock, 0.02, 0.0, 0.0).expect("a mass"));
            let law: Law = Collision::new(clock, PowerLaw::new(1e7, 1.5), 0.3).into();
            let ends = [End::port(mallet, 0), End::port(bar, 0)];
            let hit = builder.contact(Contact::new(format!("hit {i}"), ends, law).with_gap(1e-3));
            let push = builder.contact(Contact::new(format!("push {i}"), [End::port(bar, 1), End::Wall], Law::Force));
            if i % 2 == 1 {
                let block = builder.body(format!("block {i}"), Mass::new(clock, 0.5, 1e5, 300.0).expect("a mass"));
                let spring = Spring::new(clock, 1e4, 20.0).expect("a spring");
                let ends = [End::port(bar, 1), End::port(block, 0)];
                builder.contact(Contact::new(format!("stand {i}"), ends, Law::Spring(spring)));
            }
            bodies.push([bar, mallet]);
            contacts.push([hit, push]);
        }
        (builder.build().expect("a model"), bodies, contacts)
    }

    /// Does something to one of the bars.
    fn disturb(
        draw: &mut Draw,
        model: &Model,
        state: &mut State,
        ([bar, mallet], [hit, push]): ([BodyId; 2], [ContactId; 2]),
    ) {
        match draw.pick(&[0, 1, 2, 3, 4]) {
            0 => assert!(state.throw(model, mallet, draw.uniform(0.5, 3.0), Some(0.0))),
            1 => assert!(state.kick(model, bar, 1, draw.uniform(-1e-3, 1e-3))),
            2 => state.set_input(push, draw.uniform(-1.0, 1.0)),
            3 => state.set_gap(model, hit, draw.uniform(1e-5, 1e-3)),
            _ => state.set_input(push, 0.0),
        }
    }

    #[test]
    fn sleep_changes_no_bit() {
        for scheme in [Scheme::Midpoint, Scheme::Leapfrog] {
            for audited in [false, true] {
                let (model, bodies, contacts) = bars(scheme, 3);
                assert_eq!(model.groups.all.len(), 3);
                let mut states = [(); 2].map(|()| State::new(&model));
                states.iter_mut().for_each(|state| state.audit(&model, audited));
                let mut draws = [Draw::new(5), Draw::new(5)];
                let mut asleep = [0; 3];
                for n in 0..12 * SILENCE {
                    for (which, (state, draw)) in states.iter_mut().zip(&mut draws).enumerate() {
                        if n % (2 * SILENCE) < 300 && n % 50 == 0 {
                            let i = draw.pick(&[0, 1, 2]);
                            disturb(draw, &model, state, (bodies[i], contacts[i]));
                        } else if n % (2 * SILENCE) == 300 {
                            for ([_, mallet], [_, push]) in bodies.iter().zip(&contacts) {
                                state.set_input(*push, 0.0);
                                state.throw(&model, *mallet, 0.0, Some(0.0));
                            }
                        }
                        if which == 1 {
                            (0..3).for_each(|group| state.awake.wake(group));
                        }
                        step(&model, state);
                    }
                    let [state, other] = &states;
                    for (group, asleep) in asleep.iter_mut().enumerate() {
                        *asleep += usize::from(!state.awake.is_awake(group));
                    }
                    if n % 16 == 0 {
                        assert!(*state.values == *other.values, "{scheme:?} {audited}: step {n}");
                        assert!(state.contact_forces == other.contact_forces && state.free == other.free);
                    }
                }
                assert!(asleep.iter().all(|&steps| steps > 2 * SILENCE), "{scheme:?} {audited}: {asleep:?}");
                assert!(!audited || states.iter().all(|state| state.ledger.max_residual_rel() < 1e-11));
            }
        }
    }
}
