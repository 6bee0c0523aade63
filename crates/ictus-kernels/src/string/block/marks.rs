//! At which rows of a string in lanes something happens.

use super::PORTS;

/// Most points that are watched.
pub(super) const WATCHED: usize = 2 * PORTS;
/// Most pushes: both points of all ports, each of them perhaps in two lanes.
const PUSHES: usize = 2 * 2 * PORTS;

/// A row at which something happens.
#[derive(Clone, Copy, Default)]
pub(super) struct Mark {
    pub row: usize,
    /// Where v + v⁺ is put aside, if one of its points is watched; otherwise 0.
    pub aside: usize,
    /// How many pushes there are before it and with it.
    pushes: [usize; 2],
}

/// What a port does to a point.
#[derive(Clone, Copy, Default)]
pub(super) struct Push {
    row: usize,
    pub lane: usize,
    pub port: usize,
    /// v⁺ per force.
    pub mobility: f64,
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

    #[inline(always)]
    pub fn iter(&self) -> impl Iterator<Item = &Mark> {
        self.marks[..self.count].iter()
    }

    #[inline(always)]
    pub fn pushes(&self, mark: &Mark) -> &[Push] {
        &self.pushes[mark.pushes[0]..mark.pushes[1]]
    }

    /// The mark of a row.
    fn at(&mut self, row: usize) -> &mut Mark {
        let place = self.marks[..self.count].partition_point(|mark| mark.row < row);
        if place == self.count || self.marks[place].row != row {
            self.marks.copy_within(place..self.count, place + 1);
            let before = self.pushes[..self.pushed].partition_point(|push| push.row < row);
            self.marks[place] = Mark { row, aside: 0, pushes: [before; 2] };
            self.count += 1;
        }
        &mut self.marks[place]
    }

    /// Where v + v⁺ of a row is put aside, counted from 1.
    pub fn watch(&mut self, row: usize) -> usize {
        let next = self.watched + 1;
        let mark = self.at(row);
        if mark.aside != 0 {
            return mark.aside;
        }
        mark.aside = next;
        self.watched = next;
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
