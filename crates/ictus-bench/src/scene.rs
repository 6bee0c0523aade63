//! What is timed: banks, contacts, bows, strings and surfaces as instruments have them.

mod crowd;

pub use self::crowd::{Crowd, Crowded, Pressing};

use ictus_core::{
    BodyId, Bristles, Clock, Collision, Contact, ContactId, Damping, Deflection, Discretisation, Edge, End, Ends,
    ExplicitString, FastResonator, FreeRun, Friction, FrictionParameters, LONG_BLOCK, Law, Mass, ModalBank, Mode,
    Model, ModelBuilder, Outline, PowerLaw, Scheme, State, StringParameters, Surface, SurfaceParameters, step,
};
use std::hint::black_box;

/// Samples per second.
pub const RATE: f64 = 48_000.0;

/// The time step of everything here.
pub fn clock(scheme: Scheme) -> Clock {
    Clock::new(scheme, 1.0 / RATE)
}

/// A bank of modes up to 19 kHz with one port.
pub fn bank(clock: Clock, modes: usize) -> ModalBank {
    // close enough for a thousand of them; where there are more, they lie closer
    let distance = 19.0f64.min(19_000.0 / modes as f64);
    let list: Vec<Mode> =
        (0..modes).map(|i| Mode { frequency: 50.0 + distance * i as f64, decay: 5.0, mass: 0.1 }).collect();
    let shape = (0..modes).map(|i| if i % 2 == 0 { 1.0 } else { -0.7 }).collect();
    ModalBank::new(clock, &list, &[shape], Discretisation::Exact).expect("modes below half the sample rate")
}

/// A model, a state of it in which something happens, and how it is kept happening.
#[derive(Clone, Debug)]
pub struct Playing<'a> {
    model: &'a Model,
    /// The state now.
    pub state: State,
    hand: Hand,
    steps: usize,
}

/// What is done from outside at every step.
#[derive(Clone, Copy, Debug)]
pub enum Hand {
    /// Nothing.
    Still,
    /// A force that swells and fades, N: its mean, and by how much it differs.
    Swell(ContactId, f64, f64),
    /// A bow: its force in N, its velocity in m/s.
    Bow(ContactId, f64, f64),
}

/// Steps of a swell: 375 Hz, between the frequencies at which soft and hard contacts would answer with bouncing.
const SWELL: usize = 128;

/// Between −1 and 1, from any step of a swell on for a whole block.
static SWELLS: [f64; SWELL + LONG_BLOCK] = {
    let mut swells = [0.0; SWELL + LONG_BLOCK];
    let mut step = 0;
    while step < swells.len() {
        let phase = (step % SWELL) as f64 / SWELL as f64;
        swells[step] = 4.0 * (phase - 0.5).abs() - 1.0;
        step += 1;
    }
    swells
};

impl<'a> Playing<'a> {
    /// At rest, without the ledger.
    pub fn new(model: &'a Model, hand: Hand) -> Self {
        let mut state = State::new(model);
        state.ledger.enabled = false;
        Self { model, state, hand, steps: 0 }
    }

    /// Takes a step.
    pub fn step(&mut self) {
        self.steps += 1;
        match self.hand {
            Hand::Still => {}
            Hand::Swell(contact, mean, swing) => {
                self.state.set_input(contact, mean + swing * SWELLS[self.steps % SWELL])
            }
            Hand::Bow(contact, force, velocity) => {
                self.state.press(self.model, contact, force);
                self.state.slide(contact, velocity);
            }
        }
        step(black_box(self.model), &mut self.state);
    }

    /// Takes at most so many steps in a block, if nothing touches; returns how many.
    pub fn block(&mut self, free_run: &mut FreeRun, most: usize) -> usize {
        if let Hand::Swell(contact, mean, swing) = self.hand {
            let inputs = free_run.inputs(contact).expect("a body of constant mobility");
            let ahead = SWELLS[(self.steps + 1) % SWELL..].iter().take(most);
            inputs.iter_mut().zip(ahead).for_each(|(input, swell)| *input = mean + swing * swell);
        }
        let taken = free_run.run(black_box(self.model), &mut self.state, most);
        self.steps += taken;
        taken
    }

    /// Takes so many steps, in blocks where nothing touches; returns how many were taken singly.
    pub fn free_run(&mut self, free_run: &mut FreeRun, steps: usize) -> usize {
        let (mut left, mut singly) = (steps, 0);
        while left > 0 {
            match self.block(free_run, left) {
                0 => {
                    self.step();
                    (left, singly) = (left - 1, singly + 1);
                }
                taken => left -= taken,
            }
        }
        singly
    }

    /// The same, so many steps later.
    pub fn after(mut self, steps: usize) -> Self {
        for _ in 0..steps {
            self.step();
        }
        self
    }
}

/// A mass and a bank of modes that may touch, and a hand on the mass.
#[derive(Debug)]
pub struct Touching {
    /// Of all three.
    pub model: Model,
    /// The bank, whose port 0 is touched.
    pub bank: BodyId,
    mass: BodyId,
    contact: ContactId,
    push: ContactId,
    exponent: f64,
}

