//! Strings against barriers, built once for all figures.
//!
//! A barrier is a row of posts: at each, a collision between the wall and the string with gap coordinate
//! η = z − u, positive when the string is below the barrier's height z. On the explicit string posts on grid points are
//! islands of one contact; on the implicit and the modal string they are one island.

use ictus_core::{
    BodyId, BuildError, Clock, Collision, Contact, ContactId, Deflection, Discretisation, End, Ends, ExplicitString,
    Gradient, ImplicitString, Law, ModalBank, Mode, Model, ModelBuilder, PowerLaw, Quadratised, Scheme, State,
    StringParameters,
};

/// How a contact is discretised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactMethod {
    /// Discrete gradient: IT-1 in the midpoint scheme, IT-2 in leapfrog.
    Iterative,
    /// Energy quadratisation with the gradient of the handbook (`var4`): N-IT.
    NonIterative,
}

impl ContactMethod {
    /// The law of a lossless contact K η^α.
    pub fn law(self, clock: Clock, stiffness: f64, exponent: f64) -> Law {
        let power = PowerLaw::new(stiffness, exponent);
        match self {
            Self::Iterative => Collision::new(clock, power, 0.0).into(),
            Self::NonIterative => Quadratised::new(clock, power, Gradient::Current).into(),
        }
    }
}

/// How the string is discretised in space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Medium {
    /// Finite differences, midpoint rule. [CW14 eq. 22]
    Implicit,
    /// Finite differences, explicit. Leapfrog is [D21 eq. 43].
    Explicit(Scheme),
    /// This many modes, leapfrog. The paper's plain rule sharpens high modes [D21 eq. 48]; exact poles do not.
    Modal(usize, Discretisation),
}

/// A point of a barrier.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Post {
    /// Place along the string, m.
    pub x: f64,
    /// z, m.
    pub height: f64,
    /// K, N/m^α.
    pub stiffness: f64,
}

/// What to build.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The string.
    pub string: StringParameters,
    /// N: posts and readings are on its grid, whatever the medium.
    pub intervals: usize,
    /// Samples per second.
    pub rate: f64,
    /// Discretisation of the string.
    pub medium: Medium,
    /// Discretisation of the contacts.
    pub method: ContactMethod,
    /// α.
    pub exponent: f64,
    /// The barrier.
    pub posts: Vec<Post>,
}

/// A string with its barrier, ready to run.
#[derive(Debug)]
pub struct Rig {
    /// The model.
    pub model: Model,
    /// The string in it.
    pub string: BodyId,
    /// One contact per post.
    pub contacts: Vec<ContactId>,
    intervals: usize,
    length: f64,
    point_mass: f64, // kg per grid point
}

/// Largest grid: the implicit string and dense islands keep a matrix of its square.
const MAX_INTERVALS: usize = 4000;
/// Longest run: a recording keeps several numbers per step.
const MAX_STEPS: f64 = 5e6;

fn refused(what: &'static str, value: f64, limit: f64) -> BuildError {
    BuildError::Parameter { what, value, expected: format!("at most {limit}: the figure would take too long") }
}

/// Steps of a run, refused where it would never end.
pub fn step_count(seconds: f64, rate: f64) -> Result<usize, BuildError> {
    let steps = seconds * rate;
    if steps <= MAX_STEPS { Ok(steps as usize) } else { Err(refused("number of time steps", steps, MAX_STEPS)) }
}

/// Refuses grids that would not fit.
pub fn check_grid(intervals: usize) -> Result<usize, BuildError> {
    if intervals <= MAX_INTERVALS {
        Ok(intervals)
    } else {
        Err(refused("number of grid intervals", intervals as f64, MAX_INTERVALS as f64))
    }
}

/// The port at the middle of the string; the others follow at the grid points 1 … N − 1, then between them.
pub const MIDDLE: usize = 0;

/// A lossless flexible string.
pub fn flexible(length: f64, density: f64, tension: f64) -> StringParameters {
    StringParameters {
        length,
        density,
        tension,
        stiffness: 0.0,
        damping: 0.0,
        diffusion: 0.0,
        kelvin_voigt: 0.0,
        ends: Ends::Supported,
    }
}

/// One post per grid point for a barrier given as height and stiffness density (N/m^(α+1)) over x; none where `at` gives none.
pub fn distributed(length: f64, intervals: usize, at: impl Fn(f64) -> Option<(f64, f64)>) -> Vec<Post> {
    let spacing = length / intervals as f64;
    (1..intervals)
        .map(|i| i as f64 * spacing)
        .filter_map(|x| at(x).map(|(height, density)| Post { x, height, stiffness: density * spacing }))
        .collect()
}

/// The fraction of the length at which grid point `i` of `n` lies exactly: i/n may round to a neighbour whose product with n
/// is not i, and a port there would touch two grid points.
pub fn node(i: usize, n: usize) -> f64 {
    let (wanted, n) = (i as f64, n as f64);
    let near = wanted / n;
    [near, near.next_up(), near.next_down()].into_iter().find(|p| p * n == wanted).unwrap_or(near)
}

impl Setup {
    /// The clock that the medium asks for.
    pub fn clock(&self) -> Clock {
        let scheme = match self.medium {
            Medium::Implicit => Scheme::Midpoint,
            Medium::Explicit(scheme) => scheme,
            Medium::Modal(..) => Scheme::Leapfrog,
        };
        Clock::new(scheme, 1.0 / self.rate)
    }

