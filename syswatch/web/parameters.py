"""Query parameters, declared once and checked."""

import re
from typing import Any, Final

import attrs
from twisted.web.iweb import IRequest

from .errors import bad_request

Json = dict[str, Any]
_WHOLE_NUMBER: Final = re.compile(rb"0*([0-9]{1,18})([0-9]*)\Z")
# More than any list is long; what has more digits than this is not worth the arithmetic.
_HUGE: Final = 10**18


@attrs.frozen
class Whole:
    """A whole number from `least` on; one beyond `most` is served as `most`."""

    name: str
    description: str
    default: int
    most: int | None = None
    least: int = 1

    def of(self, request: IRequest) -> int:
        """Return the value that a request gives, or the default."""
        values = request.args.get(self.name.encode())
        if not values:
            return self.default
        match = _WHOLE_NUMBER.match(values[-1])
        number = -1 if match is None else _HUGE if match[2] else int(match[1])
        if number < self.least:
            raise bad_request(f"{self.name} must be a whole number from {self.least} on.")
        return number if self.most is None else min(number, self.most)

    @property
    def schema(self) -> Json:
        """The JSON Schema of the value."""
        return {"type": "integer", "minimum": self.least, "default": self.default}


@attrs.frozen
class Words:
    """Some of a few words, with commas between them."""

    name: str
    description: str
    known: frozenset[str]

    def of(self, request: IRequest) -> frozenset[str]:
        """Return the words that a request gives."""
        given = b",".join(request.args.get(self.name.encode(), ())).decode("utf-8", "replace")
        words = frozenset(given.split(",")) - {""}
        if words - self.known:
            raise bad_request(f"{self.name} must name some of: {', '.join(sorted(self.known))}.")
        return words

    @property
    def schema(self) -> Json:
        """The JSON Schema of the value."""
        word = "|".join(sorted(self.known))
        return {"type": "string", "pattern": f"^(({word})(,({word}))*)?$"}


Parameter = Whole | Words
