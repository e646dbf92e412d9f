"""Tests of the catalog of system calls."""

import errno
import os
import re
import subprocess
import sys
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model import catalog
from syswatch.model.catalog import (
    ArgumentKind,
    Category,
    ErrnoNote,
    Syscall,
    can_wait,
    category_of,
    class_names,
    documented,
    in_class,
    lookup,
    model_of,
    name_of,
    names,
    number_of,
    openers,
)
from syswatch.model.catalog.entry import entry_of, parameter_names
from syswatch.model.catalog.numbers import table_names
from syswatch.model.catalog.undocumented import undocumented

ARCHITECTURES = ("x86_64", "aarch64", "i386")
_FIELDS = {
    "category": "I/O",
    "summary": "Do",
    "signature": "int f(int fd)",
    "kinds": "fd",
    "returns": "0",
    "advice": "None.",
}


class DocumentedTests(SynchronousTestCase):
    """The entries written by hand."""

    def test_plenty(self) -> None:
        """All commonly used calls are documented."""
        self.assertGreaterEqual(len(documented()), 300)

    def test_no_name_twice(self) -> None:
        """A call has one entry, and an entry has no second category in the table of bare names."""
        tables = Path(catalog.__file__).with_name("tables").iterdir()
        written = [
            name for table in tables for name in re.findall(r"(?m)^\[(\w+)\]$", table.read_text())
        ]
        self.assertEqual(sorted(set(written)), sorted(written))
        found = [entry.name for entry in documented()]
        self.assertEqual(sorted(set(found)), found)
        self.assertEqual(set(), set(found) & {entry.name for entry in undocumented()})

    def test_names_exist(self) -> None:
        """Every documented name is in the table of some architecture."""
        self.assertEqual(set(), {entry.name for entry in documented()} - table_names())

    def test_nothing_left_empty(self) -> None:
        """No text that is shown is empty."""
        for entry in documented():
            for text in (entry.summary, entry.signature, entry.returns, entry.advice):
                self.assertEqual(text.strip(), text, entry.name)
                self.assertNotEqual("", text, entry.name)

    def test_summary_is_one_line_without_a_full_stop(self) -> None:
        """A summary fits a tooltip and a table."""
        for entry in documented():
            self.assertNotIn("\n", entry.summary)
            self.assertFalse(entry.summary.endswith("."), entry.name)
            self.assertLessEqual(len(entry.summary), 90, entry.name)

    def test_advice_is_whole_sentences(self) -> None:
        """Advice ends with a full stop."""
        for entry in documented():
            self.assertTrue(entry.advice.endswith("."), entry.name)

    def test_signature_is_that_of_the_call(self) -> None:
        """A signature declares the name of its entry."""
        for entry in documented():
            self.assertRegex(entry.signature, rf"^\w[\w ]*[ *]{re.escape(entry.name)}\(.*\)$")

    def test_one_kind_for_each_argument(self) -> None:
        """There are as many arguments as the signature declares, under the same names."""
        for entry in documented():
            expected = parameter_names(entry.signature)

            self.assertEqual(expected, tuple(argument.name for argument in entry.arguments))

    def test_no_more_arguments_than_registers(self) -> None:
        """The kernel takes six arguments at most."""
        for entry in documented():
            self.assertLessEqual(len(entry.arguments), 6, entry.name)

    def test_no_argument_name_twice(self) -> None:
        """The arguments of a call have different names."""
        for entry in documented():
            found = [argument.name for argument in entry.arguments]

            self.assertEqual(len(set(found)), len(found), entry.name)

    def test_every_kind_is_used(self) -> None:
        """Every kind is used by some call."""
        used = {argument.kind for entry in documented() for argument in entry.arguments}

        self.assertEqual(set(ArgumentKind), used)

    def test_errnos_exist(self) -> None:
        """Every errno exists on Linux, has a meaning, and is in alphabetical order."""
        for entry in documented():
            found = [note.name for note in entry.errnos]

            self.assertEqual(sorted(set(found)), found, entry.name)
            self.assertEqual([], [name for name in found if not hasattr(errno, name)], entry.name)
            self.assertTrue(all(note.meaning for note in entry.errnos), entry.name)


