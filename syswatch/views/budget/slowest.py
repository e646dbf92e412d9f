"""The slowest calls, with their objects."""

from collections.abc import Iterable
from itertools import chain

from syswatch.base.classes import frozen
from syswatch.model.objects import ObjectInfo
from syswatch.model.slowest import SlowCall, Slowest
from syswatch.model.snapshot import Snapshot
from syswatch.model.threads import Wait

from .idle import judge_of
from .scope import info_of
from .states import TimeState


@frozen
class SlowStat:
    """One call; `state` and `reason` are those of its wait, or None and empty if it had none."""

    call: SlowCall
    info: ObjectInfo
    state: TimeState | None
    reason: str


def slowest(snapshot: Snapshot, pid: int | None = None, call: str = "") -> list[SlowStat]:
    """
    Return the slowest calls, or those of one name or process, the slowest first.

    Those of a process are the ones among all that are kept: the slowest overall and of each name.
    """
    kept = snapshot.sums.slowest
    if call:
        calls = kept.by_call.get(call, ())
    elif pid is None:
        calls = kept.overall
    else:
        calls = Slowest.of(each for each in _every(kept) if each.pid == pid).overall
    return [_stat(snapshot, each) for each in calls if pid in (None, each.pid)]


def at_least(snapshot: Snapshot, duration_ns: int) -> list[SlowStat]:
    """Return all that are kept, the slowest overall and of each name, of some duration or more."""
    calls = _every(snapshot.sums.slowest)
    return [_stat(snapshot, each) for each in calls if each.duration_ns >= duration_ns]


def _every(kept: Slowest) -> Iterable[SlowCall]:
    return dict.fromkeys(chain(kept.overall, *kept.by_call.values()))


def _stat(snapshot: Snapshot, call: SlowCall) -> SlowStat:
    info = info_of(snapshot, call.object)
    if not call.waiting_ns:
        return SlowStat(call, info, None, "")
    judgement = judge_of(snapshot)(Wait(call.object, call.name))
    return SlowStat(call, info, judgement.state, judgement.reason)
