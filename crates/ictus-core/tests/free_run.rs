//! Free runs have the bits of single steps.

use ictus_core::{
    BLOCK, BodyId, Clock, Collision, Contact, ContactId, Deflection, Discretisation, Edge, End, Ends, ExplicitString,
    FastResonator, FreeRun, LONG_BLOCK, Law, Mass, ModalBank, Model, ModelBuilder, Outline, PowerLaw, Scheme, State,
    StretchedBank, StringParameters, Surface, SurfaceGrid, SurfaceParameters, step,
};
use ictus_testkit::Draw;
use ictus_testkit::bodies::{StringModes, string_modes};
use ictus_testkit::scene::SCHEMES;

type Player = dyn Fn(&Model, &mut State, u64);
/// The force of step n, N.
type StepForce = fn(u64) -> f64;

/// A model, its recorded ports, the events before step n, and the scheduled forces.
struct Scene {
    model: Model,
    recorded: Vec<(BodyId, usize)>,
    play: Box<Player>,
    pushes: Vec<(ContactId, StepForce)>,
}

/// True for steps that are taken singly because an event is near.
fn near_event(events: &[u64], n: u64) -> bool {
    events.iter().any(|&event| (event..event + 40).contains(&n))
}

/// Number of steps taken in blocks, and number of blocks that a contact cut short.
#[derive(Clone, Copy, Default)]
struct FreeRunSteps {
    steps: u64,
    cut_short: usize,
}

/// The recorded velocities and displacements, the final state, and the number of steps taken in blocks.
fn listen(
    scene: &Scene,
    steps: u64,
    events: &[u64],
    in_blocks: bool,
    audited: bool,
) -> (Vec<u64>, State, FreeRunSteps) {
    let Scene { model, recorded, play, pushes } = scene;
    let mut state = State::new(model);
    state.ledger.enabled = audited;
    let mut free_run = FreeRun::new(model, recorded).with_displacements(recorded);
    let (mut sound, mut taken_in_blocks) = (Vec::new(), FreeRunSteps::default());
    while state.steps < steps {
        let now = state.steps;
        let until = events.iter().filter(|&&event| event > now).min().copied().unwrap_or(steps);
        let quiet = in_blocks && !near_event(events, now);
        for (contact, push) in pushes {
            let scratch = free_run.inputs(*contact).expect("a force that can be foreseen");
            for (input, n) in scratch.iter_mut().zip(now..) {
                *input = push(n);
            }
        }
        let taken = if quiet { free_run.run(model, &mut state, (until - now) as usize) } else { 0 };
        for n in 0..taken {
            let places =
                (0..recorded.len()).flat_map(|which| [free_run.velocity(which, n), free_run.displacement(which, n)]);
            sound.extend(places.map(f64::to_bits));
        }
        taken_in_blocks.steps += taken as u64;
        taken_in_blocks.cut_short += usize::from(taken > 0 && free_run.was_interrupted());
        if taken == 0 {
            play(model, &mut state, now);
            for (contact, push) in pushes {
                state.set_input(*contact, push(now));
            }
            step(model, &mut state);
            let places = recorded
                .iter()
                .flat_map(|&(body, port)| [state.velocity(model, body, port), state.displacement(model, body, port)]);
            sound.extend(places.map(f64::to_bits));
        }
    }
    (sound, state, taken_in_blocks)
}

