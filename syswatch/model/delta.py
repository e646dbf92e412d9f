"""
A delta: what a tracer observed since the previous one, aggregated.

Deltas are a monoid: `a + b` is a delta and `Delta()` adds nothing.  So it does not matter
where they are summed: in a tracer whose pipe is full, between the parts of a large log, or
in the aggregator.  Their size depends on how many different calls there were, not on how
many calls.
"""

from collections.abc import Callable, Mapping

import attrs

from syswatch.base.classes import frozen

from .activity import (
    ACTIVITY,
    TRACKED_OBJECTS,
    Activity,
    Objects,
    objects_beyond_limit,
    rename_objects,
)
from .calls import CallTally
from .entries import Entry, Failure, LogEntry, newest_entries, newest_failures
from .evidence import Evidence, add_evidence, redated_evidence
from .groups import (
    GROUPS,
    GroupInfo,
    GroupInfos,
    Groups,
    GroupTimes,
    by_group,
    groups_beyond_limit,
    times_without_groups,
    without_groups,
)
from .histogram import Histogram
from .ledger import CLEAN, Ledger, Reading
from .merging import add_counts, merge, merge_bounded
from .now import NOTHING_REPORTED, Now
from .objects import ObjectInfo
from .process import ProcessTally
from .slowest import Slowest
from .threads import THREADS, Threads
from .timeline import Timeline
from .times import SECOND_NS
from .window import Window

# Linux has some 460; a file that is not a trace may have any word before a parenthesis.
TRACKED_CALLS = 1024
TRACKED_PATHS = 10_000
PATH_BYTES = 1024
TRACKED_PROCESSES = 20_000
ODD_LINES = 5

Calls = Mapping[str, CallTally]


@frozen
class Span:
    """The first and the last timestamp, in nanoseconds since 1970."""

    first_ns: int
    last_ns: int

    def __add__(self, other: "Span") -> "Span":
        """Return the span that covers both."""
        return Span(min(self.first_ns, other.first_ns), max(self.last_ns, other.last_ns))

    def redated(self, date: Callable[[int], int]) -> "Span":
        """Move both ends."""
        return Span(date(self.first_ns), date(self.last_ns))


