//! A bank of which one port is touched, measured there.
//!
//! Model and scheme are those of [`ModalBank`]. A mode is kept as its share of what the port does, ψ v and ψ q̃ instead of v and q̃: then the port moves with
//! v̄ = Σ (v + v⁺), and a force adds w f to v with w = ψ², of which the mobility is the sum.
//! A step ends with the force, not with the motion it causes: q̃ and v° stay as they were, v⁺ = v° + w f and q̃⁺ = q̃ + v⁺ follow from them where they are read, and the
//! next step begins by moving on. So v is written down only where it is audited, and contacts do not wait for the modes. [`ictus_kernels::one_port`]
//! Limits: a mode that the port does not see at all is seen 2⁻⁶⁴ times as much as the one it sees best, far below the last digit of either.

use super::ModalBank;
use crate::clock::Frame;
use crate::resonator::{Audit, Block, Deflection, Resonator};
use ictus_kernels::one_port::{
    Answers, Bank, Fed, Looks, PORTS, STEPS, Stores, displacement, energy, feed_back, feed_back_audited,
    feed_back_in_parts, foresee, is_parted, own_velocity, ring, speeds, velocity,
};
use ictus_kernels::{Aligned, LANES, dot, modes, spaced};
use std::borrow::Cow;
use std::ops::Range;

/// The least share of a mode in what a port does, of the largest: 2⁻⁶⁴.
const LEAST: f64 = 1.0 / (1u128 << 64) as f64;
/// Mobilities between these have squares, and squares of shares, that are normal numbers.
const USUAL: std::ops::Range<f64> = 1e-100..1e100;

/// State: [`Head`], what is known ahead of Σ v° in its lanes, q̃, v°, v.
#[derive(Clone, Debug)]
pub(super) struct OnePortBank {
    bank: ModalBank,
    port: usize,
    pitch: usize,          // from one part of the state to the next
    answers: Vec<Answers>, // a, b, w
    gain: Aligned,         // w, m/s per N
    scale: Aligned,        // ψ of the port
    shapes: Vec<Aligned>,  // ψ of every port over that of the touched one
    mass: Aligned,         // those of the bank over w
    stiffness: Aligned,
    resistance: Aligned,
    mobility: f64, // Y = Σ w, m/s per N
    foreseen: f64, // G: by how much a force changes the foreseen part of Σ v° in the step after it
}

/// How far a bank is on its way from one step to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Stage {
    /// The last force has yet to act: v = v° + w f, and q̃ + v is where modes are.
    Pushed,
    /// q̃ is where modes are, v° where they go; nobody knows v.
    Moved,
    /// The same, with v.
    Audited,
}

/// The numbers of a bank that are not those of modes.
struct Head<'a>(&'a mut [f64]);

/// Length of [`Head`], and of a cache line.
const HEAD: usize = LANES;
/// Where modes begin.
const MODES: usize = HEAD + LANES;

impl Head<'_> {
    const FORCE: usize = 0; // of the last step, N
    const STAGE: usize = 1;
    const BEFORE: usize = 2; // Σ v, m/s
    const AFTER: usize = 3; // Σ v°, m/s
    /// Not zero where Σ v must be added up.
    const LACKS_BEFORE: usize = 4;
    /// Not zero where what is known ahead must be found out.
    const LACKS_KNOWN: usize = 5;
    /// Not zero where modes are gone through from the last to the first next time: no bit depends on it.
    const BACK: usize = 6;

    fn set_stage(&mut self, stage: Stage) {
        self.0[Self::STAGE] = match stage {
            Stage::Pushed => 0.0,
            Stage::Moved => 1.0,
            Stage::Audited => 2.0,
        };
    }

    /// Ends a step with a force. It began with nothing lacking.
    fn push(&mut self, force: f64, mobility: f64) {
        self.0[Self::FORCE] = force;
        self.0[Self::BEFORE] = self.0[Self::AFTER] + mobility * force;
        self.set_stage(Stage::Pushed);
    }
}

fn stage(state: &[f64]) -> Stage {
    match state[Head::STAGE] {
        0.0 => Stage::Pushed,
        1.0 => Stage::Moved,
        _ => Stage::Audited,
    }
}

/// Finds out what is known ahead, where that has been forgotten.
fn know(head: &mut [f64], known: &mut [f64; LANES], bank: &Bank) {
    if head[Head::LACKS_KNOWN] != 0.0 {
        *known = foresee(bank.q, bank.ahead, bank.answers);
        head[Head::LACKS_KNOWN] = 0.0;
    }
}

