//! An island: contacts coupled through bodies, and the elimination of its linear laws.
//!
//! Contacts are ordered given, linear, resolvent. With forces f opposing closing velocities w: w = w0 − W f.
//! Linear laws (w = w* + e f) are eliminated: f_L = M⁻¹(w0_L − w*_L) − T f_N, M = W_LL + diag e, T = M⁻¹ W_LN, leaving
//! W' = W_NN − W_NL T for the resolvent laws. The elimination is redone when a constraint engages, fades or lets go, and in every step in which
//! W itself changes: where a port has moved along its body, and where a body stiffens, W − Σ s sᵀ.

use super::dense;
use super::direct::Known;
use crate::contact::{ContactId, End, Law};
use crate::error::BuildError;
use crate::interaction::Resolved;
use crate::model::{Body, Joint, Model, Redundant, Wire};
use crate::state::State;
use std::ops::Range;

/// A pivot below this share of its diagonal is redundant. [handbook §7]
const DROP: f64 = 1e-11;

/// Contacts solved together.
#[derive(Debug)]
pub(crate) struct Island {
    /// Indices into the model's joints: given, then linear, then resolvent.
    pub joints: Vec<usize>,
    /// Their wires; an end at the wall has the sign 0.
    pub wires: Vec<[Wire; 2]>,
    pub given: Range<usize>,
    pub linear: Range<usize>,
    pub resolvent: Range<usize>,
    /// W, row-major n×n, as built.
    mobility: Vec<f64>,
    /// W changes from step to step and lives in the workspace.
    pub varies: bool,
    /// Bodies of the island that stiffen.
    stiffening: Vec<usize>,
    /// All resolvent laws are monotone.
    pub monotone: bool,
    /// Per resolvent law, whether it can be passed over while apart: only where all laws are monotone.
    rests_apart: Vec<bool>,
    /// Its resolvent laws by name, if all of them are collisions.
    pub collisions: Option<Vec<Known>>,
    /// Resolvent laws that are pressed by another one: (which, by which), counted from the first resolvent law.
    pub pressed: Vec<(usize, usize)>,
}

/// What an island needs while stepping; part of the state because constraints come and go and forces are remembered.
#[derive(Clone, Debug, Default)]
pub(crate) struct Workspace {
    /// W as it is now, where it varies.
    pub mobility: Vec<f64>,
    /// W before stiffening, where it varies.
    base: Vec<f64>,
    /// A port has moved since `base` was made.
    pub moved: bool,
    /// Engaged linear laws, as positions in the island.
    pub engaged: Vec<usize>,
    pub factor: Vec<f64>,
    pub dropped: Vec<bool>,
    /// T, engaged × resolvent.
    pub transfer: Vec<f64>,
    /// W' over the resolvent laws.
    pub reduced: Vec<f64>,
    /// w of every contact under the forces known so far.
    pub motion: Vec<f64>,
    /// f of every contact; kept between steps as the solver's first guess.
    pub force: Vec<f64>,
    /// w of every contact according to its law.
    pub closing: Vec<f64>,
    pub rhs: Vec<f64>,
    /// e of every engaged law, m/s per N.
    pub yielding: Vec<f64>,
    /// e f of every contact: by how much a light touch gives way, m/s.
    pub yielded: Vec<f64>,
    /// s of every contact, for one stiffening body at a time.
    bent: Vec<f64>,
    /// What rounding left of it.
    pub slack: Vec<f64>,
    pub newton: super::newton::Scratch,
    pub live: super::live::Live,
}

impl Island {
    /// Groups contacts that influence each other, of those that are `solved`.
    pub fn find(bodies: &[Body], joints: &[Joint], solved: impl Fn(usize) -> bool) -> Result<Vec<Self>, BuildError> {
        let n = joints.len();
        let mut group: Vec<usize> = (0..n).collect();
        fn root(group: &mut [usize], mut i: usize) -> usize {
            while group[i] != i {
                group[i] = group[group[i]];
                i = group[i];
            }
            i
        }
        let slots = SlotMap::new(bodies);
        let solved: Vec<bool> = (0..n).map(solved).collect();
        for i in (0..n).filter(|&i| solved[i]) {
            for j in (0..i).filter(|&j| solved[j]) {
                let pressed = joints[i].contact.pressed_by == Some(ContactId(j));
                if pressed || slots.coupled(bodies, &joints[i], &joints[j]) {
                    let (a, b) = (root(&mut group, i), root(&mut group, j));
                    group[a.max(b)] = a.min(b);
                }
            }
        }
        let mut islands = Vec::new();
        let in_field = |joint: &Joint| slots.bodies(joint).any(|body| bodies[body].field.is_some());
        for leader in 0..n {
            if !solved[leader] || in_field(&joints[leader]) {
                continue;
            }
            let members: Vec<usize> = (0..n).filter(|&i| root(&mut group, i) == leader).collect();
            if !members.is_empty() {
                islands.push(Self::new(bodies, joints, &slots, &members)?);
            }
        }
        Ok(islands)
    }

