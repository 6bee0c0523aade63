//! Blocks of steps without contact, as one body sees them.

use super::FastResonator;

/// Steps that a body takes under scheduled forces, and the ports of which it records velocities and displacements.
#[derive(Debug, Default)]
pub struct Block<'a> {
    /// Number of steps.
    pub steps: usize,
    /// Ports with external forces.
    pub pushed: &'a [usize],
    /// Forces on these ports, N, step by step.
    pub forces: &'a [f64],
    /// Ports whose free mean velocity is recorded.
    pub free_ports: &'a [usize],
    /// v̄° of these ports, m/s, step by step: without the external forces of the step.
    pub free: StepValues<'a>,
    /// True if contacts touch the body at one port only: steps use its [`free_velocity`](FastResonator::free_velocity).
    pub single_port: bool,
    /// Ports whose velocity is recorded.
    pub velocity_ports: &'a [usize],
    /// Velocities of these ports after each step, m/s, step by step.
    pub velocities: StepValues<'a>,
    /// Ports whose displacement is recorded.
    pub displacement_ports: &'a [usize],
    /// Displacements of these ports after each step, m, step by step.
    pub displacements: StepValues<'a>,
    /// True if the energy lost is recorded.
    pub audited: bool,
    /// Energy lost in each step, J, if audited.
    pub lost: &'a mut [f64],
    /// Steps in which the body [is overstretched](super::VaryingMobility::is_overstretched).
    pub overstretched: u64,
}

impl Block<'_> {
    /// The forces of step `n`, N.
    pub fn forces_of(&self, n: usize) -> &[f64] {
        &self.forces[n * self.pushed.len()..][..self.pushed.len()]
    }

    /// Records a body at rest.
    pub(crate) fn sleep(&mut self) {
        self.free.0[..self.steps * self.free_ports.len()].fill(0.0);
        self.velocities.0[..self.steps * self.velocity_ports.len()].fill(0.0);
        self.displacements.0[..self.steps * self.displacement_ports.len()].fill(0.0);
        if self.audited {
            self.lost[..self.steps].fill(0.0);
        }
    }

    /// Takes the steps one by one.
    pub(crate) fn step_through<R: FastResonator + ?Sized>(&mut self, body: &R, state: &mut [f64]) {
        for n in 0..self.steps {
            let free = self.free.row(n, self.free_ports.len());
            match (self.free_ports, &mut *free) {
                (&[port], [free]) if self.single_port => *free = body.free_velocity(state, port, self.audited),
                _ => body.free_velocities(state, self.free_ports, free),
            }
            self.overstretched += u64::from(body.varying().is_some_and(|body| body.is_overstretched(state)));
            self.lost[n] = body.advance(state, self.pushed, self.forces_of(n), self.audited);
            for (out, &port) in self.velocities.row(n, self.velocity_ports.len()).iter_mut().zip(self.velocity_ports) {
                *out = body.velocity(state, port);
            }
            for (out, &port) in
                self.displacements.row(n, self.displacement_ports.len()).iter_mut().zip(self.displacement_ports)
            {
                *out = body.displacement(state, port);
            }
        }
    }
}

/// Numbers of successive steps, one row a step.
#[derive(Debug, Default)]
pub struct StepValues<'a>(pub &'a mut [f64]);

impl StepValues<'_> {
    /// The `width` numbers of step `n`.
    pub fn row(&mut self, n: usize, width: usize) -> &mut [f64] {
        &mut self.0[n * width..(n + 1) * width]
    }
}
