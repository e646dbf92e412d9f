"""The part of a snapshot that concerns one process, or all of it."""

from collections import defaultdict
from collections.abc import Iterator, Mapping

import attrs

from syswatch.model.activity import ANY, Activity, ActivityKey, Sums, kind_of, sum_of
from syswatch.model.now import ThreadNow
from syswatch.model.objects import ObjectInfo, ObjectKind
from syswatch.model.snapshot import Snapshot
from syswatch.model.threads import OTHER_THREADS, OTHER_WAITS, Threads, Wait
from syswatch.views.formatting import plural

from .estimate import estimated_rows
from .filters import left_out
from .memory import once_per_snapshot
from .states import StateTexts, TimeState

# A smaller share of the time of a thread may be an error of the estimate.
_CERTAIN = 0.01


def state_texts(snapshot: Snapshot, state: TimeState) -> StateTexts:
    """Return what views call a state in this trace."""
    return state.texts(calls_left_out=bool(left_out(snapshot)))


def threads_of(snapshot: Snapshot, pid: int | None = None) -> Threads:
    """Return the threads of a process; those beyond the limit may be of any process."""
    threads = snapshot.sums.threads
    if pid is None:
        return threads
    is_known = not lacks_threads(snapshot, pid)
    return {
        tid: tally
        for tid, tally in threads.items()
        if (is_known if tid == OTHER_THREADS else tally.pid == pid)
    }


def number_of_threads(snapshot: Snapshot, pid: int | None = None) -> str:
    """Return how many threads there are; the row of those beyond the limit is of several."""
    threads = threads_of(snapshot, pid)
    if OTHER_THREADS in threads:
        return f"more than {len(threads) - 1:,} threads"
    return plural(len(threads), "thread")


def lacks_threads(snapshot: Snapshot, pid: int | None) -> bool:
    """Return whether a process may have threads of which only the sum with others is known."""
    if pid is None or OTHER_THREADS not in snapshot.sums.threads:
        return False
    return known_processes(snapshot.whole).keys() != {pid}


def activity_of(snapshot: Snapshot, pid: int | None = None) -> Activity:
    """Return the rows of a process."""
    return snapshot.sums.activity if pid is None else _by_process(snapshot).get(pid, {})


@once_per_snapshot
def _by_process(snapshot: Snapshot) -> Mapping[int, Activity]:
    # There may be thousands of processes, each of which is asked for.
    found: dict[int, dict[ActivityKey, Sums]] = {}
    for key, row in snapshot.sums.activity.items():
        found.setdefault(key.pid, {})[key] = row
    return found


def now_of(snapshot: Snapshot, pid: int | None = None) -> Mapping[int, ThreadNow]:
    """Return what each thread of a process is doing; nothing after the end of the trace."""
    if snapshot.done:
        return {}
    threads = snapshot.sums.now.threads
    return {tid: each for tid, each in threads.items() if pid in (None, each.pid)}


def info_of(snapshot: Snapshot, number: int) -> ObjectInfo:
    """Return what is known of an object."""
    objects = snapshot.sums.objects
    known = _renamed_children(snapshot.whole).get(number) or objects.get(number)
    return known or ObjectInfo(kind_of(number, objects))


@once_per_snapshot
def _renamed_children(whole: Snapshot) -> Mapping[int, ObjectInfo]:
    """Return each child that was named before its last exec, with the command that it ran then."""
    commands = known_processes(whole)
    renamed: dict[int, ObjectInfo] = {}
    for number, info in whole.sums.objects.items():
        if info.kind is ObjectKind.CHILD and info.pids:
            pid = info.pids[0]
            command = commands.get(pid)
            name = f"{command} ({pid})"
            if command and name != info.name:
                renamed[number] = attrs.evolve(info, name=name)
    return renamed


@once_per_snapshot
def known_processes(snapshot: Snapshot) -> Mapping[int, str]:
    """Return the names of all processes that a view can be limited to."""
    sums = snapshot.sums
    names = {tally.pid: tally.comm for tally in sums.threads.values() if tally.pid}
    # Threads may have names of their own; that of the first one is the command.
    names |= {tid: tally.comm for tid, tally in sums.threads.items() if tid == tally.pid}
    # There may be 60 000 rows, of far fewer processes.
    names |= {pid: names.get(pid, "") for pid in {key[0] for key in sums.activity} if pid}
    names |= {pid: names.get(pid, "") for pid in sums.by_process}
    names |= {pid: tally.comm or names.get(pid, "") for pid, tally in sums.processes.items()}
    return names