    fn new(bodies: &[Body], joints: &[Joint], slots: &SlotMap, members: &[usize]) -> Result<Self, BuildError> {
        let mut ordered = Vec::new();
        let mut ends = [0; 3];
        for (class, end) in ends.iter_mut().enumerate() {
            ordered.extend(members.iter().copied().filter(|&i| class_of(&joints[i].contact.law) == class));
            *end = ordered.len();
        }
        let n = ordered.len();
        let mut mobility = vec![0.0; n * n];
        for a in 0..n {
            for b in 0..n {
                mobility[a * n + b] = slots.coupling(bodies, &joints[ordered[a]], &joints[ordered[b]]);
            }
        }
        for (a, &joint) in ordered.iter().enumerate() {
            let contact = &joints[joint].contact;
            if matches!(contact.law, Law::Velocity) && mobility[a * n + a] == 0.0 {
                return Err(BuildError::ImmovableConstraint { contact: contact.name.clone() });
            }
        }
        let resolvent = &ordered[ends[1]..];
        let monotone =
            resolvent.iter().all(|&i| matches!(&joints[i].contact.law, Law::Resolvent(law) if law.is_monotone()));
        let pressed = resolvent.iter().enumerate().filter_map(|(a, &i)| {
            let by = joints[i].contact.pressed_by?.0;
            Some((a, resolvent.iter().position(|&j| j == by)?))
        });
        let pressed = pressed.collect();
        let rests = |i: &usize| monotone && matches!(&joints[*i].contact.law, Law::Resolvent(law) if law.rests_apart());
        let rests_apart = resolvent.iter().map(rests).collect();
        let known = |i: &usize| match &joints[*i].contact.law {
            Law::Resolvent(law) => {
                law.as_collision().map(|law| Known { law: law.clone(), state: joints[*i].state.start })
            }
            _ => None,
        };
        let collisions = resolvent.iter().map(known).collect();
        let wires = ordered.iter().map(|&i| ends_of(&joints[i])).collect();
        let (given, linear, resolvent) = (0..ends[0], ends[0]..ends[1], ends[1]..ends[2]);
        let mut touched: Vec<usize> = ordered.iter().flat_map(|&i| slots.bodies(&joints[i])).collect();
        touched.sort_unstable();
        touched.dedup();
        let varies = touched.iter().any(|&body| bodies[body].varies);
        let stiffening = touched.into_iter().filter(|&body| bodies[body].resonator.stiffens()).collect();
        Ok(Self {
            joints: ordered,
            wires,
            given,
            linear,
            resolvent,
            mobility,
            varies,
            stiffening,
            monotone,
            rests_apart,
            collisions,
            pressed,
        })
    }

    pub fn len(&self) -> usize {
        self.joints.len()
    }

    /// One resolvent law and nothing else, with a constant W.
    pub fn is_lone(&self) -> bool {
        self.joints.len() == 1 && self.resolvent.len() == 1 && !self.varies
    }

    /// Row i of W as it is now; `varied` is the workspace's W.
    pub fn row<'a>(&'a self, varied: &'a [f64], i: usize) -> &'a [f64] {
        let mobility = if self.varies { varied } else { &self.mobility };
        &mobility[i * self.len()..(i + 1) * self.len()]
    }

    /// True for a contact that can be passed over while apart.
    pub fn rests_apart(&self, i: usize) -> bool {
        i >= self.resolvent.start && self.rests_apart[i - self.resolvent.start]
    }

    /// W_ij as built.
    pub fn built(&self, i: usize, j: usize) -> f64 {
        self.mobility[i * self.len() + j]
    }

