"""What became of the requests that were pushed to a collector."""

from syswatch.base.classes import frozen


@frozen
class PushState:
    """The counts of one signal (metrics, logs or traces); a request holds many items."""

    signal: str
    accepted: int = 0
    # Requests that the collector refused for good.
    rejected: int = 0
    # Requests that the queue had no room for, or that were left at the end.
    dropped: int = 0
    # Points, records or spans of accepted requests that the collector did not take.
    rejected_items: int = 0
    retries: int = 0
    queued: int = 0
    encoding_ns: int = 0

    @property
    def lost(self) -> int:
        """Return how many requests were given up."""
        return self.rejected + self.dropped

    @property
    def has_losses(self) -> bool:
        """Return whether the collector has less than it was sent."""
        return bool(self.lost or self.rejected_items)
