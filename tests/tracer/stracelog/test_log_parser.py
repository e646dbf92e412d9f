"""Tests of parsing and counting the lines of a log."""

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.delta import Delta, Span
from syswatch.model.entries import ARGUMENT_BYTES, FAILURE_SAMPLES, LOG_ENTRIES
from syswatch.model.window import SecondTotals
from syswatch.tracer.collector import Collector
from syswatch.tracer.stracelog.arguments import path_text
from syswatch.tracer.stracelog.lines import Chunk, Overlong
from syswatch.tracer.stracelog.log_clock import DAY_S, LogClock
from syswatch.tracer.stracelog.log_parser import LogParser
from tests.reading import condense, lines_accounted_for

_S = 10**9


class CountingTests(SynchronousTestCase):
    """Counts."""

    def test_calls(self) -> None:
        """Calls, errors, times, extremes and errnos are summed by name."""
        delta = condense(
            b'1 open("/a", O_RDONLY) = 3 <0.000010>\n'
            b'1 open("/b", O_RDONLY) = -1 ENOENT (No such file or directory) <0.000030>\n'
            b"1 close(3) = 0 <0.000005>"
        )

        opened = delta.calls["open"]
        self.assertEqual((2, 1, 40_000), (opened.count, opened.errors, opened.total_ns))
        self.assertEqual((10_000, 30_000), (opened.min_ns, opened.max_ns))
        self.assertEqual({"ENOENT": 1}, opened.errnos)
        self.assertEqual({"/a": 1, "/b": 1}, delta.paths)
        self.assertEqual({"/b": 1}, delta.failed_paths)
        self.assertEqual(1, delta.calls["close"].count)

    def test_call_that_never_returns(self) -> None:
        """A call that never returns is in the log, but not counted."""
        delta = condense(b"1 pause() = ?\n1 exit_group(0) = ?\n1 +++ exited with 0 +++")

        self.assertEqual({}, delta.calls)
        self.assertEqual(["pause", "exit_group"], [entry.name for entry in delta.log])

    def test_joined_call(self) -> None:
        """A call in two halves is counted once, at the time of its return."""
        delta = condense(
            b"1 09:00:00 read(3,  <unfinished ...>\n"
            b"2 09:00:01 close(3) = 0 <0.000001>\n"
            b'1 09:00:05 <... read resumed>"x", 1) = 1 <5.000000>'
        )

        self.assertEqual((1, 5 * _S), (delta.calls["read"].count, delta.calls["read"].total_ns))
        self.assertEqual({32_401, 32_405}, set(delta.window.seconds))
        self.assertEqual(b'3, "x", 1'.decode(), delta.log[-1].args)
        self.assertEqual((1, 2), (delta.reading.records, delta.reading.halves))

    def test_rest_on_the_next_line(self) -> None:
        """So is one whose rest has neither PID nor time, as strace -z writes it."""
        log = (
            b"7 1700000100.000000 close(3) = 0 <0.000010>\n"
            b"8 1700000101.000000 getppid( <unfinished ...>\n"
            b")  = 7 <0.500000>\n"
            b"8 1700000102.000000 close(4) = 0 <0.000010>"
        )
        for exactly in (True, False):
            delta = condense(log, exactly=exactly)

            self.assertEqual((0, 0), (delta.ledger.unparsed_lines, delta.ledger.undated_calls))
            self.assertEqual((1, 500_000_000), _count_and_time(delta, "getppid"))
            self.assertEqual(SecondTotals(1, 0, 500_000_000), _in_second(delta, 1_700_000_101))
            self.assertEqual(lines_accounted_for(delta), delta.reading.lines)

    def test_rest_in_the_next_chunk(self) -> None:
        """The lines of such a call may be read one after the other."""
        parser = LogParser(Collector())
        parser.feed(b"7 getppid() = 1\n8 getppid( <unfinished ...>")
        parser.feed(b")  = 7 <0.500000>\n8 close(4) = 0")
        delta = parser.take()

        self.assertEqual((0, 2), (delta.ledger.unparsed_lines, delta.calls["getppid"].count))

    def test_rest_of_a_relative_line(self) -> None:
        """The time since the line before is not added twice."""
        delta = condense(
            b"1      0.000000 close(3) = 0\n"
            b"2      1.000000 getppid( <unfinished ...>\n)  = 1\n"
            b"1      1.000000 close(4) = 0"
        )

        self.assertEqual(Span(0, 2 * _S), delta.span)
        self.assertEqual(1, delta.calls["getppid"].count)

    def test_restart(self) -> None:
        """A restart code counts as a failure, as in the table of strace."""
        delta = condense(
            b"read(0, 0x7ffe, 1) = ? ERESTARTSYS (To be restarted if SA_RESTART is set)"
        )

        self.assertEqual({"ERESTARTSYS": 1}, delta.calls["read"].errnos)

    def test_untimed_and_undated(self) -> None:
        """Missing durations and times are not counted."""
        delta = condense(b"close(3) = 0\nclose(4) = 0\n")

        self.assertEqual((2, 2), (delta.ledger.untimed_calls, delta.ledger.undated_calls))
        self.assertEqual({}, delta.window.seconds)
        self.assertIsNone(delta.span)
        self.assertIsNone(delta.log[0].time_ns)

    def test_pid_of_the_file(self) -> None:
        """Lines without a PID belong to the process after which the file is named."""
        delta = condense(b"close(3) = 0", fallback_pid=77)

        self.assertEqual([77], list(delta.processes))
        self.assertEqual(77, delta.log[0].pid)

    def test_seconds(self) -> None:
        """Calls are counted in the second of their time in the log."""
        delta = condense(
            b"1700000000.900000 close(3) = 0 <0.000001>\n"
            b"1700000001.100000 close(3) = -1 EBADF (Bad file descriptor) <0.000002>"
        )

        self.assertEqual(
            {
                1_700_000_000: {"close": SecondTotals(1, 0, 1000)},
                1_700_000_001: {"close": SecondTotals(1, 1, 2000)},
            },
            delta.window.seconds,
        )
        self.assertEqual(Span(1_700_000_000_900_000_000, 1_700_000_001_100_000_000), delta.span)

    def test_midnight(self) -> None:
        """Every midnight begins another date."""
        times = (b"23:59:59", b"00:00:00", b"23:59:58", b"00:00:01")
        text = b"\n".join(b"1 %s close(3) = 0" % time for time in times)
        for exactly in (False, True):
            delta = condense(text, exactly=exactly, clock=LogClock(origin_s=10 * DAY_S))

            self.assertEqual(Span((11 * DAY_S - 1) * _S, (12 * DAY_S + 1) * _S), delta.span)
            self.assertEqual(
                [11 * DAY_S - 1, 11 * DAY_S, 12 * DAY_S - 2, 12 * DAY_S + 1],
                [(entry.time_ns or 0) // _S for entry in delta.log],
            )

    def test_midnight_in_other_lines(self) -> None:
        """Midnight is noticed on lines of another format, too."""
        lines = (b"read(", b"2 22:00:00 close(3) = 0", b"1 09:00:00 close(3) = 0")
        for exactly in (False, True):
            delta = condense(b"\n".join(lines), exactly=exactly)

            self.assertEqual(
                [22 * 3600, DAY_S + 9 * 3600], [(entry.time_ns or 0) // _S for entry in delta.log]
            )

    def test_relative_times(self) -> None:
        """A log of -r begins in 1970 and keeps its relative times."""
        delta = condense(
            b"     0.000000 close(3) = 0\n     1.500000 close(3) = 0\n     0.500000 close(4) = 0"
        )

        self.assertEqual(Span(0, 2 * _S), delta.span)
        self.assertEqual([0, 1_500_000_000, 2 * _S], [entry.time_ns for entry in delta.log])

    def test_unparsed(self) -> None:
        """Unparsed lines are counted; the first ones are shown, escaped."""
        delta = condense(b"close(3) = 0\nHello\x1b[31m\n" + b"what?\n" * 20 + b"close(4) = 0")

        self.assertEqual(21, delta.ledger.unparsed_lines)
        self.assertEqual(("Hello\\x1b[31m", "what?", "what?", "what?", "what?"), delta.odd_lines)

    def test_overlong_line(self) -> None:
        """A line that is too long is an unparsed one."""
        parser = LogParser(Collector())
        parser.feed_piece(Chunk(b"close(3) = 0"))
        parser.feed_piece(Overlong(b"x" * 1024))

        delta = parser.take()

        self.assertEqual((2, 1), (delta.reading.lines, delta.ledger.unparsed_lines))

    def test_newest_are_kept(self) -> None:
        """The log has the newest calls, and the newest failures of each name are kept."""
        failed = b"1 17000%05d.5 close(%d) = -1 EBADF (Bad file descriptor)"
        text = b"\n".join(failed % (number, number) for number in range(2 * LOG_ENTRIES))
        for exactly in (False, True):
            delta = condense(text, exactly=exactly)

            self.assertEqual(
                [str(number) for number in range(LOG_ENTRIES, 2 * LOG_ENTRIES)],
                [entry.args for entry in delta.log],
            )
            self.assertEqual(
                [
                    str(number)
                    for number in range(2 * LOG_ENTRIES - FAILURE_SAMPLES, 2 * LOG_ENTRIES)
                ],
                [sample.args for sample in delta.failures["close"]],
            )

    def test_long_arguments(self) -> None:
        """Arguments of megabytes are cut, so that every delta can be sent."""
        text = b"\n".join([b'1 write(1, "%s", 9) = -1 EIO (x)' % (b"x" * 1_000_000)] * 4)
        for exactly in (False, True):
            delta = condense(text, exactly=exactly)

            self.assertEqual(4, delta.calls["write"].count)
            self.assertEqual(ARGUMENT_BYTES + 3, len(delta.log[0].args))
            self.assertEqual(ARGUMENT_BYTES + 3, len(delta.failures["write"][0].args))

    def test_each_call_in_one_delta(self) -> None:
        """Each call is in one delta only."""
        parser = LogParser(Collector())
        parser.feed(b"close(3) = 0")
        parser.take()

        self.assertEqual(Delta(), parser.take())


class PathTests(SynchronousTestCase):
    """Paths without quotes and escapes."""

    def test_paths(self) -> None:
        """Escapes are decoded unless the result would not be printable; an ellipsis stays."""
        for quoted, expected in {
            b'"/etc/passwd"': "/etc/passwd",
            b'"/srv/\\303\\244"': "/srv/ä",
            b'"/srv/a\\"b\\\\c"': '/srv/a"b\\c',
            b'"/srv/a\\nb"': "/srv/a\\nb",
            b'"/srv/\\33[2J"': "/srv/\\x1b[2J",
            b'"/srv/\\377"': "/srv/\\xff",
            b'"\\x2f\\x74"': "/t",
            b'"/very/long"...': "/very/long...",
            b'""': "",
        }.items():
            self.assertEqual(expected, path_text(quoted))

    def test_megabytes(self) -> None:
        """A path of megabytes is not an error."""
        for raw in (b"\xc3\xa4", b"\\303\\244", b"x", b"\\"):
            self.assertTrue(path_text(b'"' + raw * 1_000_000 + b'"'))


def _count_and_time(delta: Delta, name: str) -> tuple[int, int]:
    return delta.calls[name].count, delta.calls[name].total_ns


def _in_second(delta: Delta, second: int) -> SecondTotals:
    (totals,) = delta.window.seconds[second].values()
    return totals
