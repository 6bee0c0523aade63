//! Gestures of the file to a score.

use super::{MAX_CONTACTS, Rows, end, scatter};
use crate::score::{ForceDrive, Score, SetAction, Setting, Stroke, StrokeShape, VelocityDrive, Window};
use ictus_core::{BodyId, Clock, Contact, Deflection, End, Law, Model, ModelBuilder, State, White};
use ictus_instrument as file;
use ictus_instrument::{Action, Error, Loaded, PortRef};
use rand_pcg::Pcg64;
use rand_pcg::rand_core::RngCore;

/// A score in the making: drives are contacts of the model, one per driven port.
pub(super) struct Compiler<'a> {
    loaded: &'a Loaded,
    clock: Clock,
    ids: &'a [BodyId],
    settings: Vec<(Setting, usize)>,
    forces: Vec<(PortRef, f64, Vec<Stroke>)>,
    velocities: Vec<(PortRef, Vec<(Window, usize)>)>,
}

/// The score, and where in the file its parts come from.
pub(super) struct Compiled {
    pub score: Score,
    /// Contact name and the file's path, for every drive.
    pub names: Vec<(String, String)>,
    /// Gesture index of every setting.
    pub origins: Vec<usize>,
}

impl<'a> Compiler<'a> {
    pub fn new(loaded: &'a Loaded, clock: Clock, ids: &'a [BodyId]) -> Self {
        Self { loaded, clock, ids, settings: Vec::new(), forces: Vec::new(), velocities: Vec::new() }
    }

    pub fn compile(mut self, builder: &mut ModelBuilder, rows: &Rows) -> Result<Compiled, Error> {
        let spec = &self.loaded.spec;
        if spec.gravity_m_s2 != 0.0 {
            for (index, resonator) in spec.resonators.iter().enumerate() {
                if let file::ResonatorKind::Mass(mass) = &resonator.kind {
                    let weight = -mass.mass_kg * spec.gravity_m_s2;
                    self.forces.push((PortRef { resonator: index, port: 0 }, weight, Vec::new()));
                }
            }
        }
        for (index, gesture) in spec.gestures.iter().enumerate() {
            let mut white = White::new(spec.seed, SCATTER + index as u64);
            for (time, factor) in occurrences(spec.seed, index, gesture) {
                self.stroke(index, gesture, time / self.clock.dt, factor, &mut white);
            }
        }
        self.finish(builder, rows)
    }

    /// One occurrence of a gesture, `start` steps after the beginning, its amplitude times `factor`.
    fn stroke(&mut self, index: usize, gesture: &file::Gesture, start: f64, factor: f64, white: &mut White) {
        let steps = |seconds: f64| seconds / self.clock.dt;
        match &gesture.action {
            Action::Throw { resonator, velocity_m_s, position_m } => {
                let action = SetAction::Throw { velocity: velocity_m_s * factor, position: *position_m };
                self.set(index, start, *resonator, action);
            }
            Action::Pluck { port, how: file::Pluck::Displacement { displacement_m, shape } } => {
                let displacement = displacement_m * factor;
                let deflection = match shape {
                    file::Shape::Static => Deflection::Static { port: port.port, displacement },
                    file::Shape::Sine => Deflection::Fundamental { displacement },
                };
                self.set(index, start, port.resonator, SetAction::Deflect(deflection));
            }
            Action::Pluck { port, how: file::Pluck::Force { force_n, duration_s } } => {
                let shape = StrokeShape::Pluck { steps: steps(*duration_s) };
                self.force(*port, Stroke { start, amplitude: force_n * factor, shape });
            }
            Action::Strike { port, duration_s, amount } => {
                let peak = match amount {
                    file::Strike::ForceN(force) => *force,
                    // a raised cosine has half the area of its rectangle
                    file::Strike::ImpulseNS(impulse) => 2.0 * impulse / duration_s,
                };
                let shape = StrokeShape::Strike { steps: steps(*duration_s) };
                self.force(*port, Stroke { start, amplitude: peak * factor, shape });
            }
            Action::Force { port, curve } => {
                let points = curve.iter().map(|&(t, value)| (steps(t), value)).collect();
                self.force(*port, Stroke { start, amplitude: factor, shape: StrokeShape::Curve { points } });
            }
            Action::Scatter { masses, rate, velocity_m_s, exponent } => {
                for event in scatter::events(white, masses.len(), rate, *velocity_m_s, *exponent) {
                    let resonator = masses[event.choice];
                    let position = match &self.loaded.spec.resonators[resonator].kind {
                        file::ResonatorKind::Mass(mass) => Some(mass.position_m),
                        _ => None,
                    };
                    let action = SetAction::Throw { velocity: event.velocity * factor, position };
                    self.set(index, start + event.time / self.clock.dt, resonator, action);
                }
            }
            Action::Velocity { port, curve } => {
                let points: Vec<_> = curve.iter().map(|&(t, v)| (steps(t), v * factor)).collect();
                let first = (start + points[0].0).round() as u64;
                let last = (start + points[points.len() - 1].0).round() as u64;
                let window = Window { start: first, end: last.max(first + 1), points, origin: start };
                match self.velocities.iter_mut().find(|(p, _)| p == port) {
                    Some((_, windows)) => windows.push((window, index)),
                    None => self.velocities.push((*port, vec![(window, index)])),
                }
            }
        }
    }