fn check(name: &str, scene: &Scene, steps: u64, events: &[u64]) {
    let (quietly, _, count) = listen(scene, steps, events, true, false);
    let (audited_sound, block_state, audited_count) = listen(scene, steps, events, true, true);
    for (sound, audited) in [(quietly, false), (audited_sound, true)] {
        let (stepped, state, _) = listen(scene, steps, events, false, audited);
        let first = stepped.iter().zip(&sound).position(|(a, b)| a != b);
        assert_eq!((first, stepped.len()), (None, sound.len()), "{name}: the sound differs, audited: {audited}");
        for (contact, _) in &scene.pushes {
            assert_eq!(state.contact_force(*contact), block_state.contact_force(*contact), "{name}");
        }
        if audited {
            let (one, other) = (&state.ledger, &block_state.ledger);
            let elements = one.bodies.iter().zip(&other.bodies).chain(one.contacts.iter().zip(&other.contacts));
            for (one, other) in elements.chain([(&one.total, &other.total)]) {
                // a string sums its energy in another order when queried than when it steps
                let rounding = 1e-14 * block_state.ledger.scale();
                assert!((one.stored - other.stored).abs() <= rounding, "{name}: {} {}", one.stored, other.stored);
                assert_eq!(one.dissipated.value(), other.dissipated.value(), "{name}");
                assert_eq!(one.supplied.value(), other.supplied.value(), "{name}");
            }
            assert!(other.max_residual_rel() < 1e-12, "{name}: {:e}", other.max_residual_rel());
            assert_eq!(state.counts, block_state.counts, "{name}");
        }
    }
    for FreeRunSteps { steps: count, .. } in [count, audited_count] {
        assert!(count > steps / 2, "{name}: only {count} of {steps} steps were taken in blocks");
    }
}

fn modes_of(draw: &mut Draw, count: usize) -> StringModes {
    string_modes(count, 0.6, 6e-3, draw.uniform(60.0, 300.0), 8.0, &[0.17, 0.61, 0.93])
}

fn bank(clock: Clock, draw: &mut Draw) -> ModalBank {
    let StringModes { modes, shapes, .. } = modes_of(draw, 37);
    ModalBank::new(clock, &modes, &shapes, Discretisation::Exact).expect("a bank")
}

fn string(clock: Clock, stiffness: f64, ends: Ends) -> ExplicitString {
    let parameters = StringParameters {
        length: 0.6,
        density: 5e-3,
        tension: 100.0,
        stiffness,
        damping: 0.8,
        diffusion: 1e-3,
        kelvin_voigt: 0.0,
        ends,
    };
    let grid = parameters.finest(clock.dt).expect("a grid");
    ExplicitString::new(clock, parameters, grid, &[0.3, 0.711]).expect("a string")
}

/// A hammer thrown at a body, twice, with `recorded` recorded ports.
fn struck(scheme: Scheme, recorded: usize) -> Scene {
    let clock = Clock::new(scheme, 1.0 / 48_000.0);
    let mut draw = Draw::new(3);
    let mut builder = ModelBuilder::new(clock);
    let body = builder.body("body", bank(clock, &mut draw));
    let hammer = builder.body("hammer", Mass::new(clock, 0.01, 0.0, 0.0).expect("a mass"));
    let power = PowerLaw::new(2e7, 2.3);
    let law = Collision::new(clock, power, 0.4).into();
    builder.contact(Contact::new("blow", [End::port(hammer, 0), End::port(body, 0)], law));
    let model = builder.build().expect("a struck body");
    let play = move |model: &Model, state: &mut State, n: u64| {
        if n == 5 || n == 7000 {
            state.throw(model, hammer, 1.5, Some(-1e-3));
        }
    };
    Scene {
        model,
        recorded: (1..=recorded).map(|port| (body, port)).collect(),
        play: Box::new(play),
        pushes: Vec::new(),
    }
}

/// Two hammers in one island, and a free string on a grid beside them.
fn struck_twice(scheme: Scheme) -> Scene {
    let clock = Clock::new(scheme, 1.0 / 48_000.0);
    let mut draw = Draw::new(9);
    let mut builder = ModelBuilder::new(clock);
    let body = builder.body("body", bank(clock, &mut draw));
    let hammers = [0, 1].map(|port| {
        let hammer = builder.body(format!("hammer{port}"), Mass::new(clock, 0.02, 0.0, 0.0).expect("a mass"));
        let law = Collision::new(clock, PowerLaw::new(1e7, 1.5), 0.0);
        builder.contact(Contact::new("blow", [End::port(hammer, 0), End::port(body, port)], law.into()));
        hammer
    });
    let string = builder.body("string", string(clock, 0.0, Ends::Supported));
    let model = builder.build().expect("two hammers");
    let play = move |model: &Model, state: &mut State, n: u64| match n {
        5 => {
            state.throw(model, hammers[0], 1.0, Some(-1e-3));
            state.throw(model, hammers[1], 0.7, Some(-2e-3));
            state.deflect(model, string, Deflection::Fundamental { displacement: 1e-3 });
        }
        9000 => {
            state.throw(model, hammers[1], 2.0, Some(-3e-3));
        }
        _ => {}
    };
    Scene { model, recorded: vec![(body, 2), (string, 0)], play: Box::new(play), pushes: Vec::new() }
}

