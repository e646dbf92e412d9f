"""Tests of the decision to share one CPU."""

from twisted.trial.unittest import TestCase

from syswatch.tracer.ptrace.colocation import Colocation, Load

SECOND = 1_000_000_000


def load(stops: int, busy: float = 0.1, threads: int = 1) -> Load:
    """Return the load of one second."""
    return Load(SECOND, stops, int(busy * SECOND), threads)


class ColocationTests(TestCase):
    """Tracer and threads share one CPU if stops are frequent and the load is small enough."""

    def test_frequent(self) -> None:
        """A thousand stops per second are enough, fewer are not."""
        self.assertFalse(Colocation().decide(load(999), 0))
        self.assertTrue(Colocation().decide(load(1000), 0))

    def test_rare_again(self) -> None:
        """It ends when stops are rare, and does not flap in between."""
        colocation = Colocation()
        self.assertTrue(colocation.decide(load(1000), 0))
        self.assertTrue(colocation.decide(load(500), SECOND))
        self.assertFalse(colocation.decide(load(499), 2 * SECOND))
        self.assertFalse(colocation.decide(load(999), 3 * SECOND))

    def test_computing_threads(self) -> None:
        """Threads that need more than one CPU are not bound, however many calls they make."""
        self.assertFalse(Colocation().decide(load(20_000, busy=1.6, threads=4), 0))

    def test_single_thread(self) -> None:
        """A single thread is always bound, however busy it is."""
        self.assertTrue(Colocation().decide(load(1000, busy=1.0), 0))

    def test_crowded(self) -> None:
        """Threads that compete for the CPU are restored, and not bound again for a growing time."""
        colocation = Colocation()
        now, pauses = 0, []
        for _ in range(8):
            self.assertTrue(colocation.decide(load(5000, threads=4), now))
            self.assertFalse(colocation.decide(load(5000, busy=0.9, threads=4), now))
            began = now
            while not colocation.decide(load(5000, threads=4), now):
                now += SECOND
            pauses.append((now - began) // SECOND)
            colocation.decide(load(0), now)
        self.assertEqual([1, 2, 4, 8, 16, 32, 32, 32], pauses)
