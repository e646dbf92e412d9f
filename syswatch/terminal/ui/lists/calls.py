"""The list of system calls: all of them, or those of a process, a thread or an object."""

from collections.abc import Mapping, Sequence

from syswatch.base.classes import frozen
from syswatch.model.catalog import category_of
from syswatch.model.snapshot import CallStat, Snapshot
from syswatch.terminal.ui.columns import NOTHING, Column
from syswatch.terminal.ui.listing import Listing, Scope
from syswatch.terminal.ui.styled_text import Line, Span
from syswatch.views import columns as registry
from syswatch.views.budget.calls import call_costs, calls
from syswatch.views.budget.costs import NO_COSTS, Costs, costs_by
from syswatch.views.column import Column as RegisteredColumn
from syswatch.views.column import Kind, Place, Totals
from syswatch.views.forms import CallSort

from .cells import (
    busy_column,
    number_column,
    size_column,
    text_column,
    time_column,
    waiting_column,
)
from .empty import no_calls, no_data

_LONGEST_BAR = 10
# Cells left over go to long names.
_MOST_EXTRA = {"errno": 2, "name": 12, "category": 0, "bar": 0}
# The column that `--sort` means.
COLUMN_OF_SORT: Mapping[CallSort, str] = {
    **{sort: sort.value for sort in CallSort},
    CallSort.TIME: "busy",
}


@frozen
class CallRow:
    """A call, the totals that its shares are parts of, and what it costs."""

    call: CallStat
    totals: Totals
    costs: Costs


def _column(facts: RegisteredColumn, place: Place) -> Column[CallRow]:
    """Return a column of the registry as one of the terminal."""

    def cell(row: CallRow) -> Span:
        value = facts.value(row.call, row.totals)
        if value is None:
            return NOTHING
        if facts.kind is Kind.BAR:
            return "█" * round(_LONGEST_BAR * float(value)), row.call.category.value
        return facts.text(value), _style(facts, row.call)

    name, slash, unit = facts.short_title.partition("/")
    return Column(
        facts.key,
        f"{name.upper()}{slash}{unit}",
        facts.meaning,
        place,
        cell,
        lambda row: facts.sort_key(row.call),
        is_number=facts.is_number and facts.kind is not Kind.BAR,
        most_extra=_MOST_EXTRA.get(facts.key, 2),
    )


def _style(facts: RegisteredColumn, call: CallStat) -> str:
    if facts.is_of_errors:
        return "failing" if call.is_mostly_failing else "slow"
    return {"category": call.category.value, "rate": "live"}.get(facts.key, "")


_BUSY: Column[CallRow] = busy_column(
    "Time in this call, idle waits left out", Place(7, 1), lambda row: row.costs
)
_WAITING_MEANING = "Time waiting in this call"
_WAITING: Column[CallRow] = waiting_column(_WAITING_MEANING, Place(9, 3), lambda row: row.costs)
_BYTES: Column[CallRow] = size_column(
    "bytes",
    "BYTES",
    "Bytes read and written",
    Place(8, 12),
    lambda row: row.costs.sums.bytes_in + row.costs.sums.bytes_out,
)


def _columns() -> tuple[Column[CallRow], ...]:
    """Return the columns of the registry, and those of times and bytes."""
    name, category, *others = (
        _column(registry.COLUMNS[key], place)
        for key, place in registry.TERMINAL.items()
        if key != _WAITING.name
    )
    return (name, category, _BUSY, _WAITING, *others, _BYTES)


@frozen
class ScopedRow:
    """A call of a process, a thread or an object."""

    name: str
    costs: Costs


