"""Builds the records of groups of processes."""

from typing import Any

from syswatch.model.activity import Sums
from syswatch.model.catalog import category_of
from syswatch.model.snapshot import Snapshot

from .group_records import GroupCall, GroupDetail, GroupRow, Groups
from .groups import (
    GroupSort,
    GroupStat,
    calls_of_group,
    group_sentence,
    group_stats,
    grouped_total,
)


def groups(
    snapshot: Snapshot, sort: GroupSort = GroupSort.CALLS, limit: int | None = None
) -> Groups:
    """Return the groups in an order."""
    stats = group_stats(snapshot, sort)
    return Groups(
        verdict=group_sentence(snapshot),
        number=len(stats),
        count=grouped_total(snapshot),
        groups=[GroupRow(**_row(stat)) for stat in stats[:limit]],
    )


def group_detail(snapshot: Snapshot, stat: GroupStat) -> GroupDetail:
    """Return a group with its calls."""
    calls = [
        GroupCall(name=name, category=category_of(name).value if name else "", **_sums(sums))
        for name, sums in calls_of_group(snapshot, stat.key).items()
    ]
    return GroupDetail(**_row(stat), calls=calls)


def _row(stat: GroupStat) -> dict[str, Any]:
    info = stat.info
    return {
        **_sums(stat.sums),
        "key": stat.key,
        "kind": info.kind.value,
        "name": info.name,
        "runtime": info.runtime,
        "namespace": info.namespace,
        "pod": info.pod,
        "container": info.container,
        "id": info.id,
        "path": info.path,
        "labels": dict(info.labels),
        "lives": info.lives,
        "share": round(stat.share, 6),
        "rate": stat.rate,
        "p50": stat.p50_ns,
        "p95": stat.p95_ns,
        "p99": stat.p99_ns,
    }


def _sums(sums: Sums) -> dict[str, int]:
    return {
        "count": sums.count,
        "errors": sums.errors,
        "total_time": sums.total_ns,
        "working": sums.working_ns,
        "waiting": sums.waiting_ns,
        "ready": sums.ready_ns,
        "waits": sums.waits,
    }
