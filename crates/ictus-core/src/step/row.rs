//! The part of a step that solves rows: contacts of one law along two bodies, none of which feels another. The points of a wire on a drum, of a string over a bridge.
//!
//! Most of them stay open most of the time, and those that press often press in dozens. So all are looked at first, without branches that
//! would be guessed wrong as often as contacts come and go; those that touch are solved eight at a time; then each takes its answer.

use super::lone::Alone;
use super::{Flow, HUGE, usable_gap};
use crate::clock::{Clock, Frame};
use crate::contact::Law;
use crate::interaction::collision::{Collision, WAYS, Way};
use crate::interaction::{Interaction, Resolved};
use crate::model::{Joint, Lone, Model, Place, Wire};
use crate::state::State;
use ictus_kernels::LANES;
use ictus_kernels::collision::{Pressed, Pressing, Standing, enter, press, rouse};
use std::ops::Range;

/// Fewer contacts than this are as quickly solved one by one.
const LEAST: usize = 3;
/// A row has at least so many.
const SHORTEST: usize = 4;

/// Contacts of one law, whose ends lie side by side.
#[derive(Debug)]
pub(crate) struct Row {
    pub joints: Range<usize>,
    /// The ends of the first one; an end at the wall has the sign 0.
    wires: [Wire; 2],
    /// Where the state of the first one begins. The others follow.
    state: usize,
    law: Collision,
    /// W of each, m/s per N.
    mobility: Vec<f64>,
}

impl Row {
    /// Takes the rows out of a list of lone contacts.
    pub fn find(lone: Vec<Lone>, joints: &[Joint]) -> (Vec<Self>, Vec<Lone>) {
        let (mut rows, mut rest, mut run) = (Vec::new(), Vec::new(), Vec::<Lone>::new());
        let mut close = |run: Vec<Lone>| match Self::of(&run, joints) {
            Some(row) => rows.push(row),
            None => rest.extend(run),
        };
        for next in lone {
            if !run.last().is_some_and(|last| goes_on(&last.place, &next.place, joints)) {
                close(std::mem::take(&mut run));
            }
            run.push(next);
        }
        close(run);
        (rows, rest)
    }

    fn of(run: &[Lone], joints: &[Joint]) -> Option<Self> {
        let first = &run.first().filter(|_| run.len() >= SHORTEST)?.place;
        Some(Self {
            joints: first.joint..first.joint + run.len(),
            wires: first.wires,
            state: first.state.start,
            law: known(&joints[first.joint])?.clone(),
            mobility: run.iter().map(|lone| lone.place.mobility).collect(),
        })
    }

    fn states(&self) -> Range<usize> {
        self.state..self.state + 4 * self.mobility.len()
    }
}

/// The law of a contact, if the kernels know it.
fn known(joint: &Joint) -> Option<&Collision> {
    match &joint.contact.law {
        Law::Resolvent(law) => law.as_collision().filter(|law| law.is_known()),
        _ => None,
    }
}

/// True if a contact lies beside the last one and has its law.
fn goes_on(last: &Place, next: &Place, joints: &[Joint]) -> bool {
    let beside = |(a, b): (&Wire, &Wire)| a.0 + 1 == b.0 && a.1 == b.1;
    let laws = (known(&joints[last.joint]), known(&joints[next.joint]));
    last.joint + 1 == next.joint
        && last.state.end == next.state.start
        && last.wires.iter().zip(&next.wires).all(beside)
        && matches!(laws, (Some(one), Some(other)) if one.is_same(other))
}

/// What is known of a row before it is solved.
#[derive(Clone, Debug)]
pub(crate) struct Roused {
    /// w if nothing pushes, m/s.
    closing: Vec<f64>,
    /// Those that may touch.
    awake: Vec<usize>,
}

impl Roused {
    /// For the longest of `rows`.
    pub fn new(rows: &[Row]) -> Self {
        let most = rows.iter().map(|row| row.joints.len()).max().unwrap_or(0);
        Self { closing: vec![0.0; most], awake: vec![0; most] }
    }
}

/// Contacts that are solved together.
#[derive(Default)]
struct Lanes {
    pressing: Pressing,
    who: [usize; LANES],
    count: usize,
}

