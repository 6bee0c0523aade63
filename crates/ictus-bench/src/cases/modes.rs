//! Banks of modes: with a force fed back every sample, and ringing in blocks.

use super::{Case, Measured};
use crate::line::{Line, either};
use crate::measure::{Contestant, Meter, repeated, restarted};
use crate::native::{self, Loop, Style};
use crate::plain;
use crate::probe::{Loads, Operations};
use crate::programs::{Raced, Rivals};
use crate::scene::{bank, clock};
use ictus_core::{BLOCK, Block, Deflection, FastResonator, Scheme, StepValues};
use ictus_kernels::Aligned;
use std::cell::RefCell;
use std::hint::black_box;
use std::rc::Rc;

/// What a mode is in a fed-back step: its displacement and velocity, two coefficients of its motion, the port's shape and what a force there does. A bank that gets by
/// with fewer loads is as good as one that loads faster.
const BYTES: f64 = 6.0 * 8.0;
/// Products and sums of a mode in a step of a ringing bank that is heard: 3 for v, 1 for q, 1 for the port.
const OPERATIONS: f64 = 5.0;

pub(super) fn cases() -> Vec<Case> {
    let fed =
        |modes| Case::new(format!("modal bank, {modes} modes fed back"), move |name, meter| fed(name, meter, modes));
    let rings =
        |modes| Case::new(format!("modal bank, {modes} modes ringing"), move |name, meter| rings(name, meter, modes));
    let mut all =
        vec![fed(300), fed(1000), Case::new("modal bank, 10000 modes fed back", many), rings(300), rings(1000)];
    for modes in NATIVE {
        let [fed, rings] = [Loop::FedBack, Loop::Ringing].map(|which| Rc::new(Native::new(which, Style::Plain, modes)));
        all.push(Case::new(format!("modal bank, {modes} modes fed back, beside C++"), move |name, meter| {
            let (bank, state) = deflected(modes);
            let ours = &mut restarted(state, |state| feed_back(&*bank, state));
            let plain = &mut restarted(plain::PlainBank::new(modes), plain::PlainBank::feed_back);
            let ([ours, plain], time, who) = fed.race(meter, [ours, plain])?;
            Ok(beside(name, modes, [ours, plain, time], who))
        }));
        all.push(Case::new(format!("modal bank, {modes} modes ringing, beside C++"), move |name, meter| {
            let (bank, state) = deflected(modes);
            let mut block = blocks(&*bank);
            let ours = &mut restarted(state, |state| block(state));
            let plain = &mut restarted(plain::PlainBank::new(modes), |bank| {
                black_box(bank.ring());
            });
            let ([ours, plain], time, who) = rings.race(meter, [ours, plain])?;
            Ok(beside(name, modes, [ours / BLOCK as f64, plain, time], who))
        }));
    }
    for (which, what) in [(Loop::FedBack, "fed back"), (Loop::Ringing, "ringing"), (Loop::Pushed, "pushed and heard")] {
        let loops = [Style::EqualBits, Style::Free].map(|style| Native::new(which, style, IN_LANES));
        all.push(Case::new(format!("price of equal bits, {IN_LANES} modes {what}"), move |name, meter| {
            let [mut equal, mut free] = loops.each_ref().map(|one| one.started.borrow_mut());
            let [equal, free] = [loops[0].started(&mut equal, meter)?, loops[1].started(&mut free, meter)?];
            let (times, who) = equal.race_rivals(meter, free);
            let [equal, free] = times.map(|time| time / IN_LANES as f64);
            Ok(vec![Line::new(name, equal, "ns/mode").against(format!("fused and reordered, {who}"), free)])
        }));
    }
    all
}

/// Modes of the loops in C++.
const NATIVE: [usize; 2] = [100, 1000];
/// Modes of the loop in lanes: the next number after 100 that eight divides.
const IN_LANES: usize = 104;

/// A loop in C++, compiled when it is first raced.
struct Native {
    which: Loop,
    style: Style,
    modes: usize,
    started: RefCell<Option<Rivals>>,
}

impl Native {
    fn new(which: Loop, style: Style, modes: usize) -> Self {
        Self { which, style, modes, started: RefCell::new(None) }
    }

