//! Impulses between two steps. What every body must obey is in `ictus_testkit::kick`.

use ictus_core::{
    Air, BodyId, Bristles, Clock, Collision, Contact, ContactId, Damping, Discretisation, Drum, Edge, End, Ends,
    ExplicitString, FastResonator, Felt, FreeRun, Friction, FrictionParameters, Gradient, ImplicitString, Law, Mass,
    ModalBank, Mode, Model, ModelBuilder, NonlinearSpring, Outline, Path, PowerLaw, Quadratised, Scheme, Spring, State,
    StretchedBank, StretchedString, StringArray, StringParameters, Surface, SurfaceGrid, SurfaceParameters, step,
};
use ictus_testkit::bodies::{StringModes, string_modes};
use ictus_testkit::scene::{SCHEMES, anything, island};
use ictus_testkit::{Draw, draws};

const RATE: f64 = 48_000.0;

fn clock(scheme: Scheme) -> Clock {
    Clock::new(scheme, 1.0 / RATE)
}

const STRING: StringParameters = StringParameters {
    length: 0.65,
    density: 4e-3,
    tension: 80.0,
    stiffness: 2e-4,
    damping: 3.0,
    diffusion: 2e-3,
    kelvin_voigt: 0.0,
    ends: Ends::Supported,
};

fn surface(clock: Clock, plate: bool, edge: Edge) -> Surface {
    let parameters = SurfaceParameters {
        outline: Outline::Rectangle([0.3, 0.2]),
        density: 2.0,
        tension: if plate { 0.0 } else { 2000.0 },
        rigidity: if plate { 0.5 } else { 0.0 },
        poisson: 0.3,
        damping: 3.0,
        diffusion: 0.02,
        edge,
    };
    Surface::new(clock, parameters, SurfaceGrid { columns: 6, rows: 5 }, &[[0.31, 0.42], [0.5, 0.6]])
        .expect("a surface")
}

fn bank(clock: Clock, decay: f64) -> ModalBank {
    let modes: Vec<Mode> = (0..11)
        .map(|i| Mode { frequency: 90.0 + 211.0 * f64::from(i), decay, mass: 0.01 + 0.003 * f64::from(i) })
        .collect();
    let shape = |turn: f64| (0..11).map(|i| libm::cos(turn * f64::from(i))).collect();
    ModalBank::new(clock, &modes, &[shape(0.3), shape(1.1), shape(2.7)], Discretisation::Exact).expect("a bank")
}

/// The same few bodies at any time step, with losses and without high modes: motions converge with the step.
fn bodies(clock: Clock) -> Vec<(&'static str, Box<dyn FastResonator>)> {
    let string = |positions: &[f64]| ExplicitString::new(clock, STRING, STRING.grid(9), positions).expect("a string");
    let StringModes { modes, shapes, slopes } = string_modes(6, 0.65, 4e-3, 110.0, 0.7, &[0.21, 0.5]);
    let stretched = StretchedBank::new(clock, &modes, &shapes, &slopes, 1e4)
        .and_then(|bank| bank.with_path(1, Path::String(vec![(0..6, 1.0)])))
        .expect("a bank");
    let stretched_string = StretchedString::new(clock, STRING, STRING.grid(9), &[0.21, 0.5], 1e4).expect("a string");
    let head = SurfaceParameters {
        outline: Outline::Disc(0.15),
        density: 0.5,
        tension: 2000.0,
        rigidity: 0.0,
        poisson: 0.3,
        damping: 3.0,
        diffusion: 0.02,
        edge: Edge::Supported,
    };
    let head = Surface::new(clock, head, SurfaceGrid { columns: 7, rows: 7 }, &[[0.1, 0.3]]).expect("a head");
    let air = Air { volume: 0.01, depth: 0.14, cells: 3, damping: 20.0 };
    let drum = Drum::new(clock, vec![head.clone(), head], air, vec![(0, 0), (1, 0)]).expect("a drum");
    let mut list: Vec<(&'static str, Box<dyn FastResonator>)> = vec![
        ("mass", Box::new(Mass::new(clock, 0.01, 4e3, 0.7).expect("a mass"))),
        ("bank", Box::new(bank(clock, 0.3))),
        ("single-port bank", bank(clock, 0.3).touched_at(1).expect("a bank touched at one port")),
        ("string", Box::new(string(&[0.21, 0.5, 0.87]))),
        ("string in its modes", string(&[0.21, 0.5, 0.87]).touched_at(0).expect("a string in its modes")),
        ("string with a moving port", Box::new(string(&[0.21, 0.5]).with_movable(1))),
        ("string array", Box::new(StringArray::new(vec![string(&[1.0 / 9.0]); 2]).expect("ports on points"))),
        ("membrane", Box::new(surface(clock, false, Edge::Supported))),
        ("clamped plate", Box::new(surface(clock, true, Edge::Clamped))),
        ("free plate", Box::new(surface(clock, true, Edge::Free))),
        ("drum", Box::new(drum)),
        ("stretched bank", Box::new(stretched)),
        ("stretched string", Box::new(stretched_string)),
    ];
    if clock.scheme == Scheme::Midpoint {
        let string = ImplicitString::new(clock, STRING, STRING.grid(9), &[0.21, 0.5]).expect("a string");
        list.push(("implicit string", Box::new(string)));
    }
    list
}