_SCOPED_COLUMNS: tuple[Column[ScopedRow], ...] = (
    text_column("name", "CALL", "The system call", Place(16), lambda row: row.name, most_extra=12),
    text_column(
        "category", "CAT", "The category", Place(5, 6), lambda row: category_of(row.name).value
    ),
    busy_column(_BUSY.meaning, Place(7, 1), lambda row: row.costs),
    waiting_column(_WAITING_MEANING, Place(9, 2), lambda row: row.costs),
    number_column(
        "calls", "CALLS", "Number of calls", Place(7, 1), lambda row: row.costs.sums.count
    ),
    number_column(
        "errors",
        "ERRORS",
        "Number of failed calls",
        Place(7, 4),
        lambda row: row.costs.sums.errors,
        style="failing",
    ),
    size_column(
        "bytes",
        "BYTES",
        "Bytes read and written",
        Place(8, 3),
        lambda row: row.costs.sums.bytes_in + row.costs.sums.bytes_out,
    ),
    size_column("in", "IN", "Bytes read", Place(8, 9), lambda row: row.costs.sums.bytes_in),
    size_column("out", "OUT", "Bytes written", Place(8, 10), lambda row: row.costs.sums.bytes_out),
    number_column(
        "waits", "WAITS", "Calls that waited", Place(7, 7), lambda row: row.costs.sums.waits
    ),
    time_column(
        "average",
        "AVG",
        "Average duration",
        Place(7, 5),
        lambda row: row.costs.sums.total_ns // row.costs.sums.count if row.costs.sums.count else 0,
    ),
    time_column(
        "total",
        "TOTAL",
        "Time in this call, waits in progress included",
        Place(7, 8),
        lambda row: row.costs.total_ns,
    ),
    time_column(
        "ready",
        "READY",
        "Time able to run in this call, without a free CPU",
        Place(8, 11),
        lambda row: row.costs.sums.ready_ns,
    ),
)


def _all_calls(snapshot: Snapshot, _scope: Scope) -> Sequence[CallRow]:
    found = calls(snapshot)
    totals = Totals.of(found)
    costs = call_costs(snapshot)
    return [CallRow(call, totals, costs.get(call.name, NO_COSTS)) for call in found if call.name]


def _scoped_calls(snapshot: Snapshot, scope: Scope) -> Sequence[ScopedRow]:
    if scope.tid is None and scope.object is None:
        costs = call_costs(snapshot, scope.pid)
    else:
        costs = costs_by(snapshot, lambda row: row.call, pid=scope.pid, includes=scope.covers)
    return [ScopedRow(name, each) for name, each in costs.items()]


def _matches(name: str, text: str) -> bool:
    return text in name.casefold() or category_of(name).value.casefold().startswith(text)


def _details(snapshot: Snapshot, scope: Scope, name: str, width: int) -> Sequence[Line]:
    """Return the details of a call; what makes them is not needed for the first screen."""
    from syswatch.terminal.ui.details.call import call_details

    return call_details(snapshot, scope, name, width)


def _copied(row: CallRow) -> tuple[str, str]:
    call, tally = row.call, row.call.tally
    numbers = (tally.count, tally.errors, call.total_ns, call.p95_ns, call.p99_ns)
    meaning = f"{call.name}: calls, errors, total, P95, P99 (ns)"
    return "\t".join(map(str, numbers)), meaning


def _copied_scoped(row: ScopedRow) -> tuple[str, str]:
    sums = row.costs.sums
    numbers = (sums.count, sums.errors, row.costs.total_ns, row.costs.waiting_ns)
    return "\t".join(map(str, numbers)), f"{row.name}: calls, errors, total, waiting (ns)"


SCOPED_CALLS = Listing(
    "calls",
    _SCOPED_COLUMNS,
    "busy",
    _scoped_calls,
    key=lambda row: row.name,
    text=lambda row: row.name,
    matches=lambda row, text: _matches(row.name, text),
    if_empty=lambda snapshot: no_data(snapshot, "these calls"),
    details=_details,
    copied=_copied_scoped,
)
CALLS = Listing(
    "calls",
    _columns(),
    "busy",
    _all_calls,
    key=lambda row: row.call.name,
    text=lambda row: row.call.name,
    matches=lambda row, text: _matches(row.call.name, text),
    if_empty=no_calls,
    details=_details,
    copied=_copied,
    scoped=SCOPED_CALLS,
)
