"""Host names from answers of name servers: the memory of the calls that receive them."""

from collections.abc import Callable, Iterator
from functools import partial

import attrs

from syswatch.tracer.objects.addresses import Address, SocketFacts, parse_address
from syswatch.tracer.objects.answers import MOST_BYTES, RECEIVING, learn, may_answer
from syswatch.tracer.objects.descriptors import Descriptors
from syswatch.tracer.objects.targets import Moved
from syswatch.tracer.sums import CallSums

from .calls import CallKind
from .observed import Observed, signed
from .rows import Row
from .threads import Thread

_ADDRESS_BYTES = 128
_MOST_BUFFERS = 16
_MOST_MESSAGES = 64
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


@attrs.define
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
        description = self.descriptors.table(thread.tid).open.get(signed(thread.first))
        facts = description.socket if description is not None else None
        return facts if may_answer(facts) else None

    def _received(self, thread: Thread, call: CallKind, size: int) -> bool:
        """Learn from what a call has received; return whether it was from a name server."""
        facts = self._facts(thread)
        if facts is None:
            return False
        hosts = self.descriptors.known.hosts
        found = [learn(hosts, facts, *each) for each in _received(Observed(thread, call), size)]
        return any(found)


def _received(call: Observed, size: int) -> Iterator[tuple[bytes, Address | None]]:
    """Yield the messages, of so many bytes together, that a call has received."""
    if call.name == "recvmmsg":
        yield from _messages(call, size)
    elif call.name == "recvmsg":
        yield _message(call, call.number(1), size)
    elif call.name == "readv":
        yield _gathered(call, call.number(1), call.number(2), size), None
    else:
        data = call.read(call.number(1), min(size, call.number(2), MOST_BYTES))
        has_source = call.name == "recvfrom" and call.number(4)
        source = call.read(call.number(4), _ADDRESS_BYTES) if has_source else b""
        yield data, parse_address(source)


def _messages(call: Observed, size: int) -> Iterator[tuple[bytes, Address | None]]:
    """Yield the messages in an array of `struct mmsghdr`, until all bytes are found."""
    word, at = call.word, call.number(1)
    for _ in range(_MOST_MESSAGES):
        length = _number(call, at + 7 * word, 4)
        if not 0 < length <= size:
            return
        yield _message(call, at, length)
        size -= length
        at += 8 * word


def _message(call: Observed, at: int, size: int) -> tuple[bytes, Address | None]:
    """Return the bytes and the address in a `struct msghdr`."""
    word = call.word
    name, length = _number(call, at, word), _number(call, at + word, 4)
    source = parse_address(call.read(name, min(length, _ADDRESS_BYTES)) if name else b"")
    buffers, count = (_number(call, at + place * word, word) for place in (2, 3))
    return _gathered(call, buffers, count, size), source


def _gathered(call: Observed, at: int, count: int, size: int) -> bytes:
    """Return the first bytes in an array of `struct iovec`."""
    word, data, size = call.word, b"", min(size, MOST_BYTES)
    for _ in range(min(count, _MOST_BUFFERS)):
        base, length = _number(call, at, word), _number(call, at + word, word)
        data += call.read(base, min(length, size - len(data)))
        at += 2 * word
    return data


def _number(call: Observed, address: int, size: int) -> int:
    return int.from_bytes(call.read(address, size), "little")
