"""Samplers: what looks at the running server for some seconds, and at no other time."""

import signal
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import Any

import attrs

from .protobuf import Stack
from .stacks import all_stacks, stack_of

CPU_PERIOD_S = 0.01
_LOOK_S = 0.005


@contextmanager
def cpu_samples() -> Iterator[Counter[Stack]]:
    """Count the stacks of the reactor's thread, one for each 10 ms of CPU time."""
    samples: Counter[Stack] = Counter()

    def take(_number: int, frame: FrameType | None) -> None:
        samples[stack_of(frame)] += 1

    before = signal.signal(signal.SIGPROF, take)
    signal.setitimer(signal.ITIMER_PROF, CPU_PERIOD_S, CPU_PERIOD_S)
    try:
        yield samples
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        # A signal that is on its way must not find the default action: that is death.
        signal.signal(signal.SIGPROF, signal.SIG_IGN if before == signal.SIG_DFL else before)


@attrs.define
class Watcher:
    """Runs a function in a thread every few milliseconds until it is stopped."""

    look: Callable[[], None]
    _stop: threading.Event = attrs.field(factory=threading.Event, init=False)

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Watch for as long as the block lasts."""
        thread = threading.Thread(target=self._run, name="diagnostics", daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._stop.set()

    def _run(self) -> None:
        while not self._stop.wait(_LOOK_S):
            self.look()


@attrs.define
class Timeline:
    """
    What every thread was doing, moment by moment.

    Of 60 000 moments, only those are kept that differ from the one before, and each stack once:
    a server that idles keeps one, and a busy one is mostly in the same few hundred places.
    """

    moments: list[tuple[int, Mapping[str, Stack]]] = attrs.field(factory=list, init=False)
    _last_ns: int = attrs.field(default=0, init=False)
    _known: dict[Stack, Stack] = attrs.field(factory=dict, init=False)

    def look(self) -> None:
        """Take the stacks of all threads but the one that looks."""
        stacks = all_stacks()
        mine = threading.get_ident()
        others = {
            name: self._known.setdefault(stack, stack)
            for name, stack in stacks.items()
            if f"({mine})" not in name
        }
        self._last_ns = time.monotonic_ns()
        if not self.moments or self.moments[-1][1] != others:
            self.moments.append((self._last_ns, others))

    def events(self) -> list[dict[str, Any]]:
        """Return one event for each stretch that a function stayed on a stack."""
        events: list[dict[str, Any]] = []
        open_frames: dict[str, list[tuple[str, int]]] = defaultdict(list)
        for now_ns, stacks in [*self.moments, (self._last_ns, {})]:
            for thread in {*open_frames, *stacks}:
                names = [frame.function for frame in reversed(stacks.get(thread, ()))]
                _advance(open_frames[thread], names, now_ns, thread, events)
        return events


def _advance(
    open_frames: list[tuple[str, int]],
    names: list[str],
    now_ns: int,
    thread: str,
    events: list[dict[str, Any]],
) -> None:
    """Close what is no longer on the stack, and open what is new."""
    same = 0
    while same < min(len(open_frames), len(names)) and open_frames[same][0] == names[same]:
        same += 1
    while len(open_frames) > same:
        name, since_ns = open_frames.pop()
        events.append(
            {
                "name": name,
                "ph": "X",
                "ts": since_ns / 1000,
                "dur": (now_ns - since_ns) / 1000,
                "pid": 1,
                "tid": thread,
            }
        )
    open_frames.extend((name, now_ns) for name in names[same:])


@attrs.define
class Stalls:
    """Where the reactor was while it did not come back to its loop."""

    call_from_thread: Callable[..., object]
    main_thread: int = attrs.field(factory=threading.get_ident)
    count: Counter[Stack] = attrs.field(factory=Counter, init=False)
    delay_ns: Counter[Stack] = attrs.field(factory=Counter, init=False)

    def look(self) -> None:
        """Ask the reactor for a sign of life, and look at its stack until there is one."""
        alive = threading.Event()
        self.call_from_thread(alive.set)
        began = time.monotonic_ns()
        first = True
        while not alive.wait(_LOOK_S):
            stack = self._main_stack()
            now = time.monotonic_ns()
            self.count[stack] += first
            self.delay_ns[stack] += now - began
            first, began = False, now

    def _main_stack(self) -> Stack:
        ident = f"({self.main_thread})"
        return next((stack for name, stack in all_stacks().items() if ident in name), ())
