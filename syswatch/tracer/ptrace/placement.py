"""Which CPUs the traced threads run on: bound to one, and given back as they were."""

import contextlib
import ctypes
import os
import time
from collections.abc import Iterator

import attrs

from .colocation import Colocation, Load
from .guard import Guard
from .threads import Process, Thread, Threads

_current_cpu = ctypes.PyDLL(None).sched_getcpu


@attrs.define
class Placement:
    """
    Moves threads to the tracer's CPU and back.

    The target never sees it: while it asks for its CPUs, or sets them, they are its own.
    """

    enabled: bool
    threads: Threads
    # Counted up by the loop: calls that ended, each with two stops.
    calls: int = attrs.field(default=0, init=False)
    _colocation: Colocation = attrs.field(factory=Colocation, init=False)
    _cpu: int | None = attrs.field(default=None, init=False)
    _was_bound: bool = attrs.field(default=False, init=False)
    _guard: Guard | None = attrs.field(default=None, init=False)
    _own_home: frozenset[int] = attrs.field(factory=frozenset, init=False)
    _reviewed_ns: int = attrs.field(factory=time.monotonic_ns, init=False)
    _departed_ns: int = attrs.field(default=0, init=False)

    def review(self, now_ns: int) -> None:
        """Look at what happened since the last review, and move everything if that is better."""
        if not self.enabled:
            return
        load = Load(
            span_ns=max(now_ns - self._reviewed_ns, 1),
            stops=2 * self.calls,
            busy_ns=self._departed_ns + sum(map(_newly_busy_ns, self._processes())),
            threads=len(self.threads),
        )
        self._reviewed_ns, self.calls, self._departed_ns = now_ns, 0, 0
        if self._colocation.decide(load, now_ns) != (self._cpu is not None):
            self._part() if self._cpu is not None else self._gather()

    def departing(self, process: Process) -> None:
        """Note what a process that is about to end has computed since the last review."""
        if self.enabled:
            self._departed_ns += _newly_busy_ns(process)

    def inherit(self, thread: Thread, parent: Thread | None) -> None:
        """Place a new thread, which has the CPUs that its parent had when it was made."""
        if not self._was_bound:
            return
        self._set_home(thread, parent.home if parent is not None else None)
        if self._cpu is not None:
            self._bind(thread, self._cpu)
        elif parent is not None:
            # It may have been made just before its parent was given its CPUs back.
            with _gone_is_fine():
                os.sched_setaffinity(thread.tid, os.sched_getaffinity(parent.tid))

    def reveal(self, thread: Thread, number: int) -> None:
        """Give a thread that a call is about its own CPUs, for the time of the call."""
        subject = self.threads.by_tid.get(number) if number else thread
        if subject is not None and subject.home is not None:
            with _gone_is_fine():
                os.sched_setaffinity(subject.tid, subject.home)
            self._set_home(subject, None)

    def conceal(self, thread: Thread, number: int) -> None:
        """Bind the thread that a call was about again, with the CPUs it has now as its own."""
        subject = self.threads.by_tid.get(number) if number else thread
        if subject is not None and self._cpu is not None:
            self._bind(subject, self._cpu)

    def release(self) -> None:
        """Give everything back, for good."""
        if self._cpu is not None:
            self._part()
        self.enabled = False

    def _gather(self) -> None:
        """Choose the CPU that the tracer is on, or one that a thread is allowed to use."""
        self._own_home = frozenset(os.sched_getaffinity(0))
        self._cpu = cpu = self._choose()
        self._guard = Guard.post(cpu)
        self._was_bound = True
        os.sched_setaffinity(0, {cpu})
        for thread in self.threads:
            self._bind(thread, cpu)

    def _choose(self) -> int:
        common = set(self._own_home)
        for thread in self.threads:
            with _gone_is_fine():
                common = (common & os.sched_getaffinity(thread.tid)) or common
        here = _current_cpu()
        return here if here in common else min(common)

    def _bind(self, thread: Thread, cpu: int) -> None:
        with _gone_is_fine():
            now = frozenset(os.sched_getaffinity(thread.tid))
            if now != {cpu} and cpu in now:
                self._set_home(thread, now)
                os.sched_setaffinity(thread.tid, {cpu})

    def _set_home(self, thread: Thread, home: frozenset[int] | None) -> None:
        """Note the CPUs of a bound thread, here and where they survive us."""
        thread.home = home
        if self._guard is not None and self._cpu is not None:
            self._guard.remember(thread.tid, home or ())

    def _part(self) -> None:
        cpu, self._cpu = self._cpu, None
        os.sched_setaffinity(0, self._own_home)
        for thread in self.threads:
            home, thread.home = thread.home, None
            if home is None:
                continue
            with _gone_is_fine():
                # Unless somebody else has moved it since.
                if os.sched_getaffinity(thread.tid) == {cpu}:
                    os.sched_setaffinity(thread.tid, home)
        if self._guard is not None:
            self._guard.dismiss()

    def _processes(self) -> Iterator[Process]:
        return iter(self.threads.processes.values())


@contextlib.contextmanager
def _gone_is_fine() -> Iterator[None]:
    """A thread may end at any moment, and its CPUs may be taken away from it."""
    with contextlib.suppress(OSError):
        yield


def _newly_busy_ns(process: Process) -> int:
    """Return the CPU time that all threads of a process have used since the last question."""
    # The clock of another process, as clock_getcpuclockid(3) makes it of a pid.
    clock = ~process.pid << 3 | 2
    before = process.busy_ns
    with contextlib.suppress(OSError):
        process.busy_ns = time.clock_gettime_ns(clock)
    return process.busy_ns - before
