//! Cost of one step, as ratios measured in the same run: `cargo bench -p ictus-bench --bench steps`, or one part of it: `… -- bridge`.
//!
//! Each line is the median of repeated short runs. "plain" is the straightforward loop over the same numbers:
//! the ratio to it holds on a noisy machine, the nanoseconds do not.

use ictus_bench::measure::thread_seconds as seconds;
use ictus_bench::plain;
use ictus_bench::scene::{RATE, Touching, bank, string_parameters};
use ictus_core::{
    BLOCK, Bristles, Clock, Contact, Damping, Deflection, Discretisation, Edge, End, Ends, ExplicitString, FreeRun,
    Friction, FrictionParameters, Gradient, ImplicitString, Law, ModalBank, Mode, Model, ModelBuilder, Outline,
    PowerLaw, Scheme, State, StretchedBank, StringParameters, Surface, SurfaceParameters, step,
};
use ictus_testkit::bodies::{StringModes, string_modes, surface_parameters};
use ictus_testkit::scene::ContactMethod;
use ictus_testkit::scene::barrier::{Make, Plan};
use std::hint::black_box;
use std::time::Instant;

const REPEATS: usize = 5;
const RUNS: usize = 25;

/// Median nanoseconds per call of `f`, over runs of `steps` calls.
fn nanoseconds(steps: usize, mut f: impl FnMut()) -> f64 {
    let mut runs: Vec<f64> = (0..REPEATS)
        .map(|_| {
            let (start, mut ran, mut calls) = (seconds(), 0.0, 0);
            // the system counts in ticks of some milliseconds
            while ran < 0.2 {
                for _ in 0..steps {
                    f();
                }
                calls += steps;
                ran = seconds() - start;
            }
            ran * 1e9 / calls as f64
        })
        .collect();
    runs.sort_by(f64::total_cmp);
    runs[REPEATS / 2]
}

fn time_model(model: &Model, prepare: impl Fn(&mut State), audited: bool) -> f64 {
    let mut state = State::new(model);
    prepare(&mut state);
    state.ledger.enabled = audited;
    let steps = 20_000;
    nanoseconds(steps, || step(black_box(model), &mut state))
}

fn modal_banks() {
    println!("modal bank, force fed back every sample (ns per mode)");
    for modes in [30, 100, 300, 1000] {
        let clock = Clock::new(Scheme::Midpoint, 1.0 / RATE);
        let mut builder = ModelBuilder::new(clock);
        let body = builder.body("bank", bank(clock, modes));
        let drive = builder.contact(Contact::new("drive", [End::port(body, 0), End::Wall], Law::Force));
        let model = builder.build().expect("a driven bank");
        let prepare = |state: &mut State| state.set_input(drive, 0.1);
        let (off, on) = (time_model(&model, prepare, false), time_model(&model, prepare, true));

        let mut plain = plain::PlainBank::new(modes);
        let plain = nanoseconds(20_000, || plain.feed_back());
        let n = modes as f64;
        println!(
            "  {modes:>5} modes  {:.2}  audited {:.2}  plain {:.2}  plain/ictus {:.2}",
            off / n,
            on / n,
            plain / n,
            plain / off
        );
    }
}

fn strings() {
    // touched at one port only, the explicit string would leave its grid
    const PORTS: [f64; 2] = [0.3, 0.7];
    println!("stiff lossy string (ns per point)");
    for length in [0.5, 1.0, 4.0, 16.0] {
        let mut line = String::new();
        let mut explicit = 0.0;
        for scheme in [Scheme::Leapfrog, Scheme::Midpoint] {
            let clock = Clock::new(scheme, 1.0 / RATE);
            let parameters = string_parameters(length);
            let grid = parameters.finest(clock.dt).expect("a grid");
            let mut builder = ModelBuilder::new(clock);
            let body = match scheme {
                Scheme::Leapfrog => {
                    builder.body("string", ExplicitString::new(clock, parameters, grid, &PORTS).expect("stable"))
                }
                Scheme::Midpoint => {
                    builder.body("string", ImplicitString::new(clock, parameters, grid, &PORTS).expect("fine"))
                }
            };
            let [drive, _] = [0, 1]
                .map(|port| builder.contact(Contact::new("drive", [End::port(body, port), End::Wall], Law::Force)));
            let model = builder.build().expect("a driven string");
            let cost =
                |audited| time_model(&model, |state| state.set_input(drive, 0.1), audited) / grid.intervals as f64;
            let (off, on) = (cost(false), cost(true));
            let name = if scheme == Scheme::Leapfrog { "explicit" } else { "implicit" };
            if scheme == Scheme::Leapfrog {
                explicit = off;
                line += &format!("  {:>5} points", grid.intervals);
            }
            line += &format!("  {name} {off:.2} audited {on:.2}");
        }
        let points = (length / string_parameters(length).spacing_limit(1.0 / RATE)) as usize;
        let mut plain = plain::StiffString::new(points);
        let plain = nanoseconds(20_000, || plain.step());
        let plain = plain / points as f64;
        println!("{line}  plain {plain:.2}  plain/explicit {:.2}", plain / explicit);
    }
}

