//! The phases of a compilation: plan what touches what, build the bodies, the laws, the rows of contacts, then what drives them.

use super::along::{BarrierPlan, FingerPlan};
use super::body::{self, BodyPlan, Findings, StringPlan, refuse};
use super::coefficients::{BodyDrive, LawDrive};
use super::gesture::{Drives, Gestures, ImpulseDrive};
use super::inputs::Inputs;
use super::law::{self, Built, LawPlan, Making};
use super::wires::WiresPlan;
use super::{ContactIds, MAX_CONTACTS, Site, StringView, SurfaceView, build_error, deflections};
use crate::cue::Cue;
use crate::drive::Drive;
use ictus_core::{BodyId, ContactId, Model, ModelBuilder};
use ictus_instrument as file;
use ictus_instrument::{Error, InputKind};

/// An instrument in the making.
pub(super) struct Compiler<'a> {
    pub site: Site<'a>,
    builder: ModelBuilder,
    /// One per resonator.
    pub bodies: Vec<Box<dyn BodyPlan + 'a>>,
    /// One per interaction.
    laws: Vec<Box<dyn LawPlan + 'a>>,
    barriers: Vec<BarrierPlan>,
    wires: Vec<WiresPlan>,
    pub fingers: Vec<FingerPlan>,
    /// Of the resonators, once they are built.
    pub ids: Vec<BodyId>,
    pub rows: ContactIds,
    /// What the player does with interactions.
    drives: Vec<Box<dyn Drive>>,
    /// Coefficients of their laws.
    coefficients: Vec<LawDrive>,
    pub inputs: Inputs,
    pub found: Findings,
}

impl<'a> Compiler<'a> {
    /// Plans every body, with the ports that its contacts need.
    pub fn plan(site: Site<'a>) -> Result<Self, Error> {
        let spec = &site.loaded.spec;
        check_number(site, "the file has", spec.interactions.len(), "interactions")?;
        let mut found = Findings::default();
        let bodies = spec.resonators.iter().map(|resonator| body::plan(site, resonator, &mut found.warnings));
        let mut bodies = bodies.collect::<Result<Vec<_>, _>>()?;
        let mut barriers = Vec::new();
        for barrier in &spec.barriers {
            barriers.push(BarrierPlan::new(site.loaded, barrier, string(&mut bodies, barrier.string))?);
        }
        let mut inputs = Inputs::new(site.clock, spec);
        let mut fingers = Vec::new();
        for (index, finger) in spec.fingers.iter().enumerate() {
            let string = string(&mut bodies, finger.string);
            let kind = InputKind::FingerPosition { finger: index };
            if let Some(input) = inputs.find(kind) {
                inputs.measure(input, string.parameters.length);
            }
            let range = spec.named_input(kind).map(|input| input.range);
            fingers.push(FingerPlan::new(site.loaded, finger, range, string)?);
        }
        let laws = law::plans(&spec.interactions, &inputs, &mut bodies);
        let rubbing = laws.iter().map(|law| law.rubbing_points()).sum();
        check_number(site, "the frictions have", rubbing, "points of contact")?;
        let mut wires = Vec::new();
        for row in &spec.wires {
            let surface = bodies[row.surface].as_surface().expect("wires lie over a surface on a grid");
            wires.push(WiresPlan::new(site.loaded, site.clock, row, surface)?);
        }
        Ok(Self {
            site,
            builder: ModelBuilder::new(site.clock),
            bodies,
            laws,
            barriers,
            wires,
            fingers,
            ids: Vec::new(),
            rows: ContactIds::default(),
            drives: Vec::new(),
            coefficients: Vec::new(),
            inputs,
            found,
        })
    }

    pub fn build_bodies(&mut self) -> Result<(), Error> {
        for (resonator, plan) in self.site.loaded.spec.resonators.iter().zip(&self.bodies) {
            let body = plan.build(self.site, &mut self.found)?;
            self.ids.push(self.builder.boxed_body(resonator.id.clone(), body));
        }
        Ok(())
    }

    pub fn build_laws(&mut self) -> Result<(), Error> {
        let mut built: Vec<Built> = Vec::new();
        for (index, law) in self.laws.iter().enumerate() {
            let Self { builder, ids, inputs, found: Findings { warnings, .. }, .. } = self;
            let next = law.build(self.site, &mut Making { builder, ids, inputs, earlier: &built, warnings })?;
            self.coefficients.extend(LawDrive::new(self.site, (index, &next.contacts), inputs));
            built.push(next);
        }
        for Built { contacts, drive } in built {
            self.rows.interactions.push(contacts);
            self.drives.extend(drive);
        }
        Ok(())
    }

    /// Barriers, wires and fingers.
    pub fn build_rows(&mut self) -> Result<(), Error> {
        let Self { site, builder, ids, rows, bodies, inputs, .. } = self;
        let Site { loaded, clock, .. } = *site;
        let spec = &loaded.spec;
        let find = |kind| inputs.find(kind).map(|input| (input, inputs.start(input)));
        for (index, (barrier, plan)) in spec.barriers.iter().zip(&self.barriers).enumerate() {
            let lift = find(InputKind::BarrierLift { barrier: index });
            rows.barriers.push(plan.build(clock, barrier, ids[barrier.string], lift, builder));
        }
        for (index, (wires, plan)) in spec.wires.iter().zip(&self.wires).enumerate() {
            let lift = find(InputKind::WiresLift { wires: index });
            rows.wires.push(plan.build(*site, wires, ids[wires.surface], lift, builder)?);
        }
        for (index, (finger, plan)) in spec.fingers.iter().zip(&self.fingers).enumerate() {
            let length = string(bodies, finger.string).parameters.length;
            let (body, row) = plan
                .build(
                    clock,
                    finger,
                    (ids[finger.string], length),
                    find(InputKind::FingerPosition { finger: index }),
                    builder,
                )
                .map_err(|error| refuse(loaded, &finger.id, &error))?;
            rows.fingers.push(row);
            rows.finger_bodies.push(body);
        }
        Ok(())
    }

