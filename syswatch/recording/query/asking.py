"""Ready-made questions with the values of their parameters."""

from collections.abc import Mapping

from syswatch.base.classes import frozen
from syswatch.model.times import SECOND_NS
from syswatch.recording.manifest import Manifest
from syswatch.recording.moments import MomentError, moment

from .database import Database
from .errors import ParameterError
from .questions import Default, Question, questions
from .values import time_text

# The seconds around it, too, have to be within what DuckDB counts in nanoseconds.
_LATEST_NS = 8_000_000_000 * SECOND_NS
# The parameter that is a moment of the recording.
AT = "at"


@frozen
class Asked:
    """A question as a query, with its parameters."""

    sql: str
    parameters: Mapping[str, Default]
    answer: str = ""

    def first_line(self, database: Database, most_s: float | None = None) -> str:
        """Return the answer in words, or an empty text."""
        if not self.answer:
            return ""
        rows = database.rows(self.answer, used(self.answer, self.parameters), most_s)
        return str(rows[0][0]) if rows and rows[0][0] is not None else ""


def ask(about: Manifest, name: str, values: Mapping[str, str]) -> Asked:
    """Return a question with some values, and the defaults of its other parameters."""
    question = questions().get(name)
    if question is None:
        raise ParameterError(f"no question '{name}' (--list shows all)")
    parameters = _parameters(question, values)
    if AT in parameters:
        parameters[AT] = _moment(about, str(parameters[AT]))
    return Asked(question.sql, used(question.sql, parameters), question.answer)


def _parameters(question: Question, values: Mapping[str, str]) -> dict[str, Default]:
    unknown = next((name for name in values if name not in question.parameters), None)
    if unknown is not None:
        known = ", ".join(question.parameters) or "none"
        raise ParameterError(f"'{question.name}' has no parameter '{unknown}' (it has: {known})")
    found = {name: each.default for name, each in question.parameters.items()}
    for name, text in values.items():
        try:
            found[name] = question.parameters[name].parse(text)
        except ValueError as error:
            raise ParameterError(f"{name}: invalid value '{text}' (expected {error})") from error
    return found


def _moment(about: Manifest, text: str) -> str:
    try:
        at_ns = moment(text, about.begun_ns)
    except MomentError as error:
        raise ParameterError(f"{AT}: {error}") from error
    if not 0 <= at_ns <= _LATEST_NS:
        raise ParameterError(f"{AT}: '{text}' is not between 1970 and 2223")
    return time_text(at_ns).removesuffix("Z")


def used(sql: str, parameters: Mapping[str, Default]) -> dict[str, Default]:
    """Return the parameters that a query has: DuckDB refuses others."""
    return {name: value for name, value in parameters.items() if f"${name}" in sql}
