//! SO8 Fig. 8.7: magnitude spectra of 1/f^β noise with few and with many poles per decade.

use crate::figure::{Figure, Values, within};
use crate::metric::{Check, Metric};
use crate::outcome::{Outcome, Table};
use crate::rig::step_count;
use crate::view::{BLUE, GREY, RED, grid, points};
use ictus_analysis::Window;
use ictus_analysis::plot::{Axis, Curve, Lines};
use ictus_analysis::spectrum::Spectrum;
use ictus_core::{BuildError, FractalFilter, FractalNoise};

/// Samples of one spectrum; spectra are averaged as powers.
const PIECE: usize = 1 << 15;
/// Where slopes are taken, Hz: inside the four decades the poles cover, away from half the rate.
const BAND: (f64, f64) = (10.0, 5000.0);
/// Points of a slope and of a curve, evenly spaced in log frequency.
const POINTS: usize = 200;
/// Decades covered by poles.
const DECADES: u32 = 4;
/// Poles per decade of a cascade without ripple.
const DENSE: u32 = 48;
/// Other slopes tried.
const SLOPES: [f64; 4] = [0.5, 1.0, 1.5, 2.0];

/// Fig. 8.7.
pub static FIGURE: Figure = Figure {
    id: "so8-8.7",
    paper: "so8",
    title: "Spectra of fractal noise, two and six poles per decade",
    parameters: &[
        within("beta", 1.81, "", "β, slope of the power spectrum", (0.1, 3.0)),
        within("few", 2.0, "", "h, poles per decade on the left", (1.0, 24.0)),
        within("many", 6.0, "", "h, poles per decade on the right", (1.0, 24.0)),
        within("lowest", 2.0, "Hz", "f_p1, the lowest pole", (0.1, 10.0)),
        within("rate", 44_100.0, "Hz", "samples per second", (8e3, 192e3)),
        within("seconds", 60.0, "s", "length of the noise", (2.0, 600.0)),
    ],
    notes: &[
        "a and b of eq. 8.26 carry minus signs: as printed, the sections would boost high frequencies.",
        "f_p1 = 2 Hz and four decades of poles are ours; the chapter does not give them.",
        "Grey: the noise, mean power of overlapping Hann pieces of 2¹⁵ samples. Blue: the filter itself. Dashed: 1/f^β.",
        "With β = 1.81 each zero nearly meets the next pole, so that even two poles per decade leave little ripple; it is the distance from a cascade of 48 \
         per decade. At β = 1 it is three times as large.",
        "Slopes are straight lines through 200 points evenly spaced in log f between 10 Hz and 5 kHz.",
    ],
    run,
};

fn run(values: &Values) -> Result<Outcome, BuildError> {
    let (rate, lowest, beta) = (values.get("rate"), values.get("lowest"), values.get("beta"));
    let samples = step_count(values.get("seconds"), rate)?;
    let frequencies: Vec<f64> = spaced(1.0, 0.5 * rate).collect();
    let mut metrics = Vec::new();
    let mut plots = Vec::new();
    let mut table = Table::new("").with("frequency_hz", frequencies.clone());
    let dense = FractalFilter::new(beta, lowest, DENSE, DECADES, rate);
    let (mut ripples, mut deviations) = (Vec::new(), Vec::new());
    for (side, density) in [values.count("few"), values.count("many")].into_iter().enumerate() {
        let filter = FractalFilter::new(beta, lowest, density as u32, DECADES, rate);
        let level = |hz: f64| 10.0 * libm::log10(filter.power(hz / rate));
        let noise = spectrum(filter.clone(), samples, rate);
        let slope = fit(level);
        let ripple = distance(level, |hz| 10.0 * libm::log10(dense.power(hz / rate)));
        let claim = "the power falls as 1/f^β";
        let name = |what: &str| format!("slope of {what}, h = {density}");
        metrics.push(Metric::within(name("the filter"), claim, -slope, beta, 0.02));
        metrics.push(Metric::within(name("the noise"), claim, -fit(|hz| near(&noise, hz)), beta, 0.02));
        ripples.push(ripple);
        metrics.push(Metric::shown(format!("ripple, h = {density} (dB)"), "the density sets the error", ripple));
        let line = |hz: f64| level(100.0) - 10.0 * beta * libm::log10(hz / 100.0);
        let axes = (Axis::log("Frequency (Hz)").with_range(1.0, 0.5 * rate), Axis::linear("Magnitude (dB)"));
        let curve = |f: &dyn Fn(f64) -> f64| frequencies.iter().map(|&hz| (hz, f(hz))).collect::<Vec<_>>();
        let title = format!("β = {beta}, h = {density}");
        plots.push(
            Lines::new(title, axes.0, axes.1)
                .with(Curve::new("noise", points(&noise.0, 1.0, &noise.1, 1.0)).color(GREY))
                .with(Curve::new("filter", curve(&level)).color(BLUE))
                .with(Curve::new("1/f^β", curve(&line)).color(RED).dashed()),
        );
        let off = |hz: f64| level(hz) - line(hz);
        let off_noise: Vec<(f64, f64)> = noise.0.iter().zip(&noise.1).map(|(&hz, db)| (hz, db - line(hz))).collect();
        deviations.push(
            Lines::new(
                "",
                Axis::log("Frequency (Hz)").with_range(1.0, 0.5 * rate),
                Axis::linear("Off 1/f^β (dB)").with_range(-2.0, 2.0),
            )
            .with(Curve::new("", off_noise).color(GREY))
            .with(Curve::new("", curve(&off)).color(BLUE)),
        );
        let column = ["few", "many"][side];
        table = table
            .with(format!("filter_{column}_db"), frequencies.iter().map(|&hz| level(hz)).collect())
            .with(format!("noise_{column}_db"), frequencies.iter().map(|&hz| near(&noise, hz)).collect());
    }
    metrics.push(Metric::new(
        "ripple with few poles over ripple with many",
        "more poles per decade, less error",
        ripples[0] / ripples[1],
        Check::AtLeast { reference: 1.0, bound: 1.0 },
    ));
    for slope in SLOPES {
        let filter = FractalFilter::new(slope, lowest, values.count("many") as u32, DECADES, rate);
        let found = -fit(|hz| 10.0 * libm::log10(filter.power(hz / rate)));
        metrics.push(Metric::within(
            format!("slope for β = {slope}"),
            "β from .5 to 2 [handbook §4]",
            found,
            slope,
            0.02,
        ));
    }
    plots.extend(deviations);
    let pictures = vec![grid("", "Fractal noise [SO8 Fig. 8.7]", 2, plots)];
    Ok(Outcome { metrics, pictures, tables: vec![table], animations: Vec::new() })
}

