//! Parts in which the modes of a bank are summed.

use super::FORESEEN;
use std::ops::Range;

/// Number of parts of a divided bank. Traversed in alternating direction, three of four parts stay in a cache that holds three; more parts would not reduce the numbers reloaded.
pub(super) const PARTS: usize = 4;
/// Largest undivided bank, in lane blocks: 30 kB, which fits the smallest first-level caches.
const WHOLE: usize = 96;

/// True if a bank of `eights` lane blocks is divided.
#[inline(always)]
pub fn is_parted(eights: usize) -> bool {
    eights > WHOLE
}

/// Number of parts of a bank of `eights` lane blocks.
#[inline(always)]
pub(super) fn parts(eights: usize) -> usize {
    if is_parted(eights) { PARTS } else { 1 }
}

/// Lane blocks of a part, counted from the first that is not foreseen. Foreseen blocks belong to the first part.
#[inline(always)]
pub(super) fn part(eights: usize, number: usize) -> Range<usize> {
    let others = eights.saturating_sub(FORESEEN);
    let size = others.div_ceil(parts(eights));
    (number * size).min(others)..((number + 1) * size).min(others)
}

/// True if a part other than the first begins with block `at`.
#[inline(always)]
pub(super) fn begins_part(eights: usize, at: usize) -> bool {
    is_parted(eights) && (1..PARTS).any(|number| FORESEEN + part(eights, number).start == at)
}
