"""
Waits for what is traced as well: a child, the other end of a pipe, a server on this machine.

The time that they take is also in the threads that are waited for, and what those do explains it.
"""

from syswatch.model.objects import ObjectInfo, ObjectKind, Side
from syswatch.model.snapshot import Snapshot

from .memory import once_per_snapshot
from .pipe_ends import with_ends

_LOOPBACK = ("127.", "[::1]", "[::ffff:127.")
_ACCEPTING = frozenset({Side.LISTENING, Side.SERVER})


class Inside:
    """Tells which objects stand for processes and threads that are traced."""

    def __init__(self, snapshot: Snapshot) -> None:
        """Note the traced processes, and the ports at which they accept connections."""
        sums = snapshot.sums
        self._snapshot = snapshot
        self._pids = frozenset(tally.pid for tally in sums.threads.values())
        children = [info for info in sums.objects.values() if info.kind is ObjectKind.CHILD]
        named = [info for info in children if info.pids]
        self._are_children_traced = bool(named) and all(map(self._are_traced, named))
        self._ports = frozenset(
            _port(info.name)
            for info in sums.objects.values()
            if info.kind is ObjectKind.TCP and info.side in _ACCEPTING
        )

    def __call__(self, info: ObjectInfo) -> bool:
        """Return whether everything that could end a wait for an object is traced."""
        match info.kind:
            case ObjectKind.CHILD:
                # Which child it will be, or was, is not always known.
                return self._are_traced(info) if info.pids else self._are_children_traced
            case ObjectKind.PIPE:
                # While an end is unknown, it may belong to any process.
                pipe = with_ends(self._snapshot, info)
                has_both = "written by" in pipe.detail and "read by" in pipe.detail
                return has_both and self._are_traced(pipe)
            case ObjectKind.TCP:
                is_local = info.side is Side.CLIENT and info.name.startswith(_LOOPBACK)
                return is_local and _port(info.name) in self._ports
        return False

    def _are_traced(self, info: ObjectInfo) -> bool:
        return bool(info.pids) and self._pids.issuperset(info.pids)


def _port(name: str) -> str:
    return name.rpartition(":")[2]


_inside_of = once_per_snapshot(Inside)


def inside_of(snapshot: Snapshot) -> Inside:
    """Return what tells which objects stand for what is traced as well."""
    return _inside_of(snapshot.whole)
