//! How fast a preset renders.

use ictus_engine::{Patch, Player};
use std::time::Instant;

/// A clock that stands still while other programs have the processor, where the system reports it; otherwise the wall clock.
struct Clock {
    start: Instant,
    spent_s: Option<f64>,
}

/// Seconds this thread has been running.
fn running_s() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(1e-9 * text.split_whitespace().next()?.parse::<f64>().ok()?)
}

impl Clock {
    fn start() -> Self {
        Self { start: Instant::now(), spent_s: running_s() }
    }

    fn elapsed_s(&self) -> f64 {
        match (self.spent_s, running_s()) {
            // it may tick in milliseconds
            (Some(from), Some(to)) if to > from => to - from,
            _ => self.start.elapsed().as_secs_f64(),
        }
    }
}

/// Fills `frames` from the beginning of an instrument, with the energy ledger if it is to be `audited`. Returns the player, and seconds of sound per second of
/// computing.
pub fn timed(patch: &Patch, frames: &mut [[f32; 2]], rate: u32, audited: bool) -> (Player, f64) {
    let mut player = Player::new(patch);
    player.audit(audited);
    let clock = Clock::start();
    player.render(frames);
    let speed = frames.len() as f64 / f64::from(rate) / clock.elapsed_s();
    (player, speed)
}
