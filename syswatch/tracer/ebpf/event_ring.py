"""
The rings in which the program writes every call.

Events are copied and sent as a whole; the only work for each of them is to look up the ID of its
object, in one expression for thousands.
"""

import ctypes
import struct
from array import array
from collections.abc import Callable, Sequence
from mmap import mmap

import attrs

from syswatch.base.classes import define
from syswatch.codec.event_frames import Loss
from syswatch.codec.events import EVENT, FIELDS

from . import event_layout as layout
from .program import Program

_NUMBER_BYTES = 8
_WORDS = EVENT.size // _NUMBER_BYTES
_OBJECT = next(place for place, (name, _) in enumerate(FIELDS) if name == "object")
_RING_WORDS = ctypes.sizeof(layout.EventRing) // _NUMBER_BYTES
_HEAD, _DONE, _LOST, _TAIL = (
    getattr(layout.EventRing, name).offset // _NUMBER_BYTES
    for name in ("head", "done", "lost", "tail")
)
# A CPU writes an event far faster than it is looked at once; only a preempted program takes longer.
_TRIES = 100
_LOST_KEY = struct.Struct("II")
_COUNT = struct.Struct("Q")
# In a second that is over for so long, no more calls are lost.
_SETTLED_S = 2


class _Identities(dict[int, int]):
    """The IDs of objects by the numbers that the program uses."""

    def __init__(self, id_of: Callable[[int], int]) -> None:
        super().__init__()
        self._id_of = id_of

    def __missing__(self, number: int) -> int:
        known = self[number] = self._id_of(number)
        return known


@define
class EventRing:
    """Takes events from the rings of all CPUs, and counts those that were lost."""

    program: Program
    _size: int = attrs.field(init=False)
    _events: memoryview = attrs.field(init=False)
    _rings: memoryview = attrs.field(init=False)
    # How many were lost: events on all CPUs, calls in the table, and calls that are not in it.
    _seen: int = attrs.field(default=0, init=False)
    _counted: dict[bytes, int] = attrs.field(factory=dict, init=False)
    _elsewhere: int = attrs.field(default=0, init=False)

    def __attrs_post_init__(self) -> None:
        """Map the rings into memory."""
        program = self.program
        self._size = program.settings.events
        events: mmap = program.mapped("events", program.cpus * self._size * EVENT.size)
        rings: mmap = program.mapped("event_rings", program.cpus * _RING_WORDS * _NUMBER_BYTES)
        self._events = memoryview(events)
        self._rings = memoryview(rings).cast("Q")

    def ends(self) -> Sequence[int]:
        """Return up to which position the events of each CPU are complete."""
        return [self._end(cpu * _RING_WORDS) for cpu in range(self.program.cpus)]

    def _end(self, at: int) -> int:
        for _ in range(_TRIES):
            # In this order: what is complete then, has been begun before.
            done = int(self._rings[at + _DONE])
            if self._rings[at + _HEAD] == done:
                return done
        return int(self._rings[at + _TAIL])

    def take(self, ends: Sequence[int], id_of: Callable[[int], int]) -> bytearray:
        """Return the events before these positions, with the IDs of their objects."""
        parts = [part for cpu, end in enumerate(ends) for part in self._parts(cpu, end)]
        data = bytearray().join(parts)
        self.skip(ends)
        words = memoryview(data).cast("Q")
        known = _Identities(id_of)
        numbers = words[_OBJECT::_WORDS].tolist()
        words[_OBJECT::_WORDS] = memoryview(array("Q", map(known.__getitem__, numbers)))
        return data

    def skip(self, ends: Sequence[int]) -> None:
        """Let the program use the places of the events before these positions again."""
        for cpu, end in enumerate(ends):
            self._rings[cpu * _RING_WORDS + _TAIL] = end

    def _parts(self, cpu: int, end: int) -> list[memoryview]:
        """Return the memory of the events of a CPU, which may be at both ends of its ring."""
        tail, first = self._rings[cpu * _RING_WORDS + _TAIL], cpu * self._size
        begin, number = tail % self._size, end - tail
        before = min(number, self._size - begin)
        return [
            self._memory(first + begin, before),
            self._memory(first, number - before),
        ]

    def _memory(self, first: int, number: int) -> memoryview:
        return self._events[first * EVENT.size : (first + number) * EVENT.size]

    def losses(self, second: int) -> list[Loss]:
        """Return the calls that were lost since the last time; `second` is the present one."""
        seen = sum(self._rings[_LOST::_RING_WORDS].tolist())
        if seen == self._seen:
            return []
        self._seen = seen
        found = self._attributed(second)
        elsewhere = self.program.totals.lost_calls
        if elsewhere > self._elsewhere:
            found.append(Loss(0, second, elsewhere - self._elsewhere))
            self._elsewhere = elsewhere
        return found

    def _attributed(self, second: int) -> list[Loss]:
        found = []
        keys, values = self.program.contents("lost_calls", _LOST_KEY.size, _COUNT.size)
        for place, (count,) in enumerate(_COUNT.iter_unpack(values)):
            key = keys[place * _LOST_KEY.size : (place + 1) * _LOST_KEY.size]
            more = count - self._counted.get(key, 0)
            self._counted[key] = count
            tid, ended = _LOST_KEY.unpack(key)
            if more:
                found.append(Loss(tid, ended, more))
            if ended + _SETTLED_S < second:
                self.program.delete("lost_calls", key)
                del self._counted[key]
        return found
