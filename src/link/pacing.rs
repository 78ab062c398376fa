//! How much DATA may be under way on one association, as a pure rule: times, acknowledged bytes and round trips go in, a
//! budget and a wake time come out. No socket, clock or task.
//!
//! SCTP alone would send a whole window at once. That overflows the receive buffer of a browser's UDP socket (about 56
//! packets) on a local path and a router's queue on a distant one, and the stack recovers badly from bursts of loss. So the
//! bytes that the association hasn't acknowledged are kept under a cap of a local burst plus the path's
//! bandwidth-delay product, and admissions are spread over time.

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

use crate::generated::link::limits;

/// The constants of the rule, measured against Chromium over loopback and over a relay of 50 Mbit/s and 20 to 100 ms.
pub mod tuning {
    use std::time::Duration;

    /// Unacknowledged bytes on a path without delay. More overflows the receive buffer of Chromium's UDP socket (131,072
    /// bytes with the kernel's overhead): 64 KiB never lost a packet, 98 KiB did.
    pub const LOCAL_CAP: usize = 64 << 10;
    /// The most unacknowledged bytes, whatever the path: the peer's receive buffer.
    pub const MAX_CAP: usize = crate::generated::link::limits::SCTP_RECEIVE_BUFFER;
    /// The share of the bandwidth-delay product, in quarters. Five quarters let the rate grow; a factor of 2 overfilled the
    /// path's queue and collapsed in storms of retransmits.
    pub const GAIN_QUARTERS: u64 = 5;
    /// The part of the round trip that is processing, not path: loopback must stay at [`LOCAL_CAP`].
    pub const LOCAL_ROUND_TRIP: Duration = Duration::from_millis(2);
    /// The shortest time over which the highest delivered rate is remembered.
    pub const RATE_WINDOW: Duration = Duration::from_millis(300);
    /// The same in round trips; the longer one counts.
    pub const RATE_WINDOW_ROUND_TRIPS: u32 = 8;
    /// The shortest time over which one rate is sampled. A round trip, when that is longer.
    pub const RATE_SAMPLE: Duration = Duration::from_millis(10);
    /// Bytes per second that are admitted before a rate is known.
    pub const MIN_PACE: u64 = 4_000_000;
    /// Admission outruns delivery by this factor, so that pacing never is the limit by itself.
    pub const PACE_GAIN: u64 = 2;
    /// The least burst that pacing lets through.
    pub const MIN_BURST: u64 = 48 << 10;
    /// The burst that pacing lets through, as a time at the current pace.
    pub const BURST: Duration = Duration::from_millis(2);
    /// From this round trip on the path is distant, and DATA is sent in smaller messages, which spreads the packets.
    pub const DISTANT_ROUND_TRIP: Duration = Duration::from_millis(3);
    /// Payload bytes of a DATA frame on a distant path.
    pub const DISTANT_DATA: usize = 16 << 10;
    /// A budget under this share of [`super::Pacer::preferred_data`] is reported as none, since a dribble of small
    /// messages costs the peer more than it gains.
    pub const GRANT_SHARE: usize = 4;
}

/// One sample of the delivered rate.
#[derive(Debug, Clone, Copy)]
struct Rate {
    at: Instant,
    bytes_per_second: u64,
}

/// The state of the rule for one association. Times passed in must not run backwards; one that does is taken as the latest.
#[derive(Debug, Clone)]
pub struct Pacer {
    unacknowledged: usize,
    lowest_round_trip: Option<Duration>,
    rates: VecDeque<Rate>,
    sample_start: Instant,
    sample_bytes: u64,
    tokens: u64,
    tokens_at: Instant,
    max_data: usize,
}

impl Pacer {
    /// A pacer of a new association.
    pub fn new(now: Instant) -> Self {
        Self {
            unacknowledged: 0,
            lowest_round_trip: None,
            rates: VecDeque::new(),
            sample_start: now,
            sample_bytes: 0,
            tokens: tuning::MIN_BURST,
            tokens_at: now,
            max_data: limits::DATA,
        }
    }

    /// The peer takes no DATA frame with more payload than this.
    pub fn limit_data(&mut self, bytes: usize) {
        self.max_data = bytes.clamp(1, limits::DATA);
    }

    /// The association took these bytes. Those past the budget count too, so that control frames needn't wait.
    pub fn sent(&mut self, now: Instant, bytes: usize) {
        self.refill(now);
        if self.unacknowledged == 0 {
            // The time without anything to send says nothing about the path, so it mustn't stretch the next sample.
            self.end_sample(now);
        }
        self.unacknowledged = self.unacknowledged.saturating_add(bytes);
        self.tokens = self.tokens.saturating_sub(bytes as u64);
    }

