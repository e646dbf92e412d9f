"""Groups of calls by process, object and name, which are counted together."""

from collections.abc import Callable, Iterator

import attrs

from syswatch.base.classes import define

from .line_format import Row
from .log_keys import Pids, Take
from .log_processes import LogProcesses

# When there are so many groups, all are counted and dropped.
_MOST_GROUPS = 30_000
GroupKey = tuple[int, int, str]
# PID, name, working directory, and the calls.
PathGroup = tuple[int, str, bytes, list[Row]]


def _ignore(_row: Row) -> None:
    """Do not count a call that the filter leaves out."""


@define
class LogGroups:
    """
    Collects calls.

    `admits` tells whether calls of a name are counted, and `admits_success` whether those are that
    have succeeded.
    """

    admits: Callable[[str], bool]
    processes: LogProcesses
    pids: Pids
    admits_success: bool = True
    # The lists stay the same; they are emptied when they have been counted.
    rows: dict[GroupKey, list[Row]] = attrs.field(factory=dict, init=False)
    # The calls that begin with a path, by PID and name; and those of the past with the directory
    # that their paths were relative to.
    on_paths: dict[tuple[int, str], list[Row]] = attrs.field(factory=dict, init=False)
    on_past_paths: list[PathGroup] = attrs.field(factory=list, init=False)
    _path_names: set[str] = attrs.field(factory=set, init=False)
    # Bytes read and written that are not the result of a call on the object.
    extra: dict[GroupKey, tuple[int, int]] = attrs.field(factory=dict, init=False)
    _noted: set[GroupKey] = attrs.field(factory=set, init=False)

    def of(self, pid: int, found: int, name: str) -> Take:
        """Return what collects the calls of one name by one process on one object."""
        if not self.admits(name):
            return _ignore
        return self.rows.setdefault((pid, found, name), []).append

    def of_paths(self, pid: int, name: str) -> Take:
        """Return what collects the calls of one name by one process on paths."""
        if not self.admits(name):
            return _ignore
        self._path_names.add(name)
        return self.on_paths.setdefault((pid, name), []).append

    def end_paths(self, pid: int) -> None:
        """Set the calls on paths aside, before the working directory of the process changes."""
        directory = self.processes.place(pid).directory
        self.pids.keys_of(pid).files.clear()
        for name in self._path_names:
            if rows := self.on_paths.get((pid, name)):
                self.on_past_paths.append((pid, name, directory, rows.copy()))
                rows.clear()

    def take_paths(self) -> Iterator[PathGroup]:
        """Yield and empty the groups of calls on paths."""
        yield from self.on_past_paths
        self.on_past_paths.clear()
        for (pid, name), rows in self.on_paths.items():
            if rows:
                yield pid, name, self.processes.place(pid).directory, rows
                rows.clear()

    def add_bytes(self, key: GroupKey, bytes_in: int, bytes_out: int) -> None:
        """Add bytes to those of a group, of a call that has succeeded."""
        if not (self.admits_success and self.admits(key[2])):
            return
        before = self.extra.get(key, (0, 0))
        self.extra[key] = before[0] + bytes_in, before[1] + bytes_out

    def note(self, key: GroupKey) -> None:
        """Make sure that there is a row for an object, though the call is counted for another."""
        if self.admits_success and self.admits(key[2]):
            self._noted.add(key)

    def take_noted(self) -> set[GroupKey]:
        """Return and forget what was noted."""
        noted, self._noted = self._noted, set()
        return noted

    @property
    def count(self) -> int:
        """Return the number of groups, empty ones included."""
        return len(self.rows) + len(self.on_paths)

    @property
    def is_crowded(self) -> bool:
        """Return whether there are too many groups to go on."""
        return self.count > _MOST_GROUPS

    def clear(self) -> None:
        """Forget all groups, which have been counted."""
        self.rows.clear()
        self.on_paths.clear()
