//! Membranes whose tension changes while they sound.

use ictus_core::{
    Air, BodyId, Clock, Collision, Contact, Deflection, Drum, Edge, End, Law, Mass, Model, ModelBuilder, Outline,
    PowerLaw, Scheme, State, Surface, SurfaceGrid, SurfaceParameters, step,
};

const RATE: f64 = 48_000.0;

/// A kettledrum's head.
fn head(clock: Clock, damping: f64) -> Surface {
    let parameters = SurfaceParameters {
        outline: Outline::Disc(0.32),
        density: 0.3,
        tension: 4000.0,
        rigidity: 0.0,
        poisson: 0.3,
        damping,
        diffusion: 0.01 * damping,
        edge: Edge::Supported,
    };
    let grid = SurfaceGrid { columns: 32, rows: 32 };
    Surface::new(clock, parameters, grid, &[[0.0, 0.0]]).expect("a stable membrane")
}

fn single_head(scheme: Scheme, damping: f64) -> (Model, BodyId) {
    let clock = Clock::new(scheme, 1.0 / RATE);
    let mut builder = ModelBuilder::new(clock);
    let body = builder.body("head", head(clock, damping));
    builder.contact(Contact::new("hand", [End::port(body, 0), End::Wall], Law::Force));
    (builder.build().expect("a membrane"), body)
}

/// Frequency of the middle of the head over the next `steps`, Hz: from its first to its last passage upwards.
fn pitch(model: &Model, state: &mut State, body: BodyId, steps: usize) -> f64 {
    let mut passages = Vec::new();
    let mut before = state.displacement(model, body, 0);
    for n in 0..steps {
        step(model, state);
        let now = state.displacement(model, body, 0);
        if before < 0.0 && now >= 0.0 {
            passages.push(n as f64 - now / (now - before));
        }
        before = now;
    }
    let (first, last) = (passages[0], passages[passages.len() - 1]);
    RATE * (passages.len() - 1) as f64 / (last - first)
}

/// The pitch is proportional to the square root of the tension, up and down.
#[test]
fn pitch_follows_the_pedal() {
    for scheme in [Scheme::Leapfrog, Scheme::Midpoint] {
        let (model, body) = single_head(scheme, 0.0);
        let mut state = State::new(&model);
        assert!(state.deflect(&model, body, Deflection::Fundamental { displacement: 1e-3 }));
        let high = pitch(&model, &mut state, body, 9600);
        assert!(state.tighten(&model, body, 0, 0.5625));
        let low = pitch(&model, &mut state, body, 9600);
        let cents = 1200.0 * libm::log2(low / high / 0.75);
        assert!(cents.abs() < 1.0, "{scheme:?}: {high} Hz, {low} Hz, {cents} cents beside a fourth");
        assert!(state.tighten(&model, body, 0, 1.0));
        let again = pitch(&model, &mut state, body, 9600);
        assert!((1200.0 * libm::log2(again / high)).abs() < 0.1, "{scheme:?}: {high} Hz, then {again} Hz");
    }
}

/// A slow pedal conserves the adiabatic invariant, energy over frequency: the foot does the work, and gets it back.
#[test]
fn a_slow_pedal_keeps_the_action() {
    let (model, body) = single_head(Scheme::Leapfrog, 0.0);
    let mut state = State::new(&model);
    state.deflect(&model, body, Deflection::Fundamental { displacement: 1e-3 });
    let start = state.ledger.total.stored;
    let steps = 24_000;
    for n in 0..=steps {
        let pitch = 1.0 - 0.3 * n as f64 / steps as f64;
        state.tighten(&model, body, 0, pitch * pitch);
        step(&model, &mut state);
    }
    let end = state.ledger.total.stored;
    assert!((end / start / 0.7 - 1.0).abs() < 2e-3, "{} of the energy at 0.7 of the pitch", end / start);
    assert!(state.ledger.max_residual_rel() < 1e-12, "{:e}", state.ledger.max_residual_rel());
}

/// A drum with air and losses, struck repeatedly while its pedal jumps and slides.
#[test]
fn energy_balances_under_a_moving_pedal() {
    for scheme in [Scheme::Leapfrog, Scheme::Midpoint] {
        let clock = Clock::new(scheme, 1.0 / RATE);
        let mut builder = ModelBuilder::new(clock);
        let air = Air { volume: 0.1, depth: 0.35, cells: 1, damping: 100.0 };
        let drum = Drum::new(clock, vec![head(clock, 2.0)], air, vec![(0, 0)]).expect("a drum");
        let drum = builder.body("drum", drum);
        let stick = builder.body("stick", Mass::new(clock, 0.03, 0.0, 0.0).expect("a mass"));
        let law = Collision::new(clock, PowerLaw::new(1e6, 1.5), 0.5);
        builder.contact(Contact::new("tip", [End::port(drum, 0), End::port(stick, 0)], Law::from(law)));
        let model = builder.build().expect("a drum and a stick");
        let mut state = State::new(&model);
        for n in 0..40_000 {
            if n % 5000 == 0 {
                state.throw(&model, stick, -2.0, Some(2e-3));
            }
            let share = if n % 7000 < 3500 { 0.4 + 0.6 * (n % 3500) as f64 / 3500.0 } else { 1.0 };
            assert!(state.tighten(&model, drum, 0, share));
            step(&model, &mut state);
        }
        let residual = state.ledger.max_residual_rel();
        assert!(residual < 1e-11, "{scheme:?}: {residual:e}");
        assert!(state.ledger.total.min_dissipated >= 0.0);
        assert!(state.ledger.bodies[0].supplied.value() != 0.0);
    }
}

#[test]
fn bodies_without_tension_are_rejected() {
    let (model, body) = single_head(Scheme::Leapfrog, 1.0);
    let mut state = State::new(&model);
    for share in [0.0, -1.0, 1.0 + 1e-9, f64::NAN, f64::INFINITY] {
        assert!(!state.tighten(&model, body, 0, share), "{share}");
    }
    assert!(!state.tighten(&model, body, 1, 0.5), "there is one head only");
}
