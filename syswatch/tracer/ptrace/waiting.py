"""
Waiting for stops: for every one, or only for those that are not ordinary.

At most stops a thread enters a known call, or leaves one that needs nothing but its duration.  The
module `ordinary_stops` handles these, if it could be compiled where syswatch was built; all others
are left to the loop, which handles every stop itself without that module.
"""

import ctypes
import os
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import attrs

from syswatch.base.classes import define
from syswatch.model.errnos import NAMES

from .abi import WALL, waitpid
from .calls import CallKind
from .counting import Count, count_on_object, object_at_entry, object_at_exit
from .recorder import Recorder
from .threads import Thread

try:
    from . import ordinary_stops as compiled
except ImportError:
    compiled = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from .ordinary_stops import OrdinaryStops
    from .paths import Paths

# How long it is not checked again whether a stop is pending.
_RECENT_NS = 50_000
# For how long the stops of one thread come first.  It is many stops long, because a call that has
# not returned by then lasts until the next turn, and its time has to be told from that of the stop.
_TURN_NS = 2_000_000
_monotonic_ns = time.monotonic_ns


@define
class Turns:
    """
    Gives each thread that is found stopped a turn, in which its stops come first.

    Of all pending stops, the kernel reports the one of the newest thread, except that the command,
    a child of the tracer, comes first.  While two or three threads stop again as fast as their
    stops are handled, older ones would stay stopped until these have ended, or forever if these
    wait in a loop for what an older one does.
    """

    _threads: dict[int, Thread]
    _following: Iterator[int] = attrs.field(factory=lambda: iter(()), init=False)
    # Whose turn it is, and until when.
    _tid: int = attrs.field(default=0, init=False)
    _ends_ns: int = attrs.field(default=0, init=False)

    def stopped(self, status: ctypes.c_int, now_ns: int) -> int:
        """Return the thread that has its turn if it is stopped, or 0."""
        is_over = now_ns >= self._ends_ns
        if is_over:
            self._tid = self._next_thread()
        options = WALL | os.WNOHANG
        tid = waitpid(self._tid, ctypes.byref(status), options) if self._tid else 0
        if is_over and tid > 0:
            self._ends_ns = now_ns + _TURN_NS
        # It may have ended meanwhile.
        return max(tid, 0)

    def _next_thread(self) -> int:
        """Return the next thread; after the last one, the first, or 0 if there are none."""
        tid = next(self._following, 0)
        if not tid:
            self._following = iter(tuple(self._threads))
            tid = next(self._following, 0)
        return tid


@define
class Waiting:
    """Waits for stops."""

    _turns: Turns
    status: ctypes.c_int = attrs.field(factory=ctypes.c_int)
    # None if every stop is handled by the loop.
    _ordinary: "OrdinaryStops | None" = None
    # When it was last known that no stop was pending.
    _idle_ns: int = attrs.field(default=0, init=False)

    @classmethod
    def for_all(cls, threads: dict[int, Thread]) -> "Waiting":
        """Leave every stop to the loop."""
        return cls(Turns(threads))

    @classmethod
    def for_ordinary(
        cls,
        threads: dict[int, Thread],
        known: dict[int, dict[int, CallKind]],
        recorder: Recorder,
    ) -> "Waiting":
        """Handle ordinary stops meanwhile, if that has been compiled."""
        waiting = cls(Turns(threads))
        if compiled is not None:
            waiting._ordinary = compiled.OrdinaryStops(
                threads, known, recorder, waiting.status, NAMES, object_at_entry, object_at_exit
            )
        return waiting

    @property
    def wait(self) -> Callable[[], int]:
        """What waits, and returns the ID of the stopped thread; less than 0 if interrupted."""
        if self._ordinary is None:
            return self._next_stop
        return self._ordinary.wait

    def late_ns(self, now_ns: int) -> int:
        """Return for how long the last stop may have been pending before it was waited for."""
        idle_ns = self._idle_ns if self._ordinary is None else self._ordinary.idle_ns
        return now_ns - idle_ns if idle_ns else 0

    def _next_stop(self) -> int:
        """
        Wait for a stop, and note when no stop was pending.

        One that is pending is found without blocking, so that is tried first, unless it was known a
        moment ago that there was none.
        """
        status, tid, begun_ns = ctypes.byref(self.status), 0, _monotonic_ns()
        is_recent = begun_ns - self._idle_ns < _RECENT_NS
        # Whenever no stop is pending, none is left from before.
        if begun_ns - self._idle_ns >= _TURN_NS:
            tid = self._turns.stopped(self.status, begun_ns)
        if not is_recent and tid == 0:
            tid = waitpid(-1, status, WALL | os.WNOHANG)
        has_blocked = tid == 0
        if has_blocked:
            tid = waitpid(-1, status, WALL)
        now_ns = _monotonic_ns()
        if is_recent:
            has_blocked = now_ns - begun_ns >= _RECENT_NS
        if has_blocked:
            self._idle_ns = now_ns
        return tid

    def resume_by(self, request: int) -> None:
        """Set the request that resumes a thread outside of a call."""
        if self._ordinary is not None:
            self._ordinary.resume_request = request

    def find_paths_by(self, paths: "Paths | None") -> None:
        """Set what finds the objects of paths; None if not all that changes them is traced."""
        if self._ordinary is not None:
            self._ordinary.paths = paths

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
