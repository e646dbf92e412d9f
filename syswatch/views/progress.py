"""One line that says how far the reading of a log is."""

from syswatch.model.snapshot import Snapshot

from .numbers import count, elapsed, size

_FULL, _EMPTY = "█", "░"


def progress_line(snapshot: Snapshot, rate: float, width: int) -> str:
    """Return the line of a reading at a rate in bytes a second, no wider than the terminal."""
    reading = snapshot.sums.reading
    words = f"{count(reading.lines)} lines  {size(rate)}/s"
    part = snapshot.part_read
    if part is None:
        return words[: max(width, 0)]
    words = f" {100 * part:3.0f} %  {words}{_time_left(snapshot, part, rate)}"
    bar_width = max(0, min(40, width - len(words) - 1))
    full = round(part * bar_width)
    return (_FULL * full + _EMPTY * (bar_width - full) + words)[: max(width, 0)]


def _time_left(snapshot: Snapshot, part: float, rate: float) -> str:
    # Below a byte a second the reading has stalled, and nobody knows for how long.
    if rate < 1:
        return ""
    left_s = (1 - part) * (snapshot.source.total_bytes or 0) / rate
    return f"  {elapsed(int(left_s * 10**9))} left"
