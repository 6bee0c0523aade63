//! The solver of an island's resolvent laws, chosen when the model is built.
//!
//! | laws | solver |
//! |---|---|
//! | collisions only | [small Newton](super::small_newton); from nine closed ones [iterative Newton](super::iterative_newton); [general Newton](super::general_newton) where these do not converge |
//! | others that are monotone | general Newton on the [active set](super::active_set) |
//! | friction among them | [non-monotone Newton](super::non_monotone_newton) |
//!
//! Whatever ends above its tolerance and might add energy is replaced by the [sequential fallback](super::sequential). A contact that is alone in its island needs none of this: its
//! resolvent is the solution (`step/lone.rs`, and many of one law in array layout, `step/row.rs`).

use super::general_newton::{Laws, Outcome};
use super::island::Workspace;
use super::small_newton::{self, Collisions, IslandCollision};
use super::{non_monotone_newton, sequential};
use crate::contact::Law;
use crate::interaction::collision::Collision;
use crate::model::ModelContact;
use crate::paths::{Special, takes};

/// Which solver an island needs.
#[derive(Clone, Debug)]
pub(crate) enum ContactSolver {
    /// Collisions only.
    Collisions(Vec<IslandCollision>),
    /// Monotone laws.
    Monotone,
    /// Laws whose force may fall with the approach velocity.
    NonMonotone,
}

impl ContactSolver {
    /// The solver for resolvent laws, given by their contacts.
    pub fn choose<'a>(laws: impl Iterator<Item = &'a ModelContact> + Clone) -> Self {
        let collision = |contact: &ModelContact| match &contact.definition.law {
            Law::Resolvent(law) => {
                law.as_collision().map(|law| IslandCollision { law: law.clone(), state: contact.state.start })
            }
            _ => None,
        };
        let is_monotone =
            |contact: &ModelContact| matches!(&contact.definition.law, Law::Resolvent(law) if law.is_monotone());
        match laws.clone().map(collision).collect() {
            Some(members) => Self::Collisions(members),
            None if laws.clone().all(is_monotone) => Self::Monotone,
            None => Self::NonMonotone,
        }
    }

    /// Replaces the copy of a collision, the one whose state begins at `state`.
    pub fn set_collision(&mut self, state: usize, law: &Collision) {
        if let Self::Collisions(members) = self {
            members.iter_mut().filter(|member| member.state == state).for_each(|member| member.law.clone_from(law));
        }
    }

    /// True if an open contact can be skipped.
    pub fn is_monotone(&self) -> bool {
        !matches!(self, Self::NonMonotone)
    }

    /// True if laws [prepare](crate::Interaction::prepare) a step.
    pub fn prepares(&self) -> bool {
        !matches!(self, Self::Collisions(_))
    }

    /// Solves w = free − W f, f = F(w) for all laws, whose state is in `values`; also returns whether the sequential fallback was used.
    /// `rests(a)` is true if law `a` is open and inactive, `stays_open(a, w)` if it is still open after a step with approach velocity w.
    pub fn solve(
        &self,
        (laws, values): (&impl Laws, &[f64]),
        rests: impl Fn(usize) -> bool,
        stays_open: impl Fn(usize, f64) -> bool,
        tolerance: f64,
        work: &mut Workspace,
    ) -> (Outcome, bool) {
        let Workspace { active_set, reduced: w, newton: all, .. } = work;
        let outcome = match self {
            Self::NonMonotone => non_monotone_newton::solve(laws, w, tolerance, all, &[]),
            Self::Monotone => {
                all.begin();
                active_set.solve(laws, rests, stays_open, w, tolerance, all)
            }
            Self::Collisions(members) => {
                all.begin();
                let few = takes(Special::SmallNewton, 1)
                    .then(|| small_newton::solve(&Collisions { members, values }, w, tolerance, all))
                    .flatten();
                few.unwrap_or_else(|| active_set.solve(laws, rests, stays_open, w, tolerance, all))
            }
        };
        let fell_back = outcome.missed && sequential::fall_back(laws, w, tolerance, all);
        (outcome, fell_back)
    }
}
