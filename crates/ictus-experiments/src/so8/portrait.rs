//! SO8 Fig. 8.3: phase portrait and hysteresis of a hammer on a massive surface; and what the printed force does when it is hard.

use super::blow::{Blow, Strike, Struck, blow};
use super::control::Printed;
use super::hunt_crossley::HuntCrossley;
use super::{EXPONENT, LOSS, MASS, STIFFNESS};
use crate::figure::{Figure, Values, positive, within};
use crate::metric::{Check, Metric};
use crate::outcome::{Outcome, Table};
use crate::view::{BLUE, GREEN, GREY, MILLI, RED, grid, points};
use ictus_analysis::plot::{Axis, Curve, Lines, Stroke};
use ictus_core::BuildError;

/// Speeds of the figure, m/s.
const SPEEDS: [f64; 4] = [1.0, 2.0, 3.0, 4.0];
/// Starting speeds of the lower branches, m/s.
const BELOW: [f64; 3] = [-2.0, -2.6, -3.4];
/// Arrival times between two samples.
const PHASES: u32 = 200;
/// The hardest contact, N/m^α.
const HARDEST: f64 = 1.5e17;
/// Longest contact shown, s.
const LONGEST: f64 = 4e-3;

/// Fig. 8.3.
pub static FIGURE: Figure = Figure {
    id: "so8-8.3",
    paper: "so8",
    title: "A hammer on a massive surface: phase portrait and hysteresis, passive and as printed",
    parameters: &[
        positive("mass", MASS, "kg", "m of the hammer"),
        positive("stiffness", STIFFNESS, "N/m^α", "k"),
        within("mu", LOSS, "s/m", "μ, viscoelastic characteristic", (1e-6, 1e3)),
        within("alpha", EXPONENT, "", "α", (1.0, 5.0)),
        within("rate", 44_100.0, "Hz", "samples per second", (1e3, 1e7)),
    ],
    notes: &[
        "Solid: the core's passive form. Dashed: eq. 8.13. Points: the force as printed, point by point in time, by the K method and Newton.",
        "The distance from eq. 8.13 is the smaller of those along the two axes, as shares of v_in and of the largest compression.",
        "The branches below v = −1/μ are those of eq. 8.13: there the law pulls. The core's form never pulls; it would follow horizontal lines.",
        "The chapter starts the lower branches from x < 0; they need x > 0.",
        "For the hard contact μ = 0 and v = 2 m/s: the hammer must come back as fast as it went. 200 arrival times between two samples.",
        "The appendix' Newton loop runs while the error is below its bound; it must run while it is above. The control is bracketed and stops at 1e-14.",
    ],
    run,
};

fn law(values: &Values) -> HuntCrossley {
    HuntCrossley {
        mass: values.get("mass"),
        stiffness: values.get("stiffness"),
        exponent: values.get("alpha"),
        loss: values.get("mu"),
    }
}

