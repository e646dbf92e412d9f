"""Control groups of the second version, by their folders."""

from pathlib import Path


class GroupError(Exception):
    """A path is no control group; the message is one sentence for the user."""


def mount_point(mountinfo: Path = Path("/proc/self/mountinfo")) -> Path | None:
    """Return where the hierarchy is mounted; None where it is not."""
    for line in mountinfo.read_text().splitlines():
        before, _, after = line.partition(" - ")
        if after.split()[0] == "cgroup2":
            return Path(before.split()[4].encode().decode("unicode_escape"))
    return None


def folder_of(path: str) -> Path:
    """Return the folder of a group, which may be given from the root of the hierarchy on."""
    root = mount_point()
    if root is None:
        raise GroupError("this machine has no control groups of version 2 mounted")
    named = Path(path)
    within = root / path.lstrip("/")
    for folder in (named, within):
        if folder.is_dir() and folder.resolve().is_relative_to(root):
            return folder.resolve()
    raise GroupError(f"there is no control group {path} below {root}")


def group_of(pid: int) -> str:
    """Return in which group a process is, from the root on; nothing if that is not known."""
    try:
        lines = Path(f"/proc/{pid}/cgroup").read_text().splitlines()
    except OSError:
        return ""
    return next((line.removeprefix("0::") for line in lines if line.startswith("0::")), "")


def pids_in(folder: Path) -> list[int]:
    """Return who is in a group, or in one below it."""
    pids: list[int] = []
    for file in sorted(folder.rglob("cgroup.procs")):
        try:
            pids += map(int, file.read_text().split())
        except OSError:  # It has gone, or holds threads only.
            continue
    return pids
