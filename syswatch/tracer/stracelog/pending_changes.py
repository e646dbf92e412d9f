"""Changes of descriptors that are applied together."""

from collections import defaultdict
from collections.abc import Callable
from functools import partial

import attrs

from syswatch.base.classes import define
from syswatch.tracer.objects.descriptors import Description, Descriptors

from .clones_in_progress import Effect
from .log_numbers import whole_number

# What descriptors were opened for, with whether execve closes them; None if they were closed.
Changes = dict[bytes, tuple[Description, bool] | None]


@define
class PendingChanges:
    """
    Keeps which descriptors were opened, or closed, until the table of their process is needed.

    Most are soon closed, so the table is changed once for each descriptor.  `applied` is called
    with what was changed.
    """

    _tables: Descriptors
    _applied: Callable[[int, Effect], None]
    # The dicts stay the same; they are emptied.
    _changes: dict[int, Changes] = attrs.field(factory=lambda: defaultdict(dict), init=False)

    def of(self, pid: int) -> Changes:
        """Return the changes of a process, to which more may be added."""
        return self._changes[pid]

    def settle(self, pid: int) -> None:
        """Bring the table of a process up to date."""
        changes = self._changes.get(pid)
        if changes:
            self._apply(pid, changes)
            self._applied(pid, partial(self._apply, pid, changes.copy()))
            changes.clear()

    def settle_all(self) -> None:
        """Bring all tables up to date, and forget what was pending."""
        for pid in self._changes:
            self.settle(pid)
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        self._changes.clear()

    def _apply(self, pid: int, changes: Changes) -> None:
        table = self._tables.table(pid)
        for digits, entry in changes.items():
            if entry is None:
                table.closed(whole_number(digits))
            else:
                table.opened(whole_number(digits), entry[0], cloexec=entry[1])
