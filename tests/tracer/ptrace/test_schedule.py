"""Tests of reading the scheduler's statistics."""

import os
import threading

from twisted.trial.unittest import SynchronousTestCase

from syswatch.machine.proc import exists, open_descriptors
from syswatch.tracer.ptrace.schedule import Schedule, Usage


class ScheduleTests(SynchronousTestCase):
    """Statistics of the threads of this process."""

    def test_grows(self) -> None:
        """Running takes time."""
        schedule, tid = Schedule(), threading.get_native_id()
        self.addCleanup(schedule.forget, tid)
        before = schedule.read(tid)
        while (after := schedule.read(tid)) == before:
            os.sched_yield()
        assert before is not None
        assert after is not None
        self.assertGreater(after.since(before), Usage())

    def test_few_files(self) -> None:
        """Beyond the limit of open files, files are opened for each reading."""
        schedule, tid = Schedule(most_open=0), threading.get_native_id()
        before = set(open_descriptors())
        self.assertIsNotNone(schedule.read(tid))
        # Meanwhile those of earlier tests may be closed.
        self.assertLessEqual(set(open_descriptors()), before)

    def test_ended(self) -> None:
        """A thread that has ended has no statistics."""
        schedule = Schedule()
        thread = threading.Thread(target=lambda: schedule.read(threading.get_native_id()))
        thread.start()
        tid = thread.native_id
        thread.join()
        assert tid is not None
        while exists(tid):
            os.sched_yield()
        self.assertIsNone(schedule.read(tid))
        schedule.forget(tid)
        self.assertIsNone(schedule.read(tid))
        schedule.forget(tid)
