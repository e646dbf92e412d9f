"""Tests of finding the program of a log."""

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.process import ProcessInfo
from syswatch.tracer.stracelog.traced_program import traced_program


class TracedProgramTests(SynchronousTestCase):
    """The program of a log."""

    def test_first_program(self) -> None:
        """The first successful execve has the program and its arguments."""
        lines = [
            b'41 execve("/usr/local/bin/ls", ["ls", "-l"], 0x7ff /* 3 vars */) = -1 ENOENT (No)',
            b'41 execve("/usr/bin/ls", ["ls", "-l", "a b"], 0x7ff /* 3 vars */) = 0 <0.000136>',
            b'42 execve("/usr/bin/cat", ["cat"], 0x7ff /* 3 vars */) = 0',
        ]

        self.assertEqual(
            ProcessInfo(pid=41, comm="ls", cmdline="ls -l a b", exe="/usr/bin/ls"),
            traced_program(lines, 0),
        )

    def test_cut_arguments(self) -> None:
        """Arguments that strace has cut or omitted are shown with an ellipsis."""
        line = b'execve("/bin/sh", ["sh", "-c", "very lon"..., ...], 0x7ff /* 3 vars */) = 0'

        self.assertEqual(
            ProcessInfo(pid=9, comm="sh", cmdline="sh -c very lon... ...", exe="/bin/sh"),
            traced_program([line], 9),
        )

    def test_brackets(self) -> None:
        """Brackets and quotes within an argument do not end it."""
        line = rb'execve("/bin/sh", ["sh", "-c", "a=([0], \"[1]\")], b"], 0x7ff /* 3 vars */) = 0'

        self.assertEqual('sh -c a=([0], "[1]")], b', traced_program([line], 9).cmdline)

    def test_long(self) -> None:
        """A long command line is cut, as that of a traced program is."""
        line = b'execve("/bin/echo", ["echo", "%s"], 0x7ff) = 0' % (b"x" * 100_000)

        cmdline = traced_program([line], 9).cmdline

        self.assertEqual((4096 + 3, "xxx..."), (len(cmdline), cmdline[-6:]))

    def test_attached(self) -> None:
        """In a log of `strace -p`, only the PID in the file name is known."""
        self.assertEqual(ProcessInfo(pid=9), traced_program([b"9 close(3) = 0"], 9))

    def test_escapes(self) -> None:
        """Names are decoded unless the result would not be printable."""
        found = traced_program([b'execve("/bin/\\33[2Jx", ["\\303\\244"], 0x7ff) = 0'], 0)

        self.assertEqual(("/bin/\\x1b[2Jx", "ä"), (found.exe, found.cmdline))