/// Displacements of all ports `steps` steps after an impulse at `port` or, if `forced`, after the force J/k over one step.
fn response(body: &dyn FastResonator, clock: Clock, port: usize, forced: bool, steps: usize) -> Vec<f64> {
    const IMPULSE: f64 = 1e-3;
    let ports: Vec<usize> = (0..body.port_count()).collect();
    let mut state = vec![0.0; body.state_len()];
    body.reset(&mut state);
    if let Some(varying) = body.varying() {
        ports.iter().for_each(|&port| varying.move_port(&mut state, port, 0.37));
    }
    if !forced {
        body.capabilities().kick.expect("a body that takes impulses").kick(&mut state, port, IMPULSE);
    }
    let mut free = vec![0.0; ports.len()];
    // a bank touched at one port steps under forces there only
    for n in 0..steps {
        body.free_velocities(&mut state, &ports, &mut free);
        let force = if forced && n == 0 { IMPULSE / clock.dt } else { 0.0 };
        body.advance(&mut state, &[port], &[force], true);
    }
    ports.iter().map(|&port| body.displacement(&state, port)).collect()
}

/// An impulse is the limit of a force over a short time.
#[test]
fn impulses_are_short_forces() {
    for scheme in SCHEMES {
        let count = bodies(clock(scheme)).len();
        for which in 0..count {
            let deviations = [4, 8, 16, 32].map(|finer| {
                let clock = Clock::new(scheme, 1.0 / (RATE * f64::from(finer)));
                let (name, body) = bodies(clock).swap_remove(which);
                // the touched port of a bank in its coordinates
                let only = match name {
                    "single-port bank" => Some(1),
                    "string in its modes" => Some(0),
                    _ => None,
                };
                let mut worst = 0.0f64;
                for port in (0..body.port_count()).filter(|port| only.is_none_or(|only| *port == only)) {
                    let [kicked, pushed] =
                        [false, true].map(|forced| response(&*body, clock, port, forced, 40 * finer as usize));
                    let scale = pushed.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
                    assert!(scale > 1e-9, "{name}: {scale:e} m");
                    for (kicked, pushed) in kicked.iter().zip(&pushed) {
                        worst = worst.max((kicked - pushed).abs() / scale);
                    }
                }
                (name, worst)
            });
            let name = deviations[0].0;
            for pair in deviations.windows(2) {
                let [coarse, fine] = [pair[0].1, pair[1].1];
                assert!(fine < 0.6 * coarse, "{scheme:?} {name}: {deviations:?}");
            }
            assert!(deviations[3].1 < 0.02, "{scheme:?} {name}: {deviations:?}");
        }
    }
}

