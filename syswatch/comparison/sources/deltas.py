"""Reads recordings and logs of strace into one delta."""

from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from syswatch.base.classes import define, frozen
from syswatch.base.text import escape_text
from syswatch.codec.frames import Message
from syswatch.codec.recording import RecordingError, RecordingReader
from syswatch.machine.folder_locks import is_locked
from syswatch.model.delta import Delta
from syswatch.model.messages import Ended, Failed, FilterOptions, ReadLogs, Started
from syswatch.model.slowest import Slowest
from syswatch.model.timeline import Timeline
from syswatch.model.window import Window
from syswatch.recording.manifest import Manifest, ManifestError
from syswatch.recording.manifest import read as read_manifest
from syswatch.recording.notes import is_part, kept, losses, without_end
from syswatch.tracer.inputs.input_file import InputError, InputFile

from .errors import SourceError

if TYPE_CHECKING:
    from syswatch.tracer.cluster.piece import Piece

# A pipe may have nothing to read for any time.
NO_TIMEOUT_S = 3600.0
_EVERYTHING = FilterOptions()


@frozen
class Observed:
    """What a recording or a log holds: its sums, and how the trace began and ended."""

    delta: Delta
    started: Started
    # None if the end is missing, or was an error.
    ended: Ended | None = None
    # Sentences on what is missing.
    notes: tuple[str, ...] = ()
    # Whether a flight recorder has kept only a part of the trace.
    is_part: bool = False

    @property
    def is_cut_short(self) -> bool:
        """Return whether some of the trace is missing, or it ended because of an error."""
        return self.is_part or not isinstance(self.ended, Ended)


@define
class Sum:
    """
    Adds deltas up in pairs, then in pairs of pairs.

    Adding them one after the other would copy all paths once for each delta.
    """

    # The sum of 1, 2, 4, … deltas, or None.
    _sums: list[Delta | None] = attrs.field(factory=list, init=False)

    def add(self, delta: Delta) -> None:
        """Add one delta, which is later than all before it."""
        for place, before in enumerate(self._sums):
            if before is None:
                self._sums[place] = delta
                return
            self._sums[place] = None
            delta = before + delta
        self._sums.append(delta)

    def total(self) -> Delta:
        """Return the sum of all."""
        whole = Delta()
        for each in reversed(self._sums):
            whole = whole if each is None else whole + each
        return whole


def read_recording(file: InputFile, *, samples: bool = False) -> Observed:
    """
    Read a recording; what follows damage is missing, and a note says so.

    Without a manifest of this version, it is not known what the sums mean: that is an error.  With
    `samples`, single calls that were kept are part of the result.
    """
    found = _Collected(samples=samples)
    # Before the manifest and the sums are read: a recorder that has written the end removes it.
    has_recorder = file.is_folder and is_locked(Path(file.name))
    try:
        about = _manifest_of(Path(file.name))
    except ManifestError as error:
        raise SourceError(f"{file.name}: {error}") from error
    notes = [*kept(about), *losses(about)] if about else []
    unended = without_end(about, is_locked=has_recorder) if about else ""
    # A profile may be made of the calls instead.
    reader = RecordingReader(
        has_calls=file.is_folder and not samples,
        trouble=escape_text(about.trouble) if about else "",
    )
    try:
        for block, _ in file.blocks(NO_TIMEOUT_S):
            for message in reader.receive_data(block):
                found.take(message)
        if not has_recorder:
            reader.close()
    except (InputError, RecordingError) as error:
        if found.started is None:
            raise SourceError(_with_name(file.name, str(error))) from error
        # It says at least as much as the manifest.
        unended = str(error).removeprefix(f"{file.name}: ")
    if isinstance(found.ended, Failed):
        # The manifest repeats the error.
        unended = f"the trace ended with an error: {found.ended.message}"
    if unended:
        notes.append(unended)
    is_a_part = about is not None and is_part(about)
    return attrs.evolve(found.observed(), notes=tuple(notes), is_part=is_a_part)


def read_log(
    file: InputFile,
    workers: int,
    options: FilterOptions = _EVERYTHING,
    *,
    samples: bool = False,
) -> Observed:
    """Read a log of strace; a large one on several CPUs."""
    # Recordings do without all that this imports.
    from syswatch.tracer.inputs.log_source import LogSource
    from syswatch.tracer.inputs.sink import Sink
    from syswatch.tracer.stracelog.log_filter import LogFilter

    found = _Collected(samples=samples)
    job = ReadLogs((file.name,), workers, options=options)
    sink = Sink(found, must_stop=lambda: False, filters="")
    trouble = None
    try:
        LogSource(file, job, LogFilter(job.options)).read_into(sink)
    except InputError as error:
        trouble = error
    _check_records(file.name, trouble, has_records=sink.has_records)
    sink.finish(Ended())
    return _cut_short(found.observed(), file.name, trouble)


def observed_on_cluster(piece: "Piece", name: str) -> Observed:
    """Return what the workers of a cluster have read of a log."""
    trouble = next(iter(piece.troubles), None)
    _check_records(name, trouble, has_records=piece.has_records)
    found = _Collected()
    for start in piece.starts.values():
        found.send(start)
    for delta in piece.deltas:
        found.offer(delta)
    found.finish(Ended())
    return _cut_short(found.observed(), name, trouble)


def _check_records(name: str, trouble: InputError | None, *, has_records: bool) -> None:
    """Raise SourceError if nothing of a log was read."""
    from syswatch.tracer.inputs.input_reader import no_calls

    if not has_records:
        raise SourceError(str(trouble) if trouble else no_calls((name,))) from trouble


def _cut_short(observed: Observed, name: str, trouble: InputError | None) -> Observed:
    if trouble is None:
        return observed
    notes = (f"the log is cut short: {str(trouble).removeprefix(f'{name}: ')}",)
    return attrs.evolve(observed, ended=None, notes=notes)


@define
class _Collected:
    """Takes the messages of one trace."""

    samples: bool = False
    started: Started | None = attrs.field(default=None, init=False)
    ended: Ended | Failed | None = attrs.field(default=None, init=False)
    _sum: Sum = attrs.field(factory=Sum, init=False)

    def take(self, message: Message) -> None:
        """Take a message of a recording."""
        if isinstance(message, Delta):
            self.offer(message)
        elif isinstance(message, Ended | Failed):
            self.finish(message)
        else:
            self.send(message)

    def send(self, message: Message) -> None:
        """Keep how the trace began."""
        if isinstance(message, Started):
            self.started = message

    def offer(self, delta: Delta) -> None:
        """Add a delta."""
        self._sum.add(_compared(delta, samples=self.samples))

    def finish(self, message: Message) -> None:
        """Keep how the trace ended."""
        if isinstance(message, Ended | Failed):
            self.ended = message

    def observed(self) -> Observed:
        """Return all that was taken."""
        ended = self.ended if isinstance(self.ended, Ended) else None
        return Observed(self._sum.total(), self.started or Started(backend=""), ended)


def _compared(delta: Delta, *, samples: bool) -> Delta:
    """Return a delta without what is only displayed, which would take time to add."""
    if not samples:
        delta = attrs.evolve(delta, failures={}, log=(), slowest=Slowest())
    return attrs.evolve(delta, by_process={}, timeline=Timeline(), window=Window())


def _manifest_of(folder: Path) -> Manifest | None:
    """Return the manifest of a recording; one in a single file has none."""
    return read_manifest(folder) if folder.is_dir() else None


def _with_name(name: str, text: str) -> str:
    return text if text.startswith(f"{name}: ") else f"{name}: {text}"
