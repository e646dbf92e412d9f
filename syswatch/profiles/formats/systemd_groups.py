"""
The groups of calls that systemd knows by names with an `@`.

The table is the output of `systemd-analyze syscall-filter` of systemd 252. Later versions add calls
to groups, but do not remove any that programs make.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files

# Every list of permitted calls contains this one.
IMPLIED = "@default"
# Not a group of calls for a purpose, but all of them.
_EVERYTHING = "@known"


@cache
def groups() -> Mapping[str, frozenset[str]]:
    """Return the calls of each group, including those of the groups in it."""
    lines = files("syswatch.profiles.formats").joinpath("systemd_groups.tsv").read_text("utf-8")
    members = {
        name: calls.split()
        for name, _, calls in (line.partition("\t") for line in lines.split("\n"))
    }
    return {name: frozenset(_expanded(name, members)) for name in members if name}


def covering(calls: frozenset[str], known: frozenset[str]) -> tuple[list[str], frozenset[str]]:
    """
    Return groups that contain none but these calls, and the calls that are in no such group.

    Calls that no architecture of the profile has do not matter. Larger groups come first, and a
    group is left out if the ones before it contain its calls.
    """
    rest = set(calls) - groups()[IMPLIED]
    chosen = []
    for name, members in sorted(groups().items(), key=lambda item: (-len(item[1]), item[0])):
        relevant = members & known - groups()[IMPLIED]
        # A group of one call says no more than the call.
        if name != _EVERYTHING and len(relevant) > 1 and relevant <= calls and relevant & rest:
            chosen.append(name)
            rest -= relevant
    return sorted(chosen), frozenset(rest)


def _expanded(name: str, members: Mapping[str, Iterable[str]]) -> Iterable[str]:
    for member in members[name]:
        if member.startswith("@"):
            yield from _expanded(member, members)
        else:
            yield member
