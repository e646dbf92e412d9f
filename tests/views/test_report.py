"""Tests of the report."""

import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser

import attrs
from hypothesis import given
from hypothesis import strategies as st
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.calls import CallTally
from syswatch.model.delta import Delta, Span
from syswatch.model.entries import Failure
from syswatch.model.evidence import Evidence, EvidenceKey, EvidenceTally
from syswatch.model.ledger import Ledger
from syswatch.model.messages import Ended
from syswatch.model.process import ProcessInfo, ProcessTally
from syswatch.model.snapshot import Snapshot
from syswatch.profiles.needs import Wanted
from syswatch.profiles.summary import summary
from syswatch.views.profile_records import ProfileSummary
from syswatch.views.report import Provenance, report
from syswatch.views.report.chart import areas, timeline_of
from syswatch.views.report.markup import Markup, quantity, tag, text
from tests import strategies

from .snapshots import per_second, snapshot_of, tally

ORIGIN = Provenance("syswatch stats a.log", "1.2.3", "Linux 6.1", "2026-01-02 03:04:05 +0000")
ONCE = EvidenceTally(1)
HOSTILE = "<script>alert('x')</script>\"&"
DELTA = Delta(
    calls={"openat": tally(200, {"ENOENT": 150}), "read": tally(900)},
    window=per_second({"openat": [2] * 100, "read": [9] * 100}),
    paths={HOSTILE: 200, "/etc/hosts": 3},
    processes={7: ProcessTally(comm=HOSTILE, count=900), 9: ProcessTally(parent=7, count=200)},
    failures={"openat": (Failure(None, 9, "ENOENT", HOSTILE),)},
)


