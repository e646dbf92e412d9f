"""Which columns of the files a query needs, as the optimizer of DuckDB finds."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from syswatch.recording.extra import load

from .asking import Asked, used
from .database import SETTINGS, check_select
from .errors import QueryError, explained
from .macros import macros
from .views import RECORDING, TABLES, TYPES, VIEWS, forms_of

# Without these, each scan of the plan names all columns from which its rows are made or chosen:
# filters stay outside of scans, and the scan of a table without rows is not left out.
_OFF: Final = (
    "statistics_propagation",
    "filter_pushdown",
    "join_filter_pushdown",
    "late_materialization",
    "compressed_materialization",
)
_PREFIX: Final = "files_"


def needed_columns(asked: Asked, *, are_several: bool) -> Mapping[str, frozenset[str]]:
    """Return the columns of each table that the answer depends on; a QueryError for a mistake."""
    duckdb = load("duckdb")
    found: dict[str, set[str]] = {table: set() for table in TABLES}
    with duckdb.connect(":memory:", config=SETTINGS) as connection:
        _create(connection, are_several=are_several)
        for sql in filter(None, (asked.sql, asked.answer)):
            check_select(connection, sql)
            values = used(sql, asked.parameters)
            try:
                [(_, plan)] = connection.execute(f"EXPLAIN (FORMAT json)\n{sql}", values).fetchall()
            except duckdb.Error as error:
                raise QueryError(explained(error, sql, lines_before=1)) from error
            for table, column in _scanned(json.loads(plan)):
                found[table].add(column)
    return {table: frozenset(columns) for table, columns in found.items()}


def _create(connection: Any, *, are_several: bool) -> None:
    """Create the views of tables without rows."""
    forms = {}
    for table, columns in TABLES.items():
        listed = ", ".join(f'"{each.name}" {TYPES[each.type]}' for each in (*columns, RECORDING))
        connection.execute(f'CREATE TABLE "{_PREFIX}{table}" ({listed})')
        forms[table] = f'(SELECT * FROM "{_PREFIX}{table}")'  # noqa: S608  of constants alone
    for view in VIEWS:
        query = view.query.format_map(forms_of(forms, are_several=are_several))
        connection.execute(f"CREATE VIEW {view.name} AS {query}")
    for macro in macros():
        connection.execute(macro)
    connection.execute(f"SET disabled_optimizers = '{','.join(_OFF)}'")
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")


def _scanned(nodes: Sequence[Any]) -> Iterator[tuple[str, str]]:
    """Yield the columns that the scans of a plan read."""
    for node in nodes:
        about = node["extra_info"]
        table = str(about.get("Table", "")).rpartition(".")[2].removeprefix(_PREFIX)
        if table in TABLES:
            columns = about.get("Projections", ())
            for column in (columns,) if isinstance(columns, str) else columns:
                yield table, column
        yield from _scanned(node["children"])
