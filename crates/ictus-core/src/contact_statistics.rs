//! Contact statistics: peak force, number and duration of contacts.

/// Statistics of a contact whose law is a collision, felt, friction or nonlinear spring; zero for other laws.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactStatistics {
    /// Largest |force| of a step, N.
    pub peak: f64,
    /// Number of contacts: runs of consecutive steps with a force.
    pub count: u64,
    /// Number of steps with a force.
    pub steps: u64,
    /// The step after the last one with a force.
    next: u64,
}

persist!(ContactStatistics { peak, count, steps, next });

impl ContactStatistics {
    /// Records a step with a force.
    pub(crate) fn record(&mut self, force: f64, step: u64) {
        self.count += u64::from(self.steps == 0 || step != self.next);
        self.steps += 1;
        self.next = step + 1;
        if force.abs() > self.peak {
            self.peak = force.abs();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consecutive_steps_are_one_contact() {
        let mut statistics = ContactStatistics::default();
        for (step, force) in [(0, 1.0), (1, 3.0), (2, -4.0), (7, 2.0), (9, 1.0), (10, 1.0)] {
            statistics.record(force, step);
        }
        assert_eq!((statistics.peak, statistics.count, statistics.steps), (4.0, 3, 6));
    }
}
