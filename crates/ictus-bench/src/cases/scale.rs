//! How cost grows: with contacts on one body, with bodies that ring or sleep, with the modes of a body, with voices. Measured by `ictus bench scale` only; `--plot` draws it.
//!
//! Where a number of things does not sound, the cost of one of them is the difference to the same scene without them, in turn in one run.

use super::{Case, Measured};
use crate::growth::Growth;
use crate::line::Line;
use crate::measure::{Meter, repeated, restarted};
use crate::plain::PlainBank;
use crate::scene::{Crowd, Crowded, Playing, Pressing, RATE, Touching};
use ictus_core::{BLOCK, State, step};
use ictus_engine::{Io, Patch, Player};
use std::hint::black_box;

/// The curves: what grows, and how many.
const CONTACTS: (&str, [usize; 6]) = ("closed contacts on one body of 60 modes", [10, 20, 30, 50, 100, 200]);
const RINGING: (&str, [usize; 8]) = ("ringing bars of 12 modes", [1, 3, 10, 30, 100, 300, 500, 1000]);
const ASLEEP: (&str, [usize; 7]) = ("sleeping bars beside a held contact", [1, 3, 10, 30, 100, 300, 1000]);
const MODES: (&str, [usize; 9]) = ("modes of a bar with a held contact", [1, 3, 10, 30, 100, 300, 1000, 3000, 10_000]);
const VOICES: (&str, [usize; 7]) = ("voices, each a ringing bar of 24 modes", [1, 2, 4, 8, 16, 32, 64]);
/// Between these the exponents of growth are judged, and the most wanted.
const CONTACT_GROWTH: ([usize; 2], f64) = ([20, 200], 1.2);
const BAR_GROWTH: ([usize; 2], f64) = ([100, 1000], 1.1);
const VOICE_GROWTH: ([usize; 2], f64) = ([8, 64], 1.1);
/// A sample, ns.
const SAMPLE: f64 = 1e9 / RATE;
/// Things that do nothing.
const IDLE: usize = 200;
/// So many of them are to fit into real time: each may cost 1 ns.
const IDLE_IN_REAL_TIME: f64 = 20_834.0;
/// A bar that rings costs so many times as much as one that sleeps.
const AWAKE: f64 = 20.0;
/// Ringing bars that are judged, and how many are to fit into real time: these may cost 10 µs.
const BARS: usize = 500;
const BARS_IN_REAL_TIME: f64 = 1042.0;
/// Modes of a bar, as in its scene.
const BAR_MODES: usize = 12;
/// The struck bar of a voice, and for how long it decays by 60 dB, s: it rings while it is timed.
const BAR: &str = include_str!("bar.toml");
const DECAY: &str = "10000";

pub(super) fn cases() -> Vec<Case> {
    let mut all: Vec<Case> = CONTACTS.1.iter().map(|&n| Case::on_request(contacts_on_one(n), pressed(n))).collect();
    all.push(Case::on_request("scale, growth from 20 to 200 contacts", |name, meter| {
        growth(name, CONTACT_GROWTH, |n| Ok(time_of_contacts(n, meter)))
    }));
    all.push(Case::on_request("scale, a sleeping bar beside a held contact", |name, meter| {
        idle(name, meter, Crowd::Asleep)
    }));
    all.push(Case::on_request("scale, a parked mallet beside a held contact", |name, meter| {
        idle(name, meter, Crowd::Parked)
    }));
    all.extend(
        ASLEEP.1.map(|n| Case::on_request(format!("scale, {} beside a held contact", bars(n, "sleeping")), asleep(n))),
    );
    all.extend(
        RINGING.1.map(|n| Case::on_request(format!("scale, {} of {BAR_MODES} modes ringing", bars(n, "")), ringing(n))),
    );
    all.push(Case::on_request("scale, growth from 100 to 1000 ringing bars", |name, meter| {
        growth(name, BAR_GROWTH, |n| Ok(time_of_crowd(Crowd::Ringing, n, meter)))
    }));
    all.extend(MODES.1.map(|n| {
        let s = if n == 1 { "" } else { "s" };
        Case::on_request(format!("scale, a bar of {n} mode{s} with a held contact"), held(n))
    }));
    all.extend(VOICES.1.map(|n| {
        let s = if n == 1 { "" } else { "s" };
        Case::on_request(format!("scale, {n} voice{s}"), voices(n))
    }));
    all.push(Case::on_request("scale, growth from 8 to 64 voices", |name, meter| {
        growth(name, VOICE_GROWTH, |n| time_of_voices(n, meter))
    }));
    all
}

