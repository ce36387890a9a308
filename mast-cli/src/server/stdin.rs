//! Standard input that tells when it ends, so that work nobody waits for any more can stop.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, ReadBuf};
use tokio::sync::Notify;

/// A reader that notifies once its end is reached.
#[derive(Debug)]
pub(super) struct Watched<R> {
    inner: R,
    closed: Arc<Notify>,
}

impl<R> Watched<R> {
    /// Watches `inner`.
    pub(super) fn new(inner: R, closed: Arc<Notify>) -> Self {
        Self { inner, closed }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Watched<R> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buffer.filled().len();
        let room = buffer.remaining();
        let polled = Pin::new(&mut this.inner).poll_read(cx, buffer);
        let is_end = match &polled {
            Poll::Ready(Ok(())) => room > 0 && buffer.filled().len() == before,
            Poll::Ready(Err(_)) => true,
            Poll::Pending => false,
        };
        if is_end {
            this.closed.notify_one();
        }
        polled
    }
}
