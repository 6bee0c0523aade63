//! The part of a step that solves rows: contacts of one law along two bodies without coupling among them. The points of a wire on a drum, of a string over a bridge.
//!
//! Most of them stay open most of the time, and closed ones often come in dozens. So a first pass scans all of them, without branches that
//! would be mispredicted as contacts open and close; the others are solved eight at a time; then each takes its solution.

use super::lone::IsolatedContact;
use super::{Flow, HUGE, usable_gap};
use crate::clock::{Clock, Scheme};
use crate::contact::{BodyId, Law};
use crate::interaction::collision::{Collision, Regime, WAYS};
use crate::interaction::{Interaction, Resolved};
use crate::model::{Body, ContactSite, Endpoint, Lone, Model, ModelContact};
use crate::paths::{Special, takes};
use crate::solver::island::coupling;
use crate::state::State;
use ictus_kernels::LANES;
use ictus_kernels::collision::{Pressed, Pressing, Standing, enter, press, rouse};
use std::ops::Range;

/// Fewest contacts per eight-lane solve: fewer are as fast one by one.
const MIN_LANES: usize = 3;
/// Fewest contacts of a row.
const MIN_CONTACTS: usize = 4;

/// Contacts of one law with consecutive endpoints.
#[derive(Clone, Debug)]
pub(crate) struct CollisionRow {
    pub contacts: Range<usize>,
    /// The endpoints of the first contact; an end at the wall has the sign 0.
    endpoints: [Endpoint; 2],
    /// Start of the state of the first contact. The others follow.
    state: usize,
    law: Collision,
    /// W of each, m/s per N.
    mobility: Vec<f64>,
}

impl CollisionRow {
    /// Splits a list of isolated contacts into rows and the rest.
    pub fn find(lone: Vec<Lone>, contacts: &[ModelContact]) -> (Vec<Self>, Vec<Lone>) {
        let (mut rows, mut rest, mut run) = (Vec::new(), Vec::new(), Vec::<Lone>::new());
        let mut close = |run: Vec<Lone>| match Self::of(&run, contacts) {
            Some(row) => rows.push(row),
            None => rest.extend(run),
        };
        for next in lone {
            if !run.last().is_some_and(|last| is_adjacent(&last.site, &next.site, contacts)) {
                close(std::mem::take(&mut run));
            }
            run.push(next);
        }
        close(run);
        (rows, rest)
    }

    fn of(run: &[Lone], contacts: &[ModelContact]) -> Option<Self> {
        let first = &run.first().filter(|_| run.len() >= MIN_CONTACTS)?.site;
        Some(Self {
            contacts: first.contact..first.contact + run.len(),
            endpoints: first.endpoints,
            state: first.state.start,
            law: kernel_law(&contacts[first.contact])?.clone(),
            mobility: run.iter().map(|lone| lone.site.mobility).collect(),
        })
    }

    /// Reads the mobilities of its contacts anew where a body has been retuned.
    pub fn couple(&mut self, bodies: &[Body], contacts: &[ModelContact], body: BodyId) {
        for (mobility, contact) in self.mobility.iter_mut().zip(&contacts[self.contacts.clone()]) {
            if contact.is_on(body) {
                *mobility = coupling(bodies, contact, contact);
            }
        }
    }

    /// True if all its contacts are among `contacts`, or none.
    pub fn is_whole_in(&self, contacts: &Range<usize>) -> bool {
        let Range { start, end } = self.contacts;
        end <= contacts.start || contacts.end <= start || contacts.start <= start && end <= contacts.end
    }

    /// Replaces its law.
    pub fn set_law(&mut self, law: &Collision) {
        self.law.clone_from(law);
    }

    fn states(&self) -> Range<usize> {
        self.state..self.state + 4 * self.mobility.len()
    }
}

/// The law of a contact, if the eight-lane kernels implement it.
fn kernel_law(contact: &ModelContact) -> Option<&Collision> {
    match &contact.definition.law {
        Law::Resolvent(law) => law.as_collision().filter(|law| law.has_kernel()),
        _ => None,
    }
}

/// True if a contact is adjacent to the last one and has its law.
fn is_adjacent(last: &ContactSite, next: &ContactSite, contacts: &[ModelContact]) -> bool {
    let beside = |(a, b): (&Endpoint, &Endpoint)| a.0 + 1 == b.0 && a.1 == b.1;
    let laws = (kernel_law(&contacts[last.contact]), kernel_law(&contacts[next.contact]));
    let bound = |site: &ContactSite| !contacts[site.contact].definition.own_law;
    last.contact + 1 == next.contact
        && bound(last)
        && bound(next)
        && last.state.end == next.state.start
        && last.endpoints.iter().zip(&next.endpoints).all(beside)
        && matches!(laws, (Some(one), Some(other)) if one.is_same(other))
}

/// Result of the scan of a row, before it is solved.
#[derive(Debug)]
pub(crate) struct RowScan {
    /// Free approach velocities w, m/s.
    approach: Vec<f64>,
    /// Indices of the contacts that may touch.
    awake: Vec<usize>,
}

clone_in_place!(RowScan { approach, awake });