@frozen
class Delta:
    """The sums, samples and ledger of one interval."""

    calls: Calls = attrs.field(factory=dict)
    by_process: Mapping[int, Calls] = attrs.field(factory=dict)
    processes: Mapping[int, ProcessTally] = attrs.field(factory=dict)
    # How many calls opened each path, and how many of them failed: two maps, since most paths have
    # no entry in the second, and since older recordings lack it.
    paths: Mapping[str, int] = attrs.field(factory=dict)
    failed_paths: Mapping[str, int] = attrs.field(factory=dict)
    failures: Mapping[str, tuple[Failure, ...]] = attrs.field(factory=dict)
    log: tuple[LogEntry, ...] = ()
    activity: Activity = attrs.field(factory=dict)
    # What is known of the objects by ID, and the durations of the waits for each.
    objects: Objects = attrs.field(factory=dict)
    object_waits: Mapping[int, Histogram] = attrs.field(factory=dict)
    # Only with `--profile`.
    evidence: Evidence = attrs.field(factory=dict)
    # Only with `--by`: the rows, what is known of the groups, and the durations of their calls.
    groups: Groups = attrs.field(factory=dict)
    group_infos: GroupInfos = attrs.field(factory=dict)
    group_times: GroupTimes = attrs.field(factory=dict)
    threads: Threads = attrs.field(factory=dict)
    timeline: Timeline = attrs.field(factory=Timeline)
    now: Now = NOTHING_REPORTED
    slowest: Slowest = attrs.field(factory=Slowest)
    window: Window = attrs.field(factory=Window)
    span: Span | None = None
    ledger: Ledger = CLEAN
    reading: Reading = attrs.field(factory=Reading)
    odd_lines: tuple[str, ...] = ()
    # The calls that were not delivered at once because the service was behind.
    backlog: int = 0

    def __add__(self, other: "Delta") -> "Delta":
        """Add two deltas; what exceeds a limit is counted in the ledger of the sum."""
        calls, cut_calls = merge_bounded(self.calls, other.calls, CallTally.__add__, TRACKED_CALLS)
        failures = merge(self.failures, other.failures, newest_failures)
        window, slowest = self.window + other.window, self.slowest + other.slowest
        if cut_calls:
            slowest = slowest.only(calls)
            window = window.only(calls)
            failures = {name: samples for name, samples in failures.items() if name in calls}
        paths, cut_paths = merge_bounded(self.paths, other.paths, int.__add__, TRACKED_PATHS)
        failed_paths = add_counts(self.failed_paths, other.failed_paths)
        if cut_paths:
            failed_paths = {path: times for path, times in failed_paths.items() if path in paths}
        processes, cut_processes = merge_bounded(
            self.processes, other.processes, ProcessTally.__add__, TRACKED_PROCESSES
        )
        by_process, _ = merge_bounded(
            self.by_process, other.by_process, add_calls, TRACKED_PROCESSES
        )
        evidence, cut_evidence = add_evidence(self.evidence, other.evidence)
        cut = Ledger(
            lost_events=sum(tally.count for tally in cut_calls),
            untracked_paths=sum(cut_paths),
            untracked_processes=sum(tally.lives for tally in cut_processes),
            untracked_evidence=cut_evidence,
        )
        added = Delta(
            calls=calls,
            by_process=by_process,
            processes=processes,
            paths=paths,
            failed_paths=failed_paths,
            failures=failures,
            log=newest_entries(self.log, other.log),
            activity=ACTIVITY.sum(self.activity, other.activity),
            objects=merge(self.objects, other.objects, ObjectInfo.__add__),
            object_waits=merge(self.object_waits, other.object_waits, Histogram.__add__),
            evidence=evidence,
            groups=GROUPS.sum(self.groups, other.groups),
            group_infos=merge(self.group_infos, other.group_infos, GroupInfo.__add__),
            group_times=merge(self.group_times, other.group_times, Histogram.__add__),
            threads=THREADS.sum(self.threads, other.threads),
            timeline=self.timeline + other.timeline,
            now=self.now + other.now,
            slowest=slowest,
            window=window,
            span=_add_spans(self.span, other.span),
            ledger=self.ledger + other.ledger + cut,
            reading=self.reading + other.reading,
            odd_lines=(self.odd_lines + other.odd_lines)[:ODD_LINES],
            backlog=self.backlog + other.backlog,
        )
        added = added._with_fewer_groups()
        return added if len(added.objects) <= TRACKED_OBJECTS else added._with_fewer_objects()

    def _with_fewer_groups(self) -> "Delta":
        """Add the groups beyond the limit to the one that stands for all others."""
        cut = groups_beyond_limit(self.groups, self.group_infos)
        if not cut:
            return self
        sums = by_group(self.groups)
        calls = sum(sums[group].count for group in cut if group in sums)
        return attrs.evolve(
            self,
            groups=without_groups(self.groups, cut),
            group_infos={each: info for each, info in self.group_infos.items() if each not in cut},
            group_times=times_without_groups(self.group_times, cut),
            ledger=self.ledger + Ledger(ungrouped_calls=calls),
        )

    def _with_fewer_objects(self) -> "Delta":
        """Add the cheapest objects to those that stand for all others of their kinds."""
        names = objects_beyond_limit(self.activity, self.objects)
        return attrs.evolve(
            self.with_sums_renamed(names),
            objects={each: info for each, info in self.objects.items() if each not in names},
            ledger=self.ledger + Ledger(untracked_objects=len(names)),
        )

    def with_sums_renamed(self, names: Mapping[int, int]) -> "Delta":
        """Return the delta with the sums of some objects added to those of others."""
        object_waits: dict[int, Histogram] = {}
        for each, waits in self.object_waits.items():
            number = names.get(each, each)
            object_waits[number] = object_waits.get(number, Histogram()) + waits
        return attrs.evolve(
            self,
            activity=rename_objects(self.activity, names),
            object_waits=object_waits,
            threads={
                tid: attrs.evolve(tally, times=tally.times.renamed(names))
                for tid, tally in self.threads.items()
            },
            timeline=self.timeline.renamed(names),
        )

    def shifted(self, seconds: int) -> "Delta":
        """Move all timestamps."""
        return self.redated(lambda at_ns: at_ns + seconds * SECOND_NS) if seconds else self

    def redated(self, date: Callable[[int], int]) -> "Delta":
        """Move each timestamp by a function of nanoseconds."""
        return attrs.evolve(
            self,
            window=self.window.redated(lambda at: date(at * SECOND_NS) // SECOND_NS),
            span=self.span.redated(date) if self.span else None,
            timeline=self.timeline.redated(date),
            now=self.now.redated(date),
            slowest=self.slowest.redated(date),
            evidence=redated_evidence(self.evidence, date),
            log=tuple(_redated(entry, date) for entry in self.log),
            failures={
                name: tuple(_redated(sample, date) for sample in samples)
                for name, samples in self.failures.items()
            },
        )


def add_calls(left: Calls, right: Calls) -> Calls:
    """Add two maps of tallies; the table of all processes counts what does not fit."""
    return merge_bounded(left, right, CallTally.__add__, TRACKED_CALLS)[0]


def _add_spans(left: Span | None, right: Span | None) -> Span | None:
    if left is None or right is None:
        return left or right
    return left + right


def _redated(entry: Entry, date: Callable[[int], int]) -> Entry:
    if entry.time_ns is None:
        return entry
    return attrs.evolve(entry, time_ns=date(entry.time_ns))
