"""Control groups of the second version, by their folders."""

import os
import re
from contextlib import suppress
from pathlib import Path

from syswatch.base.text import inert

from .proc import PROC, control_groups

_OCTAL = re.compile(rb"\\([0-7]{3})")


class GroupError(Exception):
    """A path is no control group; the message is one sentence for the user."""


def mount_point(mountinfo: Path = Path("/proc/self/mountinfo")) -> Path | None:
    """Return where the hierarchy is mounted; None where it is not."""
    # Only spaces and newlines part fields and lines: the kernel escapes no other white space.
    for line in mountinfo.read_bytes().split(b"\n"):
        before, _, after = line.partition(b" - ")
        if after.split(b" ")[0] == b"cgroup2":
            return Path(os.fsdecode(_OCTAL.sub(_unescaped, before.split(b" ")[4])))
    return None


def _unescaped(match: re.Match[bytes]) -> bytes:
    return bytes([int(match[1], 8)])


def folder_of(path: str) -> Path:
    """Return the folder of a group, which may be given from the root of the hierarchy on."""
    root = mount_point()
    if root is None:
        raise GroupError("this machine has no control groups of version 2 mounted")
    named = Path(path)
    within = root / path.lstrip("/")
    for folder in (named, within):
        # Where nobody may look, or no name can be so long, there is none for us.
        with suppress(OSError):
            if folder.is_dir() and folder.resolve().is_relative_to(root):
                return folder.resolve()
    raise GroupError(f"there is no control group {path} below {root}")


def group_around(pid: int, segment: str, proc: Path = PROC) -> Path | None:
    """Return the folder of the group that is shown by that name, if a process is in one."""
    root = mount_point()
    for controllers, path in control_groups(pid, proc):
        parts = path.removeprefix("/").split("/")
        shown = list(map(inert, parts))
        if root and not controllers and segment in shown:
            return root.joinpath(*parts[: shown.index(segment) + 1])
    return None


def pids_in(folder: Path) -> list[int]:
    """Return who is in a group, or in one below it."""
    pids: list[int] = []
    for file in sorted(folder.rglob("cgroup.procs")):
        # One that has gone, or holds threads only, cannot be read.
        pids += map(int, _lines(file))
    return pids


def _lines(file: Path) -> list[str]:
    try:
        return os.fsdecode(file.read_bytes()).split("\n")[:-1]
    except OSError:
        return []
