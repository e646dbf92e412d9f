"""One line that says how far the reading of a log is."""

from syswatch.model.snapshot import Snapshot

from .numbers import count, elapsed, size

_FULL, _EMPTY = "█", "░"


def progress_line(snapshot: Snapshot, rate: float, left_s: float | None, width: int) -> str:
    """Return the line of a reading at a rate in bytes a second, no wider than the terminal."""
    reading = snapshot.sums.reading
    words = f"{count(reading.lines)} lines  {size(rate)}/s"
    part = snapshot.part_read
    if part is None:
        return words[: max(width, 0)]
    left = "" if left_s is None else f"  {elapsed(int(left_s * 10**9))} left"
    words = f" {100 * part:3.0f} %  {words}{left}"
    bar_width = max(0, min(40, width - len(words) - 1))
    full = round(part * bar_width)
    return (_FULL * full + _EMPTY * (bar_width - full) + words)[: max(width, 0)]
