"""
Attributes of groups of processes, named as semantic conventions name them.

A row continues when a container is restarted or made again.  So the attributes of its sums are
those that its name is made of: one that changed would begin another series, whose total would have
been counted before.  The ID of the newest container is in a metric of its own, which is no sum.
"""

from collections.abc import Iterable, Iterator

from opentelemetry.proto.metrics.v1.metrics_pb2 import Metric, NumberDataPoint

from syswatch.machine.group_paths import SHORT_ID
from syswatch.model.groups import GroupInfo, GroupInfos, GroupKind

from .attributes import attributes

_INFO = "syswatch.group.info"
_ABOUT_INFO = "Always 1; the attributes tell the newest container or pod of a group."
# The namespace of a pod of which only the UID is known.
_UNKNOWN = "?"


def group_attributes(info: GroupInfo | None) -> dict[str, str]:
    """Return the parts of the name of a group; nothing for the sum of all others."""
    if info is None:
        return {}
    if info.kind is GroupKind.PROCESS:
        return {"process.executable.name": info.name}
    if info.kind is GroupKind.CGROUP:
        # As /proc/PID/cgroup has it.
        return {"process.linux.cgroup": f"0::{info.path}"}
    return {
        **_of_pod(info),
        **_of_container(info),
        "container.runtime.name": info.runtime,
    }


def _of_pod(info: GroupInfo) -> dict[str, str]:
    if info.namespace == _UNKNOWN:
        return {"k8s.pod.uid": info.pod}
    return {"k8s.namespace.name": info.namespace, "k8s.pod.name": info.pod}


def _of_container(info: GroupInfo) -> dict[str, str]:
    if info.kind is not GroupKind.CONTAINER:
        return {}
    if info.container == info.id[:SHORT_ID]:
        # No name is known, so the row has the beginning of the ID as its name.
        return {"container.id": info.id}
    return {"k8s.container.name" if info.pod else "container.name": info.container}


def group_info(groups: Iterable[str], infos: GroupInfos, time_ns: int) -> Iterator[Metric]:
    """Yield the metric that tells the IDs of the newest containers and pods, if there are any."""
    metric = Metric(name=_INFO, description=_ABOUT_INFO)
    for group in groups:
        if identity := _identity(infos.get(group)):
            point = NumberDataPoint(
                attributes=attributes({"group": group, **identity}), time_unix_nano=time_ns
            )
            point.as_int = 1
            metric.gauge.data_points.append(point)
    if metric.gauge.data_points:
        yield metric


def _identity(info: GroupInfo | None) -> dict[str, str]:
    names = {GroupKind.CONTAINER: "container.id", GroupKind.POD: "k8s.pod.uid"}
    return {names[info.kind]: info.id} if info and info.id and info.kind in names else {}
