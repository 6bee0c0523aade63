//! The time step and the scheme that discretises all elements of a model.

/// Position of velocities and potentials on the time axis. See the design note on ports and laws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// Velocity at n − ½, potentials between n − 1 and n. Explicit grids, stability limits. [D21 §II.C.2]
    Leapfrog,
    /// Velocity and displacement at n, implicit midpoint rule. No stability limit. [CW14 eq. 22]
    Midpoint,
}

/// Time step and scheme, shared by all elements of a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clock {
    /// The scheme.
    pub scheme: Scheme,
    /// k, s
    pub dt: f64,
}

impl Clock {
    /// A clock that steps by `dt` seconds.
    pub fn new(scheme: Scheme, dt: f64) -> Self {
        Self { scheme, dt }
    }

    /// Time over which a displacement law takes its approach step, s: `s = span · w`.
    pub fn span(self) -> f64 {
        match self.scheme {
            Scheme::Midpoint => self.dt,
            Scheme::Leapfrog => 2.0 * self.dt,
        }
    }

    /// Advances one degree of freedom with mean velocity `mean`, m/s.
    #[inline(always)]
    pub(crate) fn advance(self, q: &mut f64, v: &mut f64, mean: f64) {
        *v = 2.0 * mean - *v;
        *q += self.dt
            * match self.scheme {
                Scheme::Midpoint => mean,
                Scheme::Leapfrog => *v,
            };
    }
}
