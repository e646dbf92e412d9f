"""The command: `syswatch …`."""

import signal
import sys
from collections.abc import Sequence
from types import FrameType

from syswatch.config import Config
from syswatch.plugin import Options


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse the command line, watch, and exit with a fitting status."""
    options = Options()
    options.parseOptions(list(sys.argv[1:] if arguments is None else arguments))
    sys.exit(_watch(options.checked))


def _watch(config: Config) -> int:
    from syswatch import logs
    from syswatch.service.reactor import the_reactor
    from syswatch.watch import Watch

    logs.begin(config.log_format)
    reactor = the_reactor()
    watch = Watch(reactor, config)
    statuses = []

    def begin() -> None:
        # Only now: the reactor installs its own handlers when it starts.
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, take)
        watch.startService()

    def take(number: int, _frame: FrameType | None) -> None:
        reactor.callFromThread(watch.interrupts.take, number)

    def leave(status: int) -> None:
        statuses.append(status)
        reactor.stop()

    watch.finished.addCallback(leave)
    reactor.callWhenRunning(begin)
    reactor.addSystemEventTrigger("before", "shutdown", watch.stopService)
    reactor.run()
    return statuses[0] if statuses else 1


if __name__ == "__main__":
    main()
