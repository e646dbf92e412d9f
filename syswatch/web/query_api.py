"""The endpoints for queries of a recording, in SQL or ready-made."""

from typing import Any

import attrs
from twisted.web.iweb import IRequest

from syswatch.base.classes import define
from syswatch.recording.query import records
from syswatch.recording.query.questions import Question, questions
from syswatch.recording.query.views import VIEWS
from syswatch.recording.questions import QUERY_MEMORY, QUERY_ROWS, QUERY_S, SQL, Query
from syswatch.service.reader_process import QuestionError, ReaderError

from .errors import bad_query, bad_request, no_recording, query_running, unreadable_recording
from .parameters import IntegerParameter, PairsParameter, TextParameter
from .responses import json_response
from .routes import Exposure, serves
from .timeline_api import RecordingReader

_SQL = TextParameter("sql", "The query: one SELECT statement.")
_ASK = TextParameter("ask", "The name of a ready-made question, instead of a query.")
_SET = PairsParameter("set", "A parameter of that question.")
_LIMIT = IntegerParameter("limit", "Maximum number of rows.", 1000, QUERY_ROWS)
# Beyond this, a number of JavaScript may stand for several integers.
_LARGEST_EXACT = 1 << 53


@define
class QueryApi:
    """The endpoints; one query is run at a time."""

    _reader: RecordingReader | None
    _is_running: bool = attrs.field(default=False, init=False)

    @serves("/api/recording/questions", answers=records.Questions, errors=(404,))
    def questions(self, request: IRequest) -> bytes:
        """Return the ready-made questions about a recording, and what queries can read."""
        if self._reader is None:
            raise no_recording()
        found = records.Questions(
            questions=[_ready(each) for each in questions().values()],
            views=[
                records.QueryView(view.name, view.meaning, [each.name for each in view.columns])
                for view in VIEWS
            ],
            most_seconds=QUERY_S,
            most_memory=QUERY_MEMORY,
            most_rows=QUERY_ROWS,
        )
        return json_response(found).send(request)

    @serves(
        "/api/recording/query",
        answers=records.QueryAnswer,
        parameters=(_SQL, _ASK, _SET, _LIMIT),
        errors=(400, 404, 409, 503),
        exposure=Exposure.COSTLY,
    )
    async def query(self, request: IRequest) -> bytes:
        """Return the answer to a query in SQL, or to a ready-made question."""
        sql, name = _SQL.value(request).strip(), _ASK.value(request)
        if bool(sql) == bool(name):
            raise bad_request("Expected either sql or ask.")
        query = Query(sql, name, _SET.value(request), _LIMIT.value(request))
        return json_response(await self._answer(query)).send(request)

    async def _answer(self, query: Query) -> records.QueryAnswer:
        if self._reader is None:
            raise no_recording()
        if self._is_running:
            raise query_running()
        self._is_running = True
        try:
            found = await self._reader.ask(SQL, query)
        except QuestionError as error:
            raise bad_query(str(error)) from error
        except ReaderError as error:
            raise unreadable_recording(str(error)) from error
        finally:
            self._is_running = False
        return records.QueryAnswer(
            answer=found.answer,
            columns=list(found.columns),
            rows=[[_exact(value) for value in row] for row in found.rows],
            has_more=found.has_more,
        )


def _ready(question: Question) -> records.ReadyQuestion:
    parameters = [
        records.QuestionParameter(name, each.default, each.meaning)
        for name, each in question.parameters.items()
    ]
    return records.ReadyQuestion(question.name, question.title, question.sql.strip(), parameters)


def _exact(value: Any) -> Any:
    """Return a value as JSON in which JavaScript loses no digit."""
    if isinstance(value, int) and abs(value) > _LARGEST_EXACT:
        return str(value)
    return value
