//! Strings on barriers: the banded solver agrees with the dense one, in O(N), and reproduces the published numbers.

use ictus_core::{
    BodyId, Clock, Collision, Contact, ContactId, Deflection, End, Ends, ImplicitString, Law, Mass, Model,
    ModelBuilder, PowerLaw, Scheme, State, StringParameters, step,
};

/// The string of CW14: 0.7 m, 1 g/m, 100 N.
fn parameters() -> StringParameters {
    StringParameters {
        length: 0.7,
        density: 0.001,
        tension: 100.0,
        stiffness: 0.0,
        damping: 0.0,
        diffusion: 0.0,
        kelvin_voigt: 0.0,
        ends: Ends::Supported,
    }
}

struct Scene {
    model: Model,
    string: BodyId,
    middle: usize,
    contacts: Vec<ContactId>,
}

/// A string above a barrier of height `height(x)` at every grid point where it is defined. `dense` adds a distant mass that keeps
/// the contacts out of the banded solver.
fn scene(
    clock: Clock,
    parameters: StringParameters,
    intervals: usize,
    law: PowerLaw,
    height: impl Fn(f64) -> Option<f64>,
    dense: bool,
) -> Scene {
    let grid = parameters.grid(intervals);
    let heights: Vec<(f64, f64)> = (1..intervals)
        .filter_map(|i| {
            let x = i as f64 / intervals as f64;
            Some((x, height(x)?))
        })
        .collect();
    let mut positions: Vec<f64> = heights.iter().map(|(x, _)| *x).collect();
    positions.push(0.5);
    let middle = positions.len() - 1;
    let mut builder = ModelBuilder::new(clock);
    let string =
        builder.body("string", ImplicitString::new(clock, parameters, grid, &positions).expect("a string on a grid"));
    let contacts = heights
        .iter()
        .enumerate()
        .map(|(port, (_, height))| {
            let collision = Law::from(Collision::new(clock, law, 0.0));
            let ends = [End::Wall, End::port(string, port)];
            builder.contact(Contact::new(format!("point {port}"), ends, collision).with_gap(-height))
        })
        .collect();
    builder.contact(Contact::new("hand", [End::port(string, middle), End::Wall], Law::Force));
    if dense {
        let mass = builder.body("far", Mass::new(clock, 1.0, 0.0, 0.0).expect("a mass").starting(-1.0, 0.0));
        let collision = Law::from(Collision::new(clock, law, 0.0));
        builder.contact(Contact::new("never", [End::port(mass, 0), End::port(string, middle)], collision));
    }
    Scene { model: builder.build().expect("a string on a barrier"), string, middle, contacts }
}

impl Scene {
    fn plucked(&self, amplitude: f64) -> State {
        let mut state = State::new(&self.model);
        state.deflect(&self.model, self.string, Deflection::Fundamental { displacement: amplitude });
        state
    }

    fn total_force(&self, state: &State) -> f64 {
        self.contacts.iter().map(|&contact| state.contact_force(contact)).sum()
    }
}

#[test]
fn banded_and_dense_agree() {
    let clock = Clock::new(Scheme::Midpoint, 1.0 / 44_100.0);
    let law = PowerLaw::new(1e7 * 0.7 / 50.0, 1.3);
    let make = |dense| scene(clock, parameters(), 50, law, |_| Some(-1e-3), dense);
    let (banded, dense) = (make(false), make(true));
    let (mut a, mut b) = (banded.plucked(2e-3), dense.plucked(2e-3));
    let mut contact = 0.0f64;
    for n in 0..1000 {
        // a hand that pushes for a while: external forces go through both solvers
        let force = if (300..600).contains(&n) { -0.3 } else { 0.0 };
        let hand = |scene: &Scene, state: &mut State| state.set_input(scene.hand(), force);
        hand(&banded, &mut a);
        hand(&dense, &mut b);
        step(&banded.model, &mut a);
        step(&dense.model, &mut b);
        let (u, v) = (
            a.displacement(&banded.model, banded.string, banded.middle),
            b.displacement(&dense.model, dense.string, dense.middle),
        );
        assert!((u - v).abs() < 1e-9, "step {n}: {u} against {v}");
        contact = contact.max(banded.total_force(&a));
    }
    assert!(contact > 1.0, "the string never met the barrier");
    println!(
        "largest total force {contact:.3} N; residuals {:.1e}, {:.1e}",
        a.ledger.max_residual_rel(),
        b.ledger.max_residual_rel()
    );
    println!("iterations {:.2} at most {}", a.counts.mean_iterations(), a.counts.max_iterations);
    for state in [&a, &b] {
        assert!(state.ledger.max_residual_rel() < 1e-12);
        assert_eq!(state.counts.missed, 0);
        for entry in state.ledger.bodies.iter().chain(&state.ledger.contacts) {
            assert!(entry.stored == 0.0 || entry.max_residual < 1e-12 * state.ledger.peak, "{entry:?}");
        }
    }
}

