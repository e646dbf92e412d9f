"""The histogram of one call's durations: a logarithmic axis with the percentiles marked."""

from collections.abc import Mapping

from syswatch.model.snapshot import CallStat
from syswatch.views.durations import BARS_PER_OCTAVE, fine_bars, position
from syswatch.views.formatting import duration

from .markup import Markup, axis, drawing, tag

_HEIGHT_PX = 70
_LEAST_HEIGHT = 1.5


def histogram(call: CallStat) -> Markup:
    """Return the drawing, or a sentence for a call without durations."""
    bars = fine_bars(call.tally.histogram)
    if not bars:
        return tag("p", "No duration was measured.", class_="dim")
    first, last = min(bars), max(bars) + 1
    width = max(last - first, 2 * BARS_PER_OCTAVE)
    marks = (("P50", call.p50_ns), ("P95", call.p95_ns), ("P99", call.p99_ns))
    drawn = [tag("path", d=_path(bars, first), class_="area load-area")]
    drawn += [
        tag("path", d=f"M{position(ns) - first:.2f},0V{_HEIGHT_PX}", class_="mark")
        for _, ns in marks
        if ns
    ]
    percentiles = " · ".join(f"{name} {duration(ns)}" for name, ns in marks)
    return tag(
        "figure",
        (
            tag("figcaption", percentiles),
            drawing(drawn, width, _HEIGHT_PX, f"Durations of {call.name}: {percentiles}"),
            axis(
                duration(2 ** (at / BARS_PER_OCTAVE))
                for at in (first, first + width / 2, first + width)
            ),
        ),
        class_="histogram",
    )


def _path(bars: Mapping[int, int], first: int) -> str:
    peak = max(bars.values())
    heights = {at: max(_HEIGHT_PX * times / peak, _LEAST_HEIGHT) for at, times in bars.items()}
    return "".join(
        f"M{at - first},{_HEIGHT_PX}v-{height:.3g}h.92v{height:.3g}z"
        for at, height in sorted(heights.items())
    )
