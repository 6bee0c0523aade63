//! Playing on barriers: repeated plucks, the stiff lossy string of CW14, fingers that stop and slide.

use ictus_core::{
    BodyId, Clock, Collision, Contact, ContactId, Deflection, End, Ends, ExplicitString, Law, Mass, Model,
    ModelBuilder, PowerLaw, Scheme, State, StringParameters, step,
};
use ictus_testkit::scene::ContactMethod;
use ictus_testkit::scene::barrier::{Make, Plan, Point, Strung};
use ictus_testkit::signal::{cents, pole};

/// The string of CW14.
const STRING: StringParameters = StringParameters {
    length: 0.7,
    density: 0.001,
    tension: 100.0,
    stiffness: 0.0,
    damping: 0.0,
    diffusion: 0.0,
    kelvin_voigt: 0.0,
    ends: Ends::Supported,
};

/// Frequency of the lowest partial: the shape projected on its own mode, which isolates it.
fn pitch(strung: &mut Strung, rate: f64, steps: usize) -> f64 {
    let signal: Vec<f64> = (0..steps)
        .map(|_| {
            step(&strung.scene.model, &mut strung.scene.state);
            let n = strung.shape().count() + 1;
            strung
                .shape()
                .enumerate()
                .map(|(i, u)| u * libm::sin(std::f64::consts::PI * (i + 1) as f64 / n as f64))
                .sum()
        })
        .collect();
    let expected = 0.5 * (STRING.tension / STRING.density).sqrt() / STRING.length;
    pole(&signal, rate, expected).0
}

/// Fifty hard plucks by the hand between two soft pulls that do not reach the barrier. Nothing is reset in between, so that energy retained by a contact
/// would show.
#[test]
fn fifty_plucks_leave_pitch_and_energy_as_they_were() {
    let (rate, n) = (44_100.0, 48);
    for make in [
        Make::Explicit(Scheme::Leapfrog),
        Make::Explicit(Scheme::Midpoint),
        Make::Implicit,
        Make::Modal(Scheme::Leapfrog),
    ] {
        // a bridge that the string wraps, then a flat neck; modes have only the bridge
        let points: Vec<Point> = (1..n)
            .map(|i| i as f64 / n as f64)
            .filter(|&x| !matches!(make, Make::Modal(_)) || x < 0.25)
            .map(|x| (x, -2e-4 - if x < 0.2 { 5e-3 * x * x } else { 2e-4 }))
            .collect();
        for method in ContactMethod::ALL {
            let plan = Plan {
                make,
                dt: 1.0 / rate,
                parameters: StringParameters { damping: 120.0, ..STRING },
                fineness: n,
                points: points.clone(),
                power: PowerLaw::new(1e10 * STRING.length / n as f64, 1.3),
                method,
                hand: 0.31,
                probes: (1..24).map(|i| i as f64 / 24.0).collect(),
            };
            let mut strung = plan.build();
            let hand = strung.hand;
            let touch = |strung: &mut Strung| {
                let solves = strung.scene.state.counts.solves;
                strung.scene.play_with(80, |_, state, i| state.set_input(hand, if i < 79 { 0.02 } else { 0.0 }));
                let pitch = pitch(strung, rate, 2205);
                assert_eq!(solves, strung.scene.state.counts.solves, "a soft touch must not reach the barrier");
                pitch
            };
            let first = touch(&mut strung);
            // pulled up over 4 ms, released, left to ring for 36 ms
            let (pull, ring) = (176, 1764);
            let report = strung.scene.play_with(50 * ring, |_, state, i| {
                state.set_input(hand, if i % ring < pull { 2.0 * (i % ring) as f64 / pull as f64 } else { 0.0 });
            });
            strung.scene.play(3 * ring);
            let state = &strung.scene.state;
            let held: f64 = strung.scene.collisions.iter().map(|&c| state.contact_energy(&strung.scene.model, c)).sum();
            let left = held / state.ledger.total.stored;
            let drift = cents(touch(&mut strung), first);
            println!(
                "{make:?} {method:?}: {first:.3} Hz, after 50 plucks {drift:+.1e} cents; {} impacts, held apart {:.1e} of the peak, in the end \
                 {left:.1e} of what is left; residual {:.1e}, missed {}",
                report.impacts,
                report.held_apart,
                strung.scene.state.ledger.max_residual_rel(),
                report.counts.missed
            );
            assert!(report.impacts > 50 * 10, "fifty plucks, {} impacts", report.impacts);
            assert!(drift.abs() <= 1.0, "{drift} cents");
            assert!(left < 1e-6 && report.held_apart < 1e-6 && report.force[0] >= 0.0);
            assert!(strung.scene.state.ledger.max_residual_rel() <= 1e-11 && report.counts.missed == 0);
        }
    }
}

