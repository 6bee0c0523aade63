//! SO8 Table 8.1: what each parameter of the friction model does to the sound.
//!
//! An object of three modes is rubbed for two seconds. Each parameter takes a low and a high value while the others keep theirs, and what the table says it
//! affects is measured: how long until one mode has taken over (lock-in), how bright the sound is (centroid of its power spectrum), how fast it begins, how noisy
//! and how loud it is.

use crate::figure::{Figure, Values, positive, within};
use crate::measure::rms;
use crate::metric::{Check, Metric, short};
use crate::outcome::{Outcome, Picture, Plots, Table};
use ictus_analysis::{Window, spectrum::Spectrum};
use ictus_core::{
    Bristles, BuildError, Clock, Contact, Damping, Discretisation, End, FractalFilter, FractalNoise, Friction,
    FrictionParameters, Law, ModalBank, Mode, ModelBuilder, Scheme, State, step,
};

/// Samples per second.
const RATE: f64 = 44_100.0;
/// Length of each sound, s.
const SECONDS: f64 = 2.0;
/// The rubbed object: frequency Hz, T60 s; 20 g each, those of Fig. 8.10.
const MODES: [(f64, f64); 3] = [(500.0, 4.14), (1300.0, 2.76), (2500.0, 1.73)];
const MASS: f64 = 0.02;
/// Samples over which the energies of the modes are compared.
const PIECE: usize = 2048;
/// A mode has locked in from when on it holds this share of the energy.
const LOCKED: f64 = 0.9;
/// Highest frequency shown, Hz.
const HIGHEST: f64 = 6000.0;
/// Slope and band of the noise.
const NOISE: (f64, f64, u32, u32) = (1.0, 20.0, 4, 3);

/// Table 8.1.
pub static FIGURE: Figure = Figure {
    id: "so8-table8.1",
    paper: "so8",
    title: "What each parameter of the friction model does to the sound",
    parameters: &[
        positive("stiffness", 5e4, "N/m", "σ_0; also taken five times lower, and five times higher for comparison"),
        positive("damping", 2.0, "N s/m", "σ_1; taken ten times lower and five times higher"),
        within("viscosity", 0.3, "N s/m", "highest σ_2; otherwise 0", (1e-6, 1e3)),
        within("noise", 0.3, "", "highest σ_3, rms over the normal force; otherwise 0", (1e-6, 10.0)),
        positive("sliding", 0.25, "", "μ_d; taken 2.1 times lower and 1.6 times higher"),
        positive("sticking", 0.6, "", "μ_s; taken 1.5 times lower and higher"),
        positive("stribeck", 0.1, "m/s", "v_s; taken twice lower and higher"),
        positive("normal", 2.0, "N", "f_N; taken four times lower and higher"),
        positive("speed", 0.1, "m/s", "speed at which the object is rubbed"),
    ],
    notes: &[
        "The chapter gives no numbers. The object has modes at 500, 1300 and 2500 Hz, T60 4.1, 2.8 and 1.7 s, 20 g each; it is rubbed at 0.1 m/s from rest, at 44.1 kHz.",
        "Left column: the parameter at its low value; right: at its high value. Each row follows the table from σ_0 to f_N.",
        "Lock-in is the time from which on one mode holds 90 % of the modal energy. Brightness is the centroid of the power spectrum of the last second. The attack ends where the \
         rms over 10 ms first reaches 90 % of that of the last half second.",
        "\"Affects\" is not \"raises\": with bristles five times as stiff again a mode locks in early once more.",
        "The table says that a high normal force makes the sound rougher as well as louder. With this object it does not: it locks the lowest mode more firmly. Louder is what is judged.",
    ],
    run,
};

/// One way to rub.
#[derive(Clone, Copy)]
struct Rub {
    surfaces: FrictionParameters,
    noise: f64,
    normal: f64,
    speed: f64,
}

/// What is heard of it, and measured.
struct Take {
    heard: Vec<f64>,
    lock_in: f64,   // s
    centroid: f64,  // Hz
    strongest: f64, // Hz
    attack: f64,    // s
    floor: f64,     // dB below the strongest partial
    loudness_db: f64,
}

