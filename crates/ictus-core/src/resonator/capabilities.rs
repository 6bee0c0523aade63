//! What only some bodies can do, each a trait of its own, found through [`Resonator::capabilities`](super::Resonator::capabilities).

use super::surface::SurfaceShape;

/// The capabilities of a body: those that are `None` it does not have.
#[derive(Clone, Copy, Debug, Default)]
pub struct Capabilities<'a> {
    /// It can be thrown as a whole.
    pub throw: Option<&'a dyn Throw>,
    /// It takes impulses between two steps.
    pub kick: Option<&'a dyn Kick>,
    /// It can be displaced to a static shape and released.
    pub deflect: Option<&'a dyn Deflect>,
    /// Its tension can be changed while it moves.
    pub tighten: Option<&'a dyn Tighten>,
    /// Its displacement is known along a line or over a surface.
    pub shape: Option<&'a dyn Shape>,
}

/// A body that moves as a whole.
pub trait Throw: std::fmt::Debug {
    /// Sets the body in motion so that its free mean velocity over the next step is `velocity` (m/s), optionally from `position` (m).
    fn throw(&self, state: &mut [f64], velocity: f64, position: Option<f64>);
}

/// A body that takes an impulse at any of its ports between two steps.
pub trait Kick: std::fmt::Debug {
    /// Changes the velocities as an impulse (N s) at `port` does, Δv = M⁻¹ φ J; displacements stay. Works at every port, whether contacts touch it or not, and allocates nothing.
    ///
    /// M is the mass without the corrections that a scheme adds to it, so a string has the same Δv on its grid and in the modes of its grid. In leapfrog Δv is added
    /// to the velocity at n − ½. Without losses the next step then ends as under the force J/k during that step; losses make a difference of order k.
    fn kick(&self, state: &mut [f64], port: usize, impulse: f64);
}

/// A body that can be held in a shape and released.
pub trait Deflect: std::fmt::Debug {
    /// Displaces the body to a shape at rest. Returns false where the shape does not exist: no restoring force at the port.
    fn deflect(&self, state: &mut [f64], deflection: Deflection) -> bool;
}

/// A shape to which a body is displaced and from which it is released at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Deflection {
    /// The static shape under a point force at `port`, scaled so that the port is displaced by `displacement` (m).
    Static {
        /// Where the body is held.
        port: usize,
        /// Displacement there, m.
        displacement: f64,
    },
    /// The lowest mode with its largest displacement equal to `displacement` (m).
    Fundamental {
        /// Largest displacement, m.
        displacement: f64,
    },
}

/// A body with pedals: parts whose tension changes while they move.
pub trait Tighten: std::fmt::Debug {
    /// Pulls part `part` (a head of a drum) with `share`, above 0 and at most 1, of the tension it was built for. Returns false if that part has no
    /// tension or the share is out of range.
    fn tighten(&self, state: &mut [f64], part: usize, share: f64) -> bool;
}

/// A body whose displacement is known in more places than its ports.
pub trait Shape: std::fmt::Debug {
    /// Number of points of the grid along the body, both ends included; 0 for a body without such a grid.
    fn profile_len(&self) -> usize;

    /// Writes the displacement (m) along the body at even distances, both ends included, to as many points as `out` has; between the points of the grid along straight lines.
    /// Returns false, and writes nothing, for a body without such a grid or fewer than two points. Does not allocate. A body in the modes of its grid sums all of them at every
    /// point: hundreds of points on an audio thread take a noticeable part of a millisecond.
    fn profile_into(&self, state: &[f64], out: &mut [f64]) -> bool;

    /// The displacement at all points of the grid. Allocates.
    fn profile(&self, state: &[f64]) -> Option<Vec<f64>> {
        let mut out = vec![0.0; self.profile_len()];
        self.profile_into(state, &mut out).then_some(out)
    }

    /// Displacement over surface `which` of the body, for bodies on a grid in two dimensions.
    fn surface_shape<'a>(&'a self, _state: &'a [f64], _which: usize) -> Option<SurfaceShape<'a>> {
        None
    }
}

/// Writes `points` at even distances to `out` along straight lines, both ends included; false for fewer than two points of either.
pub(super) fn resample(points: &[f64], out: &mut [f64]) -> bool {
    if points.len() == out.len() && points.len() > 1 {
        out.copy_from_slice(points);
        return true;
    }
    interpolated(points.len(), out, |i| points[i])
}

/// As [`resample`], for `len` points given by a function.
pub(super) fn interpolated(len: usize, out: &mut [f64], point: impl Fn(usize) -> f64) -> bool {
    if len < 2 || out.len() < 2 {
        return false;
    }
    let (intervals, last) = (len - 1, out.len() - 1);
    for (n, out) in out.iter_mut().enumerate() {
        // exact where a point is met
        let (i, rest) = (n * intervals / last, n * intervals % last);
        *out = point(i);
        if rest != 0 {
            *out += (point(i + 1) - *out) * (rest as f64 / last as f64);
        }
    }
    true
}

/// A body whose mobility is not constant: it stiffens as it is bent, or has ports that move along it.
pub trait VaryingMobility: std::fmt::Debug {
    /// True if the body stiffens as it is bent: see [`stiffening`](Self::stiffening).
    fn stiffens(&self) -> bool {
        false
    }

    /// What the step just predicted takes from the mobility, Y(now) = Y − s sᵀ. Writes s at `ports`.
    fn stiffening(&self, _state: &[f64], _ports: &[usize], out: &mut [f64]) {
        out.fill(0.0);
    }

    /// True if the step just predicted pulls the body tighter than its grid or its modes resolve: it stays bounded, but its pitch is wrong.
    fn is_overstretched(&self, _state: &[f64]) -> bool {
        false
    }

    /// True for a port that can be moved along the body.
    fn is_movable(&self, _port: usize) -> bool {
        false
    }

    /// Moves a port to `place`, a fraction of its path. Ports that are not movable stay.
    fn move_port(&self, _state: &mut [f64], _port: usize, _place: f64) {}

    /// Y_pq with every port where it is now.
    fn mobility_now(&self, state: &[f64], p: usize, q: usize) -> f64;

    /// v̄ of a port over the step just taken, m/s.
    fn mean_velocity(&self, state: &[f64], port: usize) -> f64;
}
