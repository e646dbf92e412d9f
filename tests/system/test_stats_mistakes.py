"""Tests of `syswatch stats` with invalid input."""

import gzip
import os
import socket
import sys
from pathlib import Path

from twisted.trial.unittest import SkipTest

from tests.system.servers import SYSWATCH, TWISTD
from tests.system.stats_case import LINE, LOG, StatsTestCase, stats


class BadInputTests(StatsTestCase):
    """Errors: one clear line and an exit status."""

    def test_files(self) -> None:
        """A file that cannot be opened gives status 2."""
        empty = self.file("empty", b"")
        for path, words in {
            "/nonexistent": "No such file",
            str(self.folder): "directory",
            str(empty): "empty",
        }.items():
            self.assert_refused(2, path, words, command=[*SYSWATCH, "stats", path])

    def test_unreadable(self) -> None:
        """A file without read permission gives status 2."""
        if os.geteuid() == 0:
            raise SkipTest("root may read everything")
        path = self.file("log", LINE)
        path.chmod(0)

        self.assert_refused(2, "Permission denied", command=[*SYSWATCH, "stats", str(path)])

    def test_contents(self) -> None:
        """A file that is empty or truncated gives status 1."""
        binary = Path(sys.executable).resolve()
        table = self.file("table", b"% time     seconds\n------ ---\n100.00  0.1  1  2  total\n")
        for path, words in {
            binary: "no system calls",
            self.file("words", b"Hello, world.\n"): "no system calls",
            table: "only its summary",
            self.file("short.gz", gzip.compress(os.urandom(9000))[:5000]): "too early",
            self.file("cut", b"syswatch recording 1\n\x10\x00\x00"): "recording",
        }.items():
            self.assert_refused(1, words, command=[*SYSWATCH, "stats", str(path)])

    def test_partly_readable(self) -> None:
        """What precedes a truncated end is shown, with status 1."""
        packed = gzip.compress(b"".join(b"close(%d) = 0\n" % (n * n) for n in range(50_000)))
        path = self.file("log.gz", packed[: len(packed) // 2])

        result = stats(path)

        self.assertEqual(1, result.returncode)
        self.assertRegex(result.stdout, r"\d+ calls \(1 distinct\)")
        self.assertRegex(result.stderr, r"\Asyswatch: .*too early\n\Z")

    def test_words(self) -> None:
        """An unknown option or value gives status 2."""
        log = str(LOG)
        for arguments, words in (
            (["frobnicate"], "frobnicate"),
            (["--per-pid"], "command"),
            (["stats"], "FILE"),
            (["stats", "--frobnicate", log], "frobnicate"),
            (["stats", "--format", "xml", log], "xml"),
            (["stats", "--report-top-files", "many", log], "many"),
            (["stats", "--report", "/nonexistent/report.html", log], "/nonexistent"),
            (["stats", "--record", log, log], "directory"),
            (["stats", "--serve", "nowhere", log], "nowhere"),
            (["stats", "--serve", ":99999", log], "99999"),
            (["stats", "--serve", "", log], "address"),
        ):
            self.assert_refused(2, words, command=[*SYSWATCH, *arguments])

    def test_under_twistd(self) -> None:
        """Twistd prints the same, with the same status."""
        twistd = [*TWISTD, "--nodaemon", "--pidfile=", "syswatch"]
        for arguments in (
            ["stats", "/nonexistent"],
            ["frobnicate"],
            ["stats", "--serve", "x", str(LOG)],
        ):
            self.assert_refused(2, command=[*twistd, *arguments])

    def test_port_in_use(self) -> None:
        """A port in use is reported before anything is read."""
        with socket.create_server(("127.0.0.1", 0)) as other:
            address = f":{other.getsockname()[1]}"

            self.assert_refused(
                2,
                "already in use",
                address,
                command=[*SYSWATCH, "stats", "--serve", address, str(LOG)],
            )
