//! Imposed velocities.

use super::{Gestures, Join, Occurrence};
use crate::compile::Site;
use crate::curve::interpolate;
use crate::drive::{Drive, Hand, Stage};
use ictus_core::{ContactId, Law, Model};
use ictus_instrument::{Error, Loaded, PortRef};

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

    pub fn drives(&mut self, site: Site, join: &mut Join) -> Result<Vec<Box<dyn Drive>>, Error> {
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
            self.drives.push(VelocityDrive { contact, windows });
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

/// The velocity of one port, during windows that do not overlap.
#[derive(Clone, Debug)]
struct VelocityDrive {
    contact: ContactId,
    /// Sorted by start.
    windows: Vec<Window>,
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

impl Drive for VelocityDrive {
    fn play(&self, hand: &mut Hand, stage: &mut Stage) -> f64 {
        // velocities are reached at the end of a step: n + 1, or n + ½ in leapfrog
        let end = stage.time() + 0.5;
        let Stage { model, state, step, .. } = stage;
        let Some(window) = self.windows.get(hand.next) else { return f64::INFINITY };
        if *step == window.start {
            state.engage(model, self.contact, true);
        }
        if *step >= window.end {
            hand.next += 1;
            // a following window may begin at once
            let again = self.windows.get(hand.next).filter(|window| window.start == *step);
            match again {
                Some(window) => state.set_input(self.contact, window.velocity(end)),
                None => state.engage(model, self.contact, false),
            }
        } else if *step >= window.start {
            state.set_input(self.contact, window.velocity(end));
        }
        self.windows.get(hand.next).map_or(f64::INFINITY, |window| window.start as f64)
    }
}
