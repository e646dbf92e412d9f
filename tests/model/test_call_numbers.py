"""Tests of numbers and names of system calls."""

import re
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.catalog import name_of, names, number_of

ARCHITECTURES = ("x86_64", "aarch64", "i386")


class NumbersTests(SynchronousTestCase):
    """Numbers and names, which those of the kernel's own headers confirm."""

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