fn spaced(low: f64, high: f64) -> impl Iterator<Item = f64> {
    (0..POINTS).map(move |i| low * libm::pow(high / low, i as f64 / (POINTS - 1) as f64))
}

/// Slope of the straight line through a level in dB, in powers of f.
fn fit(level: impl Fn(f64) -> f64) -> f64 {
    let data: Vec<(f64, f64)> = spaced(BAND.0, BAND.1).map(|hz| (libm::log10(hz), level(hz))).collect();
    let n = data.len() as f64;
    let (mx, my) = (data.iter().map(|p| p.0).sum::<f64>() / n, data.iter().map(|p| p.1).sum::<f64>() / n);
    let covariance: f64 = data.iter().map(|(x, y)| (x - mx) * (y - my)).sum();
    covariance / data.iter().map(|(x, _)| (x - mx) * (x - mx)).sum::<f64>() / 10.0
}

/// Half the spread of the difference of two levels over the band, dB.
fn distance(a: impl Fn(f64) -> f64, b: impl Fn(f64) -> f64) -> f64 {
    let differences = spaced(BAND.0, BAND.1).map(|hz| a(hz) - b(hz));
    let (low, high) = differences.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), d| (low.min(d), high.max(d)));
    0.5 * (high - low)
}

/// Frequencies and levels (dB, as the filter's: white noise of variance 1 is 0 dB) of a long piece of noise.
fn spectrum(filter: FractalFilter, samples: usize, rate: f64) -> (Vec<f64>, Vec<f64>) {
    let settle = (2.0 * rate) as usize;
    let noise: Vec<f64> = FractalNoise::new(filter, 1, settle).take(samples.max(PIECE)).collect();
    let mut power = Vec::new();
    let mut count = 0.0;
    for piece in noise.windows(PIECE).step_by(PIECE / 2) {
        let spectrum = Spectrum::of(piece, rate, Window::Hann);
        power.resize(spectrum.amplitude.len(), 0.0);
        for (sum, a) in power.iter_mut().zip(&spectrum.amplitude) {
            *sum += a * a;
        }
        count += 1.0;
    }
    // a Hann window w of n samples shows white noise of variance 1 with the mean power 4 Σw²/(Σw)² = 6/n
    let scale = PIECE as f64 / 6.0 / count;
    let bin = rate / (2 * (power.len() - 1)) as f64;
    // averaged over a thirtieth of a decade, so that what is seen is the spectrum and not the chance
    let edges: Vec<f64> = spaced(1.5, 0.5 * rate).collect();
    let (mut hz, mut level) = (Vec::new(), Vec::new());
    for pair in edges.windows(2) {
        let first = (pair[0] / bin).ceil() as usize;
        let last = ((pair[1] / bin).floor() as usize).min(power.len() - 2).max(first);
        let mean = power[first..=last].iter().sum::<f64>() / (last - first + 1) as f64;
        hz.push((pair[0] * pair[1]).sqrt());
        level.push(10.0 * libm::log10(scale * mean));
    }
    (hz, level)
}

/// A tabulated level between its points, straight in log frequency, ends held.
fn near((hz, level): &(Vec<f64>, Vec<f64>), at: f64) -> f64 {
    let after = hz.partition_point(|f| *f < at).clamp(1, hz.len() - 1);
    let share = libm::log(at / hz[after - 1]) / libm::log(hz[after] / hz[after - 1]);
    level[after - 1] + share.clamp(0.0, 1.0) * (level[after] - level[after - 1])
}
