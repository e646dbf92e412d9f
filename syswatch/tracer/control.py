"""What reaches the tracer from outside of its loop: the clock, signals, words of the service."""

import os
import signal
import time
from collections.abc import Iterator

import attrs

from syswatch.codec.frames import Decoder
from syswatch.model.messages import Deliver, Detach

FLUSH_NS = 100_000_000
_ENDING = (signal.SIGTERM, signal.SIGHUP)
# A signal to our whole group, as of a service manager or of a terminal that goes away, reaches the
# service as well, which passes it on; so long may that take.
_PATIENCE_NS = 200_000_000
_SECOND_NS = 1_000_000_000


@attrs.define
class Control:
    """
    Wakes the loop ten times a second, and says when it is to end.

    A signal interrupts waitpid.  One that comes just before the loop waits is not lost for long:
    the next one comes a tenth of a second later.
    """

    fd: int
    # Whether everything is to be let go.
    leave: bool = attrs.field(default=False, init=False)
    # Whether the command was told to end: what it leaves behind then goes on without us.
    end_passed_on: bool = attrs.field(default=False, init=False)
    # When we were asked to end; it counts unless the service was asked as well.
    _asked_ns: int = attrs.field(default=0, init=False)
    _asked_by: int = attrs.field(default=0, init=False)
    _decoder: Decoder = attrs.field(factory=Decoder, init=False)

    def __attrs_post_init__(self) -> None:
        """Read from now on without waiting."""
        os.set_blocking(self.fd, False)

    def start(self) -> None:
        """Let the clock tick, and listen to those who want us to end."""
        signal.signal(signal.SIGALRM, lambda *_: None)
        self.listen()
        self._tick_on_time()

    def listen(self) -> None:
        """Listen to those who want us to end."""
        for number in _ENDING:
            # A signal that our starter ignores (nohup) stays ignored.
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._asked_to_leave)

    def stop(self) -> None:
        """Stop the clock."""
        signal.setitimer(signal.ITIMER_REAL, 0)

    def came_with(self, moment_ns: int) -> bool:
        """Say whether we were asked to end in the same moment: everybody was, together."""
        return bool(self._asked_ns) and abs(moment_ns - self._asked_ns) < _PATIENCE_NS

    def was_sent(self, number: int) -> bool:
        """Return whether this signal has reached us as well, a moment ago."""
        return number == self._asked_by and self.came_with(time.monotonic_ns())

    def words(self) -> Iterator[Deliver | Detach]:
        """Yield what the service has said; when it has gone, everything is to be let go."""
        try:
            data = os.read(self.fd, 65536)
        except BlockingIOError:
            self._heed()
            return
        if not data:
            self.leave = True
        self._decoder.receive_data(data)
        for message in self._decoder.events():
            if isinstance(message, Deliver):
                self.end_passed_on |= message.signal in _ENDING
                yield message
            elif isinstance(message, Detach):
                yield message
        self._heed()

    def _heed(self) -> None:
        """Leave if we alone were asked to end; for a while nobody knows."""
        is_due = self._asked_ns and time.monotonic_ns() - self._asked_ns >= _PATIENCE_NS
        if is_due and not self.end_passed_on:
            self.leave = True

    def _asked_to_leave(self, number: int, _: object) -> None:
        if not self._asked_ns:
            self._asked_ns, self._asked_by = time.monotonic_ns(), number

    def _tick_on_time(self) -> None:
        """Tick where the flushes are due, just after each tenth of a second."""
        rest_ns = FLUSH_NS - time.time_ns() % FLUSH_NS
        signal.setitimer(signal.ITIMER_REAL, rest_ns / _SECOND_NS, FLUSH_NS / _SECOND_NS)
