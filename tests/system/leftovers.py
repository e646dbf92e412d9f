"""What a run of syswatch left behind: processes, files, and objects in the kernel."""

import json
import re
import subprocess
import tempfile
import uuid
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import attrs

from tests.system.servers import PATIENCE_S

_KINDS = ("prog", "map", "link", "btf")
_FOLDERS = ("HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR")
_PINNED = Path("/sys/fs/bpf")
_MARK = "SYSWATCH_TEST_RUN"


@attrs.define
class Leftovers:
    """
    A run, identified by a variable that all its processes inherit.

    Other programs may use eBPF at the same time, so its objects are identified by their IDs.
    """

    folder: Path = attrs.field(factory=lambda: Path(tempfile.mkdtemp()).resolve())
    mark: str = attrs.field(factory=lambda: uuid.uuid4().hex)
    _objects: set[tuple[str, int]] = attrs.field(factory=set)
    _pinned: set[Path] = attrs.field(factory=lambda: set(_PINNED.glob("*")))

    @property
    def environment(self) -> Mapping[str, str]:
        """Return the environment for the run."""
        return {_MARK: self.mark, **dict.fromkeys(_FOLDERS, str(self.folder))}

    def note_objects(self) -> set[str]:
        """Note the kernel objects that its processes hold now; return their kinds."""
        for pid in self.processes():
            for text in _descriptions(pid):
                fields = re.findall(r"^(\w+)_id:\t(\d+)$", text, re.MULTILINE)
                self._objects |= {(kind, int(number)) for kind, number in fields if kind in _KINDS}
        return {kind for kind, _ in self._objects}

    def processes(self) -> set[int]:
        """Return the running processes of the run."""
        variable = f"{_MARK}={self.mark}".encode()
        pids = (int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdecimal())
        return {pid for pid in pids if _has(pid, variable)}

    def objects(self) -> set[tuple[str, int]]:
        """Return which of the noted objects the kernel still has."""
        there = {(kind, number) for kind in _KINDS for number in _numbers(kind)}
        return self._objects & there

    def files(self) -> set[Path]:
        """Return the temporary files and the pinned eBPF objects."""
        return {*self.folder.rglob("*"), *(set(_PINNED.glob("*syswatch*")) - self._pinned)}


def _descriptions(pid: int) -> Iterator[str]:
    """Yield the fdinfo of each open file of a process."""
    # A helper may exit, or close a file, at any time.
    with suppress(OSError):
        for entry in Path(f"/proc/{pid}/fdinfo").iterdir():
            with suppress(OSError):
                yield entry.read_text("utf-8")


def _has(pid: int, variable: bytes) -> bool:
    try:
        return variable in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return False


def _numbers(kind: str) -> set[int]:
    listed = subprocess.run(
        ["bpftool", "--json", kind, "list"],
        capture_output=True,
        timeout=PATIENCE_S,
        check=True,
    )
    return {item["id"] for item in json.loads(listed.stdout or b"[]")}
