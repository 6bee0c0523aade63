//! Strings on barriers along all of their length reproduce the published numbers.

use ictus_core::{
    BodyId, Clock, Collision, Contact, ContactId, Deflection, End, Ends, ImplicitString, Law, Model, ModelBuilder,
    PowerLaw, Scheme, State, StringParameters, step,
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

/// A string above a barrier of height `height(x)` at every grid point where it is defined.
fn scene(
    clock: Clock,
    parameters: StringParameters,
    intervals: usize,
    law: PowerLaw,
    height: impl Fn(f64) -> Option<f64>,
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

/// First full period of the middle of the string over the free period, between downward zero crossings.
fn period_ratio(oversampling: usize, intervals: usize, density: f64) -> (f64, State) {
    let clock = Clock::new(Scheme::Midpoint, 1.0 / (44_100.0 * oversampling as f64));
    let law = PowerLaw::new(density * 0.7 / intervals as f64, 1.0);
    let scene = scene(clock, parameters(), intervals, law, |_| Some(-1e-3));
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
        [(1, 100, 1e7, 1.518, 0.01), (10, 1000, 1e9, 1.502, 0.004)]
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
    let scene = scene(clock, parameters(), 100, law, |x| (x * 0.7 <= 0.015).then_some(-0.01 * x * x));
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
