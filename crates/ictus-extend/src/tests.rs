use crate::{Bottle, Stop};
use ictus_core::{Clock, Contact, End, Mass, ModelBuilder, Scheme, State, step};
use ictus_testkit::{Draw, interaction, resonator};

const SCHEMES: [Scheme; 2] = [Scheme::Midpoint, Scheme::Leapfrog];
const RATE: f64 = 48_000.0;

fn bottle(clock: Clock) -> Bottle {
    Bottle::new(clock, 7.5e-4, 2.8e-4, 0.085, 2e-4)
}

// ANCHOR: bottle
#[test]
fn a_bottle_obeys_the_laws_of_resonators() {
    for scheme in SCHEMES {
        let clock = Clock::new(scheme, 1.0 / RATE);
        resonator::check("bottle", &bottle(clock), clock, &mut Draw::new(1), 10_000);
    }
}
// ANCHOR_END: bottle

#[test]
fn a_bottle_sounds_at_its_helmholtz_frequency() {
    for scheme in SCHEMES {
        let clock = Clock::new(scheme, 1.0 / RATE);
        let mut builder = ModelBuilder::new(clock);
        let air = builder.body("air", bottle(clock));
        let blow = builder.contact(Contact::new("blow", [End::port(air, 0), End::Wall], ictus_core::Law::Force));
        let model = builder.build().expect("a valid model");
        let mut state = State::new(&model);
        state.set_input(blow, 1e-3);
        step(&model, &mut state);
        state.set_input(blow, 0.0);
        let mut crossings = Vec::new();
        let mut before = 0.0;
        for n in 0..20_000 {
            step(&model, &mut state);
            let now = state.displacement(&model, air, 0);
            if before < 0.0 && now >= 0.0 {
                crossings.push(f64::from(n) - now / (now - before));
            }
            before = now;
        }
        let periods = crossings.len() - 1;
        let hz = RATE * periods as f64 / (crossings[periods] - crossings[0]);
        // c/2π √(A/(V L)), c² = γ p₀/ρ
        let expected = (1.42e5_f64 / 1.2 * 2.8e-4 / (7.5e-4 * 0.085)).sqrt() / std::f64::consts::TAU;
        assert!((hz / expected - 1.0).abs() < 1e-3, "{scheme:?}: {hz} Hz instead of {expected} Hz");
    }
}

// ANCHOR: stop
#[test]
fn a_stop_obeys_the_laws_of_interactions() {
    for scheme in SCHEMES {
        let clock = Clock::new(scheme, 1.0 / RATE);
        for stiffness in [1e2, 1e5, 1e8] {
            let expect = interaction::Expectation { pushes_only: true, reach: 1e-4, force: stiffness * 1e-4 };
            interaction::check("stop", &Stop::new(clock, stiffness), clock, expect, &mut Draw::new(2), 10_000);
        }
    }
}
// ANCHOR_END: stop

#[test]
fn a_ball_rebounds_from_a_stop_as_fast_as_it_came() {
    for scheme in SCHEMES {
        let clock = Clock::new(scheme, 1.0 / RATE);
        let mut builder = ModelBuilder::new(clock);
        let ball = builder.body("ball", Mass::new(clock, 0.02, 0.0, 0.0).expect("a valid mass"));
        let ends = [End::port(ball, 0), End::Wall];
        let stop = builder.contact(Contact::new("stop", ends, Stop::new(clock, 1e5).into()).with_gap(0.01));
        let model = builder.build().expect("a valid model");
        let mut state = State::new(&model);
        state.throw(&model, ball, 1.0, None);
        let mut pressed = 0;
        for _ in 0..4_000 {
            step(&model, &mut state);
            pressed += usize::from(state.contact_force(stop) > 0.0);
        }
        // half a period of the mass on the spring, begun and ended within a step, of which the law spans two in leapfrog
        let contact = std::f64::consts::PI * (0.02f64 / 1e5).sqrt() * RATE;
        assert!((pressed as f64 - contact).abs() <= 3.0, "{scheme:?}: pressed for {pressed} steps, not {contact:.1}");
        let speed = state.velocity(&model, ball, 0);
        assert!((speed + 1.0).abs() < 1e-12, "{scheme:?}: rebounds at {speed} m/s");
        assert!(state.ledger.max_residual_rel() < 1e-12);
    }
}
