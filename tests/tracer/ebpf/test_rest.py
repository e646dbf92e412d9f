"""Tests that a tracer rests without losing anything, and reads at once what is asked for."""

import subprocess
import sys
from collections.abc import Callable, Sequence

from syswatch.codec.frames import Message
from syswatch.model.activity import NO_SUMS
from syswatch.model.delta import Delta
from syswatch.model.messages import Attach, Detach, Report, Reported, Resting, Watch
from tests.tracer.harness import Tracer, start
from tests.tracer.programs import program

from .case import EbpfCase
from .test_scopes import begin

# A tracer that rests until it is asked.
_PATIENT = """
import sys
from syswatch.tracer.__main__ import main
from syswatch.tracer.ebpf import pace

pace.REST_NS = 1 << 60
sys.exit(main(sys.argv[1:]))
"""


class RestTests(EbpfCase):
    """A program with many threads that make calls all the time."""

    def setUp(self) -> None:
        """Start the program, and attach to it."""
        super().setUp()
        self.process = subprocess.Popen(
            [program("crowd")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for clean_up in (self.process.stdout.close, self.process.wait, self.process.kill):  # type: ignore[union-attr]
            self.addCleanup(clean_up)
        self.round()
        job = Attach((self.process.pid,), options=self.options())
        self.tracer: Tracer = start(job, tracer=(sys.executable, "-c", _PATIENT))
        self.tracer.await_start()

    def round(self) -> None:
        """Let the main thread make 100 calls."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write("go\n")
        self.process.stdin.flush()
        self.assertEqual("done\n", self.process.stdout.readline())

    def await_message(self, is_wanted: Callable[[Message], bool], after: int = 0) -> int:
        """Receive until there is a message; return its place."""
        while True:
            for place, message in enumerate(self.tracer.messages[after:], after):
                if is_wanted(message):
                    return place
            self.assertTrue(self.tracer.receive(), "the tracer has ended")

    def await_rest(self, after: int = 0) -> int:
        """Wait until the tracer rests; return the place of that message."""
        return self.await_message(lambda message: message == Resting(is_resting=True), after)

    def failures(self, messages: Sequence[Message]) -> int:
        """Return how many calls the main thread has made, as the table of threads has it."""
        pid = self.process.pid
        deltas = [each for each in messages if isinstance(each, Delta)]
        return sum(each.threads[pid].errors for each in deltas if pid in each.threads)

    def test_sums(self) -> None:
        """The sums of all calls go on, and everything else is complete at the end."""
        place = self.await_rest()
        self.round()
        found = self.await_message(
            lambda message: isinstance(message, Delta) and "rmdir" in message.calls, place
        )
        resting = self.tracer.messages[found]
        assert isinstance(resting, Delta)
        self.assertEqual(100, resting.calls["rmdir"].count)
        self.assertEqual(({}, {}), (resting.threads, resting.activity))
        assert self.process.stdin is not None
        self.process.stdin.close()
        delta = self.tracer.finish().delta
        assert self.process.stdout is not None
        made = int(self.process.stdout.read())
        # Before it was attached to, it had made some.
        self.assertLess(0, delta.calls["getppid"].count)
        self.assertLessEqual(delta.calls["getppid"].count, made)
        self.check_sums(delta)

    def check_sums(self, delta: Delta) -> None:
        """Check that all tables have the same calls."""
        total = sum(delta.activity.values(), NO_SUMS)
        calls = delta.calls.values()
        self.assertEqual(sum(each.count for each in calls), total.count)
        self.assertEqual(sum(each.total_ns for each in calls), total.total_ns)
        self.assertEqual(sum(each.waits.waiting_ns for each in calls), total.waiting_ns)
        self.assertEqual(total.count, sum(each.count for each in delta.processes.values()))
        self.assertEqual(total.count, sum(each.calls for each in delta.threads.values()))

    def test_report(self) -> None:
        """A report has everything up to now, and the tracer rests again."""
        place = self.await_rest()
        self.round()
        before = self.failures(self.tracer.messages)
        self.tracer.send(Report())
        place = self.await_message(lambda message: isinstance(message, Reported), place)
        self.assertEqual(100, self.failures(self.tracer.messages[: place + 1]) - before)
        self.tracer.send(Detach())
        self.check_sums(self.tracer.finish().delta)

    def test_watched(self) -> None:
        """When a client begins to look, everything is sent at once, and then again and again."""
        place = self.await_rest()
        self.round()
        before = self.failures(self.tracer.messages)
        self.tracer.send(Watch(is_watched=True))
        place = self.await_message(lambda message: message == Resting(is_resting=False), place)
        self.assertEqual(100, self.failures(self.tracer.messages[:place]) - before)
        for _ in range(2):
            place = self.await_message(
                lambda message: isinstance(message, Delta) and len(message.threads) > 100, place + 1
            )
        self.tracer.send(Watch(is_watched=False))
        self.await_rest(place)
        self.tracer.send(Detach())
        self.check_sums(self.tracer.finish().delta)


class RoomTests(EbpfCase):
    """Records that are only free when they have been read."""

    def test_crowded(self) -> None:
        """If half of the free records are used, they must be read, and then they are free."""
        trace = self.prepare()
        self.addCleanup(trace.reader.close)
        assert trace.reader.details is not None
        records = trace.reader.details.thread_records
        process = begin(program("total"), "1")
        trace.following.take(process.pid, 0)
        trace.following.begin()
        trace.reader.read(everything=True)
        self.assertEqual(1, records.in_use())
        process.communicate("go\n")
        # Eight threads have come and gone.
        self.assertEqual(9, records.in_use())
        for most, is_crowded in ((17, False), (16, True)):
            records.most = most
            self.assertEqual(is_crowded, trace.reader.is_crowded)
        for _ in range(2):
            trace.reader.read(everything=True)
        self.assertFalse(trace.reader.is_crowded)
        self.assertEqual(0, records.in_use())
