"""Samplers of stacks, which run only while a profile is recorded."""

import signal
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import Any

import attrs

from syswatch.base.classes import define

from .pprof_format import Frame, Stack

CPU_PERIOD_S = 0.01
_PERIOD_S = 0.005


def stack_of(frame: FrameType | None) -> Stack:
    """Return the stack of a frame."""
    frames = []
    while frame is not None:
        code = frame.f_code
        frames.append(Frame(code.co_qualname, code.co_filename, frame.f_lineno or 0))
        frame = frame.f_back
    return tuple(frames)


def all_stacks() -> Mapping[str, Stack]:
    """Return the stacks of all threads by the thread's name."""
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    return {
        f"{names.get(ident, 'unknown')} ({ident})": stack_of(frame)
        for ident, frame in sys._current_frames().items()  # noqa: SLF001  documented, despite "_"
    }


@contextmanager
def cpu_samples() -> Iterator[Counter[Stack]]:
    """Count the stacks of the main thread during the block, once per 10 ms of CPU time."""
    samples: Counter[Stack] = Counter()

    def take_sample(_number: int, frame: FrameType | None) -> None:
        samples[stack_of(frame)] += 1

    before = signal.signal(signal.SIGPROF, take_sample)
    signal.setitimer(signal.ITIMER_PROF, CPU_PERIOD_S, CPU_PERIOD_S)
    try:
        yield samples
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        # The default action of a signal that is still pending would kill the process.
        signal.signal(signal.SIGPROF, signal.SIG_IGN if before == signal.SIG_DFL else before)


@contextmanager
def called_periodically(sample: Callable[[], None]) -> Iterator[None]:
    """Call a function in a thread every 5 ms during the block."""
    stop = threading.Event()

    def run() -> None:
        while not stop.wait(_PERIOD_S):
            sample()

    threading.Thread(target=run, name="diagnostics", daemon=True).start()
    try:
        yield
    finally:
        stop.set()


@define
class Timeline:
    """
    Samples of the stacks of all threads.

    A sample that equals the one before is not kept, and equal stacks are kept once: of 60,000
    samples, an idle server keeps one, and a busy one is mostly in the same few hundred places.
    """

    samples: list[tuple[int, Mapping[str, Stack]]] = attrs.field(factory=list, init=False)
    _last_ns: int = attrs.field(default=0, init=False)
    _known: dict[Stack, Stack] = attrs.field(factory=dict, init=False)

    def sample(self) -> None:
        """Take the stacks of all threads but this one."""
        stacks = all_stacks()
        own_ident = threading.get_ident()
        others = {
            name: self._known.setdefault(stack, stack)
            for name, stack in stacks.items()
            if f"({own_ident})" not in name
        }
        self._last_ns = time.monotonic_ns()
        if not self.samples or self.samples[-1][1] != others:
            self.samples.append((self._last_ns, others))

    def events(self) -> list[dict[str, Any]]:
        """Return a trace event for each period that a function was on a stack."""
        events: list[dict[str, Any]] = []
        open_frames: dict[str, list[tuple[str, int]]] = defaultdict(list)
        for now_ns, stacks in [*self.samples, (self._last_ns, {})]:
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
    """End the frames that have left the stack and begin the new ones."""
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


@define
class Stalls:
    """The stacks of the main thread while the reactor did not return to its loop."""

    call_from_thread: Callable[..., object]
    main_thread: int = attrs.field(factory=threading.get_ident)
    count: Counter[Stack] = attrs.field(factory=Counter, init=False)
    delay_ns: Counter[Stack] = attrs.field(factory=Counter, init=False)

    def sample(self) -> None:
        """Schedule a call in the reactor and take stacks until it runs."""
        called = threading.Event()
        self.call_from_thread(called.set)
        began = time.monotonic_ns()
        first = True
        while not called.wait(_PERIOD_S):
            stack = self._main_stack()
            now = time.monotonic_ns()
            self.count[stack] += first
            self.delay_ns[stack] += now - began
            first, began = False, now

    def _main_stack(self) -> Stack:
        ident = f"({self.main_thread})"
        return next((stack for name, stack in all_stacks().items() if ident in name), ())
