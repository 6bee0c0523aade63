//! Single-port bank: a modal bank touched at one port only, in the coordinates of that port.
//!
//! Model and scheme are those of [`ModalBank`]. The state of a mode is its contribution to the port, ψ v and ψ q̃ instead of v and q̃: then the port moves with
//! v̄ = Σ (v + v⁺), and a force adds w f to v with w = ψ², of which the mobility is the sum.
//! A step ends by storing the force, not by applying it: q̃ and v° stay as they were, readers compute v⁺ = v° + w f and q̃⁺ = q̃ + v⁺ from them, and the
//! next step begins by applying the force. So v is stored only in audited steps, and contacts do not wait for the modes. [`ictus_kernels::single_port`]
//! Limits: a mode with a node at the port gets 2⁻⁶⁴ of the largest ψ, far below the last digit of the port's motion.

mod head;

use super::{GridString, ModalBank};
use crate::clock::Scheme;
use crate::paths::{Special, takes};
use crate::resonator::capabilities::interpolated;
use crate::resonator::string_explicit::MOST_MODES;
use crate::resonator::{
    Audit, Block, Capabilities, Deflect, Deflection, FastResonator, Kick, Resonator, Shape, Tuning,
};
use head::{HEAD, Head, Stage};
use ictus_kernels::single_port::{
    Answers, Fed, PORTS, STEPS, SinglePortBlock, SinglePortModes, Stores, displacement, energy, feed_back,
    feed_back_audited, feed_back_in_parts, foresee, is_parted, own_velocity, ring, speeds, velocity,
};
use ictus_kernels::{Aligned, LANES, dot, modes, spaced};
use std::ops::Range;

/// Smallest |ψ| of a mode relative to the largest, 2⁻⁶⁴: the port's coordinates divide by ψ.
const LEAST: f64 = 1.0 / (1u128 << 64) as f64;
/// Range of mobilities, m/s per N, whose squares, and those of single modes, are normal numbers.
const USUAL: std::ops::Range<f64> = 1e-100..1e100;

/// A bank in the coordinates of its only touched port. State: [`Head`], the foreseen part of Σ v° lane by lane, q̃, v°, v.
#[derive(Clone, Debug)]
pub(super) struct SinglePortBank {
    bank: ModalBank,
    port: usize,
    pitch: usize,          // distance between q̃, v° and v in the state
    answers: Vec<Answers>, // a, b, w
    gain: Aligned,         // w, m/s per N
    scale: Aligned,        // ψ of the touched port
    shapes: Vec<Aligned>,  // ψ of every port over that of the touched one
    mass: Aligned,         // that of the bank over w, as are the next two
    stiffness: Aligned,
    resistance: Aligned,
    ratio: Aligned, // what a retuning multiplies the state by: φ over former φ
    mobility: f64,  // Y = Σ w, m/s per N
    foreseen: f64,  // G: change of the foreseen part of Σ v° in the next step per force, m/s per N
}

/// Offset of q̃ in the state.
const MODES: usize = HEAD + LANES;

/// Computes the foreseen part of Σ v° if it is missing.
fn complete_foreseen(head: &mut Head<&mut [f64]>, foreseen_sum: &mut [f64; LANES], bank: &SinglePortModes) {
    if head.is_foreseen_missing() {
        *foreseen_sum = foresee(bank.q, bank.ahead, bank.answers);
        head.set_foreseen_missing(false);
    }
}

/// A state, split into its parts.
struct Parts<'a> {
    head: Head<&'a mut [f64]>,
    foreseen_sum: &'a mut [f64; LANES],
    bank: SinglePortModes<'a>,
    v: &'a mut [f64],
}

