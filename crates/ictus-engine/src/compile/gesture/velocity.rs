//! Imposed velocities.

use super::{Gestures, Join, Occurrence};
use crate::compile::Site;
use crate::compile::inputs::Inputs;
use crate::curve::interpolate;
use crate::drive::{Drive, Hand, Stage};
use crate::signal::{InputId, Signals};
use ictus_core::{ContactId, Law, Model};
use ictus_instrument::{Error, InputKind, Loaded, PortRef};

/// Per port its windows, with the index of their gesture, and the drives that were made of them.
#[derive(Default)]
pub(super) struct Velocities {
    windows: Vec<(PortRef, Vec<(Window, usize)>)>,
    drives: Vec<VelocityDrive>,
}

impl Gestures<'_> {
    pub(super) fn velocity(&mut self, once: Occurrence, port: PortRef, curve: &[(f64, f64)]) {
        let points: Vec<_> = curve.iter().map(|&(t, v)| (self.steps(t), v * once.factor)).collect();
        let first = (once.start + points[0].0).round() as u64;
        let last = (once.start + points[points.len() - 1].0).round() as u64;
        let window = Window { start: first, end: last.max(first + 1), points, origin: once.start };
        let ports = &mut self.velocities.windows;
        match ports.iter_mut().find(|(p, _)| *p == port) {
            Some((_, windows)) => windows.push((window, once.index)),
            None => ports.push((port, vec![(window, once.index)])),
        }
    }
}

impl Velocities {
    /// Ports on which velocities are imposed.
    pub fn len(&self) -> usize {
        self.windows.len()
    }

    pub fn drives(&mut self, site: Site, inputs: &Inputs, join: &mut Join) -> Result<Vec<Box<dyn Drive>>, Error> {
        let spec = &site.loaded.spec;
        for (port, mut windows) in self.windows.drain(..) {
            windows.sort_by_key(|(window, _)| window.start);
            for pair in windows.windows(2) {
                let [(a, i), (b, j)] = pair else { continue };
                if b.start < a.end {
                    let (one, two) = (&spec.gestures[*i].id, &spec.gestures[*j].id);
                    let message =
                        format!("`{one}` and `{two}` impose velocities on `{}` at the same time", spec.port_name(port));
                    let help = Some("let the first curve end before the second begins".to_owned());
                    return Err(site.loaded.error_at(two, "engine::conflict", message, "overlaps", help));
                }
            }
            let name = format!("velocity of {}", spec.port_name(port));
            let contact = join.contact(join.end(port), name, Law::Velocity, &spec.gestures[windows[0].1].id);
            let windows = windows.into_iter().map(|(window, _)| window).collect();
            let [velocity, grip] = [InputKind::Velocity { port }, InputKind::Grip { port }]
                .map(|kind| inputs.find(kind).expect("a port with an imposed velocity has its inputs"));
            self.drives.push(VelocityDrive { contact, windows, velocity, grip });
        }
        Ok(self.drives.iter().map(|drive| Box::new(drive.clone()) as Box<dyn Drive>).collect())
    }
}

