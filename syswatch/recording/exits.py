"""The calls that do not return because they end the thread: no call is in progress after them."""

from syswatch.model.catalog import plain_name

EXITS = frozenset({"exit", "exit_group"})


def is_exit(name: str | None) -> bool:
    """Return whether a call ends the thread, whatever the architecture that its name has."""
    return name is not None and plain_name(name) in EXITS
