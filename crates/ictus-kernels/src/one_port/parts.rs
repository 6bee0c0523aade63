//! In which parts the modes of a bank are summed up.

use super::FORESEEN;
use std::ops::Range;

/// Most parts. Of four, gone through to and fro, all but one stay in a cache that holds three; of more, as many numbers would be read anew.
pub(super) const PARTS: usize = 4;
/// Most eights of a bank that is not divided: 30 kB, as much as fits into the smallest caches.
const WHOLE: usize = 96;

/// Whether a bank of so many eights is divided.
#[inline(always)]
pub fn is_parted(eights: usize) -> bool {
    eights > WHOLE
}

/// How many parts a bank of so many eights has.
#[inline(always)]
pub(super) fn parts(eights: usize) -> usize {
    if is_parted(eights) { PARTS } else { 1 }
}

/// The eights of a part, counted from the first one that is not foreseen. Those foreseen belong to the first part.
#[inline(always)]
pub(super) fn part(eights: usize, number: usize) -> Range<usize> {
    let others = eights.saturating_sub(FORESEEN);
    let size = others.div_ceil(parts(eights));
    (number * size).min(others)..((number + 1) * size).min(others)
}

/// Whether a part that is not the first begins with the eight `at`.
#[inline(always)]
pub(super) fn begins_part(eights: usize, at: usize) -> bool {
    is_parted(eights) && (1..PARTS).any(|number| FORESEEN + part(eights, number).start == at)
}
