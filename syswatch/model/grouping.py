"""By what processes are grouped, as options name it."""

import enum

TRACKED_GROUPS = 5_000
# How many groups are told apart at a time, unless another number is given.
DEFAULT_GROUPS = 1_000


class Grouping(enum.Enum):
    """What groups are made of."""

    CGROUP = "cgroup"
    CONTAINER = "container"
    POD = "pod"
    PROCESS_NAME = "process-name"

    @property
    def plural(self) -> str:
        """What several of them are called."""
        return _PLURALS[self]


_PLURALS = {
    Grouping.CGROUP: "control groups",
    Grouping.CONTAINER: "containers and services",
    Grouping.POD: "pods, containers and services",
    Grouping.PROCESS_NAME: "process names",
}
