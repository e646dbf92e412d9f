"""What reaches the tracer from outside of its loop: the clock, signals, words of the service."""

import os
import signal
import time
from collections.abc import Iterator

import attrs

from syswatch.model.messages import Deliver, Detach
from syswatch.wire import Decoder

FLUSH_NS = 100_000_000
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
        for number in (signal.SIGTERM, signal.SIGHUP):
            # A signal that our starter ignores (nohup) stays ignored.
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._asked_to_leave)

    def stop(self) -> None:
        """Stop the clock."""
        signal.setitimer(signal.ITIMER_REAL, 0)

    def words(self) -> Iterator[Deliver | Detach]:
        """Yield what the service has said; when it has gone, everything is to be let go."""
        try:
            data = os.read(self.fd, 65536)
        except BlockingIOError:
            return
        if not data:
            self.leave = True
        self._decoder.receive_data(data)
        for message in self._decoder.events():
            if isinstance(message, Deliver | Detach):
                yield message

    def _asked_to_leave(self, *_: object) -> None:
        self.leave = True

    def _tick_on_time(self) -> None:
        """Tick where the flushes are due, just after each tenth of a second."""
        rest_ns = FLUSH_NS - time.time_ns() % FLUSH_NS
        signal.setitimer(signal.ITIMER_REAL, rest_ns / _SECOND_NS, FLUSH_NS / _SECOND_NS)
