//! A single-port bank agrees with the general bank.

use ictus_core::{
    Block, Clock, Deflect, Deflection, Discretisation, FastResonator, ModalBank, Mode, Resonator, Scheme, StepValues,
};
use ictus_testkit::Draw;
use ictus_testkit::resonator::deflect;

const RATE: f64 = 48_000.0;
const PORTS: usize = 3;
/// The touched port.
const TOUCHED: usize = 1;

/// Modes of all frequencies, some of which are weak or absent at the touched port.
fn bank(clock: Clock, draw: &mut Draw, modes: usize) -> ModalBank {
    let list: Vec<Mode> = (0..modes)
        .map(|_| Mode { frequency: draw.log(20.0, 20_000.0), decay: draw.log(0.01, 10.0), mass: draw.log(1e-3, 1.0) })
        .collect();
    let mut shapes = vec![vec![0.0; modes]; PORTS];
    for (port, shape) in shapes.iter_mut().enumerate() {
        for (mode, value) in shape.iter_mut().enumerate() {
            let hidden = port == TOUCHED && mode > 0 && mode % 5 == 0;
            *value = if hidden { 0.0 } else { draw.uniform(-1.0, 1.0) };
        }
        if port == TOUCHED && modes > 3 {
            shape[3] = 1e-9;
        }
    }
    ModalBank::new(clock, &list, &shapes, Discretisation::Exact).expect("a bank")
}

fn state_of(body: &dyn FastResonator) -> Vec<f64> {
    let mut state = vec![0.0; body.state_len()];
    body.reset(&mut state);
    state
}

/// Displacements and velocities of all ports.
fn outputs(body: &dyn FastResonator, state: &[f64]) -> [[f64; PORTS]; 2] {
    [std::array::from_fn(|port| body.velocity(state, port)), std::array::from_fn(|port| body.displacement(state, port))]
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |most: f64, value| most.max(value.abs()))
}

#[test]
fn motion_and_energy_are_those_of_the_bank() {
    let mut draw = Draw::new(11);
    for scheme in [Scheme::Midpoint, Scheme::Leapfrog] {
        for modes in [1, 7, 40, 64, 65, 150] {
            let clock = Clock::new(scheme, 1.0 / RATE);
            let whole = bank(clock, &mut draw, modes);
            let one = whole.touched_at(TOUCHED).expect("a port that moves");
            let (mut state, mut one_state) = (state_of(&whole), state_of(&*one));
            let start = Deflection::Static { port: 0, displacement: 1e-3 };
            assert!(whole.deflect(&mut state, start) && deflect(&*one, &mut one_state, start));
            let mut scale = whole.energy(&state);
            let mut loudest = [1e-300; 2];
            for n in 0..2000 {
                let force = if n % 3 == 0 { 0.0 } else { draw.uniform(-1.0, 1.0) };
                let mut free = [[0.0]; 2];
                whole.free_velocities(&mut state, &[TOUCHED], &mut free[0]);
                free[1][0] = one.free_velocity(&mut one_state, TOUCHED, true);
                let before = one.energy(&one_state);
                let audit = whole.advance_audited(&mut state, &[TOUCHED], &[force]);
                let one_audit = one.advance_audited(&mut one_state, &[TOUCHED], &[force]);
                let (all, one_all) = (outputs(&whole, &state), outputs(&*one, &one_state));
                for ((all, one_all), loudest) in all.iter().zip(&one_all).zip(&mut loudest) {
                    *loudest = largest(all).max(*loudest);
                    for (value, one_value) in all.iter().zip(one_all) {
                        assert!((value - one_value).abs() < 1e-10 * *loudest, "{scheme:?}, {modes} modes, step {n}");
                    }
                }
                assert!((free[0][0] - free[1][0]).abs() < 1e-10 * loudest[0], "{scheme:?}, {modes} modes, step {n}");
                scale = scale.max(audit.stored);
                assert!((audit.stored - one_audit.stored).abs() < 1e-10 * scale);
                assert!((audit.dissipated - one_audit.dissipated).abs() < 1e-10 * scale);
                // stored = previously stored + supplied − dissipated
                let mean = free[1][0] + one.mobility(TOUCHED, TOUCHED) * force;
                let residual = one_audit.stored - before - clock.dt * force * mean + one_audit.dissipated;
                assert!(
                    residual.abs() < 1e-13 * scale,
                    "{scheme:?}, {modes} modes, step {n}: {residual:e} of {scale:e}"
                );
                assert!(one_audit.dissipated >= 0.0);
                assert_eq!(one_audit.stored, one.energy(&one_state));
            }
        }
    }
}

