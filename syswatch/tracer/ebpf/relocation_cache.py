"""
The relocated program in a file, which is valid until the next boot.

The file is in a directory for such files.  It becomes part of the kernel, so it is only used if no
other user can change it.  Its name is a digest of the kernel, the library and the program.  Without
the file, traces begin later, and nothing else changes.
"""

import os
import stat
import sys
from contextlib import suppress
from pathlib import Path

from syswatch.base.hashing import blake2b
from syswatch.machine.regular_files import open_regular

from .libbpf import Libbpf
from .relocated import OBJECT, Relocated, decoded, encoded

_OF_ROOT = Path("/run")
_NAME = "syswatch"
_PREFIX = "ebpf-"
_DIGEST_BYTES = 16
# The identifier of the kernel's build, and the modules whose types libbpf searches as well.
_BUILD = Path("/sys/kernel/notes")
_MODULES = Path("/sys/kernel/btf")
_WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def find(libbpf: Libbpf) -> tuple[Relocated, Path | None]:
    """Return the relocated program, and the file that it was read from, if it was in one."""
    path = _path(libbpf)
    if path is not None and (cached := _read(path)) is not None:
        return cached, path
    return relocate_again(path), None


def relocate_again(path: Path | None) -> Relocated:
    """Relocate the program, and write it to the file."""
    # Most traces begin without this.
    from .relocation import relocate

    relocated = relocate()
    if path is not None:
        with suppress(OSError):
            _write(path, relocated)
    return relocated


def _path(libbpf: Libbpf) -> Path | None:
    """Return the path of the file, or None if this user has no directory for it."""
    folder = _OF_ROOT
    if os.geteuid() != 0:
        given = os.environ.get("XDG_RUNTIME_DIR", "")
        if not given.startswith("/"):
            return None
        folder = Path(given)
    kernel = os.uname()
    try:
        parts = (
            *map(str.encode, (kernel.release, kernel.version, kernel.machine)),
            _BUILD.read_bytes(),
            *sorted(map(bytes, _MODULES.iterdir())),
            libbpf.libbpf_version_string(),
            (sys.implementation.cache_tag or "").encode(),
            OBJECT.read_bytes(),
        )
    except OSError:
        return None
    return folder / _NAME / f"{_PREFIX}{_digest(b'/'.join(parts)).hex()}"


def _digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=_DIGEST_BYTES).digest()


def _read(path: Path) -> Relocated | None:
    """Return what a file has; None if it is missing or damaged, or others could change it."""
    try:
        if not _is_private(path.parent):
            return None
        with open_regular(path) as file:
            data = file.readall()
    except OSError:
        return None
    body = data[_DIGEST_BYTES:]
    return decoded(body) if data[:_DIGEST_BYTES] == _digest(body) else None


def _write(path: Path, relocated: Relocated) -> None:
    folder = path.parent
    folder.mkdir(mode=0o700, exist_ok=True)
    if not _is_private(folder):
        return
    # The rest is of other kernels and versions, or was left by a process that ended too early.
    for other in folder.glob(f"{_PREFIX}*"):
        other.unlink(missing_ok=True)
    body = encoded(relocated)
    unfinished = path.with_name(f"{path.name}.{os.getpid()}")
    unfinished.write_bytes(_digest(body) + body)
    unfinished.replace(path)


def _is_private(folder: Path) -> bool:
    """Return whether only this user can change what is in a directory."""
    info = folder.lstat()
    return (
        stat.S_ISDIR(info.st_mode)
        and info.st_uid == os.geteuid()
        and not info.st_mode & _WRITABLE_BY_OTHERS
    )