fn contacts_on_one(n: usize) -> String {
    format!("scale, {n} closed contacts on one body of 60 modes")
}

fn bars(n: usize, which: &str) -> String {
    let gap = if which.is_empty() { "" } else { " " };
    format!("{n} {which}{gap}bar{}", if n == 1 { "" } else { "s" })
}

fn pressed(n: usize) -> impl Fn(&str, Meter) -> Measured {
    move |name, meter| {
        let line = Line::new(name, time_of_contacts(n, meter), "ns").at(CONTACTS.0, n);
        // real time, or twice that for a hundred
        Ok(vec![match n {
            50 => line.against("real time", SAMPLE).goal(1.0),
            100 => line.against("twice real time", 2.0 * SAMPLE).goal(1.0),
            _ => line.against("real time", SAMPLE),
        }])
    }
}

fn time_of_contacts(n: usize, meter: Meter) -> f64 {
    let scene = Pressing::new(n);
    meter.time(&mut restarted(scene.pressed(), |state| step(&scene.model, state)))
}

fn growth(name: &str, (counts, most): ([usize; 2], f64), time_of: impl Fn(usize) -> Result<f64, String>) -> Measured {
    let [few, many] = [time_of(counts[0])?, time_of(counts[1])?];
    let exponent = Growth::exponent((counts[0], few), (counts[1], many));
    Ok(vec![Line::new(name, exponent, "exponent").against(format!("{most}"), most).goal(1.0)])
}

fn idle(name: &str, meter: Meter, kind: Crowd) -> Measured {
    let crowds = [(kind, 0), (kind, IDLE), (Crowd::Ringing, IDLE)];
    let scenes = crowds.map(|(kind, count)| kind.scene(count));
    let [mut without, mut with, awake] = scenes.each_ref().map(Crowded::settled);
    let run = |scene: &Crowded, state: &mut State| step(&scene.model, state);
    let times = meter.race([
        &mut repeated(|| run(&scenes[0], &mut without)),
        &mut repeated(|| run(&scenes[1], &mut with)),
        &mut restarted(awake, |state| run(&scenes[2], state)),
    ]);
    let [each, awake] = [1, 2].map(|i| ((times[i] - times[0]) / IDLE as f64).max(0.01));
    let line = || Line::new(name, each, "ns");
    let many = format!("{IDLE_IN_REAL_TIME} in real time");
    let mut lines = vec![line().against(many, SAMPLE / IDLE_IN_REAL_TIME).goal(1.0)];
    lines.extend((kind == Crowd::Asleep).then(|| line().against("one that rings", awake).goal(AWAKE)));
    Ok(lines)
}

fn asleep(n: usize) -> impl Fn(&str, Meter) -> Measured {
    move |name, meter| {
        let time = time_of_crowd(Crowd::Asleep, n, meter);
        Ok(vec![Line::new(name, time, "ns").at(ASLEEP.0, n).against("real time", SAMPLE)])
    }
}

/// A step of a crowd beside a held contact.
fn time_of_crowd(kind: Crowd, n: usize, meter: Meter) -> f64 {
    let scene = kind.scene(n);
    meter.time(&mut restarted(scene.settled(), |state| step(&scene.model, state)))
}

fn ringing(n: usize) -> impl Fn(&str, Meter) -> Measured {
    move |name, meter| {
        let scene = Crowd::Ringing.scene(n);
        let [ours, plain] = meter.race([
            &mut restarted(scene.settled(), |state| step(&scene.model, state)),
            &mut restarted(vec![PlainBank::new(BAR_MODES); n], |bars| {
                for bar in bars {
                    black_box(bar.ring());
                }
            }),
        ]);
        let line = || Line::new(name, ours, "ns").at(RINGING.0, n);
        let judged = n == BARS;
        let share = SAMPLE * BARS as f64 / BARS_IN_REAL_TIME;
        let mut lines = vec![if judged {
            line().against(format!("{BARS_IN_REAL_TIME} in real time"), share).goal(1.0)
        } else {
            line().against("real time", SAMPLE)
        }];
        lines.push(line().against("plain loop, no contacts", plain));
        Ok(lines)
    }
}

