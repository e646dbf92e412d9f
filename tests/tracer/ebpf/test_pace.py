"""Tests of how often the tracer reads."""

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.delta import Delta
from syswatch.model.process import ProcessTally
from syswatch.model.threads import ThreadTally
from syswatch.model.times import SECOND_NS
from syswatch.tracer.ebpf.pace import Pace


def delta(processes: int, ended: int = 0) -> Delta:
    """Return a reading in which so many processes have changed, and so many others have ended."""
    alive = {pid: ProcessTally(count=1) for pid in range(1, processes + 1)}
    return Delta(processes={**alive, **_ended(processes, ended)})


def _ended(first: int, number: int) -> dict[int, ProcessTally]:
    return {first + at: ProcessTally(ending="exited with 0") for at in range(1, number + 1)}


class PaceTests(SynchronousTestCase):
    """The pace depends on how much a reading finds."""

    def setUp(self) -> None:
        """Begin as a trace does."""
        self.pace = Pace()

    def test_little(self) -> None:
        """What changes little is read often, from the start on."""
        self.assertFalse(self.pace.is_slow)
        self.pace.note(delta(100))
        self.assertFalse(self.pace.is_slow)

    def test_much(self) -> None:
        """What changes much is read once a second, until it changes less."""
        self.pace.note(delta(101))
        self.assertTrue(self.pace.is_slow)
        self.pace.note(delta(20))
        self.assertFalse(self.pace.is_slow)

    def test_ends(self) -> None:
        """If many processes or threads end, their records must be free soon."""
        self.pace.note(delta(101, ended=499))
        self.assertTrue(self.pace.is_slow)
        self.pace.note(delta(101, ended=500))
        self.assertFalse(self.pace.is_slow)
        threads = {tid: ThreadTally(has_ended=True) for tid in range(1, 501)}
        self.pace.note(Delta(threads=threads))
        self.assertFalse(self.pace.is_slow)

    def test_second(self) -> None:
        """Everything is read at the beginning of each second, even if a reading was early."""
        moments = (5.9, 6.0, 6.25, 6.5, 6.75, 7.02, 8.01, 9.0)
        self.assertEqual([5.9, 6.5, 7.02, 8.01, 9.0], self._whole(moments))

    def test_clock_set_back(self) -> None:
        """A clock that was set back by less than a second does not delay it."""
        self.assertEqual([9.0, 8.6, 9.2], self._whole((9.0, 8.6, 8.9, 9.0, 9.2)))

    def _whole(self, moments: tuple[float, ...]) -> list[float]:
        return [each for each in moments if self.pace.is_whole(int(each * SECOND_NS))]