class LengthTests(SynchronousTestCase):
    """Kinds that need another argument have it."""

    SIZED = frozenset(
        {
            ArgumentKind.BUFFER_IN,
            ArgumentKind.BUFFER_OUT,
            ArgumentKind.DATAGRAM_IN,
            ArgumentKind.DATAGRAM_OUT,
            ArgumentKind.IOVEC_IN,
            ArgumentKind.IOVEC_OUT,
            ArgumentKind.IOVEC_REMOTE,
            ArgumentKind.SOCKADDR_IN,
            ArgumentKind.SOCKOPT_IN,
        }
    )
    LENGTHS = frozenset({ArgumentKind.SIZE, ArgumentKind.INT, ArgumentKind.UINT})

    def test_length_follows(self) -> None:
        """What has a length is followed by it."""
        for entry in documented():
            kinds = [argument.kind for argument in entry.arguments]
            for position, kind in enumerate(kinds):
                if kind in self.SIZED:
                    self.assertIn(kinds[position + 1], self.LENGTHS, entry.name)

    def test_length_pointer_follows(self) -> None:
        """An address that the kernel fills is followed by the pointer to its length."""
        for entry in documented():
            kinds = [argument.kind for argument in entry.arguments]
            for position, kind in enumerate(kinds):
                if kind in {ArgumentKind.SOCKADDR_OUT, ArgumentKind.SOCKOPT_OUT}:
                    self.assertEqual(ArgumentKind.SOCKLEN_INOUT, kinds[position + 1], entry.name)


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


class NotationTests(SynchronousTestCase):
    """The notation of entries."""

    def test_names_come_from_the_signature(self) -> None:
        """The names of pointers, arrays and plain values are found."""
        signature = "int f(unsigned int fd, char *const argv[], int pair[2], void **where)"

        self.assertEqual(("fd", "argv", "pair", "where"), parameter_names(signature))

    def test_no_parameters(self) -> None:
        """A call without parameters has no arguments."""
        self.assertEqual((), parameter_names("pid_t getpid(void)"))

    def test_a_parameter_without_a_name(self) -> None:
        """A prototype without a parameter name is rejected."""
        self.assertRaises(ValueError, parameter_names, "int f(int fd, const char *)")

    def test_a_kind_too_few(self) -> None:
        """An entry whose kinds do not match its signature is rejected."""
        with self.assertRaisesRegex(ValueError, "f: 1 arguments, but 0 kinds"):
            entry_of("f", {**_FIELDS, "kinds": ""})

    def test_wrapped(self) -> None:
        """Texts may be wrapped."""
        entry = entry_of("f", {**_FIELDS, "advice": "One\nof two.\nTwo."})

        self.assertEqual("One of two. Two.", entry.advice)

    def test_unknown(self) -> None:
        """Misspelled fields, and harmless errnos without a meaning, are rejected."""
        for wrong in ({"sumary": "Do"}, {"harmless": "EINTR"}):
            with self.assertRaisesRegex(ValueError, "f: unknown field or errno"):
                entry_of("f", {**_FIELDS, **wrong})

    def test_wrong_kind(self) -> None:
        """A kind that does not exist is rejected."""
        self.assertRaises(ValueError, entry_of, "f", {**_FIELDS, "kinds": "file"})


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

    def test_known_by_name_only(self) -> None:
        """An undocumented call has a category, and empty texts."""
        self.assertEqual(Syscall(name="sigaction", category=Category.SIG), lookup("sigaction"))

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


