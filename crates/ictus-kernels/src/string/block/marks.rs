//! At which rows of a string in lanes something happens.

#![allow(unsafe_code)]

use super::{PORTS, STEPS};
use std::mem::MaybeUninit;

/// Most points that are watched.
pub(super) const WATCHED: usize = 2 * PORTS;
/// Most pushes: both points of all ports, each of them perhaps in two lanes.
const PUSHES: usize = 2 * 2 * PORTS;

/// A row at which something happens.
#[derive(Clone, Copy, Default)]
pub(super) struct Mark {
    pub row: usize,
    /// Where v + v⁺ is put aside, if one of its points is watched.
    pub aside: Option<usize>,
    /// How many pushes there are before it and with it.
    pushes: [usize; 2],
}

/// What a port does to a point.
#[derive(Clone, Copy, Default)]
pub(super) struct Push {
    row: usize,
    pub lane: usize,
    port: usize,
    /// v⁺ per force.
    mobility: f64,
}

/// Rows in order, pushes row by row and then in the order of their ports.
pub(super) struct Marks {
    marks: [Mark; WATCHED + PUSHES],
    count: usize,
    watched: usize,
    pushes: [Push; PUSHES],
    pushed: usize,
}

impl Marks {
    #[inline(always)]
    pub fn new() -> Self {
        let (marks, pushes) = ([Mark::default(); WATCHED + PUSHES], [Push::default(); PUSHES]);
        Self { marks, count: 0, watched: 0, pushes, pushed: 0 }
    }

    /// Those before the row `late`, and those from there on.
    pub fn parts(&self, late: usize) -> [&[Mark]; 2] {
        let marks = &self.marks[..self.count];
        let (early, late) = marks.split_at(marks.partition_point(|mark| mark.row < late));
        [early, late]
    }

    /// Pushes of a row with their numbers.
    #[inline(always)]
    pub fn pushes(&self, mark: &Mark) -> impl Iterator<Item = (usize, &Push)> {
        let [first, end] = mark.pushes;
        debug_assert!(first <= end && end <= self.pushed);
        // SAFETY: marks count pushes that are there.
        (first..end).zip(unsafe { self.pushes.get_unchecked(first..end) })
    }

    /// Finds what the forces at `ports` places do, step after step.
    #[inline(always)]
    pub fn press(&self, pushes: &mut Pushes, forces: &[f64], ports: usize, steps: usize) {
        for (row, push) in pushes.0.iter_mut().zip(&self.pushes[..self.pushed]) {
            let row = row[..steps].iter_mut();
            // those of a lone port are worked out some at a time
            if ports == 1 {
                row.zip(forces).for_each(|(out, force)| *out = MaybeUninit::new(push.mobility * force));
            } else {
                let forces = forces[push.port..].iter().step_by(ports);
                row.zip(forces).for_each(|(out, force)| *out = MaybeUninit::new(push.mobility * force));
            }
        }
    }

    /// The mark of a row.
    fn at(&mut self, row: usize) -> &mut Mark {
        let place = self.marks[..self.count].partition_point(|mark| mark.row < row);
        if place == self.count || self.marks[place].row != row {
            self.marks.copy_within(place..self.count, place + 1);
            let before = self.pushes[..self.pushed].partition_point(|push| push.row < row);
            self.marks[place] = Mark { row, aside: None, pushes: [before; 2] };
            self.count += 1;
        }
        &mut self.marks[place]
    }

    /// Where v + v⁺ of a row is put aside, counted from 0.
    pub fn watch(&mut self, row: usize) -> usize {
        let next = self.watched;
        let mark = self.at(row);
        if let Some(which) = mark.aside {
            return which;
        }
        mark.aside = Some(next);
        self.watched = next + 1;
        next
    }

    /// Lets a port push a point, behind all that pushed its row before.
    pub fn push(&mut self, row: usize, lane: usize, port: usize, mobility: f64) {
        let place = self.at(row).pushes[1];
        self.pushes.copy_within(place..self.pushed, place + 1);
        self.pushes[place] = Push { row, lane, port, mobility };
        self.pushed += 1;
        for mark in &mut self.marks[..self.count] {
            let [before, with] = &mut mark.pushes;
            *before += usize::from(mark.row > row);
            *with += usize::from(mark.row >= row);
        }
    }
}

/// v⁺ that every push adds in every step.
pub(super) struct Pushes([[MaybeUninit<f64>; STEPS]; PUSHES]);

impl Pushes {
    #[inline(always)]
    pub fn new() -> Self {
        Self([const { [const { MaybeUninit::uninit() }; STEPS] }; PUSHES])
    }

    /// What the push of that number adds in a step.
    ///
    /// # Safety
    /// It has been [pressed](Marks::press) in this step.
    #[inline(always)]
    pub unsafe fn at(&self, number: usize, step: usize) -> f64 {
        debug_assert!(number < PUSHES && step < STEPS);
        // SAFETY: the caller says so.
        unsafe { self.0.get_unchecked(number).get_unchecked(step).assume_init() }
    }
}
