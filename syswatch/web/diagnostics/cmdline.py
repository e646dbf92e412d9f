"""The command line of this process, without its secrets."""

import re
from collections.abc import Iterable

_REDACT = "--redact"
_SECRET_FLAGS = ("--ws-token", "--http-token", _REDACT)
MASK = "***"


def masked(arguments: Iterable[str]) -> list[str]:
    """Return the arguments with every token replaced, and what is masked in the trace, too."""
    shown: list[str] = []
    patterns = []
    for argument in arguments:
        flag, equals, value = argument.partition("=")
        if shown and shown[-1] in _SECRET_FLAGS:
            secret_of, secret = shown[-1], argument
            shown.append(MASK)
        elif equals and flag in _SECRET_FLAGS:
            secret_of, secret = flag, value
            shown.append(f"{flag}={MASK}")
        else:
            shown.append(argument)
            continue
        if secret_of == _REDACT:
            patterns.append(secret)
    for pattern in patterns:
        shown = [re.sub(pattern, MASK, word) for word in shown]
    return shown