/// A stretched string that is pulled aside, and pushed for a while later.
fn stretched(scheme: Scheme, recorded: usize) -> Scene {
    let clock = Clock::new(scheme, 1.0 / 48_000.0);
    let StringModes { modes, shapes, slopes } = modes_of(&mut Draw::new(4), 60);
    let mut builder = ModelBuilder::new(clock);
    let bank = StretchedBank::new(clock, &modes, &shapes, &slopes, 3.5e4).expect("a bank");
    let string = builder.body("string", bank);
    let thumb: ContactId = builder.contact(Contact::new("thumb", [End::port(string, 0), End::Wall], Law::Force));
    let model = builder.build().expect("a string");
    let play = move |model: &Model, state: &mut State, n: u64| {
        if n == 5 {
            state.deflect(model, string, Deflection::Static { port: 0, displacement: 5e-3 });
        }
        state.set_input(thumb, if (7000..7030).contains(&n) { 2.0 } else { 0.0 });
    };
    Scene {
        model,
        recorded: (1..=recorded).map(|port| (string, port)).collect(),
        play: Box::new(play),
        pushes: Vec::new(),
    }
}

#[test]
fn blocks_give_the_same_bits_as_steps() {
    for scheme in SCHEMES {
        for recorded in [0, 1, 2] {
            check(&format!("{scheme:?} struck, {recorded} recorded"), &struck(scheme, recorded), 12_000, &[5, 7000]);
            check(&format!("{scheme:?} stretched {recorded}"), &stretched(scheme, recorded), 12_000, &[5, 7000]);
        }
        check(&format!("{scheme:?} two hammers"), &struck_twice(scheme), 14_000, &[5, 9000]);
    }
}

/// A hammer on a spring returns by itself, in the middle of blocks.
#[test]
fn a_contact_within_a_block_rolls_it_back() {
    for scheme in SCHEMES {
        let clock = Clock::new(scheme, 1.0 / 48_000.0);
        let mut builder = ModelBuilder::new(clock);
        let body = builder.body("body", bank(clock, &mut Draw::new(3)));
        let hammer = builder.body("hammer", Mass::new(clock, 0.01, 40.0, 0.0).expect("a mass").starting(-3e-3, 1.0));
        let law = Collision::new(clock, PowerLaw::new(1e7, 1.5), 0.0);
        builder.contact(Contact::new("blow", [End::port(hammer, 0), End::port(body, 0)], law.into()));
        let model = builder.build().expect("a struck body");
        let scene = Scene { model, recorded: vec![(body, 1)], play: Box::new(|_, _, _| {}), pushes: Vec::new() };
        check(&format!("{scheme:?} knocking"), &scene, 40_000, &[]);
        let (_, state, blocks) = listen(&scene, 40_000, &[], true, true);
        assert!(state.counts.solves > 20, "{scheme:?}: {:?}", state.counts);
        assert!(blocks.cut_short > 20, "{scheme:?}: {} blocks were cut short", blocks.cut_short);
    }
}

fn swell(n: u64) -> f64 {
    let phase = (n % 701) as f64 / 701.0;
    3.0 * (phase - 0.3)
}

/// Zero most of the time.
fn pluck(n: u64) -> f64 {
    if n % 3000 < 100 { 0.02 * (n % 3000) as f64 } else { 0.0 }
}

