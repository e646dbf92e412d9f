"""
Groups of processes: containers, pods, units, control groups, or processes with the same name.

What is stored is a row for each group and call.  A group is identified by its name, so that a
container that was restarted continues the rows of the one before it.
"""

import enum
from collections.abc import Collection, Mapping
from typing import NamedTuple

import attrs

from syswatch.base.classes import frozen

from .activity import NO_SUMS, Sums
from .grouping import TRACKED_GROUPS
from .histogram import Histogram
from .table import Table

TRACKED_GROUP_ROWS = 100_000
# The group that stands for all those beyond a limit, and the call for those without a row.
OTHER_GROUPS = ""
OTHER_CALLS = ""


class GroupKind(enum.Enum):
    """What a group is."""

    CONTAINER = "container"
    POD = "pod"
    UNIT = "unit"
    CGROUP = "cgroup"
    PROCESS = "process"
    OTHER = "other"


class GroupKey(NamedTuple):
    """The row of one call of one group."""

    group: str
    call: str


@frozen
class GroupInfo:
    """What is known of a group; the facts of a container are those of the newest one."""

    kind: GroupKind = GroupKind.OTHER
    name: str = ""
    runtime: str = ""
    namespace: str = ""
    pod: str = ""
    container: str = ""
    id: str = ""
    path: str = ""
    labels: Mapping[str, str] = attrs.field(factory=dict)
    # How many control groups had this name; each is counted by the first delta that mentions it.
    lives: int = 0

    def __add__(self, other: "GroupInfo") -> "GroupInfo":
        """Add the numbers; of the other facts, the later ones win."""
        newest = other if other.name else self
        return attrs.evolve(newest, lives=self.lives + other.lives)


OTHERS = GroupInfo(name="other groups")
Groups = Mapping[GroupKey, Sums]
GroupInfos = Mapping[str, GroupInfo]
GroupTimes = Mapping[str, Histogram]


def _coarser(key: GroupKey) -> GroupKey:
    """Return the row for all calls of a group that have none of their own."""
    return key._replace(call=OTHER_CALLS)


GROUPS: Table[GroupKey, Sums] = Table(
    TRACKED_GROUP_ROWS, Sums.__add__, _coarser, lambda sums: sums.count
)


def by_group(groups: Groups) -> dict[str, Sums]:
    """Return the sums of each group."""
    sums: dict[str, Sums] = {}
    for key, row in groups.items():
        sums[key.group] = sums.get(key.group, NO_SUMS) + row
    return sums


def groups_beyond_limit(groups: Groups, infos: GroupInfos) -> frozenset[str]:
    """Return which groups exceed the limit: those with the fewest calls."""
    if len(infos) <= TRACKED_GROUPS:
        return frozenset()
    sums = by_group(groups)
    ranked = sorted(infos, key=lambda group: sums.get(group, NO_SUMS).count)
    return frozenset(ranked[: len(infos) - int(TRACKED_GROUPS * 0.75)])


def without_groups(groups: Groups, cut: Collection[str]) -> Groups:
    """Return the rows, with those of some groups added to those of all others."""
    kept: dict[GroupKey, Sums] = {}
    for key, row in groups.items():
        new = key._replace(group=OTHER_GROUPS) if key.group in cut else key
        kept[new] = kept[new] + row if new in kept else row
    return kept


def times_without_groups(times: GroupTimes, cut: Collection[str]) -> GroupTimes:
    """Return the histograms, with those of some groups added to that of all others."""
    kept: dict[str, Histogram] = {}
    for group, histogram in times.items():
        new = OTHER_GROUPS if group in cut else group
        kept[new] = kept[new] + histogram if new in kept else histogram
    return kept
