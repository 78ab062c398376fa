//! What Linux knows of a process: the time it used, its memory, the datagrams its sockets dropped.

use std::{
    collections::{HashMap, HashSet},
    fs, io,
    time::Duration,
};

/// Ticks per second in `/proc/<pid>/stat`: part of the kernel's interface.
const TICKS: u32 = 100;

/// The time that all threads of a process have used so far.
pub fn cpu(pid: u32) -> io::Result<Duration> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    // The name, in parentheses, may hold spaces. What follows starts with field 3; user and system time are 14 and 15.
    let fields = stat.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace();
    let ticks: u32 = fields.skip(11).take(2).filter_map(|field| field.parse::<u32>().ok()).sum();
    Ok(Duration::from_secs(1) * ticks / TICKS)
}

/// Resident memory in bytes.
pub fn resident(pid: u32) -> io::Result<u64> {
    status(pid, "VmRSS:")
}

/// The highest resident memory since [`reset_peak`], in bytes.
pub fn peak(pid: u32) -> io::Result<u64> {
    status(pid, "VmHWM:")
}

/// Forgets the highest resident memory so far.
pub fn reset_peak(pid: u32) -> io::Result<()> {
    fs::write(format!("/proc/{pid}/clear_refs"), "5")
}

fn status(pid: u32, key: &str) -> io::Result<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix(key));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.map(|kilobytes| kilobytes * 1024).ok_or_else(|| io::Error::other(format!("no {key} for process {pid}")))
}

/// A process and everything that descends from it.
pub fn family(pid: u32) -> io::Result<Vec<u32>> {
    let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
    for entry in fs::read_dir("/proc")? {
        let Some(child) = entry?.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        // A process may be gone by now.
        let Ok(stat) = fs::read_to_string(format!("/proc/{child}/stat")) else { continue };
        let parent = stat.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().nth(1)?.parse().ok());
        children.entry(parent.unwrap_or(0)).or_default().push(child);
    }
    let mut family = vec![pid];
    let mut at = 0;
    while at < family.len() {
        family.extend(children.remove(&family[at]).unwrap_or_default());
        at += 1;
    }
    Ok(family)
}

/// Datagrams that arrived at these processes' sockets and found no room.
pub fn drops(pids: &[u32]) -> io::Result<u64> {
    let mut sockets = HashSet::new();
    for pid in pids {
        let Ok(files) = fs::read_dir(format!("/proc/{pid}/fd")) else { continue };
        for file in files.flatten() {
            let Ok(target) = fs::read_link(file.path()) else { continue };
            let inode = target.to_str().and_then(|text| text.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok());
            sockets.extend(inode as Option<u64>);
        }
    }
    let mut drops = 0;
    for table in ["/proc/net/udp", "/proc/net/udp6"] {
        for line in fs::read_to_string(table)?.lines().skip(1) {
            let fields: Vec<&str> = line.split_whitespace().collect();
            let inode = fields.get(9).and_then(|field| field.parse::<u64>().ok());
            if inode.is_some_and(|inode| sockets.contains(&inode)) {
                drops += fields.last().and_then(|field| field.parse::<u64>().ok()).unwrap_or(0);
            }
        }
    }
    Ok(drops)
}
