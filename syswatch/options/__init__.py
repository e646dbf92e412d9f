"""The command line: sub-commands and flags, the same for `syswatch` and `twistd syswatch`."""

from .commands import USAGE_STATUS, Options

__all__ = ["USAGE_STATUS", "Options"]
