//! What is done to a body on a grid in some steps at once, and what is seen of it there.

/// Most steps of a call.
pub const STEPS: usize = 64;
/// Most ports of each kind.
pub const PORTS: usize = 4;

/// All numbers lie step after step.
#[derive(Debug)]
pub struct Looks<'a, Spot> {
    /// How many steps, at most [`STEPS`].
    pub steps: usize,
    /// Where it is pushed; here and below at most [`PORTS`] places.
    pub pushed: &'a [Spot],
    /// Forces there.
    pub forces: &'a [f64],
    /// v̄ of a point per force on it.
    pub mobility: f64,
    /// Where v̄ is watched, as it would be without the push.
    pub watched: &'a [Spot],
    /// v̄ there.
    pub free: &'a mut [f64],
    /// Where v after the step is heard.
    pub heard: &'a [Spot],
    /// v there.
    pub velocities: &'a mut [f64],
    /// Where the shape after the step is asked for.
    pub placed: &'a [Spot],
    /// The shape so much earlier than ũ is meant, s.
    pub earlier: Option<f64>,
    /// The shape there.
    pub displacements: &'a mut [f64],
}