/// Of the contact, N/m^exponent.
const STIFFNESS: f64 = 1e7;

impl Touching {
    /// With a contact x^`exponent`.
    pub fn new(modes: usize, exponent: f64) -> Self {
        let clock = clock(Scheme::Midpoint);
        let mut builder = ModelBuilder::new(clock);
        let bank = builder.body("bank", bank(clock, modes));
        let mass = builder.body("mass", Mass::new(clock, 0.01, 0.0, 0.0).expect("a mass"));
        let law = Collision::new(clock, PowerLaw::new(STIFFNESS, exponent), 0.0);
        let ends = [End::port(mass, 0), End::port(bank, 0)];
        let contact = builder.contact(Contact::new("contact", ends, Law::from(law)));
        let push = builder.contact(Contact::new("push", [End::port(mass, 0), End::Wall], Law::Force));
        Self { model: builder.build().expect("a contact"), bank, mass, contact, push, exponent }
    }

    /// Pressed together, more and less, so that every sample is another one to solve.
    pub fn pressed(&self) -> Playing<'_> {
        let (force, steps) = (20.0, 1000);
        let mut playing = Playing::new(&self.model, Hand::Swell(self.push, force, 0.2 * force));
        // as deep as the force presses it: from further out it would bounce
        let depth = libm::pow(force / STIFFNESS, 1.0 / self.exponent);
        playing.state.throw(&self.model, self.mass, 0.0, Some(depth));
        let playing = playing.after(steps);
        let statistics = &playing.state.contact_statistics[self.contact.index()];
        assert!(statistics.steps as usize >= steps - 1, "apart in {} steps", steps - statistics.steps as usize);
        playing
    }

    /// The bank rings while the mass flies away.
    pub fn apart(&self) -> Playing<'_> {
        let mut playing = Playing::new(&self.model, Hand::Still);
        playing.state.throw(&self.model, self.mass, -1.0, Some(-0.01));
        playing.state.deflect(&self.model, self.bank, Deflection::Static { port: 0, displacement: 1e-4 });
        playing
    }
}

/// A string of modes with its bow.
#[derive(Debug)]
pub struct Bowed {
    model: Model,
    bow: ContactId,
}

impl Bowed {
    /// Bowed at a tenth of its length. [handbook §5]
    pub fn new(modes: usize) -> Self {
        let clock = clock(Scheme::Midpoint);
        let lowest = 196.0f64.min(0.49 * RATE / (modes + 1) as f64);
        let list: Vec<Mode> =
            (1..=modes).map(|n| Mode { frequency: lowest * n as f64, decay: 1.38, mass: 4.4e-4 }).collect();
        let shape = (1..=modes).map(|n| libm::sin(0.1 * std::f64::consts::PI * n as f64)).collect();
        let bank = ModalBank::new(clock, &list, &[shape], Discretisation::Exact).expect("a bank");
        let law = Friction::new(clock, FrictionParameters::ROSIN, Bristles::ElastoPlastic, Damping::Passive);
        let mut builder = ModelBuilder::new(clock);
        let body = builder.body("string", bank);
        let ends = [End::port(body, 0), End::Wall];
        let bow = builder.contact(Contact::new("bow", ends, law.expect("friction").into()));
        Self { model: builder.build().expect("a bowed string"), bow }
    }

    /// After a second of bowing.
    pub fn playing(&self) -> Playing<'_> {
        let playing = Playing::new(&self.model, Hand::Bow(self.bow, 3.6, 0.3)).after(48_000);
        assert!(playing.state.contact_force(self.bow) != 0.0, "the bow does not grip");
        playing
    }
}

/// A steel-like string, stiff and with losses.
pub fn string_parameters(length: f64) -> StringParameters {
    StringParameters {
        length,
        density: 0.005,
        tension: 100.0,
        stiffness: 1e-4,
        damping: 0.5,
        diffusion: 1e-3,
        kelvin_voigt: 0.0,
        ends: Ends::Supported,
    }
}

/// A body with a hand on its port 0.
#[derive(Debug)]
pub struct Pushed {
    /// Of both.
    pub model: Model,
    /// The body.
    pub body: BodyId,
    push: ContactId,
    /// Points or modes of the body.
    pub size: usize,
}

impl Pushed {
    fn new(clock: Clock, size: usize, body: impl FastResonator + 'static) -> Self {
        Self::touched(clock, size, body, 1)
    }

    /// With a hand on each of the first `ports`; only the first one pushes.
    fn touched(clock: Clock, size: usize, body: impl FastResonator + 'static, ports: usize) -> Self {
        let mut builder = ModelBuilder::new(clock);
        let body = builder.body("body", body);
        let hands: Vec<ContactId> = (0..ports)
            .map(|port| builder.contact(Contact::new("hand", [End::port(body, port), End::Wall], Law::Force)))
            .collect();
        Self { model: builder.build().expect("a pushed body"), body, push: hands[0], size }
    }