    /// Builds the model.
    pub fn build(&self) -> Result<Rig, BuildError> {
        let (clock, n) = (self.clock(), check_grid(self.intervals)?);
        let mut positions: Vec<f64> = std::iter::once(0.5).chain((1..n).map(|i| node(i, n))).collect();
        let ports: Vec<usize> =
            self.posts.iter().map(|post| port_at(post.x / self.string.length, n, &mut positions)).collect();
        let mut builder = ModelBuilder::new(clock);
        let grid = self.string.grid(n);
        let string = match self.medium {
            Medium::Implicit => builder.body("string", ImplicitString::new(clock, self.string, grid, &positions)?),
            Medium::Explicit(_) => builder.body("string", ExplicitString::new(clock, self.string, grid, &positions)?),
            Medium::Modal(count, rule) => {
                builder.body("string", modal(clock, &self.string, (count, rule), &positions)?)
            }
        };
        let contacts = self
            .posts
            .iter()
            .zip(ports)
            .enumerate()
            .map(|(i, (post, port))| {
                let law = self.method.law(clock, post.stiffness, self.exponent);
                let ends = [End::Wall, End::port(string, port)];
                builder.contact(Contact::new(format!("post {i}"), ends, law).with_gap(-post.height))
            })
            .collect();
        let point_mass = self.string.density * grid.spacing;
        Ok(Rig { model: builder.build()?, string, contacts, intervals: n, length: self.string.length, point_mass })
    }
}

/// The port at a fraction of the length: that of the grid point if it lies on one, else a new one.
fn port_at(fraction: f64, n: usize, positions: &mut Vec<f64>) -> usize {
    let cell = fraction * n as f64;
    let nearest = cell.round();
    // a place given in metres misses its grid point by rounding only
    if (cell - nearest).abs() < 1e-9 && (1.0..n as f64).contains(&nearest) {
        return nearest as usize;
    }
    positions.push(fraction);
    positions.len() - 1
}

/// Modes of a lossless supported string. [D21 eq. 45]
fn modal(
    clock: Clock,
    string: &StringParameters,
    (count, discretisation): (usize, Discretisation),
    positions: &[f64],
) -> Result<ModalBank, BuildError> {
    let fundamental = (string.tension / string.density).sqrt() / (2.0 * string.length);
    let mass = 0.5 * string.density * string.length;
    let modes: Vec<Mode> =
        (1..=count).map(|m| Mode { frequency: fundamental * m as f64, decay: f64::INFINITY, mass }).collect();
    let shape = |x: f64| (1..=count).map(|m| libm::sin(std::f64::consts::PI * m as f64 * x)).collect();
    let shapes: Vec<Vec<f64>> = positions.iter().map(|&x| shape(x)).collect();
    ModalBank::new(clock, &modes, &shapes, discretisation)
}

impl Rig {
    /// A state in which the string is displaced to half a sine and released.
    pub fn released(&self, amplitude: f64) -> State {
        let mut state = State::new(&self.model);
        state.deflect(&self.model, self.string, Deflection::Fundamental { displacement: amplitude });
        state
    }

    /// Displacement of the middle, m.
    pub fn middle(&self, state: &State) -> f64 {
        state.displacement(&self.model, self.string, MIDDLE)
    }

    /// Displacement at all grid points, ends included, m.
    pub fn shape(&self, state: &State) -> Vec<f64> {
        self.read(|port| state.displacement(&self.model, self.string, port))
    }

    /// The shape as the papers draw it: now in the midpoint scheme, the mean of now and one step before in leapfrog. [D21 Fig. 5]
    pub fn drawn_shape(&self, state: &State) -> Vec<f64> {
        let Clock { scheme, dt } = self.model.clock();
        if scheme == Scheme::Midpoint {
            return self.shape(state);
        }
        let half = 0.5 * dt;
        self.read(|port| {
            let velocity = state.velocity(&self.model, self.string, port);
            state.displacement(&self.model, self.string, port) - half * velocity
        })
    }

    fn read(&self, at: impl Fn(usize) -> f64) -> Vec<f64> {
        let inner = (1..self.intervals).map(at);
        std::iter::once(0.0).chain(inner).chain(std::iter::once(0.0)).collect()
    }

    /// Kinetic energy of the string, J: at n in the midpoint scheme, at n − ½ in leapfrog.
    pub fn kinetic(&self, state: &State) -> f64 {
        let squares =
            self.read(|port| state.velocity(&self.model, self.string, port)).iter().map(|v| v * v).sum::<f64>();
        0.5 * self.point_mass * squares
    }

    /// Places of all grid points, ends included, m.
    pub fn places(&self) -> Vec<f64> {
        (0..=self.intervals).map(|i| self.length * i as f64 / self.intervals as f64).collect()
    }

    /// Force of the barrier on the string over the last step, N.
    pub fn force(&self, state: &State) -> f64 {
        self.contacts.iter().map(|&contact| state.contact_force(contact)).sum()
    }

    /// Energy stored in the barrier, J.
    pub fn barrier_energy(&self, state: &State) -> f64 {
        self.contacts.iter().map(|&contact| state.contact_energy(&self.model, contact)).sum()
    }
}