    /// The peer acknowledged this many more bytes.
    pub fn acknowledged(&mut self, now: Instant, bytes: usize) {
        self.refill(now);
        self.unacknowledged = self.unacknowledged.saturating_sub(bytes);
        self.sample_bytes = self.sample_bytes.saturating_add(bytes as u64);
        self.end_sample(now);
    }

    /// These bytes will never be acknowledged, since their channel is gone.
    pub fn forgotten(&mut self, bytes: usize) {
        self.unacknowledged = self.unacknowledged.saturating_sub(bytes);
    }

    /// A round trip of the path, free of acknowledgement delays: those would grow with the cap and feed back on it.
    pub fn round_trip(&mut self, measured: Duration) {
        self.lowest_round_trip = Some(self.lowest_round_trip.map_or(measured, |lowest| lowest.min(measured)));
    }

    /// Bytes that may be sent now; 0 when it isn't worth a message.
    pub fn budget(&mut self, now: Instant) -> usize {
        self.refill(now);
        let room = self.cap().saturating_sub(self.unacknowledged);
        let budget = room.min(usize::try_from(self.tokens).unwrap_or(usize::MAX));
        if budget < self.grant() { 0 } else { budget }
    }

    /// When [`Pacer::budget`] stops being 0 by time alone; `None` when only an acknowledgement can do that, or when it isn't 0.
    pub fn wake(&mut self, now: Instant) -> Option<Instant> {
        self.refill(now);
        let grant = self.grant();
        if self.cap().saturating_sub(self.unacknowledged) < grant {
            return None;
        }
        let missing = (grant as u64).saturating_sub(self.tokens);
        (missing > 0).then(|| now + time_for(missing, self.pace()))
    }

    /// The payload that a DATA frame should have now, in bytes.
    pub fn preferred_data(&self) -> usize {
        match self.lowest_round_trip {
            Some(lowest) if lowest >= tuning::DISTANT_ROUND_TRIP => self.max_data.min(tuning::DISTANT_DATA),
            _ => self.max_data,
        }
    }

    /// The lowest round trip so far.
    pub fn lowest_round_trip(&self) -> Option<Duration> {
        self.lowest_round_trip
    }

    /// Bytes sent and not acknowledged.
    pub fn unacknowledged(&self) -> usize {
        self.unacknowledged
    }

    /// The most bytes that may be unacknowledged now.
    pub fn cap(&self) -> usize {
        let path = self.lowest_round_trip.unwrap_or_default().saturating_sub(tuning::LOCAL_ROUND_TRIP);
        let product = u128::from(self.delivered_rate()) * path.as_nanos() * u128::from(tuning::GAIN_QUARTERS)
            / (4 * 1_000_000_000);
        usize::try_from(product).unwrap_or(usize::MAX).saturating_add(tuning::LOCAL_CAP).min(tuning::MAX_CAP)
    }

    /// The highest rate at which bytes were acknowledged lately, in bytes per second.
    pub fn delivered_rate(&self) -> u64 {
        self.rates.iter().map(|rate| rate.bytes_per_second).max().unwrap_or(0)
    }

    /// The least budget that is reported.
    fn grant(&self) -> usize {
        (self.preferred_data() / tuning::GRANT_SHARE).max(1)
    }

    fn sample_length(&self) -> Duration {
        self.lowest_round_trip.unwrap_or_default().max(tuning::RATE_SAMPLE)
    }

    fn rate_window(&self) -> Duration {
        (self.lowest_round_trip.unwrap_or_default() * tuning::RATE_WINDOW_ROUND_TRIPS).max(tuning::RATE_WINDOW)
    }

    /// Bytes admitted per second.
    fn pace(&self) -> u64 {
        self.delivered_rate().saturating_mul(tuning::PACE_GAIN).max(tuning::MIN_PACE)
    }

    /// Ends a sample that has run long enough, and begins the next one.
    fn end_sample(&mut self, now: Instant) {
        let elapsed = now.saturating_duration_since(self.sample_start);
        if elapsed < self.sample_length() {
            return;
        }
        if self.sample_bytes > 0 {
            self.rates.push_back(Rate { at: now, bytes_per_second: rate(self.sample_bytes, elapsed) });
        }
        self.sample_start = now;
        self.sample_bytes = 0;
        let window = self.rate_window();
        while self.rates.front().is_some_and(|first| now.saturating_duration_since(first.at) > window) {
            self.rates.pop_front();
        }
    }

