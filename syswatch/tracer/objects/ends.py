"""
The processes at the ends of pipes and Unix sockets, from /proc/*/fd.

This reads the descriptors of every process that is readable, so it is done for many inodes at once,
and not while anything is stopped.
"""

import os
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import suppress
from typing import NamedTuple

from syswatch.machine.proc import comm_of, pids
from syswatch.model.objects import ObjectInfo

from . import describe
from .describe import Owner, inode_of

_MOST_NAMED = 4


class End(NamedTuple):
    """A process that has a pipe or a socket open, and how."""

    owner: Owner
    reads: bool
    writes: bool


def find_ends(inodes: AbstractSet[int]) -> Mapping[int, tuple[End, ...]]:
    """
    Return which processes have some pipes and sockets open, by inode.

    The tracer and the process that started it have inherited those of a command, and do not count.
    """
    ends: dict[int, dict[int, End]] = {inode: {} for inode in inodes}
    ours = (os.getpid(), os.getppid())
    for pid in pids():
        if pid in ours:
            continue
        for inode, reads, writes in _open(pid, inodes):
            end = ends[inode].get(pid) or End(Owner(pid, comm_of(pid)), reads=False, writes=False)
            ends[inode][pid] = End(end.owner, end.reads or reads, end.writes or writes)
    return {inode: tuple(each.values()) for inode, each in ends.items()}


def pipe(inode: int, ends: tuple[End, ...]) -> ObjectInfo:
    """Return a pipe with the processes at its ends."""
    texts = [
        f"{verb} {_names([end.owner for end in ends if attribute(end)])}"
        for verb, attribute in (("written by", _writes), ("read by", _reads))
        if any(map(attribute, ends))
    ]
    return describe.pipe(inode, ", ".join(texts), tuple(end.owner.pid for end in ends))


def _open(pid: int, inodes: AbstractSet[int]) -> Iterator[tuple[int, bool, bool]]:
    folder = f"/proc/{pid}/fd"
    with suppress(OSError):
        for name in os.listdir(folder):  # noqa: PTH208  of every process
            with suppress(OSError):
                link = os.readlink(f"{folder}/{name}")  # noqa: PTH115  of every descriptor
                inode = inode_of(link.encode(errors="surrogateescape")) if "[" in link else None
                if inode is not None and inode in inodes:
                    mode = os.lstat(f"{folder}/{name}").st_mode
                    # The permissions of the link are the access mode of the descriptor.
                    yield inode, bool(mode & 0o400), bool(mode & 0o200)


def _reads(end: End) -> bool:
    return end.reads


def _writes(end: End) -> bool:
    return end.writes


def _names(owners: list[Owner]) -> str:
    named = ", ".join(map(str, owners[:_MOST_NAMED]))
    more = len(owners) - _MOST_NAMED
    return f"{named} and {more} more" if more > 0 else named
