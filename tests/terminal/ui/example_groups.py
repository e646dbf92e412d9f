"""The groups of a machine with containers, for the golden screens."""

from syswatch.model.activity import Sums
from syswatch.model.delta import Delta
from syswatch.model.groups import OTHER_CALLS, OTHER_GROUPS, GroupInfo, GroupKey, GroupKind
from syswatch.model.histogram import Histogram

from .harness import HOSTILE

_MS = 1_000_000
WEB, DB, SSH, BAD = "docker:web", "pod:shop/db-0/postgres", "unit:ssh.service", "cgroup:/bad"
GROUPS = Delta(
    groups={
        GroupKey(WEB, "epoll_wait"): Sums(
            40_200, working_ns=60 * _MS, waiting_ns=120_540 * _MS, ready_ns=7 * _MS, waits=40_190
        ),
        GroupKey(WEB, "openat"): Sums(9_310, 5_680, working_ns=56 * _MS),
        GroupKey(WEB, "read"): Sums(21_000, 12, working_ns=40 * _MS),
        GroupKey(DB, "fsync"): Sums(80, working_ns=640 * _MS, waiting_ns=1_040 * _MS, waits=80),
        GroupKey(DB, "write"): Sums(28_400, working_ns=57 * _MS, ready_ns=3 * _MS),
        GroupKey(SSH, "read"): Sums(10_000, working_ns=19 * _MS),
        GroupKey(SSH, OTHER_CALLS): Sums(310, working_ns=_MS),
        GroupKey(BAD, "close"): Sums(8_900, working_ns=6 * _MS),
        GroupKey(OTHER_GROUPS, "mmap"): Sums(410, working_ns=5 * _MS),
    },
    group_infos={
        WEB: GroupInfo(
            GroupKind.CONTAINER,
            "web",
            runtime="docker",
            container="web",
            id="724f0c3e" * 8,
            path=f"/system.slice/docker-{'724f0c3e' * 8}.scope",
            labels={"com.docker.compose.project": "shop", "team": "frontend"},
            lives=2,
        ),
        DB: GroupInfo(
            GroupKind.CONTAINER,
            "shop/db-0/postgres",
            runtime="containerd",
            namespace="shop",
            pod="db-0",
            container="postgres",
            id="9a41" * 16,
            lives=1,
        ),
        SSH: GroupInfo(GroupKind.UNIT, "ssh.service", path="/system.slice/ssh.service", lives=1),
        BAD: GroupInfo(GroupKind.CGROUP, f"/{HOSTILE}", lives=1),
    },
    group_times={
        WEB: Histogram.of([2_000] * 300 + [6_000] * 90 + [3 * _MS] * 400 + [9 * _MS] * 20),
        DB: Histogram.of([2_000] * 284 + [21 * _MS] * 8),
        SSH: Histogram.of([1_900] * 100),
    },
)
