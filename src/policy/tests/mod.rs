//! The policy's rules and the attacks on them, one test each.

use std::{
    io,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use super::*;

mod hostile;
mod precedence;
mod properties;
mod protected;

const ALLOW: bool = true;
const DENY: bool = false;

/// A machine that a test describes and changes.
#[derive(Clone)]
struct Described(Arc<DescribedInner>);

struct DescribedInner {
    addresses: Mutex<Vec<IpAddr>>,
    hidden: AtomicBool,
    asked: AtomicUsize,
    now: Mutex<Instant>,
}

impl Described {
    fn with(addresses: &[&str]) -> Self {
        Self(Arc::new(DescribedInner {
            addresses: Mutex::new(addresses.iter().map(|text| ip(text)).collect()),
            hidden: AtomicBool::new(false),
            asked: AtomicUsize::new(0),
            now: Mutex::new(Instant::now()),
        }))
    }

    fn add(&self, address: &str) {
        self.0.addresses.lock().unwrap().push(ip(address));
    }

    fn hide(&self, hidden: bool) {
        self.0.hidden.store(hidden, Ordering::SeqCst);
    }

    fn pass(&self, time: Duration) {
        *self.0.now.lock().unwrap() += time;
    }

    fn asked(&self) -> usize {
        self.0.asked.load(Ordering::SeqCst)
    }
}

impl Machine for Described {
    fn addresses(&self) -> io::Result<Vec<IpAddr>> {
        self.0.asked.fetch_add(1, Ordering::SeqCst);
        if self.0.hidden.load(Ordering::SeqCst) {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        Ok(self.0.addresses.lock().unwrap().clone())
    }

    fn now(&self) -> Instant {
        *self.0.now.lock().unwrap()
    }
}

fn ip(text: &str) -> IpAddr {
    text.parse().unwrap_or_else(|_| panic!("{text} is an address"))
}

fn policy(base: Base, allow: &[&str], deny: &[&str]) -> Policy {
    Policy::on(Described::with(&["127.0.0.1", "::1"]), base, Rules::parse(allow, deny).unwrap())
}

fn allows(policy: &Policy, address: &str, port: u16) -> bool {
    policy.judge(SocketAddr::new(ip(address), port)) == Verdict::Allow
}
