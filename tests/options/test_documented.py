"""Tests that the documentation shows command lines that exist."""

import re
import shlex
from collections.abc import Iterator
from itertools import takewhile

from twisted.trial.unittest import SynchronousTestCase

from syswatch.options import PROGRAM, UsageError
from syswatch.options.parser import parse
from tests.system.servers import ROOT

_PAGES = ("README.md", "docs/*.rst", "docs/*.md")
# After a prompt, perhaps behind another program such as sudo; for Helm it is the name of a release.
_TYPED = re.compile(r"^ *[$#] (?!helm )(?:.*[ |(])?syswatch (?P<line>[-a-z].*)", re.MULTILINE)
# Within a sentence.
_QUOTED = re.compile(r"(?<!`)`+syswatch (?P<line>[-a-z][^`\n]*)`")
_FEWEST = 50


def _command_lines() -> Iterator[tuple[str, str]]:
    """Yield each command line of the documentation, and the page that has it."""
    for pattern in _PAGES:
        for page in sorted(ROOT.glob(pattern)):
            text = page.read_text("utf-8")
            for expression in (_TYPED, _QUOTED):
                for match in expression.finditer(text):
                    yield page.name, match["line"]


def _words(line: str) -> list[str]:
    """Split a line as a shell does, up to the end of the first command."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    return list(takewhile(lambda word: not set(word) <= set("();<>|&"), lexer))


class DocumentedTests(SynchronousTestCase):
    """README and documentation."""

    def test_command_lines(self) -> None:
        """Every command line has a command that exists, and options of that command."""
        found = list(_command_lines())
        self.assertGreater(len(found), _FEWEST)
        for page, line in found:
            try:
                parse(PROGRAM, _words(line))
            except UsageError as error:
                self.fail(f"{page}: syswatch {line}: {error}")

    def test_options(self) -> None:
        """Every option of `syswatch` is in the documentation or the manual page."""
        pages = [ROOT / "share/man/man1/syswatch.1", *ROOT.glob("docs/*.rst")]
        text = "".join(page.read_text("utf-8") for page in pages).replace("\\", "")
        for command in PROGRAM.commands:
            for option in command.options:
                self.assertIn(f"--{option.name}", text)
