"""Tests of running sums that are updated as calls happen."""

from twisted.trial.unittest import TestCase

from syswatch.model.process import ProcessTally
from syswatch.model.window import SecondTotals
from syswatch.tracer.collector import Collector


class DirectUpdateTests(TestCase):
    """Sums that are taken at the end of a second need no second for each call."""

    def test_same_as_counting(self) -> None:
        """Updating the sums equals counting with the second given at the end."""
        counted, summed = Collector(per_process=True), Collector(per_process=True)
        for pid, errno, duration in ((1, "", 5), (1, "ENOENT", 70), (2, "", 900)):
            counted.count(pid, "open", errno, duration, 12)
            summed.sums_of(pid, "open").add(errno, duration)
        self.assertEqual(counted.take(), summed.take(12))

    def test_taken_once(self) -> None:
        """Sums that were taken are not taken again."""
        collector = Collector()
        collector.sums_of(1, "open").add("", 5)
        collector.describe(1, comm="cat")
        collector.take(12)
        self.assertEqual(Collector().take(13), collector.take(13))

    def test_empty_second(self) -> None:
        """A second without calls is not in the window."""
        self.assertEqual({}, Collector().take(12).window.seconds)

    def test_description(self) -> None:
        """What is known of a process is stored with its sums; later values replace earlier ones."""
        collector = Collector()
        collector.sums_of(7, "read").add("EIO", 3)
        collector.describe(7, parent=1, comm="sh")
        collector.describe(7, comm="cat", ending="exited with 0")
        delta = collector.take(12)
        self.assertEqual(
            {7: ProcessTally(1, "cat", 1, 1, 3, "exited with 0", lives=1)}, delta.processes
        )
        self.assertEqual({12: {"read": SecondTotals(1, 1, 3)}}, delta.window.seconds)
