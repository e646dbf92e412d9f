"""The history of the time budget: how many threads were in which state, over time."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

from syswatch.base.classes import frozen
from syswatch.model.snapshot import Snapshot
from syswatch.model.timeline import COARSE_MS
from syswatch.views.budget.budget import history
from syswatch.views.budget.states import TimeState
from syswatch.views.formatting import duration, three_digits
from syswatch.views.look import state_class

from .chart import MOST_BINS, areas
from .markup import Markup, axis, drawing, tag

_HEIGHT_PX = 90
_LEAST_BINS = 2
_MS_NS = 1_000_000


@frozen
class _Steps:
    """The average number of threads in each state, in steps of equal length."""

    first_ms: int
    step_ms: int
    steps: tuple[Mapping[TimeState, float], ...]


def budget_history(snapshot: Snapshot) -> Iterator[Markup]:
    """Yield the chart, if the trace is long enough for one."""
    known = _steps(snapshot)
    if known is None:
        return
    used = [state for state in TimeState if any(state in step for step in known.steps)]
    columns = [[step.get(state, 0.0) for state in used] for step in known.steps]
    paths, peak = areas(columns, _HEIGHT_PX)
    drawn = [
        tag("path", d=path, class_=f"area {state_class(state)}")
        for path, state in zip(paths, used, strict=False)
        if path
    ]
    title, top = "threads by state", f"peak {three_digits(peak)}"
    yield tag(
        "figure",
        (
            tag("figcaption", (tag("span", title), tag("span", top))),
            drawing(drawn, len(columns), _HEIGHT_PX, f"{title}, {top}"),
            axis(_times(known)),
        ),
        class_="timeline",
    )


def _steps(snapshot: Snapshot) -> _Steps | None:
    bins = list(history(snapshot))
    if not bins:
        return None
    bin_ms = snapshot.sums.timeline.bin_ms
    first, last = bins[0].at_ms, bins[-1].at_ms
    number = (last - first) // bin_ms + 1
    if number < _LEAST_BINS:
        return None
    per_step = -(-number // MOST_BINS)
    step_ms = per_step * bin_ms
    steps: list[dict[TimeState, float]] = [{} for _ in range(-(-number // per_step))]
    for each in bins:
        step = steps[(each.at_ms - first) // step_ms]
        for key, spent_ns in each.parts.items():
            step[key.state] = step.get(key.state, 0.0) + spent_ns / (step_ms * _MS_NS)
    # The last step may have fewer intervals.
    whole = (number - per_step * (len(steps) - 1)) / per_step
    steps[-1] = {state: spent / whole for state, spent in steps[-1].items()}
    return _Steps(first, step_ms, tuple(steps))


def _times(known: _Steps) -> Sequence[str]:
    """Return the times at the beginning, the middle and the end."""
    length_ms = len(known.steps) * known.step_ms
    offsets = (0, length_ms // 2, length_ms)
    if known.step_ms < COARSE_MS:
        # The whole trace is short, so the time since its beginning says more.
        return [duration(each * _MS_NS) if each else "0 s" for each in offsets]
    return [_clock(known.first_ms + each) for each in offsets]


def _clock(at_ms: int) -> str:
    try:
        return f"{datetime.fromtimestamp(at_ms // 1000, UTC).astimezone():%H:%M:%S}"
    except (OverflowError, ValueError, OSError):
        return "–"  # A log may claim a year that no calendar has.
