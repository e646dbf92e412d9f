"""Tests of lines in the form of strace."""

from twisted.trial.unittest import SynchronousTestCase

from syswatch.recording.lines.strace_text import (
    call_line,
    ending_line,
    failure,
    loss_line,
    mode_line,
    unfinished_line,
)

_START = 1795391714392864123


class LineTests(SynchronousTestCase):
    """The expected lines are those of strace 6.1, with durations in nanoseconds."""

    def test_alignment(self) -> None:
        """Results are aligned, unless the arguments are long."""
        self.assertEqual(
            "24917 1795391714.392864 close(3)        = 0 <0.000066001>",
            call_line(24917, _START, "close", "3", "0", 66001),
        )
        self.assertEqual(
            "7     1795391714.392864 mmap(NULL, 1406, PROT_READ, MAP_PRIVATE, 3, 0)"
            " = 0x7fc71758a000 <12.000000001>",
            call_line(
                *(7, _START, "mmap", "NULL, 1406, PROT_READ, MAP_PRIVATE, 3, 0"),
                *("0x7fc71758a000", 12_000_000_001),
            ),
        )

    def test_failures(self) -> None:
        """Errors have a message; some are not seen by the program."""
        for result, text in {
            -2: "-1 ENOENT (No such file or directory)",
            -512: "? ERESTARTSYS (To be restarted if SA_RESTART is set)",
            -514: "? ERESTARTNOHAND (To be restarted if no handler)",
            -4000: "-1 (errno 4000)",
        }.items():
            self.assertEqual(text, failure(result))

    def test_unfinished(self) -> None:
        """Exits have no result; other calls end with a remark."""
        self.assertEqual(
            "24917 1795391714.392864 exit_group(0)   = ?",
            unfinished_line(24917, _START, "exit_group", "0"),
        )
        self.assertEqual(
            "24917 1795391714.392864 rt_sigsuspend([], 8 <unfinished ...>",
            unfinished_line(24917, _START, "rt_sigsuspend", "[], 8"),
        )

    def test_endings(self) -> None:
        """A process exits or is killed."""
        for code, number, text in (
            (0, None, "exited with 0"),
            (3, None, "exited with 3"),
            (None, 9, "killed by SIGKILL"),
            (None, 34, "killed by SIGRT_2"),
        ):
            self.assertEqual(
                f"12    1795391714.392864 +++ {text} +++", ending_line(12, _START, code, number)
            )

    def test_losses(self) -> None:
        """A line says how many calls are missing."""
        self.assertEqual(
            "0     1795391714.392864 --- 17 calls missing ---", loss_line(0, _START, 17)
        )

    def test_modes(self) -> None:
        """A line announces calls of another architecture."""
        self.assertEqual(
            "12    1795391714.392864 [ Process PID=12 runs in 32 bit mode. ]",
            mode_line(12, _START, "i386"),
        )
