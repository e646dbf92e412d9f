"""
The range of a recording that is shown, and how it moves.

Times are in milliseconds since 1970; a range does not include its end.
"""

import math

from syswatch.base.classes import define
from syswatch.model.delta import Span
from syswatch.views.budget.period import Period

Range = tuple[int, int]
_NS_IN_MS = 1_000_000
_ROUND_MS = (
    *(1, 10, 20, 50, 100, 200, 500),
    *(1000, 2000, 5000, 10_000, 30_000, 60_000, 300_000, 600_000, 3_600_000),
)
# The range that is played at first is this part of the whole, of a round length.
_WINDOWS = 20
# Recorded time for each second; the last speed plays everything in a minute.
_SPEEDS: tuple[float | None, ...] = (0.1, 1, 10, 100, None)
_WHOLE_IN_S = 60
# After a pause of the machine, playing continues where it was.
_LONGEST_STEP_S = 5.0


@define
class Playback:
    """A range, None for the whole recording, and whether it is playing."""

    whole: Range = (0, 1)
    range: Range | None = None
    is_playing: bool = False
    _speed: int = 1
    _moved_s: float = 0

    def extend(self, span: Span) -> None:
        """Take over how long the recording is; one of more than a minute is played faster."""
        first = span.first_ns // _NS_IN_MS
        whole = (first, max(span.last_ns // _NS_IN_MS, first) + 1)
        if self.range is None and whole != self.whole:
            is_long = whole[1] - whole[0] > _WHOLE_IN_S * 1000
            self._speed = len(_SPEEDS) - 1 if is_long else _SPEEDS.index(1)
        self.whole = whole

    @property
    def shown(self) -> Range:
        """The range that is shown, even if it is the whole."""
        return self.range or self.whole

    @property
    def period(self) -> Period:
        """The range, as those who know it take it."""
        return Period(*self.range) if self.range else Period()

    @property
    def speed(self) -> str:
        """The speed as a text."""
        speed = _SPEEDS[self._speed]
        return "all in 1 min" if speed is None else f"{speed:g}\u00d7"

    def move(self, parts: float) -> None:
        """Move by a part of the length."""
        begin, end = self.range or self._first_window()
        self._shift((begin, end), math.copysign(max(abs(parts) * (end - begin), 1), parts))

    def resize(self, factor: float) -> None:
        """Make the range longer or shorter, with the same end if there is room for that."""
        begin, end = self.shown
        length = max(round((end - begin) * factor), 1)
        if length >= self._length:
            self.show_all()
        else:
            self._shift((end - length, end), 0)

    def show_all(self) -> None:
        """Show the whole recording."""
        self.range, self.is_playing = None, False

    def toggle(self, now_s: float) -> None:
        """Play or pause; at the end, play from the beginning."""
        self.is_playing = not self.is_playing
        self._moved_s = now_s
        if not self.is_playing:
            return
        if self.range is None:
            self.range = self._first_window()
        elif self.range[1] >= self.whole[1]:
            self._shift(self.range, self.whole[0] - self.range[0])

    def advance(self, now_s: float) -> None:
        """Move by the time that has passed; at the end, pause."""
        by_ms = int(min(now_s - self._moved_s, _LONGEST_STEP_S) * 1000 * self._factor)
        # Less than a millisecond is for the next step.
        self._moved_s = now_s if by_ms else self._moved_s
        self._shift(self.shown, by_ms)
        if self.shown[1] >= self.whole[1]:
            self.is_playing = False

    def change_speed(self, step: int) -> None:
        """Play faster or slower."""
        self._speed = min(max(self._speed + step, 0), len(_SPEEDS) - 1)

    @property
    def _length(self) -> int:
        return self.whole[1] - self.whole[0]

    @property
    def _factor(self) -> float:
        return _SPEEDS[self._speed] or self._length / (_WHOLE_IN_S * 1000)

    def _first_window(self) -> Range:
        fitting = [each for each in _ROUND_MS if each <= self._length / _WINDOWS]
        begin, end = self.whole
        return begin, min(begin + (fitting[-1] if fitting else 1), end)

    def _shift(self, shown: Range, by_ms: float) -> None:
        """Show a range that is later by a time, and inside of the whole."""
        length = min(shown[1] - shown[0], self._length)
        begin = round(min(max(shown[0] + by_ms, self.whole[0]), self.whole[1] - length))
        self.range = begin, begin + length
