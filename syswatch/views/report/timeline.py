"""The timeline: calls by category, errors and time, second by second."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from syswatch.model.catalog import Category
from syswatch.model.snapshot import Snapshot
from syswatch.views.formatting import count, duration

from .chart import Stretch, areas, stretch
from .markup import Markup, tag

_CALLS_PX, _LANE_PX = 130, 40
_LEAST_SECONDS = 2


def timeline(snapshot: Snapshot) -> Markup:
    """Return the charts, or a sentence where there is nothing to draw."""
    known = stretch(snapshot)
    if known is None:
        return tag("p", "The trace has no times, so nothing can be drawn over time.", class_="dim")
    if known.last - known.first < _LEAST_SECONDS:
        words = "The trace is too short to be drawn by the second."
        return tag("p", words, class_="dim")
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
            _lane("calls a second", by_category, colours, _CALLS_PX, count),
            _lane("errors a second", errors, ["failing-area"], _LANE_PX, count),
            _lane("time in calls, a second", busy, ["load-area"], _LANE_PX, duration),
            _axis(known),
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
    top = f"at most {written(peak)}" if peak else "none at all"
    return tag(
        "figure",
        (
            tag("figcaption", (tag("span", title), tag("span", top))),
            tag(
                "svg",
                drawn,
                viewBox=f"0 0 {len(columns)} {height}",
                height=str(height),
                preserveAspectRatio="none",
                role="img",
                aria_label=f"{title}, {top}",
            ),
        ),
    )


def _axis(known: Stretch) -> Markup:
    moments = [known.first, (known.first + known.last + 1) // 2, known.last + 1]
    return tag("p", [tag("span", _clock(at)) for at in moments], class_="axis")


def _clock(second: int) -> str:
    try:
        return f"{datetime.fromtimestamp(second, UTC).astimezone():%H:%M:%S}"
    except (OverflowError, ValueError, OSError):
        return "–"  # A log may claim any year; this one is on no calendar.
