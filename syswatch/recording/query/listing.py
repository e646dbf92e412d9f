"""What can be asked: the ready-made questions, the views and the functions."""

from collections.abc import Iterator
from textwrap import fill

from .macros import MEANINGS
from .questions import Question, questions
from .views import VIEWS

_WIDTH = 88


def listing() -> str:
    """Return the text of all questions, views and functions."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    yield "Questions (--ask NAME):"
    for question in questions().values():
        yield from _question(question)
    yield "Views:"
    for view in VIEWS:
        yield f"  {view.name}: {view.meaning}"
        names = ", ".join(column.name for column in view.columns)
        yield fill(names, _WIDTH, initial_indent="      ", subsequent_indent="      ")
    yield "Functions, beside those of DuckDB:"
    for name, meaning in MEANINGS.items():
        yield f"  {name}: {meaning}"


def _question(question: Question) -> Iterator[str]:
    yield f"  {question.name}: {question.title}"
    for name, parameter in question.parameters.items():
        yield f"      --set {name}={parameter.default}: {parameter.meaning}"
