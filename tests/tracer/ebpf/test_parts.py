"""Tests that no part of the calls exceeds the whole while the program runs."""

import os
import signal

from syswatch.model.delta import Delta

from .case import EbpfCase

_READINGS = 12


class PartTests(EbpfCase):
    """Counters are read one after the other, and the calls of all processes last."""

    def test_running(self) -> None:
        """At each moment, the calls of processes, groups and objects are among all calls."""
        tracer = self.start("dd", "if=/dev/zero", "of=/dev/null", "bs=1", per_process=True)
        pid = tracer.await_start().process.pid
        tracer.await_calls("write", 1000)
        while len(tracer.messages) < _READINGS:
            tracer.receive()
        os.kill(pid, signal.SIGTERM)
        tracer.finish()
        sums = Delta()
        for delta in (each for each in tracer.messages if isinstance(each, Delta)):
            sums += delta
            whole = sum(tally.count for tally in sums.calls.values())
            parts = (
                sum(tally.count for tally in sums.processes.values()),
                sum(row.count for row in sums.activity.values()),
                sum(each.count for calls in sums.by_process.values() for each in calls.values()),
            )
            self.assertLessEqual(max(parts), whole)
        self.assertEqual({whole}, set(parts))