    fn refill(&mut self, now: Instant) {
        let elapsed = now.saturating_duration_since(self.tokens_at);
        let pace = self.pace();
        let depth = tuning::MIN_BURST.max(bytes_in(tuning::BURST, pace));
        let gained = bytes_in(elapsed, pace);
        if gained == 0 {
            // The time stays on the account, so that frequent calls don't round the tokens away.
            return;
        }
        self.tokens = self.tokens.saturating_add(gained).min(depth);
        self.tokens_at = now;
    }
}

/// Bytes per second.
fn rate(bytes: u64, time: Duration) -> u64 {
    let nanos = time.as_nanos().max(1);
    u64::try_from(u128::from(bytes) * 1_000_000_000 / nanos).unwrap_or(u64::MAX)
}

fn bytes_in(time: Duration, bytes_per_second: u64) -> u64 {
    u64::try_from(u128::from(bytes_per_second) * time.as_nanos() / 1_000_000_000).unwrap_or(u64::MAX)
}

/// The time in which so many bytes pass, rounded up to the microsecond.
fn time_for(bytes: u64, bytes_per_second: u64) -> Duration {
    let micros = (u128::from(bytes) * 1_000_000).div_ceil(u128::from(bytes_per_second.max(1)));
    Duration::from_micros(u64::try_from(micros).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MS: Duration = Duration::from_millis(1);

    fn pacer(now: Instant) -> Pacer {
        Pacer::new(now)
    }

    /// Sends whatever the rule allows for `time` into a path of this rate and round trip with an endless queue. Returns the
    /// bytes that arrived and the most bytes that stood in the queue.
    fn drive(pacer: &mut Pacer, start: Instant, time: Duration, path_rate: u64, round_trip: Duration) -> (u64, usize) {
        let mut now = start;
        let mut under_way: VecDeque<(Instant, usize)> = VecDeque::new();
        let mut path_free = start;
        let (mut arrived, mut most_queued) = (0, 0);
        while now < start + time {
            while under_way.front().is_some_and(|(at, _)| *at <= now) {
                let (_, bytes) = under_way.pop_front().expect("the front was just looked at");
                pacer.acknowledged(now, bytes);
                arrived += bytes as u64;
            }
            loop {
                let bytes = pacer.budget(now).min(pacer.preferred_data());
                if bytes == 0 {
                    break;
                }
                pacer.sent(now, bytes);
                path_free = path_free.max(now) + time_for(bytes as u64, path_rate);
                let queued = bytes_in(path_free - now, path_rate);
                most_queued = most_queued.max(usize::try_from(queued).expect("small"));
                under_way.push_back((path_free + round_trip, bytes));
            }
            let next_acknowledgement = under_way.front().map(|(at, _)| *at);
            now = [next_acknowledgement, pacer.wake(now)].into_iter().flatten().min().expect("something is under way");
        }
        pacer.forgotten(under_way.iter().map(|(_, bytes)| bytes).sum());
        (arrived, most_queued)
    }

    #[test]
    fn a_local_path_keeps_the_local_cap() {
        let start = Instant::now();
        let mut pacer = pacer(start);
        pacer.round_trip(MS / 2);
        drive(&mut pacer, start, 500 * MS, 60_000_000, MS / 2);
        assert!(pacer.delivered_rate() > 20_000_000, "{}", pacer.delivered_rate());
        assert_eq!(pacer.cap(), tuning::LOCAL_CAP);
        assert_eq!(pacer.preferred_data(), limits::DATA);
    }

    #[test]
    fn a_distant_path_is_filled_without_a_long_queue() {
        for round_trip in [20 * MS, 50 * MS, 100 * MS] {
            let start = Instant::now();
            let mut pacer = pacer(start);
            pacer.round_trip(round_trip);
            drive(&mut pacer, start, Duration::from_secs(4), 6_250_000, round_trip);
            let (arrived, queued) =
                drive(&mut pacer, start + Duration::from_secs(5), Duration::from_secs(4), 6_250_000, round_trip);
            assert!(arrived > 18_000_000, "{round_trip:?}: {arrived}");
            // A router's queue of 100 ms.
            assert!(queued < 625_000, "{round_trip:?}: {queued}");
            assert_eq!(pacer.preferred_data(), tuning::DISTANT_DATA);
        }
    }

    #[test]
    fn the_cap_never_passes_the_peers_receive_buffer() {
        let start = Instant::now();
        let mut pacer = pacer(start);
        pacer.round_trip(Duration::from_secs(2));
        pacer.sent(start, usize::MAX);
        pacer.acknowledged(start + Duration::from_secs(3), usize::MAX);
        assert_eq!(pacer.cap(), limits::SCTP_RECEIVE_BUFFER);
    }

    #[test]
    fn a_rate_is_forgotten_after_its_window() {
        let start = Instant::now();
        let mut pacer = pacer(start);
        pacer.round_trip(20 * MS);
        pacer.sent(start, 1_000_000);
        pacer.acknowledged(start + 20 * MS, 900_000);
        let grown = pacer.cap();
        assert!(grown > tuning::LOCAL_CAP);
        pacer.acknowledged(start + 600 * MS, 100_000);
        assert!(pacer.cap() < grown);
    }

    #[test]
    fn a_pause_is_no_low_rate_sample() {
        let start = Instant::now();
        let mut pacer = pacer(start);
        pacer.round_trip(20 * MS);
        let later = start + Duration::from_mins(1);
        pacer.sent(later, 60_000);
        pacer.acknowledged(later + 20 * MS, 60_000);
        assert!(pacer.delivered_rate() > 2_900_000, "{}", pacer.delivered_rate());
    }

    #[test]
    fn a_full_cap_waits_for_an_acknowledgement_and_not_for_time() {
        let start = Instant::now();
        let mut pacer = pacer(start);
        pacer.sent(start, tuning::LOCAL_CAP);
        let later = start + Duration::from_secs(10);
        assert_eq!((pacer.budget(later), pacer.wake(later)), (0, None));
        pacer.acknowledged(later, tuning::LOCAL_CAP);
        assert!(pacer.budget(later) > 0);
    }

    #[test]
    fn a_wake_time_leads_to_a_budget() {
        let start = Instant::now();
        let mut pacer = pacer(start);
        pacer.sent(start, 48 << 10);
        assert_eq!(pacer.budget(start), 0);
        let wake = pacer.wake(start).expect("the tokens are used up");
        assert!(pacer.budget(wake) > 0);
    }

    #[test]
    fn bytes_of_a_closed_channel_are_forgotten() {
        let start = Instant::now();
        let mut pacer = pacer(start);
        pacer.sent(start, 50_000);
        pacer.forgotten(50_000);
        assert_eq!(pacer.unacknowledged(), 0);
        assert_eq!(pacer.delivered_rate(), 0);
    }

    #[derive(Debug, Clone)]
    enum Step {
        Wait(u64),
        SendBudget(usize),
        Acknowledge(usize),
        RoundTrip(u64),
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            (0..200_000u64).prop_map(Step::Wait),
            (0..200_000usize).prop_map(Step::SendBudget),
            (0..200_000usize).prop_map(Step::Acknowledge),
            (0..3_000_000u64).prop_map(Step::RoundTrip),
        ]
    }

    proptest! {
        #[test]
        fn a_budget_stays_under_the_cap_and_the_burst(steps in proptest::collection::vec(step(), 1..200)) {
            let mut now = Instant::now();
            let mut pacer = pacer(now);
            for step in steps {
                match step {
                    Step::Wait(micros) => now += Duration::from_micros(micros),
                    Step::SendBudget(wanted) => {
                        let bytes = pacer.budget(now).min(wanted);
                        pacer.sent(now, bytes);
                        if bytes > 0 {
                            prop_assert!(pacer.unacknowledged() <= pacer.cap());
                        }
                    }
                    Step::Acknowledge(bytes) => {
                        let bytes = bytes.min(pacer.unacknowledged());
                        pacer.acknowledged(now, bytes);
                    }
                    Step::RoundTrip(micros) => pacer.round_trip(Duration::from_micros(micros)),
                }
                let budget = pacer.budget(now);
                prop_assert!(pacer.cap() >= tuning::LOCAL_CAP && pacer.cap() <= tuning::MAX_CAP);
                prop_assert!(budget <= pacer.cap().saturating_sub(pacer.unacknowledged()));
                prop_assert!(budget == 0 || budget >= pacer.preferred_data() / tuning::GRANT_SHARE);
                if budget == 0 {
                    // Never stuck: with nothing under way, time alone helps.
                    if pacer.unacknowledged() == 0 {
                        prop_assert!(pacer.wake(now).is_some());
                    }
                    if let Some(wake) = pacer.wake(now) {
                        prop_assert!(wake > now);
                        prop_assert!(pacer.clone().budget(wake) > 0);
                    }
                }
            }
        }

        #[test]
        fn admissions_never_outrun_the_pace(gaps in proptest::collection::vec(0..5_000u64, 1..300)) {
            let start = Instant::now();
            let mut now = start;
            let mut pacer = pacer(start);
            let mut admitted = 0;
            for gap in gaps {
                now += Duration::from_micros(gap);
                let bytes = pacer.budget(now);
                pacer.sent(now, bytes);
                // Forgotten bytes free the cap and leave the rate unknown, so that the least pace holds.
                pacer.forgotten(bytes);
                admitted += bytes as u64;
            }
            prop_assert!(admitted <= tuning::MIN_BURST + bytes_in(now - start, tuning::MIN_PACE));
        }
    }
}
