"""Tests of which calls have metrics of their own, and of the limit of series."""

import attrs
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.activity import ActivityKey, Sums
from syswatch.model.calls import CallTally
from syswatch.model.catalog.category import Category
from syswatch.model.delta import Delta
from syswatch.model.groups import GroupInfo, GroupKey
from syswatch.model.histogram import Histogram
from syswatch.model.ledger import Ledger
from syswatch.model.objects import ObjectInfo, ObjectKind
from syswatch.settings.access import Access
from syswatch.settings.metric_limits import BUCKETS, MetricLimits
from tests.views.group_trace import GROUPED, WEB
from tests.web.served import FakeSession, Served
from tests.web.test_metrics import OPEN, key, samples

OTHER = {"syscall": "other", "category": "mixed"}
MOST = 1000


def tally(*durations_ns: int, errors: int = 0) -> CallTally:
    """Return the tally of some durations."""
    return CallTally(
        count=len(durations_ns),
        errors=errors,
        total_ns=sum(durations_ns),
        histogram=Histogram.of(durations_ns),
    )


def calls(*numbers: int, repeat: int = 1) -> Delta:
    """Return a delta of some calls, whose durations grow with their number."""
    return Delta(
        calls={f"call{at:03}": tally(*[1000 + at] * repeat, errors=at % 2) for at in numbers}
    )


def everything() -> Delta:
    """Return a delta with more calls than exist, and each kind of object and of loss."""
    objects = [ObjectInfo(kind, f"{kind.value} x") for kind in ObjectKind]
    return attrs.evolve(
        calls(*range(500)),
        activity={
            ActivityKey(1, 1, each.id, "read"): Sums(1, 0, 1, 1, waiting_ns=1) for each in objects
        },
        objects={each.id: each for each in objects},
        ledger=Ledger(*(1 for _ in attrs.fields(Ledger))),
    )


class LimitTests(SynchronousTestCase):
    """The limit of series."""

    def test_default(self) -> None:
        """There are at most 1000 series by default, whatever a trace has."""
        served = Served(session=FakeSession.of(everything()))
        found = samples(served)
        categories = {labels for name, labels in found if name == "syswatch_time_seconds_total"}

        self.assertGreater(len(found), 800)
        # The calls of this trace are of one category.
        self.assertLessEqual(len(found) + len(Category) - len(categories), MOST)

    def test_each(self) -> None:
        """The limit is kept with any number of buckets, even the smallest possible one."""
        for buckets in BUCKETS:
            limits = MetricLimits(buckets=buckets)
            least = attrs.evolve(limits, series=limits.least_series)
            for each in (limits, least, MetricLimits(least.series + 500, buckets)):
                served = Served(Access(metrics=each), FakeSession.of(everything()))
                found = samples(served)

                self.assertLessEqual(len(found), each.series - len(Category) + 1, each)
                total = key("syscall_latency_seconds_count")[0]
                self.assertEqual(
                    500, sum(value for (name, _), value in found.items() if name == total)
                )