/// A bank in the coordinates of one port, and a string in its modes, respond as the body they stand for.
#[test]
fn other_representations_respond_alike() {
    for scheme in SCHEMES {
        let clock = clock(scheme);
        let string = ExplicitString::new(clock, STRING, STRING.grid(40), &[0.21, 0.5, 0.87]).expect("a string");
        for body in [Box::new(bank(clock, 0.3)) as Box<dyn FastResonator>, Box::new(string)] {
            for touched in 0..3 {
                let same = body.touched_at(touched).expect("an equal body");
                for port in 0..3 {
                    let [one, other] = [&body, &same].map(|body| response(&**body, clock, port, false, 300));
                    let scale = one.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
                    for (one, other) in one.iter().zip(&other) {
                        assert!((one - other).abs() < 1e-11 * scale, "{scheme:?}, kicked at {port}: {one:e} {other:e}");
                    }
                }
            }
        }
    }
}

/// A hammer on a body that is touched at port 0 only, and a hand at the hammer.
fn hammered(clock: Clock, law: Law, lossless: bool) -> (Model, [BodyId; 2], [ContactId; 2]) {
    let mut builder = ModelBuilder::new(clock);
    let body = builder.body("bar", bank(clock, if lossless { f64::INFINITY } else { 0.3 }));
    let hammer = builder.body("hammer", Mass::new(clock, 0.02, 0.0, 0.0).expect("a mass"));
    let hit = builder.contact(Contact::new("hit", [End::port(hammer, 0), End::port(body, 0)], law));
    let hand = builder.contact(Contact::new("hand", [End::port(hammer, 0), End::Wall], Law::Force));
    (builder.build().expect("a model"), [body, hammer], [hit, hand])
}

fn laws(clock: Clock) -> Vec<(&'static str, Law)> {
    let power = PowerLaw::new(1e8, 1.5);
    vec![
        ("collision", Collision::new(clock, power, 0.0).into()),
        ("collision with losses", Collision::new(clock, power, 0.5).into()),
        ("hard collision", Collision::new(clock, PowerLaw::new(1e12, 1.5), 0.0).into()),
        ("quadratised", Quadratised::new(clock, power, Gradient::Current).into()),
        ("corrected", Quadratised::new(clock, power, Gradient::Corrected).into()),
        ("felt", Felt::new(clock, power, 0.4, 1e-4).expect("felt").into()),
        ("nonlinear spring", NonlinearSpring::new(clock, power).into()),
        ("spring", Spring::new(clock, 1e5, 0.1).expect("a spring").into()),
    ]
}

/// In leapfrog an impulse on bodies without losses is the force J/k over the next step, also in the middle of a contact.
#[test]
fn contacts_in_progress_respond_to_impulses_as_to_forces() {
    let clock = clock(Scheme::Leapfrog);
    for (name, law) in laws(clock) {
        let (model, [body, hammer], [hit, hand]) = hammered(clock, law, true);
        let mut start = State::new(&model);
        assert!(start.throw(&model, hammer, 1.0, Some(-1e-4)));
        let (mut compared, mut touched) = (0, 0);
        for n in 0..200 {
            step(&model, &mut start);
            if start.contact_force(hit) == 0.0 && n % 7 != 0 {
                continue;
            }
            touched += u32::from(start.contact_force(hit) != 0.0);
            for impulse in [0.01, -0.01, -0.2] {
                let [mut kicked, mut pushed] = [start.clone(), start.clone()];
                assert!(kicked.kick(&model, hammer, 0, impulse));
                pushed.set_input(hand, impulse / clock.dt);
                let mut scale = 0.0f64;
                for m in 0..60 {
                    for state in [&mut kicked, &mut pushed] {
                        step(&model, state);
                    }
                    pushed.set_input(hand, 0.0);
                    for (of, port) in [(hammer, 0), (body, 0), (body, 2)] {
                        let [one, other] = [&kicked, &pushed].map(|state| state.displacement(&model, of, port));
                        scale = scale.max(one.abs());
                        // hard contacts amplify rounding
                        assert!((one - other).abs() < 1e-9 * scale, "{name}, {n} + {m}: {one:e} {other:e}");
                    }
                    let [one, other] = [&kicked, &pushed].map(|state| state.contact_force(hit));
                    assert!((one - other).abs() < 1e-6 * (1.0 + one.abs()), "{name}, {n} + {m}: {one} N, {other} N");
                }
                assert!(kicked.ledger.max_residual_rel() < 1e-12, "{name}: {:e}", kicked.ledger.max_residual_rel());
                compared += 1;
            }
        }
        assert!(compared > 60 && touched > 3, "{name}: {compared} compared, {touched} in contact");
    }
}

