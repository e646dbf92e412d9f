"""A real program, traced by strace and by the smallest tracer there can be."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from twisted.trial.unittest import SkipTest, TestCase

from syswatch.model.messages import TraceOptions

from .stepper import trace

_PROGRAM = Path(__file__).with_name("real_program.py")
# Calls whose arguments are never the same twice, or that one of the two does not print.
_NOT_COMPARED = ("exit_group(", "getrandom(", "personality(", "rt_sigreturn(", "times(")
# Addresses, process ids and times differ from run to run; what they are called does not.
_CHANGING = re.compile(r"0x[0-9a-f]{6,}|\b\d{2,}\b")


class LivingTests(TestCase):
    """The formatter at work at the entry and at the exit of every call."""

    def setUp(self) -> None:
        """Skip where nothing can be traced."""
        for tool in ("strace", "setarch"):
            if shutil.which(tool) is None:
                raise SkipTest(f"{tool} is not installed")
        if os.uname().machine != "x86_64":
            raise SkipTest("the stepper is written for x86_64")

    def test_same_lines(self) -> None:
        """We print what strace prints."""
        self.compare(TraceOptions(), ())

    def test_same_descriptors(self) -> None:
        """We print the paths of descriptors as strace does."""
        self.compare(TraceOptions(descriptor_paths=True), ("-y",))

    def compare(self, options: TraceOptions, strace_options: Sequence[str]) -> None:
        """Run the program twice and compare line by line."""
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
        """Return the command, whose memory does not move."""
        setarch = shutil.which("setarch") or ""
        python = [sys.executable, "-I", "-S", "-B", str(_PROGRAM)]
        return [setarch, "-R", *python, str(folder)]


def comparable(line: str) -> str:
    """Return what must be the same; nothing for a line that need not be."""
    if line.startswith(("+++", "---", *_NOT_COMPARED)):
        return ""
    # Where a string is cut depends on how many digits a pid has.
    line = re.sub(r'"(\d+ \([^)]*\) R )[\d -]*"\.\.\.', r'"\1"...', line)
    line = re.sub(r"(= (?:-1|\?)) E[A-Z0-9]+ \(.*\)$", r"\1", line)
    return re.sub(r"\) +=", ") =", _CHANGING.sub("N", line))
