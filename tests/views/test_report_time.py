"""Tests of what the report shows of time, objects, threads and slow calls."""

import re

import attrs
from hypothesis import given
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.activity import ActivityKey, Sums
from syswatch.model.delta import Delta
from syswatch.model.ledger import Ledger
from syswatch.model.objects import ObjectInfo, ObjectKind
from syswatch.model.preferences import Preferences, ShareOf
from syswatch.model.threads import ThreadTally, ThreadTimes, Wait
from syswatch.model.timeline import Timeline
from syswatch.views.budget.states import TimeState
from syswatch.views.budget.verdict import verdict
from syswatch.views.report import report
from syswatch.views.report.objects import MOST_OBJECTS
from tests import strategies

from .app_trace import BEGIN_NS, DATABASE, FILE, LIBRARIES, MS_NS, PIPE, app_trace
from .snapshots import snapshot_of, tally
from .test_report import HOSTILE, ORIGIN, Reader


def section(page: str, title: str) -> str:
    """Return the markup of a section."""
    (found,) = re.findall(f"<section><h2>{title}</h2>(.*?)</section>", page, re.DOTALL)
    return str(found)


def written(delta: Delta) -> str:
    """Return a report."""
    return report(snapshot_of(delta, done=True), origin=ORIGIN)


def words(markup: str) -> str:
    """Return the text of some markup, with common spaces."""
    return "".join(Reader(f"<div>{markup}</div>").words).replace("\u202f", " ")


def rows(markup: str) -> list[str]:
    """Return the text of each row of a table, without the titles."""
    found = re.findall("<tr>(.*?)</tr>", markup, re.DOTALL)
    return [words(row.replace("</td>", " </td>")) for row in found if "<td" in row]


class BudgetTests(SynchronousTestCase):
    """The verdict and the time budget."""

    def setUp(self) -> None:
        """Write a report."""
        self.page = written(app_trace())
        self.budget = section(self.page, "Where the time went")

    def test_verdict_first(self) -> None:
        """The verdict that every view shows is in the header, before all numbers."""
        text = verdict(snapshot_of(app_trace(), done=True))

        self.assertIn("10.0.0.5:5432", text)
        self.assertIn(text, self.page.partition("</header>")[0])

    def test_states(self) -> None:
        """Each state has its time and share, and consists of kinds of objects or of reasons."""
        titles = re.findall(r'class="chip state-\w+">([^<]+)<', self.budget)
        blocked, *_, idle = rows(self.budget)

        self.assertEqual([state.title for state in TimeState], titles)
        self.assertIn("TCP peers 3.1 s · files 800 ms · pipes 200 ms", blocked)
        self.assertIn("waits for connections 6 s", idle)

    def test_shares(self) -> None:
        """Shares are of busy time unless another whole is preferred."""
        blocked, *_, idle = rows(self.budget)
        self.assertIn("81.9 %", blocked)
        self.assertNotIn("%", idle)
        self.assertIn("11 s of 4 threads in all; shares are of busy time.", self.budget)

        preferences = Preferences(share=ShareOf.WALL)
        snapshot = attrs.evolve(snapshot_of(app_trace()), preferences=preferences)
        page = report(snapshot, origin=ORIGIN)
        blocked, *_, idle = rows(section(page, "Where the time went"))
        self.assertIn("37.3 %", blocked)
        self.assertIn("54.5 %", idle)
        self.assertIn("shares are of wall time.", page)

    def test_left_out(self) -> None:
        """If a filter leaves calls out, the titles do not say that their time is own code."""
        snapshot = snapshot_of(app_trace(), done=True)
        source = attrs.evolve(snapshot.source, only="-e openat")
        page = report(attrs.evolve(snapshot, source=source), origin=ORIGIN)
        self.assertNotIn("Own code", page)
        for title in ("Where the time went", "Threads"):
            self.assertIn("Outside", section(page, title))

    def test_bar(self) -> None:
        """The bar has a segment for each state and kind, which together fill it."""
        (bar,) = re.findall(r'<figure class="whole">(.*?)</figure>', self.budget)
        widths = [float(width) for width in re.findall(r'<rect x="[\d.]+" width="([\d.]+)"', bar)]

        self.assertEqual(8, len(widths))
        self.assertAlmostEqual(1000, sum(widths), places=0)
        self.assertIn("Blocked, TCP peers: 3.1 s, 28.2 %", bar)

    def test_history(self) -> None:
        """A short trace has a history of 10 ms intervals, with the time since its beginning."""
        self.assertIn("threads by state", self.budget)
        self.assertIn("peak 4", self.budget)
        self.assertIn("<span>0 s</span><span>2.1 s</span><span>4.2 s</span>", self.budget)

    def test_long_history(self) -> None:
        """A long trace has the time of day, and averages over some seconds."""
        timeline = sum(
            (
                Timeline.at(
                    BEGIN_NS + at * 1000 * MS_NS,
                    {1: ThreadTimes(user_ns=500 * MS_NS)},
                    bin_ms=1000,
                )
                for at in range(800)
            ),
            start=Timeline(),
        )
        threads = {1: ThreadTally(1, "a", ThreadTimes(user_ns=400_000 * MS_NS))}
        page = written(Delta(threads=threads, timeline=timeline, calls={"read": tally(1)}))
        budget = section(page, "Where the time went")

        self.assertIn("peak 0.5", budget)
        self.assertEqual(3, len(re.findall(r"<span>\d\d:\d\d:\d\d</span>", budget)))

    def test_estimated(self) -> None:
        """Estimates are marked; the wall time of threads and durations of calls are exact."""
        page = written(app_trace() + Delta(ledger=Ledger(estimated_waits=3)))
        budget = section(page, "Where the time went")

        self.assertIn("about 4.1 s", rows(budget)[0])
        self.assertIn(">11 s of 4 threads in all", budget)
        for title in ("Objects", "Threads"):
            self.assertIn("The times are estimates.", section(page, title))
            self.assertNotIn("estimates", section(self.page, title))
        self.assertIn("Durations are exact", section(page, "Slowest calls"))
        self.assertNotIn("about", self.budget)

    def test_no_times(self) -> None:
        """A trace without durations tells why nothing is known."""
        page = written(Delta(calls={"read": attrs.evolve(tally(0), count=2)}))

        self.assertIn("<p", section(page, "Where the time went"))
        self.assertNotIn("<svg", section(page, "Where the time went"))
        for title in ("Objects", "Threads", "Slowest calls"):
            self.assertIn("does not record objects and waits", section(page, title))