fn run(values: &Values) -> Result<Outcome, BuildError> {
    let base = Rub {
        surfaces: FrictionParameters {
            stiffness: values.get("stiffness"),
            damping: values.get("damping"),
            viscosity: 0.0,
            sticking: values.get("sticking"),
            sliding: values.get("sliding"),
            stribeck: values.get("stribeck"),
            breakaway: 0.7,
        },
        noise: 0.0,
        normal: values.get("normal"),
        speed: values.get("speed"),
    };
    let with = |change: &dyn Fn(&mut Rub)| {
        let mut rub = base;
        change(&mut rub);
        take(&rub)
    };
    let s = base.surfaces;
    let rows: [Comparison; 8] = [
        ("σ_0", [0.2 * s.stiffness, s.stiffness], [with(&|r| r.surfaces.stiffness *= 0.2)?, with(&|_| {})?]),
        (
            "σ_1",
            [0.1 * s.damping, 5.0 * s.damping],
            [with(&|r| r.surfaces.damping *= 0.1)?, with(&|r| r.surfaces.damping *= 5.0)?],
        ),
        (
            "σ_2",
            [0.0, values.get("viscosity")],
            [with(&|_| {})?, with(&|r| r.surfaces.viscosity = values.get("viscosity"))?],
        ),
        ("σ_3", [0.0, values.get("noise")], [with(&|_| {})?, with(&|r| r.noise = values.get("noise"))?]),
        (
            "μ_d",
            [s.sliding / 2.1, 1.6 * s.sliding],
            [with(&|r| r.surfaces.sliding /= 2.1)?, with(&|r| r.surfaces.sliding *= 1.6)?],
        ),
        (
            "μ_s",
            [s.sticking / 1.5, 1.5 * s.sticking],
            [with(&|r| r.surfaces.sticking /= 1.5)?, with(&|r| r.surfaces.sticking *= 1.5)?],
        ),
        (
            "v_s",
            [0.5 * s.stribeck, 2.0 * s.stribeck],
            [with(&|r| r.surfaces.stribeck *= 0.5)?, with(&|r| r.surfaces.stribeck *= 2.0)?],
        ),
        ("f_N", [0.25 * base.normal, 4.0 * base.normal], [with(&|r| r.normal *= 0.25)?, with(&|r| r.normal *= 4.0)?]),
    ];
    let stiffest = with(&|r| r.surfaces.stiffness *= 5.0)?;
    let mut metrics = judge(&rows.each_ref().map(|(_, _, takes)| takes));
    metrics.insert(
        1,
        Metric::shown("σ_0: lock-in with bristles five times as stiff again (s)", "as above", stiffest.lock_in),
    );
    let mut table = Table::new("");
    let columns: [Column; 6] = [
        ("lock_in_s", |t| t.lock_in),
        ("centroid_hz", |t| t.centroid),
        ("strongest_hz", |t| t.strongest),
        ("attack_s", |t| t.attack),
        ("floor_db", |t| t.floor),
        ("rms_db", |t| t.loudness_db),
    ];
    table = table.with("value", rows.iter().flat_map(|(_, values, _)| *values).collect());
    for (name, of) in columns {
        table = table.with(name, rows.iter().flat_map(|(_, _, takes)| takes.each_ref().map(of)).collect());
    }
    let sounds = rows.into_iter().flat_map(|(name, values, takes)| {
        let named = move |(take, value): (Take, f64)| (format!("{name} = {}", short(value)), take.heard);
        takes.into_iter().zip(values).map(named)
    });
    let plots = Plots::Spectrograms { sounds: sounds.collect(), rate: RATE, highest: HIGHEST };
    let title = "Friction parameters, low and high [SO8 Table 8.1]".to_owned();
    let pictures = vec![Picture { name: "", title, columns: 2, plots }];
    Ok(Outcome { metrics, pictures, tables: vec![table], animations: Vec::new() })
}

