//! The energy ledger: every joule is entered once per element and once for the whole.
//!
//! stored = supplied − dissipated + solver + residual. `stored` is measured from the states, `supplied` from the power across the
//! system boundary, `dissipated` from the loss terms, `solver` from the mismatch between the velocity a law assumed and the motion of its bodies. None is
//! derived from another, so the residual can fail.

/// A compensated running sum, exact enough for hours of samples.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sum {
    total: f64,
    compensation: f64,
}

impl Sum {
    /// Adds `x`.
    pub fn add(&mut self, x: f64) {
        // Knuth's two-sum, without a branch: the error term is exact whichever operand is larger
        let next = self.total + x;
        let added = next - self.total;
        self.compensation += (self.total - (next - added)) + (x - added);
        self.total = next;
    }

    /// The sum.
    pub fn value(&self) -> f64 {
        self.total + self.compensation
    }
}

/// Plain sum in four fixed lanes.
fn sum(values: &[f64]) -> f64 {
    let (chunks, rest) = values.as_chunks::<4>();
    let mut lanes = [0.0; 4];
    for chunk in chunks {
        for (lane, value) in lanes.iter_mut().zip(chunk) {
            *lane += value;
        }
    }
    lanes.iter().chain(rest).sum()
}

persist!(Sum { total, compensation });

/// The ledger entry of one element, or of the whole.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entry {
    /// Energy stored now, J.
    pub stored: f64,
    /// Energy stored when the ledger was opened, J.
    pub initial: f64,
    /// Energy received so far, J. For the whole: external work only.
    pub supplied: Sum,
    /// Energy dissipated so far, J.
    pub dissipated: Sum,
    /// Mismatch left by the solver so far, J.
    pub solver: Sum,
    /// Largest |residual| so far, J.
    pub max_residual: f64,
    /// Largest |residual| without the solver column so far, J.
    pub max_raw_residual: f64,
    /// Smallest energy dissipated in a single step, J: negative would be a source.
    pub min_dissipated: f64,
}

persist!(Entry { stored, initial, supplied, dissipated, solver, max_residual, max_raw_residual, min_dissipated });

impl Entry {
    pub(crate) fn open(stored: f64) -> Self {
        Self { stored, initial: stored, ..Self::default() }
    }

    /// Enters one step.
    pub(crate) fn book(&mut self, stored: f64, supplied: f64, dissipated: f64, solver: f64) {
        self.stored = stored;
        // most amounts are zero in most steps
        for (column, amount) in
            [(&mut self.supplied, supplied), (&mut self.dissipated, dissipated), (&mut self.solver, solver)]
        {
            if amount != 0.0 {
                column.add(amount);
            }
        }
        self.min_dissipated = self.min_dissipated.min(dissipated);
        let raw = self.raw_residual();
        self.max_raw_residual = self.max_raw_residual.max(raw.abs());
        self.max_residual = self.max_residual.max((raw - self.solver.value()).abs());
    }

    /// Enters successive steps; `supplied` is empty if zero.
    pub(crate) fn book_block(&mut self, stored: f64, supplied: &[f64], lost: &[f64]) {
        let (last_supplied, supplied) = supplied.split_last().map_or((0.0, &[][..]), |(last, others)| (*last, others));
        let Some((&last, lost)) = lost.split_last() else { return };
        for &lost in lost {
            self.dissipated.add(lost);
            self.min_dissipated = self.min_dissipated.min(lost);
        }
        for &supplied in supplied {
            self.supplied.add(supplied);
        }
        self.book(stored, last_supplied, last, 0.0);
    }

    /// Enters the stored energy and `supplied` as dissipated; returns their sum, J.
    pub(crate) fn forfeit(&mut self, supplied: f64) -> f64 {
        let lost = std::mem::take(&mut self.stored) + supplied;
        self.supplied.add(supplied);
        self.dissipated.add(lost);
        lost
    }

    /// stored − initial − supplied + dissipated, J.
    pub fn raw_residual(&self) -> f64 {
        (self.stored - self.initial) - self.supplied.value() + self.dissipated.value()
    }

    /// The raw residual less the solver column: rounding error only, if the scheme is correct.
    pub fn residual(&self) -> f64 {
        self.raw_residual() - self.solver.value()
    }
}

