//! Every rule of section Link, items Control channel to Closes the link, on a node that a scripted page talks to.

use std::time::{Duration, Instant};

use bytes::Bytes;
use serde_json::json;

use super::*;

const CONTROL: ChannelId = ChannelId(0);
const OWN: ChannelId = ChannelId(2);

/// A node with a page that has not said HELLO.
fn fresh() -> (Mux, Instant) {
    let now = Instant::now();
    let mut mux = Mux::new(Role::Node, "{\"v\":1,\"role\":\"node\"}".to_owned(), now);
    mux.channel_open(CONTROL, channels::CONTROL);
    (mux, now)
}

/// A node that is linked, with one stream channel open.
fn linked() -> Mux {
    let (mut mux, _) = fresh();
    mux.text(CONTROL, r#"{"v":1,"role":"page","caps":["kernel-in"]}"#);
    mux.channel_open(OWN, channels::STREAM);
    drain(&mut mux);
    mux
}

fn drain(mux: &mut Mux) -> (Vec<Output>, Vec<Event>) {
    (std::iter::from_fn(|| mux.poll_output()).collect(), std::iter::from_fn(|| mux.poll_event()).collect())
}

fn put(mux: &mut Mux, channel: ChannelId, kind: FrameType, id: u32, payload: &[u8]) {
    mux.binary(channel, Frame::encode(kind, StreamId(id), payload));
}

fn sent(channel: ChannelId, kind: FrameType, id: u32, payload: &[u8]) -> Output {
    Output::Binary { channel, data: Frame::encode(kind, StreamId(id), payload) }
}

/// A linked node with stream 1 of the page open on its own channel and accepted.
fn open_stream() -> Mux {
    let mut mux = linked();
    put(&mut mux, OWN, FrameType::Open, 1, br#"{"kind":"tcp"}"#);
    mux.accept(StreamId(1), b"{}");
    drain(&mut mux);
    mux
}

fn closed(mux: &mut Mux) -> Option<CloseReason> {
    drain(mux).1.into_iter().find_map(|event| match event {
        Event::Closed(reason) => Some(reason),
        _ => None,
    })
}

/// Checks that the stream was reset with EPROTO on the wire and for the service, and that its channel is closed.
fn assert_violation(mux: &mut Mux, message: &str) {
    let (outputs, events) = drain(mux);
    let reset = Reset::new(ErrorCode::Eproto, message);
    assert_eq!(outputs, [sent(OWN, FrameType::Reset, 1, &reset.encode()), Output::CloseChannel(OWN)]);
    assert_eq!(events.last(), Some(&Event::Reset { stream: StreamId(1), reset }));
    assert!(!mux.is_closed());
}

#[test]
fn hello_goes_out_first_as_text() {
    let (mut mux, _) = fresh();
    let text = "{\"v\":1,\"role\":\"node\"}".to_owned();
    assert_eq!(mux.poll_output(), Some(Output::Text { channel: CONTROL, text }));
}

#[test]
fn a_first_message_that_is_no_hello_closes_the_link() {
    for text in [
        "",
        "x",
        "[]",
        "{}",
        r#"{"v":1}"#,
        r#"{"v":1,"role":"node"}"#,
        r#"{"v":0,"role":"page"}"#,
        r#"{"v":"1","role":"page"}"#,
        r#"{"role":"page"}"#,
    ] {
        let (mut mux, _) = fresh();
        mux.text(CONTROL, text);
        assert_eq!(closed(&mut mux), Some(CloseReason::BadHello(Role::Page)), "{text}");
    }
    let (mut mux, _) = fresh();
    put(&mut mux, CONTROL, FrameType::Open, 1, br#"{"kind":"tcp"}"#);
    assert_eq!(closed(&mut mux), Some(CloseReason::BadHello(Role::Page)));
}

#[test]
fn a_later_version_and_unknown_fields_are_welcome() {
    let (mut mux, _) = fresh();
    mux.text(CONTROL, r#"{"v":2,"role":"page","new":{}}"#);
    assert!(matches!(drain(&mut mux).1.as_slice(), [Event::Linked(_)]));
}

#[test]
fn no_hello_within_ten_seconds_closes_the_link() {
    let (mut mux, now) = fresh();
    assert_eq!(mux.poll_timeout(), Some(now + Duration::from_secs(10)));
    mux.handle_timeout(now + Duration::from_millis(9_999));
    assert!(!mux.is_closed());
    mux.handle_timeout(now + Duration::from_secs(10));
    assert_eq!(closed(&mut mux), Some(CloseReason::NoHello(Role::Page)));
    assert_eq!(mux.poll_timeout(), None);
}

#[test]
fn after_hello_nothing_times_out() {
    assert_eq!(linked().poll_timeout(), None);
}

#[test]
fn a_text_message_after_hello_or_on_a_stream_channel_closes_the_link() {
    let mut mux = linked();
    mux.text(CONTROL, r#"{"v":1,"role":"page"}"#);
    assert_eq!(closed(&mut mux), Some(CloseReason::Text(Role::Page)));
    let mut mux = linked();
    mux.text(OWN, "hi");
    assert_eq!(closed(&mut mux), Some(CloseReason::Text(Role::Page)));
    let (mut mux, _) = fresh();
    mux.channel_open(OWN, channels::STREAM);
    mux.text(OWN, r#"{"v":1,"role":"page"}"#);
    assert_eq!(closed(&mut mux), Some(CloseReason::Text(Role::Page)));
}

#[test]
fn stream_frames_before_hello_are_held_until_it_arrives() {
    let (mut mux, _) = fresh();
    mux.channel_open(OWN, channels::STREAM);
    put(&mut mux, OWN, FrameType::Open, 1, br#"{"kind":"tcp"}"#);
    assert!(drain(&mut mux).1.is_empty());
    mux.text(CONTROL, r#"{"v":1,"role":"page"}"#);
    assert!(matches!(drain(&mut mux).1.as_slice(), [Event::Linked(_), Event::Incoming { stream: StreamId(1), .. }]));
}

#[test]
fn what_is_held_before_hello_is_bounded() {
    let (mut mux, _) = fresh();
    mux.channel_open(OWN, channels::STREAM);
    for _ in 0..=limits::EARLY_BYTES / limits::MESSAGE {
        mux.binary(OWN, Bytes::from(vec![3; limits::MESSAGE]));
    }
    assert_eq!(closed(&mut mux), Some(CloseReason::TooEarly));
}

#[test]
fn empty_messages_before_hello_are_bounded_too() {
    let (mut mux, _) = fresh();
    mux.channel_open(OWN, channels::STREAM);
    for _ in 0..=limits::EARLY_BYTES / limits::FRAME_HEADER {
        mux.binary(OWN, Bytes::new());
    }
    assert_eq!(closed(&mut mux), Some(CloseReason::TooEarly));
}

#[test]
fn malformed_frames_close_the_link() {
    let cases: [(&[u8], FrameError); 6] = [
        (&[3, 0, 0, 1], FrameError::Short),
        (&[0, 0, 0, 0, 1], FrameError::UnknownType),
        (&[7, 0, 0, 0, 1], FrameError::UnknownType),
        (&[3, 0, 0, 0, 0, 1], FrameError::StreamZero),
        (&[4, 0, 0, 0, 1, 0], FrameError::EndPayload),
        (&[6, 0, 0, 0, 1, 0, 1], FrameError::CreditPayload),
    ];
    for (bytes, error) in cases {
        let mut mux = open_stream();
        mux.binary(OWN, Bytes::copy_from_slice(bytes));
        assert_eq!(closed(&mut mux), Some(CloseReason::Frame(error)));
    }
}

#[test]
fn wrong_parity_a_reused_id_and_a_second_open_close_the_link() {
    let mut mux = linked();
    put(&mut mux, OWN, FrameType::Open, 2, br#"{"kind":"tcp"}"#);
    assert_eq!(closed(&mut mux), Some(CloseReason::WrongParity));

    let mut mux = linked();
    put(&mut mux, CONTROL, FrameType::Open, 1, br#"{"kind":"tcp"}"#);
    put(&mut mux, CONTROL, FrameType::Reset, 1, b"");
    put(&mut mux, CONTROL, FrameType::Open, 1, br#"{"kind":"tcp"}"#);
    assert_eq!(closed(&mut mux), Some(CloseReason::ReusedId));

    let mut mux = open_stream();
    put(&mut mux, OWN, FrameType::Open, 3, br#"{"kind":"tcp"}"#);
    assert_eq!(closed(&mut mux), Some(CloseReason::SecondOpen));
}

#[test]
fn an_open_without_a_json_kind_is_reset_with_eproto() {
    for open in ["", "{}", "[]", "\u{0}", r#"{"kind":1}"#, r#"{"kind":null}"#, "{\"kind\":\"tcp\"", "\"tcp\""] {
        let mut mux = linked();
        put(&mut mux, CONTROL, FrameType::Open, 1, open.as_bytes());
        let (outputs, events) = drain(&mut mux);
        assert_eq!(outputs, [sent(CONTROL, FrameType::Reset, 1, b"EPROTO: an OPEN without a JSON kind")], "{open}");
        assert!(events.is_empty() && mux.stream_count() == 0);
    }
}

#[test]
fn an_open_larger_than_a_frame_is_reset() {
    let mut mux = linked();
    let open = format!(r#"{{"kind":"tcp","x":"{}"}}"#, "y".repeat(limits::CONTROL_PAYLOAD));
    put(&mut mux, OWN, FrameType::Open, 1, open.as_bytes());
    assert!(matches!(drain(&mut mux).0.as_slice(), [Output::Binary { .. }, Output::CloseChannel(OWN)]));
}

#[test]
fn a_page_that_opens_too_many_streams_is_refused() {
    let mut mux = linked();
    for n in 0..limits::STREAMS as u32 {
        put(&mut mux, CONTROL, FrameType::Open, 2 * n + 1, br#"{"kind":"tcp"}"#);
    }
    drain(&mut mux);
    let id = 2 * limits::STREAMS as u32 + 1;
    put(&mut mux, CONTROL, FrameType::Open, id, br#"{"kind":"tcp"}"#);
    let (outputs, events) = drain(&mut mux);
    assert_eq!(outputs, [sent(CONTROL, FrameType::Reset, id, b"EBUSY: too many streams are open")]);
    assert!(events.is_empty());
}

#[test]
fn stream_violations_reset_the_stream_with_eproto() {
    let cases: [(FrameType, &[u8], &str); 4] = [
        (FrameType::Opened, b"{}", "an unexpected OPENED"),
        (FrameType::Data, b"", "empty DATA"),
        (FrameType::Credit, &[0, 0, 0, 0], "CREDIT of 0"),
        (FrameType::Credit, &[0, 0, 0, 1], "CREDIT past what was sent"),
    ];
    for (kind, payload, message) in cases {
        let mut mux = open_stream();
        put(&mut mux, OWN, kind, 1, payload);
        assert_violation(&mut mux, message);
    }
}

#[test]
fn data_or_end_before_opened_resets_the_stream() {
    for (kind, payload, message) in
        [(FrameType::Data, b"x".as_slice(), "DATA before OPENED"), (FrameType::End, b"", "END before OPENED")]
    {
        let mut mux = linked();
        put(&mut mux, OWN, FrameType::Open, 1, br#"{"kind":"tcp"}"#);
        put(&mut mux, OWN, kind, 1, payload);
        assert_violation(&mut mux, message);
    }
}

#[test]
fn data_or_end_after_end_resets_the_stream() {
    for (kind, payload, message) in
        [(FrameType::Data, b"x".as_slice(), "DATA after END"), (FrameType::End, b"", "END after END")]
    {
        let mut mux = open_stream();
        put(&mut mux, OWN, FrameType::End, 1, b"");
        put(&mut mux, OWN, kind, 1, payload);
        assert_violation(&mut mux, message);
    }
}

#[test]
fn data_past_the_window_resets_the_stream_and_credit_opens_it() {
    let mut mux = open_stream();
    for _ in 0..limits::WINDOW / limits::DATA {
        put(&mut mux, OWN, FrameType::Data, 1, &[0; limits::DATA]);
    }
    drain(&mut mux);
    mux.credit(StreamId(1), 10);
    assert_eq!(drain(&mut mux).0, [sent(OWN, FrameType::Credit, 1, &[0, 0, 0, 10])]);
    put(&mut mux, OWN, FrameType::Data, 1, &[0; 10]);
    assert!(matches!(drain(&mut mux).1.as_slice(), [Event::Data { .. }]));
    put(&mut mux, OWN, FrameType::Data, 1, &[0; 1]);
    assert_violation(&mut mux, "DATA past the window");
}

#[test]
fn credit_never_exceeds_what_arrived() {
    let mut mux = open_stream();
    put(&mut mux, OWN, FrameType::Data, 1, b"abc");
    drain(&mut mux);
    mux.credit(StreamId(1), 100);
    mux.credit(StreamId(1), 100);
    assert_eq!(drain(&mut mux).0, [sent(OWN, FrameType::Credit, 1, &[0, 0, 0, 3])]);
}

#[test]
fn frames_on_another_channel_than_the_opens_are_ignored() {
    let mut mux = open_stream();
    put(&mut mux, CONTROL, FrameType::Data, 1, b"x");
    put(&mut mux, CONTROL, FrameType::Reset, 1, b"");
    let other = ChannelId(4);
    mux.channel_open(other, channels::STREAM);
    put(&mut mux, other, FrameType::End, 1, b"");
    assert_eq!(drain(&mut mux), (vec![], vec![]));
    assert_eq!(mux.stream_count(), 1);
}

#[test]
fn frames_for_streams_that_are_over_or_unknown_are_ignored() {
    let mut mux = open_stream();
    put(&mut mux, OWN, FrameType::Credit, 99, &[0, 0, 0, 1]);
    put(&mut mux, CONTROL, FrameType::Opened, 2, b"{}");
    assert_eq!(drain(&mut mux), (vec![], vec![]));
}

#[test]
fn a_streams_channel_is_closed_once_both_sides_sent_end() {
    let mut mux = open_stream();
    put(&mut mux, OWN, FrameType::End, 1, b"");
    assert_eq!(drain(&mut mux), (vec![], vec![Event::End { stream: StreamId(1) }]));
    mux.end(StreamId(1));
    assert_eq!(drain(&mut mux).0, [sent(OWN, FrameType::End, 1, b""), Output::CloseChannel(OWN)]);
    mux.channel_closed(OWN);
    assert_eq!(drain(&mut mux), (vec![], vec![]));
    assert_eq!(mux.stream_count(), 0);
}

#[test]
fn a_streams_channel_is_closed_after_a_reset() {
    let mut mux = open_stream();
    put(&mut mux, OWN, FrameType::Reset, 1, b"ECONNRESET: gone");
    let reset = Reset { code: "ECONNRESET".to_owned(), message: "gone".to_owned() };
    assert_eq!(drain(&mut mux), (vec![Output::CloseChannel(OWN)], vec![Event::Reset { stream: StreamId(1), reset }]));
}

#[test]
fn a_stream_on_the_control_channel_never_closes_it() {
    let mut mux = linked();
    put(&mut mux, CONTROL, FrameType::Open, 1, br#"{"kind":"resolve"}"#);
    mux.accept(StreamId(1), b"{}");
    mux.end(StreamId(1));
    put(&mut mux, CONTROL, FrameType::End, 1, b"");
    put(&mut mux, CONTROL, FrameType::Open, 3, br#"{"kind":"resolve"}"#);
    put(&mut mux, CONTROL, FrameType::Reset, 3, b"");
    let (outputs, _) = drain(&mut mux);
    assert!(!outputs.iter().any(|output| matches!(output, Output::CloseChannel(_))));
    assert_eq!(mux.stream_count(), 0);
}

#[test]
fn a_channel_that_closes_early_resets_its_stream() {
    let mut mux = open_stream();
    mux.channel_closed(OWN);
    let (outputs, events) = drain(&mut mux);
    assert!(outputs.is_empty());
    assert!(matches!(events.as_slice(), [Event::Reset { reset, .. }] if reset.code == "ECONNRESET"));
}

#[test]
fn the_control_channels_end_is_the_links_end() {
    let mut mux = open_stream();
    mux.channel_closed(CONTROL);
    assert_eq!(closed(&mut mux), Some(CloseReason::ControlClosed));
    put(&mut mux, OWN, FrameType::Data, 1, b"x");
    assert_eq!(drain(&mut mux), (vec![], vec![]));
}

#[test]
fn channels_of_another_label_and_a_second_control_channel_are_closed() {
    let mut mux = linked();
    mux.channel_open(ChannelId(10), "something else");
    mux.channel_open(ChannelId(12), channels::CONTROL);
    assert_eq!(drain(&mut mux).0, [Output::CloseChannel(ChannelId(10)), Output::CloseChannel(ChannelId(12))]);
}

#[test]
fn the_node_opens_streams_on_their_own_channel_or_past_256_on_control() {
    let mut mux = linked();
    let open = Bytes::from_static(br#"{"kind":"kernel","port":1}"#);
    for n in 0..limits::NODE_STREAM_CHANNELS as u32 {
        let stream = mux.open(open.clone(), Placement::OwnChannel).expect("linked");
        assert_eq!(stream, StreamId(2 * (n + 1)));
        let (outputs, _) = drain(&mut mux);
        let [Output::CreateChannel { channel, label: channels::STREAM }] = outputs.as_slice() else {
            panic!("no channel: {outputs:?}");
        };
        mux.channel_open(*channel, channels::STREAM);
        assert_eq!(drain(&mut mux).0, [sent(*channel, FrameType::Open, stream.0, &open)]);
    }
    let stream = mux.open(open.clone(), Placement::OwnChannel).expect("linked");
    assert_eq!(drain(&mut mux).0, [sent(CONTROL, FrameType::Open, stream.0, &open)]);
    mux.channel_closed(ChannelId(1));
    mux.open(open, Placement::OwnChannel).expect("linked");
    assert!(matches!(drain(&mut mux).0.as_slice(), [Output::CreateChannel { .. }]));
}

#[test]
fn nothing_is_opened_before_the_pages_hello() {
    let (mut mux, _) = fresh();
    assert_eq!(mux.open(Bytes::from_static(b"{}"), Placement::Control), Err(OpenError::NotLinked));
}

#[test]
fn data_on_our_own_stream_waits_for_its_opened() {
    let mut mux = linked();
    let stream = mux.open(Bytes::from_static(br#"{"kind":"agent"}"#), Placement::Control).expect("linked");
    drain(&mut mux);
    assert_eq!(mux.send_capacity(stream), 0);
    mux.end(stream);
    assert_eq!(drain(&mut mux).0, []);
    put(&mut mux, CONTROL, FrameType::Opened, stream.0, b"");
    let (outputs, events) = drain(&mut mux);
    assert_eq!(outputs, [sent(CONTROL, FrameType::End, stream.0, b"")]);
    assert_eq!(events, [Event::Opened { stream, opened: serde_json::Map::new() }]);
    put(&mut mux, CONTROL, FrameType::Opened, stream.0, b"");
    assert!(matches!(drain(&mut mux).1.as_slice(), [Event::Reset { reset, .. }] if reset.code == "EPROTO"));
}

#[test]
fn a_stream_of_ours_whose_channel_never_opened_is_reset_without_a_frame() {
    let mut mux = linked();
    let stream = mux.open(Bytes::from_static(br#"{"kind":"kernel"}"#), Placement::OwnChannel).expect("linked");
    drain(&mut mux);
    mux.reset(stream, &Reset::new(ErrorCode::Econnreset, ""));
    assert_eq!(drain(&mut mux).0, [Output::CloseChannel(ChannelId(1))]);
    mux.channel_open(ChannelId(1), channels::STREAM);
    assert_eq!(drain(&mut mux).0, []);
}

#[test]
fn sending_counts_against_the_window_and_credit_returns_it() {
    let mut mux = open_stream();
    let stream = StreamId(1);
    for _ in 0..4 {
        mux.send(stream, &[0; limits::DATA]);
    }
    assert_eq!(mux.send_capacity(stream), 0);
    put(&mut mux, OWN, FrameType::Credit, 1, &(limits::DATA as u32).to_be_bytes());
    assert_eq!(mux.send_capacity(stream), limits::DATA);
    mux.end(stream);
    assert_eq!(mux.send_capacity(stream), 0);
}

mod two_sides {
    //! Two multiplexers against each other, under random schedules.

    use std::collections::{HashMap, VecDeque};

    use proptest::prelude::*;

    use super::*;

    /// What a schedule does next.
    #[derive(Debug, Clone)]
    enum Step {
        Open { side: usize, own: bool },
        Accept { side: usize, pick: usize },
        Send { side: usize, pick: usize, len: usize },
        Consume { side: usize, pick: usize, len: usize },
        End { side: usize, pick: usize },
        Reset { side: usize, pick: usize },
        Deliver { side: usize, channel: usize },
    }

    fn step() -> impl Strategy<Value = Step> {
        let (side, pick) = (0usize..2, 0usize..8);
        prop_oneof![
            1 => (side.clone(), any::<bool>()).prop_map(|(side, own)| Step::Open { side, own }),
            2 => (side.clone(), pick.clone()).prop_map(|(side, pick)| Step::Accept { side, pick }),
            4 => (side.clone(), pick.clone(), 1..=limits::DATA).prop_map(|(side, pick, len)| Step::Send { side, pick, len }),
            4 => (side.clone(), pick.clone(), 1..=limits::WINDOW).prop_map(|(side, pick, len)| Step::Consume { side, pick, len }),
            1 => (side.clone(), pick.clone()).prop_map(|(side, pick)| Step::End { side, pick }),
            1 => (side.clone(), pick.clone()).prop_map(|(side, pick)| Step::Reset { side, pick }),
            12 => (side, 0usize..6).prop_map(|(side, channel)| Step::Deliver { side, channel }),
        ]
    }

    /// What one side knows of a stream.
    #[derive(Default)]
    struct Seen {
        sent: u64,
        got: u64,
        unconsumed: usize,
        incoming: bool,
        ended: bool,
        over: bool,
        peer_ended_at: Option<u64>,
    }

    struct Side {
        mux: Mux,
        seen: HashMap<StreamId, Seen>,
        ids: Vec<StreamId>,
        /// Messages under way to this side: each channel is ordered, channels overtake one another.
        inbox: HashMap<ChannelId, VecDeque<Output>>,
        order: Vec<ChannelId>,
        /// DATA bytes that this side has sent, and where it ended them.
        end_at: HashMap<StreamId, u64>,
    }

    fn other(channel: ChannelId) -> ChannelId {
        ChannelId(channel.0 ^ (1 << 40))
    }

    struct World {
        sides: [Side; 2],
    }

    impl World {
        fn new() -> Self {
            let now = Instant::now();
            let side = |role: Role| Side {
                mux: Mux::new(role, json!({"v": 1, "role": role.as_str()}).to_string(), now),
                seen: HashMap::new(),
                ids: Vec::new(),
                inbox: HashMap::new(),
                order: Vec::new(),
                end_at: HashMap::new(),
            };
            let mut world = Self { sides: [side(Role::Node), side(Role::Page)] };
            for _ in 0..8 {
                world.settle();
            }
            world
        }

        /// Puts what a side wants to send under way.
        fn collect(&mut self, side: usize) {
            while let Some(output) = self.sides[side].mux.poll_output() {
                let ours = match &output {
                    Output::CloseChannel(channel)
                    | Output::CreateChannel { channel, .. }
                    | Output::Text { channel, .. }
                    | Output::Binary { channel, .. } => *channel,
                };
                if let Output::CreateChannel { label, .. } = &output {
                    let label = *label;
                    self.sides[side].mux.channel_open(ours, label);
                }
                let theirs = other(ours);
                let peer = &mut self.sides[1 - side];
                if !peer.order.contains(&theirs) {
                    peer.order.push(theirs);
                }
                peer.inbox.entry(theirs).or_default().push_back(output);
                if let Some(Output::CloseChannel(_)) = peer.inbox[&theirs].back() {
                    self.sides[side].mux.channel_closed(ours);
                }
            }
        }

        fn deliver(&mut self, side: usize, pick: usize) {
            let me = &mut self.sides[side];
            let full: Vec<ChannelId> = me
                .order
                .iter()
                .copied()
                .filter(|channel| me.inbox.get(channel).is_some_and(|queue| !queue.is_empty()))
                .collect();
            let Some(channel) = full.get(pick % full.len().max(1)).copied() else { return };
            let message = me.inbox.get_mut(&channel).and_then(VecDeque::pop_front).expect("the queue is not empty");
            match message {
                Output::CreateChannel { label, .. } => me.mux.channel_open(channel, label),
                Output::Text { text, .. } => me.mux.text(channel, &text),
                Output::Binary { data, .. } => me.mux.binary(channel, data),
                Output::CloseChannel(_) => me.mux.channel_closed(channel),
            }
        }

        fn events(&mut self, side: usize) {
            while let Some(event) = self.sides[side].mux.poll_event() {
                let me = &mut self.sides[side];
                match event {
                    Event::Linked(_) | Event::Credited { .. } | Event::Opened { .. } => {}
                    Event::Incoming { stream, .. } => {
                        me.ids.push(stream);
                        me.seen.entry(stream).or_default().incoming = true;
                    }
                    Event::Data { stream, data } => {
                        let seen = me.seen.entry(stream).or_default();
                        seen.got += data.len() as u64;
                        seen.unconsumed += data.len();
                        assert!(seen.unconsumed <= limits::WINDOW, "more than a window is held");
                    }
                    Event::End { stream } => {
                        let seen = me.seen.entry(stream).or_default();
                        seen.peer_ended_at = Some(seen.got);
                    }
                    Event::Reset { stream, reset } => {
                        assert_ne!(reset.code, "EPROTO", "two well-behaved sides never break a rule");
                        me.seen.entry(stream).or_default().over = true;
                    }
                    Event::Closed(reason) => panic!("two well-behaved sides never close the link: {reason}"),
                }
            }
        }

        fn settle(&mut self) {
            for side in 0..2 {
                self.collect(side);
                while self.sides[side].inbox.values().any(|queue| !queue.is_empty()) {
                    self.deliver(side, 0);
                    self.events(side);
                    self.collect(side);
                }
            }
        }

        fn apply(&mut self, step: &Step) {
            match *step {
                Step::Open { side, own } => {
                    let placement = if own { Placement::OwnChannel } else { Placement::Control };
                    let me = &mut self.sides[side];
                    let stream = me.mux.open(Bytes::from_static(br#"{"kind":"x"}"#), placement).expect("linked");
                    me.ids.push(stream);
                    me.seen.entry(stream).or_default();
                }
                Step::Accept { side, pick } => self.with(side, pick, |mux, id, _, _| mux.accept(id, b"{}")),
                Step::Send { side, pick, len } => self.with(side, pick, |mux, id, seen, _| {
                    let len = len.min(mux.send_capacity(id));
                    if len > 0 {
                        mux.send(id, &vec![0; len]);
                        seen.sent += len as u64;
                    }
                }),
                Step::Consume { side, pick, len } => self.with(side, pick, |mux, id, seen, _| {
                    let len = len.min(seen.unconsumed);
                    mux.credit(id, len);
                    seen.unconsumed -= len;
                }),
                Step::End { side, pick } => self.with(side, pick, |mux, id, seen, end_at| {
                    if mux.send_capacity(id) > 0 && !seen.ended {
                        seen.ended = true;
                        end_at.insert(id, seen.sent);
                        mux.end(id);
                    }
                }),
                Step::Reset { side, pick } => self.with(side, pick, |mux, id, seen, _| {
                    seen.over = true;
                    mux.reset(id, &Reset::new(ErrorCode::Econnreset, ""));
                }),
                Step::Deliver { side, channel } => self.deliver(side, channel),
            }
            for side in 0..2 {
                self.events(side);
                self.collect(side);
            }
        }

        fn with(
            &mut self,
            side: usize,
            pick: usize,
            act: impl FnOnce(&mut Mux, StreamId, &mut Seen, &mut HashMap<StreamId, u64>),
        ) {
            let me = &mut self.sides[side];
            let Some(id) = me.ids.get(pick % me.ids.len().max(1)).copied() else { return };
            act(&mut me.mux, id, me.seen.entry(id).or_default(), &mut me.end_at);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        #[test]
        fn keep_every_rule_under_any_schedule(steps in proptest::collection::vec(step(), 1..200)) {
            let mut world = World::new();
            for step in &steps {
                world.apply(step);
            }
            for _ in 0..16 {
                world.settle();
            }
            for side in 0..2 {
                for (id, seen) in &world.sides[side].seen {
                    let peer = &world.sides[1 - side];
                    let over = seen.over || peer.seen.get(id).is_some_and(|seen| seen.over);
                    if !over {
                        let sent = peer.seen.get(id).map_or(0, |seen| seen.sent);
                        prop_assert_eq!(seen.got, sent, "every byte arrives");
                        prop_assert_eq!(seen.peer_ended_at, peer.end_at.get(id).copied(), "END arrives after the last byte");
                    }
                }
            }
        }

        #[test]
        fn a_hostile_page_never_makes_the_node_panic_or_hold_more_than_its_windows(
            messages in proptest::collection::vec(
                (0u64..6, prop_oneof![
                    proptest::collection::vec(any::<u8>(), 0..40),
                    (0u8..8, 0u32..9, prop_oneof![
                        Just(br#"{"kind":"tcp"}"#.to_vec()),
                        proptest::collection::vec(any::<u8>(), 0..10),
                        Just(vec![0; limits::DATA]),
                    ]).prop_map(|(kind, id, payload)| [&[kind], id.to_be_bytes().as_slice(), &payload].concat()),
                ], any::<bool>()),
                0..100,
            ),
        ) {
            let mut mux = linked();
            let mut held = 0usize;
            for (channel, message, text) in messages {
                let channel = ChannelId(channel * 2);
                mux.channel_open(channel, channels::STREAM);
                if text && message.len() == 1 {
                    mux.text(channel, "x");
                } else {
                    mux.binary(channel, message.into());
                }
                for event in drain(&mut mux).1 {
                    match event {
                        Event::Incoming { stream, .. } => mux.accept(stream, b"{}"),
                        Event::Data { data, .. } => held += data.len(),
                        _ => {}
                    }
                }
                prop_assert!(held <= 5 * limits::WINDOW);
            }
        }
    }
}
