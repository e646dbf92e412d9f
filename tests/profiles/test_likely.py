"""Tests of the calls that a program is likely to make."""

import shutil
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SkipTest, SynchronousTestCase

from syswatch.profiles.architectures import all_calls
from syswatch.profiles.elf_imports import imported_functions
from syswatch.profiles.likely import _MADE_BY, likely_calls


class ImportTests(SynchronousTestCase):
    """The functions that a program imports."""

    def test_program(self) -> None:
        """Those of a real program are found."""
        program = shutil.which("ls")
        content = Path(program).read_bytes() if program else b""
        if content[4:6] != b"\x02\x01":
            raise SkipTest("there is no 64-bit ls")
        self.assertLessEqual({"opendir", "ioctl"}, imported_functions(content))

    @given(st.binary(max_size=200))
    def test_damaged(self, content: bytes) -> None:
        """What is not an ELF file imports nothing."""
        self.assertEqual(imported_functions(b"\x7fELF\x02\x01" + content), frozenset())
        self.assertEqual(imported_functions(content), frozenset())


class LikelyTests(SynchronousTestCase):
    """The calls of functions."""

    def test_reason(self) -> None:
        """The reason names the program and the function."""
        self.assertEqual(
            likely_calls(["sendmsg", "sleep", "strlen"], "server"),
            {
                "sendmsg": "likely: server imports sendmsg()",
                "clock_nanosleep": "likely: server imports sleep()",
            },
        )

    def test_dangerous(self) -> None:
        """A call that weakens a sandbox is never likely."""
        self.assertEqual(likely_calls(["ptrace", "mount"], "server"), {})

    def test_names(self) -> None:
        """Every call of the table exists."""
        calls = {call for calls in _MADE_BY.values() for call in calls.split()}
        self.assertLessEqual(calls, all_calls())
