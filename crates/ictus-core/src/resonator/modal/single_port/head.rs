//! Scalars of a single-port bank: the first cache line of its state.
//!
//! The state is plain `f64`, so that a snapshot is a copy; flags are 0 or 1 and the stage is 0, 1 or 2. Only this file reads and writes them.

use ictus_kernels::LANES;
use std::ops::{Deref, DerefMut};

/// Length of the scalars: a cache line.
pub(super) const HEAD: usize = LANES;

const FORCE: usize = 0; // of the last step, N
const STAGE: usize = 1;
const BEFORE: usize = 2; // Σ v, m/s
const AFTER: usize = 3; // Σ v°, m/s
const BEFORE_MISSING: usize = 4; // flag
const FORESEEN_MISSING: usize = 5; // flag
const BACKWARDS: usize = 6; // flag

/// Progress of a bank from one step to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Stage {
    /// The last force is stored but not applied: v = v° + w f, and the modes are at q̃ + v.
    Pushed,
    /// The modes are at q̃ and move with v° next; v is not stored.
    Moved,
    /// As [`Moved`](Self::Moved), with v stored.
    Audited,
}

/// Accessors of the scalars. The slice may be the whole state.
pub(super) struct Head<S>(S);

impl<S: Deref<Target = [f64]>> Head<S> {
    /// The scalars at the beginning of `state`.
    #[inline(always)]
    pub fn new(state: S) -> Self {
        Self(state)
    }

    /// Force of the last step, N.
    #[inline(always)]
    pub fn force(&self) -> f64 {
        self.0[FORCE]
    }

    #[inline(always)]
    pub fn stage(&self) -> Stage {
        match self.0[STAGE] {
            0.0 => Stage::Pushed,
            1.0 => Stage::Moved,
            _ => Stage::Audited,
        }
    }

    /// Σ v, m/s; not valid if [missing](Self::is_before_missing).
    #[inline(always)]
    pub fn before(&self) -> f64 {
        self.0[BEFORE]
    }

    /// Σ v°, m/s.
    #[inline(always)]
    pub fn after(&self) -> f64 {
        self.0[AFTER]
    }

    /// True if Σ v must be summed before it is read.
    #[inline(always)]
    pub fn is_before_missing(&self) -> bool {
        self.0[BEFORE_MISSING] != 0.0
    }

    /// True if the foreseen part of Σ v° must be computed before it is used.
    #[inline(always)]
    pub fn is_foreseen_missing(&self) -> bool {
        self.0[FORESEEN_MISSING] != 0.0
    }

    /// True in [`Stage::Pushed`] with no sum missing: the usual case, tested by integer operations on bits that are then all zero.
    #[inline(always)]
    pub fn is_ready(&self) -> bool {
        let [stage, before, foreseen] = [STAGE, BEFORE_MISSING, FORESEEN_MISSING].map(|i| self.0[i].to_bits());
        stage | before | foreseen == 0
    }
}

impl<S: DerefMut<Target = [f64]>> Head<S> {
    #[inline(always)]
    pub fn set_force(&mut self, force: f64) {
        self.0[FORCE] = force;
    }

    #[inline(always)]
    pub fn set_stage(&mut self, stage: Stage) {
        self.0[STAGE] = match stage {
            Stage::Pushed => 0.0,
            Stage::Moved => 1.0,
            Stage::Audited => 2.0,
        };
    }

    #[inline(always)]
    pub fn set_before(&mut self, sum: f64) {
        self.0[BEFORE] = sum;
    }

    #[inline(always)]
    pub fn set_after(&mut self, sum: f64) {
        self.0[AFTER] = sum;
    }

    #[inline(always)]
    pub fn set_before_missing(&mut self, missing: bool) {
        self.0[BEFORE_MISSING] = flag(missing);
    }

    #[inline(always)]
    pub fn set_foreseen_missing(&mut self, missing: bool) {
        self.0[FORESEEN_MISSING] = flag(missing);
    }

    /// Returns true if this traversal of the modes runs from the last to the first, and reverses the next one. No result depends on the direction.
    #[inline(always)]
    pub fn alternate_direction(&mut self) -> bool {
        let backwards = self.0[BACKWARDS];
        self.0[BACKWARDS] = 1.0 - backwards;
        backwards != 0.0
    }

    /// Ends a step with a force (N), to be applied at the beginning of the next. No sum may be missing.
    #[inline(always)]
    pub fn push(&mut self, force: f64, mobility: f64) {
        self.0[FORCE] = force;
        self.0[BEFORE] = self.0[AFTER] + mobility * force;
        self.set_stage(Stage::Pushed);
    }
}

#[inline(always)]
fn flag(yes: bool) -> f64 {
    if yes { 1.0 } else { 0.0 }
}
