//! Ports of a surface in lanes: where they are pushed, and what is seen of them.
//!
//! v̄ of a point is known when its row has been felt, and before it moves: then it is noted. Where it is pushed, it goes on from there by itself when all others have moved.

use super::sheet::{Numbers, Row};
use super::{Looks, PORTS, Spot};
use crate::simd::Words;

/// Points of all ports of a kind.
const POINTS: usize = 4 * PORTS;

/// A point of which v̄ is asked for.
#[derive(Clone, Copy, Default)]
struct Mark {
    /// In which row of its band it lies.
    row: usize,
    /// Where ũ of it lies in that row, and where its number lies in rows that are put aside.
    at: [usize; 2],
    /// Where it lies in the room.
    number: usize,
    /// ũ, v and v̄ in this step, without pushes.
    noted: [f64; 3],
}

/// All such points, row by row.
pub(super) struct Marks {
    marks: [Mark; 2 * POINTS],
    count: usize,
    /// How many of them have been noted in this step.
    noted: usize,
}

impl Marks {
    /// Adds a point.
    fn add(&mut self, numbers: Numbers, point: usize) {
        let (row, at) = numbers.place(point);
        let place = self.marks[..self.count].partition_point(|mark| (mark.row, mark.at) < (row, at));
        if self.marks[..self.count].get(place).is_none_or(|mark| (mark.row, mark.at) != (row, at)) {
            self.marks.copy_within(place..self.count, place + 1);
            self.marks[place] = Mark { row, at, number: numbers.number_of(point), noted: [0.0; 3] };
            self.count += 1;
        }
    }

    /// The number of a point that has been added.
    fn find(&self, numbers: Numbers, point: usize) -> usize {
        let place = numbers.place(point);
        self.marks[..self.count].partition_point(|mark| (mark.row, mark.at) < place)
    }

    /// Notes the points of a row that has been felt: rows come one after the other.
    #[inline(always)]
    pub fn note<W: Words>(&mut self, number: usize, row: Row<W>, changes: Row<W>) {
        for mark in &mut self.marks[self.noted..self.count] {
            if mark.row != number {
                return;
            }
            let [at, aside] = mark.at;
            let (u, v) = (row.number(at), row.number(at + W::WIDTH));
            mark.noted = [u, v, v + changes.number(aside)];
            self.noted += 1;
        }
    }
}

/// What a port does to a point.
#[derive(Clone, Copy, Default)]
struct Push {
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
    pub marks: Marks,
    /// Which marks the watched points are.
    watched: [[usize; 4]; PORTS],
    /// Where points lie that are heard, and those that are placed.
    heard: [[usize; 4]; PORTS],
    placed: [[usize; 4]; PORTS],
    /// In the order of the ports.
    pushes: [Push; POINTS],
    count: usize,
}

impl<'a> Ports<'a> {
    pub fn new(numbers: Numbers<'a>, k: f64, looks: &Looks) -> Self {
        let Looks { pushed, watched, heard, placed, mobility, .. } = *looks;
        assert!([pushed, watched, heard, placed].iter().all(|spots| spots.len() <= PORTS), "more than a call takes");
        let mut marks = Marks { marks: [Mark::default(); 2 * POINTS], count: 0, noted: 0 };
        for (_, _, at, _) in points(pushed).chain(points(watched)) {
            marks.add(numbers, at);
        }
        let [mut seen, mut heard_at, mut placed_at] = [[[0; 4]; PORTS]; 3];
        for (port, corner, at, _) in points(watched) {
            seen[port][corner] = marks.find(numbers, at);
        }
        for (places, spots) in [(&mut heard_at, heard), (&mut placed_at, placed)] {
            for (port, corner, at, _) in points(spots) {
                places[port][corner] = numbers.number_of(at);
            }
        }
        let (mut pushes, mut count) = ([Push::default(); POINTS], 0);
        for (push, (port, _, at, share)) in pushes.iter_mut().zip(points(pushed)) {
            *push = Push { point: marks.find(numbers, at), port, mobility: mobility * share };
            count += 1;
        }
        Self { numbers, k, marks, watched: seen, heard: heard_at, placed: placed_at, pushes, count }
    }

    /// Tells v̄ of watched ports as it was noted.
    pub fn watch(&self, spots: &[Spot], out: &mut [f64]) {
        for ((out, spot), marks) in out.iter_mut().zip(spots).zip(&self.watched) {
            *out = spot.read(|corner| self.marks.marks[marks[corner]].noted[2]);
        }
    }

    /// Moves the points that are pushed, when all others have moved, and forgets what was noted.
    pub fn push(&mut self, forces: &[f64]) {
        self.marks.noted = 0;
        for &Push { point, port, mobility } in &self.pushes[..self.count] {
            let Mark { number, noted: [u, v, mean], .. } = &mut self.marks.marks[point];
            *mean += mobility * forces[port];
            let moved = 2.0 * *mean - *v;
            self.numbers.put(*number, [*u + self.k * moved, moved]);
        }
    }

    /// Tells v of heard ports.
    pub fn hear(&self, spots: &[Spot], out: &mut [f64]) {
        for ((out, spot), places) in out.iter_mut().zip(spots).zip(&self.heard) {
            *out = spot.read(|corner| self.numbers.v(places[corner]));
        }
    }

    /// Tells where placed ports are, or were so much earlier.
    pub fn place(&self, spots: &[Spot], earlier: Option<f64>, out: &mut [f64]) {
        for ((out, spot), places) in out.iter_mut().zip(spots).zip(&self.placed) {
            let ahead = spot.read(|corner| self.numbers.u(places[corner]));
            *out = earlier.map_or(ahead, |time| ahead - time * spot.read(|corner| self.numbers.v(places[corner])));
        }
    }
}

/// The corners of spots that count: with the number of the spot, their own, where they lie and their share.
fn points(spots: &[Spot]) -> impl Iterator<Item = (usize, usize, usize, f64)> {
    let corners = spots.iter().enumerate().flat_map(|(port, spot)| (0..4).map(move |corner| (port, corner, spot)));
    corners.map(|(port, corner, spot)| (port, corner, spot.at[corner], spot.share[corner])).filter(|x| x.3 != 0.0)
}
