"""Host names from answers of name servers: the memory of the calls that receive them."""

from collections.abc import Callable
from functools import partial

from syswatch.base.classes import define
from syswatch.tracer.objects.addresses import SocketFacts
from syswatch.tracer.objects.answers import RECEIVING, learn, may_answer
from syswatch.tracer.objects.descriptors import Descriptors
from syswatch.tracer.objects.received import received
from syswatch.tracer.objects.ways import Moved
from syswatch.tracer.sums import CallSums

from .calls import CallKind
from .observed import Observed
from .rows import Row
from .threads import Thread

# Of a socket without a fixed peer: after so many datagrams of others, until the next flush no more
# are read.
_MOST_OTHERS = 8


class AnswerRow(Row):
    """
    A row of a call that may receive answers of a name server.

    The sum of its bytes is increased while the thread is stopped after a call, so this is when to
    read what was received; other rows need no check.
    """

    __slots__ = ("_moved", "_others", "_received")
    reads_at_once = True

    def __init__(
        self, total: CallSums, name: str, number: int, received: Callable[[int], bool]
    ) -> None:
        self._moved = 0
        self._others = 0
        self._received = received
        super().__init__(total, name, number, Moved.IN)

    @property
    def moved(self) -> int:
        """The sum of the bytes."""
        return self._moved

    @moved.setter
    def moved(self, value: int) -> None:
        size, self._moved = value - self._moved, value
        if size > 0 and self._others < _MOST_OTHERS:
            self._others += not self._received(size)


@define
class Answers:
    """Learns host names from what the target receives of name servers."""

    descriptors: Descriptors
    # Whether memory of the target may be read.
    reads: bool = True

    def row(self, thread: Thread, call: CallKind, total: CallSums, number: int) -> Row | None:
        """Return a row for a call that may receive answers; None for any other call."""
        if not self.reads or call.plain_name not in RECEIVING or self._facts(thread) is None:
            return None
        return AnswerRow(total, call.name, number, partial(self._received, thread, call))

    def _facts(self, thread: Thread) -> SocketFacts | None:
        """Return the socket of a call if it may receive answers."""
        description = self.descriptors.table(thread.tid).open.get(thread.first.value)
        facts = description.socket if description is not None else None
        return facts if may_answer(facts) else None

    def _received(self, thread: Thread, call: CallKind, size: int) -> bool:
        """Learn from what a call has received; return whether it was from a name server."""
        facts = self._facts(thread)
        if facts is None:
            return False
        hosts = self.descriptors.known.hosts
        found = [learn(hosts, facts, *each) for each in received(Observed(thread, call), size)]
        return any(found)
