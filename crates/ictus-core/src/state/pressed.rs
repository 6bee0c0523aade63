//! Ports under a force in a step, so that bodies read these only.

use crate::model::Body;
use std::ops::Range;

/// Most ports of a body that are checked one by one; of more, the marked bits are searched.
const FEW_PORTS: usize = 4;

/// The ports with a force in this step.
#[derive(Debug)]
pub(crate) struct Pressed {
    /// One bit per touched port of the model.
    bits: Vec<u64>,
    rows: Vec<usize>,
    ports: Vec<usize>,
    forces: Vec<f64>,
}

clone_in_place!(Pressed { bits, rows, ports, forces });

impl Pressed {
    pub fn new(slots: usize, max_ports: usize) -> Self {
        Self {
            bits: vec![0; slots.div_ceil(64)],
            rows: vec![0; max_ports],
            ports: vec![0; max_ports],
            forces: vec![0.0; max_ports],
        }
    }

    #[inline]
    pub fn mark(&mut self, slot: usize) {
        self.bits[slot / 64] |= 1 << (slot % 64);
    }

    /// Calls `release` for every marked port, and clears the marks.
    pub fn release(&mut self, mut release: impl FnMut(usize)) {
        for (word, bits) in self.bits.iter_mut().enumerate() {
            let mut left = std::mem::take(bits);
            while left != 0 {
                release(64 * word + left.trailing_zeros() as usize);
                left &= left - 1;
            }
        }
    }

    /// The ports of a body with a force, in order: rows, ports and forces.
    pub fn gather(&mut self, body: &Body, forces: &[f64]) -> (&[usize], &[usize], &[f64]) {
        let Range { start, end } = body.slots;
        let mut count = 0;
        let mut take = |slot: usize| {
            if forces[slot] != 0.0 {
                let row = slot - start;
                (self.rows[count], self.ports[count], self.forces[count]) = (row, body.touched[row], forces[slot]);
                count += 1;
            }
        };
        if end - start <= FEW_PORTS {
            (start..end).for_each(take);
        } else {
            for word in start / 64..end.div_ceil(64) {
                let mut left = self.bits[word];
                left &= u64::MAX << (start.saturating_sub(64 * word)).min(63);
                if 64 * (word + 1) > end {
                    left &= (1 << (end % 64)) - 1;
                }
                while left != 0 {
                    take(64 * word + left.trailing_zeros() as usize);
                    left &= left - 1;
                }
            }
        }
        (&self.rows[..count], &self.ports[..count], &self.forces[..count])
    }
}