    /// Brings W and the elimination up to date with moved ports and bent bodies; returns the number of redundant laws.
    pub fn refresh(&self, model: &Model, state: &State, work: &mut Workspace) -> usize {
        let solved = !self.linear.is_empty() || !self.resolvent.is_empty();
        // given forces alone need no W, unless their work is booked
        if (self.stiffening.is_empty() && !work.moved) || !(solved || state.ledger.enabled) {
            return 0;
        }
        let n = self.len();
        if std::mem::take(&mut work.moved) {
            for a in 0..n {
                for b in 0..=a {
                    let value = coupling_now(model, state, self.joints[a], self.joints[b]);
                    (work.base[a * n + b], work.base[b * n + a]) = (value, value);
                }
            }
        }
        work.mobility.copy_from_slice(&work.base);
        for &body in &self.stiffening {
            let slots = &model.bodies[body].slots;
            for (bent, &joint) in work.bent.iter_mut().zip(&self.joints) {
                let wires = model.joints[joint].wires.into_iter().flatten();
                *bent = wires
                    .filter(|(slot, _)| slots.contains(slot))
                    .map(|(slot, sign)| sign * state.stiffening[slot])
                    .sum();
            }
            for (row, &s) in work.mobility.chunks_exact_mut(n).zip(&work.bent) {
                for (w, &t) in row.iter_mut().zip(&work.bent) {
                    *w -= s * t;
                }
            }
        }
        self.eliminate(model, &state.grips, work)
    }

    pub fn workspace(&self, model: &Model, grips: &[f64]) -> Workspace {
        let (n, l, m) = (self.len(), self.linear.len(), self.resolvent.len());
        let varying = if self.varies { &self.mobility[..] } else { &[] };
        let mut workspace = Workspace {
            mobility: varying.to_vec(),
            base: varying.to_vec(),
            moved: false,
            engaged: Vec::with_capacity(l),
            factor: vec![0.0; l * l],
            dropped: vec![false; l],
            transfer: vec![0.0; l * m],
            reduced: vec![0.0; m * m],
            motion: vec![0.0; n],
            force: vec![0.0; n],
            closing: vec![0.0; n],
            rhs: vec![0.0; l],
            yielding: vec![0.0; l],
            yielded: vec![0.0; n],
            bent: vec![0.0; if self.varies { n } else { 0 }],
            slack: vec![0.0; l],
            newton: super::newton::Scratch::new(m),
            live: super::live::Live::new(m),
        };
        self.eliminate(model, grips, &mut workspace);
        workspace
    }

    /// Redoes the elimination for constraints that grip as `grips` says; returns the number of redundant laws. Allocates nothing.
    pub fn eliminate(&self, model: &Model, grips: &[f64], work: &mut Workspace) -> usize {
        let n = self.len();
        let mobility = if self.varies { &work.mobility } else { &self.mobility };
        let w = |i: usize, j: usize| mobility[i * n + j];
        work.engaged.clear();
        work.engaged.extend(self.linear.clone().filter(|&i| {
            let joint = self.joints[i];
            matches!(model.joints[joint].contact.law, Law::Spring(_)) || grips[joint] > 0.0
        }));
        let (l, m) = (work.engaged.len(), self.resolvent.len());
        for (row, &i) in work.engaged.iter().enumerate() {
            for (column, &j) in work.engaged.iter().enumerate() {
                work.factor[row * l + column] = w(i, j);
            }
            let joint = self.joints[i];
            work.yielding[row] = match &model.joints[joint].contact.law {
                Law::Spring(spring) => spring.yielding(),
                // a light touch: the lighter, the more of its speed the body keeps
                _ => (1.0 - grips[joint]) / grips[joint] * w(i, i),
            };
            work.factor[row * l + row] += work.yielding[row];
        }
        let dropped = dense::factorise(&mut work.factor, l, l, DROP, &mut work.dropped);
        for column in 0..m {
            for (row, &i) in work.engaged.iter().enumerate() {
                work.rhs[row] = w(i, self.resolvent.start + column);
            }
            dense::solve(&work.factor, l, l, &work.dropped, &mut work.rhs);
            for row in 0..l {
                work.transfer[row * m + column] = work.rhs[row];
            }
        }
        for a in 0..m {
            for b in 0..=a {
                let (i, j) = (self.resolvent.start + a, self.resolvent.start + b);
                let mut value = w(i, j);
                for (row, &linear) in work.engaged.iter().enumerate() {
                    value -= w(i, linear) * work.transfer[row * m + b];
                }
                if a == b {
                    value = value.max(0.0);
                }
                work.reduced[a * m + b] = value;
                work.reduced[b * m + a] = value;
            }
        }
        dropped
    }

