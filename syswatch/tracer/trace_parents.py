"""Which traces processes belong to, according to their environment."""

import attrs

from syswatch.base.classes import define
from syswatch.machine.environment import parse_environment
from syswatch.machine.proc import read_environment
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

    def note(self, pid: int) -> None:
        """Note the parent of a process that is new, or runs a new program."""
        if not self.are_wanted:
            return
        self._noted.pop(pid, None)
        parent = _parent_in(read_environment(pid, _MOST_BYTES))
        if parent is not None:
            self._noted[pid] = parent
            if len(self._noted) > _MOST_NOTED:
                del self._noted[next(iter(self._noted))]

    def of(self, pid: int, duration_ns: int) -> TraceParent | None:
        """Return the parent of a call of a process, or None if there is none or it is not slow."""
        if not self.are_wanted or duration_ns < NOTICEABLE_NS:
            return None
        environment = read_environment(pid, _MOST_BYTES)
        return _parent_in(environment) if environment else self._noted.get(pid)


def _parent_in(environment: bytes) -> TraceParent | None:
    return TraceParent.parse(parse_environment(environment).get(_VARIABLE, ""))
