"""Limits for system calls, with unittest or trial: run `python -m unittest test_with_unittest`."""

import sys
import tempfile
import unittest
from pathlib import Path

from orders import load, total

from syswatch import watching


class OrdersTests(unittest.TestCase):
    """Blocks of a test, and commands."""

    def setUp(self):
        """Write a file with three orders."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "orders.json"
        self.file.write_text("[1, 2, 39]")

    def test_load(self):
        """The file is opened once."""
        with watching.watch() as seen:
            load(self.file)
        self.assertEqual(1, seen.paths[str(self.file)])
        self.assertNotIn("%net", seen.calls)
        # What was exceeded, in sentences.
        self.assertEqual((), seen.exceeded(max={"openat": 1}, max_errors={"ENOENT": 0}))

    def test_cache(self):
        """With the file in the cache, the calls are the same each time."""
        load(self.file)
        with watching.watch() as before:
            total(self.file)
        with watching.watch() as after:
            total(self.file)
        self.assertEqual([], [each.text for each in after.diff(before).findings])

    def test_command(self):
        """A command, with the arguments of `subprocess.run`."""
        done = watching.run([sys.executable, "-c", "print(42)"], capture_output=True, text=True)
        self.assertEqual((0, "42\n"), (done.returncode, done.stdout))
        self.assertEqual(1, done.calls["execve"])


if __name__ == "__main__":
    unittest.main()
