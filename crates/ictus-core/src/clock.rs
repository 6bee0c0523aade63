//! The time step and the frame in which every element of one model is discretised.

/// Where velocities and potentials live on the time axis. See the design note on ports and laws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame {
    /// Velocity at n − ½, potentials between n − 1 and n. Explicit grids, stability limits. [D21 §II.C.2]
    Leapfrog,
    /// Velocity and displacement at n, implicit midpoint rule. No stability limit. [CW14 eq. 22]
    Midpoint,
}

/// Time step and frame, shared by all elements of a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clock {
    /// The frame.
    pub frame: Frame,
    /// k, s
    pub dt: f64,
}

impl Clock {
    /// A clock that steps by `dt` seconds.
    pub fn new(frame: Frame, dt: f64) -> Self {
        Self { frame, dt }
    }

    /// Time over which a displacement law sees its closing step: `s = span · w`.
    pub fn span(self) -> f64 {
        match self.frame {
            Frame::Midpoint => self.dt,
            Frame::Leapfrog => 2.0 * self.dt,
        }
    }

    /// Advances one degree of freedom with mean velocity `mean`.
    #[inline(always)]
    pub(crate) fn advance(self, q: &mut f64, v: &mut f64, mean: f64) {
        *v = 2.0 * mean - *v;
        *q += self.dt
            * match self.frame {
                Frame::Midpoint => mean,
                Frame::Leapfrog => *v,
            };
    }
}
