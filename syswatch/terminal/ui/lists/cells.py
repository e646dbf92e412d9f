"""Columns that several lists have."""

from collections.abc import Callable

from syswatch.terminal.ui.columns import NOTHING, Column, Item
from syswatch.terminal.ui.styled_text import Span
from syswatch.views.budget.costs import Costs
from syswatch.views.column import Place
from syswatch.views.formatting import count, duration, size


def time_cell(spent_ns: int) -> Span:
    """Return a duration, or a dash for none."""
    return (duration(spent_ns), "") if spent_ns else NOTHING


def waiting_column(meaning: str, place: Place, costs: Callable[[Item], Costs]) -> Column[Item]:
    """Return the column of the time waiting, with a plus if a wait is in progress."""
    return Column(
        "waiting",
        "WAITING",
        f"{meaning}, idle waits included; + means that a wait is in progress",
        place,
        lambda item: _waiting_cell(costs(item)),
        lambda item: -costs(item).waiting_ns,
    )


def _waiting_cell(costs: Costs) -> Span:
    if not costs.waiting_ns:
        return NOTHING
    style = "slow" if costs.in_progress and costs.blocked_ns > costs.idle_ns else ""
    return duration(costs.waiting_ns) + ("+" if costs.in_progress else ""), style


def busy_column(meaning: str, place: Place, costs: Callable[[Item], Costs]) -> Column[Item]:
    """Return the column of the time that was not idle; equal rows are sorted by the idle time."""
    return Column(
        "busy",
        "TIME",
        meaning,
        place,
        lambda item: time_cell(costs(item).not_idle_ns),
        lambda item: (-costs(item).not_idle_ns, -costs(item).idle_ns, -costs(item).sums.count),
    )


def number_column(  # noqa: PLR0913  the facts of one column
    name: str,
    title: str,
    meaning: str,
    place: Place,
    value: Callable[[Item], int],
    text: Callable[[float], str] = count,
    style: str = "",
) -> Column[Item]:
    """Return a column of numbers, with a dash for zero."""
    return Column(
        name,
        title,
        meaning,
        place,
        lambda item: (text(value(item)), style) if value(item) else NOTHING,
        lambda item: -value(item),
    )


def time_column(
    name: str, title: str, meaning: str, place: Place, value: Callable[[Item], int]
) -> Column[Item]:
    """Return a column of durations."""
    return number_column(name, title, meaning, place, value, duration)


def size_column(
    name: str, title: str, meaning: str, place: Place, value: Callable[[Item], int]
) -> Column[Item]:
    """Return a column of bytes."""
    return number_column(name, title, meaning, place, value, size)


def text_column(  # noqa: PLR0913  the facts of one column
    name: str,
    title: str,
    meaning: str,
    place: Place,
    text: Callable[[Item], str],
    style: str = "",
    most_extra: int = 0,
    *,
    has_paths: bool = False,
) -> Column[Item]:
    """Return a column of texts, with a dash for an empty one."""
    return Column(
        name,
        title,
        meaning,
        place,
        lambda item: (text(item), style) if text(item) else NOTHING,
        lambda item: text(item).casefold() or "~",
        is_number=False,
        most_extra=most_extra,
        has_paths=has_paths,
    )
