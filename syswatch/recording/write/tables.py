"""Events as a table of calls."""

from collections.abc import Callable, Mapping
from typing import Any

from syswatch.codec.events import FIELDS, UNFINISHED_NS, UNKNOWN_CPU, Flag
from syswatch.model.errnos import errno_name
from syswatch.recording.arrays import array_of
from syswatch.recording.extent import Extent
from syswatch.recording.extra import load
from syswatch.tracer.naming import recorded_name

# A thread and the start of its call; arguments and result as text.
Texts = Mapping[tuple[int, int], tuple[str, str]]

_CODES = {"Q": "<u8", "q": "<i8", "I": "<u4", "H": "<u2", "B": "u1"}
_ARGUMENTS = 6
_LARGEST_ERRNO = 4095


def load_packages() -> None:
    """Load what tables need; raise MissingPackageError if it is not installed."""
    for name in ("numpy", "pyarrow", "pyarrow.parquet"):
        load(name)


def losses_table(losses: Mapping[tuple[int, int], int]) -> Any:
    """Return the table of missing calls; the keys are second and thread."""
    arrow = load("pyarrow")
    rows = sorted(losses.items())
    # Parquet has no timestamps in seconds.
    times = arrow.array([second * 1000 for (second, _), _ in rows], "int64")
    return arrow.table(
        {
            "second": times.cast(arrow.timestamp("ms", tz="UTC")),
            "tid": arrow.array([tid for (_, tid), _ in rows], "int32"),
            "count": arrow.array([count for _, count in rows], "int64"),
        }
    )


def unfinished_in(table: Any) -> int:
    """Return how many of the calls in a table had not returned when it ended."""
    count: int = table["duration"].null_count
    return count


def dtype() -> Any:
    """Return the form of an event for numpy."""
    return load("numpy").dtype([(name, _CODES[code]) for name, code in FIELDS])


def calls_of(data: bytes, texts: Texts) -> Any:
    """Return the table of calls that were recorded, in the order of their starts."""
    numpy, arrow = load("numpy"), load("pyarrow")
    events = numpy.frombuffer(data, dtype())
    is_moved = (events["flags"] & Flag.MOVED) != 0
    moved = events[is_moved & ((events["flags"] & Flag.NAMED) == 0)]
    # Sorted and selected at once: events are large, so that copying them is most of the work.
    order = numpy.argsort(events["start_ns"], kind="stable")
    events = events[order[~is_moved[order]]]
    flags = events["flags"]

    def integers(name: str, kind: str, missing: Any = None) -> Any:
        return array_of(events[name].astype(kind), missing)

    unfinished = events["duration_ns"] == UNFINISHED_NS
    failed = (flags & Flag.FAILED) != 0
    without_arguments = (flags & Flag.NO_ARGUMENTS) != 0
    columns = {
        "start": array_of(events["start_ns"].astype("i8"), kind=arrow.timestamp("ns", tz="UTC")),
        "duration": integers("duration_ns", "i8", unfinished),
        "waiting": integers("waiting_ns", "i8"),
        "ready": integers("ready_ns", "i8"),
        "waited": array_of((flags & Flag.WAITED) != 0),
        "estimated": array_of((flags & Flag.ESTIMATED) != 0),
        "untimed": array_of((flags & Flag.UNTIMED) != 0),
        "pid": integers("pid", "i4"),
        "tid": integers("tid", "i4"),
        "name": _names(events),
        "result": integers("result", "i8", unfinished),
        "errno": _errnos(events["result"], failed & ~unfinished),
        "bytes": integers("bytes", "i8"),
        "object": integers("object", "i8", events["object"] == 0),
        "written_to": _second_objects(events, moved),
        **{
            f"a{index}": array_of(events[f"argument{index}"], without_arguments)
            for index in range(_ARGUMENTS)
        },
        **_texts(events, texts),
        "cpu": integers("cpu", "i2", events["cpu"] == UNKNOWN_CPU),
    }
    return arrow.table(columns, metadata=Extent.of(events).as_metadata())


def _second_objects(events: Any, moved: Any) -> Any:
    """Return the second object of calls that copy, which thread and start identify."""
    numpy = load("numpy")
    starts, tids = numpy.unique(moved["start_ns"]), numpy.unique(moved["tid"])

    def keys(some: Any) -> Any:
        return numpy.searchsorted(starts, some["start_ns"]) * len(tids) + numpy.searchsorted(
            tids, some["tid"]
        )

    objects = numpy.zeros(len(events), "i8")
    places = numpy.flatnonzero(
        numpy.isin(events["start_ns"], starts) & numpy.isin(events["tid"], tids)
    )
    known, firsts = numpy.unique(keys(moved), return_index=True)
    wanted = keys(events[places])
    at = numpy.searchsorted(known, wanted)
    found = numpy.isin(wanted, known)
    objects[places[found]] = moved["object"][firsts[at[found]]]
    return array_of(objects, objects == 0)


def _names(events: Any) -> Any:
    """Return the names of the calls."""
    numpy = load("numpy")
    keys = keys_of_calls(events)
    return _looked_up(keys, numpy.unique(keys), name_of_call)


def keys_of_calls(events: Any) -> Any:
    """Return the keys of the names of the calls, made of architecture and number."""
    return events["architecture"].astype("u4") << 16 | events["number"]


def name_of_call(key: int) -> str:
    """Return the name that a key stands for."""
    return recorded_name(key >> 16, key & 0xFFFF)


def _errnos(results: Any, failed: Any) -> Any:
    """Return the names of the errors of calls that failed."""
    numpy = load("numpy")
    keys = numpy.clip(-results, 0, _LARGEST_ERRNO) * failed
    return _looked_up(keys, numpy.unique(keys[failed]), lambda key: errno_name(-key), ~failed)


def _looked_up(keys: Any, known: Any, name_of: Callable[[int], str], missing: Any = None) -> Any:
    """Return a column of names, of which each is stored once."""
    numpy, arrow = load("numpy"), load("pyarrow")
    places = numpy.zeros(int(known.max(initial=0)) + 1, "i2")
    places[known] = numpy.arange(len(known))
    names = arrow.array([name_of(int(key)) for key in known], "string")
    indices = array_of(places[keys], missing)
    return arrow.DictionaryArray.from_arrays(indices, names)


def _texts(events: Any, texts: Texts) -> Mapping[str, Any]:
    """Return the columns of texts, of which there are few."""
    numpy, arrow = load("numpy"), load("pyarrow")
    if not texts:
        return {name: arrow.nulls(len(events), "string") for name in ("args", "ret")}
    columns = {name: numpy.full(len(events), None, dtype=object) for name in ("args", "ret")}
    tids = numpy.fromiter({tid for tid, _ in texts}, "u4")
    starts = numpy.fromiter((start_ns for _, start_ns in texts), "u8", len(texts))
    places = numpy.isin(events["start_ns"], starts) & numpy.isin(events["tid"], tids)
    # As a text, too, they are arguments.
    places &= (events["flags"] & Flag.NO_ARGUMENTS) == 0
    for index in numpy.flatnonzero(places):
        found = texts.get((int(events["tid"][index]), int(events["start_ns"][index])))
        if found is not None:
            columns["args"][index], columns["ret"][index] = found
    return {name: arrow.array(values, "string") for name, values in columns.items()}
