"""The list of groups of processes: containers, pods, units or processes with the same name."""

from collections.abc import Sequence

import attrs

from syswatch.model.snapshot import Snapshot
from syswatch.terminal.ui.columns import NOTHING, Column
from syswatch.terminal.ui.details.group import group_details
from syswatch.terminal.ui.listing import Listing, Scope
from syswatch.views.column import Place
from syswatch.views.formatting import per_second, share
from syswatch.views.groups import GroupStat, group_sentence, group_stats

from .cells import number_column, text_column, time_column
from .empty import no_calls

_COLUMNS: tuple[Column[GroupStat], ...] = (
    text_column(
        "name",
        "GROUP",
        "The container, pod, unit, control group, or name of processes",
        Place(20),
        lambda stat: stat.info.name,
        most_extra=40,
    ),
    text_column(
        "kind",
        "KIND",
        "What the group is",
        Place(9, 6),
        lambda stat: stat.info.kind.value,
        style="dim",
    ),
    number_column("calls", "CALLS", "Number of calls", Place(7, 1), lambda s: s.sums.count),
    Column(
        "share",
        "SHARE",
        "Its part of the calls of all groups",
        Place(6, 3),
        lambda stat: (share(stat.share), "") if stat.sums.count else NOTHING,
        lambda stat: -stat.share,
    ),
    Column(
        "rate",
        "RATE/s",
        "Calls per second, averaged over the last four seconds",
        Place(7, 5),
        lambda stat: (per_second(stat.rate), "live") if stat.rate else NOTHING,
        lambda stat: -stat.rate,
    ),
    number_column(
        "errors",
        "ERRORS",
        "Number of failed calls",
        Place(7, 4),
        lambda stat: stat.sums.errors,
        style="failing",
    ),
    time_column(
        "busy",
        "WORKING",
        "Time working in calls, neither waiting nor without a free CPU",
        Place(9, 2),
        lambda stat: stat.sums.working_ns,
    ),
    time_column(
        "waiting",
        "WAITING",
        "Time waiting in calls that returned, idle waits included",
        Place(9, 7),
        lambda stat: stat.sums.waiting_ns,
    ),
    time_column(
        "ready",
        "READY",
        "Time able to run in calls, without a free CPU",
        Place(8, 11, extra=True),
        lambda stat: stat.sums.ready_ns,
    ),
    time_column(
        "total", "TOTAL", "Time in calls that returned", Place(8, 9), lambda s: s.sums.total_ns
    ),
    time_column(
        "p95", "P95", "95 % of the calls were no longer", Place(8, 8), lambda stat: stat.p95_ns
    ),
    time_column(
        "p99", "P99", "99 % of the calls were no longer", Place(8, 10), lambda stat: stat.p99_ns
    ),
    number_column(
        "lives",
        "LIVES",
        "How many control groups had this name",
        Place(6, 12),
        lambda stat: stat.info.lives,
    ),
)


def _matches(stat: GroupStat, text: str) -> bool:
    info = stat.info
    labels = (f"{name}={value}" for name, value in info.labels.items())
    words = (info.name, info.kind.value, info.path, info.id, *labels)
    return any(text in word.casefold() for word in words)


def _copied(stat: GroupStat) -> tuple[str, str]:
    sums = stat.sums
    numbers = (sums.count, sums.errors, sums.working_ns, sums.waiting_ns, sums.total_ns)
    meaning = f"{stat.info.name}: calls, errors, working, waiting, total (ns)"
    return "\t".join(map(str, numbers)), meaning


def _if_empty(snapshot: Snapshot) -> str:
    if not snapshot.calls:
        return no_calls(snapshot)
    return "Groups are not told apart: use attach --all --by container"


def _none(_snapshot: Snapshot, _scope: Scope) -> Sequence[GroupStat]:
    return ()


_GROUPS = Listing(
    "groups",
    _COLUMNS,
    "calls",
    lambda snapshot, _scope: group_stats(snapshot),
    key=lambda stat: stat.key,
    text=lambda stat: stat.info.name,
    matches=_matches,
    if_empty=_if_empty,
    details=group_details,
    copied=_copied,
    sentence=group_sentence,
)
GROUPS = attrs.evolve(
    _GROUPS,
    scoped=attrs.evolve(
        _GROUPS,
        items=_none,
        if_empty=lambda _: "Groups are those of the whole machine (Esc goes back)",
        sentence=lambda _: "",
    ),
)