/// [CW14 Fig. 4]: stiff and lossy on the curved barrier for one second.
#[test]
fn the_stiff_lossy_string_is_passive() {
    let (rate, n) = (44_100.0, 100);
    // γ = 100 1/s acts as 2σ0; the published E I is in N m²
    let parameters = StringParameters { stiffness: 0.012, damping: 50.0, kelvin_voigt: 1e-5, ..STRING };
    let points: Vec<Point> =
        (1..n).map(|i| i as f64 / n as f64).filter(|x| x * 0.7 <= 0.015).map(|x| (x, -0.01 * x * x)).collect();
    let plan = Plan {
        make: Make::Implicit,
        dt: 1.0 / rate,
        parameters,
        fineness: n,
        points,
        power: PowerLaw::new(1e13 * 0.007, 2.5),
        method: ContactMethod::LOSSLESS,
        hand: 0.5,
        probes: Vec::new(),
    };
    let mut strung = plan.build();
    let deflection = Deflection::Fundamental { displacement: 2e-3 };
    strung.scene.state.deflect(&strung.scene.model, strung.string, deflection);
    let peak = strung.scene.state.ledger.peak;
    let (mut last, mut rise, mut touched, mut strongest) = (f64::INFINITY, f64::NEG_INFINITY, 0, 0.0_f64);
    for _ in 0..44_100 {
        step(&strung.scene.model, &mut strung.scene.state);
        let now = strung.scene.state.ledger.total.stored;
        rise = rise.max(now - last);
        last = now;
        let force = strung.total_force();
        touched += u32::from(force > 0.0);
        strongest = strongest.max(force);
    }
    let ledger = &strung.scene.state.ledger;
    println!(
        "largest dH {:.1e} of the peak, loss balance {:.1e}, least loss of a step {:.1e} J, {touched} steps in contact, up to {strongest:.2} N, \
         energy left {:.1e}",
        rise / peak,
        ledger.max_residual_rel(),
        ledger.total.min_dissipated,
        last / peak
    );
    assert!(touched > 50 && strongest > 0.1);
    assert!(rise <= 1e-15 * peak, "the energy rose by {:e} of the peak", rise / peak);
    assert!(ledger.max_residual_rel() < 1e-11 && ledger.total.min_dissipated >= 0.0);
    assert_eq!(strung.scene.state.counts.missed, 0);
}

/// A guitar-like string with a fret at each grid point nearest to a semitone, and a finger above the fingerboard.
struct Fingerboard {
    model: Model,
    state: State,
    string: BodyId,
    intervals: usize,
    frets: Vec<usize>,
    /// Contacts between finger and string, one per grid point from the nut on.
    tip: Vec<ContactId>,
    press: ContactId,
    hand: ContactId,
}

const RATE: f64 = 44_100.0;
const ACTION: f64 = 1e-3; // m, string above frets
const CLEARANCE: f64 = 5e-4; // m, finger above string
const TIP_RADIUS: f64 = 8e-3; // m

impl Fingerboard {
    fn new() -> Self {
        let clock = Clock::new(Scheme::Leapfrog, 1.0 / RATE);
        let parameters =
            StringParameters { length: 0.65, density: 4e-3, tension: 80.0, damping: 8.0, diffusion: 1e-4, ..STRING };
        let grid = parameters.finest(clock.dt).expect("a grid");
        let n = grid.intervals;
        let positions: Vec<f64> = (1..n).map(|i| i as f64 / n as f64).collect();
        let mut builder = ModelBuilder::new(clock);
        let string =
            builder.body("string", ExplicitString::new(clock, parameters, grid, &positions).expect("a stable string"));
        let finger = builder.body("finger", Mass::new(clock, 0.01, 0.0, 8.0).expect("a finger"));
        let frets: Vec<usize> =
            (1..=12).map(|fret| ((1.0 - libm::exp2(-f64::from(fret) / 12.0)) * n as f64).round() as usize).collect();
        for (i, &at) in frets.iter().enumerate() {
            let law = Law::from(Collision::new(clock, PowerLaw::new(1e9, 1.5), 0.2));
            let ends = [End::Wall, End::port(string, at - 1)];
            builder.contact(Contact::new(format!("fret {}", i + 1), ends, law).with_gap(ACTION));
        }
        let tip = (1..=n / 2)
            .map(|i| {
                let law = Law::from(Collision::new(clock, PowerLaw::new(3e6, 1.5), 1.0));
                let ends = [End::port(string, i - 1), End::port(finger, 0)];
                builder.contact(Contact::new(format!("tip {i}"), ends, law).with_gap(1.0))
            })
            .collect();
        let press = builder.contact(Contact::new("press", [End::port(finger, 0), End::Wall], Law::Force));
        let hand = builder.contact(Contact::new("hand", [End::port(string, n * 4 / 5), End::Wall], Law::Force));
        let model = builder.build().expect("a string, a finger and frets");
        let state = State::new(&model);
        Self { model, state, string, intervals: n, frets, tip, press, hand }
    }

