"""Binding the traced threads to one CPU, and restoring their affinity."""

import contextlib
import ctypes
import os
import time
from collections.abc import Iterator

import attrs

from syswatch.base.classes import define

from .affinity_guard import AffinityGuard
from .colocation import Colocation, Load
from .threads import Process, Thread, Threads

_current_cpu = ctypes.PyDLL(None).sched_getcpu


@define
class Placement:
    """
    Binds threads to the tracer's CPU and restores them.

    The target does not notice: its own affinity is restored while it reads or sets it.
    """

    enabled: bool
    threads: Threads
    # How many calls had returned at the last review, each with two stops.
    _calls: int = attrs.field(default=0, init=False)
    _colocation: Colocation = attrs.field(factory=Colocation, init=False)
    _cpu: int | None = attrs.field(default=None, init=False)
    _was_bound: bool = attrs.field(default=False, init=False)
    _guard: AffinityGuard | None = attrs.field(default=None, init=False)
    _tracer_cpus: frozenset[int] = attrs.field(factory=frozenset, init=False)
    _reviewed_ns: int = attrs.field(factory=time.monotonic_ns, init=False)
    _ended_busy_ns: int = attrs.field(default=0, init=False)

    def review(self, now_ns: int) -> None:
        """Bind or restore all threads if the load since the last review suggests it."""
        if not self.enabled:
            return
        calls = self.threads.calls
        load = Load(
            span_ns=max(now_ns - self._reviewed_ns, 1),
            stops=2 * (calls - self._calls),
            busy_ns=self._ended_busy_ns + sum(map(_cpu_time_since_last_ns, self._processes())),
            threads=len(self.threads),
        )
        self._reviewed_ns, self._calls, self._ended_busy_ns = now_ns, calls, 0
        if self._colocation.decide(load, now_ns) != (self._cpu is not None):
            self._separate() if self._cpu is not None else self._gather()

    def add_ended(self, process: Process) -> None:
        """Add the CPU time of a process that is about to end."""
        if self.enabled:
            self._ended_busy_ns += _cpu_time_since_last_ns(process)

    def inherit(self, thread: Thread, parent: Thread | None) -> None:
        """Bind a new thread, which has inherited the affinity of its parent."""
        if not self._was_bound:
            return
        self._set_own_cpus(thread, parent.own_cpus if parent is not None else None)
        if self._cpu is not None:
            self._bind(thread, self._cpu)
        elif parent is not None:
            # It may have been created just before its parent was restored.
            with _ignore_ended():
                os.sched_setaffinity(thread.tid, os.sched_getaffinity(parent.tid))

    def restore_affinity(self, thread: Thread, number: int) -> None:
        """Restore the affinity of the thread that a call is about, until the call returns."""
        subject = self.threads.by_tid.get(number) if number else thread
        if subject is not None and subject.own_cpus is not None:
            with _ignore_ended():
                os.sched_setaffinity(subject.tid, subject.own_cpus)
            self._set_own_cpus(subject, None)

    def rebind(self, thread: Thread, number: int) -> None:
        """Bind the thread that a call was about again, and keep its present affinity."""
        subject = self.threads.by_tid.get(number) if number else thread
        if subject is not None and self._cpu is not None:
            self._bind(subject, self._cpu)

    def release(self) -> None:
        """Restore all threads and stop binding."""
        if self._cpu is not None:
            self._separate()
        self.enabled = False

    def _gather(self) -> None:
        """Bind all threads to the tracer's CPU, or to one that they are allowed to use."""
        self._tracer_cpus = frozenset(os.sched_getaffinity(0))
        self._cpu = cpu = self._choose()
        self._guard = AffinityGuard.start(cpu)
        self._was_bound = True
        os.sched_setaffinity(0, {cpu})
        for thread in self.threads:
            self._bind(thread, cpu)

    def _choose(self) -> int:
        common = set(self._tracer_cpus)
        for thread in self.threads:
            with _ignore_ended():
                common = (common & os.sched_getaffinity(thread.tid)) or common
        here = _current_cpu()
        return here if here in common else min(common)

    def _bind(self, thread: Thread, cpu: int) -> None:
        with _ignore_ended():
            now = frozenset(os.sched_getaffinity(thread.tid))
            if now != {cpu} and cpu in now:
                self._set_own_cpus(thread, now)
                os.sched_setaffinity(thread.tid, {cpu})

    def _set_own_cpus(self, thread: Thread, own_cpus: frozenset[int] | None) -> None:
        """Store the affinity of a bound thread, here and in the guard process."""
        thread.own_cpus = own_cpus
        if self._guard is not None and self._cpu is not None:
            self._guard.remember(thread.tid, own_cpus or ())

    def _separate(self) -> None:
        cpu, self._cpu = self._cpu, None
        os.sched_setaffinity(0, self._tracer_cpus)
        for thread in self.threads:
            own_cpus, thread.own_cpus = thread.own_cpus, None
            if own_cpus is None:
                continue
            with _ignore_ended():
                # Unless another process has changed it since.
                if os.sched_getaffinity(thread.tid) == {cpu}:
                    os.sched_setaffinity(thread.tid, own_cpus)
        if self._guard is not None:
            self._guard.dismiss()

    def _processes(self) -> Iterator[Process]:
        return iter(self.threads.processes.values())


@contextlib.contextmanager
def _ignore_ended() -> Iterator[None]:
    """Ignore errors of threads that have ended or may not use a CPU any more."""
    with contextlib.suppress(OSError):
        yield


def _cpu_time_since_last_ns(process: Process) -> int:
    """Return the CPU time of a process since the last call of this function."""
    # The clock of another process, as clock_getcpuclockid(3) makes it of a pid.
    clock = ~process.pid << 3 | 2
    before = process.busy_ns
    with contextlib.suppress(OSError):
        process.busy_ns = time.clock_gettime_ns(clock)
    return process.busy_ns - before
