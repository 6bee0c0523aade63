//! SO8 Fig. 8.9: the same object struck by a soft mallet and by a hard hammer.

use super::blow::{Blow, Partial, Strike, Struck, blow};
use super::hunt_crossley::HuntCrossley;
use super::{EXPONENT, LOSS, MASS};
use crate::figure::{Figure, Values, positive, within};
use crate::metric::{Check, Metric};
use crate::outcome::{Outcome, Table};
use crate::view::{BLUE, MILLI, RED, grid, milliseconds, points};
use ictus_analysis::Window;
use ictus_analysis::plot::{Axis, Curve, Lines};
use ictus_analysis::spectrum::Spectrum;
use ictus_core::BuildError;

/// Spectra are drawn up to this, Hz.
const HIGHEST: f64 = 10_000.0;

/// Fig. 8.9.
pub static FIGURE: Figure = Figure {
    id: "so8-8.9",
    paper: "so8",
    title: "Spectra of an object struck by a soft mallet and by a hard hammer",
    parameters: &[
        positive("mass", MASS, "kg", "m of the hammer"),
        positive("soft", 1.5e9, "N/m^α", "k of the soft mallet"),
        positive("hard", 1.5e13, "N/m^α", "k of the hard hammer"),
        within("mu", LOSS, "s/m", "μ", (1e-6, 1e3)),
        within("alpha", EXPONENT, "", "α", (1.0, 5.0)),
        within("velocity", 1.0, "m/s", "speed of the blow", (0.01, 100.0)),
        within("frequency", 440.0, "Hz", "lowest mode of the object", (20.0, 5000.0)),
        within("rate", 176_400.0, "Hz", "samples per second", (44_100.0, 1e6)),
        within("seconds", 0.5, "s", "length of the sound", (0.05, 20.0)),
    ],
    notes: &[
        "The caption has it the wrong way round: the soft mallet is the one with high m/k, the hard hammer the one with low m/k. \
         The text beside it (long contact, little energy at high frequencies) agrees.",
        "The chapter gives no numbers for this figure. The object is ours: the first eight modes of a free bar, 20 g each, t_e = 0.6 s at \
         the lowest and falling as 1/√f; the hammer is that of Fig. 8.3 with two stiffnesses.",
        "Contact times of the table are those on a massive surface, where eq. 8.27 holds.",
    ],
    run,
};

/// Modes of a free bar: frequencies as (2n + 1)², nearly exact from the second on; the first is 3.011².
fn bar(lowest: f64) -> Vec<Partial> {
    (1..=8)
        .map(|n| {
            let order = if n == 1 { 3.0112 } else { f64::from(2 * n + 1) };
            let ratio = (order / 3.0112) * (order / 3.0112);
            (lowest * ratio, 0.6 / ratio.sqrt(), 0.02)
        })
        .collect()
}