/// The gap that a spring remembers stays that of its bodies.
#[test]
fn gaps_stay_with_the_bodies() {
    for scheme in SCHEMES {
        let clock = clock(scheme);
        const STIFFNESS: f64 = 3e5;
        let spring = Spring::new(clock, STIFFNESS, 0.2).expect("a spring");
        let (model, [body, hammer], [spring, _]) = hammered(clock, spring.into(), false);
        let mut state = State::new(&model);
        let mut draw = Draw::new(3);
        let (mut before, mut peak) = (0.0, 0.0f64);
        for n in 0..5000 {
            if n % 37 == 0 {
                state.kick(&model, hammer, 0, draw.uniform(-0.02, 0.02));
                state.kick(&model, body, draw.integer(0, 2), draw.uniform(-0.02, 0.02));
            }
            step(&model, &mut state);
            let gap = state.displacement(&model, hammer, 0) - state.displacement(&model, body, 0);
            let squares = match scheme {
                Scheme::Midpoint => gap * gap,
                Scheme::Leapfrog => 0.5 * (gap * gap + before * before),
            };
            let [expected, stored] = [0.5 * STIFFNESS * squares, state.contact_energy(&model, spring)];
            peak = peak.max(expected);
            assert!((stored - expected).abs() < 1e-11 * peak, "{scheme:?}, step {n}: {stored:e} J, {expected:e} J");
            before = gap;
        }
        assert!(state.ledger.max_residual_rel() < 1e-12, "{:e}", state.ledger.max_residual_rel());
    }
}

/// A kick on a body that a bristle holds does not let go of it.
#[test]
fn friction_keeps_its_bristles() {
    for scheme in SCHEMES {
        let clock = clock(scheme);
        let law = Friction::new(clock, FrictionParameters::ROSIN, Bristles::ElastoPlastic, Damping::Passive);
        let (model, [body, hammer], [rub, hand]) = hammered(clock, law.expect("surfaces").into(), false);
        let mut state = State::new(&model);
        state.press(&model, rub, 5.0);
        state.slide(rub, 1e-3);
        state.set_input(hand, 0.5);
        for _ in 0..2000 {
            step(&model, &mut state);
        }
        let held = state.contact_energy(&model, rub);
        assert!(held > 1e-8, "{scheme:?}: {held:e} J");
        for (target, port) in [(hammer, 0), (body, 0), (body, 1)] {
            assert!(state.kick(&model, target, port, 1e-7));
            assert_eq!(state.contact_energy(&model, rub), held);
        }
        step(&model, &mut state);
        let next = state.contact_energy(&model, rub);
        assert!((next / held - 1.0).abs() < 0.2, "{scheme:?}: {held:e} J, then {next:e} J");
        assert!(state.ledger.max_residual_rel() < 1e-12);
    }
}

/// Impulses of about the momentum that bodies have anyway, now and then.
fn kick_some(model: &Model, state: &mut State, bodies: &[BodyId], draw: &mut Draw) -> u32 {
    if !draw.chance(0.02) {
        return 0;
    }
    let body = draw.pick(bodies);
    let port = draw.integer(0, 2);
    u32::from(state.kick(model, body, port, draw.log(1e-6, 1e-2) * draw.sign()))
}