/// The parts of a state.
struct Parts<'a> {
    head: Head<'a>,
    known: &'a mut [f64; LANES],
    bank: Bank<'a>,
    v: &'a mut [f64],
}

impl OnePortBank {
    /// The bank as `port` sees it, if it does.
    pub fn new(bank: &ModalBank, port: usize) -> Option<Self> {
        let shape = &bank.shapes[port];
        let mobility = bank.mobility(port, port);
        if bank.tracks.iter().any(Option::is_some) || !USUAL.contains(&mobility) {
            return None;
        }
        let (n, modes) = (bank.padded, bank.modes);
        let least = LEAST * shape.iter().fold(0.0, |most: f64, psi| most.max(psi.abs()));
        let mut scale = shape.clone();
        for psi in &mut scale[..modes] {
            *psi = if psi.abs() < least { least.copysign(*psi) } else { *psi };
        }
        let gain: Aligned = scale.iter().map(|psi| psi * psi).collect();
        let over = |part: &[f64], by: &[f64]| -> Aligned {
            (0..n).map(|i| if i < modes { part[i] / by[i] } else { 0.0 }).collect()
        };
        let eights = [&bank.kept, &bank.pull, &gain].map(|part| part.as_chunks::<LANES>().0);
        let answers: Vec<Answers> = (0..n / LANES)
            .map(|at| {
                let [kept, pull, gain] = eights.map(|eights| eights[at]);
                Answers { kept, pull, gain }
            })
            .collect();
        // a unit force leaves v = w and q̃ = w behind
        let foreseen = foresee(&Aligned::new(0.0, n), &gain, &answers);
        Some(Self {
            port,
            pitch: spaced(n, 3),
            shapes: bank.shapes.iter().map(|shape| over(shape, &scale)).collect(),
            mass: over(&bank.mass, &gain),
            stiffness: over(&bank.stiffness, &gain),
            resistance: over(&bank.resistance, &gain),
            foreseen: foreseen.iter().sum(),
            bank: bank.clone(),
            answers,
            gain,
            scale,
            mobility,
        })
    }

    #[inline(always)]
    fn parts<'a>(&'a self, state: &'a mut [f64]) -> Parts<'a> {
        let n = self.bank.padded;
        let (head, rest) = state.split_at_mut(HEAD);
        let (known, rest) = rest.split_first_chunk_mut().expect("lanes behind the head");
        let (q, rest) = rest.split_at_mut(self.pitch);
        let (ahead, v) = rest.split_at_mut(self.pitch);
        let bank = Bank { q: &mut q[..n], ahead: &mut ahead[..n], answers: &self.answers };
        Parts { head: Head(head), known, bank, v: &mut v[..n] }
    }

