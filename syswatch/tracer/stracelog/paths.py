"""Paths of a log as a file manager would show them."""

from functools import lru_cache

from syswatch.model.delta import PATH_BYTES
from syswatch.text import unquoted

from .grammar import string_text

# No byte of a path is written as more than four characters: what is beyond would be cut anyway.
_LONGEST_QUOTED = 4 * PATH_BYTES + 8


def path_text(quoted: bytes) -> str:
    """Return a path from its quotes; an ellipsis stays where strace cut it."""
    if len(quoted) > _LONGEST_QUOTED:
        return unquoted(quoted[1:_LONGEST_QUOTED])
    return _path_text(quoted)


@lru_cache(maxsize=4096)
def _path_text(quoted: bytes) -> str:
    return string_text(quoted)