    /// A bank of modes.
    pub fn bank(modes: usize) -> Self {
        let clock = clock(Scheme::Midpoint);
        Self::new(clock, modes, bank(clock, modes))
    }

    /// A stiff string with so many points that move, explicit, pushed at one of them and heard at another, port 1. It is touched nowhere else, so it steps in its modes.
    pub fn string(points: usize) -> Self {
        Self::string_touched(points, 1)
    }

    /// The same with a hand on both ports, so that it stays on its grid.
    pub fn string_on_grid(points: usize) -> Self {
        Self::string_touched(points, 2)
    }

    fn string_touched(points: usize, hands: usize) -> Self {
        let clock = clock(Scheme::Leapfrog);
        let limit = string_parameters(1.0).spacing_limit(clock.dt);
        let parameters = string_parameters((points + 1) as f64 * limit * (1.0 + 1e-9));
        let grid = parameters.finest(clock.dt).expect("a grid");
        assert_eq!(grid.intervals, points + 1);
        // on points, as in Faust's program: between two of them, both would have to be pushed
        let ports = [3, 7].map(|tenths| (tenths * points / 10 + 1) as f64 / (points + 1) as f64);
        let string = ExplicitString::new(clock, parameters, grid, &ports).expect("a stable string");
        Self::touched(clock, points, string, hands)
    }

    /// A membrane or a plate of n × n cells with losses, its edge held.
    pub fn surface(cells: usize, plate: bool) -> Self {
        let clock = clock(Scheme::Leapfrog);
        let parameters = |side: f64| SurfaceParameters {
            outline: Outline::Rectangle([side; 2]),
            density: if plate { 4.0 } else { 0.2 },
            tension: if plate { 0.0 } else { 2000.0 },
            rigidity: if plate { 20.0 } else { 0.0 },
            poisson: 0.3,
            damping: 3.0,
            diffusion: 0.02,
            edge: if plate { Edge::Clamped } else { Edge::Supported },
        };
        let side = cells as f64 * parameters(1.0).spacing_limit(clock.dt) * (1.0 + 1e-9);
        let parameters = parameters(side);
        let grid = parameters.finest(clock.dt).expect("a grid");
        assert_eq!([grid.columns, grid.rows], [cells; 2]);
        let surface = Surface::new(clock, parameters, grid, &[[0.3, 0.4]]).expect("a stable surface");
        Self::new(clock, surface.points(), surface)
    }

    /// Moving under the hand, after some whole blocks as a render from the beginning has them.
    pub fn playing(&self) -> Playing<'_> {
        let playing = Playing::new(&self.model, Hand::Swell(self.push, 0.0, 0.1)).after(4 * LONG_BLOCK);
        assert!(playing.state.velocity(&self.model, self.body, 0) != 0.0, "nothing moves");
        playing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_that_are_pressed_stay_together() {
        for (modes, exponent) in [(1, 1.5), (30, 1.5), (1, 2.3), (30, 2.3), (100, 2.3), (300, 2.3)] {
            let scene = Touching::new(modes, exponent);
            let playing = scene.pressed().after(20_000);
            let statistics = &playing.state.contact_statistics[scene.contact.index()];
            assert!(statistics.count == 1 && statistics.steps >= 20_999, "{modes} modes, x^{exponent}: {statistics:?}");
            assert_eq!(playing.state.counts.missed, 0);
        }
    }

    #[test]
    fn a_string_touched_at_one_port_steps_in_its_modes_and_sounds_as_on_its_grid() {
        for points in [100, 200] {
            let scenes = [Pushed::string(points), Pushed::string_on_grid(points)];
            let [modes, grid] = scenes.each_ref().map(|scene| {
                let mut free_run = FreeRun::new(&scene.model, &[]).with_displacements(&[(scene.body, 1)]);
                let mut playing = scene.playing();
                let mut samples = Vec::new();
                while samples.len() < 48_000 {
                    let taken = playing.block(&mut free_run, LONG_BLOCK);
                    samples.extend((0..taken).map(|n| free_run.displacement(0, n)));
                }
                samples
            });
            assert!(modes != grid, "two methods differ in the last digits");
            let loudest = grid.iter().fold(0.0, |most: f64, u| most.max(u.abs()));
            for (n, (mode, grid)) in modes.iter().zip(&grid).enumerate() {
                assert!(loudest > 0.0 && (mode - grid).abs() < 1e-10 * loudest, "{points} points, step {n}");
            }
        }
    }

    #[test]
    fn bodies_that_are_apart_move_in_blocks() {
        let scene = Touching::new(30, 2.3);
        let mut free_run = FreeRun::new(&scene.model, &[(scene.bank, 0)]);
        let mut playing = scene.apart();
        let singly: usize = (0..100).map(|_| playing.free_run(&mut free_run, 256)).sum();
        assert!(singly < 800, "{singly} single steps");
        assert!(playing.state.velocity(&scene.model, scene.bank, 0) != 0.0, "nothing rings");
    }
}
