"""The records of threads, as the program publishes them."""

import ctypes
import struct
from typing import Any, NamedTuple

import attrs

from syswatch.base.classes import define

from . import activity_layout as activity
from . import layout
from .program import Program
from .table_memory import TableMemory

_FIELDS = struct.Struct(f"4I{activity.COMM}s11Q4I{activity.ARGUMENTS}Q2Q")
_SIZE = ctypes.sizeof(activity.Thread)
_EMPTY = bytes(_SIZE)


class ThreadRecord(NamedTuple):
    """What is known of a thread; all times are monotonic."""

    number: int
    state: int
    process: int
    tid: int
    flags: int
    comm: bytes
    born_ns: int
    ended_ns: int
    off_ns: int
    off_since_ns: int
    ready_ns: int
    delay_ns: int
    voluntary: int
    switches: int
    seen_ns: int
    began_ns: int
    call_off_ns: int
    call: int
    object: int
    activity: int
    waits: int
    arguments: tuple[int, ...]
    first_exit_ns: int
    first_off_ns: int

    @property
    def has_ended(self) -> bool:
        """Return whether it makes no calls any more that are followed."""
        return self.state != layout.ALIVE

    @property
    def is_off(self) -> bool:
        """Return whether it is not on a CPU."""
        return bool(self.off_since_ns) and not self.has_ended

    @property
    def was_preempted(self) -> bool:
        """Return whether it could run, but has lost its CPU."""
        # Of a thread that has not run since it was found, that is not known.
        has_run = self.switches or not self.flags & activity.THREAD_FOUND
        return bool(has_run and self.is_off and not self.flags & activity.THREAD_WAITS)

    @property
    def is_in_first_call(self) -> bool:
        """Return whether it is in the call that it was in when it was found."""
        is_first = self.flags & activity.THREAD_FIRST_CALL and not self.first_exit_ns
        return bool(is_first) and not self.began_ns and self.is_off

    def is_in_call(self, looked_ns: int) -> bool:
        """
        Return whether it is in the call that it was last seen in.

        That is certain if it has not run since, or was seen after `looked_ns`.
        """
        if self.has_ended or not self.flags & activity.THREAD_IN_CALL:
            return False
        return self.is_off or self.seen_ns >= looked_ns


@define
class ThreadRecords:
    """Reads and frees the records of threads."""

    program: Program
    most: int = activity.THREADS
    _memory: TableMemory = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Map the records into memory."""
        self._memory = TableMemory(self.program, "threads", activity.THREADS * _SIZE)

    def read(self) -> list[ThreadRecord]:
        """Return all threads that exist, or that have ended and are not free yet."""
        data = self._memory.part(0, self._used() * _SIZE)
        return [
            _record(number, fields)
            for number, fields in enumerate(_FIELDS.iter_unpack(data))
            if number >= activity.FIRST_THREAD and fields[0] != layout.FREE
        ]

    def in_use(self) -> int:
        """Return how many records are those of threads that exist or have not been read yet."""
        # The state is the first field of a record.
        end = self._used() * _SIZE
        states = self._memory.upto(end)[:end:_SIZE]
        return len(states) - states.count(layout.FREE)

    def one(self, number: int) -> ThreadRecord:
        """Return one record."""
        at = number * _SIZE
        memory = self._memory.upto(at + _SIZE)
        return _record(number, _FIELDS.unpack_from(memory, at))

    def free(self, numbers: set[int]) -> None:
        """Let the program reuse the records of threads that have ended."""
        for number in numbers:
            self._memory.write(number * _SIZE, _EMPTY)
            self.program.free("vacant_threads", number)

    def _used(self) -> int:
        """Return the number of the first record that has never been used."""
        return min(int(self.program.totals.unused_threads), activity.THREADS)


def _record(number: int, fields: tuple[Any, ...]) -> ThreadRecord:
    last = len(fields) - 2
    before = last - activity.ARGUMENTS
    return ThreadRecord._make((number, *fields[:before], fields[before:last], *fields[last:]))
