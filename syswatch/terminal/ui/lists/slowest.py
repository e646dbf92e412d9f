"""The list of the slowest calls."""

from collections.abc import Sequence

from syswatch.model.snapshot import Snapshot
from syswatch.terminal.ui.columns import NOTHING, Column
from syswatch.terminal.ui.details.parts import object_cell, state_span
from syswatch.terminal.ui.details.slow_call import slow_call_details, slow_key
from syswatch.terminal.ui.listing import Listing, Scope
from syswatch.terminal.ui.styled_text import Span
from syswatch.views.budget.names import object_name
from syswatch.views.budget.slowest import SlowStat, slowest
from syswatch.views.column import Place
from syswatch.views.formatting import rfc3339

from .cells import text_column, time_column
from .empty import no_data

# Of a timestamp: the time of day with milliseconds.
_TIME_OF_DAY = slice(11, 23)


def _state(stat: SlowStat) -> Span:
    return NOTHING if stat.state is None else state_span(stat.state)


_COLUMNS: tuple[Column[SlowStat], ...] = (
    time_column("total", "TOOK", "Duration", Place(7), lambda stat: stat.call.duration_ns),
    time_column(
        "waiting",
        "WAITING",
        "Time waiting in it",
        Place(9, 3),
        lambda stat: stat.call.waiting_ns or 0,
    ),
    Column(
        "state",
        "STATE",
        "Whether its wait was within work (blocked) or for work (idle)",
        Place(7, 4),
        _state,
        lambda stat: "~" if stat.state is None else stat.state.value,
        is_number=False,
        most_extra=1,
    ),
    text_column("name", "CALL", "The system call", Place(15, 1), lambda stat: stat.call.name),
    text_column(
        "object",
        "OBJECT",
        "What it acted on",
        Place(20, 2),
        lambda stat: object_cell(stat.info),
        most_extra=30,
        has_paths=True,
    ),
    text_column("thread", "THREAD", "ID of the thread", Place(7, 5), lambda s: str(s.call.tid)),
    text_column(
        "at",
        "AT",
        "When it began",
        Place(12, 7),
        lambda stat: rfc3339(stat.call.time_ns)[_TIME_OF_DAY],
        style="dim",
    ),
    text_column(
        "result",
        "RESULT",
        "Its result",
        Place(8, 8),
        lambda stat: stat.call.error or stat.call.ret,
        most_extra=4,
    ),
    text_column(
        "args", "ARGUMENTS", "Its arguments", Place(10, 6), lambda s: s.call.args, most_extra=80
    ),
)


def _items(snapshot: Snapshot, scope: Scope) -> Sequence[SlowStat]:
    return [
        stat
        for stat in slowest(snapshot, scope.pid)
        if scope.tid in (None, stat.call.tid) and scope.object in (None, stat.call.object)
    ]


def _matches(stat: SlowStat, text: str) -> bool:
    call = stat.call
    words = (call.name, call.args, object_name(stat.info), call.error, str(call.tid))
    return any(text in word.casefold() for word in words)


def _copied(stat: SlowStat) -> tuple[str, str]:
    call = stat.call
    return f"{call.duration_ns}\t{call.tid}\t{call.args}", f"{call.name}: duration (ns), thread"


SLOWEST = Listing(
    "slowest",
    _COLUMNS,
    "total",
    _items,
    key=slow_key,
    text=lambda stat: stat.call.name,
    matches=_matches,
    if_empty=lambda snapshot: no_data(snapshot, "slow calls"),
    details=slow_call_details,
    copied=_copied,
)