/// A body driven at `places`, each with its force, with its first ports recorded.
fn driven(clock: Clock, body: impl FastResonator + 'static, recorded: usize, places: &[(usize, StepForce)]) -> Scene {
    let mut builder = ModelBuilder::new(clock);
    let body = builder.body("body", body);
    let mut pushes = Vec::new();
    for &(port, push) in places {
        let ends = [End::port(body, port), End::Wall];
        pushes.push((builder.contact(Contact::new(format!("push{}", pushes.len()), ends, Law::Force)), push));
    }
    let model = builder.build().expect("a pushed body");
    Scene { model, recorded: (0..recorded).map(|port| (body, port)).collect(), play: Box::new(|_, _, _| {}), pushes }
}

#[test]
fn scheduled_forces_give_the_same_bits_as_steps() {
    for scheme in SCHEMES {
        let clock = Clock::new(scheme, 1.0 / 48_000.0);
        let lists: [&[(usize, StepForce)]; 4] =
            [&[(0, swell)], &[(1, pluck)], &[(1, pluck), (1, swell)], &[(1, swell), (0, pluck)]];
        for (i, places) in lists.into_iter().enumerate() {
            for recorded in [0, 1, 2] {
                let scene = driven(clock, bank(clock, &mut Draw::new(3)), recorded, places);
                check(&format!("{scheme:?} bank, {recorded} recorded, pushes {i}"), &scene, 4000, &[]);
                for (stiffness, ends) in [(0.0, Ends::Supported), (2e-4, Ends::Supported), (2e-4, Ends::Fixed)] {
                    let scene = driven(clock, string(clock, stiffness, ends), recorded, places);
                    check(
                        &format!("{scheme:?} string {stiffness}, {recorded} recorded, pushes {i}"),
                        &scene,
                        4000,
                        &[],
                    );
                }
            }
        }
        let mass = || Mass::new(clock, 0.01, 40.0, 0.1).expect("a mass");
        check(&format!("{scheme:?} mass"), &driven(clock, mass(), 1, &[(0, pluck), (0, swell)]), 4000, &[]);
        let surfaces = [
            (Outline::Rectangle([0.15, 0.1]), Edge::Supported, 0.0),
            (Outline::Rectangle([0.3, 0.5]), Edge::Supported, 20.0),
            (Outline::Rectangle([0.5, 0.3]), Edge::Clamped, 20.0),
            (Outline::Rectangle([0.5, 0.3]), Edge::Free, 20.0),
            (Outline::Disc(0.05), Edge::Supported, 0.0),
            (Outline::Disc(0.2), Edge::Clamped, 20.0),
        ];
        for (outline, edge, rigidity) in surfaces {
            let plate = rigidity > 0.0;
            let parameters = SurfaceParameters {
                outline,
                density: if plate { 4.0 } else { 0.2 },
                tension: if plate { 0.0 } else { 2000.0 },
                rigidity,
                poisson: 0.3,
                damping: 3.0,
                diffusion: 0.02,
                edge,
            };
            let grid = parameters.finest(clock.dt).expect("a grid");
            let grid = SurfaceGrid { columns: grid.columns - 1, rows: grid.rows - 1 };
            let pulls = if plate && edge != Edge::Free { [0.0, 100.0] } else { [parameters.tension; 2] };
            for (tension, pushes) in
                pulls.into_iter().zip([[(1, swell as StepForce), (0, pluck)], [(0, pluck), (1, pluck)]])
            {
                let parameters = SurfaceParameters { tension, ..parameters };
                let surface = Surface::new(clock, parameters, grid, &[[0.3, 0.4], [0.6, 0.2]]).expect("a surface");
                let name = format!("{scheme:?} {outline:?} {edge:?} {rigidity} {tension}");
                check(&name, &driven(clock, surface, 2, &pushes), 300, &[]);
            }
        }
    }
}

