"""The version of syswatch."""

from functools import cache


@cache
def own_version() -> str:
    """Return the version of the installed package, which is read once."""
    # Most commands end without it, and it takes a while to import.
    from importlib.metadata import version

    return version("syswatch")