fn contacts() {
    println!("whole contact sample, mass pressed on a bank (ns)");
    for modes in [1, 30, 100, 300] {
        for (name, exponent) in [("x^1.5", 1.5), ("x^2.3", 2.3)] {
            let scene = Touching::new(modes, exponent);
            let [closed, open] =
                [scene.pressed(), scene.apart()].map(|mut playing| nanoseconds(20_000, || playing.step()));
            println!("  {modes:>4} modes {name}  closed {closed:.0}  open {open:.0}  closed/open {:.2}", closed / open);
        }
    }
}

/// Nanoseconds per step of a string let go from its fundamental, 2 mm high, and the mean number of closed contacts of
/// many runs over the same steps, since what is closed changes from step to step.
fn time_bouncing(plan: &Plan, steps: usize, audited: bool) -> (f64, f64) {
    let mut strung = plan.build();
    let model = &strung.scene.model;
    strung.scene.state.deflect(model, strung.string, Deflection::Fundamental { displacement: 2e-3 });
    strung.scene.state.ledger.enabled = audited;
    let fresh = strung.scene.state.clone();
    let mut state = fresh.clone();
    let cost = nanoseconds(1, || {
        state.clone_from(&fresh);
        for _ in 0..steps {
            step(black_box(model), &mut state);
        }
    });
    let report = strung.scene.play(steps);
    assert!(report.contact_steps > 0, "the string never met the barrier");
    (cost / steps as f64, report.contact_steps as f64 / steps as f64)
}

/// A lossless string of `n` intervals at the stability limit over a flat barrier at half its amplitude: it bounces for ever.
fn bouncing(make: Make, n: usize) -> Plan {
    let parameters = StringParameters { stiffness: 0.0, damping: 0.0, diffusion: 0.0, ..string_parameters(1.0) };
    let length = n as f64 * parameters.spacing_limit(1.0 / RATE) * (1.0 + 1e-9);
    Plan {
        make,
        dt: 1.0 / RATE,
        parameters: StringParameters { length, ..parameters },
        fineness: n,
        points: (1..n).map(|i| (i as f64 / n as f64, -1e-3)).collect(),
        power: PowerLaw::new(1e9 * length / n as f64, 1.5),
        method: ContactMethod::LOSSLESS,
        hand: 0.5,
        probes: Vec::new(),
    }
}

fn barriers() {
    println!("string on a barrier, a contact at every point (ns per point, over that at N = 100)");
    let sizes = [100, 50, 200, 500, 1000, 2000];
    for make in [Make::Explicit(Scheme::Leapfrog), Make::Explicit(Scheme::Midpoint), Make::Implicit] {
        let mut base = [0.0; 2];
        for n in sizes {
            let [(off, closed), (on, _)] =
                [false, true].map(|audited| time_bouncing(&bouncing(make, n), 3 * n, audited));
            let costs = [off / n as f64, on / n as f64];
            if n == 100 {
                base = costs;
            }
            println!(
                "  {make:?} {n:>5} points, {:.0} % closed  {:.1} ({:.2})  audited {:.1} ({:.2})",
                100.0 * closed / n as f64,
                costs[0],
                costs[0] / base[0],
                costs[1],
                costs[1] / base[1]
            );
        }
    }
}

/// A tanpura-like string of 100 points whose first 20 lie over a curved bridge that it wraps in every period.
fn bridge() {
    println!("100-point string, 20-point bridge (times real time)");
    for rate in [44_100.0, 48_000.0] {
        for make in [Make::Explicit(Scheme::Leapfrog), Make::Explicit(Scheme::Midpoint), Make::Implicit] {
            for method in
                [ContactMethod::LOSSLESS, ContactMethod::Gradient(0.3), ContactMethod::Quadratised(Gradient::Corrected)]
            {
                let density = 1e-3;
                let parameters = StringParameters {
                    length: 1.0,
                    density,
                    tension: density * (0.99 * rate / 100.0) * (0.99 * rate / 100.0),
                    stiffness: 0.0,
                    damping: 0.5,
                    diffusion: 0.0,
                    kelvin_voigt: 0.0,
                    ends: Ends::Supported,
                };
                let plan = Plan {
                    make,
                    dt: 1.0 / rate,
                    parameters,
                    fineness: 100,
                    points: (1..=20).map(|i| f64::from(i) / 100.0).map(|x| (x, -0.01 * x * x)).collect(),
                    power: PowerLaw::new(1e11 / 100.0, 1.5),
                    method,
                    hand: 0.5,
                    probes: Vec::new(),
                };
                let [(off, closed), (on, _)] = [false, true].map(|audited| time_bouncing(&plan, 2000, audited));
                let [off, on] = [off, on].map(|cost| 1e9 / rate / cost);
                println!("  {rate} Hz {make:?} {method:?}, {closed:.1} closed  {off:.0}  audited {on:.0}");
            }
        }
    }
}

