"""The command: `syswatch …`."""

import signal
import sys
from collections.abc import Sequence

from syswatch.plugin import Options


def main(arguments: Sequence[str] | None = None) -> None:
    """Parse the command line, watch, and exit with a fitting status."""
    options = Options()
    options.parseOptions(list(sys.argv[1:] if arguments is None else arguments))

    from twisted.internet import reactor

    from syswatch.watch import Watch

    watch = Watch(reactor, options.checked)
    statuses: list[int] = []

    def leave(status: int) -> None:
        statuses.append(status)
        reactor.stop()

    def begin() -> None:
        # Only now: the reactor installs its own handlers when it starts.
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(
                number, lambda received, _frame: reactor.callFromThread(watch.interrupt, received)
            )
        watch.finished.addCallback(leave)
        watch.startService()

    reactor.callWhenRunning(begin)
    reactor.addSystemEventTrigger("before", "shutdown", watch.stopService)
    reactor.run()
    sys.exit(statuses[0] if statuses else 1)


if __name__ == "__main__":
    main()
