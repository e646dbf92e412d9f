"""Tests of a trace: announcing the target, and changes of the clock."""

import os

from syswatch.codec.frames import Decoder
from syswatch.model.delta import Delta
from syswatch.model.messages import Resting, Watch
from syswatch.model.process import ProcessTally
from syswatch.model.times import SECOND_NS
from syswatch.tracer.ebpf import trace as trace_module
from syswatch.tracer.ebpf.reader import Reader

from .case import EbpfCase


def note_readings(case: EbpfCase) -> list[bool]:
    """Read nothing; return a list that will have whether each reading is of everything."""
    asked: list[bool] = []

    def read(_: Reader, *, everything: bool) -> Delta:
        asked.append(everything)
        return Delta()

    case.patch(Reader, "read", read)
    return asked


class AnnouncementTests(EbpfCase):
    """The target is described again and again, as it may change."""

    def test_reused_pid(self) -> None:
        """A process that has ended is not described again: its PID may have been reused."""
        trace = self.prepare()
        trace.following.main_pid = os.getpid()
        trace.announce_changes()
        self.assertNotEqual(b"", os.read(self.said, 65536))
        trace.following.main_pid = os.getppid()
        trace.reader.ending = 0
        trace.announce_changes()
        os.set_blocking(self.said, False)
        self.assertRaises(BlockingIOError, os.read, self.said, 65536)


class BeginningTests(EbpfCase):
    """The first numbers come at once."""

    def test_counts_first(self) -> None:
        """Everything is read as soon as they are sent."""
        trace = self.prepare()
        done = note_readings(self)
        for _ in range(2):
            rest_ns, send = trace._next_reading()
            self.assertEqual(0, rest_ns)
            send()
        self.assertEqual([False, True], done)


class ClockTests(EbpfCase):
    """The clock may be set during a trace."""

    def test_set_back(self) -> None:
        """Log and paths are read once a second, even if the clock was set back."""
        trace = self.prepare()
        asked = note_readings(self)
        for second in (9000, 9000.25, 9001, 10, 10.25, 11):
            trace._send(int(second * SECOND_NS))
        self.assertEqual([True, False, True, True, False, True], asked)

    def test_trimmed(self) -> None:
        """Memory is given back once, after the first reading of everything."""
        trace = self.prepare()
        done: list[str] = []
        self.patch(trace_module, "release_freed_memory", lambda: done.append("trimmed"))
        read = Reader.read

        def note(reader: Reader, *, everything: bool) -> Delta:
            done.append("read")
            return read(reader, everything=everything)

        self.patch(Reader, "read", note)
        for second in (9000, 9000.25, 9001):
            trace._send(int(second * SECOND_NS))
        self.assertEqual(["read", "trimmed", "read", "read"], done)


class PaceTests(EbpfCase):
    """What costs much to read is read once a second."""

    def test_many_processes(self) -> None:
        """In between, only the samples are read."""
        trace = self.prepare()
        trace._pace.is_watched = True
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


class RestTests(EbpfCase):
    """While no client looks, everything but the sums stays in the kernel."""

    def setUp(self) -> None:
        """Prepare a trace that finds much."""
        super().setUp()
        self.trace_ = self.prepare()
        self.done: list[str] = []
        busy = Delta(processes={pid: ProcessTally(count=1) for pid in range(1, 1000)})

        def read(_: Reader, *, everything: bool) -> Delta:
            self.done.append("everything" if everything else "counts")
            return busy

        def read_sums(_: Reader) -> Delta:
            self.done.append("sums")
            return Delta()

        self.patch(Reader, "read", read)
        self.patch(Reader, "read_sums", read_sums)
        self.patch(Reader, "drain", lambda _: self.done.append("samples"))

    def send(self, *seconds: float) -> None:
        """Read at some moments."""
        for second in seconds:
            self.trace_._send(int(second * SECOND_NS))

    def told(self) -> list[bool]:
        """Return what the service was told since the last time."""
        decoder = Decoder()
        decoder.receive_data(os.read(self.said, 1 << 20))
        return [each.is_resting for each in decoder.events() if isinstance(each, Resting)]

    def test_rest(self) -> None:
        """The service is told once."""
        self.send(9000, 9000.25, 9001, 9002)
        self.assertEqual(["everything", "samples", "sums", "sums"], self.done)
        self.assertEqual([True], self.told())

    def test_watched(self) -> None:
        """Everything is read as soon as a client looks, and then once a second."""
        self.send(9000, 9001)
        self.told()
        self.trace_._watch(Watch(is_watched=True))
        self.assertEqual(["everything", "sums", "everything"], self.done)
        self.assertEqual([False], self.told())
        self.send(9002, 9003)
        self.assertEqual(["everything", "everything"], self.done[3:])
        self.trace_._watch(Watch(is_watched=False))
        self.assertEqual([True], self.told())
        self.send(9004, 9005)
        self.assertEqual(["sums", "sums"], self.done[5:])

    def test_report(self) -> None:
        """Everything is read once if it is asked for."""
        self.send(9000, 9001)
        self.trace_._report()
        self.send(9002)
        self.assertEqual(["everything", "sums", "everything", "sums"], self.done)

    def test_scarce_records(self) -> None:
        """Everything is read when half of the free records have been used."""
        self.send(9000)
        self.patch(Reader, "is_crowded", property(lambda _: True))
        self.send(9000.25)
        self.assertEqual(["everything", "everything"], self.done)
