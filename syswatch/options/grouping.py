"""Options that keep the sums of groups of processes apart."""

import attrs

from syswatch.model.backends import Capability
from syswatch.model.grouping import DEFAULT_GROUPS, TRACKED_GROUPS, Grouping
from syswatch.model.messages import TraceOptions

from . import checks
from .arguments import Arguments, UsageError
from .declaration import Group, Option

OPTIONS = (
    Option(
        "by",
        "Also sum the calls of each group of processes",
        Group.TARGET,
        metavar="WHAT",
        choices=tuple(each.value for each in Grouping),
        capability=Capability.GROUPS,
    ),
    Option(
        "groups",
        "Tell at most N groups apart at a time; the others are added up",
        Group.ADVANCED,
        metavar="N",
        default=str(DEFAULT_GROUPS),
        needs=("by",),
    ),
)


def grouped(arguments: Arguments, options: TraceOptions) -> TraceOptions:
    """Check the options and return those of the trace with them."""
    if not arguments.has("by"):
        return options
    by = Grouping(checks.choice(arguments, "by"))
    if not (arguments.has("all") or arguments.has("cgroup")):
        raise UsageError("--by needs --all or --cgroup: one process is in one group")
    if by is not Grouping.PROCESS_NAME:
        _need_control_groups()
    most = checks.whole_number(arguments, "groups", least=1, most=TRACKED_GROUPS)
    return attrs.evolve(options, group_by=by.value, most_groups=most)


def _need_control_groups() -> None:
    # Few traces have groups.
    from syswatch.machine.groups import mount_point

    if mount_point() is None:
        raise UsageError(
            "--by: control groups of version 2 are not mounted on this machine"
            " (--by process-name works without them)"
        )
