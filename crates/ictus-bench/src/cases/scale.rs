//! How cost grows: with contacts on one body, with bodies that sleep, with bodies that ring. Measured by `ictus bench scale` only.
//!
//! Where a number of things does not sound, the cost of one of them is the difference to the same scene without them, in turn in one run.

use super::{Case, Measured};
use crate::line::Line;
use crate::measure::{Meter, repeated, restarted};
use crate::scene::{Crowd, Pressing, RATE};
use ictus_core::{State, step};

/// Contacts on one body of 60 modes.
const CONTACTS: [usize; 6] = [10, 20, 30, 50, 100, 200];
/// Between these the exponent of growth is judged.
const SLOPE: [usize; 2] = [20, 200];
/// The most wanted.
const STEEPEST: f64 = 1.2;
/// Things that do nothing.
const IDLE: usize = 200;
/// What each of them may cost, ns.
const IDLE_NS: f64 = 1.0;
/// Bars of twelve modes.
const BARS: usize = 500;
/// What they may cost together, ns.
const BARS_NS: f64 = 10_000.0;

pub(super) fn cases() -> Vec<Case> {
    let mut all: Vec<Case> = CONTACTS.iter().map(|&n| Case::on_request(contacts_on_one(n), pressed(n))).collect();
    all.push(Case::on_request("scale, growth from 20 to 200 contacts", growth));
    all.push(Case::on_request("scale, a sleeping bar beside a held contact", |name, meter| {
        idle(name, meter, Crowd::Asleep)
    }));
    all.push(Case::on_request("scale, a parked mallet beside a held contact", |name, meter| {
        idle(name, meter, Crowd::Parked)
    }));
    all.push(Case::on_request(format!("scale, {BARS} bars of 12 modes ringing"), ringing));
    all
}

fn contacts_on_one(n: usize) -> String {
    format!("scale, {n} closed contacts on one body of 60 modes")
}

fn pressed(n: usize) -> impl Fn(&str, Meter) -> Measured {
    move |name, meter| {
        let time = time_of(n, meter);
        let line = Line::new(name, time, "ns");
        let period = 1e9 / RATE;
        // real time, or twice that for a hundred
        Ok(vec![match n {
            50 => line.against("real time", period).goal(1.0),
            100 => line.against("twice real time", 2.0 * period).goal(1.0),
            _ => line.against("real time", period),
        }])
    }
}

fn time_of(n: usize, meter: Meter) -> f64 {
    let scene = Pressing::new(n);
    meter.time(&mut restarted(scene.pressed(), |state| step(&scene.model, state)))
}

fn growth(name: &str, meter: Meter) -> Measured {
    let [few, many] = SLOPE.map(|n| time_of(n, meter));
    let slope = libm::log(many / few) / libm::log(SLOPE[1] as f64 / SLOPE[0] as f64);
    Ok(vec![Line::new(name, slope, "exponent").against(format!("{STEEPEST}"), STEEPEST).goal(1.0)])
}

fn idle(name: &str, meter: Meter, kind: Crowd) -> Measured {
    let scenes = [kind.scene(0), kind.scene(IDLE)];
    let mut states = scenes.each_ref().map(|scene| scene.settled());
    let [one, other] = &mut states;
    let run = |scene: &crate::scene::Crowded, state: &mut State| step(&scene.model, state);
    let mut without = repeated(|| run(&scenes[0], one));
    let mut with = repeated(|| run(&scenes[1], other));
    let [without, with] = meter.race([&mut without, &mut with]);
    let each = ((with - without) / IDLE as f64).max(0.01);
    Ok(vec![Line::new(name, each, "ns").limit(IDLE_NS)])
}

fn ringing(name: &str, meter: Meter) -> Measured {
    let scene = Crowd::Ringing.scene(BARS);
    let time = meter.time(&mut restarted(scene.settled(), |state| step(&scene.model, state)));
    Ok(vec![Line::new(name, time, "ns").limit(BARS_NS)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_contacts_stay_closed_and_the_ledger_closes() {
        for n in [1, 10, 30] {
            let scene = Pressing::new(n);
            let mut state = scene.pressed();
            state.audit(&scene.model, true);
            for _ in 0..200 {
                step(&scene.model, &mut state);
            }
            assert_eq!(scene.closed(&state), n);
            assert!(state.ledger.max_residual_rel() < 1e-9, "{n}: {}", state.ledger.max_residual_rel());
            assert_eq!(state.counts.missed, 0, "{n}");
        }
    }

    #[test]
    fn crowds_do_what_they_are_called() {
        let asleep = Crowd::Asleep.scene(5);
        let state = asleep.settled();
        assert_eq!(asleep.crowd.iter().filter(|&&body| state.is_asleep(body)).count(), 5);
        let parked = Crowd::Parked.scene(5);
        assert!(parked.settled().body_energy(&parked.model, parked.crowd[0]) == 0.0);
        let ringing = Crowd::Ringing.scene(5);
        assert!(ringing.settled().body_energy(&ringing.model, ringing.crowd[4]) > 0.0);
    }
}
