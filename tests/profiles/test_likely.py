"""Tests of the calls that a program is likely to make."""

import shutil
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SkipTest, SynchronousTestCase

from syswatch.profiles.architectures import all_calls
from syswatch.profiles.elf_imports import imported_functions
from syswatch.profiles.libraries import likely_of
from syswatch.profiles.likely import _MADE_BY, likely_calls
from tests.tracer.programs import program


class ImportTests(SynchronousTestCase):
    """The functions that a program imports."""

    def test_program(self) -> None:
        """Those of a real program are found."""
        program = shutil.which("ls")
        content = Path(program).read_bytes() if program else b""
        if content[4:6] != b"\x02\x01":
            raise SkipTest("there is no 64-bit ls")
        self.assertLessEqual({"opendir", "ioctl"}, imported_functions(content) or set())

    def test_32_bit(self) -> None:
        """Those of a 32-bit program are found, too."""
        content = Path(program("total", "-m32")).read_bytes()
        if content[4:6] != b"\x01\x01":
            raise SkipTest("this machine has no little-endian 32-bit programs")
        self.assertIn("__libc_start_main", imported_functions(content) or ())

    def test_static(self) -> None:
        """A static program is told from one that imports nothing, and named."""
        static = str(Path(self.mktemp()).absolute())
        # It has no sections at all.
        Path(static).write_bytes(b"\x7fELF\x02\x01".ljust(64, b"\0"))
        found = likely_of([static, "/none/such"])
        self.assertEqual({}, found.calls)
        self.assertEqual(
            (
                "files that were loaded cannot be read on this machine: /none/such",
                f"static programs import nothing: {static}",
            ),
            found.notes,
        )

    def test_changed(self) -> None:
        """A file that was replaced is read again."""
        file = Path(self.mktemp())
        shutil.copy(shutil.which("ls") or "", file)
        self.assertIn("getdents64", likely_of([str(file)]).calls)
        file.write_bytes(b"other")
        self.assertEqual({}, likely_of([str(file)]).calls)

    @given(st.binary(max_size=200))
    def test_damaged(self, content: bytes) -> None:
        """What is not an ELF file imports nothing."""
        for magic in (b"\x7fELF\x01\x01", b"\x7fELF\x02\x01"):
            self.assertFalse(imported_functions(magic + content))
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