class RowTests(SynchronousTestCase):
    """The rows."""

    def test_other(self) -> None:
        """What has no row is in another one, so the sums over all rows are exact."""
        found = samples(Served(session=FakeSession.of(calls(*range(100)))))
        rows = {
            name: {labels: value for (each, labels), value in found.items() if each == name}
            for name in (
                "syswatch_syscall_calls_total",
                "syswatch_syscall_errors_total",
                "syswatch_syscall_latency_seconds_count",
                "syswatch_syscall_latency_seconds_sum",
            )
        }
        sums = {name: sum(values.values()) for name, values in rows.items()}

        self.assertEqual([85, 85, 20, 20], [len(values) for values in rows.values()])
        self.assertEqual(16, found[key("syscall_calls_total", **OTHER)])
        self.assertEqual(8, found[key("syscall_errors_total", **OTHER)])
        self.assertEqual(81, found[key("syscall_latency_seconds_count", **OTHER)])
        self.assertEqual([100, 50, 100], [*sums.values()][:3])
        self.assertAlmostEqual(
            sum(1000 + at for at in range(100)) / 1e9, [*sums.values()][3], places=12
        )

    def test_busiest(self) -> None:
        """The calls that took most time get the rows."""
        found = samples(Served(session=FakeSession.of(calls(*range(100)))))
        named = {
            dict(labels)["syscall"]
            for name, labels in found
            if name == "syswatch_syscall_latency_seconds_count"
        }

        self.assertEqual({"other", *(f"call{at:03}" for at in range(81, 100))}, named)

    def test_kept(self) -> None:
        """A call keeps its row, and one among the others stays there, so no counter decreases."""
        first = calls(*range(30))
        busier = first + calls(*range(10), repeat=1000) + calls(*range(200, 300))
        served = Served(session=FakeSession.of(first))
        before = samples(served)
        served.session.snapshot = FakeSession.of(busier).snapshot
        after = samples(served)

        for name, value in before.items():
            if name[0].startswith("syswatch_syscall_"):
                self.assertGreaterEqual(after[name], value, name)
        self.assertNotIn(
            key("syscall_latency_seconds_count", syscall="call000", category="OTHER"), after
        )

    def test_same_in_both(self) -> None:
        """Text and OpenMetrics have the same rows, whichever is asked for first."""
        served = Served(session=FakeSession.of(calls(*range(60))))
        first = served.get("/metrics", {"Accept": OPEN}).body.decode()
        served.session.snapshot = FakeSession.of(calls(*range(60, 120)) + calls(3)).snapshot

        self.assertIn('_count{category="OTHER",syscall="call059"}', first)
        self.assertNotIn(
            key("syscall_latency_seconds_count", syscall="call119", category="OTHER"),
            samples(served),
        )

    def test_named_other(self) -> None:
        """A call of a log that has the name of the others is one of them."""
        delta = Delta(calls={"other": tally(5), "read": tally(7)})
        found = samples(Served(session=FakeSession.of(delta)))

        self.assertEqual(1, found[key("syscall_calls_total", **OTHER)])
        self.assertNotIn(key("syscall_calls_total", syscall="other", category="OTHER"), found)


class GroupTests(SynchronousTestCase):
    """The metrics of groups."""

    def _served(self, delta: Delta, series: int = MOST) -> Served:
        limits = MetricLimits(series=series, groups=True)
        return Served(session=FakeSession.of(delta), access=Access(metrics=limits))

    def test_counters(self) -> None:
        """Each group has its calls, errors and times, and the groups beyond the limit too."""
        found = samples(self._served(GROUPED))
        for name, expected in (("calls", 610), ("errors", 5)):
            self.assertEqual(expected, found[key(f"group_{name}_total", group=WEB)])
        waiting = found[key("group_waiting_seconds_total", group=WEB)]
        self.assertAlmostEqual(5e-6, waiting)
        self.assertEqual(40, found[key("group_calls_total", group="other")])

    def test_without_groups(self) -> None:
        """A trace without groups has no such metric."""
        found = samples(Served(session=FakeSession.of(Delta(calls=GROUPED.calls))))
        self.assertFalse([name for name, _ in found if name.startswith("syswatch_group")])

    def test_limit(self) -> None:
        """However many groups there are, the limit holds, and the sum is exact."""
        groups = {GroupKey(f"docker:{at}", "read"): Sums(at + 1) for at in range(2000)}
        infos = {each.group: GroupInfo(name=each.group) for each in groups}
        delta = attrs.evolve(everything(), groups=groups, group_infos=infos)
        found = samples(self._served(delta))
        rows = {
            labels: n for (name, labels), n in found.items() if name == "syswatch_group_calls_total"
        }
        self.assertEqual(70, len(rows))
        self.assertEqual(2000 * 2001 // 2, sum(rows.values()))
        self.assertLessEqual(len(found), MOST)
        self.assertGreater(len(found), MOST - 60)
