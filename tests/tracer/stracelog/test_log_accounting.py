"""Tests that every line of a log is accounted for, however it is parsed."""

from collections.abc import Iterable

import attrs
from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.codec.frames import encode
from syswatch.model.delta import Delta
from syswatch.tracer.collector import Collector
from syswatch.tracer.stracelog.log_parser import LogParser
from tests import samples, tracelines
from tests.reading import condense, lines_accounted_for, without_user_time

_pieces = [
    *(b"1 ", b"2 ", b"[pid 3] ", b"\n", b"\n", b"\r\n", b"\x00", b"\xff", b'"', b"99", b"= ?"),
    *(b"read(", b"<... read resumed>", b" <unfinished ...>", b") = 0", b"% time ", b" > "),
    *(b"+++ exited with 0 +++", b"--- SIGCHLD {} ---", b"strace: Process 2 attached"),
    b"--- 3 calls missing ---",
    *(b'openat(AT_FDCWD, "/a", 0) = 3', b") = -1 ENOENT (No) <0.1>"),
    *(b"09:00:00 ", b"1700000000.5 ", b"0.001 "),
]
noise = st.lists(st.sampled_from(_pieces) | st.binary(max_size=6), max_size=30).map(b"".join)


class AccountingTests(SynchronousTestCase):
    """Every line is counted exactly once."""

    @given(st.lists(noise | tracelines.logs().map(b"\n".join), max_size=4), st.booleans())
    def test_every_line(self, chunks: list[bytes], exactly: bool) -> None:  # noqa: FBT001
        """Any line is a record, a half, a note or unparsed; the delta can be sent."""
        delta = condense(*chunks, exactly=exactly)

        self.assertEqual(sum(chunk.count(b"\n") + 1 for chunk in chunks), delta.reading.lines)
        self.assertEqual(delta.reading.lines, lines_accounted_for(delta))
        self.assertLess(0, len(encode(delta)))

    def assert_alike(self, exact: Delta, fast: Delta) -> None:
        """Compare deltas of lines whose times are in any order."""
        self.assertEqual(without_user_time(exact), without_user_time(fast))

    @given(tracelines.logs(most=12))
    def test_fast_is_exact(self, lines: list[bytes]) -> None:
        """Counting rows gives the same delta as parsing each line."""
        chunk = b"\n".join(lines)

        self.assert_alike(condense(chunk, exactly=True), condense(chunk))

    @given(tracelines.split_logs())
    def test_fast_is_exact_with_halves(self, log: bytes) -> None:
        """Counting rows gives the same delta if calls are in two halves."""
        self.assert_alike(condense(log, exactly=True), condense(log))

    @given(
        tracelines.split_logs(),
        st.lists(noise | tracelines.calls | tracelines.split_logs(), max_size=5),
    )
    def test_fast_is_exact_with_noise(self, log: bytes, pieces: list[bytes]) -> None:
        """Counting rows gives the same delta for lines in any order, except for the times."""
        chunk = b"\n".join([log, *pieces])
        # A call in progress would last until the last time, which depends on the order.
        exact, fast = (condense(chunk, exactly=each, continues=True) for each in (True, False))

        self.assertEqual(_without_times(exact), _without_times(fast))

    def test_first_call_in_halves(self) -> None:
        """The time of a thread begins with its first call, even if that is in two halves."""
        halves = (
            b"1 1700000100.0 epoll_wait(3,  <unfinished ...>\n"
            b"2 1700000100.0 getpid() = 2 <0.1>\n"
            b"1 1700000110.0 <... epoll_wait resumed>[], 10, 10000) = 0 <10.000000>\n"
            b"1 1700000115.0 getpid() = 1 <0.000010>"
        )
        for exactly in (True, False):
            times = condense(halves, exactly=exactly).threads[1].times
            self.assertEqual((15_000_010_000, 5 * 10**9), (times.wall_ns, times.user_ns))

    def test_too_long(self) -> None:
        """Sums of times saturate, so that a damaged log can be sent."""
        line = b'%d 1700000000.5 read(3</a>, "", 1) = 1 <999999999.000000>'
        delta = condense(b"\n".join(line % pid for pid in range(1, 31)))
        self.assertLess(0, len(encode(delta)))
        self.assertEqual(30, delta.calls["read"].count)

    def test_missing_calls(self) -> None:
        """Calls that syswatch had to drop are in the ledger, and the line is a note."""
        log = b"7 1700000000.5 getpid() = 7 <0.1>\n0 1700000001.0 --- 17 calls missing ---"
        for exactly in (True, False):
            delta = condense(log, exactly=exactly)
            self.assertEqual((17, 1), (delta.ledger.lost_events, delta.reading.notes))
            self.assertEqual(["getpid"], list(delta.calls))

    def test_kept_logs(self) -> None:
        """Counting rows gives the same delta for real logs, of which every line is parsed."""
        for name in samples.log_names():
            chunk = (samples.LOGS / name).read_bytes().rstrip(b"\n")

            fast = condense(chunk)

            self.assertEqual(condense(chunk, exactly=True), fast, name)
            self.assertEqual(fast.reading.lines, lines_accounted_for(fast), name)
            self.assertEqual((), fast.odd_lines, name)

    def test_tables(self) -> None:
        """Calls and errors are equal to those in the table at the end of a log."""
        for name in samples.log_names():
            log = (samples.LOGS / name).read_bytes()
            table = samples.table(log)
            if table:
                calls = condense(log.rstrip(b"\n")).calls

                self.assertEqual(
                    {name: (row.calls, row.errors) for name, row in table.items()},
                    {name: (tally.count, tally.errors) for name, tally in calls.items()},
                    name,
                )


def _without_times(delta: Delta) -> Delta:
    """Leave out what depends on the order of the times of lines."""
    return attrs.evolve(without_user_time(delta), span=None)


def _feed_all(parser: LogParser, chunks: Iterable[bytes]) -> Delta:
    for chunk in chunks:
        parser.feed(chunk)
    return parser.take()


class FlushTests(SynchronousTestCase):
    """Taking deltas in between."""

    @given(tracelines.logs(most=12), st.integers(0, 12))
    def test_sum_of_takes(self, lines: list[bytes], flush: int) -> None:
        """The sum of the deltas of all chunks is the delta of the whole."""
        chunks = [b"\n".join(part) for part in (lines[:flush], lines[flush:]) if part]
        whole = Delta() + condense(*chunks)
        parser = LogParser(Collector())
        total = Delta()
        for chunk in chunks:
            total += _feed_all(parser, [chunk])

        # Calls without a time are in the order of their lines in both.
        whole, total = without_user_time(whole), without_user_time(total)
        self.assertEqual(attrs.evolve(whole, log=()), attrs.evolve(total, log=()))
        self.assertEqual(len(whole.log), len(total.log))
