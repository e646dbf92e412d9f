"""Tests of the formats of comparisons."""

import json
from xml.etree import ElementTree as ET

import attrs
import msgspec
from twisted.trial.unittest import SynchronousTestCase

from syswatch.comparison.bands import Band
from syswatch.comparison.change import Change, Comparison, Finding, Options, Rank
from syswatch.comparison.changes import changes
from syswatch.comparison.formats import Presentation, written
from syswatch.comparison.formats.document import Document
from syswatch.comparison.forms import FORMATS, KINDS
from syswatch.comparison.parts import Part
from syswatch.comparison.run import Figure, Kind, Subject
from syswatch.views.text_table import coloured

from .made import AFTER, BEFORE, COMPARISON, HOSTILE, SAME

NONE, ONE = Band.of([0]), Band.of([1])
_FIRST = f"+412 read of {HOSTILE} (and 3 other changes)"


def as_text(width: int | None = None) -> list[str]:
    """Return the lines of the text."""
    return written(COMPARISON, "text", Presentation(width=width)).splitlines()


class RegistryTests(SynchronousTestCase):
    """The formats that can be chosen."""

    def test_all(self) -> None:
        """Each can write something, also about no change; each kind has a name."""
        for name in FORMATS:
            for comparison in (COMPARISON, SAME):
                self.assertTrue(written(comparison, name, Presentation()).endswith("\n"))
        self.assertEqual({each.value for each in Kind}, set(KINDS.values()))


class TextTests(SynchronousTestCase):
    """The text for people."""

    def test_lines(self) -> None:
        """The answer is first; then what else changed, the table, and what is not compared."""
        self.assertEqual(
            [
                _FIRST,
                "  read is slower",
                "  twice the bytes from 10.0.0.1:80",
                "  openat no longer fails with ENOENT",
                "",
                "before: 3 runs: old1, old2, old3",
                "after:  new.rec",
                "",
                "KIND   WHAT                    FIGURE           BEFORE  AFTER       CHANGE",
                f"file   read {HOSTILE}  calls                 0    412          new",
                "call     read                  calls           20 … 22    433         +412",
                "call   read                    p50       1 µs … 1.1 µs   2 ms  1,818 times",
                "peer   10.0.0.1:80             bytes in          4 KiB  8 KiB       +100 %",
                "error  openat ENOENT           failures              3      0         gone",
                "",
                "not compared: bytes, which old1 does not know",
                "note: new.rec: the recording is cut short",
            ],
            as_text(),
        )

    def test_folded(self) -> None:
        """A table has a row for each fact, and some of many files; --all lists every number."""
        files = [
            Change(Subject(Kind.FILE, f"/srv/{n}", "openat"), Figure.COUNT, NONE, ONE)
            for n in range(5)
        ]
        path = Change(Subject(Kind.PATH, "/srv/0"), Figure.COUNT, NONE, ONE)
        total = Change(Subject(Kind.CALL, "openat"), Figure.COUNT, NONE, Band.of([5]))
        title = "openat below /srv (5 files)"
        finding = Finding(f"+5 {title}", Rank.COUNT, tuple(files), (path, total), title)
        comparison = Comparison(BEFORE, AFTER, (*files, path, total), (finding,))
        for name in ("text", "markdown"):
            text = written(comparison, name, Presentation())
            for shown in (title, "/srv/0", "/srv/2", "3 more numbers changed with these; --all"):
                self.assertIn(shown, text)
            self.assertNotIn("/srv/3", text)
            every = written(comparison, name, Presentation(has_all=True))
            self.assertIn("/srv/4", every)
            self.assertNotIn("changed with these", every)

    def test_width(self) -> None:
        """No line of the table is wider than the terminal."""
        for width in (60, 80, 100):
            table = as_text(width)[8:-3]
            self.assertLessEqual(max(map(len, table)), width)
            self.assertIn("412", "\n".join(table))

    def test_colours(self) -> None:
        """Colours change nothing but the colours."""
        painted = written(COMPARISON, "text", Presentation(paint=coloured))
        plain = painted
        for code in ("\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[33m"):
            self.assertIn(code, plain)
            plain = plain.replace(code, "")
        self.assertEqual(written(COMPARISON, "text", Presentation()), plain)

    def test_cut_short(self) -> None:
        """The first line names an incomplete run, since what it lacks looks like a change."""
        cut = tuple(attrs.evolve(each, is_cut_short=True) for each in COMPARISON.after)
        text = written(attrs.evolve(COMPARISON, after=cut), "text", Presentation())
        self.assertEqual(f"{_FIRST}; new.rec is incomplete", text.splitlines()[0])

    def test_odd_name(self) -> None:
        """The name of a file is any bytes."""
        odd = (attrs.evolve(BEFORE[0], name="a\udcff", only="-e read"),)
        found = changes(odd, [attrs.evolve(odd[0], notes=("it is cut short",))])
        for name in FORMATS:
            written(found, name, Presentation()).encode()

    def test_no_change(self) -> None:
        """That nothing changed is the first line, with how much was compared."""
        cut = attrs.evolve(SAME, after=(attrs.evolve(BEFORE[0], is_cut_short=True),))
        first, *_ = written(cut, "text", Presentation()).splitlines()
        self.assertEqual("No change: 7 numbers compared; old1 is incomplete", first)
        some = attrs.evolve(SAME, options=Options(only=(Part(frozenset({Kind.CALL})),)))
        first, *_ = written(some, "text", Presentation()).splitlines()
        self.assertEqual("No change: 5 numbers compared", first)
        text = written(SAME, "text", Presentation())
        self.assertEqual(
            ["No change: 7 numbers compared", "before: old1", "after:  old1"], text.splitlines()
        )