impl SinglePortBank {
    /// `bank` in the coordinates of `port`. None if a port of the bank can move, or if the mobility is outside the [usual range](USUAL).
    pub fn new(bank: &ModalBank, port: usize) -> Option<Self> {
        if bank.tracks.iter().any(Option::is_some) || !USUAL.contains(&bank.mobility(port, port)) {
            return None;
        }
        let n = bank.padded;
        let zeros = || Aligned::new(0.0, n);
        let answers = Answers { kept: [0.0; LANES], pull: [0.0; LANES], gain: [0.0; LANES] };
        let mut single = Self {
            port,
            pitch: spaced(n, 3),
            answers: vec![answers; n / LANES],
            shapes: bank.shapes.iter().map(|_| zeros()).collect(),
            gain: zeros(),
            scale: zeros(),
            mass: zeros(),
            stiffness: zeros(),
            resistance: zeros(),
            ratio: zeros(),
            foreseen: 0.0,
            mobility: 0.0,
            bank: bank.clone(),
        };
        single.find_coefficients();
        Some(single)
    }

    /// Computes all coefficients from those of the bank.
    fn find_coefficients(&mut self) {
        let Self { bank, port, answers, gain, scale, mass, stiffness, resistance, .. } = self;
        let shape = &bank.shapes[*port];
        let modes = bank.modes;
        let least = LEAST * shape.iter().fold(0.0, |most: f64, psi| most.max(psi.abs()));
        for (scale, psi) in scale[..modes].iter_mut().zip(&shape[..modes]) {
            *scale = if psi.abs() < least { least.copysign(*psi) } else { *psi };
        }
        for (gain, psi) in gain.iter_mut().zip(&**scale) {
            *gain = psi * psi;
        }
        let eights = [&bank.kept, &bank.pull, &*gain].map(|part| part.as_chunks::<LANES>().0);
        for (at, answers) in answers.iter_mut().enumerate() {
            let [kept, pull, gain] = eights.map(|eights| eights[at]);
            *answers = Answers { kept, pull, gain };
        }
        // after a unit force v = w and q̃ = w; `resistance` holds the zeros of v̄ until it is computed
        resistance.fill(0.0);
        self.foreseen = foresee(resistance, gain, answers).iter().sum();
        let over = |out: &mut [f64], part: &[f64], by: &[f64]| {
            for ((out, part), by) in out[..modes].iter_mut().zip(part).zip(by) {
                *out = part / by;
            }
        };
        over(mass, &bank.mass, gain);
        over(stiffness, &bank.stiffness, gain);
        over(resistance, &bank.resistance, gain);
        for (out, shape) in self.shapes.iter_mut().zip(&bank.shapes) {
            over(out, shape, scale);
        }
        self.mobility = bank.mobility(*port, *port);
    }

    /// φ of the touched port, by which the motion of a mode is scaled; at a node the least instead.
    fn form(&self, i: usize) -> f64 {
        let (scale, psi) = (self.scale[i], self.bank.shapes[self.port][i]);
        // exact, so that states stay as they are if φ does
        if scale == psi { self.bank.form(self.port)[i] } else { scale / self.bank.root()[i] }
    }

    #[inline(always)]
    fn parts<'a>(&'a self, state: &'a mut [f64]) -> Parts<'a> {
        let n = self.bank.padded;
        let (head, rest) = state.split_at_mut(HEAD);
        let (foreseen_sum, rest) = rest.split_first_chunk_mut().expect("lanes after the head");
        let (q, rest) = rest.split_at_mut(self.pitch);
        let (ahead, v) = rest.split_at_mut(self.pitch);
        let bank = SinglePortModes { q: &mut q[..n], ahead: &mut ahead[..n], answers: &self.answers };
        Parts { head: Head::new(head), foreseen_sum, bank, v: &mut v[..n] }
    }