/// A ball that bounces on a body under its weight while the body is driven, and a force between the two.
#[test]
fn a_ball_flies_under_its_weight_in_blocks() {
    for scheme in SCHEMES {
        for (resistance, between) in [(0.0, false), (0.01, false), (0.0, true)] {
            let clock = Clock::new(scheme, 1.0 / 48_000.0);
            let mut builder = ModelBuilder::new(clock);
            let body = builder.body("body", bank(clock, &mut Draw::new(3)));
            let ball = Mass::new(clock, 0.01, 0.0, resistance).expect("a mass").starting(-3e-3, 0.0);
            let ball = builder.body("ball", ball);
            let law = Collision::new(clock, PowerLaw::new(1e7, 1.5), 0.1);
            builder.contact(Contact::new("bounce", [End::port(ball, 0), End::port(body, 0)], law.into()));
            let weight = builder.contact(Contact::new("weight", [End::port(ball, 0), End::Wall], Law::Force));
            let mut pushes: Vec<(ContactId, StepForce)> = Vec::new();
            if between {
                let ends = [End::port(ball, 0), End::port(body, 1)];
                pushes.push((builder.contact(Contact::new("between", ends, Law::Force)), |n| 0.03 * swell(n)));
            }
            let model = builder.build().expect("a bouncing ball");
            let play = move |_: &Model, state: &mut State, _: u64| state.set_input(weight, 0.01 * 9.81);
            let scene = Scene { model, recorded: vec![(body, 1), (ball, 0)], play: Box::new(play), pushes };
            let name = format!("{scheme:?} ball, r = {resistance}, between: {between}");
            check(&name, &scene, 40_000, &[0]);
            let (_, state, blocks) = listen(&scene, 40_000, &[0], true, true);
            assert!(
                state.counts.solves > 20 && state.contact_statistics[0].count > 5,
                "{name}: {:?}",
                state.contact_statistics[0]
            );
            assert!(blocks.cut_short > 5, "{name}: {} blocks were cut short", blocks.cut_short);
        }
    }
}

#[test]
fn blocks_are_long_where_few_contacts_may_close() {
    let clock = Clock::new(Scheme::Midpoint, 1.0 / 48_000.0);
    for (contacts, audited, longest) in
        [(0, false, LONG_BLOCK), (4, false, LONG_BLOCK), (5, false, BLOCK), (4, true, BLOCK)]
    {
        let mut builder = ModelBuilder::new(clock);
        let ball = builder.body("ball", Mass::new(clock, 0.01, 0.0, 0.0).expect("a mass").starting(-1.0, 1.0));
        for contact in 0..contacts {
            let law = Collision::new(clock, PowerLaw::new(1e7, 1.5), 0.0);
            builder.contact(Contact::new(format!("floor {contact}"), [End::port(ball, 0), End::Wall], law.into()));
        }
        let model = builder.build().expect("a ball in the air");
        let mut state = State::new(&model);
        state.ledger.enabled = audited;
        let mut free_run = FreeRun::new(&model, &[(ball, 0)]);
        let case = format!("{contacts} contacts, audited: {audited}");
        assert_eq!(free_run.longest(&state), longest, "{case}");
        // one step finds the contacts open; then a block lasts until the housekeeping
        step(&model, &mut state);
        assert_eq!(free_run.run(&model, &mut state, 10 * LONG_BLOCK), longest.min(LONG_BLOCK - 1), "{case}");
    }
}

#[test]
fn forces_that_are_not_finite_are_left_to_steps() {
    let clock = Clock::new(Scheme::Midpoint, 1.0 / 48_000.0);
    let broken: StepForce = |n| if n % 100 == 50 { f64::NAN } else { swell(n) };
    let scene = driven(clock, bank(clock, &mut Draw::new(3)), 1, &[(0, broken)]);
    let (stepped, state, _) = listen(&scene, 1000, &[], false, true);
    let (in_blocks, blocks, _) = listen(&scene, 1000, &[], true, true);
    assert_eq!(stepped, in_blocks);
    assert_eq!((state.counts.refused_forces, blocks.counts.refused_forces), (10, 10));
}
