"""Tests of joining the plain halves of calls, which must agree with joining them one by one."""

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.tracer.stracelog import unfinished_calls
from syswatch.tracer.stracelog.line_format import name_of, number
from syswatch.tracer.stracelog.plain_halves import PlainHalves
from syswatch.tracer.stracelog.unfinished_calls import UnfinishedCalls

# The PID is in both halves, in one of them, or has leading zeros, as in a damaged log.
_PIDS = st.sampled_from([b"7", b"8", b"07", b""])
_NAMES = st.sampled_from([b"read", b"readv", b"close"])
_STEPS = st.lists(st.tuples(st.sampled_from(["begin", "resume", "settle"]), _PIDS, _NAMES))


def one_by_one(calls: UnfinishedCalls, digits: bytes, name: bytes) -> bytes:
    """Return the first half of a call as the unfinished calls have it."""
    first = calls.resume(number(digits), name_of(name))
    return b"" if first is None else b"%s(%s" % (name, first.text)


class PlainHalvesTests(SynchronousTestCase):
    """Halves among the lines of a chunk."""

    @given(steps=_STEPS, has_room=st.booleans())
    def test_agreement(self, *, steps: list[tuple[str, bytes, bytes]], has_room: bool) -> None:
        """Any sequence of halves is joined as one by one, and leaves the same halves."""
        expected, calls = UnfinishedCalls(), UnfinishedCalls()
        halves = PlainHalves(calls, has_room)
        for at, (step, digits, name) in enumerate(steps):
            text = b"%s(%d" % (name, at)
            if step == "begin":
                expected.begin(number(digits), text)
                halves.begin(digits, text)
            elif step == "resume":
                self.assertEqual(one_by_one(expected, digits, name), halves.resume(digits, name))
            else:
                halves.settle()
        halves.settle()

        self.assertEqual(list(expected.halves()), list(calls.halves()))

    def test_room(self) -> None:
        """There is room as long as no half would have to be dropped."""
        calls = UnfinishedCalls()
        self.patch(unfinished_calls, "MOST_PENDING", 3)
        self.patch(unfinished_calls, "MOST_PENDING_BYTES", 8)
        calls.begin(7, b"read(12")

        self.assertTrue(calls.has_room(2, 6))
        self.assertFalse(calls.has_room(3, 0))
        self.assertFalse(calls.has_room(1, 7))