class NumbersTests(SynchronousTestCase):
    """Numbers of calls against those of the kernel's own headers."""

    def test_removed(self) -> None:
        """The number of a removed call keeps its name and category."""
        for architecture, number in (("x86_64", 156), ("i386", 149)):
            self.assertEqual("_sysctl", name_of(number, architecture))
            self.assertEqual(number, number_of("_sysctl", architecture))
        self.assertEqual("nfsservctl", name_of(42, "aarch64"))

    def test_headers(self) -> None:
        """Every number has the same name as in the headers of this machine."""
        found = 0
        for architecture, header in (("x86_64", "unistd_64.h"), ("i386", "unistd_32.h")):
            for file in Path("/usr/include").glob(f"**/asm/{header}"):
                numbers = re.findall(r"#define __NR_(\w+)\s+(\d+)$", file.read_text(), re.MULTILINE)
                found += len(numbers)
                for name, number in numbers:
                    self.assertEqual(name, name_of(int(number), architecture), file)
        if not found:
            self.skipTest("no kernel headers in /usr/include (install linux-libc-dev)")


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
        decided = {entry.name for entry in (*documented(), *undocumented())}

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


class NumberTests(SynchronousTestCase):
    """Numbers and names."""

    def test_known_numbers(self) -> None:
        """The numbers are those of the kernel, which never change."""
        self.assertEqual("read", name_of(0, "x86_64"))
        self.assertEqual("io_setup", name_of(0, "aarch64"))
        self.assertEqual("restart_syscall", name_of(0, "i386"))
        self.assertEqual(257, number_of("openat", "x86_64"))
        self.assertEqual(56, number_of("openat", "aarch64"))
        self.assertEqual(295, number_of("openat", "i386"))

    def test_no_such_call(self) -> None:
        """A call that an architecture lacks is None."""
        self.assertIsNone(name_of(100_000, "x86_64"))
        self.assertIsNone(name_of(-1, "x86_64"))
        self.assertIsNone(number_of("open", "aarch64"))
        self.assertIsNone(number_of("printf", "x86_64"))

    def test_unknown_architecture(self) -> None:
        """An architecture that cannot be traced is an error, not an empty table."""
        self.assertRaises(KeyError, names, "vax")
        self.assertRaises(KeyError, name_of, 0, "vax")
        self.assertRaises(KeyError, number_of, "read", "vax")

    def test_there_and_back(self) -> None:
        """A number and its name lead to each other."""
        for architecture in ARCHITECTURES:
            for number, name in names(architecture).items():
                self.assertEqual(number, number_of(name, architecture))


class ClassTests(SynchronousTestCase):
    """The classes of calls that filters name."""

    def test_examples(self) -> None:
        """Classes have the expected calls."""
        self.assertEqual({"stat", "stat64", "oldstat"}, in_class("stat"))
        self.assertIn("openat", in_class("file"))
        self.assertIn("read", in_class("desc"))
        self.assertNotIn("read", in_class("file"))
        self.assertIn("getpid", in_class("pure"))

    def test_alias(self) -> None:
        """The network class has a short name."""
        self.assertEqual(in_class("network"), in_class("net"))

    def test_sums(self) -> None:
        """A doubled % sign selects the larger class."""
        self.assertEqual(
            in_class("stat") | in_class("lstat") | in_class("fstat"), in_class("%stat")
        )
        self.assertEqual(in_class("statfs") | in_class("fstatfs") | {"ustat"}, in_class("%statfs"))

    def test_unknown(self) -> None:
        """A class that does not exist is an error."""
        self.assertRaises(KeyError, in_class, "cheese")

    def test_members_are_known(self) -> None:
        """Every class has members, and all of them are calls."""
        for class_name in class_names():
            self.assertNotEqual(frozenset(), in_class(class_name), class_name)
            for name in in_class(class_name):
                self.assertIsNotNone(lookup(name), name)


class ImportTests(SynchronousTestCase):
    """What an import of the catalog costs."""

    def test_nothing_heavy(self) -> None:
        """Importing the catalog loads no table of numbers, and nothing of other layers."""
        program = (
            "import sys, syswatch.model.catalog;"
            "print(*(name for name in sys.modules"
            " if name.partition('.')[0] in {'system_calls', 'ptrace', 'twisted', 'msgspec'}))"
        )
        loaded = subprocess.run(
            [sys.executable, "-c", program],
            check=True,
            capture_output=True,
            text=True,
            # Trial runs tests in a folder of its own, from where a checkout is not to be found.
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        ).stdout

        self.assertEqual("", loaded.strip())
