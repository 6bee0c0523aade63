//! All samples on several threads, their rows in order.
//!
//! Threads take the next number, render, and hand the row in at one desk, which writes the rows that follow on and keeps the others
//! back. No thread runs further ahead of the table than a fixed number of samples, so the desk never holds more rows than that.

use crate::error::Error;
use crate::folder::Folder;
use crate::sample::Worker;
use crate::table::{Status, TableRow};
use crate::{Summary, Sweep};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Samples a thread may be ahead of the table; with a folder's worth on disk beyond the table at most, resuming is quick.
const AHEAD: u64 = 32;
const MOST_AHEAD: u64 = 1000;

struct Desk {
    folder: Folder,
    next: u64,
    early: BTreeMap<u64, TableRow>,
    failed: Option<Error>,
}

struct Office<'a> {
    desk: Mutex<Desk>,
    moved: Condvar,
    count: u64,
    ahead: u64,
    stop: &'a AtomicBool,
    each: &'a (dyn Fn(&Summary) + Sync),
}

/// Renders what is left to do.
pub(crate) fn run(
    sweep: &Sweep,
    folder: Folder,
    jobs: usize,
    stop: &AtomicBool,
    each: &(dyn Fn(&Summary) + Sync),
) -> Result<Summary, Error> {
    let path = folder.path().to_owned();
    let next = folder.summary.done();
    let office = Office {
        desk: Mutex::new(Desk { folder, next, early: BTreeMap::new(), failed: None }),
        moved: Condvar::new(),
        count: sweep.count,
        ahead: (AHEAD * jobs as u64).min(MOST_AHEAD),
        stop,
        each,
    };
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                let mut worker = Worker::new(sweep, &path, stop);
                while let Some(index) = office.take() {
                    let rendered = catch_unwind(AssertUnwindSafe(|| worker.render(index)));
                    office.hand_in(rendered.unwrap_or_else(|_| {
                        let message = format!("sample {index} made the engine panic, which is a bug");
                        Err(Error::new(message, "please report it with sweep.json and instrument.toml"))
                    }));
                }
            });
        }
    });
    let desk = office.desk.into_inner().unwrap_or_else(PoisonError::into_inner);
    match desk.failed {
        Some(error) => Err(error),
        None if desk.folder.summary.done() < sweep.count => {
            Err(Error::Interrupted { done: desk.folder.summary.done() })
        }
        None => Ok(desk.folder.summary),
    }
}

impl Office<'_> {
    fn lock(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next sample to render; `None` when there is nothing more to do.
    fn take(&self) -> Option<u64> {
        let too_far = |desk: &mut Desk| {
            desk.failed.is_none() && desk.next < self.count && desk.next >= desk.folder.summary.done() + self.ahead
        };
        let waited = self.moved.wait_while(self.lock(), too_far);
        let mut desk = waited.unwrap_or_else(PoisonError::into_inner);
        if desk.failed.is_some() || desk.next >= self.count || self.stop.load(Ordering::Relaxed) {
            return None;
        }
        desk.next += 1;
        Some(desk.next - 1)
    }

    /// Takes a row and writes all that follow on.
    fn hand_in(&self, rendered: Result<Option<TableRow>, Error>) {
        let mut desk = self.lock();
        let row = match rendered {
            Ok(row) => row,
            Err(error) => {
                desk.failed.get_or_insert(error);
                None
            }
        };
        let Some(row) = row else {
            // wakes threads that wait for a row that will not come
            desk.next = self.count;
            self.moved.notify_all();
            return;
        };
        desk.early.insert(row.index, row);
        while desk.failed.is_none() {
            let done = desk.folder.summary.done();
            let Some(row) = desk.early.remove(&done) else { break };
            if let Err(error) = desk.folder.append(&row) {
                desk.failed = Some(error);
            }
        }
        (self.each)(&desk.folder.summary);
        self.moved.notify_all();
    }
}

impl Summary {
    /// Rows in the table.
    pub fn done(&self) -> u64 {
        self.ok + self.silenced + self.refused
    }

    pub(crate) fn count(&mut self, status: Status) {
        match status {
            Status::Ok => self.ok += 1,
            Status::Silenced => self.silenced += 1,
            Status::Refused => self.refused += 1,
        }
    }
}
