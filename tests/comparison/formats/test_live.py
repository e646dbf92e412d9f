"""Tests of the JSON document of a trace that is compared with baselines."""

import json
from typing import Any

import attrs
from twisted.trial.unittest import SynchronousTestCase

from syswatch.comparison.changes import changes
from syswatch.comparison.formats import Presentation, written
from syswatch.comparison.formats.live import live_document
from syswatch.comparison.of_delta import run_of_delta, run_of_snapshot
from syswatch.model.calls import CallTally
from syswatch.model.delta import Delta
from syswatch.model.histogram import Histogram
from syswatch.model.snapshot import Snapshot
from syswatch.views.records import encode
from tests.recording.samples import SOME, delta_of
from tests.web.served import snapshot_of

US = 1000


def _timed(name: str, duration_ns: int, count: int = 400) -> Delta:
    spent = [duration_ns + 10 * number for number in range(count)]
    tally = CallTally(
        count=count,
        total_ns=sum(spent),
        min_ns=spent[0],
        max_ns=spent[-1],
        histogram=Histogram.of(spent),
    )
    return Delta(calls={name: tally})


def _document(before: Delta, after: Snapshot, most: int = 1000) -> Any:
    baselines = [run_of_delta(before, f"old{number}") for number in range(3)]
    return json.loads(encode(live_document(baselines, after, most)))


class LiveTests(SynchronousTestCase):
    """A trace, while it is running and after its end."""

    def test_nothing(self) -> None:
        """The first line says that this may change, unless the trace has ended."""
        after = snapshot_of(delta_of(SOME))
        running = _document(delta_of(SOME), after)
        self.assertRegex(running["Verdict"], r"^No change so far: [\d,]+ numbers compared$")
        self.assertTrue(running["Running"])
        self.assertIn("missing so far", running["Notes"][0])
        ended = _document(delta_of(SOME), attrs.evolve(after, done=True))
        self.assertRegex(ended["Verdict"], r"^No change: [\d,]+ numbers compared$")
        self.assertEqual((False, []), (ended["Running"], ended["Notes"]))

    def test_ended(self) -> None:
        """At its end, the document has all that `syswatch diff --format json` writes."""
        before, after = delta_of(SOME), snapshot_of(delta_of(SOME[:3]), _timed("fsync", US))
        after = attrs.evolve(after, done=True)
        run = run_of_snapshot(after, "cat (PID 42)")
        compared = changes([run_of_delta(before, f"old{number}") for number in range(3)], [run])
        plain = json.loads(written(compared, "json", Presentation()))
        found = _document(before, after)
        self.assertEqual(plain, {key: found[key] for key in plain})
        self.assertTrue(any(each["Difference"] < 0 for each in found["Changes"]))

    def test_text(self) -> None:
        """Each change has its text at the same place."""
        found = _document(Delta(), snapshot_of(delta_of(SOME)))
        self.assertEqual(len(found["Changes"]), len(found["Rows"]))
        for change, row in zip(found["Changes"], found["Rows"], strict=True):
            self.assertEqual(change["Kind"], row["Kind"])
            self.assertIn(change["Name"], row["Subject"])
            self.assertEqual(change["Before"]["Most"] == 0, row["Change"] == "new")

    def test_limit(self) -> None:
        """Of many changes the first ones are listed, and no sentence refers to others."""
        whole = _document(Delta(), snapshot_of(delta_of(SOME)))
        cut = _document(Delta(), snapshot_of(delta_of(SOME)), 2)
        self.assertEqual(whole["Changes"][:2], cut["Changes"])
        self.assertEqual((len(whole["Changes"]), 2), (cut["Total"], len(cut["Rows"])))
        places = {
            place for each in cut["Findings"] for place in (*each["Changes"], *each["Consequences"])
        }
        self.assertLessEqual(places, {0, 1})

    def test_durations(self) -> None:
        """Both distributions are there for a call whose time changed, and for no other."""
        before = _timed("fsync", 20 * US) + _timed("read", US)
        after = _timed("fsync", 90 * US) + _timed("read", US)
        (found,) = _document(before, snapshot_of(after))["Durations"]
        self.assertEqual("fsync", found["Name"])
        totals = [sum(number for _, number in found[key]) for key in ("Before", "After")]
        self.assertEqual([3 * 400, 400], totals)
        self.assertLess(max(found["Before"])[0], min(found["After"])[0])

    def test_range(self) -> None:
        """What a range of the trace lacks is no change, also after the end."""
        whole = attrs.evolve(snapshot_of(delta_of(SOME)), done=True)
        part = attrs.evolve(snapshot_of(delta_of(SOME[:2])), done=True, part_of=whole)
        found = _document(delta_of(SOME), part)
        self.assertTrue(found["Part"])
        self.assertEqual([], found["Changes"])
        self.assertIn("only a range", found["Notes"][0])
