//! Scenes: what a surface draws of a player, read without allocation and handed to another thread without waiting.

mod hand_over;

use crate::compile::{ContactView, SurfaceView};
use crate::meter::{Level, Meter};
use crate::patch::Patch;
use hand_over::{Receiver, Sender, hand_over};
use ictus_core::{End, Model, Rubbing, State};
use std::ops::Deref;
use std::sync::Arc;

/// Most points of a string's line.
const LINE: usize = 129;
/// Points along the longer side of a surface.
const SIDE: usize = 64;
/// Fewest points along its shorter side.
const NARROW: usize = 8;

/// What a player looks like at one time. [`Scene::new`] allocates it, [`Player::scene`](crate::Player::scene) fills it.
#[derive(Clone, Debug)]
pub struct Scene {
    patch: Patch,
    /// Frames played.
    pub frame: u64,
    /// The same in seconds.
    pub time_s: f64,
    /// Levels and energies.
    pub meter: Meter,
    /// Levels of the taps, in the order of [`Patch::tap_names`].
    pub taps: Vec<Level>,
    /// In the order of [`Patch::strings`].
    pub strings: Vec<StringLine>,
    /// In the order of [`Patch::surfaces`].
    pub surfaces: Vec<SurfaceMap>,
    /// In the order of [`Patch::ports`]: masses, ports of modal bodies, strings and surfaces.
    pub ports: Vec<PortMotion>,
    /// In the order of [`Patch::contacts`].
    pub contacts: Vec<ContactMotion>,
    /// In the order of the model's bodies, [`Model::body_name`](ictus_core::Model::body_name): stopped because its state was not finite.
    pub quarantined: Vec<bool>,
}

/// The shape of a string.
#[derive(Clone, Debug, PartialEq)]
pub struct StringLine {
    /// Where the points lie on the string, m; even distances, both ends included. Empty for a string without a grid.
    pub positions_m: Vec<f64>,
    /// Displacements of the points, m.
    pub displacements_m: Vec<f64>,
    /// Barriers on it, where they stand now, each a list of (position, height), m.
    pub barriers_m: Vec<Vec<(f64, f64)>>,
}

/// The shape of a membrane or plate, as a raster.
#[derive(Clone, Debug, PartialEq)]
pub struct SurfaceMap {
    /// Points per row.
    pub columns: usize,
    /// Rows, from y = 0 on.
    pub rows: usize,
    /// Displacements of the centres of even cells, row by row, m; NaN outside a disc.
    pub displacements_m: Vec<f64>,
}

/// Where a port is and how it moves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PortMotion {
    /// m
    pub displacement_m: f64,
    /// m/s, half a step back in leapfrog.
    pub velocity_m_s: f64,
}

/// What a contact does.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactMotion {
    /// What it does.
    pub state: ContactState,
    /// Force over the last step, N: positive pushes the ends apart; of friction, along the surfaces, against the motion.
    pub force_n: f64,
    /// Normal force of friction, N; otherwise 0.
    pub normal_n: f64,
    /// Velocity at which the ends approach each other, m/s; of friction, at which they slip. 0 while apart.
    pub velocity_m_s: f64,
}

/// What two ends do to each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ContactState {
    /// No force.
    #[default]
    Apart,
    /// A force between the ends: collisions, felts, springs, adherences.
    Pressing,
    /// Friction that holds.
    Sticking,
    /// Friction that slides.
    Sliding,
}

impl Scene {
    /// A scene of a patch, with everything at 0. Any thread but the audio thread; allocates.
    pub fn new(patch: &Patch) -> Self {
        let compiled = &*patch.0;
        Self {
            patch: patch.clone(),
            frame: 0,
            time_s: 0.0,
            meter: Meter::default(),
            taps: vec![Level::default(); compiled.taps.len()],
            strings: patch
                .strings()
                .iter()
                .map(|view| {
                    StringLine::new(compiled.model.profile_len(view.body).min(LINE), view.length, &view.barriers)
                })
                .collect(),
            surfaces: patch.surfaces().iter().map(SurfaceMap::new).collect(),
            ports: vec![PortMotion::default(); compiled.ports.len()],
            contacts: vec![ContactMotion::default(); compiled.contacts.len()],
            quarantined: vec![false; compiled.model.body_count()],
        }
    }

    /// True if it is of that patch. Any thread; does not allocate.
    pub fn is_of(&self, patch: &Patch) -> bool {
        Arc::ptr_eq(&self.patch.0, &patch.0)
    }

    /// The patch of which it is.
    pub fn patch(&self) -> &Patch {
        &self.patch
    }

