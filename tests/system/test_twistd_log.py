"""Tests of the log file of a daemon."""

import os
import signal
from pathlib import Path

from tests.system.daemon_case import DaemonCase
from tests.system.servers import LOG, PATIENCE_S, TWISTD, is_running, wait_for
from tests.system.shell import run


class LogTests(DaemonCase):
    """Log rotation and errors."""

    def test_log_moved(self) -> None:
        """SIGHUP reopens the log file after it was moved."""
        pid = self.start()
        mode = self.logfile.stat().st_mode
        moved = Path(f"{self.logfile}.1")
        with self.server.stream() as client:
            for _ in range(3):
                self.logfile.rename(moved)
                os.kill(pid, signal.SIGHUP)
                wait_for(lambda: self.logfile.exists() and "reopened" in self.logfile.read_text())
                self.assertEqual((200, b"ok"), self.server.ask("/healthz"))
                # The new file has the permissions of the old one.
                self.assertEqual(mode, self.logfile.stat().st_mode)
            client.recv(PATIENCE_S)
        os.kill(pid, signal.SIGTERM)
        wait_for(lambda: not is_running(pid))

        self.assertIn("Server Shut Down", self.logfile.read_text())
        self.assertNotIn("Server Shut Down", moved.read_text())

    def test_log_cannot_be_reopened(self) -> None:
        """If no new file can be created, the log continues in the old one with a message."""
        pid = self.start()
        moved = Path(self.mktemp()).absolute()
        self.logfile.rename(moved)
        self.logfile.mkdir()
        os.kill(pid, signal.SIGHUP)

        wait_for(lambda: "cannot reopen the log file" in moved.read_text())
        self.assertEqual((200, b"ok"), self.server.ask("/healthz"))
        os.kill(pid, signal.SIGTERM)
        wait_for(lambda: not is_running(pid))
        self.assertNotIn("Traceback", moved.read_text())

    def test_log_elsewhere(self) -> None:
        """Without a log file, SIGHUP is ignored."""
        files = [f"--pidfile={self.pidfile.absolute()}", "--logger=syswatch.app.logs.json_lines"]
        tail = ["syswatch", "--serve", f":{self.port}", "stats", str(LOG)]
        result = run([*TWISTD, *files, *tail])
        self.assertEqual(0, result.returncode, result.stderr)
        pid = int(self.pidfile.read_text())
        self.addCleanup(self._kill, pid)
        wait_for(lambda: self.server.ask("/readyz")[0] == 200)

        os.kill(pid, signal.SIGHUP)

        self.assertEqual((200, b"ok"), self.server.ask("/healthz"))

    def test_log_rotated(self) -> None:
        """SIGUSR1 rotates the log, as with any twistd daemon."""
        pid = self.start()
        os.kill(pid, signal.SIGUSR1)

        wait_for(Path(f"{self.logfile}.1").exists)
        self.assertEqual((200, b"ok"), self.server.ask("/healthz"))

    def test_no_log(self) -> None:
        """A log file that cannot be written is one sentence, and nothing is started."""
        for name, reason in (
            ("/nonexistent/x.log", "No such file or directory"),
            ("/", "Is a directory"),
            (f"{LOG}/x", "Not a directory"),
        ):
            for mode in ((), ("-n",)):
                command = [*TWISTD, *mode, "--pidfile=", f"--logfile={name}", "syswatch"]
                result = run([*command, "stats", "--serve", ":0", str(LOG)])
                self.assertEqual(2, result.returncode, result.stderr)
                self.assertEqual(f"syswatch: --logfile: {name}: {reason}\n", result.stderr)
