//! Coefficients that change while a model sounds.

use ictus_core::{
    BodyId, Bristles, Clock, Collision, Contact, ContactId, Damping, Discretisation, End, Ends, ExplicitString, Felt,
    FreeRun, Friction, FrictionParameters, Law, Mass, ModalBank, Mode, Model, ModelBuilder, NonlinearSpring, Path,
    Persist, PowerLaw, Scheme, Spring, State, StretchedBank, StretchedString, StringParameters, step,
};
use ictus_testkit::scene::SCHEMES;
use ictus_testkit::{Draw, draws};

const RATE: f64 = 48_000.0;
const MODES: usize = 11;
/// Contacts of the string with its barrier.
const BARRIER: usize = 6;
const CELLS: usize = 20;

/// All that can be changed, as factors of what the scene is built with.
#[derive(Clone, Copy, Debug)]
struct Values {
    mass: f64,
    mass_spring: f64,
    pitch: f64,
    decay: f64,
    modal_mass: f64,
    shape: f64,
    tension: f64,
    density: f64,
    bending: f64,
    loss: f64,
    hardness: f64,
    exponent: f64,
    spring: f64,
    friction: f64,
}

const BUILT: Values = Values {
    mass: 1.0,
    mass_spring: 1.0,
    pitch: 1.0,
    decay: 1.0,
    modal_mass: 1.0,
    shape: 1.0,
    tension: 1.0,
    density: 1.0,
    bending: 1.0,
    loss: 1.0,
    hardness: 1.0,
    exponent: 2.3,
    spring: 1.0,
    friction: 1.0,
};

impl Values {
    fn drawn(draw: &mut Draw) -> Self {
        Self {
            mass: draw.log(0.5, 2.0),
            mass_spring: draw.log(0.5, 2.0),
            pitch: draw.log(0.5, 2.0),
            decay: draw.log(0.2, 5.0),
            modal_mass: draw.log(0.5, 2.0),
            shape: draw.uniform(-1.5, 1.5),
            tension: draw.log(0.3, 1.1),
            density: draw.log(0.95, 2.0),
            bending: draw.log(0.1, 1.0),
            loss: draw.log(0.1, 3.0),
            hardness: draw.log(0.1, 10.0),
            exponent: draw.pick(&[1.0, 1.5, 2.0, 2.3, 3.1]),
            spring: draw.log(0.1, 10.0),
            friction: draw.log(0.5, 2.0),
        }
    }

    /// Mostly a small step from what was built: large ones in every step would pump energy into the modes without end.
    fn near(draw: &mut Draw) -> Self {
        let share = if draw.chance(0.01) { 1.0 } else { 0.01 };
        let Self { mass, mass_spring, pitch, decay, modal_mass, shape, .. } = Self::drawn(draw);
        let Self { tension, density, bending, loss, hardness, exponent, spring, friction, .. } = Self::drawn(draw);
        let power = |factor: f64| libm::pow(factor, share);
        Self {
            mass: power(mass),
            mass_spring: power(mass_spring),
            pitch: power(pitch),
            decay: power(decay),
            modal_mass: power(modal_mass),
            shape: 1.0 + share * (shape - 1.0),
            tension: power(tension),
            density: power(density),
            bending: power(bending),
            loss: power(loss),
            hardness: power(hardness),
            // at the same stiffness in N/m^α, another exponent is another force by orders of magnitude
            exponent: 2.3 + 0.1 * share * (exponent - 2.3),
            spring: power(spring),
            friction: power(friction),
        }
    }

    fn mass(&self, clock: Clock, mass: f64, stiffness: f64) -> Mass {
        Mass::new(clock, self.mass * mass, self.mass_spring * stiffness, 0.0).expect("a mass")
    }

    fn mode(&self, i: usize) -> Mode {
        Mode {
            frequency: if i == 0 { 0.0 } else { self.pitch * 211.0 * i as f64 },
            decay: self.decay * 0.4,
            mass: self.modal_mass * (0.05 + 0.003 * i as f64),
        }
    }

