"""Opens a recording and finds its segments."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import attrs

from syswatch.base.classes import define, frozen
from syswatch.codec.recording import RecordingError
from syswatch.machine.folder_locks import is_locked
from syswatch.recording import manifest, segments
from syswatch.recording.extent import Extent
from syswatch.recording.manifest import Manifest, ManifestError
from syswatch.recording.notes import kept, troubles

from .files import check_folder
from .parquet import open_parquet

Warn = Callable[[str], None]


@frozen
class Segment:
    """A segment; without an extent it may have calls of any time."""

    number: int
    path: Path
    rows: int
    extent: Extent | None

    def has_ends_in(self, first_ns: int, last_ns: int) -> bool:
        """Return whether calls may have ended in a range of time."""
        extent = self.extent
        return extent is None or (extent.first_end_ns < last_ns and extent.last_end_ns >= first_ns)

    def touches(self, first_ns: int, last_ns: int) -> bool:
        """Return whether calls may have been in progress in a range of time."""
        extent = self.extent
        if extent is None:
            return True
        return extent.begun_ns < last_ns and (
            extent.last_end_ns >= first_ns or extent.unfinished > 0
        )


@frozen
class _Missing:
    """Segments that are missing: the first, and how many."""

    first: int
    count: int


@define
class Recording:
    """
    A directory that is a recording; more segments may be added to it while it is read.

    Segments that are damaged are left out; a note says so, or that some are missing.
    """

    folder: Path
    about: Manifest
    # What it is called where there are several.
    name: str
    # Whether a recorder had locked the directory before the manifest was read.
    is_locked: bool = False
    # What is wrong with a file, by its path in the directory.
    damaged: dict[str, str] = attrs.field(factory=dict, init=False)
    # How many segments were there, but have been removed since.
    removed: int = attrs.field(default=0, init=False)
    _known: dict[int, Segment] = attrs.field(factory=dict, init=False)

    @classmethod
    def open(cls, folder: Path, name: str = "") -> "Recording":
        """
        Open a directory; raise RecordingError if it is not a recording that can be read.

        One that was made of a log, or fetched, has the name of that.
        """
        if not folder.is_dir():
            raise RecordingError("it is not a recording: it is not a directory")
        # In this order: a recorder that has written the end removes its lock.
        has_recorder = is_locked(folder)
        try:
            about = manifest.read(folder)
        except ManifestError as error:
            raise RecordingError(str(error)) from error
        for kind in (segments.CALLS, segments.LOSSES, segments.BINS):
            check_folder(folder / kind)
        return cls(folder, about, name or str(folder), has_recorder)

    def refresh(self) -> None:
        """Read the manifest again, unless the trace had ended."""
        if self.about.ended_ns is None:
            self.is_locked = is_locked(self.folder)
            with suppress(ManifestError):
                self.about = manifest.read(self.folder)

    @property
    def notes(self) -> tuple[str, ...]:
        """What is missing from the recording, a sentence for each."""
        return (*kept(self.about), *troubles(self.about, is_locked=self.is_locked), *self.damage())

    def segments(self) -> list[Segment]:
        """Return the segments of calls in their order, with those that were added meanwhile."""
        numbers = segments.numbers_in(self.folder, segments.CALLS)
        for number in self._known.keys() - numbers:
            self.leave_out(self._known[number], "")
        for number in numbers:
            if number not in self._known and _path_of(number) not in self.damaged:
                self._add(number)
        return [self._known[number] for number in sorted(self._known)]

    def ending_in(self, first_ns: int, last_ns: int) -> Iterator[Segment]:
        """Yield the segments with calls that ended in a range of time."""
        return (each for each in self.segments() if each.has_ends_in(first_ns, last_ns))

    def touching(self, first_ns: int, last_ns: int) -> Iterator[Segment]:
        """Yield the segments with calls that were in progress in a range of time."""
        return (each for each in self.segments() if each.touches(first_ns, last_ns))

    def leave_out(self, segment: Segment, reason: str) -> None:
        """Use a segment no more, because it is damaged, or a flight recorder has removed it."""
        if segment.path.exists():
            self.damaged[_path_of(segment.number)] = reason
        else:
            self.removed += segment.number in self._known
        self._known.pop(segment.number, None)

    def is_damaged(self, segment: Segment) -> bool:
        """Return whether a segment of calls is damaged, as far as it was read."""
        return _path_of(segment.number) in self.damaged

    def _add(self, number: int) -> None:
        path = self.folder / _path_of(number)
        try:
            with open_parquet(path) as file:
                metadata = file.metadata
                extent = Extent.from_metadata(metadata.metadata)
                self._known[number] = Segment(number, path, metadata.num_rows, extent)
        except RecordingError as error:
            if path.exists():
                self.damaged[_path_of(number)] = str(error)

    def damage(self) -> Iterator[str]:
        """Yield a sentence on the segments that are left out, and one on those that are missing."""
        if self.removed:
            several = "1 segment was" if self.removed == 1 else f"{self.removed} segments were"
            yield f"{several} left out: --keep removed what is older while the recording was read"
        if damaged := self.damaged_files():
            yield damaged
        if missing := self._missing():
            name, count = f"calls/{segments.name_of(missing.first)}", missing.count
            several = f"{count:,} segments are missing, the first is {name}"
            yield f"1 segment is missing: {name}" if count == 1 else several

    def damaged_files(self) -> str:
        """Return a sentence on the files that are damaged, as far as they were read; or nothing."""
        if not self.damaged:
            return ""
        name, reason = min(self.damaged.items())
        what = "segment" if "/" in name else "file"
        several = f"1 {what} is" if len(self.damaged) == 1 else f"{len(self.damaged)} are"
        return f"{several} damaged and left out: {name}: {reason}"

    def _missing(self) -> _Missing | None:
        """Return which segments are missing: between others, before or after them."""
        last = max([(self.about.segment_count or 0) - 1, *self._known, *self._summed()])
        first = 0 if self._has_beginning else min(self._known, default=0)
        if last < 0 or not (self._known or self._has_beginning):
            return None
        if len(self._known) == last - first + 1:
            return None
        # Where only losses were noticed, there are no calls.
        kinds = (segments.CALLS, segments.LOSSES)
        listed = (segments.numbers_in(self.folder, kind) for kind in kinds)
        found = set(self._known).union(*listed)
        if not self._has_beginning:
            # Listed last, because --keep may have removed the oldest while they were listed.
            first = min(segments.numbers_in(self.folder, segments.CALLS), default=last)
        present = sorted(number for number in found if first <= number <= last)
        count = last - first + 1 - len(present)
        # The numbers are as expected up to the first gap.
        gap = first + len(present)
        gap = next((at for at, number in enumerate(present, first) if at != number), gap)
        return _Missing(gap, count) if count > 0 else None

    def _summed(self) -> list[int]:
        """Return the segments whose sums are there, so that their calls must have been written."""
        if self.about.segment_count is not None or self.is_locked:
            # The number is known, or a segment may be written between two looks.
            return []
        return segments.numbers_in(self.folder, segments.BINS)

    @property
    def _has_beginning(self) -> bool:
        """Whether the first segment must be there: --keep has removed none, and removes none."""
        return self.about.ended_ns is not None and self.about.traced_since_ns is None


def _path_of(number: int) -> str:
    """Return the path of a segment of calls in its directory."""
    return f"{segments.CALLS}/{segments.name_of(number)}"
