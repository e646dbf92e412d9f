"""The details of a group of processes: what is known of it, its times and its system calls."""

from collections.abc import Iterator

from syswatch.model.histogram import Histogram
from syswatch.model.snapshot import Snapshot
from syswatch.terminal.ui.budget_bar import state_style
from syswatch.terminal.ui.listing import Scope
from syswatch.terminal.ui.styled_text import Line, align_left, align_right, wrap
from syswatch.views.budget.states import TimeState
from syswatch.views.formatting import count, share
from syswatch.views.groups import GroupStat, calls_of_group, group_stat

from .parts import NOTHING, histogram, pairs, time_text, title

_MOST_CALLS = 12
_OTHER_CALLS = "other calls"


def group_details(snapshot: Snapshot, _scope: Scope, key: str, width: int) -> list[Line]:
    """Return the lines about a group."""
    stat = group_stat(snapshot, key)
    if stat is None:
        return [[("The group has made no calls", "dim")]]
    return [
        *_facts(stat, width),
        *_times(stat, width),
        *_calls(snapshot, key),
        *_histogram(snapshot, stat, width),
    ]


def _facts(stat: GroupStat, width: int) -> Iterator[Line]:
    info = stat.info
    yield from wrap(stat.title, width - 1, "title")
    facts = {
        "runtime": info.runtime,
        "namespace": info.namespace,
        "pod": info.pod,
        "container": info.container,
        "ID": info.id,
        "path": info.path,
        **{f"label {name}": value for name, value in info.labels.items()},
    }
    for name, fact in facts.items():
        if fact:
            yield from wrap(f"{name} {fact}", width - 1, "dim")


def _times(stat: GroupStat, width: int) -> Iterator[Line]:
    sums = stat.sums
    yield []
    yield from pairs(
        {
            "calls": f"{sums.count:,} ({share(stat.share)})",
            "errors": f"{sums.errors:,}" if sums.errors else NOTHING,
            "waits": f"{sums.waits:,}" if sums.waits else NOTHING,
            "lives": f"{stat.info.lives:,}" if stat.info.lives else NOTHING,
        },
        width,
    )
    yield from pairs(
        {
            "working": time_text(sums.working_ns),
            "waiting": time_text(sums.waiting_ns),
            "no CPU": time_text(sums.ready_ns),
            "total": time_text(sums.total_ns),
        },
        width,
    )


def _calls(snapshot: Snapshot, key: str) -> Iterator[Line]:
    calls = calls_of_group(snapshot, key)
    yield from title("Calls")
    yield [(f"{'CALL':<16}   CALLS  ERRORS  WORKING  WAITING    TOTAL", "dim")]
    for name, sums in list(calls.items())[:_MOST_CALLS]:
        yield [
            (align_left(name or _OTHER_CALLS, 16), ""),
            (align_right(count(sums.count), 8), ""),
            (
                align_right(count(sums.errors) if sums.errors else NOTHING, 8),
                "failing" if sums.errors else "dim",
            ),
            (align_right(time_text(sums.working_ns), 9), ""),
            (align_right(time_text(sums.waiting_ns), 9), ""),
            (align_right(time_text(sums.total_ns), 9), "dim"),
        ]
    if len(calls) > _MOST_CALLS:
        yield [(f"and {len(calls) - _MOST_CALLS} more", "dim")]


def _histogram(snapshot: Snapshot, stat: GroupStat, width: int) -> Iterator[Line]:
    times = snapshot.sums.group_times.get(stat.key, Histogram())
    if times.counts:
        yield from title("Durations")
        marks = {"P50": stat.p50_ns, "P95": stat.p95_ns, "P99": stat.p99_ns}
        yield from histogram(times, marks, state_style(TimeState.WORKING), width)
