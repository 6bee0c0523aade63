//! A triple buffer: the newest value goes from one thread to another, and neither waits.
//!
//! Of three slots the sender owns one, the receiver another; the third holds what was sent last. To send and to receive is to exchange one's own slot for the third, by one atomic
//! exchange of its number. A slot thus has one owner at a time, so its lock is always free: it proves that to the compiler, and taking it is one atomic operation.

use std::ops::Deref;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

/// Added to the number of the third slot if the receiver has not taken it.
const FRESH: usize = 4;
/// The number of a slot.
const NUMBER: usize = 3;

#[derive(Debug)]
struct Shared<T> {
    slots: [Mutex<T>; 3],
    /// Number of the third slot.
    third: AtomicUsize,
}

/// The end that sends.
#[derive(Debug)]
pub(super) struct Sender<T> {
    shared: Arc<Shared<T>>,
    own: usize,
}

/// The end that receives.
#[derive(Debug)]
pub(super) struct Receiver<T> {
    shared: Arc<Shared<T>>,
    own: usize,
}

/// Both ends, each with copies of `value`. Allocates.
pub(super) fn hand_over<T: Clone>(value: &T) -> (Sender<T>, Receiver<T>) {
    let slots = [(); 3].map(|()| Mutex::new(value.clone()));
    let shared = Arc::new(Shared { slots, third: AtomicUsize::new(1) });
    (Sender { shared: shared.clone(), own: 0 }, Receiver { shared, own: 2 })
}

impl<T> Shared<T> {
    /// A slot, by its owner.
    fn slot(&self, number: usize) -> Option<MutexGuard<'_, T>> {
        match self.slots[number].try_lock() {
            Ok(slot) => Some(slot),
            // a panic while it was read has not changed it
            Err(TryLockError::Poisoned(slot)) => Some(slot.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }
}

impl<T> Sender<T> {
    /// Lets `fill` write a value over an old one, and sends it if it says so. Does not wait or allocate.
    pub fn send(&mut self, fill: impl FnOnce(&mut T) -> bool) -> bool {
        let filled = self.shared.slot(self.own).is_some_and(|mut slot| fill(&mut slot));
        if filled {
            self.own = self.shared.third.swap(self.own | FRESH, Ordering::AcqRel) & NUMBER;
        }
        filled
    }
}

impl<T> Receiver<T> {
    /// The value sent last, and whether it is new. Does not wait or allocate.
    pub fn latest(&mut self) -> (impl Deref<Target = T> + '_, bool) {
        let fresh = self.shared.third.load(Ordering::Relaxed) & FRESH != 0;
        if fresh {
            self.own = self.shared.third.swap(self.own, Ordering::AcqRel) & NUMBER;
        }
        // free: this end owns the slot, and a guard that is still held borrows this end
        (self.shared.slots[self.own].lock().unwrap_or_else(PoisonError::into_inner), fresh)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_receiver_gets_the_newest() {
        let (mut sender, mut receiver) = hand_over(&0);
        assert_eq!(*receiver.latest().0, 0);
        assert!(!receiver.latest().1, "nothing was sent");
        for value in 1..10 {
            assert!(sender.send(|slot| {
                *slot = value;
                true
            }));
        }
        let (newest, fresh) = receiver.latest();
        assert_eq!((*newest, fresh), (9, true));
        drop(newest);
        assert!(!sender.send(|_| false), "nothing was filled");
        assert!(!receiver.latest().1);
    }

    #[test]
    fn values_arrive_whole_and_in_order() {
        const LAST: u64 = 20_000;
        let (mut sender, mut receiver) = hand_over(&[0u64; 64]);
        let sending = std::thread::spawn(move || {
            for value in 1..=LAST {
                assert!(
                    sender.send(|slot| {
                        slot.fill(value);
                        true
                    }),
                    "the slot is free"
                );
            }
        });
        let mut before = 0;
        while before < LAST {
            let (slot, fresh) = receiver.latest();
            assert!(slot.iter().all(|value| *value == slot[0]), "torn");
            assert!(slot[0] >= before && (fresh || slot[0] == before), "back in time");
            before = slot[0];
        }
        sending.join().expect("no panic");
    }
}
