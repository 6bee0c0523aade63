//! What a step visits. Bodies that contacts join, one to the next, form a group; a group without motion sleeps as a whole, and costs nothing until something acts on it.
//!
//! No contact joins two groups, so a sleeping one is only woken from outside, between two steps. Sleep changes no bit: every variable of the group would keep its value.

use crate::clone_in_place::Reserved;
use crate::contact::ContactId;
use crate::model::{Body, Model, ModelContact};
use std::ops::Range;

/// Bodies and contacts that sleep and wake together.
#[derive(Debug, Default)]
pub(crate) struct Group {
    pub bodies: Vec<usize>,
    pub contacts: Vec<usize>,
}

/// The groups of a model.
#[derive(Debug, Default)]
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
    pub fields: Reserved<usize>,
}

clone_in_place!(Awake { groups, of_contact, changed, bodies, external_forces, rows, lone, islands, fields });

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
            fields: Reserved::new(model.fields.len()),
        };
        awake.update(model);
        awake
    }

    pub fn is_awake(&self, group: usize) -> bool {
        self.groups[group]
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
        fill(&mut self.fields, model.fields.len(), |i| body(model.fields[i].body));
    }
}

fn fill(list: &mut Reserved<usize>, count: usize, belongs: impl Fn(usize) -> bool) {
    list.clear();
    list.extend((0..count).filter(|&i| belongs(i)));
}
