"""
What can be asked of the process that reads a recording: the types of questions and answers.

The functions that answer are in `syswatch.recording.read.requests`: the service imports these
types, but nothing that reads files.
"""

from collections.abc import Mapping
from typing import Any, Final, Generic, TypeVar

import attrs

from syswatch.base.classes import frozen
from syswatch.model.delta import Delta
from syswatch.model.times import LONGEST_NS

from .manifest import Manifest

Q = TypeVar("Q")
A = TypeVar("A")
# The limits of a query.
QUERY_S: Final = 5.0
QUERY_MEMORY: Final = "400MB"
QUERY_ROWS: Final = 10_000


@frozen
class Kind(Generic[Q, A]):
    """
    A kind of question: its name, and the types of question and answer, sent as MessagePack.

    One that may take seconds is answered by a process of its own.
    """

    name: str
    question: type[Q]
    answer: type[A]
    takes_long: bool = False


@frozen
class Nothing:
    """A question without parameters."""


@frozen
class State:
    """
    The manifest, the time of the last call or delta, and a sentence on what is damaged.

    All calls that ended from `complete_from_ns` up to `complete_to_ns` can be read: while the trace
    runs, the newest are not in a segment yet.
    """

    about: Manifest
    last_ns: int
    notes: tuple[str, ...]
    complete_from_ns: int = 0
    complete_to_ns: int = LONGEST_NS


@frozen
class Range:
    """The range from `first_ns` up to, but not including, `last_ns`."""

    first_ns: int = 0
    last_ns: int = LONGEST_NS
    per_process: bool = False


@frozen
class Query:
    """A query in SQL, or the name of a ready-made question with its parameters."""

    sql: str = ""
    name: str = ""
    values: Mapping[str, str] = attrs.field(factory=dict)
    most_rows: int = 1000


@frozen
class Rows:
    """The answer in words, if there is one, and the rows; whether there are more of them."""

    answer: str
    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    has_more: bool = False


STATE: Final = Kind("state", Nothing, State)
FOLD: Final = Kind("fold", Range, Delta)
SQL: Final = Kind("sql", Query, Rows, takes_long=True)