    fn partial(&self, i: usize) -> Mode {
        Mode { frequency: self.pitch * 110.0 * (i + 1) as f64, decay: self.decay, mass: self.modal_mass * 1.3e-3 }
    }

    /// Shape of port `turn` of the banks.
    fn shape(&self, turn: f64) -> Vec<f64> {
        (0..MODES).map(|i| libm::cos(self.shape * turn * i as f64)).collect()
    }

    fn string(&self, ends: Ends) -> StringParameters {
        StringParameters {
            length: 0.65,
            density: self.density * 4e-3,
            tension: self.tension * 80.0,
            stiffness: self.bending * 2e-4,
            damping: self.loss * 3.0,
            diffusion: self.loss * 2e-3,
            kelvin_voigt: 0.0,
            ends,
        }
    }

    fn barrier(&self, clock: Clock) -> Collision {
        Collision::new(clock, PowerLaw::new(self.hardness * 1e7, 1.5), 0.1)
    }

    fn collision(&self, clock: Clock) -> Collision {
        Collision::new(clock, PowerLaw::new(self.hardness * 1e7, self.exponent), self.loss * 0.2)
    }

    fn felt(&self, clock: Clock) -> Felt {
        let law = PowerLaw::new(self.hardness * 1e8, self.exponent);
        Felt::new(clock, law, 0.5 / (1.0 + self.loss), self.loss * 1e-4).expect("a felt")
    }

    fn friction(&self, clock: Clock) -> Friction {
        let rosin = FrictionParameters::ROSIN;
        let parameters = FrictionParameters {
            stiffness: self.spring * rosin.stiffness,
            sticking: self.friction * rosin.sticking,
            sliding: self.friction * rosin.sliding,
            ..rosin
        };
        Friction::new(clock, parameters, Bristles::ElastoPlastic, Damping::Passive).expect("a friction")
    }

    fn spring(&self, clock: Clock) -> Spring {
        Spring::new(clock, self.spring * 2e4, self.loss * 0.3).expect("a spring")
    }

    fn nonlinear(&self, clock: Clock) -> NonlinearSpring {
        NonlinearSpring::new(clock, PowerLaw::new(self.spring * 1e8, self.exponent))
    }
}

/// One of every body and every law that can change.
struct Scene {
    model: Model,
    masses: [BodyId; 5],
    /// Touched at three ports, at one, and stretched.
    banks: [BodyId; 3],
    /// On its grid, in its modes, and stretched.
    strings: [BodyId; 3],
    collisions: Vec<ContactId>,
    barrier: ContactId,
    felt: ContactId,
    friction: ContactId,
    spring: ContactId,
    nonlinear: ContactId,
    forces: [ContactId; 2],
}

/// Mass and spring of the masses.
const MASSES: [(f64, f64); 5] = [(0.02, 0.0), (0.03, 0.0), (0.01, 0.0), (0.004, 0.0), (0.05, 3e4)];
const CHANGES: [f64; 3] = [0.3, 1.1, 2.7];
const TUBE_CHANGES: [f64; 2] = [0.7, 1.9];

