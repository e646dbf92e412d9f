"""Tests of the fast way to count plain lines, which must agree with the grammar."""

from collections.abc import Set as AbstractSet
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.tracer.collector import Collector
from syswatch.tracer.stracelog import line_format
from syswatch.tracer.stracelog.arguments import path_text
from syswatch.tracer.stracelog.grammar import LoggedCall, opened_path, parse_line
from syswatch.tracer.stracelog.line_format import FindRows, Row, detect_format
from syswatch.tracer.stracelog.log_clock import nanoseconds, whole_seconds
from syswatch.tracer.stracelog.log_filter import LogFilter
from syswatch.tracer.stracelog.row_counter import RowCounter
from tests import tracelines


def rows(lines: list[bytes], *, in_python: bool = True) -> list[Row]:
    """Return the rows of lines in the format of their log."""
    find = finder(lines, in_python=in_python)
    return [] if find is None else [Row(*row) for line in lines for row in find.rows(line)[:1]]


def finder(lines: list[bytes], *, in_python: bool = True) -> FindRows | None:
    """Return what finds the rows of lines, without objects."""
    form = detect_format(lines)
    if form is None:
        return None
    if not in_python:
        return form.find_rows(objects=False, arguments=False)
    with patch.object(line_format, "compiled", None):
        return form.find_rows(objects=False, arguments=False)


def _opened(row: Row) -> AbstractSet[str]:
    """Return the paths that are counted as opened by the call of a row."""
    collector = Collector()
    RowCounter(collector, LogFilter()).count_rows([row], 0)
    return collector.take().paths.keys()


class AgreementTests(SynchronousTestCase):
    """Agreement of the fast way with the grammar."""

    def assert_agree(self, lines: list[bytes]) -> None:
        """Compare the rows that are found in both ways."""
        for in_python in (True, False):
            for row, line in zip(rows(lines, in_python=in_python), lines, strict=True):
                if row.name:
                    self.assert_agrees(row, line)

    def assert_agrees(self, row: Row, line: bytes) -> None:
        """Compare everything that is counted of a line."""
        call = parse_line(line)

        self.assertIsInstance(call, LoggedCall, str(line))
        if isinstance(call, LoggedCall):
            self.assertTrue(call.returned)
            self.assertEqual(call.name, row.name.decode(), line)
            self.assertEqual(call.pid, int(row.pid or 0), line)
            self.assertEqual(call.errno, row.errno.decode(), line)
            path = opened_path(call)
            self.assertEqual({path_text(path)} if path else set(), _opened(row), line)
            self.assertEqual(
                call.duration_ns, nanoseconds(row.duration) if row.duration else None, line
            )
            second = whole_seconds(call.time) if call.time else None
            self.assertEqual(second, whole_seconds(row.second) if row.second else None, line)

    def test_directory(self) -> None:
        """The directory of a call may be no descriptor, or missing where the line is damaged."""
        for call in (
            b'openat(-1, "x", O_RDONLY) = -1 EBADF (Bad file descriptor)',
            b'openat("3, "", O_RDONLY) = 3',
            b'open(3, "x", O_RDONLY) = 3',
            b'open(AT_FDCWD, "x", O_RDONLY) = 3',
        ):
            self.assert_agree([b"1 13:00:00 " + call])

    @given(tracelines.logs())
    def test_real_lines(self, lines: list[bytes]) -> None:
        """Plain lines are counted as the grammar counts them."""
        self.assert_agree(lines)

    @given(tracelines.logs(most=1), st.data())
    def test_damaged_lines(self, lines: list[bytes], data: st.DataObject) -> None:
        """Damaged lines are counted as the grammar counts them."""
        (line,) = lines
        begin = data.draw(st.integers(0, len(line)))
        end = data.draw(st.integers(begin, len(line)))
        inserted = data.draw(st.sampled_from([b"", b'"', b"<", b">", b")", b"(", b" = 1", b"/*"]))
        damaged = line[:begin] + inserted + line[end:]
        if detect_format([line, damaged]) is not None:
            self.assert_agree([line, damaged])

    @given(tracelines.logs())
    def test_one_row_for_each_line(self, lines: list[bytes]) -> None:
        """Each line has exactly one row, even if it is empty or not plain."""
        for in_python in (True, False):
            find = finder(lines, in_python=in_python)
            if find is not None:
                chunk = b"\n".join([*lines, b"", b"no call", *lines])

                self.assertEqual(2 * len(lines) + 2, len(find.rows(chunk)))

    def test_plain_lines_are_fast(self) -> None:
        """The most common lines are plain."""
        for line in (
            b"close(3) = 0",
            b'read(3, "a) = 1", 10) = 8 <0.000012>',
            b'openat(AT_FDCWD, "/nope", O_RDONLY) = -1 ENOENT (No such file or directory)',
            b"mmap(NULL, 8192, PROT_READ, MAP_PRIVATE, -1, 0) = 0x7f0c2a9d6000",
            b'read(3</dev/null<char 1:3>>, "", 4096) = 0',
            b"dup(3</etc/passwd>) = 4</etc/passwd>",
            b"close(3)                                = 0",
        ):
            for in_python in (True, False):
                self.assertNotEqual(b"", rows([line], in_python=in_python)[0].name, line)


class DetectionTests(SynchronousTestCase):
    """Detection of the format from the first call."""

    def test_output_before_the_first_call(self) -> None:
        """Lines that are not calls are skipped."""
        form = detect_format(
            [b"", b"Hello.", b"--- SIGCHLD {} ---", b"12:00:00.000001 close(3) = 0"]
        )

        self.assertIsNotNone(form)
        self.assertTrue(form is not None and form.time_of_day)

    def test_no_call(self) -> None:
        """A text without a call has no format."""
        self.assertIsNone(detect_format([b"", b"Hello.", b"1 2 3"]))

    def test_relative_times_are_added_up(self) -> None:
        """With the relative times of `-r`, no line is plain."""
        self.assertIsNone(finder([b"     0.000123 close(3) = 0"]))