    /// q̃, v° and v.
    fn motion<'a>(&self, state: &'a [f64]) -> [&'a [f64]; 3] {
        [0, 1, 2].map(|part| &state[MODES + part * self.pitch..][..self.bank.padded])
    }

    fn stores(&self) -> Stores<'_> {
        let Self { mass, stiffness, resistance, .. } = self;
        Stores { mass, stiffness, resistance, lags: self.bank.lags }
    }

    /// Applies the last force unless it has been applied; stores v if the next step is `audited`.
    #[inline(never)]
    fn move_on(&self, state: &mut [f64], audited: bool) {
        if Head::new(&*state).stage() != Stage::Pushed {
            return;
        }
        let Parts { mut head, foreseen_sum, bank, v } = self.parts(state);
        let force = head.force();
        if head.is_before_missing() {
            head.set_before(own_velocity(bank.ahead, &self.gain, force));
            head.set_before_missing(false);
        }
        complete_foreseen(&mut head, foreseen_sum, &bank);
        if audited {
            speeds(bank.ahead, &self.gain, force, v);
        }
        self.apply_force(state);
        Head::new(state).set_stage(if audited { Stage::Audited } else { Stage::Moved });
    }

    /// Ends a change of the state from outside, after which `v` and `ahead` are those of the next step.
    fn begin(&self, mut head: Head<&mut [f64]>, v: &[f64], ahead: &[f64]) {
        let [before, after] = [v, ahead].map(|part| own_velocity(part, &self.gain, 0.0));
        head.set_before(before);
        head.set_after(after);
        head.set_before_missing(false);
        head.set_foreseen_missing(true);
        head.set_stage(Stage::Audited);
    }

    /// Applies the last force; no sum may be missing. Returns Σ v°, m/s.
    #[inline(always)]
    fn apply_force(&self, state: &mut [f64]) -> f64 {
        let force = Head::new(&*state).force();
        let fed = if is_parted(self.answers.len()) {
            self.apply_force_in_parts(state)
        } else {
            feed_back(&mut state[HEAD..], self.pitch, &self.answers, force)
        };
        let after = fed + self.foreseen * force;
        Head::new(state).set_after(after);
        after
    }

    // separate: inlined, it would slow down small banks
    #[inline(never)]
    fn apply_force_in_parts(&self, state: &mut [f64]) -> f64 {
        let mut head = Head::new(&mut *state);
        let (force, backwards) = (head.force(), head.alternate_direction());
        feed_back_in_parts(&mut state[HEAD..], self.pitch, &self.answers, force, backwards)
    }

    /// Takes the steps `span` of a block.
    fn ring(&self, state: &mut [f64], block: &mut Block, span: Range<usize>) {
        let mut shapes = [&[][..]; PORTS];
        let mut others = 0;
        for port in self.other_ports(block) {
            shapes[others] = &self.shapes[port];
            others += 1;
        }
        // without other ports, saves clearing the buffer
        if others == 0 {
            self.ring_recording(state, block, span, &[], &mut []);
        } else {
            let mut velocities = [0.0; STEPS * PORTS];
            let velocities = &mut velocities[..span.len() * others];
            self.ring_recording(state, block, span, &shapes[..others], velocities);
        }
    }

    /// Ports other than the touched one whose velocity the block needs: its velocity ports and, in the midpoint scheme, its displacement ports.
    fn other_ports<'a>(&self, block: &Block<'a>) -> impl Iterator<Item = usize> + use<'a> {
        let port = self.port;
        block.velocity_ports.iter().chain(self.moving(block)).copied().filter(move |other| *other != port)
    }

    /// Ports whose displacement is half a step behind q̃: all displacement ports in the midpoint scheme.
    fn moving<'a>(&self, block: &Block<'a>) -> &'a [usize] {
        match self.bank.clock.scheme {
            Scheme::Midpoint => block.displacement_ports,
            Scheme::Leapfrog => &[],
        }
    }

    /// As [`ring`](Self::ring); `velocity_ports` holds the shapes of the [other ports](Self::other_ports), `velocities` is a buffer for their Σ shape·v of each step.
    fn ring_recording(
        &self,
        state: &mut [f64],
        block: &mut Block,
        span: Range<usize>,
        velocity_ports: &[&[f64]],
        velocities: &mut [f64],
    ) {
        let (first, steps) = (span.start, span.len());
        self.move_on(state, block.audited);
        let Parts { mut head, mut bank, v, .. } = self.parts(state);
        let (free_ports, pushed) = (!block.free_ports.is_empty(), !block.pushed.is_empty());
        let forces = if pushed { &block.forces[span.clone()] } else { &[] };
        let records_own = velocity_ports.len() < block.velocity_ports.len() + self.moving(block).len();
        let mut own = [0.0; STEPS];
        let own = &mut own[..if records_own || !pushed { steps } else { 0 }];
        let mut ahead = if free_ports && pushed { Some([0.0; STEPS]) } else { None };
        let ahead = ahead.as_mut().map_or(&mut [][..], |scratch| &mut scratch[..steps - 1]);
        let lost = &mut block.lost[span];
        let losses: [&[f64]; 2] = if block.audited { [&self.resistance, v] } else { [&[]; 2] };
        let mut shapes = [&[][..]; PORTS];
        for (shape, &port) in shapes.iter_mut().zip(block.displacement_ports) {
            *shape = &self.shapes[port];
        }
        let displacement_ports = &shapes[..block.displacement_ports.len()];
        let displacements =
            &mut block.displacements.0[first * displacement_ports.len()..][..steps * displacement_ports.len()];
        let mut io = SinglePortBlock {
            steps,
            forces,
            own,
            ahead,
            velocity_ports,
            velocities,
            displacement_ports,
            displacements,
            losses,
            power: lost,
        };
        ring(&mut bank, &mut io);
        if block.audited {
            lost.iter_mut().for_each(|lost| *lost *= self.bank.clock.dt);
        }
        displacements.iter_mut().for_each(|sum| *sum *= 2.0 * self.bank.unit);
        self.record(block, first, own, (velocity_ports.len(), velocities));
        let starts = [head.before(), head.after()];
        let free = &mut block.free.0[first * block.free_ports.len()..][..if free_ports { steps } else { 0 }];
        let before = match (pushed, free_ports) {
            (false, _) => unforced_free_velocities(starts, own, free),
            (true, true) => self.forced_free_velocities(starts, forces, ahead, free),
            // marked as missing below: summed when it is needed
            (true, false) => 0.0,
        };
        head.set_force(forces.last().copied().unwrap_or(0.0));
        head.set_before(before);
        head.set_before_missing(!free_ports && pushed);
        head.set_foreseen_missing(true);
        head.set_stage(Stage::Pushed);
    }

    /// Writes the velocities of the block from step `first` on, and moves its displacements half a step back where they are ahead. `own` holds Σ v of the touched port step by
    /// step; `velocities` the sums of the other ports, `others` per step.
    fn record(&self, block: &mut Block, first: usize, own: &[f64], (others, velocities): (usize, &[f64])) {
        let mut used = 0;
        // sums of a port and their stride; other ports follow each other in the order of `other_ports`
        let mut next = |port: usize| {
            if port == self.port {
                return (own, 1);
            }
            used += 1;
            (&velocities[used - 1..], others)
        };
        let width = block.velocity_ports.len();
        let rows = &mut block.velocities.0[first * width..];
        for (column, &port) in block.velocity_ports.iter().enumerate() {
            spread(&mut rows[column..], width, next(port), |v, out| *out = 2.0 * v);
        }
        let (width, moving) = (block.displacement_ports.len(), self.moving(block));
        let rows = &mut block.displacements.0[first * width..];
        for (column, &port) in moving.iter().enumerate() {
            spread(&mut rows[column..], width, next(port), |v, out| *out -= 0.5 * self.bank.clock.dt * (2.0 * v));
        }
    }

    /// Writes v̄° of the touched port in steps with `forces` (N) and returns Σ v after them, m/s. Begins with Σ v and Σ v°; `ahead` is Σ v° without G f after every step but the last.
    fn forced_free_velocities(
        &self,
        [mut before, mut after]: [f64; 2],
        forces: &[f64],
        ahead: &[f64],
        free: &mut [f64],
    ) -> f64 {
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

/// Applies `put` to every `stride`th value and every `width`th element of `out`. The contiguous case is separate, so that it vectorises.
#[inline(always)]
fn spread(out: &mut [f64], width: usize, (values, stride): (&[f64], usize), put: impl Fn(f64, &mut f64)) {
    if width == 1 && stride == 1 {
        out.iter_mut().zip(values).for_each(|(out, value)| put(*value, out));
    } else {
        out.iter_mut().step_by(width).zip(values.iter().step_by(stride)).for_each(|(out, value)| put(*value, out));
    }
}

/// As [`forced_free_velocities`](SinglePortBank::forced_free_velocities) without forces: Σ v° is Σ v of the next step, in `own`. Adds a force of zero, which turns −0 into 0, for the
/// same bits.
fn unforced_free_velocities([before, after]: [f64; 2], own: &[f64], free: &mut [f64]) -> f64 {
    const NO_FORCE: f64 = 0.0;
    if let [first, rest @ ..] = free {
        *first = before + after;
        if let [second, rest @ ..] = rest {
            *second = (after + NO_FORCE) + own[1];
            for (free, pair) in rest.iter_mut().zip(own[1..].windows(2)) {
                *free = (pair[0] + NO_FORCE) + pair[1];
            }
        }
    }
    if let [_, .., last] = own { last + NO_FORCE } else { after + NO_FORCE }
}

impl Resonator for SinglePortBank {
    fn port_count(&self) -> usize {
        self.bank.port_count()
    }

    fn state_len(&self) -> usize {
        MODES + 2 * self.pitch + self.bank.padded
    }

    fn free_velocities(&self, state: &mut [f64], ports: &[usize], out: &mut [f64]) {
        // stores v, because the step may be audited
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
        self.advance_single_port(state, self.port, forces.iter().sum());
        0.0
    }

    fn energy(&self, state: &[f64]) -> f64 {
        let [q, ahead, v] = self.motion(state);
        let head = Head::new(state);
        0.5 * match head.stage() {
            Stage::Pushed => energy([q, ahead], &self.gain, self.stores(), head.force()),
            _ => modes::energy(&self.mass, v, &self.stiffness, q, self.bank.lags),
        }
    }

    fn displacement(&self, state: &[f64], port: usize) -> f64 {
        let ([q, ahead, _], shape) = (self.motion(state), &self.shapes[port]);
        let head = Head::new(state);
        let sum = match head.stage() {
            Stage::Pushed => displacement(shape, [q, ahead], &self.gain, head.force()),
            _ => dot(shape, q),
        };
        let stored = 2.0 * self.bank.unit * sum;
        match self.bank.clock.scheme {
            Scheme::Midpoint => stored - 0.5 * self.bank.clock.dt * self.velocity(state, port),
            Scheme::Leapfrog => stored,
        }
    }

    fn velocity(&self, state: &[f64], port: usize) -> f64 {
        let ([_, ahead, v], shape) = (self.motion(state), &self.shapes[port]);
        let head = Head::new(state);
        2.0 * match head.stage() {
            Stage::Pushed if port == self.port => own_velocity(ahead, &self.gain, head.force()),
            Stage::Pushed => velocity(shape, ahead, &self.gain, head.force()),
            // within a step only the contact at the touched port reads a velocity
            Stage::Moved => head.before(),
            Stage::Audited if port == self.port => own_velocity(v, &self.gain, 0.0),
            Stage::Audited => dot(shape, v),
        }
    }

    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities { kick: Some(self), deflect: Some(self), shape: Some(self), ..Capabilities::default() }
    }
}