fn scene(scheme: Scheme, values: &Values) -> Scene {
    let clock = Clock::new(scheme, 1.0 / RATE);
    let mut builder = ModelBuilder::new(clock);
    let masses: Vec<BodyId> = (MASSES.iter().enumerate())
        .map(|(i, (mass, stiffness))| builder.body(format!("mass {i}"), values.mass(clock, *mass, *stiffness)))
        .collect();
    let modes: Vec<Mode> = (0..MODES).map(|i| values.mode(i)).collect();
    let bank = |changes: &[f64]| {
        let shapes: Vec<Vec<f64>> = changes.iter().map(|turn| values.shape(*turn)).collect();
        ModalBank::new(clock, &modes, &shapes, Discretisation::Exact).expect("a bank")
    };
    let partials: Vec<Mode> = (0..MODES).map(|i| values.partial(i)).collect();
    let slopes: Vec<f64> = (1..=MODES).map(|n| 7.6 * (n * n) as f64).collect();
    let sines = |x: f64| (1..=MODES).map(|n| libm::sin(std::f64::consts::PI * n as f64 * x)).collect::<Vec<f64>>();
    let kirchhoff = StretchedBank::new(clock, &partials, &[sines(0.13), sines(0.4)], &slopes, 3e4)
        .and_then(|bank| bank.with_path(1, Path::String(vec![(0..MODES, 1.0)])))
        .expect("a bank");
    let [stiff, fixed] = [Ends::Supported, Ends::Fixed].map(|ends| values.string(ends));
    let grid = stiff.grid(CELLS);
    let points: Vec<f64> = (3..3 + BARRIER + 3).map(|i| i as f64 / CELLS as f64).collect();
    let long = ExplicitString::new(clock, fixed, grid, &points).expect("a string");
    let sounding = ExplicitString::new(clock, stiff, grid, &[0.23, 0.6]).expect("a string");
    let bent = StretchedString::new(clock, stiff, grid, &[0.31, 0.7], 1e4).expect("a string");
    let banks = [
        builder.body("bar", bank(&CHANGES)),
        builder.body("tube", bank(&TUBE_CHANGES)),
        builder.body("kirchhoff", kirchhoff),
    ];
    let strings =
        [builder.body("long", long), builder.body("sounding", sounding), builder.body("bent", bent.with_movable(1))];
    let mut hit = |name: &str, [a, b]: [End; 2], gap: f64| {
        builder.contact(Contact::new(name, [a, b], values.collision(clock).into()).with_gap(gap))
    };
    let [mass, bank, string] =
        [&masses[..], &banks, &strings].map(|list| move |i: usize, port| End::port(list[i], port));
    let collisions = vec![
        hit("mallet", [mass(0, 0), bank(0, 0)], 1e-4),
        hit("stick", [mass(1, 0), bank(1, 0)], 1e-4),
        hit("pick", [mass(2, 0), string(1, 0)], 1e-4),
        hit("bridge", [bank(2, 0), End::Wall], 2e-5),
        hit("fret", [string(2, 0), bank(2, 1)], 1e-5),
    ];
    let wall = |port| [string(0, port), End::Wall];
    let barrier = (0..BARRIER)
        .map(|i| builder.contact(Contact::new("barrier", wall(i), values.barrier(clock).into()).with_gap(1e-5)))
        .collect::<Vec<ContactId>>()[0];
    let felt = Contact::new("felt", [mass(3, 0), string(0, BARRIER + 1)], values.felt(clock).into());
    let felt = builder.contact(felt.with_gap(1e-4));
    let friction = builder.contact(Contact::new("bow", [bank(0, 1), End::Wall], values.friction(clock).into()));
    let spring = Contact::new("spring", [bank(0, 2), mass(4, 0)], Law::Spring(values.spring(clock)));
    let spring = builder.contact(spring);
    let nonlinear = builder.contact(Contact::new("pad", [mass(4, 0), End::Wall], values.nonlinear(clock).into()));
    let forces =
        [bank(1, 0), string(2, 1)].map(|end| builder.contact(Contact::new("push", [end, End::Wall], Law::Force)));
    let model = builder.build().expect("a model");
    let masses = masses.try_into().expect("five masses");
    Scene { model, masses, banks, strings, collisions, barrier, felt, friction, spring, nonlinear, forces }
}

/// Number of calls of [`Scene::set`].
const CALLS: usize = 18;

