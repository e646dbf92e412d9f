"""Programs that watch themselves, run as processes of their own."""

import json
import subprocess
import sys
from collections.abc import Sequence
from typing import Any, ClassVar

from twisted.trial.unittest import SkipTest, TestCase

from syswatch.tracer.naming import machine
from syswatch.watching.marks import NUMBERS
from tests.system.servers import PATIENCE_S

# `call` makes one system call that nothing else makes, without releasing the interpreter lock;
# `tell` prints a result.
_PREAMBLE = """
import ctypes, json, os, signal, socket, subprocess, sys, threading, time
from syswatch import watching
backend = sys.argv[1]
number = {number}
libc = ctypes.PyDLL(None)
def call(times=1):
    for _ in range(times):
        libc.syscall(number)
def watch(**options):
    return watching.watch(backend=backend, **options)
def tell(**facts):
    print(json.dumps(facts), flush=True)
"""
_GETPPID = {"x86_64": 110, "aarch64": 173}


class ScriptCase(TestCase):
    """Runs scripts with one backend, named by the subclass."""

    backend: ClassVar[str]

    @staticmethod
    def require() -> None:
        """Skip the test if the backend is not usable."""
        raise NotImplementedError

    def setUp(self) -> None:
        """Check that the backend is usable."""
        if machine() not in NUMBERS:
            raise SkipTest(f"blocks cannot be watched on {machine()}")
        self.require()

    def tell(self, script: str, *words: str, before: Sequence[str] = ()) -> dict[str, Any]:
        """Run a script; return what it has told."""
        done = self.run_script(script, *words, before=before)
        self.assertEqual(0, done.returncode, done.stderr)
        told: dict[str, Any] = {}
        for line in done.stdout.splitlines():
            told |= json.loads(line)
        return told

    def run_script(
        self, script: str, *words: str, before: Sequence[str] = ()
    ) -> "subprocess.CompletedProcess[str]":
        """Run a script to its end."""
        return subprocess.run(
            [*before, *self.command(script), *words],
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )

    def command(self, script: str) -> list[str]:
        """Return the command that runs a script."""
        text = _PREAMBLE.format(number=_GETPPID[machine()]) + script
        return [sys.executable, "-c", text, self.backend]
