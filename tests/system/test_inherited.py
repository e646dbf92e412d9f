"""A command under syswatch inherits what it would inherit from the shell itself."""

import json
import sys
from pathlib import Path
from typing import Any

from twisted.trial.unittest import SynchronousTestCase

from tests.system.servers import SYSWATCH
from tests.system.shell import run
from tests.tracer.ebpf.case import require_ebpf
from tests.tracer.strace import require_tracing

_ASK = (sys.executable, str(Path(__file__).with_name("inherited.py")))
# What nohup, a shell in the background, `<(...)`, ulimit and a careful parent leave behind.
_SHELL = """
import os, resource, signal, sys
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGUSR1, signal.SIGCHLD, signal.SIGRTMIN + 3):
    signal.signal(number, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGUSR2, signal.SIGWINCH))
resource.setrlimit(resource.RLIMIT_NOFILE, (512, 600))
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
os.umask(0o027)
os.chdir("/usr")
os.nice(3)
for number in (3, 4, 7, 63):
    os.dup2(os.open("/etc/passwd", os.O_RDONLY), number)
os.environ.clear()
os.environ.update(HUE="red", PATH="/usr/bin:/bin", PYTHONPATH=sys.argv.pop(1))
os.execv(sys.argv[1], sys.argv[1:])
"""


class InheritanceTests(SynchronousTestCase):
    """With each backend."""

    def inherited(self, *prefix: str) -> dict[str, Any]:
        """Return what a program finds when it is started behind a prefix."""
        here = str(Path(__file__).parents[2])
        said = run([sys.executable, "-c", _SHELL, here, *prefix, *_ASK]).stderr
        found: dict[str, Any] = json.loads(said.splitlines()[-1])
        return found

    def assert_same(self, backend: str) -> None:
        """Compare a program with itself under a backend."""
        options = ("run", "--backend", backend, "--summary", "--output", "/dev/null", "--")
        alone, watched = self.inherited(), self.inherited(*SYSWATCH, *options)
        for what, expected in alone.items():
            self.assertEqual(expected, watched[what], what)

    def test_environment(self) -> None:
        """A poor environment is not enriched, whatever Python thinks of its locale."""
        require_tracing()
        here = str(Path(__file__).parents[2])
        poor = ("env", "-i", f"PYTHONPATH={here}", "PATH=/usr/bin:/bin")
        watched = run([*poor, *SYSWATCH, "run", "--backend", "ptrace", "--", "env"])
        self.assertEqual(run([*poor, "env"]).stdout, watched.stdout)

    def test_ptrace(self) -> None:
        """Signals, descriptors, limits, folder, rights and all the rest are the same."""
        require_tracing()
        self.assert_same("ptrace")

    def test_ebpf(self) -> None:
        """So they are with the other backend."""
        require_ebpf()
        self.assert_same("ebpf")
