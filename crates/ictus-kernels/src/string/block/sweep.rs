//! A step of a string in lanes: one sweep over its rows.

#![allow(unsafe_code)]

use super::Spot;
use super::marks::{Mark, Marks, Pushes};
use super::strip::{Strip, TAIL};
use crate::lanes::LANES;
use crate::simd::Words;
use crate::string::Moves;
use crate::string::step::FIRST_LANES;

/// Rows of one round of the loop: so many take the places of each other in the window.
const UNROLLED: usize = 3;

/// The last rows, all but the first of which are in the [`TAIL`].
pub(super) const LATE: usize = TAIL + 1;

/// How far is seen from a row.
#[derive(Clone, Copy)]
enum Sight {
    /// y of the row after next is worked out, and a part of the one behind it.
    Clear,
    /// Of the one behind it y is known.
    Last,
    /// Of both.
    Known,
}

impl Sight {
    /// From one of the [`LATE`] rows.
    #[inline(always)]
    fn of_late(number: usize) -> Self {
        if number == 0 { Self::Last } else { Self::Known }
    }
}

/// What stays from row to row and from step to step.
pub(super) struct Factors<W: Words> {
    /// As in [`Moves`].
    kept: W::V,
    pull: W::V,
    own: W::V,
    ease: W::V,
    /// Negative where a piece shares its last point with the next.
    giving: W::V,
    /// Negative where it shares its first one with the piece before; the first lane does not matter.
    taking: W::V,
    /// Negative in the first lane, and in the last.
    ends: [W::V; 2],
}

/// The eight from `LANES - 1 - n` are negative in lane n.
static ONE_LANE: [f64; 2 * LANES - 1] = {
    let mut signs = [1.0; 2 * LANES - 1];
    signs[LANES - 1] = -1.0;
    signs
};

/// A vector of `signs`, from `from` on.
#[inline(always)]
fn signs<W: Words>(words: W, signs: &[f64], from: usize) -> W::V {
    assert!(from + W::WIDTH <= signs.len());
    // SAFETY: there are as many numbers as lanes from this one on.
    words.load(unsafe { &*signs.as_ptr().add(from).cast() })
}

/// Old values around a row: y of the row before, of itself and of the one behind; ũ of the two rows behind it. A part of y is worked out a row ahead of the rest:
/// the less an operation waits for the one before it, the more rows are under way.
pub(super) struct Window<W: Words> {
    y: [W::V; 3],
    u: [W::V; 2],
    /// What y of the second of these takes from ũ and v there.
    here: W::V,
}

/// ũ of the last three rows and v of the last two, the last one first. The next step begins with them, at once and from registers: read from where they have just been
/// written, they would be there some ten cycles later, with all that waits for them.
pub(super) struct Ends<W: Words> {
    u: [W::V; 3],
    v: [W::V; 2],
}

