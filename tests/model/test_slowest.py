"""Tests of the slowest calls: exact, however the calls were divided."""

import attrs
from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.slowest import SLOWEST_BY_CALL, SLOWEST_OVERALL, SlowCall, Slowest
from tests.strategies import slowests


def _call(duration_ns: int, name: str = "read") -> SlowCall:
    return SlowCall(duration_ns, duration_ns, 1, 1, name, "", "0", "")


# No two calls are equally slow, so that the expected order is certain.
_calls = st.lists(
    st.builds(_call, st.integers(0, 10**9), st.sampled_from(["read", "write", "fsync"])),
    max_size=200,
    unique_by=lambda call: call.duration_ns,
)


class SlowestTests(SynchronousTestCase):
    """The slowest calls of all and of each name."""

    @given(slowests, slowests, slowests)
    def test_associative(self, one: Slowest, two: Slowest, three: Slowest) -> None:
        """It does not matter where they are added."""
        self.assertEqual((one + two) + three, one + (two + three))

    @given(_calls, st.integers(1, 7))
    def test_exact(self, calls: list[SlowCall], parts: int) -> None:
        """They are the slowest of all calls, however those were divided."""
        divided = [Slowest.of(calls[part::parts]) for part in range(parts)]

        total = sum(divided, start=Slowest())

        ranked = sorted(calls, key=lambda call: -call.duration_ns)
        self.assertEqual(tuple(ranked[:SLOWEST_OVERALL]), total.overall)
        for name in {call.name for call in calls}:
            named = [call for call in ranked if call.name == name]
            self.assertEqual(tuple(named[:SLOWEST_BY_CALL]), total.by_call[name])
        self.assertEqual(total, Slowest.of(calls))

    def test_equal(self) -> None:
        """Of equally slow calls, the earliest comes first."""
        late, early = _call(5), attrs.evolve(_call(5), time_ns=1)

        self.assertEqual((early, late), (Slowest.of([late]) + Slowest.of([early])).overall)

    def test_redated(self) -> None:
        """Times move; a call without a time keeps none."""
        calls = Slowest.of([_call(5), attrs.evolve(_call(3), time_ns=None)])

        moved = calls.redated(lambda at_ns: at_ns + 10)

        self.assertEqual([15, None], [call.time_ns for call in moved.overall])
        self.assertEqual([15, None], [call.time_ns for call in moved.by_call["read"]])

    def test_nothing(self) -> None:
        """Without calls there are none."""
        self.assertFalse(Slowest())
        self.assertTrue(Slowest.of([_call(1)]))
