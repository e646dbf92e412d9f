"""
The groups of processes: what they have done since the last reading, and their names.

Groups that have not made calls for long are freed when many are in use, so that a trace of days
follows all groups that come and go.  Nothing is lost: what was counted has been sent, under keys
that depend on the names alone.
"""

import ctypes
import os
from collections.abc import Iterable

import attrs

from syswatch.base.classes import define
from syswatch.base.redaction import Redactor
from syswatch.base.text import escape_text
from syswatch.machine.group_names import GroupNames, Named
from syswatch.machine.runtime_sockets import RuntimeSockets
from syswatch.model.activity import NO_SUMS, Sums
from syswatch.model.delta import Delta
from syswatch.model.grouping import Grouping
from syswatch.model.groups import (
    OTHER_CALLS,
    OTHER_GROUPS,
    GroupInfo,
    GroupKey,
    GroupTimes,
)
from syswatch.model.histogram import Histogram
from syswatch.model.ledger import Ledger

from . import group_layout as layout
from .calls import CallNames
from .group_rows import GroupRow, GroupRows
from .increments import growth
from .layout import BUCKETS
from .program import Program
from .table_memory import TableMemory

_RECORD = ctypes.sizeof(layout.Group)
_KEY = ctypes.sizeof(layout.GroupKey)
_TIMES = 4 * BUCKETS
_NO_TIMES = bytes(_TIMES)
# From this share of the records on, so many are freed that the other share is in use.
_CROWDED = 0.75
_KEPT = 0.5
# How many control groups are remembered, so that one that comes back is not counted again.
_REMEMBERED = 50_000


