"""Snapshots of threads that spent their time in known ways."""

from collections.abc import Iterable, Mapping, Sequence

import attrs

from syswatch.model.activity import ActivityKey, Sums
from syswatch.model.aggregator import Aggregator
from syswatch.model.calls import CallTally
from syswatch.model.delta import Delta, Span
from syswatch.model.histogram import Histogram
from syswatch.model.messages import Ended, Started
from syswatch.model.now import Doing, Now, ThreadNow
from syswatch.model.objects import ObjectInfo, ObjectKind, Side
from syswatch.model.preferences import Preferences
from syswatch.model.snapshot import Snapshot
from syswatch.model.threads import ThreadTally, ThreadTimes, Wait
from syswatch.model.times import SECOND_NS
from syswatch.model.waits import WaitTally

BEGIN_NS = 1_700_000_000 * SECOND_NS
MS = 1_000_000
S = SECOND_NS

DATABASE = ObjectInfo(ObjectKind.TCP, "10.0.0.5:5432", service="postgresql", side=Side.CLIENT)
WAL = ObjectInfo(ObjectKind.FILE, "/var/lib/app/db.wal")
LISTENER = ObjectInfo(ObjectKind.TCP, "listening on 0.0.0.0:80", side=Side.LISTENING)
VISITOR = ObjectInfo(ObjectKind.TCP, "192.0.2.7 -> :80", side=Side.SERVER)
EPOLL = ObjectInfo(ObjectKind.EPOLL, "epoll 8 of nginx (1)")
LOCK = ObjectInfo(ObjectKind.FUTEX, "python3 (1): 0x7f12a0 in [heap]")
SLEEP = ObjectInfo(ObjectKind.SLEEP, "0.3 s")


@attrs.frozen
class Did:
    """What a thread did in calls of one name on one object."""

    call: str
    info: ObjectInfo | None = None
    waiting: int = 0
    working: int = 0
    waits: int = 1
    # How long it has been waiting in a call that has not ended.
    current: int = 0
    errors: int = 0
    bytes_in: int = 0
    bytes_out: int = 0

    @property
    def object(self) -> int:
        """The ID of the object."""
        return self.info.id if self.info else 0

    @property
    def count(self) -> int:
        """How many calls have returned."""
        return self.waits if self.waiting or self.working else 0


@attrs.frozen
class Thread:
    """One thread, and the time it spent outside of waits."""

    did: Sequence[Did] = ()
    user: int = 0
    ready: int = 0
    stopped: int = 0
    suspended: int = 0
    pid: int = 1
    comm: str = "app"


def delta_of(*threads: Thread, length: int = 0, begin_ns: int = BEGIN_NS) -> Delta:
    """Return the delta of some threads, whose IDs count from 1."""
    numbered = dict(enumerate(threads, start=1))
    longest = max((_tally(each).times.wall_ns for each in threads), default=0)
    end_ns = begin_ns + (length or longest)
    activity: dict[ActivityKey, Sums] = {}
    infos: dict[int, ObjectInfo] = {}
    for tid, thread in numbered.items():
        for did in thread.did:
            infos |= {did.object: did.info} if did.info else {}
            if did.count:
                key = ActivityKey(thread.pid, tid, did.object, did.call)
                activity[key] = activity.get(key, Sums()) + _sums(did)
    return Delta(
        calls=_calls(activity),
        activity=activity,
        objects=infos,
        threads={tid: _tally(thread) for tid, thread in numbered.items()},
        now=Now(end_ns, dict(_now(numbered, end_ns))),
        span=Span(begin_ns, end_ns),
    )


def snapshot_of(
    *deltas: Delta, done: bool = False, preferences: Preferences | None = None
) -> Snapshot:
    """Return the snapshot of some deltas."""
    aggregator = Aggregator(preferences or Preferences())
    aggregator.started(Started("test"))
    for delta in deltas:
        aggregator.add(delta)
    if done:
        aggregator.ended(Ended(0))
    return aggregator.snapshot()


def world(*threads: Thread, done: bool = False) -> Snapshot:
    """Return the snapshot of some threads."""
    return snapshot_of(delta_of(*threads), done=done)


def _tally(thread: Thread) -> ThreadTally:
    waiting: dict[Wait, int] = {}
    for did in thread.did:
        wait = Wait(did.object, did.call)
        waiting[wait] = waiting.get(wait, 0) + did.waiting + did.current
    times = ThreadTimes(
        user_ns=thread.user,
        working_ns=sum(did.working for did in thread.did),
        ready_ns=thread.ready,
        stopped_ns=thread.stopped,
        suspended_ns=thread.suspended,
        waiting={wait: spent_ns for wait, spent_ns in waiting.items() if spent_ns},
    )
    calls = sum(did.count for did in thread.did)
    errors = sum(did.errors for did in thread.did)
    return ThreadTally(thread.pid, thread.comm, times, calls, errors)


def _sums(did: Did) -> Sums:
    return Sums(
        count=did.count,
        errors=did.errors,
        bytes_in=did.bytes_in,
        bytes_out=did.bytes_out,
        working_ns=did.working,
        waiting_ns=did.waiting,
        waits=did.waits if did.waiting else 0,
    )


def _calls(activity: Mapping[ActivityKey, Sums]) -> Mapping[str, CallTally]:
    calls: dict[str, CallTally] = {}
    for key, sums in activity.items():
        each_ns = sums.total_ns // sums.count
        waits = Histogram.of([sums.waiting_ns // sums.waits] * sums.waits) if sums.waits else None
        calls[key.call] = calls.get(key.call, CallTally()) + CallTally(
            count=sums.count,
            errors=sums.errors,
            total_ns=sums.total_ns,
            min_ns=each_ns,
            max_ns=each_ns,
            histogram=Histogram.of([each_ns] * sums.count),
            waits=WaitTally(sums.waits, sums.waiting_ns, 0, waits or Histogram()),
        )
    return calls


def _now(threads: Mapping[int, Thread], at_ns: int) -> Iterable[tuple[int, ThreadNow]]:
    for tid, thread in threads.items():
        current = next((did for did in thread.did if did.current), None)
        if current is None:
            yield tid, ThreadNow(thread.pid, thread.comm)
        else:
            yield (
                tid,
                ThreadNow(
                    pid=thread.pid,
                    comm=thread.comm,
                    doing=Doing.IN_CALL,
                    call=current.call,
                    since_ns=at_ns - current.current,
                    waits=True,
                    object=current.object,
                ),
            )
