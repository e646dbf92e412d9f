"""Downloads: the tables of the dashboard, as CSV or JSON, as they are shown."""

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, cast

import msgspec
from msgspec import inspect
from twisted.internet.defer import Deferred
from twisted.web.iweb import IRequest

from syswatch.base.classes import define, frozen
from syswatch.model.catalog import Category
from syswatch.model.objects import ObjectKind
from syswatch.model.snapshot import Snapshot
from syswatch.views import board_records, records, time_records
from syswatch.views.board import BoardQuery
from syswatch.views.records import encode

from .parameters import ChoiceParameter, NamesParameter, TextParameter
from .processes import process_of, process_parameter
from .responses import JSON, Response, ResponseCache
from .routes import serves
from .time_api import limits, period_of

_CSV: Final = b"text/csv; charset=utf-8"
Row = Mapping[str, Any]


@frozen
class _Table:
    """A table: its rows, in which keys a filter looks for a text, and which key is the kind."""

    record: type
    rows: Callable[[board_records.Board], object]
    words: tuple[str, ...]
    kind: str = ""
    # Whether ranges of time are known for it without a recording.
    has_history: bool = False


_TABLES: Final[Mapping[str, _Table]] = {
    "calls": _Table(board_records.BoardRow, lambda board: board.stats, ("Name",), "Category"),
    "objects": _Table(
        time_records.ObjectRow,
        lambda board: board.objects,
        ("Title", "Detail", "Host"),
        "Kind",
        has_history=True,
    ),
    "threads": _Table(
        time_records.ThreadRow,
        lambda board: board.threads and board.threads.threads,
        ("Comm", "TID", "PID"),
        has_history=True,
    ),
    "slowest": _Table(
        time_records.SlowCall,
        lambda board: board.slowest,
        ("Name", "Args", "Object.Name", "TID", "Error"),
        has_history=True,
    ),
    "log": _Table(records.LogEntry, lambda board: board.log, ("Name", "Args"), has_history=True),
    "files": _Table(records.FileCount, lambda board: board.files, ("path",)),
    "processes": _Table(board_records.BoardProcess, lambda board: board.processes, ("Comm", "PID")),
}
# A kind that stands for the objects of idle waits.
_IDLE: Final = "idle"
_TABLE = ChoiceParameter("table", "The table.", tuple(_TABLES), "calls")
_FORMAT = ChoiceParameter("format", "The form of the file.", ("csv", "json"), "csv")
_PID = process_parameter("pid")
_FILTER = TextParameter("filter", "Return only rows with this text in a name, regardless of case.")
_KINDS = NamesParameter(
    "kinds",
    "Return only rows of these categories or kinds, with commas.",
    frozenset({*Category, *(kind.value for kind in ObjectKind), _IDLE}),
)
_RANGE = limits("the rows")


@define
class DownloadApi:
    """The endpoint for downloads of tables."""

    _cache: ResponseCache

    @serves(
        "/api/download",
        answers=list[dict[str, Any]],
        content_type=_CSV,
        alternatives=(JSON,),
        parameters=(_TABLE, _FORMAT, _PID, _FILTER, _KINDS, *_RANGE),
        errors=(400, 404, 503),
    )
    def download(self, request: IRequest) -> bytes | Deferred[bytes]:
        """Return a table of the dashboard as a file."""
        name, form = _TABLE.value(request), _FORMAT.value(request)
        table, period = _TABLES[name], period_of(request)
        text, kinds = _FILTER.value(request).lower(), _KINDS.value(request)
        pid = process_of(_PID, request, self._cache.snapshot())
        query = BoardQuery(parts=frozenset({name} - {"calls"}), pid=pid, period=period)
        key = ("download", form, query, text, kinds)

        def compute(snapshot: Snapshot) -> Response:
            plain = msgspec.json.decode(encode(table.rows(query(snapshot))))
            rows = [each for each in map(_flat, plain) if _is_wanted(table, each, text, kinds)]
            file_name = f"{name}.{form}"
            if form == "json":
                return Response(encode(rows), file_name=file_name)
            return Response(_csv(table, rows), _CSV, file_name)

        send = self._cache.send_range if table.has_history else self._cache.send_exact_range
        return send(request, period, key, compute)


def _flat(record: Row) -> Row:
    """Return a row in which the values of an object have names such as `Object.Name`."""
    row: dict[str, Any] = {}
    for name, value in record.items():
        if isinstance(value, dict):
            row |= {f"{name}.{key}": each for key, each in value.items()}
        else:
            row[name] = value
    return row


def _is_wanted(table: _Table, row: Row, text: str, kinds: frozenset[str]) -> bool:
    """Return whether the dashboard shows a row with these filters."""
    if kinds and table.kind and row[table.kind] not in kinds:
        is_idle = _IDLE in kinds and row.get("Idle", 0) > 0
        if not is_idle:
            return False
    return text in " ".join(str(row.get(name, "")) for name in table.words).lower()


def _csv(table: _Table, rows: Iterable[Row]) -> bytes:
    """Return a line for each row, below a line of titles; lists are JSON."""
    rows = list(rows)
    # Those of the numbers by errno depend on the rows.
    titles = list(dict.fromkeys([*_titles(table.record), *(name for row in rows for name in row)]))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(titles)
    for row in rows:
        writer.writerow(_cell(row.get(name)) for name in titles)
    return out.getvalue().encode()


def _titles(record: type) -> Iterator[str]:
    """Yield the names of the columns of a table, as `_flat` has them."""
    for field in cast("inspect.StructType", inspect.type_info(record)).fields:
        match field.type:
            case inspect.StructType(cls=inner):
                yield from (f"{field.encode_name}.{name}" for name in _titles(inner))
            case inspect.DictType():
                pass
            case _:
                yield field.encode_name


def _cell(value: object) -> object:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list) else value
