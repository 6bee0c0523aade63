//! One step of a string in lane layout: one pass over its rows.

#![allow(unsafe_code)]

use super::Spot;
use super::lane_layout::{LaneLayout, TAIL};
use super::port_rows::{PointForces, PortRow, PortRows};
use crate::lanes::LANES;
use crate::simd::Words;
use crate::string::Moves;
use crate::string::step::FIRST_LANES;

/// Unroll factor of the loop over rows: the period with which registers rotate through the window.
const UNROLLED: usize = 3;

/// The last rows, of which all but the first are in the [`TAIL`].
pub(super) const LATE: usize = TAIL + 1;

/// Which y ahead of a row are already computed.
#[derive(Clone, Copy)]
enum Ahead {
    /// None: y of the row after next is computed, and a part of y of the row after that.
    None,
    /// y of the row after that is stored.
    Last,
    /// Both are stored.
    Both,
}

impl Ahead {
    /// For one of the [`LATE`] rows.
    #[inline(always)]
    fn of_late(number: usize) -> Self {
        if number == 0 { Self::Last } else { Self::Both }
    }
}

/// Constants of all rows and steps.
pub(super) struct Factors<W: Words> {
    /// As in [`Moves`].
    kept: W::V,
    pull: W::V,
    own: W::V,
    ease: W::V,
    /// Negative in lanes whose segment shares its last point with the next.
    giving: W::V,
    /// Negative in lanes whose segment shares its first point with the previous one; the first lane is unused.
    taking: W::V,
    /// Negative in the first lane, and in the last.
    ends: [W::V; 2],
}

/// Lane masks: the eight numbers from `LANES - 1 - n` on are negative in lane n.
static ONE_LANE: [f64; 2 * LANES - 1] = {
    let mut signs = [1.0; 2 * LANES - 1];
    signs[LANES - 1] = -1.0;
    signs
};

/// Loads a vector of `signs` from `from` on.
#[inline(always)]
fn signs<W: Words>(words: W, signs: &[f64], from: usize) -> W::V {
    assert!(from + W::WIDTH <= signs.len());
    // SAFETY: from + WIDTH <= signs.len(), asserted above
    words.load(unsafe { &*signs.as_ptr().add(from).cast() })
}

/// Old values around a row: y of the previous row, of the row and of the next; ũ of the two rows after it. A part of y is computed one row ahead of the rest:
/// shorter dependency chains keep more rows in flight.
pub(super) struct Window<W: Words> {
    y: [W::V; 3],
    u: [W::V; 2],
    /// The share of ũ and v of its own row in y of the second of these.
    here: W::V,
}

/// ũ of the last three rows and v of the last two, last row first. The next step starts from these registers: reloaded from memory just after the store, they would delay
/// it by some ten cycles.
pub(super) struct Ends<W: Words> {
    u: [W::V; 3],
    v: [W::V; 2],
}

