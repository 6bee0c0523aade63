//! One test per degenerate row of handbook §7.

use ictus_core::{
    BuildError, Clock, Contact, Discretisation, End, Law, Mass, ModalBank, Mode, Model, ModelBuilder, PowerLaw, Spring,
    State, step,
};
use ictus_testkit::scene::{ContactMethod, SCHEMES};

fn mass(clock: Clock) -> Mass {
    Mass::new(clock, 0.01, 1e3, 0.0).unwrap()
}

fn finite(model: &Model, state: &State) -> bool {
    let _ = model;
    state.ledger.total.residual().is_finite() && state.ledger.total.stored.is_finite()
}

#[test]
fn many_equal_contacts_on_one_rigid_mass_share_the_force() {
    for scheme in SCHEMES {
        let clock = Clock::new(scheme, 1.0 / 44_100.0);
        let peak = [1, 12].map(|legs| {
            let mut builder = ModelBuilder::new(clock);
            let block = builder.body("block", mass(clock));
            let power = PowerLaw::new(1e9 / legs as f64, 1.5);
            let contacts: Vec<_> = (0..legs)
                .map(|_| {
                    let ends = [End::port(block, 0), End::Wall];
                    builder.contact(Contact::new("leg", ends, ContactMethod::LOSSLESS.law(clock, power)))
                })
                .collect();
            let model = builder.build().unwrap();
            let mut state = State::new(&model);
            state.throw(&model, block, 2.0, Some(-1e-5));
            let mut peak = 0.0_f64;
            for _ in 0..200 {
                step(&model, &mut state);
                peak = peak.max(contacts.iter().map(|&c| state.contact_force(c)).sum());
            }
            assert_eq!(state.counts.missed, 0);
            assert!(state.ledger.max_residual_rel() <= 1e-12);
            peak
        });
        println!("{scheme:?}: {:.3} N on one leg, {:.3} N on twelve", peak[0], peak[1]);
        assert!(peak[0] > 0.0 && (peak[1] / peak[0] - 1.0).abs() < 1e-9);
    }
}

/// Two drives on the same mass.
fn two_drives(clock: Clock) -> (Model, [ictus_core::ContactId; 2], ictus_core::BodyId) {
    let mut builder = ModelBuilder::new(clock);
    let ball = builder.body("ball", mass(clock));
    let drives = ["left hand", "right hand"]
        .map(|name| builder.contact(Contact::new(name, [End::port(ball, 0), End::Wall], Law::Velocity)));
    (builder.build().unwrap(), drives, ball)
}

#[test]
fn redundant_constraints_are_reported_and_dropped() {
    for scheme in SCHEMES {
        let clock = Clock::new(scheme, 1.0 / 44_100.0);
        let (model, drives, ball) = two_drives(clock);
        assert!(model.redundant(&drives[..1]).is_empty());
        let redundant = model.redundant(&drives);
        assert_eq!(redundant.len(), 1, "{redundant:?}");
        assert_eq!((redundant[0].constraint, &redundant[0].others[..]), (drives[1], &drives[..1]));
        let mut state = State::new(&model);
        for drive in drives {
            state.engage(&model, drive, true);
            state.set_input(drive, 0.2);
        }
        assert_eq!(state.counts.dropped_pivots, 1);
        for _ in 0..1000 {
            step(&model, &mut state);
        }
        let moved = state.displacement(&model, ball, 0);
        println!(
            "{scheme:?}: two equal drives moved the ball {moved:.6e} m, residual {:.1e}",
            state.ledger.max_residual_rel()
        );
        assert!((moved / (0.2 * 1000.0 * clock.dt) - 1.0).abs() < 1e-3);
        assert!(finite(&model, &state) && state.ledger.max_residual_rel() < 1e-12);
    }
}

#[test]
fn conflicting_constraints_are_reported_and_stay_finite() {
    for scheme in SCHEMES {
        let clock = Clock::new(scheme, 1.0 / 44_100.0);
        let (model, drives, ball) = two_drives(clock);
        let mut state = State::new(&model);
        for (drive, velocity) in drives.into_iter().zip([0.2, -0.3]) {
            state.engage(&model, drive, true);
            state.set_input(drive, velocity);
        }
        assert_eq!(model.redundant(&drives).len(), 1, "the conflict of the targets is reported");
        for _ in 0..100 {
            step(&model, &mut state);
        }
        assert_eq!(state.counts.dropped_pivots, 1);
        assert!(state.displacement(&model, ball, 0).is_finite() && finite(&model, &state));
    }
}

#[test]
fn a_constraint_on_what_cannot_move_is_an_error() {
    for scheme in SCHEMES {
        let clock = Clock::new(scheme, 1.0 / 44_100.0);
        let mut builder = ModelBuilder::new(clock);
        let mode = Mode { frequency: 200.0, decay: 1.0, mass: 0.1 };
        let bank = ModalBank::new(clock, &[mode], &[vec![0.0]], Discretisation::Exact).unwrap();
        let bar = builder.body("bar", bank);
        builder.contact(Contact::new("grip", [End::port(bar, 0), End::Wall], Law::Velocity));
        let error = builder.build().unwrap_err();
        println!("{error}");
        assert_eq!(error, BuildError::ImmovableConstraint { contact: "grip".into() });
    }
}

#[test]
fn wall_against_wall_and_missing_ports_are_errors() {
    let clock = Clock::new(SCHEMES[0], 1.0 / 44_100.0);
    let mut builder = ModelBuilder::new(clock);
    let spring = Law::from(Spring::new(clock, 1.0, 0.0).unwrap());
    builder.contact(Contact::new("nothing", [End::Wall, End::Wall], spring));
    assert_eq!(builder.build().unwrap_err(), BuildError::WallAgainstWall { contact: "nothing".into() });

    let mut builder = ModelBuilder::new(clock);
    let ball = builder.body("ball", mass(clock));
    builder.contact(Contact::new("hand", [End::port(ball, 1), End::Wall], Law::Force));
    let error = builder.build().unwrap_err();
    assert_eq!(error, BuildError::NoSuchPort { contact: "hand".into(), body: "ball".into(), port: 1 });
}

/// A node of the only mode: W_ii = 0, so the force is explicit and moves nothing.
#[test]
fn a_contact_without_mobility_has_an_explicit_force() {
    for scheme in SCHEMES {
        let clock = Clock::new(scheme, 1.0 / 44_100.0);
        for method in ContactMethod::ALL {
            let mut builder = ModelBuilder::new(clock);
            let mode = Mode { frequency: 200.0, decay: 1.0, mass: 0.1 };
            let bank = ModalBank::new(clock, &[mode], &[vec![0.0]], Discretisation::Exact).unwrap();
            let bar = builder.body("bar", bank);
            let power = PowerLaw::new(1e6, 1.5);
            let wedge = Contact::new("wedge", [End::port(bar, 0), End::Wall], method.law(clock, power)).with_gap(-1e-4);
            let wedge = builder.contact(wedge);
            let model = builder.build().unwrap();
            let mut state = State::new(&model);
            for _ in 0..1000 {
                step(&model, &mut state);
            }
            let force = state.contact_force(wedge);
            println!("{scheme:?} {method:?}: a wedge of 0.1 mm pushes with {force:.4} N");
            assert!((force / power.force(1e-4) - 1.0).abs() < 0.35, "{force} N");
            assert_eq!(state.displacement(&model, bar, 0), 0.0);
            assert!(finite(&model, &state) && state.counts.missed == 0);
        }
    }
}
