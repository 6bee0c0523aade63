//! An island: contacts coupled through bodies, and the elimination of its linear laws.
//!
//! Contacts are ordered external, linear, resolvent. With forces f opposing approach velocities w: w = w0 − W f.
//! Linear laws (w = w* + e f) are eliminated: f_L = M⁻¹(w0_L − w*_L) − T f_N, M = W_LL + diag e, T = M⁻¹ W_LN, leaving
//! W' = W_NN − W_NL T for the resolvent laws. The elimination is repeated when a constraint engages, fades or releases, and in every step in which
//! W itself changes: if a port has moved along its body, and if a body stiffens, W − Σ s sᵀ.

use super::contact_solver::ContactSolver;
use super::dense;
use crate::clone_in_place::Reserved;
use crate::contact::{BodyId, ContactId, End, Law};
use crate::error::BuildError;
use crate::interaction::{EndPotential, Resolved};
use crate::model::{Body, Endpoint, Model, ModelContact, Redundant};
use crate::state::State;
use std::ops::Range;

/// Fraction of its diagonal below which a pivot is redundant. [handbook §7]
const DROP: f64 = 1e-11;

/// Contacts solved together.
#[derive(Clone, Debug)]
pub(crate) struct Island {
    /// Indices into the model's contacts: external, then linear, then resolvent.
    pub contacts: Vec<usize>,
    /// Their endpoints; an end at the wall has the sign 0.
    pub endpoints: Vec<[Endpoint; 2]>,
    pub external: Range<usize>,
    pub linear: Range<usize>,
    pub resolvent: Range<usize>,
    /// W, row-major n×n, as built.
    mobility: Vec<f64>,
    /// W changes from step to step; the workspace holds its current value.
    pub varies: bool,
    /// Bodies of the island that stiffen.
    stiffening: Vec<usize>,
    /// Of the resolvent laws.
    pub solver: ContactSolver,
    /// Per resolvent law, whether it can be skipped while open: only if all laws are monotone.
    rests_apart: Vec<bool>,
    /// Resolvent laws whose normal force is the force of another: (which, by which), counted from the first resolvent law.
    pub pressed: Vec<(usize, usize)>,
}

/// Working arrays of an island; part of the state because constraints engage and release and forces persist.
#[derive(Debug, Default)]
pub(crate) struct Workspace {
    /// Current W, if it varies.
    pub mobility: Vec<f64>,
    /// W before stiffening, if it varies.
    base: Vec<f64>,
    /// A port has moved since `base` was computed.
    pub moved: bool,
    /// Engaged linear laws, as indices in the island.
    pub engaged: Reserved<usize>,
    pub factor: Vec<f64>,
    pub dropped: Vec<bool>,
    /// T, engaged × resolvent.
    pub transfer: Vec<f64>,
    /// W' over the resolvent laws.
    pub reduced: Vec<f64>,
    /// w of every contact under the forces applied so far.
    pub motion: Vec<f64>,
    /// f of every contact; kept between steps as the solver's first guess.
    pub force: Vec<f64>,
    /// w of every contact according to its law.
    pub approach: Vec<f64>,
    pub rhs: Vec<f64>,
    /// e of every engaged law, m/s per N.
    pub yielding: Vec<f64>,
    /// e f of every contact: the velocity by which a light grip yields, m/s.
    pub yielded: Vec<f64>,
    /// s of every contact, for one stiffening body at a time.
    bent: Vec<f64>,
    /// Rounding residual of the linear laws.
    pub slack: Vec<f64>,
    pub newton: super::general_newton::Scratch,
    pub active_set: super::active_set::ActiveSet,
}

clone_in_place!(Workspace {
    mobility,
    base,
    moved,
    engaged,
    factor,
    dropped,
    transfer,
    reduced,
    motion,
    force,
    approach,
    rhs,
    yielding,
    yielded,
    bent,
    slack,
    newton,
    active_set
});

