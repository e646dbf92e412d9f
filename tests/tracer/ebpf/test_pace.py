"""Tests of how often the tracer reads what."""

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.delta import Delta
from syswatch.model.messages import TraceOptions
from syswatch.model.objects import ObjectInfo, ObjectKind
from syswatch.model.process import ProcessTally
from syswatch.model.threads import ThreadTally
from syswatch.model.times import SECOND_NS
from syswatch.tracer.ebpf.pace import Pace, Part, may_rest

_SECOND = 9000


def delta(processes: int, ended: int = 0, objects: int = 0) -> Delta:
    """Return a reading in which so many processes have changed, have ended, and objects are new."""
    alive = {pid: ProcessTally(count=1) for pid in range(1, processes + 1)}
    return Delta(
        processes={**alive, **_ended(processes, ended)},
        objects={at: ObjectInfo(ObjectKind.FILE, f"/{at}") for at in range(objects)},
    )


def _ended(first: int, number: int) -> dict[int, ProcessTally]:
    return {first + at: ProcessTally(ending="exited with 0") for at in range(1, number + 1)}


class PaceCase(SynchronousTestCase):
    """A pace, and moments in seconds."""

    def setUp(self) -> None:
        """Begin as a trace does."""
        self.pace = Pace()

    def parts(self, *moments: float, urgent: bool = False) -> list[str]:
        """Return what is read at some moments."""
        return [self.pace.choose(int(each * SECOND_NS), is_urgent=urgent).name for each in moments]

    def find(self, found: Delta, second: float = _SECOND) -> None:
        """Read something."""
        self.pace.note(found, int(second * SECOND_NS))


class PaceTests(PaceCase):
    """The pace of a tracer whose numbers a client looks at."""

    def setUp(self) -> None:
        """Begin to look."""
        super().setUp()
        self.pace.is_watched = True

    def between(self) -> str:
        """Return what is read between two seconds."""
        return self.parts(_SECOND, _SECOND + 0.25)[1]

    def test_little(self) -> None:
        """What changes little is read often, from the start on."""
        self.assertEqual("CHANGES", self.between())
        self.find(delta(100))
        self.assertEqual("CHANGES", self.between())

    def test_much(self) -> None:
        """What changes much is read once a second, until it changes less."""
        self.find(delta(101))
        self.assertEqual("SAMPLES", self.between())
        self.find(delta(20))
        self.assertEqual("CHANGES", self.between())

    def test_ends(self) -> None:
        """If many processes or threads end, their records must be free soon."""
        self.find(delta(101, ended=499))
        self.assertEqual("SAMPLES", self.between())
        self.find(delta(101, ended=500))
        self.assertEqual("CHANGES", self.between())
        threads = {tid: ThreadTally(has_ended=True) for tid in range(1, 501)}
        self.find(Delta(threads=threads))
        self.assertEqual("CHANGES", self.between())

    def test_recorded(self) -> None:
        """What is recorded is always read often."""
        self.pace.is_recorded = True
        self.find(delta(101))
        self.assertEqual("CHANGES", self.between())

    def test_second(self) -> None:
        """Everything is read at the beginning of each second, even if a reading was early."""
        moments = (5.9, 6.0, 6.25, 6.5, 6.75, 7.02, 8.01, 9.0)
        self.assertEqual([5.9, 6.5, 7.02, 8.01, 9.0], self._whole(moments))

    def test_clock_set_back(self) -> None:
        """A clock that was set back by less than a second does not delay it."""
        self.assertEqual([9.0, 8.6, 9.2], self._whole((9.0, 8.6, 8.9, 9.0, 9.2)))

    def _whole(self, moments: tuple[float, ...]) -> list[float]:
        return [each for each in moments if self.parts(each) == [Part.EVERYTHING.name]]


class RestTests(PaceCase):
    """The pace of a tracer whose numbers no client looks at."""

    def rest(self) -> None:
        """Read everything for the last time, and begin to rest."""
        self.parts(_SECOND)
        self.find(delta(101))
        self.assertTrue(self.pace.is_resting)

    def test_sums(self) -> None:
        """Only the sums are read once a second, and everything after 15 s."""
        self.rest()
        self.assertEqual(["SAMPLES", "SUMS"], self.parts(_SECOND + 0.25, _SECOND + 1))
        self.assertEqual(["SUMS"] * 13, self.parts(*range(_SECOND + 2, _SECOND + 15)))
        self.assertEqual(
            ["SAMPLES", "EVERYTHING", "SUMS"],
            self.parts(_SECOND + 14.75, _SECOND + 15, _SECOND + 16),
        )

    def test_little(self) -> None:
        """What is read at little cost is read all the time."""
        self.parts(_SECOND)
        self.find(delta(100))
        self.assertFalse(self.pace.is_resting)
        self.assertEqual(["CHANGES", "EVERYTHING"], self.parts(_SECOND + 0.25, _SECOND + 1))

    def test_urgent(self) -> None:
        """If records must be freed, everything is read at once."""
        self.rest()
        self.assertEqual(["EVERYTHING"], self.parts(_SECOND + 0.25, urgent=True))
        self.assertEqual(["SUMS"], self.parts(_SECOND + 1))

    def test_hurry(self) -> None:
        """What must be known soon is read when the next second begins."""
        self.rest()
        self.pace.hurry()
        self.assertEqual(["EVERYTHING", "SUMS"], self.parts(_SECOND + 1, _SECOND + 2))

    def test_needed(self) -> None:
        """What a client looks at, what is recorded, and what cannot wait is read."""
        for name, needed in (("is_watched", True), ("is_recorded", True), ("may_rest", False)):
            self.pace = Pace()
            self.rest()
            setattr(self.pace, name, needed)
            self.assertFalse(self.pace.is_resting, name)
            self.assertEqual(["EVERYTHING"], self.parts(_SECOND + 1), name)

    def test_new_objects(self) -> None:
        """Many new objects in each second would not find a free record."""
        self.find(delta(101, objects=99))
        self.assertTrue(self.pace.is_resting)
        self.find(delta(101, objects=100), _SECOND + 1)
        self.assertFalse(self.pace.is_resting)
        self.find(delta(101, objects=100), _SECOND + 3)
        self.assertTrue(self.pace.is_resting)

    def test_many_ends(self) -> None:
        """How many have ended is compared with the time since the last reading."""
        self.rest()
        self.find(delta(101, ended=15 * 500 - 1), _SECOND + 15)
        self.assertTrue(self.pace.is_resting)
        self.find(delta(101, ended=15 * 500), _SECOND + 30)
        self.assertFalse(self.pace.is_resting)

    def test_clock_set_back(self) -> None:
        """If the clock was set back, everything is read."""
        self.rest()
        self.assertEqual(["EVERYTHING", "SUMS"], self.parts(10, 11))

    def test_options(self) -> None:
        """What is found nowhere later cannot wait."""
        self.assertTrue(may_rest(TraceOptions()))
        for name in ("per_process", "profile", "trace_parents"):
            self.assertFalse(may_rest(TraceOptions(**{name: True})), name)  # type: ignore[arg-type]
