//! Plain `slicc`: finds browsers, opens seven in one, and links it (section "The default: slicc" of the requirement).

pub mod event;
