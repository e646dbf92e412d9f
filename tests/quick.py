"""
Run the quick tests: those that start no process and open no socket.

    python -m tests.quick [TEST...]

Other tests are skipped when they try to: the quick tests are a rule, not a list of files.
Packages are left out if nearly all their tests do, or are slow for another reason.
"""

import pkgutil
import sys
from collections.abc import Iterator
from unittest import TestCase

from hypothesis import settings
from twisted.trial.reporter import TreeReporter
from twisted.trial.runner import TestLoader, TrialRunner
from twisted.trial.unittest import SkipTest

import tests

_LEFT_OUT = (
    "tests.browser",
    "tests.fuzz",
    "tests.kernels",
    "tests.system",
    "tests.terminal.ui",  # draws whole screens
    "tests.tracer.contract",
    "tests.tracer.ebpf",
    "tests.tracer.parity",
    "tests.tracer.ptrace",
)
# Audit events of Python.
_REFUSED = {
    **dict.fromkeys(
        ("os.fork", "os.forkpty", "os.posix_spawn", "subprocess.Popen"), "starts a process"
    ),
    **dict.fromkeys(("socket.bind", "socket.connect"), "opens a socket"),
}


class Guard:
    """An audit hook that refuses processes and sockets."""

    def __init__(self) -> None:
        """Refuse nothing yet."""
        self.refused = ""

    def __call__(self, event: str, _: object) -> None:
        """Stop the test that raised a refused event."""
        if event in _REFUSED:
            self.refused = _REFUSED[event]
            raise SkipTest(self.refused)


class QuickReporter(TreeReporter):
    """A reporter that shows tests stopped by the guard as skipped, however they ended."""

    guard = Guard()

    def startTest(self, method: TestCase) -> None:  # noqa: N802
        """Report the beginning of a test."""
        self.guard.refused = ""
        self._is_skipped = False
        super().startTest(method)

    def addSuccess(self, test: TestCase) -> None:  # noqa: N802
        """Report a test that passed."""
        if not self._is_stopped(test):
            super().addSuccess(test)

    def addError(self, test: TestCase, error: object) -> None:  # noqa: N802
        """Report an error."""
        if not self._is_stopped(test):
            super().addError(test, error)

    def addFailure(self, test: TestCase, fail: object) -> None:  # noqa: N802
        """Report a failed assertion."""
        if not self._is_stopped(test):
            super().addFailure(test, fail)

    def addSkip(self, test: TestCase, reason: str) -> None:  # noqa: N802
        """Report a skipped test."""
        self._is_skipped = True
        super().addSkip(test, reason)

    def _is_stopped(self, test: TestCase) -> bool:
        """Return whether the guard stopped a test, and report that once."""
        if self.guard.refused and not self._is_skipped:
            self.addSkip(test, self.guard.refused)
        return bool(self.guard.refused)


def quick_modules() -> Iterator[str]:
    """Yield the names of the modules that hold quick tests."""
    for module in pkgutil.walk_packages(tests.__path__, "tests."):
        is_test = module.name.rpartition(".")[2].startswith("test_")
        if is_test and not module.name.startswith(_LEFT_OUT):
            yield module.name


def main() -> int:
    """Run the named tests, or all quick ones; return the exit status."""
    # Fewer examples than in a complete run, and the same ones each time.
    settings.register_profile("quick", settings.get_profile("few examples"), derandomize=True)
    settings.load_profile("quick")
    suite = TestLoader().loadByNames(sys.argv[1:] or list(quick_modules()), recurse=True)
    sys.addaudithook(QuickReporter.guard)
    return int(not TrialRunner(QuickReporter).run(suite).wasSuccessful())


if __name__ == "__main__":
    sys.exit(main())
