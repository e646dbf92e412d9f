"""Query parameters: declared once, validated and described."""

import re
from typing import Any, Final

from twisted.web.iweb import IRequest

from syswatch.base.classes import frozen

from .errors import bad_request

Json = dict[str, Any]
_DIGITS: Final = re.compile(rb"0*([0-9]{1,18})([0-9]*)\Z")
_SHORT_NUMBER: Final = re.compile(rb"[0-9]{1,9}\Z")
# Stands for all numbers with more digits, which are not worth converting.
_HUGE: Final = 10**18


@frozen
class IntegerParameter:
    """An integer with a minimum; a value above the maximum is reduced to it."""

    name: str
    description: str
    default: int
    maximum: int | None = None
    minimum: int = 1

    def value(self, request: IRequest) -> int:
        """Return the value in a request, or the default."""
        values = request.args.get(self.name.encode())
        if not values:
            return self.default
        match = _DIGITS.match(values[-1])
        number = -1 if match is None else _HUGE if match[2] else int(match[1])
        if number < self.minimum:
            raise bad_request(f"{self.name} must be an integer of at least {self.minimum}.")
        return number if self.maximum is None else min(number, self.maximum)

    @property
    def schema(self) -> Json:
        """The JSON Schema of the value."""
        return {"type": "integer", "minimum": self.minimum, "default": self.default}


@frozen
class NamesParameter:
    """A comma-separated list of known names."""

    name: str
    description: str
    known: frozenset[str]

    def value(self, request: IRequest) -> frozenset[str]:
        """Return the names in a request."""
        given = b",".join(request.args.get(self.name.encode(), ())).decode("utf-8", "replace")
        names = frozenset(given.split(",")) - {""}
        if names - self.known:
            raise bad_request(f"{self.name} must be a list of: {', '.join(sorted(self.known))}.")
        return names

    @property
    def schema(self) -> Json:
        """The JSON Schema of the value."""
        name = "|".join(sorted(self.known))
        return {"type": "string", "pattern": f"^(({name})(,({name}))*)?$"}


@frozen
class ChoiceParameter:
    """One of several names; empty unless there is a default."""

    name: str
    description: str
    choices: tuple[str, ...]
    default: str = ""

    def value(self, request: IRequest) -> str:
        """Return the name in a request, or the default."""
        values = request.args.get(self.name.encode())
        if not values:
            return self.default
        value: str = values[-1].decode("utf-8", "replace")
        if value not in self.choices:
            raise bad_request(f"{self.name} must be one of: {', '.join(self.choices)}.")
        return value

    @property
    def schema(self) -> Json:
        """The JSON Schema of the value."""
        schema: Json = {"type": "string", "enum": list(self.choices)}
        return {**schema, "default": self.default} if self.default else schema


@frozen
class TextParameter:
    """Any text, which is empty by default; required if its length is limited."""

    name: str
    description: str
    most: int | None = None

    @property
    def is_required(self) -> bool:
        """Whether a request must have it."""
        return self.most is not None

    def value(self, request: IRequest) -> str:
        """Return the text in a request."""
        values = request.args.get(self.name.encode())
        text = values[-1].decode("utf-8", "replace") if values else ""
        if self.most is not None and not 0 < len(text) <= self.most:
            raise bad_request(f"{self.name} must have 1 to {self.most} characters.")
        return text

    @property
    def schema(self) -> Json:
        """The JSON Schema of the value."""
        if self.most is None:
            return {"type": "string", "default": ""}
        return {"type": "string", "minLength": 1, "maxLength": self.most}


@frozen
class NumbersParameter:
    """A comma-separated list of numbers; None if it is missing."""

    name: str
    description: str
    most: int

    def value(self, request: IRequest) -> tuple[int, ...] | None:
        """Return the numbers in a request."""
        values = request.args.get(self.name.encode())
        if not values or not values[-1]:
            return None
        found = [_SHORT_NUMBER.match(text) for text in values[-1].split(b",", self.most)]
        if len(found) > self.most or None in found:
            raise bad_request(f"{self.name} must be a list of at most {self.most} numbers.")
        return tuple(int(match[0]) for match in found if match)

    @property
    def schema(self) -> Json:
        """The JSON Schema of the value."""
        return {"type": "string", "pattern": r"^(\d{1,9}(,\d{1,9})*)?$"}


@frozen
class PairsParameter:
    """Names with values, as NAME=VALUE; the parameter is repeated for each."""

    name: str
    description: str

    def value(self, request: IRequest) -> dict[str, str]:
        """Return the values in a request by their names."""
        given = [
            text.decode("utf-8", "replace").partition("=")
            for text in request.args.get(self.name.encode(), ())
        ]
        if not all(name and sign for name, sign, _ in given):
            raise bad_request(f"{self.name} must be NAME=VALUE.")
        return {name: value for name, _, value in given}

    @property
    def schema(self) -> Json:
        """The JSON Schema of the value."""
        return {"type": "array", "items": {"type": "string", "pattern": "^[^=]+="}}


Parameter = (
    IntegerParameter
    | NamesParameter
    | ChoiceParameter
    | TextParameter
    | NumbersParameter
    | PairsParameter
)
