//! Clones that reuse the memory of their target, so that a snapshot can be taken and restored where nothing may be allocated.

use std::ops::{Deref, DerefMut};

/// Implements `Clone` for a struct field by field, with a `clone_from` that lets every field keep its memory, which the derived one would not; and [`Persist`](crate::Persist).
#[macro_export]
macro_rules! clone_in_place {
    ($type:ident { $($field:ident),+ $(,)? }) => {
        impl Clone for $type {
            fn clone(&self) -> Self {
                Self { $($field: self.$field.clone()),+ }
            }

            fn clone_from(&mut self, source: &Self) {
                $(self.$field.clone_from(&source.$field);)+
            }
        }

        $crate::persist!($type { $($field),+ });
    };
}

/// A vector whose clones have its capacity: what was reserved once is never allocated while a clone plays.
#[derive(Debug, Default)]
pub struct Reserved<T>(Vec<T>);

impl<T> Reserved<T> {
    /// Empty, with space for `most` elements.
    pub fn new(most: usize) -> Self {
        Self(Vec::with_capacity(most))
    }

    /// Appends an element if there is space for it.
    pub fn try_push(&mut self, element: T) -> bool {
        let fits = self.0.len() < self.0.capacity();
        if fits {
            self.0.push(element);
        }
        fits
    }
}

impl<T: Clone> Clone for Reserved<T> {
    fn clone(&self) -> Self {
        let mut elements = Vec::with_capacity(self.0.capacity());
        elements.extend_from_slice(&self.0);
        Self(elements)
    }

    fn clone_from(&mut self, source: &Self) {
        self.0.clear();
        self.0.extend_from_slice(&source.0);
    }
}

impl<T> Deref for Reserved<T> {
    type Target = Vec<T>;

    fn deref(&self) -> &Vec<T> {
        &self.0
    }
}

impl<T> DerefMut for Reserved<T> {
    fn deref_mut(&mut self) -> &mut Vec<T> {
        &mut self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_keep_what_was_reserved() {
        let mut list = Reserved::new(3);
        assert!(list.try_push(1) && list.try_push(2));
        let mut copy = list.clone();
        assert!(copy.try_push(3) && !copy.try_push(4));
        let place = copy.as_ptr();
        copy.clone_from(&list);
        assert_eq!((&**copy, copy.as_ptr()), (&[1, 2][..], place));
    }
}