fn run(values: &Values) -> Result<Outcome, BuildError> {
    let (law, rate) = (law(values), values.get("rate"));
    let mut metrics = Vec::new();
    let mut portrait =
        Lines::new("(a) Phase portrait", Axis::linear("Compression (mm)"), Axis::linear("Velocity (m/s)"));
    let mut hysteresis =
        Lines::new("(b) Compression and force", Axis::linear("Compression (mm)"), Axis::linear("Force (N)"));
    let mut tables = Vec::new();
    let mut deepest = 0.0_f64;
    for velocity in SPEEDS {
        let t0 = law.contact_time(velocity);
        // half a sample before the surface: neither the best nor the worst arrival
        let strike = Strike { law, velocity, arrival: 0.5 / rate, rate, seconds: 1.5 * t0 + 4.0 / rate };
        let blow = blow(&strike, Struck::Wall)?;
        metrics.extend(judge(&law, &strike, &blow));
        deepest = deepest.max(law.compression(-velocity, velocity));
        let first = velocity == SPEEDS[0];
        let label = |text: &str| if first { text.to_owned() } else { String::new() };
        let (x, v): (Vec<f64>, Vec<f64>) = inside(&blow, |n| blow.speed[n]);
        portrait = portrait
            .with(Curve::new(label("passive"), points(&x, MILLI, &v, 1.0)).color(BLUE))
            .with(Curve::new(label("eq. 8.13"), exact(&law, velocity)).color(RED).dashed());
        // a force is the mean over its step, and belongs to the middle of it
        let middle: Vec<f64> = blow.hammer.windows(2).map(|pair| 0.5 * (pair[0] + pair[1])).collect();
        let loop_points: Vec<(f64, f64)> = points(&middle, MILLI, &blow.force[1..], 1.0);
        let touching = loop_points.into_iter().filter(|point| point.0 >= 0.0 && point.1 > 0.0).collect();
        let (printed_x, printed_v, printed_f) = printed(&law, &strike);
        portrait = portrait.with(
            Curve::new(label("as printed"), points(&printed_x, MILLI, &printed_v, 1.0))
                .color(GREEN)
                .stroke(Stroke::Dotted),
        );
        hysteresis = hysteresis
            .with(Curve::new(label("passive"), touching).color(BLUE))
            .with(Curve::new(label("law"), exact_force(&law, velocity)).color(RED).dashed())
            .with(
                Curve::new(label("as printed"), points(&printed_x, MILLI, &printed_f, 1.0))
                    .color(GREEN)
                    .stroke(Stroke::Dotted),
            );
        tables.push(
            Table::new(format!("v{velocity}"))
                .with("time_s", blow.time.clone())
                .with("compression_m", blow.hammer.clone())
                .with("velocity_m_s", blow.speed.clone())
                .with("force_n", blow.force.clone()),
        );
    }
    let limit = -1.0 / law.loss;
    portrait = portrait.with(Curve::new("v = −1/μ", vec![(0.0, limit), (1.2 * deepest * MILLI, limit)]).color(GREY));
    for lowest in BELOW.map(|v| v * 0.6 / law.loss) {
        portrait = portrait.with(Curve::new("", branch(&law, lowest, 1.2 * deepest)).color(RED).dashed());
    }
    let (hard, metric_rows, table) = hardness(&law, rate)?;
    metrics.extend(metric_rows);
    tables.push(table);
    let pictures = vec![
        grid("", "A hammer on a massive surface [SO8 Fig. 8.3]", 2, vec![portrait, hysteresis]),
        grid("hard", "Hard contacts without loss: speed after over speed before", 1, vec![hard]),
    ];
    Ok(Outcome { metrics, pictures, tables, animations: Vec::new() })
}

/// Compressions of the contact, and another quantity at the same samples.
fn inside(blow: &Blow, other: impl Fn(usize) -> f64) -> (Vec<f64>, Vec<f64>) {
    (0..blow.time.len()).filter(|&n| blow.hammer[n] >= 0.0).map(|n| (blow.hammer[n], other(n))).unzip()
}

/// Compression, speed and force of the printed method while it touches.
fn printed(law: &HuntCrossley, strike: &Strike) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let mut hammer = Printed::new(*law, strike.rate, strike.velocity, strike.arrival * strike.rate);
    let (mut x, mut v, mut f) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..(strike.seconds * strike.rate) as usize {
        hammer.step();
        if hammer.x >= 0.0 {
            x.push(hammer.x);
            v.push(hammer.v);
            f.push(hammer.force);
        }
    }
    (x, v, f)
}

/// Speeds from v_in to v_out.
fn speeds(law: &HuntCrossley, v_in: f64) -> impl Iterator<Item = f64> + use<> {
    let v_out = law.rebound(v_in);
    (0..=400).map(move |i| v_in + (v_out - v_in) * f64::from(i) / 400.0)
}

fn exact(law: &HuntCrossley, v_in: f64) -> Vec<(f64, f64)> {
    speeds(law, v_in).map(|v| (MILLI * law.compression(v - v_in, v_in), v)).collect()
}

fn exact_force(law: &HuntCrossley, v_in: f64) -> Vec<(f64, f64)> {
    let depth = |v: f64| law.compression(v - v_in, v_in);
    speeds(law, v_in).map(|v| (MILLI * depth(v), law.force(depth(v), v))).collect()
}

/// A branch below −1/μ that arrives at the surface with speed `v_end`: eq. 8.13 with that end.
fn branch(law: &HuntCrossley, v_end: f64, reach: f64) -> Vec<(f64, f64)> {
    (0..=400)
        .map(|i| v_end * (1.0 + f64::from(i) / 200.0))
        .map(|v| (law.compression(v - v_end, v_end), v))
        .take_while(|(x, _)| *x <= reach)
        .map(|(x, v)| (MILLI * x, v))
        .collect()
}