impl Island {
    /// Groups the contacts that influence each other, among those that are `solved`.
    pub fn find(
        bodies: &[Body],
        contacts: &[ModelContact],
        solved: impl Fn(usize) -> bool,
    ) -> Result<Vec<Self>, BuildError> {
        let n = contacts.len();
        let mut group: Vec<usize> = (0..n).collect();
        fn root(group: &mut [usize], mut i: usize) -> usize {
            while group[i] != i {
                group[i] = group[group[i]];
                i = group[i];
            }
            i
        }
        let solved: Vec<bool> = (0..n).map(solved).collect();
        for i in (0..n).filter(|&i| solved[i]) {
            for j in (0..i).filter(|&j| solved[j]) {
                let pressed = contacts[i].definition.pressed_by == Some(ContactId(j));
                if pressed || are_coupled(bodies, &contacts[i], &contacts[j]) {
                    let (a, b) = (root(&mut group, i), root(&mut group, j));
                    group[a.max(b)] = a.min(b);
                }
            }
        }
        let mut islands = Vec::new();
        for leader in (0..n).filter(|&i| solved[i]) {
            let members: Vec<usize> = (0..n).filter(|&i| root(&mut group, i) == leader).collect();
            if !members.is_empty() {
                islands.push(Self::new(bodies, contacts, &members)?);
            }
        }
        Ok(islands)
    }

    fn new(bodies: &[Body], contacts: &[ModelContact], members: &[usize]) -> Result<Self, BuildError> {
        let mut ordered = Vec::new();
        let mut ends = [0; 3];
        for (class, end) in ends.iter_mut().enumerate() {
            ordered.extend(members.iter().copied().filter(|&i| class_of(&contacts[i].definition.law) == class));
            *end = ordered.len();
        }
        let n = ordered.len();
        let mut mobility = vec![0.0; n * n];
        for a in 0..n {
            for b in 0..n {
                mobility[a * n + b] = coupling(bodies, &contacts[ordered[a]], &contacts[ordered[b]]);
            }
        }
        for (a, &contact) in ordered.iter().enumerate() {
            let contact = &contacts[contact].definition;
            if matches!(contact.law, Law::Velocity) && mobility[a * n + a] == 0.0 {
                return Err(BuildError::ImmovableConstraint { contact: contact.name.clone() });
            }
        }
        let resolvent = &ordered[ends[1]..];
        let solver = ContactSolver::choose(resolvent.iter().map(|&i| &contacts[i]));
        let pressed = resolvent.iter().enumerate().filter_map(|(a, &i)| {
            let by = contacts[i].definition.pressed_by?.0;
            Some((a, resolvent.iter().position(|&j| j == by)?))
        });
        let pressed = pressed.collect();
        let rests = |i: &usize| matches!(&contacts[*i].definition.law, Law::Resolvent(law) if law.rests_apart());
        let rests_apart = resolvent.iter().map(|i| solver.is_monotone() && rests(i)).collect();
        let endpoints = ordered.iter().map(|&i| ends_of(&contacts[i])).collect();
        let (external, linear, resolvent) = (0..ends[0], ends[0]..ends[1], ends[1]..ends[2]);
        let mut touched: Vec<usize> = ordered.iter().flat_map(|&i| contacts[i].ends().map(|(body, _)| body)).collect();
        touched.sort_unstable();
        touched.dedup();
        let varies = touched.iter().any(|&body| bodies[body].varies);
        let stiffening = touched
            .into_iter()
            .filter(|&body| bodies[body].resonator.varying().is_some_and(|body| body.stiffens()))
            .collect();
        Ok(Self {
            contacts: ordered,
            endpoints,
            external,
            linear,
            resolvent,
            mobility,
            varies,
            stiffening,
            solver,
            rests_apart,
            pressed,
        })
    }

    pub fn len(&self) -> usize {
        self.contacts.len()
    }

    /// True for one resolvent law and nothing else, with a constant W.
    pub fn is_lone(&self) -> bool {
        self.contacts.len() == 1 && self.resolvent.len() == 1 && !self.varies
    }

    /// Row i of the current W; `varied` is the workspace's W.
    pub fn row<'a>(&'a self, varied: &'a [f64], i: usize) -> &'a [f64] {
        let mobility = if self.varies { varied } else { &self.mobility };
        &mobility[i * self.len()..(i + 1) * self.len()]
    }

    /// True for a contact that can be skipped while open.
    pub fn rests_apart(&self, i: usize) -> bool {
        i >= self.resolvent.start && self.rests_apart[i - self.resolvent.start]
    }

