//! The shapes of modes at strikes and microphones.
//!
//! A recording tells the product of strike shape, microphone shape and 1/mass only: amplitude is shared evenly between the ports. Of several hits the best product
//! of strike and microphone shapes is taken: hits that differ in phase are only approximated.

use super::super::{Extraction, Mode};
use std::f64::consts::{LN_10, TAU};

/// Frequency at which the shapes of the velocity and the displacement port of a microphone weigh the same, Hz.
pub const REFERENCE_HZ: f64 = 1000.0;

/// The signed shapes of one mode.
pub struct Shapes {
    /// By hit.
    pub strikes: Vec<f64>,
    /// By microphone.
    pub velocity: Vec<f64>,
    /// By microphone.
    pub displacement: Vec<f64>,
}

impl Shapes {
    pub fn of(mode: &Mode, found: &Extraction) -> Self {
        let omega = TAU * mode.hz;
        let lag = 3.0 * LN_10 / mode.t60_s / omega; // α/ω
        let tilt = mode.hz / REFERENCE_HZ;
        // rows: hits; columns: velocity of every channel, then displacement
        let rows: Vec<Vec<f64>> = (mode.amplitudes.chunks(found.channels))
            .map(|a| {
                let turned = a.iter().map(|a| tilt * (a.re * lag - a.im));
                a.iter().map(|a| a.re).chain(turned).collect()
            })
            .collect();
        let (strikes, microphones) = product(&rows);
        let size = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
        // even shares
        let share = (size(&microphones) / size(&strikes).max(f64::MIN_POSITIVE)).sqrt().max(f64::MIN_POSITIVE);
        let (velocity, displacement) = microphones.split_at(found.channels);
        let heard = |x: &[f64]| x.iter().map(|x| x / share).collect();
        Self {
            strikes: strikes.iter().map(|s| s * share).collect(),
            velocity: heard(velocity),
            displacement: heard(displacement),
        }
    }
}

/// The best s·mᵀ for a matrix, by alternating least squares from the first row.
pub fn product(rows: &[Vec<f64>]) -> (Vec<f64>, Vec<f64>) {
    let energy = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().max(f64::MIN_POSITIVE);
    let mut right = rows[0].clone();
    let mut left = vec![1.0];
    for _ in 0..30 {
        let scale = energy(&right);
        left = rows.iter().map(|row| row.iter().zip(&right).map(|(a, b)| a * b).sum::<f64>() / scale).collect();
        let scale = energy(&left);
        right = (0..right.len()).map(|j| rows.iter().zip(&left).map(|(r, l)| r[j] * l).sum::<f64>() / scale).collect();
    }
    (left, right)
}
