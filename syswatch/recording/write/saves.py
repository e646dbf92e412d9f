"""Saves of a flight recorder: whole recordings of what it keeps at a moment."""

import errno
import os
import re
import shutil
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import attrs

from syswatch.base.classes import define, frozen
from syswatch.base.text import escape_text
from syswatch.model.recording import Save
from syswatch.recording import durable, manifest, segments
from syswatch.recording.manifest import Manifest

from .deltas import DeltaFile
from .described import DescribedTable

SAVES = "saves"
_PRIVATE_FOLDER = 0o700
_LONGEST_NAME = 40
_UNUSUAL = re.compile(r"[^A-Za-z0-9]+")
# A file system without links, or one on which a file has as many as it can have.
_NO_LINKS = frozenset({errno.EPERM, errno.EMLINK, errno.EOPNOTSUPP, errno.ENOSYS, errno.EXDEV})


@frozen
class Contents:
    """What is saved: segments by their numbers, the tables, and deltas that `end` completes."""

    about: Manifest
    numbers: Sequence[int]
    tables: Sequence[DescribedTable]
    deltas: DeltaFile
    end: bytes = b""


@define
class Saves:
    """The saves in the directory of a recording, of which the oldest are removed."""

    folder: Path
    most: int
    # Those that exist, and the last one if it could not be made.
    made: tuple[Save, ...] = attrs.field(default=(), init=False)
    _count: int = attrs.field(default=0, init=False)
    _paths: dict[int, Path] = attrs.field(factory=dict, init=False)

    def make(self, name: str, contents: Contents, request: int = 0) -> None:
        """
        Save what is kept; a save appears whole, and of one that fails, nothing is left.

        Segments are links to those of the recording, so they take space only once that has removed
        them.
        """
        path = self._path_of(name, contents.about)
        beside = path.with_name(f".{path.name}")
        try:
            self._fill(beside, contents)
            beside.rename(path)
            durable.sync_folder(path.parent)
        except OSError:
            shutil.rmtree(beside, ignore_errors=True)
            raise
        self._add(path, contents.about, request)
        self._paths[self._count] = path
        self._remove_oldest()

    def note_failure(self, name: str, about: Manifest, trouble: str, request: int = 0) -> None:
        """Note that something could not be saved, until something else is."""
        self._add(self._path_of(name, about), about, request, trouble)

    def _add(self, path: Path, about: Manifest, request: int, trouble: str = "") -> None:
        self._count += 1
        place = escape_text(str(path))
        save = Save(self._count, place, about.saved_reason, request, trouble)
        self.made = (*(each for each in self.made if not each.trouble), save)

    def _path_of(self, name: str, about: Manifest) -> Path:
        return self._free_path(f"{_stamp(about.ended_ns or 0)}-{_short(name)}")

    def _free_path(self, name: str) -> Path:
        """Return a path that does not exist, although several saves may be made in a second."""
        path, count = self.folder / SAVES / name, 1
        while path.exists():
            count += 1
            path = path.with_name(f"{name}-{count}")
        return path

    def _remove_oldest(self) -> None:
        while len(self.made) > self.most:
            oldest, *rest = self.made
            self.made = tuple(rest)
            shutil.rmtree(self._paths.pop(oldest.number), ignore_errors=True)

    def _fill(self, folder: Path, contents: Contents) -> None:
        folder.parent.mkdir(mode=_PRIVATE_FOLDER, exist_ok=True)
        folder.mkdir(mode=_PRIVATE_FOLDER)
        for kind in (segments.CALLS, segments.LOSSES, segments.BINS):
            place = folder / kind
            place.mkdir(mode=_PRIVATE_FOLDER)
            for number in contents.numbers:
                _link(self.folder / kind / segments.name_of(number), place)
            durable.sync_folder(place)
        for table in contents.tables:
            table.copy(folder)
        contents.deltas.copy(folder / contents.deltas.path.name, contents.end)
        manifest.write(folder, contents.about)


def _link(file: Path, folder: Path) -> None:
    """Link a file, or copy it where that is not possible; there may be none."""
    with suppress(FileNotFoundError):
        try:
            (folder / file.name).hardlink_to(file)
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            with durable.open_private(folder / file.name, os.O_EXCL) as copy:
                durable.write_all(copy, file.read_bytes())
                os.fsync(copy.fileno())


def _stamp(saved_ns: int) -> str:
    return datetime.fromtimestamp(saved_ns // 10**9, UTC).strftime("%Y%m%dT%H%M%SZ")


def _short(name: str) -> str:
    return _UNUSUAL.sub("-", name).strip("-")[:_LONGEST_NAME] or "save"
