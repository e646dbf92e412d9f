"""Tests of the alert on threads that are blocked for long."""

from collections.abc import Mapping

import attrs
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.activity import ActivityKey, Sums
from syswatch.model.delta import Delta
from syswatch.model.now import Doing, Now, ThreadNow
from syswatch.model.objects import ObjectInfo, ObjectKind, Side
from syswatch.model.snapshot import Snapshot
from syswatch.model.threads import ThreadTally, ThreadTimes, Wait
from syswatch.model.times import SECOND_NS
from syswatch.views.alerts import Alert, Severity, alerts
from syswatch.views.alerts.blocked import LONG_S, MOST_GROUPS

from .snapshots import BEGIN_S, per_second, snapshot_of

NOW_NS = (BEGIN_S + 101) * SECOND_NS
PEER = ObjectInfo(ObjectKind.TCP, "10.0.0.5:5432", side=Side.CLIENT)
FILE = ObjectInfo(ObjectKind.FILE, "/var/lib/app/db.wal")
CLIENT = ObjectInfo(ObjectKind.TCP, "10.0.0.9 -> :80", side=Side.SERVER)
SLEEP = ObjectInfo(ObjectKind.SLEEP, "30 s")


def waiting(info: ObjectInfo, call: str, seconds: float, args: str = "") -> ThreadNow:
    """Return a thread that has been waiting for some time."""
    since_ns = NOW_NS - round(seconds * SECOND_NS)
    return ThreadNow(1, "app", Doing.IN_CALL, call, since_ns, waits=True, object=info.id, args=args)


def snapshot(threads: Mapping[int, ThreadNow], *infos: ObjectInfo) -> Snapshot:
    """Return a snapshot of some threads."""
    return snapshot_of(
        Delta(now=Now(NOW_NS, threads), objects={info.id: info for info in infos or OBJECTS})
    )


OBJECTS = (PEER, FILE, CLIENT, SLEEP)


