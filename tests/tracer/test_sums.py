"""Tests of summing up durations, with and without the compiled module."""

from importlib.util import find_spec
from unittest import SkipTest

from hypothesis import given
from hypothesis import strategies as some
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.times import LONGEST_NS
from syswatch.tracer.sums import CallSums, sum_up_in_python

_DURATIONS = some.lists(some.integers(0, LONGEST_NS) | some.integers(0, 100), min_size=1)


class SumUpTests(SynchronousTestCase):
    """A list of durations at once."""

    def test_one_by_one(self) -> None:
        """The sums are those of adding each duration."""
        at_once, one_by_one = CallSums(), CallSums()
        durations = [0, 15, 16, 17, 1_000, 1_000, 10**12]
        for duration_ns in durations:
            one_by_one.add("", duration_ns)
        at_once.durations += durations
        self.assertEqual(one_by_one.freeze(), at_once.freeze())

    @given(_DURATIONS)
    def test_compiled(self, durations: list[int]) -> None:
        """The compiled module finds what Python finds; a total is cut to what can be sent."""
        if find_spec("syswatch.tracer.duration_sums") is None:
            raise SkipTest("duration_sums is not compiled here")
        from syswatch.tracer.duration_sums import sum_up

        total, *others = sum_up_in_python(durations)
        self.assertEqual((min(total, LONGEST_NS), *others), sum_up(durations))

    def test_unusual(self) -> None:
        """A clock that is set back ends no trace."""
        if find_spec("syswatch.tracer.duration_sums") is None:
            raise SkipTest("duration_sums is not compiled here")
        from syswatch.tracer.duration_sums import sum_up

        durations = [-5, 3]
        self.assertEqual(sum_up_in_python(durations), sum_up(durations))
        self.assertEqual((-2, -5, 3, {0: 1, 3: 1}), sum_up(durations))
        self.assertRaises(TypeError, sum_up, ["1"])