impl FastResonator for SinglePortBank {
    fn free_velocity(&self, state: &mut [f64], _port: usize, audited: bool) -> f64 {
        if !audited && Head::new(&*state).is_ready() {
            let after = self.apply_force(state);
            let mut head = Head::new(state);
            head.set_stage(Stage::Moved);
            return head.before() + after;
        }
        self.move_on(state, audited);
        let head = Head::new(&*state);
        head.before() + head.after()
    }

    fn advance_single_port(&self, state: &mut [f64], _port: usize, force: f64) {
        Head::new(state).push(force, self.mobility);
    }

    fn advance_audited(&self, state: &mut [f64], _ports: &[usize], forces: &[f64]) -> Audit {
        debug_assert_eq!(Head::new(&*state).stage(), Stage::Audited, "v is not stored");
        let force: f64 = forces.iter().sum();
        let Parts { mut head, foreseen_sum, mut bank, v } = self.parts(state);
        complete_foreseen(&mut head, foreseen_sum, &bank);
        let Fed { ahead, power, energy } = feed_back_audited(&mut bank, v, self.stores(), force, foreseen_sum);
        head.push(force, self.mobility);
        head.set_after(ahead + self.foreseen * force);
        head.set_stage(Stage::Audited);
        Audit { dissipated: self.bank.clock.dt * power, stored: 0.5 * energy }
    }

