"""The details of a thread: what it is doing, where its time went, and what it waited for."""

from collections.abc import Iterator

from syswatch.model.snapshot import Snapshot
from syswatch.terminal.ui.budget_bar import letters_of
from syswatch.terminal.ui.listing import Scope
from syswatch.terminal.ui.styled_text import Line, align_right, wrap, wrap_last
from syswatch.views.budget.in_progress import Current, in_progress
from syswatch.views.budget.names import object_name
from syswatch.views.budget.scope import info_of, state_texts
from syswatch.views.budget.states import TimeState
from syswatch.views.budget.threads import ThreadStat, lanes, threads, waits
from syswatch.views.formatting import duration

from .parts import pairs, process_name, state_rows, state_span, title

_MOST_WAITS = 12


def thread_details(snapshot: Snapshot, scope: Scope, tid: int, width: int) -> list[Line]:
    """Return the lines about a thread."""
    current = next((each for each in in_progress(snapshot, scope.pid) if each.tid == tid), None)
    stat = next((each for each in threads(snapshot, scope.pid) if each.tid == tid), None)
    if current is None and stat is None:
        return [[("The thread is not known", "dim")]]
    pid = current.thread.pid if current else stat.tally.pid if stat else 0
    return [
        [("thread of ", "dim"), (process_name(snapshot, pid), "title")],
        *_now(current, snapshot, width),
        *(_totals(snapshot, stat, width) if stat else ()),
    ]


def _spent(current: Current) -> str:
    """Return how long the call in progress has taken, at least if it began before the trace."""
    if not current.thread.call or not current.least_ns:
        return ""
    at_least = " at least" if current.spent_ns is None else ""
    return f" for{at_least} {duration(current.least_ns)}"


def _now(current: Current | None, snapshot: Snapshot, width: int) -> Iterator[Line]:
    if current is None:
        yield [("the trace has ended" if snapshot.done else "the thread has ended", "dim")]
        return
    thread = current.thread
    label = state_texts(snapshot, current.state).label
    yield [("now ", "dim"), state_span(current.state, label), (_spent(current), "title")]
    if current.reason:
        yield [(f"{label} because: ", "dim"), (current.reason, "")]
    if thread.call:
        yield from wrap(f"{thread.call}({thread.args})", width - 1)
        if target := object_name(current.info):
            yield from wrap(f"on {target}", width - 1)


def _totals(snapshot: Snapshot, stat: ThreadStat, width: int) -> Iterator[Line]:
    states = {state: stat.in_state(state) for state in TimeState}
    yield from title("Where its time went")
    yield from pairs({"calls": f"{stat.tally.calls:,}", "errors": f"{stat.tally.errors:,}"}, width)
    yield from state_rows(snapshot, states, width)
    yield from _history(snapshot, stat.tid, width)
    found = waits(snapshot, stat)
    if found:
        yield from title("Waited for")
        for each in found[:_MOST_WAITS]:
            target = object_name(info_of(snapshot, each.wait.object))
            on = f" of {target}" if target else ""
            waited: Line = [
                (align_right(duration(each.spent_ns), 8) + "  ", "title"),
                state_span(each.state),
                (f"  {each.wait.call or 'other calls'}{on}", ""),
            ]
            # That blocked threads wait within their work is what blocked means.
            reason = each.reason if each.state is TimeState.IDLE else ""
            yield from wrap_last([*waited, (f"  {reason}", "dim")], width)


def _history(snapshot: Snapshot, tid: int, width: int) -> Iterator[Line]:
    """Yield the state that took most of each of the last intervals."""
    points = lanes(snapshot, [tid])[tid][-max(width - 1, 1) :]
    if len(points) > 1:
        yield from title("Its last intervals")
        spent_ms = snapshot.sums.timeline.bin_ms
        yield [("".join(letters_of(point.states, 1) for point in points), "")]
        yield [(f"one letter for each {spent_ms} ms, the newest last", "dim")]
