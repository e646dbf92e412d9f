"""Ready-made questions: one file each, found by its name."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import attrs

from syswatch.base.classes import frozen

Default = str | int | float


@frozen
class Parameter:
    """A value that a question depends on; its type is that of the default."""

    default: Default
    meaning: str

    def parse(self, text: str) -> Default:
        """Return a value that was typed; a ValueError if it is not of the type."""
        return type(self.default)(text)


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
