"""Tests of the help pages."""

import gzip
import re
import shlex
from itertools import pairwise
from pathlib import Path

from twisted.trial.unittest import SynchronousTestCase

from syswatch.options import PROGRAM, action
from syswatch.options.config import Answer
from syswatch.options.declaration import GENERAL, Command, Group
from tests.options.parsing import error_of, text_of
from tests.recording import samples
from tests.system.servers import LOG

_COLUMNS, _LINES = 80, 24
_HEADING = re.compile(r"^([A-Z][a-z]+):$", re.MULTILINE)


class PageTests(SynchronousTestCase):
    """What the pages hold."""

    def pages(self) -> dict[Command, str]:
        """Return the page of each command."""
        return {command: text_of("help", command.name) for command in PROGRAM.commands}

    def test_spellings(self) -> None:
        """`help COMMAND`, `-h` and `--help` show the same page."""
        for command, page in self.pages().items():
            self.assertEqual(page, text_of(command.name, "-h"))
            self.assertEqual(page, text_of(command.name, "--help", "x"))
        overview = text_of("help")
        for words in (("-h",), ("--help",), ("--help", "run"), ()):
            self.assertEqual(overview, text_of(*words))

    def test_no_arguments(self) -> None:
        """Without arguments the overview is shown, and nothing was done."""
        found = action([])
        assert isinstance(found, Answer)
        self.assertEqual(2, found.status)

    def test_version(self) -> None:
        """The version is printed before and after a command."""
        for words in (("-V",), ("--version",), ("run", "-V"), ("help", "--version")):
            self.assertRegex(text_of(*words), r"\Asyswatch \d[\w.]*\Z")

    def test_overview(self) -> None:
        """The overview fits a terminal, says what the program is for, and lists every command."""
        lines = text_of("help").splitlines()
        self.assertEqual(f"syswatch - {PROGRAM.purpose}", lines[0])
        self.assertEqual("Commands:", lines[4])
        self.assertLess(len(lines), _LINES)
        names = [command.name for command in PROGRAM.commands]
        self.assertEqual(names, [line.split()[0] for line in lines[5 : 5 + len(names)]])

    def test_columns(self) -> None:
        """No line is wider than a terminal, and the explanations of options are aligned."""
        overview = text_of("help")
        for page in (overview, *self.pages().values()):
            lines = page.splitlines()
            self.assertEqual([], [line for line in lines if len(line) >= _COLUMNS])
            self.assertEqual([], [line for line in lines if line != line.rstrip()])
            starts = {match.end() for line in lines if (match := re.match(r"  +-.*?  +", line))}
            columns = {start for start in starts if start > len("  -p")}
            self.assertEqual(0 if page == overview else 1, len(columns), page)

    def test_groups(self) -> None:
        """Options stand below the headings that the command has, always in the same order."""
        order = [group.value for group in Group]
        for command, page in self.pages().items():
            _, *headings = _HEADING.findall(page)
            self.assertEqual([group.value for group in command.groups], headings)
            self.assertTrue(all(order.index(a) < order.index(b) for a, b in pairwise(headings)))
            for option in command.options:
                for spelling in option.spellings:
                    self.assertIn(spelling, page)

    def test_wording(self) -> None:
        """Purposes and explanations begin with a capital letter and have no full stop."""
        for command in PROGRAM.commands:
            for text in (command.purpose, *(option.help for option in command.options)):
                self.assertTrue(text[0].isupper() and not text.endswith("."), text)
            for option in (o for o in command.options if o not in GENERAL):
                self.assertFalse(option.choices and not option.metavar, option)


class ExampleTests(SynchronousTestCase):
    """The examples of the help."""

    def test_valid(self) -> None:
        """Each is a command line without mistakes, and there are two or three of each command."""
        folder = Path(self.mktemp())
        folder.mkdir()
        (folder / "trace.log").write_bytes(LOG.read_bytes())
        (folder / "logs").mkdir()
        (folder / "logs" / "a.gz").write_bytes(gzip.compress(LOG.read_bytes()))
        (folder / "token").write_text("sesame\n")
        samples.write(folder / "recording")
        (folder / "runs").mkdir()
        samples.write(folder / "runs" / "monday")
        for command in (PROGRAM, *PROGRAM.commands):
            self.assertIn(len(command.examples), (2, 3, 4), command.name)
            for example in command.examples:
                line = example.line.rpartition("|")[2].replace("trace.log", f"{folder}/trace.log")
                line = line.replace(" recording", f" {folder}/recording")
                line = line.replace("logs/", f"{folder}/logs/").replace("runs/", f"{folder}/runs/")
                words = shlex.split(line.replace("-file token", f"-file {folder}/token"))
                words = words[words.index("syswatch") + 1 :]
                # Looking for a process, or checking the machine, is not parsing.
                if words[0] not in {"discover", "doctor"}:
                    self.assertEqual("", error_of(*words))
