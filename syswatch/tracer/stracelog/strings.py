"""The strings of a log, without the escapes of strace."""

from functools import lru_cache

from syswatch.base.text import unquoted
from syswatch.model.delta import PATH_BYTES

# No byte of a path is written as more than four characters: what is beyond would be cut anyway.
_LONGEST_QUOTED = 4 * PATH_BYTES + 8


def string_text(quoted: bytes) -> str:
    """Return what a string says; an ellipsis stays where strace cut it."""
    text, _, ellipsis = quoted.rpartition(b'"')
    return unquoted(text[1:]) + ellipsis.decode()


def path_text(quoted: bytes) -> str:
    """Return a path as a file manager would show it; an ellipsis stays where strace cut it."""
    if len(quoted) > _LONGEST_QUOTED:
        return unquoted(quoted[1:_LONGEST_QUOTED])
    return _path_text(quoted)


# Many calls are about few paths.
_path_text = lru_cache(maxsize=4096)(string_text)
