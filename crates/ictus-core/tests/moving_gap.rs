//! Moving gaps: the ledger enters the external work, and a moving gap acts as a moving wall.

use ictus_core::{Clock, Collision, Contact, End, Law, Mass, ModelBuilder, PowerLaw, Scheme, State, step};

const DT: f64 = 1.0 / 48_000.0;

/// A mass at rest hit by a wall that moves at 1 m/s leaves at 2 m/s, and the ledger enters the work of the wall.
#[test]
fn a_moving_wall_throws_a_mass_at_twice_its_speed() {
    for scheme in [Scheme::Midpoint, Scheme::Leapfrog] {
        for stiffness in [1e5, 1e9, 1e12] {
            let clock = Clock::new(scheme, DT);
            let mut builder = ModelBuilder::new(clock);
            let ball = builder.body("ball", Mass::new(clock, 0.01, 0.0, 0.0).expect("a mass"));
            let law = Collision::new(clock, PowerLaw::new(stiffness, 1.5), 0.0);
            let wall =
                builder.contact(Contact::new("wall", [End::Wall, End::port(ball, 0)], Law::from(law)).with_gap(0.005));
            let model = builder.build().expect("a ball above a wall");
            let mut state = State::new(&model);
            let mut touched = false;
            for n in 0..2000 {
                // the wall rises for 20 ms and then stands still
                let rise = (f64::from(n + 1) * DT).min(0.02);
                state.set_gap(&model, wall, 0.005 - rise);
                step(&model, &mut state);
                touched |= state.contact_force(wall) > 0.0;
            }
            assert!(touched);
            let speed = state.velocity(&model, ball, 0);
            let total = &state.ledger.total;
            println!(
                "{scheme:?} K={stiffness:e}: {speed:.6} m/s, supplied {:.6e} J, residual {:.1e}",
                total.supplied.value(),
                state.ledger.max_residual_rel()
            );
            assert!((speed - 2.0).abs() < 0.02, "{speed}");
            assert!((total.supplied.value() - 0.5 * 0.01 * speed * speed).abs() < 1e-12);
            assert!(state.ledger.max_residual_rel() < 1e-12);
        }
    }
}

/// A gap that moved and stopped agrees with the bodies again.
#[test]
fn a_stopped_gap_is_where_it_was_put() {
    for scheme in [Scheme::Midpoint, Scheme::Leapfrog] {
        let clock = Clock::new(scheme, DT);
        let mut builder = ModelBuilder::new(clock);
        let ball = builder.body("ball", Mass::new(clock, 0.01, 1e3, 2.0).expect("a mass"));
        let law = Collision::new(clock, PowerLaw::new(1e6, 2.0), 0.0);
        let wall = builder.contact(Contact::new("wall", [End::Wall, End::port(ball, 0)], Law::from(law)));
        let model = builder.build().expect("a ball on a wall");
        let mut state = State::new(&model);
        for n in 0..96_000 {
            if n < 480 {
                state.set_gap(&model, wall, -1e-3 * f64::from(n + 1) / 480.0);
            }
            step(&model, &mut state);
        }
        // at rest the spring and the contact balance at the compression of the bodies
        let gap = state.gap(&model, wall);
        let force = state.contact_force(wall);
        assert!(gap.now > 0.0 && (gap.now - gap.before).abs() < 1e-15);
        assert!((force - 1e6 * gap.now * gap.now).abs() < 1e-9 * force, "{force} against {}", 1e6 * gap.now * gap.now);
        assert!((force - 1e3 * state.displacement(&model, ball, 0)).abs() < 1e-9 * force);
    }
}
