//! Coefficients of strings and surfaces on grids: motion of a point and energy of the body. L stands for δ² along a string and for the
//! Laplacian of a surface, times h².

/// Coefficients of one point's motion, each multiplied by its mobility.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// Of Lu.
    pub tension: f64,
    /// Of −LLu.
    pub bending: f64,
    /// Of Lv.
    pub diffusion: f64,
    /// Of −v.
    pub drag: f64,
}

/// Energy coefficients of a body.
#[derive(Clone, Copy, Debug)]
pub struct Stores {
    /// m of a whole point, kg.
    pub mass: f64,
    /// T/h of a string, T of a surface, N/m.
    pub tension: f64,
    /// EI/h³ of a string, D/h² of a surface, N/m.
    pub bending: f64,
    /// Correction for losses discretised explicitly, kg.
    pub diffusion: f64,
    /// The elastic energy is taken between u and u − back·v, s.
    pub back: f64,
}

impl Stores {
    /// u(u − back·v).
    #[inline(always)]
    pub fn between(&self, u: f64, v: f64) -> f64 {
        u * (u - self.back * v)
    }

    /// Twice the energy of one interval: tension less the explicit loss.
    #[inline(always)]
    pub fn interval(&self, du: f64, dv: f64) -> f64 {
        self.tension * self.between(du, dv) - self.diffusion * dv * dv
    }
}

/// v ← 2v̄ − v, u ← u + k v: the leapfrog update of a point, for tests that compose a step of separate passes.
#[cfg(test)]
pub(crate) fn advance_leapfrog(u: &mut [f64], v: &mut [f64], mean: &[f64], k: f64) {
    for ((u, v), &mean) in u.iter_mut().zip(v).zip(mean) {
        *v = 2.0 * mean - *v;
        *u += k * *v;
    }
}