/// A choir of stretched strings, each a voice of its own that is pushed and heard, computed in blocks as an instrument with many voices is.
fn choir() {
    const STRINGS: usize = 200;
    let clock = Clock::new(Scheme::Midpoint, 1.0 / RATE);
    let cost = |stretched: bool, pushed: bool, audited: bool| {
        let mut voices: Vec<_> = (0..STRINGS)
            .map(|i| {
                let pitch = 82.4 * (1.0 + 0.004 * i as f64);
                let StringModes { modes, shapes, slopes } = string_modes(60, 0.86, 8e-3, pitch, 20.0, &[0.2, 0.93]);
                let mut builder = ModelBuilder::new(clock);
                let string = if stretched {
                    let bank = StretchedBank::new(clock, &modes, &shapes, &slopes, 3.5e4);
                    builder.body("string", bank.expect("a valid bank"))
                } else {
                    let bank = ModalBank::new(clock, &modes, &shapes, Discretisation::Exact);
                    builder.body("string", bank.expect("a valid bank"))
                };
                let thumb = builder.contact(Contact::new("thumb", [End::port(string, 0), End::Wall], Law::Force));
                let model = builder.build().expect("a valid model");
                let mut state = State::new(&model);
                state.ledger.enabled = audited;
                state.deflect(&model, string, Deflection::Static { port: 0, displacement: 5e-3 });
                let free_run = FreeRun::new(&model, &[(string, 1)]);
                (model, state, string, thumb, free_run)
            })
            .collect();
        let mut mix = [0.0; BLOCK];
        let block = nanoseconds(10, || {
            mix.fill(0.0);
            for (model, state, string, thumb, free_run) in &mut voices {
                let mut samples = mix.iter_mut();
                while samples.len() > 0 {
                    let taken = if pushed { 0 } else { free_run.run(black_box(model), state, samples.len()) };
                    for (n, sample) in (0..taken).zip(&mut samples) {
                        *sample += free_run.velocity(0, n);
                    }
                    if taken == 0
                        && let Some(sample) = samples.next()
                    {
                        state.set_input(*thumb, 0.01);
                        step(black_box(model), state);
                        *sample += state.velocity(model, *string, 1);
                    }
                }
            }
            black_box(&mix);
        });
        block / BLOCK as f64
    };
    println!("{STRINGS} strings of 60 modes, each a voice heard at a port, in blocks of {BLOCK} samples at {RATE} Hz");
    for (pushed, audited) in [(false, false), (false, true), (true, false)] {
        let (linear, stretched) = (cost(false, pushed, audited), cost(true, pushed, audited));
        println!(
            "  {}, ledger {}: {:5.1} ns per string and sample, {:.0} in real time; without stretching {:5.1} ns, ratio {:.2}",
            if pushed { "pushed" } else { "ringing" },
            if audited { "on" } else { "off" },
            stretched / STRINGS as f64,
            STRINGS as f64 * 1e9 / RATE / stretched,
            linear / STRINGS as f64,
            stretched / linear
        );
    }
}

