"""Which slow calls are pushed, and how they are described."""

from collections.abc import Iterator

import attrs

from syswatch.base.classes import define
from syswatch.model.catalog import plain_name
from syswatch.model.slowest import NOTICEABLE_NS, SlowCall
from syswatch.model.snapshot import Snapshot
from syswatch.model.threads import SLEEPS
from syswatch.views.budget.slowest import SlowStat, at_least
from syswatch.views.budget.states import TimeState

_Identity = tuple[int, int, str]


@define
class SlowCalls:
    """
    Finds each call once, when it is among the slowest overall or of its name.

    Those overall would not do: there may be nothing but waits for work and sleeps among them.
    """

    _known: frozenset[_Identity] = attrs.field(default=frozenset(), init=False)

    def new(self, snapshot: Snapshot) -> Iterator[SlowStat]:
        """Yield the calls that are to be pushed and were not among the slowest before."""
        kept = {_identity(each.call): each for each in at_least(snapshot, NOTICEABLE_NS)}
        slow = {key for key, each in kept.items() if _is_slow(each)}
        known = self._known.intersection(kept)
        yield from (each for key, each in kept.items() if key in slow and key not in known)
        self._known = known.union(slow)


def described(slow: SlowStat) -> dict[str, str | float]:
    """Return the attributes of a call."""
    call = slow.call
    return {
        "syscall": call.name,
        "process.pid": call.pid,
        "thread.id": call.tid,
        "error.type": call.error,
        "syswatch.call.arguments": call.args,
        "syswatch.call.result": call.ret,
        "syswatch.call.duration": call.duration_ns / 1e9,
        "syswatch.object.kind": slow.info.kind.value,
        "syswatch.object.name": slow.info.name,
        "syswatch.wait.state": slow.state.value if slow.state else "",
    }


def _is_slow(slow: SlowStat) -> bool:
    # A sleep takes as long as the program wants.
    return slow.state is not TimeState.IDLE and plain_name(slow.call.name) not in SLEEPS


def _identity(call: SlowCall) -> _Identity:
    # Without its time, which is moved when the clock is set.
    return call.duration_ns, call.tid, call.name
