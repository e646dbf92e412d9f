"""Tests of looking up a system call by its name."""

import os
import subprocess
import sys

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.call_numbers import table_names
from syswatch.model.catalog import (
    ArgumentKind,
    Category,
    ErrnoNote,
    Syscall,
    arguments_of,
    can_wait,
    category_of,
    executes,
    model_of,
    names,
    openers,
)
from syswatch.model.catalog.entries import documented, lookup
from syswatch.model.catalog.undocumented import undocumented

ARCHITECTURES = ("x86_64", "aarch64", "i386")


class LookupTests(SynchronousTestCase):
    """Looking up a call by its name."""

    def test_documented(self) -> None:
        """A documented call has all texts."""
        found = lookup("openat")

        assert found is not None
        self.assertEqual(Category.FS, found.category)
        self.assertEqual(
            "int openat(int dirfd, const char *pathname, int flags, mode_t mode)", found.signature
        )
        self.assertEqual(
            [
                ("dirfd", ArgumentKind.DIRFD),
                ("pathname", ArgumentKind.PATH),
                ("flags", ArgumentKind.OPEN_FLAGS),
                ("mode", ArgumentKind.MODE),
            ],
            [(argument.name, argument.kind) for argument in found.arguments],
        )
        self.assertIn(
            ErrnoNote("ENOENT", "the path, or a directory in it, does not exist"), found.errnos
        )

    def test_arguments(self) -> None:
        """The arguments alone are those of the entry; there are none without documentation."""
        for entry in documented():
            self.assertEqual(entry.arguments, arguments_of(entry.name), entry.name)
        self.assertEqual(arguments_of("openat"), arguments_of("openat@i386"))
        self.assertIsNone(arguments_of("sigaction"))
        self.assertIsNone(arguments_of("no_such_call"))

    def test_known_by_name_only(self) -> None:
        """An undocumented call has a category, and empty texts."""
        self.assertEqual(Syscall(name="sigaction", category=Category.SIG), lookup("sigaction"))

    def test_execution(self) -> None:
        """Programs of both architectures execute programs by the same calls."""
        self.assertTrue(executes("execve") and executes("execveat") and executes("execve@i386"))
        self.assertFalse(executes("openat"))

    def test_calls_of_32_bit_programs(self) -> None:
        """A 32-bit call has the documentation of its 64-bit model."""
        found, model = lookup("mmap2"), lookup(model_of("mmap2"))

        assert found is not None
        assert model is not None
        self.assertEqual("mmap", model.name)
        self.assertEqual(model.arguments, found.arguments)
        self.assertIn("*mmap2(", found.signature)
        self.assertEqual("mmap", model_of("mmap"))

    def test_names_of_other_times_and_machines(self) -> None:
        """Names that occur only in logs are known."""
        for name in ("restart_syscall", "mmap2", "fcntl64", "socketcall", "_sysctl", "uselib"):
            self.assertIsNotNone(lookup(name), name)

    def test_no_system_call(self) -> None:
        """A name that is not a system call is unknown."""
        for name in ("", "printf", "openat ", "OPENAT", "syscall_0x1f4", "fsnotify"):
            self.assertIsNone(lookup(name), name)

    def test_every_table_name(self) -> None:
        """Every name of every architecture is found."""
        for architecture in ARCHITECTURES:
            for name in names(architecture).values():
                self.assertIsNotNone(lookup(name), name)


class PurposeTests(SynchronousTestCase):
    """Which calls wait, and which open files."""

    def test_waiting(self) -> None:
        """Calls whose purpose is to wait can, and so can their 32-bit forms; others cannot."""
        for name in ("poll", "futex", "futex_time64", "_newselect", "read@i386", "futex_wait"):
            self.assertTrue(can_wait(name), name)
        for name in ("openat", "fsync", "write", "frobnicate"):
            self.assertFalse(can_wait(name), name)

    def test_openers(self) -> None:
        """The calls that open files by a path are known with its position."""
        self.assertEqual({"creat": 0, "open": 0, "openat": 1, "openat2": 1}, openers())