    fn set(&mut self, index: usize, start: f64, resonator: usize, action: SetAction) {
        let setting = Setting { step: start.round() as u64, body: self.ids[resonator], action };
        self.settings.push((setting, index));
    }

    fn force(&mut self, port: PortRef, stroke: Stroke) {
        match self.forces.iter_mut().find(|(p, _, _)| *p == port) {
            Some((_, _, strokes)) => strokes.push(stroke),
            None => self.forces.push((port, 0.0, vec![stroke])),
        }
    }

    fn finish(mut self, builder: &mut ModelBuilder, rows: &Rows) -> Result<Compiled, Error> {
        let spec = &self.loaded.spec;
        let drives = self.forces.len() + self.velocities.len() + spec.fingers.len();
        let along: usize = rows.all().map(|row| row.contacts.len()).sum();
        let contacts = spec.interactions.len() + along;
        if contacts + drives > MAX_CONTACTS {
            let message =
                format!("{contacts} contacts and {drives} driven ports, expected at most {MAX_CONTACTS} together");
            return Err(self.loaded.error_at("", "engine::too_many_contacts", message, "", None));
        }
        let mut score = Score::default();
        let mut names = Vec::new();
        let mut join = |on: End, name: String, law: Law, path: &str| {
            names.push((name.clone(), path.to_owned()));
            builder.contact(Contact::new(name, [on, End::Wall], law))
        };
        let port_end = |port: PortRef| end(self.ids, file::End::Port(port));
        for (port, constant, mut strokes) in self.forces {
            strokes.sort_by(|a, b| a.start.total_cmp(&b.start));
            let name = spec.port_name(port);
            let contact = join(port_end(port), format!("force on {name}"), Law::Force, &name);
            score.forces.push(ForceDrive { contact, constant, strokes });
        }
        for (finger, &body) in spec.fingers.iter().zip(&rows.finger_bodies) {
            let towards = match finger.side {
                file::Side::Above => -1.0,
                file::Side::Below => 1.0,
            };
            if let Some(&(_, first)) = finger.force.first() {
                // held before its first point too: a finger that is down from the start
                let mut points: Vec<_> = finger.force.iter().map(|&(t, force)| (t / self.clock.dt, force)).collect();
                points.insert(0, (f64::NEG_INFINITY, first));
                let contact = join(End::port(body, 0), format!("force on {}", finger.id), Law::Force, &finger.id);
                let stroke = Stroke { start: 0.0, amplitude: towards, shape: StrokeShape::Curve { points } };
                score.forces.push(ForceDrive { contact, constant: 0.0, strokes: vec![stroke] });
            }
        }
        score.gaps = rows.all().filter_map(|row| row.drive.clone()).collect();
        for (port, mut windows) in self.velocities {
            windows.sort_by_key(|(window, _)| window.start);
            for pair in windows.windows(2) {
                let [(a, i), (b, j)] = pair else { continue };
                if b.start < a.end {
                    let (one, two) = (&spec.gestures[*i].id, &spec.gestures[*j].id);
                    let message =
                        format!("`{one}` and `{two}` impose velocities on `{}` at the same time", spec.port_name(port));
                    let help = Some("let the first curve end before the second begins".to_owned());
                    return Err(self.loaded.error_at(two, "engine::conflict", message, "overlaps", help));
                }
            }
            let name = format!("velocity of {}", spec.port_name(port));
            let contact = join(port_end(port), name, Law::Velocity, &spec.gestures[windows[0].1].id);
            let windows = windows.into_iter().map(|(window, _)| window).collect();
            score.velocities.push(VelocityDrive { contact, windows });
        }
        self.settings.sort_by_key(|(setting, _)| setting.step);
        let (settings, origins) = self.settings.into_iter().unzip();
        score.settings = settings;
        Ok(Compiled { score, names, origins })
    }
}

