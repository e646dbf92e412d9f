"""Parsing TOML that people write, of which any text may come."""

import tomllib
from typing import Any


class TomlError(Exception):
    """A text is not valid; the message tells why."""


def parsed(text: str) -> dict[str, Any]:
    """Return a document; raise TomlError."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        why = str(error)
        raise TomlError(why[:1].lower() + why[1:]) from error
    except RecursionError as error:
        raise TomlError("its lists or tables are nested too deeply") from error
    except ValueError as error:
        # Python converts no more than some thousand digits.
        raise TomlError("a number is too long") from error
