//! Blocks without contact give the same bits as single steps.

use ictus_core::{
    BLOCK, BodyId, Clock, Coast, Collision, Contact, ContactId, Deflection, Discretisation, End, ExplicitString, Frame,
    Law, Mass, ModalBank, Model, ModelBuilder, PowerLaw, State, StretchedBank, StringParameters, step,
};
use ictus_testkit::Draw;
use ictus_testkit::bodies::{StringModes, string_modes};
use ictus_testkit::scene::FRAMES;

type Player = dyn Fn(&Model, &mut State, u64);

/// A model, the ports that are heard, and what happens to it before step n.
struct Scene {
    model: Model,
    heard: Vec<(BodyId, usize)>,
    play: Box<Player>,
}

/// Steps that are taken one at a time because something is about to happen.
fn busy(events: &[u64], n: u64) -> bool {
    events.iter().any(|&event| (event..event + 40).contains(&n))
}

/// What is heard and what the books say.
fn listen(scene: &Scene, steps: u64, coasting: bool, events: &[u64]) -> (Vec<u64>, State, u64) {
    let mut state = State::new(&scene.model);
    let mut coast = Coast::new(&scene.model, &scene.heard);
    let (mut sound, mut coasted) = (Vec::new(), 0);
    while state.steps < steps {
        let now = state.steps;
        let until = events.iter().filter(|&&event| event > now).min().copied().unwrap_or(steps);
        let quiet = coasting && !busy(events, now);
        let taken = if quiet { coast.run(&scene.model, &mut state, (until - now) as usize) } else { 0 };
        for n in 0..taken {
            sound.extend((0..scene.heard.len()).map(|which| coast.velocity(which, n).to_bits()));
        }
        coasted += taken as u64;
        if taken == 0 {
            (scene.play)(&scene.model, &mut state, now);
            step(&scene.model, &mut state);
            let heard = scene.heard.iter().map(|&(body, port)| state.velocity(&scene.model, body, port));
            sound.extend(heard.map(f64::to_bits));
        }
    }
    sound.truncate(steps as usize * scene.heard.len());
    (sound, state, coasted)
}

fn check(name: &str, scene: &Scene, steps: u64, events: &[u64]) {
    let (stepped, books, _) = listen(scene, steps, false, events);
    let (coasted, block_books, count) = listen(scene, steps, true, events);
    let first = stepped.iter().zip(&coasted).position(|(a, b)| a != b);
    assert_eq!(first, None, "{name}: the sound differs");
    assert!(count > steps / 2, "{name}: only {count} of {steps} steps were coasted");
    let (one, other) = (&books.ledger, &block_books.ledger);
    for (one, other) in [(&one.total, &other.total), (&one.bodies[0], &other.bodies[0])] {
        assert_eq!(one.stored, other.stored, "{name}");
        assert_eq!(one.dissipated.value(), other.dissipated.value(), "{name}");
        assert_eq!(one.supplied.value(), other.supplied.value(), "{name}");
    }
    assert!(other.max_residual_rel() < 1e-12, "{name}: {:e}", other.max_residual_rel());
    assert_eq!(books.counts, block_books.counts, "{name}");
}

fn modes_of(draw: &mut Draw, count: usize) -> StringModes {
    string_modes(count, 0.6, 6e-3, draw.uniform(60.0, 300.0), 8.0, &[0.17, 0.61, 0.93])
}

fn bank(clock: Clock, draw: &mut Draw) -> ModalBank {
    let StringModes { modes, shapes, .. } = modes_of(draw, 37);
    ModalBank::new(clock, &modes, &shapes, Discretisation::Exact).expect("a bank")
}

/// A hammer thrown at a body, thrown again, and the body heard at `heard` of its ports.
fn struck(frame: Frame, heard: usize) -> Scene {
    let clock = Clock::new(frame, 1.0 / 48_000.0);
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
    Scene { model, heard: (1..=heard).map(|port| (body, port)).collect(), play: Box::new(play) }
}

/// Two hammers in one island, and a free string on a grid beside them.
fn struck_twice(frame: Frame) -> Scene {
    let clock = Clock::new(frame, 1.0 / 48_000.0);
    let mut draw = Draw::new(9);
    let mut builder = ModelBuilder::new(clock);
    let body = builder.body("body", bank(clock, &mut draw));
    let hammers = [0, 1].map(|port| {
        let hammer = builder.body(format!("hammer{port}"), Mass::new(clock, 0.02, 0.0, 0.0).expect("a mass"));
        let law = Collision::new(clock, PowerLaw::new(1e7, 1.5), 0.0);
        builder.contact(Contact::new("blow", [End::port(hammer, 0), End::port(body, port)], law.into()));
        hammer
    });
    let parameters = StringParameters {
        length: 0.6,
        density: 5e-3,
        tension: 100.0,
        stiffness: 0.0,
        damping: 0.8,
        diffusion: 1e-3,
        kelvin_voigt: 0.0,
        ends: ictus_core::Ends::Supported,
    };
    let grid = parameters.finest(clock.dt).expect("a grid");
    let string = builder.body("string", ExplicitString::new(clock, parameters, grid, &[0.3]).expect("a string"));
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
    Scene { model, heard: vec![(body, 2), (string, 0)], play: Box::new(play) }
}

/// A stretched string that is pulled aside, and pushed for a while later.
fn stretched(frame: Frame, heard: usize) -> Scene {
    let clock = Clock::new(frame, 1.0 / 48_000.0);
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
    Scene { model, heard: (1..=heard).map(|port| (string, port)).collect(), play: Box::new(play) }
}

#[test]
fn blocks_give_the_same_bits_as_steps() {
    for frame in FRAMES {
        for heard in [0, 1, 2] {
            check(&format!("{frame:?} struck, {heard} heard"), &struck(frame, heard), 12_000, &[5, 7000]);
            check(&format!("{frame:?} stretched {heard}"), &stretched(frame, heard), 12_000, &[5, 7000]);
        }
        check(&format!("{frame:?} two hammers"), &struck_twice(frame), 14_000, &[5, 9000]);
    }
}

/// A hammer on a spring comes back by itself, in the middle of blocks.
#[test]
fn a_contact_within_a_block_takes_the_block_back() {
    for frame in FRAMES {
        let clock = Clock::new(frame, 1.0 / 48_000.0);
        let mut builder = ModelBuilder::new(clock);
        let body = builder.body("body", bank(clock, &mut Draw::new(3)));
        let hammer = builder.body("hammer", Mass::new(clock, 0.01, 40.0, 0.0).expect("a mass").starting(-3e-3, 1.0));
        let law = Collision::new(clock, PowerLaw::new(1e7, 1.5), 0.0);
        builder.contact(Contact::new("blow", [End::port(hammer, 0), End::port(body, 0)], law.into()));
        let model = builder.build().expect("a struck body");
        let scene = Scene { model, heard: vec![(body, 1)], play: Box::new(|_, _, _| {}) };
        check(&format!("{frame:?} knocking"), &scene, 40_000, &[]);
        let (_, state, coasted) = listen(&scene, 40_000, true, &[]);
        assert!(state.counts.solves > 20, "{frame:?}: {:?}", state.counts);
        assert!(coasted > 0 && !(coasted as usize).is_multiple_of(BLOCK), "{frame:?}");
    }
}
