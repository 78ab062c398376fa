//! What Linux knows of a process: the time it used and its memory.

use std::{fs, io, time::Duration};

/// Ticks per second in `/proc/<pid>/stat`: part of the kernel's interface.
const TICKS: u32 = 100;

/// The time that all threads of a process have used so far.
///
/// # Errors
/// When there is no such process.
pub fn cpu(pid: u32) -> io::Result<Duration> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    // The name, in parentheses, may hold spaces. What follows starts with field 3; user and system time are 14 and 15.
    let fields = stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace();
    let ticks: u32 = fields.skip(11).take(2).filter_map(|field| field.parse::<u32>().ok()).sum();
    Ok(Duration::from_secs(1) * ticks / TICKS)
}

/// Resident memory in bytes.
///
/// # Errors
/// When there is no such process.
pub fn resident(pid: u32) -> io::Result<u64> {
    status(pid, "VmRSS:")
}

/// The highest resident memory since [`reset_peak`], in bytes.
///
/// # Errors
/// When there is no such process.
pub fn peak(pid: u32) -> io::Result<u64> {
    status(pid, "VmHWM:")
}

/// Forgets the highest resident memory so far.
///
/// # Errors
/// When there is no such process, or it is another user's.
pub fn reset_peak(pid: u32) -> io::Result<()> {
    fs::write(format!("/proc/{pid}/clear_refs"), "5")
}

fn status(pid: u32, key: &str) -> io::Result<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix(key));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.map(|kilobytes| kilobytes * 1024).ok_or_else(|| io::Error::other(format!("no {key} for process {pid}")))
}
