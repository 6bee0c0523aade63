//! The machine itself.

use super::Case;
use crate::line::Line;
use crate::measure::repeated;
use crate::probe::{Loads, Operations, clock_ghz};

pub(super) fn cases() -> [Case; 3] {
    [
        Case::new("clock", |name, meter| Ok(vec![Line::new(name, clock_ghz(meter), "GHz")])),
        Case::new("loads from the nearest cache", |name, meter| {
            let loads = Loads::fastest();
            let time = meter.time(&mut repeated(|| loads.run()));
            Ok(vec![Line::new(name, Loads::BYTES / time, "GB/s")])
        }),
        Case::new("products and sums", |name, meter| {
            let operations = Operations::fastest();
            let time = meter.time(&mut repeated(|| operations.run()));
            Ok(vec![Line::new(name, operations.count() / time, "Gflop/s")])
        }),
    ]
}
