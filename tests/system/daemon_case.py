"""The base class of tests of a twistd daemon."""

import os
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from twisted.trial.unittest import SynchronousTestCase

from tests.system.servers import LOG, TWISTD, Server, free_port, is_running, wait_for
from tests.system.shell import run, shell


class DaemonCase(SynchronousTestCase):
    """twistd in the background."""

    def setUp(self) -> None:
        """Choose the paths of its files."""
        self.pidfile, self.logfile = Path(self.mktemp()), Path(self.mktemp())
        self.port = free_port()
        self.server = Server(cast("Any", None), port=self.port)

    def start(
        self,
        *options: str,
        stdin: int | None = None,
        what: Sequence[str] = ("stats", str(LOG)),
        how: str = "",
    ) -> int:
        """Start a daemon; return its PID."""
        files = [f"--pidfile={self.pidfile.absolute()}", f"--logfile={self.logfile.absolute()}"]
        tail = ["syswatch", "--serve", f":{self.port}", *what]
        result = run([*shell(how), *TWISTD, *files, *options, *tail], stdin=stdin)
        self.assertEqual((0, ""), (result.returncode, result.stderr))
        pid = int(wait_for(lambda: self.pidfile.exists() and self.pidfile.read_text()))
        self.addCleanup(self._kill, pid)
        wait_for(lambda: "serving" in self.logfile.read_text())
        return pid

    def _kill(self, pid: int) -> None:
        if is_running(pid):
            os.kill(pid, signal.SIGKILL)
