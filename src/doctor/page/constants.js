// The link protocol. Generated from spec/link.toml by `cargo codegen`. Do not edit.

/** Numbers and names of the link protocol. Sizes are in bytes, time-outs in milliseconds. */
export const LINK = Object.freeze({
  version: 1,
  channels: Object.freeze({
    control: 'slicc.link.v1',
    stream: 'slicc.link.v1.stream',
  }),
  frames: Object.freeze({
    OPEN: 1,
    OPENED: 2,
    DATA: 3,
    END: 4,
    RESET: 5,
    CREDIT: 6,
  }),
  limits: Object.freeze({
    FRAME_HEADER: 5,
    DATA: 65536,
    CONTROL_PAYLOAD: 65536,
    WINDOW: 262144,
    NODE_STREAM_CHANNELS: 256,
    SCTP_RECEIVE_BUFFER: 4194304,
    MESSAGE: 262144,
    HTTP_HEAD: 1048576,
    HTTP_SIZED_BODY: 1048576,
  }),
  timeouts: Object.freeze({
    HELLO: 10000,
    CONNECT: 15000,
    TCP_DIAL: 30000,
    RESOLVE: 30000,
    HTTP_CONNECT: 30000,
    SETUP_CALL: 10000,
  }),
});
