"""The records of queries: the JSON keys."""

from typing import Any

from msgspec import field

from syswatch.views.records import Count, Record


class QueryAnswer(Record, frozen=True, kw_only=True):
    """
    The answer to a query: in words, if it was a ready-made question, and as rows.

    An integer that is not exact in JavaScript is a text.  With `HasMore`, rows are missing.
    """

    answer: str
    columns: list[str]
    rows: list[list[Any]]
    has_more: bool


class QuestionParameter(Record, frozen=True):
    """A parameter of a ready-made question; its type is that of the default."""

    name: str
    default: str | int | float
    meaning: str


class ReadyQuestion(Record, frozen=True):
    """A ready-made question, in words and in SQL."""

    name: str
    title: str
    sql: str = field(name="SQL")
    parameters: list[QuestionParameter]


class QueryView(Record, frozen=True):
    """A view that queries can read, with its columns."""

    name: str
    meaning: str
    columns: list[str]


class Questions(Record, frozen=True, kw_only=True):
    """What can be asked, and the limits of a query."""

    questions: list[ReadyQuestion]
    views: list[QueryView]
    most_seconds: float
    most_memory: str
    most_rows: Count