/// Energy balances over steps and impulses, whatever is in contact, and the ledger changes no bit.
#[test]
fn the_ledger_closes_and_changes_nothing() {
    let mut solves = 0;
    for scheme in SCHEMES {
        for (name, build) in island::SCENES {
            let mut scene = build(scheme, &mut Draw::new(11));
            let mut silent = scene.state.clone();
            silent.ledger.enabled = false;
            let [mut draw, mut again] = [Draw::new(12), Draw::new(12)];
            let mut kicks = 0;
            for n in 0..4000 {
                kicks += kick_some(&scene.model, &mut scene.state, &scene.bodies, &mut draw);
                kick_some(&scene.model, &mut silent, &scene.bodies, &mut again);
                step(&scene.model, &mut scene.state);
                step(&scene.model, &mut silent);
                for &body in &scene.bodies {
                    let [one, other] = [&scene.state, &silent].map(|state| state.velocity(&scene.model, body, 0));
                    assert_eq!(one.to_bits(), other.to_bits(), "{scheme:?} {name}, step {n}");
                }
            }
            let residual = scene.state.ledger.max_residual_rel();
            assert!(kicks > 10 && residual < 1e-12, "{scheme:?} {name}: {residual:e} after {kicks} kicks");
            assert!(scene.state.counts.solves > 0, "{scheme:?} {name}: nothing touches");
            solves += scene.state.counts.solves;
        }
    }
    assert!(solves > 10_000, "{solves} solves with contact");
}

#[test]
fn the_ledger_closes_in_random_worlds() {
    let mut kicks = 0;
    for scheme in SCHEMES {
        for seed in 0..draws(60) as u64 {
            let mut draw = Draw::new(1000 + seed);
            let mut world = anything::world(scheme, &mut draw);
            for n in 0..1500 {
                world.gesture(n, &mut draw);
                kicks += kick_some(&world.scene.model, &mut world.scene.state, &world.scene.bodies, &mut draw);
                step(&world.scene.model, &mut world.scene.state);
            }
            let ledger = &world.scene.state.ledger;
            let residual = ledger.total.max_residual / ledger.scale();
            assert!(residual < 1e-11, "{scheme:?} world {seed}: {residual:e}");
        }
    }
    assert!(kicks > 1000);
}

/// One body, touched at its first ports.
fn touched_at(clock: Clock, body: impl FastResonator + 'static, touched: usize) -> (Model, BodyId, Vec<ContactId>) {
    let mut builder = ModelBuilder::new(clock);
    let body = builder.body("body", body);
    let hand = |port| Contact::new("hand", [End::port(body, port), End::Wall], Law::Force);
    let hands = (0..touched).map(|port| builder.contact(hand(port))).collect();
    (builder.build().expect("a body"), body, hands)
}

fn played(scheme: Scheme) -> Vec<(&'static str, Model, BodyId)> {
    let clock = clock(scheme);
    let string = || ExplicitString::new(clock, STRING, STRING.grid(40), &[0.21, 0.5, 0.87]).expect("a string");
    [
        ("untouched bank", touched_at(clock, bank(clock, 0.01), 0)),
        ("bank touched at one port", touched_at(clock, bank(clock, 0.01), 1)),
        ("bank", touched_at(clock, bank(clock, 0.01), 2)),
        ("string in its modes", touched_at(clock, string(), 1)),
        ("string", touched_at(clock, string(), 2)),
        ("membrane", touched_at(clock, surface(clock, false, Edge::Supported), 1)),
        ("free plate", touched_at(clock, surface(clock, true, Edge::Free), 1)),
    ]
    .map(|(name, (model, body, _))| (name, model, body))
    .into()
}

#[test]
fn sleeping_bodies_wake() {
    for scheme in SCHEMES {
        for (name, model, body) in played(scheme) {
            let mut state = State::new(&model);
            assert!(state.is_asleep(body), "{name}");
            assert!(state.kick(&model, body, 1, 1e-3), "{name}");
            assert!(!state.is_asleep(body) && state.velocity(&model, body, 1) > 1e-4, "{name}");
            let mut moved = 0.0f64;
            for _ in 0..300 {
                step(&model, &mut state);
                moved = moved.max(state.displacement(&model, body, 0).abs());
            }
            assert!(moved > 1e-9, "{scheme:?} {name}: {moved:e} m");
            assert!(state.ledger.max_residual_rel() < 1e-12, "{name}: {:e}", state.ledger.max_residual_rel());
            assert!(state.ledger.total.supplied.value() > 0.0);
        }
    }
}

