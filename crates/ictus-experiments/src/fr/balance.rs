//! FR: the power balance of the bowed string, and what the printed damping does to it.

use super::bow::{Bow, PARAMETERS, ramped};
use crate::figure::{Figure, Values};
use crate::metric::{Check, Metric};
use crate::outcome::{Outcome, Table};
use crate::rig::step_count;
use crate::view::{BLUE, MILLI, RED, grid};
use ictus_analysis::plot::{Axis, Curve, Lines};
use ictus_core::{BuildError, Damping};

/// Where it is bowed, a share of the length.
const PLACE: f64 = 0.1;
/// Time of a run, s.
const SECONDS: f64 = 1.0;
/// Damping at which the printed form fails, N s/m. [handbook §5]
const STRONG: f64 = 10.0;

/// Power balance.
pub static FIGURE: Figure = Figure {
    id: "fr-balance",
    paper: "fr",
    title: "Power balance under the bow, and the loss of the printed form",
    parameters: PARAMETERS,
    notes: &[
        "The paper's R matrix is positive only where α|w| ≤ 4 f_ss(σ_c + σ_f)/σ_c². ictus lessens σ_c to σ_c/(1 + σ_c r/4), which always is.",
        "Each sample's balance is measured: what is stored, supplied and lost come from their own formulas.",
    ],
    run,
};

/// Powers of every step, W.
struct Powers {
    supplied: Vec<f64>,
    lost: Vec<f64>,
    residual: Vec<f64>,
    friction: Vec<f64>,
}

fn powers(values: &Values, damping: f64, form: Damping) -> Result<Powers, BuildError> {
    let bow = Bow::new(values).damped(damping, form);
    let mut string = bow.at(PLACE)?;
    let mut powers = Powers { supplied: vec![], lost: vec![], residual: vec![], friction: vec![] };
    let total = |string: &super::bow::Run| {
        let ledger = &string.state.ledger;
        let rub = ledger.contacts[string.contact.index()].dissipated.value();
        [ledger.total.supplied.value(), ledger.total.dissipated.value(), ledger.total.residual(), rub]
    };
    let mut before = total(&string);
    for n in 0..step_count(SECONDS, bow.rate)? {
        string.step(values.get("normal"), ramped(values.get("speed"), values.get("ramp"), n as f64 / bow.rate));
        let now = total(&string);
        let rate = |i: usize| (now[i] - before[i]) * bow.rate;
        powers.supplied.push(rate(0));
        powers.lost.push(rate(1));
        powers.residual.push(rate(2));
        powers.friction.push(rate(3));
        before = now;
    }
    Ok(powers)
}

fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |most, x| x.abs().max(most))
}

fn run(values: &Values) -> Result<Outcome, BuildError> {
    let ours = powers(values, values.get("damping"), Damping::Passive)?;
    let strong = powers(values, STRONG, Damping::Passive)?;
    let printed = powers(values, STRONG, Damping::Printed)?;
    let claim = "the power balance holds at every sample";
    let share = |powers: &Powers| largest(&powers.residual) / largest(&powers.supplied);
    let metrics = vec![
        Metric::at_most("largest residual over largest power", claim, share(&ours), 0.0, 1e-11).law(),
        Metric::at_most("the same, σ_c = 10", claim, share(&strong), 0.0, 1e-11).law(),
        Metric::new(
            "least loss of the friction (W)",
            "friction only takes",
            least(&ours.friction),
            Check::AtLeast { reference: 0.0, bound: -1e-12 },
        )
        .law(),
        Metric::new(
            "least loss of the friction, σ_c = 10 (W)",
            "friction only takes",
            least(&strong.friction),
            Check::AtLeast { reference: 0.0, bound: -1e-12 },
        )
        .law(),
        Metric::within(
            "least “loss” of the printed form, σ_c = 10 (W)",
            "printed: R is positive",
            least(&printed.friction),
            -791.0,
            8.0,
        ),
    ];
    let rate = values.get("rate");
    let window = |data: &[f64]| -> Vec<f64> {
        let start = data.len().saturating_sub((4.0 * rate / values.get("pitch")) as usize);
        data[start..].to_vec()
    };
    let axis = || Axis::linear("Time (ms)").with_range(0.0, MILLI * 4.0 / values.get("pitch"));
    let curve = |label: &str, data: &[f64]| Curve::sampled(label, 0.0, MILLI / rate, data);
    let plots = vec![
        Lines::new("Powers", axis(), Axis::linear("Power (W)"))
            .with(curve("from the bow", &window(&ours.supplied)).color(BLUE))
            .with(curve("lost", &window(&ours.lost)).color(RED)),
        Lines::new("Loss of the friction, σ_c = 10", axis(), Axis::linear("Power (W)"))
            .with(curve("passive", &window(&strong.friction)).color(BLUE))
            .with(curve("printed", &window(&printed.friction)).color(RED)),
    ];
    let time: Vec<f64> = (0..ours.supplied.len()).map(|n| n as f64 / rate).collect();
    let table = Table::new("")
        .with("time_s", time)
        .with("supplied_w", ours.supplied)
        .with("lost_w", ours.lost)
        .with("residual_w", ours.residual)
        .with("friction_printed_w", printed.friction);
    let pictures = vec![grid("", "Power balance of the bowed string [FR]", 2, plots)];
    Ok(Outcome { metrics, pictures, tables: vec![table], animations: Vec::new() })
}