/// Imposed velocities that fix the same motion: equal ones are superfluous, different ones cannot both hold.
pub(super) fn check(
    loaded: &Loaded,
    model: &Model,
    velocities: &Velocities,
    names: &[(String, String)],
    warnings: &mut Vec<Error>,
) -> Result<(), Error> {
    if velocities.drives.len() < 2 {
        return Ok(());
    }
    let path_of = |name: &str| names.iter().find(|(n, _)| n == name).map_or("", |(_, path)| path.as_str());
    let mut starts: Vec<u64> =
        velocities.drives.iter().flat_map(|drive| drive.windows.iter().map(|window| window.start)).collect();
    starts.sort_unstable();
    starts.dedup();
    for step in starts {
        let on: Vec<_> = velocities
            .drives
            .iter()
            .filter_map(|drive| {
                let window = drive.windows.iter().find(|window| (window.start..window.end).contains(&step))?;
                Some((drive.contact, window))
            })
            .collect();
        let engaged: Vec<_> = on.iter().map(|(contact, _)| *contact).collect();
        for redundant in model.redundant(&engaged) {
            let window = |id| on.iter().find(|(contact, _)| *contact == id).map(|(_, window)| *window);
            let own = window(redundant.constraint);
            let path = path_of(model.contact_name(redundant.constraint));
            let others: Vec<&str> = redundant.others.iter().map(|&id| path_of(model.contact_name(id))).collect();
            let listed = others.iter().map(|other| format!("`{other}`")).collect::<Vec<_>>().join(", ");
            if redundant.others.iter().all(|&id| window(id) == own) {
                let message = format!("`{path}` imposes what {listed} already impose(s)");
                warnings.push(loaded.warning_at(path, "engine::redundant", message, "superfluous", None));
            } else {
                let message = format!("`{path}` and {listed} impose different velocities on one rigid motion");
                let help = Some("give them the same curve, or release one before the other engages".to_owned());
                return Err(loaded.error_at(path, "engine::conflict", message, "cannot hold", help));
            }
        }
        if warnings.len() > 100 {
            break;
        }
    }
    Ok(())
}

/// The velocity of one port, during windows that do not overlap, until an event takes the grip.
#[derive(Clone, Debug)]
struct VelocityDrive {
    contact: ContactId,
    /// Sorted by start.
    windows: Vec<Window>,
    /// m/s
    velocity: InputId,
    /// 0 to 1
    grip: InputId,
}

/// Steps `start..end` during which a velocity is imposed.
#[derive(Clone, Debug, PartialEq)]
struct Window {
    start: u64,
    end: u64,
    /// (steps after `origin`, m/s)
    points: Vec<(f64, f64)>,
    origin: f64,
}

impl Window {
    fn velocity(&self, time: f64) -> f64 {
        interpolate(&self.points, time - self.origin)
    }
}

impl VelocityDrive {
    /// What is imposed at `end`, when the window is under way: the file's curve until an event takes the velocity over.
    fn imposed(&self, signals: &Signals, window: Option<&Window>, end: f64) -> f64 {
        match window {
            Some(window) if !signals.is_taken_over(self.velocity) => {
                signals.modulated(self.velocity, window.velocity(end), end)
            }
            _ => signals.at(self.velocity, end),
        }
    }

    /// Holds the port as firmly as an event says, whatever the windows are.
    fn hold(&self, stage: &mut Stage, end: f64) -> f64 {
        let time = stage.time();
        let Stage { model, state, step, signals, .. } = stage;
        let weight = signals.at(self.grip, time);
        let window = self.windows.iter().find(|window| (window.start..window.end).contains(step));
        state.grip(model, self.contact, weight);
        state.set_input(self.contact, self.imposed(signals, window, end));
        // what is held now must be held on or let go in the next step
        if weight > 0.0 { stage.next() } else { stage.signals.still_until(self.grip, time) - stage.phase }
    }
}

impl Drive for VelocityDrive {
    fn inputs(&self) -> Vec<InputId> {
        vec![self.velocity, self.grip]
    }

    fn play(&self, hand: &mut Hand, stage: &mut Stage) -> f64 {
        // velocities are reached at the end of a step: n + 1, or n + ½ in leapfrog
        let end = stage.time() + 0.5;
        if stage.signals.is_taken_over(self.grip) {
            return self.hold(stage, end);
        }
        let Stage { model, state, step, signals, .. } = stage;
        let Some(window) = self.windows.get(hand.next) else { return f64::INFINITY };
        if *step == window.start {
            state.engage(model, self.contact, true);
        }
        if *step >= window.end {
            hand.next += 1;
            // a following window may begin at once
            let again = self.windows.get(hand.next).filter(|window| window.start == *step);
            match again {
                Some(window) => state.set_input(self.contact, self.imposed(signals, Some(window), end)),
                None => state.engage(model, self.contact, false),
            }
        } else if *step >= window.start {
            state.set_input(self.contact, self.imposed(signals, Some(window), end));
        }
        self.windows.get(hand.next).map_or(f64::INFINITY, |window| window.start as f64)
    }
}
