"""Tests of the logs of `strace -ff`, which writes one for each process."""

import gzip
import os
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from syswatch.tracer.inputs.separate_logs import end_of_trace, pid_of
from tests.reading import read_logs, total

_S = 10**9
_BUSY = b"%s getpid() = 7 <0.000010>\n"


class SeparateLogTests(SynchronousTestCase):
    """Logs with a PID as their suffix."""

    def setUp(self) -> None:
        """Choose a directory."""
        self.folder = Path(self.mktemp())
        self.folder.mkdir()

    def write(self, name: str, content: bytes) -> str:
        """Write a log; return its path."""
        path = self.folder / name
        path.write_bytes(content)
        return str(path)

    def test_pid(self) -> None:
        """A log may be compressed; a longer number is no PID."""
        names = ("log.12", "log.12.gz", "log.12.zst", "log", "log.123456789", "log.12.txt")
        self.assertEqual([12, 12, 12, 0, 0, 0], list(map(pid_of, names)))

    def test_end(self) -> None:
        """It is that of the latest log of the same trace."""
        hanging = self.write("log.7", b"1700000000.5 read(3, ")
        names = [
            hanging,
            self.write("log.8", _BUSY % b"1700000004.500000" + b"+++ exited with 0 +++\n"),
            self.write("log.9", _BUSY % b"1700000003.000000"),
            self.write("other.8", _BUSY % b"1700000009.000000"),
            self.write("log.8.txt", _BUSY % b"1700000009.000000"),
            self.write("log.10.gz", gzip.compress(_BUSY % b"1700000009.000000")),
            str(self.folder / "log.99"),
        ]
        self.assertEqual(1_700_000_004_500_000_000, end_of_trace(hanging, names))
        self.assertEqual(0, end_of_trace("log", names))

    def test_times_of_day(self) -> None:
        """The date is that on which each log was written."""
        names = [self.write(f"log.{pid}", _BUSY % b"11:59:59.000000") for pid in (7, 8)]
        for days, name in enumerate(names):
            at = Path(name).stat().st_mtime // 86_400 * 86_400 + days * 86_400 + 43_200
            os.utime(name, (at, at))
        first, last = (end_of_trace(name, [name]) for name in names)
        self.assertEqual((86_400 * _S, last), (last - first, end_of_trace(names[0], names)))

    def test_relative_times(self) -> None:
        """Nothing is known of the end of logs with relative times."""
        name = self.write("log.7", _BUSY % b"0.000100")
        self.assertEqual(0, end_of_trace(name, [name]))

    def test_hanging(self) -> None:
        """A process that hangs does so until the end of the trace, even if nothing returned."""
        names = [
            self.write("log.7", b"1700000000.500000 futex(0x7f00, FUTEX_WAIT_PRIVATE, 2, NULL"),
            self.write("log.8", _BUSY % b"1700000000.500000" + _BUSY % b"1700000004.500000"),
        ]
        for files in (names, names[::-1]):
            delta = total(read_logs(files))
            times = delta.threads[7].times
            self.assertEqual((4 * _S, 0), (times.wall_ns, times.user_ns))
            self.assertEqual((0, ["getpid"]), (delta.ledger.unparsed_lines, list(delta.calls)))
