"""Tests of 32-bit and x32 programs, which have their own calls on a 64-bit kernel."""

import platform
import re
import subprocess
import tempfile
from collections import Counter
from pathlib import Path
from typing import ClassVar
from unittest import SkipTest

from syswatch.model.messages import Ended
from tests.tracer.harness import Outcome
from tests.tracer.programs import program
from tests.tracer.strace import require_tracing, strace_counts

from .activity import WaitContract
from .case import BackendCase

# Sockets of a 32-bit program use one call; strace prints the operation.
_THROUGH_SOCKETCALL = ("socket@i386", "socketpair@i386", "connect@i386")
_CHANGING = re.compile(r"0x[0-9a-f]{6,}|\b\d{2,}\b")
_LINE = re.compile(r"^(\w+)\((.*)\) += (\?|-?\w+)(?: (E[A-Z]+))?")
# Not decoded: a structure of x86 only, and calls that strace prints under another name.
_SHOWN_OTHERWISE = frozenset(("connect", "set_thread_area", "socket", "socketcall", "socketpair"))


def program_32() -> str:
    """Return a 32-bit program; skip the test if it cannot be built or run."""
    if platform.machine() != "x86_64":
        raise SkipTest("only x86_64 has 32-bit programs with calls of their own")
    path = program("abi32", "-m32", "-w")
    try:
        subprocess.run([path], check=False, stdout=subprocess.DEVNULL)
    except OSError as error:
        raise SkipTest(f"this kernel runs no 32-bit programs: {error.strerror}") from error
    return path


class AbiContract(BackendCase):
    """Numbers, widths and layouts that differ."""

    def setUp(self) -> None:
        """Skip the test if strace is not available."""
        super().setUp()
        require_tracing()

    def test_counts(self) -> None:
        """A 32-bit program and a 64-bit one that it starts are counted as in strace."""
        command = program_32()
        expected, outcome = strace_counts(command), self.trace(command)
        self.assertEqual(Ended(exit_code=5), outcome.ending)
        actual = outcome.counts
        gathered = [expected.pop(name) for name in _THROUGH_SOCKETCALL]
        self.assertEqual(tuple(map(sum, zip(*gathered, strict=True))), actual["socketcall@i386"])
        del actual["socketcall@i386"]
        self.assertEqual(expected, actual)
        self.assertTrue(outcome.delta.ledger.is_lossless)

    def test_text(self) -> None:
        """The arguments have the widths and the layouts of strace."""
        for command in (program_32(), program("calls32", "-m32", "-w")):
            self.assertEqual(
                _comparable(_lines(command)), _comparable(_entries(self.trace(command))), command
            )

    def test_x32(self) -> None:
        """An x32 call is marked in its name, and is selected by its plain name."""
        if platform.machine() != "x86_64":
            raise SkipTest("only x86_64 has x32")
        # Without a selection all calls stop; with one, the filter distinguishes them.
        for trace in ("all", "getppid", "!%file"):
            outcome = self.trace(program("x32"), trace=trace)
            self.assertIsInstance(outcome.ending, Ended)
            count, errors = outcome.counts["getppid@x32"]
            self.assertEqual(3, count, trace)
            # Few kernels support them.
            self.assertIn(errors, {0, 3})
            self.assertEqual((2, 0), outcome.counts["getppid"], trace)


def _comparable(calls: list[tuple[str, ...]]) -> Counter[str]:
    """Return each call, without what differs between runs."""
    return Counter(
        _CHANGING.sub("N", f"{name}({arguments}) = {result} {error}")
        for name, arguments, result, error in calls
        if name not in _SHOWN_OTHERWISE
    )


def _lines(command: str) -> list[tuple[str, ...]]:
    """Return the calls in strace; each process in its own log, so that no line is split."""
    with tempfile.TemporaryDirectory() as folder:
        words = ("strace", "-ff", "-o", f"{folder}/log", command)
        # The program polls its standard input, which is empty under the tracer of these tests, too.
        subprocess.run(words, check=False, stdin=subprocess.DEVNULL)
        texts = [log.read_text(errors="backslashreplace") for log in Path(folder).iterdir()]
    lines = [line for text in texts for line in text.splitlines()]
    return [match.groups("") for match in map(_LINE.match, lines) if match]


def _entries(outcome: Outcome) -> list[tuple[str, ...]]:
    """Return the traced calls by their plain names."""
    return [
        (entry.name.partition("@")[0], entry.args, entry.ret.partition(" ")[0], entry.error)
        for entry in outcome.delta.log
    ]


class Wait32Contract(WaitContract):
    """32-bit programs that wait in a known way: other numbers, and other layouts of arguments."""

    # It measures times by numbers of 32 bits, which wrap around.
    flags: ClassVar[tuple[str, ...]] = ("-m32", "-w", "-fwrapv")
    suffix: ClassVar[str] = "@i386"

    def setUp(self) -> None:
        """Skip the test if no 32-bit programs can be run."""
        super().setUp()
        program_32()
