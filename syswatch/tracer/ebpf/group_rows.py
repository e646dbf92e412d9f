"""The sums of each group and call, as they have grown since they were last read."""

import struct
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import NamedTuple

import attrs

from syswatch.base.classes import define
from syswatch.model.activity import Sums

from . import group_layout as layout
from .layout import ROWS
from .program import Program
from .table_memory import TableMemory

_SUMS = struct.Struct("6Q")
_KEY = struct.Struct("2I")
# Rows are compared in blocks first, because nearly all of them are as they were.
_BLOCK = 64
_BLOCK_BYTES = _BLOCK * _SUMS.size
_NOTHING = bytes(_BLOCK_BYTES)
_EMPTY_SUMS = bytes(_SUMS.size)
_EMPTY_KEY = bytes(_KEY.size)
_PLACES = tuple(range(0, _BLOCK_BYTES, _SUMS.size))


class GroupRow(NamedTuple):
    """What was counted in a row since the last reading; `call` is None for several calls."""

    group: int
    call: int | None
    sums: Sums


@define
class GroupRows:
    """Reads the increments of the rows; only those that have changed cost anything."""

    program: Program
    _before: dict[int, bytes] = attrs.field(factory=dict, init=False)
    _sums: TableMemory = attrs.field(init=False)
    _keys: TableMemory = attrs.field(init=False)
    _counts: layout.GroupCounts = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        """Map the rows into memory."""
        program, rows = self.program, self.program.settings.group_rows
        self._sums = TableMemory(program, "group_rows", rows * _SUMS.size)
        self._keys = TableMemory(program, "group_row_keys", rows * _KEY.size)
        self._counts = program.group_counts

    @property
    def groups(self) -> int:
        """How many records of groups were ever used."""
        return min(int(self._counts.unused_groups), int(self.program.settings.most_groups))

    def read(self) -> Iterator[GroupRow]:
        """Yield group, call and increments of each changed row."""
        blocks = -(-self._used // _BLOCK)
        sums = self._sums.upto(blocks * _BLOCK_BYTES)
        for block in range(blocks):
            data = sums[block * _BLOCK_BYTES : (block + 1) * _BLOCK_BYTES]
            before = self._before.get(block, _NOTHING)
            if data == before[: len(data)]:
                continue
            self._before[block] = data
            for place, at in enumerate(_PLACES[: len(data) // _SUMS.size], block * _BLOCK):
                new, old = data[at : at + _SUMS.size], before[at : at + _SUMS.size]
                if new != old:
                    yield GroupRow(*self._key(place), _growth(new, old))

    def retire(self, groups: AbstractSet[int]) -> None:
        """Let no call find a row of these groups any more."""
        for place in self._of(groups):
            at = place * _KEY.size
            self.program.delete("group_row_index", self._keys.part(at, at + _KEY.size))

    def release(self, groups: AbstractSet[int]) -> None:
        """Let the program reuse the rows of groups that no call can find."""
        for place in self._of(groups):
            self._keys.write(place * _KEY.size, _EMPTY_KEY)
            self._clear(place)
            self.program.free("vacant_group_rows", place)
        for group in groups:
            self._clear(ROWS + group)

    def renew(self) -> None:
        """Let each task look up its group and its rows again."""
        self._counts.generation += 1

    @property
    def _used(self) -> int:
        return min(int(self._counts.unused_rows), int(self.program.settings.group_rows))

    def _key(self, place: int) -> tuple[int, int | None]:
        if place < ROWS:
            return layout.OTHER_GROUPS, place
        if place < self.program.first_group_row:
            return place - ROWS, None
        at = place * _KEY.size
        group, call = _KEY.unpack(self._keys.part(at, at + _KEY.size))
        return group, call

    def _of(self, groups: AbstractSet[int]) -> list[int]:
        first, used = self.program.first_group_row, self._used
        keys = memoryview(self._keys.upto(used * _KEY.size)).cast("I")
        owners = keys[2 * first : 2 * used : 2].tolist()
        return [place for place, group in enumerate(owners, first) if group in groups]

    def _clear(self, place: int) -> None:
        self._sums.write(place * _SUMS.size, _EMPTY_SUMS)
        block, inside = divmod(place, _BLOCK)
        if block in self._before:
            at = inside * _SUMS.size
            data = self._before[block]
            self._before[block] = data[:at] + _EMPTY_SUMS + data[at + _SUMS.size :]


def _growth(new: bytes, old: bytes) -> Sums:
    grown = map(int.__sub__, _SUMS.unpack(new), _SUMS.unpack(old))
    count, errors, total_ns, waiting_ns, ready_ns, waits = grown
    return Sums(
        count,
        errors,
        working_ns=total_ns - waiting_ns - ready_ns,
        waiting_ns=waiting_ns,
        ready_ns=ready_ns,
        waits=waits,
    )