    fn forget(&self, state: &mut [f64]) {
        self.move_on(state, true);
        Head::new(state).set_foreseen_missing(true);
    }

    fn come_to_rest(&self, state: &mut [f64]) -> bool {
        state.fill(0.0);
        Head::new(state).set_stage(Stage::Audited);
        true
    }

    fn retune(&mut self, tuning: &mut Tuning) -> bool {
        for i in 0..self.bank.modes {
            self.ratio[i] = self.form(i);
        }
        if !self.bank.retune(tuning) {
            return false;
        }
        if !USUAL.contains(&self.bank.mobility(self.port, self.port)) {
            self.bank.revert();
            return false;
        }
        self.find_coefficients();
        for i in 0..self.bank.modes {
            self.ratio[i] = self.form(i) / self.ratio[i];
        }
        true
    }

    fn carry(&self, state: &mut [f64]) {
        let Parts { head, bank: SinglePortModes { q, ahead, .. }, v, .. } = self.parts(state);
        for ((q, v), ratio) in q.iter_mut().zip(v.iter_mut()).zip(&*self.ratio) {
            *q *= ratio;
            *v *= ratio;
        }
        modes::predict(q, v, &self.bank.kept, &self.bank.pull, ahead);
        self.begin(head, v, ahead);
    }

