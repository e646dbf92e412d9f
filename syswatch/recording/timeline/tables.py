"""The small tables of a recording: commands of processes, names of objects, losses."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from syswatch.codec.recording import RecordingError
from syswatch.recording import segments
from syswatch.recording.extra import load
from syswatch.recording.read.parquet import check_types, open_parquet
from syswatch.recording.write.described import OBJECTS_FILE, PROCESSES_FILE

_PROCESSES: Final = {"pid": "int32", "command": "string"}
_OBJECTS: Final = {
    "object": "int64",
    **dict.fromkeys(("kind", "name", "service", "host"), "string"),
}
_LOSSES: Final = {
    # Parquet has no seconds.
    "second": "timestamp[s, tz=UTC]|timestamp[ms, tz=UTC]",
    "tid": "int32",
    "count": "int64",
}
Row = Mapping[str, Any]


def commands(folder: Path) -> dict[int, str]:
    """Return the commands of processes, as far as they are known."""
    rows = _rows(_table(folder / PROCESSES_FILE, _PROCESSES))
    return {row["pid"]: row["command"] or "" for row in rows}


def object_name(folder: Path, key: int) -> str:
    """Return the name of an object, with its kind and service; nothing if it is not known."""
    compute = load("pyarrow.compute")
    table = _table(folder / OBJECTS_FILE, _OBJECTS)
    if table is None:
        return ""
    found = _rows(table.filter(compute.equal(table["object"], key)))
    return _name_of(found[0]) if found else ""


def objects_named(folder: Path, text: str) -> Any:
    """Return the keys of the objects in whose names a text is, as an array."""
    arrow, compute = load("pyarrow"), load("pyarrow.compute")
    table = _table(folder / OBJECTS_FILE, _OBJECTS)
    if table is None:
        return arrow.array([], "int64")
    found = [
        compute.match_substring(table[name], text, ignore_case=True).fill_null(False)  # noqa: FBT003  by position only
        for name in ("name", "host", "service")
    ]
    mask = compute.or_(compute.or_(found[0], found[1]), found[2])
    return table["object"].filter(mask).combine_chunks()


def losses(folder: Path, number: int) -> list[Row]:
    """Return which calls are missing, as one segment says."""
    arrow = load("pyarrow")
    table = _table(folder / segments.LOSSES / segments.name_of(number), _LOSSES)
    if table is None:
        return []
    seconds = table["second"].cast(arrow.timestamp("s", tz="UTC")).cast("int64")
    return _rows(table.set_column(0, "second", seconds))


def _table(path: Path, types: Mapping[str, str]) -> Any:
    """Return a table, or None if it is missing or damaged: the calls can do without it."""
    try:
        with open_parquet(path) as file:
            check_types(file, types)
            return file.read(columns=list(types), use_threads=False)
    except RecordingError:
        return None


def _rows(table: Any) -> list[Row]:
    rows: list[Row] = [] if table is None else table.to_pylist()
    return rows


def _name_of(row: Row) -> str:
    name = row["host"] or row["name"] or ""
    known = ", ".join(each for each in (row["kind"], row["service"]) if each)
    return f"{name} ({known})" if known else name