impl Scene {
    /// Makes call `which` with the new values.
    fn set(&mut self, mut state: Option<&mut State>, which: usize, values: &Values) -> bool {
        let Self { model, masses, banks, strings, collisions, .. } = self;
        let clock = model.clock();
        match which {
            0 => (0..MASSES.len()).all(|i| {
                let (mass, stiffness) = MASSES[i];
                model.set_mass(state.as_deref_mut(), masses[i], values.mass(clock, mass, stiffness))
            }),
            1 => model.set_modes(state, banks[0], &mut |i| values.mode(i)),
            2 => model.set_modes(state, banks[1], &mut |i| values.mode(i)),
            3 => model.set_modes(state, banks[2], &mut |i| values.partial(i)),
            4 => (0..3).all(|port| model.set_shape(state.as_deref_mut(), banks[0], port, &values.shape(CHANGES[port]))),
            5 => (0..2)
                .all(|port| model.set_shape(state.as_deref_mut(), banks[1], port, &values.shape(TUBE_CHANGES[port]))),
            6 => model.set_string(state, strings[0], values.string(Ends::Fixed)),
            7 => model.set_string(state, strings[1], values.string(Ends::Supported)),
            8 => model.set_string(state, strings[2], values.string(Ends::Supported)),
            9..=13 => model.set_collision(state, collisions[which - 9], values.collision(clock)),
            14 => model.set_collisions(state, self.barrier, BARRIER, &values.barrier(clock)),
            15 => model.set_felt(state, self.felt, values.felt(clock)),
            16 => {
                model.set_friction(state.as_deref_mut(), self.friction, values.friction(clock))
                    && model.set_spring(state, self.spring, values.spring(clock))
            }
            _ => model.set_nonlinear_spring(state, self.nonlinear, values.nonlinear(clock)),
        }
    }

    /// What the player does before step `n`.
    fn play(&self, state: &mut State, n: usize) {
        let model = &self.model;
        if n.is_multiple_of(400) {
            for (i, &mass) in self.masses[..4].iter().enumerate() {
                state.throw(model, mass, 0.7 + 0.3 * i as f64, Some(-1e-5));
            }
            state.kick(model, self.banks[2], 0, 2e-4);
            state.kick(model, self.strings[0], 2, 3e-4);
            state.kick(model, self.strings[2], 0, 1e-4);
        }
        if n.is_multiple_of(100) {
            let up = f64::from(u8::from(n.is_multiple_of(200)));
            state.press(model, self.friction, 0.5 + up);
            state.slide(self.friction, 0.1 + 0.1 * up);
            state.set_input(self.forces[0], 0.3 * up);
            state.set_input(self.forces[1], 0.1 - 0.1 * up);
            state.move_port(model, self.banks[2], 1, 0.4 + 1e-4 * n as f64);
            state.move_port(model, self.strings[2], 1, 0.7 - 1e-4 * n as f64);
        }
    }

    fn advance(&self, state: &mut State, steps: usize) {
        for _ in 0..steps {
            self.play(state, state.steps as usize);
            step(&self.model, state);
        }
    }
}

fn bytes(state: &State) -> Vec<u8> {
    let mut out = Vec::new();
    state.write(&mut out);
    out
}

fn touched(state: &State, collisions: usize) -> bool {
    let closed = state.contact_statistics[..collisions].iter().filter(|contact| contact.count > 0);
    closed.count() >= 4
}

#[test]
fn retuned_models_have_the_bits_of_new_ones() {
    let mut draw = Draw::new(31);
    for scheme in SCHEMES {
        for audited in [false, true] {
            let values = Values::drawn(&mut draw);
            let mut retuned = scene(scheme, &BUILT);
            let mut state = State::new(&retuned.model);
            state.audit(&retuned.model, audited);
            let places = |scene: &Scene, state: &mut State| {
                for body in [scene.banks[2], scene.strings[2]] {
                    assert!(state.move_port(&scene.model, body, 1, 0.37));
                }
            };
            // ports that have moved stay where they are
            places(&retuned, &mut state);
            for which in 0..CALLS {
                assert!(retuned.set(Some(&mut state), which, &values), "{scheme:?}: call {which}");
            }
            let new = scene(scheme, &values);
            let mut expected = State::new(&new.model);
            places(&new, &mut expected);
            expected.audit(&new.model, audited);
            for n in 0..60 {
                for (scene, state) in [(&retuned, &mut state), (&new, &mut expected)] {
                    scene.advance(state, 20);
                }
                assert!(bytes(&state) == bytes(&expected), "{scheme:?} audited {audited}: step {}", 20 * n);
            }
            assert!(touched(&state, retuned.collisions.len()), "{:?}", state.contact_statistics);
            assert!(state.contact_statistics[retuned.barrier.index() + 3].count > 0);
        }
    }
}

