//! Decayed bodies sleep until a force wakes them, without an audible effect.

use ictus_core::{
    Air, BodyId, Clock, Contact, ContactId, Deflection, Discretisation, Drum, Edge, End, Ends, ExplicitString,
    FastResonator, FreeRun, ImplicitString, Law, ModalBank, Mode, Model, ModelBuilder, Outline, Scheme, State,
    StringParameters, Surface, SurfaceGrid, SurfaceParameters, step,
};

const RATE: f64 = 48_000.0;
/// Loud enough for every body here.
const DEFLECTED: Deflection = Deflection::Static { port: 0, displacement: 1e-3 };
/// Long enough for all of them to fade.
const STEPS: usize = 48_000;

/// A body with forces at some of its ports.
struct Scene {
    model: Model,
    body: BodyId,
    hands: Vec<ContactId>,
}

impl Scene {
    fn new(clock: Clock, body: impl FastResonator + 'static, ports: usize) -> Self {
        let mut builder = ModelBuilder::new(clock);
        let body = builder.body("body", body);
        let hand = |port| Contact::new("hand", [End::port(body, port), End::Wall], Law::Force);
        let hands = (0..ports).map(|port| builder.contact(hand(port))).collect();
        Self { model: builder.build().expect("a body"), body, hands }
    }

    fn velocity(&self, state: &State) -> f64 {
        state.velocity(&self.model, self.body, 0)
    }

    /// A decayed state, and the number of steps until it fell asleep.
    fn decayed(&self, audited: bool) -> (State, usize) {
        let mut state = State::new(&self.model);
        state.ledger.enabled = audited;
        assert!(state.deflect(&self.model, self.body, DEFLECTED));
        let first = state.body_energy(&self.model, self.body);
        assert!(first > 1e-12, "hardly deflected: {first:e} J");
        let mut last = first;
        for n in 0..STEPS {
            step(&self.model, &mut state);
            if state.is_asleep(self.body) {
                assert!((0.0..2e-30).contains(&last), "fell asleep with {last:e} J");
                return (state, n);
            }
            last = state.body_energy(&self.model, self.body);
        }
        panic!("{last:e} J are left");
    }
}

fn bank(clock: Clock) -> ModalBank {
    let modes: Vec<Mode> =
        (0..40).map(|i| Mode { frequency: 90.0 + 311.0 * f64::from(i), decay: 0.05, mass: 0.1 }).collect();
    let shape = |sign: f64| (0..40).map(|i| if i % 2 == 0 { 1.0 } else { sign * 0.7 }).collect();
    ModalBank::new(clock, &modes, &[shape(1.0), shape(-1.0)], Discretisation::Exact).expect("a bank")
}

const STRING: StringParameters = StringParameters {
    length: 0.7,
    density: 0.005,
    tension: 100.0,
    stiffness: 1e-4,
    damping: 150.0,
    diffusion: 1e-3,
    kelvin_voigt: 0.0,
    ends: Ends::Supported,
};

fn string(clock: Clock) -> ExplicitString {
    let grid = STRING.finest(clock.dt).expect("a grid");
    ExplicitString::new(clock, STRING, grid, &[0.3, 0.61]).expect("a stable string")
}

fn implicit_string(clock: Clock) -> ImplicitString {
    ImplicitString::new(clock, STRING, STRING.grid(60), &[0.3, 0.61]).expect("a string on a grid")
}

/// Two heads with a column of air between them.
fn drum(clock: Clock) -> Drum {
    let air = Air { volume: 0.02, depth: 0.3, cells: 4, damping: 150.0 };
    // coarser than it might be without air
    let grid = SurfaceGrid { columns: 12, rows: 8 };
    let head = Surface::new(clock, surface_parameters(false), grid, &[[0.3, 0.4], [0.7, 0.6]]).expect("a stable head");
    Drum::new(clock, vec![head.clone(), head], air, vec![(0, 0), (1, 1)]).expect("a stable drum")
}

fn surface_parameters(plate: bool) -> SurfaceParameters {
    SurfaceParameters {
        outline: Outline::Rectangle([0.3, 0.2]),
        density: 0.5,
        tension: if plate { 0.0 } else { 2000.0 },
        rigidity: if plate { 5.0 } else { 0.0 },
        poisson: 0.3,
        damping: 150.0,
        diffusion: 0.02,
        edge: Edge::Supported,
    }
}

fn surface(clock: Clock, plate: bool) -> Surface {
    let parameters = surface_parameters(plate);
    let grid = parameters.finest(clock.dt).expect("a grid");
    Surface::new(clock, parameters, grid, &[[0.3, 0.4], [0.7, 0.6]]).expect("a stable surface")
}

