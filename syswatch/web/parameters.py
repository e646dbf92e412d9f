"""Query parameters, checked."""

import re
from collections.abc import Mapping, Sequence

from .errors import bad_request

# More digits than any list is long: not worth the arithmetic, and no larger a number.
_WHOLE_NUMBER = re.compile(rb"0*([1-9][0-9]{0,17})$")


def positive(
    arguments: Mapping[bytes, Sequence[bytes]], name: str, *, default: int, most: int | None = None
) -> int:
    """Return a whole number from 1 on; one beyond `most` is served as `most`."""
    values = arguments.get(name.encode())
    if not values:
        return default
    match = _WHOLE_NUMBER.match(values[-1])
    if match is None:
        raise bad_request(f"{name} must be a whole number from 1 on.")
    number = int(match[1])
    return number if most is None else min(number, most)
