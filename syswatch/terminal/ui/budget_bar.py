"""The bar of the time budget: colours, and without colours a letter and a pattern by state."""

from collections.abc import Mapping

from syswatch.model.objects import ObjectKind
from syswatch.model.preferences import ShareOf
from syswatch.views.budget.bar import lengths
from syswatch.views.budget.budget import Budget, is_included
from syswatch.views.budget.phrases import marked
from syswatch.views.budget.states import TimeState
from syswatch.views.formatting import long_duration, share

from .styled_text import Line, Span, by_priority, cell_width, join_lines

_PATTERNS = {
    TimeState.BLOCKED: "█",
    TimeState.USER: "▓",
    TimeState.WORKING: "▒",
    TimeState.READY: "=",
    TimeState.STOPPED: "-",
    TimeState.IDLE: "░",
}
_LEAST_CELLS = 16
# The legend takes no more of the width than this.
_LEGEND_SHARE = 0.7
_KINDS_IN_LEGEND = 3


def state_style(state: TimeState) -> str:
    """Return the name of the style of a state."""
    return f"state-{state.value}"


def budget_line(budget: Budget, share_of: ShareOf, width: int) -> Line:
    """Return the bar and its legend in one line."""
    states = _states(budget, share_of)
    whole = sum(states.values())
    if not whole:
        return _idle(budget)
    legend = _legend(budget, states, share_of, width)
    bar = bar_of(states, max(width - cell_width(legend) - 1, _LEAST_CELLS))
    return [*bar, (" ", ""), *legend]


def bar_of(states: Mapping[TimeState, int], cells: int) -> list[Span]:
    """Return a bar: each state begins with its letter and continues with its pattern."""
    return [
        ((state.letter + _PATTERNS[state] * cells)[:length], state_style(state))
        for state, length in _lengths(states, cells).items()
    ]


def letters_of(states: Mapping[TimeState, int], cells: int) -> str:
    """Return a bar of letters, for where there is one colour only."""
    return "".join(state.letter * length for state, length in _lengths(states, cells).items())


def _lengths(states: Mapping[TimeState, int], cells: int) -> Mapping[TimeState, int]:
    """Return how many cells each state takes, without those that take none."""
    pairs = zip(states, lengths(list(states.values()), cells), strict=True)
    return {state: length for state, length in pairs if length}


def _states(budget: Budget, share_of: ShareOf) -> Mapping[TimeState, int]:
    states = {state: budget.in_state(state) for state in TimeState if is_included(state, share_of)}
    return {state: spent_ns for state, spent_ns in states.items() if spent_ns > 0}


def _idle(budget: Budget) -> Line:
    idle_ns = budget.in_state(TimeState.IDLE)
    if not idle_ns:
        return [(budget.note or "No data on waits yet", "dim")]
    return [
        *bar_of({TimeState.IDLE: 1}, _LEAST_CELLS),
        (f" idle for {long_duration(idle_ns)}: waits for work only", ""),
    ]


def _legend(budget: Budget, states: Mapping[TimeState, int], share_of: ShareOf, width: int) -> Line:
    """Return the names and the shares of the states, the largest ones if not all of them fit."""
    whole = sum(states.values())
    ranked = sorted(states, key=lambda state: -states[state])
    parts: list[tuple[int, Line]] = []
    for state, spent_ns in states.items():
        named: Line = [
            (f"{state.letter} ", state_style(state)),
            (f"{budget.texts(state).label} ", "dim"),
            (
                marked(share(spent_ns / whole), is_estimated=budget.is_estimated),
                "title" if state is TimeState.BLOCKED else "",
            ),
        ]
        parts.append((ranked.index(state), named))
    parts.append((len(TimeState), [(_whole(budget, share_of), "dim")]))
    if kinds := _kinds(budget, whole):
        parts.insert(1, (len(TimeState) + 1, kinds))
    return join_lines(by_priority(parts, min(int(width * _LEGEND_SHARE), width - _LEAST_CELLS - 1)))


def _whole(budget: Budget, share_of: ShareOf) -> str:
    about = "about " if budget.is_estimated else ""
    return f"of {about}{long_duration(budget.whole(share_of))} {share_of.title}"


def _kinds(budget: Budget, whole: int) -> Line:
    """Return the kinds of objects that threads are blocked on, after the state itself."""
    blocked = [
        f"{key.kind.plural} {share(spent_ns / whole)}"
        for key, spent_ns in budget.parts.items()
        if key.state is TimeState.BLOCKED and key.kind is not ObjectKind.NONE
    ]
    return [(f"({', '.join(blocked[:_KINDS_IN_LEGEND])})", "dim")] if blocked else []
