"""A trace of three groups, and of some beyond the limit."""

from syswatch.model.activity import Sums
from syswatch.model.calls import CallTally
from syswatch.model.delta import Delta
from syswatch.model.groups import OTHER_CALLS, OTHER_GROUPS, GroupInfo, GroupKey, GroupKind
from syswatch.model.histogram import Histogram

WEB, DB, SSH = "docker:web", "pod:shop/db-0/postgres", "unit:ssh.service"
GROUPED = Delta(
    calls={
        "read": CallTally(count=700, errors=5, total_ns=8_000),
        "write": CallTally(count=300, total_ns=2_000),
    },
    groups={
        GroupKey(WEB, "read"): Sums(600, 5, working_ns=1_000, waiting_ns=5_000, waits=3),
        GroupKey(WEB, "write"): Sums(10, working_ns=500),
        GroupKey(DB, "write"): Sums(250, working_ns=1_000, ready_ns=500),
        GroupKey(SSH, "read"): Sums(90, working_ns=2_000),
        GroupKey(SSH, OTHER_CALLS): Sums(10),
        GroupKey(OTHER_GROUPS, "write"): Sums(40),
    },
    group_infos={
        WEB: GroupInfo(
            GroupKind.CONTAINER,
            "web",
            runtime="docker",
            container="web",
            id="724f",
            path="/docker/724f",
            labels={"team": "shop"},
            lives=2,
        ),
        DB: GroupInfo(
            GroupKind.CONTAINER,
            "shop/db-0/postgres",
            runtime="containerd",
            namespace="shop",
            pod="db-0",
            container="postgres",
            lives=1,
        ),
        SSH: GroupInfo(GroupKind.UNIT, "ssh.service", lives=1),
    },
    group_times={WEB: Histogram.of([100] * 600 + [90_000] * 10)},
)
