//! Scenes: what a surface draws of a player.

use crate::patch::IctusPatch;
use crate::player::IctusPlayer;
use crate::text;
use ictus_engine::{ContactPlace, ContactState, Scene};
use std::ffi::{CString, c_char};
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What a player looks like at one time: shapes of strings and surfaces, motions of ports, contacts. One thread at a time.
#[derive(Debug)]
pub struct IctusScene {
    scene: Scene,
    strings: Vec<CString>,
    surfaces: Vec<CString>,
    contacts: Vec<CString>,
}

/// The shape of a string. What it points to belongs to the scene.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct IctusStringLine {
    /// Id in the file, UTF-8.
    pub id: *const c_char,
    /// Number of points; 0 for a string without a grid.
    pub count: usize,
    /// Distances of the points from the beginning of the string, m.
    pub positions_m: *const f64,
    /// Displacements of the points, m.
    pub displacements_m: *const f64,
    /// Number of barriers on it.
    pub barrier_count: usize,
}

/// The shape of a membrane or plate. What it points to belongs to the scene.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct IctusSurfaceMap {
    /// Id in the file, UTF-8; of a drum with its head.
    pub id: *const c_char,
    /// Points per row.
    pub columns: usize,
    /// Rows, from y = 0 on.
    pub rows: usize,
    /// Displacements, row by row, m; NaN outside a disc.
    pub displacements_m: *const f64,
}

/// A point of a barrier.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IctusBarrierPoint {
    /// Distance from the beginning of the string, m.
    pub position_m: f64,
    /// Height as it stands now, m.
    pub height_m: f64,
}

/// Where a port is and how it moves.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IctusPortMotion {
    /// m
    pub displacement_m: f64,
    /// m/s
    pub velocity_m_s: f64,
}

/// What two ends do to each other.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IctusContactState {
    /// No force.
    Apart = 0,
    /// A force between the ends.
    Pressing = 1,
    /// Friction that holds.
    Sticking = 2,
    /// Friction that slides.
    Sliding = 3,
}

/// A contact: of an interaction, or of a point of a barrier, a wire or a fingertip.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct IctusContactMotion {
    /// Id in the file of the interaction, barrier, wires or finger, UTF-8; belongs to the scene.
    pub id: *const c_char,
    /// What it does.
    pub state: IctusContactState,
    /// Force over the last step, N: positive pushes the ends apart; of friction, along the surfaces.
    pub force_n: f64,
    /// Normal force of friction, N; otherwise 0.
    pub normal_n: f64,
    /// Velocity at which the ends approach each other, m/s; of friction, at which they slip. 0 while apart.
    pub velocity_m_s: f64,
    /// Index of the string it is on, or SIZE_MAX.
    pub string: usize,
    /// Index of the surface it is on, or SIZE_MAX.
    pub surface: usize,
    /// Where on it: the distance from the beginning of the string, m, or x on the surface; NaN if on neither.
    pub x: f64,
    /// y on the surface, or NaN.
    pub y: f64,
}

/// Makes a scene of a patch, with everything at 0. Null for null.
///
/// Any thread but the audio thread. Allocates.
#[unsafe(no_mangle)]
pub extern "C" fn ictus_scene_new(patch: Option<&IctusPatch>) -> Option<Box<IctusScene>> {
    let patch = &patch?.patch;
    let make = || {
        Box::new(IctusScene {
            scene: Scene::new(patch),
            strings: patch.strings().iter().map(|view| text::to_c(&view.id)).collect(),
            surfaces: patch.surfaces().iter().map(|view| text::to_c(&view.id)).collect(),
            contacts: patch.contacts().iter().map(|view| text::to_c(&view.id)).collect(),
        })
    };
    catch_unwind(AssertUnwindSafe(make)).ok()
}

/// Frees a scene.
///
/// Any thread but the audio thread. Frees memory.
#[unsafe(no_mangle)]
pub extern "C" fn ictus_scene_free(scene: Option<Box<IctusScene>>) {
    drop(scene);
}

/// Fills a scene from a player. False, and nothing is written, if it is of another patch, or if one of the two is null.
///
/// The audio thread. Does not allocate. To draw on another thread, hand the scene over as you hand over other data; the library does not.
#[unsafe(no_mangle)]
pub extern "C" fn ictus_player_scene(player: Option<&IctusPlayer>, scene: Option<&mut IctusScene>) -> bool {
    let (Some(player), Some(scene)) = (player, scene) else { return false };
    player.player.scene(&mut scene.scene)
}

/// Frames that were played when the scene was filled; 0 for null.
///
/// The thread that uses the scene. Does not allocate.
#[unsafe(no_mangle)]
pub extern "C" fn ictus_scene_frame(scene: Option<&IctusScene>) -> u64 {
    scene.map_or(0, |scene| scene.scene.frame)
}

