"""The files that a program has loaded and changed, as far as sums tell."""

import posixpath
from collections.abc import Callable, Iterator
from typing import Final

from syswatch.model.activity import ActivityKey, Sums
from syswatch.model.catalog import executes, plain_name
from syswatch.model.delta import Delta
from syswatch.model.objects import ObjectKind


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# As in libc.so.6; programs load nothing else that is named so.
_LIBRARY: Final = ".so"
_ON_PATHS: Final = frozenset({ObjectKind.PATH, ObjectKind.FILE, ObjectKind.DIRECTORY})
# They change which names a directory has, so the directory must be writable.
_CHANGE_DIRECTORY: Final = _words(
    "creat link linkat mkdir mkdirat mknod mknodat rename renameat renameat2 rmdir symlink "
    "symlinkat unlink unlinkat"
)
_CHANGE_FILE: Final = _words(
    "chmod chown fallocate fchmod fchmodat fchmodat2 fchown fchownat fremovexattr fsetxattr "
    "ftruncate ftruncate64 futimesat lchown lremovexattr lsetxattr removexattr setxattr "
    "truncate truncate64 utime utimensat utimensat_time64 utimes"
)
# systemd keeps them writable, or they are not files on a disk.
_NOT_PROTECTED: Final = ("/dev", "/proc", "/sys")


def loaded_files(delta: Delta) -> frozenset[str]:
    """Return the paths of executed programs, and of libraries that were opened."""
    opened = (
        path
        for path, times in delta.paths.items()
        if _LIBRARY in posixpath.basename(path) and times > delta.failed_paths.get(path, 0)
    )
    executed = (
        delta.objects[key.object].name
        for key, sums in delta.activity.items()
        if executes(key.call) and sums.count > sums.errors and key.object in delta.objects
    )
    return frozenset(path for path in (*opened, *executed) if posixpath.isabs(path))


def written_paths(delta: Delta, exists: Callable[[str], bool]) -> frozenset[str] | None:
    """
    Return what must be writable: files, or the directories in which names were changed.

    A file that no longer exists was created, so its directory is returned.  None if objects were
    not followed.
    """
    if not delta.activity or not delta.objects:
        return None
    found: set[str] = set()
    for key, sums in delta.activity.items():
        info = delta.objects.get(key.object)
        if info is None or info.kind not in _ON_PATHS or not posixpath.isabs(info.name):
            continue
        if _changes_directory(key, sums) or (_changes_file(key, sums) and not exists(info.name)):
            found.add(posixpath.dirname(info.name))
        elif _changes_file(key, sums):
            found.add(info.name)
    return frozenset(_outermost(path for path in found if not _is_within(path, _NOT_PROTECTED)))


def _outermost(paths: Iterator[str]) -> Iterator[str]:
    """Yield the paths that are not within others."""
    kept: list[str] = []
    for path in sorted(paths):
        if not _is_within(path, kept):
            kept.append(path)
            yield path


def _is_within(path: str, folders: "tuple[str, ...] | list[str]") -> bool:
    return any(path == each or path.startswith(each.rstrip("/") + "/") for each in folders)


def _changes_directory(key: ActivityKey, sums: Sums) -> bool:
    return plain_name(key.call) in _CHANGE_DIRECTORY and sums.count > sums.errors


def _changes_file(key: ActivityKey, sums: Sums) -> bool:
    if sums.bytes_out:
        return True
    return plain_name(key.call) in _CHANGE_FILE and sums.count > sums.errors
