//! A node and the signaller that brings it pages, from start to end.

use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{LocalNode, engine::Listener};
use crate::signal::{self, Ended, SignalError, Signaller};

/// Links the pages that a signaller reaches to a node, until `stop` is cancelled or the signaller ends. A page that is
/// linked then is told so.
///
/// The future runs both; it can be awaited where it is, or spawned.
///
/// # Errors
/// A [`SignalError`] when the signaller can't go on.
pub fn session<S: Signaller>(
    node: &LocalNode,
    signaller: S,
    listener: Listener,
    stop: CancellationToken,
) -> impl Future<Output = Result<Ended, SignalError>> + Send + use<S> {
    let (signal_sender, signals) = mpsc::channel(signal::QUEUE);
    let (replies, reply_queue) = mpsc::channel(signal::QUEUE);
    let engine = node.engine(listener, replies);
    // The signaller outlives the engine, whose last reply is a bye.
    let signaller_stop = CancellationToken::new();
    async move {
        let answering = async {
            engine.run(signals, stop).await;
            signaller_stop.cancel();
        };
        let (ended, ()) = tokio::join!(signaller.run(signal_sender, reply_queue, signaller_stop.clone()), answering);
        ended
    }
}