    /// q̃, v° and v.
    fn motion<'a>(&self, state: &'a [f64]) -> [&'a [f64]; 3] {
        [0, 1, 2].map(|part| &state[MODES + part * self.pitch..][..self.bank.padded])
    }

    fn stores(&self) -> Stores<'_> {
        let Self { mass, stiffness, resistance, .. } = self;
        Stores { mass, stiffness, resistance, lags: self.bank.lags }
    }

    /// Lets the last force act, if it has yet to; writes down v if the next step is `audited`.
    #[inline(never)]
    fn move_on(&self, state: &mut [f64], audited: bool) {
        if stage(state) != Stage::Pushed {
            return;
        }
        let Parts { head: Head(head), known, bank, v } = self.parts(state);
        let force = head[Head::FORCE];
        if head[Head::LACKS_BEFORE] != 0.0 {
            head[Head::BEFORE] = own_velocity(bank.ahead, &self.gain, force);
            head[Head::LACKS_BEFORE] = 0.0;
        }
        know(head, known, &bank);
        if audited {
            speeds(bank.ahead, &self.gain, force, v);
        }
        self.act(state);
        Head(state).set_stage(if audited { Stage::Audited } else { Stage::Moved });
    }

    /// Lets the last force act, all being known that is needed. Returns Σ v°.
    #[inline(always)]
    fn act(&self, state: &mut [f64]) -> f64 {
        let force = state[Head::FORCE];
        let fed = if is_parted(self.answers.len()) {
            self.act_in_parts(state)
        } else {
            feed_back(&mut state[HEAD..], self.pitch, &self.answers, force)
        };
        let after = fed + self.foreseen * force;
        state[Head::AFTER] = after;
        after
    }

    // out of the way of small banks
    #[inline(never)]
    fn act_in_parts(&self, state: &mut [f64]) -> f64 {
        let (force, back) = (state[Head::FORCE], state[Head::BACK]);
        state[Head::BACK] = 1.0 - back;
        feed_back_in_parts(&mut state[HEAD..], self.pitch, &self.answers, force, back != 0.0)
    }

    /// The steps `span` of a block.
    fn ring(&self, state: &mut [f64], block: &mut Block, span: Range<usize>) {
        let mut shapes = [&[][..]; PORTS];
        let mut others = 0;
        for port in self.elsewhere(block) {
            shapes[others] = &self.shapes[port];
            others += 1;
        }
        // room that nobody asks for is not cleared either
        if others == 0 {
            self.ring_heard(state, block, span, &[], &mut []);
        } else {
            let mut velocities = [0.0; STEPS * PORTS];
            let velocities = &mut velocities[..span.len() * others];
            self.ring_heard(state, block, span, &shapes[..others], velocities);
        }
    }

    /// Ports of which blocks ask for velocities, but for the touched one: those that are heard and, in the midpoint frame, those whose displacement is.
    fn elsewhere<'a>(&self, block: &Block<'a>) -> impl Iterator<Item = usize> + use<'a> {
        let port = self.port;
        block.heard.iter().chain(self.moving(block)).copied().filter(move |other| *other != port)
    }

    /// Ports whose displacement lags behind q̃, by half of a velocity.
    fn moving<'a>(&self, block: &Block<'a>) -> &'a [usize] {
        match self.bank.clock.frame {
            Frame::Midpoint => block.placed,
            Frame::Leapfrog => &[],
        }
    }

    /// The same, `heard` being the shapes of ports [elsewhere](Self::elsewhere) and `velocities` room for Σ shape·v.
    fn ring_heard(
        &self,
        state: &mut [f64],
        block: &mut Block,
        span: Range<usize>,
        heard: &[&[f64]],
        velocities: &mut [f64],
    ) {
        let (first, steps) = (span.start, span.len());
        self.move_on(state, block.audited);
        let Parts { head: Head(head), mut bank, v, .. } = self.parts(state);
        let (watched, pushed) = (!block.watched.is_empty(), !block.pushed.is_empty());
        let forces = if pushed { &block.forces[span.clone()] } else { &[] };
        let hears_itself = heard.len() < block.heard.len() + self.moving(block).len();
        let mut own = [0.0; STEPS];
        let own = &mut own[..if hears_itself || !pushed { steps } else { 0 }];
        let mut ahead = if watched && pushed { Some([0.0; STEPS]) } else { None };
        let ahead = ahead.as_mut().map_or(&mut [][..], |room| &mut room[..steps - 1]);
        let lost = &mut block.lost[span];
        let losses: [&[f64]; 2] = if block.audited { [&self.resistance, v] } else { [&[]; 2] };
        let mut shapes = [&[][..]; PORTS];
        for (shape, &port) in shapes.iter_mut().zip(block.placed) {
            *shape = &self.shapes[port];
        }
        let placed = &shapes[..block.placed.len()];
        let displacements = &mut block.displacements.0[first * placed.len()..][..steps * placed.len()];
        let mut looks =
            Looks { steps, forces, own, ahead, heard, velocities, placed, displacements, losses, power: lost };
        ring(&mut bank, &mut looks);
        if block.audited {
            lost.iter_mut().for_each(|lost| *lost *= self.bank.clock.dt);
        }
        displacements.iter_mut().for_each(|sum| *sum *= 2.0 * self.bank.unit);
        self.hear(block, first, own, (heard.len(), velocities));
        let starts = [head[Head::BEFORE], head[Head::AFTER]];
        let free = &mut block.free.0[first * block.watched.len()..][..if watched { steps } else { 0 }];
        let before = match (pushed, watched) {
            (false, _) => expect(starts, own, free),
            (true, true) => self.expect_pushed(starts, forces, ahead, free),
            // whoever asks adds it up
            (true, false) => 0.0,
        };
        head[Head::FORCE] = forces.last().copied().unwrap_or(0.0);
        head[Head::BEFORE] = before;
        head[Head::LACKS_BEFORE] = if watched || !pushed { 0.0 } else { 1.0 };
        head[Head::LACKS_KNOWN] = 1.0;
        Head(head).set_stage(Stage::Pushed);
    }

    /// Writes down the velocities that are heard, from `own` sums of the touched port and those of `others`, so many a step; takes displacements half a step back.
    fn hear(&self, block: &mut Block, first: usize, own: &[f64], (others, velocities): (usize, &[f64])) {
        let mut place = 0;
        // those of one port after the other, in the order of `elsewhere`
        let mut next = |port: usize| {
            if port == self.port {
                return (own, 1);
            }
            place += 1;
            (&velocities[place - 1..], others)
        };
        let width = block.heard.len();
        let rows = &mut block.velocities.0[first * width..];
        for (column, &port) in block.heard.iter().enumerate() {
            spread(&mut rows[column..], width, next(port), |v, out| *out = 2.0 * v);
        }
        let (width, moving) = (block.placed.len(), self.moving(block));
        let rows = &mut block.displacements.0[first * width..];
        for (column, &port) in moving.iter().enumerate() {
            spread(&mut rows[column..], width, next(port), |v, out| *out -= 0.5 * self.bank.clock.dt * (2.0 * v));
        }
    }

    /// v̄° of the port in steps with `forces`, and Σ v after them; `ahead` is Σ v° after every step but the last, but for G f.
    fn expect_pushed(&self, [mut before, mut after]: [f64; 2], forces: &[f64], ahead: &[f64], free: &mut [f64]) -> f64 {
        let mut free = free.iter_mut();
        for (n, force) in forces.iter().enumerate() {
            if let Some(free) = free.next() {
                *free = before + after;
            }
            before = after + self.mobility * force;
            if let Some(ahead) = ahead.get(n) {
                after = ahead + self.foreseen * force;
            }
        }
        before
    }
}

