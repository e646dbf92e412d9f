"""The timeline: calls by category, errors and time, second by second."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from syswatch.model.catalog import Category
from syswatch.model.snapshot import Snapshot
from syswatch.views.formatting import count, duration

from .chart import areas, timeline_of
from .markup import Markup, axis, drawing, tag
from .table import NO_CALLS

_CALLS_PX, _LANE_PX = 130, 40
_LEAST_SECONDS = 2


def timeline(snapshot: Snapshot) -> Markup:
    """Return the charts, or a sentence if there is nothing to draw."""
    known = timeline_of(snapshot)
    if not snapshot.total:
        return NO_CALLS
    if known is None:
        return tag("p", "The trace has no timestamps, so there is no timeline.", class_="dim")
    if known.last - known.first < _LEAST_SECONDS:
        reason = "The trace is too short for a timeline."
        return tag("p", reason, class_="dim")
    used = [
        category for category in Category if any(each.calls.get(category) for each in known.bins)
    ]
    by_category = [[each.calls.get(category, 0.0) for category in used] for each in known.bins]
    errors = [[each.errors] for each in known.bins]
    busy = [[each.busy_ns] for each in known.bins]
    colours = [category.css_class for category in used]
    return tag(
        "div",
        (
            tag(
                "ul",
                [tag("li", each, class_=f"chip {each.css_class}") for each in used],
                class_="legend",
            ),
            _lane("calls per second", by_category, colours, _CALLS_PX, count),
            _lane("errors per second", errors, ["failing-area"], _LANE_PX, count),
            _lane("time in calls per second", busy, ["load-area"], _LANE_PX, duration),
            axis(map(_clock, (known.first, (known.first + known.last + 1) // 2, known.last + 1))),
        ),
        class_="timeline",
    )


def _lane(
    title: str,
    columns: Sequence[Sequence[float]],
    colours: Sequence[str],
    height: int,
    written: Callable[[float], str],
) -> Markup:
    paths, peak = areas(columns, height)
    drawn = [
        tag("path", d=path, class_=f"area {colour}")
        for path, colour in zip(paths, colours, strict=False)
        if path
    ]
    top = f"peak {written(peak)}" if peak else "none"
    return tag(
        "figure",
        (
            tag("figcaption", (tag("span", title), tag("span", top))),
            drawing(drawn, len(columns), height, f"{title}, {top}"),
        ),
    )


def _clock(second: int) -> str:
    try:
        return f"{datetime.fromtimestamp(second, UTC).astimezone():%H:%M:%S}"
    except (OverflowError, ValueError, OSError):
        return "–"  # A log may claim a year that no calendar has.