#[test]
fn values_set_there_and_back_leave_no_trace() {
    let mut draw = Draw::new(32);
    for scheme in SCHEMES {
        let untouched = scene(scheme, &BUILT);
        let mut retuned = scene(scheme, &BUILT);
        for which in 0..CALLS {
            assert!(retuned.set(None, which, &Values::drawn(&mut draw)) && retuned.set(None, which, &BUILT));
        }
        let copy = Scene { model: retuned.model.clone(), ..scene(scheme, &BUILT) };
        let mut states = [(); 3].map(|()| State::new(&untouched.model));
        for (scene, state) in [&untouched, &retuned, &copy].into_iter().zip(&mut states) {
            scene.advance(state, 1200);
        }
        assert!(states.iter().all(|state| bytes(state) == bytes(&states[0])), "{scheme:?}");
    }
}

#[test]
fn snapshots_continue_on_a_model_set_without_them() {
    let mut draw = Draw::new(37);
    for scheme in SCHEMES {
        let [mut played, mut restored] = [(); 2].map(|()| scene(scheme, &BUILT));
        let mut state = State::new(&played.model);
        for _ in 0..20 {
            let values = Values::drawn(&mut draw);
            played.advance(&mut state, 71);
            for which in 0..CALLS {
                assert!(played.set(Some(&mut state), which, &values) && restored.set(None, which, &values));
            }
            let mut snapshot = state.clone();
            played.advance(&mut state, 71);
            restored.advance(&mut snapshot, 71);
            assert!(bytes(&state) == bytes(&snapshot), "{scheme:?}");
        }
        assert!(state.counts.solves > 500);
    }
}

/// Relative to the scale of the motion.
fn assert_same(name: &str, one: f64, other: f64, scale: f64) {
    assert!((one - other).abs() <= 1e-13 * scale, "{name}: {one:e} became {other:e}");
}

#[test]
fn motions_and_gaps_stay() {
    let mut draw = Draw::new(33);
    for scheme in SCHEMES {
        let mut scene = scene(scheme, &BUILT);
        let mut state = State::new(&scene.model);
        for round in 0..draws(200) {
            scene.advance(&mut state, 7);
            let which = round % CALLS;
            if [4, 5].contains(&which) {
                // another shape: the modes move on, the ports are elsewhere
                continue;
            }
            let ports: Vec<(BodyId, usize)> = (scene.banks.iter().map(|&body| (body, 0)))
                .chain(scene.strings.iter().flat_map(|&body| [(body, 0), (body, 1)]))
                .chain(scene.masses.iter().map(|&body| (body, 0)))
                .collect();
            let motion = |model: &Model, state: &State| -> Vec<[f64; 2]> {
                let read = |&(body, port)| [state.displacement(model, body, port), state.velocity(model, body, port)];
                ports.iter().map(read).collect()
            };
            let before = motion(&scene.model, &state);
            let gaps: Vec<f64> = scene.collisions.iter().map(|&id| state.gap(&scene.model, id).now).collect();
            assert!(scene.set(Some(&mut state), which, &Values::drawn(&mut draw)));
            for (one, other) in before.iter().zip(motion(&scene.model, &state)) {
                assert_same("displacement", one[0], other[0], 1e-3);
                assert_same("velocity", one[1], other[1], 1.0);
            }
            for (&id, gap) in scene.collisions.iter().zip(gaps) {
                assert_same("gap", gap, state.gap(&scene.model, id).now, 1e-3);
            }
        }
    }
}

