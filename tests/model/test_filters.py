"""What a filter selects, in strace's syntax."""

import os
import re
import shutil
import subprocess
from pathlib import Path

from twisted.trial.unittest import SkipTest, TestCase

from syswatch.model.catalog import names
from syswatch.model.filters import FilterError, traced_names

# Makes every call once, with nothing but zeroes; strace answers in the kernel's place.
EVERY_CALL = """
static long call(long number) {
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(0), "S"(0), "d"(0)
                     : "rcx", "r11", "memory");
    return result;
}
void _start(void) {
    for (long number = 0; number < 335; number++)
        if (number != 59 && number != 231) call(number);
    for (long number = 424; number < 450; number++) call(number);
    call(231);
    __builtin_unreachable();
}
"""
UNDERSTOOD_BY_BOTH = (
    "all", "none", "%file", "file", "%desc", "desc", "%memory", "memory", "%process", "process",
    "%signal", "signal", "%ipc", "ipc", "%network", "network", "%net", "%creds", "%stat", "%lstat",
    "%fstat", "%%stat", "%statfs", "%fstatfs", "%%statfs", "%clock", "%pure", "openat,read",
    "!futex", "!%file,read", "!!read", "!all", "!none", "/^get", "/at$|^mo", "?nonsense,read",
    "?/nonsense,read", "?%nonsense,read", "12", "!12,13", "stat64,read", "read,",
)  # fmt: skip
REFUSED_BY_BOTH = ("nonsense", "%nonsense", "", ",", "/nonsense", "/(", "pure", "creds", "READ")


class LanguageTests(TestCase):
    """The meaning of each form."""

    def test_everything(self) -> None:
        """A filter that excludes nothing is no filter."""
        for expression in ("all", "!none", "trace=all", "all,read", "!!all"):
            self.assertIsNone(traced_names(expression, "x86_64"))

    def test_items_are_taken_out(self) -> None:
        """An item with a `!` is excluded, wherever it is."""
        for expression in ("read,write,!write", "read,!write,write", "trace=%desc,!/^[^r],!ioctl"):
            chosen = traced_names(expression, "x86_64") or frozenset()
            self.assertIn("read", chosen)
            self.assertNotIn("write", chosen)

    def test_several_exclusions(self) -> None:
        """A filter that begins with a `!` excludes all its items, with or without a further `!`."""
        self.assertEqual(
            traced_names("!futex,poll", "x86_64"), traced_names("!futex,!poll", "x86_64")
        )

    def test_only_calls_of_the_architecture(self) -> None:
        """A class has only calls that can happen."""
        chosen = traced_names("%file", "aarch64") or frozenset()
        self.assertIn("openat", chosen)
        self.assertNotIn("open", chosen)

    def test_unknown_names(self) -> None:
        """An unknown name is rejected, with suggestions."""
        complaint = self.assertRaises(FilterError, traced_names, "opennat", "x86_64")
        self.assertEqual(
            "unknown system call 'opennat'; did you mean openat or openat2 or open?",
            str(complaint),
        )
        complaint = self.assertRaises(FilterError, traced_names, "%flie", "x86_64")
        self.assertEqual(
            "unknown class of system calls '%flie'; did you mean %file?", str(complaint)
        )

    def test_prefix(self) -> None:
        """Only `trace=` at the start of a filter is a prefix."""
        for expression in ("trace=openat", "t=openat", " t=openat "):
            self.assertEqual({"openat"}, traced_names(expression, "x86_64"))
        for expression in ("openat,t=read", "inject=openat", "/t=read"):
            self.assertRaises(FilterError, traced_names, expression, "x86_64")

    def test_other_qualifiers(self) -> None:
        """Strace's other qualifiers are rejected with an alternative or a reason."""
        for expression, words in {
            "inject=openat:error=ENOENT": "inject= is not supported: syswatch observes",
            "fault=read": "does not change",
            "signal=SIGTERM": "signals are not traced",
            "s=SIGTERM": "s= is not supported: signals",
            "status=failed": "--status failed",
            "decode-fds=all": "--decode-fds",
            "quiet=exit": "no messages",
            "write=1": "--string-limit",
            "nonsense=1": "unknown qualifier 'nonsense='",
        }.items():
            complaint = self.assertRaises(FilterError, traced_names, expression, "x86_64")
            self.assertIn(words, str(complaint))

    def test_refused(self) -> None:
        """Every other mistake gets one sentence."""
        for expression in REFUSED_BY_BOTH:
            complaint = self.assertRaises(FilterError, traced_names, expression, "x86_64")
            self.assertRegex(str(complaint), r"\A[a-z][^\n]+\Z")


class StraceTests(TestCase):
    """The same filters, given to strace."""

    program: Path

    def setUp(self) -> None:
        """Build a program that makes every call, and find out which strace knows."""
        for tool in ("strace", "gcc"):
            if shutil.which(tool) is None:
                raise SkipTest(f"{tool} is not installed")
        if os.uname().machine != "x86_64":
            raise SkipTest("the program is written for x86_64")
        self.program = Path(self.mktemp())
        subprocess.run(
            ["gcc", "-nostdlib", "-static", "-o", self.program, "-x", "c", "-"],
            input=EVERY_CALL.encode(),
            check=True,
        )

    def test_same_choice(self) -> None:
        """Strace chooses the same calls."""
        by_both = self.chosen_by_strace("all") & frozenset(names("x86_64").values())
        for expression in UNDERSTOOD_BY_BOTH:
            chosen = traced_names(expression, "x86_64")
            expected = self.chosen_by_strace(expression) & by_both
            actual = by_both if chosen is None else chosen & by_both
            self.assertEqual(expected, actual, expression)

    def test_same_refusals(self) -> None:
        """Strace refuses the same filters."""
        for expression in REFUSED_BY_BOTH:
            finished = self.strace(f"inject={expression}:error=EXDEV")
            self.assertNotEqual(0, finished.returncode, expression)

    def chosen_by_strace(self, expression: str) -> frozenset[str]:
        """Return the names of the calls that strace answers because of the expression."""
        log = self.strace(
            "inject=all:error=ENOSYS",
            f"inject={expression}:error=EXDEV",
            "inject=execve,exit_group:error=EXDEV:when=9999",
        )
        self.assertEqual(0, log.returncode, log.stderr)
        return frozenset(re.findall(r"^(\w+)\(.* EXDEV ", log.stderr, re.MULTILINE))

    def strace(self, *expressions: str) -> subprocess.CompletedProcess[str]:
        """Run the program under strace."""
        options = [f"-e{expression}" for expression in expressions]
        return subprocess.run(
            ["strace", *options, self.program], capture_output=True, text=True, check=False
        )