#[inline(never)]
pub(super) fn solve(model: &Model, state: &mut State, flow: &mut Flow) {
    // taken out and put back, so that contacts may borrow the rest of the state
    let mut roused = std::mem::replace(&mut state.roused, Roused { closing: Vec::new(), awake: Vec::new() });
    for row in &model.rows {
        let count = look(model.clock, row, state, &mut roused);
        Solving { model, row, closing: &roused.closing, flow }.solve(state, &roused.awake[..count]);
    }
    state.roused = roused;
}

/// Moves on the gaps of contacts that stay open and finds the others; returns how many.
fn look(clock: Clock, row: &Row, state: &mut State, roused: &mut Roused) -> usize {
    let (contacts, _) = state.values[row.states()].as_chunks_mut();
    let standing = Standing {
        free: row.wires.map(|(slot, sign)| (&state.free[slot..], sign)),
        rates: &state.rates[row.joints.clone()],
        contacts,
        from: usize::from(clock.frame == Frame::Leapfrog),
        span: clock.span(),
        huge: HUGE,
    };
    let count = rouse(standing, &mut roused.closing, &mut roused.awake);
    state.resting[row.joints.clone()].fill(true);
    state.contact_forces[row.joints.clone()].fill(0.0);
    count
}

/// A row being solved.
struct Solving<'a> {
    model: &'a Model,
    row: &'a Row,
    /// w of each if nothing pushes, m/s.
    closing: &'a [f64],
    flow: &'a mut Flow,
}

impl Solving<'_> {
    fn solve(&mut self, state: &mut State, awake: &[usize]) {
        let (mut pressing, mut entering) = (Lanes::default(), Lanes::default());
        for &i in awake {
            match self.row.law.way(self.contact(state, i), self.closing[i]) {
                Way::Press => self.enlist(state, i, &mut pressing, press_eight),
                Way::Enter => self.enlist(state, i, &mut entering, enter_eight),
                Way::Other => self.solve_alone(state, i),
            }
        }
        self.solve_lanes(state, &mut pressing, press_eight);
        self.solve_lanes(state, &mut entering, enter_eight);
    }

    fn contact<'a>(&self, state: &'a State, i: usize) -> &'a [f64; 4] {
        &state.values[self.row.states()].as_chunks().0[i]
    }

    #[inline(always)]
    fn enlist(&mut self, state: &mut State, i: usize, lanes: &mut Lanes, kernel: Kernel) {
        let Row { law, mobility, .. } = self.row;
        law.enlist(self.contact(state, i), self.closing[i], mobility[i], lanes.count, &mut lanes.pressing);
        lanes.who[lanes.count] = i;
        lanes.count += 1;
        if lanes.count == LANES {
            self.solve_lanes(state, lanes, kernel);
        }
    }

    fn solve_lanes(&mut self, state: &mut State, lanes: &mut Lanes, kernel: Kernel) {
        let count = std::mem::take(&mut lanes.count);
        let pressed = (count >= LEAST).then(|| kernel(&lanes.pressing, &self.row.law));
        for (lane, &i) in lanes.who[..count].iter().enumerate() {
            match pressed.as_ref().and_then(|pressed| self.row.law.answer(pressed, lane)) {
                Some(resolved) => self.accept(state, i, resolved),
                None => self.solve_alone(state, i),
            }
        }
    }

    fn solve_alone(&mut self, state: &mut State, i: usize) {
        let resolved = self.row.law.resolve(self.contact(state, i), self.closing[i], self.row.mobility[i]);
        self.accept(state, i, resolved);
    }

    #[inline(always)]
    fn accept(&mut self, state: &mut State, i: usize, resolved: Resolved) {
        let row = self.row;
        let start = row.state + 4 * i;
        let place = Place {
            joint: row.joints.start + i,
            wires: row.wires.map(|(slot, sign)| (slot + i, sign)),
            state: start..start + 4,
            mobility: row.mobility[i],
            rests_apart: true,
        };
        let alone = Alone { place: &place, free: self.closing[i] };
        alone.accept(self.model, &row.law, &resolved, usable_gap(&resolved), state, self.flow);
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
