"""Tests of the window of seconds."""

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.window import HISTORY_S, SecondTotals, Window
from tests.strategies import names

_DAY_S = 86_400
# Far enough apart that most of them are older than what a window holds.
wide_windows = st.builds(
    lambda seconds: Window() + Window(seconds),
    st.dictionaries(
        st.integers(0, 4 * HISTORY_S),
        st.dictionaries(names, st.builds(SecondTotals, st.integers(1, 9)), min_size=1, max_size=2),
        max_size=8,
    ),
)


def one_call_each(*seconds: int) -> Window:
    """Return a window with one call in each of some seconds."""
    return Window({second: {"read": SecondTotals(1, 0, 10)} for second in seconds})


class WindowTests(SynchronousTestCase):
    """The newest seconds of a trace."""

    @given(wide_windows, wide_windows, wide_windows)
    def test_associative(self, one: Window, two: Window, three: Window) -> None:
        """Addition is associative, even with seconds that are too old."""
        self.assertEqual((one + two) + three, one + (two + three))

    @given(wide_windows, wide_windows)
    def test_commutative(self, one: Window, two: Window) -> None:
        """It does not matter which side is the newer one."""
        self.assertEqual(one + two, two + one)

    @given(wide_windows)
    def test_identity(self, window: Window) -> None:
        """An empty window adds nothing."""
        self.assertEqual(window, window + Window())
        self.assertEqual(window, Window() + window)

    def test_keeps_fifteen_minutes(self) -> None:
        """Seconds more than fifteen minutes before the newest are dropped."""
        total = one_call_each(*range(HISTORY_S)) + one_call_each(HISTORY_S + 5)

        self.assertEqual(6, min(total.seconds))
        self.assertEqual(HISTORY_S + 5, max(total.seconds))

    def test_keeps_fifteen_minutes_when_sparse(self) -> None:
        """A single call from yesterday is dropped, even if there is space for it."""
        total = one_call_each(0) + one_call_each(_DAY_S)

        self.assertEqual([_DAY_S], list(total.seconds))

    def test_newest_first(self) -> None:
        """A delta that arrives late and is too old changes nothing."""
        window = one_call_each(_DAY_S)

        self.assertEqual(window, window + one_call_each(0))

    def test_errors(self) -> None:
        """The errors of a stretch are summed by name, both ends included."""
        failed = {at: {"read": SecondTotals(2, 1 << at - 97, 5)} for at in range(97, 101)}
        window = one_call_each(97, 98, 99, 100) + Window(failed)

        self.assertEqual({"read": 2 + 4 + 8}, window.errors(100, 3))
        self.assertEqual({}, window.errors(200, 60))
        self.assertEqual({}, one_call_each(100).errors(100, 60))

    def test_shifted(self) -> None:
        """All seconds move by the same distance."""
        self.assertEqual(one_call_each(_DAY_S + 1), one_call_each(1).shifted(_DAY_S))
