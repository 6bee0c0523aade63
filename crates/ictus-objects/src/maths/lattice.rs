//! The lowest values on a lattice of whole numbers, without visiting the rest.
//!
//! Best-first search: the value grows with every index, so the next lowest is always among the neighbours of those
//! already taken. A neighbour is reached by one way only: index i is raised only while all indices before it are at their start.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

struct Entry<const D: usize> {
    value: f64,
    index: [u32; D],
}

impl<const D: usize> Ord for Entry<D> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.value.total_cmp(&other.value).then(self.index.cmp(&other.index))
    }
}

impl<const D: usize> PartialOrd for Entry<D> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<const D: usize> PartialEq for Entry<D> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<const D: usize> Eq for Entry<D> {}

/// Up to `count` lowest lattice points from `first` on with value ≤ `limit`, in rising order. `value` must grow with every index.
pub(crate) fn lowest<const D: usize>(
    first: [u32; D],
    limit: f64,
    count: usize,
    mut value: impl FnMut([u32; D]) -> f64,
) -> Vec<([u32; D], f64)> {
    let mut heap = BinaryHeap::new();
    let mut found = Vec::new();
    heap.push(Reverse(Entry { value: value(first), index: first }));
    while let Some(Reverse(Entry { value: lowest, index })) = heap.pop() {
        // written so that not-a-number ends the search
        if found.len() == count || lowest.partial_cmp(&limit).is_none_or(Ordering::is_gt) {
            break;
        }
        found.push((index, lowest));
        for i in 0..D {
            let mut next = index;
            next[i] += 1;
            heap.push(Reverse(Entry { value: value(next), index: next }));
            if index[i] != first[i] {
                break;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_same_as_sorting_everything() {
        let value = |[i, j, k]: [u32; 3]| f64::from(i * i) + 2.3 * f64::from(j * j) + 0.7 * f64::from(k * k);
        let found = lowest([0, 0, 0], 1e9, 200, value);
        let mut all = Vec::new();
        for i in 0..40 {
            for j in 0..40 {
                for k in 0..40 {
                    all.push(value([i, j, k]));
                }
            }
        }
        all.sort_by(f64::total_cmp);
        let values: Vec<f64> = found.iter().map(|f| f.1).collect();
        assert_eq!(values, all[..200]);
        assert!(lowest([1, 1], 0.5, 9, |_| f64::NAN).is_empty());
    }
}