/// Writes `value` if there are both a value and a place for it.
fn give<T>(out: Option<&mut MaybeUninit<T>>, value: Option<T>) -> bool {
    let (Some(out), Some(value)) = (out, value) else { return false };
    out.write(value);
    true
}

/// Writes the shape of string `index` to `*line`. False, and nothing is written, if there is no such string; strings are counted from 0 without gaps.
///
/// The thread that uses the scene. Does not allocate.
#[unsafe(no_mangle)]
pub extern "C" fn ictus_scene_string(
    scene: Option<&IctusScene>,
    index: usize,
    line: Option<&mut MaybeUninit<IctusStringLine>>,
) -> bool {
    let found = scene.and_then(|scene| {
        let shape = scene.scene.strings.get(index)?;
        Some(IctusStringLine {
            id: text::at(&scene.strings, index),
            count: shape.positions_m.len(),
            positions_m: shape.positions_m.as_ptr(),
            displacements_m: shape.displacements_m.as_ptr(),
            barrier_count: shape.barriers_m.len(),
        })
    });
    give(line, found)
}

/// Writes point `point` of barrier `barrier` of string `string` to `*out`. False, and nothing is written, if there is no such point; all three are counted from 0 without gaps.
///
/// The thread that uses the scene. Does not allocate.
#[unsafe(no_mangle)]
pub extern "C" fn ictus_scene_barrier_point(
    scene: Option<&IctusScene>,
    string: usize,
    barrier: usize,
    point: usize,
    out: Option<&mut MaybeUninit<IctusBarrierPoint>>,
) -> bool {
    let found = scene.and_then(|scene| {
        let &(position_m, height_m) = scene.scene.strings.get(string)?.barriers_m.get(barrier)?.get(point)?;
        Some(IctusBarrierPoint { position_m, height_m })
    });
    give(out, found)
}

/// Writes the shape of surface `index` to `*map`. False, and nothing is written, if there is no such surface; surfaces are counted from 0 without gaps.
///
/// The thread that uses the scene. Does not allocate.
#[unsafe(no_mangle)]
pub extern "C" fn ictus_scene_surface(
    scene: Option<&IctusScene>,
    index: usize,
    map: Option<&mut MaybeUninit<IctusSurfaceMap>>,
) -> bool {
    let found = scene.and_then(|scene| {
        let shape = scene.scene.surfaces.get(index)?;
        Some(IctusSurfaceMap {
            id: text::at(&scene.surfaces, index),
            columns: shape.columns,
            rows: shape.rows,
            displacements_m: shape.displacements_m.as_ptr(),
        })
    });
    give(map, found)
}

/// Writes the motion of port `index`, as `ictus_patch_find_port` counts them, to `*motion`. False, and nothing is written, if there is no such port.
///
/// The thread that uses the scene. Does not allocate.
#[unsafe(no_mangle)]
pub extern "C" fn ictus_scene_port(
    scene: Option<&IctusScene>,
    index: usize,
    motion: Option<&mut MaybeUninit<IctusPortMotion>>,
) -> bool {
    let port = scene.and_then(|scene| scene.scene.ports.get(index));
    let found =
        port.map(|port| IctusPortMotion { displacement_m: port.displacement_m, velocity_m_s: port.velocity_m_s });
    give(motion, found)
}

/// Writes contact `index` to `*motion`. False, and nothing is written, if there is no such contact; contacts are counted from 0 without gaps.
///
/// The thread that uses the scene. Does not allocate.
#[unsafe(no_mangle)]
pub extern "C" fn ictus_scene_contact(
    scene: Option<&IctusScene>,
    index: usize,
    motion: Option<&mut MaybeUninit<IctusContactMotion>>,
) -> bool {
    let found = scene.and_then(|scene| {
        let contact = scene.scene.contacts.get(index)?;
        let (string, surface, [x, y]) = match scene.scene.patch().contacts().get(index)?.place {
            Some(ContactPlace::String { string, position_m }) => (string, usize::MAX, [position_m, f64::NAN]),
            Some(ContactPlace::Surface { surface, at }) => (usize::MAX, surface, at),
            None => (usize::MAX, usize::MAX, [f64::NAN; 2]),
        };
        Some(IctusContactMotion {
            id: text::at(&scene.contacts, index),
            state: match contact.state {
                ContactState::Apart => IctusContactState::Apart,
                ContactState::Pressing => IctusContactState::Pressing,
                ContactState::Sticking => IctusContactState::Sticking,
                ContactState::Sliding => IctusContactState::Sliding,
            },
            force_n: contact.force_n,
            normal_n: contact.normal_n,
            velocity_m_s: contact.velocity_m_s,
            string,
            surface,
            x,
            y,
        })
    });
    give(motion, found)
}
