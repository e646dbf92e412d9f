"""What reaches the tracer from outside: the clock, signals and messages of the service."""

import os
import signal
import time
from collections.abc import Iterator

import attrs

from syswatch.codec.frames import Decoder
from syswatch.model.messages import Deliver, Detach

FLUSH_NS = 100_000_000
_ENDING = (signal.SIGTERM, signal.SIGHUP)
# A signal to the whole process group, as sent by a service manager or a closed terminal, reaches
# the service as well, which passes it on within this time.
_GROUP_SIGNAL_NS = 200_000_000
_SECOND_NS = 1_000_000_000


@attrs.define
class Control:
    """
    Wakes the loop ten times a second, and knows when it must stop.

    A signal interrupts waitpid.  One that arrives just before the loop waits is not lost for long:
    the next tick follows within a tenth of a second.
    """

    fd: int
    # Whether tracing must stop and all threads be detached.
    must_stop: bool = attrs.field(default=False, init=False)
    # Whether the command was sent a signal to end; what it leaves running is not traced then.
    end_passed_on: bool = attrs.field(default=False, init=False)
    # When this process was sent a signal to end; it counts unless the service received it, too.
    _signalled_ns: int = attrs.field(default=0, init=False)
    _signal: int = attrs.field(default=0, init=False)
    _decoder: Decoder = attrs.field(factory=Decoder, init=False)

    def __attrs_post_init__(self) -> None:
        """Make reading non-blocking."""
        os.set_blocking(self.fd, False)

    def start(self) -> None:
        """Start the clock, and handle signals."""
        signal.signal(signal.SIGALRM, lambda *_: None)
        self.listen()
        self._start_clock()

    def listen(self) -> None:
        """Handle the signals that end this process."""
        for number in _ENDING:
            # A signal that was ignored from the start (nohup) stays ignored.
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._on_signal)

    def stop(self) -> None:
        """Stop the clock."""
        signal.setitimer(signal.ITIMER_REAL, 0)

    def coincides(self, time_ns: int) -> bool:
        """Return whether a signal reached this process at that time, too: it went to the group."""
        return bool(self._signalled_ns) and abs(time_ns - self._signalled_ns) < _GROUP_SIGNAL_NS

    def has_received(self, number: int) -> bool:
        """Return whether this signal has just reached this process as well."""
        return number == self._signal and self.coincides(time.monotonic_ns())

    def messages(self) -> Iterator[Deliver | Detach]:
        """Yield what the service has sent; stop tracing if the service has ended."""
        try:
            data = os.read(self.fd, 65536)
        except BlockingIOError:
            self._check_signal()
            return
        if not data:
            self.must_stop = True
        self._decoder.receive_data(data)
        for message in self._decoder.events():
            if isinstance(message, Deliver):
                self.end_passed_on |= message.signal in _ENDING
                yield message
            elif isinstance(message, Detach):
                yield message
        self._check_signal()

    def _check_signal(self) -> None:
        """Stop if only this process was sent a signal to end, which takes a while to find out."""
        is_due = self._signalled_ns and time.monotonic_ns() - self._signalled_ns >= _GROUP_SIGNAL_NS
        if is_due and not self.end_passed_on:
            self.must_stop = True

    def _on_signal(self, number: int, _: object) -> None:
        if not self._signalled_ns:
            self._signalled_ns, self._signal = time.monotonic_ns(), number

    def _start_clock(self) -> None:
        """Tick when flushes are due, just after each tenth of a second."""
        rest_ns = FLUSH_NS - time.time_ns() % FLUSH_NS
        signal.setitimer(signal.ITIMER_REAL, rest_ns / _SECOND_NS, FLUSH_NS / _SECOND_NS)
