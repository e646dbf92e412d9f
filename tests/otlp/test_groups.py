"""Tests of the metrics of groups of processes in requests."""

from typing import Any

import attrs
from opentelemetry.proto.metrics.v1.metrics_pb2 import Metric
from opentelemetry.proto.resource.v1.resource_pb2 import Resource
from twisted.trial.unittest import SynchronousTestCase

from syswatch.model.activity import Sums
from syswatch.model.delta import Delta
from syswatch.model.groups import GroupInfo, GroupKey, GroupKind
from syswatch.otlp.attributes import scope
from syswatch.otlp.groups import group_attributes
from syswatch.otlp.metrics import Interval, Series, metrics_request
from syswatch.views.group_metrics import GroupMetrics
from tests.otlp.reading import labels_of, values_of
from tests.views.group_trace import DB, GROUPED, SSH, WEB
from tests.web.served import snapshot_of

_ID = "724f0c3e" * 8
_UID = "0b1f6e2c-6f0d-4a35-9a33-0f4c6d1a7e55"
_ATTRIBUTES: tuple[tuple[GroupInfo, dict[str, str]], ...] = (
    (
        GroupInfo(GroupKind.CONTAINER, "web", "docker", container="web", id=_ID),
        {"container.name": "web", "container.runtime.name": "docker"},
    ),
    (
        GroupInfo(
            *(GroupKind.CONTAINER, "shop/db-0/postgres", "containerd", "shop", "db-0", "postgres"),
            id=_ID,
        ),
        {
            "k8s.namespace.name": "shop",
            "k8s.pod.name": "db-0",
            "k8s.container.name": "postgres",
            "container.runtime.name": "containerd",
        },
    ),
    (
        GroupInfo(GroupKind.POD, "shop/db-0", "cri-o", "shop", "db-0", id=_UID),
        {
            "k8s.namespace.name": "shop",
            "k8s.pod.name": "db-0",
            "container.runtime.name": "cri-o",
        },
    ),
    # Neither the names of the pod nor of the container are known.
    (
        GroupInfo(*(GroupKind.CONTAINER, f"?/{_UID}/{_ID[:12]}", "", "?", _UID, _ID[:12]), id=_ID),
        {"k8s.pod.uid": _UID, "container.id": _ID},
    ),
    # A short name may be the beginning of an ID.
    (
        GroupInfo(GroupKind.CONTAINER, _ID[:2], "docker", container=_ID[:2], id=_ID),
        {"container.name": _ID[:2], "container.runtime.name": "docker"},
    ),
    (
        GroupInfo(GroupKind.CGROUP, "/mine/a", path="/mine/a"),
        {"process.linux.cgroup": "0::/mine/a"},
    ),
    (GroupInfo(GroupKind.PROCESS, "nginx"), {"process.executable.name": "nginx"}),
    (GroupInfo(GroupKind.UNIT, "ssh.service"), {}),
)


def _metrics(groups: GroupMetrics, *deltas: Delta) -> dict[str, Metric]:
    snapshot = snapshot_of(*deltas)
    request = metrics_request(snapshot, Series(groups), Resource(), scope(), Interval(1, 2))
    return {each.name: each for each in request.resource_metrics[0].scope_metrics[0].metrics}


def _attributes(metric: Metric) -> dict[str, dict[str, Any]]:
    """Return the attributes of each group."""
    kind = getattr(metric, metric.WhichOneof("data") or "sum")
    found = map(labels_of, kind.data_points)
    return {labels.pop("group"): labels for labels in found}


class GroupTests(SynchronousTestCase):
    """The metrics of a trace with groups."""

    def test_counts(self) -> None:
        """Counts and times are exact, and add up to those of all groups."""
        metrics = _metrics(GroupMetrics.at_most(9), GROUPED)
        self.assertEqual(
            {WEB: 610, DB: 250, SSH: 100, "other": 40},
            values_of(metrics["syswatch.group.calls"], "group"),
        )
        self.assertEqual(5, values_of(metrics["syswatch.group.errors"], "group")[WEB])
        self.assertEqual(6.5e-06, values_of(metrics["syswatch.group.time"], "group")[WEB])
        self.assertEqual(5e-06, values_of(metrics["syswatch.group.waiting"], "group")[WEB])
        self.assertEqual("s", metrics["syswatch.group.waiting"].unit)

    def test_bounded(self) -> None:
        """Groups beyond the limit are in one series; a group that has one keeps it."""
        groups = GroupMetrics.at_most(2)
        calls = _metrics(groups, GROUPED)["syswatch.group.calls"]
        self.assertEqual({WEB: 610, "other": 390}, values_of(calls, "group"))
        busier = attrs.evolve(GROUPED, groups={GroupKey(SSH, "read"): Sums(9_000)})
        calls = _metrics(groups, GROUPED, busier)["syswatch.group.calls"]
        self.assertEqual({WEB: 610, "other": 9_390}, values_of(calls, "group"))

    def test_none(self) -> None:
        """Without groups, no metric of them is sent."""
        names = _metrics(GroupMetrics.at_most(9), Delta(calls=GROUPED.calls))
        self.assertEqual([], [name for name in names if "group" in name])

    def test_attributes(self) -> None:
        """Attributes are named as by semantic conventions; what is not known is left out."""
        for info, expected in _ATTRIBUTES:
            found = {name: text for name, text in group_attributes(info).items() if text}
            self.assertEqual(expected, found, info.name)
        attributes = _attributes(_metrics(GroupMetrics.at_most(9), GROUPED)["syswatch.group.calls"])
        self.assertEqual(
            {"container.name": "web", "container.runtime.name": "docker"}, attributes[WEB]
        )
        self.assertEqual(({}, {}), (attributes[SSH], attributes["other"]))

    def test_restart(self) -> None:
        """A container that is made again continues its series; only its ID is another one."""
        again = GroupInfo(
            GroupKind.CONTAINER, "web", "docker", container="web", id=_ID, path="/other", lives=1
        )
        later = Delta(groups={GroupKey(WEB, "read"): Sums(1)}, group_infos={WEB: again})
        groups = GroupMetrics.at_most(9)
        before, after = _metrics(groups, GROUPED), _metrics(groups, GROUPED, later)
        for name in ("calls", "errors", "time", "waiting"):
            self.assertEqual(
                *(_attributes(each[f"syswatch.group.{name}"]) for each in (before, after))
            )
        self.assertEqual(611, values_of(after["syswatch.group.calls"], "group")[WEB])
        ids = [_attributes(each["syswatch.group.info"])[WEB] for each in (before, after)]
        self.assertEqual([{"container.id": "724f"}, {"container.id": _ID}], ids)