/// Puts every `stride`th of the values to every `width`th place. Next to each other they are worked out some at a time.
#[inline(always)]
fn spread(out: &mut [f64], width: usize, (values, stride): (&[f64], usize), put: impl Fn(f64, &mut f64)) {
    if width == 1 && stride == 1 {
        out.iter_mut().zip(values).for_each(|(out, value)| put(*value, out));
    } else {
        out.iter_mut().step_by(width).zip(values.iter().step_by(stride)).for_each(|(out, value)| put(*value, out));
    }
}

/// The same where nothing pushes: Σ v° is Σ v of the step after, the `own` sum. A force of zero turns −0 into 0.
fn expect([before, after]: [f64; 2], own: &[f64], free: &mut [f64]) -> f64 {
    const NO_PUSH: f64 = 0.0;
    if let [first, rest @ ..] = free {
        *first = before + after;
        if let [second, rest @ ..] = rest {
            *second = (after + NO_PUSH) + own[1];
            for (free, pair) in rest.iter_mut().zip(own[1..].windows(2)) {
                *free = (pair[0] + NO_PUSH) + pair[1];
            }
        }
    }
    if let [_, .., last] = own { last + NO_PUSH } else { after + NO_PUSH }
}

impl Resonator for OnePortBank {
    fn port_count(&self) -> usize {
        self.bank.port_count()
    }

    fn state_len(&self) -> usize {
        MODES + 2 * self.pitch + self.bank.padded
    }

    fn free_velocities(&self, state: &mut [f64], ports: &[usize], out: &mut [f64]) {
        // v is written down, as nobody said whether the step is audited
        let touched = self.free_velocity(state, self.port, true);
        for (out, &port) in out.iter_mut().zip(ports) {
            let [_, ahead, v] = self.motion(state);
            let shape = &self.shapes[port];
            *out = if port == self.port { touched } else { dot(shape, v) + dot(shape, ahead) };
        }
    }

    fn mobility(&self, p: usize, q: usize) -> f64 {
        self.bank.mobility(p, q)
    }

    fn advance(&self, state: &mut [f64], ports: &[usize], forces: &[f64], audited: bool) -> f64 {
        if audited {
            return self.advance_audited(state, ports, forces).dissipated;
        }
        self.advance_alone(state, self.port, forces.iter().sum());
        0.0
    }

    fn free_velocity(&self, state: &mut [f64], _port: usize, audited: bool) -> f64 {
        // zeros, looked at without arithmetic: stage, and what lacks
        let [stage, before, known] = [Head::STAGE, Head::LACKS_BEFORE, Head::LACKS_KNOWN].map(|i| state[i].to_bits());
        if !audited && stage | before | known == 0 {
            let after = self.act(state);
            Head(state).set_stage(Stage::Moved);
            return state[Head::BEFORE] + after;
        }
        self.move_on(state, audited);
        state[Head::BEFORE] + state[Head::AFTER]
    }

    fn advance_alone(&self, state: &mut [f64], _port: usize, force: f64) {
        Head(state).push(force, self.mobility);
    }

