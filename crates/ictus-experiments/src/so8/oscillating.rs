//! SO8 Fig. 8.10: a blow on an object that already swings, and the micro-impacts of a hard one.

use super::blow::{Blow, Partial, Strike, Struck, blow};
use super::hunt_crossley::HuntCrossley;
use super::{EXPONENT, LOSS, MASS, STIFFNESS};
use crate::figure::{Figure, Values, positive, within};
use crate::metric::{Check, Metric};
use crate::outcome::{Outcome, Table};
use crate::view::{BLUE, GREEN, GREY, MILLI, RED, grid, milliseconds, points};
use ictus_analysis::plot::{Axis, Curve, Lines};
use ictus_core::BuildError;

/// The struck object: frequency Hz, amplitude decay time s, mass kg. [handbook §4]
const MODES: [Partial; 3] = [(500.0, 0.6, 0.02), (1300.0, 0.4, 0.02), (2500.0, 0.25, 0.02)];
/// Counts and speeds are judged at this many times the rate of the figure.
const FINE: f64 = 4.0;

/// Fig. 8.10.
pub static FIGURE: Figure = Figure {
    id: "so8-8.10",
    paper: "so8",
    title: "A blow on an oscillating object, and micro-impacts in a hard collision",
    parameters: &[
        positive("mass", MASS, "kg", "m of the hammer"),
        positive("stiffness", STIFFNESS, "N/m^α", "k of (a)"),
        positive("hard", 1.5e13, "N/m^α", "k of (b)"),
        within("mu", LOSS, "s/m", "μ", (0.0, 1e3)),
        within("alpha", EXPONENT, "", "α", (1.0, 5.0)),
        within("velocity", 1.0, "m/s", "speed of the blow", (0.01, 100.0)),
        within("swing", 0.2e-3, "m", "amplitude with which the object swings before", (-0.01, 0.01)),
        within("rate", 44_100.0, "Hz", "samples per second", (8e3, 1e6)),
        within("seconds", 8e-3, "s", "length of the run", (1e-3, 1.0)),
    ],
    notes: &[
        "The chapter gives no numbers for this figure. Hammer of Fig. 8.3; object with modes at 500, 1300 and 2500 Hz, t_e 0.6, 0.4, 0.25 s, 20 g each \
         [handbook §4]; it swings in its lowest mode by 0.2 mm.",
        "The hammer touches where the dashed line lies above the solid one; crossings are beginnings and ends of contact.",
        "In (b) the object is at rest before, as in the handbook's reference.",
        "Speeds and counts are judged at four times the rate.",
    ],
    run,
};

fn run(values: &Values) -> Result<Outcome, BuildError> {
    let law = |key: &str| HuntCrossley {
        mass: values.get("mass"),
        stiffness: values.get(key),
        exponent: values.get("alpha"),
        loss: values.get("mu"),
    };
    let play = |law: HuntCrossley, swing: f64, factor: f64| {
        let (rate, seconds) = (factor * values.get("rate"), values.get("seconds"));
        let strike = Strike { law, velocity: values.get("velocity"), arrival: 0.5e-3, rate, seconds };
        blow(&strike, Struck::Modes(&MODES, swing))
    };
    let swing = values.get("swing");
    let (soft, hard) = (law("stiffness"), law("hard"));
    let runs = [play(soft, swing, 1.0)?, play(soft, 0.0, 1.0)?, play(hard, 0.0, 1.0)?];
    let fine = [play(soft, swing, FINE)?, play(soft, 0.0, FINE)?, play(hard, 0.0, FINE)?];
    let metrics = judge(&fine);
    let until = values.get("seconds").min(4e-3);
    let motion = |title: &str, blow: &Blow| {
        Lines::new(title, milliseconds(until), Axis::linear("Displacement (mm)"))
            .with(Curve::new("object", points(&blow.time, MILLI, &blow.point, MILLI)).color(BLUE))
            .with(Curve::new("hammer", points(&blow.time, MILLI, &blow.hammer, MILLI)).color(RED).dashed())
    };
    let force = |curves: &[(&str, &Blow)]| {
        let mut plot = Lines::new("", milliseconds(until), Axis::linear("Force (N)"));
        for ((label, blow), color) in curves.iter().zip([GREEN, GREY]) {
            plot = plot.with(Curve::new(*label, points(&blow.time, MILLI, &blow.force, 1.0)).color(color));
        }
        plot
    };
    let plots = vec![
        motion("(a) Object in motion", &runs[0]),
        motion("(b) Hard collision", &runs[2]),
        force(&[("in motion", &runs[0]), ("at rest", &runs[1])]),
        force(&[("hard", &runs[2])]),
    ];
    let mut table = Table::new("").with("time_s", runs[0].time.clone());
    for (name, run) in ["moving", "resting", "hard"].into_iter().zip(runs) {
        table = table
            .with(format!("hammer_{name}_m"), run.hammer)
            .with(format!("object_{name}_m"), run.point)
            .with(format!("force_{name}_n"), run.force);
    }
    let pictures = vec![grid("", "Blows on an object that moves, and hard ones [SO8 Fig. 8.10]", 2, plots)];
    Ok(Outcome { metrics, pictures, tables: vec![table], animations: Vec::new() })
}

fn judge([moving, resting, hard]: &[Blow; 3]) -> Vec<Metric> {
    let peak = |blow: &Blow| blow.force.iter().copied().fold(0.0, f64::max);
    // at four times 44.1 kHz; twice the bound of a blow on a wall, because the modes add their own error
    let close = |x: f64| 6e-4 * x;
    let residual = [moving, resting, hard].iter().map(|blow| blow.residual).fold(0.0, f64::max);
    let profile = |blow: &Blow| blow.force.iter().map(|f| f / peak(blow)).collect::<Vec<f64>>();
    let differs = profile(moving).iter().zip(profile(resting)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    let claim = "the force profile differs from that on an object at rest";
    vec![
        Metric::within(
            "at rest: speed of the hammer afterwards (m/s)",
            "it rebounds",
            -resting.v_out(),
            0.534803,
            close(0.534803),
        ),
        Metric::within("at rest: contacts", "one blow, one contact", resting.contacts() as f64, 1.0, 0.0),
        Metric::within(
            "hard: speed of the hammer afterwards (m/s)",
            "it rebounds",
            -hard.v_out(),
            0.581936,
            close(0.581936),
        ),
        Metric::within(
            "hard: contacts",
            "several micro-collisions during one impact",
            hard.contacts() as f64,
            2.0,
            0.0,
        ),
        Metric::new(
            "in motion: largest difference of the force profiles",
            claim,
            differs,
            Check::AtLeast { reference: 0.1, bound: 0.1 },
        ),
        Metric::shown("in motion: largest force over that at rest", claim, peak(moving) / peak(resting)),
        Metric::shown("in motion: time of contact over that at rest", claim, moving.touching() / resting.touching()),
        Metric::shown("in motion: contacts", claim, moving.contacts() as f64),
        Metric::shown("in motion: speed of the hammer afterwards (m/s)", claim, -moving.v_out()),
        Metric::at_most("energy residual, all runs", "the energy ledger closes", residual, 1e-14, 1e-12).law(),
    ]
}
