"""Tests of the documentation of system calls."""

import errno
import re
import tomllib
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model import catalog
from syswatch.model.call_numbers import table_names
from syswatch.model.catalog import ArgumentKind
from syswatch.model.catalog.documentation import SECTIONS, split
from syswatch.model.catalog.entries import documented, parsed
from syswatch.model.catalog.entry import parameter_names
from syswatch.model.catalog.undocumented import undocumented

_SECTION = """
# A comment.

[f]
category = "I/O"
summary = "Do"
signature = "int f(int fd)"
kinds = "fd"
returns = "0"
errnos.EBADF = "no such open descriptor"
harmless = "EBADF"
advice = "None."
"""


class DocumentedTests(SynchronousTestCase):
    """The entries written by hand."""

    def test_plenty(self) -> None:
        """All commonly used calls are documented."""
        self.assertGreaterEqual(len(documented()), 300)

    def test_sections(self) -> None:
        """The sections are those of the TOML files, and no call has two."""
        whole: dict[str, object] = {}
        for file in Path(catalog.__file__).with_name("tables").glob("*.toml"):
            table = tomllib.loads(file.read_text())
            self.assertEqual(set(), whole.keys() & table.keys())
            whole |= table

        self.assertEqual(
            whole, {call: tomllib.loads(section.text) for call, section in SECTIONS.items()}
        )

    def test_not_parsed(self) -> None:
        """What is found in a section without parsing it is what its entry says."""
        for section in SECTIONS.values():
            entry = parsed(section)
            kinds = tuple(argument.kind for argument in entry.arguments)

            self.assertEqual(
                (entry.category, entry.can_wait, entry.opens, entry.arguments, kinds),
                (
                    section.category,
                    section.can_wait,
                    section.opens,
                    section.arguments(),
                    section.kinds(),
                ),
                entry.name,
            )

    def test_no_name_twice(self) -> None:
        """A call has one entry, and an entry has no second category in the table of bare names."""
        found = [entry.name for entry in documented()]

        self.assertEqual(sorted(set(found)), found)
        self.assertEqual(set(), set(found) & undocumented().keys())

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

    def test_wrapped(self) -> None:
        """Texts may be wrapped."""
        (section,) = split("t.toml", _SECTION.replace('"None."', "'''One\nof two.\nTwo.'''"))

        self.assertEqual("One of two. Two.", parsed(section).advice)

    def test_wrong(self) -> None:
        """A mistake in a section is reported with the file and the call."""
        mistakes = {
            ('kinds = "fd"', ""): "1 arguments, but 0 kinds",
            ('"fd"', '"file"'): "'file' is not a valid ArgumentKind",
            ('"I/O"', '"Disk"'): "unknown category: Disk",
            ('returns = "0"', ""): "missing field: returns",
            ("errnos.", "errors."): "unknown field: errors",
            ('"EBADF"', '"EINTR"'): "harmless, but without a meaning: EINTR",
            ("=", ":"): "Expected '=' after a key",
        }
        for (right, wrong), problem in mistakes.items():
            self.assertIn(right, _SECTION)
            (section,) = split("t.toml", _SECTION.replace(right, wrong))
            with self.assertRaisesRegex(ValueError, rf"^t\.toml: \[f\]: {problem}"):
                parsed(section)
