//! What gestures read when they begin.

use serde::Serialize;

use super::{Action, Pluck, Strike};

/// A value of a gesture, named by its key in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum OnsetValue {
    /// Of a throw, m/s.
    Velocity,
    /// Of a pluck or a strike, N.
    Force,
    /// Of these, s.
    Duration,
    /// Of a strike, N s.
    Impulse,
    /// Of a pluck, m.
    Displacement,
}

impl OnsetValue {
    /// Key in the file.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            Self::Velocity => "velocity_m_s",
            Self::Force => "force_n",
            Self::Duration => "duration_s",
            Self::Impulse => "impulse_n_s",
            Self::Displacement => "displacement_m",
        }
    }

    /// Values that an event may ask for.
    #[must_use]
    pub fn limits(self) -> (f64, f64) {
        match self {
            Self::Duration => (1e-6, 3600.0),
            _ => (-1e6, 1e6),
        }
    }
}

impl Action {
    /// What it reads when it begins, with the values of the file.
    #[must_use]
    pub fn onsets(&self) -> Vec<(OnsetValue, f64)> {
        use OnsetValue as V;
        match *self {
            Self::Throw { velocity_m_s, .. } => vec![(V::Velocity, velocity_m_s)],
            Self::Pluck { how: Pluck::Force { force_n, duration_s }, .. } => {
                vec![(V::Force, force_n), (V::Duration, duration_s)]
            }
            Self::Pluck { how: Pluck::Displacement { displacement_m, .. }, .. } => {
                vec![(V::Displacement, displacement_m)]
            }
            Self::Strike { duration_s, amount: Strike::ForceN(force), .. } => {
                vec![(V::Force, force), (V::Duration, duration_s)]
            }
            Self::Strike { duration_s, amount: Strike::ImpulseNS(impulse), .. } => {
                vec![(V::Impulse, impulse), (V::Duration, duration_s)]
            }
            Self::Force { .. } | Self::Velocity { .. } | Self::Scatter { .. } => Vec::new(),
        }
    }

    /// Its verb in the file.
    #[must_use]
    pub fn verb(&self) -> &'static str {
        match self {
            Self::Throw { .. } => "throw",
            Self::Pluck { .. } => "pluck",
            Self::Strike { .. } => "strike",
            Self::Force { .. } => "force",
            Self::Velocity { .. } => "velocity",
            Self::Scatter { .. } => "scatter",
        }
    }
}