def waiting_now(snapshot: Snapshot, pid: int | None = None) -> Iterator[tuple[int, ThreadNow, int]]:
    """
    Yield each thread that waits in a call: its ID, the call, and for how long in the trace.

    In a part of the trace, it is how long it has waited since the part began.
    """
    at_ns = snapshot.sums.now.at_ns
    begun_ns = (snapshot.now_ns or 0) - snapshot.elapsed_ns if snapshot.is_exact_part else 0
    for tid, thread in now_of(snapshot, pid).items():
        if not thread.waits or not thread.call:
            continue
        if thread.since_ns is None:
            yield tid, thread, since_the_start(snapshot, tid, thread)
        else:
            yield tid, thread, max(at_ns - max(thread.since_ns, begun_ns), 0)


@once_per_snapshot
def _never_returned(snapshot: Snapshot) -> Mapping[int, tuple[Wait, int]]:
    activity = snapshot.sums.activity
    threads = snapshot.sums.threads
    # Rows of several threads do not tell which of them had returned.
    if not snapshot.done or any(key.tid == ANY for key in activity):
        return {}
    returned_ns: dict[int, dict[Wait, int]] = defaultdict(lambda: defaultdict(int))
    for (_, tid, number, call), row in activity.items():
        # Most of 60 000 rows have not waited.
        if row.waiting_ns:
            returned_ns[tid][Wait(number, call)] += row.waiting_ns
    found: dict[int, tuple[Wait, int]] = {}
    for tid, tally in threads.items():
        wait, spent_ns = _longest_rest(tally.times.waiting, returned_ns.get(tid, {}))
        if wait.call and spent_ns > _CERTAIN * tally.times.wall_ns:
            found[tid] = wait, spent_ns
    return found


def _longest_rest(waiting: Mapping[Wait, int], returned: Mapping[Wait, int]) -> tuple[Wait, int]:
    """
    Return the wait that exceeds what has returned the most, and the excess of its call.

    It is found by the call, because the objects of the smallest waits of a thread are not known.
    """
    by_call: dict[str, int] = defaultdict(int)
    by_wait: dict[Wait, int] = defaultdict(int)
    for waits, sign in ((waiting, 1), (returned, -1)):
        for wait, spent_ns in waits.items():
            by_call[wait.call] += sign * spent_ns
            by_wait[wait] += sign * spent_ns
    by_call.pop("", None)
    call = max(by_call, key=by_call.__getitem__, default="")
    candidates = [wait for wait in waiting if wait.call == call]
    return max(candidates, key=by_wait.__getitem__, default=OTHER_WAITS), by_call.get(call, 0)


def never_returned(snapshot: Snapshot, pid: int | None = None) -> Iterator[tuple[ActivityKey, int]]:
    """
    Yield the wait that each thread was in when the trace ended, and its time.

    It is what the times of the thread have more than the calls that have returned.
    """
    for tid, (wait, spent_ns) in _never_returned(snapshot).items():
        owner = snapshot.sums.threads[tid].pid
        if pid in (None, owner):
            yield ActivityKey(owner, tid, wait.object, wait.call), spent_ns


def since_the_start(snapshot: Snapshot, tid: int, thread: ThreadNow) -> int:
    """
    Return how long a thread has been in a call that began before the trace, in the trace.

    It has made no other call, so this is all of its waiting.
    """
    tally = snapshot.sums.threads.get(tid)
    return tally.times.waiting.get(Wait(thread.object, thread.call), 0) if tally else 0


def sums_of_waits(snapshot: Snapshot, pid: int | None = None) -> Mapping[Wait, Sums]:
    """Return the sums of each object and call; estimates if the source recorded none."""
    if snapshot.sums.activity:
        return recorded_waits(snapshot, pid)
    if pid is None:
        return _estimates_of_all(snapshot)
    return estimated_rows(snapshot.sums.by_process.get(pid, {}))


@once_per_snapshot
def _estimates_of_all(snapshot: Snapshot) -> Mapping[Wait, Sums]:
    return estimated_rows(snapshot.sums.calls)


def recorded_waits(snapshot: Snapshot, pid: int | None = None) -> Mapping[Wait, Sums]:
    """Return the sums of each object and call that the source recorded."""
    if pid is None:
        return _recorded_of_all(snapshot)
    return _by_wait(activity_of(snapshot, pid))


@once_per_snapshot
def _recorded_of_all(snapshot: Snapshot) -> Mapping[Wait, Sums]:
    return _by_wait(snapshot.sums.activity)


def _by_wait(activity: Activity) -> Mapping[Wait, Sums]:
    groups: dict[tuple[int, str], list[Sums]] = {}
    for key, row in activity.items():
        groups.setdefault((key[2], key[3]), []).append(row)
    return {Wait(*key): sum_of(rows) for key, rows in groups.items()}
