"""The list of objects: files, peers, locks and whatever else calls act on."""

from collections.abc import Sequence
from typing import Any

import attrs

from syswatch.model.snapshot import Snapshot
from syswatch.terminal.ui.columns import NOTHING, Column
from syswatch.terminal.ui.details.object import object_details
from syswatch.terminal.ui.details.parts import object_cell
from syswatch.terminal.ui.listing import Listing, Scope
from syswatch.terminal.ui.styled_text import Span
from syswatch.views.budget.names import object_name
from syswatch.views.budget.objects import ObjectStat, objects_of
from syswatch.views.column import Place
from syswatch.views.formatting import count

from .cells import busy_column, number_column, size_column, text_column, time_column, waiting_column
from .empty import no_data


def _reason(stat: ObjectStat) -> str:
    judgement = stat.judgement
    return f"{judgement.state.label}: {judgement.reason}" if judgement else ""


def _processes(stat: ObjectStat) -> Span:
    if not stat.pids:
        return NOTHING
    return f"{count(len(stat.pids))}{'+' if stat.has_more_users else ''}", ""


_COLUMNS: tuple[Column[ObjectStat], ...] = (
    text_column(
        "name",
        "OBJECT",
        "Path, address, command and so on",
        Place(20),
        lambda stat: object_cell(stat.info),
        most_extra=60,
        has_paths=True,
    ),
    text_column("kind", "KIND", "Kind of object", Place(9, 6), lambda stat: stat.info.kind.value),
    busy_column("Time in calls on it, idle waits left out", Place(7, 1), lambda stat: stat.costs),
    waiting_column("Time waiting for it", Place(9, 2), lambda stat: stat.costs),
    size_column(
        "bytes",
        "BYTES",
        "Bytes read and written",
        Place(8, 3),
        lambda stat: stat.costs.sums.bytes_in + stat.costs.sums.bytes_out,
    ),
    size_column("in", "IN", "Bytes read", Place(8, 10), lambda stat: stat.costs.sums.bytes_in),
    size_column(
        "out", "OUT", "Bytes written", Place(8, 11), lambda stat: stat.costs.sums.bytes_out
    ),
    number_column(
        "calls", "CALLS", "Number of calls", Place(6, 4), lambda stat: stat.costs.sums.count
    ),
    number_column(
        "errors",
        "ERRORS",
        "Number of failed calls",
        Place(7, 5),
        lambda stat: stat.costs.sums.errors,
        style="failing",
    ),
    number_column(
        "opens", "OPENS", "Number of opens that succeeded", Place(7, 12), lambda stat: stat.opens
    ),
    Column(
        "processes",
        "PROCS",
        "Number of processes that use it; with a plus, others may",
        Place(6, 13),
        _processes,
        lambda stat: -len(stat.pids),
    ),
    time_column(
        "total",
        "TOTAL",
        "Time in calls on it, idle waits included",
        Place(7, 14, extra=True),
        lambda stat: stat.costs.total_ns,
    ),
    time_column(
        "ready",
        "READY",
        "Time able to run in these calls, without a free CPU",
        Place(7, 15, extra=True),
        lambda stat: stat.costs.sums.ready_ns,
    ),
    text_column(
        "why",
        "WHY",
        "Why its waits are idle or blocked",
        Place(16, 16),
        _reason,
        style="dim",
        most_extra=20,
    ),
)


def _items(snapshot: Snapshot, scope: Scope) -> Sequence[ObjectStat]:
    return objects_of(snapshot, scope.covers)


def _matches(stat: ObjectStat, text: str) -> bool:
    kind = stat.info.kind
    words = (object_name(stat.info), stat.info.detail, stat.info.local)
    if any(text in word.casefold() for word in words):
        return True
    return any(name.casefold().startswith(text) for name in (kind.value, kind.title, kind.plural))


def _copied(stat: ObjectStat) -> tuple[str, str]:
    sums = stat.costs.sums
    numbers: tuple[Any, ...] = (
        *(sums.count, sums.errors, sums.bytes_in, sums.bytes_out),
        *(stat.costs.not_idle_ns, stat.costs.waiting_ns),
    )
    meaning = f"{object_name(stat.info)}: calls, errors, bytes in and out, time, waiting (ns)"
    return "\t".join(map(str, numbers)), meaning


OBJECTS = Listing(
    "objects",
    _COLUMNS,
    "busy",
    _items,
    key=lambda stat: stat.id,
    text=lambda stat: object_name(stat.info),
    matches=_matches,
    if_empty=lambda snapshot: no_data(snapshot, "objects"),
    details=object_details,
    copied=_copied,
    opens=lambda stat, scope: attrs.evolve(scope, object=stat.id),
)
