"""
A database over the files of recordings, which can do nothing but read them.

Queries may come from a browser, so the database opens no other file, loads no extensions, and its
settings cannot be changed.  It keeps everything in memory, up to a limit.
"""

import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from syswatch.base.classes import define, frozen
from syswatch.base.text import escape_text
from syswatch.recording.extra import load
from syswatch.recording.read.opening import Recording
from syswatch.recording.read.parquet import damage_in

from .errors import QueryError, explained
from .macros import macros
from .sources import place_of, source_of
from .values import rows_of
from .views import TABLES, VIEWS, forms_of

DEFAULT_MEMORY = "1GB"
_BATCH_ROWS = 10_000
_REMOVED = (
    "calls were removed by --keep while the query read them (try again, or save the recording and"
    " query that)"
)
SETTINGS = {
    # A table that does not exist must not be looked for among Python's variables.
    "python_enable_replacements": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}


@frozen
class Result:
    """The columns of a result, and its rows in batches of Arrow."""

    columns: tuple[str, ...]
    schema: Any
    batches: Iterator[Any]


@define
class Database:
    """Answers queries about one or more recordings."""

    _connection: Any
    _files: Sequence[str]
    # Closes the directories that files are read through.
    _places: ExitStack

    @classmethod
    def open(cls, *recordings: Recording, memory: str = DEFAULT_MEMORY) -> "Database":
        """Open recordings; a QueryError if one cannot be read."""
        duckdb = load("duckdb")
        connection = duckdb.connect(":memory:", config=SETTINGS)
        with ExitStack() as opened:
            places = {each.folder: place_of(each.folder, opened) for each in recordings}
            try:
                files = _prepare(connection, recordings, places, memory)
            except duckdb.Error as error:
                connection.close()
                raise QueryError(f"a recording cannot be read: {explained(error)}") from error
            return cls(connection, files, opened.pop_all())

    @contextmanager
    def run(
        self, sql: str, parameters: Mapping[str, object] | None = None, most_s: float | None = None
    ) -> Iterator[Result]:
        """Run a query; a QueryError where it is wrong, takes too long or needs too much memory."""
        timer = threading.Timer(most_s or 0, self._connection.interrupt)
        timer.daemon = True
        if most_s is not None:
            timer.start()
        try:
            check_select(self._connection, sql)
            with self._explained(most_s):
                relation = self._bound(sql, dict(parameters or {}))
                reader = relation.to_arrow_reader(_BATCH_ROWS)
            # An open result would block the next query.
            with reader:
                yield Result(
                    tuple(reader.schema.names), reader.schema, self._batches(reader, most_s)
                )
        finally:
            timer.cancel()

    def rows(
        self, sql: str, parameters: Mapping[str, object] | None = None, most_s: float | None = None
    ) -> list[tuple[Any, ...]]:
        """Return all rows of a query that has few."""
        with self.run(sql, parameters, most_s) as result:
            return [row for batch in result.batches for row in rows_of(batch)]

    def close(self) -> None:
        """Free the memory."""
        self._connection.close()
        self._places.close()

    def _bound(self, sql: str, parameters: dict[str, object]) -> Any:
        """Return what streams the result; an error says where in the query it is."""
        duckdb = load("duckdb")
        try:
            return self._connection.sql(sql, params=parameters)
        except duckdb.Error:
            if not _are_removed(self._files):
                _raise_with_position(self._connection, sql, parameters)
            raise

    def _batches(self, reader: Any, most_s: float | None) -> Iterator[Any]:
        """Yield the batches of a result as they arise."""
        with self._explained(most_s):
            yield from reader

    @contextmanager
    def _explained(self, most_s: float | None) -> Iterator[None]:
        """Turn the errors of DuckDB, and those of its streams, into a QueryError."""
        duckdb = load("duckdb")
        try:
            yield
        except duckdb.InterruptException as error:
            raise QueryError(f"the query took longer than {most_s or 0:g} s") from error
        except (duckdb.Error, OSError) as error:
            if _are_removed(self._files):
                raise QueryError(_REMOVED) from error
            # The first are errors of the query itself; a limit leaves no time to look for others.
            is_of_query = isinstance(error, duckdb.DataError | duckdb.OutOfMemoryException)
            damage = "" if is_of_query or most_s is not None else _damage_in(self._files)
            raise QueryError(damage or explained(error)) from error


def check_select(connection: Any, sql: str) -> None:
    """Refuse everything but one query: other statements may write to the files."""
    duckdb = load("duckdb")
    try:
        statements = connection.extract_statements(sql)
    except duckdb.Error as error:
        raise QueryError(explained(error, sql)) from error
    if len(statements) != 1:
        raise QueryError(f"expected one SELECT statement, and not {len(statements)} statements")
    if statements[0].type != duckdb.StatementType.SELECT:
        raise QueryError(f"only SELECT is possible, and not {statements[0].type.name}")


def _are_removed(files: Sequence[str]) -> bool:
    """Return whether a flight recorder has removed some files."""
    return not all(map(os.path.exists, files))


def _damage_in(files: Sequence[str]) -> str:
    """Return which file is damaged, if any: DuckDB does not say it."""
    for file in files:
        if damage := damage_in(Path(file)):
            return f"{escape_text(file)} is damaged: {damage} (move it away to query the rest)"
    return ""


def _raise_with_position(connection: Any, sql: str, parameters: dict[str, object]) -> None:
    """Raise the error in a query: of those that bind it, only this statement has the position."""
    try:
        connection.execute(f"EXPLAIN\n{sql}", parameters)
    except load("duckdb").Error as error:
        raise QueryError(explained(error, sql, lines_before=1)) from error


def _prepare(
    connection: Any, recordings: Sequence[Recording], places: Mapping[Path, Path], memory: str
) -> Sequence[str]:
    """Create the views, and lock everything else; return the files that are read."""
    sources = {table: source_of(recordings, table, places) for table in TABLES}
    texts = {table: source.sql for table, source in sources.items()}
    forms = forms_of(texts, are_several=len(recordings) > 1)
    allowed = [path for source in sources.values() for path in source.paths]
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute("SET enable_progress_bar = false")
    connection.execute("SET parquet_metadata_cache = true")
    connection.execute("SET memory_limit = ?", [memory])
    connection.execute("SET temp_directory = ''")
    connection.execute("SET allowed_paths = ?", [allowed])
    connection.execute("SET enable_external_access = false")
    # A view is bound when it is created, so those that it is made of come before it.
    for view in VIEWS:
        connection.execute(f"CREATE VIEW {view.name} AS {view.query.format_map(forms)}")
    for macro in macros():
        connection.execute(macro)
    connection.execute("SET lock_configuration = true")
    return [file for source in sources.values() for file in source.files]
