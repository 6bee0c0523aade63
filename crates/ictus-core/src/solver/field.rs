//! A field of contacts along one body with a banded step matrix: a string on a barrier, in O(N) per iteration. [CW14 eq. 34]
//!
//! The scattering Newton of [`general_newton`](super::general_newton), with W = S R A⁻¹ Rᵀ S never formed: products with W are
//! banded solves, and (W + diag 1/F')⁻¹ becomes one solve with A + Rᵀ diag(F') R. With G = w − w0 + W f,
//! (A + Rᵀ F' R) y = Rᵀ S F' G, then δf_i = −s_i (A y)_i where the contact is hard and δw_i = s_i y_i − G_i where it is soft.

use crate::contact::{End, Law};
use crate::interaction::Resolved;
use crate::model::{Body, ModelContact};
use crate::resonator::banded::{BandedBody, Factor};

/// Fewest contacts of a field: fewer are as cheap in a dense island, which may also hold other bodies.
const MIN_CONTACTS: usize = 8;
/// Outer iterations before the best iterate is kept and a miss is counted.
const MAX_ITERATIONS: u32 = 40;

/// All contacts of one body, if they are collisions with the wall on its grid points, or external forces.
#[derive(Debug)]
pub(crate) struct Field {
    pub body: usize,
    /// Contacts that are external forces, with their ports.
    pub external: Vec<(usize, usize)>,
    pub contacts: Vec<Spot>,
}

/// One contact of a field.
#[derive(Debug)]
pub(crate) struct Spot {
    pub contact: usize,
    pub point: usize,
    /// +1 if the body is end A, −1 if it is end B.
    pub sign: f64,
    /// W_ii, m/s per N.
    pub mobility: f64,
}

/// Arrays of a field, allocated once.
#[derive(Debug, Default)]
pub(crate) struct Work {
    pub free: Vec<f64>,
    pub resolved: Vec<Resolved>,
    /// A⁻¹ of the contacts' forces, at every point.
    pub response: Vec<f64>,
    /// Velocity due to the external forces only, at every point, m/s.
    pub external_response: Vec<f64>,
    /// Energy the body received through this field in the last step, J.
    pub supplied: f64,
    before: Vec<Resolved>,
    best: Vec<Resolved>,
    residual: Vec<f64>,
    load: Vec<f64>,
    extra: Vec<f64>,
    factor: Factor,
}

clone_in_place!(Work {
    free,
    resolved,
    response,
    external_response,
    supplied,
    before,
    best,
    residual,
    load,
    extra,
    factor
});

impl Field {
    /// The field of `body`, if its contacts qualify.
    pub fn find(index: usize, body: &Body, contacts: &[ModelContact]) -> Option<Self> {
        let banded = body.resonator.capabilities().banded?;
        let mut field = Self { body: index, external: Vec::new(), contacts: Vec::new() };
        let mut occupied = vec![false; banded.points()];
        for (contact, ModelContact { definition, .. }) in contacts.iter().enumerate() {
            let (port, sign) = match definition.ends {
                [End::Port { body, port }, End::Wall] if body.index() == index => (port, 1.0),
                [End::Wall, End::Port { body, port }] if body.index() == index => (port, -1.0),
                [a, b] if is_on_body(a, index) || is_on_body(b, index) => return None,
                _ => continue,
            };
            match definition.law {
                Law::Force if sign > 0.0 => field.external.push((contact, port)),
                Law::Resolvent(_) => {
                    let point = banded.grid_point(port)?;
                    if std::mem::replace(&mut occupied[point], true) {
                        return None;
                    }
                    let mobility = body.resonator.mobility(port, port);
                    field.contacts.push(Spot { contact, point, sign, mobility });
                }
                _ => return None,
            }
        }
        (field.contacts.len() >= MIN_CONTACTS).then_some(field)
    }

    pub fn work(&self, banded: &dyn BandedBody) -> Work {
        let (m, n) = (self.contacts.len(), banded.points());
        Work {
            free: vec![0.0; m],
            resolved: vec![Resolved::default(); m],
            response: vec![0.0; n],
            external_response: vec![0.0; n],
            supplied: 0.0,
            before: vec![Resolved::default(); m],
            best: vec![Resolved::default(); m],
            residual: vec![0.0; m],
            load: vec![0.0; n],
            extra: vec![0.0; n],
            factor: banded.factor().clone(),
        }
    }

    /// Computes W f of the contact forces into `work.response`; false if there are none.
    pub fn respond(&self, banded: &dyn BandedBody, work: &mut Work) -> bool {
        work.response.fill(0.0);
        let mut any = false;
        for (spot, resolved) in self.contacts.iter().zip(&work.resolved) {
            if resolved.force != 0.0 {
                work.response[spot.point] += spot.sign * resolved.force;
                any = true;
            }
        }
        if any {
            banded.factor().solve(&mut work.response);
        }
        any
    }

