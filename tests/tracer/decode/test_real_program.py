"""Tests that a real program, traced by a minimal tracer, gives the log that strace writes."""

import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from twisted.trial.unittest import TestCase

from syswatch.model.messages import TraceOptions

from .injected_calls import skip_if_impossible
from .stepper import trace

_PROGRAM = Path(__file__).with_name("real_program.py")
# Calls whose arguments always differ, or that only one of the two prints.
_NOT_COMPARED = ("exit_group(", "getrandom(", "personality(", "rt_sigreturn(", "times(")
# Addresses, PIDs and times differ from run to run.
_CHANGING = re.compile(r"0x[0-9a-f]{6,}|\b\d{2,}\b")


class RealProgramTests(TestCase):
    """The formatter at the entry and at the exit of every call."""

    def setUp(self) -> None:
        """Skip if a tool is missing or the architecture differs."""
        skip_if_impossible("strace", "setarch")

    def test_same_lines(self) -> None:
        """The formatter prints the same lines as strace."""
        self.compare(TraceOptions(), ())

    def test_same_descriptors(self) -> None:
        """The formatter prints the same paths of descriptors as `strace -y`."""
        self.compare(TraceOptions(descriptor_paths=True), ("-y",))

    def compare(self, options: TraceOptions, strace_options: Sequence[str]) -> None:
        """Trace the program with both and compare the lines."""
        folder = Path(self.mktemp()).resolve()
        command = self.command(folder)
        folder.mkdir()
        ours = list(map(comparable, trace(command, options)))
        shutil.rmtree(folder)
        folder.mkdir()
        log = Path(self.mktemp())
        subprocess.run(["strace", "-o", log, *strace_options, *command], check=True)
        theirs = list(map(comparable, log.read_text().splitlines()))
        self.assertEqual(list(filter(None, theirs)), list(filter(None, ours)))

    def command(self, folder: Path) -> list[str]:
        """Return the command, without address space randomization."""
        setarch = shutil.which("setarch") or ""
        python = [sys.executable, "-I", "-S", "-B", str(_PROGRAM)]
        return [setarch, "-R", *python, str(folder)]


def comparable(line: str) -> str:
    """Return the part of a line that must be equal; empty if the line may differ."""
    if line.startswith(("+++", "---", *_NOT_COMPARED)):
        return ""
    # The position of the cut depends on the number of digits of a PID.
    line = re.sub(r'"(\d+ \([^)]*\) R )[\d -]*"\.\.\.', r'"\1"...', line)
    line = re.sub(r"(= (?:-1|\?)) E[A-Z0-9]+ \(.*\)$", r"\1", line)
    return re.sub(r"\) +=", ") =", _CHANGING.sub("N", line))
