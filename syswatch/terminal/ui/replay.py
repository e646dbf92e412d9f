"""Asks for the ranges of a recording, one after the other, and shows them."""

import time
from collections.abc import Callable
from typing import Any, Final

import attrs
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from syswatch.base.classes import define
from syswatch.model.snapshot import Snapshot
from syswatch.views.budget.period import Period

from .playback import Playback
from .replay_line import replay_line
from .styled_text import Line

# Not more than three ranges are requested in a second.
_PERIOD_S: Final = 1 / 3
_SMALL_STEP: Final = 0.1

_ACTIONS: Final[dict[str, Callable[[Playback], None]]] = {
    "earlier": lambda playback: playback.move(-_SMALL_STEP),
    "later": lambda playback: playback.move(_SMALL_STEP),
    "previous": lambda playback: playback.move(-1),
    "next": lambda playback: playback.move(1),
    "shorter": lambda playback: playback.resize(0.5),
    "longer": lambda playback: playback.resize(2),
    "all": Playback.show_all,
    "slower": lambda playback: playback.change_speed(-1),
    "faster": lambda playback: playback.change_speed(1),
}
_WHILE_PLAYING: Final = frozenset({"slower", "faster"})


@define(eq=False)
class Replay:
    """
    The recording that is shown, if there is one: its range, and the newest answer.

    `show` is called with the snapshot of a range, or with None for that of the whole; `after` to be
    called back in some seconds, and `tell` with what went wrong.
    """

    part: Callable[[Period], Deferred[Snapshot]] | None
    show: Callable[[Snapshot | None], None]
    after: Callable[[float, Callable[[], None]], object]
    tell: Callable[[str], None]
    clock: Callable[[], float] = time.monotonic
    playback: Playback = attrs.field(factory=Playback)
    _shown: Snapshot | None = attrs.field(default=None, init=False)
    # Whether another range is requested than the one that is shown.
    _is_reading: bool = attrs.field(default=False, init=False)
    _is_wanted: bool = attrs.field(default=False, init=False)
    _will_step: bool = attrs.field(default=False, init=False)

    @property
    def is_there(self) -> bool:
        """Return whether a recording is shown."""
        return self.part is not None

    @property
    def is_limited(self) -> bool:
        """Return whether a range of it is shown."""
        return self.playback.range is not None

    def lines(self, width: int) -> list[Line]:
        """Return the line that tells which range is shown."""
        if self.part is None:
            return []
        return [replay_line(self.playback, width, is_reading=self._is_reading)]

    def update(self, whole: Snapshot) -> None:
        """Take over how long the recording is, which is read in parts."""
        if whole.sums.span is not None:
            self.playback.extend(whole.sums.span)

    def act(self, name: str) -> None:
        """Do what a key means; moving by hand ends playing."""
        if self.part is None:
            return
        if name not in _WHILE_PLAYING:
            self.playback.is_playing = False
        _ACTIONS[name](self.playback)
        self._want()

    def toggle(self) -> bool:
        """Play or pause; return False if there is no recording."""
        if self.part is None:
            return False
        self.playback.toggle(self.clock())
        self._want()
        return True

    def _want(self) -> None:
        self._is_wanted = True
        self._next()
        # With the range that is wanted, even if its numbers are yet to come.
        self.show(self._shown)

    def _next(self) -> None:
        """Request the range that is wanted, unless another one is being read."""
        if self.part is None or self._is_reading or not self._is_wanted:
            return
        self._is_wanted = False
        if self.playback.range is None:
            self._shown = None
            return
        self._is_reading = True
        found = self.part(self.playback.period)
        found.addBoth(self._read).addCallbacks(self._answered, self._failed)

    def _read(self, answer: Any) -> Any:
        self._is_reading = False
        return answer

    def _answered(self, snapshot: Snapshot) -> None:
        self._shown = snapshot if self.is_limited else None
        self._next()
        self.show(self._shown)
        if self.playback.is_playing and not (self._will_step or self._is_reading):
            self._will_step = True
            self.after(_PERIOD_S, self._step)

    def _step(self) -> None:
        self._will_step = False
        if self.playback.is_playing:
            self.playback.advance(self.clock())
            self._want()

    def _failed(self, failure: Failure) -> None:
        self.playback.is_playing = False
        self.show(self._shown)
        self.tell(failure.getErrorMessage())
