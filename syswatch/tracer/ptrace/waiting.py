"""
Waiting for stops: for every one, or only for those that are not ordinary.

At most stops a thread enters a known call, or leaves one that needs nothing but its duration.  The
module `ordinary_stops` handles these, if it could be compiled where syswatch was built; all others
are left to the loop, which handles every stop itself without that module.
"""

import ctypes
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import attrs

from syswatch.base.classes import define

from .abi import WALL, waitpid
from .calls import CallKind
from .counting import Count, count_on_object
from .recorder import Recorder
from .threads import Thread

try:
    from . import ordinary_stops as compiled
except ImportError:
    compiled = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from .ordinary_stops import OrdinaryStops


@define
class Waiting:
    """Waits for stops."""

    status: ctypes.c_int = attrs.field(factory=ctypes.c_int)
    # None if every stop is handled by the loop.
    _ordinary: "OrdinaryStops | None" = None

    @classmethod
    def for_ordinary(
        cls,
        threads: dict[int, Thread],
        known: dict[int, dict[int, CallKind]],
        recorder: Recorder,
    ) -> "Waiting":
        """Handle ordinary stops meanwhile, if that has been compiled."""
        waiting = cls()
        if compiled is not None:
            waiting._ordinary = compiled.OrdinaryStops(threads, known, recorder, waiting.status)
        return waiting

    @property
    def wait(self) -> Callable[[], int]:
        """What waits, and returns the ID of the stopped thread; less than 0 if interrupted."""
        if self._ordinary is None:
            return partial(waitpid, -1, ctypes.byref(self.status), WALL)
        return self._ordinary.wait

    def resume_by(self, request: int) -> None:
        """Set the request that resumes a thread outside of a call."""
        if self._ordinary is not None:
            self._ordinary.resume_request = request

    def count_by(self, count: Count | None) -> None:
        """Set how calls are counted: by durations only if there is no function."""
        if self._ordinary is None or compiled is None:
            return
        if count is None:
            self._ordinary.counts = compiled.COUNTS_DURATIONS
        elif count is count_on_object:
            self._ordinary.counts = compiled.COUNTS_OBJECTS
        else:
            self._ordinary.counts = compiled.COUNTS_NOTHING_HERE
