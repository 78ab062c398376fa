//! Which stream ids the peer has used, in bounded memory.

use std::collections::BTreeMap;

use crate::generated::link::limits;

/// The set of ids that the peer has used, kept as ranges: ids that come in order cost nothing.
#[derive(Debug, Default)]
pub(super) struct UsedIds {
    /// First index of a range → last index of it. Ids of one parity are neighbours.
    ranges: BTreeMap<u32, u32>,
}

/// Why an id can't be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IdError {
    Reused,
    /// The peer left so many gaps that remembering them costs too much.
    TooScattered,
}

impl UsedIds {
    /// Marks an id as used.
    pub(super) fn insert(&mut self, id: u32) -> Result<(), IdError> {
        let index = id / 2;
        let before = self.ranges.range(..=index).next_back().map(|(first, last)| (*first, *last));
        if before.is_some_and(|(_, last)| last >= index) {
            return Err(IdError::Reused);
        }
        let joins_after = self.ranges.get(&(index + 1)).copied();
        let first = match before {
            Some((first, last)) if last + 1 == index => first,
            _ => index,
        };
        if joins_after.is_some() {
            self.ranges.remove(&(index + 1));
        }
        self.ranges.insert(first, joins_after.unwrap_or(index));
        if self.ranges.len() > limits::ID_GAPS { Err(IdError::TooScattered) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ids_in_order_cost_one_range() {
        let mut used = UsedIds::default();
        for id in (1..100_001).step_by(2) {
            assert_eq!(used.insert(id), Ok(()));
        }
        assert_eq!(used.ranges.len(), 1);
        assert_eq!(used.insert(777), Err(IdError::Reused));
    }

    #[test]
    fn a_peer_that_scatters_its_ids_is_stopped() {
        let mut used = UsedIds::default();
        let last = (1..).step_by(4).map(|id| used.insert(id)).find(Result::is_err);
        assert_eq!(last, Some(Err(IdError::TooScattered)));
    }

    #[test]
    fn the_largest_id_is_usable() {
        let mut used = UsedIds::default();
        assert_eq!(used.insert(u32::MAX), Ok(()));
        assert_eq!(used.insert(u32::MAX), Err(IdError::Reused));
    }

    proptest! {
        #[test]
        fn it_agrees_with_a_plain_set(indices in proptest::collection::vec(0u32..40, 0..80)) {
            let (mut used, mut plain) = (UsedIds::default(), HashSet::new());
            for index in indices {
                let id = index * 2 + 1;
                prop_assert_eq!(used.insert(id).is_ok(), plain.insert(id));
            }
        }
    }
}