    /// W_ij as built.
    pub fn built(&self, i: usize, j: usize) -> f64 {
        self.mobility[i * self.len() + j]
    }

    /// Updates W and the elimination for moved ports and deflected bodies; returns the number of redundant laws.
    pub fn refresh(&self, model: &Model, state: &State, work: &mut Workspace) -> usize {
        let solved = !self.linear.is_empty() || !self.resolvent.is_empty();
        // external forces alone need no W, unless their work is entered in the ledger or summed
        let driven = state.boundary.enabled && self.external.clone().any(|i| state.inputs[self.contacts[i]] != 0.0);
        if (self.stiffening.is_empty() && !work.moved) || !(solved || driven || state.ledger.enabled) {
            return 0;
        }
        let n = self.len();
        if std::mem::take(&mut work.moved) {
            for a in 0..n {
                for b in 0..=a {
                    let value = coupling_now(model, state, self.contacts[a], self.contacts[b]);
                    (work.base[a * n + b], work.base[b * n + a]) = (value, value);
                }
            }
        }
        work.mobility.copy_from_slice(&work.base);
        for &body in &self.stiffening {
            let slots = &model.bodies[body].slots;
            for (bent, &contact) in work.bent.iter_mut().zip(&self.contacts) {
                let endpoints = model.contacts[contact].endpoints.into_iter().flatten();
                *bent = endpoints
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

    /// Computes W anew where a body has been retuned; false if the body is none of the island's.
    pub fn couple(&mut self, bodies: &[Body], contacts: &[ModelContact], body: BodyId) -> bool {
        let n = self.len();
        let mut is_on_it = false;
        for (a, &i) in self.contacts.iter().enumerate().filter(|(_, i)| contacts[**i].is_on(body)) {
            is_on_it = true;
            for (b, &j) in self.contacts.iter().enumerate().filter(|(_, j)| contacts[**j].is_on(body)) {
                self.mobility[a * n + b] = coupling(bodies, &contacts[i], &contacts[j]);
            }
        }
        is_on_it
    }

    /// Repeats the elimination after [`couple`](Self::couple); returns the number of redundant laws.
    pub fn renew(&self, model: &Model, grips: &[f64], work: &mut Workspace) -> usize {
        if self.varies {
            work.base.copy_from_slice(&self.mobility);
            work.mobility.copy_from_slice(&self.mobility);
            work.moved |= self.contacts.iter().any(|&contact| is_on_movable(model, contact));
        }
        self.eliminate(model, grips, work)
    }

    pub fn workspace(&self, model: &Model, grips: &[f64]) -> Workspace {
        let (n, l, m) = (self.len(), self.linear.len(), self.resolvent.len());
        let varying = if self.varies { &self.mobility[..] } else { &[] };
        let mut workspace = Workspace {
            mobility: varying.to_vec(),
            base: varying.to_vec(),
            moved: false,
            engaged: Reserved::new(l),
            factor: vec![0.0; l * l],
            dropped: vec![false; l],
            transfer: vec![0.0; l * m],
            reduced: vec![0.0; m * m],
            motion: vec![0.0; n],
            force: vec![0.0; n],
            approach: vec![0.0; n],
            rhs: vec![0.0; l],
            yielding: vec![0.0; l],
            yielded: vec![0.0; n],
            bent: vec![0.0; if self.varies { n } else { 0 }],
            slack: vec![0.0; l],
            newton: super::general_newton::Scratch::new(m).with_many(),
            active_set: super::active_set::ActiveSet::new(m),
        };
        self.eliminate(model, grips, &mut workspace);
        workspace
    }

    /// Repeats the elimination for constraints with the given `grips`; returns the number of redundant laws. Does not allocate.
    pub fn eliminate(&self, model: &Model, grips: &[f64], work: &mut Workspace) -> usize {
        work.newton.many.forget();
        let n = self.len();
        let mobility = if self.varies { &work.mobility } else { &self.mobility };
        let w = |i: usize, j: usize| mobility[i * n + j];
        work.engaged.clear();
        work.engaged.extend(self.linear.clone().filter(|&i| {
            let contact = self.contacts[i];
            matches!(model.contacts[contact].definition.law, Law::Spring(_)) || grips[contact] > 0.0
        }));
        let (l, m) = (work.engaged.len(), self.resolvent.len());
        for (row, &i) in work.engaged.iter().enumerate() {
            for (column, &j) in work.engaged.iter().enumerate() {
                work.factor[row * l + column] = w(i, j);
            }
            let contact = self.contacts[i];
            work.yielding[row] = match &model.contacts[contact].definition.law {
                Law::Spring(spring) => spring.yielding(),
                // a light grip: the lighter, the more of its velocity the body keeps
                _ => (1.0 - grips[contact]) / grips[contact] * w(i, i),
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
        let mut grips = vec![0.0; model.contacts.len()];
        for id in engaged {
            grips[id.0] = 1.0;
        }
        let work = self.workspace(model, &grips);
        let constraint = |&i: &usize| matches!(model.contacts[self.contacts[i]].definition.law, Law::Velocity);
        (0..work.engaged.len())
            .filter(|&row| work.dropped[row] && constraint(&work.engaged[row]))
            .map(|row| {
                let i = work.engaged[row];
                let others = work.engaged.iter().filter(|&&j| j != i && constraint(&j) && self.built(i, j) != 0.0);
                Redundant {
                    constraint: ContactId(self.contacts[i]),
                    others: others.map(|&j| ContactId(self.contacts[j])).collect(),
                }
            })
            .collect()
    }
}

/// The endpoints of a contact; one at the wall has the slot of the other and the sign 0.
fn ends_of(contact: &ModelContact) -> [Endpoint; 2] {
    let [a, b] = contact.endpoints;
    let wall = (a.or(b).map_or(0, |(slot, _)| slot), 0.0);
    [a.unwrap_or(wall), b.unwrap_or(wall)]
}

fn class_of(law: &Law) -> usize {
    match law {
        Law::Force => 0,
        Law::Velocity | Law::Spring(_) => 1,
        Law::Resolvent(_) => 2,
    }
}

/// True if two contacts influence each other, now or after a port has moved or a body is deflected.
fn are_coupled(bodies: &[Body], i: &ModelContact, j: &ModelContact) -> bool {
    let varying = |body: usize| bodies[body].varies && j.ends().any(|(other, _)| other == body);
    i.ends().any(|(body, _)| varying(body)) || coupling(bodies, i, j) != 0.0
}

/// W_ij: approach velocity of contact i per unit force of contact j.
pub(crate) fn coupling(bodies: &[Body], i: &ModelContact, j: &ModelContact) -> f64 {
    let mut value = 0.0;
    for (of_p, (p, sign_p)) in i.ends() {
        for (of_q, (q, sign_q)) in j.ends() {
            if of_p == of_q {
                let body = &bodies[of_p];
                let (row, column) = (p - body.slots.start, q - body.slots.start);
                value += sign_p * sign_q * body.mobility.at(row, column);
            }
        }
    }
    value
}

/// True for a contact at a port that can be moved.
fn is_on_movable(model: &Model, contact: usize) -> bool {
    let movable = |end: &End| match *end {
        End::Wall => false,
        End::Port { body, port } => {
            model.bodies[body.0].resonator.varying().is_some_and(|varying| varying.is_movable(port))
        }
    };
    model.contacts[contact].definition.ends.iter().any(movable)
}

/// W_ij with the current port positions, before stiffening.
fn coupling_now(model: &Model, state: &State, i: usize, j: usize) -> f64 {
    let ends = |contact: usize| model.contacts[contact].definition.ends.into_iter().zip([1.0, -1.0]);
    let mut value = 0.0;
    for (one, sign_one) in ends(i) {
        for (other, sign_other) in ends(j) {
            if let (End::Port { body, port: p }, End::Port { body: same, port: q }) = (one, other)
                && body == same
            {
                let Body { resonator, state: range, .. } = &model.bodies[body.0];
                let now = match resonator.varying() {
                    Some(varying) => varying.mobility_now(&state.values[range.clone()], p, q),
                    None => resonator.mobility(p, q),
                };
                value += sign_one * sign_other * now;
            }
        }
    }
    value
}

/// The solution of a law without effect, in place of a rejected force.
pub(crate) const NO_FORCE: Resolved = Resolved {
    approach: 0.0,
    force: 0.0,
    slope: 0.0,
    end: 0.0,
    potential: EndPotential::computed(0.0),
    plasticity: 0.0,
    evaluations: 0,
};