impl RowScan {
    /// Allocates for the longest of `rows`.
    pub fn new(rows: &[CollisionRow]) -> Self {
        let longest = rows.iter().map(|row| row.contacts.len()).max().unwrap_or(0);
        Self { approach: vec![0.0; longest], awake: vec![0; longest] }
    }
}

/// Contacts that are solved together.
#[derive(Default)]
struct Lanes {
    pressing: Pressing,
    indices: [usize; LANES],
    count: usize,
}

#[inline(never)]
pub(super) fn solve(model: &Model, state: &mut State, flow: &mut Flow) {
    // moved out and back, so that contacts can borrow the rest of the state
    let mut scan = std::mem::replace(&mut state.row_scan, RowScan { approach: Vec::new(), awake: Vec::new() });
    for at in 0..state.awake.rows.len() {
        let row = &model.rows[state.awake.rows[at]];
        let count = scan_row(model.clock, row, state, &mut scan);
        Solving { model, row, approach: &scan.approach, flow }.solve(state, &scan.awake[..count]);
    }
    state.row_scan = scan;
}

/// Advances the gaps of contacts that stay open and lists the others; returns their number.
fn scan_row(clock: Clock, row: &CollisionRow, state: &mut State, scan: &mut RowScan) -> usize {
    let (contacts, _) = state.values[row.states()].as_chunks_mut();
    let standing = Standing {
        free: row.endpoints.map(|(slot, sign)| (&state.free[slot..], sign)),
        rates: &state.rates[row.contacts.clone()],
        contacts,
        from: usize::from(clock.scheme == Scheme::Leapfrog),
        span: clock.span(),
        huge: HUGE,
    };
    let count = rouse(standing, &mut scan.approach, &mut scan.awake);
    state.resting[row.contacts.clone()].fill(true);
    state.contact_forces[row.contacts.clone()].fill(0.0);
    count
}

/// A row being solved.
struct Solving<'a> {
    model: &'a Model,
    row: &'a CollisionRow,
    /// Free approach velocity of each contact, m/s.
    approach: &'a [f64],
    flow: &'a mut Flow,
}

impl Solving<'_> {
    fn solve(&mut self, state: &mut State, awake: &[usize]) {
        let (mut pressing, mut entering) = (Lanes::default(), Lanes::default());
        for &i in awake {
            match self.row.law.regime(self.contact(state, i), self.approach[i]) {
                Regime::Press => self.write_equation(state, i, &mut pressing, press_eight),
                Regime::Enter => self.write_equation(state, i, &mut entering, enter_eight),
                Regime::Other => self.solve_isolated(state, i),
            }
        }
        self.solve_lanes(state, &mut pressing, press_eight);
        self.solve_lanes(state, &mut entering, enter_eight);
    }

    fn contact<'a>(&self, state: &'a State, i: usize) -> &'a [f64; 4] {
        &state.values[self.row.states()].as_chunks().0[i]
    }

    #[inline(always)]
    fn write_equation(&mut self, state: &mut State, i: usize, lanes: &mut Lanes, kernel: Kernel) {
        let CollisionRow { law, mobility, .. } = self.row;
        law.write_equation(self.contact(state, i), self.approach[i], mobility[i], lanes.count, &mut lanes.pressing);
        lanes.indices[lanes.count] = i;
        lanes.count += 1;
        if lanes.count == LANES {
            self.solve_lanes(state, lanes, kernel);
        }
    }

    fn solve_lanes(&mut self, state: &mut State, lanes: &mut Lanes, kernel: Kernel) {
        let count = std::mem::take(&mut lanes.count);
        let pressed =
            (count >= MIN_LANES && takes(Special::EightLanes, count)).then(|| kernel(&lanes.pressing, &self.row.law));
        for (lane, &i) in lanes.indices[..count].iter().enumerate() {
            match pressed.as_ref().and_then(|pressed| self.row.law.answer(pressed, lane)) {
                Some(resolved) => self.accept(state, i, resolved),
                None => self.solve_isolated(state, i),
            }
        }
    }

    fn solve_isolated(&mut self, state: &mut State, i: usize) {
        let resolved = self.row.law.resolve(self.contact(state, i), self.approach[i], self.row.mobility[i]);
        self.accept(state, i, resolved);
    }

    #[inline(always)]
    fn accept(&mut self, state: &mut State, i: usize, resolved: Resolved) {
        let row = self.row;
        let start = row.state + 4 * i;
        let site = ContactSite {
            contact: row.contacts.start + i,
            endpoints: row.endpoints.map(|(slot, sign)| (slot + i, sign)),
            state: start..start + 4,
            mobility: row.mobility[i],
            rests_apart: true,
        };
        let isolated = IsolatedContact { site: &site, free: self.approach[i] };
        isolated.accept(self.model, &row.law, &resolved, usable_gap(&resolved), state, self.flow);
    }
}

/// Solves eight contacts of one law.
type Kernel = fn(&Pressing, &Collision) -> Pressed;

fn press_eight(pressing: &Pressing, law: &Collision) -> Pressed {
    press(pressing, law.shared(), WAYS)
}

fn enter_eight(pressing: &Pressing, law: &Collision) -> Pressed {
    enter(pressing, law.shared(), WAYS)
}
