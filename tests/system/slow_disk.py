"""A block device that the kernel slows down, for one program."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import SkipTest

import attrs

from tests.system.servers import need, need_root

# Every write that is synchronized takes at least this part of a second.
WRITES_PER_SECOND = 20
_GROUPS = Path("/sys/fs/cgroup/blkio")
_LIMIT = "blkio.throttle.write_iops_device"
_SIZE = 1 << 24


@attrs.frozen
class SlowDisk:
    """A loop device that is slow for the members of a control group."""

    device: str
    _group: Path

    def command(self, *command: str) -> tuple[str, ...]:
        """Return a command that joins the group and then executes another one."""
        script = f'echo 0 >{self._group}/cgroup.procs && exec "$@"'
        return ("sh", "-c", script, "sh", *command)


@contextmanager
def slow_disk(folder: Path) -> Iterator[SlowDisk]:
    """Make a loop device of a file in a folder; skip the test if that is not allowed."""
    need("losetup")
    need_root()
    if not (_GROUPS / "cgroup.procs").exists():
        raise SkipTest(f"{_GROUPS} is not there: no control groups of version 1")
    folder.mkdir()
    file = folder / "disk"
    file.touch()
    os.truncate(file, _SIZE)
    group = _GROUPS / f"syswatch-{folder.stat().st_ino}"
    made = subprocess.run(
        ["losetup", "--find", "--show", str(file)], capture_output=True, text=True, check=False
    )
    if made.returncode:
        raise SkipTest(f"no loop device: {made.stderr.strip()}")
    device = made.stdout.strip()
    # The kernel detaches it when it is closed, however the test ends.
    used = os.open(device, os.O_RDWR)
    try:
        subprocess.run(["losetup", "--detach", device], check=True)
        _limit(group, os.fstat(used).st_rdev)
        yield SlowDisk(device, group)
    finally:
        if group.exists():
            group.rmdir()
        os.close(used)


def _limit(group: Path, number: int) -> None:
    place = f"{os.major(number)}:{os.minor(number)}"
    try:
        group.mkdir()
        (group / _LIMIT).write_text(f"{place} {WRITES_PER_SECOND}")
    except OSError as error:
        raise SkipTest(f"cannot slow down a loop device by {_LIMIT}: {error}") from error
