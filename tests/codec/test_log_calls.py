"""Tests of the calls of a log on their way to the recorder."""

from itertools import pairwise

import attrs
from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.codec.event_frames import EventDecoder, Kind, encode
from syswatch.codec.log_calls import (
    LogCall,
    LogCalls,
    LogCodes,
    LogColumns,
    LogLife,
    LogNumbers,
    LogTexts,
    packed_fractions,
    packed_numbers,
    packed_objects,
)
from syswatch.model.times import SECOND_NS


def columns(first_line: int, count: int) -> LogColumns:
    """Return some calls of `close`."""

    def codes(text: bytes) -> LogCodes:
        return LogCodes.of([text] * count)

    return LogColumns(
        first_line=first_line,
        skipped=(),
        count=count,
        origin_s=100,
        fallback_pid=0,
        different_pids=(7,),
        numbers=LogNumbers(
            pids=codes(b"7"),
            seconds=codes(b"10:00:00"),
            fractions=packed_fractions([1000] * count),
            names=codes(b"close"),
            errnos=codes(b""),
            durations=packed_numbers([1000] * count),
            results=packed_numbers([0] * count),
        ),
        arguments=LogTexts.of([b"3"] * count),
        results=LogTexts.of([b"0"] * count),
        objects=packed_objects([5] * count),
        ends=bytes(count),
    )


def call(line: int, found: int = 5, start_ns: int | None = 9) -> LogCall:
    """Return a call that was parsed by itself."""
    return LogCall(line, 7, start_ns, 1, "close", "3", "0", "", returned=True, object=found)


class LogCallsTests(SynchronousTestCase):
    """Pieces of a log."""

    def test_frames(self) -> None:
        """What is decoded is what was encoded."""
        calls = LogCalls((columns(0, 3),), (call(3), call(4, start_ns=None)))
        decoder = EventDecoder()
        decoder.receive_data(encode(Kind.LOG_CALLS, calls))
        self.assertEqual([calls], list(decoder.frames()))

    def test_other_date(self) -> None:
        """Times of day, and the times of calls, are moved together."""
        calls = LogCalls((columns(0, 1),), (call(1), call(2, start_ns=None)), (LogLife(1, 7, 9),))
        moved = calls.shifted(60)
        self.assertEqual([160], [each.origin_s for each in moved.columns])
        self.assertEqual([9 + 60 * SECOND_NS, None], [each.start_ns for each in moved.calls])
        self.assertEqual([9 + 60 * SECOND_NS], [each.at_ns for each in moved.lives])

    def test_other_objects(self) -> None:
        """Objects are replaced everywhere."""
        calls = LogCalls((columns(0, 2),), (call(2), call(3, 6))).renamed({5: 1 << 51})
        self.assertEqual([packed_objects([1 << 51] * 2)], [each.objects for each in calls.columns])
        self.assertEqual([1 << 51, 6], [each.object for each in calls.calls])

    @given(
        st.lists(st.lists(st.integers(0, 4), max_size=3, unique=True), min_size=1, max_size=12),
        st.integers(1, 5000),
    )
    def test_pieces(self, parts: list[list[int]], most: int) -> None:
        """Pieces hold all calls, those parsed by themselves together with the lines around them."""
        of_columns = [
            attrs.evolve(columns(5 * at, 5 - len(skipped)), skipped=tuple(sorted(skipped)))
            for at, skipped in enumerate(parts)
        ]
        others = [call(5 * at + line) for at, lines in enumerate(parts) for line in sorted(lines)]
        others += [call(line) for line in range(5 * len(parts), 5 * len(parts) + 9)]
        pieces = list(LogCalls(tuple(of_columns), tuple(others)).pieces(most))
        self.assertEqual(of_columns, [each for piece in pieces for each in piece.columns])
        self.assertEqual(others, [each for piece in pieces for each in piece.calls])
        spans = [
            [line for each in piece.columns for line in range(each.first_line, each.first_line + 5)]
            + [each.line for each in piece.calls]
            for piece in pieces
        ]
        for former, later in pairwise(spans):
            self.assertLess(max(former), min(later))
