//! What this process has used, where the system says so (Linux).

use std::fs;

/// Ticks per second of the times in /proc, the same on every architecture.
const TICKS: f64 = 100.0;

/// Time on processors so far, all threads, user and system, s.
pub fn cpu_seconds() -> Option<f64> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // the name may hold spaces; after its bracket, utime and stime are the 12th and 13th
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<f64>().ok();
    Some((ticks()? + ticks()?) / TICKS)
}

/// Largest memory held at any time, bytes.
pub fn peak_memory_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn this_process_uses_time_and_memory() {
        assert!(cpu_seconds().is_some_and(|cpu| (0.0..1e6).contains(&cpu)));
        assert!(peak_memory_bytes().is_some_and(|memory| memory > 100_000));
    }
}
