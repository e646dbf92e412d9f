"""The command line, the same for `syswatch` and `twistd syswatch`."""

from .arguments import UsageError
from .registry import PROGRAM, action

USAGE_STATUS = 2
__all__ = ["PROGRAM", "USAGE_STATUS", "UsageError", "action"]
