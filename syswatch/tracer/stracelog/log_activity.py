"""Adds up the calls of a log by process, object and name, and estimates how long they waited."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet

import attrs

from syswatch.base.classes import define
from syswatch.model.activity import NO_SUMS, Activity, ActivityKey, Objects, Sums
from syswatch.model.calls import CallTally
from syswatch.model.delta import Calls, Delta
from syswatch.model.ledger import Ledger
from syswatch.model.objects import ObjectInfo
from syswatch.model.threads import ThreadTally, ThreadTimes, Wait
from syswatch.model.timeline import Timeline
from syswatch.model.times import add_ns
from syswatch.model.waits import WaitTally

from .call_traits import Traits
from .calls_cut_short import row_of_time
from .chosen_rows import ALL, FAILED, SUCCEEDED
from .line_format import Row
from .log_groups import GroupKey
from .log_objects import LogObjects
from .log_timeline import LogTimeline
from .row_loops import loops, running
from .row_sums import RowSums, waits_of
from .thread_clocks import ThreadClocks

# So many rows are kept before they are counted; more of them would not stay in the CPU's cache.
_MOST_ROWS = 3000
_MOST_SUMS = 20_000


@define
class LogActivity:
    """
    Counts what `LogObjects` has collected; `only` is the option to count calls by their result.

    Threads of a log have PIDs of their own, so each is a process here, as everywhere in a log.
    When rows have been counted, their objects are in `found`, and `counted` is called.
    """

    objects: LogObjects
    only: str = ""
    redact: Callable[[str], str] = str
    found: running.FoundObjects = attrs.field(factory=running.FoundObjects)
    counted: Callable[[], None] = lambda: None
    is_long: bool = False
    timeline: LogTimeline = attrs.field(init=False)
    clocks: ThreadClocks = attrs.field(init=False)
    _only: int = attrs.field(init=False)
    _traits: Traits = attrs.field(factory=Traits, init=False)
    _sums: dict[GroupKey, RowSums] = attrs.field(factory=lambda: defaultdict(RowSums), init=False)
    # The calls in which threads have ended.
    _cut_short: dict[GroupKey, RowSums] = attrs.field(
        factory=lambda: defaultdict(RowSums), init=False
    )
    # Objects that were seen, but are not in any row yet.
    _unsent: dict[int, ObjectInfo] = attrs.field(factory=dict, init=False)
    _collected: int = attrs.field(default=0, init=False)

    def __attrs_post_init__(self) -> None:
        """Start without threads."""
        self.timeline = LogTimeline(is_long=self.is_long)
        self._only = {"": ALL, "failed": FAILED}.get(self.only, SUCCEEDED)
        self.clocks = ThreadClocks(self.timeline.add_passed)

    def add_cut_short(self, pid: int, wait: Wait, began_ns: int, end_ns: int) -> None:
        """Add the time of a call that never returned to its thread; it does not count as a call."""
        self.clocks.note(pid, began_ns)
        self.clocks.note(pid, end_ns)
        rows = [row_of_time(wait.call, end_ns, end_ns - began_ns)]
        running.count_groups(
            {(pid, *wait): rows},
            self._cut_short,
            running.FoundObjects(),
            self.timeline.intervals,
            self._traits,
            ALL,
            self.timeline.origin_s,
        )

    @property
    def is_crowded(self) -> bool:
        """Return whether there are so many sums that they should be taken early."""
        return len(self._sums) > _MOST_SUMS or self.timeline.is_crowded

    @property
    def is_settled(self) -> bool:
        """Return whether all rows that were collected have been counted."""
        return not self._collected

    def begin_rows(self, origin_s: int) -> None:
        """Note the origin of the times of the next rows."""
        if origin_s != self.timeline.origin_s:
            self.count_rows()
            self.timeline.origin_s = origin_s

    def note_rows(self, count: int) -> None:
        """Note how many rows were collected."""
        self._collected += count

    def count_if_due(self) -> None:
        """Count the rows that were collected, from time to time."""
        if self._collected > _MOST_ROWS and self._collected > self.objects.groups.count:
            self.count_rows()

    def count_rows(self) -> None:
        """Count all rows that were collected."""
        self._collected = 0
        self._count_groups(self.objects.groups.rows)
        for group in self.objects.groups.take_paths():
            self._count_paths(*group)
        for key, (bytes_in, bytes_out) in self.objects.groups.extra.items():
            self._sums[key].add_bytes(bytes_in, bytes_out)
        self.objects.groups.extra.clear()
        if self.objects.groups.is_crowded:
            self.objects.drop_groups()
        self.counted()

    def _count_groups(self, groups: dict[GroupKey, list[Row]]) -> None:
        timeline = self.timeline
        running.count_groups(
            groups,
            self._sums,
            self.found,
            timeline.intervals,
            self._traits,
            self._only,
            timeline.origin_s,
        )

    def _count_paths(self, pid: int, name: str, directory: bytes, rows: list[Row]) -> None:
        """Count calls on paths, of which several may stand for one object."""
        groups: dict[GroupKey, list[Row]] = {}
        for path, calls in loops.by_path(rows).items():
            key = pid, self.objects.path_in(directory, path), name
            groups[key] = groups[key] + calls if key in groups else calls
        self._count_groups(groups)

    def add_to(self, delta: Delta) -> Delta:
        """Return a delta with everything that was counted since the last time."""
        self.count_rows()
        by_call, by_process, by_object = waits_of(self._sums)
        # Without any duration it is not known how much of the rest was spent in calls.
        timed = self.clocks.has_durations
        rows, timeline = _frozen(self._sums), self.timeline.take()
        cut_short = _frozen(self._cut_short) if timed else {}
        self._sums, self._cut_short = defaultdict(RowSums), defaultdict(RowSums)
        # The filter may have left out all calls of a group.
        activity = {key: row for key, row in rows.items() if row != NO_SUMS}
        for pid, found, name in self.objects.groups.take_noted():
            activity.setdefault(ActivityKey(pid, pid, found, name), NO_SUMS)
        known = self.objects.processes.known
        return attrs.evolve(
            delta,
            calls=_with_waits(delta.calls, by_call),
            by_process={
                pid: _with_waits(calls, by_process.get(pid, {}))
                for pid, calls in delta.by_process.items()
            },
            activity=activity,
            objects=self._used_objects({key[2] for each in (activity, cut_short) for key in each}),
            object_waits=by_object,
            threads=self._threads(activity, cut_short),
            timeline=timeline if timed else Timeline(),
            ledger=delta.ledger
            + Ledger(
                untracked_objects=known.take_untracked(),
                estimated_waits=sum(each.count for each in by_call.values()),
            ),
        )

    def _used_objects(self, used: AbstractSet[int]) -> Objects:
        """Return the descriptions that are new and needed."""
        self._unsent.update(self.objects.known.take())
        return {each: self._unsent.pop(each) for each in used if each in self._unsent}

    def _threads(self, activity: Activity, cut_short: Activity) -> Mapping[int, ThreadTally]:
        elapsed = self.clocks.take()
        threads = defaultdict(_ThreadSums, {pid: _ThreadSums() for pid in elapsed})
        for (pid, _, found, name), row in activity.items():
            threads[pid].add(found, name, row)
        for (pid, _, found, name), row in cut_short.items():
            threads[pid].add_times(found, name, row)
        return {pid: self._tally(pid, each, elapsed.get(pid, 0)) for pid, each in threads.items()}

    def _tally(self, pid: int, sums: "_ThreadSums", elapsed_ns: int) -> ThreadTally:
        in_calls_ns = sums.working_ns + sum(sums.waiting.values())
        return ThreadTally(
            pid=pid,
            comm=self.redact(self.objects.processes.comm(pid)),
            times=ThreadTimes(
                # What a thread does between two calls is not in the log.
                user_ns=max(elapsed_ns - in_calls_ns, 0),
                working_ns=sums.working_ns,
                waiting=sums.waiting,
            ),
            calls=sums.calls,
            errors=sums.errors,
        )


class _ThreadSums:
    """The sums of the rows of one thread."""

    __slots__ = ("calls", "errors", "waiting", "working_ns")

    def __init__(self) -> None:
        self.calls = self.errors = self.working_ns = 0
        self.waiting: dict[Wait, int] = {}

    def add(self, found: int, name: str, row: Sums) -> None:
        self.calls += row.count
        self.errors += row.errors
        self.add_times(found, name, row)

    def add_times(self, found: int, name: str, row: Sums) -> None:
        self.working_ns = add_ns(self.working_ns, row.working_ns)
        if row.waiting_ns:
            wait = Wait(found, name)
            self.waiting[wait] = add_ns(self.waiting.get(wait, 0), row.waiting_ns)


def _frozen(sums: Mapping[GroupKey, RowSums]) -> Activity:
    return {
        ActivityKey(pid, pid, found, name): each.freeze()
        for (pid, found, name), each in sums.items()
    }


def _with_waits(calls: Calls, waits: Mapping[str, WaitTally]) -> Mapping[str, CallTally]:
    return {
        name: attrs.evolve(tally, waits=waits[name]) if name in waits else tally
        for name, tally in calls.items()
    }