@define
class GroupTables:
    """Reads the groups, names them, and frees those that were used least recently."""

    program: Program
    calls: CallNames
    names: GroupNames
    redact: Redactor
    _rows: GroupRows = attrs.field(init=False)
    _records: TableMemory = attrs.field(init=False)
    _times: TableMemory = attrs.field(init=False)
    _known: dict[int, str] = attrs.field(factory=dict, init=False)
    _times_before: dict[int, bytes] = attrs.field(factory=dict, init=False)
    # When a group made its last calls, in readings.
    _used: dict[int, int] = attrs.field(factory=dict, init=False)
    _now: int = attrs.field(default=0, init=False)
    _met: dict[bytes, None] = attrs.field(factory=dict, init=False)
    # The groups whose names are awaited, as found in this reading, and what they have done.
    _unnamed: set[int] = attrs.field(factory=set, init=False)
    _held: list[GroupRow] = attrs.field(factory=list, init=False)
    _leaving: frozenset[int] = attrs.field(default=frozenset(), init=False)

    @classmethod
    def by(
        cls, grouping: str, program: Program, calls: CallNames, redact: Redactor
    ) -> "GroupTables":
        """Return the tables of groups of a kind."""
        names = GroupNames(Grouping(grouping), sockets=RuntimeSockets())
        return cls(program, calls, names, redact)

    def __attrs_post_init__(self) -> None:
        """Map the tables into memory."""
        most = self.program.settings.most_groups
        self._rows = GroupRows(self.program)
        self._records = TableMemory(self.program, "group_records", most * _RECORD)
        self._times = TableMemory(self.program, "group_times", most * _TIMES)

    def read(self, *, with_times: bool = True, is_last: bool = False) -> Delta:
        """
        Return what was counted since the last reading.

        What a group has done is held back until its name is known, or will not be.  The durations
        of calls take longer to read than all else, so that is left for later without `with_times`.
        """
        groups: dict[GroupKey, Sums] = {}
        infos: dict[str, GroupInfo] = {}
        self._unnamed.clear()
        held, self._held = self._held, []
        ungrouped = self._add((*held, *self._rows.read()), groups, infos)
        if is_last and self._held:
            self.names.finish()
            self._unnamed.clear()
            held, self._held = self._held, []
            self._add(held, groups, infos)
        # Those of groups that are released now cannot be read later.
        times = self._new_times(infos) if with_times or self._leaving else {}
        self._reuse()
        return Delta(
            groups=groups,
            group_infos=infos,
            group_times=times,
            ledger=Ledger(ungrouped_calls=ungrouped),
        )

    def _add(
        self, rows: Iterable[GroupRow], groups: dict[GroupKey, Sums], infos: dict[str, GroupInfo]
    ) -> int:
        """Add rows to the sums, or to those held back; return the calls of no group."""
        ungrouped = 0
        for row in rows:
            group = self._key(row.group, infos)
            if group is None:
                self._held.append(row)
                continue
            call = OTHER_CALLS if row.call is None else self.calls.name(row.call).name
            key = GroupKey(group, call)
            groups[key] = groups.get(key, NO_SUMS) + row.sums
            self._used[row.group] = self._now
            if row.group == layout.OTHER_GROUPS:
                ungrouped += row.sums.count
        return ungrouped

    def _key(self, group: int, infos: dict[str, GroupInfo]) -> str | None:
        """Return the key of a group; describe it if it is new.  None if its name is awaited."""
        if group == layout.OTHER_GROUPS:
            return OTHER_GROUPS
        if group in self._unnamed:
            return None
        if group not in self._known:
            named = self._named(group)
            if named is None:
                self._unnamed.add(group)
                return None
            key, info = named
            labels = {name: self.redact(text) for name, text in info.labels.items()}
            info = attrs.evolve(info, labels=labels, lives=self._lives(group))
            infos[key] = infos[key] + info if key in infos else info
            self._known[group] = key
        return self._known[group]

    def _lives(self, group: int) -> int:
        """Return 0 for a group that was freed and has made calls again, else 1."""
        key = self._record_key(group)
        if key in self._met:
            return 0
        self._met[key] = None
        if len(self._met) > _REMEMBERED:
            del self._met[next(iter(self._met))]
        return 1

    def _named(self, group: int) -> Named | None:
        at = group * _RECORD
        record = layout.Group.from_buffer_copy(self._records.part(at, at + _RECORD))
        if self.program.settings.groups == layout.BY_PROCESS_NAME:
            name = bytes(record.key).partition(b"\0")[0]
            shown = self.redact(text := escape_text(name))
            return self.names.of_name(name if shown == text else shown.encode())
        names = [os.fsdecode(each.value) for each in record.names[: record.depth]]
        path = "/" + "/".join((*["..."] * record.cut, *reversed(names)))
        return self.names.of_path(path) if self.names.is_ready(path) else None

    def _new_times(self, infos: dict[str, GroupInfo]) -> GroupTimes:
        times: dict[str, Histogram] = {}
        for group in range(self._rows.groups):
            now = self._times.part(group * _TIMES, (group + 1) * _TIMES)
            before = self._times_before.get(group, _NO_TIMES)
            key = None if now == before else self._key(group, infos)
            if key is None:
                continue
            self._times_before[group] = now
            new = Histogram(dict(growth(before, now)))
            times[key] = times[key] + new if key in times else new
        return times

    def _reuse(self) -> None:
        """Free what left in the reading before; let more leave if necessary."""
        for group in self._leaving:
            self._release(group)
        self._rows.release(self._leaving)
        self._leaving = self._least_used()
        if self._leaving:
            for group in self._leaving:
                self.program.delete("group_index", self._record_key(group))
            self._rows.retire(self._leaving)
            self._rows.renew()
        self._now += 1

    def _release(self, group: int) -> None:
        for known in (self._known, self._used, self._times_before):
            known.pop(group, None)
        self._times.write(group * _TIMES, _NO_TIMES)
        self.program.free("vacant_groups", group)

    def _least_used(self) -> frozenset[int]:
        """Return the groups to free, which have made no calls since the last reading."""
        most = self.program.settings.most_groups
        if len(self._known) < _CROWDED * most:
            return frozenset()
        excess = len(self._known) - int(_KEPT * most)
        oldest = sorted(self._known, key=lambda group: self._used.get(group, 0))[:excess]
        return frozenset(group for group in oldest if self._used.get(group, 0) < self._now)

    def _record_key(self, group: int) -> bytes:
        at = group * _RECORD
        return self._records.part(at, at + _KEY)
