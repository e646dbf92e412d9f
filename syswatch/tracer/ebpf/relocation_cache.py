"""
The relocated program in a file, which is valid until the next boot.

The file is in a directory for such files.  It becomes part of the kernel, so it is only used if no
other user can change it.  Its name is a digest of the kernel, the library, the program, and the
modules that know the layout of both.  Without the file, traces begin later, and nothing else
changes.
"""

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

from syswatch.base.hashing import blake2b
from syswatch.machine.regular_files import open_regular

from .libbpf import Libbpf
from .relocated import OBJECT, Relocated, decoded, encoded

_OF_ROOT = Path("/run")
_NAME = "syswatch"
_PREFIX = "ebpf-"
_DIGEST_BYTES = 16
# The modules that say what is in the file, and which layouts the program was checked against.
_MODULES_OF_FILE = ("relocat*.py", "*layout.py")
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
    try:
        digest = _digest(b"/".join(_parts(libbpf)))
    except OSError:
        return None
    return folder / _NAME / f"{_PREFIX}{digest.hex()}"


def _parts(libbpf: Libbpf) -> Iterator[bytes]:
    """Yield everything that the relocated program depends on."""
    kernel = os.uname()
    yield from map(os.fsencode, (kernel.release, kernel.version, kernel.machine))
    yield _BUILD.read_bytes()
    yield from sorted(map(bytes, _MODULES.iterdir()))
    yield libbpf.libbpf_version_string()
    yield os.fsencode(sys.implementation.cache_tag or "")
    yield OBJECT.read_bytes()
    for pattern in _MODULES_OF_FILE:
        for module in sorted(Path(__file__).parent.glob(pattern)):
            yield module.read_bytes()


def _digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=_DIGEST_BYTES).digest()


def _read(path: Path) -> Relocated | None:
    """Return what a file has; None if it is missing or damaged, or others could change it."""
    try:
        if not _is_private(path.parent.lstat()):
            return None
        with open_regular(path) as file:
            if not _is_private(os.fstat(file.fileno())):
                return None
            data = file.readall()
    except OSError:
        return None
    body = data[_DIGEST_BYTES:]
    return decoded(body) if data[:_DIGEST_BYTES] == _digest(body) else None


def _write(path: Path, relocated: Relocated) -> None:
    folder = path.parent
    folder.mkdir(mode=0o700, exist_ok=True)
    info = folder.lstat()
    if not (stat.S_ISDIR(info.st_mode) and _is_private(info)):
        return
    # The rest is of other kernels and versions, or was left by a process that ended too early.
    for other in folder.glob(f"{_PREFIX}*"):
        with suppress(OSError):
            other.unlink()
    body = encoded(relocated)
    unfinished = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        # Whatever the umask is: others may not write there.
        with open(unfinished, "xb", opener=partial(os.open, mode=0o600)) as file:
            file.write(_digest(body) + body)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def _is_private(info: os.stat_result) -> bool:
    """Return whether only this user can change a file, or what is in a directory."""
    return info.st_uid == os.geteuid() and not info.st_mode & _WRITABLE_BY_OTHERS
