"""Control groups of version 2 and their directories."""

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from syswatch.base.text import escape_text

from .proc import PROC, control_groups

_MOUNTINFO = Path("/proc/self/mountinfo")
_OCTAL = re.compile(rb"\\([0-7]{3})")


class GroupError(Exception):
    """A path is not a control group; the message is for the user."""


def mount_point(mountinfo: Path = _MOUNTINFO) -> Path | None:
    """Return the mount point of the hierarchy; None if it is not mounted."""
    return next((path for kind, path in _mounts(mountinfo) if kind == b"cgroup2"), None)


def has_version_1(mountinfo: Path = _MOUNTINFO) -> bool:
    """Return whether hierarchies of version 1 are mounted, besides or instead of version 2."""
    return any(kind == b"cgroup" for kind, _ in _mounts(mountinfo))


def _mounts(mountinfo: Path) -> Iterator[tuple[bytes, Path]]:
    """Yield type and place of each mounted file system."""
    # Fields are separated by spaces only: the kernel does not escape other white space.
    for line in mountinfo.read_bytes().split(b"\n")[:-1]:
        before, _, after = line.partition(b" - ")
        path = _OCTAL.sub(_unescaped, before.split(b" ")[4])
        yield after.split(b" ")[0], Path(os.fsdecode(path))


def _unescaped(match: re.Match[bytes]) -> bytes:
    return bytes([int(match[1], 8)])


def folder_of(path: str) -> Path:
    """Return the directory of a group, whose path may be relative to the mount point."""
    root = mount_point()
    if root is None:
        raise GroupError("control groups of version 2 are not mounted on this machine")
    named = Path(path)
    within = root / path.lstrip("/")
    for folder in (named, within):
        # A directory that is not readable, or a name that is too long, is not a group.
        with suppress(OSError):
            if folder.is_dir() and folder.resolve().is_relative_to(root):
                return folder.resolve()
    raise GroupError(f"no control group {path} below {root}")


def group_around(pid: int, segment: str, proc: Path = PROC) -> Path | None:
    """Return the directory of the group of this name that a process is in."""
    root = mount_point()
    for controllers, path in control_groups(pid, proc):
        parts = path.removeprefix("/").split("/")
        shown = list(map(escape_text, parts))
        # A group outside of the namespace of this process is shown as "..", and cannot be reached.
        if root and not controllers and segment in shown and ".." not in parts:
            return root.joinpath(*parts[: shown.index(segment) + 1])
    return None


def pids_in(folder: Path) -> list[int]:
    """Return the PIDs in a group and in the groups below it."""
    pids: list[int] = []
    for file in sorted(folder.rglob("cgroup.procs")):
        # A removed group, or one of threads only, is not readable.
        pids += map(int, _lines(file))
    return pids


def _lines(file: Path) -> list[str]:
    try:
        return os.fsdecode(file.read_bytes()).split("\n")[:-1]
    except OSError:
        return []