/// A column of the table and what it shows of a sound.
type Column = (&'static str, fn(&Take) -> f64);

/// A parameter, its two values and the sounds they give.
type Comparison = (&'static str, [f64; 2], [Take; 2]);

/// Rows in the order of the table, each low and high.
fn judge(rows: &[&[Take; 2]; 8]) -> Vec<Metric> {
    let [stiffness, damping, viscosity, noise, sliding, sticking, stribeck, normal] = rows;
    let at_least = |name: &str, claim: &str, measured: f64, reference: f64, bound: f64| {
        Metric::new(name, claim, measured, Check::AtLeast { reference, bound })
    };
    let spread = |a: f64, b: f64| a.max(b) / a.min(b);
    vec![
        at_least(
            "σ_0: lock-in later with stiff bristles, by (s)",
            "bristle stiffness affects the evolution of mode lock-in",
            stiffness[1].lock_in - stiffness[0].lock_in,
            1.24,
            0.5,
        ),
        at_least(
            "σ_1: centroids, larger over smaller",
            "bristle dissipation affects the sound bandwidth",
            spread(damping[0].centroid, damping[1].centroid),
            4.6,
            1.5,
        ),
        at_least(
            "σ_2: lock-in sooner with viscous friction, by (s)",
            "viscous friction affects the speed of timbre evolution",
            viscosity[0].lock_in - viscosity[1].lock_in,
            1.24,
            0.5,
        ),
        at_least(
            "σ_2: strongest partials, apart by (cents)",
            "viscous friction affects the pitch",
            (1200.0 * libm::log2(viscosity[0].strongest / viscosity[1].strongest)).abs(),
            1650.0,
            100.0,
        ),
        at_least(
            "σ_3: rise of the noise between the partials (dB)",
            "the noise coefficient affects the perceived roughness",
            noise[1].floor - noise[0].floor,
            46.8,
            6.0,
        ),
        at_least(
            "μ_d: centroid at low over that at high values",
            "high dynamic friction reduces the sound bandwidth",
            sliding[0].centroid / sliding[1].centroid,
            2.55,
            1.5,
        ),
        at_least(
            "μ_s: attack times, longer over shorter",
            "static friction affects the smoothness of the attack",
            spread(sticking[0].attack, sticking[1].attack),
            2.76,
            1.5,
        ),
        at_least(
            "v_s: attack times, longer over shorter",
            "the Stribeck velocity affects the smoothness of the attack",
            spread(stribeck[0].attack, stribeck[1].attack),
            1.68,
            1.5,
        ),
        at_least(
            "f_N: louder at high values, by (dB)",
            "a high normal force gives louder sounds",
            normal[1].loudness_db - normal[0].loudness_db,
            2.4,
            1.0,
        ),
        Metric::shown(
            "f_N: rise of the noise between the partials (dB)",
            "and rougher ones",
            normal[1].floor - normal[0].floor,
        ),
    ]
}

fn take(rub: &Rub) -> Result<Take, BuildError> {
    let clock = Clock::new(Scheme::Midpoint, 1.0 / RATE);
    let modes = MODES.map(|(frequency, decay)| Mode { frequency, decay, mass: MASS });
    // where it is rubbed and heard, then each mode by itself
    let mut ports = vec![vec![1.0; modes.len()]];
    ports.extend((0..modes.len()).map(|i| (0..modes.len()).map(|j| f64::from(u8::from(i == j))).collect()));
    let mut builder = ModelBuilder::new(clock);
    let object = builder.body("object", ModalBank::new(clock, &modes, &ports, Discretisation::Exact)?);
    let law = Friction::new(clock, rub.surfaces, Bristles::ElastoPlastic, Damping::Passive)?;
    let ends = [End::port(object, 0), End::Wall];
    let contact = builder.contact(Contact::new("rub", ends, law.into()));
    let noise = builder.contact(Contact::new("noise", ends, Law::Force));
    let model = builder.build()?;
    let mut state = State::new(&model);
    let (beta, lowest, density, decades) = NOISE;
    let settle = (4.0 * RATE / lowest) as usize;
    let count = (SECONDS * RATE) as usize;
    let filter = FractalFilter::new(beta, lowest, density, decades, RATE);
    let rough: Vec<f64> = FractalNoise::new(filter, 1, settle).take(count).collect();
    let scale = rub.noise * rub.normal / rms(rough.iter().copied());
    state.press(&model, contact, rub.normal);
    state.slide(contact, rub.speed);
    let mut heard = Vec::with_capacity(count);
    let mut parts = vec![Vec::with_capacity(count); modes.len()];
    for grain in rough {
        state.set_input(noise, scale * grain);
        step(&model, &mut state);
        heard.push(state.velocity(&model, object, 0));
        for (i, part) in parts.iter_mut().enumerate() {
            part.push(state.velocity(&model, object, i + 1));
        }
    }
    Ok(measured(heard, &parts))
}

fn measured(heard: Vec<f64>, parts: &[Vec<f64>]) -> Take {
    let spectrum = Spectrum::of(&heard[heard.len() - RATE as usize..], RATE, Window::Hann);
    let strongest = spectrum.peaks(-300.0, 1).first().copied();
    let (hz, db) = strongest.map_or((0.0, 0.0), |peak| (peak.hz, peak.db));
    // half of all bins lie below this level: what is left between the partials
    let mut levels: Vec<f64> = (0..spectrum.amplitude.len())
        .filter(|&k| (100.0..8000.0).contains(&spectrum.hz(k)))
        .map(|k| spectrum.db(k))
        .collect();
    levels.sort_by(f64::total_cmp);
    let last = rms(heard[heard.len() - RATE as usize / 2..].iter().copied());
    let brief = RATE as usize / 100;
    let attacked = heard.windows(brief).step_by(8).position(|w| rms(w.iter().copied()) >= 0.9 * last);
    Take {
        lock_in: lock_in(parts),
        centroid: spectrum.centroid_hz().unwrap_or(0.0),
        strongest: hz,
        attack: (attacked.unwrap_or(0) * 8 + brief) as f64 / RATE,
        floor: levels[levels.len() / 2] - db,
        loudness_db: 20.0 * libm::log10(last.max(f64::MIN_POSITIVE)),
        heard,
    }
}

/// Time from which on the mode that wins holds its share, s.
fn lock_in(parts: &[Vec<f64>]) -> f64 {
    let pieces: Vec<Vec<f64>> = parts
        .iter()
        .map(|part| part.chunks_exact(PIECE).map(|piece| piece.iter().map(|v| v * v).sum()).collect())
        .collect();
    let count = pieces[0].len();
    let share = |mode: usize, at: usize| pieces[mode][at] / pieces.iter().map(|p| p[at]).sum::<f64>();
    let winner = (0..pieces.len()).max_by(|&a, &b| share(a, count - 1).total_cmp(&share(b, count - 1))).unwrap_or(0);
    let open = (0..count).rev().find(|&at| share(winner, at) < LOCKED);
    open.map_or(0.0, |at| ((at + 1) * PIECE) as f64 / RATE)
}
