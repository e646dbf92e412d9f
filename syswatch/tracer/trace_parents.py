"""Which traces processes belong to, according to their environment."""

import attrs

from syswatch.base.classes import define
from syswatch.machine.environment import parse_environment
from syswatch.machine.proc import has_executed, read_environment, read_link
from syswatch.model.slowest import NOTICEABLE_NS
from syswatch.model.trace_parent import TraceParent

# Few environments are larger; a variable beyond is not found.
_MOST_BYTES = 256 * 1024
_VARIABLE = "TRACEPARENT"


# Beyond, those noted first are forgotten.
_MOST_NOTED = 4096


@define
class TraceParents:
    """
    Finds the traces of slow calls, if they are wanted.

    The environment is read for each call, because execve replaces it; a call that is long enough
    takes a thousand times as long as that.  Of processes that may have ended by then, what is known
    before is noted.
    """

    are_wanted: bool = False
    _noted: dict[int, TraceParent] = attrs.field(factory=dict, init=False)
    # Processes that may still execute a program, with the name and without the environment that
    # they have from their parents.
    _forked: set[int] = attrs.field(factory=set, init=False)

    def note(self, pid: int) -> None:
        """Note the parent of a process that is new, or runs a new program."""
        if not self.are_wanted:
            return
        self._forked.discard(pid)
        if has_executed(pid) is False and len(self._forked) < _MOST_NOTED:
            self._forked.add(pid)
        self._note(pid, _environment(pid))

    def note_again(self, pid: int) -> None:
        """Note the parent of a process that may have executed a program of the same name."""
        if pid not in self._forked:
            return
        # First: a program that is executed after this is found the next time.
        if has_executed(pid) is not False:
            self._forked.discard(pid)
        environment = _environment(pid)
        if environment is not None:
            self._note(pid, environment)

    def _note(self, pid: int, environment: bytes | None) -> None:
        self._noted.pop(pid, None)
        parent = _parent_in(environment or b"")
        if parent is not None:
            self._noted[pid] = parent
            if len(self._noted) > _MOST_NOTED:
                del self._noted[next(iter(self._noted))]

    def of(self, pid: int, duration_ns: int) -> TraceParent | None:
        """Return the parent of a call of a process, or None if there is none or it is not slow."""
        if not self.are_wanted or duration_ns < NOTICEABLE_NS:
            return None
        environment = _environment(pid)
        return self._noted.get(pid) if environment is None else _parent_in(environment)


def _environment(pid: int) -> bytes | None:
    """Return the environment of a process; None if it has ended or may not be read."""
    environment = read_environment(pid, _MOST_BYTES)
    # A program may have been started with an empty one.
    return environment if environment or read_link(pid, "exe") else None


def _parent_in(environment: bytes) -> TraceParent | None:
    return TraceParent.parse(parse_environment(environment).get(_VARIABLE, ""))
