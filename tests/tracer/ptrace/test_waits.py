"""Tests of how the duration of a call is divided."""

from twisted.trial.unittest import SynchronousTestCase

from syswatch.tracer.ptrace.schedule import Usage
from syswatch.tracer.ptrace.waits import Before, Lasted, Split, split, split_by_guess

MS = 1_000_000
US = 1000


class SplitTests(SynchronousTestCase):
    """A call from 1000 ms on; the thread was resumed at its entry, for the eleventh time."""

    def divide(self, used: Usage, before_ns: int = 0, **lasted: object) -> Split:
        """Divide a call of 100 ms; the statistics were read so long before it."""
        before = Before(Usage(5 * MS, 7 * MS, 20), 1000 * MS - before_ns, 10)
        usage = Usage(*map(int.__add__, before.usage, used))
        values = {"entered_ns": 1000 * MS, "now_ns": 1100 * MS, "resumed": 11} | lasted
        return split(before, usage, Lasted(**values))  # type: ignore[arg-type]

    def test_exact(self) -> None:
        """With statistics from the entry, what is neither running nor ready is waiting."""
        self.assertEqual(Split(97 * MS, 1 * MS), self.divide(Usage(2 * MS, 1 * MS, 2)))

    def test_not_switched(self) -> None:
        """A thread that only the stops have switched did not wait, but was stopped at the exit."""
        split = self.divide(Usage(2 * MS, 1 * MS, 1), late_ns=98 * MS)
        self.assertEqual(Split(0, 1 * MS, stopped_ns=97 * MS), split)
        # What it ran before the call may have been in the call, but no more.
        split = self.divide(Usage(9 * MS, 0, 7), 20 * MS, resumed=17)
        self.assertEqual(Split(stopped_ns=91 * MS), split)

    def test_not_switched_estimate(self) -> None:
        """It is an estimate if the thread may have been stopped longer than the statistics show."""
        late = self.divide(Usage(60 * MS, 0, 7), 20 * MS, resumed=17, late_ns=70 * MS)
        self.assertEqual(Split(is_estimate=True, stopped_ns=40 * MS), late)
        in_time = self.divide(Usage(60 * MS, 0, 7), 20 * MS, resumed=17, late_ns=20 * US)
        self.assertEqual(Split(stopped_ns=40 * MS), in_time)

    def test_late(self) -> None:
        """If it may have waited or been stopped, the purpose of the call decides."""
        used = Usage(2 * MS, 1 * MS, 3)
        read = self.divide(used, late_ns=60 * MS)
        self.assertEqual(Split(97 * MS, 1 * MS, is_estimate=True), read)
        close = self.divide(used, late_ns=60 * MS, can_wait=False)
        self.assertEqual(Split(37 * MS, 1 * MS, is_estimate=True, stopped_ns=60 * MS), close)
        # It was not stopped for longer than it was off the CPU.
        close = self.divide(used, late_ns=900 * MS, can_wait=False)
        self.assertEqual(Split(0, 1 * MS, is_estimate=True, stopped_ns=97 * MS), close)
        # The usual delay of the tracer is part of the duration.
        self.assertEqual(Split(97 * MS, 1 * MS), self.divide(used, late_ns=40 * US))

    def test_preempted(self) -> None:
        """What remains of a preempted call is too little to be a wait."""
        used = Usage(60 * MS, 40 * MS - 30 * US, 3)
        self.assertEqual(Split(0, 40 * MS - 30 * US), self.divide(used))

    def test_estimate(self) -> None:
        """Statistics from long before leave open what the thread did in between."""
        exact = self.divide(Usage(1 * MS, 0, 2), 1 * MS)
        self.assertEqual(Split(100 * MS), exact)
        estimate = self.divide(Usage(30 * MS, 10 * MS, 9), 50 * MS)
        self.assertEqual(Split(100 * MS, is_estimate=True), estimate)
        self.assertTrue(estimate.waited)
        # It has run longer than there was time before the call.
        self.assertEqual(30 * MS, 100 * MS - self.divide(Usage(80 * MS, 0, 9), 50 * MS).waiting_ns)

    def test_unlikely(self) -> None:
        """If both are possible, a call whose purpose is not to wait was preempted."""
        used = Usage(60 * MS, 60 * MS, 5)
        self.assertTrue(self.divide(used, 70 * MS).waited)
        self.assertFalse(self.divide(used, 70 * MS, can_wait=False).waited)

    def test_in_progress(self) -> None:
        """A thread that is blocked has not been switched in since; one that runs is not waiting."""
        self.assertEqual(Split(99 * MS), self.divide(Usage(1 * MS, 0, 1), late_ns=None))
        self.assertEqual(Split(), self.divide(Usage(95 * MS, 0, 1), late_ns=None))

    def test_guess(self) -> None:
        """Without statistics it is an estimate by the purpose of the call."""
        self.assertEqual(Split(5, is_estimate=True), split_by_guess(5, can_wait=True))
        self.assertEqual(Split(0, is_estimate=True), split_by_guess(5, can_wait=False))
