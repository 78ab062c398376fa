//! The addresses of this machine, which protected ports are denied on (section "Network policy" of the requirement,
//! "Protected ports").

use std::{
    io,
    net::IpAddr,
    sync::{Mutex, PoisonError},
    time::Instant,
};

use crate::generated::policy::INTERFACE_CACHE;

/// What the policy asks of the machine that it runs on. Tests describe a machine of their own.
pub trait Machine: Send + Sync {
    /// The addresses of every interface, now.
    ///
    /// # Errors
    /// The interfaces can't be enumerated.
    fn addresses(&self) -> io::Result<Vec<IpAddr>>;
    /// The time, on a clock that never goes back.
    fn now(&self) -> Instant;
}

/// The machine that the process runs on.
#[derive(Debug, Clone, Copy, Default)]
pub struct ThisMachine;

impl Machine for ThisMachine {
    fn addresses(&self) -> io::Result<Vec<IpAddr>> {
        let interfaces = if_addrs::get_if_addrs()?;
        // A machine without a single address wouldn't be asked to connect: something hides the interfaces.
        if interfaces.is_empty() {
            return Err(io::Error::new(io::ErrorKind::NotFound, "no interface has an address"));
        }
        Ok(interfaces.into_iter().map(|interface| interface.ip()).collect())
    }

    fn now(&self) -> Instant {
        Instant::now()
    }
}

/// A machine's addresses, kept for [`INTERFACE_CACHE`].
pub(super) struct OwnAddresses {
    machine: Box<dyn Machine>,
    listed: Mutex<Listing>,
}

/// What the last enumeration gave.
enum Listing {
    NotYet,
    Failed,
    Known { at: Instant, addresses: Vec<IpAddr> },
}

impl OwnAddresses {
    pub(super) fn new(machine: Box<dyn Machine>) -> Self {
        Self { machine, listed: Mutex::new(Listing::NotYet) }
    }

    /// Whether one of these addresses is this machine's. It is when nobody can tell: a list that is too old isn't used, and
    /// a failed enumeration is tried again at the next check.
    pub(super) fn may_hold(&self, any_of: [IpAddr; 2]) -> bool {
        let now = self.machine.now();
        let mut listed = self.listed.lock().unwrap_or_else(PoisonError::into_inner);
        let fresh = |at| now.saturating_duration_since(at) < INTERFACE_CACHE;
        if !matches!(*listed, Listing::Known { at, .. } if fresh(at)) {
            *listed = match self.machine.addresses() {
                Ok(addresses) => Listing::Known { at: now, addresses },
                Err(error) => {
                    // Said once: a page decides how often this is asked.
                    if !matches!(*listed, Listing::Failed) {
                        tracing::warn!(%error, "the interfaces can't be enumerated: protected ports are denied everywhere");
                    }
                    Listing::Failed
                }
            };
        }
        match &*listed {
            Listing::Known { addresses, .. } => addresses.iter().any(|own| any_of.contains(own)),
            Listing::Failed | Listing::NotYet => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_has_a_loopback_address() {
        let addresses = ThisMachine.addresses().unwrap();
        assert!(addresses.iter().any(IpAddr::is_loopback), "{addresses:?}");
    }
}
