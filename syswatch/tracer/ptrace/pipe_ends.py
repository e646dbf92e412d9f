"""The processes at the ends of pipes: the traced ones that have read or written."""

import attrs

from syswatch.base.classes import define
from syswatch.model.objects import ObjectKind
from syswatch.tracer.objects import ends
from syswatch.tracer.objects.describe import Owner, inode_of
from syswatch.tracer.objects.ends import End
from syswatch.tracer.objects.known import KnownObjects
from syswatch.tracer.objects.ways import Moved

_MOST_PIPES = 10_000


@define
class PipeEnds:
    """Describes pipes by the processes that use them."""

    known: KnownObjects
    # By object and process.
    _ends: dict[int, dict[int, End]] = attrs.field(factory=dict, init=False)
    _changed: set[int] = attrs.field(factory=set, init=False)

    def note(self, number: int, owner: Owner, moved: Moved) -> None:
        """Note that a process has read or written an object, if that is a pipe."""
        reads, writes = Moved.IN in moved, Moved.OUT in moved
        found = self._ends.get(number)
        if found is None:
            info = self.known.info(number)
            if info is None or info.kind is not ObjectKind.PIPE or len(self._ends) >= _MOST_PIPES:
                return
            found = self._ends[number] = {}
        before = found.get(owner.pid) or End(owner, reads=False, writes=False)
        end = End(owner, before.reads or reads, before.writes or writes)
        if end != before:
            found[owner.pid] = end
            self._changed.add(number)

    def describe(self) -> None:
        """Describe the pipes of which something new is known."""
        for number in self._changed:
            info = self.known.info(number)
            inode = inode_of(info.name.replace(" ", ":").encode()) if info is not None else None
            if inode is not None:
                self.known.add(ends.pipe(inode, tuple(self._ends[number].values())))
        self._changed.clear()
