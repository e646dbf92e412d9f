"""Tests that nearly all lines of real programs are those of strace."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from unittest import SkipTest

from twisted.trial.unittest import SynchronousTestCase

from tests.tracer.ebpf.case import require_ebpf
from tests.tracer.strace import require_tracing

from .accepted import ACCEPTED
from .measuring import Bench, Measured
from .programs import programs

# The texts follow this version of strace; others know more or fewer names.
_STRACE = "6.1"
# The percentage of lines that must be equal.
_GOALS = {"ptrace": 99.5, "ebpf": 99.5}
# The percentage of calls that may be made in one of two runs only: with a slower tracer, a program
# may have to wait more often.
_OTHER_COURSES = 2


def _strace_version() -> str:
    said = subprocess.run(["strace", "--version"], capture_output=True, text=True, check=True)
    match = re.search(r"version (\d+\.\d+)", said.stdout)
    return match[1] if match else ""


def _require_fixed_addresses() -> None:
    if subprocess.run(["setarch", "-R", "true"], capture_output=True, check=False).returncode:
        raise SkipTest("setarch cannot keep addresses the same here")


class ParityTests(SynchronousTestCase):
    """The same programs under strace and under each backend."""

    def measured(self, backend: str, require: Callable[[], None]) -> Measured:
        """Run all programs, and print the results."""
        require_tracing()
        require()
        _require_fixed_addresses()
        if os.uname().machine != "x86_64":
            raise SkipTest("the differences that are accepted are those of x86_64")
        base = Path(self.mktemp()).resolve()
        bench = Bench(base / "folder", base / "logs")
        bench.logs.mkdir(parents=True)
        measured = Measured(backend, ACCEPTED[backend])
        for name, program in programs().items():
            bench.measure(measured, name, program)
        sys.stdout.write("\n".join(["", *measured.report(), ""]))
        return measured

    def assert_alike(self, measured: Measured) -> None:
        """Compare with the goal and with the accepted differences."""
        self.assertLessEqual(_GOALS[measured.backend], measured.share)
        self.assertLessEqual(measured.courses.total(), measured.lines * _OTHER_COURSES / 100)
        if _strace_version() != _STRACE:
            sys.stdout.write(f"this is not strace {_STRACE}: single differences are not judged\n")
            return
        self.assertEqual([], measured.new, "mend it, or say in accepted.py why it stays")
        self.assertEqual([], measured.stale, "mended: take it out of accepted.py")

    def test_ptrace(self) -> None:
        """With ptrace."""
        self.assert_alike(self.measured("ptrace", require_tracing))

    def test_ebpf(self) -> None:
        """With eBPF, which reads memory in the kernel."""
        self.assert_alike(self.measured("ebpf", require_ebpf))