class Reader(HTMLParser):
    """A parser that keeps the elements and texts of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.words: list[str] = []
        self.open: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Record an element."""
        self.tags.append(tag)
        self.attributes += attrs
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Record its end, which must be that of the innermost one."""
        expected = self.open.pop()
        if expected != tag:
            raise AssertionError(f"{expected} is closed as {tag}")

    def handle_data(self, data: str) -> None:
        """Record text."""
        self.words.append(data)


def written(delta: Delta = DELTA, *, top_files: int = 0) -> str:
    """Return a report."""
    process = ProcessInfo(7, "prog", HOSTILE, "/bin/prog", "/")
    return report(snapshot_of(delta, process=process), origin=ORIGIN, top_files=top_files)


class ReportTests(SynchronousTestCase):
    """The whole file."""

    def test_sections(self) -> None:
        """A report has all sections."""
        page = written(top_files=5)
        words = " ".join(Reader(page).words)

        for title in (
            "Alerts",
            "Over time",
            "Categories",
            "Calls",
            "Call details",
            "Errors",
            "Top 5 files",
            "Processes",
            "Fidelity",
            "About this report",
        ):
            self.assertIn(f"<h2>{title}</h2>", page)
        for fact in ("syswatch stats a.log", "1.2.3", "Linux 6.1", "2026-01-02 03:04:05 +0000"):
            self.assertIn(fact, words)
        self.assertIn("openat: 75 % fail, mostly ENOENT", words)

    def test_only(self) -> None:
        """Filters are shown in the header and in the last section."""
        snapshot = snapshot_of(DELTA)
        snapshot = attrs.evolve(snapshot, source=attrs.evolve(snapshot.source, only="-e %file"))
        words = Reader(report(snapshot, origin=ORIGIN)).words
        self.assertIn("test, only -e %file · syswatch 1.2.3", " ".join(words))
        self.assertEqual("-e %file", words[words.index("Filters") + 1])

    def test_no_files_unless_wanted(self) -> None:
        """The table of files is optional."""
        self.assertNotIn("<h2>Top", written())

    def test_hostile_words(self) -> None:
        """A name that looks like HTML is escaped everywhere."""
        page = written(top_files=5)
        reader = Reader(page)

        self.assertEqual(1, reader.tags.count("script"))
        self.assertNotIn("<script>alert", page)
        self.assertIn(HOSTILE, reader.words)
        self.assertEqual([], reader.open)

    def test_self_contained(self) -> None:
        """The page loads nothing, and has no inline styles, which its policy forbids."""
        reader = Reader(written(top_files=5))
        names = {name for name, _ in reader.attributes}
        links = [value for name, value in reader.attributes if name == "href"]

        self.assertEqual(set(), names & {"src", "style", "onclick", "srcset", "data"})
        self.assertTrue(all(link and link.startswith("#") for link in links))
        self.assertNotIn("url(", written())

    def test_policy(self) -> None:
        """The policy names the style and the script by their hashes, and allows nothing else."""
        page = written()
        (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
        for element, directive in (("style", "style-src"), ("script", "script-src")):
            (content,) = re.findall(f"<{element}>(.*?)</{element}>", page, re.DOTALL)
            digest = b64encode(sha256(content.encode()).digest()).decode()
            self.assertIn(f"{directive} &#x27;sha256-{digest}&#x27;", policy)
        self.assertTrue(policy.startswith("default-src &#x27;none&#x27;"))

    def test_ledger(self) -> None:
        """A ledger that is not clean is explained."""
        self.assertIn("Every number is exact", written())
        self.assertIn("3 system calls", written(DELTA + Delta(ledger=Ledger(lost_events=3))))
        sampled = written(DELTA + Delta(ledger=Ledger(sampled_entries=3)))
        self.assertIn("Every number is exact", sampled)
        self.assertIn("3 calls counted but not kept", sampled)

    def test_ending(self) -> None:
        """The header has how the program ended, or that the trace was cut short."""
        running = snapshot_of(DELTA)
        for end, words in (
            (Ended(exit_code=3), "✕ exited with 3"),
            (Ended(exit_signal=11), "✕ killed by SIGSEGV"),
            (Ended(exit_code=0), "■ exited with 0"),
        ):
            page = report(attrs.evolve(running, done=True, end=end), origin=ORIGIN)
            self.assertIn(words, page.partition("</header>")[0])
        self.assertNotIn("exited", report(running, origin=ORIGIN))
        broken = report(attrs.evolve(running, trouble="the tracer is gone"), origin=ORIGIN)
        self.assertIn("✕ the tracer is gone", broken.partition("</header>")[0])
        self.assertIn("cut short: the numbers end there", broken)
        self.assertNotIn("exact", broken.partition('id="ledger"')[2])

    def test_words_on_one_call(self) -> None:
        """One call is in the singular, and without durations there is no time."""
        page = written(Delta(calls={"read": tally(1), "write": CallTally(count=2)}))
        self.assertIn("1 call, 0 failed; ", page)
        self.assertIn("2 calls, 0 failed; no duration was measured.", page)

    def test_size(self) -> None:
        """A report on hundreds of different calls can be mailed."""
        errnos = dict.fromkeys(("EIO", "ENOENT", "EINVAL", "EPERM", "EAGAIN"), 1)
        failure = Failure(None, 9, "EIO", "3, " + "x" * 80)
        calls = {f"call_{number}": tally(number + 5, errnos) for number in range(400)}
        page = written(Delta(calls=calls, failures=dict.fromkeys(calls, (failure,) * 50)))

        self.assertLess(len(page), 700_000)
        self.assertIn("Omitted here: the calls that took the least time (300).", page)
        self.assertIn("Omitted here: rarer failures (1,800).", page)

    def test_many_files(self) -> None:
        """Many files add little more than their names and numbers."""
        paths = {f"/srv/data/{number:04}": 5000 - number for number in range(5000)}
        few, many = (written(Delta(paths=paths), top_files=most) for most in (1, 5000))

        self.assertLess(len(many) - len(few), 5000 * 160)

    def test_histogram_as_on_the_page(self) -> None:
        """A duration is in the bar of its bucket's middle, as on the live page."""
        # Of this bucket, from 1408 to 1471 ns, the end lies in the bar after the one of its middle.
        page = written(Delta(calls={"read": tally(1, each_ns=1440)}))

        self.assertIn('<p class="axis"><span>1.22 µs</span>', page)

    def test_nothing_seen(self) -> None:
        """A trace without calls has a report."""
        page = written(Delta(), top_files=3)

        self.assertIn("No alerts.", page)
        self.assertIn("no errors", page)
        self.assertIn("No file was opened.", page)

    def test_circle_of_processes(self) -> None:
        """Reused PIDs may form a cycle; each process is shown once."""
        circle = {7: ProcessTally(parent=9, comm="a"), 9: ProcessTally(parent=7, comm="b", lives=2)}
        page = written(Delta(processes=circle))

        self.assertEqual(1, page.count("7 a<"))
        self.assertEqual(1, page.count("9 b \u00d72<"))

    @given(st.builds(Delta, st.just(DELTA.calls), window=strategies.windows))
    def test_any_window(self, delta: Delta) -> None:
        """Every window can be drawn."""
        self.assertEqual([], Reader(written(delta)).open)