fn run(values: &Values) -> Result<Outcome, BuildError> {
    let (rate, velocity) = (values.get("rate"), values.get("velocity"));
    let partials: Vec<Partial> =
        bar(values.get("frequency")).into_iter().filter(|(hz, ..)| *hz < 0.45 * rate).collect();
    let mut metrics = Vec::new();
    let mut sounds: Vec<(&str, Blow, Spectrum)> = Vec::new();
    for (name, key) in [("soft", "soft"), ("hard", "hard")] {
        let law = HuntCrossley {
            mass: values.get("mass"),
            stiffness: values.get(key),
            exponent: values.get("alpha"),
            loss: values.get("mu"),
        };
        metrics.extend(on_wall(name, law, velocity, rate)?);
        let strike = Strike { law, velocity, arrival: 0.5 / rate, rate, seconds: values.get("seconds") };
        let blow = blow(&strike, Struck::Modes(&partials, 0.0))?;
        let claim = "the energy ledger closes";
        metrics.push(Metric::at_most(format!("{name}: energy residual"), claim, blow.residual, 1e-14, 1e-12).law());
        let spectrum = Spectrum::of(&blow.sound, rate, Window::Rectangular);
        sounds.push((name, blow, spectrum));
    }
    metrics.extend(compare(&sounds, &partials));
    let mut level = Lines::new(
        "Spectrum",
        Axis::linear("Frequency (kHz)").with_range(0.0, HIGHEST / 1e3),
        Axis::linear("Magnitude (dB)"),
    );
    let mut pulse = Lines::new("Contact force", milliseconds(6e-3), Axis::linear("Force over its largest"));
    let mut table = Table::new("");
    let mut pulses = Table::new("force");
    for ((name, blow, spectrum), color) in sounds.iter().zip([BLUE, RED]) {
        let top = spectrum.amplitude.iter().copied().fold(0.0, f64::max);
        let shown = (HIGHEST / spectrum.bin_hz) as usize;
        let (hz, db): (Vec<f64>, Vec<f64>) = (0..shown.min(spectrum.amplitude.len()))
            .map(|k| (spectrum.hz(k), spectrum.db(k) - 20.0 * libm::log10(top)))
            .unzip();
        let largest = blow.force.iter().copied().fold(0.0, f64::max);
        level = level.with(Curve::new(*name, points(&hz, 1e-3, &db, 1.0)).color(color));
        pulse = pulse.with(Curve::new(*name, points(&blow.time, MILLI, &blow.force, 1.0 / largest)).color(color));
        if table.columns.is_empty() {
            table = table.with("frequency_hz", hz);
            pulses = pulses.with("time_s", blow.time.iter().copied().take_while(|t| *t < 10e-3).collect());
        }
        table = table.with(format!("{name}_db"), db);
        let count = pulses.values[0].len();
        pulses = pulses.with(format!("{name}_n"), blow.force[..count].to_vec());
    }
    let pictures = vec![grid("", "A soft mallet and a hard hammer [SO8 Fig. 8.9]", 2, vec![level, pulse])];
    Ok(Outcome { metrics, pictures, tables: vec![table, pulses], animations: Vec::new() })
}

/// Contact time on a massive surface against eq. 8.27, and that it depends on m/k alone.
fn on_wall(name: &str, law: HuntCrossley, velocity: f64, rate: f64) -> Result<Vec<Metric>, BuildError> {
    let t0 = law.contact_time(velocity);
    let measure = |law: HuntCrossley| {
        let strike = Strike { law, velocity, arrival: 0.5 / rate, rate, seconds: 1.5 * t0 + 4.0 / rate };
        Ok::<f64, BuildError>(blow(&strike, Struck::Wall)?.contact_time(strike.arrival))
    };
    let here = measure(law)?;
    let heavier = measure(HuntCrossley { mass: 7.0 * law.mass, stiffness: 7.0 * law.stiffness, ..law })?;
    Ok(vec![
        Metric::within(
            format!("{name}: contact time (ms)"),
            "eq. 8.27 agrees with simulations",
            here * MILLI,
            t0 * MILLI,
            4e-3 * t0 * MILLI,
        ),
        Metric::at_most(
            format!("{name}: change of the contact time when m and k grow sevenfold, share"),
            "the contact time depends on m/k, μ and v_in only",
            (heavier / here - 1.0).abs(),
            0.0,
            1e-9,
        )
        .law(),
    ])
}

fn compare(sounds: &[(&str, Blow, Spectrum)], partials: &[Partial]) -> Vec<Metric> {
    let centroid = |i: usize| sounds[i].2.centroid_hz().unwrap_or(f64::NAN);
    // level of a mode over that of the lowest, dB
    let tilt = |i: usize, hz: f64| {
        let spectrum = &sounds[i].2;
        let peak = |hz: f64| {
            let centre = (hz / spectrum.bin_hz) as usize;
            let reach = (20.0 / spectrum.bin_hz) as usize + 1;
            let bins = centre.saturating_sub(reach)..(centre + reach).min(spectrum.amplitude.len());
            bins.map(|k| spectrum.db(k)).fold(f64::NEG_INFINITY, f64::max)
        };
        peak(hz) - peak(partials[0].0)
    };
    let mut metrics = vec![Metric::new(
        "spectral centroid, hard over soft",
        "a short contact gives a bright attack",
        centroid(1) / centroid(0),
        Check::AtLeast { reference: 1.0, bound: 1.0 },
    )];
    for (hz, ..) in partials.iter().filter(|(hz, ..)| *hz < HIGHEST).skip(1) {
        metrics.push(Metric::new(
            format!("mode at {hz:.0} Hz over the lowest, hard less soft (dB)"),
            "a long contact leaves little energy at high frequencies",
            tilt(1, *hz) - tilt(0, *hz),
            Check::AtLeast { reference: 0.0, bound: 0.0 },
        ));
    }
    metrics
}
