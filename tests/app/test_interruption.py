"""Tests of ending on signals."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from tests.system.servers import PATIENCE_S, ROOT

_PROGRAM = """
import os, signal, sys, time
from pathlib import Path
from syswatch.app.interruption import end_on_signals, note_unfinished

class Unremovable:
    is_dir = staticmethod(lambda: False)

    def unlink(self):
        raise PermissionError

end_on_signals()
note_unfinished(Unremovable())
note_unfinished(Path(sys.argv[1]))
os.kill(os.getpid(), signal.SIGTERM)
time.sleep(60)
"""


class EndTests(SynchronousTestCase):
    """A process with unfinished files."""

    def test_unremovable(self) -> None:
        """What cannot be removed is left there, and the process ends by the signal."""
        file = Path(self.mktemp())
        file.touch()
        ended = subprocess.run(
            [sys.executable, "-c", _PROGRAM, str(file)],
            env={"PYTHONPATH": str(ROOT), **os.environ},
            timeout=PATIENCE_S,
            check=False,
        )
        self.assertEqual(-signal.SIGTERM, ended.returncode)
        self.assertFalse(file.exists())