#[test]
fn audited_steps_plain_ones_and_blocks_have_the_same_bits() {
    let mut draw = Draw::new(12);
    let sizes = [1, 30, 64, 100, 301, 1000].map(|modes| (Scheme::Midpoint, modes));
    for (scheme, modes) in sizes.into_iter().chain([(Scheme::Leapfrog, 30), (Scheme::Leapfrog, 100)]) {
        let clock = Clock::new(scheme, 1.0 / RATE);
        let one = bank(clock, &mut draw, modes).touched_at(TOUCHED).expect("a port that moves");
        let mut states = [(); 3].map(|()| state_of(&*one));
        for state in &mut states {
            assert!(deflect(&*one, state, Deflection::Static { port: 2, displacement: 1e-3 }));
        }
        for round in 0..60 {
            let steps = 1 + round % 64;
            let pushed = round % 2 == 0;
            let forces: Vec<f64> = (0..steps).map(|_| if pushed { draw.uniform(-1.0, 1.0) } else { 0.0 }).collect();
            let [plain, audited, blocks] = &mut states;
            let ports: &[usize] = if pushed { &[TOUCHED] } else { &[] };
            let (mut free, mut velocities, mut lost) = (vec![0.0; steps], vec![0.0; 2 * steps], vec![0.0; steps]);
            // one port, which has its own loops, or several, with velocities or without
            let [hears, places]: [&[usize]; 2] = [[&[0, TOUCHED][..], &[2, TOUCHED]], [&[], &[2]]][round % 5 / 3];
            let mut displacements = vec![0.0; places.len() * steps];
            let mut block = Block {
                steps,
                pushed: ports,
                forces: if pushed { &forces } else { &[] },
                free_ports: &[TOUCHED],
                free: StepValues(&mut free),
                single_port: true,
                velocity_ports: hears,
                velocities: StepValues(&mut velocities),
                displacement_ports: places,
                displacements: StepValues(&mut displacements),
                audited: round % 3 == 0,
                lost: &mut lost,
                ..Block::default()
            };
            let mut unwatched = blocks.clone();
            one.run_block(blocks, &mut block);
            let mut unwatched_displacements = vec![0.0; displacements.len()];
            let mut lost_unwatched = vec![0.0; steps];
            one.run_block(
                &mut unwatched,
                &mut Block {
                    steps,
                    pushed: ports,
                    forces: if pushed { &forces } else { &[] },
                    displacement_ports: places,
                    displacements: StepValues(&mut unwatched_displacements),
                    lost: &mut lost_unwatched,
                    ..Block::default()
                },
            );
            assert_eq!(unwatched_displacements, displacements, "{scheme:?}, {modes} modes, round {round}");
            for (n, &force) in forces.iter().enumerate() {
                // the ledger may be enabled and disabled at any time
                let kept = (n + round) % 7 < 4;
                let expected = one.free_velocity(plain, TOUCHED, false);
                assert_eq!(one.free_velocity(audited, TOUCHED, kept), expected);
                assert_eq!(free[n], expected, "{scheme:?}, {modes} modes, step {n} of round {round}");
                one.advance_single_port(plain, TOUCHED, force);
                let dissipated = one.advance(audited, &[TOUCHED], &[force], kept);
                if kept && round % 3 == 0 {
                    assert_eq!(dissipated, lost[n]);
                }
                for (&port, velocity) in hears.iter().zip(&velocities[hears.len() * n..]) {
                    assert_eq!([one.velocity(plain, port), one.velocity(audited, port)], [*velocity; 2]);
                }
                for (&port, place) in places.iter().zip(&displacements[places.len() * n..]) {
                    assert_eq!([one.displacement(plain, port), one.displacement(audited, port)], [*place; 2]);
                }
                assert_eq!(one.energy(plain), one.energy(audited));
            }
            assert_eq!(outputs(&*one, blocks), outputs(&*one, plain));
            assert_eq!(one.energy(blocks), one.energy(plain));
        }
    }
}

#[test]
fn a_port_that_does_not_move_stays_with_its_bank() {
    let clock = Clock::new(Scheme::Midpoint, 1.0 / RATE);
    let mode = Mode { frequency: 440.0, decay: 1.0, mass: 0.1 };
    let still = ModalBank::new(clock, &[mode], &[vec![0.0], vec![1.0]], Discretisation::Exact).expect("a bank");
    assert!(still.touched_at(0).is_none() && still.touched_at(1).is_some());
}
