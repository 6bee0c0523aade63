//! Stretched strings under combined excitations: whirling, hard plucks, barriers, bows and fingers at once.

use ictus_core::{
    Bristles, Clock, Collision, Contact, Damping, Deflection, End, Ends, Friction, FrictionParameters, Law,
    ModelBuilder, Path, PowerLaw, Scheme, State, StretchedBank, StretchedString, StringParameters, step,
};
use ictus_testkit::bodies::{StringModes, string_modes, string_parameters};
use ictus_testkit::scene::SCHEMES;
use ictus_testkit::signal::{cents, crossings};
use ictus_testkit::{Draw, draws};
use std::f64::consts::TAU;

const RATE: f64 = 48_000.0;

/// A bass string: 0.86 m, 8 g/m, E1 twice up, EA of steel.
const LENGTH: f64 = 0.86;
const DENSITY: f64 = 8e-3;
const PITCH: f64 = 82.4;
const EA: f64 = 6e4;

fn bass(clock: Clock, partials: usize, decay: f64, positions: &[f64]) -> StretchedBank {
    let StringModes { modes, shapes, slopes } = string_modes(partials, LENGTH, DENSITY, PITCH, decay, positions);
    StretchedBank::new(clock, &modes, &shapes, &slopes, EA / (2.0 * LENGTH)).expect("a valid bank")
}

/// A whirling string has a constant stretch: it turns at ω² + MκS/m, S = κA² for one partial, exactly.
#[test]
fn a_whirling_string_rotates_at_its_stretched_frequency() {
    let amplitude = 8e-3;
    for scheme in SCHEMES {
        let clock = Clock::new(scheme, 1.0 / RATE);
        let StringModes { modes, slopes, .. } = string_modes(1, LENGTH, DENSITY, PITCH, f64::INFINITY, &[]);
        let (modes, slopes) = ([modes[0]; 2], [slopes[0]; 2]);
        let ports = [vec![1.0, 0.0], vec![0.0, 1.0]];
        let modulus = EA / (2.0 * LENGTH);
        let bank = StretchedBank::new(clock, &modes, &ports, &slopes, modulus).expect("a valid bank");
        let mut builder = ModelBuilder::new(clock);
        let string = builder.body("string", bank);
        let kick = builder.contact(Contact::new("kick", [End::port(string, 1), End::Wall], Law::Force));
        let model = builder.build().expect("a valid model");
        let mut state = State::new(&model);
        let omega_squared = (TAU * PITCH) * (TAU * PITCH);
        let stretched = omega_squared + modulus * slopes[0] * slopes[0] * amplitude * amplitude / modes[0].mass;
        // displaced in one plane, kicked in the other with the speed of the circle
        state.deflect(&model, string, Deflection::Static { port: 0, displacement: amplitude });
        state.set_input(kick, modes[0].mass * amplitude * stretched.sqrt() * RATE);
        step(&model, &mut state);
        state.set_input(kick, 0.0);
        let (mut signal, mut least, mut most) = (Vec::new(), f64::INFINITY, 0.0f64);
        for _ in 0..RATE as usize {
            step(&model, &mut state);
            let [x, y] = [0, 1].map(|port| state.displacement(&model, string, port));
            least = least.min((x * x + y * y).sqrt());
            most = most.max((x * x + y * y).sqrt());
            signal.push(x);
        }
        let off = cents(crossings(&signal, RATE), stretched.sqrt() / TAU);
        println!("{scheme:?}: {off:+.3} cent off, radius {least:.5} to {most:.5} m");
        assert!(off.abs() < 1.0, "{off} cent");
        assert!(most / least < 1.02, "no circle: {least} to {most}");
        assert!(state.ledger.max_residual_rel() < 1e-12);
    }
}