#[test]
fn jumps_of_energy_are_supplied_and_the_ledger_changes_no_bit() {
    let mut draw = Draw::new(34);
    for scheme in SCHEMES {
        let mut scenes = [(); 3].map(|()| scene(scheme, &BUILT));
        let mut states = [0, 1, 2].map(|i| State::new(&scenes[i].model));
        // ledger, balance only, neither
        states[1].audit(&scenes[1].model, false);
        states[1].measure(&scenes[1].model, true);
        states[0].measure(&scenes[0].model, true);
        states[2].audit(&scenes[2].model, false);
        for n in 0..10_000 {
            let (which, values) = (draw.integer(0, CALLS - 1), Values::near(&mut draw));
            for (scene, state) in scenes.iter_mut().zip(&mut states) {
                scene.advance(state, 1);
                assert!(scene.set(Some(state), which, &values), "{scheme:?}: change {n}, call {which}");
            }
            for body in scenes[0].model.body_ids() {
                let [one, other, third] =
                    [0, 1, 2].map(|i| states[i].displacement(&scenes[i].model, body, 0).to_bits());
                assert!(one == other && one == third, "{scheme:?}: body {body:?} at {n}");
            }
        }
        let ledger = &states[0].ledger;
        println!("{scheme:?}: residual {:e} of {:e} J", ledger.max_residual_rel(), ledger.peak);
        assert!(ledger.peak < 1e3, "{scheme:?}: {:e} J pumped", ledger.peak);
        assert!(ledger.max_residual_rel() < 1e-12, "{scheme:?}: {:e}", ledger.max_residual_rel());
        assert!(states[0].counts.solves > 1000 && states[0].counts.quarantined == 0);
        let [with, without] = [0, 1].map(|i| states[i].balance(&scenes[i].model).lost);
        assert!((with - without).abs() <= 1e-9 * ledger.scale(), "{scheme:?}: {with:e} {without:e}");
        assert!((ledger.total.dissipated.value() - without).abs() <= 1e-9 * ledger.scale());
    }
}

#[test]
fn models_stay_passive() {
    let mut draw = Draw::new(35);
    for scheme in SCHEMES {
        let mut scene = scene(scheme, &BUILT);
        let mut state = State::new(&scene.model);
        for round in 0..draws(40) {
            scene.advance(&mut state, 401);
            for which in 0..CALLS {
                assert!(scene.set(Some(&mut state), which, &Values::drawn(&mut draw)));
            }
            scene.forces.iter().for_each(|&force| state.set_input(force, 0.0));
            state.slide(scene.friction, 0.0);
            step(&scene.model, &mut state);
            let mut stored = state.stored(&scene.model);
            let slack = 1e-12 * stored;
            for n in 0..300 {
                step(&scene.model, &mut state);
                let now = state.stored(&scene.model);
                assert!(now <= stored + slack, "{scheme:?} {round}: {now:e} J after {stored:e} J, step {n}");
                stored = now;
            }
        }
        assert!(state.counts.solves > 1000);
    }
}

