//! Expensive results of a compilation (modes of shapes, rough profiles), kept by what they were computed from.
//!
//! A key holds the kind of result and all the numbers that it depends on, so that a result serves every file that asks for the same: another position of a knob, another
//! sample of a sweep, a [`Plan`](crate::Plan) linked on another machine. A result is kept as bytes, floating-point numbers bit for bit.

use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What a result was computed from, and the result.
pub(crate) type Entry = (Vec<u8>, Arc<[u8]>);

/// Keeps expensive results of compilations for later ones. Threads may share one: see [`Patch::compile_with`](crate::Patch::compile_with).
#[derive(Debug)]
pub struct Results {
    kept: Mutex<Kept>,
    /// Bytes of keys and results to keep at most.
    limit: usize,
    /// Everything that is needed is there: nothing is computed.
    complete: bool,
}

#[derive(Debug, Default)]
struct Kept {
    entries: BTreeMap<Vec<u8>, Arc<[u8]>>,
    bytes: usize,
}

impl Default for Results {
    /// Keeps at most 64 MB.
    fn default() -> Self {
        Self::new(64 << 20)
    }
}

impl Results {
    /// Keeps results while they take at most `limit` bytes in all; further ones are computed every time.
    pub fn new(limit: usize) -> Self {
        Self { kept: Mutex::default(), limit, complete: false }
    }

    /// Keeps nothing.
    pub(crate) fn none() -> Self {
        Self::new(0)
    }

    /// Those of a plan: nothing else is computed.
    pub(crate) fn complete(entries: impl IntoIterator<Item = Entry>) -> Self {
        let kept = Kept { entries: entries.into_iter().collect(), bytes: 0 };
        Self { kept: Mutex::new(kept), limit: 0, complete: true }
    }

    /// All of them, in the order of their keys.
    pub(crate) fn entries(&self) -> Vec<Entry> {
        self.kept().entries.iter().map(|(key, value)| (key.clone(), value.clone())).collect()
    }

    /// Results that are kept.
    pub fn len(&self) -> usize {
        self.kept().entries.len()
    }

    /// True if nothing is kept.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        // a thread that panicked while it held the lock left whole entries behind
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True if results come from a plan, which has all that are needed.
    pub(crate) fn is_complete(&self) -> bool {
        self.complete
    }

    /// The name of a result: its kind and the numbers that it depends on. None if nothing is kept.
    pub(crate) fn key(&self, kind: &str, from: &impl Serialize) -> Option<Vec<u8>> {
        let off = self.limit == 0 && !self.complete;
        if off { None } else { postcard::to_allocvec(&(kind, from)).ok() }
    }

    /// The result of that name, if it is kept.
    pub(crate) fn find<T: DeserializeOwned>(&self, key: &[u8]) -> Option<T> {
        let bytes = self.kept().entries.get(key).cloned()?;
        postcard::from_bytes(&bytes).ok()
    }

    /// Keeps a result if there is space for it.
    pub(crate) fn keep(&self, key: Vec<u8>, result: &impl Serialize) {
        let Ok(bytes) = postcard::to_allocvec(result) else { return };
        let size = key.len() + bytes.len();
        let mut kept = self.kept();
        if kept.bytes + size <= self.limit && kept.entries.insert(key, bytes.into()).is_none() {
            kept.bytes += size;
        }
    }
}