    /// Nanoseconds of a call of ours, of a sample of the fastest in C++, and its compiler.
    fn race<const N: usize>(&self, meter: Meter, ours: [Contestant; N]) -> Result<Raced<N>, String> {
        Ok(self.started(&mut self.started.borrow_mut(), meter)?.race(meter, ours))
    }

    fn started<'a>(&self, started: &'a mut Option<Rivals>, meter: Meter) -> Result<&'a mut Rivals, String> {
        Rivals::started(started, meter, || native::start(self.which, self.style, self.modes))
    }
}

/// Ours beside the plain loop for any machine and the one for this machine.
fn beside(name: &str, modes: usize, times: [f64; 3], who: String) -> Vec<Line> {
    let [ours, plain, native] = times.map(|time| time / modes as f64);
    let line = || Line::new(name, ours, "ns/mode");
    vec![line().against("plain loop", plain), line().against(format!("C++ loop, {who}"), native)]
}

/// A block of a ringing bank with one port heard.
fn blocks(bank: &dyn FastResonator) -> impl FnMut(&mut Aligned) {
    let (mut velocities, mut lost) = ([0.0; BLOCK], [0.0; BLOCK]);
    move |state| {
        let (velocities, lost) = (StepValues(&mut velocities), &mut lost);
        let mut block = Block { steps: BLOCK, velocity_ports: &[0], velocities, lost, ..Block::default() };
        black_box(bank).run_block(state, &mut block);
    }
}

/// A bank of which one port is touched, deflected, and its state.
fn deflected(modes: usize) -> (Box<dyn FastResonator>, Aligned) {
    let bank = bank(clock(Scheme::Midpoint), modes).touched_at(0).expect("a port that moves");
    let mut state: Aligned = vec![0.0; bank.state_len()].into_iter().collect();
    bank.reset(&mut state);
    let pluck = Deflection::Static { port: 0, displacement: 1e-4 };
    assert!(bank.capabilities().deflect.is_some_and(|bank| bank.deflect(&mut state, pluck)));
    (bank, state)
}

/// A step whose force answers what the port does.
fn feed_back(bank: &dyn FastResonator, state: &mut Aligned) {
    let bank = black_box(bank);
    let velocity = bank.free_velocity(state, 0, false);
    bank.advance_single_port(state, 0, -1e-3 * velocity);
}

fn fed(name: &str, meter: Meter, modes: usize) -> Measured {
    let (bank, state) = deflected(modes);
    let loads = Loads::fastest();
    let [ours, plain, load] = meter.race([
        &mut restarted(state, |state| feed_back(&*bank, state)),
        &mut restarted(plain::PlainBank::new(modes), plain::PlainBank::feed_back),
        &mut repeated(|| loads.run()),
    ]);
    let each = modes as f64;
    let line = || Line::new(name, ours / each, "ns/mode");
    let share = BYTES * each / ours / (Loads::BYTES / load);
    Ok(vec![
        line().against("plain loop", plain / each).goal(3.0),
        line().with_ratio("loads from the nearest cache", share).goal(0.8),
    ])
}

fn many(name: &str, meter: Meter) -> Measured {
    let ((many, many_state), (few, few_state)) = (deflected(10_000), deflected(1000));
    let [many, few] = meter.race([
        &mut restarted(many_state, |state| feed_back(&*many, state)),
        &mut restarted(few_state, |state| feed_back(&*few, state)),
    ]);
    Ok(vec![Line::new(name, many / 1e4, "ns/mode").against("1000 modes", few / 1e3).goal(1.0 / 3.0)])
}

fn rings(name: &str, meter: Meter, modes: usize) -> Measured {
    let (bank, state) = deflected(modes);
    let operations = Operations::fastest();
    let mut block = blocks(&*bank);
    let [ours, plain, peak] = meter.race([
        &mut restarted(state, |state| block(state)),
        &mut restarted(plain::PlainBank::new(modes), |bank| {
            black_box(bank.ring());
        }),
        &mut repeated(|| operations.run()),
    ]);
    let each = modes as f64;
    let ours = ours / (BLOCK as f64 * each);
    let line = || Line::new(name, ours, "ns/mode");
    let share = OPERATIONS / ours / (operations.count() / peak);
    let lines = [
        line().against("plain loop", plain / each).goal(6.0),
        line().with_ratio("products and sums", share).goal(0.75),
    ];
    Ok(either(lines).into())
}
