"""Tests of the alerts in the summary."""

from collections.abc import Mapping

import attrs
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.delta import Delta
from syswatch.model.objects import ObjectInfo, ObjectKind
from syswatch.model.snapshot import Snapshot
from syswatch.views.budget.verdict import verdict
from syswatch.views.findings import findings
from syswatch.views.text_table import coloured, plain

from .budget.worlds import MS, WAL, Did, S, Thread, delta_of
from .snapshots import snapshot_of, tally

_LONG = ObjectInfo(ObjectKind.FILE, f"/srv/{'data/' * 20}orders.ibd")


def _lines(snapshot: Snapshot, width: int | None = None) -> list[str]:
    return list(findings(snapshot, plain, width))


def _failing(errnos: Mapping[str, int], path: str) -> Snapshot:
    """Return the snapshot of a program whose calls of access fail."""
    file = ObjectInfo(ObjectKind.PATH, path)
    thread = Thread([Did("access", file, working=MS, waits=100, errors=100)], user=9 * S)
    delta = delta_of(thread)
    return snapshot_of(attrs.evolve(delta, calls={"access": tally(100, errnos)}))


class FindingTests(SynchronousTestCase):
    """What is told below the verdict."""

    def test_nothing(self) -> None:
        """A program without alerts has no such lines."""
        self.assertEqual([], _lines(snapshot_of(Delta())))

    def test_severe(self) -> None:
        """At most three are shown, the most severe first, with their signs and colours."""
        calls = {name: tally(100, {"EACCES": 50}) for name in ("mkdir", "unlink", "rename")}
        snapshot = snapshot_of(Delta(calls={**calls, "openat": tally(9, {"EMFILE": 1})}))
        lines = _lines(snapshot)

        self.assertEqual(4, len(lines))
        self.assertTrue(lines[0].startswith("✕ openat failed with EMFILE"), lines)
        self.assertEqual("▲ mkdir: 50 % fail, mostly EACCES", lines[1])
        self.assertEqual("  and 1 more finding", lines[3])
        self.assertIn("\x1b[31m✕", next(findings(snapshot, coloured, None)))

    def test_slow(self) -> None:
        """A slow call is told if it matters and the verdict does not name it."""
        sync = Did("fsync", WAL, waiting=800 * MS, waits=9)
        make = Did("mkdir", working=150 * MS, waits=10)
        named = snapshot_of(delta_of(Thread([sync, make], user=S)))
        rare = snapshot_of(delta_of(Thread([make], user=60 * S)))

        self.assertEqual(["▲ mkdir takes 15 ms on average"], _lines(named))
        self.assertEqual([], _lines(rare))

    def test_failing(self) -> None:
        """Failures that are part of normal work are told if they are those of one object."""
        missing = {"ENOENT": 100}

        self.assertEqual(
            ["● access: 100 % fail, mostly ENOENT, mostly on /etc/app.conf"],
            _lines(_failing(missing, "/etc/app.conf")),
        )
        self.assertEqual([], _lines(_failing(missing, "/etc/ld.so.preload")))
        self.assertEqual([], _lines(_failing(missing, "")))
        self.assertTrue(_lines(_failing({"EACCES": 100}, "/etc/ld.so.preload")))

    def test_same_object(self) -> None:
        """The verdict on waits for a file says nothing of what failed on it."""
        sync = Did("fsync", WAL, waiting=8 * S, waits=2)
        write = Did("write", WAL, working=MS, errors=1)
        delta = delta_of(Thread([sync, write]))
        calls = {**delta.calls, "write": tally(1, {"ENOSPC": 1})}
        snapshot = snapshot_of(attrs.evolve(delta, calls=calls))
        self.assertIn(WAL.name, verdict(snapshot))
        (line,) = _lines(snapshot)
        self.assertTrue(line.startswith("✕ write failed with ENOSPC once"), line)

    def test_width(self) -> None:
        """Long names are cut in the middle."""
        (line,) = _lines(_failing({"EACCES": 100}, _LONG.name), 80)

        self.assertEqual(80, len(line))
        self.assertTrue(line.startswith("▲ access: 100 % fail, mostly EACCES, mostly on /srv/"))
        self.assertTrue(line.endswith("/orders.ibd"), line)
        (line,) = _lines(_failing({"EACCES": 100}, _LONG.name), 30)
        self.assertEqual(30, len(line))
