"""The details of an object: what is known of it, its calls, its waits, and what uses it."""

from collections.abc import Iterator

from syswatch.model.histogram import Histogram
from syswatch.model.objects import Side
from syswatch.model.snapshot import Snapshot
from syswatch.terminal.ui.budget_bar import state_style
from syswatch.terminal.ui.listing import Scope
from syswatch.terminal.ui.styled_text import Line, align_left, align_right, wrap
from syswatch.views.budget.costs import by_cost
from syswatch.views.budget.names import object_name
from syswatch.views.budget.objects import ObjectStat, object_stat, waits_of
from syswatch.views.budget.states import TimeState
from syswatch.views.formatting import count, long_duration, plural, size

from .parts import (
    NOTHING,
    histogram,
    names_line,
    pairs,
    process_name,
    state_span,
    thread_name,
    time_text,
    title,
)

_MOST_CALLS = 12
_SIDES = {
    Side.CLIENT: "the program connected to it",
    Side.SERVER: "the peer connected to the program",
    Side.LISTENING: "the program listens on it",
}


def object_details(snapshot: Snapshot, scope: Scope, number: int, width: int) -> list[Line]:
    """Return the lines about an object, with the numbers of one process if the scope is one."""
    stat = object_stat(snapshot, number, scope.pid)
    if stat is None:
        return [[("No calls on it yet", "dim")]]
    waits = waits_of(snapshot, stat)
    return [
        *_facts(stat, width),
        *_times(stat, width),
        *_calls(stat),
        *_histogram(waits, width),
        *_users(snapshot, stat),
    ]


def _facts(stat: ObjectStat, width: int) -> Iterator[Line]:
    info = stat.info
    yield from wrap(object_name(info), width - 1, "title")
    yield [(info.kind.title, "dim")]
    facts = (
        info.detail,
        f"local address {info.local}" if info.local else "",
        _SIDES.get(info.side, ""),
    )
    for fact in filter(None, facts):
        yield from wrap(fact, width - 1, "dim")


def _times(stat: ObjectStat, width: int) -> Iterator[Line]:
    costs, sums = stat.costs, stat.costs.sums
    yield []
    if costs.in_progress:
        threads = plural(costs.in_progress, "thread")
        spent = long_duration(costs.longest_in_progress_ns)
        yield [(f"{threads} waiting now, for up to {spent}", "slow")]
    if stat.judgement:
        yield [state_span(stat.judgement.state), (f": {stat.judgement.reason}", "")]
    yield from pairs(
        {
            "blocked": time_text(costs.blocked_ns),
            "idle": time_text(costs.idle_ns),
            "working": time_text(sums.working_ns),
            "no CPU": time_text(sums.ready_ns),
        },
        width,
    )
    opens = {"opens": f"{stat.opens:,}", "failed opens": f"{stat.failed_opens:,}"}
    yield from pairs(
        {
            "calls": f"{sums.count:,}",
            "errors": f"{sums.errors:,}" if sums.errors else NOTHING,
            "in": size(sums.bytes_in) if sums.bytes_in else NOTHING,
            "out": size(sums.bytes_out) if sums.bytes_out else NOTHING,
            **(opens if stat.opens or stat.failed_opens else {}),
        },
        width,
    )


def _calls(stat: ObjectStat) -> Iterator[Line]:
    if not stat.calls:
        return
    yield from title("Calls")
    yield [(f"{'CALL':<16}   CALLS  ERRORS  WAITING    TOTAL", "dim")]
    ranked = list(by_cost(stat.calls).items())
    for name, costs in ranked[:_MOST_CALLS]:
        sums = costs.sums
        errors = count(sums.errors) if sums.errors else NOTHING
        yield [
            (align_left(name, 16), ""),
            (align_right(count(sums.count), 8), ""),
            (align_right(errors, 8), "failing" if sums.errors else "dim"),
            (align_right(time_text(costs.waiting_ns), 9), ""),
            (align_right(time_text(costs.total_ns), 9), "dim"),
        ]
    if len(ranked) > _MOST_CALLS:
        yield [(f"and {len(ranked) - _MOST_CALLS} more", "dim")]


def _histogram(waits: Histogram, width: int) -> Iterator[Line]:
    if waits.counts:
        yield from title("Waits")
        yield from histogram(waits, {}, state_style(TimeState.BLOCKED), width)


def _users(snapshot: Snapshot, stat: ObjectStat) -> Iterator[Line]:
    yield from title("Used by")
    processes = [process_name(snapshot, pid) for pid in sorted(stat.pids)]
    threads = [thread_name(snapshot, tid) for tid in sorted(stat.tids)]
    yield from names_line("processes", processes)
    if len(threads) > len(processes):
        yield from names_line("threads", threads)
    if stat.has_more_users:
        yield [("others may use it, too: their calls have no row of their own", "dim")]
    others = [process_name(snapshot, pid) for pid in stat.info.pids if pid not in stat.pids]
    yield from names_line("also at its ends", others)
