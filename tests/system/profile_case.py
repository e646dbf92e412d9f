"""A test case that runs `syswatch profile` as users type it."""

import os
import subprocess
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from tests.system.servers import PATIENCE_S, ROOT, SYSWATCH


class ProfileCase(SynchronousTestCase):
    """Commands in a directory of their own."""

    def setUp(self) -> None:
        """Make the directory."""
        super().setUp()
        self.folder = Path(self.mktemp()).absolute()
        self.folder.mkdir()

    def profile(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run `syswatch profile`."""
        return self.syswatch("profile", *words)

    def record(self, *command: str) -> None:
        """Record every call of a command as `app.rec`."""
        options = ("--backend", "ptrace", "--record", "app.rec")
        self.syswatch("run", *options, "--", *command).check_returncode()

    def syswatch(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run any command."""
        return subprocess.run(
            [*SYSWATCH, *words],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
