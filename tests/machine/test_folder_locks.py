"""Tests for syswatch.machine.folder_locks."""

import subprocess
import sys
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from syswatch.machine.folder_locks import FolderLock, is_locked

_HOLD = """
import sys
from pathlib import Path
from syswatch.machine.folder_locks import FolderLock

FolderLock(Path(sys.argv[1])).hold()
print("held", flush=True)
sys.stdin.read()
"""


class FolderLockTests(SynchronousTestCase):
    """Locks of this process, and of others."""

    def setUp(self) -> None:
        """Make a directory."""
        self.folder = Path(self.mktemp())
        self.folder.mkdir()

    def test_held(self) -> None:
        """A directory is locked until the last lock is released."""
        first, second = FolderLock(self.folder), FolderLock(self.folder)
        self.assertFalse(is_locked(self.folder))
        first.hold()
        second.hold()
        self.assertTrue(is_locked(self.folder))
        self.assertTrue(is_locked(self.folder))
        first.release()
        first.release()
        self.assertTrue(is_locked(self.folder))
        second.release()
        self.assertFalse(is_locked(self.folder))

    def test_killed(self) -> None:
        """The lock of a process ends with it, even if it is killed."""
        with subprocess.Popen(
            [sys.executable, "-c", _HOLD, str(self.folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        ) as process:
            assert process.stdout is not None
            self.assertEqual(b"held\n", process.stdout.readline())
            self.assertTrue(is_locked(self.folder))
            process.kill()
            process.wait()
            self.assertFalse(is_locked(self.folder))

    def test_no_directory(self) -> None:
        """Locking does nothing if the path does not exist or is not a directory."""
        file = self.folder / "file"
        file.touch()
        for path in (file, self.folder / "nothing"):
            lock = FolderLock(path)
            lock.hold()
            self.assertFalse(is_locked(path))
            lock.release()
