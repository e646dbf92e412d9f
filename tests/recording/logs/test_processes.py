"""Tests of what is recorded of the processes of a log."""

from pathlib import Path
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from syswatch.codec.event_frames import Life
from syswatch.tracer.inputs import log_source, parallel

from .reading import sent_of

_S = 1_700_000_000 * 10**9
_LOG = b"""\
7  1700000000.000100 execve("/bin/sh", ["sh", "-c", "ls secret"...], 0x7f) = 0 <0.000100>
7  1700000000.000200 clone(child_stack=NULL, flags=SIGCHLD <unfinished ...>
8  1700000000.000300 execve("/bin/no", ["ls", "secret"], 0x7f) = -1 ENOENT (No such file) <0.000010>
7  1700000000.000400 <... clone resumed>) = 8 <0.000200>
8  1700000000.000500 execve("/bin/ls", ["ls", "secret"], 0x7f /* 3 vars */ <unfinished ...>
7  1700000000.000550 close(3) = 0 <0.000001>
8  1700000000.000600 <... execve resumed>) = 0 <0.000100>
8  1700000000.000700 exit_group(0) = ?
8  1700000000.000800 +++ exited with 2 +++
7  1700000000.000900 vfork() = 8 <0.000100>
8  1700000000.001100 kill(8, SIGKILL) = 0 <0.000010>
8  1700000000.001200 +++ killed by SIGKILL +++
9  1700000000.001300 close(3) = 0 <0.000010>
"""


class ProcessTests(SynchronousTestCase):
    """Processes."""

    def lives_of(self, workers: int = 1, **options: Any) -> list[Life]:
        """Return what is recorded of the processes of the log."""
        path = Path(self.mktemp())
        path.write_bytes(_LOG)
        _, items = sent_of([path], workers, **options)
        return [each for item in items if isinstance(item, list) for each in item]

    def assert_all(self, lives: list[Life]) -> None:
        """Compare everything that is in the log."""
        self.assertEqual(
            [
                Life(8, _S + 400_000, 7, "ls", "ls secret", _S + 800_000, 2, None),
                Life(8, _S + 1_000_000, 7, "sh", "sh -c ls secret...", _S + 1_200_000, None, 9),
                Life(7, None, 0, "sh", "sh -c ls secret..."),
                Life(9, None, 0, "", ""),
            ],
            lives,
        )

    def test_lives(self) -> None:
        """Processes have a parent, a start, a command and an end, also if a PID is reused."""
        self.assert_all(self.lives_of())

    def test_parts(self) -> None:
        """It does not matter where the log is cut."""
        self.patch(log_source, "LEAST_PARALLEL_BYTES", 1)
        for size in range(50, len(_LOG), 90):
            self.patch(parallel, "RANGE_BYTES", size)
            self.assert_all(self.lives_of(workers=2))

    def test_filters(self) -> None:
        """Processes are known although their calls are not recorded, and secrets are masked."""
        lives = self.lives_of(trace="close", redact=("secret",))
        self.assertEqual([8, 8, 7, 9], [life.pid for life in lives])
        self.assertNotIn("secret", str(lives))
        hidden = self.lives_of(read_arguments=False)
        self.assertEqual({""}, {life.command_line for life in hidden})
