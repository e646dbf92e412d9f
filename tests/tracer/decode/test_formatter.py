"""Tests that calls with prepared memory are printed as strace prints them."""

import errno
from collections.abc import Sequence

from twisted.trial.unittest import TestCase

from syswatch.model.messages import TraceOptions
from syswatch.tracer.decode import Formatter

from . import cases_files, cases_processes, cases_rare, cases_sockets
from .injected_calls import ARENA, ArenaMemory, Case, skip_if_impossible, strace_lines
from .memory_images import A, B, C, laid_out, qwords

_REGISTER = (1 << 64) - 1


def formatted_line(formatter: Formatter, case: Case, ret: int) -> str:
    """Return a call and its result as the formatter prints them, without the errno."""
    args = tuple(value & _REGISTER for value in (*case.args, *[0] * 6)[:6])
    memory = ArenaMemory(case)
    captured = formatter.capture(case.name, args, memory)
    text = formatter.format(case.name, args, ret, ret < 0, memory, captured)
    return f"{case.name}({text}) = {formatter.result(case.name, args, ret, ret < 0, memory)}"


def normalized_line(line: str) -> str:
    """Return a line of strace without alignment and errno."""
    call, _, result = line.removesuffix(" (INJECTED)").rpartition(") = ")
    if not call:
        call, _, result = line.removesuffix(" (INJECTED)").partition("  = ")
        call = call.rstrip().removesuffix(")")
    return f"{call}) = {'-1' if result.startswith('-1 E') else result}"


class FormatterTests(TestCase):
    """The same calls, printed by the formatter and by strace."""

    def setUp(self) -> None:
        """Skip if a tool is missing or the architecture differs."""
        skip_if_impossible()

    def compare(self, cases: Sequence[Case]) -> None:
        """Compare calls that return 0, a small number, and an error."""
        formatter = Formatter(TraceOptions(), "x86_64")
        for answer, ret in (("retval=0", 0), ("retval=4", 4), ("error=EAGAIN", -errno.EAGAIN)):
            lines = strace_lines(cases, answer)
            self.assertEqual(len(cases), len(lines))
            for case, line in zip(cases, lines, strict=True):
                self.assertEqual(normalized_line(line), formatted_line(formatter, case, ret))

    def test_files(self) -> None:
        """Calls about files, memory and terminals are printed as by strace."""
        self.compare(cases_files.CASES)

    def test_processes(self) -> None:
        """Calls about processes, signals and time are printed as by strace."""
        self.compare([case for case in cases_processes.CASES if case.name != "exit_group"])

    def test_sockets(self) -> None:
        """Calls about sockets are printed as by strace."""
        self.compare(cases_sockets.CASES)

    def test_rare(self) -> None:
        """Rarely used calls are printed as by strace."""
        self.compare(cases_rare.CASES)

    def test_digits(self) -> None:
        """Octal escapes are as short as the next character allows."""
        case = Case("write", (1, ARENA, 8), b"\x007\x008\x019\xff0")
        formatter = Formatter(TraceOptions(), "x86_64")
        expected = normalized_line(strace_lines([case])[0])
        self.assertEqual(expected, formatted_line(formatter, case, 0))

    def test_directory(self) -> None:
        """The entries of a directory are counted."""
        case = Case("getdents64", (3, ARENA, 32768), cases_files.TWO_ENTRIES)
        formatter = Formatter(TraceOptions(), "x86_64")
        expected = normalized_line(strace_lines([case], "retval=64")[0])
        self.assertEqual(expected, formatted_line(formatter, case, 64))

    def test_program_start(self) -> None:
        """The arguments of a program are printed, its environment is counted."""
        pointers = {0x100: qwords(A + 0x40, A + 0x50, 0), 0x200: qwords(A, 0)}
        memory = laid_out({0: b"/bin/ls", 0x40: b"ls", 0x50: b"-l", **pointers})
        case = Case("execve", (A, B, C), memory)
        formatter = Formatter(TraceOptions(), "x86_64")
        expected = normalized_line(strace_lines([case], "error=ENOENT")[0])
        self.assertEqual(expected, formatted_line(formatter, case, -errno.ENOENT))

    def test_large_environment(self) -> None:
        """An environment is counted also if its pointers are in several pages."""
        at, count = 0xF00, 700
        memory = laid_out({0: b"/bin/ls", 0x200: qwords(A, 0)}).ljust(at, b"\0")
        case = Case("execve", (A, C, A + at), memory + qwords(*[A] * count, 0))
        formatter = Formatter(TraceOptions(), "x86_64")
        expected = normalized_line(strace_lines([case], "error=ENOENT")[0])
        self.assertIn(f"/* {count} vars */", expected)
        self.assertEqual(expected, formatted_line(formatter, case, -errno.ENOENT))

    def test_string_limit(self) -> None:
        """Strings are cut at the limit, paths are not."""
        case = Case("write", (1, ARENA, 10), b"0123456789")
        formatter = Formatter(TraceOptions(string_limit=4), "x86_64")
        expected = normalized_line(strace_lines([case], "retval=0", ["-s4"])[0])
        self.assertEqual(expected, formatted_line(formatter, case, 0))
