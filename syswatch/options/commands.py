"""The whole command line."""

from collections.abc import Mapping

from twisted.python import usage

from syswatch.options.config import Action

from .base import BaseOptions
from .common import CommonOptions
from .machine import DiscoverOptions, DoctorOptions
from .remote import TopOptions
from .stats import StatsOptions
from .tracing import AttachOptions, RunOptions

USAGE_STATUS = 2
_COMMANDS: Mapping[str, tuple[type[BaseOptions], str]] = {
    "run": (RunOptions, "Start a command and trace it."),
    "attach": (AttachOptions, "Trace processes that run already."),
    "discover": (DiscoverOptions, "Print the pid of a container or a process."),
    "doctor": (DoctorOptions, "Say what this machine allows."),
    "stats": (StatsOptions, "Show what a strace log holds."),
    "top": (TopOptions, "Show what another server watches."),
}


class Options(CommonOptions):
    """What stands before the sub-command, and which there are."""

    synopsis = "Usage: syswatch [options] COMMAND [options] ..."
    subCommands = [[name, None, options, purpose] for name, (options, purpose) in _COMMANDS.items()]

    def postOptions(self) -> None:
        """Nothing is done without a command."""
        if self.subCommand is None:
            raise usage.UsageError(f"which command? One of: {', '.join(_COMMANDS)}")

    def action(self) -> Action:
        """Check everything and return what is to be done."""
        action: Action = self.subOptions.action()
        return action
