//! The pages that are linked now, for services that open streams of their own.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use tokio::sync::watch;

use super::Link;
use crate::generated::link::{Cap, PageHello};

/// The linked pages of a node. Clones share one list.
#[derive(Debug, Clone)]
pub struct Pages {
    list: Arc<watch::Sender<Vec<LinkedPage>>>,
    next: Arc<AtomicU64>,
}

/// A page that is linked.
#[derive(Debug, Clone)]
pub struct LinkedPage {
    number: u64,
    hello: Arc<PageHello>,
    link: Link,
}

/// A page's place in the list, which it has until this is dropped.
#[derive(Debug)]
#[must_use = "a page leaves the list when this is dropped"]
pub struct Membership {
    list: Arc<watch::Sender<Vec<LinkedPage>>>,
    number: u64,
}

impl Default for Pages {
    fn default() -> Self {
        Self { list: Arc::new(watch::Sender::default()), next: Arc::default() }
    }
}

impl Pages {
    /// Adds a page whose HELLO has arrived.
    pub fn join(&self, hello: PageHello, link: Link) -> Membership {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.list.send_modify(|list| list.push(LinkedPage { number, hello: Arc::new(hello), link }));
        Membership { list: self.list.clone(), number }
    }

    /// The pages that list a capability, the one that linked last first.
    pub fn offering(&self, cap: Cap) -> Vec<LinkedPage> {
        self.list.borrow().iter().rev().filter(|page| page.hello.offers(cap)).cloned().collect()
    }

    /// The list, in the order of linking, and each change of it.
    pub fn subscribe(&self) -> watch::Receiver<Vec<LinkedPage>> {
        self.list.subscribe()
    }
}

impl LinkedPage {
    /// What tells this page from every other of the node, earlier ones included.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// What the page said of itself.
    pub fn hello(&self) -> &PageHello {
        &self.hello
    }

    /// The link to it.
    pub fn link(&self) -> &Link {
        &self.link
    }
}

impl Drop for Membership {
    fn drop(&mut self) {
        self.list.send_modify(|list| list.retain(|page| page.number != self.number));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link::memory::links;

    fn hello(name: &str, caps: &[&str]) -> PageHello {
        PageHello { v: 1, name: name.to_owned(), caps: caps.iter().map(|cap| (*cap).to_owned()).collect() }
    }

    fn names(pages: &Pages, cap: Cap) -> Vec<String> {
        pages.offering(cap).iter().map(|page| page.hello().name.clone()).collect()
    }

    #[tokio::test]
    async fn the_newest_page_comes_first_and_one_that_goes_is_forgotten() {
        let ((link, _events), _page) = links().await;
        let pages = Pages::default();
        let mut changes = pages.subscribe();
        let first = pages.join(hello("first", &["kernel-in"]), link.clone());
        let second = pages.join(hello("second", &["kernel-in", "mounts"]), link.clone());
        let third = pages.join(hello("third", &["mounts"]), link);
        assert!(changes.has_changed().expect("the pages are there"));
        assert_eq!(changes.borrow_and_update().len(), 3);
        assert_eq!(names(&pages, Cap::KernelIn), ["second", "first"]);
        assert_eq!(names(&pages, Cap::Mounts), ["third", "second"]);
        drop(second);
        assert_eq!(names(&pages, Cap::KernelIn), ["first"]);
        drop((first, third));
        assert!(changes.borrow_and_update().is_empty());
    }
}
