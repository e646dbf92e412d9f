"""Query parameters, declared once and checked."""

import re
from typing import Final

import attrs
from twisted.web.iweb import IRequest

from .errors import bad_request

# More digits than any list is long: not worth the arithmetic, and no larger a number.
_WHOLE_NUMBER: Final = re.compile(rb"0*([0-9]{1,18})$")


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
        number = int(match[1]) if match else -1
        if number < self.least:
            raise bad_request(f"{self.name} must be a whole number from {self.least} on.")
        return number if self.most is None else min(number, self.most)