class BlockedTests(SynchronousTestCase):
    """Threads that wait within their work."""

    def _only(self, threads: Mapping[int, ThreadNow]) -> Alert:
        (alert,) = alerts(snapshot(threads))
        self.assertEqual("blocked", alert.kind)
        return alert

    def test_one(self) -> None:
        """The alert names the call, the object, the time, the thread and the arguments."""
        alert = self._only({7: waiting(PEER, "recvfrom", 16, "3, 0x7f, 5, 0")})

        self.assertEqual("Blocked for 16s in recvfrom on 10.0.0.5:5432 (TCP)", alert.title)
        self.assertTrue(alert.why.startswith("Thread 7 app: recvfrom(3, 0x7f, 5, 0). "), alert.why)
        self.assertEqual((Severity.WARNING, "recvfrom"), (alert.severity, alert.call))
        self.assertEqual((PEER.id, ""), (alert.object, alert.path))

    def test_limit(self) -> None:
        """A wait that has lasted for less than five seconds is none."""
        self.assertEqual((), alerts(snapshot({7: waiting(PEER, "read", LONG_S - 0.001)})))
        self._only({7: waiting(PEER, "read", LONG_S)})

    def test_since_before_the_trace(self) -> None:
        """A call that began before the trace has lasted for as long as its thread was traced."""
        thread = attrs.evolve(waiting(PEER, "recvfrom", 0), since_ns=None)
        for seconds, titles in (
            (4, []),
            (16, ["Blocked for at least 16s in recvfrom on 10.0.0.5:5432 (TCP)"]),
        ):
            times = ThreadTimes(waiting={Wait(PEER.id, "recvfrom"): seconds * SECOND_NS})
            delta = Delta(
                now=Now(NOW_NS, {7: thread}),
                objects={PEER.id: PEER},
                threads={7: ThreadTally(1, "app", times)},
            )
            self.assertEqual(titles, [alert.title for alert in alerts(snapshot_of(delta))])

    def test_several(self) -> None:
        """Threads that wait for the same object in the same call are one alert."""
        times = {1: 6.0, 2: 90.0, 3: 7.0, 4: 1.0}
        alert = self._only({tid: waiting(FILE, "fsync", each) for tid, each in times.items()})

        self.assertEqual(
            "3 threads blocked for up to 1m30s in fsync on /var/lib/app/db.wal", alert.title
        )
        self.assertEqual(FILE.name, alert.path)
        self.assertIn("Thread 2 app", alert.why)

    def test_idle(self) -> None:
        """Threads that wait for work are never an alert, nor are those that do not wait."""
        request = waiting(CLIENT, "read", 3600)
        working = attrs.evolve(waiting(PEER, "read", 3600), waits=False)

        self.assertEqual((), alerts(snapshot({1: request, 2: working})))

    def test_deliberate(self) -> None:
        """A sleep is a notice, as it takes as long as was asked for."""
        alert = self._only({1: waiting(SLEEP, "clock_nanosleep", 20)})

        self.assertEqual(Severity.NOTICE, alert.severity)
        self.assertEqual("Blocked for 20s in clock_nanosleep of 30 s", alert.title)

    def test_no_object(self) -> None:
        """Without an object, the call alone is named."""
        thread = attrs.evolve(waiting(FILE, "mount", 9), object=0)

        self.assertEqual("Blocked for 9 s in mount", self._only({1: thread}).title)

    def test_long_arguments(self) -> None:
        """Arguments are cut."""
        alert = self._only({1: waiting(PEER, "sendto", 9, "x" * 4096)})

        self.assertIn("xxx…). ", alert.why)
        self.assertLess(len(alert.why), 600)

    def test_many(self) -> None:
        """Of many objects, those with the longest waits are shown."""
        files = [ObjectInfo(ObjectKind.FILE, f"/data/{number}") for number in range(30)]
        threads = {tid: waiting(info, "fsync", 10 + tid) for tid, info in enumerate(files, start=1)}
        found = alerts(snapshot(threads, *files))

        self.assertEqual(MOST_GROUPS, len(found))
        expected = {info.name for info in files[-MOST_GROUPS:]}
        self.assertEqual(expected, {alert.path for alert in found})

    def test_steady_order(self) -> None:
        """The order does not change while the times grow."""
        orders = []
        for seconds in (6, 8, 10, 99, 101):
            threads = {
                tid: waiting(info, "read", seconds + tid)
                for tid, info in enumerate(OBJECTS[:2], start=1)
            }
            orders.append([alert.object for alert in alerts(snapshot(threads))])
        self.assertEqual(1, len(set(map(tuple, orders))))

    def test_ended(self) -> None:
        """After the end of the trace there is none."""
        delta = Delta(now=Now(NOW_NS, {1: waiting(PEER, "read", 9)}), objects={PEER.id: PEER})

        self.assertEqual((), alerts(snapshot_of(delta, done=True)))


class LoadEndsTests(SynchronousTestCase):
    """What the alert on a rate that falls adds about the threads."""

    def _why(self, *threads: ThreadNow) -> str:
        delta = Delta(
            window=per_second({"read": [100] * 90 + [0] * 11}),
            now=Now(NOW_NS, dict(enumerate(threads, start=1))),
            objects={info.id: info for info in OBJECTS},
            activity={ActivityKey(1, 1, PEER.id, "read"): Sums(9000)},
        )
        (why,) = (alert.why for alert in alerts(snapshot_of(delta)) if alert.kind == "rate")
        return why

    def test_without_work(self) -> None:
        """If all threads are idle, it tells why."""
        self.assertIn(
            "All threads are idle now: waits for requests. Harmless",
            self._why(waiting(CLIENT, "read", 11), waiting(CLIENT, "recvfrom", 2)),
        )

    def test_stuck(self) -> None:
        """If threads are blocked, it tells in which call, on what."""
        self.assertIn(
            "Blocked now: 1 of 2 threads, in read on 10.0.0.5:5432 (TCP). Harmless",
            self._why(waiting(PEER, "read", 2), waiting(CLIENT, "recvfrom", 2)),
        )

    def test_unknown(self) -> None:
        """If nothing is known of the threads, it adds nothing."""
        self.assertTrue(self._why().startswith("Among them: read. Harmless"))
