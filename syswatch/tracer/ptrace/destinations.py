"""The peers of messages that are sent by sockets that are not connected."""

from collections.abc import Callable

import attrs

from syswatch.base.classes import define
from syswatch.tracer.objects.descriptors import Descriptors
from syswatch.tracer.objects.socket_calls import SENDING, destinations_of, may_have_destinations
from syswatch.tracer.objects.sockets import ephemeral_ports
from syswatch.tracer.objects.ways import Moved
from syswatch.tracer.sums import CallSums

from .calls import CallKind
from .observed import Observed
from .rows import Row
from .threads import Thread

Note = Callable[[Thread, CallKind, int], object]


class SendingRow(Row):
    """
    A row of a call that may send messages to any peer.

    The addresses are read while the thread is stopped after a call: when the sum of its bytes is
    increased, or a failure counted.
    """

    __slots__ = ("_moved", "_sent")
    reads_at_once = True

    def __init__(self, total: CallSums, name: str, number: int, sent: Callable[[], object]) -> None:
        self._moved = 0
        self._sent: Callable[[], object] = lambda: None
        super().__init__(total, name, number, Moved.OUT)
        self._sent = sent

    @property
    def moved(self) -> int:
        """The sum of the bytes."""
        return self._moved

    @moved.setter
    def moved(self, value: int) -> None:
        self._moved = value
        self._sent()

    def add(self, errno: str, duration_ns: int | None) -> None:
        """Count a call that failed or whose duration is not known."""
        super().add(errno, duration_ns)
        self._sent()


@define
class Destinations:
    """Finds the peers of messages."""

    descriptors: Descriptors
    # Whether memory of the target may be read.
    reads: bool = True
    _clients: range = attrs.field(factory=ephemeral_ports, init=False)

    def row(
        self, thread: Thread, call: CallKind, total: CallSums, number: int, note: Note
    ) -> Row | None:
        """Return a row for a call that may send messages anywhere; None for any other call."""
        # Of several messages, the result is needed as well: `note` is called for them.
        if not (self.reads and call.moves and call.plain_name in SENDING):
            return None
        description = self.descriptors.table(thread.tid).open.get(thread.first.value)
        if description is None or not may_have_destinations(description.socket):
            return None
        return SendingRow(total, call.name, number, lambda: self.note(Observed(thread, call), note))

    def note(self, call: Observed, note: Note) -> None:
        """Note the peers to which a call has sent messages, or tried to."""
        known = self.descriptors.known
        for peer in destinations_of(self.descriptors, call, self._clients):
            note(call.thread, call.kind, known.add(peer))
