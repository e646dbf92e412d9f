"""Tests of a trace: announcing the target, and changes of the clock."""

import os

from syswatch.model.delta import Delta
from syswatch.model.process import ProcessTally
from syswatch.model.times import SECOND_NS
from syswatch.tracer.ebpf.reader import Reader

from .case import EbpfCase


class AnnouncementTests(EbpfCase):
    """The target is described again and again, as it may change."""

    def test_reused_pid(self) -> None:
        """A process that has ended is not described again: its PID may have been reused."""
        trace = self.prepare()
        trace.reader.main_pid = os.getpid()
        trace.announce()
        self.assertNotEqual(b"", os.read(self.said, 65536))
        trace.reader.main_pid = os.getppid()
        trace.reader.ending = 0
        trace.announce()
        os.set_blocking(self.said, False)
        self.assertRaises(BlockingIOError, os.read, self.said, 65536)


class ClockTests(EbpfCase):
    """The clock may be set during a trace."""

    def test_set_back(self) -> None:
        """Log and paths are read once a second, even if the clock was set back."""
        trace = self.prepare()
        asked: list[bool] = []

        def read(_: Reader, *, everything: bool) -> Delta:
            asked.append(everything)
            return Delta()

        self.patch(Reader, "read", read)
        for second in (9000, 9000.25, 9001, 10, 10.25, 11):
            trace._send(int(second * SECOND_NS))
        self.assertEqual([True, False, True, True, False, True], asked)


class PaceTests(EbpfCase):
    """What costs much to read is read once a second."""

    def test_many_processes(self) -> None:
        """In between, only the samples are read."""
        trace = self.prepare()
        done: list[str] = []
        busy = Delta(processes={pid: ProcessTally(count=1) for pid in range(1, 1000)})

        def read(_: Reader, *, everything: bool) -> Delta:
            done.append("everything" if everything else "counts")
            return busy

        self.patch(Reader, "read", read)
        self.patch(Reader, "drain", lambda _: done.append("samples"))
        for second in (9000, 9000.25, 9000.5, 9001, 9001.25):
            trace._send(int(second * SECOND_NS))
        self.assertEqual(["everything", "samples", "samples", "everything", "samples"], done)
