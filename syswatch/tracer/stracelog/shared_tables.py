"""Which processes and threads of a log share their descriptors."""

import attrs

from syswatch.base.classes import define
from syswatch.tracer.objects.descriptors import DescriptorTable


@define
class SharedTables:
    """The table of each process; `sharers` are those that share one with another."""

    sharers: set[int] = attrs.field(factory=set, init=False)
    _attached: dict[int, DescriptorTable] = attrs.field(factory=dict, init=False)
    # By the identity of the table.
    _pids: dict[int, set[int]] = attrs.field(factory=dict, init=False)

    def attach(self, pid: int, table: DescriptorTable) -> None:
        """Set the table of a process."""
        if self._attached.get(pid) is not table:
            self.detach(pid)
            self._attached[pid] = table
            pids = self._pids.setdefault(id(table), set())
            pids.add(pid)
            if len(pids) > 1:
                self.sharers.update(pids)

    def detach(self, pid: int) -> None:
        """Forget a process."""
        table = self._attached.pop(pid, None)
        pids = self._pids.get(id(table), set())
        pids.discard(pid)
        self.sharers.discard(pid)
        if len(pids) == 1:
            self.sharers.difference_update(pids)
        elif not pids:
            self._pids.pop(id(table), None)

    def with_table(self, table: DescriptorTable, default: int) -> tuple[int, ...]:
        """Return all processes with a table."""
        return tuple(self._pids.get(id(table), (default,)))

    def clear(self) -> None:
        """Forget all processes."""
        for each in (self.sharers, self._attached, self._pids):
            each.clear()
