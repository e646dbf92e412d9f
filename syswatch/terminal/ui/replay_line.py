"""The line that tells which range of a recording is shown."""

from syswatch.views.formatting import long_duration, rfc3339

from .playback import Playback, Range
from .styled_text import Line, by_priority, cell_width, join_lines

_NS_IN_MS = 1_000_000
_LEAST_CELLS = 10
_INSIDE, _OUTSIDE = "█", "░"


def replay_line(playback: Playback, width: int, *, is_reading: bool) -> Line:
    """Return what is shown of how much, whether it is playing, and a picture of where it is."""
    length = _length(playback.whole)
    of_all = f"{_length(playback.range)} of {length}" if playback.range else f"all {length}"
    state = f"playing {playback.speed}" if playback.is_playing else "recording"
    parts: list[tuple[int, Line]] = [
        (0, [(state, "live" if playback.is_playing else "dim")]),
        (0, [(of_all, "title")]),
        (1, [(_times(playback.shown), "")]),
        *([(2, [("reading…", "dim")])] if is_reading else []),
    ]
    line = join_lines(by_priority(parts, width))
    cells = width - cell_width(line) - 2
    return line if cells < _LEAST_CELLS else join_lines([line, _picture(playback, cells)])


def _length(shown: Range) -> str:
    return long_duration((shown[1] - shown[0]) * _NS_IN_MS)


def _times(shown: Range) -> str:
    """Return the local times, with the day: a recording may be of last week."""
    first, last = (rfc3339(at * _NS_IN_MS)[:23].replace("T", " ") for at in shown)
    (day, _, _), (last_day, _, last_time) = first.partition(" "), last.partition(" ")
    return f"{first} – {last_time if day == last_day else last}"


def _picture(playback: Playback, cells: int) -> Line:
    begin, end = playback.whole
    first, last = (
        min(int((at - begin) * cells / (end - begin)), cells - 1)
        for at in (playback.shown[0], playback.shown[1] - 1)
    )
    return [
        (_OUTSIDE * first, "dim"),
        (_INSIDE * (last - first + 1), "live"),
        (_OUTSIDE * (cells - 1 - last), "dim"),
    ]