    /// Solves for all contacts; `resolve(i, z, r)` is the resolvent of contact i. Returns the iterations and whether the solve missed.
    pub fn solve(
        &self,
        banded: &dyn BandedBody,
        work: &mut Work,
        tolerance: f64,
        resolve: impl Fn(usize, f64, f64) -> Resolved,
    ) -> (u32, bool) {
        // the solutions of two steps ago are the better guess in leapfrog-like alternation, as in the dense solver
        std::mem::swap(&mut work.resolved, &mut work.before);
        self.respond(banded, work);
        for (i, spot) in self.contacts.iter().enumerate() {
            let own = spot.mobility * work.resolved[i].force;
            let z = work.free[i] - spot.sign * work.response[spot.point] + own;
            work.resolved[i] = resolve(i, z, spot.mobility);
        }
        let (mut iterations, mut best) = (0, f64::INFINITY);
        loop {
            let misfit = self.residual(banded, work);
            if misfit < best {
                best = misfit;
                work.best.copy_from_slice(&work.resolved);
            }
            if misfit <= tolerance {
                return (iterations, false);
            }
            if iterations == MAX_ITERATIONS || !misfit.is_finite() {
                work.resolved.copy_from_slice(&work.best);
                return (iterations, true);
            }
            iterations += 1;
            self.newton_step(banded, work);
            for (i, spot) in self.contacts.iter().enumerate() {
                let now = work.resolved[i];
                // δf = −s(A y) = F'(s y − G): the first cancels if the contact is soft, the second if it is hard
                let (force_step, step) = if now.slope * spot.mobility > 1.0 {
                    let force_step = -spot.sign * banded.matrix().row(spot.point, &work.load);
                    (force_step, force_step / now.slope)
                } else {
                    let step = spot.sign * work.load[spot.point] - work.residual[i];
                    (now.slope * step, step)
                };
                let z = (now.approach + step) + spot.mobility * (now.force + force_step);
                work.resolved[i] = resolve(i, z, spot.mobility);
            }
        }
    }

    /// Replaces the result of a solve that missed, if it might add energy, by the [sequential fallback](super::sequential). True if it did.
    pub fn fall_back(
        &self,
        banded: &dyn BandedBody,
        work: &mut Work,
        tolerance: f64,
        resolve: impl Fn(usize, f64, f64) -> Resolved,
    ) -> bool {
        self.residual(banded, work);
        let (mut gained, mut terms) = (0.0, 0.0);
        for (i, spot) in self.contacts.iter().enumerate() {
            let Resolved { approach, force, .. } = work.resolved[i];
            gained += force * work.residual[i];
            terms += (force * (approach.abs() + work.free[i].abs() + work.response[spot.point].abs())).abs();
        }
        if gained <= tolerance * terms {
            return false;
        }
        work.response.fill(0.0);
        for (i, spot) in self.contacts.iter().enumerate() {
            let z = work.free[i] - 2.0 * spot.sign * work.response[spot.point];
            let resolved = resolve(i, z, spot.mobility);
            work.resolved[i] = resolved;
            if resolved.force != 0.0 {
                work.load.fill(0.0);
                work.load[spot.point] = spot.sign * resolved.force;
                banded.factor().solve(&mut work.load);
                for (response, more) in work.response.iter_mut().zip(&work.load) {
                    *response += more;
                }
            }
        }
        true
    }

    /// Computes G and returns its largest entry relative to its terms.
    fn residual(&self, banded: &dyn BandedBody, work: &mut Work) -> f64 {
        self.respond(banded, work);
        let mut fastest: f64 = 0.0;
        for (i, spot) in self.contacts.iter().enumerate() {
            let response = spot.sign * work.response[spot.point];
            let (approach, free) = (work.resolved[i].approach, work.free[i]);
            work.residual[i] = (approach - free) + response;
            fastest = fastest.max(approach.abs() + free.abs() + response.abs());
        }
        let mut worst: f64 = 0.0;
        for residual in &work.residual {
            // a banded solve is accurate relative to its largest entry
            let relative = residual.abs() / fastest;
            if relative.is_nan() && fastest != 0.0 {
                return f64::NAN;
            }
            worst = worst.max(relative);
        }
        worst
    }

    /// Leaves y in `work.load`.
    fn newton_step(&self, banded: &dyn BandedBody, work: &mut Work) {
        work.load.fill(0.0);
        work.extra.fill(0.0);
        for (i, spot) in self.contacts.iter().enumerate() {
            let slope = work.resolved[i].slope;
            work.extra[spot.point] += slope;
            work.load[spot.point] += spot.sign * slope * work.residual[i];
        }
        banded.matrix().factorise_into(Some(&work.extra), &mut work.factor);
        work.factor.solve(&mut work.load);
    }
}

fn is_on_body(end: End, index: usize) -> bool {
    matches!(end, End::Port { body, .. } if body.index() == index)
}
