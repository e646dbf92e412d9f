"""Tests that printers need no memory other than what `reads` announces."""

import errno

from twisted.trial.unittest import TestCase

from syswatch.model.messages import TraceOptions
from syswatch.tracer.decode import Access, Formatter

from . import cases_files, cases_processes, cases_rare, cases_sockets
from .copying import copied
from .injected_calls import ARENA, ArenaMemory, Case

_REGISTER = (1 << 64) - 1
_BEFORE = frozenset(set(Access) - {Access.OUTPUT})
_AFTER = frozenset({Access.INPUT, Access.INPUT_AT_RISK, Access.OUTPUT})
_CASES = (
    *cases_files.CASES,
    *cases_processes.CASES,
    *cases_rare.CASES,
    *cases_sockets.CASES,
    Case("getdents64", (3, ARENA, 32768), cases_files.TWO_ENTRIES),
)


class ReadsTests(TestCase):
    """Copied memory, which a tracer in the kernel provides."""

    def test_enough(self) -> None:
        """With the announced reads alone, every call is printed as with all of its memory."""
        for options in (TraceOptions(), TraceOptions(string_limit=3), TraceOptions(redact=("d+",))):
            formatter = Formatter(options, "x86_64")
            for case in _CASES:
                for ret in (0, 1, 4, 64, -errno.EAGAIN, -errno.EINTR):
                    whole, part = (self.line(formatter, case, ret, copies) for copies in (0, 1))
                    self.assertEqual(whole, part, (case.name, ret))

    def line(self, formatter: Formatter, case: Case, ret: int, copies: int) -> str:
        """Print a call, with all of its memory or with the copied parts."""
        args = tuple(value & _REGISTER for value in case.args)
        memory = ArenaMemory(case)
        before, after = (
            copied(memory, args, ret, formatter.reads(case.name), moments) if copies else memory
            for moments in (_BEFORE, _AFTER)
        )
        captured = formatter.capture(case.name, args, before)
        text = formatter.format(case.name, args, ret, ret < 0, after, captured)
        return f"{text} = {formatter.result(case.name, args, ret, ret < 0, after)}"

    def test_accesses(self) -> None:
        """Memory that a call overwrites is read at the entry, other memory at the exit."""

        def moments(name: str) -> list[str]:
            reads = Formatter(TraceOptions(), "x86_64").reads(name)
            return [f"{read.pointer // 8} {moment.name}" for moment, read in reads]

        self.assertEqual(["1 INPUT"], moments("write"))
        self.assertEqual(["0 INPUT_AT_RISK", "1 OUTPUT"], moments("stat"))
        self.assertEqual(["2 IN_OUT", "2 OUTPUT"], moments("sendfile"))
        self.assertEqual(
            ["0 INPUT_UNMAPPED", "1 INPUT_UNMAPPED", "2 INPUT_UNMAPPED"], moments("execve")
        )
        timeout = ["2 IN_OUT", "2 OUTPUT"]
        self.assertEqual(["0 INPUT", *timeout, "3 INPUT_AT_RISK"], moments("ppoll"))
        self.assertEqual([], moments("getpid"))
        raw = Formatter(TraceOptions(read_arguments=False), "x86_64")
        self.assertEqual([], list(raw.reads("write")))