fn held(n: usize) -> impl Fn(&str, Meter) -> Measured {
    move |name, meter| {
        let scene = Touching::new(n, 2.3);
        let time = meter.time(&mut restarted(scene.pressed(), Playing::step));
        Ok(vec![Line::new(name, time, "ns").at(MODES.0, n).against("real time", SAMPLE)])
    }
}

fn voices(n: usize) -> impl Fn(&str, Meter) -> Measured {
    move |name, meter| {
        let time = time_of_voices(n, meter)?;
        Ok(vec![Line::new(name, time, "ns").at(VOICES.0, n).against("real time", SAMPLE)])
    }
}

/// A sample of so many players of one patch, in blocks, without ledger and meter.
fn time_of_voices(n: usize, meter: Meter) -> Result<f64, String> {
    let mut players = ringing_voices(n)?;
    let time = meter.time(&mut repeated(|| players.iter_mut().for_each(play)));
    Ok(time / BLOCK as f64)
}

/// Players of a bar that was struck and rings.
fn ringing_voices(n: usize) -> Result<Vec<Player>, String> {
    let settings = [("bar.decay_s".to_owned(), DECAY.to_owned())];
    let loaded = ictus_instrument::load("bar.toml", BAR, &settings).map_err(|error| error.to_string())?;
    let patch = Patch::compile(&loaded, RATE as u32).map_err(|error| error.to_string())?;
    let voice = || {
        let mut player = Player::new(&patch);
        player.audit(false);
        player.measure(false);
        (0..100).for_each(|_| play(&mut player));
        player
    };
    Ok((0..n).map(|_| voice()).collect())
}

fn play(player: &mut Player) {
    let (mut left, mut right) = ([0.0f32; BLOCK], [0.0f32; BLOCK]);
    player.process(&[], Io { inputs: &[], buses: &mut [&mut left, &mut right] });
    black_box((left, right));
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

    #[test]
    fn voices_ring_while_they_are_timed() {
        let mut players = ringing_voices(2).expect("a patch");
        let loudness = |player: &mut Player| {
            let mut frames = [[0.0f32; 2]; 4800];
            player.render(&mut frames);
            frames.iter().fold(0.0f32, |most, [left, _]| most.max(left.abs()))
        };
        let first = loudness(&mut players[0]);
        // longer than any measurement of it
        (0..20_000).for_each(|_| play(&mut players[0]));
        let last = loudness(&mut players[0]);
        assert!(first > 1e-6 && last > 0.5 * first, "{first}, then {last}");
        assert_eq!(loudness(&mut players[1]), first);
    }

    #[test]
    fn every_curve_has_its_points() {
        let few =
            ["scale, 10 closed", "scale, 1 sleeping", "scale, 10 bars", "scale, a bar of 1 mode ", "scale, 2 voices"];
        let chosen: Vec<Case> =
            cases().into_iter().filter(|case| few.iter().any(|name| case.name.starts_with(name))).collect();
        assert_eq!(chosen.len(), few.len());
        let (lines, left_out) = crate::cases::measure(&chosen, Meter::QUICK, |_| {});
        assert!(left_out.is_empty(), "{left_out:?}");
        let curves = crate::growth::growths(&lines);
        let labels: Vec<&str> = curves.iter().map(|curve| curve.label).collect();
        assert_eq!(labels, [CONTACTS.0, ASLEEP.0, RINGING.0, MODES.0, VOICES.0]);
        let counts: Vec<f64> = curves.iter().map(|curve| curve.points[0].0).collect();
        assert_eq!(counts, [10.0, 1.0, 10.0, 1.0, 2.0]);
        assert!(curves.iter().all(|curve| curve.points.len() == 1 && curve.points[0].1 > 0.0), "{curves:?}");
    }
}