class NeverReturnedTests(SynchronousTestCase):
    """A trace that ended while its only thread was in its first call."""

    def setUp(self) -> None:
        """Write a report."""
        waiting = {Wait(DATABASE.id, "recvfrom"): 9_000 * MS_NS}
        threads = {1: ThreadTally(1, "app", ThreadTimes(waiting=waiting))}
        self.page = written(Delta(threads=threads, objects={DATABASE.id: DATABASE}))

    def test_wait(self) -> None:
        """The wait is in the verdict, the headline numbers, and the tables."""
        self.assertIn(DATABASE.name, self.page.partition("</header>")[0])
        self.assertIn("9 stime in calls", words(self.page))
        for title, name in (("Objects", DATABASE.name), ("Calls", "recvfrom")):
            (row,) = rows(section(self.page, title))
            self.assertIn(name, row)
            self.assertIn("9 s", row)

    def test_no_calls(self) -> None:
        """What is about calls that have returned says that there are none."""
        for title in ("Slowest calls", "Over time", "Categories", "Call details"):
            self.assertIn("No system call has returned.", section(self.page, title))


class ObjectTests(SynchronousTestCase):
    """The objects, the threads and the slowest calls."""

    def setUp(self) -> None:
        """Write a report."""
        self.page = written(app_trace())

    def test_objects(self) -> None:
        """The costliest objects come first, with waits, calls, bytes and the reason."""
        found = rows(section(self.page, "Objects"))

        self.assertEqual(4 + len(LIBRARIES), len(found))
        for part in (DATABASE.name, "TCP peer", "3.1 s", "40", "160 KiB", "waits for the peer"):
            self.assertIn(part, found[0])
        self.assertIn(FILE.name, found[1])
        self.assertIn(f"{PIPE.name} ({PIPE.detail})", found[2])

    def test_many_objects(self) -> None:
        """Beyond a limit, the cheapest are left out, and their number is given."""
        infos = [ObjectInfo(ObjectKind.FILE, f"/{at}") for at in range(1000)]
        delta = Delta(
            activity={ActivityKey(1, 1, info.id, "read"): Sums(1) for info in infos},
            objects={info.id: info for info in infos},
        )
        found = section(written(delta), "Objects")

        self.assertEqual(MOST_OBJECTS, len(rows(found)))
        self.assertIn("Omitted here: objects (800).", found)

    def test_threads(self) -> None:
        """The busiest threads come first; the longest one fills its bar."""
        found = rows(section(self.page, "Threads"))

        for row, name in zip(found, ("41 app", "42 worker-1", "43 w", "44 l"), strict=True):
            self.assertTrue(row.startswith(name), row)

    def test_slowest(self) -> None:
        """The slowest calls have their arguments, results, objects, times and threads."""
        found = rows(section(self.page, "Slowest calls"))

        self.assertEqual(50, len(found))
        self.assertIn('accept4(3, "GET /items/29', found[0])
        self.assertIn("= 4096", found[0])
        self.assertIn("listening on 0.0.0.0:8080", found[0])
        self.assertIn('<span class="chip state-idle">', section(self.page, "Slowest calls"))

    def test_slowest_of_a_call(self) -> None:
        """The details of a call have its own slowest ones."""
        (details,) = re.findall(r'<details id="call-fsync">(.*?)</details>', self.page, re.DOTALL)

        self.assertEqual(10, details.count("fsync(3, "))

    def test_hostile_names(self) -> None:
        """Names of objects and threads are escaped."""
        info = ObjectInfo(ObjectKind.FILE, HOSTILE, detail=HOSTILE)
        delta = Delta(
            activity={ActivityKey(1, 1, info.id, "read"): Sums(1, waiting_ns=9)},
            objects={info.id: info},
            threads={1: ThreadTally(1, HOSTILE, ThreadTimes(user_ns=9))},
        )
        reader = Reader(written(delta))

        self.assertEqual(1, reader.tags.count("script"))
        self.assertIn(HOSTILE, reader.words)

    @given(strategies.deltas)
    def test_any(self, delta: Delta) -> None:
        """Every delta has a report."""
        self.assertEqual([], Reader(written(delta)).open)
