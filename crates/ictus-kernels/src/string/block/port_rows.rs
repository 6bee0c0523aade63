//! The rows of a string in lane layout that contain points of ports.

#![allow(unsafe_code)]

use super::{PORTS, STEPS};
use std::mem::MaybeUninit;

/// Most rows whose free velocity is stored aside.
pub(super) const FREE_ROWS: usize = 2 * PORTS;
/// Most point forces: both points of all ports, each possibly in two lanes.
const MAX_FORCES: usize = 2 * 2 * PORTS;

/// A row that contains points of ports.
#[derive(Clone, Copy, Default)]
pub(super) struct PortRow {
    pub row: usize,
    /// Number of the row aside that stores v + v⁺, if the free velocity of one of its points is recorded.
    pub aside: Option<usize>,
    /// Range of its point forces.
    forces: [usize; 2],
}

/// The force of a port on a point.
#[derive(Clone, Copy, Default)]
pub(super) struct PointForce {
    row: usize,
    pub lane: usize,
    port: usize,
    /// v⁺ per force.
    mobility: f64,
}

/// Rows in ascending order; point forces by row, then by port.
pub(super) struct PortRows {
    port_rows: [PortRow; FREE_ROWS + MAX_FORCES],
    count: usize,
    free_ports: usize,
    forces: [PointForce; MAX_FORCES],
    force_count: usize,
}

impl PortRows {
    #[inline(always)]
    pub fn new() -> Self {
        let (port_rows, forces) = ([PortRow::default(); FREE_ROWS + MAX_FORCES], [PointForce::default(); MAX_FORCES]);
        Self { port_rows, count: 0, free_ports: 0, forces, force_count: 0 }
    }

    /// The rows before `late`, and the rows from there on.
    pub fn parts(&self, late: usize) -> [&[PortRow]; 2] {
        let port_rows = &self.port_rows[..self.count];
        let (early, late) = port_rows.split_at(port_rows.partition_point(|port_row| port_row.row < late));
        [early, late]
    }

    /// Point forces of a row with their numbers.
    #[inline(always)]
    pub fn forces(&self, port_row: &PortRow) -> impl Iterator<Item = (usize, &PointForce)> {
        let [first, end] = port_row.forces;
        debug_assert!(first <= end && end <= self.force_count);
        // SAFETY: first <= end <= self.force_count <= MAX_FORCES, asserted in debug builds; `at` and `add_force` keep each range inside the forces added
        (first..end).zip(unsafe { self.forces.get_unchecked(first..end) })
    }

    /// Computes the velocity increments of all point forces, step by step, from the forces at `ports` ports.
    #[inline(always)]
    pub fn evaluate(&self, increments: &mut PointForces, forces: &[f64], ports: usize, steps: usize) {
        for (row, point_force) in increments.0.iter_mut().zip(&self.forces[..self.force_count]) {
            let row = row[..steps].iter_mut();
            // a single port has contiguous forces, which vectorises
            if ports == 1 {
                row.zip(forces).for_each(|(out, force)| *out = MaybeUninit::new(point_force.mobility * force));
            } else {
                let forces = forces[point_force.port..].iter().step_by(ports);
                row.zip(forces).for_each(|(out, force)| *out = MaybeUninit::new(point_force.mobility * force));
            }
        }
    }

    /// The entry of a row, added if missing.
    fn at(&mut self, row: usize) -> &mut PortRow {
        let index = self.port_rows[..self.count].partition_point(|port_row| port_row.row < row);
        if index == self.count || self.port_rows[index].row != row {
            self.port_rows.copy_within(index..self.count, index + 1);
            let before = self.forces[..self.force_count].partition_point(|point_force| point_force.row < row);
            self.port_rows[index] = PortRow { row, aside: None, forces: [before; 2] };
            self.count += 1;
        }
        &mut self.port_rows[index]
    }

    /// Records the free velocity of a row; returns the number of its row aside, counted from 0.
    pub fn store_free(&mut self, row: usize) -> usize {
        let next = self.free_ports;
        let port_row = self.at(row);
        if let Some(which) = port_row.aside {
            return which;
        }
        port_row.aside = Some(next);
        self.free_ports = next + 1;
        next
    }

    /// Adds a force of a port on a point, after the earlier forces on its row.
    pub fn add_force(&mut self, row: usize, lane: usize, port: usize, mobility: f64) {
        let index = self.at(row).forces[1];
        self.forces.copy_within(index..self.force_count, index + 1);
        self.forces[index] = PointForce { row, lane, port, mobility };
        self.force_count += 1;
        for port_row in &mut self.port_rows[..self.count] {
            let [before, end] = &mut port_row.forces;
            *before += usize::from(port_row.row > row);
            *end += usize::from(port_row.row >= row);
        }
    }
}

/// Increments of v⁺ per point force and step.
pub(super) struct PointForces([[MaybeUninit<f64>; STEPS]; MAX_FORCES]);

impl PointForces {
    #[inline(always)]
    pub fn new() -> Self {
        Self([const { [const { MaybeUninit::uninit() }; STEPS] }; MAX_FORCES])
    }

    /// Increment of v⁺ of a point force in a step.
    ///
    /// # Safety
    /// [`PortRows::evaluate`] has written this point force and step.
    #[inline(always)]
    pub unsafe fn at(&self, number: usize, step: usize) -> f64 {
        debug_assert!(number < MAX_FORCES && step < STEPS);
        // SAFETY: number < MAX_FORCES and step < STEPS, and `PortRows::evaluate` has initialised the value: the contract above; the bounds are asserted in debug builds
        unsafe { self.0.get_unchecked(number).get_unchecked(step).assume_init() }
    }
}
