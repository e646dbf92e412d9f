"""Tests of the formats of a result, and of what GitHub shows."""

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import attrs
from twisted.trial.unittest import SynchronousTestCase

from syswatch.checking.evaluation import evaluate
from syswatch.checking.formats import FORMATS
from syswatch.checking.forms import CONTENTS
from syswatch.checking.github import annotations, append_summary
from syswatch.checking.observed import observe
from syswatch.checking.result import Command, Result
from syswatch.model.objects import ObjectKind

from .samples import LOSSES, a_run, budget_of, call, thing

_NASTY = "/srv/`x`|<b>*%0A::error::,:"
_BUDGET = """[calls]
total = 100
openat = { max = 70, tolerance = 2 }

[forbidden]
paths = "/srv/**"
calls = "ptrace"
"""
_RUN = attrs.evolve(
    a_run(call("openat", 75), thing(ObjectKind.FILE, _NASTY, openat=(75, 0))), ledger=LOSSES
)
_CLEAN = a_run(call("openat", 3))


def result(run: object = None, command: Command | None = None, text: str = _BUDGET) -> Result:
    """Return a result with all verdicts, or that of another run."""
    return evaluate(budget_of(text), observe(run or _RUN), (), command)  # type: ignore[arg-type]


class NameTests(SynchronousTestCase):
    """Names of files, which are any bytes."""

    def test_formats(self) -> None:
        """Each format can be written."""
        found = result(attrs.evolve(_RUN, name="a\udcff"))
        budget = attrs.evolve(found.budget, file=Path("b\udcff"))
        for write in FORMATS.values():
            write(attrs.evolve(found, budget=budget)).encode()


class FirstLineTests(SynchronousTestCase):
    """The answer in one sentence."""

    def first(self, *arguments: object, **others: object) -> str:
        """Return the first line."""
        return FORMATS["text"](result(*arguments, **others)).splitlines()[0]  # type: ignore[arg-type]

    def test_sentences(self) -> None:
        """It tells which of the cases it is."""
        only = "[calls]\nopenat = 5"
        self.assertEqual(
            f"Budget exceeded: path {_NASTY} was used, which is forbidden (/srv/**)"
            " (and 2 more entries); and the command failed: it exited with 4",
            self.first(command=Command("x", 4)),
        )
        self.assertEqual(
            "Within the budget: 1 limit; nearest to its limit: 3 calls of openat, within 5",
            self.first(_CLEAN, text=only),
        )
        self.assertEqual(
            "Within the budget, but the command failed: it was killed by SIGSEGV",
            self.first(_CLEAN, Command("x", signal="SIGSEGV"), only),
        )
        lossy = attrs.evolve(_CLEAN, ledger=LOSSES)
        sentence = (
            "3 calls of openat, within 5, but it may be more:"
            " 3 system calls that could not be counted"
        )
        self.assertEqual(
            f"Cannot tell whether the budget is kept: {sentence}", self.first(lossy, text=only)
        )
        self.assertEqual(
            f"Within the budget, as far as is known: {sentence}",
            self.first(lossy, text=f'inexact = "warn"\n{only}'),
        )


class FormatTests(SynchronousTestCase):
    """All formats."""

    def test_registry(self) -> None:
        """Each format is described."""
        self.assertEqual(list(CONTENTS), list(FORMATS))

    def test_text(self) -> None:
        """Text has the places in the budget, the shares and a table."""
        text = FORMATS["text"](result())
        self.assertIn("syswatch.toml:3: calls.openat\n  paths:\n    75  /srv", text)
        self.assertRegex(text, r"calls\.openat +75 +70 \+ 2 +exceeded\n")
        self.assertRegex(text, r"forbidden\.calls 'ptrace' +none +none +undecided\n")
        self.assertIn("there may be one: 3 system calls that could not be counted\n", text)

    def test_json(self) -> None:
        """JSON has every finding with numbers."""
        found = json.loads(FORMATS["json"](result(command=Command("sh x", 4))))
        self.assertEqual((1, "sh x", 4), (found["Status"], *list(found["Command"].values())[:2]))
        self.assertEqual("it exited with 4", found["Command"]["Failure"])
        openat = next(each for each in found["Findings"] if each["Entry"] == "calls.openat")
        self.assertEqual((3, 75, 72), (openat["Line"], openat["Value"], openat["Limit"]))
        self.assertEqual("exceeded", openat["Verdict"])

    def test_markdown(self) -> None:
        """Nothing in Markdown is markup by accident."""
        text = FORMATS["markdown"](result())
        self.assertIn("| ❌ | calls.openat | 75 | 70 + 2 |", text)
        self.assertIn(f"`` {_NASTY} ``", text)
        self.assertIn(r"path /srv/\`x\`\|\<b\>\*%0A::error::,: was used", text)

    def test_junit(self) -> None:
        """JUnit counts failures, and has a test case for the command."""
        suites = ET.fromstring(FORMATS["junit"](result(command=Command("x", 4))))  # noqa: S314
        self.assertEqual(("5", "4"), (suites.get("tests"), suites.get("failures")))
        cases = {each.get("name"): each for each in suites.iter("testcase")}
        self.assertEqual("3", cases["calls.openat"].get("line"))
        failure = cases["a run"].find("failure")
        assert failure is not None
        self.assertEqual("the command failed: it exited with 4", failure.get("message"))
        warned = f'inexact = "warn"\n{_BUDGET}'
        suites = ET.fromstring(FORMATS["junit"](result(text=warned)))  # noqa: S314
        self.assertEqual(2, len(list(suites.iter("failure"))))
        self.assertEqual(1, len(list(suites.iter("skipped"))))

    def test_escaped(self) -> None:
        """A pattern may have any character; no format has a control character."""
        text = '[forbidden]\npaths = "/a\\u0001\\n*"'
        for name, write in FORMATS.items():
            written = write(result(_CLEAN, text=text))
            self.assertNotRegex(written, "\x01", name)
        ET.fromstring(FORMATS["junit"](result(_CLEAN, text=text)))  # noqa: S314


class GitHubTests(SynchronousTestCase):
    """Annotations and the summary of a job."""

    def test_annotations(self) -> None:
        """They are on the lines of the budget, and names cannot be commands."""
        found = result(command=Command("x", 4))
        lines = list(annotations(found, found.budget.file.parent))
        self.assertEqual(4, len(lines))
        self.assertTrue(all(line.isprintable() for line in lines))
        openat = next(line for line in lines if "calls.openat" in line)
        place = "::error file=syswatch.toml,line=3,title=syswatch%3A calls.openat::75 calls of"
        self.assertTrue(openat.startswith(place), openat)
        self.assertIn("%0Apaths: /srv/`x`|<b>*%250A::error::,:: 75", openat)
        path = next(line for line in lines if "/srv/**" in line)
        self.assertIn("title=syswatch%3A forbidden.paths '/srv/**'::", path)
        self.assertTrue(lines[-1].startswith("::error title=syswatch check::Budget exceeded"))

    def test_warning(self) -> None:
        """An undecided entry that does not fail the check is a warning."""
        found = result(text=f'inexact = "warn"\n{_BUDGET}')
        levels = [line.split()[0] for line in annotations(found, Path.cwd())]
        self.assertEqual(["::error", "::error", "::warning"], levels)

    def test_summary(self) -> None:
        """The summary of the job is added to."""
        file = Path(self.mktemp())
        file.write_text("before\n")
        append_summary(result(), file)
        text = file.read_text("utf-8")
        self.assertTrue(text.startswith("before\n### syswatch check\n\n**Budget exceeded"))
