"""What reaches the tracer from outside: the clock, signals and messages of the service."""

import os
import signal
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

import attrs

from syswatch.base.classes import define
from syswatch.model.messages import Deliver, Detach, Report, Watch

if TYPE_CHECKING:
    from syswatch.codec.frames import Decoder, Message

FLUSH_NS = 100_000_000
# When the first numbers are sent, if not earlier.
FIRST_NS = FLUSH_NS // 5
_ENDING = (signal.SIGTERM, signal.SIGHUP)
# Sent to the whole group by a script, it must not be passed on, because the command has it already.
_NOTED = (*_ENDING, signal.SIGINT, signal.SIGQUIT)
# A signal to the whole process group, as sent by a service manager or a closed terminal, reaches
# the service as well, which passes it on within this time.
_GROUP_SIGNAL_NS = 200_000_000
_SECOND_NS = 1_000_000_000


@define
class Control:
    """
    Wakes the loop ten times a second, and knows when it must stop.

    A signal interrupts waitpid.  One that arrives just before the loop waits is not lost for long:
    the next tick follows within a tenth of a second.
    """

    fd: int
    # Whether tracing must stop and all threads be detached.
    must_stop: bool = attrs.field(default=False, init=False)
    # The signal to this process alone for which tracing must stop, or 0.
    stopped_by: int = attrs.field(default=0, init=False)
    # Whether the command was sent a signal to end; what it leaves running is not traced then.
    end_passed_on: bool = attrs.field(default=False, init=False)
    # When this process received each signal.  One that asks it to end counts unless the service
    # received it, too.
    _signalled_ns: dict[int, int] = attrs.field(factory=dict, init=False)
    # Created for the first message, of which there may be none.
    _decoder: "Decoder | None" = attrs.field(default=None, init=False)

    def start(self) -> None:
        """Start the clock, and handle signals."""
        signal.signal(signal.SIGALRM, self._on_first_tick)
        self.listen()
        signal.setitimer(signal.ITIMER_REAL, min(FIRST_NS, _until_flush_ns()) / _SECOND_NS)

    def listen(self) -> None:
        """Note the signals that go to the whole group; do not wait for messages any more."""
        os.set_blocking(self.fd, False)
        for number in _NOTED:
            # One that was ignored from the start (nohup) stays ignored; those of a terminal are.
            if number not in _ENDING or signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._on_signal)

    def stop(self) -> None:
        """Stop the clock."""
        signal.setitimer(signal.ITIMER_REAL, 0)

    def coincides(self, number: int, time_ns: int) -> bool:
        """Return whether a signal reached this process at that time, too: it went to the group."""
        signalled_ns = self._signalled_ns.get(number)
        return signalled_ns is not None and abs(time_ns - signalled_ns) < _GROUP_SIGNAL_NS

    def messages(self) -> Iterator[Deliver | Detach | Report | Watch]:
        """Yield what the service has sent; stop tracing if the service has ended."""
        try:
            data = os.read(self.fd, 65536)
        except BlockingIOError:
            self._check_signal()
            return
        if not data:
            self.must_stop = True
        for message in self._decode(data):
            if isinstance(message, Deliver):
                self.end_passed_on |= message.signal in _ENDING
                yield message
            elif isinstance(message, Detach | Report | Watch):
                yield message
        self._check_signal()

    def _decode(self, data: bytes) -> "Iterator[Message]":
        if self._decoder is None:
            from syswatch.codec.frames import Decoder

            self._decoder = Decoder()
        self._decoder.receive_data(data)
        return self._decoder.events()

    def _check_signal(self) -> None:
        """Stop if only this process was sent a signal to end, which takes a while to find out."""
        asked = [each for each in _ENDING if each in self._signalled_ns]
        if self.must_stop or self.end_passed_on or not asked:
            return
        first = min(asked, key=self._signalled_ns.__getitem__)
        if time.monotonic_ns() - self._signalled_ns[first] >= _GROUP_SIGNAL_NS:
            self.must_stop, self.stopped_by = True, first

    def _on_signal(self, number: int, _: object) -> None:
        if number in _ENDING:
            self._signalled_ns.setdefault(number, time.monotonic_ns())
        else:
            self._signalled_ns[number] = time.monotonic_ns()

    def _on_first_tick(self, *_: object) -> None:
        """From now on, tick when flushes are due, just after each tenth of a second."""
        signal.signal(signal.SIGALRM, lambda *_: None)
        interval_s = FLUSH_NS / _SECOND_NS
        signal.setitimer(signal.ITIMER_REAL, _until_flush_ns() / _SECOND_NS, interval_s)


def _until_flush_ns() -> int:
    return FLUSH_NS - time.time_ns() % FLUSH_NS
