"""Tests that arguments and results of calls are those of ptrace."""

import re
from collections import defaultdict
from pathlib import Path
from unittest import SkipTest

from syswatch.tracer.ebpf.relocation import observes_execve
from tests.tracer.harness import Outcome
from tests.tracer.programs import program

from .case import EbpfCase

# Addresses, PIDs, remaining times, random bytes, and the number of the next free terminal.
_VARIES = re.compile(
    r"0x[0-9a-f]{6,}|\b\d{3,}\b|(\\x[0-9a-f]{2})+|(?<=TIOCGPTN, )\[\d+\]|(?<=/dev/pts/)\d+"
)
_POSITION = re.compile(r"\d+, \d+, (\[0\] => \[5\]|0x[0-9a-f]+), 5")


def lines(outcome: Outcome) -> list[list[str]]:
    """Return the calls of each thread, in the order of creation."""
    threads: dict[int, list[str]] = defaultdict(list)
    for entry in outcome.delta.log:
        if entry.name == "futex":  # Only who comes late has to wait.
            continue
        line = f"{entry.name}({entry.args}) = {entry.ret} {entry.error}"
        threads[entry.pid].append(_VARIES.sub("#", line))
    return [threads[tid] for tid in sorted(threads)]


class ArgumentTests(EbpfCase):
    """A program that uses memory in many ways."""

    def setUp(self) -> None:
        """Run the program in a writable directory."""
        super().setUp()
        folder = Path(self.mktemp())
        folder.mkdir()
        self.command = ("env", "-C", str(folder), program("given"))

    def test_all(self) -> None:
        """Each line is that of ptrace: what is read at the entry, at the exit, and at both."""
        with_ebpf, with_ptrace = self.both(*self.command, log_rate=100_000)
        for one, other in zip(lines(with_ptrace), lines(with_ebpf), strict=True):
            self.assertEqual(one, other)
        shown = [f"{entry.name}({entry.args})" for entry in with_ebpf.delta.log]
        for pattern in (
            r"sendfile\(\d, \d, \[5\] => \[10\], 5\)",
            r"pselect6\(6, \[4\], \[5\], NULL, {tv_sec=1, tv_nsec=0}, {sigmask=\[\]",
            r"select\(6, \[4\], \[5\], NULL, {tv_sec=1, tv_usec=0}\)",
            r"clock_nanosleep\(CLOCK_REALTIME, 0, {tv_sec=5, tv_nsec=0}, {tv_sec=4",
            r'readlink\("/proc/self/exe", "/[^"]+"\.\.\., 64\)',
            r"accept\(\d, {sa_family=AF_UNIX}, \[128 => 2\]\)",
            r"getdents64\(\d+, 0x\w+ /\* \d\d entries \*/",
            r"fcntl\(3, F_SETLK, {l_type=F_WRLCK, l_whence=SEEK_SET, l_start=1, l_len=2}\)",
            r"ioctl\(\d+, TIOCGWINSZ, {ws_row=24, ws_col=80",
            r'sendmmsg\(6, \[{msg_hdr={.*iov_base="one".*msg_len=53}\], 2, 0\)',
            r'mount\("nothing", "/no-such-folder", "tmpfs", 0, "size=1m"\)',
            r'prctl\(PR_SET_NAME, "renamed"',
            r'process_vm_readv\(\d+, \[{iov_base="xxxxx"',
            rf'execve\("/proc/self/exe", \["/.*, "word", "{"x" * 32}"..., ""\], .* vars \*/',
        ):
            self.assertTrue(any(re.match(pattern, line) for line in shown), pattern)

    def test_strings(self) -> None:
        """So are longer strings and masked words."""
        for options in ({"string_limit": 200}, {"string_limit": 2}, {"redact": ("x{5,}", "wor.")}):
            with_ebpf, with_ptrace = self.both(*self.command, log_rate=100_000, **options)
            for one, other in zip(lines(with_ptrace), lines(with_ebpf), strict=True):
                self.assertEqual(one, other)

    def test_long_strings(self) -> None:
        """Of a string that is longer than a sample can contain, the beginning is shown."""
        log = self.trace("true", "a" * 5000, string_limit=100_000).delta.log
        shown = next(entry.args for entry in log if entry.name == "execve")
        self.assertRegex(shown, r'"true", "a{1022}"\.\.\.')

    def test_not_read(self) -> None:
        """What was overwritten before it could be read is an address, never another text."""
        log = self.trace(*self.command, "again", log_rate=100).delta.log
        shown = [entry.args for entry in log if entry.name == "sendfile"]
        self.assertLess(1, len(shown))
        for args in shown:
            self.assertTrue(_POSITION.fullmatch(args), args)

    def test_constants(self) -> None:
        """The arguments of execve are known even if their pages have not been read before."""
        if not observes_execve():
            raise SkipTest("only since Linux 6.10 can they be read when the kernel has read them")
        log = self.trace(*self.command, "child").delta.log
        *_, args = (entry.args for entry in log if entry.name == "execve")
        self.assertTrue(args.startswith('"/bin/true", ["true", "constant words"], 0x'), args)
