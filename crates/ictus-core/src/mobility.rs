//! Mobilities of the touched ports of a body.

use crate::resonator::FastResonator;
use std::ops::Range;

/// A matrix that stores only the part of each row between its first and last non-zero: on a grid a port responds only to its neighbours.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mobility {
    /// Per row: the range of its non-zero columns, and the index of the first of them in `values`.
    rows: Vec<(Range<usize>, usize)>,
    values: Vec<f64>,
    /// Indices in `values` of ports that did not respond to each other when the model was built: contacts there may be solved apart.
    apart: Vec<usize>,
}

impl Mobility {
    pub fn new(resonator: &dyn FastResonator, ports: &[usize]) -> Self {
        let mut mobility = Self::default();
        for &p in ports {
            let row: Vec<f64> = ports.iter().map(|&q| resonator.mobility(p, q)).collect();
            let first = row.iter().position(|y| *y != 0.0).unwrap_or(0);
            let end = row.iter().rposition(|y| *y != 0.0).map_or(first, |last| last + 1);
            mobility.rows.push((first..end, mobility.values.len()));
            mobility.values.extend(&row[first..end]);
        }
        let values = mobility.values.iter().enumerate();
        mobility.apart = values.filter(|(_, y)| **y == 0.0).map(|(i, _)| i).collect();
        mobility
    }

    /// Computes the values anew. Does not allocate.
    pub fn update(&mut self, resonator: &dyn FastResonator, ports: &[usize]) {
        for (&p, (reach, start)) in ports.iter().zip(&self.rows) {
            for (value, &q) in self.values[*start..].iter_mut().zip(&ports[reach.clone()]) {
                *value = resonator.mobility(p, q);
            }
        }
    }

    /// True if ports that did not respond to each other when the model was built still do not, after an [update](Self::update).
    pub fn keeps_apart(&self, resonator: &dyn FastResonator, ports: &[usize]) -> bool {
        let silent = |(&p, (reach, _)): (&usize, &(Range<usize>, usize))| {
            let beyond = ports[..reach.start].iter().chain(&ports[reach.end..]);
            beyond.into_iter().all(|&q| resonator.mobility(p, q) == 0.0)
        };
        self.apart.iter().all(|&i| self.values[i] == 0.0) && ports.iter().zip(&self.rows).all(silent)
    }

    /// The range of the non-zero columns of a row, and their values.
    pub fn row(&self, row: usize) -> (Range<usize>, &[f64]) {
        let (reach, start) = &self.rows[row];
        (reach.clone(), &self.values[*start..*start + reach.len()])
    }

    pub fn at(&self, row: usize, column: usize) -> f64 {
        let (reach, values) = self.row(row);
        if reach.contains(&column) { values[column - reach.start] } else { 0.0 }
    }
}
