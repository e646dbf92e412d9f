"""The details of one slow call."""

from collections.abc import Iterator

from syswatch.model.snapshot import Snapshot
from syswatch.terminal.ui.listing import Scope
from syswatch.terminal.ui.styled_text import Line, wrap
from syswatch.views.budget.names import object_name
from syswatch.views.budget.slowest import SlowStat, slowest
from syswatch.views.formatting import duration, rfc3339

from .parts import pairs, process_name, state_span, thread_name

SlowKey = tuple[int, int | None, int, str]


def slow_key(stat: SlowStat) -> SlowKey:
    """Return the key of a call."""
    call = stat.call
    return call.duration_ns, call.time_ns, call.tid, call.name


def slow_call_details(snapshot: Snapshot, scope: Scope, key: SlowKey, width: int) -> list[Line]:
    """Return the lines about a call."""
    stat = next((each for each in slowest(snapshot, scope.pid) if slow_key(each) == key), None)
    if stat is None:
        return [[("The call is no longer among the slowest", "dim")]]
    return list(_lines(snapshot, stat, width))


def _lines(snapshot: Snapshot, stat: SlowStat, width: int) -> Iterator[Line]:
    call = stat.call
    waiting = {} if call.waiting_ns is None else {"waiting": duration(call.waiting_ns)}
    yield from pairs({"took": duration(call.duration_ns), **waiting}, width)
    if stat.state is not None:
        yield [state_span(stat.state), (f": {stat.reason}", "dim")]
    yield []
    yield from wrap(f"{call.name}({call.args})", width - 1)
    yield [(f"= {call.ret} ", "live"), (call.error, "failing")]
    yield []
    if target := object_name(stat.info):
        yield from wrap(f"{stat.info.kind.title}: {target}", width - 1)
    yield [("thread ", "dim"), (thread_name(snapshot, call.tid, call.pid), "")]
    if call.pid != call.tid:
        yield [("process ", "dim"), (process_name(snapshot, call.pid), "")]
    if call.time_ns is not None:
        yield [("at ", "dim"), (rfc3339(call.time_ns), "")]
