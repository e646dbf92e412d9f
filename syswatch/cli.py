"""The command: `syswatch …`."""

import os
import resource
import signal
import sys
from collections.abc import Sequence
from types import FrameType

from syswatch.config import Action, Config
from syswatch.plugin import Options, make
from syswatch.watch import Watch


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse the command line, do what it says, and exit with a fitting status."""
    options = Options()
    options.parseOptions(list(sys.argv[1:] if arguments is None else arguments))
    sys.exit(_run(options.checked))


def _run(action: Action) -> int:
    from syswatch import logs
    from syswatch.service.reactor import the_reactor

    logs.begin(action.log_format if isinstance(action, Config) else "text")
    reactor = the_reactor()
    service = make(action, reactor)
    statuses = []

    def begin() -> None:
        # Only now: the reactor installs its own handlers when it starts.
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, take)
        service.startService()

    def take(number: int, _frame: FrameType | None) -> None:
        reactor.callFromThread(service.interrupt, number)

    def leave(status: int) -> None:
        statuses.append(status)
        reactor.stop()

    service.finished.addCallback(leave)
    reactor.callWhenRunning(begin)
    reactor.addSystemEventTrigger("before", "shutdown", service.stopService)
    reactor.run()
    if isinstance(service, Watch) and service.death_signal:
        _die_of(service.death_signal)
    return statuses[0] if statuses else 1


def _die_of(number: int) -> None:
    """End as the command did: a shell tells a death by signal from a status above 128."""
    # The command has left the core that is wanted, if any.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if number != signal.SIGKILL:
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)


if __name__ == "__main__":
    main()