    /// Reads everything but levels and energies from a state of the same patch.
    pub(crate) fn read(&mut self, model: &Model, state: &State, frame: u64) {
        let compiled = &*self.patch.0;
        self.frame = frame;
        self.time_s = frame as f64 / f64::from(compiled.sample_rate);
        for (line, view) in self.strings.iter_mut().zip(&compiled.strings) {
            state.profile_into(model, view.body, &mut line.displacements_m);
            let contacts = view.barrier_contacts.iter().flatten();
            for ((_, height), &contact) in line.barriers_m.iter_mut().flatten().zip(contacts) {
                let gap = state.contact_gap(contact);
                // below the string the barrier is end A, the wall
                *height = if model.contact_ends(contact)[0] == End::Wall { -gap } else { gap };
            }
        }
        for (map, view) in self.surfaces.iter_mut().zip(&compiled.surfaces) {
            map.read(view, model, state);
        }
        for (motion, port) in self.ports.iter_mut().zip(&compiled.ports) {
            *motion = PortMotion {
                displacement_m: state.displacement(model, port.body, port.port),
                velocity_m_s: state.velocity(model, port.body, port.port),
            };
        }
        for (motion, view) in self.contacts.iter_mut().zip(&compiled.contacts) {
            *motion = ContactMotion::read(view, model, state);
        }
        for (quarantined, body) in self.quarantined.iter_mut().zip(model.body_ids()) {
            *quarantined = state.is_quarantined(body);
        }
    }
}

impl StringLine {
    fn new(points: usize, length: f64, barriers: &[Vec<(f64, f64)>]) -> Self {
        let last = points.saturating_sub(1).max(1) as f64;
        Self {
            positions_m: (0..points).map(|i| length * (i as f64 / last)).collect(),
            displacements_m: vec![0.0; points],
            barriers_m: barriers.to_vec(),
        }
    }
}

impl SurfaceMap {
    fn new(view: &SurfaceView) -> Self {
        let [width, height] = view.sides;
        let count = |share: f64| ((SIDE as f64 * share).round() as usize).clamp(NARROW, SIDE);
        let (columns, rows) = (count(width / height), count(height / width));
        Self { columns, rows, displacements_m: vec![0.0; columns * rows] }
    }

    fn read(&mut self, view: &SurfaceView, model: &Model, state: &State) {
        let Some(shape) = state.surface_shape(model, view.body, view.which) else { return };
        for (row, values) in self.displacements_m.chunks_exact_mut(self.columns).enumerate() {
            let v = (row as f64 + 0.5) / self.rows as f64;
            for (column, value) in values.iter_mut().enumerate() {
                let u = (column as f64 + 0.5) / self.columns as f64;
                let at = if view.round { [2.0 * u - 1.0, 2.0 * v - 1.0] } else { [u, v] };
                let outside = view.round && at[0] * at[0] + at[1] * at[1] > 1.0;
                *value = if outside { f64::NAN } else { shape.read(at) };
            }
        }
    }
}

impl ContactMotion {
    fn read(view: &ContactView, model: &Model, state: &State) -> Self {
        let contact = view.contact;
        let force_n = state.contact_force(contact);
        match state.rubbing(model, contact) {
            Some(Rubbing { normal, slip, slides }) if normal > 0.0 => {
                let state = if slides { ContactState::Sliding } else { ContactState::Sticking };
                Self { state, force_n, normal_n: normal, velocity_m_s: slip }
            }
            None if force_n != 0.0 => Self {
                state: ContactState::Pressing,
                force_n,
                normal_n: 0.0,
                velocity_m_s: state.approach(model, contact),
            },
            _ => Self::default(),
        }
    }
}

/// The end of a hand-over of scenes that the audio thread holds; see [`scenes`].
#[derive(Debug)]
pub struct SceneSender {
    sender: Sender<Scene>,
    /// Frames between two scenes.
    interval: u64,
    /// Frame from which the next one is due.
    due: u64,
}

/// The end of a hand-over of scenes that a surface holds; see [`scenes`].
#[derive(Debug)]
pub struct SceneReceiver(Receiver<Scene>);

/// A hand-over of scenes from the audio thread to another one, at most `per_second` of them a second (at least one per second, at most one per frame). Neither thread ever waits for the other; the receiver always gets
/// the newest. Any thread but the audio thread; allocates.
pub fn scenes(patch: &Patch, per_second: f64) -> (SceneSender, SceneReceiver) {
    let interval = (f64::from(patch.sample_rate()) / per_second.max(1.0)).max(1.0) as u64;
    let (sender, receiver) = hand_over(&Scene::new(patch));
    (SceneSender { sender, interval, due: 0 }, SceneReceiver(receiver))
}

impl SceneSender {
    /// Fills and sends a scene if one is due at `frame`.
    pub(crate) fn send(&mut self, frame: u64, fill: impl FnOnce(&mut Scene) -> bool) -> bool {
        // a clock that was turned back is no reason to wait
        if frame < self.due && self.due - frame <= self.interval {
            return false;
        }
        // even on average, but never two for one that was late
        let late = frame.saturating_sub(self.due);
        let next = if late < self.interval { self.due } else { frame };
        self.due = next.saturating_add(self.interval);
        self.sender.send(fill)
    }
}

impl SceneReceiver {
    /// The newest scene, and whether it is another one than last time. The surface's thread; does not wait and does not allocate.
    pub fn latest(&mut self) -> (impl Deref<Target = Scene> + '_, bool) {
        self.0.latest()
    }
}
