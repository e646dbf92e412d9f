"""The command line of this process, without its secrets."""

from collections.abc import Iterable

_SECRET_FLAGS = ("--ws-token", "--http-token")
MASK = "***"


def masked(arguments: Iterable[str]) -> list[str]:
    """Return the arguments with every token replaced, however it was given."""
    shown: list[str] = []
    for argument in arguments:
        flag, equals, _ = argument.partition("=")
        if shown and shown[-1] in _SECRET_FLAGS:
            shown.append(MASK)
        elif equals and flag in _SECRET_FLAGS:
            shown.append(f"{flag}={MASK}")
        else:
            shown.append(argument)
    return shown
