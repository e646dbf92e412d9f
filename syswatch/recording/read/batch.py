"""The calls of a part of a segment, as columns of numbers."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Self

import attrs

from syswatch.base.classes import frozen
from syswatch.base.text import escape_text
from syswatch.codec.event_frames import Text
from syswatch.codec.recording import RecordingError
from syswatch.codec.untrusted import escape_texts
from syswatch.model.times import LONGEST_NS
from syswatch.recording.extra import load

from .files import reason_of
from .opening import Recording, Segment
from .parquet import check_types, damages, open_parquet

_NAMES = "dictionary<values=string, indices=int16, ordered=0>"
_TEXTS = "dictionary<values=string, indices=int32, ordered=0>"
_TYPES: Final = {
    "start": "timestamp[ns, tz=UTC]",
    **dict.fromkeys(("duration", "waiting", "ready", "result", "bytes"), "int64"),
    **dict.fromkeys(("object", "written_to"), "int64"),
    **dict.fromkeys(("estimated", "untimed"), "bool"),
    **dict.fromkeys(("pid", "tid"), "int32"),
    **dict.fromkeys(("name", "errno"), _NAMES),
    **dict.fromkeys(("args", "ret"), _TEXTS),
}
_REGISTERS: Final = tuple(f"a{index}" for index in range(6))
# The places of rows without a name; that is so for the error of calls that succeeded.
NO_NAME: Final = -1


@frozen(eq=False)
class Batch:
    """
    Calls in the order of their starts.

    Each column is an array, the names are those that indices refer to.
    """

    start: Any
    # 0 if it has not returned; the end is then later than any time.
    duration: Any
    end: Any
    returned: Any
    waiting: Any
    ready: Any
    estimated: Any
    untimed: Any
    pid: Any
    tid: Any
    # Indices of `names` and `errnos`.
    name: Any
    errno: Any
    result: Any
    bytes: Any
    object: Any
    written_to: Any
    names: tuple[str, ...]
    errnos: tuple[str, ...]
    # Arrow arrays of the arguments and results as text.
    args: Any
    ret: Any
    # A row of the six raw arguments for each call, and whether they were recorded; without columns
    # unless they were asked for.
    registers: Any
    has_registers: Any

    @classmethod
    def of(cls, table: Any) -> Self:
        """Return the calls of a table."""
        numpy, compute = load("numpy"), load("pyarrow.compute")
        columns = {name: table[name].combine_chunks() for name in table.column_names}

        def numbers(name: str, kind: str = "i8") -> Any:
            filled = compute.fill_null(columns[name], False if kind == "?" else 0)
            return filled.to_numpy(zero_copy_only=False).astype(kind)

        start = compute.fill_null(columns["start"].cast("int64"), 0).to_numpy()
        duration = numbers("duration")
        returned = columns["duration"].is_valid().to_numpy(zero_copy_only=False)
        if len(duration) and (start.min() < 0 or duration.min() < 0):
            raise RecordingError("it has negative times")
        ends = (start.astype("u8") + duration.astype("u8")).clip(max=LONGEST_NS).astype("i8")
        name, names = _places(columns["name"])
        errno, errnos = _places(columns["errno"])
        return cls(
            start=start,
            duration=duration,
            end=numpy.where(returned, ends, LONGEST_NS),
            returned=returned,
            waiting=numbers("waiting").clip(0),
            ready=numbers("ready").clip(0),
            estimated=numbers("estimated", "?"),
            untimed=numbers("untimed", "?"),
            pid=numbers("pid"),
            tid=numbers("tid"),
            name=name,
            errno=errno,
            result=numbers("result"),
            bytes=numbers("bytes").clip(0),
            object=numbers("object"),
            written_to=numbers("written_to"),
            names=names,
            errnos=errnos,
            args=columns["args"],
            ret=columns["ret"],
            **_registers([columns[each] for each in _REGISTERS if each in columns], len(start)),
        )

    def __len__(self) -> int:
        """Return how many calls there are."""
        return len(self.start)

    def where(self, chosen: Any) -> "Batch":
        """Return some of the calls: a mask, or their places."""
        if chosen.dtype == bool and chosen.all():
            return self
        arrow = load("pyarrow")
        mask = arrow.array(chosen)
        texts = {
            name: column.filter(mask) if chosen.dtype == bool else column.take(mask)
            for name, column in (("args", self.args), ("ret", self.ret))
        }
        arrays = {
            field.name: getattr(self, field.name)[chosen]
            for field in attrs.fields(Batch)
            if field.name not in ("names", "errnos", "args", "ret")
        }
        return attrs.evolve(self, **arrays, **texts)

    def text(self, place: int) -> tuple[str, str]:
        """Return the arguments and the result of a call as text; empty if they are not known."""
        text = Text(0, 0, self.args[place].as_py() or "", self.ret[place].as_py() or "")
        shown = escape_texts(text)
        return shown.arguments, shown.result


def _places(column: Any) -> tuple[Any, tuple[str, ...]]:
    """Return the indices of a column of names, and the names."""
    compute = load("pyarrow.compute")
    if not hasattr(column, "dictionary"):
        column = compute.dictionary_encode(column)
    places = compute.fill_null(column.indices.cast("int64"), NO_NAME).to_numpy()
    names = tuple(escape_text(name or "")[:100] for name in column.dictionary.to_pylist())
    if len(places) and not NO_NAME <= places.min() <= places.max() < len(names):
        raise RecordingError("it has names that are not in its dictionary")
    return places, names


def _registers(columns: Sequence[Any], size: int) -> Mapping[str, Any]:
    """Return the raw arguments, and which calls have them."""
    numpy, compute = load("numpy"), load("pyarrow.compute")
    registers, known = numpy.zeros((size, len(columns)), "u8"), numpy.full(size, bool(columns))
    for index, column in enumerate(columns):
        registers[:, index] = compute.fill_null(column, 0).to_numpy()
        known &= column.is_valid().to_numpy(zero_copy_only=False)
    return {"registers": registers, "has_registers": known}


def batches(recording: Recording, segment: Segment, *, registers: bool = False) -> Iterator[Batch]:
    """Yield the calls of a segment; if it is damaged, leave the rest of it out."""
    types = _accepted(registers=registers)
    try:
        with open_parquet(segment.path, ("args", "ret")) as file:
            check_types(file, types)
            for group in range(file.metadata.num_row_groups):
                yield Batch.of(file.read_row_group(group, columns=list(types)))
    except damages() as error:
        recording.leave_out(segment, reason_of(error))


def _accepted(*, registers: bool) -> Mapping[str, str]:
    """Return the types; another writer may not have kept names apart from the rows."""
    types = _TYPES | dict.fromkeys(_REGISTERS, "uint64") if registers else _TYPES
    return {
        name: f"{kind}|string" if kind.startswith("dictionary") else kind
        for name, kind in types.items()
    }
