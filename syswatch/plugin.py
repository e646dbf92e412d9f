"""The twistd plugin: `twistd syswatch …`."""

import atexit
import os
import sys

from twisted.application.service import IService
from twisted.python import usage

from syswatch.options import USAGE_STATUS
from syswatch.options import Options as _Options
from syswatch.service.reactor import the_reactor
from syswatch.watch import Watch


class Options(_Options):
    """The command line, with errors as this program words them rather than as twistd does."""

    def parseOptions(self, options: list[str] | None = None) -> None:
        """Parse; a mistake is one line and status 2."""
        try:
            super().parseOptions(options)
            self.checked = self.config()
        except usage.UsageError as error:
            sys.stderr.write(f"syswatch: {error}\n")
            raise SystemExit(USAGE_STATUS) from error


def makeService(options: Options) -> IService:
    """Make the service that does what the options say."""
    reactor = the_reactor()
    watch = Watch(reactor, options.checked)

    def leave(status: int) -> None:
        if status:
            # twistd ends with status 0 whatever a service thinks; only this is later.
            atexit.register(_exit, status)
        reactor.stop()

    watch.finished.addCallback(leave)
    return watch


def _exit(status: int) -> None:
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)