    /// The model, what drives it, and what happens when, checked against each other.
    pub fn finish(&mut self) -> Result<Finished, Error> {
        let Self { site, ids, rows, inputs, found: Findings { warnings, banks }, .. } = self;
        let site = *site;
        let mut gestures = Gestures::new(site, ids);
        let mut builder = std::mem::replace(&mut self.builder, ModelBuilder::new(site.clock));
        let Drives { forces, velocities } = gestures.drives(&mut builder, (inputs, rows))?;
        let model = builder.build().map_err(|error| build_error(site.loaded, &gestures.names, &error))?;
        gestures.check_constraints(&model, warnings)?;
        deflections::check(site.loaded, &model, &gestures.settings, rows, warnings)?;
        let cues = gestures.cues(&forces, 0);
        let driven: Vec<_> = forces.iter().map(|drive| drive.on).collect();
        let impulses = ImpulseDrive::new(inputs, ids, &driven, site.clock.dt);
        let mut drives: Vec<Box<dyn Drive>> = Vec::new();
        drives.extend(forces.into_iter().map(|drive| Box::new(drive) as Box<dyn Drive>));
        let bodies = self.bodies.iter().zip(ids.iter()).enumerate();
        drives.extend(bodies.flat_map(|(index, (plan, &body))| plan.drives(inputs, (index, body))));
        drives.extend(rows.all().filter_map(|row| Some(Box::new(row.drive.clone()?) as Box<dyn Drive>)));
        drives.append(&mut self.drives);
        drives.extend(velocities);
        let laws = self.coefficients.drain(..).map(|drive| Box::new(drive) as Box<dyn Drive>);
        drives.extend(laws);
        drives.extend(BodyDrive::all(site, ids, (inputs, banks)));
        // gestures without a contact of their own look for the drive of impulses at the end
        drives.push(Box::new(impulses));
        Ok(Finished { model, drives, cues, driven })
    }

    pub fn string_views(&mut self) -> Vec<StringView> {
        let spec = &self.site.loaded.spec;
        let mut views = Vec::new();
        for (index, resonator) in spec.resonators.iter().enumerate() {
            let Some(string) = self.bodies[index].as_string() else { continue };
            let length = string.parameters.length;
            let rows = spec.barriers.iter().zip(&self.barriers).zip(&self.rows.barriers);
            let on_it = rows.filter(|((barrier, _), _)| barrier.string == index);
            let (barriers, barrier_contacts) =
                on_it.map(|((barrier, plan), row)| (plan.outline(barrier, length), row.contacts.clone())).unzip();
            views.push(StringView {
                id: resonator.id.clone(),
                body: self.ids[index],
                length,
                barriers,
                barrier_contacts,
            });
        }
        views
    }

    pub fn surface_views(&mut self) -> Vec<SurfaceView> {
        let spec = &self.site.loaded.spec;
        let ends = spec.interactions.iter().zip(&self.rows.interactions).flat_map(|(interaction, contacts)| {
            interaction.between.into_iter().filter_map(|end| match end {
                file::End::Port(port) => Some((port.resonator, port.port, contacts[0])),
                file::End::Wall => None,
            })
        });
        let wires = self.wires.iter().zip(&self.rows.wires).flat_map(|(plan, row)| plan.touched(row));
        let touched: Vec<(usize, usize, ContactId)> = ends.chain(wires).collect();
        let mut views = Vec::new();
        for (index, body) in self.bodies.iter_mut().enumerate() {
            let Some(surface) = body.as_surface() else { continue };
            let here = touched.iter().filter(|(resonator, ..)| *resonator == index);
            let here: Vec<(usize, ContactId)> = here.map(|&(_, port, contact)| (port, contact)).collect();
            views.extend(surface.views(self.ids[index], &here));
        }
        views
    }
}

/// A compiled file.
pub(super) struct Finished {
    pub model: Model,
    /// In the order in which they act: those of forces first, that of impulses last.
    pub drives: Vec<Box<dyn Drive>>,
    /// Sorted by step.
    pub cues: Vec<Cue>,
    /// Body and port of each force drive.
    pub driven: Vec<(BodyId, usize)>,
}

/// The string of that index, which the file's rules have made sure of.
fn string<'b, 'a>(bodies: &'b mut [Box<dyn BodyPlan + 'a>], index: usize) -> &'b mut StringPlan {
    bodies[index].as_string().expect("a barrier lies on a string")
}

fn check_number(site: Site, who: &str, number: usize, what: &str) -> Result<(), Error> {
    if number <= MAX_CONTACTS {
        return Ok(());
    }
    let message = format!("{who} {number} {what}, expected at most {MAX_CONTACTS}");
    Err(site.loaded.error_at("", "engine::too_many_contacts", message, "", None))
}
