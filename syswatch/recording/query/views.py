"""The views that questions are asked of; the documentation lists their columns from here."""

from collections.abc import Mapping, Sequence
from typing import Final

import attrs

from syswatch.base.classes import frozen
from syswatch.recording import segments
from syswatch.recording.columns import CALLS, LOSSES, OBJECTS, PROCESSES, Column

# The types of the columns.
TYPES: Final = {
    "timestamp[ns, UTC]": "TIMESTAMP_NS",
    "timestamp[ms, UTC]": "TIMESTAMP_S",
    "timestamp[s, UTC]": "TIMESTAMP_S",
    "dictionary<string>": "VARCHAR",
    "string": "VARCHAR",
    "bool": "BOOLEAN",
    "int16": "SMALLINT",
    "int32": "INTEGER",
    "int64": "BIGINT",
    "uint64": "UBIGINT",
}


@frozen
class View:
    """A view, the columns that it has, and the query that it stands for."""

    name: str
    meaning: str
    columns: tuple[Column, ...]
    query: str


# The tables as they are in the files, from which the views are made.
TABLES: Final = {
    segments.CALLS: CALLS,
    segments.LOSSES: LOSSES,
    "processes": PROCESSES,
    "objects": OBJECTS,
}
# It is in no file: the files of a recording are read with it.
RECORDING: Final = Column("recording", "string", "recording that it is from, as it was given")
_END = Column("end", "timestamp[ns, UTC]", "when it returned")
_ERRORS = Column("errors", "int32", "1 if it failed, otherwise 0")
_RETURNED: Final = tuple(
    attrs.evolve(column, missing="") if column.name in {"duration", "result"} else column
    for column in CALLS
)
_PLACE: Final = [column.name for column in CALLS].index("errno") + 1
_CALL_COLUMNS: Final = (
    _RETURNED[0],
    _END,
    *_RETURNED[1:_PLACE],
    _ERRORS,
    *_RETURNED[_PLACE:],
    RECORDING,
)
_JOINED: Final = (
    Column("kind", "string", "kind of its object", "it acts on none"),
    Column("object_name", "string", "path, address or whatever names its object", "unknown"),
    Column("service", "string", "service of the port of its object", "unknown"),
    Column("host", "string", "host name of its object", "unknown"),
)
_UNFINISHED: Final = tuple(
    column
    for column in (*CALLS, RECORDING)
    if column.name not in {"duration", "result", "errno", "ret", "bytes", "estimated", "cpu"}
)
_OBJECTS: Final = (*OBJECTS, RECORDING)
_PROCESSES: Final = (*PROCESSES, RECORDING)
_LOSSES: Final = (*LOSSES, RECORDING)
_SECONDS: Final = (
    Column("second", "timestamp[s, UTC]", "in which the calls returned"),
    Column("name", "string", "system call"),
    Column("calls", "int64", "how many returned"),
    Column("errors", "int64", "how many failed"),
    Column("time", "int64", "nanoseconds in these calls"),
    Column("waiting", "int64", "of these, threads were blocked"),
    Column("bytes", "int64", "bytes that they read or wrote"),
    RECORDING,
)


def _selection(
    columns: Sequence[Column], table: str, condition: str = "true", **computed: str
) -> str:
    """Return a query of a table of the files, which has a form of its own for some columns."""
    forms = {each.name: f'"{each.name}"::{TYPES[each.type]}' for each in columns} | computed
    shown = ", ".join(f'{forms[each.name]} AS "{each.name}"' for each in columns)
    return f"SELECT {shown} FROM {{{table}}} WHERE {condition}"  # noqa: S608  of constants alone


# Whether a call and an object are of one recording; to compare names takes half as long again.
_SAME_RECORDING: Final = "calls.recording = o.recording"
VIEWS: Final = (
    View(
        "calls",
        "every call that returned",
        _CALL_COLUMNS,
        _selection(
            _CALL_COLUMNS,
            segments.CALLS,
            "duration IS NOT NULL",
            end="make_timestamp_ns(epoch_ns(start) + duration)",
            errors="(errno IS NOT NULL)::INTEGER",
        ),
    ),
    View("objects", "every object", _OBJECTS, _selection(_OBJECTS, "objects")),
    View(
        "calls_with_objects",
        "the same with the object that the call acts on; questions of `calls` alone are faster",
        (*_CALL_COLUMNS, *_JOINED),
        "SELECT calls.*, o.kind, o.name AS object_name, o.service, o.host"
        " FROM calls LEFT JOIN objects AS o"
        " ON calls.object = o.object AND {same_recording}",
    ),
    View(
        "unfinished",
        "every call that had not returned when its thread or the trace ended",
        _UNFINISHED,
        _selection(_UNFINISHED, segments.CALLS, "duration IS NULL"),
    ),
    View(
        "processes",
        "every process",
        _PROCESSES,
        _selection(_PROCESSES, "processes"),
    ),
    View(
        "seconds",
        "sums for each second and call",
        _SECONDS,
        "SELECT date_trunc('second', \"end\")::TIMESTAMP_S AS second, name, count(*) AS calls,"
        " sum(errors)::BIGINT AS errors, sum(duration)::BIGINT AS time,"
        " sum(waiting)::BIGINT AS waiting, sum(bytes)::BIGINT AS bytes, recording FROM calls"
        " GROUP BY ALL",
    ),
    View(
        "losses",
        "where calls are missing; empty if the recording is complete",
        _LOSSES,
        _selection(_LOSSES, segments.LOSSES),
    ),
)


def forms_of(tables: Mapping[str, str], *, are_several: bool) -> Mapping[str, str]:
    """Return what the queries of the views are completed with."""
    return {**tables, "same_recording": _SAME_RECORDING if are_several else "true"}