    fn advance_audited(&self, state: &mut [f64], _ports: &[usize], forces: &[f64]) -> Audit {
        debug_assert_eq!(stage(state), Stage::Audited, "v was not written down");
        let force: f64 = forces.iter().sum();
        let Parts { mut head, known, mut bank, v } = self.parts(state);
        know(head.0, known, &bank);
        let Fed { ahead, power, energy } = feed_back_audited(&mut bank, v, self.stores(), force, known);
        head.push(force, self.mobility);
        head.0[Head::AFTER] = ahead + self.foreseen * force;
        head.set_stage(Stage::Audited);
        Audit { dissipated: self.bank.clock.dt * power, stored: 0.5 * energy }
    }

    fn forget(&self, state: &mut [f64]) {
        self.move_on(state, true);
        state[Head::LACKS_KNOWN] = 1.0;
    }

    fn come_to_rest(&self, state: &mut [f64]) -> bool {
        state.fill(0.0);
        Head(state).set_stage(Stage::Audited);
        true
    }

    fn coast(&self, state: &mut [f64], block: &mut Block) {
        let looks = self.elsewhere(block).count().max(block.placed.len());
        if looks > PORTS || block.pushed.len() > 1 {
            return block.step_through(self, state);
        }
        for first in (0..block.steps).step_by(STEPS) {
            self.ring(state, block, first..block.steps.min(first + STEPS));
        }
    }

    fn energy(&self, state: &[f64]) -> f64 {
        let [q, ahead, v] = self.motion(state);
        0.5 * match stage(state) {
            Stage::Pushed => energy([q, ahead], &self.gain, self.stores(), state[Head::FORCE]),
            _ => modes::energy(&self.mass, v, &self.stiffness, q, self.bank.lags),
        }
    }

    fn profile<'a>(&self, state: &'a [f64]) -> Option<Cow<'a, [f64]>> {
        let sines = self.bank.sines.as_ref()?;
        let ([q, ahead, _], force) = (self.motion(state), state[Head::FORCE]);
        let place = |i: usize| match stage(state) {
            Stage::Pushed => q[i] + (ahead[i] + self.gain[i] * force),
            _ => q[i],
        };
        // half a step early or late does not show
        let mode = |i: usize| 2.0 * self.bank.unit * self.bank.root[i] / self.scale[i] * place(i);
        let modes: Vec<f64> = (0..self.bank.modes).map(mode).collect();
        Some(Cow::Owned(sines.profile(&modes)))
    }

    fn displacement(&self, state: &[f64], port: usize) -> f64 {
        let ([q, ahead, _], shape) = (self.motion(state), &self.shapes[port]);
        let sum = match stage(state) {
            Stage::Pushed => displacement(shape, [q, ahead], &self.gain, state[Head::FORCE]),
            _ => dot(shape, q),
        };
        let stored = 2.0 * self.bank.unit * sum;
        match self.bank.clock.frame {
            Frame::Midpoint => stored - 0.5 * self.bank.clock.dt * self.velocity(state, port),
            Frame::Leapfrog => stored,
        }
    }

    fn velocity(&self, state: &[f64], port: usize) -> f64 {
        let ([_, ahead, v], shape) = (self.motion(state), &self.shapes[port]);
        2.0 * match stage(state) {
            Stage::Pushed if port == self.port => own_velocity(ahead, &self.gain, state[Head::FORCE]),
            Stage::Pushed => velocity(shape, ahead, &self.gain, state[Head::FORCE]),
            // in the middle of a step only its contact asks
            Stage::Moved => state[Head::BEFORE],
            Stage::Audited if port == self.port => own_velocity(v, &self.gain, 0.0),
            Stage::Audited => dot(shape, v),
        }
    }

    fn deflect(&self, state: &mut [f64], deflection: Deflection) -> bool {
        let Parts { mut head, bank: Bank { q, ahead, .. }, v, .. } = self.parts(state);
        let shape = match deflection {
            Deflection::Static { port, .. } => &*self.bank.shapes[port],
            Deflection::Fundamental { .. } => &[],
        };
        if !self.bank.bend(q, shape, deflection) {
            return false;
        }
        self.bank.rest(q, v);
        for part in [&mut *q, &mut *v] {
            part.iter_mut().zip(&*self.scale).for_each(|(value, psi)| *value *= psi);
        }
        modes::predict(q, v, &self.bank.kept, &self.bank.pull, ahead);
        head.0[Head::FORCE] = 0.0;
        [head.0[Head::BEFORE], head.0[Head::AFTER]] = [&*v, &*ahead].map(|part| own_velocity(part, &self.gain, 0.0));
        (head.0[Head::LACKS_BEFORE], head.0[Head::LACKS_KNOWN]) = (0.0, 1.0);
        head.set_stage(Stage::Audited);
        true
    }
}