/// A string of modes, bowed at a tenth of its length into Helmholtz motion. [handbook §5]
fn bows() {
    println!(
        "bowed string (times real time at 48 kHz, without and with the ledger; the rest without: worst sample over the median)"
    );
    let cases = [(30, None), (60, None), (60, Some(2)), (100, None), (300, None)];
    for (modes, steps) in cases {
        for scheme in [Scheme::Midpoint, Scheme::Leapfrog] {
            let clock = Clock::new(scheme, 1.0 / RATE);
            let list: Vec<Mode> = (1..=modes)
                .map(|n| Mode {
                    frequency: (196.0 * 60.0 / modes as f64).min(196.0) * n as f64,
                    decay: 1.38,
                    mass: 4.4e-4,
                })
                .filter(|mode| mode.frequency < 0.49 * RATE)
                .collect();
            let shape = (1..=list.len()).map(|n| libm::sin(0.1 * std::f64::consts::PI * n as f64)).collect();
            let bank = ModalBank::new(clock, &list, &[shape], Discretisation::Exact).expect("a bank");
            let parameters = FrictionParameters::ROSIN;
            let mut law =
                Friction::new(clock, parameters, Bristles::ElastoPlastic, Damping::Passive).expect("friction");
            let mut way = String::new();
            if let Some(steps) = steps {
                law = law.with_steps(steps);
                way = format!("  {steps} Newton steps");
            }
            let mut builder = ModelBuilder::new(clock);
            let body = builder.body("string", bank);
            let bow = builder.contact(Contact::new("bow", [End::port(body, 0), End::Wall], law.into()));
            let model = builder.build().expect("a bowed string");
            let play = |state: &mut State, n: usize| {
                state.press(&model, bow, 3.6);
                state.slide(bow, 0.3 * (n as f64 / (0.2 * RATE)).min(1.0));
                step(black_box(&model), state);
            };
            let cost = |audited: bool| {
                let mut state = State::new(&model);
                state.ledger.enabled = audited;
                (0..48_000).for_each(|n| play(&mut state, n));
                nanoseconds(20_000, || play(&mut state, 48_000))
            };
            let [off, on] = [false, true].map(cost);
            let mut state = State::new(&model);
            state.ledger.enabled = false;
            (0..48_000).for_each(|n| play(&mut state, n));
            let start = state.clone();
            // the same samples many times over: the quietest run of each is its own cost
            let mut least = vec![f64::INFINITY; 4000];
            for _ in 0..RUNS {
                state.clone_from(&start);
                for best in &mut least {
                    let clock = Instant::now();
                    play(&mut state, 48_000);
                    *best = best.min(clock.elapsed().as_secs_f64() * 1e9);
                }
            }
            least.sort_by(f64::total_cmp);
            let (median, worst) = (least[least.len() / 2], least[least.len() - 1]);
            let counts = &state.counts;
            println!(
                "  {:>4} modes {scheme:?}{way}  ledger off {:.0} ({off:.0} ns)  on {:.0} ({on:.0} ns)  worst/median {:.2}  evaluations mean {:.2} most {}",
                list.len(),
                1e9 / RATE / off,
                1e9 / RATE / on,
                worst / median,
                counts.mean_iterations() + 1.0,
                counts.max_iterations + 1
            );
        }
    }
}

/// Membranes and plates of n × n cells: the cost of a point does not depend on how many there are.
fn surfaces() {
    println!("surfaces of n x n cells (ns per point, over that at n = 50)");
    for (name, plate, edge) in
        [("membrane", false, Edge::Supported), ("clamped plate", true, Edge::Clamped), ("free plate", true, Edge::Free)]
    {
        let mut base = [0.0; 2];
        for n in [50, 10, 20, 100, 150, 200, 300] {
            let clock = Clock::new(Scheme::Leapfrog, 1.0 / RATE);
            let parameters = surface_parameters(Outline::Rectangle([1.0; 2]), plate, edge, true);
            let side = n as f64 * parameters.spacing_limit(clock.dt) * (1.0 + 1e-9);
            let parameters = SurfaceParameters { outline: Outline::Rectangle([side; 2]), ..parameters };
            let grid = parameters.finest(clock.dt).expect("a grid");
            assert_eq!([grid.columns, grid.rows], [n; 2]);
            let body = Surface::new(clock, parameters, grid, &[[0.3, 0.4]]).expect("a surface");
            let points = body.points() as f64;
            let mut builder = ModelBuilder::new(clock);
            let body = builder.body("surface", body);
            let drive = builder.contact(Contact::new("drive", [End::port(body, 0), End::Wall], Law::Force));
            let model = builder.build().expect("a driven surface");
            let costs = [false, true].map(|audited| {
                let mut state = State::new(&model);
                state.ledger.enabled = audited;
                state.set_input(drive, 0.1);
                nanoseconds(2_000_000 / (n * n), || step(black_box(&model), &mut state)) / points
            });
            if n == 50 {
                base = costs;
            }
            println!(
                "  {name} {n:>4}  {:.2} ({:.2})  audited {:.2} ({:.2})",
                costs[0],
                costs[0] / base[0],
                costs[1],
                costs[1] / base[1]
            );
        }
    }
}

fn main() {
    let only = std::env::args().nth(1).filter(|name| !name.starts_with('-')).unwrap_or_default();
    let all: [(&str, fn()); 8] = [
        ("modal", modal_banks),
        ("strings", strings),
        ("contacts", contacts),
        ("barriers", barriers),
        ("bridge", bridge),
        ("bows", bows),
        ("choir", choir),
        ("surfaces", surfaces),
    ];
    for (name, run) in all {
        if name.contains(&only) {
            run();
        }
    }
}