/// The energy ledger of a simulation.
#[derive(Debug, PartialEq)]
pub struct Ledger {
    /// If false, nothing is entered and steps are cheaper. Switch it on again by [`State::audit`](crate::State::audit) only: the entries must begin with the energy stored then.
    pub enabled: bool,
    /// The whole.
    pub total: Entry,
    /// Per body, in the model's order.
    pub bodies: Vec<Entry>,
    /// Per contact, in the model's order.
    pub contacts: Vec<Entry>,
    /// Largest energy stored at any time, J.
    pub peak: f64,
    /// Largest |change| of the total residual in one step, J.
    pub max_step_residual: f64,
    last_residual: f64,
    /// Energy stored by each contact, contiguous for the sum of every step.
    held: Vec<f64>,
}

clone_in_place!(Ledger { enabled, total, bodies, contacts, peak, max_step_residual, last_residual, held });

impl Ledger {
    pub(crate) fn open(bodies: Vec<f64>, contacts: Vec<f64>) -> Self {
        let total = bodies.iter().chain(&contacts).sum();
        Self {
            enabled: true,
            total: Entry::open(total),
            bodies: bodies.into_iter().map(Entry::open).collect(),
            contacts: contacts.iter().copied().map(Entry::open).collect(),
            held: contacts,
            peak: total,
            max_step_residual: 0.0,
            last_residual: 0.0,
        }
    }

    /// Begins anew with the energies stored now, J; whether it is enabled stays. Does not allocate.
    pub(crate) fn reopen(&mut self, bodies: impl Iterator<Item = f64>, contacts: impl Iterator<Item = f64>) {
        let mut total = 0.0;
        for (entry, stored) in self.bodies.iter_mut().zip(bodies) {
            *entry = Entry::open(stored);
            total += stored;
        }
        for ((entry, held), stored) in self.contacts.iter_mut().zip(&mut self.held).zip(contacts) {
            (*entry, *held) = (Entry::open(stored), stored);
            total += stored;
        }
        (self.total, self.peak) = (Entry::open(total), total);
        (self.max_step_residual, self.last_residual) = (0.0, 0.0);
    }

    /// Enters one step of a contact.
    pub(crate) fn book_contact(&mut self, contact: usize, stored: f64, supplied: f64, dissipated: f64) {
        self.contacts[contact].book(stored, supplied, dissipated, 0.0);
        self.held[contact] = stored;
    }

    /// Enters the remaining energy of a body as dissipated.
    pub(crate) fn put_to_rest(&mut self, body: usize) {
        let lost = self.bodies[body].forfeit(0.0);
        self.total.stored -= lost;
        self.total.dissipated.add(lost);
    }

    /// Enters the remaining energy of a contact as dissipated.
    pub(crate) fn put_contact_to_rest(&mut self, contact: usize) {
        let lost = self.contacts[contact].forfeit(0.0);
        self.held[contact] = 0.0;
        self.total.stored -= lost;
        self.total.dissipated.add(lost);
    }

    /// Closes a step: sums the elements' stored energies into the total.
    pub(crate) fn close_step(&mut self, supplied: f64, dissipated: f64, solver: f64) {
        self.total.book(self.stored(), supplied, dissipated, solver);
        self.update_extremes();
    }

    /// Closes successive steps; `supplied` is empty if zero.
    pub(crate) fn close_block(&mut self, supplied: &[f64], lost: &[f64]) {
        self.total.book_block(self.stored(), supplied, lost);
        self.update_extremes();
    }

    fn stored(&self) -> f64 {
        let bodies: f64 = self.bodies.iter().map(|entry| entry.stored).sum();
        bodies + sum(&self.held)
    }

    fn update_extremes(&mut self) {
        self.peak = self.peak.max(self.total.stored);
        let residual = self.total.residual();
        self.max_step_residual = self.max_step_residual.max((residual - self.last_residual).abs());
        self.last_residual = residual;
    }

    /// Largest stored energy so far, J: the scale of residuals.
    pub fn scale(&self) -> f64 {
        self.peak.max(f64::MIN_POSITIVE)
    }

    /// Largest residual, with or without the solver column, relative to the peak energy.
    pub fn max_residual_rel(&self) -> f64 {
        self.total.max_residual.max(self.total.max_raw_residual) / self.scale()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_compensated() {
        let mut sum = Sum::default();
        sum.add(1e16);
        for _ in 0..1000 {
            sum.add(1.0);
        }
        sum.add(-1e16);
        assert_eq!(sum.value(), 1000.0);
    }
}
