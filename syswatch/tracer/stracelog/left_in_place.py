"""Calls of a log that have only looked at what they have received, which is received again."""

from itertools import islice

from syswatch.tracer.objects.ways import MSG_PEEK

from .arguments import split
from .logged_arguments import flags

_PEEK = b"MSG_PEEK"


def may_leave_in_place(text: bytes) -> bool:
    """Return whether some text may be that of such a call; most logs have none."""
    # `find` is faster than `in`, which tries whether these bytes are a number first.
    return text.find(_PEEK) >= 0


def leaves_in_place(args: bytes, flags_at: int) -> bool:
    """Return whether a call has done so, by the argument with its flags; -1 if it has none."""
    if flags_at < 0:
        return False
    text = next(islice(split(args), flags_at, None), b"")
    return bool(flags(text.strip()) & MSG_PEEK)
