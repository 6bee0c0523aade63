//! SO8 Fig. 8.5: the static friction curve, and how bristles find it.

use crate::figure::{Figure, Values, positive, within};
use crate::metric::{Metric, short};
use crate::outcome::{Outcome, Table};
use crate::view::{BLUE, GREY, MILLI, RED, grid};
use ictus_analysis::plot::{Axis, Curve, Lines};
use ictus_core::{Bristles, BuildError, Clock, Damping, Friction, FrictionParameters, Interaction, Scheme};

/// Samples per second.
const RATE: f64 = 44_100.0;
/// Samples per second of what happens while bristles bend: some microseconds.
const FINE: f64 = 4e6;
/// Points of the curve on either side.
const POINTS: usize = 60;

/// Fig. 8.5.
pub static FIGURE: Figure = Figure {
    id: "so8-8.5",
    paper: "so8",
    title: "The Stribeck curve, and bristles that settle on it",
    parameters: &[
        positive("sticking", 0.975, "", "μ_s"),
        positive("sliding", 0.197, "", "μ_d"),
        positive("stribeck", 0.1, "m/s", "v_s"),
        positive("normal", 0.3, "N", "f_N"),
        positive("stiffness", 1e5, "N/m", "σ_0"),
        within("damping", 50.0, "N s/m", "σ_1", (0.0, 1e6)),
        within("viscosity", 0.4, "N s/m", "σ_2", (0.0, 1e6)),
        within("breakaway", 0.7, "", "z_ba over f_c/σ_0", (0.0, 0.999)),
    ],
    notes: &[
        "Left: the curve of the figure (line) and what bristles come to after sliding at each speed (points); the viscous part σ_2 v is taken off.",
        "Right: the force over the distance slid from rest at three speeds, at 4 MHz: the damping of the bristles first, then they bend, creep and slide.",
        "|z| is compared with |z_ss|: the signed forms of the chapter fail for negative velocities.",
    ],
    run,
};

fn run(values: &Values) -> Result<Outcome, BuildError> {
    let parameters = FrictionParameters {
        stiffness: values.get("stiffness"),
        damping: values.get("damping"),
        viscosity: values.get("viscosity"),
        sticking: values.get("sticking"),
        sliding: values.get("sliding"),
        stribeck: values.get("stribeck"),
        breakaway: values.get("breakaway"),
    };
    let law = |rate: f64| {
        Friction::new(Clock::new(Scheme::Midpoint, 1.0 / rate), parameters, Bristles::ElastoPlastic, Damping::Passive)
    };
    let (law, fine) = (law(RATE)?, law(FINE)?);
    let normal = values.get("normal");
    let steady = |v: f64| {
        let u = v / parameters.stribeck;
        let share = parameters.sliding + (parameters.sticking - parameters.sliding) * libm::exp(-u * u);
        v.signum() * normal * share
    };
    // forces over time at a speed that is held
    let slide = |law: &Friction, v: f64, steps: usize| -> Vec<f64> {
        let mut state = vec![0.0; law.state_len()];
        law.press(&mut state, normal);
        (0..steps)
            .map(|_| {
                let resolved = law.resolve(&state, v, 0.0);
                law.commit(&mut state, &resolved);
                resolved.force
            })
            .collect()
    };
    // ten times the way on which the bristles bend
    let way = 10.0 * parameters.sticking * normal / parameters.stiffness;
    let settled = |v: f64| {
        let steps = ((way / v.abs() * RATE) as usize).clamp(2000, 2_000_000);
        slide(&law, v, steps).last().copied().unwrap_or(0.0) - parameters.viscosity * v
    };
    let reach = 5.0 * parameters.stribeck;
    let speeds: Vec<f64> = (1..=POINTS).map(|i| reach * i as f64 / POINTS as f64).collect();
    let both: Vec<f64> = speeds.iter().rev().map(|v| -v).chain(speeds.iter().copied()).collect();
    let found: Vec<f64> = both.iter().map(|&v| settled(v)).collect();
    let off = both.iter().zip(&found).fold(0.0f64, |worst, (&v, f)| worst.max((f / steady(v) - 1.0).abs()));
    let claim = "sliding settles on the static curve, in both directions";
    let metrics = vec![
        Metric::at_most("largest relative distance from the curve", claim, off, 0.0, 1e-10).law(),
        Metric::shown("height of the curve at rest (N)", "the stiction force μ_s f_N", steady(f64::MIN_POSITIVE)),
    ];
    let drawn: Vec<(f64, f64)> = both.iter().map(|&v| (v, steady(v))).collect();
    let (left, right) = drawn.split_at(POINTS);
    let curve = Lines::new("Static friction", Axis::linear("Velocity (m/s)"), Axis::linear("Force (N)"))
        .with(Curve::new("eq. 8.15", left.to_vec()).color(GREY))
        .with(Curve::new("", right.to_vec()).color(GREY))
        .with(
            Curve::new("bristles, settled", both.iter().copied().zip(found.iter().copied()).step_by(4).collect())
                .stroke(ictus_analysis::plot::Stroke::Points)
                .color(BLUE),
        );
    let mut transients = Lines::new("From rest", Axis::linear("Way (µm)"), Axis::linear("Force (N)"));
    let mut table = Table::new("").with("velocity_m_s", both).with("force_n", found);
    for (v, color) in [(0.2 * parameters.stribeck, BLUE), (parameters.stribeck, RED), (4.0 * parameters.stribeck, GREY)]
    {
        let steps = ((way / v * FINE) as usize).clamp(10, 200_000);
        let force = slide(&fine, v, steps);
        let points = force.iter().enumerate().map(|(n, f)| ((n as f64 + 0.5) * v / FINE * MILLI * MILLI, *f)).collect();
        transients = transients.with(Curve::new(format!("{} m/s", short(v)), points).color(color));
        table = table.with(format!("transient_{}_m_s_n", short(v)), force);
    }
    let pictures = vec![grid("", "Friction at rest and sliding [SO8 Fig. 8.5]", 2, vec![curve, transients])];
    Ok(Outcome { metrics, pictures, tables: vec![table], animations: Vec::new() })
}
