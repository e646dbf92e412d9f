"""Tests of parsed calls: joining two halves, and the path that a call opens."""

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.tracer.stracelog.grammar import (
    LoggedCall,
    ResumedCall,
    UnfinishedCall,
    join,
    opened_path,
    parse_line,
)
from tests import tracelines


class JoinTests(SynchronousTestCase):
    """Joining two halves."""

    def test_join(self) -> None:
        """The call has the arguments of both halves, and the time and result of the second."""
        first = parse_line(b"41 09:00:00 read(3,  <unfinished ...>")
        second = parse_line(b'41 09:00:09 <... read resumed>"hello", 512) = 5 <0.003127>')

        self.assertIsInstance(first, UnfinishedCall)
        self.assertIsInstance(second, ResumedCall)
        if isinstance(first, UnfinishedCall) and isinstance(second, ResumedCall):
            self.assertEqual(
                LoggedCall(
                    41, b"09:00:09", "read", b'3, "hello", 512', b"5", "", 3_127_000, returned=True
                ),
                join(first, second),
            )

    @given(tracelines.heads, tracelines.results, st.data())
    def test_cut_anywhere(self, head: bytes, result: bytes, data: st.DataObject) -> None:
        """A call that is cut within its arguments is the same after joining."""
        name, _, args = head.partition(b"(")
        cut = data.draw(st.integers(0, len(args)))
        first = UnfinishedCall(7, b"", name.decode(), args[:cut])
        second = ResumedCall(7, b"", name.decode(), args[cut:] + b") = " + result)

        self.assertEqual(parse_line(b"7 " + head + b") = " + result), join(first, second))

    def test_second_half_only(self) -> None:
        """If the log begins between the halves, the result is still known."""
        joined = join(None, ResumedCall(41, b"", "wait4", b") = 42"))

        self.assertTrue(joined is not None and joined.ret == b"42")


class OpenedPathTests(SynchronousTestCase):
    """The path that a call opens."""

    def test_paths(self) -> None:
        """The path is the first string of open and creat, and the second argument of openat."""
        for line, expected in {
            b'open("/a", O_RDONLY) = 3': b'"/a"',
            b'creat("/a", 0644) = 3': b'"/a"',
            b'openat(AT_FDCWD, "a\\"b", O_RDONLY) = 3': b'"a\\"b"',
            b'openat(AT_FDCWD</tmp>, "a", O_RDONLY) = 3': b'"a"',
            b'openat(3</tmp/x>, "a"..., O_RDONLY) = 3': b'"a"...',
            b'openat2(-100, "a", {flags=0}, 24) = 3': b'"a"',
            b"openat(AT_FDCWD, 0x7ffe, O_RDONLY) = -1 EFAULT (Bad address)": b"",
            b'stat("/a", {}) = 0': b"",
            b'execve("/a", [], []) = 0': b"",
        }.items():
            parsed = parse_line(line)
            self.assertTrue(
                isinstance(parsed, LoggedCall) and opened_path(parsed) == expected, line
            )
