"""Ready-made questions: one file each, found by its name."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import attrs

from syswatch.base.classes import frozen

Default = str | int | float
# Of rows, and of seconds: less than what DuckDB can count.
_MOST = 1_000_000_000


@frozen
class Parameter:
    """A value that a question depends on; its type is that of the default."""

    default: Default
    meaning: str

    def parse(self, text: str) -> Default:
        """Return a value that was typed; a ValueError with what is expected if it is not valid."""
        if isinstance(self.default, str):
            return text
        kind = "a whole number" if isinstance(self.default, int) else "a number"
        expected = f"{kind} from 0 to {_MOST}"
        try:
            value = type(self.default)(text)
        except ValueError as error:
            raise ValueError(expected) from error
        # NaN is not in the range, either.
        if not 0 <= value <= _MOST:
            raise ValueError(expected)
        return value


@frozen
class Question:
    """A question in words and in SQL, and optionally a query whose only value is the answer."""

    name: str
    title: str
    sql: str
    answer: str = ""
    parameters: Mapping[str, Parameter] = attrs.field(factory=dict)


@cache
def questions() -> Mapping[str, Question]:
    """Return all questions by name, in the order of their names."""
    found = sorted(file for file in map(str, _names()) if file.endswith(".toml"))
    return {name.removesuffix(".toml"): _read(name) for name in found}


def _names() -> list[str]:
    return [file.name for file in files(__package__).iterdir()]


def _read(file: str) -> Question:
    plain: dict[str, Any] = tomllib.loads(files(__package__).joinpath(file).read_text("utf-8"))
    parameters = {name: Parameter(**each) for name, each in plain.pop("parameters", {}).items()}
    return Question(file.removesuffix(".toml"), parameters=parameters, **plain)
