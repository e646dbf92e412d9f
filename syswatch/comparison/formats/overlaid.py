"""The distributions of the durations of a call on both sides, drawn over each other."""

from collections.abc import Mapping, Sequence

from syswatch.comparison.run import Run
from syswatch.model.histogram import Histogram
from syswatch.views.durations import BARS_PER_OCTAVE, fine_bars
from syswatch.views.formatting import duration, plural
from syswatch.views.report.markup import Markup, axis, drawing, tag

_HEIGHT_PX = 70


def histogram_of(runs: Sequence[Run], call: str) -> Histogram:
    """Return the durations of a call in all runs of a side."""
    found = (run.histograms[call] for run in runs if call in run.histograms)
    return sum(found, start=Histogram())


def overlaid(before: Histogram, after: Histogram, call: str) -> Markup:
    """
    Return the drawing: an area before, a line after.

    Both show shares of the calls of their side, which may be of different numbers.
    """
    shares = [_shares(fine_bars(each)) for each in (before, after)]
    places = [at for bars in shares for at in bars]
    first = min(places)
    width = max(max(places) + 1 - first, 2 * BARS_PER_OCTAVE)
    peak = max(part for bars in shares for part in bars.values())
    scale = _HEIGHT_PX / peak
    label = f"Durations of {call}: {_counts(before, after)}"
    return tag(
        "figure",
        (
            tag("figcaption", (tag("code", call), tag("span", _counts(before, after)))),
            drawing(
                (
                    tag("path", d=_steps(shares[0], first, scale), class_="before"),
                    tag("path", d=_steps(shares[1], first, scale), class_="after"),
                ),
                width,
                _HEIGHT_PX,
                label,
            ),
            axis(
                duration(2 ** (at / BARS_PER_OCTAVE))
                for at in (first, first + width / 2, first + width)
            ),
        ),
        class_="histogram",
    )


def _counts(before: Histogram, after: Histogram) -> str:
    return f"{plural(before.total, 'call')} before, {after.total:,} after"


def _shares(bars: Mapping[int, int]) -> Mapping[int, float]:
    total = sum(bars.values())
    return {at: times / total for at, times in bars.items()}


def _steps(shares: Mapping[int, float], first: int, scale: float) -> str:
    """Return the outline of the bars of a side."""
    parts: list[str] = []
    end = None
    for at, part in sorted(shares.items()):
        x, y = at - first, _HEIGHT_PX - part * scale
        if end != x:
            # Down to the axis, and up again where the next bar begins.
            parts.append(f"V{_HEIGHT_PX}M{x},{_HEIGHT_PX}" if parts else f"M{x},{_HEIGHT_PX}")
        parts.append(f"V{y:.4g}h1")
        end = x + 1
    return "".join(parts) + (f"V{_HEIGHT_PX}" if parts else "")