/// A tuned and driven bar beside a ball, in blocks or in single steps, with changes in between.
fn rung(scheme: Scheme, in_blocks: bool, audited: bool) -> Vec<u64> {
    let clock = Clock::new(scheme, 1.0 / RATE);
    let mut builder = ModelBuilder::new(clock);
    let modes: Vec<Mode> = (0..MODES).map(|i| BUILT.mode(i)).collect();
    let shapes = CHANGES.map(|turn| BUILT.shape(turn));
    let bank = ModalBank::new(clock, &modes, &shapes, Discretisation::Exact).expect("a bank");
    let bar = builder.body("bar", bank);
    let ball = builder.body("ball", BUILT.mass(clock, 0.02, 0.0));
    let hit = Contact::new("hit", [End::port(ball, 0), End::port(bar, 0)], BUILT.collision(clock).into());
    let hit = builder.contact(hit.with_gap(1e-3));
    let push = builder.contact(Contact::new("push", [End::port(bar, 1), End::Wall], Law::Force));
    let mut model = builder.build().expect("a model");
    let mut state = State::new(&model);
    state.audit(&model, audited);
    state.throw(&model, ball, 1.0, Some(0.0));
    let mut free_run = FreeRun::new(&model, &[(bar, 2), (ball, 0)]);
    let mut sound = Vec::new();
    let mut draw = Draw::new(36);
    let mut in_runs = 0;
    for round in 0..40 {
        let values = Values::drawn(&mut draw);
        assert!(model.set_modes(Some(&mut state), bar, &mut |i| values.mode(i)));
        assert!(model.set_shape(Some(&mut state), bar, 1, &values.shape(0.9)));
        assert!(model.set_mass(Some(&mut state), ball, values.mass(clock, 0.02, 0.0)));
        assert!(model.set_collision(Some(&mut state), hit, values.collision(clock)));
        state.set_input(push, if round % 3 == 0 { 0.2 } else { 0.0 });
        let end = state.steps + 96;
        while state.steps < end {
            let left = (end - state.steps) as usize;
            let taken = if in_blocks { free_run.run(&model, &mut state, left) } else { 0 };
            in_runs += taken;
            for n in 0..taken {
                sound.extend([0, 1].map(|which| free_run.velocity(which, n).to_bits()));
            }
            if taken == 0 {
                step(&model, &mut state);
                sound.extend([(bar, 2), (ball, 0)].map(|(body, port)| state.velocity(&model, body, port).to_bits()));
            }
        }
    }
    assert!(!in_blocks || in_runs > 2000, "{in_runs}");
    assert!(state.contact_statistics[0].count > 0);
    sound
}

#[test]
fn free_runs_have_the_bits_of_single_steps() {
    for scheme in SCHEMES {
        let steps = rung(scheme, false, false);
        for (in_blocks, audited) in [(true, false), (true, true), (false, true)] {
            assert!(rung(scheme, in_blocks, audited) == steps, "{scheme:?} {in_blocks} {audited}");
        }
    }
}

#[test]
fn a_mass_that_sleeps_off_its_rest_wakes_with_a_spring() {
    for scheme in SCHEMES {
        let clock = Clock::new(scheme, 1.0 / RATE);
        let mut builder = ModelBuilder::new(clock);
        let ball = builder.body("ball", Mass::new(clock, 0.1, 0.0, 0.0).expect("a mass").starting(0.01, 0.0));
        builder.contact(Contact::new("push", [End::port(ball, 0), End::Wall], Law::Force));
        let mut model = builder.build().expect("a model");
        let mut state = State::new(&model);
        assert!(state.is_asleep(ball));
        assert!(model.set_mass(Some(&mut state), ball, Mass::new(clock, 0.1, 1e3, 0.0).expect("a mass")));
        let energy = 0.5 * 1e3 * 1e-4;
        assert!(!state.is_asleep(ball) && (state.ledger.total.supplied.value() / energy - 1.0).abs() < 1e-12);
        (0..1000).for_each(|_| step(&model, &mut state));
        assert!(state.ledger.max_residual_rel() < 1e-12 && state.displacement(&model, ball, 0) < 0.0099);
    }
}