#[test]
fn unusable_impulses_change_nothing() {
    for scheme in SCHEMES {
        for (name, model, body) in played(scheme) {
            let mut state = State::new(&model);
            assert!(state.kick(&model, body, 0, 1e-3));
            for _ in 0..10 {
                step(&model, &mut state);
            }
            let mut kicked = state.clone();
            for impulse in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, -1e300] {
                assert!(!kicked.kick(&model, body, 1, impulse), "{name}: {impulse}");
            }
            assert!(!kicked.kick(&model, body, 99, 1e-3), "{name}: there is no such port");
            assert_eq!(kicked.ledger, state.ledger, "{name}");
            for _ in 0..300 {
                step(&model, &mut state);
                step(&model, &mut kicked);
                let [one, other] = [&state, &kicked].map(|state| state.velocity(&model, body, 0).to_bits());
                assert_eq!(one, other, "{scheme:?} {name}");
            }
            // more than a body stores
            assert!(state.kick(&model, body, 0, 1e149) && state.is_quarantined(body), "{name}");
            assert!(!state.kick(&model, body, 0, 1e-3), "{name}: it is quarantined");
            step(&model, &mut state);
            let ledger = &state.ledger;
            assert_eq!((ledger.total.stored, ledger.bodies[0].stored), (0.0, 0.0), "{name}");
            assert!(ledger.max_residual_rel() < 1e-12, "{name}: {:e}", ledger.max_residual_rel());
        }
    }
}

/// Velocities of all ports over some blocks, with impulses between them.
fn listen(model: &Model, body: BodyId, ports: usize, in_blocks: bool, audited: bool) -> (Vec<u64>, usize) {
    let mut state = State::new(model);
    state.ledger.enabled = audited;
    let recorded: Vec<_> = (0..ports).map(|port| (body, port)).collect();
    let mut free_run = FreeRun::new(model, &recorded).with_displacements(&recorded);
    let (mut sound, mut run) = (Vec::new(), 0);
    for block in 0..40 {
        let port = block % ports;
        assert!(state.kick(model, body, port, if block % 3 == 0 { 1e-3 } else { -4e-4 }));
        let end = state.steps + [64, 7, 1, 130, 300][block % 5];
        while state.steps < end {
            let left = (end - state.steps) as usize;
            let taken = if in_blocks { free_run.run(model, &mut state, left) } else { 0 };
            for (n, which) in (0..taken).flat_map(|n| (0..ports).map(move |which| (n, which))) {
                sound.extend([free_run.velocity(which, n), free_run.displacement(which, n)].map(f64::to_bits));
            }
            run += taken;
            if taken == 0 {
                step(model, &mut state);
                for port in 0..ports {
                    let [v, u] = [state.velocity(model, body, port), state.displacement(model, body, port)];
                    sound.extend([v, u].map(f64::to_bits));
                }
            }
        }
    }
    if audited {
        assert!(state.ledger.max_residual_rel() < 1e-12, "{:e}", state.ledger.max_residual_rel());
    }
    (sound, run)
}

/// With a hammer that hits the body now and then.
fn struck(scheme: Scheme) -> (Model, BodyId) {
    let clock = clock(scheme);
    let law = Collision::new(clock, PowerLaw::new(1e8, 1.5), 0.1);
    let mut builder = ModelBuilder::new(clock);
    let body = builder.body("bar", bank(clock, 0.3));
    let hammer = builder.body("hammer", Mass::new(clock, 0.02, 4e4, 0.3).expect("a mass"));
    builder.contact(Contact::new("hit", [End::port(body, 0), End::port(hammer, 0)], law.into()).with_gap(2e-5));
    (builder.build().expect("a model"), body)
}

#[test]
fn blocks_have_the_bits_of_steps() {
    for scheme in SCHEMES {
        let (model, body) = struck(scheme);
        let mut scenes = played(scheme);
        scenes.push(("bar with a hammer", model, body));
        for (name, model, body) in scenes {
            let ports = if name.contains("plate") || name == "membrane" { 2 } else { 3 };
            let (stepped, _) = listen(&model, body, ports, false, true);
            for audited in [true, false] {
                let (sound, run) = listen(&model, body, ports, true, audited);
                let first = stepped.iter().zip(&sound).position(|(a, b)| a != b);
                assert_eq!((first, stepped.len()), (None, sound.len()), "{scheme:?} {name}, audited: {audited}");
                assert!(run > 500, "{scheme:?} {name}: {run} steps in blocks");
            }
        }
    }
}
