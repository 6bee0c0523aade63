//! Special paths of a step: quicker ways to the same result. With the feature `paths` they are counted, and each can be closed, so that what it saves is known. Without it they are open,
//! and nothing is counted.

/// A special path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum Special {
    /// Blocks of steps without contact; counted in steps.
    FreeRun,
    /// Blocks of a bank touched at one port in one kernel; in steps.
    SinglePortBlock,
    /// Blocks of any other bank in one kernel; in steps.
    BankBlock,
    /// Banks touched at one port in the coordinates of that port: in bodies.
    SinglePort,
    /// Strings on a grid that step in the modes of the grid: in bodies.
    StringModes,
    /// Rows of collisions in array layout: in rows.
    CollisionRow,
    /// Collisions of a row solved eight at a time: in contacts.
    EightLanes,
    /// Contacts alone in their island without its workspace: in contacts.
    Lone,
    /// Newton with fixed loop counts for few collisions: in solves.
    SmallNewton,
    /// Newton with conjugate gradients for many collisions: in solves.
    IterativeNewton,
    /// Islands whose contacts are open and stay so: in islands.
    Resting,
    /// The solve of the closed contacts of an island only: in solves.
    ActiveSet,
    /// Groups that sleep: in groups put to sleep.
    Sleep,
}

#[cfg(feature = "paths")]
impl Special {
    /// All of them.
    pub const ALL: [Self; 13] = [
        Self::FreeRun,
        Self::SinglePortBlock,
        Self::BankBlock,
        Self::SinglePort,
        Self::StringModes,
        Self::CollisionRow,
        Self::EightLanes,
        Self::Lone,
        Self::SmallNewton,
        Self::IterativeNewton,
        Self::Resting,
        Self::ActiveSet,
        Self::Sleep,
    ];
}

#[cfg(feature = "paths")]
mod counted {
    use super::Special;
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    static CLOSED: AtomicU64 = AtomicU64::new(0);
    static TAKEN: [AtomicU64; Special::ALL.len()] = [const { AtomicU64::new(0) }; Special::ALL.len()];

    /// True unless the path is closed; counts `times` if so.
    pub(crate) fn takes(path: Special, times: usize) -> bool {
        let open = CLOSED.load(Relaxed) & 1 << path as usize == 0;
        if open {
            TAKEN[path as usize].fetch_add(times as u64, Relaxed);
        }
        open
    }

    /// Closes one path for models built and steps taken from now on, or opens all.
    pub fn close_path(path: Option<Special>) {
        CLOSED.store(path.map_or(0, |path| 1 << path as usize), Relaxed);
    }

    /// How often a path was taken since this was last asked.
    pub fn path_count(path: Special) -> u64 {
        TAKEN[path as usize].swap(0, Relaxed)
    }
}

#[cfg(feature = "paths")]
pub use counted::{close_path, path_count};

#[cfg(feature = "paths")]
pub(crate) use counted::takes;

#[cfg(not(feature = "paths"))]
#[inline(always)]
pub(crate) fn takes(_path: Special, _times: usize) -> bool {
    true
}