/// No stored quantity drifts between steps.
#[test]
fn fifty_hard_plucks_leave_the_pitch_where_it_was() {
    for scheme in SCHEMES {
        let clock = Clock::new(scheme, 1.0 / RATE);
        let soft_pitch = |hard_plucks: usize| {
            let StringModes { modes, mut shapes, slopes } = string_modes(40, LENGTH, DENSITY, PITCH, 0.4, &[0.2]);
            // projected on the first partial, whose zero crossings give the pitch
            shapes.push((0..40).map(|i| if i == 0 { 1.0 } else { 0.0 }).collect());
            let bank = StretchedBank::new(clock, &modes, &shapes, &slopes, EA / (2.0 * LENGTH)).expect("a valid bank");
            let mut builder = ModelBuilder::new(clock);
            let string = builder.body("string", bank);
            let thumb = builder.contact(Contact::new("thumb", [End::port(string, 0), End::Wall], Law::Force));
            let model = builder.build().expect("a valid model");
            let mut state = State::new(&model);
            let mut pluck = |force: f64, steps: usize| -> Vec<f64> {
                let sample = |at: usize| {
                    let rise = at as f64 / 240.0;
                    state.set_input(
                        thumb,
                        if rise < 1.0 { 0.5 * force * (1.0 - libm::cos(0.5 * TAU * rise)) } else { 0.0 },
                    );
                    step(&model, &mut state);
                    state.displacement(&model, string, 1)
                };
                (0..steps).map(sample).collect()
            };
            let mut sharpest = 0.0f64;
            for _ in 0..hard_plucks {
                let sound = pluck(60.0, 9600);
                sharpest = sharpest.max(cents(crossings(&sound[300..3000], RATE), PITCH));
            }
            pluck(0.0, 48_000);
            (crossings(&pluck(0.01, 24_000)[300..], RATE), sharpest)
        };
        let (fresh, _) = soft_pitch(0);
        let (played, sharpest) = soft_pitch(50);
        let drift = cents(played, fresh);
        println!("{scheme:?}: hard plucks {sharpest:.0} cents sharp, then {drift:+.2e} cent off");
        assert!(sharpest > 50.0, "the plucks were not hard");
        assert!(drift.abs() < 0.5, "{drift} cent");
    }
}

#[test]
fn the_pitch_on_grid_and_modes_falls_alike() {
    let clock = Clock::new(Scheme::Midpoint, 1.0 / RATE);
    let pitch = |body: Box<dyn ictus_core::FastResonator>| {
        let mut builder = ModelBuilder::new(clock);
        let string = builder.boxed_body("string", body);
        let model = builder.build().expect("a valid model");
        let mut state = State::new(&model);
        state.deflect(&model, string, Deflection::Fundamental { displacement: 10e-3 });
        let mut signal = Vec::new();
        for _ in 0..24_000 {
            step(&model, &mut state);
            signal.push(state.displacement(&model, string, 0));
        }
        (crossings(&signal, RATE), state.counts.overstretched)
    };
    let tension = DENSITY * (2.0 * LENGTH * PITCH) * (2.0 * LENGTH * PITCH);
    let parameters = StringParameters {
        length: LENGTH,
        density: DENSITY,
        tension,
        stiffness: 0.0,
        damping: 0.0,
        diffusion: 0.0,
        kelvin_voigt: 0.0,
        ends: Ends::Supported,
    };
    let finest = parameters.finest(clock.dt).expect("a grid").intervals;
    let (in_modes, beyond) = pitch(Box::new(bass(clock, 40, f64::INFINITY, &[0.5])));
    assert!(cents(in_modes, PITCH) > 70.0 && beyond == 0);
    // the tension grows by an eighth: the finest grids have no margin for it, and count it
    for share in [1.0, 0.97, 0.9, 0.7, 0.5] {
        let grid = parameters.grid((share * finest as f64) as usize);
        let string = StretchedString::new(clock, parameters, grid, &[0.5], EA).expect("a valid string");
        let (on_grid, beyond) = pitch(Box::new(string));
        let apart = cents(on_grid, in_modes);
        println!(
            "{} intervals: {on_grid:.3} Hz, {apart:+.3} cent from the modes, overstretched in {beyond} steps",
            grid.intervals
        );
        assert_eq!(beyond == 0, apart.abs() < 1.0, "{share} of the finest grid");
    }
}

