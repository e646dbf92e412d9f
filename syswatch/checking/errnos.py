"""Which keys of a budget are names of errors."""

import errno
import re
from typing import Final

_ERRNO: Final = re.compile(r"E[A-Z0-9_]+")
# Codes of the kernel that no program sees, but a tracer does, when a signal interrupts a call.
_RESTARTED: Final = "ERESTART"


def is_errno(word: str) -> bool:
    """Return whether a word is meant as the name of an error; names of calls are in lower case."""
    return _ERRNO.fullmatch(word) is not None


def is_known_errno(word: str) -> bool:
    """Return whether a name is that of an error."""
    return word in KNOWN_ERRNOS or word.startswith(_RESTARTED)


KNOWN_ERRNOS: Final = frozenset(errno.errorcode.values())