/// What is refused changes nothing.
#[test]
fn what_cannot_change_is_refused() {
    for scheme in SCHEMES {
        let untouched = scene(scheme, &BUILT);
        let mut scene = scene(scheme, &BUILT);
        let [mut state, mut expected] = [(); 2].map(|()| State::new(&untouched.model));
        scene.advance(&mut state, 250);
        untouched.advance(&mut expected, 250);
        let (clock, model) = (scene.model.clock(), &mut scene.model);
        let [bar, tube, ..] = scene.banks;
        let [long, sounding, bent] = scene.strings;
        let state_of = &mut state;
        let wrong = Mode { frequency: 0.6 * RATE, ..BUILT.mode(3) };
        let mode = |i: usize| if i == 5 { wrong } else { BUILT.mode(i) };
        for body in [bar, tube, long, sounding] {
            assert!(!model.set_modes(Some(state_of), body, &mut |i| mode(i)));
            assert!(!model.set_mass(Some(state_of), body, BUILT.mass(clock, 1.0, 0.0)));
        }
        assert!(!model.set_shape(Some(state_of), bar, 1, &[1.0; MODES - 1]));
        assert!(!model.set_shape(Some(state_of), bar, 3, &[1.0; MODES]));
        assert!(!model.set_shape(Some(state_of), tube, 0, &[0.0; MODES]));
        assert!(!model.set_shape(Some(state_of), scene.banks[2], 1, &[1.0; MODES]));
        for (string, ends) in [(long, Ends::Fixed), (sounding, Ends::Supported), (bent, Ends::Supported)] {
            let fits = BUILT.string(ends);
            for parameters in [
                StringParameters { tension: 1e4, ..fits },
                StringParameters { length: 0.7, ..fits },
                StringParameters { damping: f64::NAN, ..fits },
                StringParameters { kelvin_voigt: 1e-6, ..fits },
            ] {
                assert!(!model.set_string(Some(state_of), string, parameters));
            }
        }
        assert!(!model.set_collision(Some(state_of), scene.barrier, BUILT.barrier(clock)));
        assert!(!model.set_collisions(Some(state_of), scene.barrier, BARRIER - 1, &BUILT.barrier(clock)));
        let sharp = Collision::new(clock, PowerLaw::new(1e7, 2.0), 0.0);
        assert!(!model.set_collisions(Some(state_of), scene.barrier, BARRIER, &sharp));
        assert!(!model.set_felt(Some(state_of), scene.spring, BUILT.felt(clock)));
        assert!(!model.set_spring(Some(state_of), scene.felt, BUILT.spring(clock)));
        assert!(!model.set_law(Some(state_of), scene.collisions[0], BUILT.collision(clock)));
        scene.advance(&mut state, 600);
        untouched.advance(&mut expected, 600);
        assert!(bytes(&state) == bytes(&expected), "{scheme:?}");
    }
}

/// Two ports on opposite sides of a node respond to each other as soon as the modes differ.
#[test]
fn ports_that_were_apart_stay_apart() {
    let clock = Clock::new(Scheme::Midpoint, 1.0 / RATE);
    let mode = |frequency: f64| Mode { frequency, decay: 1.0, mass: 0.1 };
    let mut builder = ModelBuilder::new(clock);
    let shapes = [vec![1.0, 1.0], vec![1.0, -1.0]];
    let bank = ModalBank::new(clock, &[mode(100.0), mode(100.0)], &shapes, Discretisation::Exact).expect("a bank");
    let bar = builder.body("bar", bank);
    for port in [0, 1] {
        builder.contact(Contact::new("hit", [End::port(bar, port), End::Wall], BUILT.collision(clock).into()));
    }
    let mut model = builder.build().expect("a model");
    assert_eq!(model.island_count(), 2);
    let mut expected = State::new(&model);
    expected.kick(&model, bar, 0, 1.0);
    let mut state = expected.clone();
    (0..100).for_each(|_| step(&model, &mut expected));
    assert!(!model.set_modes(Some(&mut state), bar, &mut |i| mode(100.0 + i as f64)));
    assert!(!model.set_shape(Some(&mut state), bar, 1, &[1.0, 1.0]));
    (0..100).for_each(|_| step(&model, &mut state));
    assert!(state.counts.solves > 0 && bytes(&state) == bytes(&expected));
    assert!(model.set_modes(Some(&mut state), bar, &mut |_| mode(150.0)));
}