/// Streams of random numbers from here on belong to scattered throws, those below to repetitions.
const SCATTER: u64 = 1 << 32;

/// When and how strongly a gesture happens: (s, factor). Random choices depend on the seed and the gesture only.
fn occurrences(seed: u64, index: usize, gesture: &file::Gesture) -> Vec<(f64, f64)> {
    let Some(repeat) = gesture.repeat else { return vec![(gesture.at_s, 1.0)] };
    let mut random = Pcg64::new(u128::from(seed), index as u128);
    // uniform in −1..1 with 53 bits
    let mut draw = || (random.next_u64() >> 11) as f64 / (1u64 << 52) as f64 - 1.0;
    (0..repeat.times)
        .map(|i| {
            let (shift, factor) = (repeat.jitter_s * draw(), 1.0 + repeat.vary * draw());
            ((gesture.at_s + repeat.every_s * f64::from(i) + shift).max(0.0), factor)
        })
        .collect()
}

/// Imposed velocities that fix the same motion: equal ones are superfluous, different ones cannot both hold.
pub(super) fn check_constraints(
    loaded: &Loaded,
    model: &Model,
    score: &Score,
    names: &[(String, String)],
    warnings: &mut Vec<Error>,
) -> Result<(), Error> {
    if score.velocities.len() < 2 {
        return Ok(());
    }
    let path_of = |name: &str| names.iter().find(|(n, _)| n == name).map_or("", |(_, path)| path.as_str());
    let mut starts: Vec<u64> =
        score.velocities.iter().flat_map(|drive| drive.windows.iter().map(|window| window.start)).collect();
    starts.sort_unstable();
    starts.dedup();
    for step in starts {
        let on: Vec<_> = score
            .velocities
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

/// A body can only be released from a shape it can be held in.
pub(super) fn check_deflections(loaded: &Loaded, model: &Model, score: &Score, origins: &[usize]) -> Result<(), Error> {
    let mut checked = Vec::new();
    for (setting, &origin) in score.settings.iter().zip(origins) {
        let SetAction::Deflect(deflection) = setting.action else { continue };
        if checked.contains(&origin) {
            continue;
        }
        checked.push(origin);
        if !State::new(model).deflect(model, setting.body, deflection) {
            let gesture = &loaded.spec.gestures[origin].id;
            let message = format!("`{gesture}`: `{}` cannot be held there", model.body_name(setting.body));
            let label = "nothing pulls this point back, or it does not move in this shape";
            return Err(loaded.error_at(gesture, "engine::no_restoring_force", message, label, None));
        }
    }
    Ok(())
}