impl Scene {
    fn hand(&self) -> ContactId {
        *self.model.find_contact("hand").as_ref().expect("the hand")
    }
}

/// First full period of the middle of the string over the free period, between downward zero crossings.
fn period_ratio(oversampling: usize, intervals: usize, density: f64) -> (f64, State) {
    let clock = Clock::new(Scheme::Midpoint, 1.0 / (44_100.0 * oversampling as f64));
    let law = PowerLaw::new(density * 0.7 / intervals as f64, 1.0);
    let scene = scene(clock, parameters(), intervals, law, |_| Some(-1e-3), false);
    let mut state = scene.plucked(2e-3);
    let free = 2.0 * 0.7 / (100.0f64 / 0.001).sqrt();
    let steps = (2.0 * free / clock.dt) as usize;
    let heights: Vec<f64> = (0..steps)
        .map(|_| {
            step(&scene.model, &mut state);
            state.displacement(&scene.model, scene.string, scene.middle)
        })
        .collect();
    // within one period the middle crosses zero five times: down, up from the barrier, down, up, down again
    let crossings: Vec<f64> = (1..steps)
        .filter(|&i| heights[i - 1].signum() != heights[i].signum())
        .map(|i| i as f64 - heights[i] / (heights[i] - heights[i - 1]))
        .collect();
    ((crossings[4] - crossings[0]) * clock.dt / free, state)
}

/// [CW14 Fig. 2]: an obstacle at half the amplitude makes the period 1.5 times the free one.
#[test]
fn a_flat_barrier_lengthens_the_period() {
    for (oversampling, intervals, density, expected, tolerance) in
        [(1, 100, 1e7, 1.518, 0.01), (20, 2000, 1e9, 1.502, 0.004)]
    {
        let (ratio, state) = period_ratio(oversampling, intervals, density);
        println!(
            "x{oversampling}, k_b = {density:e}: period ratio {ratio:.4}, iterations {:.2} at most {}, missed {}, residual {:.1e}",
            state.counts.mean_iterations(),
            state.counts.max_iterations,
            state.counts.missed,
            state.ledger.max_residual_rel()
        );
        assert!(state.counts.solves > 10, "the string met the barrier");
        assert!((ratio - expected).abs() < tolerance, "{ratio}");
        assert_eq!(state.counts.missed, 0);
        assert!(state.ledger.max_residual_rel() < 1e-11);
    }
}

/// [CW14 Fig. 3]: a curved barrier at one end, hard and nonlinear, for one second.
#[test]
fn a_curved_barrier_keeps_the_energy() {
    let clock = Clock::new(Scheme::Midpoint, 1.0 / 44_100.0);
    let law = PowerLaw::new(1e13 * 0.007, 2.5);
    let scene = scene(clock, parameters(), 100, law, |x| (x * 0.7 <= 0.015).then_some(-0.01 * x * x), false);
    let mut state = scene.plucked(2e-3);
    let mut peak = 0.0f64;
    for _ in 0..44_100 {
        step(&scene.model, &mut state);
        peak = peak.max(scene.total_force(&state));
    }
    println!(
        "peak force {peak:.3} N, iterations {:.2} at most {}, residual {:.1e}",
        state.counts.mean_iterations(),
        state.counts.max_iterations,
        state.ledger.max_residual_rel()
    );
    assert!(peak > 1.0);
    assert!(state.ledger.max_residual_rel() < 1e-12);
    assert_eq!(state.counts.missed, 0);
}
