"""From the words of a command line to what does as they say."""

from twisted.python import usage

from syswatch.app.top import Top
from syswatch.app.watch import Watch
from syswatch.base.streams import print_output
from syswatch.options import USAGE_STATUS
from syswatch.options import Options as _Options
from syswatch.options.config import Action, Answer, Remote
from syswatch.service.announcing import announce
from syswatch.service.reactor import Reactor


class Options(_Options):
    """The command line, with errors as this program words them rather than as twistd does."""

    def parseOptions(self, options: list[str] | None = None) -> None:
        """Parse; a mistake is one line and status 2."""
        try:
            super().parseOptions(options)
            self.checked = self.action()
        except usage.UsageError as error:
            announce(str(error))
            raise SystemExit(USAGE_STATUS) from error


def make(action: Action, reactor: Reactor) -> Watch | Top:
    """Make what does what was asked for; what needs no reactor is done at once."""
    match action:
        case Answer():
            if action.complaint:
                announce(action.complaint)
                raise SystemExit(action.status)
            raise SystemExit(print_output(f"{action.text}\n") or action.status)
        case Remote():
            return Top(reactor, action.url, action.token)
        case _:
            return Watch(reactor, action)
