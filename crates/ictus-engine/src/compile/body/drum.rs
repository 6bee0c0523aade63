//! Drums: heads on a shell with air between them, and the pedal that tunes one.

use super::grid::{Sheet, SurfacePlan};
use crate::compile::Site;
use crate::drive::{Drive, Hand, Stage};
use crate::signal::InputId;
use ictus_core::{Air, BodyId};
use ictus_instrument as file;
use ictus_instrument::Error;
use ictus_objects::Shape;
use std::f64::consts::{LN_10, PI};

/// The plan of a drum.
pub(super) fn plan(site: Site, id: &str, drum: &file::Drum) -> Result<SurfacePlan, Error> {
    let mut plan = SurfacePlan::new(id);
    let area = PI * drum.radius_m * drum.radius_m;
    let air = Air {
        volume: area * drum.depth_m,
        depth: drum.depth_m,
        cells: drum.air_cells,
        damping: 3.0 * LN_10 / drum.air_decay_s,
    };
    let densities = drum.heads.iter().map(|head| (area, head.material.density_kg_m3 * head.thickness_m));
    // a little more than the heads will say: their staircases differ from the disc
    let share = 1.1 * air.share(site.clock.dt, densities);
    for (index, head) in drum.heads.iter().enumerate() {
        let shape = Shape::CircularMembrane {
            radius_m: drum.radius_m,
            thickness_m: head.thickness_m,
            tension_n_m: head.tension_n_m.unwrap_or(1.0),
        };
        let highest = head.pedal.iter().map(|&(_, factor)| factor).reduce(f64::max);
        if highest.is_some() {
            plan.pedals.push(index);
        }
        let sheet = Sheet {
            shape: &shape,
            material: &head.material,
            pitch: head.frequency_hz,
            decay: head.decay,
            highest: highest.unwrap_or(1.0),
        };
        plan.head(site, &sheet, head.points, share, &format!(".heads[{index}]"))?;
        plan.names.push(format!("{id}.{}", head.name));
    }
    plan.air = Some(air);
    plan.add_ports(&drum.ports);
    Ok(plan)
}

/// One head whose pitch an input moves.
#[derive(Clone, Debug)]
pub(super) struct PedalDrive {
    pub body: BodyId,
    pub head: usize,
    /// Pitch as a share of the highest.
    pub pitch: InputId,
    /// The share that the head has at the start; not a number where that is to be set.
    pub built: f64,
}

impl Drive for PedalDrive {
    fn inputs(&self) -> Vec<InputId> {
        vec![self.pitch]
    }

    fn hand(&self) -> Hand {
        Hand::at([self.built, 0.0])
    }

    /// Pulls the head as it is pulled at the end of the step, if that changes in it.
    fn play(&self, hand: &mut Hand, stage: &mut Stage) -> f64 {
        let pitch = stage.signals.at(self.pitch, stage.next());
        if std::mem::replace(&mut hand.applied[0], pitch) != pitch {
            // a membrane's pitch goes with the root of its tension
            stage.state.tighten(stage.model, self.body, self.head, pitch * pitch);
        }
        stage.signals.still_until(self.pitch, stage.next())
    }
}
