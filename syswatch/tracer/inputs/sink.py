"""Adds up what sources hold and sends it to the service."""

import time
from collections.abc import Callable
from typing import Protocol

import attrs

from syswatch.base.classes import define
from syswatch.codec.frames import Message
from syswatch.model.delta import Delta
from syswatch.model.messages import Ended, Failed, Started

SEND_INTERVAL_S = 0.25
# On a busy machine, what is sent takes longer to make: then a tenth of the time is spent on it.
_LONGEST_INTERVAL_S = 1.0
_TIMES_SPENT = 10


class StoppedError(Exception):
    """The service wants no more."""


class Receiver(Protocol):
    """Whatever takes what was read: the pipe to the service, or a sum."""

    def send(self, message: Message) -> None:
        """Take a message that cannot be added to others."""

    def offer(self, delta: Delta) -> None:
        """Take a delta, which may be added to others."""

    def finish(self, message: Message) -> None:
        """Take the last message."""


@define
class Sink:
    """
    The deltas of one reading, sent a few times a second until `must_stop`.

    Sources that start under the same name are one.  `filters` are the filters that are applied
    to all of them, as flags.
    """

    receiver: Receiver
    must_stop: Callable[[], bool]
    filters: str
    now: Callable[[], float] = time.monotonic
    has_records: bool = attrs.field(default=False, init=False)
    # How each source began and ended, by name.
    starts: dict[str, Started] = attrs.field(factory=dict, init=False)
    ends: dict[str, Ended | Failed] = attrs.field(factory=dict, init=False)
    _unsent: Delta = attrs.field(factory=Delta, init=False)
    _last_sent: float = attrs.field(default=0.0, init=False)
    # When it was noticed that it is time to send.
    _due_since: float | None = attrs.field(default=None, init=False)
    _interval_s: float = attrs.field(default=SEND_INTERVAL_S, init=False)

    def has_started(self, name: str) -> bool:
        """Return whether a source of this name has started."""
        return name in self.starts

    def start(self, name: str, start: Started) -> None:
        """Report that a source has started, or that its process is described again."""
        self.starts[name] = start
        self.receiver.send(self._combined_start())

    def end(self, name: str, end: Ended | Failed) -> None:
        """Note how a source ended."""
        self.ends[name] = end

    def add(self, delta: Delta) -> None:
        """Add a delta to those that are sent next."""
        self._unsent += delta
        self.has_records |= bool(delta.reading.records or delta.reading.halves)

    def is_due(self) -> bool:
        """Return whether it is time to take what was counted, and to send it."""
        now = self.now()
        if now - self._last_sent < self._interval_s:
            return False
        if self._due_since is None:
            self._due_since = now
        return True

    def send_if_due(self) -> None:
        """Send what was added, if it is time; raise StoppedError if the service wants no more."""
        if self.is_due():
            if self.must_stop():
                raise StoppedError
            self.receiver.offer(self._unsent)
            self._unsent = Delta()
            self._last_sent = self.now()
            self._set_interval(self._last_sent)

    def _set_interval(self, now: float) -> None:
        since = now if self._due_since is None else self._due_since
        self._due_since = None
        longest = min((now - since) * _TIMES_SPENT, _LONGEST_INTERVAL_S)
        self._interval_s = max(longest, SEND_INTERVAL_S)

    def finish(self, end: Ended | Failed) -> None:
        """Send what is left, and the end."""
        self.receiver.offer(self._unsent)
        self.receiver.finish(end)

    def combined_end(self) -> Ended | Failed:
        """Return how all sources ended; an exit status is kept only if all have the same."""
        failures = [
            f"{name}: the recording ends with: {end.message}"
            for name, end in self.ends.items()
            if isinstance(end, Failed)
        ]
        if failures:
            return Failed("; ".join(failures))
        ends = {end for end in self.ends.values() if isinstance(end, Ended)}
        return ends.pop() if len(ends) == 1 else Ended()

    def _combined_start(self) -> Started:
        """Return the start of all sources together; the process is that of the first."""
        starts = list(self.starts.values())
        sizes = [start.total_bytes for start in starts if start.total_bytes is not None]
        filters = [*(start.only for start in starts), self.filters]
        return Started(
            backend=", ".join(dict.fromkeys(start.backend for start in starts)),
            process=starts[0].process,
            total_bytes=sum(sizes) if sizes else None,
            only=" ".join(dict.fromkeys(filter(None, filters))),
        )


class DeltaSource(Protocol):
    """Whatever can make deltas of an input."""

    def read_into(self, sink: Sink) -> None:
        """Read the input to its end; raise InputError where that is not possible."""
