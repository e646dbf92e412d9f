"""The calls of a recording row by row, and the names of what they belong to."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, Final, NamedTuple

from syswatch.base.classes import define
from syswatch.base.text import escape_text
from syswatch.codec.event_frames import Loss
from syswatch.codec.recording import RecordingError
from syswatch.model.objects import ObjectInfo
from syswatch.model.times import LONGEST_NS, SECOND_NS
from syswatch.recording import segments
from syswatch.recording.columns import CALLS
from syswatch.recording.exits import is_exit
from syswatch.recording.extra import load
from syswatch.recording.read.ends import Ends, first_end, process_ends
from syswatch.recording.read.files import reason_of
from syswatch.recording.read.opening import Recording, Segment
from syswatch.recording.read.parquet import damages, open_parquet
from syswatch.recording.read.recorded import Known, RecordedDeltas

_COLUMNS: Final = tuple(
    column.name for column in CALLS if column.name not in {"estimated", "written_to", "cpu"}
)
_TEXTS: Final = ("name", "errno", "args", "ret")


class Row(NamedTuple):
    """A call; what is not known is None."""

    start_ns: int
    duration_ns: int | None
    waiting_ns: int
    ready_ns: int
    waited: bool
    untimed: bool
    pid: int
    tid: int
    name: str
    result: int | None
    errno: str | None
    bytes: int
    object: int | None
    a0: int | None
    a1: int | None
    a2: int | None
    a3: int | None
    a4: int | None
    a5: int | None
    args: str | None
    ret: str | None

    @property
    def end_ns(self) -> int:
        """When it returned; later than any time if it has not."""
        return LONGEST_NS if self.duration_ns is None else self.start_ns + self.duration_ns


class Process(NamedTuple):
    """A process, when it ended, and how."""

    pid: int
    command: str
    end_ns: int | None
    ending: str


@define(slots=False)
class Selection:
    """The calls that were in progress in a range of time."""

    recording: Recording
    since_ns: int = 0
    until_ns: int = LONGEST_NS

    @cached_property
    def known(self) -> Known:
        """The names of objects, threads and processes."""
        deltas = RecordedDeltas(self.recording.folder, self.recording.damaged)
        deltas.scan()
        deltas.close()
        return deltas.known

    @cached_property
    def processes(self) -> list[Process]:
        """The processes, in the order in which they were found."""
        path = self.recording.folder / "processes.parquet"
        if not path.exists():
            return []
        try:
            with open_parquet(path) as file:
                table = file.read(columns=["pid", "command", "end", "ending"])
            ends = table["end"].cast("int64").to_pylist()
            texts = (_values(table[name], "name") for name in ("command", "ending"))
            commands, endings = ([text or "" for text in column] for column in texts)
            return list(map(Process, table["pid"].to_pylist(), commands, ends, endings))
        except damages() as error:
            self.recording.damaged[path.name] = reason_of(error)
            return []

    @cached_property
    def _process_ends(self) -> Ends:
        return process_ends(self.recording)

    @cached_property
    def commands(self) -> Mapping[int, str]:
        """The last command of each process."""
        named = {pid: process.comm for pid, process in self.known.processes.items()}
        return named | {each.pid: each.command for each in self.processes if each.command}

    def object(self, row: Row) -> ObjectInfo | None:
        """Return the object that a call acts on, if it is known."""
        return None if row.object is None else self.known.objects.get(row.object)

    def parts(self) -> Iterator[list[Row]]:
        """Yield the calls in parts, each in the order of their starts."""
        for segment in self.recording.touching(self.since_ns, self.until_ns):
            for rows in self._rows(segment):
                yield [
                    row
                    for row in rows
                    if row.start_ns < self.until_ns and self._end_ns(row) >= self.since_ns
                ]

    def _end_ns(self, row: Row) -> int:
        """Return when a call returned, or ended because its thread or process did."""
        # What was selected anyway needs no table of ends.
        if row.duration_ns is not None or row.start_ns >= self.since_ns:
            return row.end_ns
        if is_exit(row.name):
            return row.start_ns
        of_process = self._process_ends.get(row.pid, ())
        return first_end(row.start_ns, of_process, self.known.thread_ends.get(row.tid, ()))

    def losses(self) -> list[Loss]:
        """Return where calls are missing, in the order of time."""
        found: list[Loss] = []
        for number in segments.numbers_in(self.recording.folder, segments.LOSSES):
            path = self.recording.folder / segments.LOSSES / segments.name_of(number)
            try:
                with open_parquet(path) as file:
                    table = file.read(columns=["tid", "second", "count"])
                # Parquet has no seconds: they may have become milliseconds.
                moments = table["second"].cast(load("pyarrow").timestamp("s", tz="UTC"))
                seconds = moments.cast("int64").to_pylist()
                columns = (table["tid"].to_pylist(), seconds, table["count"].to_pylist())
                found += map(Loss, *columns)
            except (RecordingError, load("pyarrow").ArrowException, ValueError) as error:
                if path.exists():
                    self.recording.damaged[f"{segments.LOSSES}/{path.name}"] = reason_of(error)
        chosen = (each for each in found if self._is_chosen(each))
        return sorted(chosen, key=lambda loss: (loss.second, loss.tid))

    def _is_chosen(self, loss: Loss) -> bool:
        begin_ns = loss.second * SECOND_NS
        return begin_ns < self.until_ns and begin_ns + SECOND_NS > self.since_ns

    def _rows(self, segment: Segment) -> Iterator[list[Row]]:
        """Yield the groups of a segment; leave out the rest of a damaged one."""
        try:
            with open_parquet(segment.path, ("args", "ret")) as file:
                for group in range(file.metadata.num_row_groups):
                    table = file.read_row_group(group, columns=list(_COLUMNS))
                    columns = (_values(table[name], name) for name in _COLUMNS)
                    yield list(map(Row, *columns))
        except damages() as error:
            self.recording.leave_out(segment, reason_of(error))


def _values(column: Any, name: str) -> list[Any]:
    """Return the values of a column; text may come from anyone."""
    if name == "start":
        return list(column.cast("int64").to_pylist())
    if name not in _TEXTS:
        return list(column.to_pylist())
    return [text for part in column.chunks for text in _texts(part)]


def _texts(part: Any) -> list[str | None]:
    """Return texts; a short file can have a long one in each row, which is held only once."""
    if not hasattr(part, "dictionary"):
        part = part.dictionary_encode()
    known = [None if text is None else escape_text(text) for text in part.dictionary.to_pylist()]
    places = part.indices.to_pylist()
    if any(place is not None and place < 0 for place in places):
        raise RecordingError("a text that does not exist is used")
    return [None if place is None else known[place] for place in places]
