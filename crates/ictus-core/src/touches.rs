//! What a contact has carried so far: its largest force, how often and how long it touched.

/// The touches of one contact whose law is a collision, felt, friction or nonlinear spring; others count none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Touches {
    /// Largest |force| of a step, N.
    pub peak: f64,
    /// Runs of steps with a force.
    pub count: u64,
    /// Steps with a force.
    pub steps: u64,
    /// The step after the last one with a force.
    next: u64,
}

impl Touches {
    /// Notes a step with a force.
    pub(crate) fn note(&mut self, force: f64, step: u64) {
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
    fn neighbouring_steps_are_one_touch() {
        let mut touches = Touches::default();
        for (step, force) in [(0, 1.0), (1, 3.0), (2, -4.0), (7, 2.0), (9, 1.0), (10, 1.0)] {
            touches.note(force, step);
        }
        assert_eq!((touches.peak, touches.count, touches.steps), (4.0, 3, 6));
    }
}
