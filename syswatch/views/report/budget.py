"""The time budget of the report: a bar of the states, and what they consist of."""

from collections.abc import Iterator, Mapping

from syswatch.model.objects import ObjectKind
from syswatch.model.snapshot import Snapshot
from syswatch.views.budget.budget import Budget, PartKey, Parts, budget, is_included
from syswatch.views.budget.idle import judge_of
from syswatch.views.budget.scope import number_of_threads
from syswatch.views.budget.states import TimeState
from syswatch.views.budget.waits import waits_of
from syswatch.views.formatting import duration, share
from syswatch.views.look import state_class

from .budget_history import budget_history
from .markup import Markup, drawing, quantity, tag
from .table import NOTHING, Cell, TableColumn, length, number, table

_WIDTH, _HEIGHT_PX = 1000, 26
_COLUMNS = (
    TableColumn("State", is_word=True),
    TableColumn("Time"),
    TableColumn("Share"),
    TableColumn("Of which", is_word=True),
)


def time_budget(snapshot: Snapshot) -> Markup:
    """Return the bar, the table and the history, or why there are none."""
    spent = budget(snapshot)
    note = tag("p", f"{_sentence(spent.note)}.", class_="dim") if spent.note else ""
    if not spent.wall_ns:
        return tag("p", "No time was measured.", class_="dim") if not note else Markup(note)
    return tag(
        "div",
        (note, _bar(spent), _states(snapshot, spent), *budget_history(snapshot)),
        class_="budget",
    )


def segments(parts: Parts, spent: Budget, whole_ns: int) -> Iterator[Markup]:
    """Yield the parts of a stacked bar, with their values as tooltips."""
    at = 0.0
    for key, spent_ns in parts.items():
        length = _WIDTH * spent_ns / whole_ns
        title = f"{_part_title(key, spent)}: {duration(spent_ns)}, {share(spent_ns / whole_ns)}"
        yield tag(
            "rect",
            tag("title", title),
            x=f"{at:.1f}",
            width=f"{length:.1f}",
            height=str(_HEIGHT_PX),
            class_=f"area {state_class(key.state)}",
        )
        at += length


def stack(parts: Parts, spent: Budget, whole_ns: int, label: str) -> Markup:
    """Return a stacked bar as wide as its place, of parts of a budget."""
    return drawing(segments(parts, spent, whole_ns), _WIDTH, _HEIGHT_PX, label)


def _bar(spent: Budget) -> Markup:
    shares = ", ".join(
        f"{spent.texts(state).label} {share(state_ns / spent.wall_ns)}"
        for state in TimeState
        if (state_ns := spent.in_state(state))
    )
    bar = stack(spent.parts, spent, spent.wall_ns, f"Time of all threads: {shares}")
    return tag("figure", bar, class_="whole")


def _states(snapshot: Snapshot, spent: Budget) -> Markup:
    base = snapshot.preferences.share
    whole_ns = spent.whole(base) or 1
    about = "about " if spent.is_estimated else ""
    rows = []
    for state in TimeState:
        state_ns = spent.in_state(state)
        if state_ns:
            counted_ns = spent.counted(state, base)
            part = min(counted_ns / whole_ns, 1.0) if is_included(state, base) else None
            texts = spent.texts(state)
            chip = tag("span", texts.title, class_=f"chip {state_class(state)}")
            rows.append(
                (
                    Cell(chip, title=texts.description),
                    number((about, quantity(length(state_ns), f"{state_ns:,} ns")), state_ns),
                    Cell(NOTHING if part is None else quantity(share(part))),
                    Cell(_contents(snapshot, spent, state), kind="wrap dim"),
                )
            )
    # The wall time of a thread is known, even if it is not known what the thread did in it.
    wall = length(spent.wall_ns)
    whole = f"{wall} of {number_of_threads(snapshot)}" if spent.threads else f"About {wall}"
    total = f"{whole} in all; shares are of {base.title}."
    return tag("div", (table(_COLUMNS, rows), tag("p", total, class_="dim total")))


def _contents(snapshot: Snapshot, spent: Budget, state: TimeState) -> str:
    """Return the parts of a state: reasons for idle time, or kinds of objects."""
    if state is TimeState.IDLE:
        return _listed(_idle_reasons(snapshot))
    if state is TimeState.BLOCKED:
        return _listed(
            {_kind_title(key): ns for key, ns in spent.parts.items() if key.state is state}
        )
    return spent.texts(state).description


def _idle_reasons(snapshot: Snapshot) -> Mapping[str, int]:
    judge = judge_of(snapshot)
    reasons: dict[str, int] = {}
    for wait, spent_ns in waits_of(snapshot).spent.items():
        judgement = judge(wait)
        if judgement.state is TimeState.IDLE and spent_ns:
            reasons[judgement.reason] = reasons.get(judgement.reason, 0) + spent_ns
    return dict(sorted(reasons.items(), key=lambda each: (-each[1], each[0])))


def _listed(parts: Mapping[str, int]) -> str:
    return " · ".join(f"{title} {length(spent_ns)}" for title, spent_ns in parts.items())


def _kind_title(key: PartKey) -> str:
    return "other calls" if key.kind is ObjectKind.NONE else key.kind.plural


def _part_title(key: PartKey, spent: Budget) -> str:
    title = spent.texts(key.state).title
    return title if key.kind is ObjectKind.NONE else f"{title}, {_kind_title(key)}"


def _sentence(note: str) -> str:
    return note[:1].upper() + note[1:]