    /// Position of the finger behind a fret, in grid points from the nut.
    fn behind(&self, fret: usize) -> f64 {
        self.frets[fret - 1] as f64 - 1.5
    }

    /// Moves the middle of the tip to `at` grid points from the nut over the next step.
    fn place(&mut self, at: f64) {
        let spacing = 0.65 / self.intervals as f64;
        for (i, &contact) in self.tip.iter().enumerate() {
            let off = ((i + 1) as f64 - at) * spacing;
            self.state.set_gap(&self.model, contact, CLEARANCE + 0.5 * off * off / TIP_RADIUS);
        }
    }

    /// Simulates `seconds`; `gesture` acts before each step, at its time.
    fn play(&mut self, seconds: f64, mut gesture: impl FnMut(&mut Self, f64)) {
        for n in 0..(seconds * RATE) as usize {
            gesture(self, n as f64 / RATE);
            step(&self.model, &mut self.state);
        }
    }

    /// Frequency after a soft pluck: the part beyond the fret, projected on its own first mode and freed of its static slope.
    fn pitch(&mut self, fret: usize, expected: f64) -> f64 {
        let hand = self.hand;
        self.play(0.002, |board, _| board.state.set_input(hand, 0.05));
        self.state.set_input(hand, 0.0);
        let (n, at) = (self.intervals, self.frets[fret - 1]);
        let mut signal = Vec::new();
        self.play(0.15, |board, _| {
            let height = |i: usize| board.state.displacement(&board.model, board.string, i - 1);
            let stop = height(at);
            let sum = (at + 1..n)
                .map(|i| {
                    let x = (i - at) as f64 / (n - at) as f64;
                    (height(i) - stop * (1.0 - x)) * libm::sin(std::f64::consts::PI * x)
                })
                .sum();
            signal.push(sum);
        });
        pole(&signal, RATE, expected).0
    }
}

#[test]
fn a_finger_stops_the_string_at_the_fret() {
    for fret in [2, 7, 12] {
        let mut board = Fingerboard::new();
        let (n, at) = (board.intervals, board.frets[fret - 1]);
        // the exact leapfrog string has one wave speed: intervals per step
        let open = 0.5 * (80.0f64 / 4e-3).sqrt() / 0.65;
        let expected = open * n as f64 / (n - at) as f64;
        board.place(board.behind(fret));
        let press = board.press;
        board.play(0.3, |board, t| board.state.set_input(press, -6.0 * (t / 0.02).min(1.0)));
        let measured = board.pitch(fret, expected);
        let error = cents(measured, expected);
        let ledger = &board.state.ledger;
        println!(
            "fret {fret}: {measured:.3} Hz, {expected:.3} Hz expected, {error:+.2} cents; residual {:.1e}, missed {}",
            ledger.max_residual_rel(),
            board.state.counts.missed
        );
        let stop = board.model.find_contact(&format!("fret {fret}")).expect("the fret");
        assert!(board.state.contact_force(stop) > 0.5, "the string does not lie on the fret");
        assert!(error.abs() < 5.0, "{error} cents");
        assert!(ledger.max_residual_rel() <= 1e-11 && board.state.counts.missed == 0);
    }
}

#[test]
fn a_finger_slides_from_fret_to_fret() {
    let mut board = Fingerboard::new();
    let (from, to) = (3, 7);
    board.place(board.behind(from));
    let press = board.press;
    board.play(0.3, |board, t| board.state.set_input(press, -6.0 * (t / 0.02).min(1.0)));
    let (start, end) = (board.behind(from), board.behind(to));
    let before = board.state.counts.solves;
    board.play(0.25, |board, t| board.place(start + (end - start) * (t / 0.25)));
    board.place(end);
    let work = board.state.ledger.total.supplied.value();
    assert!(board.state.counts.solves > before + 5000, "the finger left the string");
    board.play(0.2, |_, _| {});
    let expected =
        0.5 * (80.0f64 / 4e-3).sqrt() / 0.65 * board.intervals as f64 / (board.intervals - board.frets[to - 1]) as f64;
    let error = cents(board.pitch(to, expected), expected);
    let ledger = &board.state.ledger;
    println!(
        "slid from fret {from} to {to}: {error:+.2} cents, work of hand and finger {work:.2e} J, residual {:.1e}, missed {}, iterations {:.2} at \
         most {}",
        ledger.max_residual_rel(),
        board.state.counts.missed,
        board.state.counts.mean_iterations(),
        board.state.counts.max_iterations
    );
    assert!(error.abs() < 5.0, "{error} cents");
    assert!(ledger.max_residual_rel() <= 1e-11 && board.state.counts.missed == 0);
}