fn judge(law: &HuntCrossley, strike: &Strike, blow: &Blow) -> Vec<Metric> {
    let v = strike.velocity;
    let (v_out, t0, depth) = (law.rebound(v), law.contact_time(v), law.compression(-v, v));
    // .4 % at 44.1 kHz [handbook §4]
    let close = |x: f64| 4e-3 * x.abs();
    // the nearer of the curve's points at the same compression and at the same speed
    let worst = (0..blow.time.len())
        .filter(|&n| blow.hammer[n] > 0.0)
        .map(|n| {
            let (x, w) = (blow.hammer[n], blow.speed[n]);
            let across = (w - law.speed(x, v, w)).abs() / v;
            across.min((x - law.compression(w - v, v)).abs() / depth)
        })
        .fold(0.0, f64::max);
    let work: f64 = blow.hammer.windows(2).zip(&blow.force[1..]).map(|(x, f)| f * (x[1] - x[0])).sum();
    let lost = 0.5 * law.mass * (v * v - blow.v_out() * blow.v_out());
    vec![
        Metric::within(
            format!("v_out at {v} m/s (m/s)"),
            "smaller than v_in; tends to −1/μ",
            blow.v_out(),
            v_out,
            close(v_out),
        ),
        Metric::within(
            format!("contact time at {v} m/s (ms)"),
            "eq. 8.27 agrees with simulations",
            blow.contact_time(strike.arrival) * MILLI,
            t0 * MILLI,
            close(t0) * MILLI,
        ),
        Metric::at_most(
            format!("distance from eq. 8.13 at {v} m/s, share of the axes"),
            "the hammer follows eq. 8.13",
            worst,
            0.0,
            4e-3,
        ),
        Metric::at_most(
            format!("area of the loop at {v} m/s less the energy lost, share"),
            "the dissipative term makes the hysteresis",
            (work / lost - 1.0).abs(),
            0.0,
            1e-9,
        )
        .law(),
        Metric::new(
            format!("v_out at {v} m/s times μ"),
            "the limit −1/μ is never exceeded",
            law.loss * blow.v_out(),
            Check::AtLeast { reference: -1.0, bound: -1.0 },
        )
        .law(),
    ]
}

/// Restitution over stiffness, smallest and largest over the arrival times.
fn hardness(law: &HuntCrossley, rate: f64) -> Result<(Lines, Vec<Metric>, Table), BuildError> {
    let velocity = 2.0;
    let stiffnesses: Vec<f64> = (0..=12).map(|i| HARDEST * libm::pow(10.0, 0.5 * f64::from(i) - 6.0)).collect();
    let mut columns = [const { Vec::new() }; 4];
    let mut worst = 0.0_f64;
    for &stiffness in &stiffnesses {
        let law = HuntCrossley { stiffness, loss: 0.0, ..*law };
        let (mut ours, mut theirs) = ([f64::INFINITY, 0.0_f64], [f64::INFINITY, 0.0_f64]);
        for phase in 0..PHASES {
            let arrival = f64::from(phase) / f64::from(PHASES);
            let strike = Strike { law, velocity, arrival: arrival / rate, rate, seconds: LONGEST };
            let restitution = -blow(&strike, Struck::Wall)?.v_out() / velocity;
            ours = [ours[0].min(restitution), ours[1].max(restitution)];
            worst = worst.max((restitution - 1.0).abs());
            let steps = (LONGEST * rate) as usize;
            if let Some(printed) = Printed::restitution(law, rate, velocity, arrival, steps) {
                theirs = [theirs[0].min(printed), theirs[1].max(printed)];
            }
        }
        for (column, value) in columns.iter_mut().zip([ours[0], ours[1], theirs[0], theirs[1]]) {
            column.push(value);
        }
    }
    let last = |i: usize| columns[i].last().copied().unwrap_or(f64::NAN);
    let claim = "the printed force is not passive for hard contacts [handbook §4]";
    let metrics = vec![
        Metric::at_most(
            "passive form, μ = 0: largest |v_out/v_in − 1|",
            "no energy appears or vanishes",
            worst,
            3e-15,
            1e-12,
        )
        .law(),
        Metric::within("as printed, k = 1.5e17: smallest v_out/v_in", claim, last(2), 0.57, 0.05),
        Metric::within("as printed, k = 1.5e17: largest v_out/v_in", claim, last(3), 2.06, 0.05),
    ];
    let curve = |label: &str, i: usize| Curve::new(label, points(&stiffnesses, 1.0, &columns[i], 1.0));
    let plot = Lines::new("", Axis::log("Stiffness (N/m^α)"), Axis::linear("v_out / v_in"))
        .with(curve("passive", 0).color(BLUE))
        .with(curve("", 1).color(BLUE))
        .with(curve("as printed: smallest and largest", 2).color(GREEN).marked())
        .with(curve("", 3).color(GREEN).marked());
    let mut table = Table::new("hard").with("stiffness", stiffnesses.clone());
    for (name, column) in ["passive_least", "passive_most", "printed_least", "printed_most"].into_iter().zip(columns) {
        table = table.with(name, column);
    }
    Ok((plot, metrics, table))
}