class JsonTests(SynchronousTestCase):
    """The document."""

    def test_document(self) -> None:
        """It has every change with exact numbers, and which finding consists of which changes."""
        found = msgspec.json.decode(written(COMPARISON, "json", Presentation()), type=Document)
        self.assertEqual(_FIRST, found.verdict)
        self.assertTrue(found.changed)
        self.assertEqual(["old1", "old2", "old3"], [each.name for each in found.before])
        first = found.findings[0]
        self.assertEqual(([0], [1], "count"), (first.changes, first.consequences, first.rank))
        self.assertEqual(HOSTILE, found.changes[0].name)
        self.assertEqual("/srv/x123", found.changes[0].example)
        self.assertEqual(
            (1000, 1100), (found.changes[2].before.least, found.changes[2].before.most)
        )
        self.assertEqual(len(COMPARISON.changes), len(found.changes))

    def test_keys(self) -> None:
        """The keys are in Pascal case, as everywhere."""
        plain = json.loads(written(COMPARISON, "json", Presentation()))
        self.assertEqual({"Least", "Middle", "Most"}, set(plain["Changes"][0]["Before"]))
        self.assertFalse(json.loads(written(SAME, "json", Presentation()))["Changed"])


class MarkdownTests(SynchronousTestCase):
    """Markdown."""

    def test_escaped(self) -> None:
        """A name with markup is text, and does not break the table."""
        text = written(COMPARISON, "markdown", Presentation())
        first, *rest = text.splitlines()
        self.assertTrue(first.startswith("**+412 read of /srv/\\<b\\>\\`\\|\\*"), first)
        rows = [line.replace("\\|", "") for line in rest if line.startswith("|")]
        self.assertEqual({6}, {line.count("|") for line in rows})
        self.assertEqual(2 + len(COMPARISON.changes), len(rows))
        self.assertNotIn("<b>", text)


def _suite(comparison: Comparison) -> ET.Element:
    return ET.fromstring(written(comparison, "junit", Presentation()))[0]  # noqa: S314  our own


class JunitTests(SynchronousTestCase):
    """JUnit XML."""

    def test_cases(self) -> None:
        """A case for each kind fails if something of that kind changed."""
        suite = _suite(COMPARISON)
        cases = {case.get("name"): case for case in suite.iter("testcase")}
        self.assertEqual(set(KINDS), set(cases))
        failed = {name for name, case in cases.items() if case.find("failure") is not None}
        self.assertEqual({"calls", "errors", "files", "peers"}, failed)
        self.assertEqual(("9", "4"), (suite.get("tests"), suite.get("failures")))
        self.assertIn(HOSTILE, cases["files"][0].text or "")
        self.assertIn(_FIRST, suite.findtext("system-out") or "")

    def test_no_change(self) -> None:
        """Without a change, all pass."""
        suite = _suite(SAME)
        self.assertEqual("0", suite.get("failures"))
        self.assertEqual([], list(suite.iter("failure")))


class HtmlTests(SynchronousTestCase):
    """The page."""

    def test_page(self) -> None:
        """It loads nothing, shows both sides, and draws the durations that both sides have."""
        page = written(COMPARISON, "html", Presentation(origin="syswatch 1"))
        self.assertIn("default-src &#x27;none&#x27;", page)
        self.assertNotIn("<b>`", page)
        self.assertIn("412 read of /srv/&lt;b&gt;", page)
        # The three writes have no shape.
        self.assertEqual(1, page.count("<figure"))
        self.assertIn("63 calls before, 433 after", page)
        for text in ("syswatch 1", "not compared: bytes", "Calls side by side", "1,818 times"):
            self.assertIn(text, page)

    def test_no_change(self) -> None:
        """The page says that nothing changed."""
        page = written(SAME, "html", Presentation())
        self.assertIn("Nothing changed.", page)
        self.assertIn("All numbers were compared.", page)
