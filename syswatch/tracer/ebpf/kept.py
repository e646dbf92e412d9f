"""
The file that keeps the fitted program until the next boot.

It is in a directory for files that only last until then, and that nobody but the user can change:
what is in the file becomes part of the kernel.  Its name says which kernel, library and program it
belongs to.  Where it cannot be read or written, traces only begin later.
"""

import os
import stat
import sys
from contextlib import suppress
from pathlib import Path

from syswatch.base.hashing import blake2b
from syswatch.machine.regular_files import open_regular

from .fitted import Fitted, decoded, encoded
from .fitting import OBJECT, fit
from .libbpf import Libbpf

_OF_ROOT = Path("/run")
_NAME = "syswatch"
_PREFIX = "ebpf-"
_DIGEST_BYTES = 16
# The build of the kernel, and the modules whose types libbpf looks through as well.
_BUILD = Path("/sys/kernel/notes")
_MODULES = Path("/sys/kernel/btf")
_WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def find(libbpf: Libbpf) -> tuple[Fitted, Path | None]:
    """Return the program as it fits the kernel, and the file that it was read from, if it was."""
    path = _path(libbpf)
    if path is not None and (kept := _read(path)) is not None:
        return kept, path
    return fit_again(path), None


def fit_again(path: Path | None) -> Fitted:
    """Fit the program to the kernel, and keep it."""
    fitted = fit()
    if path is not None:
        with suppress(OSError):
            _write(path, fitted)
    return fitted


def _path(libbpf: Libbpf) -> Path | None:
    """Return where the fitted program is; None if there is no place for it."""
    folder = _OF_ROOT
    if os.geteuid() != 0:
        given = os.environ.get("XDG_RUNTIME_DIR", "")
        if not given.startswith("/"):
            return None
        folder = Path(given)
    try:
        parts = (
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


def _read(path: Path) -> Fitted | None:
    """Return what was kept; None if that is nothing, is damaged, or may be from another user."""
    try:
        if not _is_private(path.parent):
            return None
        with open_regular(path) as file:
            data = file.readall()
    except OSError:
        return None
    body = data[_DIGEST_BYTES:]
    return decoded(body) if data[:_DIGEST_BYTES] == _digest(body) else None


def _write(path: Path, fitted: Fitted) -> None:
    folder = path.parent
    folder.mkdir(mode=0o700, exist_ok=True)
    if not _is_private(folder):
        return
    # The rest is of other kernels and versions, or was left by a process that ended too early.
    for other in folder.glob(f"{_PREFIX}*"):
        other.unlink(missing_ok=True)
    body = encoded(fitted)
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
