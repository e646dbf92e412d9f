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
from contextlib import contextmanager, suppress
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
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
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
        with _private(path.parent) as folder_fd, open_regular(path.name, folder_fd) as file:
            _check_private(file.fileno())
            data = file.readall()
    except OSError:
        return None
    body = data[_DIGEST_BYTES:]
    return decoded(body) if data[:_DIGEST_BYTES] == _digest(body) else None


def _write(path: Path, relocated: Relocated) -> None:
    path.parent.mkdir(mode=0o700, exist_ok=True)
    with _private(path.parent) as folder_fd:
        # The rest is of other kernels and versions, or was left by a process that ended too early.
        with os.scandir(folder_fd) as entries:
            others = [each.name for each in entries if each.name.startswith(_PREFIX)]
        for other in others:
            with suppress(OSError):
                os.unlink(other, dir_fd=folder_fd)
        body = encoded(relocated)
        _replace(path.name, _digest(body) + body, folder_fd)


def _replace(name: str, data: bytes, folder_fd: int) -> None:
    """Write a file of a directory, whole or not at all."""
    unfinished = f"{name}.{os.getpid()}"
    try:
        # Whatever the umask is: others may not write there.
        with open(unfinished, "xb", opener=partial(os.open, mode=0o600, dir_fd=folder_fd)) as file:
            file.write(data)
        os.rename(unfinished, name, src_dir_fd=folder_fd, dst_dir_fd=folder_fd)
    except OSError:
        with suppress(OSError):
            os.unlink(unfinished, dir_fd=folder_fd)
        raise


@contextmanager
def _private(folder: Path) -> Iterator[int]:
    """
    Open a directory that no other user can change; an OSError if it is another.

    Files are then named within it: who owns the directory around it may exchange it at any time.
    """
    folder_fd = os.open(folder, _DIRECTORY)
    try:
        _check_private(folder_fd)
        yield folder_fd
    finally:
        os.close(folder_fd)


def _check_private(fd: int) -> None:
    """Raise an OSError if another user can change a file, or what is in a directory."""
    info = os.fstat(fd)
    if info.st_uid != os.geteuid() or info.st_mode & _WRITABLE_BY_OTHERS:
        raise PermissionError
