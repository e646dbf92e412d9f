"""Tests of the objects that alerts name."""

from collections.abc import Mapping

from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.activity import ActivityKey, Sums
from syswatch.model.delta import Delta
from syswatch.model.objects import ObjectInfo, ObjectKind, Side
from syswatch.views.alerts import Alert, alerts
from syswatch.views.alerts.slow import SLOW_AVERAGE_NS

from .snapshots import snapshot_of, tally

FILE = ObjectInfo(ObjectKind.FILE, "/data/db.wal")
OTHER = ObjectInfo(ObjectKind.FILE, "/data/other")
PEER = ObjectInfo(ObjectKind.TCP, "127.0.0.1:5432", side=Side.CLIENT)


class CulpritTests(SynchronousTestCase):
    """The object on which most of the time is spent, or most failures occur."""

    def _only(self, call: str, errnos: Mapping[str, int], *rows: tuple[ObjectInfo, Sums]) -> Alert:
        activity = {
            ActivityKey(1, tid, info.id, call): sums for tid, (info, sums) in enumerate(rows)
        }
        delta = Delta(
            calls={call: tally(100, errnos, each_ns=1 if errnos else 2 * SLOW_AVERAGE_NS)},
            activity=activity,
            objects={info.id: info for info, _ in rows},
        )
        (alert,) = alerts(snapshot_of(delta))
        return alert

    def test_slow(self) -> None:
        """A slow call names the object on which its threads spend most of its time."""
        alert = self._only(
            "fsync",
            {},
            (FILE, Sums(1, waiting_ns=20)),
            (FILE, Sums(1, working_ns=31)),
            (OTHER, Sums(90, waiting_ns=50)),
        )

        self.assertEqual("fsync takes 20 ms on average, mostly on /data/db.wal", alert.title)
        self.assertEqual((FILE.id, FILE.name), (alert.object, alert.path))

    def test_failing(self) -> None:
        """A failing call names the object on which most of the failures occur."""
        alert = self._only(
            "connect",
            {"ECONNREFUSED": 90},
            (PEER, Sums(60, errors=60)),
            (OTHER, Sums(40, errors=30, waiting_ns=10**9)),
        )

        self.assertEqual(
            "connect: 90 % fail, mostly ECONNREFUSED, mostly on 127.0.0.1:5432 (TCP)", alert.title
        )
        self.assertEqual((PEER.id, ""), (alert.object, alert.path))

    def test_exhausted(self) -> None:
        """A full disk is named by the file."""
        alert = self._only("write", {"ENOSPC": 2}, (FILE, Sums(2, errors=2)))

        self.assertEqual("write failed with ENOSPC 2 times on /data/db.wal", alert.title)

    def test_several_errnos(self) -> None:
        """With several errnos, the object of the exhausted one is not known."""
        alert = self._only("write", {"ENOSPC": 1, "EAGAIN": 2}, (PEER, Sums(3, errors=2)))

        self.assertEqual("write failed with ENOSPC once", alert.title)

    def test_none(self) -> None:
        """Without one object that stands out, none is named, nor is one that stands for many."""
        rest = ObjectInfo(ObjectKind.FILE)
        third = ObjectInfo(ObjectKind.FILE, "/data/third")
        for rows in (
            [(each, Sums(1, waiting_ns=10)) for each in (FILE, OTHER, third)],
            [(FILE, Sums(1, waiting_ns=10)), (rest, Sums(1, waiting_ns=90))],
        ):
            alert = self._only("fsync", {}, *rows)
            self.assertEqual("fsync takes 20 ms on average", alert.title)
            self.assertEqual((0, ""), (alert.object, alert.path))