/// Stretched strings, buzzing on a barrier, bowed, held at one moving point and touched lightly at another, all in one island, at amplitudes from
/// gentle to extreme: the energy balance holds, nothing diverges.
#[test]
fn combined_excitations_keep_the_energy_balance() {
    let mut draw = Draw::new(61);
    let mut worst = 0.0f64;
    let count = draws(1000);
    for index in 0..count {
        let scheme = if draw.chance(0.5) { Scheme::Midpoint } else { Scheme::Leapfrog };
        let clock = Clock::new(scheme, 1.0 / RATE);
        let mut positions = vec![0.13, 0.31, 0.5, 0.72];
        let barrier = 4..4 + draw.integer(0, 5);
        positions.extend(barrier.clone().map(|i| 0.02 * (i - 3) as f64));
        let mut builder = ModelBuilder::new(clock);
        let axial = draw.log(1e3, 1e8);
        let string = if draw.chance(0.5) {
            let partials = draw.integer(5, 41);
            let StringModes { modes, shapes, slopes } =
                string_modes(partials, LENGTH, DENSITY, PITCH, draw.log(0.05, 5.0), &positions);
            let bank = StretchedBank::new(clock, &modes, &shapes, &slopes, axial / (2.0 * LENGTH));
            let bank =
                bank.and_then(|bank| bank.with_path(2, Path::String(vec![(0..partials, 1.0)]))).expect("a valid bank");
            builder.body("string", bank)
        } else {
            let parameters = string_parameters(draw.chance(0.5), true, Ends::Supported);
            let grid = parameters.grid(draw.integer(8, 28));
            let body = StretchedString::new(clock, parameters, grid, &positions, axial).expect("a valid string");
            builder.body("string", body.with_movable(2))
        };
        let at = |port: usize| [End::port(string, port), End::Wall];
        let push = builder.contact(Contact::new("push", at(0), Law::Force));
        let bow = Friction::new(clock, FrictionParameters::ROSIN, Bristles::ElastoPlastic, Damping::Passive);
        let bow = builder.contact(Contact::new("bow", at(1), bow.expect("a valid friction").into()));
        let hold = builder.contact(Contact::new("hold", at(2), Law::Velocity));
        let touch = builder.contact(Contact::new("touch", at(3), Law::Velocity));
        for port in barrier {
            let law = Collision::new(clock, PowerLaw::new(draw.log(1e6, 1e12), 1.5), 0.1);
            let ends = [End::Wall, End::port(string, port)];
            builder.contact(Contact::new(format!("fret {port}"), ends, law.into()).with_gap(draw.log(1e-5, 1e-3)));
        }
        let model = builder.build().expect("a valid model");
        let mut state = State::new(&model);
        state.press(&model, bow, draw.log(0.1, 5.0));
        state.slide(bow, draw.uniform(-0.5, 0.5));
        let (force, moment) = (draw.log(1.0, 1e6), draw.integer(0, 600));
        for at in 0..1500 {
            let phase = at as f64 / 88.0;
            let pulse = if phase < 1.0 { 0.5 * force * (1.0 - libm::cos(TAU * phase)) } else { 0.0 };
            state.set_input(push, pulse);
            state.engage(&model, hold, (moment..moment + 700).contains(&at));
            state.move_port(&model, string, 2, 0.4 + 0.2 * at as f64 / 1500.0);
            state.grip(&model, touch, (at as f64 / 1000.0 - 0.5).clamp(0.0, 1.0));
            step(&model, &mut state);
        }
        let ledger = &state.ledger;
        let scale = ledger.peak.max(ledger.total.dissipated.value());
        let residual = ledger.total.max_residual.max(ledger.total.max_raw_residual) / scale;
        worst = worst.max(residual);
        assert!(ledger.total.stored.is_finite() && residual < 1e-11, "draw {index}: residual {residual:e}");
        assert_eq!(state.counts.missed, 0, "draw {index}");
        assert_eq!(state.counts.quarantined + state.counts.refused_forces, 0, "draw {index}");
    }
    println!("{count} draws: residual at most {worst:.1e}");
}

/// The ledger enters the energy a hold removes when it engages, a light grip is passive, and a point that returns to its position does not drift.
#[test]
fn holding_is_audited_and_does_not_drift() {
    for scheme in SCHEMES {
        let clock = Clock::new(scheme, 1.0 / RATE);
        let run = |weight: f64, returning: bool| {
            let mut builder = ModelBuilder::new(clock);
            let string = builder.body("string", bass(clock, 30, 4.0, &[0.2, 0.5]));
            let hold = builder.contact(Contact::new("hold", [End::port(string, 1), End::Wall], Law::Velocity));
            let model = builder.build().expect("a valid model");
            let mut state = State::new(&model);
            state.deflect(&model, string, Deflection::Static { port: 0, displacement: 5e-3 });
            for _ in 0..1000 {
                step(&model, &mut state);
            }
            state.grip(&model, hold, weight);
            for _ in 0..24_000 {
                if returning {
                    state.hold(&model, hold, 0.0, 200.0);
                }
                step(&model, &mut state);
            }
            let entry = &state.ledger.contacts[0];
            (
                state.displacement(&model, string, 1),
                entry.supplied.value(),
                entry.dissipated.value(),
                state.ledger.max_residual_rel(),
            )
        };
        let (met, taken, _, residual) = run(1.0, false);
        let (held, _, _, _) = run(1.0, true);
        let (_, supplied, lost, touched) = run(0.05, false);
        println!(
            "{scheme:?}: met at {met:.2e} m, returned to {held:.2e} m; gripping took {:.2e} J, touching {lost:.2e} J",
            -taken
        );
        assert!(taken < 0.0, "gripping gave energy: {taken}");
        assert!(met.abs() > 1e-5 && held.abs() < 1e-9, "met at {met}, held at {held}");
        assert!(lost > 0.0 && supplied <= 1e-18, "a light touch at rest only takes: {lost}, {supplied}");
        assert!(residual < 1e-12 && touched < 1e-12);
    }
}
