"""The time budget as a bar of characters, with a legend that needs no colour."""

from collections.abc import Sequence

from syswatch.model.preferences import ShareOf
from syswatch.views.text_table import Paint

from .budget import Budget, is_included
from .phrases import marked, of_wall, percent
from .states import TimeState

# The legend is below.
MOST_CELLS = 80
# Less idle time than this share is not mentioned.
_MENTIONED = 0.01


def bar(budget: Budget, share_of: ShareOf, paint: Paint, cells: int) -> str:
    """Return a bar of letters, one for each state, in the order of the states."""
    sums = [(state, budget.counted(state, share_of)) for state in _states(share_of)]
    cells_of = lengths([spent_ns for _, spent_ns in sums], cells)
    return "".join(
        paint(state.letter * length, state.value)
        for (state, _), length in zip(sums, cells_of, strict=True)
        if length
    )


def legend(budget: Budget, share_of: ShareOf) -> str:
    """Return the letters of the bar with their states and shares, and what it leaves out."""
    sums = {state: budget.counted(state, share_of) for state in _states(share_of)}
    whole_ns = sum(sums.values())
    parts = [
        f"{state.letter} {budget.texts(state).label} {_share(budget, spent_ns / whole_ns)}"
        for state, spent_ns in sums.items()
        if spent_ns
    ]
    idle_ns = budget.in_state(TimeState.IDLE)
    if idle_ns >= _MENTIONED * whole_ns and TimeState.IDLE not in sums:
        parts.append(f"(without {marked(of_wall(idle_ns), is_estimated=budget.is_estimated)} idle)")
    return "  ".join(parts)


def _share(budget: Budget, share: float) -> str:
    return marked(percent(share), is_estimated=budget.is_estimated)


def _states(share_of: ShareOf) -> list[TimeState]:
    return [state for state in TimeState if is_included(state, share_of)]


def lengths(values: Sequence[int], cells: int) -> list[int]:
    """Return whole numbers in proportion to some values that add up to the number of cells."""
    whole = sum(values)
    if not whole:
        return [0] * len(values)
    ends = [round(cells * sum(values[: place + 1]) / whole) for place in range(len(values))]
    return [end - begin for begin, end in zip([0, *ends], ends, strict=False)]
