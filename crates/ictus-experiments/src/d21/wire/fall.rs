//! The wire and the membrane, stepped by one method and recorded.

use super::super::Named;
use super::{FRAME_STEPS, FRAMES, SNAPSHOT_S};
use crate::figure::Values;
use crate::rig::{check_grid, flexible, node, step_count};
use ictus_core::{
    BodyId, BuildError, Clock, Contact, ContactId, Deflection, Edge, End, ExplicitString, Model, ModelBuilder, Outline,
    State, Surface, SurfaceParameters, SurfaceShape, step,
};

/// Points of the maps from edge to edge.
pub const MAP: usize = 61;

/// A run of one method, one number per step.
#[derive(Default)]
pub struct Run {
    pub time: Vec<f64>,
    /// Sum of all contacts, N.
    pub force: Vec<f64>,
    pub energy: Vec<f64>,
    /// Energy of the membrane over the initial energy.
    pub membrane: Vec<f64>,
    pub least_force: f64,
    /// Energy left in contacts while all are apart, over the initial energy.
    pub stale: f64,
    pub iterations: Vec<u32>,
    pub missed: u64,
    /// Snapshots and frames of the animation.
    pub shapes: Vec<Shape>,
    /// Intervals of the wire, cells across the membrane.
    pub cells: [usize; 2],
}

/// Wire and membrane at one step.
pub struct Shape {
    pub step: usize,
    /// Height of the wire over the membrane at rest.
    pub wire: Vec<f64>,
    /// The membrane below the wire.
    pub below: Vec<f64>,
    /// Displacements on a square grid over the disc; not-a-number outside. Empty in frames of the animation.
    pub map: Vec<f64>,
}

/// A wire over a membrane, with a contact at each of its grid points.
struct Pair {
    model: Model,
    wire: BodyId,
    membrane: BodyId,
    contacts: Vec<ContactId>,
    /// Height of the wire at rest, m.
    gap: f64,
    cells: [usize; 2],
}

impl Pair {
    fn build(values: &Values, named: Named) -> Result<Self, BuildError> {
        let clock = Clock::new(named.scheme, 1.0 / values.get("rate"));
        let wire = flexible(values.get("length"), values.get("density"), values.get("tension"));
        let cells = wire.finest(clock.dt)?;
        let n = check_grid(cells.intervals)?;
        let surface = membrane(values);
        let fractions: Vec<f64> = (1..n).map(|i| node(i, n)).collect();
        let half = 0.5 * wire.length / values.get("radius");
        let line: Vec<[f64; 2]> = fractions.iter().map(|x| [values.get("place"), half * (1.0 - 2.0 * x)]).collect();
        let membrane = Surface::new(clock, surface, surface.finest(clock.dt)?, &line)?;
        let columns = membrane.grid().columns;
        let gap = values.get("gap");
        let mut builder = ModelBuilder::new(clock);
        let wire = builder.body("wire", ExplicitString::new(clock, wire, cells, &fractions)?);
        let membrane = builder.body("membrane", membrane);
        let contacts = (0..n - 1)
            .map(|i| {
                let law = named.method.law(clock, values.get("k_eta") * cells.spacing, values.get("alpha"));
                // η = w − u − gap [D21 eq. 51c]
                let contact = Contact::new(format!("contact {i}"), [End::port(membrane, i), End::port(wire, i)], law);
                builder.contact(contact.with_gap(gap))
            })
            .collect();
        Ok(Self { model: builder.build()?, wire, membrane, contacts, gap, cells: [n, columns] })
    }

    /// Whether no contact has touched in the step.
    fn is_apart(&self, state: &State) -> bool {
        self.contacts.iter().all(|&contact| {
            let gap = state.gap(&self.model, contact);
            gap.now < 0.0 && gap.before < 0.0
        })
    }

    /// Energy in all contacts, J.
    fn contact_energy(&self, state: &State) -> f64 {
        self.contacts.iter().map(|&contact| state.contact_energy(&self.model, contact)).sum()
    }

    fn shape(&self, state: &State, step: usize, with_map: bool) -> Shape {
        let at = |body: BodyId, i: usize| state.displacement(&self.model, body, i);
        let places = 0..self.contacts.len();
        let surface = state.surface_shape(&self.model, self.membrane, 0).filter(|_| with_map);
        Shape {
            step,
            wire: places.clone().map(|i| at(self.wire, i) + self.gap).collect(),
            below: places.map(|i| at(self.membrane, i)).collect(),
            map: surface.map_or(Vec::new(), |surface| map(&surface)),
        }
    }
}

fn membrane(values: &Values) -> SurfaceParameters {
    SurfaceParameters {
        outline: Outline::Disc(values.get("radius")),
        density: values.get("membrane_density"),
        tension: values.get("membrane_tension"),
        rigidity: 0.0,
        poisson: 0.0,
        damping: 0.0,
        diffusion: 0.0,
        edge: Edge::Supported,
    }
}

/// Releases the wire from its first mode and records the fall.
pub fn fall(values: &Values, named: Named) -> Result<Run, BuildError> {
    let rate = values.get("rate");
    let pair = Pair::build(values, named)?;
    let mut state = State::new(&pair.model);
    state.deflect(&pair.model, pair.wire, Deflection::Fundamental { displacement: values.get("amplitude") });
    let initial = state.ledger.total.stored;
    let stills: Vec<usize> = SNAPSHOT_S.iter().map(|t| (t * rate).round() as usize).collect();
    let mut run = Run { cells: pair.cells, ..Run::default() };
    let mut counted = 0;
    for sample in 1..=step_count(values.get("seconds"), rate)? {
        step(&pair.model, &mut state);
        let forces = pair.contacts.iter().map(|&contact| state.contact_force(contact));
        let (sum, least) = forces.fold((0.0, 0.0_f64), |(sum, least), f| (sum + f, least.min(f)));
        run.time.push(sample as f64 / rate);
        run.force.push(sum);
        run.least_force = run.least_force.min(least);
        run.energy.push(state.ledger.total.stored);
        run.membrane.push(state.body_energy(&pair.model, pair.membrane) / initial);
        if pair.is_apart(&state) {
            run.stale = run.stale.max(pair.contact_energy(&state) / initial);
        }
        if state.counts.coupled_iterations > counted {
            run.iterations.push((state.counts.coupled_iterations - counted) as u32);
            counted = state.counts.coupled_iterations;
        }
        let still = stills.contains(&sample);
        if still || sample.is_multiple_of(FRAME_STEPS) && sample <= FRAMES * FRAME_STEPS {
            run.shapes.push(pair.shape(&state, sample, still));
        }
    }
    run.missed = state.counts.missed;
    Ok(run)
}

/// The membrane on a square grid over the disc.
fn map(surface_shape: &SurfaceShape) -> Vec<f64> {
    let at = |i: usize| 2.0 * i as f64 / (MAP - 1) as f64 - 1.0;
    let mut values = Vec::with_capacity(MAP * MAP);
    for j in 0..MAP {
        for i in 0..MAP {
            let (x, y) = (at(i), at(j));
            values.push(if x * x + y * y < 1.0 { surface_shape.read([x, y]) } else { f64::NAN });
        }
    }
    values
}
