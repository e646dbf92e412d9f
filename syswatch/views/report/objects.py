"""The objects and threads of the report, and the slowest calls."""

from collections.abc import Sequence

from syswatch.model.slowest import SlowCall
from syswatch.model.snapshot import Snapshot
from syswatch.views.budget.budget import Budget, budget
from syswatch.views.budget.idle import Judgement
from syswatch.views.budget.names import object_name
from syswatch.views.budget.objects import ObjectStat, costliest_objects
from syswatch.views.budget.slowest import SlowStat, slowest
from syswatch.views.budget.states import TimeState
from syswatch.views.budget.threads import ThreadStat, threads
from syswatch.views.formatting import rfc3339, size
from syswatch.views.look import state_class

from .budget import stack
from .markup import Markup, quantity, tag
from .table import NO_CALLS, NOTHING, Cell, TableColumn, number, table, time, times

MOST_OBJECTS = 200
MOST_THREADS = 200
# A sheet of paper cannot be scrolled: it has the first rows only, as the style sheet says.
PRINTED_ROWS = 15
_LONGEST_ARGUMENTS = 160
_OBJECTS = (
    TableColumn("Object", is_word=True),
    TableColumn("Kind", is_word=True),
    TableColumn(TimeState.BLOCKED.title),
    TableColumn(TimeState.WORKING.title),
    TableColumn(TimeState.READY.title),
    TableColumn(TimeState.IDLE.title),
    TableColumn("Calls"),
    TableColumn("Errors"),
    TableColumn("Read"),
    TableColumn("Written"),
    TableColumn("Waits", is_word=True),
)
_SLOWEST = (
    TableColumn("Duration", first=True),
    TableColumn("Call", is_word=True),
    TableColumn("Object", is_word=True),
    TableColumn("Waiting"),
    TableColumn("Time", is_word=True),
    TableColumn("Thread", is_word=True),
)


def object_table(snapshot: Snapshot) -> Markup:
    """Return the objects that cost the most time."""
    found = costliest_objects(snapshot)
    if not found:
        return _nothing(snapshot, "No call acted on an object.")
    rows = [_object(each) for each in found[:MOST_OBJECTS]]
    shown = table(_OBJECTS, rows, kind="sortable")
    return _long(shown, len(rows), len(found), "objects", _estimates(snapshot))


def thread_table(snapshot: Snapshot) -> Markup:
    """Return the busiest threads."""
    found = threads(snapshot)
    if not found:
        return _nothing(snapshot, "No thread was followed.")
    longest_ns = max(sum(each.parts.values()) for each in found) or 1
    spent = budget(snapshot)
    columns = (
        TableColumn("Thread", is_word=True),
        TableColumn(""),
        *(TableColumn(spent.texts(state).title) for state in TimeState),
        TableColumn("Calls"),
    )
    rows = [_thread(each, spent, longest_ns) for each in found[:MOST_THREADS]]
    shown = table(columns, rows, kind="sortable")
    return _long(shown, len(rows), len(found), "threads", _estimates(snapshot))


def slowest_table(snapshot: Snapshot, call: str = "") -> Markup:
    """Return the slowest calls of all, or of one name."""
    found = slowest(snapshot, call=call)
    if not found and not snapshot.total:
        return NO_CALLS
    if not found:
        return _nothing(snapshot, "No duration was measured.")
    rows = [_slow(each) for each in found]
    note = "Durations are exact, times waiting are estimates." if _estimates(snapshot) else ""
    return _long(table(_SLOWEST, rows, kind="sortable"), len(rows), len(rows), "calls", note)


def _estimates(snapshot: Snapshot) -> str:
    return "The times are estimates." if budget(snapshot).is_estimated else ""


def _object(each: ObjectStat) -> Sequence[Cell]:
    sums = each.costs.sums
    return (
        Cell(object_name(each.info), each.info.name, "code wrap", title=each.info.detail or None),
        Cell(each.info.kind.title),
        time(each.costs.blocked_ns),
        time(sums.working_ns),
        time(sums.ready_ns),
        time(each.costs.idle_ns),
        times(sums.count),
        times(sums.errors),
        _bytes(sums.bytes_in),
        _bytes(sums.bytes_out),
        Cell(_reason(each.judgement), kind="wrap"),
    )


def _thread(each: ThreadStat, spent: Budget, longest_ns: int) -> Sequence[Cell]:
    label = ", ".join(
        f"{spent.texts(state).label} {each.in_state(state):,} ns"
        for state in TimeState
        if each.in_state(state)
    )
    name = f"{each.tid} {each.tally.comm}" if each.tid else "other threads"
    process = f"process {each.tally.pid}" if each.tally.pid not in (0, each.tid) else None
    return (
        Cell(name, kind="code", title=process),
        Cell(stack(each.parts, spent, longest_ns, label), kind="bar-cell stack"),
        *(time(each.in_state(state)) for state in TimeState),
        times(each.tally.calls),
    )


def _slow(each: SlowStat) -> Sequence[Cell]:
    call = each.call
    return (
        time(call.duration_ns),
        Cell(_written(call), call.name, "code wrap"),
        _object_of(each) if call.object else Cell(NOTHING),
        time(call.waiting_ns or 0),
        Cell(rfc3339(call.time_ns)[11:26] or NOTHING, kind="code dim"),
        Cell(str(call.tid or NOTHING), kind="dim"),
    )


def _object_of(each: SlowStat) -> Cell:
    """Return the object of a call, with the colour of the state of its wait."""
    name = object_name(each.info)
    kind = f"chip {state_class(each.state)}" if each.state else None
    return Cell(tag("span", name, class_=kind), name, "code wrap", title=each.reason or None)


def _written(call: SlowCall) -> str:
    args = call.args
    if len(args) > _LONGEST_ARGUMENTS:
        args = f"{args[:_LONGEST_ARGUMENTS]}…"
    result = f"{call.ret} {call.error}".strip()
    return f"{call.name}({args}) = {result}" if result else f"{call.name}({args})"


def _reason(judgement: Judgement | None) -> Markup | str:
    if judgement is None:
        return NOTHING
    return tag("span", judgement.reason, class_=f"chip {state_class(judgement.state)}")


def _bytes(amount: int) -> Cell:
    return number(quantity(size(amount), f"{amount:,}"), amount) if amount else Cell(NOTHING, 0)


def _nothing(snapshot: Snapshot, otherwise: str) -> Markup:
    recorded = snapshot.sums.activity or not snapshot.total
    text = otherwise if recorded else "The trace does not record objects and waits."
    return tag("p", text, class_="dim")


def _long(shown: Markup, rows: int, found: int, what: str, note: str) -> Markup:
    """Return a table that scrolls, with a note and the number of rows that are not shown."""
    below = [tag("p", note, class_="dim")] if note else []
    is_longer = rows > PRINTED_ROWS
    if rest := found - rows:
        place = "dim on-screen" if is_longer else "dim"
        below.append(tag("p", f"Omitted here: {what} ({rest:,}).", class_=place))
    if is_longer:
        text = f"The first {PRINTED_ROWS} of {found:,} {what}; the file has more."
        below.append(tag("p", text, class_="dim on-paper"))
    return tag("div", (shown, *below), class_="long-table")
