"""Tests of the examples for CI systems: they are valid, and their commands exist."""

import shlex
from collections.abc import Iterator
from typing import Any

import yaml
from twisted.trial.unittest import SynchronousTestCase

from syswatch.checking.reading import read_budget
from syswatch.options import PROGRAM
from syswatch.options.config import Check
from syswatch.options.parser import parse
from tests.system.servers import ROOT

_FOLDER = ROOT / "examples" / "ci"


def _document(name: str) -> Any:
    return yaml.safe_load((_FOLDER / name).read_text("utf-8"))


def _command_lines() -> Iterator[list[str]]:
    """Yield the command lines of both examples, as words."""
    steps = _document("github.yml")["jobs"]["check"]["steps"]
    lines = [step["run"] for step in steps if "run" in step]
    for line in (*lines, *_document("gitlab.yml")["syscalls"]["script"]):
        yield shlex.split(line)


class ExampleTests(SynchronousTestCase):
    """The files in examples/ci."""

    def test_budget(self) -> None:
        """The budget of the documentation is read, and has every table."""
        budget = read_budget(_FOLDER / "syswatch.toml")
        tables = {entry.place.keys[0] for entry in budget.entries}
        self.assertEqual({"calls", "errors", "bytes", "waiting", "forbidden"}, tables)

    def test_commands(self) -> None:
        """Each line calls pip, or syswatch with a command line that it accepts."""
        lines = [words for words in _command_lines() if words[0] == "syswatch"]
        self.assertEqual(2, len(lines))
        for words in lines:
            arguments = parse(PROGRAM, words[1:])
            found = arguments.command.run(arguments)
            assert isinstance(found, Check)
            self.assertIsNotNone(found.traced)

    def test_report(self) -> None:
        """The report that is uploaded is the one that is written."""
        upload = _document("github.yml")["jobs"]["check"]["steps"][-1]["with"]["path"]
        report = _document("gitlab.yml")["syscalls"]["artifacts"]["reports"]["junit"]
        for words in _command_lines():
            if words[0] == "syswatch":
                self.assertEqual({upload}, {report, words[words.index("--junit") + 1]})
