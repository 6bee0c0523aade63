//! Ports of a surface in grid layout: driven points and recorded outputs.
//!
//! v̄ of a point is computed after the force terms of its row and before the row moves: it is copied then. A driven point is advanced from the copy, after all others have moved.

use super::grid_layout::{Numbers, VectorRow};
use super::{PORTS, Spot, SurfaceBlock};
use crate::simd::Words;

/// Points of all ports of one kind.
const POINTS: usize = 4 * PORTS;

/// A point whose v̄ is copied in each step.
#[derive(Clone, Copy, Default)]
struct ProbePoint {
    /// Its row in its band.
    row: usize,
    /// Index of its ũ in that row, and its index in rows stored aside.
    at: [usize; 2],
    /// Index of its ũ in the scratch buffer.
    number: usize,
    /// ũ, v and force-free v̄ in this step.
    copied: [f64; 3],
}

/// All probe points, by row.
pub(super) struct ProbePoints {
    probes: [ProbePoint; 2 * POINTS],
    count: usize,
    /// Number of points copied in this step.
    copied: usize,
}

impl ProbePoints {
    /// Adds a point.
    fn add(&mut self, numbers: Numbers, point: usize) {
        let (row, at) = numbers.locate(point);
        let index = self.probes[..self.count].partition_point(|probe| (probe.row, probe.at) < (row, at));
        if self.probes[..self.count].get(index).is_none_or(|probe| (probe.row, probe.at) != (row, at)) {
            self.probes.copy_within(index..self.count, index + 1);
            self.probes[index] = ProbePoint { row, at, number: numbers.number_of(point), copied: [0.0; 3] };
            self.count += 1;
        }
    }

    /// The index of an added point.
    fn find(&self, numbers: Numbers, point: usize) -> usize {
        let location = numbers.locate(point);
        self.probes[..self.count].partition_point(|probe| (probe.row, probe.at) < location)
    }

    /// Copies the points of a row whose force terms are complete: rows come in ascending order.
    #[inline(always)]
    pub fn copy<W: Words>(&mut self, number: usize, row: VectorRow<W>, changes: VectorRow<W>) {
        for probe in &mut self.probes[self.copied..self.count] {
            if probe.row != number {
                return;
            }
            let [at, aside] = probe.at;
            let (u, v) = (row.number(at), row.number(at + W::WIDTH));
            probe.copied = [u, v, v + changes.number(aside)];
            self.copied += 1;
        }
    }
}

/// The force of a port on a point.
#[derive(Clone, Copy, Default)]
struct PointForce {
    point: usize,
    port: usize,
    /// v̄ per force.
    mobility: f64,
}

/// The points of all ports.
pub(super) struct Ports<'a> {
    numbers: Numbers<'a>,
    /// The time step, s.
    k: f64,
    pub probes: ProbePoints,
    /// Indices of the probe points of each free-velocity port.
    free_ports: [[usize; 4]; PORTS],
    /// Scratch indices of the points of each velocity port, and of each displacement port.
    velocity_ports: [[usize; 4]; PORTS],
    displacement_ports: [[usize; 4]; PORTS],
    /// By port.
    forces_on_points: [PointForce; POINTS],
    count: usize,
}

impl<'a> Ports<'a> {
    pub fn new(numbers: Numbers<'a>, k: f64, io: &SurfaceBlock) -> Self {
        let SurfaceBlock { pushed, free_ports, velocity_ports, displacement_ports, mobility, .. } = *io;
        assert!(
            [pushed, free_ports, velocity_ports, displacement_ports].iter().all(|spots| spots.len() <= PORTS),
            "at most {PORTS} ports of a kind per call"
        );
        let mut probes = ProbePoints { probes: [ProbePoint::default(); 2 * POINTS], count: 0, copied: 0 };
        for (_, _, at, _) in points(pushed).chain(points(free_ports)) {
            probes.add(numbers, at);
        }
        let [mut free_at, mut velocity_at, mut displacement_at] = [[[0; 4]; PORTS]; 3];
        for (port, corner, at, _) in points(free_ports) {
            free_at[port][corner] = probes.find(numbers, at);
        }
        for (indices, spots) in [(&mut velocity_at, velocity_ports), (&mut displacement_at, displacement_ports)] {
            for (port, corner, at, _) in points(spots) {
                indices[port][corner] = numbers.number_of(at);
            }
        }
        let (mut forces_on_points, mut count) = ([PointForce::default(); POINTS], 0);
        for (apply_forces, (port, _, at, share)) in forces_on_points.iter_mut().zip(points(pushed)) {
            *apply_forces = PointForce { point: probes.find(numbers, at), port, mobility: mobility * share };
            count += 1;
        }
        Self {
            numbers,
            k,
            probes,
            free_ports: free_at,
            velocity_ports: velocity_at,
            displacement_ports: displacement_at,
            forces_on_points,
            count,
        }
    }

    /// Writes the free mean velocities, as copied.
    pub fn write_free(&self, spots: &[Spot], out: &mut [f64]) {
        for ((out, spot), probes) in out.iter_mut().zip(spots).zip(&self.free_ports) {
            *out = spot.read(|corner| self.probes.probes[probes[corner]].copied[2]);
        }
    }

    /// Advances the driven points, after all others, and resets the copies.
    pub fn apply_forces(&mut self, forces: &[f64]) {
        self.probes.copied = 0;
        for &PointForce { point, port, mobility } in &self.forces_on_points[..self.count] {
            let ProbePoint { number, copied: [u, v, mean], .. } = &mut self.probes.probes[point];
            *mean += mobility * forces[port];
            let moved = 2.0 * *mean - *v;
            self.numbers.put(*number, [*u + self.k * moved, moved]);
        }
    }

    /// Writes the velocities.
    pub fn write_velocities(&self, spots: &[Spot], out: &mut [f64]) {
        for ((out, spot), indices) in out.iter_mut().zip(spots).zip(&self.velocity_ports) {
            *out = spot.read(|corner| self.numbers.v(indices[corner]));
        }
    }

    /// Writes the displacements, `earlier` seconds before ũ.
    pub fn write_displacements(&self, spots: &[Spot], earlier: Option<f64>, out: &mut [f64]) {
        for ((out, spot), indices) in out.iter_mut().zip(spots).zip(&self.displacement_ports) {
            let ahead = spot.read(|corner| self.numbers.u(indices[corner]));
            *out = earlier.map_or(ahead, |time| ahead - time * spot.read(|corner| self.numbers.v(indices[corner])));
        }
    }
}

/// The corners of spots with non-zero weight: index of the spot, index of the corner, point and weight.
fn points(spots: &[Spot]) -> impl Iterator<Item = (usize, usize, usize, f64)> {
    let corners = spots.iter().enumerate().flat_map(|(port, spot)| (0..4).map(move |corner| (port, corner, spot)));
    corners.map(|(port, corner, spot)| (port, corner, spot.at[corner], spot.share[corner])).filter(|x| x.3 != 0.0)
}
