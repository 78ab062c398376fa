// The link protocol's facts. Generated from spec/link.toml by `cargo codegen`. Do not edit.

/**
 * The names of the setup, channel labels, frame numbers, limits, time-outs in milliseconds, capabilities with the
 * side whose HELLO lists them, error codes with their meaning, and stream kinds.
 */
export const LINK = Object.freeze({
  version: 3,
  setup: Object.freeze({
    version: 2,
    send: 'toySend',
    receive: 'toyReceive',
  }),
  channels: Object.freeze({
    mainLine: 'toy.v3',
  }),
  frames: Object.freeze({
    KNOCK: 7,
  }),
  limits: Object.freeze({
    parcel: 1024,
    stamps: 12345,
  }),
  timeouts: Object.freeze({
    knock: 90000,
    blink: 120,
    nap: 120000,
  }),
  caps: Object.freeze({
    post: 'node',
    'post-express': 'node',
    bell: 'page',
  }),
  codes: Object.freeze({
    ESHUT: 'The door is shut.',
    EPROTO: 'Bad manners.',
  }),
  kinds: Object.freeze({
    parcel: Object.freeze({
      openedBy: 'page',
      caps: Object.freeze(['post', 'post-express']),
      control: false,
      served: true,
      records: Object.freeze({ lid: 1, base: 9 }),
    }),
    bell: Object.freeze({
      openedBy: 'node',
      caps: Object.freeze(['bell']),
      control: true,
      served: false,
    }),
    desk: Object.freeze({
      openedBy: 'page',
      caps: Object.freeze(['post']),
      control: false,
      served: false,
      ops: Object.freeze(['ask', 'hurry']),
    }),
  }),
});