    fn run_block(&self, state: &mut [f64], block: &mut Block) {
        let io = self.other_ports(block).count().max(block.displacement_ports.len());
        if io > PORTS || block.pushed.len() > 1 || !takes(Special::SinglePortBlock, block.steps) {
            return block.step_through(self, state);
        }
        for first in (0..block.steps).step_by(STEPS) {
            self.ring(state, block, first..block.steps.min(first + STEPS));
        }
    }
}

impl Deflect for SinglePortBank {
    fn deflect(&self, state: &mut [f64], deflection: Deflection) -> bool {
        let Parts { mut head, bank: SinglePortModes { q, ahead, .. }, v, .. } = self.parts(state);
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
        head.set_force(0.0);
        self.begin(head, v, ahead);
        true
    }
}

impl Kick for SinglePortBank {
    fn kick(&self, state: &mut [f64], port: usize, impulse: f64) {
        self.forget(state);
        let Parts { head, bank: SinglePortModes { q, ahead, .. }, v, .. } = self.parts(state);
        let lead = self.bank.lead();
        let gains = self.gain.iter().zip(&*self.bank.impulse_gain);
        for (((q, v), shape), (own, gain)) in q.iter_mut().zip(v.iter_mut()).zip(&*self.shapes[port]).zip(gains) {
            let jump = shape * own * gain * impulse;
            *v += jump;
            *q += lead * jump;
        }
        modes::predict(q, v, &self.bank.kept, &self.bank.pull, ahead);
        self.begin(head, v, ahead);
    }
}

impl Shape for SinglePortBank {
    fn profile_len(&self) -> usize {
        self.bank.string.as_ref().map_or(0, |string| string.sines.intervals() + 1)
    }

    fn profile_into(&self, state: &[f64], out: &mut [f64]) -> bool {
        let mut modes = [0.0; MOST_MODES];
        let (Some(GridString { sines, .. }), Some(modes)) = (&self.bank.string, modes.get_mut(..self.bank.modes))
        else {
            return false;
        };
        let ([q, ahead, _], head) = (self.motion(state), Head::new(state));
        let displaced = |i: usize| match head.stage() {
            Stage::Pushed => q[i] + (ahead[i] + self.gain[i] * head.force()),
            _ => q[i],
        };
        // in the midpoint scheme half a step ahead, which a plot does not show
        let mode = |i: usize| 2.0 * self.bank.unit * self.bank.root[i] / self.scale[i] * displaced(i);
        for (i, displacement) in modes.iter_mut().enumerate() {
            *displacement = mode(i);
        }
        interpolated(self.profile_len(), out, |point| sines.sum(modes, point))
    }
}
