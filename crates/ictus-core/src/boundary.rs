//! Energy across the boundary of the system, summed without the ledger: what external forces, moving gaps, imposed velocities and gestures supply.
//!
//! Only ports where something from outside acts are evaluated, so a step in which nothing does costs nothing. What was lost follows from the energy stored,
//! lost = supplied − (stored − initial). The ledger measures it instead, so only the ledger can find an error of the scheme.

use crate::ledger::Sum;

/// The sum of the work done from outside.
#[derive(Debug, Default)]
pub(crate) struct Boundary {
    /// If false, nothing is summed.
    pub enabled: bool,
    /// Since it was opened, J.
    pub supplied: Sum,
    /// Energy stored when it was opened, J.
    pub initial: f64,
}

clone_in_place!(Boundary { enabled, supplied, initial });

/// Energies since measuring began, J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Balance {
    /// Stored now by bodies and contacts.
    pub stored: f64,
    /// Work done from outside.
    pub supplied: f64,
    /// The rest: supplied − the change of the stored energy.
    pub lost: f64,
}

impl Boundary {
    /// Begins anew with the energy stored now, J.
    pub fn open(&mut self, stored: f64) {
        (self.supplied, self.initial) = (Sum::default(), stored);
    }

    /// Adds work, J, if enabled.
    #[inline(always)]
    pub fn add(&mut self, work: f64) {
        if self.enabled && work != 0.0 {
            self.supplied.add(work);
        }
    }

    /// The balance with the energy stored now, J.
    pub fn balance(&self, stored: f64) -> Balance {
        let supplied = self.supplied.value();
        Balance { stored, supplied, lost: supplied - (stored - self.initial) }
    }
}
