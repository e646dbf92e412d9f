"""Tests of the examples for users of pytest and of unittest: they run as they are."""

import os
import subprocess
import sys
from pathlib import Path

from twisted.trial.unittest import TestCase

from tests.system.servers import PATIENCE_S, ROOT
from tests.tracer.strace import require_tracing

_FOLDER = ROOT / "examples" / "testing"
_PYTEST = ("pytest", "-q", "-p", "syswatch.pytest_plugin", "-p", "no:cacheprovider", "--rootdir=.")


class ExampleTests(TestCase):
    """The files in examples/testing."""

    def setUp(self) -> None:
        """Skip the test if nothing can be traced."""
        require_tracing()

    def run_module(self, *words: str) -> str:
        """Run a module in the directory of the examples, where it writes nothing."""
        done = subprocess.run(
            [sys.executable, "-m", *words],
            cwd=_FOLDER,
            env={
                **os.environ,
                "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
                "PYTHONDONTWRITEBYTECODE": "1",
                "PYTHONPATH": os.pathsep.join((str(ROOT), os.environ.get("PYTHONPATH", ""))),
            },
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def test_pytest(self) -> None:
        """The tests for pytest pass."""
        base = Path(self.mktemp()).absolute()
        told = self.run_module(*_PYTEST, f"--basetemp={base}", "test_with_pytest.py")
        self.assertIn("4 passed", told)

    def test_unittest(self) -> None:
        """The tests for unittest pass."""
        self.assertIn("Ran 3 tests", self.run_module("unittest", "test_with_unittest"))
