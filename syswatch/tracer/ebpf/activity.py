"""The sums of each thread, object and call, as they have grown since they were last read."""

import struct
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import NamedTuple

import attrs

from syswatch.base.classes import define

from . import activity_layout as layout
from .program import Program
from .table_memory import TableMemory

_SUMS = struct.Struct("8Q")
_KEY = struct.Struct("4I")
# Rows are compared in groups first, because nearly all of them are as they were.
_GROUP = 64
_GROUP_BYTES = _GROUP * _SUMS.size
_NOTHING = bytes(_GROUP_BYTES)
_EMPTY_SUMS = bytes(_SUMS.size)
_EMPTY_KEY = bytes(_KEY.size)
_PLACES = tuple(range(0, _GROUP_BYTES, _SUMS.size))


class RowKey(NamedTuple):
    """What a row is about, by the numbers that the program uses."""

    thread: int
    process: int
    object: int
    call: int


class Growth(NamedTuple):
    """What was counted in a row since the last reading."""

    calls: int
    errors: int
    bytes_in: int
    bytes_out: int
    total_ns: int
    waits: int
    waiting_ns: int
    ready_ns: int


@define
class Rows:
    """Reads the increments of the rows; only those that have changed cost anything."""

    program: Program
    _before: dict[int, bytes] = attrs.field(factory=dict, init=False)
    # They stay the same until the row is released.
    _known_keys: dict[int, RowKey] = attrs.field(factory=dict, init=False)
    _sums: TableMemory = attrs.field(init=False)
    _keys: TableMemory = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Map the rows into memory."""
        rows = layout.ACTIVITIES
        self._sums = TableMemory(self.program, "activities", rows * _SUMS.size)
        self._keys = TableMemory(self.program, "activity_keys", rows * _KEY.size)

    def read(self) -> Iterator[tuple[int, RowKey, Growth]]:
        """Yield number, key and increments of each changed row."""
        groups = -(-self._used() // _GROUP)
        sums = self._sums.upto(groups * _GROUP_BYTES)
        for group in range(groups):
            data = sums[group * _GROUP_BYTES : (group + 1) * _GROUP_BYTES]
            before = self._before.get(group, _NOTHING)
            if data == before:
                continue
            self._before[group] = data
            for place, at in enumerate(_PLACES, group * _GROUP):
                new, old = data[at : at + _SUMS.size], before[at : at + _SUMS.size]
                if new != old:
                    grown = map(int.__sub__, _SUMS.unpack(new), _SUMS.unpack(old))
                    yield place, self._known_keys.get(place) or self._key(place), Growth(*grown)

    def free(self, threads: AbstractSet[int], processes: AbstractSet[int]) -> list[int]:
        """
        Let the program reuse the rows of threads that have ended; return their numbers.

        The rows that threads of a process share are free when the process has ended.
        """
        keys = self._used_keys()
        owners = zip(keys[::4].tolist(), keys[1::4].tolist(), strict=True)
        rows = [
            row
            for row, (thread, process) in enumerate(owners)
            if thread in threads or (thread == layout.SHARED_THREAD and process in processes)
        ]
        for row in rows:
            self.retire(row)
            self.release(row)
        return rows

    def number_in_use(self) -> int:
        """Return how many rows are in use."""
        threads = self._used_keys()[::4].tolist()
        return len(threads) - threads.count(0)

    def owned(self) -> dict[int, int]:
        """Return the object of each row that is in use."""
        keys = self._used_keys()
        owners = zip(keys[::4].tolist(), keys[2::4].tolist(), strict=True)
        return {row: number for row, (thread, number) in enumerate(owners) if thread}

    def objects_in_use(self) -> set[int]:
        """Return the objects that rows are about."""
        return set(self._used_keys()[2::4].tolist())

    def _used(self) -> int:
        return min(int(self.program.totals.unused_activities), layout.ACTIVITIES)

    def _used_keys(self) -> "memoryview[int]":
        """Return the keys of all rows that were ever used, four numbers each."""
        used = self._used()
        return memoryview(self._keys.upto(used * _KEY.size)).cast("I")[: 4 * used]

    def _key(self, row: int) -> RowKey:
        at = row * _KEY.size
        data = self._keys.part(at, at + _KEY.size)
        key = self._known_keys[row] = RowKey(*_KEY.unpack(data))
        return key

    def retire(self, row: int) -> None:
        """Let no call find a row any more."""
        at = row * _KEY.size
        self.program.delete("activity_index", self._keys.part(at, at + _KEY.size))

    def release(self, row: int) -> None:
        """Let the program reuse a row that no call can find."""
        self._known_keys.pop(row, None)
        self._keys.write(row * _KEY.size, _EMPTY_KEY)
        self._sums.write(row * _SUMS.size, _EMPTY_SUMS)
        group, place = divmod(row, _GROUP)
        if group in self._before:
            at = place * _SUMS.size
            data = self._before[group]
            self._before[group] = data[:at] + _EMPTY_SUMS + data[at + _SUMS.size :]
        self.program.free("vacant_activities", row)
