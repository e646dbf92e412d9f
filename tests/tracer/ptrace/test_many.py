"""Tests with more processes than the tracer can keep up with."""

import os

from syswatch.model.delta import Delta
from syswatch.model.messages import RunCommand
from tests.tracer.harness import TRACER, start
from tests.tracer.programs import program
from tests.unmeasured import unmeasured

from .case import PtraceCase
from .test_waiting import INTERPRETED, IS_COMPILED

_PROCESSES = 200
_WAYS = (TRACER, INTERPRETED) if IS_COMPILED else (TRACER,)
_SHELL = ("sh", "-c", f"for i in $(seq {_PROCESSES}); do /bin/true & done; wait")
# The calls of this program whose purpose is to wait.
_WAITING = frozenset({"read", "rt_sigsuspend", "wait4"})


class ManyProcessesTests(PtraceCase):
    """Most threads are stopped most of the time, as the tracer handles one stop at a time."""

    def trace_shell(self, tracer: tuple[str, ...]) -> Delta:
        """Trace many processes that run at once."""
        options = self.options(log_rate=0)
        delta = start(RunCommand(_SHELL, options=options), tracer=tracer).finish().delta
        self.assertLessEqual(_PROCESSES, delta.calls["execve"].count)
        return delta

    @unmeasured()
    def test_times(self) -> None:
        """They don't work for longer than there were CPUs, nor wait in calls that don't wait."""
        for tracer in _WAYS:
            delta = self.trace_shell(tracer)
            assert delta.span is not None
            cpu_ns = len(os.sched_getaffinity(0)) * (delta.span.last_ns - delta.span.first_ns)
            # Short calls include their stops.
            most_ns = 2 * cpu_ns

            working_ns = sum(each.times.working_ns for each in delta.threads.values())
            self.assertLess(working_ns, most_ns)
            self.assertLess(sum(row.working_ns for row in delta.activity.values()), most_ns)

            waits = {
                key.call: row.waiting_ns
                for key, row in delta.activity.items()
                if key.call not in _WAITING
            }
            self.assertLess(sum(waits.values()), cpu_ns, waits)
            waiting_ns = sum(each.times.waiting_ns for each in delta.threads.values())
            self.assertLess(waiting_ns, most_ns)

            stopped_ns = sum(each.times.stopped_ns for each in delta.threads.values())
            self.assertLess(10 * working_ns, stopped_ns)

    def test_oldest(self) -> None:
        """The oldest process is resumed, although the newest ones stop all the time."""
        # On one CPU, none of them runs while the stops of the others are handled.
        options = self.options(log_rate=0, colocate=False)
        job = RunCommand((program("oldest"),), options=options)
        for tracer in _WAYS:
            self.assertEqual(b"0\n", start(job, tracer=tracer).finish().output)
