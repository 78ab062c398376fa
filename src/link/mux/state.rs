//! What the multiplexer remembers of a channel and of a stream.

use std::time::Instant;

use bytes::Bytes;
use serde_json::{Map, Value};

use super::read_object;
use crate::{
    generated::link::limits,
    link::{frame::StreamId, transport::ChannelId},
};

#[derive(Debug)]
pub(super) enum Phase {
    AwaitingHello { deadline: Instant },
    Linked,
    Closed,
}

#[derive(Debug)]
pub(super) struct Channel {
    pub(super) ours: bool,
    pub(super) open: bool,
    pub(super) closing: bool,
    /// The one stream of a stream channel, also after it is over.
    pub(super) stream: Option<StreamId>,
}

impl Channel {
    pub(super) fn ours(stream: Option<StreamId>) -> Self {
        Self { ours: true, open: false, closing: false, stream }
    }

    pub(super) fn peers() -> Self {
        Self { ours: false, open: true, closing: false, stream: None }
    }
}

/// What is wrong with a frame, in a few words for the RESET.
pub(super) type Violation = &'static str;

#[derive(Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is one independent fact about the stream")]
pub(super) struct StreamState {
    pub(super) channel: ChannelId,
    pub(super) ours: bool,
    /// OPEN that waits for its channel.
    pub(super) open_pending: Option<Bytes>,
    pub(super) opened: bool,
    pub(super) end_wanted: bool,
    pub(super) sent_end: bool,
    pub(super) got_end: bool,
    /// DATA bytes sent that the peer hasn't credited.
    pub(super) uncredited_by_peer: usize,
    /// DATA bytes received that we haven't credited.
    pub(super) uncredited_by_us: usize,
}

impl StreamState {
    pub(super) fn ours(channel: ChannelId, open: Bytes) -> Self {
        Self { ours: true, open_pending: Some(open), ..Self::peers(channel) }
    }

    pub(super) fn peers(channel: ChannelId) -> Self {
        Self {
            channel,
            ours: false,
            open_pending: None,
            opened: false,
            end_wanted: false,
            sent_end: false,
            got_end: false,
            uncredited_by_peer: 0,
            uncredited_by_us: 0,
        }
    }

    pub(super) fn send_capacity(&self) -> usize {
        if self.opened && !self.sent_end { limits::WINDOW - self.uncredited_by_peer } else { 0 }
    }

    pub(super) fn opened(&mut self, payload: &[u8]) -> Result<Map<String, Value>, Violation> {
        if !self.ours || self.opened || self.open_pending.is_some() {
            return Err("an unexpected OPENED");
        }
        let opened = if payload.is_empty() { Some(Map::new()) } else { read_object(payload) };
        let opened = opened.ok_or("an OPENED that is not a JSON object")?;
        self.opened = true;
        Ok(opened)
    }

    pub(super) fn data(&mut self, len: usize) -> Result<(), Violation> {
        if !self.opened {
            return Err("DATA before OPENED");
        }
        if self.got_end {
            return Err("DATA after END");
        }
        if len == 0 {
            return Err("empty DATA");
        }
        if self.uncredited_by_us + len > limits::WINDOW {
            return Err("DATA past the window");
        }
        self.uncredited_by_us += len;
        Ok(())
    }

    pub(super) fn end(&mut self) -> Result<(), Violation> {
        if !self.opened {
            return Err("END before OPENED");
        }
        if self.got_end {
            return Err("END after END");
        }
        self.got_end = true;
        Ok(())
    }

    pub(super) fn credited(&mut self, bytes: usize) -> Result<(), Violation> {
        if bytes == 0 {
            return Err("CREDIT of 0");
        }
        if bytes > self.uncredited_by_peer {
            return Err("CREDIT past what was sent");
        }
        self.uncredited_by_peer -= bytes;
        Ok(())
    }
}