impl<W: Words, const STIFF: bool> Strip<'_, W, STIFF> {
    #[inline(always)]
    pub fn ends(self) -> Ends<W> {
        let last = Self::row(self.rows - 1);
        let u = [0, 1, 2].map(|i| self.load(last - i * Self::ROW));
        let v = [0, 1].map(|i| self.load(last - i * Self::ROW + W::WIDTH));
        Ends { u, v }
    }

    #[inline(always)]
    pub fn factors(self, moves: Moves) -> Factors<W> {
        let Moves { kept, pull, own, ease } = moves;
        let [kept, pull, own, ease] = [kept, pull, own.unwrap_or(1.0), ease].map(|x| self.words.splat(x));
        let [giving, taking] = [0, 1].map(|more| signs(self.words, &FIRST_LANES, LANES - self.shared - more));
        let ends = [0, W::WIDTH - 1].map(|lane| self.only(lane));
        Factors { kept, pull, own, ease, giving, taking, ends }
    }

    /// Negative in a lane.
    #[inline(always)]
    fn only(self, lane: usize) -> W::V {
        debug_assert!(lane < W::WIDTH);
        // SAFETY: lanes are no more than `LANES`, so there are as many numbers as lanes from this one on.
        self.words.load(unsafe { &*ONE_LANE.as_ptr().add(LANES - 1 - lane).cast() })
    }

    /// Marks the rows that are pushed.
    #[inline(always)]
    pub fn push(&self, marks: &mut Marks, spots: &[Spot], mobility: f64) {
        for (port, spot) in spots.iter().enumerate() {
            for (node, share) in spot.at.into_iter().zip(spot.share).filter(|(_, share)| *share != 0.0) {
                for (row, lane) in self.places(node) {
                    marks.push(row, lane, port, mobility * share);
                }
            }
        }
    }

    /// What y of a row takes from ũ and v there.
    #[inline(always)]
    fn here(self, by: &Factors<W>, u: W::V, v: W::V) -> W::V {
        let words = self.words;
        // the order of operations is that of a step
        let eased = words.mul(by.ease, v);
        if STIFF { words.add(words.mul(by.own, u), eased) } else { words.add(u, eased) }
    }

    /// y of a row, from that and from ũ on both sides, of which only bending asks.
    #[inline(always)]
    fn beside(self, [left, right]: [W::V; 2], here: W::V) -> W::V {
        if STIFF { self.words.sub(here, self.words.add(left, right)) } else { here }
    }

    /// y of a row, from ũ and v there and ũ on both sides.
    #[inline(always)]
    fn shown(self, by: &Factors<W>, [left, u, right]: [W::V; 3], v: W::V) -> W::V {
        self.beside([left, right], self.here(by, u, v))
    }

    /// The window of the first row. Writes y of the last ones.
    #[inline(always)]
    pub fn open(self, by: &Factors<W>, ends: &Ends<W>) -> Window<W> {
        let words = self.words;
        let [u0, u1, u2] = [0, 1, 2].map(|i| self.load(Self::row(i)));
        let [v0, v1, v2] = [0, 1, 2].map(|i| self.load(Self::row(i) + W::WIDTH));
        let Ends { u: [end, end1, end2], v: [ve, ve1] } = *ends;
        // zeros in front of the rows, of which the compiler knows nothing: it would take two operations for vectors that are zero in a lane
        let nothing = self.load(0);
        // where a point is shared, the next piece goes on one row further
        let before = |end, end1| words.up(nothing, words.choose(by.giving, end1, end));
        let behind = |first, second| words.down(words.choose(by.taking, second, first), nothing);
        let [left, right] = if STIFF { [before(end, end1), behind(u0, u1)] } else { [nothing; 2] };
        let [y0, y1] = [self.shown(by, [left, u0, u1], v0), self.shown(by, [u0, u1, u2], v1)];
        let [ye1, ye] = [self.shown(by, [end2, end1, end], ve1), self.shown(by, [end1, end, right], ve)];
        let [mut first, mut beyond] = [before(ye, ye1), behind(y0, y1)];
        if STIFF && self.mirror != -1.0 {
            // ends that do not turn show twice their neighbour; those that do, nothing
            let [head, tail] = by.ends;
            let of = |u| words.sub(nothing, words.add(words.mul(words.splat(self.mirror), u), u));
            first = words.choose(head, of(u0), first);
            beyond = words.choose(tail, of(end), beyond);
        }
        for (i, y) in [ye1, ye, beyond].into_iter().enumerate() {
            self.store(Self::row(self.rows + i), y);
        }
        Window { y: [first, y0, y1], u: [u1, u2], here: self.here(by, u2, v2) }
    }

    /// y of the row before the one at `at`, of itself and of the one behind; the window moves on.
    #[inline(always)]
    fn around(self, by: &Factors<W>, window: &mut Window<W>, at: usize, sight: Sight) -> [W::V; 3] {
        let ([y1, y2, y3], [u3, u4]) = (window.y, window.u);
        let far = at + 3 * Self::ROW;
        let y4 = match sight {
            Sight::Known => self.load(at + TAIL * Self::ROW),
            Sight::Clear | Sight::Last => self.beside([u3, self.load(far)], window.here),
        };
        window.y = [y2, y3, y4];
        if let Sight::Clear = sight {
            let [u5, v5] = [far, far + W::WIDTH].map(|at| self.load(at));
            (window.u, window.here) = ([u4, u5], self.here(by, u5, v5));
        }
        [y1, y2, y3]
    }

    /// δ²y.
    #[inline(always)]
    fn bent(self, [y1, y2, y3]: [W::V; 3]) -> W::V {
        self.words.less_twice(self.words.add(y1, y3), y2)
    }

    /// ũ, v and v⁺ of the row at `at`, if none of its points is pushed; the window moves on.
    #[inline(always)]
    fn ahead(self, by: &Factors<W>, window: &mut Window<W>, at: usize, sight: Sight) -> [W::V; 3] {
        let words = self.words;
        let y = self.around(by, window, at, sight);
        let [u, v] = [at, at + W::WIDTH].map(|at| self.load(at));
        let change = words.mul(by.pull, self.bent(y));
        [u, v, words.add(words.mul(by.kept, v), change)]
    }

    /// Moves the rows from `at` to `end`, none of which is late and none of whose points is pushed or watched.
    ///
    /// They move one row behind their δ²y: the less an operation waits for the one before it, the more rows are under way.
    #[inline(always)]
    fn slide(self, by: &Factors<W>, window: &mut Window<W>, mut at: usize, end: usize) {
        if at >= end {
            return;
        }
        let mut bent = self.bent(self.around(by, window, at, Sight::Clear));
        at += Self::ROW;
        while at + UNROLLED * Self::ROW <= end {
            for row in 0..UNROLLED {
                bent = self.follow(by, window, at + row * Self::ROW, bent);
            }
            at += UNROLLED * Self::ROW;
        }
        while at < end {
            bent = self.follow(by, window, at, bent);
            at += Self::ROW;
        }
        self.glide(by, at - Self::ROW, bent);
    }

    /// Moves the row before the one at `at`, from its δ²y; that of the one at `at`.
    #[inline(always)]
    fn follow(self, by: &Factors<W>, window: &mut Window<W>, at: usize, bent: W::V) -> W::V {
        let next = self.bent(self.around(by, window, at, Sight::Clear));
        self.glide(by, at - Self::ROW, bent);
        next
    }

    /// Moves a row from its δ²y.
    #[inline(always)]
    fn glide(self, by: &Factors<W>, at: usize, bent: W::V) {
        let words = self.words;
        let [u, v] = [at, at + W::WIDTH].map(|at| self.load(at));
        self.put(at, u, words.add(words.mul(by.kept, v), words.mul(by.pull, bent)));
    }

    /// Moves a row from ũ and with v; its new ũ.
    #[inline(always)]
    fn put(self, at: usize, u: W::V, v: W::V) -> W::V {
        let u = self.words.add(u, v);
        self.store(at, u);
        self.store(at + W::WIDTH, v);
        u
    }

    /// v⁺ of a marked row, from v and v⁺ without pushes.
    #[inline(always)]
    fn pushed(self, mark: &Mark, v: W::V, mut ahead: W::V, (marks, pushes, step): (&Marks, &Pushes, usize)) -> W::V {
        let words = self.words;
        if let Some(which) = mark.aside {
            self.store(self.aside(which), words.add(v, ahead));
        }
        for (number, push) in marks.pushes(mark) {
            let mask = self.only(push.lane);
            // SAFETY: all pushes have been pressed in all steps.
            let change = words.splat(unsafe { pushes.at(number, step) });
            ahead = words.choose(mask, words.add(ahead, change), ahead);
        }
        ahead
    }

    /// Takes a step, from its first window to that of the next one. The marks are those before the late rows and those of them.
    #[inline(always)]
    pub fn advance(
        self,
        by: &Factors<W>,
        window: &mut Window<W>,
        marks: (&Marks, &Pushes, usize),
        [early, mut late]: [&[Mark]; 2],
    ) {
        let mut at = Self::START;
        for mark in early {
            let marked = Self::row(mark.row);
            self.slide(by, window, at, marked);
            let [u, v, ahead] = self.ahead(by, window, marked, Sight::Clear);
            let ahead = self.pushed(mark, v, ahead, marks);
            self.put(marked, u, ahead);
            at = marked + Self::ROW;
        }
        let first = self.rows - LATE;
        self.slide(by, window, at, Self::row(first));
        if late.is_empty() {
            // whatever is there until all have been moved
            let mut ends = Ends { u: [window.u[0]; 3], v: [window.u[0]; 2] };
            for i in 0..LATE {
                let at = Self::row(first + i);
                let [u, _, v] = self.ahead(by, window, at, Sight::of_late(i));
                let u = self.put(at, u, v);
                ends = Ends { u: [u, ends.u[0], ends.u[1]], v: [v, ends.v[0]] };
            }
            *window = self.open(by, &ends);
            return;
        }
        for row in first..self.rows {
            let at = Self::row(row);
            let [u, v, mut ahead] = self.ahead(by, window, at, Sight::of_late(row - first));
            if let [mark, others @ ..] = late
                && mark.row == row
            {
                ahead = self.pushed(mark, v, ahead, marks);
                late = others;
            }
            self.put(at, u, ahead);
        }
        *window = self.open(by, &self.ends());
    }
}
