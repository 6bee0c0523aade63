//! Knobs of the file, turned while the instrument sounds.
//!
//! A knob is live if everything that it drives is an input of the patch. Then turning it moves these inputs, to the very values that loading the file with that position gives. Any other
//! needs a patch of its own for every position.

use crate::signal::{InputId, Track};
use ictus_instrument as file;

/// A knob of a patch.
#[derive(Clone, Debug)]
pub struct Knob {
    /// What the file says of it.
    pub control: file::Control,
    /// The inputs that it moves, in the order of its maps; `None` if it drives something else too.
    inputs: Option<Vec<InputId>>,
}

impl Knob {
    pub(crate) fn new(control: &file::Control, tracks: &[Track]) -> Self {
        let input = |map: &file::Map| {
            let index = tracks.iter().position(|track| is_path_of(&map.to, &track.input))?;
            let track = &tracks[index];
            // the file may play it along a curve, which the knob would multiply
            let (low, high) = track.input.limits;
            let usable = |x: f64| map.value(x).is_some_and(|value| (low..=high).contains(&value));
            (track.curve.len() <= 1 && corners(&map.curve).into_iter().all(usable)).then_some(InputId(index))
        };
        Self { control: control.clone(), inputs: control.map.iter().map(input).collect() }
    }

    /// True if it can be turned while the instrument sounds.
    pub fn is_live(&self) -> bool {
        self.inputs.is_some()
    }

    /// The inputs that it moves and their values at `position`, 0 to 1; none unless it is live. Any thread; does not allocate.
    pub fn values(&self, position: f64) -> impl Iterator<Item = (InputId, f64)> + '_ {
        let inputs = self.inputs.iter().flatten().zip(&self.control.map);
        inputs.filter_map(move |(&input, map)| Some((input, map.value(position)?)))
    }

    /// The paths that it drives and that are not among those of the `inputs`.
    pub fn structural(&self, inputs: &[&str]) -> Vec<&str> {
        self.control.map.iter().map(|map| map.to.as_str()).filter(|to| !inputs.contains(to)).collect()
    }
}

/// True if a file may write the path of the input like that: what a gesture reads with its verb or without.
fn is_path_of(path: &str, input: &file::Input) -> bool {
    if path == input.path {
        return true;
    }
    let Some((gesture, key)) = input.path.rsplit_once('.') else { return false };
    matches!(input.kind, file::InputKind::Onset { .. })
        && ["throw", "pluck", "strike"].iter().any(|verb| path.strip_prefix(gesture) == Some(&format!(".{verb}.{key}")))
}

/// Positions at which a curve may have its lowest and highest value.
fn corners(curve: &file::Curve) -> Vec<f64> {
    match curve {
        file::Curve::Table(points) => points.iter().map(|point| point.0).collect(),
        _ => vec![0.0, 1.0],
    }
}