class CategoryTests(SynchronousTestCase):
    """Every call has a category that was chosen."""

    def test_labels(self) -> None:
        """The labels are part of the JSON interface."""
        self.assertEqual(
            ["I/O", "FS", "NET", "MEM", "PROC", "SIG", "TIME", "IPC", "OTHER"], list(Category)
        )

    def test_looks(self) -> None:
        """Every category has a heading, a description, and colours that no other has."""
        for category in Category:
            self.assertTrue(category.heading and category.description, category)
            self.assertRegex(category.css_class, "^[a-z]+$")
        for colours in ([each.light for each in Category], [each.dark for each in Category]):
            self.assertEqual(len(Category), len(set(colours)))
            for colour in colours:
                self.assertRegex(colour, "^#[0-9a-f]{6}$")

    def test_examples(self) -> None:
        """Calls are in the expected categories."""
        examples = {
            "read": Category.IO,
            "epoll_wait": Category.IO,
            "openat": Category.FS,
            "getdents64": Category.FS,
            "connect": Category.NET,
            "mmap": Category.MEM,
            "execve": Category.PROC,
            "getuid": Category.PROC,
            "rt_sigaction": Category.SIG,
            "signalfd4": Category.SIG,
            "clock_nanosleep": Category.TIME,
            "timerfd_settime": Category.TIME,
            "futex": Category.IPC,
            "pipe2": Category.IPC,
            "eventfd2": Category.IPC,
            "uname": Category.OTHER,
        }

        self.assertEqual(examples, {name: category_of(name) for name in examples})

    def test_every_name_was_decided_on(self) -> None:
        """No name of any table is guessed."""
        decided = {*(entry.name for entry in documented()), *undocumented()}

        self.assertEqual(set(), table_names() - decided)

    def test_few_are_other(self) -> None:
        """OTHER has calls on the machine and the kernel, and removed ones."""
        other = {name for name in table_names() if category_of(name) is Category.OTHER}

        self.assertEqual(
            {
                "_sysctl",
                "acct",
                "add_key",
                "afs_syscall",
                "bdflush",
                "bpf",
                "create_module",
                "delete_module",
                "finit_module",
                "get_kernel_syms",
                "getrandom",
                "gtty",
                "idle",
                "init_module",
                "kexec_file_load",
                "kexec_load",
                "keyctl",
                "lock",
                "mpx",
                "nfsservctl",
                "oldolduname",
                "olduname",
                "perf_event_open",
                "prof",
                "profil",
                "query_module",
                "reboot",
                "request_key",
                "security",
                "setdomainname",
                "sethostname",
                "stty",
                "sysinfo",
                "syslog",
                "tuxcall",
                "ulimit",
                "uname",
                "uprobe",
                "uretprobe",
                "vhangup",
                "vserver",
            },
            other,
        )

    def test_newer_than_the_table(self) -> None:
        """A new name of a known family joins its family."""
        self.assertEqual(Category.IO, category_of("io_uring_frobnicate"))
        self.assertEqual(Category.OTHER, category_of("frobnicate"))

    @given(st.text())
    def test_any_string(self, name: str) -> None:
        """Every string has a category."""
        self.assertIsInstance(category_of(name), Category)


class ImportTests(SynchronousTestCase):
    """What an import of the catalog costs, and what it reads."""

    def test_nothing_heavy(self) -> None:
        """Importing the catalog loads no table of numbers, and nothing of other layers."""
        self.check(
            "import sys, syswatch.model.catalog;"
            "print(*(name for name in sys.modules"
            " if name.partition('.')[0] in {'system_calls', 'ptrace', 'twisted', 'msgspec'}))"
        )

    def test_reads_everything(self) -> None:
        """Documentation is found without opening a file: a daemon may no longer be permitted to."""
        self.check(
            "import sys; from syswatch.model.catalog.entries import documented;"
            "from syswatch.model.catalog import openers;"
            "sys.addaudithook(lambda event, args: event == 'open' and print(args));"
            "documented(); openers()"
        )

    def check(self, program: str) -> None:
        """Run a Python program, which must print nothing."""
        printed = subprocess.run(
            [sys.executable, "-c", program],
            check=True,
            capture_output=True,
            text=True,
            # Trial runs tests in a folder of its own, from where a checkout is not to be found.
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        ).stdout

        self.assertEqual("", printed.strip())
