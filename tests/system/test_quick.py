"""Tests of the runner for quick tests."""

import subprocess
import sys
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

_ROOT = Path(__file__).resolve().parents[2]
_SAMPLE = """
import os, socket, subprocess
from twisted.trial.unittest import TestCase

class SampleTests(TestCase):
    def test_nothing(self): pass
    def test_process(self): subprocess.run(["touch", "started"])
    def test_hidden(self):
        try:
            os.fork()
        except Exception:
            pass
    def test_mistaken(self): self.assertRaises(OSError, os.fork)
    def test_socket(self): socket.socket().bind(("127.0.0.1", 0))
    def test_wrong(self): self.fail("wrong")
"""


class QuickTests(SynchronousTestCase):
    """The quick tests of a module."""

    def setUp(self) -> None:
        """Write a module of tests."""
        self.folder = Path(self.mktemp()).absolute()
        self.folder.mkdir()
        (self.folder / "sample.py").write_text(_SAMPLE)

    def run_quick(self, *names: str) -> subprocess.CompletedProcess[str]:
        """Run quick tests."""
        command = [sys.executable, "-m", "tests.quick", *(f"sample.{name}" for name in names)]
        paths = f"{self.folder}:{_ROOT}"
        environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": paths}
        return subprocess.run(
            command, capture_output=True, text=True, check=False, cwd=self.folder, env=environment
        )

    def test_refused(self) -> None:
        """Tests that start a process or open a socket are skipped with the reason."""
        names = ("nothing", "process", "hidden", "mistaken", "socket")
        result = self.run_quick(*(f"SampleTests.test_{name}" for name in names))
        self.assertEqual(0, result.returncode, result.stdout + result.stderr)
        self.assertIn("PASSED (skips=4, successes=1)", result.stdout)
        for reason in ("starts a process", "opens a socket"):
            self.assertIn(f"[SKIPPED]\n{reason}\n", result.stdout)
        self.assertFalse((self.folder / "_trial_temp" / "started").exists())

    def test_failure(self) -> None:
        """Any other failure counts."""
        result = self.run_quick("SampleTests.test_wrong")
        self.assertEqual(1, result.returncode, result.stdout)
        self.assertIn("FAILED (failures=1)", result.stdout)