    /// Constraints that add nothing to the others in `engaged`.
    pub fn redundant(&self, model: &Model, engaged: &[ContactId]) -> Vec<Redundant> {
        let mut grips = vec![0.0; model.joints.len()];
        for id in engaged {
            grips[id.0] = 1.0;
        }
        let work = self.workspace(model, &grips);
        let constraint = |&i: &usize| matches!(model.joints[self.joints[i]].contact.law, Law::Velocity);
        (0..work.engaged.len())
            .filter(|&row| work.dropped[row] && constraint(&work.engaged[row]))
            .map(|row| {
                let i = work.engaged[row];
                let others = work.engaged.iter().filter(|&&j| j != i && constraint(&j) && self.built(i, j) != 0.0);
                Redundant {
                    constraint: ContactId(self.joints[i]),
                    others: others.map(|&j| ContactId(self.joints[j])).collect(),
                }
            })
            .collect()
    }
}

/// The wires of a joint, one at the wall standing on the other's slot with the sign 0.
fn ends_of(joint: &Joint) -> [Wire; 2] {
    let [a, b] = joint.wires;
    let nowhere = (a.or(b).map_or(0, |(slot, _)| slot), 0.0);
    [a.unwrap_or(nowhere), b.unwrap_or(nowhere)]
}

fn class_of(law: &Law) -> usize {
    match law {
        Law::Force => 0,
        Law::Velocity | Law::Spring(_) => 1,
        Law::Resolvent(_) => 2,
    }
}

/// Which body owns a slot.
struct SlotMap {
    owner: Vec<usize>,
}

impl SlotMap {
    fn new(bodies: &[Body]) -> Self {
        let owner = bodies.iter().enumerate().flat_map(|(i, body)| body.slots.clone().map(move |_| i)).collect();
        Self { owner }
    }

    fn bodies(&self, joint: &Joint) -> impl Iterator<Item = usize> {
        joint.wires.into_iter().flatten().map(|(slot, _)| self.owner[slot])
    }

    /// True where two contacts influence each other, now or once a port has moved or a body is bent.
    fn coupled(&self, bodies: &[Body], i: &Joint, j: &Joint) -> bool {
        let varying = |body: usize| bodies[body].varies && self.bodies(j).any(|other| other == body);
        self.bodies(i).any(varying) || self.coupling(bodies, i, j) != 0.0
    }

    /// W_ij: how much contact i closes under unit force of contact j; 0 in fields, which keep no W.
    fn coupling(&self, bodies: &[Body], i: &Joint, j: &Joint) -> f64 {
        let mut value = 0.0;
        for (p, sign_p) in i.wires.into_iter().flatten() {
            for (q, sign_q) in j.wires.into_iter().flatten() {
                let body = &bodies[self.owner[p]];
                if self.owner[p] == self.owner[q] && body.field.is_none() {
                    let (row, column) = (p - body.slots.start, q - body.slots.start);
                    value += sign_p * sign_q * body.mobility.at(row, column);
                }
            }
        }
        value
    }
}

/// W_ij with every port where it is now, before stiffening.
fn coupling_now(model: &Model, state: &State, i: usize, j: usize) -> f64 {
    let ends = |joint: usize| model.joints[joint].contact.ends.into_iter().zip([1.0, -1.0]);
    let mut value = 0.0;
    for (one, sign_one) in ends(i) {
        for (other, sign_other) in ends(j) {
            if let (End::Port { body, port: p }, End::Port { body: same, port: q }) = (one, other)
                && body == same
            {
                let Body { resonator, state: range, .. } = &model.bodies[body.0];
                value += sign_one * sign_other * resonator.mobility_now(&state.values[range.clone()], p, q);
            }
        }
    }
    value
}

/// A law's answer that does nothing: used where a force had to be refused.
pub(crate) const NOTHING: Resolved =
    Resolved { closing: 0.0, force: 0.0, slope: 0.0, end: 0.0, potential: 0.0, evaluations: 0 };
