"""Rows that answer a query, with a limit on time, memory and the size of the answer."""

import time
from itertools import islice

from syswatch.recording.query.asking import Asked, ask
from syswatch.recording.query.database import Database
from syswatch.recording.query.errors import QueryError
from syswatch.recording.query.values import rows_of
from syswatch.recording.questions import QUERY_MEMORY, QUERY_ROWS, QUERY_S, SQL, Query, Rows

from .request import QuestionError, Reader, Request

# The rows may take at least so long, however long the answer in words has taken.
_LEAST_S = 0.1


def _query(reader: Reader, query: Query) -> Rows:
    try:
        return _rows(reader, query)
    except QueryError as error:
        raise QuestionError(str(error)) from error


def _rows(reader: Reader, query: Query) -> Rows:
    recording = reader.recording
    asked = Asked(query.sql, {})
    if query.name:
        asked = ask(recording.about, query.name, query.values)
    most = max(0, min(query.most_rows, QUERY_ROWS))
    # The process has a limit of its own, which is higher.
    database = Database.open(recording, memory=QUERY_MEMORY)
    try:
        begun_s = time.monotonic()
        answer = asked.first_line(database, QUERY_S)
        left_s = max(round(QUERY_S - (time.monotonic() - begun_s), 1), _LEAST_S)
        with database.run(asked.sql, asked.parameters, left_s) as result:
            found = (row for batch in result.batches for row in rows_of(batch))
            rows = list(islice(found, most + 1))
            return Rows(answer, result.columns, rows[:most], has_more=len(rows) > most)
    finally:
        database.close()


REQUEST = Request(SQL, _query)