class MarkupTests(SynchronousTestCase):
    """HTML as it is written."""

    def test_escaped(self) -> None:
        """Texts and attributes are escaped; markup is not escaped twice."""
        self.assertEqual('<b title="&quot;">&lt;</b>', tag("b", "<", title='"'))
        self.assertEqual("<b>&amp;</b>", text(tag("b", "&")))
        self.assertEqual("&amp;<i></i>", text(("&", Markup("<i></i>"))))

    def test_attributes(self) -> None:
        """Attributes that are None are omitted, and names may be reserved words."""
        self.assertEqual(
            '<p class="x" data-key="1"></p>', tag("p", class_="x", data_key="1", id=None)
        )

    def test_quantity(self) -> None:
        """The unit is set apart."""
        self.assertEqual('3<i class="unit">\u202fms</i>', quantity("3 ms"))
        self.assertEqual('<span title="3">3</span>', quantity("3", "3"))


class ChartTests(SynchronousTestCase):
    """The geometry."""

    def test_stack(self) -> None:
        """Areas are stacked, and the highest column fills the height."""
        paths, peak = areas([[1.0, 1.0], [2.0, 0.0]], 10)

        self.assertEqual(2.0, peak)
        self.assertEqual("M0,5.0V5.0H1V0.0H2V10.0H1V10.0H0Z", paths[0])
        self.assertEqual("M0,0.0V0.0H1V0.0H2V0.0H1V5.0H0Z", paths[1])

    def test_nothing(self) -> None:
        """Without calls nothing is drawn."""
        self.assertEqual(([], 0.0), areas([[0.0], [0.0]], 10))
        self.assertEqual(([], 0.0), areas([], 10))

    def test_bins(self) -> None:
        """A long timeline has averages over some seconds, which lose no call."""
        known = timeline_of(self._long())
        assert known is not None

        self.assertEqual(3, known.step)
        total = sum(sum(each.calls.values()) * known.step for each in known.bins)
        self.assertAlmostEqual(1800, total)

    def test_after_the_end(self) -> None:
        """Calls after the end of the trace, as in a forged recording, are drawn."""
        window = per_second({"read": [2] * 900})
        known = timeline_of(snapshot_of(Delta(window=window, span=Span(0, 1))))
        assert known is not None

        self.assertEqual(max(window.seconds), known.last)

    def test_no_clock(self) -> None:
        """A trace without timestamps has no timeline."""
        self.assertIsNone(timeline_of(snapshot_of(Delta())))

    def _long(self) -> Snapshot:
        return snapshot_of(Delta(window=per_second({"read": [2] * 900})))


class ProfileTests(SynchronousTestCase):
    """The section of the profile that the program needs."""

    def needed(self, evidence: Evidence) -> ProfileSummary:
        """Return what a program with this evidence needs."""
        snapshot = attrs.evolve(snapshot_of(DELTA), sums=Delta(evidence=evidence))
        return summary(snapshot, Wanted())

    def test_section(self) -> None:
        """It begins with the answer; dangers, notes and rules follow."""
        program = EvidenceKey("ptrace", (), "", HOSTILE)
        needs = self.needed({program: EvidenceTally(3, 10**18), EvidenceKey("ioctl"): ONCE})
        page = report(snapshot_of(DELTA), origin=ORIGIN, needs=needs)
        words = " ".join(Reader(page).words)
        places = [
            words.index(part)
            for part in (
                needs.verdict,
                "▲ ptrace  weakens the sandbox: controls other processes",
                "Note: The start of the program was not traced",
                f"made by {HOSTILE}; ▲ weakens the sandbox",
            )
        ]
        self.assertEqual(sorted(places), places)
        self.assertNotIn("<script>alert", page)

    def test_large(self) -> None:
        """The number of rules is limited, and the rest is counted."""
        many = {EvidenceKey("ioctl", (number,)): ONCE for number in range(700)}
        words = " ".join(Reader(self.page(many)).words)
        self.assertRegex(words, r"\d+ more rules omitted here\.")

    def page(self, evidence: Evidence) -> str:
        """Return the report with this evidence."""
        return report(snapshot_of(DELTA), origin=ORIGIN, needs=self.needed(evidence))

    def test_none(self) -> None:
        """Without evidence there is no such section."""
        self.assertNotIn("<h2>Profile</h2>", written())
        self.assertIn("<h2>Profile</h2>", self.page({}))