impl<W: Words, const STIFF: bool> LaneLayout<'_, W, STIFF> {
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
        let ends = [0, W::WIDTH - 1].map(|lane| self.lane_mask(lane));
        Factors { kept, pull, own, ease, giving, taking, ends }
    }

    /// Mask that is negative in one lane.
    #[inline(always)]
    fn lane_mask(self, lane: usize) -> W::V {
        debug_assert!(lane < W::WIDTH);
        // SAFETY: lane < WIDTH <= LANES, asserted in debug builds, so LANES - 1 - lane + WIDTH <= 2·LANES - 1, the length of ONE_LANE
        self.words.load(unsafe { &*ONE_LANE.as_ptr().add(LANES - 1 - lane).cast() })
    }

    /// Adds the forces of all ports to the rows of their points.
    #[inline(always)]
    pub fn add_forces(&self, port_rows: &mut PortRows, spots: &[Spot], mobility: f64) {
        for (port, spot) in spots.iter().enumerate() {
            for (node, share) in spot.at.into_iter().zip(spot.share).filter(|(_, share)| *share != 0.0) {
                for (row, lane) in self.positions(node) {
                    port_rows.add_force(row, lane, port, mobility * share);
                }
            }
        }
    }

    /// The share of ũ and v of a row in its y.
    #[inline(always)]
    fn here(self, factors: &Factors<W>, u: W::V, v: W::V) -> W::V {
        let words = self.words;
        // the order of operations is that of `string::step`
        let eased = words.mul(factors.ease, v);
        if STIFF { words.add(words.mul(factors.own, u), eased) } else { words.add(u, eased) }
    }

    /// y of a row, from that share and from ũ on both sides, which only bending needs.
    #[inline(always)]
    fn beside(self, [left, right]: [W::V; 2], here: W::V) -> W::V {
        if STIFF { self.words.sub(here, self.words.add(left, right)) } else { here }
    }

    /// y of a row, from ũ and v of the row and ũ on both sides.
    #[inline(always)]
    fn shown(self, factors: &Factors<W>, [left, u, right]: [W::V; 3], v: W::V) -> W::V {
        self.beside([left, right], self.here(factors, u, v))
    }

    /// The window of the first row. Stores y of the last rows.
    #[inline(always)]
    pub fn open(self, factors: &Factors<W>, ends: &Ends<W>) -> Window<W> {
        let words = self.words;
        let [u0, u1, u2] = [0, 1, 2].map(|i| self.load(Self::row(i)));
        let [v0, v1, v2] = [0, 1, 2].map(|i| self.load(Self::row(i) + W::WIDTH));
        let Ends { u: [end, end1, end2], v: [ve, ve1] } = *ends;
        // zeros loaded from memory, opaque to the compiler, which would need two operations for a shift with a known zero
        let zero = self.load(0);
        // across a shared point, the neighbouring segment is offset by one row
        let before = |end, end1| words.up(zero, words.choose(factors.giving, end1, end));
        let behind = |first, second| words.down(words.choose(factors.taking, second, first), zero);
        let [left, right] = if STIFF { [before(end, end1), behind(u0, u1)] } else { [zero; 2] };
        let [y0, y1] = [self.shown(factors, [left, u0, u1], v0), self.shown(factors, [u0, u1, u2], v1)];
        let [ye1, ye] = [self.shown(factors, [end2, end1, end], ve1), self.shown(factors, [end1, end, right], ve)];
        let [mut first, mut beyond] = [before(ye, ye1), behind(y0, y1)];
        if STIFF && self.mirror != -1.0 {
            // y of a clamped end is twice its neighbour's, of a supported end zero
            let [head, tail] = factors.ends;
            let of = |u| words.sub(zero, words.add(words.mul(words.splat(self.mirror), u), u));
            first = words.choose(head, of(u0), first);
            beyond = words.choose(tail, of(end), beyond);
        }
        for (i, y) in [ye1, ye, beyond].into_iter().enumerate() {
            self.store(Self::row(self.rows + i), y);
        }
        Window { y: [first, y0, y1], u: [u1, u2], here: self.here(factors, u2, v2) }
    }

    /// y of the row before `at`, of `at` and of the next; the window moves on.
    #[inline(always)]
    fn around(self, factors: &Factors<W>, window: &mut Window<W>, at: usize, ahead_state: Ahead) -> [W::V; 3] {
        let ([y1, y2, y3], [u3, u4]) = (window.y, window.u);
        let far = at + 3 * Self::ROW;
        let y4 = match ahead_state {
            Ahead::Both => self.load(at + TAIL * Self::ROW),
            Ahead::None | Ahead::Last => self.beside([u3, self.load(far)], window.here),
        };
        window.y = [y2, y3, y4];
        if let Ahead::None = ahead_state {
            let [u5, v5] = [far, far + W::WIDTH].map(|at| self.load(at));
            (window.u, window.here) = ([u4, u5], self.here(factors, u5, v5));
        }
        [y1, y2, y3]
    }

    /// δ²y.
    #[inline(always)]
    fn bent(self, [y1, y2, y3]: [W::V; 3]) -> W::V {
        self.words.less_twice(self.words.add(y1, y3), y2)
    }

    /// ũ, v and force-free v⁺ of the row at `at`; the window moves on.
    #[inline(always)]
    fn ahead(self, factors: &Factors<W>, window: &mut Window<W>, at: usize, ahead_state: Ahead) -> [W::V; 3] {
        let words = self.words;
        let y = self.around(factors, window, at, ahead_state);
        let [u, v] = [at, at + W::WIDTH].map(|at| self.load(at));
        let change = words.mul(factors.pull, self.bent(y));
        [u, v, words.add(words.mul(factors.kept, v), change)]
    }

    /// Advances the rows from `at` to `end`, which are before the late rows and contain no points of driven or free-velocity ports.
    ///
    /// The update lags one row behind δ²y: shorter dependency chains keep more rows in flight.
    #[inline(always)]
    fn advance_rows(self, factors: &Factors<W>, window: &mut Window<W>, mut at: usize, end: usize) {
        if at >= end {
            return;
        }
        let mut bent = self.bent(self.around(factors, window, at, Ahead::None));
        at += Self::ROW;
        while at + UNROLLED * Self::ROW <= end {
            for row in 0..UNROLLED {
                bent = self.follow(factors, window, at + row * Self::ROW, bent);
            }
            at += UNROLLED * Self::ROW;
        }
        while at < end {
            bent = self.follow(factors, window, at, bent);
            at += Self::ROW;
        }
        self.advance_row(factors, at - Self::ROW, bent);
    }

    /// Advances the row before `at` from its δ²y; returns δ²y of the row at `at`.
    #[inline(always)]
    fn follow(self, factors: &Factors<W>, window: &mut Window<W>, at: usize, bent: W::V) -> W::V {
        let next = self.bent(self.around(factors, window, at, Ahead::None));
        self.advance_row(factors, at - Self::ROW, bent);
        next
    }

    /// Advances a row from its δ²y.
    #[inline(always)]
    fn advance_row(self, factors: &Factors<W>, at: usize, bent: W::V) {
        let words = self.words;
        let [u, v] = [at, at + W::WIDTH].map(|at| self.load(at));
        self.put(at, u, words.add(words.mul(factors.kept, v), words.mul(factors.pull, bent)));
    }

    /// Stores v and ũ + v of a row; returns the new ũ.
    #[inline(always)]
    fn put(self, at: usize, u: W::V, v: W::V) -> W::V {
        let u = self.words.add(u, v);
        self.store(at, u);
        self.store(at + W::WIDTH, v);
        u
    }

    /// v⁺ of a port row, from v and force-free v⁺.
    #[inline(always)]
    fn apply_forces(
        self,
        port_row: &PortRow,
        v: W::V,
        mut ahead: W::V,
        (port_rows, forces, step): (&PortRows, &PointForces, usize),
    ) -> W::V {
        let words = self.words;
        if let Some(which) = port_row.aside {
            self.store(self.aside(which), words.add(v, ahead));
        }
        for (number, force) in port_rows.forces(port_row) {
            let mask = self.lane_mask(force.lane);
            // SAFETY: `steps` in block.rs evaluates all point forces for the steps it takes, and asserts that it has as many forces
            let change = words.splat(unsafe { forces.at(number, step) });
            ahead = words.choose(mask, words.add(ahead, change), ahead);
        }
        ahead
    }

    /// Takes one step, from its first window to that of the next. The port rows are those before the late rows and the late ones.
    #[inline(always)]
    pub fn advance(
        self,
        factors: &Factors<W>,
        window: &mut Window<W>,
        port_rows: (&PortRows, &PointForces, usize),
        [early, mut late]: [&[PortRow]; 2],
    ) {
        let mut at = Self::START;
        for port_row in early {
            let port_at = Self::row(port_row.row);
            self.advance_rows(factors, window, at, port_at);
            let [u, v, ahead] = self.ahead(factors, window, port_at, Ahead::None);
            let ahead = self.apply_forces(port_row, v, ahead, port_rows);
            self.put(port_at, u, ahead);
            at = port_at + Self::ROW;
        }
        let first = self.rows - LATE;
        self.advance_rows(factors, window, at, Self::row(first));
        if late.is_empty() {
            // placeholders until all late rows have been advanced
            let mut ends = Ends { u: [window.u[0]; 3], v: [window.u[0]; 2] };
            for i in 0..LATE {
                let at = Self::row(first + i);
                let [u, _, v] = self.ahead(factors, window, at, Ahead::of_late(i));
                let u = self.put(at, u, v);
                ends = Ends { u: [u, ends.u[0], ends.u[1]], v: [v, ends.v[0]] };
            }
            *window = self.open(factors, &ends);
            return;
        }
        for row in first..self.rows {
            let at = Self::row(row);
            let [u, v, mut ahead] = self.ahead(factors, window, at, Ahead::of_late(row - first));
            if let [port_row, others @ ..] = late
                && port_row.row == row
            {
                ahead = self.apply_forces(port_row, v, ahead, port_rows);
                late = others;
            }
            self.put(at, u, ahead);
        }
        *window = self.open(factors, &self.ends());
    }
}