fn scenes() -> Vec<(&'static str, Scene)> {
    let [midpoint, leapfrog] = [Scheme::Midpoint, Scheme::Leapfrog].map(|scheme| Clock::new(scheme, 1.0 / RATE));
    vec![
        ("a bank touched at one port", Scene::new(midpoint, bank(midpoint), 1)),
        ("a bank", Scene::new(midpoint, bank(midpoint), 2)),
        ("a bank in leapfrog", Scene::new(leapfrog, bank(leapfrog), 2)),
        ("a string", Scene::new(leapfrog, string(leapfrog), 2)),
        ("a membrane", Scene::new(leapfrog, surface(leapfrog, false), 2)),
        ("an implicit string", Scene::new(midpoint, implicit_string(midpoint), 2)),
        ("a drum", Scene::new(leapfrog, drum(leapfrog), 2)),
        ("a plate", Scene::new(leapfrog, surface(leapfrog, true), 2)),
    ]
}

#[test]
fn decayed_bodies_sleep_and_their_last_energy_is_dissipated() {
    for (name, scene) in scenes() {
        let (mut state, asleep) = scene.decayed(true);
        for _ in 0..1000 {
            step(&scene.model, &mut state);
        }
        assert!(state.is_asleep(scene.body), "{name}");
        assert_eq!([scene.velocity(&state), state.body_energy(&scene.model, scene.body)], [0.0; 2], "{name}");
        let ledger = &state.ledger;
        assert_eq!((ledger.total.stored, ledger.bodies[scene.body.index()].stored), (0.0, 0.0), "{name}");
        assert!(ledger.max_residual_rel() < 1e-12, "{name}: {:e}", ledger.max_residual_rel());
        assert_eq!(scene.decayed(false).1, asleep, "{name}: the ledger keeps it awake");
    }
}

#[test]
fn a_force_wakes_it_as_if_it_had_never_moved() {
    for (name, scene) in scenes() {
        for audited in [true, false] {
            let [mut slept, mut fresh] = [scene.decayed(audited).0, State::new(&scene.model)];
            fresh.ledger.enabled = audited;
            // at the same point of the schedule
            while !(fresh.steps + slept.steps).is_multiple_of(4096) || fresh.steps < slept.steps {
                step(&scene.model, &mut fresh);
                if fresh.steps > slept.steps {
                    step(&scene.model, &mut slept);
                }
            }
            assert!(slept.is_asleep(scene.body) && fresh.is_asleep(scene.body), "{name}");
            let mut loudest = 0.0f64;
            for n in 0..3000 {
                for state in [&mut slept, &mut fresh] {
                    for (i, &hand) in scene.hands.iter().enumerate() {
                        state.set_input(hand, if n < 5 + i { 1.0 } else { 0.0 });
                    }
                    step(&scene.model, state);
                }
                assert_eq!(scene.velocity(&slept).to_bits(), scene.velocity(&fresh).to_bits(), "{name}, step {n}");
                loudest = loudest.max(scene.velocity(&slept).abs());
            }
            assert!(loudest > 1e-4, "{name}: {loudest:e} m/s");
        }
    }
}

#[test]
fn blocks_fall_asleep_and_wake_as_steps_do() {
    for (name, scene) in scenes() {
        let [mut stepped, mut in_blocks] = [(); 2].map(|()| {
            let mut state = State::new(&scene.model);
            state.ledger.enabled = false;
            state.deflect(&scene.model, scene.body, DEFLECTED);
            state
        });
        let mut free_run = FreeRun::new(&scene.model, &[(scene.body, 0)]);
        let mut slept = 0;
        for block in 0..900 {
            let force = if block % 400 == 399 { 1.0 } else { 0.0 };
            for state in [&mut stepped, &mut in_blocks] {
                state.set_input(scene.hands[0], force);
            }
            let mut taken = 0;
            while taken < 64 {
                let steps = free_run.run(&scene.model, &mut in_blocks, 64 - taken);
                assert!(steps > 0, "{name}: nothing touches");
                for n in 0..steps {
                    step(&scene.model, &mut stepped);
                    let (one, other) = (scene.velocity(&stepped), free_run.velocity(0, n));
                    assert_eq!(one.to_bits(), other.to_bits(), "{name}, block {block}, step {}", taken + n);
                }
                taken += steps;
            }
            assert_eq!(stepped.is_asleep(scene.body), in_blocks.is_asleep(scene.body), "{name}, block {block}");
            slept += usize::from(stepped.is_asleep(scene.body));
        }
        assert!((100..800).contains(&slept), "{name}: asleep in {slept} of 900 blocks");
    }
}
